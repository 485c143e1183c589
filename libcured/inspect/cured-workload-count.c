/* SPDX-License-Identifier: MIT
 * Counts a program's work from a few blocks of each launch. */
#include "inspect/cured-workload-count.h"

#include "base/cured-base-internal.h"
#include "device/cured-launch-traffic-internal.h"
#include "inspect/cured-inspection-internal.h"
#include "inspect/cured-machine-work-private.h"
#include "inspect/cured-loaded-program-private.h"
#include "ptx/emulator/cured-slice-internal.h"
#include "ptx/emulator/cured-work-count-internal.h"

/* Limit of counted repetitions of a step, spread over all. */
#define MAX_TURNS 8

#define DEFAULT_BLOCKS        6
#define DEFAULT_TIME_LIMIT_MS 20000

/* Limit of warp instructions of a launch's blocks that run together. */
#define MAX_INSTRUCTIONS G_GUINT64_CONSTANT (200000000)

/* If all blocks of a launch must run, and exceed the limit: number of finished blocks that may
 * represent all. */
#define ENOUGH_BLOCKS 64

/* @self: (out caller-allocates): uninitialized memory
 *
 * Sets the defaults. */
void
cured_work_query_init (CuredWorkQuery *self)
{
  *self = (CuredWorkQuery){
    .seed = 1,
    .blocks = DEFAULT_BLOCKS,
    .time_limit_ms = DEFAULT_TIME_LIMIT_MS,
    .max_instructions = MAX_INSTRUCTIONS,
  };
}

static gint64
get_deadline (const CuredWorkQuery *query)
{
  return g_get_monotonic_time () + CURED_INSPECTION_PATIENCE * query->time_limit_ms * 1000;
}

typedef struct
{
  const CuredWorkQuery *query;
  CuredEmulated emulated;
  GBytes *cubin;            /* nullable */
  CuredMachineWork machine; /* machine work of the step */
  CuredWorkload *work;
} Count;

/* Runs the blocks @text of a launch, which represent @n_blocks; 0: only themselves. NULL: all of
 * them, or as many as the limit allows. @n_run: number of blocks that ran; always whole
 * clusters. */
static gboolean
run_blocks (Count *self, const CuredProgramStep *step, gint64 turn, const char *text,
            guint64 n_blocks, gboolean is_repeated, guint64 *n_run, GError **error)
{
  CuredEmulated emulated = self->emulated;
  g_auto (CuredReport) report = { 0 };
  double scale = 1;

  emulated.emulation.blocks = text;
  if (!_cured_emulated_launch (&emulated, step, turn, &report, error))
    return FALSE;
  /* The work of the other blocks is unknown, unless many similar ones have run. */
  if (report.end == CURED_END_TIMED_OUT && report.n_blocks_run >= ENOUGH_BLOCKS)
    report.end = CURED_END_DONE;
  /* A part of a block represents nothing. The warps' positions do not matter. */
  if (report.end == CURED_END_TIMED_OUT)
    return cured_fail (error, CURED_ERROR_TIMED_OUT, "%.*s", (int) strcspn (report.end_text, "\n"),
                       report.end_text);
  *n_run = report.n_blocks_run;
  if (report.end == CURED_END_DONE && n_blocks > 0 && *n_run > 0)
    scale = (double) n_blocks / (double) *n_run;
  _cured_emulated_add_work (&emulated, step, &report, scale, is_repeated, self->work);
  _cured_machine_work_add (&self->machine, &report, _cured_step_count_threads (step), scale);
  return TRUE;
}

