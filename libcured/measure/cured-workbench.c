/* SPDX-License-Identifier: MIT
 * The state that a device keeps between cells: the compiled variant, buffers, and expected
 * outputs. */
#include "measure/cured-workbench-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cured-each-internal.h"
#include "base/cured-error.h"
#include "base/cured-own.h"
#include "device/cured-compiler-internal.h"
#include "kernel/cured-compile-options-internal.h"
#include "kernel/fill/cured-fill-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "kernel/cured-ptx-text-internal.h"
#include "kernel/reference/cured-reference-internal.h"
#include "measure/cured-measure-internal.h"
/* The byte that fills guard zones: CURED_GUARD_BYTES before and behind every buffer, to find writes
 * past an end. */
#define GUARD_BYTE 0xA5

/* Larger contents are not made ahead, since they would evict data that is needed
 * sooner. */
#define AHEAD_BYTES_MOST (CURED_SHARE_KEPT_BYTES / 8)

/* Limit of references' outputs that are kept, in bytes; the latest is always kept. */
#define EXPECTED_BYTES_KEPT ((gsize) 1 << 30)

/* A buffer of a program on the device. Cells of one sweep mostly have the same inputs: these are
 * made and sent once, and copied on the device for each cell, since a kernel may overwrite its
 * inputs. */
typedef struct
{
  char *key;               /* key of @contents; NULL: nothing yet */
  CuredContents *contents; /* NULL: the fill is poison */
  gsize size;
  CuredDevicePtr pristine; /* copy of the contents on the device; 0: none */
  CuredDevicePtr base;     /* address of the guard zone before the buffer */
} Slot;

/* A reference's output. It is valid for every cell with the same values of the parameters that it
 * depends on. */
typedef struct
{
  char *key;
  CuredContents *contents;
} Expected;

/* Guards the making of workbenches: a device may be prepared from one thread while another
 * measures. */
static GMutex workbench_mutex;

static void
slot_clear (Slot *slot, CuredDevice *device)
{
  if (slot->pristine != 0)
    device->klass->launch->release (device, slot->pristine);
  if (slot->base != 0)
    device->klass->launch->release (device, slot->base);
  _cured_contents_unref (slot->contents);
  g_free (slot->key);
  memset (slot, 0, sizeof *slot);
}

CURED_FREE_FUNC (Expected, expected_free, key, g_free, contents, _cured_contents_unref)

static void
clear_slots (CuredWorkbench *self, guint n_kept)
{
  while (self->slots->len > n_kept)
    {
      Slot *slot = self->slots->pdata[self->slots->len - 1];

      slot_clear (slot, self->device);
      g_free (slot);
      g_ptr_array_set_size (self->slots, (int) self->slots->len - 1);
    }
}

static void
workbench_free (gpointer data)
{
  CuredWorkbench *self = data;

  if (self->ahead != NULL)
    {
      g_cancellable_cancel (self->ahead_cancellable);
      g_thread_pool_free (self->ahead, FALSE, TRUE);
      g_object_unref (self->ahead_cancellable);
    }
  clear_slots (self, 0);
  g_ptr_array_unref (self->slots);
  g_ptr_array_unref (self->expected);
  if (self->module != NULL)
    self->device->klass->launch->unload (self->device, self->module);
  g_clear_pointer (&self->image, g_bytes_unref);
  g_clear_pointer (&self->binary, g_bytes_unref);
  g_clear_pointer (&self->compiler, cured_compiler_free);
  g_free (self->got);
  g_free (self);
}

/* The device's workbench, made on first use. NULL with an error if NVRTC is needed but
 * missing. */
