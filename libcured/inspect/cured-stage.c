/* SPDX-License-Identifier: MIT
 * A program on the emulator, ready for one launch of it to be looked at. */
#include "config.h"

#include "inspect/cured-stage-private.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"
#include "device/cured-argument-internal.h"
#include "kernel/cured-fill.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/parse/cured-ptx-parse.h"

/* Launches before the one that is looked at run whole, up to this many threads;
 * more would take minutes. */
#define MAX_EARLIER_THREADS (G_GUINT64_CONSTANT (1) << 22)

/* The most that all of them, and then the block, may take. A block that waits
 * for another one, which does not run, ends here too. */
#define MAX_INSTRUCTIONS G_GUINT64_CONSTANT (400000000)
#define TIME_LIMIT_MS    20000

/**
 * _cured_kernel_get_file_name:
 * @kernel: a kernel
 *
 * Returns: (transfer full): what the compiler is told that the source is called
 */
char *
_cured_kernel_get_file_name (CuredKernel *kernel)
{
  const char *path = kernel->path;

  if (path != NULL)
    return g_path_get_basename (path);
  return g_strconcat (kernel->id, ".cu", NULL);
}

/**
 * _cured_stage_clear:
 * @self: a stage, perhaps of zeros alone
 */
void
_cured_stage_clear (CuredStaged *self)
{
  g_clear_pointer (&self->ptx, g_bytes_unref);
  g_clear_pointer (&self->log, g_free);
  g_clear_pointer (&self->module, cured_ptx_module_free);
  g_clear_pointer (&self->memory, cured_memory_free);
  g_clear_pointer (&self->bindings, g_free);
}

/**
 * _cured_stage_compile:
 * @compiler: NVRTC
 * @program: a kernel at a point
 * @arch: as of cured_compiler_compile()
 * @is_live: the source is being edited: see cured_compiler_compile_live()
 * @log: (out) (optional) (transfer full) (nullable): the compiler's remarks,
 *   where @is_live
 * @cancellable: (nullable): ends it, where @is_live
 * @error: return location
 *
 * Returns: (transfer full): what the program's source compiles to
 */
GBytes *
_cured_stage_compile (CuredCompiler *compiler,
                      const CuredProgram *program,
                      const char *arch,
                      gboolean is_live,
                      char **log,
                      GCancellable *cancellable,
                      GError **error)
{
  g_autofree char *file_name = _cured_kernel_get_file_name (program->kernel);
  g_autoptr (CuredSources) sources =
      cured_sources_new (program->kernel, NULL, error);

  if (sources == NULL)
    return NULL;
  if (is_live)
    return cured_compiler_compile_live (compiler,
                                        sources,
                                        file_name,
                                        (const char *const *) program->defines,
                                        arch,
                                        log,
                                        cancellable,
                                        error);
  return cured_compiler_compile_sources (compiler,
                                         sources,
                                         file_name,
                                         (const char *const *) program->defines,
                                         arch,
                                         NULL,
                                         error);
}

/**
 * _cured_stage_init:
 * @self: (out caller-allocates): clear it with _cured_stage_clear(), whatever
 *   this returns
 * @compiler: NVRTC
 * @program: a kernel at a point; has to outlive @self
 * @is_live: the source is being edited
 * @cancellable: (nullable): ends it, where @is_live
 * @compile_ns: (out) (optional): wall time of the compiler
 * @error: return location
 *
 * Compiles a program to PTX and parses that. Buffers are not there yet.
 *
 * Returns: %FALSE with %CURED_ERROR_COMPILE, or %CURED_ERROR_SYNTAX or
 *   %CURED_ERROR_INVALID where the emulator can't read the PTX
 */
