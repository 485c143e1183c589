/* SPDX-License-Identifier: MIT
 * Advice on what to change next: the neighbours of a cell that are faster. */
#include "study/cured-advice.h"

#include "base/cured-base-internal.h"
#include "study/cured-comparison.h"

/* A share of the time below which a change is not worth advice. */
#define LEAST_GAIN 0.02

/* From this factor on, the number of threads in flight is given as the reason. */
#define MANY_MORE 1.1

/* The time of a cell and its interval, in nanoseconds. */
typedef struct
{
  CuredResult *result;
  gsize values; /* a metric; NONE: missing, as in both below */
  gsize lows, highs;
} Times;

#define NONE G_MAXSIZE

static gsize
find_column (CuredResult *result, const char *id)
{
  gsize metric;

  return cured_result_find_metric (result, id, &metric) &&
                 cured_result_has_values (result, metric) &&
                 cured_result_load_column (result, metric, NULL, NULL)
             ? metric
             : NONE;
}

static double
get (const Times *self, gsize metric, gint64 cell)
{
  return metric != NONE ? cured_result_get_value (self->result, cell, metric) : NAN;
}

static gboolean
load_times (Times *self, CuredResult *result)
{
  static const char *const ids[][3] = {
    { "time", "time_low", "time_high" },
    { "time_hot", "time_hot_low", "time_hot_high" },
    { "predicted_time", NULL, NULL },
  };

  self->result = result;
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      self->values = find_column (result, ids[i][0]);
      if (self->values == NONE)
        continue;
      self->lows = ids[i][1] != NULL ? find_column (result, ids[i][1]) : NONE;
      self->highs = ids[i][2] != NULL ? find_column (result, ids[i][2]) : NONE;
      return TRUE;
    }
  return FALSE;
}

static double
get_time (const Times *self, gint64 cell)
{
  return cured_result_get_state (self->result, cell) == CURED_STATE_OK
             ? get (self, self->values, cell)
             : NAN;
}

/* Whether the intervals do not overlap; a time without one counts as exact. */
static gboolean
is_surely_faster (const Times *self, gint64 cell, gint64 than)
{
  double high = get (self, self->highs, cell), low = get (self, self->lows, than);

  return !(high >= low);
}

static double
get_figure (CuredResult *result, gint64 cell, const char *id)
{
  gsize metric;

  return cured_result_find_metric (result, id, &metric)
             ? cured_result_get_value (result, cell, metric)
             : NAN;
}

/* @cell: one of its cells
 * @most: (out) (optional): threads that the chip can hold
 * Returns: threads that are resident on the whole chip at once, by the driver; NaN:
 *   unknown */
double
cured_result_count_threads (CuredResult *result, gint64 cell, double *most)
{
  const CuredLimits *limits = &cured_result_get_device_of (result, cell)->limits;
  double blocks = get_figure (result, cell, "grid_blocks");
  double places = get_figure (result, cell, "blocks_per_sm") * (double) limits->sms;

  if (most != NULL)
    *most = (double) limits->sms * (double) limits->max_threads_per_sm;
  if (isnan (blocks) || !(places > 0))
    return NAN;
  return fmin (blocks, places) * get_figure (result, cell, "threads_per_block");
}

static char *
describe (const CuredAdvice *self, const Times *times)
{
  CuredResult *result = times->result;
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  gsize n_axes;
  cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new (gsize, n_axes + 1);
  const CuredMetricInfo *metric = &cured_result_get_metrics (result, NULL)[times->values];
  g_autofree char *figure = cured_format_quantity (self->time_ns, "ns");
  g_autofree char *time =
      metric->origin == CURED_ORIGIN_PREDICTED
          ? g_strdup_printf ("%s (%s)", figure, _ (cured_origin_to_string (metric->origin)))
          : g_strdup (figure);
  g_autofree char *gain = cured_format_quantity (self->gain, "ratio");

  cured_result_get_positions (result, self->cell, positions);
  g_autofree char *value = cured_axis_format_value (axes[self->axis].values, positions[self->axis]);
  if (self->better_threads >= MANY_MORE * self->threads)
    {
      g_autofree char *threads = cured_format_count ((gint64) self->threads);
      g_autofree char *more = cured_format_count ((gint64) self->better_threads);

      return g_strdup_printf (
          /* Translators: two numbers, a parameter with its value, a time, and a percentage: "Too few
           * threads in flight, 67,584: with blocks = 1056 there are 270,336, and the same work takes
           * 95.9 µs, 23 % less." */
          _ ("Too few threads in flight, %s: with %s = %s there are %s, and the same work takes "
             "%s, %s less."),
          threads, axes[self->axis].name, value, more, time, gain);
    }
  return g_strdup_printf (
      /* Translators: a parameter with its value, a time, and a percentage: "With blocks = 1056 the
       * same work takes 95.9 µs, 23 % less." */
      _ ("With %s = %s the same work takes %s, %s less."), axes[self->axis].name, value, time,
      gain);
}

/* @cell: one of its cells
 *
 * Compares the cells that differ from @cell in one parameter, except problem sizes, and takes the
 * fastest, if it is faster by more than 2 % and more than the intervals.
 * Returns: (transfer full) (nullable): advice; NULL if none of these cells is
 *   faster */
CuredAdvice *
cured_advice_new (CuredResult *result, gint64 cell)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  g_autoptr (CuredAdvice) self = NULL;
  Times times;

  if (cell < 0 || !load_times (&times, result))
    return NULL;
  double time = get_time (&times, cell);
  if (!(time > 0))
    return NULL;
  cured_result_get_positions (result, cell, positions);
  for (gsize axis = 0; axis < n_axes; axis++)
    {
      gsize own = positions[axis];

      if (cured_result_find_problem (result, axis, NULL))
        continue;
      for (gsize i = 0; i < cured_axis_get_length (axes[axis].values); i++)
        {
          positions[axis] = i;
          gint64 other = cured_result_get_cell (result, positions);
          double other_time = get_time (&times, other);
          if (!(other_time < (self != NULL ? self->time_ns : time * (1 - LEAST_GAIN))) ||
              !is_surely_faster (&times, other, cell))
            continue;
          if (self == NULL)
            self = g_new0 (CuredAdvice, 1);
          self->axis = axis;
          self->cell = other;
          self->is_more = cured_axis_get_value (axes[axis].values, i) >
                          cured_axis_get_value (axes[axis].values, own);
          self->time_ns = other_time;
        }
      positions[axis] = own;
    }
  if (self == NULL)
    return NULL;
  self->gain = 1 - self->time_ns / time;
  self->threads = cured_result_count_threads (result, cell, NULL);
  self->better_threads = cured_result_count_threads (result, self->cell, NULL);
  self->sentence = describe (self, &times);
  return g_steal_pointer (&self);
}

/* @self: (nullable) (transfer full): advice */
CURED_DEFINE_FREE (CuredAdvice, cured_advice_free, sentence, g_free)
