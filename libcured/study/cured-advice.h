/* SPDX-License-Identifier: MIT
 * Where a cell's neighbours are faster: what to change next. */
#pragma once

#include "store/cured-result.h"

G_BEGIN_DECLS

/**
 * CuredAdvice:
 * @axis: index of the result's axis along which it gets faster
 * @cell: the fastest cell of that line
 * @is_more: that cell has a greater value of the parameter
 * @time_ns: of that cell
 * @gain: share of the time that it saves: 0.23
 * @threads: that are in flight in the cell; NaN: not known
 * @better_threads: likewise in @cell
 * @sentence: what to change and what it brings, translated
 *
 * Free with cured_advice_free().
 */
typedef struct
{
  gsize axis;
  gint64 cell;
  gboolean is_more;
  double time_ns;
  double gain;
  double threads, better_threads;
  char *sentence;
} CuredAdvice;

double cured_result_count_threads (CuredResult *result, gint64 cell, double *most);
CuredAdvice *cured_advice_new (CuredResult *result, gint64 cell);
void cured_advice_free (CuredAdvice *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredAdvice, cured_advice_free)

G_END_DECLS