gboolean
_cured_stage_init (CuredStaged *self,
                   CuredCompiler *compiler,
                   const CuredProgram *program,
                   gboolean is_live,
                   GCancellable *cancellable,
                   gint64 *compile_ns,
                   GError **error)
{
  g_autofree char *file_name = _cured_kernel_get_file_name (program->kernel);
  g_autofree char *ptx_name = g_strconcat (file_name, ".ptx", NULL);
  gint64 start_us = g_get_monotonic_time ();
  const char *text = NULL;
  gsize size = 0;

  *self = (CuredStaged){
    .program = program,
    .watch = CURED_WATCH_COUNTS,
    .max_earlier_threads = MAX_EARLIER_THREADS,
    .max_instructions = MAX_INSTRUCTIONS,
    .time_limit_ms = TIME_LIMIT_MS,
  };
  self->bindings = g_new0 (guint64, program->n_buffers + 1);
  self->ptx = _cured_stage_compile (compiler,
                                    program,
                                    CURED_STAGE_PTX_ARCH,
                                    is_live,
                                    &self->log,
                                    cancellable,
                                    error);
  if (compile_ns != NULL)
    *compile_ns = (g_get_monotonic_time () - start_us) * 1000;
  if (self->ptx == NULL)
    return FALSE;
  text = g_bytes_get_data (self->ptx, &size);
  self->module = cured_ptx_module_parse (
      text, (gssize) strnlen (text, size), ptx_name, error);
  self->memory = cured_memory_new (G_MAXINT64);
  return self->module != NULL &&
         cured_ptx_module_link (self->module, self->memory, error);
}

/* What a buffer is filled with, a piece at a time. */
typedef struct
{
  const CuredProgramBuffer *buffer;
  gsize index;
  guint64 seed;
} Fill;

static void
fill_cb (guint8 *bytes, gsize offset, gsize size, gpointer user_data)
{
  const Fill *self = user_data;
  gsize element = cured_element_get_size (self->buffer->buffer->type);

  cured_fill_range (self->buffer,
                    self->index,
                    self->seed,
                    (gint64) (offset / element),
                    (gint64) ((offset + size) / element),
                    bytes);
}

static void
set_cb (guint8 *bytes, gsize offset, gsize size, gpointer user_data)
{
  memset (bytes + offset, GPOINTER_TO_INT (user_data), size);
}

/**
 * _cured_stage_fill:
 * @self: a stage without buffers
 * @seed: of the inputs' generator
 * @error: return location
 *
 * Puts the buffers into memory, as they are before the first launch. One block
 * needs little of them, so that they are filled where they are touched.
 *
 * Returns: %FALSE with %CURED_ERROR_DEVICE
 */
gboolean
_cured_stage_fill (CuredStaged *self, guint64 seed, GError **error)
{
  const CuredProgram *program = self->program;

  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &program->buffers[i];
      gboolean is_output = buffer->buffer->fill == CURED_FILL_POISON;

      if (!cured_memory_allocate (
              self->memory, buffer->size, &self->bindings[i], error))
        return FALSE;
      cured_memory_label (self->memory,
                          self->bindings[i],
                          buffer->size,
                          buffer->buffer->name,
                          cured_element_get_size (buffer->buffer->type),
                          is_output &&
                              (self->watch & CURED_WATCH_UNDEFINED) != 0);
      if (is_output)
        cured_memory_set_fill (self->memory,
                               self->bindings[i],
                               set_cb,
                               GINT_TO_POINTER (CURED_POISON_BYTE),
                               NULL);
      else
        {
          Fill *fill = g_new (Fill, 1);

          *fill = (Fill){ .buffer = buffer, .index = i, .seed = seed };
          cured_memory_set_fill (
              self->memory, self->bindings[i], fill_cb, fill, g_free);
        }
    }
  return TRUE;
}

/**
 * _cured_stage_find_entry:
 * @self: a stage
 * @step: a launch
 * @entry: (out): its kernel
 * @error: return location
 *
 * Returns: %FALSE with %CURED_ERROR_NOT_FOUND
 */
gboolean
_cured_stage_find_entry (const CuredStaged *self,
                         const CuredProgramStep *step,
                         CuredPtxEntry *entry,
                         GError **error)
{
  if (cured_ptx_module_find_entry (self->module, step->entry, entry))
    return TRUE;
  g_set_error (error,
               CURED_ERROR,
               CURED_ERROR_NOT_FOUND,
               _ ("The compiled file has no kernel “%s”. The kernel named by "
                  "Entry= has to be declared extern \"C\" __global__"),
               step->entry);
  return FALSE;
}

/**
 * _cured_step_count_blocks:
 * @step: a launch
 *
 * Returns: of its grid
 */
guint64
_cured_step_count_blocks (const CuredProgramStep *step)
{
  return (guint64) step->grid[0] * step->grid[1] * step->grid[2];
}

/**
 * _cured_step_count_threads:
 * @step: a launch
 *
 * Returns: of a block
 */
