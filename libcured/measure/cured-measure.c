/* SPDX-License-Identifier: MIT
 * One cell on one device: compile, check, time. */
#include "measure/cured-measure.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "base/cured-each-internal.h"
#include "base/cured-error.h"
#include "base/cured-limits-internal.h"
#include "base/cured-own.h"
#include "base/cured-profile.h"
#include "base/cured-units.h"
#include "device/cured-launch-traffic-internal.h"
#include "inspect/cured-workload-count.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "kernel/cured-sources-internal.h"
#include "measure/cured-measure-internal.h"
#include "measure/cured-predict-cell-private.h"
#include "measure/cured-statistics.h"
#include "measure/cured-workbench-private.h"

/* Bandwidths and rates are derived only from times that the clock resolves. */
#define RESOLUTIONS_FOR_A_RATE 10

/* The class of a device that runs no launches here. */
static const CuredCellClass *
get_cells (const CuredDevice *device)
{
  return (const CuredCellClass *) device->klass;
}

static void
set_most (double *metric, double value)
{
  if (isnan (*metric) || value > *metric)
    *metric = value;
}

static void
set_least (double *metric, double value)
{
  if (isnan (*metric) || value < *metric)
    *metric = value;
}

static void
set_function (double *metrics, const CuredProgramStep *step, const CuredFunctionInfo *info,
              double n_blocks, gint64 threads)
{
  if (info->registers > 0)
    set_most (&metrics[CURED_METRIC_registers], info->registers);
  set_most (&metrics[CURED_METRIC_shared_static], (double) info->shared_static);
  set_most (&metrics[CURED_METRIC_shared_dynamic], (double) step->shared_bytes);
  set_most (&metrics[CURED_METRIC_local_bytes], (double) info->local_bytes);
  set_most (&metrics[CURED_METRIC_threads_per_block], (double) threads);
  set_most (&metrics[CURED_METRIC_grid_blocks], n_blocks);
}

/* Sets the metrics of how much of the chip a launch fills. */
static void
set_waves (double *metrics, double n_blocks, double threads, const CuredFunctionInfo *info,
           const CuredLimits *limits)
{
  double places = (double) info->blocks_per_sm * (double) limits->sms;

  if (!(places > 0))
    return;
  double waves = n_blocks / places;
  set_most (&metrics[CURED_METRIC_sms_busy], MIN (n_blocks, (double) limits->sms));
  set_most (&metrics[CURED_METRIC_threads_in_flight], MIN (n_blocks, places) * threads);
  if (isnan (metrics[CURED_METRIC_waves]) || waves > metrics[CURED_METRIC_waves])
    metrics[CURED_METRIC_tail] = 1 - waves / ceil (waves);
  set_most (&metrics[CURED_METRIC_waves], waves);
}

/* The greatest block size that registers allow; for an unknown chip, as the driver
 * reports. */
static int
get_register_threads (const CuredLimits *limits, const CuredFunctionInfo *info)
{
  g_autofree char *arch =
      g_strdup_printf ("sm_%" PRId64 "%" PRId64, limits->compute_major, limits->compute_minor);
  const CuredProfile *profile = cured_profile_find (arch);

  return profile != NULL ? cured_occupancy_get_max_threads (profile, info->registers)
                         : info->max_threads_per_block;
}

/* Queries compiler and driver for the launches. FALSE also if a launch is not possible: the
 * outcome's state then says so, and @error is unset. */
