/* SPDX-License-Identifier: MIT
 * How long a sweep will take, estimated before it runs. */
#include "run/cured-estimate-internal.h"

#include "base/cured-base-internal.h"
#include "device/cured-device-internal.h"
#include "device/cured-devices.h"
#include "kernel/program/cured-program.h"
#include "measure/cured-measure.h"
#include "store/cured-recordings.h"
#include "store/cured-result.h"
#include "worker/cured-worker-internal.h"

/* Implementation notes: the times of the last sweep are in a key file in the user's cache folder,
 * with a group for each kernel and device. It may be deleted at any time: there is no estimate then
 * until the next sweep has run. The names of groups are digests, since a kernel's id may contain
 * characters that a group's name may not.
 *
 * A GPU's cell takes the time of its sampling, which the options bound, and a rest that hardly
 * depends on the sizes. The emulator takes no samples, and the time of its cells is proportional to
 * their threads; so the time per thread is kept. */

/* Compiling, inputs and check of a cell, in relative weights. */
#define OVERHEAD_S 0.2

/* A GPU's times by the sizes of the problem, fitted to the sweeps that come with Cured, on an H200:
 * for processes, for a byte of a buffer and one of the output, which is compared; then for the
 * samples of all rounds, which are more for shorter runs. A run's time follows from the kernel
 * file's formulas, at a fraction of such a chip's peak. */
#define PROCESSES_S       0.7
#define SHORT_PROCESSES_S 1.3
#define BYTE_S            1e-11
#define OUTPUT_BYTE_S     1e-10
#define GPU_FLOPS         8e12
#define GPU_BYTES         2e12
#define SHORT_RUN_S       50e-6
#define LONG_RUN_S        2e-3
#define SAMPLES_S         0.03
#define SHORT_RUNS        24
#define LONG_RUNS         3
/* Preparing inputs takes half of the time that it took in the recordings. */
#define PREPARED_NOW 0.5

/* The emulator runs blocks of the first cell, PROBED_BLOCKS per core at first and PROBE_GROWTH
 * times more each time, until they take PROBE_ENOUGH_S or all blocks have run: the fixed cost of a
 * launch must not count for each block. */
#define PROBED_BLOCKS  2
#define PROBE_GROWTH   8
#define PROBE_ENOUGH_S 0.1
#define PROBE_LIMIT_S  5.0
#define PROBE_START_S  10.0
/* A cell with larger buffers is not run for an estimate, since the caller, usually a window, should
 * not take that much memory. */
#define PROBE_LIMIT_BYTES 0x1p26

/* Number of cells whose threads are counted to estimate those of a plan. */
#define COUNTED_CELLS 64

/* For making a sweep smaller: a step must reduce its time to this share; least number of values
 * that an axis keeps. */
#define WORTH        0.95
#define LEAST_VALUES 6

/* Weights of one cell against another; only their ratios matter. A thread of the
 * catalogue's kernels executes about a hundred instructions, and the emulator some hundred million
 * lane-instructions a second. */
#define INSTRUCTIONS_PER_THREAD 100.0
#define GPU_LANES_PER_S         3e13
#define EMULATED_LANES_PER_S    3e8
#define EMULATED_CELL_S         0.05
/* Lane-instructions for an operation or a byte of the kernel file's formulas, with overhead. */
#define LANES_PER_FLOP 2.0
#define LANES_PER_BYTE 8.0
#define SMALL_CELL_S   0.02
#define FLUSH_S        200e-6
#define WEIGHED_CELLS  100000

static char *
pace_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), "cured", "pace.ini", NULL);
}

