/* SPDX-License-Identifier: MIT
 * A program on the emulator: its module, its buffers, and its launches. */
#include "device/cured-emulated-internal.h"

#include "base/cured-base-internal.h"
#include "sass/cured-image-internal.h"
#include "device/cured-argument-private.h"
#include "kernel/fill/cured-fill-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "ptx/emulator/cured-emulator.h"
#include "ptx/emulator/cured-work-count-internal.h"
#include "ptx/parse/cured-ptx-parse.h"
#include "spec/cured-block-set-internal.h"

/* @memory: memory in which its kernels will run
 * Returns: (transfer full): linked with @memory; NULL with %CURED_ERROR_SYNTAX or
 *   %CURED_ERROR_INVALID if the emulator can't read the PTX */
CuredPtxModule *
_cured_emulated_load (GBytes *image, const char *name, CuredMemory *memory, GError **error)
{
  gsize size = 0;
  const char *text = g_bytes_get_data (image, &size);
  g_autoptr (CuredPtxModule) module =
      cured_ptx_module_parse (text, (gssize) strnlen (text, size), name, error);

  if (module == NULL || !cured_ptx_module_link (module, memory, error))
    return NULL;
  g_auto (GStrv) names = _cured_image_list_names (image);
  for (guint i = 0; names[i] != NULL; i += 2)
    cured_ptx_module_rename (module, names[i + 1], names[i]);
  return g_steal_pointer (&module);
}

/* @entry: (out): the kernel
 * Returns: %FALSE with %CURED_ERROR_NOT_FOUND */
gboolean
_cured_emulated_find_entry (const CuredPtxModule *module, const char *name, CuredPtxEntry *entry,
                            GError **error)
{
  return cured_ptx_module_find_entry (module, name, entry) ||
         cured_fail (
             error, CURED_ERROR_NOT_FOUND,
             _ ("The compiled file has no kernel “%s”. The kernel named by Entry= has to be "
                "declared extern \"C\" __global__"),
             name);
}

/* ---- Buffers that are filled on access ---- */

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
  cured_fill_range (self->buffer, self->index, self->seed, offset, size, bytes);
}

static void
set_cb (guint8 *bytes, gsize offset, gsize size, gpointer user_data)
{
  memset (bytes + offset, GPOINTER_TO_INT (user_data), size);
}

/* @address: (out): its address
 * @size: (out): its size in bytes
 * Returns: %FALSE with %CURED_ERROR_NOT_FOUND */
gboolean
_cured_emulated_find_variable (const CuredPtxModule *module, const char *name,
                               CuredDevicePtr *address, gsize *size, GError **error)
{
  return cured_ptx_module_find_variable (module, name, address, size) ||
         cured_fail (
             error, CURED_ERROR_NOT_FOUND,
             _ ("The compiled file has no variable “%s”. [Constant %s] fills a __constant__ "
                "array that the source declares outside of functions"),
             name, name);
}

static gboolean
fill_constant (const CuredPtxModule *module, CuredMemory *memory, const CuredProgramBuffer *buffer,
               gsize index, guint64 seed, CuredDevicePtr *address, GError **error)
{
  gsize size;

  if (!_cured_emulated_find_variable (module, buffer->buffer->name, address, &size, error) ||
      !_cured_constant_check (buffer, size, error))
    return FALSE;
  guint8 *bytes = cured_memory_map (memory, *address, buffer->size);
  g_return_val_if_fail (bytes != NULL, FALSE);
  cured_fill_range (buffer, index, seed, 0, buffer->size, bytes);
  return TRUE;
}

/* Allocates the buffers, with their contents before the first launch. One block needs only a small
 * part, so they are filled on access.
 *
 * @memory: memory to allocate in
 * @is_filled: FALSE: their contents do not matter; see _cured_slice_needs_data()
 * @bindings: (out caller-allocates) (array): one address per buffer
 * Returns: %FALSE with %CURED_ERROR_DEVICE */
gboolean
_cured_emulated_allocate (const CuredProgram *program, const CuredPtxModule *module,
                          CuredMemory *memory, guint64 seed, guint watch, gboolean is_filled,
                          CuredDevicePtr *bindings, GError **error)
{
  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &program->buffers[i];
      gboolean is_output = buffer->buffer->fill == CURED_FILL_POISON;

      if (!cured_fill_check (buffer, error))
        return FALSE;
      if (buffer->buffer->is_constant)
        {
          if (!fill_constant (module, memory, buffer, i, seed, &bindings[i], error))
            return FALSE;
          continue;
        }
      if (!cured_memory_allocate (memory, buffer->size, &bindings[i], error))
        return FALSE;
      cured_memory_label (memory, bindings[i], buffer->size, buffer->buffer->name,
                          cured_buffer_get_element_size (buffer->buffer),
                          is_output && (watch & CURED_WATCH_UNDEFINED) != 0);
      if (!is_filled)
        continue;
      if (is_output)
        cured_memory_set_fill (memory, bindings[i], set_cb, GINT_TO_POINTER (CURED_POISON_BYTE),
                               NULL);
      else
        {
          Fill *fill = g_new (Fill, 1);

          *fill = (Fill){ .buffer = buffer, .index = i, .seed = seed };
          cured_memory_set_fill (memory, bindings[i], fill_cb, fill, g_free);
        }
    }
  return TRUE;
}