/* Chooses one block from each of @n equal stretches between the first and the last. */
static char *
choose_inner (guint64 n_blocks, guint n, guint64 seed)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) (seed ^ seed >> 32));

  for (guint i = 0; i < n; i++)
    {
      guint64 begin = 1 + (n_blocks - 2) * i / n, end = 1 + (n_blocks - 2) * (i + 1) / n;
      double at = g_rand_double (random) * (double) (end - begin);

      g_string_append_printf (text, "%s%" PRIu64, i > 0 ? "," : "", begin + (guint64) at);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
run_launch (Count *self, const CuredProgramStep *step, gint64 turn, gboolean is_repeated,
            GError **error)
{
  guint64 n_blocks = _cured_step_count_blocks (step);
  guint n = self->query->blocks;
  gboolean takes_tickets = _cured_ptx_takes_tickets (self->emulated.module, step->entry);
  g_autofree char *ends = NULL, *inner = NULL;
  guint64 n_run = 0, n_inner = 0;

  if (n == 0 || takes_tickets || n_blocks <= (guint64) n + 2)
    {
      g_autoptr (GError) problem = NULL;

      if (run_blocks (self, step, turn, NULL, n_blocks, is_repeated, &n_run, &problem))
        n = 0;
      /* The limit was exceeded. If a few blocks finish by themselves, they do not take tickets:
       * otherwise they would have taken all the work. */
      else if (n == 0 || n_blocks <= (guint64) n + 2 ||
               !g_error_matches (problem, CURED_ERROR, CURED_ERROR_TIMED_OUT))
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
    }
  if (n > 0)
    {
      ends = g_strdup_printf ("0,%" PRIu64, n_blocks - 1);
      inner = choose_inner (n_blocks, n, self->query->seed);
      if (!run_blocks (self, step, turn, ends, 0, is_repeated, &n_run, error) ||
          !run_blocks (self, step, turn, inner, n_blocks - MIN (n_run, n_blocks), FALSE, &n_inner,
                       error))
        return FALSE;
    }
  CuredWorkLaunch *launch = g_ptr_array_index (self->work->launches, self->work->launches->len - 1);
  if (launch->end == NULL)
    launch->n_run = MIN (n_run + n_inner, n_blocks);
  launch->takes_tickets = takes_tickets;
  return TRUE;
}

/* Repetitions that were left out count like those that ran. */
static void
scale_turns (CuredWorkLaunch *launch, guint64 repeats)
{
  double more = (double) repeats / (double) launch->repeats - 1;

  if (!(more > 0))
    return;
  launch->repeats = repeats;
  cured_work_add (&launch->total, &launch->total, more);
  CURED_EACH_POINTER (CuredWorkSite, site, launch->sites)
    cured_work_add (&site->work, &site->work, more);
  for (guint i = 0; launch->steps != NULL && i < launch->steps->len; i++)
    g_array_index (launch->steps, CuredMachineStep, i).executed *= 1 + more;
  CURED_EACH_POINTER (CuredWorkBuffer, buffer, launch->buffers)
    {
      buffer->read *= 1 + more;
      buffer->written *= 1 + more;
      buffer->once *= 1 + more;
    }
}

static void
set_occupancy (const Count *self, const CuredLimits *limits)
{
  g_autofree char *arch =
      g_strdup_printf ("sm_%" PRId64 "%" PRId64, limits->compute_major, limits->compute_minor);
  const CuredProfile *profile = cured_profile_find (arch);

  CURED_EACH_POINTER (CuredWorkLaunch, launch, self->work->launches)
    {
      CuredOccupancy occupancy;

      launch->registers = self->query->registers;
      if (profile == NULL)
        continue;
      cured_occupancy_init (&occupancy, profile, (gint64) cured_work_launch_count_threads (launch),
                            launch->registers, launch->shared_bytes);
      launch->blocks_per_sm = occupancy.blocks;
    }
}

static gboolean
run_step (Count *self, const CuredProgramStep *step, GError **error)
{
  gint64 n_turns = MIN (step->repeat, MAX_TURNS);
  CuredWorkLaunch *launch;
  gboolean is_done = TRUE;

  /* Untimed launches do not count. */
  if (step->setup != CURED_SETUP_NO)
    return _cured_emulated_prepare (&self->emulated, step, error);
  if (step->host != CURED_HOST_NONE)
    self->work->n_host_steps += (guint) step->repeat;
  else if (step->entry == NULL)
    self->work->n_sets++;
  if (step->entry == NULL)
    return _cured_emulated_run_aside (&self->emulated, step, error);
  _cured_machine_work_init (&self->machine, self->emulated.module, self->cubin, step->entry);
  for (gint64 i = 0; is_done && i < n_turns; i++)
    is_done = run_launch (self, step, i * step->repeat / n_turns, i > 0, error);
  if (is_done && n_turns > 0)
    {
      launch = g_ptr_array_index (self->work->launches, self->work->launches->len - 1);
      _cured_machine_work_apply (&self->machine, launch);
      scale_turns (launch, (guint64) step->repeat);
    }
  _cured_machine_work_clear (&self->machine);
  return is_done;
}

/* ---- Data shared by blocks ---- */

/* Only launches that load data repeatedly which do not fit into the L2 cache are examined. */
#define LEAST_AGAIN 1.05
#define LEAST_SET   0.5

#define SECTOR_BYTES 32.0

/* Limits of warp instructions to run in the blocks that are resident together: equally many of each
 * warp, starting with the first, and more until all buffers were loaded from. */
#define FIRST_INSTRUCTIONS 300000
#define MOST_INSTRUCTIONS  6000000
#define MORE               4
#define SHARED_TURN        16

static double
get_working_set (const CuredWorkload *work)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  double bytes = 0;

  CURED_EACH_POINTER (const CuredWorkLaunch, launch, work->launches)
    {
      CURED_EACH_POINTER (CuredWorkBuffer, buffer, launch->buffers)
        if (g_hash_table_add (names, buffer->name))
          bytes += buffer->bytes;
    }
  return bytes;
}