static char *
pace_group (const CuredPlan *plan, const CuredDeviceInfo *info)
{
  g_autofree char *text = g_strdup_printf (
      "%s\n%s", cured_spec_get_kernel (cured_plan_get_spec (plan))->id, info->name);

  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

static int
count_modes (const CuredOptions *options)
{
  return MAX ((options->cold ? 1 : 0) + (options->hot ? 1 : 0), 1);
}

/* Seconds of emulating a cell's threads; without a check, the run is in the timing
 * stage. */
static double
get_emulated_s (const gint64 *stage_ns)
{
  return (double) (stage_ns[CURED_STAGE_CHECK] + stage_ns[CURED_STAGE_TIME]) / 1e9;
}

static const CuredOptions *
options_of (const CuredPlan *plan)
{
  return cured_spec_get_options (cured_plan_get_spec (plan));
}

typedef struct
{
  double blocks, threads;
  double lanes; /* lanes of the threads' warps */
  double bytes; /* of all buffers */
  double output_bytes;
  double operations; /* by the kernel file's formulas; 0: none */
  double run_s;      /* seconds of a run on a GPU, roughly */
} Work;

/* Seconds of all samples of a program, in both modes. */
static double
get_samples_s (double run_s)
{
  if (run_s >= LONG_RUN_S)
    return LONG_RUNS * run_s;
  return run_s >= SHORT_RUN_S ? SAMPLES_S + SHORT_RUNS * (run_s - SHORT_RUN_S) : SAMPLES_S;
}

/* Sums the work of all launches of the cell at @position of the order. */
static Work
count_work (CuredPlan *plan, gint64 position, const CuredLimits *limits)
{
  CuredKernel *kernel = cured_spec_get_kernel (cured_plan_get_spec (plan));
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  Work work = { 0 };

  cured_plan_get_values (plan, cured_plan_get_ordered (plan, position), values);
  g_autoptr (CuredProgram) program = cured_program_new (kernel, values, limits, NULL);
  for (gsize i = 0; program != NULL && i < program->n_buffers; i++)
    work.bytes += (double) program->buffers[i].size;
  if (program != NULL)
    work.operations =
        fmax (fmax (program->flops * LANES_PER_FLOP, program->bytes * LANES_PER_BYTE), 0);
  for (gsize i = 0; program != NULL && i < program->n_steps; i++)
    {
      const CuredProgramStep *step = &program->steps[i];
      double n_blocks =
          (double) step->grid[0] * step->grid[1] * step->grid[2] * (double) step->repeat;

      if (step->entry == NULL)
        continue;
      double block = (double) step->block[0] * step->block[1] * step->block[2];

      work.blocks += n_blocks;
      work.threads += n_blocks * block;
      work.lanes += n_blocks * ceil (block / 32) * 32;
    }
  if (program == NULL)
    return work;
  work.run_s = fmax (fmax (program->flops / GPU_FLOPS, program->bytes / GPU_BYTES),
                     work.lanes * INSTRUCTIONS_PER_THREAD / GPU_LANES_PER_S);
  if (kernel->output >= 0)
    work.output_bytes = (double) program->buffers[kernel->output].size;
  return work;
}

/* Counts threads in whole warps, since a warp with one thread takes as long as one with 32; adds
 * the work by the kernel file's formulas, since threads may loop. */
static double
get_emulated_lanes (const Work *work)
{
  return fmax (work->lanes * INSTRUCTIONS_PER_THREAD,
               work->operations * work->lanes / fmax (work->threads, 1));
}

static double
get_threads (const Work *work)
{
  return work->threads;
}

/* Seconds of all cells at a time per unit of @measure, estimated from cells spread evenly over the
 * order. */
static double
sum_cells (CuredPlan *plan, const CuredLimits *limits, double (*measure) (const Work *work),
           double s_per_unit, double limit_s)
{
  gint64 n_cells = cured_plan_get_n_launchable (plan);
  gint64 n_counted = s_per_unit > 0 ? MIN (n_cells, COUNTED_CELLS) : 0;
  double sum = 0;

  for (gint64 i = 0; i < n_counted; i++)
    {
      Work work = count_work (plan, i * n_cells / n_counted, limits);

      sum += MIN (measure (&work) * s_per_unit, limit_s);
    }
  return n_counted > 0 ? sum * (double) n_cells / (double) n_counted : 0;
}

/* Greatest number of variants that the plan compiles. */
static double
count_variants (const CuredPlan *plan)
{
  CuredSpec *spec = cured_plan_get_spec (plan);
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  double n = 1;

  for (gsize i = 0; i < kernel->n_parameters; i++)
    if (kernel->parameters[i].kind == CURED_PARAMETER_COMPILE)
      n *= (double) cured_axis_get_length (cured_spec_get_axis (spec, i));
  return MIN (n, (double) cured_plan_get_n_launchable (plan));
}

/* Emulates blocks of the first cell in a confined process, since the kernel is untrusted, and a
 * compiler may crash. */
static gboolean
estimate_by_blocks (CuredPlan *plan, const CuredDeviceInfo *info, CuredEstimate *estimate)
{
  CuredKernel *kernel = cured_spec_get_kernel (cured_plan_get_spec (plan));
  g_auto (CuredOptions) options = { 0 };
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  CuredJob job = { .kernel = kernel, .values = values, .options = &options };
  double n_cells = (double) cured_plan_get_n_launchable (plan), others_s = 0, n_run = 0;
  Work work = count_work (plan, 0, &info->limits);

  if (work.bytes > PROBE_LIMIT_BYTES)
    return FALSE;
  g_auto (GStrv) command = cured_worker_default_verb ("worker");
  g_autoptr (CuredDevice) device =
      cured_worker_device_new ((const char *const *) command, info->id, NULL);
  if (device == NULL)
    return FALSE;
  _cured_worker_device_set_limits (device, PROBE_START_S, PROBE_LIMIT_S);
  cured_plan_get_values (plan, cured_plan_get_ordered (plan, 0), values);
  cured_options_copy (options_of (plan), &options);
  options.limit_s = MIN (options.limit_s, PROBE_LIMIT_S);
  estimate->first_s = 0;
  for (double n = PROBED_BLOCKS * g_get_num_processors ();
       n_run < work.blocks && estimate->first_s * n_run / MAX (work.blocks, 1) < PROBE_ENOUGH_S;
       n *= PROBE_GROWTH)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

      g_free (options.blocks);
      options.blocks = g_strdup_printf ("sample:%.0f", MIN (n, work.blocks));
      if (!cured_measure (device, &job, outcome, NULL, NULL))
        return FALSE;
      if (outcome->state == CURED_STATE_TIMED_OUT && n_run == 0)
        {
          *estimate = (CuredEstimate){ CURED_ESTIMATE_BLOCKS, n_cells * options_of (plan)->limit_s,
                                       INFINITY };
          return TRUE;
        }
      if (outcome->state == CURED_STATE_TIMED_OUT)
        break;
      if (outcome->state != CURED_STATE_OK || !(outcome->metrics[CURED_METRIC_blocks_run] > n_run))
        return FALSE;
      if (n_run == 0)
        others_s = n_cells * SMALL_CELL_S +
                   (n_cells * (double) outcome->stage_ns[CURED_STAGE_PREPARE] +
                    count_variants (plan) * (double) outcome->stage_ns[CURED_STAGE_COMPILE]) /
                       1e9;
      n_run = outcome->metrics[CURED_METRIC_blocks_run];
      estimate->first_s = get_emulated_s (outcome->stage_ns) * work.blocks / n_run;
    }
  estimate->basis = CURED_ESTIMATE_BLOCKS;
  estimate->sweep_s = others_s + sum_cells (plan, &info->limits, get_emulated_lanes,
                                            estimate->first_s / MAX (get_emulated_lanes (&work), 1),
                                            options_of (plan)->limit_s);
  return isfinite (estimate->sweep_s);
}