static gboolean
query_launches (CuredWorkbench *self, const CuredProgram *program, CuredOutcome *outcome,
                GError **error)
{
  const CuredLimits *limits = &self->device->info.limits;
  double *metrics = outcome->metrics;

  if (program->bytes > 0)
    metrics[CURED_METRIC_intensity] = program->flops / program->bytes;
  for (gsize i = 0; i < program->n_steps; i++)
    {
      const CuredProgramStep *step = &program->steps[i];
      CuredFunctionInfo info = { 0 };
      gint64 threads = (gint64) step->block[0] * step->block[1] * step->block[2];
      double n_blocks = (double) step->grid[0] * step->grid[1] * step->grid[2], warps;

      if (step->entry == NULL)
        continue;
      if (!self->device->klass->launch->query (self->device, self->module, step, &info, error))
        return FALSE;
      if (step->setup == CURED_SETUP_NO)
        set_function (metrics, step, &info, n_blocks, threads);
      if (threads > info.max_threads_per_block &&
          info.max_threads_per_block < get_register_threads (limits, &info))
        {
          cured_outcome_set_state (
              outcome, CURED_STATE_NOT_LAUNCHABLE,
              _ ("%s is compiled for at most %d threads per block (__launch_bounds__, or .maxntid "
                 "of PTX), and the launch has %" PRId64
                 ": raise the bound, or make Block= smaller"),
              step->entry, info.max_threads_per_block, threads);
          return FALSE;
        }
      if (threads > info.max_threads_per_block)
        {
          cured_outcome_set_state (outcome, CURED_STATE_NOT_LAUNCHABLE,
                                   _ ("%s needs %d registers per thread, which allows %d threads "
                                      "per block; the launch has %" PRId64),
                                   step->entry, info.registers, info.max_threads_per_block,
                                   threads);
          return FALSE;
        }
      if (info.blocks_per_sm == 0)
        {
          cured_outcome_set_state (
              outcome, CURED_STATE_NOT_LAUNCHABLE,
              _ ("Not one block of %s fits on a multiprocessor: it needs %zu bytes of shared "
                 "memory, and the device has %" PRId64 " per block"),
              step->entry, info.shared_static + step->shared_bytes, limits->shared_per_block_optin);
          return FALSE;
        }
      if (step->is_cooperative && limits->sms > 0 &&
          n_blocks > (double) info.blocks_per_sm * (double) limits->sms)
        {
          cured_outcome_set_state (
              outcome, CURED_STATE_NOT_LAUNCHABLE,
              _ ("%s is launched with %.0f blocks that have to be resident at once "
                 "(Cooperative=true); the device holds %d on each of its %" PRId64
                 " multiprocessors"),
              step->entry, n_blocks, info.blocks_per_sm, limits->sms);
          return FALSE;
        }
      if (step->setup != CURED_SETUP_NO)
        continue;
      set_least (&metrics[CURED_METRIC_blocks_per_sm], info.blocks_per_sm);
      set_waves (metrics, n_blocks, (double) threads, &info, limits);
      if (limits->warp_size > 0 && limits->max_threads_per_sm > 0)
        {
          warps = ceil ((double) threads / (double) limits->warp_size);
          set_most (&metrics[CURED_METRIC_warps], warps * n_blocks);
          set_least (&metrics[CURED_METRIC_occupancy],
                     MIN (info.blocks_per_sm * warps * (double) limits->warp_size /
                              (double) limits->max_threads_per_sm,
                          1.0));
        }
    }
  return TRUE;
}

/* Configures the runs of an emulating device. A reference, and a run whose findings are not shown,
 * need no detectors. */
static void
emulate (CuredWorkbench *self, const CuredOptions *options, gboolean is_watched, gint64 deadline_us,
         GCancellable *cancellable)
{
  CuredDevice *device = self->device;
  CuredEmulation emulation = {
    .seed = options->seed,
    .deadline_us = deadline_us,
    .cancellable = cancellable,
  };

  if (device->klass->emulator == NULL)
    return;
  if (is_watched)
    {
      emulation.shuffle = options->shuffle;
      emulation.blocks = options->blocks;
      emulation.watch = CURED_WATCH_COUNTS;
      if (options->check)
        emulation.watch |= CURED_WATCH_RACES | CURED_WATCH_UNDEFINED;
    }
  device->klass->emulator->emulate (device, &emulation);
}

/* Takes the counts and findings of the last run. Counts of an aborted run are incomplete, and
 * dropped; its findings are kept. */