CuredWorkbench *
_cured_workbench_get (CuredDevice *device, GError **error)
{
  CuredCompiler *compiler = NULL;

  g_mutex_lock (&workbench_mutex);
  CuredWorkbench *self = device->workbench;
  if (self == NULL && *device->info.arch != '\0')
    compiler = cured_compiler_new (error);
  if (self == NULL && (compiler != NULL || *device->info.arch == '\0'))
    {
      self = g_new0 (CuredWorkbench, 1);
      self->device = device;
      self->compiler = compiler;
      self->share = device->share;
      self->slots = g_ptr_array_new ();
      self->expected = g_ptr_array_new_with_free_func (expected_free);
      device->workbench = self;
      device->workbench_free = workbench_free;
    }
  g_mutex_unlock (&workbench_mutex);
  return self;
}

/* ---- Variants ---- */

/* All options of one variant: those of the kernel file and of the point, then the
 * user's. */
static char **
get_compile_options (const CuredProgram *program, const CuredOptions *options, GError **error)
{
  g_auto (GStrv) added = NULL, unsafe = NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_strv_builder_addv (builder, (const char **) program->defines);
  if (options->compile_options != NULL)
    {
      added = cured_compile_options_parse (options->compile_options, error);
      if (added == NULL)
        return NULL;
      g_strv_builder_addv (builder, (const char **) added);
    }
  if (options->unsafe_options != NULL && *options->unsafe_options != '\0')
    {
      if (!g_shell_parse_argv (options->unsafe_options, NULL, &unsafe, error))
        return NULL;
      g_strv_builder_addv (builder, (const char **) unsafe);
    }
  return g_strv_builder_end (builder);
}

/* The kernel's sources, with files from the folders of the user's options, too. @options:
 * (nullable) */
CuredSources *
_cured_workbench_get_sources (const CuredKernel *kernel, const CuredOptions *options,
                              GError **error)
{
  g_auto (GStrv) added = NULL;

  if (options != NULL && options->compile_options != NULL)
    {
      added = cured_compile_options_parse (options->compile_options, error);
      if (added == NULL)
        return NULL;
    }
  return cured_sources_new (kernel, (const char *const *) added, error);
}

/* The arch of the image that the device loads; for PTX, which the driver compiles, that of PTX. */
static char *
get_image_arch (const CuredDevice *device, const CuredKernel *kernel)
{
  const char *arch = device->info.arch;

  return kernel->is_ptx && g_str_has_prefix (arch, "sm_")
             ? g_strconcat ("compute_", arch + strlen ("sm_"), NULL)
             : g_strdup (arch);
}

/* @ns: (nullable) */
static GBytes *
compile_variant (CuredWorkbench *self, const CuredProgram *program, const CuredOptions *options,
                 const char *arch, gint64 *ns, GError **error)
{
  g_auto (GStrv) compile_options = get_compile_options (program, options, error);
  g_autoptr (CuredSources) sources = NULL;
  g_autofree char *file_name = cured_kernel_get_file_name (program->kernel);

  if (compile_options != NULL)
    sources = _cured_workbench_get_sources (program->kernel, options, error);
  if (sources == NULL || (program->kernel->is_ptx && g_str_has_prefix (arch, "compute_") &&
                          !_cured_ptx_text_check_target (sources->text, file_name, arch, error)))
    return NULL;
  return cured_compiler_compile_sources (self->compiler, sources, file_name,
                                         (const char *const *) compile_options, arch, ns, error);
}

CuredModule *
_cured_workbench_load (CuredWorkbench *self, const CuredProgram *program,
                       const CuredOptions *options, double *compile_ns, GError **error)
{
  const CuredEmulatorClass *emulator = self->device->klass->emulator;
  gint64 ns = 0;

  if (self->compiler == NULL)
    {
      *compile_ns = NAN;
      if (self->module == NULL)
        self->module = self->device->klass->launch->load (self->device, NULL, error);
      return self->module;
    }

  /* Compiling machine code also yields the PTX; annotate_variant() reports its errors. */
  if (emulator != NULL)
    {
      g_autoptr (GBytes) binary G_GNUC_UNUSED = compile_variant (
          self, program, options, emulator->get_binary_arch (self->device), NULL, NULL);
    }
  g_autofree char *arch = get_image_arch (self->device, program->kernel);
  g_autoptr (GBytes) image = compile_variant (self, program, options, arch, &ns, error);
  if (image == NULL)
    return NULL;
  *compile_ns = (double) ns;
  if (self->module != NULL && g_bytes_equal (self->image, image))
    return self->module;
  if (self->module != NULL)
    self->device->klass->launch->unload (self->device, self->module);
  g_clear_pointer (&self->image, g_bytes_unref);
  self->module = self->device->klass->launch->load (self->device, image, error);
  if (self->module != NULL)
    self->image = g_steal_pointer (&image);
  return self->module;
}