/* (nullable): the recording of the kernel that comes with Cured. @metric: index of its time.
 * @rest_s: seconds of compiling and preparing a cell */
static CuredResult *
load_recording (CuredKernel *kernel, gsize *metric, double *rest_s)
{
  g_autofree char *folder = cured_recordings_find_folder ();
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);
  const char *path = paths != NULL ? cured_recordings_find (paths, kernel->id, NULL) : NULL;
  g_autoptr (CuredResult) result = path != NULL ? cured_result_load (path, NULL, NULL) : NULL;
  gint64 stage_ns[CURED_N_STAGES], n_measured;

  if (result == NULL || !g_str_equal (cured_result_get_kernel_id (result), kernel->id) ||
      !cured_result_find_metric (result, "time", metric) ||
      !cured_result_load_column (result, *metric, NULL, NULL))
    return NULL;
  n_measured = cured_result_peek_stages (path, stage_ns, NULL);
  if (n_measured > 0)
    *rest_s = ((double) stage_ns[CURED_STAGE_COMPILE] +
               PREPARED_NOW * (double) stage_ns[CURED_STAGE_PREPARE]) /
              1e9 / (double) n_measured;
  return g_steal_pointer (&result);
}

/* Seconds of the cell at @position of the order; NaN if it was not recorded. */
static double
get_recorded_s (CuredPlan *plan, gint64 position, CuredResult *recording, gsize metric)
{
  CuredKernel *kernel = cured_spec_get_kernel (cured_plan_get_spec (plan));
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (recording, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);

  cured_plan_get_values (plan, cured_plan_get_ordered (plan, position), values);
  for (gsize i = 0; i < n_axes; i++)
    {
      gsize parameter;

      if (!cured_kernel_find_parameter (kernel, axes[i].name, &parameter) ||
          !cured_axis_find (axes[i].values, values[parameter], &positions[i]))
        return CURED_MISSING;
    }
  return cured_result_get_value (recording, cured_result_get_cell (recording, positions), metric) /
         1e9;
}