static void
collect (CuredWorkbench *self, gboolean is_done, CuredOutcome *outcome)
{
  CuredDevice *device = self->device;
  double *metrics = outcome->metrics;
  g_auto (CuredCounts) counts = { 0 };
  guint n_findings = 0;

  if (device->klass->emulator == NULL)
    return;
  device->klass->emulator->collect (device, &counts);
  CURED_EACH_POINTER (const CuredFinding, finding, counts.findings)
    {
      if (finding->kind != CURED_FINDING_BANK_CONFLICT)
        n_findings++;
    }
  g_ptr_array_unref (outcome->findings);
  outcome->findings = g_steal_pointer (&counts.findings);
  if (counts.output != NULL)
    {
      g_free (outcome->output);
      outcome->output = g_steal_pointer (&counts.output);
    }
  outcome->work = g_steal_pointer (&counts.work);
  metrics[CURED_METRIC_findings] = n_findings;
  metrics[CURED_METRIC_blocks_run] = (double) counts.blocks;
  if (!is_done || counts.instructions == 0)
    return;
  metrics[CURED_METRIC_instructions] = (double) counts.instructions;
  metrics[CURED_METRIC_lanes_active] = (double) counts.lane_instructions /
                                       (double) counts.instructions /
                                       (double) device->info.limits.warp_size;
  metrics[CURED_METRIC_shared_wavefronts] = (double) counts.wavefronts;
  metrics[CURED_METRIC_excess_wavefronts] = (double) (counts.wavefronts - counts.least);
  if (counts.remote > 0)
    metrics[CURED_METRIC_remote_sectors] = (double) counts.remote;
  if (counts.least > 0)
    metrics[CURED_METRIC_conflict_ways] = (double) counts.wavefronts / (double) counts.least;
  metrics[CURED_METRIC_global_sectors] = (double) counts.sectors;
  if (counts.requests > 0)
    metrics[CURED_METRIC_sectors_per_request] = (double) counts.sectors / (double) counts.requests;
  metrics[CURED_METRIC_global_loads] = (double) counts.loads;
  metrics[CURED_METRIC_flops] = (double) counts.flops;
  if (counts.loads > 0)
    metrics[CURED_METRIC_flops_per_load] = (double) counts.flops / (double) counts.loads;
  metrics[CURED_METRIC_barriers] = (double) counts.barriers;
  metrics[CURED_METRIC_divergent_branches] = (double) counts.diverged;
  cured_outcome_fill_work (outcome);
}

/* Predicts the program's cache traffic by the cache model, in a separate run, so that the
 * detectors' findings do not depend on it. */
static gboolean
predict_caches (CuredWorkbench *self, const CuredProgram *program, const CuredOptions *options,
                gint64 deadline_us, CuredOutcome *outcome, GCancellable *cancellable,
                GError **error)
{
  CuredDevice *device = self->device;
  g_autofree char *file_name = cured_kernel_get_file_name (program->kernel);
  double *metrics = outcome->metrics;
  CuredCacheTraffic sum;
  g_autoptr (GPtrArray) launches = _cured_traffic_count (
      &(CuredTrafficQuery){
          .program = program,
          .ptx = self->image,
          .binary = self->binary,
          .file_name = file_name,
          .profile = cured_profile_find (device->klass->emulator->get_binary_arch (device)),
          .limits = &device->info.limits,
          .seed = options->seed,
          .deadline_us = deadline_us,
      },
      cancellable, error);

  if (launches == NULL)
    return FALSE;
  if (outcome->work != NULL)
    _cured_traffic_apply (launches, outcome->work);
  cured_launch_traffic_sum (launches, &sum);
  metrics[CURED_METRIC_l1_hit_rate] = cured_cache_traffic_get_l1_hit_rate (&sum);
  metrics[CURED_METRIC_l2_sectors] = cured_cache_traffic_get_l2_sectors (&sum);
  metrics[CURED_METRIC_l2_hit_rate] = cured_cache_traffic_get_l2_hit_rate (&sum);
  metrics[CURED_METRIC_dram_bytes] = sum.dram_read_bytes + sum.dram_write_bytes;
  return TRUE;
}

