/* SPDX-License-Identifier: MIT
 * A program on the emulator, to inspect one of its launches. */
#include "inspect/cured-loaded-program-private.h"

#include "base/cured-base-internal.h"
#include "device/cured-compiler-internal.h"
#include "inspect/cured-inspection-internal.h"

/* Launches before the inspected one run completely, up to this many threads; more would take
 * minutes. */
#define MAX_EARLIER_THREADS (G_GUINT64_CONSTANT (1) << 22)

/* Limit of each of them, and of the block. It also ends a block that waits for another one, which
 * does not run. */
#define MAX_INSTRUCTIONS G_GUINT64_CONSTANT (400000000)
#define TIME_LIMIT_MS    20000

void
_cured_loaded_program_clear (CuredLoadedProgram *self)
{
  CURED_CLEAR (ptx, g_bytes_unref, cubin, g_bytes_unref, log, g_free, emulated.module,
               cured_ptx_module_free, emulated.memory, cured_memory_free);
  g_free ((gpointer) self->emulated.bindings);
  self->emulated.bindings = NULL;
}

/* @log: (out) (optional) (transfer full) (nullable): the compiler's remarks, if @is_live
 * @cancellable: (nullable): stops it, if @is_live
 * Returns: (transfer full): the compiled image */
GBytes *
_cured_loaded_program_compile (CuredCompiler *compiler, const CuredProgram *program,
                               const char *arch, gboolean is_live, char **log,
                               GCancellable *cancellable, GError **error)
{
  g_autofree char *file_name = cured_kernel_get_file_name (program->kernel);
  g_autoptr (CuredSources) sources = cured_sources_new (program->kernel, NULL, error);

  if (sources == NULL)
    return NULL;
  if (is_live)
    return cured_compiler_compile_live (compiler, sources, file_name,
                                        (const char *const *) program->defines, arch, log,
                                        cancellable, error);
  return cured_compiler_compile_sources (compiler, sources, file_name,
                                         (const char *const *) program->defines, arch, NULL, error);
}

/* Compiles a program to PTX and parses it, without buffers.
 *
 * @self: (out caller-allocates): clear it with _cured_loaded_program_clear(), whatever this returns
 * @program: a kernel at a point; outlives @self
 * @cancellable: (nullable): stops it, if @is_live
 * @compile_ns: (out) (optional): wall time of the compiler
 * Returns: %FALSE with %CURED_ERROR_COMPILE, or %CURED_ERROR_SYNTAX or %CURED_ERROR_INVALID where
 *   the emulator can't read the PTX */
gboolean
_cured_loaded_program_init (CuredLoadedProgram *self, CuredCompiler *compiler,
                            const CuredProgram *program, gboolean has_machine, gboolean is_live,
                            GCancellable *cancellable, gint64 *compile_ns, GError **error)
{
  g_autofree char *file_name = cured_kernel_get_file_name (program->kernel);
  g_autofree char *ptx_name = g_strconcat (file_name, ".ptx", NULL);
  gint64 start_us = g_get_monotonic_time ();

  *self = (CuredLoadedProgram){
    .emulated = {
      .program = program,
      .memory = cured_memory_new (G_MAXINT64),
      .emulation = {
        .watch = CURED_WATCH_COUNTS,
        .max_instructions = MAX_INSTRUCTIONS,
      },
      .is_lazy = TRUE,
    },
    .max_earlier_threads = MAX_EARLIER_THREADS,
    .time_limit_ms = TIME_LIMIT_MS,
  };
  /* Compile machine code first, since that also yields the PTX. */
  if (has_machine)
    self->cubin = _cured_loaded_program_compile (compiler, program, CURED_STAGE_MACHINE_ARCH,
                                                 is_live, NULL, cancellable, NULL);
  self->ptx = _cured_loaded_program_compile (compiler, program, CURED_STAGE_PTX_ARCH, is_live,
                                             &self->log, cancellable, error);
  if (compile_ns != NULL)
    *compile_ns = (g_get_monotonic_time () - start_us) * 1000;
  if (self->ptx == NULL)
    return FALSE;
  self->emulated.module = _cured_emulated_load (self->ptx, ptx_name, self->emulated.memory, error);
  return self->emulated.module != NULL;
}

