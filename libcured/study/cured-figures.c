/* SPDX-License-Identifier: MIT
 * Tests whether two figures differ significantly. */
#include "study/cured-study-internal.h"

#include "base/cured-base-internal.h"
#include "measure/cured-measure-internal.h"

/* Smaller differences may be drift. */
#define LEAST_DIFFERENCE 0.005

/* Rates that are a constant over the cold time. */
static const char *const rates[] = {
  "bandwidth",
  "flop_rate",
  "of_ceiling",
  NULL,
};

/* Loads a column, if the result has it. */
static gboolean
load_column (CuredResult *result, const char *metric, gsize *column, GError **error)
{
  *column = CURED_NO_FIGURE;
  return !cured_result_find_metric (result, metric, column) ||
         cured_result_load_column (result, *column, NULL, error);
}

/* NaN where there is no such column. */
static double
get (const CuredFigures *self, gsize column, gint64 cell)
{
  return column != CURED_NO_FIGURE ? cured_result_get_value (self->result, cell, column)
                                   : CURED_MISSING;
}

/* @self: (out caller-allocates): borrows from @result
 * @result: a result that has the metric
 * @metric: its id
 * @error: an error of reading the file
 *
 * Reads all columns needed to judge the metric: intervals, rounds and clocks. */
gboolean
cured_figures_load (CuredFigures *self, CuredResult *result, const char *metric, GError **error)
{
  gboolean is_rate = g_strv_contains (rates, metric);
  const char *of = is_rate ? "time" : metric;
  g_autofree char *low_id = g_strconcat (of, "_low", NULL);
  g_autofree char *high_id = g_strconcat (of, "_high", NULL);
  CuredMetric known;
  gsize index;

  *self = (CuredFigures){
    .result = result,
    .low = CURED_NO_FIGURE,
    .high = CURED_NO_FIGURE,
    .times = CURED_NO_FIGURE,
    .rounds = CURED_NO_FIGURE,
    .clocks = CURED_NO_FIGURE,
  };
  if (!cured_result_find_metric (result, metric, &index))
    g_return_val_if_reached (FALSE);
  self->better = cured_result_get_metrics (result, NULL)[index].better;
  self->is_time = g_str_equal (of, "time") || g_str_equal (of, "time_hot");
  /* Results that depend on a clock are never exact. */
  self->is_exact = !self->is_time && !is_rate &&
                   !(cured_metric_from_id (metric, &known) && cured_metric_info (known)->is_timed);
  if (!load_column (result, metric, &self->values, error) ||
      !load_column (result, low_id, &self->low, error) ||
      !load_column (result, high_id, &self->high, error))
    return FALSE;
  if (is_rate && !load_column (result, of, &self->times, error))
    return FALSE;
  if (self->low == CURED_NO_FIGURE || self->high == CURED_NO_FIGURE ||
      (is_rate && self->times == CURED_NO_FIGURE))
    self->low = self->high = self->times = CURED_NO_FIGURE;
  if ((self->is_time || is_rate) && !load_column (result, "rounds", &self->rounds, error))
    return FALSE;
  return !self->is_time ||
         load_column (result, g_str_equal (of, "time") ? "sm_clock" : "sm_clock_hot", &self->clocks,
                      error);
}

/* NaN where the cell has none. */
double
cured_figures_get_value (const CuredFigures *self, gint64 cell)
{
  return get (self, self->values, cell);
}

/* @self: figures
 * @figure: (out caller-allocates): the cell's figure */
void
cured_figures_get (const CuredFigures *self, gint64 cell, CuredFigure *figure)
{
  gboolean is_rate = self->times != CURED_NO_FIGURE;
  double n_rounds = get (self, self->rounds, cell);

  *figure = (CuredFigure){
    .value = get (self, self->values, cell),
    .low = get (self, self->low, cell),
    .high = get (self, self->high, cell),
    .clock_hz = get (self, self->clocks, cell),
    .is_rate = is_rate,
    .is_exact = self->is_exact,
  };
  /* An untrusted file may contain any number. */
  if (n_rounds >= 2)
    figure->n_rounds = (guint) fmin (n_rounds, G_MAXUINT16);
  double time_ns = is_rate ? get (self, self->times, cell) : figure->value;
  if (self->is_time && time_ns > 0 && !isnan (figure->low) && figure->n_rounds == 0)
    figure->unknown = cured_rounds_widen (time_ns, figure->low, figure->high) / time_ns;
  if (is_rate)
    {
      double low_ns = figure->low;

      figure->low = figure->value * time_ns / figure->high;
      figure->high = figure->value * time_ns / low_ns;
    }
}

static gboolean
has_interval (const CuredFigure *self)
{
  return !isnan (self->low) && !isnan (self->high);
}

/* Half width of the interval towards @other, relative to the value. Over n rounds, the interval is
 * for the next process's median, with a variance of 1 + 1/n; but two runs differ by the errors of
 * their medians, with a variance of at most pi/2 n, here 2/n to be safe. */
static double
get_reach (const CuredFigure *self, const CuredFigure *other)
{
  double reach = other->value > self->value ? self->high - self->value : self->value - self->low;

  if (self->n_rounds > 0)
    reach *= sqrt (2.0 / (self->n_rounds + 1));
  return fmax (fmax (reach, 0) / fabs (self->value), self->unknown);
}

/* A change by @ratio, in units of @reach. */
static double
get_significance (double ratio, double reach)
{
  return fabs (log (ratio)) / reach;
}

/* @self: a figure that has a value
 * @other: another
 * @significance: (out): the difference over the combined half widths of both intervals towards each
 *   other, added as independent errors: above 1, it is significant; the smaller one of time and of
 *   cycles, if both clocks are known; NaN if one has no interval
 *
 * Figures with intervals differ if that is above 1, and the difference is at least half a percent,
 * also in cycles. Without an interval, times and rates differ from half a percent on, and counts if
 * they are not equal.
 * Returns: whether they differ */
gboolean
cured_figure_differs (const CuredFigure *self, const CuredFigure *other, double *significance)
{
  const double least = log1p (LEAST_DIFFERENCE);
  double ratio = other->value / self->value, clocks = other->clock_hz / self->clock_hz;

  *significance = CURED_MISSING;
  if (self->value == other->value)
    {
      if (has_interval (self) && has_interval (other))
        *significance = 0;
      return FALSE;
    }
  if (!(ratio > 0))
    return TRUE;
  if (!has_interval (self) || !has_interval (other))
    return self->is_exact || fabs (log (ratio)) >= least;
  double reach = hypot (get_reach (self, other), get_reach (other, self));
  *significance = get_significance (ratio, reach);
  if (!(clocks > 0) || !isfinite (clocks))
    return *significance > 1 && fabs (log (ratio)) >= least;
  double in_cycles = self->is_rate ? ratio / clocks : ratio * clocks;
  if ((in_cycles > 1) != (ratio > 1))
    *significance = 0;
  else
    *significance = fmin (*significance, get_significance (in_cycles, reach));
  return *significance > 1 && fabs (log (ratio)) >= least && fabs (log (in_cycles)) >= least;
}