static gboolean
loads_again (const CuredWorkLaunch *launch)
{
  CURED_EACH_POINTER (const CuredWorkBuffer, buffer, launch->buffers)
    if (buffer->once * SECTOR_BYTES > buffer->bytes * (double) launch->repeats * LEAST_AGAIN)
      return TRUE;
  return FALSE;
}

/* Whether it is known for all buffers from which the launch loads. */
static gboolean
knows_shares (const CuredWorkLaunch *launch)
{
  CURED_EACH_POINTER (const CuredWorkBuffer, buffer, launch->buffers)
    if (buffer->once > 0 && isnan (buffer->fresh))
      return FALSE;
  return TRUE;
}

/* Runs the first @n_instructions warp instructions of the blocks that begin together, an equal
 * share for each block, and counts sectors that several blocks load. */
static gboolean
run_wave (const Count *self, const CuredProgramStep *step, const CuredLimits *limits,
          guint64 n_instructions, CuredWorkLaunch *launch, GError **error)
{
  guint64 resident = (guint64) MAX (launch->blocks_per_sm, 1);
  guint64 n_blocks = MIN (launch->n_blocks, resident * (guint64) MAX (limits->sms, 1));
  CuredEmulated emulated = self->emulated;
  g_autofree guint64 *blocks = g_new (guint64, n_blocks);
  g_auto (CuredReport) report = { 0 };

  for (guint64 i = 0; i < n_blocks; i++)
    blocks[i] = i;
  emulated.emulation.block_list = blocks;
  emulated.emulation.n_block_list = n_blocks;
  emulated.emulation.resident_blocks = (guint) resident;
  emulated.emulation.turn = SHARED_TURN;
  emulated.emulation.first_instructions = (n_instructions - 1) / n_blocks + 1;
  emulated.emulation.max_instructions = 0;
  if (!_cured_emulated_launch (&emulated, step, 0, &report, error))
    return FALSE;
  /* Sharing in a part of the wave is not representative. */
  if (report.end == CURED_END_TIMED_OUT)
    return TRUE;
  for (guint i = 0; i < report.n_regions; i++)
    for (guint b = 0; b < launch->buffers->len; b++)
      {
        const CuredRegionCounts *region = &report.regions[i];
        CuredWorkBuffer *buffer = g_ptr_array_index (launch->buffers, b);

        if (region->by_block == 0 || g_strcmp0 (region->name, buffer->name) != 0)
          continue;
        buffer->fresh = (double) region->by_all / (double) region->by_block;
        buffer->joined = 1 - (double) region->by_pair / (double) region->by_block;
      }
  return TRUE;
}

