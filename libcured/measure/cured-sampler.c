/* SPDX-License-Identifier: MIT
 * Takes the samples of one program on one device. */
#include "base/cured-own.h"
#include "device/cured-device-internal.h"
#include "measure/cured-measure-internal.h"

#include <math.h>

/* A program is run this long, or this often, before it is timed, so that caches, clocks and lazy
 * loading settle. The clock needs the longer time only after a pause of that length. */
#define WARM_UP_LEAST_US 1000
#define WARM_UP_US       5000
#define WARM_UP_RUNS     20

/* Length of one hot span. Far over 100 times the resolution of events (32 ns on an H200), long
 * enough that the events themselves are under a percent, and short enough that dozens fit into the
 * time for sampling. */
#define HOT_SPAN_NS     200000.0
#define HOT_RESOLUTIONS 100.0
#define HOT_RUNS_MAX    256

/* From this length on, the caches' state hardly matters: a round has one cold sample and one hot
 * one if the two agree, and no hot one if they are known to agree within the deviation of
 * processes. Each run warms up for the next. */
#define LONG_NS 2e6

/* From this length on, the first run in a process is a valid sample: loading and mapping are far
 * under a percent of it. */
#define FIRST_NS 20e6

/* Part of the highest clock; below it, the clock is still rising. */
#define SETTLED_CLOCK 0.99

/* Samples in a round of a long program by default: one of each mode. */
#define LONG_SAMPLES 2

#define THROTTLED_BELOW 0.75

/* If more than this part of the samples was throttled, sampling waits, each time twice as long, and
 * begins again. If a device's clock stays low anyway (locked, or hot for long), this process does
 * not wait for it again. */
#define THROTTLED_MOST 0.1
#define WAITS_MOST     3
#define FIRST_WAIT_MS  100

/* Standard errors of a median in half of its 95 % interval and, for one sample, in the distance of
 * a normal distribution's quartiles. */
#define INTERVAL_ERRORS 1.959963984540054
#define QUARTILE_ERRORS 1.0764

/* Returns: (transfer none): "cold" or "hot", as in files and the protocol */
const char *
cured_timing_mode_to_string (CuredTimingMode mode)
{
  return mode == CURED_TIMING_COLD ? "cold" : "hot";
}

/* @mode: how the samples are taken
 * @runs: runs of the program per sample
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

/* The standard error of a median, from its interval; from the quartiles if there are too few
 * samples for an interval. */
static double
get_error (const CuredStatistics *statistics)
{
  if (!isnan (statistics->low))
    return (statistics->high - statistics->low) / 2 / INTERVAL_ERRORS;
  return (statistics->q3 - statistics->q1) / QUARTILE_ERRORS / sqrt ((double) statistics->n);
}

/* Recomputes the statistics from the samples. Missing ones, NaN, do not count. The samples of a
 * round are consecutive. */
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
 * @earlier: (nullable): samples of the previous rounds, of the same mode
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

/* @cold: (nullable): samples of a program
 * @hot: (nullable): samples of the same program
 * Returns: whether it is long enough for caches not to matter, and the two differ by no more than
 *   processes do */
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

/* @mode: another mode, in which times would be the same
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

/* Returns: number of samples taken at a low clock */
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

/* Chooses the number of runs that makes a hot span long enough, from a span of one run. After the
 * cold samples, the device is warm, but the caches are not: so the second of two spans counts,
 * unless the first is long anyway. */
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

/* Whether a hot sample agrees with the cold ones: it is within the interval of their median. */
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

/* Takes samples until the stop rule ends it. @first was already taken. */
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

/* Whether a run of a program was at least this long, at a clock that no longer rises. */
static gboolean
is_settled (const CuredDevice *device, const CuredSpan *run, double least_ns)
{
  return run != NULL && run->elapsed_ns >= least_ns &&
         run->sm_clock_hz >= SETTLED_CLOCK * (double) device->info.limits.sm_clock_khz * 1e3;
}

/* @device: a device that runs kernels itself
 * @module: the compiled variant, loaded
 * @program: the program to run
 * @bindings: the address of each of its buffers
 * @mode: cold or hot
 * @cold: (nullable): cold samples of the same program, when taking hot ones
 * @options: when to stop
 * @first: (nullable): a cold span that has just been taken, the first in this process
 * @samples: (out) (transfer full): the samples
 * @cancellable: (nullable): checked before every sample
 *
 * Warms up, unless that span was long enough or cold samples were taken before, then takes samples
 * until the stop rule ends it. The overhead of the pair of events is subtracted from each span; a
 * sample of several runs is their mean. Throttled samples are marked and kept; if they are more
 * than a tenth, it waits and begins again, at most three times. Blocks for options' `sampling_s` or
 * a little more, each time.
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
  /* Untimed steps before each run can't be between the runs of one span. */
  gboolean is_span = mode == CURED_TIMING_HOT && !prepares_each (program);

  /* Cold samples of the same program are taken first, and warm up. */
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