guint64
_cured_step_count_threads (const CuredProgramStep *step)
{
  return (guint64) step->block[0] * step->block[1] * step->block[2];
}

/**
 * _cured_stage_prepare:
 * @self: a stage with buffers
 * @step: a launch of its program
 * @turn: how often the step ran before
 * @launch: (out): the launch of the whole grid; borrows from @arguments
 * @error: return location
 *
 * Returns: (transfer full) (nullable): the arguments
 */
GByteArray *
_cured_stage_prepare (const CuredStaged *self,
                      const CuredProgramStep *step,
                      gint64 turn,
                      CuredLaunch *launch,
                      GError **error)
{
  CuredPtxEntry entry = { 0 };
  GByteArray *arguments = NULL;

  if (!_cured_stage_find_entry (self, step, &entry, error))
    return NULL;
  arguments = _cured_arguments_pack (step, self->bindings, turn, &entry, error);
  if (arguments == NULL)
    return NULL;
  *launch = (CuredLaunch){
    .module = self->module,
    .memory = self->memory,
    .entry = step->entry,
    .grid = { step->grid[0], step->grid[1], step->grid[2] },
    .block = { step->block[0], step->block[1], step->block[2] },
    .shared_bytes = step->shared_bytes,
    .parameters = arguments->data,
    .parameters_bytes = arguments->len,
    .max_instructions = self->max_instructions,
    .time_limit_ms = self->time_limit_ms,
  };
  return arguments;
}

/**
 * _cured_stage_run_earlier:
 * @self: a stage with buffers
 * @last: index of a launch
 * @note: (out) (transfer full) (nullable): why the buffers may not be as in a
 *   whole run
 * @cancellable: (nullable): ends it
 * @error: return location
 *
 * Runs what comes before launch @last, where it is small.
 *
 * Returns: %FALSE with an error
 */
gboolean
_cured_stage_run_earlier (const CuredStaged *self,
                          gsize last,
                          char **note,
                          GCancellable *cancellable,
                          GError **error)
{
  const CuredProgram *program = self->program;
  gint64 deadline_us = g_get_monotonic_time () + self->time_limit_ms * 1000;
  double n_threads = 0.0;

  for (gsize i = 0; i < last; i++)
    if (program->steps[i].entry != NULL)
      n_threads += (double) _cured_step_count_blocks (&program->steps[i]) *
                   (double) _cured_step_count_threads (&program->steps[i]) *
                   (double) program->steps[i].repeat;
  if (n_threads > (double) self->max_earlier_threads)
    {
      /* What they would have written is not to be found unwritten. */
      for (gsize i = 0; i < program->n_buffers; i++)
        cured_memory_define (
            self->memory, self->bindings[i], program->buffers[i].size);
      *note = g_strdup_printf (
          /* Translators: what a note on the launch that is shown says. */
          _ ("The launches before this one have %.3g threads and were left "
             "out: this one finds its buffers as they are filled at first. "
             "Choose a smaller problem to run them."),
          n_threads);
      return TRUE;
    }
  for (gsize i = 0; i < last; i++)
    {
      const CuredProgramStep *step = &program->steps[i];

      if (step->host_from >= 0)
        {
          const CuredProgramBuffer *from = &program->buffers[step->host_from];
          gsize element = cured_element_get_size (from->buffer->type);

          cured_program_add_up (
              from,
              cured_memory_map (
                  self->memory, self->bindings[step->host_from], from->size),
              cured_memory_map (
                  self->memory, self->bindings[step->host_to], element));
          cured_memory_define (
              self->memory, self->bindings[step->host_to], element);
          continue;
        }
      if (step->entry == NULL)
        {
          guint64 address = self->bindings[step->memset_buffer];

          cured_memory_set_fill (self->memory,
                                 address,
                                 set_cb,
                                 GINT_TO_POINTER (step->memset_value),
                                 NULL);
          cured_memory_define (self->memory,
                               address,
                               program->buffers[step->memset_buffer].size);
          continue;
        }
      for (gint64 turn = 0; turn < step->repeat; turn++)
        {
          CuredLaunch launch;
          g_auto (CuredReport) report = { 0 };
          g_autoptr (GByteArray) arguments =
              _cured_stage_prepare (self, step, turn, &launch, error);

          if (arguments == NULL)
            return FALSE;
          launch.watch = self->watch & CURED_WATCH_UNDEFINED;
          launch.time_limit_ms =
              MAX ((deadline_us - g_get_monotonic_time ()) / 1000, 1);
          if (!cured_emulator_launch (&launch, &report, cancellable, error))
            return FALSE;
          if (report.end == CURED_END_DONE)
            continue;
          *note = g_strdup_printf (
              report.end == CURED_END_TIMED_OUT
                  /* Translators: what a note on the launch that is shown says;
                   * the name is a function's. */
                  ? _ ("The emulator's limit ended a launch before this one, "
                       "of %s: this one finds its buffers as that one left "
                       "them. Choose a smaller problem to run all of it.")
                  /* Translators: what a note on the launch that is shown says;
                   * the name is a function's. */
                  : _ ("A launch before this one, of %s, ended abnormally: "
                       "this one finds its buffers as that one left them."),
              step->entry);
          return TRUE;
        }
    }
  return TRUE;
}