/* Unless machine code is what runs, compiles the same source to the chip's machine code, from which
 * the device reads limits. */
gboolean
_cured_workbench_annotate (CuredWorkbench *self, const CuredProgram *program,
                           const CuredOptions *options, GError **error)
{
  CuredDevice *device = self->device;
  const CuredEmulatorClass *emulator = device->klass->emulator;
  g_autoptr (GError) local = NULL;

  if (emulator == NULL || self->compiler == NULL)
    return TRUE;
  g_autoptr (GBytes) binary =
      compile_variant (self, program, options, emulator->get_binary_arch (device), NULL, &local);
  /* PTX runs without machine code: if it is too new for the assembler, or makes it fail, these
   * limits stay unknown. */
  if (_cured_compiler_is_of_assembler (local) ||
      (program->kernel->is_ptx && (g_error_matches (local, CURED_ERROR, CURED_ERROR_NO_COMPILER) ||
                                   g_error_matches (local, CURED_ERROR, CURED_ERROR_COMPILE))))
    return TRUE;
  if (binary == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  emulator->annotate (device, self->module, binary);
  g_clear_pointer (&self->binary, g_bytes_unref);
  self->binary = g_steal_pointer (&binary);
  return TRUE;
}

/* ---- Buffers ---- */

/* The sources of a cell's inputs. */
typedef struct
{
  const CuredProgramBuffer *buffer;
  guint index;
  guint64 seed;
} Filling;

static gboolean
make_input (void *data, GArray *asked, gpointer user_data, GError **error)
{
  const Filling *filling = user_data;

  if (!cured_fill_check (filling->buffer, error))
    return FALSE;
  cured_fill_buffer (filling->buffer, filling->index, filling->seed, data);
  return TRUE;
}

/* The contents of a buffer before the first launch; NULL for poison. */
static CuredContents *
take_input (CuredShare *share, const CuredProgramBuffer *buffer, guint index, guint64 seed,
            const char *key, gboolean is_needed, GError **error)
{
  Filling filling = { buffer, index, seed };
  CuredContents *contents =
      _cured_share_take (share, key, buffer->size, NULL, 0, is_needed, make_input, &filling, error);

  if (contents == NULL)
    g_prefix_error (error, _ ("The buffer “%s”: "), buffer->buffer->name);
  return contents;
}

/* Fills slot @index with the buffer's contents before the first launch, which are @given if they
 * are already known. */
static gboolean
fill_slot (CuredWorkbench *self, guint index, const CuredProgramBuffer *buffer, guint64 seed,
           CuredContents *given, /* nullable */
           GError **error)
{
  CuredDevice *device = self->device;
  const CuredLaunchClass *launch = device->klass->launch;
  g_autofree char *key = cured_fill_key (buffer, index, seed);

  while (self->slots->len <= index)
    g_ptr_array_add (self->slots, g_new0 (Slot, 1));
  Slot *slot = self->slots->pdata[index];
  if (g_strcmp0 (slot->key, key) == 0)
    return TRUE;

  if (slot->size != buffer->size || slot->base == 0)
    {
      gsize size;

      slot_clear (slot, device);
      if (!g_size_checked_add (&size, buffer->size, 2 * CURED_GUARD_BYTES) ||
          !launch->allocate (device, size, &slot->base, error))
        return FALSE;
      slot->size = buffer->size;
    }
  g_clear_pointer (&slot->key, g_free);
  g_clear_pointer (&slot->contents, _cured_contents_unref);
  if (buffer->buffer->fill == CURED_FILL_POISON)
    {
      if (slot->pristine != 0)
        launch->release (device, slot->pristine);
      slot->pristine = 0;
    }
  else
    {
      slot->contents = given != NULL
                           ? _cured_contents_ref (given)
                           : take_input (self->share, buffer, index, seed, key, TRUE, error);
      if (slot->contents == NULL)
        return FALSE;
      /* Without room for a second copy on the device, the host's is sent before every cell. */
      if (slot->pristine == 0 &&
          !launch->allocate (device, MAX (slot->size, 1), &slot->pristine, NULL))
        slot->pristine = 0;
      if (slot->pristine != 0 &&
          !launch->upload (device, slot->pristine, slot->contents->data, slot->size, error))
        return FALSE;
    }
  slot->key = g_steal_pointer (&key);
  return TRUE;
}

/* Restores guards and contents to their state before the first launch. */
static gboolean
reset_slot (CuredWorkbench *self, const Slot *slot, GError **error)
{
  CuredDevice *device = self->device;
  const CuredLaunchClass *launch = device->klass->launch;
  CuredDevicePtr data = slot->base + CURED_GUARD_BYTES;

  if (!launch->set (device, slot->base, GUARD_BYTE, CURED_GUARD_BYTES, error) ||
      !launch->set (device, data + slot->size, GUARD_BYTE, CURED_GUARD_BYTES, error))
    return FALSE;
  if (slot->size == 0)
    return TRUE;
  if (slot->contents == NULL)
    return launch->set (device, data, CURED_POISON_BYTE, slot->size, error);
  if (slot->pristine != 0)
    return launch->copy (device, data, slot->pristine, slot->size, error);
  return launch->upload (device, data, slot->contents->data, slot->size, error);
}

/* A constant is a variable of the loaded module, and gets a copy of its slot. */
static gboolean
bind_constant (CuredWorkbench *self, const CuredProgramBuffer *buffer, const Slot *slot,
               CuredDevicePtr *binding, GError **error)
{
  CuredDevice *device = self->device;
  const CuredLaunchClass *launch = device->klass->launch;
  gsize size = 0;

  return launch->find_variable (device, self->module, buffer->buffer->name, binding, &size,
                                error) &&
         _cured_constant_check (buffer, size, error) &&
         launch->upload (device, *binding, slot->contents->data, slot->size, error);
}

/* Tells an emulating device the name of each buffer, and that only the buffers may be accessed:
 * neither guard zones nor the contents kept for the next cell. If blocks are left out, their
 * missing output is not an error. */
CuredDevicePtr *
_cured_workbench_bind (CuredWorkbench *self, const CuredProgram *program,
                       const CuredOptions *options, GError **error)
{
  CuredDevice *device = self->device;
  const CuredEmulatorClass *emulator = device->klass->emulator;
  g_autofree CuredDevicePtr *bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);

  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const CuredBuffer *buffer = program->buffers[i].buffer;
      const Slot *slot = self->slots->pdata[i];

      bindings[i] = slot->base + CURED_GUARD_BYTES;
      if (buffer->is_constant &&
          !bind_constant (self, &program->buffers[i], slot, &bindings[i], error))
        return NULL;
      if (emulator == NULL || buffer->is_constant)
        continue;
      emulator->label (device, bindings[i], slot->size, buffer->name,
                       cured_buffer_get_element_size (buffer),
                       buffer->fill == CURED_FILL_POISON && options->blocks == NULL);
      if (slot->pristine != 0)
        emulator->label (device, slot->pristine, 0, NULL, 1, FALSE);
    }
  return g_steal_pointer (&bindings);
}