/* Whether a timed run does all that the program does. */
static gboolean
can_time_all (const CuredProgram *program)
{
  for (gsize i = 0; i < program->n_steps; i++)
    if (program->steps[i].setup == CURED_SETUP_ONCE)
      return FALSE;
  return TRUE;
}

/* The first run: a cold span, if the device has time. */
static gboolean
run_once (CuredWorkbench *self, const CuredProgram *program, const CuredDevicePtr *bindings,
          CuredSpan *span, GError **error)
{
  CuredDevice *device = self->device;

  *span = (CuredSpan){ 0 };
  if (cured_device_has_time (device) && can_time_all (program))
    return device->klass->span (device, self->module, program, bindings, CURED_TIMING_COLD, 1, span,
                                error);
  return device->klass->launch->run (device, self->module, program, bindings, error);
}

/* Runs the program once and checks everything that it wrote. */
static gboolean
check_output (CuredWorkbench *self, const CuredProgram *program, const CuredDevicePtr *bindings,
              const CuredContents *expected, CuredSpan *span, CuredOutcome *outcome, GError **error)
{
  CuredDevice *device = self->device;
  int index = program->kernel->output;
  gboolean is_done = run_once (self, program, bindings, span, error);

  collect (self, is_done, outcome);
  if (!is_done || !_cured_workbench_check_guards (self, program, outcome, error))
    return FALSE;
  if (expected == NULL)
    return TRUE;
  const CuredProgramBuffer *buffer = &program->buffers[index];
  void *got = _cured_workbench_get_room (self, buffer->size, error);
  if (got == NULL ||
      !device->klass->launch->download (device, got, bindings[index], buffer->size, error))
    return FALSE;
  outcome->n_mismatches +=
      cured_compare_buffer (buffer->buffer, buffer->length, got, expected->data, program->tolerance,
                            program->relative, outcome->mismatches);
  return TRUE;
}

/* Makes the excerpts that the job requests, of the buffers after the only run. */
static gboolean
take_excerpts (CuredWorkbench *self, const CuredJob *job, const CuredProgram *program,
               const CuredDevicePtr *bindings, CuredOutcome *outcome, GError **error)
{
  guint n_ranges = job->ranges != NULL ? MIN (job->ranges->len, CURED_EXCERPT_MAX) : 0;

  for (guint i = 0; i < n_ranges; i++)
    {
      const CuredRange *range = g_ptr_array_index (job->ranges, i);
      int index = cured_program_find_buffer (program, range->buffer);
      gint64 first, count;

      if (index < 0)
        continue;
      const CuredProgramBuffer *buffer = &program->buffers[index];
      const guint8 *before = _cured_workbench_get_input (self, (guint) index);
      cured_range_clip (range, buffer->length, &first, &count);
      gsize size = buffer->size / (gsize) buffer->length;
      g_autofree guint8 *after = g_malloc ((gsize) count * size + 1);
      if (count > 0 && !self->device->klass->launch->download (
                           self->device, after, bindings[index] + (gsize) first * size,
                           (gsize) count * size, error))
        return FALSE;
      if (outcome->excerpts == NULL)
        outcome->excerpts = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_excerpt_free);
      g_ptr_array_add (outcome->excerpts,
                       cured_excerpt_new (buffer, first, count,
                                          before != NULL ? before + (gsize) first * size : NULL,
                                          after));
    }
  return TRUE;
}

/* Reads the cycles that the kernel's last run measured itself. Elements that still hold the poison
 * were not written, and do not count. */
