/* SPDX-License-Identifier: MIT
 * Takes the samples of one program on one device. */
#include "base/cured-own.h"
#include "device/cured-device-internal.h"
#include "measure/cured-measure-internal.h"

#include <math.h>

/* A program is run this long, or this often, before it is timed: caches, clocks and the kernel's
 * own lazy loading settle. The clock needs the longer time only after a pause as long. */
#define WARM_UP_LEAST_US 1000
#define WARM_UP_US       5000
#define WARM_UP_RUNS     20

/* Length of one hot span. Far over 100 times the resolution of events (32 ns on an H200), long
 * enough that the events themselves are under a percent, and short enough that dozens fit into the
 * time for sampling. */
#define HOT_SPAN_NS     200000.0
#define HOT_RESOLUTIONS 100.0
#define HOT_RUNS_MAX    256

/* From here on, what a run finds in the caches hardly matters: a round has one cold sample, and one
 * hot one where the two agree; none where they agree within what processes differ by. A run is a
 * warm-up for the next. */
#define LONG_NS 2e6

/* From here on, the first run in a process is a sample as good as any: what it loads and maps for
 * the first time is far under a percent of it. */
#define FIRST_NS 20e6

/* Of the highest clock; below, it was still rising. */
#define SETTLED_CLOCK 0.99

/* Samples that a round of a long program has by default, one of each mode. */
#define LONG_SAMPLES 2

#define THROTTLED_BELOW 0.75

/* Where more of the samples than this were throttled, sampling waits, each time twice as long, and
 * begins again. A device whose clock stays low all the same (it is locked, or too hot for long) is
 * waited for no more in this process. */
#define THROTTLED_MOST 0.1
#define WAITS_MOST     3
#define FIRST_WAIT_MS  100

/* Standard errors in half of a 95 % interval, and in the distance of the quartiles of a normal
 * distribution for one sample's share of its median. */
#define INTERVAL_ERRORS 1.959963984540054
#define QUARTILE_ERRORS 1.0764

/* Returns: (transfer none): "cold" or "hot", as files and the protocol have it */
const char *
cured_timing_mode_to_string (CuredTimingMode mode)
{
  return mode == CURED_TIMING_COLD ? "cold" : "hot";
}

/* @mode: how the samples are taken
 * @runs: of the program, a sample
 * Returns: (transfer full): a list without samples */
CuredSamples *
cured_samples_new (CuredTimingMode mode, guint runs)
{
  CuredSamples *self = g_new0 (CuredSamples, 1);

  self->mode = mode;
  self->runs = runs;
  self->samples = g_array_new (FALSE, FALSE, sizeof (CuredSample));
  cured_statistics_init (&self->statistics, NULL, 0);
  cured_rounds_judge (&self->rounds, NULL, NULL, 0);
  self->stop = CURED_STOP_NO;
  return self;
}

/* @self: (transfer full): samples */
CURED_DEFINE_FREE (CuredSamples, cured_samples_free, samples, g_array_unref)

/* The standard error of a median, from its interval, or from the quartiles of samples that are too
 * few for one. */
static double
get_error (const CuredStatistics *statistics)
{
  if (!isnan (statistics->low))
    return (statistics->high - statistics->low) / 2 / INTERVAL_ERRORS;
  return (statistics->q3 - statistics->q1) / QUARTILE_ERRORS / sqrt ((double) statistics->n);
}

/* Computes the statistics anew from the samples. Those that are missing, NaN, count for nothing. A
 * round is what lies together. */