/* Returns: number of blocks of its grid */
guint64
_cured_step_count_blocks (const CuredProgramStep *step)
{
  return (guint64) step->grid[0] * step->grid[1] * step->grid[2];
}

/* Returns: number of threads of a block */
guint64
_cured_step_count_threads (const CuredProgramStep *step)
{
  return (guint64) step->block[0] * step->block[1] * step->block[2];
}

/* Counts the threads of the launches before the inspected one. */
static double
count_earlier_threads (const CuredProgram *program, gsize last)
{
  double n_threads = 0.0;

  for (gsize i = 0; i < last; i++)
    if (program->steps[i].entry != NULL)
      n_threads += (double) _cured_step_count_blocks (&program->steps[i]) *
                   (double) _cured_step_count_threads (&program->steps[i]) *
                   (double) program->steps[i].repeat;
  return n_threads;
}

/* A note that an earlier launch ended early. */
static char *
describe_early_end (const CuredProgramStep *step, CuredEnd end)
{
  return g_strdup_printf (
      end == CURED_END_TIMED_OUT
          /* Translators: what a note on the launch that is shown says; the name is a function's. */
          ? _ ("The emulator's limit ended a launch before this one, of %s: this one finds its "
               "buffers as that one left them. Choose a smaller problem to run all of it.")
          /* Translators: what a note on the launch that is shown says; the name is a function's. */
          : _ ("A launch before this one, of %s, ended abnormally: this one finds its buffers as "
               "that one left them."),
      step->entry);
}

static gboolean
note_end_cb (const CuredProgramStep *step, const CuredReport *report, gpointer user_data,
             GError **error)
{
  char **note = user_data;

  if (report->end == CURED_END_DONE)
    return TRUE;
  *note = describe_early_end (step, report->end);
  return FALSE;
}

static void
set_limits (const CuredLoadedProgram *self, CuredEmulation *emulation)
{
  emulation->cpu_limit_ms = self->time_limit_ms;
  emulation->deadline_us =
      g_get_monotonic_time () + CURED_INSPECTION_PATIENCE * self->time_limit_ms * 1000;
}