/* ---- Launches ---- */

/* Sets @blocks to NULL if all of them run. */
static gboolean
select_blocks (const CuredEmulation *emulation, const CuredProgramStep *step, GArray **blocks,
               GError **error)
{
  guint64 n_blocks = (guint64) step->grid[0] * step->grid[1] * (guint64) step->grid[2];

  *blocks = NULL;
  if (emulation->blocks == NULL)
    return TRUE;
  *blocks = cured_block_set_select (emulation->blocks, n_blocks, emulation->seed);
  if ((*blocks)->len > 0)
    return TRUE;
  g_clear_pointer (blocks, g_array_unref);
  return cured_fail (error, CURED_ERROR_INVALID,
                     _ ("The grid of %s has blocks 0 to %" PRIu64 "; “%s” is none of them"),
                     step->entry, n_blocks - 1, emulation->blocks);
}

/* Launches a kernel once. Faults of the kernel are no error, but in @report.
 *
 * @report: (out caller-allocates): its report
 * Returns: %FALSE with %CURED_ERROR_NOT_FOUND, %CURED_ERROR_INVALID, %CURED_ERROR_DEVICE or
 *   %G_IO_ERROR_CANCELLED */
gboolean
_cured_emulated_launch (const CuredEmulated *self, const CuredProgramStep *step, gint64 turn,
                        CuredReport *report, GError **error)
{
  const CuredEmulation *emulation = &self->emulation;
  g_autoptr (GArray) blocks = NULL, textures = g_array_new (FALSE, FALSE, sizeof (CuredTexture));
  CuredPtxEntry entry = { 0 };
  CuredLaunch launch = {
    .module = self->module,
    .memory = self->memory,
    .entry = step->entry,
    .source = self->program->kernel->is_ptx ? NULL : self->program->kernel->source,
    .grid = { step->grid[0], step->grid[1], step->grid[2] },
    .block = { step->block[0], step->block[1], step->block[2] },
    .cluster = { step->cluster[0], step->cluster[1], step->cluster[2] },
    .is_cooperative = step->is_cooperative,
    .shared_bytes = step->shared_bytes,
    .limits = self->limits,
    .watch = emulation->watch,
    .bank_arch = emulation->bank_arch,
    .seed = emulation->shuffle,
    .cpu_limit_ms = emulation->cpu_limit_ms,
    .max_instructions = emulation->max_instructions,
    .trace = emulation->trace,
    .trace_data = emulation->trace_data,
    .caches = emulation->caches,
    .resident_blocks = emulation->resident_blocks,
    .is_counting = emulation->is_counting,
    .turn = emulation->turn,
    .first_instructions = emulation->first_instructions,
    .blocks = emulation->block_list,
    .n_blocks = emulation->n_block_list,
  };

  if (!select_blocks (emulation, step, &blocks, error) ||
      !_cured_emulated_find_entry (self->module, step->entry, &entry, error))
    return FALSE;
  g_autoptr (GByteArray) arguments =
      _cured_arguments_pack (self->program, step, self->bindings, turn, &entry, textures, error);
  if (arguments == NULL)
    return FALSE;
  launch.textures = (const CuredTexture *) (gpointer) textures->data;
  launch.n_textures = textures->len;
  launch.parameters = arguments->data;
  launch.parameters_bytes = arguments->len;
  if (blocks != NULL)
    {
      launch.blocks = (const guint64 *) (gpointer) blocks->data;
      launch.n_blocks = blocks->len;
    }
  if (emulation->deadline_us != 0)
    {
      gint64 left_us = emulation->deadline_us - g_get_monotonic_time ();

      if (left_us <= 0)
        {
          *report = (CuredReport){
            .end = CURED_END_TIMED_OUT,
            .findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free),
            .end_text =
                g_strdup_printf (_ ("The time limit was over before %s was launched"), step->entry),
          };
          return TRUE;
        }
      launch.time_limit_ms = (left_us + 999) / 1000;
    }
  return cured_emulator_launch (&launch, report, emulation->cancellable, error);
}

/* ---- Steps ---- */