static gboolean
read_cycles (CuredWorkbench *self, const CuredProgram *program, const CuredDevicePtr *bindings,
             CuredOutcome *outcome, GError **error)
{
  CuredDevice *device = self->device;
  CuredStatistics statistics;
  guint n = 0;

  if (program->cycles < 0)
    return TRUE;
  const CuredProgramBuffer *buffer = &program->buffers[program->cycles];
  void *got = _cured_workbench_get_room (self, buffer->size, error);
  if (got == NULL || !device->klass->launch->download (device, got, bindings[program->cycles],
                                                       buffer->size, error))
    return FALSE;
  gsize element_size = cured_element_get_size (buffer->buffer->type);
  g_autofree double *cycles = g_new (double, (gsize) buffer->length);
  for (gsize i = 0; i < (gsize) buffer->length; i++)
    {
      double value =
          cured_element_load (buffer->buffer->type, (const guint8 *) got + i * element_size);

      if (isfinite (value) &&
          !cured_is_poison ((const guint8 *) got + i * element_size, element_size))
        cycles[n++] = value;
    }
  cured_statistics_init (&statistics, cycles, n);
  outcome->metrics[CURED_METRIC_cycles] = statistics.median / program->cycles_per;
  return TRUE;
}

static double
get_ceiling (const CuredDevice *device, CuredCeiling ceiling)
{
  switch (ceiling)
    {
    case CURED_CEILING_READ: return device->info.ceilings.read_bytes_per_s;
    case CURED_CEILING_COPY: return device->info.ceilings.copy_bytes_per_s;
    case CURED_CEILING_FP32: return device->info.ceilings.fp32_flops;
    case CURED_CEILING_NONE:
    default: return NAN;
    }
}

static void
derive_rates (const CuredDevice *device, const CuredProgram *program, CuredOutcome *outcome)
{
  double *metrics = outcome->metrics;
  CuredCeiling ceiling = program->kernel->ceiling;
  double resolution_ns = device->info.calibration.resolution_ns;
  double time_ns = metrics[CURED_METRIC_time];

  metrics[CURED_METRIC_time_per_element] = time_ns / program->elements;
  if (isnan (time_ns) || time_ns <= 0 || time_ns < RESOLUTIONS_FOR_A_RATE * resolution_ns)
    return;
  metrics[CURED_METRIC_bandwidth] = program->bytes / time_ns * 1e9;
  metrics[CURED_METRIC_flop_rate] = program->flops / time_ns * 1e9;
  metrics[CURED_METRIC_of_ceiling] =
      metrics[ceiling == CURED_CEILING_FP32 ? CURED_METRIC_flop_rate : CURED_METRIC_bandwidth] /
      get_ceiling (device, ceiling);
}

/* Counts on the emulator the work that the chip just did. If that fails, the counts are left out,
 * but the time is kept. */
static void
count_work (CuredWorkbench *self, const CuredJob *job, CuredOutcome *outcome,
            GCancellable *cancellable)
{
  double registers = outcome->metrics[CURED_METRIC_registers];
  g_autoptr (GError) error = NULL;
  CuredWorkQuery query;

  if (self->compiler == NULL)
    return;
  cured_work_query_init (&query);
  query.seed = job->options->seed;
  if (registers > 0)
    query.registers = (int) registers;
  outcome->work = cured_workload_count (self->compiler, job->kernel, job->values,
                                        &self->device->info.limits, &query, cancellable, &error);
  if (error != NULL)
    g_debug ("%s was not counted: %s", job->kernel->id, error->message);
  cured_outcome_fill_work (outcome);
}

/* Adds the wall time since the last stage to @stage's. */
static void
end_stage (CuredOutcome *outcome, CuredStage stage, gint64 *start_us)
{
  gint64 now = g_get_monotonic_time ();

  outcome->stage_ns[stage] += (now - *start_us) * 1000;
  *start_us = now;
}

/* Adds the source lines of findings outside of the kernel's own text. */
static void
quote_findings (CuredKernel *kernel, const CuredOptions *options, CuredOutcome *outcome)
{
  g_autoptr (CuredSources) sources = NULL;

  if (outcome->findings->len > 0)
    sources = _cured_workbench_get_sources (kernel, options, NULL);
  if (sources != NULL)
    _cured_sources_quote (sources, outcome->findings);
}

/* A cell being measured. Its stages return FALSE with @error set on failure, and without if the
 * outcome's state was set and nothing remains to be done. */