/* For launches that load data repeatedly which do not stay in the L2 cache, determines the shared
 * part. If blocks take tickets, none are left by now. */
static gboolean
look_at_waves (const Count *self, const CuredLimits *limits, GError **error)
{
  g_autofree char *arch =
      g_strdup_printf ("sm_%" PRId64 "%" PRId64, limits->compute_major, limits->compute_minor);
  const CuredProfile *profile = cured_profile_find (arch);
  double set = get_working_set (self->work), l2_bytes = (double) limits->l2_bytes;

  /* A model device has no L2 size of its own. */
  if (l2_bytes <= 0 && profile != NULL)
    l2_bytes = (double) profile->l2_bytes;
  CURED_EACH_POINTER (CuredWorkLaunch, launch, self->work->launches)
    {
      const CuredProgramStep *step = &self->emulated.program->steps[launch->step];

      if (launch->end == NULL && !launch->takes_tickets && !step->is_cooperative &&
          launch->n_blocks > 1 && set > l2_bytes * LEAST_SET && loads_again (launch))
        for (guint64 n = FIRST_INSTRUCTIONS; n < MOST_INSTRUCTIONS && !knows_shares (launch);
             n *= MORE)
          if (!run_wave (self, step, limits, n, launch, error))
            return FALSE;
    }
  return TRUE;
}

/* ---- Caches ---- */

/* Time of the cache model on one core, per access of a warp and per other warp
 * instruction. */
#define REQUEST_NS     500
#define INSTRUCTION_NS 12

/* Least number of waves that run of a launch that is too large: the first, the last and one between
 * them, two of which follow half a wave. */
#define LEAST_WAVES 4

/* Share of the time limit for the waves between the first and the last, of which a few are
 * enough. */
#define WAVES_PART 0.125

/* Repetitions of a step that the cache model runs. */
#define TRAFFIC_TURNS 4

/* If blocks depend on each other, or their addresses on contents of memory, the cache model runs
 * all of them. */
static double
guess_launch_ns (const CuredWorkLaunch *launch, const CuredLimits *limits, gboolean is_whole)
{
  double repeats = (double) launch->repeats, blocks = (double) launch->n_blocks;
  double wave = (double) MAX (launch->blocks_per_sm, 1) * (double) MAX (limits->sms, 1);
  double part = is_whole ? 1 : MIN (LEAST_WAVES * wave / blocks, 1);
  double turns = is_whole ? repeats : MIN (repeats, TRAFFIC_TURNS);

  return (launch->total.requests * REQUEST_NS + launch->total.issued * INSTRUCTION_NS) / repeats *
         turns * part;
}

/* Runs the cache model on the launches' accesses, if it can and does not take too long; otherwise
 * the traffic stays unknown. */
static gboolean
model_caches (const Count *self, const CuredProgram *program, GBytes *ptx,
              const CuredLimits *limits, const char *file_name, GCancellable *cancellable,
              GError **error)
{
  const CuredWorkQuery *query = self->query;
  g_autofree char *arch =
      g_strdup_printf ("sm_%" PRId64 "%" PRId64, limits->compute_major, limits->compute_minor);
  const CuredProfile *profile = cured_profile_find (arch);
  g_autoptr (CuredSlice) slice = _cured_slice_new (self->emulated.module);
  g_autoptr (GError) problem = NULL;
  guint n = self->work->launches->len;
  double ns = 0;

  for (guint i = 0; i < n; i++)
    {
      const CuredWorkLaunch *launch = g_ptr_array_index (self->work->launches, i);

      ns += guess_launch_ns (launch, limits, launch->takes_tickets || slice->is_data_needed);
      if (launch->end != NULL)
        return TRUE;
    }
  if (profile == NULL || profile->l1_bytes == 0 || n == 0)
    return TRUE;
  if (_cured_traffic_foresee (profile, self->work) || ns > (double) query->traffic_ms * 1e6)
    return TRUE;
  g_autoptr (GPtrArray) launches = _cured_traffic_count (
      &(CuredTrafficQuery){
          .program = program,
          .ptx = ptx,
          .binary = self->cubin,
          .file_name = file_name,
          .profile = profile,
          .limits = limits,
          .seed = query->seed,
          .is_flushing = query->is_flushing,
          .max_requests =
              (double) query->traffic_ms * 1e6 / REQUEST_NS / TRAFFIC_TURNS * WAVES_PART,
          .deadline_us = get_deadline (query),
          .cpu_limit_ms = query->time_limit_ms,
      },
      cancellable, &problem);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (launches != NULL)
    _cured_traffic_apply (launches, self->work);
  return TRUE;
}