/* Assumes that unrecorded cells exceed their formulas by the same factor as recorded ones. */
static void
estimate_by_sizes (CuredPlan *plan, const CuredLimits *limits, CuredEstimate *estimate)
{
  const CuredOptions *options = options_of (plan);
  gint64 n_cells = cured_plan_get_n_launchable (plan), n_counted = MIN (n_cells, COUNTED_CELLS);
  Work works[COUNTED_CELLS];
  double recorded_s[COUNTED_CELLS], rest_s = 0, log_ratio = 0, sum = 0, processes_s = PROCESSES_S;
  gsize metric, n_recorded = 0;
  g_autoptr (CuredResult) recording =
      load_recording (cured_spec_get_kernel (cured_plan_get_spec (plan)), &metric, &rest_s);

  for (gint64 i = 0; i < n_counted; i++)
    {
      works[i] = count_work (plan, i * n_cells / n_counted, limits);
      recorded_s[i] = recording != NULL
                          ? get_recorded_s (plan, i * n_cells / n_counted, recording, metric)
                          : CURED_MISSING;
      if (recorded_s[i] > 0 && works[i].run_s > 0)
        {
          log_ratio += log (recorded_s[i] / works[i].run_s);
          n_recorded++;
        }
    }
  for (gint64 i = 0; i < n_counted; i++)
    {
      double run_s = recorded_s[i] > 0
                         ? recorded_s[i]
                         : works[i].run_s * exp (log_ratio / (double) MAX (n_recorded, 1));

      if (run_s < SHORT_RUN_S)
        processes_s = SHORT_PROCESSES_S;
      sum += MIN (rest_s + works[i].bytes * BYTE_S + works[i].output_bytes * OUTPUT_BYTE_S + run_s +
                      MIN (get_samples_s (run_s) / 2, options->sampling_s) * count_modes (options),
                  options->limit_s);
    }
  estimate->basis = CURED_ESTIMATE_SIZES;
  estimate->sweep_s = processes_s + sum * (double) n_cells / (double) MAX (n_counted, 1);
}