typedef struct
{
  CuredWorkbench *bench;
  const CuredJob *job;
  const CuredProgram *program;
  CuredOutcome *outcome;
  GCancellable *cancellable;
  gint64 start_us; /* of the stage */
  gint64 deadline_us;
  const CuredContents *expected; /* (nullable) */
  CuredDevicePtr *bindings;
  CuredSpan first; /* the first run, if it was timed */
} Cell;

static gboolean
compile (Cell *self, GError **error)
{
  CuredOutcome *outcome = self->outcome;
  const CuredOptions *options = self->job->options;

  cured_job_enter_stage (self->job, CURED_STAGE_COMPILE);
  gboolean is_done =
      _cured_workbench_load (self->bench, self->program, options,
                             &outcome->metrics[CURED_METRIC_compile_time], error) != NULL &&
      _cured_workbench_annotate (self->bench, self->program, options, error);
  end_stage (outcome, CURED_STAGE_COMPILE, &self->start_us);
  return is_done && query_launches (self->bench, self->program, outcome, error);
}

static gboolean
prepare (Cell *self, GError **error)
{
  const CuredOptions *options = self->job->options;

  /* The compiler's time does not count against the kernel. */
  self->deadline_us = self->start_us + (gint64) MIN (options->limit_s * 1e6, 1e15);
  cured_job_enter_stage (self->job, CURED_STAGE_PREPARE);
  gboolean is_done = _cured_workbench_fill (self->bench, self->program, options, error);
  if (is_done && options->check && options->blocks == NULL &&
      self->program->kernel->reference != NULL)
    {
      emulate (self->bench, options, FALSE, self->deadline_us, self->cancellable);
      self->expected =
          _cured_workbench_expect (self->bench, self->job, self->program, self->cancellable, error);
      is_done = self->expected != NULL;
    }
  end_stage (self->outcome, CURED_STAGE_PREPARE, &self->start_us);
  if (is_done)
    self->bindings = _cured_workbench_bind (self->bench, self->program, options, error);
  return self->bindings != NULL;
}

static gboolean
check (Cell *self, GError **error)
{
  CuredWorkbench *bench = self->bench;
  CuredOutcome *outcome = self->outcome;
  const CuredOptions *options = self->job->options;

  /* The kernel's printed output is taken from one run, which is not timed. */
  if (!options->check && cured_device_has_time (bench->device))
    return run_once (bench, self->program, self->bindings, &self->first, error) &&
           take_excerpts (bench, self->job, self->program, self->bindings, outcome, error);
  cured_job_enter_stage (self->job, CURED_STAGE_CHECK);
  emulate (bench, options, TRUE, self->deadline_us, self->cancellable);
  gboolean is_done =
      check_output (bench, self->program, self->bindings, self->expected, &self->first, outcome,
                    error) &&
      take_excerpts (bench, self->job, self->program, self->bindings, outcome, error);
  quote_findings (self->program->kernel, options, outcome);
  end_stage (outcome, CURED_STAGE_CHECK, &self->start_us);
  if (!is_done || outcome->n_mismatches == 0)
    return is_done;
  g_autofree char *count = cured_format_count ((gint64) outcome->n_mismatches);
  cured_outcome_set_state (outcome, CURED_STATE_WRONG,
                           g_dngettext (GETTEXT_PACKAGE, "%s element is wrong",
                                        "%s elements are wrong", (gulong) outcome->n_mismatches),
                           count);
  return FALSE;
}

