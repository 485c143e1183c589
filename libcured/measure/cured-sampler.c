/* SPDX-License-Identifier: MIT
 * Takes the samples of one program on one device. */
#include "config.h"

#include "device/cured-device-internal.h"
#include "measure/cured-sampler-internal.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "base/cured-error.h"
#include "measure/cured-stop-rule-internal.h"

/* A program is run this long, or this often, before it is timed: caches,
 * clocks and the kernel's own lazy loading settle. */
#define WARM_UP_US   5000
#define WARM_UP_RUNS 20

/* Length of one hot span. Far over 100 times the resolution of events (32 ns
 * on an H200), long enough that the events themselves are under a percent, and
 * short enough that dozens fit into the time for sampling. */
#define HOT_SPAN_NS     200000.0
#define HOT_RESOLUTIONS 100.0
#define HOT_RUNS_MAX    256

#define THROTTLED_BELOW 0.75

/**
 * cured_timing_mode_to_string:
 * @mode: a mode
 *
 * Returns: (transfer none): "cold" or "hot", as files and the protocol have it
 */
const char *
cured_timing_mode_to_string (CuredTimingMode mode)
{
  return mode == CURED_TIMING_COLD ? "cold" : "hot";
}

/**
 * cured_samples_new:
 * @mode: how the samples are taken
 * @runs: of the program, a sample
 *
 * Returns: (transfer full): a list without samples
 */
CuredSamples *
cured_samples_new (CuredTimingMode mode, guint runs)
{
  CuredSamples *self = g_new0 (CuredSamples, 1);

  self->mode = mode;
  self->runs = runs;
  self->samples = g_array_new (FALSE, FALSE, sizeof (CuredSample));
  cured_statistics_init (&self->statistics, NULL, 0);
  self->stop = CURED_STOP_NO;
  return self;
}

/**
 * cured_samples_free:
 * @self: (transfer full): samples
 */
void
cured_samples_free (CuredSamples *self)
{
  g_array_unref (self->samples);
  g_free (self);
}

/**
 * cured_samples_update:
 * @self: samples
 *
 * Computes the statistics anew from the samples.
 */
void
cured_samples_update (CuredSamples *self)
{
  g_autofree double *times = g_new (double, MAX (self->samples->len, 1));

  for (guint i = 0; i < self->samples->len; i++)
    times[i] = g_array_index (self->samples, CuredSample, i).time_ns;
  cured_statistics_init (&self->statistics, times, self->samples->len);
}

static gboolean
warm_up (CuredDevice *device,
         CuredModule *module,
         const CuredProgram *program,
         const CuredDevicePtr *bindings,
         GCancellable *cancellable,
         GError **error)
{
  gint64 start = g_get_monotonic_time ();

  for (int i = 0; i < WARM_UP_RUNS; i++)
    {
      if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
          !device->klass->launch->run (
              device, module, program, bindings, error))
        return FALSE;
      if (g_get_monotonic_time () - start > WARM_UP_US)
        break;
    }
  return TRUE;
}

/* How many runs make a hot span long enough, from a span of one. */
static gboolean
choose_runs (CuredDevice *device,
             CuredModule *module,
             const CuredProgram *program,
             const CuredDevicePtr *bindings,
             guint *runs,
             GError **error)
{
  const CuredCalibration *calibration = &device->info.calibration;
  double wanted_ns = HOT_SPAN_NS;
  CuredSpan span;
  double run_ns;

  if (calibration->resolution_ns * HOT_RESOLUTIONS > wanted_ns)
    wanted_ns = calibration->resolution_ns * HOT_RESOLUTIONS;
  if (!device->klass->span (
          device, module, program, bindings, CURED_TIMING_HOT, 1, &span, error))
    return FALSE;
  run_ns = MAX (span.elapsed_ns - calibration->cold_overhead_ns, 500.0);
  *runs = (guint) CLAMP (ceil (wanted_ns / run_ns), 1.0, HOT_RUNS_MAX);
  return TRUE;
}

/**
 * cured_sampler_take:
 * @device: a device that runs kernels itself
 * @module: the compiled variant, loaded
 * @program: what to run
 * @bindings: the address of each of its buffers
 * @mode: cold or hot
 * @options: when to stop
 * @samples: (out) (transfer full): what was measured
 * @cancellable: (nullable): looked at before every sample
 * @error: return location
 *
 * Warms up, then takes samples until the stop rule says that it is enough.
 * The overhead of the pair of events is taken off each span; a sample of
 * several runs is their mean. Throttled samples are marked and stay in.
 * Blocks for options' `sampling_s` or a little more.
 *
 * Returns: FALSE with the device's error, or %G_IO_ERROR_CANCELLED; @samples
 *   is then unset
 */
gboolean
cured_sampler_take (CuredDevice *device,
                    CuredModule *module,
                    const CuredProgram *program,
                    const CuredDevicePtr *bindings,
                    CuredTimingMode mode,
                    const CuredOptions *options,
                    CuredSamples **samples,
                    GCancellable *cancellable,
                    GError **error)
{
  g_autoptr (CuredStopRule) rule = cured_stop_rule_new (options->min_samples,
                                                        options->max_samples,
                                                        options->sampling_s,
                                                        options->precision);
  g_autoptr (CuredSamples) taken = NULL;
  double overhead_ns = device->info.calibration.cold_overhead_ns;
  double highest_hz = (double) device->info.limits.sm_clock_khz * 1e3;
  guint runs = 1;
  gint64 start;

  if (isnan (overhead_ns))
    overhead_ns = 0;
  if (!warm_up (device, module, program, bindings, cancellable, error))
    return FALSE;
  if (mode == CURED_TIMING_HOT &&
      !choose_runs (device, module, program, bindings, &runs, error))
    return FALSE;

  taken = cured_samples_new (mode, runs);
  start = g_get_monotonic_time ();
  while (taken->stop == CURED_STOP_NO)
    {
      CuredSample sample;
      CuredSpan span;
      double seconds;

      if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
          !device->klass->span (
              device, module, program, bindings, mode, runs, &span, error))
        return FALSE;
      sample.time_ns = MAX (span.elapsed_ns - overhead_ns, 0.0) / runs;
      sample.sm_clock_hz = span.sm_clock_hz;
      sample.throttled =
          highest_hz > 0 && span.sm_clock_hz < THROTTLED_BELOW * highest_hz;
      g_array_append_val (taken->samples, sample);
      seconds = (double) (g_get_monotonic_time () - start) * 1e-6;
      taken->stop = cured_stop_rule_add (rule, sample.time_ns, seconds);
    }
  cured_samples_update (taken);
  *samples = g_steal_pointer (&taken);
  return TRUE;
}