/* Runs the steps before launch @last, if they are small. */
static gboolean
run_earlier (CuredLoadedProgram *self, gsize last, char **note, GCancellable *cancellable,
             GError **error)
{
  const CuredProgram *program = self->emulated.program;
  double n_threads = count_earlier_threads (program, last);
  CuredEmulated earlier = self->emulated;
  g_autoptr (GError) problem = NULL;

  if (n_threads > (double) self->max_earlier_threads)
    {
      /* Avoid findings about data that they would have written. */
      for (gsize i = 0; i < program->n_buffers; i++)
        cured_memory_define (self->emulated.memory, self->emulated.bindings[i],
                             program->buffers[i].size);
      *note = g_strdup_printf (
          /* Translators: what a note on the launch that is shown says. */
          _ ("The launches before this one have %.3g threads and were left out: this one finds its "
             "buffers as they are filled at first. Choose a smaller problem to run them."),
          n_threads);
      return TRUE;
    }
  earlier.emulation.watch &= CURED_WATCH_UNDEFINED;
  earlier.emulation.cancellable = cancellable;
  set_limits (self, &earlier.emulation);
  if (_cured_emulated_run (&earlier, last, note_end_cb, note, &problem) || problem == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

/* Runs one block of launch @last, after the earlier launches if these are small. One block needs
 * only a small part of the buffers, which are filled on access.
 *
 * @report: (out caller-allocates): the block's report
 * @note: (out) (transfer full) (nullable): why the buffers may differ from a whole run's
 * Returns: %FALSE with an error */
gboolean
_cured_loaded_program_run (CuredLoadedProgram *self, const CuredBankQuery *query, gsize last,
                           CuredTraceFunc trace, gpointer trace_data, CuredReport *report,
                           char **note, GCancellable *cancellable, GError **error)
{
  const CuredProgram *program = self->emulated.program;
  CuredDevicePtr *bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);
  g_autofree char *block = g_strdup_printf ("%" PRIu64, query->block);

  self->emulated.bindings = bindings;
  if (!_cured_emulated_allocate (program, self->emulated.module, self->emulated.memory, query->seed,
                                 self->emulated.emulation.watch, TRUE, bindings, error) ||
      !run_earlier (self, last, note, cancellable, error))
    return FALSE;
  CuredEmulated emulated = self->emulated;
  emulated.emulation.blocks = block;
  emulated.emulation.bank_arch = query->arch;
  emulated.emulation.trace = trace;
  emulated.emulation.trace_data = trace_data;
  emulated.emulation.cancellable = cancellable;
  set_limits (self, &emulated.emulation);
  return _cured_emulated_launch (&emulated, &program->steps[last], 0, report, error);
}

static gboolean
choose_step (const CuredLoadedProgram *self, gsize wanted, gsize *chosen, GError **error)
{
  const CuredProgram *program = self->emulated.program;
  gsize first = program->n_steps;

  if (wanted != CURED_BANK_FIRST_STEP &&
      (wanted >= program->n_steps || program->steps[wanted].entry == NULL))
    return cured_fail (error, CURED_ERROR_NOT_FOUND,
                       wanted >= program->n_steps
                           ? _ ("Launch %zu: the kernel file has launches 1 to %zu")
                           : _ ("Launch %zu of 1 to %zu sets a buffer and runs no kernel"),
                       wanted + 1, program->n_steps);
  *chosen = wanted;
  for (gsize i = program->n_steps; i-- > 0 && wanted == CURED_BANK_FIRST_STEP;)
    {
      const CuredProgramStep *step = &program->steps[i];
      CuredPtxEntry entry = { 0 };

      /* Preparing launches are inspected only on request. */
      if (step->entry == NULL || step->setup != CURED_SETUP_NO)
        continue;
      if (cured_ptx_module_find_entry (self->emulated.module, step->entry, &entry) &&
          (entry.shared_bytes > 0 || step->shared_bytes > 0))
        *chosen = i;
      first = i;
    }
  if (*chosen == CURED_BANK_FIRST_STEP)
    *chosen = first;
  if (*chosen < program->n_steps)
    return TRUE;
  return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("The kernel file launches no kernel"));
}

static gboolean
check_query (const CuredBankQuery *query, const CuredProgramStep *step, GError **error)
{
  guint64 n_blocks = _cured_step_count_blocks (step);
  guint64 n_warps = (_cured_step_count_threads (step) + 31) / 32;

  if (query->block >= n_blocks)
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("There is no block %" PRIu64 ": the grid of %s has blocks 0 to %" PRIu64),
                 query->block, step->entry, n_blocks - 1);
  else if (query->warp >= n_warps)
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("There is no warp %u: a block of %s has warps 0 to %" PRIu64), query->warp,
                 step->entry, n_warps - 1);
  else
    return TRUE;
  return FALSE;
}

/* @chosen: (out): index of the inspected launch: the requested one, or the first
 *   with shared memory, or the first at all
 * @entry: (out): its kernel
 * Returns: %FALSE with %CURED_ERROR_NOT_FOUND: no such launch, block or warp */
gboolean
_cured_loaded_program_choose (const CuredLoadedProgram *self, const CuredBankQuery *query,
                              gsize *chosen, CuredPtxEntry *entry, GError **error)
{
  if (!choose_step (self, query->step, chosen, error))
    return FALSE;
  const CuredProgramStep *step = &self->emulated.program->steps[*chosen];
  return check_query (query, step, error) &&
         _cured_emulated_find_entry (self->emulated.module, step->entry, entry, error);
}