static gboolean
sample (Cell *self, GError **error)
{
  CuredWorkbench *bench = self->bench;
  CuredOutcome *outcome = self->outcome;
  const CuredOptions *options = self->job->options;
  const struct
  {
    gboolean is_wanted;
    CuredTimingMode timing;
    CuredSamples **samples;
  } modes[] = {
    { options->cold, CURED_TIMING_COLD, &outcome->cold },
    { options->hot, CURED_TIMING_HOT, &outcome->hot },
  };
  gboolean is_done = TRUE;

  cured_job_enter_stage (self->job, CURED_STAGE_TIME);
  for (gsize i = 0; i < G_N_ELEMENTS (modes) && is_done; i++)
    if (modes[i].is_wanted)
      is_done = cured_sampler_take (bench->device, bench->module, self->program, self->bindings,
                                    modes[i].timing, i > 0 ? outcome->cold : NULL, options,
                                    &self->first, modes[i].samples, self->cancellable, error);
  is_done = is_done && read_cycles (bench, self->program, self->bindings, outcome, error);
  end_stage (outcome, CURED_STAGE_TIME, &self->start_us);
  if (!is_done)
    return FALSE;
  if (options->counts)
    count_work (bench, self->job, outcome, self->cancellable);
  cured_outcome_fill_times (outcome);
  derive_rates (bench->device, self->program, outcome);
  return TRUE;
}

/* Measures the whole cell. */
static gboolean
measure (Cell *self, GError **error)
{
  CuredDevice *device = self->bench->device;
  const CuredOptions *options = self->job->options;

  if (!compile (self, error) || g_cancellable_set_error_if_cancelled (self->cancellable, error) ||
      !prepare (self, error) || g_cancellable_set_error_if_cancelled (self->cancellable, error) ||
      !check (self, error))
    return FALSE;
  if (cured_device_has_time (device)
          ? !sample (self, error)
          : options->caches && device->klass->emulator != NULL &&
                !predict_caches (self->bench, self->program, options, self->deadline_us,
                                 self->outcome, self->cancellable, error))
    return FALSE;
  cured_outcome_set_state (self->outcome, CURED_STATE_OK, NULL);
  return TRUE;
}

/* @device: the device to run on
 * @job: the job to run
 * @outcome: a fresh outcome, which is filled in
 * @cancellable: (nullable): checked between stages and samples
 *
 * Compiles, checks and times one cell, or makes the device's process do it. Blocks. A fault of the
 * cell itself (it does not compile, is not launchable, faults, writes a wrong output) is a state of
 * @outcome and TRUE.
 *
 * A CUDA device in this process can't enforce the job's time limit: a kernel that never ends blocks
 * for ever. Use cured_worker_device_new() for such kernels. The program has run once when
 * %CURED_STAGE_TIME begins, checked or not. On a device that has no time, one run is counted
 * instead.
 * Returns: FALSE if the device can't be used any more: %CURED_ERROR_STICKY (@outcome is still
 *   valid), %CURED_ERROR_NO_COMPILER, %G_IO_ERROR_CANCELLED, or the error of another
 *   process */