void
cured_samples_update (CuredSamples *self)
{
  guint n_samples = self->samples->len;
  g_autofree double *times = g_new (double, MAX (n_samples, 1));
  g_autoptr (GArray) medians = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (double));
  guint n_times = 0, first = 0;

  for (guint i = 0; i < n_samples; i++)
    {
      const CuredSample *sample = &g_array_index (self->samples, CuredSample, i);
      const CuredSample *next =
          i + 1 < n_samples ? &g_array_index (self->samples, CuredSample, i + 1) : NULL;
      CuredStatistics round;

      if (!isnan (sample->time_ns))
        times[n_times++] = sample->time_ns;
      if ((next != NULL && next->round == sample->round) || n_times == first)
        continue;
      cured_statistics_init (&round, times + first, n_times - first);
      double error = get_error (&round);
      g_array_append_val (medians, round.median);
      g_array_append_val (errors, error);
      first = n_times;
    }
  cured_statistics_init (&self->statistics, times, n_times);
  cured_rounds_judge (&self->rounds, (const double *) (void *) medians->data,
                      (const double *) (void *) errors->data, medians->len);
  if (self->rounds.n < 2)
    return;
  self->statistics.median = self->rounds.median;
  self->statistics.low = self->rounds.low;
  self->statistics.high = self->rounds.high;
}

/* @self: samples of a fresh process
 * @earlier: (nullable): those of the rounds before, of the same mode
 *
 * Puts @earlier before the samples of @self, which become the next round. */
void
cured_samples_add_round (CuredSamples *self, const CuredSamples *earlier)
{
  if (earlier == NULL || earlier->samples->len == 0)
    return;
  guint round = g_array_index (earlier->samples, CuredSample, earlier->samples->len - 1).round + 1;
  for (guint i = 0; i < self->samples->len; i++)
    g_array_index (self->samples, CuredSample, i).round = round;
  g_array_prepend_vals (self->samples, earlier->samples->data, earlier->samples->len);
  self->runs = earlier->runs;
  cured_samples_update (self);
}

/* @cold: (nullable): of a program
 * @hot: (nullable): of the same program
 * Returns: whether it runs so long that caches make no difference, and the two differ by no more
 *   than processes do */
gboolean
cured_samples_agree (const CuredSamples *cold, const CuredSamples *hot)
{
  double difference;

  if (cold == NULL || hot == NULL)
    return FALSE;
  difference = fabs (hot->statistics.median - cold->statistics.median);
  return cold->statistics.median >= LONG_NS &&
         difference <= _cured_rounds_get_expected (cold->statistics.median);
}

/* @mode: another mode, in which they would be the same
 * Returns: (transfer full): a copy */
CuredSamples *
cured_samples_as (const CuredSamples *self, CuredTimingMode mode)
{
  CuredSamples *copy = cured_samples_new (mode, self->runs);

  g_array_append_vals (copy->samples, self->samples->data, self->samples->len);
  copy->stop = self->stop;
  cured_samples_update (copy);
  return copy;
}

/* Returns: how many were taken at a low clock */
guint
cured_samples_count_throttled (const CuredSamples *self)
{
  guint n_throttled = 0;

  for (guint i = 0; i < self->samples->len; i++)
    if (g_array_index (self->samples, CuredSample, i).throttled)
      n_throttled++;
  return n_throttled;
}

static gboolean
warm_up (CuredDevice *device, CuredModule *module, const CuredProgram *program,
         const CuredDevicePtr *bindings, GCancellable *cancellable, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  gint64 limit = CLAMP (start - device->last_sample_us, WARM_UP_LEAST_US, WARM_UP_US);

  for (int i = 0; i < WARM_UP_RUNS; i++)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
          !device->klass->launch->run (device, module, program, bindings, error))
        return FALSE;
      if (g_get_monotonic_time () - start > limit)
        break;
    }
  return TRUE;
}

static gboolean
prepares_each (const CuredProgram *program)
{
  for (gsize i = 0; i < program->n_steps; i++)
    if (program->steps[i].setup == CURED_SETUP_EACH)
      return TRUE;
  return FALSE;
}

/* How many runs make a hot span long enough, from a span of one. Where the cold samples came
 * before, the device is warm, and the caches are not: the second of two spans tells, unless the
 * first is long anyway. */
