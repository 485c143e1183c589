/* SPDX-License-Identifier: MIT
 * Counts what a program asks of a chip, from a few blocks of each launch. */
#include "config.h"

#include "inspect/cured-workload-count.h"

#include <inttypes.h>
#include <math.h>

#include "base/cured-occupancy.h"
#include "inspect/cured-machine-work-private.h"
#include "inspect/cured-stage-private.h"
#include "ptx/emulator/cured-work-count-internal.h"

/* Of a step that is launched more often, so many turns are counted, spread over
 * all of them. */
#define MAX_TURNS 8

#define DEFAULT_BLOCKS        6
#define DEFAULT_TIME_LIMIT_MS 20000

/* A launch whose blocks all have to run may take so many warp instructions. */
#define MAX_INSTRUCTIONS G_GUINT64_CONSTANT (1000000000)

/**
 * cured_work_query_init:
 * @self: (out caller-allocates): uninitialized memory
 *
 * Sets the defaults.
 */
void
cured_work_query_init (CuredWorkQuery *self)
{
  *self = (CuredWorkQuery){
    .seed = 1,
    .blocks = DEFAULT_BLOCKS,
    .time_limit_ms = DEFAULT_TIME_LIMIT_MS,
  };
}

typedef struct
{
  const CuredWorkQuery *query;
  CuredEmulated emulated;
  GBytes *cubin;            /* nullable */
  CuredMachineWork machine; /* of the step */
  CuredWorkload *work;
} Count;

/* Runs blocks @text of a launch, each of which stands for @scale of them; NULL
 * is all of them. */
static gboolean
run_blocks (Count *self,
            const CuredProgramStep *step,
            gint64 turn,
            const char *text,
            double scale,
            gboolean is_repeated,
            GError **error)
{
  CuredEmulated emulated = self->emulated;
  g_auto (CuredReport) report = { 0 };

  emulated.emulation.blocks = text;
  if (!_cured_emulated_launch (&emulated, step, turn, &report, error))
    return FALSE;
  /* Nobody knows what the others would have done. */
  if (report.end != CURED_END_DONE)
    scale = 1;
  _cured_emulated_add_work (
      &emulated, step, &report, scale, is_repeated, self->work);
  _cured_machine_work_add (
      &self->machine, &report, _cured_step_count_threads (step), scale);
  return TRUE;
}

