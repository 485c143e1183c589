/* SPDX-License-Identifier: MIT
 * When to stop taking samples. */
#include "measure/cured-measure-internal.h"

#include <math.h>

#include "base/cured-each-internal.h"
#include "base/cured-own.h"
#include "base/cured-units.h"
#include "measure/cured-statistics.h"

/* An interval shrinks with the square root of the number of samples: four times the samples should
 * make it half as wide. If it is still over this fraction of its width at a quarter of the samples,
 * the device drifts or jumps, or its clock has no finer steps, and more samples do not help. Half
 * the samples would be too few to compare with: by chance, widths at n/2 and n differ by less than
 * this every fifth time. */
#define STABLE_FRACTION 0.9
#define STABLE_LEVER    4

/* With fewer samples, the shrinking of the interval is too uncertain. */
#define STABLE_LEAST 128

/* Half of a 95 % interval for the median, relative to the range of that many samples of a normal
 * distribution (Lord, "The use of range in place of standard deviation in the t-test", 1947; for
 * the median, simulated). For so few samples, order statistics give no such interval. */
static const double few_samples[] = { NAN, NAN, 6.35, 1.34, 0.74, 0.56 };

/* Computing the interval means sorting all samples. It is done when their number has grown by an
 * eighth, so that the total cost is about nine times the last one's. */
#define LOOK_GROWTH 8

typedef struct
{
  guint n;
  double half_width; /* relative to the median; NaN: unknown */
} Look;

struct _CuredStopRule
{
  guint min_samples, max_samples;
  double max_seconds, precision;
  GArray *samples; /* (element-type double) */
  GArray *looks;   /* (element-type Look) */
  guint next_look; /* number of samples for the next computation */
  gboolean is_round;
};

/* @min_samples: samples to take at least, unless @max_samples or @max_seconds are reached
 * @max_samples: greatest number of samples; at least 1
 * @max_seconds: stop after this time
 * @precision: stop when half of the median's 95 % confidence interval is under this fraction of the
 *   median
 * Returns: (transfer full): a rule without samples */
CuredStopRule *
cured_stop_rule_new (guint min_samples, guint max_samples, double max_seconds, double precision)
{
  CuredStopRule *self = g_new0 (CuredStopRule, 1);

  self->min_samples = min_samples;
  self->max_samples = max_samples;
  self->max_seconds = max_seconds;
  self->precision = precision;
  self->samples = g_array_new (FALSE, FALSE, sizeof (double));
  self->looks = g_array_new (FALSE, FALSE, sizeof (Look));
  self->next_look = MAX (min_samples, 1);
  return self;
}

/* @self: (nullable): a rule
 *
 * Frees it. */
CURED_DEFINE_FREE (CuredStopRule, cured_stop_rule_free, samples, g_array_unref, looks,
                   g_array_unref)

/* The samples are one round of several, each in its own process. */
void
_cured_stop_rule_expect_rounds (CuredStopRule *self)
{
  self->is_round = TRUE;
}

/* Half the interval relative to the median; NaN if there are too few samples, or the median is
 * not positive (a run shorter than the clock's overhead), which no number of samples makes
 * precise. */
static double
relative_half_width (CuredStopRule *self, double *median)
{
  CuredStatistics statistics;

  cured_statistics_init (&statistics, (const double *) (void *) self->samples->data,
                         self->samples->len);
  *median = statistics.median;
  if (!(statistics.median > 0))
    return CURED_MISSING;
  if (statistics.n < G_N_ELEMENTS (few_samples))
    return few_samples[statistics.n] * (statistics.max - statistics.min) / statistics.median;
  return (statistics.high - statistics.low) / 2 / statistics.median;
}

static gboolean
is_stable (CuredStopRule *self, const Look *now)
{
  double before = CURED_MISSING;

  if (now->n < STABLE_LEAST)
    return FALSE;
  CURED_EACH (const Look, look, self->looks)
    {
      if (look->n <= now->n / STABLE_LEVER)
        before = look->half_width;
    }
  return now->half_width > STABLE_FRACTION * before;
}

/* @sample_ns: the sample that was just taken
 * @seconds_so_far: since sampling began
 *
 * Computes the interval only when the number of samples has grown by an eighth, or a limit is
 * reached: with a tight interval, that is CURED_STOP_PRECISE, too.
 * Returns: CURED_STOP_NO, or the reason to stop */
CuredStop
cured_stop_rule_add (CuredStopRule *self, double sample_ns, double seconds_so_far)
{
  CuredStop limit = CURED_STOP_NO;
  double precision = self != NULL ? self->precision : 0, median;
  Look now;

  g_return_val_if_fail (self != NULL, CURED_STOP_SAMPLES);

  g_array_append_val (self->samples, sample_ns);
  now.n = self->samples->len;
  if (now.n >= self->max_samples)
    limit = CURED_STOP_SAMPLES;
  else if (seconds_so_far >= self->max_seconds)
    limit = CURED_STOP_TIME;
  if (limit == CURED_STOP_NO && now.n < self->next_look)
    return CURED_STOP_NO;

  self->next_look = now.n + MAX (now.n / LOOK_GROWTH, 1);
  now.half_width = relative_half_width (self, &median);
  if (self->is_round && median > 0)
    precision *= _cured_rounds_get_slack (median);
  if (now.n >= self->min_samples && now.half_width < precision)
    return CURED_STOP_PRECISE;
  if (limit != CURED_STOP_NO)
    return limit;
  if (is_stable (self, &now))
    return CURED_STOP_STABLE;
  g_array_append_val (self->looks, now);
  return CURED_STOP_NO;
}