static gboolean
choose_runs (CuredDevice *device, CuredModule *module, const CuredProgram *program,
             const CuredDevicePtr *bindings, guint *runs, CuredSpan *span, GError **error)
{
  const CuredCalibration *calibration = &device->info.calibration;
  double wanted_ns = HOT_SPAN_NS, run_ns = 0;

  if (calibration->resolution_ns * HOT_RESOLUTIONS > wanted_ns)
    wanted_ns = calibration->resolution_ns * HOT_RESOLUTIONS;
  for (int i = 0; i < 2 && run_ns < wanted_ns; i++)
    {
      if (!device->klass->span (device, module, program, bindings, CURED_TIMING_HOT, 1, span,
                                error))
        return FALSE;
      run_ns = MAX (span->elapsed_ns - calibration->cold_overhead_ns, 500.0);
    }
  *runs = (guint) CLAMP (ceil (wanted_ns / run_ns), 1.0, HOT_RUNS_MAX);
  return TRUE;
}

/* Whether a hot sample agrees with the cold ones: it is where their median may be. */
static gboolean
is_known (const CuredSamples *cold, double time_ns, double precision)
{
  const CuredStatistics *known = &cold->statistics;

  return known->median >= LONG_NS && fabs (time_ns / known->median - 1) < precision;
}

/* Whether a round needs no further sample of a long program. */
static gboolean
is_enough (const CuredSamples *taken, const CuredSamples *cold, double time_ns,
           const CuredOptions *options)
{
  if (options->rounds < 2)
    return FALSE;
  if (taken->mode == CURED_TIMING_HOT)
    return cold != NULL && is_known (cold, time_ns, options->precision);
  return time_ns >= LONG_NS && options->min_samples <= (options->hot ? LONG_SAMPLES : 1);
}

/* Samples until the stop rule says that it is enough. @first was taken already. */
static CuredSamples *
take_samples (CuredDevice *device, CuredModule *module, const CuredProgram *program,
              const CuredDevicePtr *bindings, CuredTimingMode mode, guint runs,
              const CuredSpan *first,   /* nullable */
              const CuredSamples *cold, /* nullable */
              const CuredOptions *options, GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredStopRule) rule = cured_stop_rule_new (options->min_samples, options->max_samples,
                                                        options->sampling_s, options->precision);
  g_autoptr (CuredSamples) taken = cured_samples_new (mode, runs);
  double overhead_ns = device->info.calibration.cold_overhead_ns;
  double highest_hz = (double) device->info.limits.sm_clock_khz * 1e3;
  gint64 start = g_get_monotonic_time ();

  if (first != NULL)
    start -= (gint64) (first->elapsed_ns / 1000);
  if (isnan (overhead_ns))
    overhead_ns = 0;
  if (options->rounds > 1)
    _cured_stop_rule_expect_rounds (rule);
  while (taken->stop == CURED_STOP_NO)
    {
      CuredSample sample = { 0 };
      CuredSpan span;

      if (first != NULL)
        span = *g_steal_pointer (&first);
      else if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
               !device->klass->span (device, module, program, bindings, mode, runs, &span, error))
        return NULL;
      sample.time_ns = MAX (span.elapsed_ns - overhead_ns, 0.0) / runs;
      sample.sm_clock_hz = span.sm_clock_hz;
      sample.throttled = highest_hz > 0 && span.sm_clock_hz < THROTTLED_BELOW * highest_hz;
      g_array_append_val (taken->samples, sample);
      double seconds = (double) (g_get_monotonic_time () - start) * 1e-6;
      taken->stop = cured_stop_rule_add (rule, sample.time_ns, seconds);
      if (is_enough (taken, cold, sample.time_ns, options))
        taken->stop = CURED_STOP_PRECISE;
    }
  device->last_sample_us = g_get_monotonic_time ();
  cured_samples_update (taken);
  return g_steal_pointer (&taken);
}