gboolean
cured_measure (CuredDevice *device, const CuredJob *job, CuredOutcome *outcome,
               GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (device->klass->get_machine != NULL)
    return _cured_predict_cell (device, job, outcome, cancellable, error);
  if (device->klass->launch == NULL)
    return get_cells (device)->measure (device, job, outcome, cancellable, error);

  g_autoptr (CuredProgram) program =
      cured_program_new (job->kernel, job->values, &device->info.limits, &problem);
  if (program == NULL)
    {
      cured_outcome_set_state (outcome, CURED_STATE_NOT_LAUNCHABLE, "%s", problem->message);
      return TRUE;
    }
  CuredWorkbench *bench = _cured_workbench_get (device, error);
  if (bench == NULL)
    return FALSE;
  Cell cell = { .bench = bench,
                .job = job,
                .program = program,
                .outcome = outcome,
                .cancellable = cancellable,
                .start_us = g_get_monotonic_time () };
  gboolean is_done = measure (&cell, &problem);
  g_free (cell.bindings);
  if (is_done || problem == NULL)
    return TRUE;

  if (g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  cured_outcome_set_state (outcome,
                           g_error_matches (problem, CURED_ERROR, CURED_ERROR_TIMED_OUT)
                               ? CURED_STATE_TIMED_OUT
                           : g_error_matches (problem, CURED_ERROR, CURED_ERROR_NOT_LAUNCHABLE)
                               ? CURED_STATE_NOT_LAUNCHABLE
                               : CURED_STATE_FAILED,
                           "%s", problem->message);
  if (g_error_matches (problem, CURED_ERROR, CURED_ERROR_STICKY))
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  return TRUE;
}

/* Returns: whether it measures in another process, which can be replaced */
gboolean
cured_device_can_renew (CuredDevice *device)
{
  return device->klass->get_machine == NULL && device->klass->launch == NULL;
}

/* @device: a device for which cured_device_can_renew() is TRUE
 *
 * Announces that cured_device_renew() will follow, so that preparations that do not need the device
 * begin while the process measures. May be called repeatedly. */
void
cured_device_foresee_renewal (CuredDevice *device)
{
  g_return_if_fail (cured_device_can_renew (device));

  get_cells (device)->foresee (device);
}

/* @device: a device for which cured_device_can_renew() is TRUE
 *
 * Ends its process. A fresh one measures the next cell, without any allocation, module or
 * calibration of the old one, and not before that has ended. Blocks for two seconds at
 * most. */
void
cured_device_renew (CuredDevice *device)
{
  g_return_if_fail (cured_device_can_renew (device));

  get_cells (device)->renew (device);
}

/* @self: (transfer full): a launch's needs */
CURED_DEFINE_FREE (CuredDemand, cured_demand_free, entry, g_free)

/* @device: of this process: a CUDA device, or the emulator of a chip
 * @job: a kernel at a point of its parameters
 * @error: CURED_ERROR_NOT_LAUNCHABLE for a point that breaks a limit, CURED_ERROR_COMPILE,
 *   CURED_ERROR_NO_COMPILER, or an error of the device
 *
 * Compiles the kernel and asks what its launches need, without running it. Blocks.
 * Returns: (transfer full) (element-type CuredDemand): one per launch */
GPtrArray *
cured_inspect (CuredDevice *device, const CuredJob *job, GError **error)
{
  g_autoptr (GPtrArray) launches =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_demand_free);
  double compile_ns;

  g_return_val_if_fail (device->klass->launch != NULL, NULL);

  g_autoptr (CuredProgram) program =
      cured_program_new (job->kernel, job->values, &device->info.limits, error);
  if (program == NULL)
    return NULL;
  CuredWorkbench *bench = _cured_workbench_get (device, error);
  if (bench == NULL ||
      _cured_workbench_load (bench, program, job->options, &compile_ns, error) == NULL ||
      !_cured_workbench_annotate (bench, program, job->options, error))
    return NULL;
  for (gsize i = 0; i < program->n_steps; i++)
    {
      const CuredProgramStep *step = &program->steps[i];

      if (step->entry == NULL)
        continue;
      g_autoptr (CuredDemand) launch = g_new0 (CuredDemand, 1);
      launch->entry = g_strdup (step->entry);
      launch->threads = (gint64) step->block[0] * step->block[1] * step->block[2];
      launch->shared_dynamic = step->shared_bytes;
      if (!device->klass->launch->query (device, bench->module, step, &launch->info, error))
        return NULL;
      g_ptr_array_add (launches, g_steal_pointer (&launch));
    }
  return g_steal_pointer (&launches);
}

/* @device: the device of a later job
 *
 * Starts compiling a job's variant on another core, so that a later cured_measure() need not wait;
 * and making its inputs and expected output, if @device shares them with others. Never blocks for
 * long, and reports no errors: these appear when the job is measured. May be called while another
 * thread measures on @device. */
void
cured_prepare (CuredDevice *device, const CuredJob *job)
{
  if (device->klass->get_machine != NULL)
    return;
  if (device->klass->launch == NULL)
    {
      get_cells (device)->prepare (device, job);
      return;
    }
  CuredWorkbench *bench = _cured_workbench_get (device, NULL);
  if (bench == NULL)
    return;
  g_autoptr (CuredProgram) program =
      cured_program_new (job->kernel, job->values, &device->info.limits, NULL);
  if (program == NULL)
    return;
  if (bench->compiler != NULL)
    _cured_workbench_prepare_variant (bench, program, job->options);
  _cured_workbench_prepare_contents (bench, g_steal_pointer (&program), job->options);
}