static void
add_guard_mismatch (CuredOutcome *outcome, const CuredProgramBuffer *buffer, gint64 byte,
                    guint8 got)
{
  gint64 size = (gint64) cured_buffer_get_element_size (buffer->buffer);
  CuredMismatch *mismatch = g_new0 (CuredMismatch, 1);

  mismatch->buffer = g_strdup (buffer->buffer->name);
  mismatch->index = byte < 0 ? -((-byte + size - 1) / size) : byte / size;
  mismatch->got = g_strdup_printf (_ ("byte 0x%02x"), got);
  mismatch->expected = g_strdup (_ ("nothing written outside the buffer"));
  outcome->n_mismatches++;
  if (outcome->mismatches->len < CURED_MISMATCHES_KEPT)
    g_ptr_array_add (outcome->mismatches, mismatch);
  else
    cured_mismatch_free (mismatch);
}

/* Adds one mismatch per guard zone: the first position written. */
gboolean
_cured_workbench_check_guards (CuredWorkbench *self, const CuredProgram *program,
                               CuredOutcome *outcome, GError **error)
{
  guint8 guard[CURED_GUARD_BYTES];

  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const Slot *slot = self->slots->pdata[i];
      const CuredProgramBuffer *buffer = &program->buffers[i];

      for (int end = 0; end < 2; end++)
        {
          gsize offset = end == 0 ? 0 : CURED_GUARD_BYTES + slot->size;
          gint64 first = end == 0 ? -CURED_GUARD_BYTES : (gint64) slot->size;

          if (!self->device->klass->launch->download (self->device, guard, slot->base + offset,
                                                      CURED_GUARD_BYTES, error))
            return FALSE;
          for (gsize j = 0; j < CURED_GUARD_BYTES; j++)
            if (guard[j] != GUARD_BYTE)
              {
                add_guard_mismatch (outcome, buffer, first + (gint64) j, guard[j]);
                break;
              }
        }
    }
  return TRUE;
}