static gboolean
estimate_by_last (CuredPlan *plan, const CuredDeviceInfo *info, CuredEstimate *estimate)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = pace_path (), *group = pace_group (plan, info);
  const CuredOptions *options = options_of (plan);
  const char *keys[] = { "rest-s", "timing-s", "thread-s" };
  double seconds[G_N_ELEMENTS (keys)];

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (GError) error = NULL;

      seconds[i] = g_key_file_get_double (file, group, keys[i], &error);
      if (error != NULL || !(seconds[i] >= 0) || !isfinite (seconds[i]))
        return FALSE;
    }
  estimate->basis = CURED_ESTIMATE_LAST;
  estimate->sweep_s =
      (double) cured_plan_get_n_launchable (plan) *
          (seconds[0] + MIN (seconds[1], options->sampling_s) * count_modes (options)) +
      sum_cells (plan, &info->limits, get_threads, seconds[2], options->limit_s);
  return TRUE;
}

static gboolean
estimate_by_file (CuredPlan *plan, const char *path, const CuredOptions *measured,
                  CuredEstimate *estimate)
{
  const CuredOptions *options = options_of (plan);
  gint64 stage_ns[CURED_N_STAGES], n_measured = cured_result_peek_stages (path, stage_ns, NULL);
  double rest_s = 0;

  if (n_measured < 1)
    return FALSE;
  for (int i = 0; i < CURED_N_STAGES; i++)
    if (i != CURED_STAGE_TIME)
      rest_s += (double) stage_ns[i] / 1e9 / (double) n_measured;
  double timing_s = (double) stage_ns[CURED_STAGE_TIME] / 1e9 / (double) n_measured;
  /* An imported file lacks these times. */
  if (!(rest_s + timing_s > 0))
    return FALSE;
  timing_s = MIN (timing_s / count_modes (measured), options->sampling_s) * count_modes (options);
  estimate->basis = CURED_ESTIMATE_FILE;
  estimate->sweep_s = (double) cured_plan_get_n_launchable (plan) * (rest_s + timing_s);
  return TRUE;
}

/* Seconds of a cell, by the plan alone: good enough for relative weights. */
static double
weigh_cell (const CuredOptions *options, const CuredLimits *limits, double n_threads)
{
  double time_s = n_threads * INSTRUCTIONS_PER_THREAD / GPU_LANES_PER_S;

  if (limits->emulated != 0)
    return MIN (EMULATED_CELL_S + n_threads * INSTRUCTIONS_PER_THREAD / EMULATED_LANES_PER_S,
                options->limit_s);
  return MIN (OVERHEAD_S +
                  count_modes (options) *
                      MIN ((double) options->min_samples * (time_s + FLUSH_S), options->sampling_s),
              options->limit_s);
}

/* Uses the plan alone, so that its result is the same everywhere. In a large plan, some cells are
 * computed, and their neighbours get the same cost. */
void
_cured_estimate_costs (CuredPlan *plan, const CuredLimits *const *limits, double *costs)
{
  gint64 n_cells = cured_plan_get_n_launchable (plan), step = 1 + n_cells / WEIGHED_CELLS;

  for (gint64 i = 0; i < n_cells; i++)
    {
      gsize place = cured_plan_get_place (plan, cured_plan_get_ordered (plan, i));

      if (i % step == 0 || options_of (plan)->blocks != NULL)
        costs[i] = options_of (plan)->blocks != NULL
                       ? 1
                       : weigh_cell (options_of (plan), limits[place],
                                     count_work (plan, i, limits[place]).threads);
      else
        costs[i] = costs[i - 1];
    }
}