static gboolean
choose_step (const CuredStaged *self,
             gsize wanted,
             gsize *chosen,
             GError **error)
{
  const CuredProgram *program = self->program;
  gsize first = program->n_steps;

  if (wanted != CURED_BANK_FIRST_STEP &&
      (wanted >= program->n_steps || program->steps[wanted].entry == NULL))
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_NOT_FOUND,
                   wanted >= program->n_steps
                       ? _ ("Launch %zu: the kernel file has launches 1 to %zu")
                       : _ ("Launch %zu of 1 to %zu sets a buffer and runs no "
                            "kernel"),
                   wanted + 1,
                   program->n_steps);
      return FALSE;
    }
  *chosen = wanted;
  for (gsize i = program->n_steps; i-- > 0 && wanted == CURED_BANK_FIRST_STEP;)
    {
      const CuredProgramStep *step = &program->steps[i];
      CuredPtxEntry entry = { 0 };

      if (step->entry == NULL)
        continue;
      if (cured_ptx_module_find_entry (self->module, step->entry, &entry) &&
          (entry.shared_bytes > 0 || step->shared_bytes > 0))
        *chosen = i;
      first = i;
    }
  if (*chosen == CURED_BANK_FIRST_STEP)
    *chosen = first;
  if (*chosen < program->n_steps)
    return TRUE;
  g_set_error (error,
               CURED_ERROR,
               CURED_ERROR_NOT_FOUND,
               _ ("The kernel file launches no kernel"));
  return FALSE;
}

static gboolean
check_query (const CuredBankQuery *query,
             const CuredProgramStep *step,
             GError **error)
{
  guint64 n_blocks = _cured_step_count_blocks (step);
  guint64 n_warps = (_cured_step_count_threads (step) + 31) / 32;

  if (query->block >= n_blocks)
    g_set_error (error,
                 CURED_ERROR,
                 CURED_ERROR_NOT_FOUND,
                 _ ("There is no block %" PRIu64 ": the grid of %s has blocks "
                    "0 to %" PRIu64),
                 query->block,
                 step->entry,
                 n_blocks - 1);
  else if (query->warp >= n_warps)
    g_set_error (error,
                 CURED_ERROR,
                 CURED_ERROR_NOT_FOUND,
                 _ ("There is no warp %u: a block of %s has warps 0 to "
                    "%" PRIu64),
                 query->warp,
                 step->entry,
                 n_warps - 1);
  else
    return TRUE;
  return FALSE;
}

/**
 * _cured_stage_choose:
 * @self: a stage
 * @query: what is wanted
 * @chosen: (out): index of the launch that is looked at: the one that is asked
 *   for, or the first with shared memory, or the first at all
 * @entry: (out): its kernel
 * @error: return location
 *
 * Returns: %FALSE with %CURED_ERROR_NOT_FOUND: no such launch, block or warp
 */
gboolean
_cured_stage_choose (const CuredStaged *self,
                     const CuredBankQuery *query,
                     gsize *chosen,
                     CuredPtxEntry *entry,
                     GError **error)
{
  const CuredProgramStep *step = NULL;

  if (!choose_step (self, query->step, chosen, error))
    return FALSE;
  step = &self->program->steps[*chosen];
  return check_query (query, step, error) &&
         _cured_stage_find_entry (self, step, entry, error);
}