/* Fills every buffer of @program with its contents before the first launch. */
gboolean
_cured_workbench_fill (CuredWorkbench *self, const CuredProgram *program,
                       const CuredOptions *options, GError **error)
{
  clear_slots (self, (guint) program->n_buffers);
  for (guint i = 0; i < program->n_buffers; i++)
    if (!fill_slot (self, i, &program->buffers[i], options->seed, NULL, error) ||
        !reset_slot (self, self->slots->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* (nullable): the contents of buffer @index before the first launch; NULL: poison */
const guint8 *
_cured_workbench_get_input (const CuredWorkbench *self, guint index)
{
  const Slot *slot = self->slots->pdata[index];

  return slot->contents != NULL ? slot->contents->data : NULL;
}

/* ---- Expected outputs ---- */

/* A key of everything that a reference may depend on, except the parameters. */
static char *
get_expected_key (const CuredProgram *program, guint64 seed)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  const CuredProgramBuffer *output = &program->buffers[program->kernel->output];
  g_autofree char *size = g_strdup_printf ("%" PRId64, output->length);

#define ADD(text) g_checksum_update (sum, (const guchar *) (text), (gssize) strlen (text) + 1)
  ADD (program->kernel->source);
  ADD (program->kernel->reference);
  ADD (size);
  for (gsize i = 0; i < program->n_buffers; i++)
    {
      g_autofree char *key = cured_fill_key (&program->buffers[i], i, seed);

      ADD (key);
    }
#undef ADD
  return g_strdup (g_checksum_get_string (sum));
}

static const CuredContents *
find_expected (CuredWorkbench *self, const CuredProgram *program, const char *key)
{
  CURED_EACH_POINTER (const Expected, expected, self->expected)
    {
      if (g_str_equal (expected->key, key) &&
          _cured_contents_fit (expected->contents, program->values, program->kernel->n_parameters))
        return expected->contents;
    }
  return NULL;
}

/* Contents for a buffer of the reference: those of the program's buffer with the same name, type
 * and length. */
static CuredContents *
find_same (CuredWorkbench *self, const CuredProgram *program, const CuredProgramBuffer *buffer)
{
  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const Slot *slot = self->slots->pdata[i];
      const CuredBuffer *theirs = program->buffers[i].buffer;

      if (slot->contents != NULL && slot->size == buffer->size &&
          cured_buffer_has_type_of (theirs, buffer->buffer) &&
          g_str_equal (theirs->name, buffer->buffer->name))
        return slot->contents;
    }
  return NULL;
}

/* Fails if the emulator has findings in the reference, which would otherwise count against the
 * kernel. */
static gboolean
check_reference (CuredDevice *device, const CuredKernel *reference, GError **error)
{
  g_auto (CuredCounts) counts = { 0 };

  if (device->klass->emulator == NULL)
    return TRUE;
  device->klass->emulator->collect (device, &counts);
  CURED_EACH_POINTER (const CuredFinding, finding, counts.findings)
    {
      if (finding->kind == CURED_FINDING_BANK_CONFLICT ||
          (reference->defects >> finding->kind & 1) != 0)
        continue;
      g_autofree char *text = cured_finding_to_string (finding);
      return cured_fail (error, CURED_ERROR_INVALID, "%s", text);
    }
  return TRUE;
}

/* The reference is another kernel file: it runs on the same device, with the same contents in
 * buffers of the same name, type and length. */
static gboolean
run_reference_kernel (CuredWorkbench *self, const CuredProgram *program, CuredKernel *reference,
                      const CuredOptions *options, void *output, gsize output_size, GError **error)
{
  CuredDevice *device = self->device;
  g_autoptr (CuredProgram) other =
      cured_program_new_reference (program, reference, &device->info.limits, error);
  CuredWorkbench bench = { .device = device, .compiler = self->compiler };
  g_autofree CuredDevicePtr *bindings = NULL;
  double compile_ns;
  gboolean is_done = FALSE;

  if (other == NULL)
    return FALSE;

  bench.slots = g_ptr_array_new ();
  bench.expected = g_ptr_array_new ();
  for (guint i = 0; i < other->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &other->buffers[i];

      if (!fill_slot (&bench, i, buffer, options->seed, find_same (self, program, buffer), error) ||
          !reset_slot (&bench, bench.slots->pdata[i], error))
        goto out;
    }
  if (reference->output < 0 || other->buffers[reference->output].size != output_size)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                   _ ("The reference kernel “%s” has no output of %zu bytes to compare with"),
                   reference->id, output_size);
      goto out;
    }
  if (_cured_workbench_load (&bench, other, options, &compile_ns, error) != NULL)
    bindings = _cured_workbench_bind (&bench, other, options, error);
  is_done = bindings != NULL &&
            device->klass->launch->run (device, bench.module, other, bindings, error) &&
            check_reference (device, reference, error) &&
            device->klass->launch->download (device, output, bindings[reference->output],
                                             output_size, error);