/* The bytes of a buffer, or of its first element. */
static void *
map (const CuredEmulated *self, int buffer, gsize size, GError **error)
{
  void *bytes = cured_memory_map (self->memory, self->bindings[buffer], size);

  if (bytes == NULL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_DEVICE,
                 _ ("%zu bytes at 0x%" PRIx64 " are not within one allocation of the emulator"),
                 size, self->bindings[buffer]);
  return bytes;
}

static gboolean
run_host (const CuredEmulated *self, const CuredProgramStep *step, GError **error)
{
  const CuredProgramBuffer *from = &self->program->buffers[step->host_from];
  gsize element = cured_element_get_size (from->buffer->type);
  const void *data = map (self, step->host_from, from->size, error);
  void *sum = data != NULL ? map (self, step->host_to, element, error) : NULL;

  if (sum == NULL)
    return FALSE;
  cured_program_add_up (from, data, sum);
  cured_memory_define (self->memory, self->bindings[step->host_to], element);
  return TRUE;
}

static gboolean
run_memset (const CuredEmulated *self, const CuredProgramStep *step, GError **error)
{
  int buffer = step->host == CURED_HOST_SEND ? step->host_to : step->memset_buffer;
  gsize size = self->program->buffers[buffer].size;
  void *bytes;

  if (size == 0 || step->repeat == 0)
    return TRUE;
  if (self->is_lazy)
    cured_memory_set_fill (self->memory, self->bindings[buffer], set_cb,
                           GINT_TO_POINTER (step->memset_value), NULL);
  else
    {
      bytes = map (self, buffer, size, error);
      if (bytes == NULL)
        return FALSE;
      memset (bytes, step->memset_value, size);
    }
  cured_memory_define (self->memory, self->bindings[buffer], size);
  return TRUE;
}

/* Runs a memset or a host step: it sends zeros, and drops data that it fetches.
 *
 * Returns: %FALSE with %CURED_ERROR_DEVICE */
gboolean
_cured_emulated_run_aside (const CuredEmulated *self, const CuredProgramStep *step, GError **error)
{
  switch (step->host)
    {
    case CURED_HOST_SUM: return run_host (self, step, error);
    case CURED_HOST_FETCH: return TRUE;
    case CURED_HOST_NONE:
    case CURED_HOST_SEND:
    default: return run_memset (self, step, error);
    }
}

/* Adds a launch's work to that of its step. */
void
_cured_emulated_add_work (const CuredEmulated *self, const CuredProgramStep *step,
                          const CuredReport *report, double scale, gboolean is_repeated,
                          CuredWorkload *work)
{
  guint index = (guint) (step - self->program->steps);
  CuredWorkLaunch *launch = NULL;
  CuredLaunch like = {
    .module = self->module,
    .entry = step->entry,
    .grid = { step->grid[0], step->grid[1], step->grid[2] },
    .block = { step->block[0], step->block[1], step->block[2] },
    .cluster = { step->cluster[0], step->cluster[1], step->cluster[2] },
    .is_cooperative = step->is_cooperative,
    .shared_bytes = step->shared_bytes,
  };

  if (work->launches->len > 0)
    launch = g_ptr_array_index (work->launches, work->launches->len - 1);
  if (launch == NULL || launch->step != index)
    {
      launch = cured_workload_add (work, step->entry);
      launch->step = index;
    }
  else if (is_repeated)
    launch->repeats++;
  _cured_work_launch_add (launch, &like, report, scale);
}

static gboolean
run_step (const CuredEmulated *self, const CuredProgramStep *step, CuredEmulatedFunc func,
          gpointer user_data, GError **error)
{
  if (step->entry == NULL)
    return _cured_emulated_run_aside (self, step, error);
  for (gint64 turn = 0; turn < step->repeat; turn++)
    {
      g_auto (CuredReport) report = { 0 };

      if (!_cured_emulated_launch (self, step, turn, &report, error) ||
          (func != NULL && !func (step, &report, user_data, error)))
        return FALSE;
    }
  return TRUE;
}

/* Runs a step only for its effect on the buffers.
 *
 * Returns: %FALSE with an error as from _cured_emulated_launch() */
gboolean
_cured_emulated_prepare (const CuredEmulated *self, const CuredProgramStep *step, GError **error)
{
  return run_step (self, step, NULL, NULL, error);
}

/* @func: called for each launch; if it returns %FALSE, the run ends with %FALSE
 * Returns: %FALSE with an error as from _cured_emulated_launch(), or from @func */
gboolean
_cured_emulated_run (const CuredEmulated *self, gsize n_steps, CuredEmulatedFunc func,
                     gpointer user_data, GError **error)
{
  for (gsize i = 0; i < n_steps; i++)
    if (!run_step (self, &self->program->steps[i], func, user_data, error))
      return FALSE;
  return TRUE;
}
