/* SPDX-License-Identifier: MIT
 * Advice on what to change next: the neighbours of a cell that are faster. */
#pragma once

#include "store/cured-result.h"

/* Free with cured_advice_free(). */
typedef struct
{
  gsize axis;            /* index of the result's axis to change */
  gint64 cell;           /* the fastest cell of that line */
  gboolean is_more;      /* that cell has a greater value of the parameter */
  double time_ns;        /* time of that cell */
  double gain;           /* share of the time that it saves: 0.23 */
  double threads;        /* threads in flight in the original cell; NaN: unknown */
  double better_threads; /* likewise in @cell */
  char *sentence;        /* the advice and its gain, translated */
} CuredAdvice;

double cured_result_count_threads (CuredResult *result, gint64 cell, double *most);
CuredAdvice *cured_advice_new (CuredResult *result, gint64 cell);
void cured_advice_free (CuredAdvice *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredAdvice, cured_advice_free)