/* @plan: the cells
 * @info: the device
 * @example: (nullable): path of a result file of the same kernel on such a device
 * @example_options: (nullable): the options with which @example was measured
 * @estimate: (out caller-allocates): the estimate
 *
 * Uses the best available source. On the emulator: blocks of the first cell (unless its buffers
 * exceed 64 MiB), run in a worker for a few tenths of a second (up to five seconds if blocks are
 * slow) and scaled by the warps and the work of all cells. Otherwise: the last sweep of the kernel
 * on a device of that name, by its mean cell with the sampling that the options request, or on the
 * emulator by its time per thread; the mean cell of @example; on a GPU, the sizes of its buffers
 * with the times of its recording, or with the kernel file's formulas: nine of ten default sweeps
 * of recorded kernels take between half and twice as long. No cell counts for more than its limit.
 * Blocks. */
void
cured_estimate_sweep (CuredPlan *plan, const CuredDeviceInfo *info, const char *example,
                      const CuredOptions *example_options, CuredEstimate *estimate)
{
  const CuredOptions *options = options_of (plan);

  *estimate = (CuredEstimate){ CURED_ESTIMATE_NONE, CURED_MISSING, CURED_MISSING };
  if (cured_plan_get_n_launchable (plan) < 1)
    return;
  /* With --blocks, the sweep itself runs only some blocks. */
  if ((info->limits.emulated != 0 && options->blocks == NULL &&
       estimate_by_blocks (plan, info, estimate)) ||
      estimate_by_last (plan, info, estimate) ||
      (example != NULL && estimate_by_file (plan, example, example_options, estimate)) ||
      info->limits.emulated != 0)
    return;
  estimate_by_sizes (plan, &info->limits, estimate);
}

/* Seconds of all cells on the emulator, by the plan alone. */
static double
weigh_emulated (CuredPlan *plan, const CuredLimits *limits)
{
  gint64 n_cells = cured_plan_get_n_launchable (plan), n_counted = MIN (n_cells, COUNTED_CELLS);
  double sum = 0;

  for (gint64 i = 0; i < n_counted; i++)
    {
      Work work = count_work (plan, i * n_cells / n_counted, limits);

      sum += SMALL_CELL_S + get_emulated_lanes (&work) / EMULATED_LANES_PER_S;
    }
  return n_counted > 0 ? sum * (double) n_cells / (double) n_counted : 0;
}

/* The next smaller problem: powers of two divide well. */
static gint64
shrink (const CuredAxis *allowed, gint64 value)
{
  gint64 half = 1, least = 0;

  while (half <= (value - 1) / 2)
    half *= 2;
  if (allowed == NULL)
    return value > 1 ? half : value;
  for (gsize i = 0; i < cured_axis_get_length (allowed); i++)
    {
      gint64 other = cured_axis_get_value (allowed, i);

      if (other < value &&
          (least == 0 || (other <= half ? other > least || least > half : other < least)))
        least = other;
    }
  return least != 0 ? least : value;
}

/* Returns: (transfer full): the axis with smaller values, each once */
static CuredAxis *
shrink_axis (const CuredAxis *axis, const CuredAxis *allowed)
{
  gsize length = cured_axis_get_length (axis);
  g_autofree gint64 *values = g_new (gint64, length);
  gsize n = 0;

  for (gsize i = 0; i < length; i++)
    {
      gint64 value = shrink (allowed, cured_axis_get_value (axis, i));
      gboolean is_there = FALSE;

      for (gsize k = 0; k < n; k++)
        is_there |= values[k] == value;
      if (!is_there)
        values[n++] = value;
    }
  return cured_axis_new (values, n);
}

/* Halves the problem sizes. */
static void
shrink_problem (CuredSpec *spec)
{
  CuredKernel *kernel = cured_spec_get_kernel (spec);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    if (kernel->parameters[i].kind == CURED_PARAMETER_PROBLEM)
      {
        g_autoptr (CuredAxis) smaller =
            shrink_axis (cured_spec_get_axis (spec, i), kernel->parameters[i].values);

        cured_spec_set_axis (spec, kernel->parameters[i].name, smaller, NULL);
      }
}