/* One block of each of @n equal stretches between the first and the last. */
static char *
choose_inner (guint64 n_blocks, guint n, guint64 seed)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GRand) random =
      g_rand_new_with_seed ((guint32) (seed ^ seed >> 32));

  for (guint i = 0; i < n; i++)
    {
      guint64 begin = 1 + (n_blocks - 2) * i / n;
      guint64 end = 1 + (n_blocks - 2) * (i + 1) / n;
      double at = g_rand_double (random) * (double) (end - begin);

      g_string_append_printf (
          text, "%s%" PRIu64, i > 0 ? "," : "", begin + (guint64) at);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
run_launch (Count *self,
            const CuredProgramStep *step,
            gint64 turn,
            gboolean is_repeated,
            GError **error)
{
  guint64 n_blocks = _cured_step_count_blocks (step);
  guint n = self->query->blocks;
  gboolean takes_tickets =
      _cured_ptx_takes_tickets (self->emulated.module, step->entry);
  g_autofree char *ends = NULL;
  g_autofree char *inner = NULL;
  CuredWorkLaunch *launch;
  guint64 n_run = n_blocks;

  if (n == 0 || takes_tickets || n_blocks <= (guint64) n + 2)
    {
      if (!run_blocks (self, step, turn, NULL, 1, is_repeated, error))
        return FALSE;
    }
  else
    {
      ends = g_strdup_printf ("0,%" PRIu64, n_blocks - 1);
      inner = choose_inner (n_blocks, n, self->query->seed);
      n_run = (guint64) n + 2;
      if (!run_blocks (self, step, turn, ends, 1, is_repeated, error) ||
          !run_blocks (self,
                       step,
                       turn,
                       inner,
                       (double) (n_blocks - 2) / n,
                       FALSE,
                       error))
        return FALSE;
    }
  launch =
      g_ptr_array_index (self->work->launches, self->work->launches->len - 1);
  if (launch->end == NULL)
    launch->n_run = n_run;
  launch->takes_tickets = takes_tickets;
  return TRUE;
}

/* The turns that were left out did as those that ran. */
static void
scale_turns (CuredWorkLaunch *launch, guint64 repeats)
{
  double more = (double) repeats / (double) launch->repeats - 1;

  if (!(more > 0))
    return;
  launch->repeats = repeats;
  cured_work_add (&launch->total, &launch->total, more);
  for (guint i = 0; i < launch->sites->len; i++)
    {
      CuredWorkSite *site = g_ptr_array_index (launch->sites, i);

      cured_work_add (&site->work, &site->work, more);
    }
  for (guint i = 0; i < launch->buffers->len; i++)
    {
      CuredWorkBuffer *buffer = g_ptr_array_index (launch->buffers, i);

      buffer->read *= 1 + more;
      buffer->written *= 1 + more;
      buffer->once *= 1 + more;
    }
}

static void
set_occupancy (const Count *self, const CuredLimits *limits)
{
  g_autofree char *arch = g_strdup_printf (
      "sm_%" PRId64 "%" PRId64, limits->compute_major, limits->compute_minor);
  const CuredProfile *profile = cured_profile_find (arch);

  for (guint i = 0; i < self->work->launches->len; i++)
    {
      CuredWorkLaunch *launch = g_ptr_array_index (self->work->launches, i);
      CuredOccupancy occupancy;

      launch->registers = self->query->registers;
      if (profile == NULL)
        continue;
      cured_occupancy_init (&occupancy,
                            profile,
                            (gint64) cured_work_launch_count_threads (launch),
                            launch->registers,
                            launch->shared_bytes);
      launch->blocks_per_sm = occupancy.blocks;
    }
}

static gboolean
run_step (Count *self, const CuredProgramStep *step, GError **error)
{
  gint64 n_turns = MIN (step->repeat, MAX_TURNS);
  CuredWorkLaunch *launch;
  gboolean is_done = TRUE;

  if (step->host_from >= 0)
    self->work->n_host_steps++;
  else if (step->entry == NULL)
    self->work->n_sets++;
  if (step->host_from >= 0 || step->entry == NULL)
    return _cured_emulated_run_aside (&self->emulated, step, error);
  _cured_machine_work_init (
      &self->machine, self->emulated.module, self->cubin, step->entry);
  for (gint64 i = 0; is_done && i < n_turns; i++)
    is_done = run_launch (self, step, i * step->repeat / n_turns, i > 0, error);
  if (is_done && n_turns > 0)
    {
      launch = g_ptr_array_index (self->work->launches,
                                  self->work->launches->len - 1);
      _cured_machine_work_apply (&self->machine, launch);
      scale_turns (launch, (guint64) step->repeat);
    }
  _cured_machine_work_clear (&self->machine);
  return is_done;
}

/* Whether the chip runs %CURED_STAGE_MACHINE_ARCH. */
static gboolean
is_machine_of (const CuredLimits *limits)
{
  return limits->compute_major == 9 && limits->compute_minor == 0;
}

/**
 * cured_workload_count:
 * @compiler: NVRTC
 * @kernel: what to count
 * @values: one per parameter
 * @limits: of the device that it is counted for
 * @query: how
 * @cancellable: (nullable): ends it
 * @error: return location
 *
 * Compiles a kernel and counts what its launches ask of a chip, on the
 * emulator. The first and the last block of each launch run, and one out of
 * each of @query's stretches between them, which stand for that stretch; where
 * blocks depend on each other, all run. Buffers are filled where they are
 * touched. Launches are counted in their order, and what blocks that did not
 * run would have written is not there for the next one: a kernel whose work
 * depends on such values is counted wrong. Blocks; any thread.
 *
 * Returns: (transfer full): the launches; a launch that was cut short says so.
 *   %NULL with %CURED_ERROR_NOT_LAUNCHABLE, %CURED_ERROR_COMPILE,
 *   %CURED_ERROR_SYNTAX or %CURED_ERROR_INVALID where the emulator can't read
 *   the PTX, or %G_IO_ERROR_CANCELLED
 */
CuredWorkload *
cured_workload_count (CuredCompiler *compiler,
                      CuredKernel *kernel,
                      const gint64 *values,
                      const CuredLimits *limits,
                      const CuredWorkQuery *query,
                      GCancellable *cancellable,
                      GError **error)
{
  g_autoptr (CuredProgram) program =
      cured_program_new (kernel, values, limits, error);
  g_auto (CuredStaged) stage = { 0 };
  g_autoptr (CuredWorkload) work = cured_workload_new ();
  g_autoptr (GBytes) cubin = NULL;
  Count self = { .query = query, .work = work };
  CuredDevicePtr *bindings;

  if (program == NULL ||
      !_cured_stage_init (
          &stage, compiler, program, FALSE, cancellable, NULL, error))
    return NULL;
  bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);
  stage.emulated.bindings = bindings;
  stage.emulated.limits = limits;
  if (!_cured_emulated_allocate (program,
                                 stage.emulated.memory,
                                 query->seed,
                                 stage.emulated.emulation.watch,
                                 bindings,
                                 error))
    return NULL;
  if (is_machine_of (limits))
    cubin = _cured_stage_compile (compiler,
                                  program,
                                  CURED_STAGE_MACHINE_ARCH,
                                  FALSE,
                                  NULL,
                                  cancellable,
                                  NULL);
  self.cubin = cubin;
  self.emulated = stage.emulated;
  self.emulated.emulation.watch |= CURED_WATCH_REUSE;
  self.emulated.emulation.seed = query->seed;
  self.emulated.emulation.cancellable = cancellable;
  self.emulated.emulation.max_instructions = MAX_INSTRUCTIONS;
  self.emulated.emulation.deadline_us =
      g_get_monotonic_time () + query->time_limit_ms * 1000;
  for (gsize i = 0; i < program->n_steps; i++)
    if (!run_step (&self, &program->steps[i], error))
      return NULL;
  set_occupancy (&self, limits);
  return g_steal_pointer (&work);
}