out:
  clear_slots (&bench, 0);
  g_ptr_array_unref (bench.slots);
  g_ptr_array_unref (bench.expected);
  if (bench.module != NULL)
    device->klass->launch->unload (device, bench.module);
  g_clear_pointer (&bench.image, g_bytes_unref);
  return is_done;
}

static void
keep_expected (CuredWorkbench *self, Expected *expected)
{
  gsize kept = expected->contents->size;

  g_ptr_array_add (self->expected, expected);
  for (guint i = self->expected->len - 1; i > 0; i--)
    {
      kept += ((Expected *) self->expected->pdata[i - 1])->contents->size;
      if (kept > EXPECTED_BYTES_KEPT)
        {
          g_ptr_array_remove_range (self->expected, 0, i);
          break;
        }
    }
}

/* The sources of an expected output. */
typedef struct
{
  CuredWorkbench *bench;
  const CuredProgram *program;
  const CuredOptions *options;
  const void **inputs; /* (nullable where @kernel is none) */
  CuredKernel *kernel; /* NULL: the reference is a C function */
  const CuredReference *reference;
  GCancellable *cancellable;
} Expectation;

static gboolean
make_expected (void *data, GArray *asked, gpointer user_data, GError **error)
{
  const Expectation *self = user_data;
  const CuredProgram *program = self->program;
  gsize size = program->buffers[program->kernel->output].size;

  if (self->kernel != NULL)
    {
      if (!run_reference_kernel (self->bench, program, self->kernel, self->options, data, size,
                                 error))
        {
          g_prefix_error (error, _ ("The reference “%s”: "), self->kernel->id);
          return FALSE;
        }
    }
  else if (!self->reference->func (program, self->inputs, data, self->cancellable, error))
    return FALSE;
  for (gsize i = 0; i < program->kernel->n_parameters; i++)
    if (program->asked[i])
      {
        CuredParameterValue one = { i, program->values[i] };

        g_array_append_val (asked, one);
      }
  return TRUE;
}