/* Removes the greatest value from a launch parameter's axis that has more values than a map
 * needs. */
static void
drop_greatest (CuredSpec *spec, gsize parameter)
{
  const CuredParameter *at = &cured_spec_get_kernel (spec)->parameters[parameter];
  const CuredAxis *axis = cured_spec_get_axis (spec, parameter);
  gsize length = cured_axis_get_length (axis), n = 0;
  g_autofree gint64 *values = g_new (gint64, length);
  gint64 greatest = G_MININT64;

  if (at->kind != CURED_PARAMETER_LAUNCH || length <= LEAST_VALUES || cured_axis_is_named (axis))
    return;
  for (gsize i = 0; i < length; i++)
    greatest = MAX (greatest, cured_axis_get_value (axis, i));
  for (gsize i = 0; i < length; i++)
    if (cured_axis_get_value (axis, i) != greatest)
      values[n++] = cured_axis_get_value (axis, i);
  g_autoptr (CuredAxis) shorter = cured_axis_new (values, n);
  cured_spec_set_axis (spec, at->name, shorter, NULL);
}

/* Makes a sweep smaller: @way: index of a parameter, or the number of parameters for the problem
 * sizes. */
static void
reduce (CuredSpec *spec, gsize way)
{
  if (way == cured_spec_get_kernel (spec)->n_parameters)
    shrink_problem (spec);
  else
    drop_greatest (spec, way);
}

/* Seconds of the sweep; NaN if it has no cells. */
static double
weigh_spec (CuredSpec *spec, const CuredLimits *limits)
{
  g_autoptr (CuredPlan) plan = cured_plan_new (spec, limits, NULL);

  return plan != NULL && cured_plan_get_n_launchable (plan) > 0 ? weigh_emulated (plan, limits)
                                                                : CURED_MISSING;
}

/* Seconds of the sweep, reduced in this way. */
static double
weigh_reduced (CuredSpec *spec, const CuredLimits *limits, gsize way)
{
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  g_autoptr (GPtrArray) axes = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_axis_unref);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    g_ptr_array_add (axes, cured_axis_ref ((CuredAxis *) cured_spec_get_axis (spec, i)));
  reduce (spec, way);
  double seconds = weigh_spec (spec, limits);
  for (gsize i = 0; i < kernel->n_parameters; i++)
    cured_spec_set_axis (spec, kernel->parameters[i].name, axes->pdata[i], NULL);
  return seconds;
}

/* @spec: a sweep, which is reduced if it is too large
 * @limits: limits of the emulator
 * @seconds: greatest time that the sweep should take
 *
 * Halves the problem sizes or drops the largest launches, whichever saves more, until the emulator
 * is expected to run the sweep in that time: sizes meant for a GPU would take it hours. Launch
 * parameters keep six values, and problem sizes that do not matter are kept.
 * Returns: whether an axis was changed */
gboolean
cured_estimate_fit (CuredSpec *spec, const CuredLimits *limits, double seconds)
{
  gsize n_ways = cured_spec_get_kernel (spec)->n_parameters + 1;
  gboolean is_changed = FALSE;

  for (double now = weigh_spec (spec, limits); now > seconds; is_changed = TRUE)
    {
      double least = now * WORTH;
      gsize best = n_ways;

      for (gsize way = 0; way < n_ways; way++)
        {
          double then = weigh_reduced (spec, limits, way);

          if (then < least)
            {
              least = then;
              best = way;
            }
        }
      if (best == n_ways)
        break;
      reduce (spec, best);
      now = least;
    }
  return is_changed;
}

/* @example: (nullable): as for cured_estimate_sweep()
 * Returns: (transfer full): part of a sentence for people, such as "about 3 min, based on the last
 *   sweep of this kernel" */
