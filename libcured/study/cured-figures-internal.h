/* SPDX-License-Identifier: MIT
 * Whether two figures differ by more than chance. */
#pragma once

#include "store/cured-result.h"

G_BEGIN_DECLS

/**
 * CuredFigure: what a cell has of a metric.
 * @value: NaN: none
 * @low: lower end of its interval; NaN: it has none
 * @high: upper end
 * @unknown: by how much another process may differ all the same, relative: of
 *   one round, whose interval holds within its process; 0 otherwise
 * @n_rounds: that the interval is over, two at least; 0: it is not
 * @clock_hz: of the multiprocessors meanwhile; NaN: not recorded
 * @is_rate: it grows with the clock; FALSE: a time
 */
typedef struct
{
  double value, low, high, unknown;
  guint n_rounds;
  double clock_hz;
  gboolean is_rate;
} CuredFigure;

/**
 * CuredFigures: a metric of a result; borrows its columns.
 */
typedef struct
{
  CuredBetter better;
  const double *values;
  const double *low;    /* nullable */
  const double *high;   /* nullable, as @low */
  const double *times;  /* nullable: of which @low and @high are, where @values
                         * are rates */
  const double *rounds; /* nullable */
  const double *clocks; /* nullable */
  gboolean is_time;     /* @low and @high are of times on a clock */
} CuredFigures;

gboolean cured_figures_load (CuredFigures *self, CuredResult *result, const char *metric,
                             GError **error);
void cured_figures_get (const CuredFigures *self, gint64 cell, CuredFigure *figure);
gboolean cured_figure_differs (const CuredFigure *self, const CuredFigure *other,
                               double *significance);

G_END_DECLS