static CuredContents *
take_expected (CuredShare *share, const char *key, gboolean is_needed, Expectation *expectation,
               GError **error)
{
  const CuredProgram *program = expectation->program;

  return _cured_share_take (share, key, program->buffers[program->kernel->output].size,
                            program->values, program->kernel->n_parameters, is_needed,
                            make_expected, expectation, error);
}

/* (transfer none): the expected output, computed once for all cells that agree in the parameters it
 * depends on. */
const CuredContents *
_cured_workbench_expect (CuredWorkbench *self, const CuredJob *job, const CuredProgram *program,
                         GCancellable *cancellable, GError **error)
{
  const char *name = program->kernel->reference;
  g_autofree char *key = get_expected_key (program, job->options->seed);
  const CuredContents *known = find_expected (self, program, key);
  g_autofree const void **inputs = g_new0 (const void *, program->n_buffers + 1);
  g_autoptr (CuredKernel) kernel = NULL;
  Expectation expectation = { .bench = self,
                              .program = program,
                              .options = job->options,
                              .inputs = inputs,
                              .cancellable = cancellable };

  if (known != NULL)
    return known;
  if (!cured_job_load_reference (job, &kernel, error))
    return NULL;
  expectation.kernel = kernel;
  expectation.reference = kernel == NULL ? cured_reference_find (name) : NULL;
  if (kernel == NULL && expectation.reference == NULL)
    return cured_fail_null (error, CURED_ERROR_NOT_FOUND, _ ("There is no reference called “%s”"),
                            name);
  for (gsize i = 0; i < program->n_buffers; i++)
    {
      const Slot *slot = self->slots->pdata[i];

      inputs[i] = slot->contents != NULL ? slot->contents->data : NULL;
    }
  /* A kernel file may change, so its output is not shared with other processes. */
  CuredContents *contents =
      take_expected (kernel == NULL ? self->share : NULL, key, TRUE, &expectation, error);
  if (contents == NULL)
    return NULL;
  Expected *expected = g_new0 (Expected, 1);
  expected->key = g_steal_pointer (&key);
  expected->contents = contents;
  keep_expected (self, expected);
  return contents;
}

/* Memory of @size bytes, kept between cells, since fresh pages for a large output cost more than
 * copying it. */
void *
_cured_workbench_get_room (CuredWorkbench *self, gsize size, GError **error)
{
  if (self->got_size < size || self->got == NULL)
    {
      g_clear_pointer (&self->got, g_free);
      self->got = g_try_malloc (MAX (size, 1));
      self->got_size = self->got != NULL ? size : 0;
    }
  if (self->got == NULL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_DEVICE,
                 _ ("No memory for the %zu bytes of the output"), size);
  return self->got;
}

/* ---- Ahead ---- */

/* A later cell, whose inputs and expected output other processes may need. */
typedef struct
{
  CuredProgram *program;
  guint64 seed;
  gboolean check;
} Ahead;

