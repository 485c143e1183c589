/* SPDX-License-Identifier: MIT
 * Where a cell's neighbours are faster: what to change next. */
#pragma once

#include "store/cured-result.h"

/* Free with cured_advice_free(). */
typedef struct
{
  gsize axis;            /* index of the result's axis along which it gets faster */
  gint64 cell;           /* the fastest cell of that line */
  gboolean is_more;      /* that cell has a greater value of the parameter */
  double time_ns;        /* of that cell */
  double gain;           /* share of the time that it saves: 0.23 */
  double threads;        /* that are in flight in the cell; NaN: not known */
  double better_threads; /* likewise in @cell */
  char *sentence;        /* what to change and what it brings, translated */
} CuredAdvice;

double cured_result_count_threads (CuredResult *result, gint64 cell, double *most);
CuredAdvice *cured_advice_new (CuredResult *result, gint64 cell);
void cured_advice_free (CuredAdvice *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredAdvice, cured_advice_free)