/* Whether the chip runs %CURED_STAGE_MACHINE_ARCH. */
static gboolean
is_machine_of (const CuredLimits *limits)
{
  return limits->compute_major == 9 && limits->compute_minor == 0;
}

/* @kernel: what to count
 * @values: one per parameter
 * @limits: limits of the device to count for
 * @query: how to count
 *
 * Compiles a kernel and counts its launches' work on the emulator. The first and the last
 * block of each launch run, and one from each of @query's stretches between them, which
 * represents that stretch; if blocks depend on each other, all run. Buffers are filled on
 * access. Launches are counted in order, without the data that blocks which did not run would
 * have written: a kernel whose work depends on such data is counted wrong. Blocks; any
 * thread.
 *
 * With @query's traffic_ms, the cache model predicts the traffic in a separate run
 * (docs/caches.md).
 * Returns: (transfer full): the launches; a launch that was cut short says so. %NULL with
 *   %CURED_ERROR_NOT_LAUNCHABLE, %CURED_ERROR_COMPILE, %CURED_ERROR_SYNTAX or %CURED_ERROR_INVALID
 *   if the emulator can't read the PTX, or %G_IO_ERROR_CANCELLED */
CuredWorkload *
cured_workload_count (CuredCompiler *compiler, CuredKernel *kernel, const gint64 *values,
                      const CuredLimits *limits, const CuredWorkQuery *query,
                      GCancellable *cancellable, GError **error)
{
  g_autoptr (CuredProgram) program = cured_program_new (kernel, values, limits, error);
  g_auto (CuredLoadedProgram) stage = { 0 };
  g_autoptr (CuredWorkload) work = cured_workload_new ();
  Count self = { .query = query, .work = work };

  if (program == NULL ||
      !_cured_loaded_program_init (&stage, compiler, program, is_machine_of (limits), FALSE,
                                   cancellable, NULL, error))
    return NULL;
  CuredDevicePtr *bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);
  stage.emulated.bindings = bindings;
  stage.emulated.limits = limits;
  if (!_cured_emulated_allocate (program, stage.emulated.module, stage.emulated.memory, query->seed,
                                 stage.emulated.emulation.watch,
                                 _cured_slice_needs_data (stage.emulated.module), bindings, error))
    return NULL;
  self.cubin = stage.cubin;
  self.emulated = stage.emulated;
  self.emulated.emulation.watch |= CURED_WATCH_REUSE;
  self.emulated.emulation.is_counting = TRUE;
  self.emulated.emulation.seed = query->seed;
  self.emulated.emulation.cancellable = cancellable;
  self.emulated.emulation.max_instructions = query->max_instructions;
  self.emulated.emulation.deadline_us = get_deadline (query);
  self.emulated.emulation.cpu_limit_ms = query->time_limit_ms;
  for (gsize i = 0; i < program->n_steps; i++)
    if (!run_step (&self, &program->steps[i], error))
      return NULL;
  set_occupancy (&self, limits);
  if (!look_at_waves (&self, limits, error))
    return NULL;
  g_autofree char *file_name = cured_kernel_get_file_name (kernel);
  if (query->traffic_ms > 0 &&
      !model_caches (&self, program, stage.ptx, limits, file_name, cancellable, error))
    return NULL;
  return g_steal_pointer (&work);
}