char *
cured_estimate_describe (const CuredEstimate *self, const char *example)
{
  g_autofree char *duration = cured_format_seconds (self->sweep_s), *shown = NULL;

  switch (self->basis)
    {
    case CURED_ESTIMATE_NONE: break;
    case CURED_ESTIMATE_BLOCKS:
      /* Translators: how long a sweep will take. */
      return g_strdup_printf (_ ("about %s, estimated from some of its blocks"), duration);
    case CURED_ESTIMATE_LAST:
      if (self->sweep_s < 1)
        /* Translators: how long a sweep will take. */
        return g_strdup (_ ("less than a second, based on the last sweep of this kernel"));
      /* Translators: how long a sweep will take. */
      return g_strdup_printf (_ ("about %s, based on the last sweep of this kernel"), duration);
    case CURED_ESTIMATE_FILE:
      shown = g_filename_display_basename (example);
      /* Translators: how long a sweep will take, and the file that says so. */
      return g_strdup_printf (_ ("about %s, estimated from %s"), duration, shown);
    case CURED_ESTIMATE_SIZES:
      /* Translators: how long a sweep will take. */
      return g_strdup_printf (_ ("roughly %s, estimated from its sizes"), duration);
    }
  /* Translators: of how long a sweep will take. */
  return g_strdup (_ ("no estimate yet"));
}

/* @basis: the source of an estimate
 * Returns: (transfer none): its identifier, for programs */
const char *
cured_estimate_basis_to_string (CuredEstimateBasis basis)
{
  static const char *const words[] = { "none", "blocks", "last", "file", "sizes" };

  return words[basis];
}

/* @plan: the plan, all or part of which was run
 * @info: the device
 * @progress: the run's progress at its end
 *
 * Keeps the mean time of the finished cells, without pauses and starts of workers, for the next
 * sweep of the kernel. */
void
cured_estimate_learn (CuredPlan *plan, const CuredDeviceInfo *info, const CuredProgress *progress)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = pace_path (), *folder = g_path_get_dirname (path);
  g_autofree char *group = pace_group (plan, info);
  double thread_s = 0;

  if (progress->n_done < 1 || progress->cells_ns < 1)
    return;
  double cell_s = (double) progress->cells_ns / 1e9 / (double) progress->n_done;
  double timing_s = (double) progress->stage_ns[CURED_STAGE_TIME] / 1e9 / (double) progress->n_done;
  double rest_s = MAX (cell_s - timing_s, 0);
  if (info->limits.emulated != 0)
    {
      double emulated_s = get_emulated_s (progress->stage_ns) / (double) progress->n_done;
      double n_threads = sum_cells (plan, &info->limits, get_threads, 1, INFINITY) /
                         (double) MAX (cured_plan_get_n_launchable (plan), 1);

      /* Neither some blocks nor a stopped run is representative. */
      if (options_of (plan)->blocks != NULL || !(n_threads > 0) ||
          progress->n_states[CURED_STATE_TIMED_OUT] > 0)
        return;
      rest_s = MAX (cell_s - emulated_s, 0);
      timing_s = 0;
      thread_s = MIN (emulated_s, cell_s) / n_threads;
    }
  g_key_file_load_from_file (file, path, G_KEY_FILE_KEEP_COMMENTS, NULL);
  g_key_file_set_string (file, group, "kernel",
                         cured_spec_get_kernel (cured_plan_get_spec (plan))->id);
  g_key_file_set_string (file, group, "device", info->name);
  g_key_file_set_double (file, group, "rest-s", rest_s);
  /* Keep cold and hot samples separate, since a later sweep may take others. */
  g_key_file_set_double (file, group, "timing-s", timing_s / count_modes (options_of (plan)));
  g_key_file_set_double (file, group, "thread-s", thread_s);
  if (g_mkdir_with_parents (folder, 0700) == 0)
    g_key_file_save_to_file (file, path, NULL);
}