CURED_FREE_FUNC (Ahead, ahead_free, program, cured_program_free)

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Ahead, ahead_free)

/* Concurrent work of the host would affect the times of a program's host steps. */
static gboolean
can_be_made_ahead (const CuredProgram *program)
{
  for (gsize i = 0; i < program->n_steps; i++)
    if (program->steps[i].host != CURED_HOST_NONE)
      return FALSE;
  for (gsize i = 0; i < program->n_buffers; i++)
    if (program->buffers[i].size > AHEAD_BYTES_MOST)
      return FALSE;
  return TRUE;
}

/* Skips contents that another process is making. Runs at normal priority, since a measurement may
 * have to wait for it. */
static void
make_ahead (gpointer data, gpointer user_data)
{
  g_autoptr (Ahead) ahead = data;
  CuredWorkbench *self = user_data;
  const CuredProgram *program = ahead->program;
  const char *reference = program->kernel->reference;
  g_autoptr (GPtrArray) held =
      g_ptr_array_new_with_free_func ((GDestroyNotify) _cured_contents_unref);
  g_autofree const void **inputs = g_new0 (const void *, program->n_buffers + 1);
  Expectation expectation = {
    .bench = self, .program = program, .inputs = inputs, .cancellable = self->ahead_cancellable
  };

  for (guint i = 0; i < program->n_buffers; i++)
    {
      const CuredProgramBuffer *buffer = &program->buffers[i];
      g_autofree char *key = cured_fill_key (buffer, i, ahead->seed);

      if (buffer->buffer->fill == CURED_FILL_POISON)
        continue;
      if (g_cancellable_is_cancelled (self->ahead_cancellable))
        return;
      CuredContents *contents = take_input (self->share, buffer, i, ahead->seed, key, FALSE, NULL);
      if (contents == NULL)
        return;
      g_ptr_array_add (held, contents);
      inputs[i] = contents->data;
    }
  if (ahead->check && reference != NULL)
    expectation.reference = cured_reference_find (reference);
  if (expectation.reference != NULL)
    {
      g_autofree char *key = get_expected_key (program, ahead->seed);

      _cured_contents_unref (take_expected (self->share, key, FALSE, &expectation, NULL));
    }
}

/* Takes ownership of @program. */
void
_cured_workbench_prepare_contents (CuredWorkbench *self, CuredProgram *program,
                                   const CuredOptions *options)
{
  g_autoptr (Ahead) ahead = g_new0 (Ahead, 1);

  ahead->program = program;
  ahead->seed = options->seed;
  ahead->check = options->check && options->blocks == NULL;
  if (self->share == NULL || !can_be_made_ahead (program))
    return;
  if (self->ahead == NULL)
    {
      self->ahead_cancellable = g_cancellable_new ();
      self->ahead = g_thread_pool_new (make_ahead, self, 1, TRUE, NULL);
    }
  g_thread_pool_push (self->ahead, g_steal_pointer (&ahead), NULL);
}

/* Starts compiling the variant on another core. */
void
_cured_workbench_prepare_variant (CuredWorkbench *self, const CuredProgram *program,
                                  const CuredOptions *options)
{
  CuredDevice *device = self->device;
  const CuredEmulatorClass *emulator = device->klass->emulator;
  g_autoptr (CuredSources) sources = NULL;
  g_auto (GStrv) compile_options = get_compile_options (program, options, NULL);

  if (compile_options != NULL)
    sources = _cured_workbench_get_sources (program->kernel, options, NULL);
  if (sources == NULL)
    return;
  g_autofree char *file_name = cured_kernel_get_file_name (program->kernel);
  /* For the emulator, compiling machine code also yields the PTX. */
  g_autofree char *arch = emulator != NULL ? g_strdup (emulator->get_binary_arch (device))
                                           : get_image_arch (device, program->kernel);
  cured_compiler_prepare (self->compiler, sources, file_name, (const char *const *) compile_options,
                          arch);
}