static gboolean
is_throttled (const CuredSamples *samples)
{
  return cured_samples_count_throttled (samples) > THROTTLED_MOST * samples->samples->len;
}

static gboolean
wait_for_clock (guint ms, GCancellable *cancellable, GError **error)
{
  gint64 deadline_us = g_get_monotonic_time () + (gint64) ms * 1000;

  while (g_get_monotonic_time () < deadline_us)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      g_usleep (5000);
    }
  return TRUE;
}

/* Whether a run of a program was that long, at a clock that does not rise any more. */
static gboolean
is_settled (const CuredDevice *device, const CuredSpan *run, double least_ns)
{
  return run != NULL && run->elapsed_ns >= least_ns &&
         run->sm_clock_hz >= SETTLED_CLOCK * (double) device->info.limits.sm_clock_khz * 1e3;
}

/* @device: a device that runs kernels itself
 * @module: the compiled variant, loaded
 * @program: what to run
 * @bindings: the address of each of its buffers
 * @mode: cold or hot
 * @cold: (nullable): of the same program, for hot ones
 * @options: when to stop
 * @first: (nullable): a cold span that has just been taken, the first in this process
 * @samples: (out) (transfer full): what was measured
 * @cancellable: (nullable): looked at before every sample
 *
 * Warms up, unless that span was long enough or the cold samples have done so, then takes samples
 * until the stop rule says that it is enough. The overhead of the pair of events is taken off each
 * span; a sample of several runs is their mean. Throttled samples are marked and stay in; where
 * they are more than a tenth, it waits and begins again, three times at most. Blocks for options'
 * `sampling_s` or a little more, each time.
 * Returns: FALSE with the device's error, or %G_IO_ERROR_CANCELLED; @samples is then unset */
gboolean
cured_sampler_take (CuredDevice *device, CuredModule *module, const CuredProgram *program,
                    const CuredDevicePtr *bindings, CuredTimingMode mode, const CuredSamples *cold,
                    const CuredOptions *options, const CuredSpan *first, CuredSamples **samples,
                    GCancellable *cancellable, GError **error)
{
  gboolean is_warm =
      is_settled (device, first, LONG_NS) || (first != NULL && first->elapsed_ns >= CURED_SLOW_NS);
  g_autoptr (CuredSamples) taken = NULL;
  guint n_waits = 0, runs = 1;
  CuredSpan span = { 0 };
  /* Steps before each run can't be between the runs of one span. */
  gboolean is_span = mode == CURED_TIMING_HOT && !prepares_each (program);

  /* The cold samples of the same program come first. */
  if (!is_warm && !(is_span && options->cold) &&
      !warm_up (device, module, program, bindings, cancellable, error))
    return FALSE;
  if (is_span && (g_cancellable_set_error_if_cancelled (cancellable, error) ||
                  !choose_runs (device, module, program, bindings, &runs, &span, error)))
    return FALSE;
  if (mode == CURED_TIMING_COLD && is_settled (device, first, FIRST_NS))
    span = *first;
  while (TRUE)
    {
      g_clear_pointer (&taken, cured_samples_free);
      taken = take_samples (device, module, program, bindings, mode, runs,
                            n_waits == 0 && span.elapsed_ns >= LONG_NS ? &span : NULL, cold,
                            options, cancellable, error);
      if (taken == NULL)
        return FALSE;
      if (!is_throttled (taken) || device->stays_slow || n_waits == WAITS_MOST)
        break;
      if (!wait_for_clock (FIRST_WAIT_MS << n_waits, cancellable, error) ||
          !warm_up (device, module, program, bindings, cancellable, error))
        return FALSE;
      n_waits++;
    }
  if (n_waits == WAITS_MOST && is_throttled (taken))
    device->stays_slow = TRUE;
  taken->n_waits = n_waits;
  *samples = g_steal_pointer (&taken);
  return TRUE;
}
