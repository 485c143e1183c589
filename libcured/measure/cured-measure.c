/* SPDX-License-Identifier: MIT
 * One cell on one device: compile, check, time. */
#include "config.h"

#include "measure/cured-measure.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "base/cured-error.h"
#include "base/cured-occupancy-internal.h"
#include "base/cured-profile.h"
#include "base/cured-units.h"
#include "device/cured-compiler-internal.h"
#include "device/cured-launch-traffic-internal.h"
#include "inspect/cured-workload-count.h"
#include "kernel/cured-compile-options-internal.h"
#include "kernel/fill/cured-fill-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "kernel/cured-ptx-text-internal.h"
#include "kernel/reference/cured-reference-internal.h"
#include "kernel/cured-sources-internal.h"
#include "measure/cured-compare-internal.h"
#include "measure/cured-excerpt-internal.h"
#include "measure/cured-measure-internal.h"
#include "measure/cured-outcome-internal.h"
#include "measure/cured-predict-cell-private.h"
#include "measure/cured-sampler-internal.h"
#include "measure/cured-share-internal.h"
#include "measure/cured-statistics.h"
#include "ptx/emulator/cured-emulator.h"

/* What guard zones hold; CURED_GUARD_BYTES of it before and behind every buffer, so that a write
 * past an end is found. */
#define GUARD_BYTE 0xA5

/* Bandwidths and rates are derived only of times that the clock resolves. */
#define RESOLUTIONS_FOR_A_RATE 10

/* A buffer of a program on the device. Cells of one sweep mostly want the same inputs: these are
 * made and sent once, and copied on the device for each cell, since a kernel may overwrite what it
 * reads. */
typedef struct
{
  char *key;               /* what @contents are; NULL: nothing yet */
  CuredContents *contents; /* nullable: the fill is poison */
  gsize size;
  CuredDevicePtr pristine; /* 0: none */
  CuredDevicePtr base;     /* of the guard before the buffer */
} Slot;

/* A reference's output. It is good for every cell that agrees in what the reference looked at. */
typedef struct
{
  char *key;
  CuredContents *contents;
} Expected;

typedef struct
{
  CuredDevice *device;
  CuredCompiler *compiler;
  CuredShare *share; /* nullable */
  GBytes *image;
  GBytes *binary; /* nullable: the chip's own code, where @image is PTX */
  CuredModule *module;
  GPtrArray *slots;    /* (element-type Slot) */
  GPtrArray *expected; /* (element-type Expected), the latest last */
  void *got;           /* where outputs are brought to */
  gsize got_size;
  GThreadPool *ahead; /* nullable: makes contents of later cells */
  GCancellable *ahead_cancellable;
} Workbench;

/* Contents that are larger than this are made when they are needed: of a cell that comes later they
 * would drive out what is needed before. */
#define AHEAD_BYTES_MOST (CURED_SHARE_KEPT_BYTES / 8)

/* Outputs of references that are kept, in bytes; the latest one always is. */
#define EXPECTED_BYTES_KEPT ((gsize) 1 << 30)

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

static void
expected_free (gpointer data)
{
  Expected *expected = data;

  g_free (expected->key);
  _cured_contents_unref (expected->contents);
  g_free (expected);
}

static void
clear_slots (Workbench *self, guint n_kept)
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
  Workbench *self = data;

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

/* Of a device that runs no launches here. */
static const CuredCellClass *
get_cells (const CuredDevice *device)
{
  return (const CuredCellClass *) device->klass;
}

/* The device's workbench, made on first use. NULL with an error where NVRTC is needed and
 * missing. */
static Workbench *
get_workbench (CuredDevice *device, GError **error)
{
  CuredCompiler *compiler = NULL;

  g_mutex_lock (&workbench_mutex);
  Workbench *self = device->workbench;
  if (self == NULL && *device->info.arch != '\0')
    compiler = cured_compiler_new (error);
  if (self == NULL && (compiler != NULL || *device->info.arch == '\0'))
    {
      self = g_new0 (Workbench, 1);
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

/* All options of one variant: what the kernel file and the point ask for, then what the user
 * added. */
static char **
get_compile_options (const CuredProgram *program, const CuredOptions *options, GError **error)
{
  g_auto (GStrv) added = NULL;
  g_auto (GStrv) unsafe = NULL;
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

/* What the kernel includes, from the folders of the user's options too. */
static CuredSources *
get_sources (CuredKernel *kernel, const CuredOptions *options, GError **error)
{
  g_auto (GStrv) added = NULL;

  if (options->compile_options != NULL)
    {
      added = cured_compile_options_parse (options->compile_options, error);
      if (added == NULL)
        return NULL;
    }
  return cured_sources_new (kernel, (const char *const *) added, error);
}

/* What the device loads: of PTX, that itself, which the driver compiles. */
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
compile_variant (Workbench *self, const CuredProgram *program, const CuredOptions *options,
                 const char *arch, gint64 *ns, GError **error)
{
  g_auto (GStrv) compile_options = get_compile_options (program, options, error);
  g_autoptr (CuredSources) sources = NULL;
  g_autofree char *file_name = cured_kernel_get_file_name (program->kernel);

  if (compile_options != NULL)
    sources = get_sources (program->kernel, options, error);
  if (sources == NULL || (program->kernel->is_ptx && g_str_has_prefix (arch, "compute_") &&
                          !_cured_ptx_text_check_target (sources->text, file_name, arch, error)))
    return NULL;
  return cured_compiler_compile_sources (self->compiler, sources, file_name,
                                         (const char *const *) compile_options, arch, ns, error);
}

static CuredModule *
load_variant (Workbench *self, const CuredProgram *program, const CuredOptions *options,
              double *compile_ns, GError **error)
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

  /* That brings the PTX; annotate_variant() says what is wrong with it. */
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

/* Has the chip's own code made of the same source, where what runs is not that, and tells the
 * device, which reads limits off it. */
static gboolean
annotate_variant (Workbench *self, const CuredProgram *program, const CuredOptions *options,
                  GError **error)
{
  CuredDevice *device = self->device;
  const CuredEmulatorClass *emulator = device->klass->emulator;
  g_autoptr (GError) local = NULL;

  if (emulator == NULL || self->compiler == NULL)
    return TRUE;
  g_autoptr (GBytes) binary =
      compile_variant (self, program, options, emulator->get_binary_arch (device), NULL, &local);
  /* PTX runs without its machine code: what that would tell is not known where it is newer than the
   * assembler here. */
  if (program->kernel->is_ptx && (g_error_matches (local, CURED_ERROR, CURED_ERROR_NO_COMPILER) ||
                                  g_error_matches (local, CURED_ERROR, CURED_ERROR_COMPILE)))
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

/* How much of the chip a launch fills. */
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

/* The threads of a block that registers leave room for; where the chip is not known, whatever the
 * driver says. */
static int
get_register_threads (const CuredLimits *limits, const CuredFunctionInfo *info)
{
  g_autofree char *arch =
      g_strdup_printf ("sm_%" PRId64 "%" PRId64, limits->compute_major, limits->compute_minor);
  const CuredProfile *profile = cured_profile_find (arch);

  return profile != NULL ? cured_occupancy_get_max_threads (profile, info->registers)
                         : info->max_threads_per_block;
}

/* What compiler and driver say of the launches. FALSE also where the launch is not possible: the
 * outcome's state then says so and @error is unset. */
static gboolean
query_launches (Workbench *self, const CuredProgram *program, CuredOutcome *outcome, GError **error)
{
  const CuredLimits *limits = &self->device->info.limits;
  double *metrics = outcome->metrics;

  for (gsize i = 0; i < program->n_steps; i++)
    {
      const CuredProgramStep *step = &program->steps[i];
      CuredFunctionInfo info = { 0 };
      gint64 threads = (gint64) step->block[0] * step->block[1] * step->block[2];
      double n_blocks = (double) step->grid[0] * step->grid[1] * step->grid[2];
      double warps;

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

/* What the inputs of a cell are made of. */
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

/* What a buffer holds before the first launch, unless that is poison. */
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

/* Makes slot @index hold what the buffer wants before the first launch, which is @given where
 * somebody has it already. */
static gboolean
fill_slot (Workbench *self, guint index, const CuredProgramBuffer *buffer, guint64 seed,
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

/* Guards and contents as they are before the first launch. */
static gboolean
reset_slot (Workbench *self, const Slot *slot, GError **error)
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

/* A constant is a variable of the module that is loaded, and gets what its slot has. */
static gboolean
bind_constant (Workbench *self, const CuredProgramBuffer *buffer, const Slot *slot,
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

/* Where a device wants to know, it is told what each buffer is called and that nothing but the
 * buffers may be touched: neither guard zones nor the contents that are kept for the next cell.
 * Where blocks are left out, what they would have written is missing without being anybody's
 * fault. */
static CuredDevicePtr *
bind_slots (Workbench *self, const CuredProgram *program, const CuredOptions *options,
            GError **error)
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

/* One mismatch a guard zone: where it was first written. */
static gboolean
check_guards (Workbench *self, const CuredProgram *program, CuredOutcome *outcome, GError **error)
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

/* Everything that a reference may depend on, but for the parameters. */
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
find_expected (Workbench *self, const CuredProgram *program, const char *key)
{
  for (guint i = 0; i < self->expected->len; i++)
    {
      const Expected *expected = self->expected->pdata[i];

      if (g_str_equal (expected->key, key) &&
          _cured_contents_fit (expected->contents, program->values, program->kernel->n_parameters))
        return expected->contents;
    }
  return NULL;
}

/* What a buffer of the reference holds: the same as one of the program of the same name, type and
 * length. */
static CuredContents *
find_same (Workbench *self, const CuredProgram *program, const CuredProgramBuffer *buffer)
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

/* What the emulator objects to in the reference would be charged to the kernel that is compared
 * with it. */
static gboolean
check_reference (CuredDevice *device, const CuredKernel *reference, GError **error)
{
  g_auto (CuredCounts) counts = { 0 };

  if (device->klass->emulator == NULL)
    return TRUE;
  device->klass->emulator->collect (device, &counts);
  for (guint i = 0; i < counts.findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (counts.findings, i);

      if (finding->kind == CURED_FINDING_BANK_CONFLICT ||
          (reference->defects >> finding->kind & 1) != 0)
        continue;
      g_autofree char *text = cured_finding_to_string (finding);
      return cured_fail (error, CURED_ERROR_INVALID, "%s", text);
    }
  return TRUE;
}

/* The reference is another kernel file: it runs on the same device, on the same contents wherever a
 * buffer has the same name, type and length. */
static gboolean
run_reference_kernel (Workbench *self, const CuredProgram *program, CuredKernel *reference,
                      const CuredOptions *options, void *output, gsize output_size, GError **error)
{
  CuredDevice *device = self->device;
  g_autoptr (CuredProgram) other =
      cured_program_new_reference (program, reference, &device->info.limits, error);
  Workbench bench = { .device = device, .compiler = self->compiler };
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
  if (load_variant (&bench, other, options, &compile_ns, error) != NULL)
    bindings = bind_slots (&bench, other, options, error);
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
keep_expected (Workbench *self, Expected *expected)
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

/* What an expected output is made of. */
typedef struct
{
  Workbench *bench;
  const CuredProgram *program;
  const CuredOptions *options;
  const void **inputs; /* (nullable where @kernel is none) */
  CuredKernel *kernel; /* nullable: the reference is a C function */
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
        CuredAsked one = { i, program->values[i] };

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

/* (transfer none): what the output should be; computed once for all cells that agree in what it
 * depends on. */
static const CuredContents *
get_expected (Workbench *self, const CuredJob *job, const CuredProgram *program,
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
  /* A kernel's own files may change while others keep what it made. */
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

/* A place for @size bytes, kept from cell to cell: fresh pages of a large output cost more than
 * bringing it over. */
static void *
get_room (Workbench *self, gsize size, GError **error)
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

/* Says how runs go from here on, to a device that emulates. A reference, and a run that nobody
 * looks at, need no detectors. */
static void
emulate (Workbench *self, const CuredOptions *options, gboolean is_watched, gint64 deadline_us,
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

/* Takes what the last run counted and found. What a run that was cut short counted is the half of
 * something; what it found stands. */
static void
collect (Workbench *self, gboolean is_done, CuredOutcome *outcome)
{
  CuredDevice *device = self->device;
  double *metrics = outcome->metrics;
  g_auto (CuredCounts) counts = { 0 };
  guint n_findings = 0;

  if (device->klass->emulator == NULL)
    return;
  device->klass->emulator->collect (device, &counts);
  for (guint i = 0; i < counts.findings->len; i++)
    {
      const CuredFinding *finding = g_ptr_array_index (counts.findings, i);

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

/* Has the cache model say what the program asks of the chip's caches: in a run of its own, so that
 * what the detectors find does not depend on it. */
static gboolean
predict_caches (Workbench *self, const CuredProgram *program, const CuredOptions *options,
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

static gboolean
run_once (Workbench *self, const CuredProgram *program, const CuredDevicePtr *bindings,
          double *run_ns, GError **error)
{
  CuredDevice *device = self->device;
  gint64 began_us = g_get_monotonic_time ();
  gboolean is_done = device->klass->launch->run (device, self->module, program, bindings, error);

  *run_ns = (double) (g_get_monotonic_time () - began_us) * 1e3;
  return is_done;
}

/* Runs the program once and looks at all that it wrote. */
static gboolean
check_output (Workbench *self, const CuredProgram *program, const CuredDevicePtr *bindings,
              const CuredContents *expected, double *run_ns, CuredOutcome *outcome, GError **error)
{
  CuredDevice *device = self->device;
  int index = program->kernel->output;
  gboolean is_done = run_once (self, program, bindings, run_ns, error);

  collect (self, is_done, outcome);
  if (!is_done || !check_guards (self, program, outcome, error))
    return FALSE;
  if (expected == NULL)
    return TRUE;
  const CuredProgramBuffer *buffer = &program->buffers[index];
  void *got = get_room (self, buffer->size, error);
  if (got == NULL ||
      !device->klass->launch->download (device, got, bindings[index], buffer->size, error))
    return FALSE;
  outcome->n_mismatches +=
      cured_compare_buffer (buffer->buffer, buffer->length, got, expected->data, program->tolerance,
                            program->relative, outcome->mismatches);
  return TRUE;
}

/* Shows what the job wants to see of the buffers, as the only run left them. */
static gboolean
take_excerpts (Workbench *self, const CuredJob *job, const CuredProgram *program,
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
      const Slot *slot = self->slots->pdata[index];
      cured_range_clip (range, buffer->length, &first, &count);
      gsize size = buffer->size / (gsize) buffer->length;
      g_autofree guint8 *after = g_malloc ((gsize) count * size + 1);
      if (count > 0 && !self->device->klass->launch->download (
                           self->device, after, bindings[index] + (gsize) first * size,
                           (gsize) count * size, error))
        return FALSE;
      if (outcome->excerpts == NULL)
        outcome->excerpts = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_excerpt_free);
      g_ptr_array_add (
          outcome->excerpts,
          cured_excerpt_new (buffer, first, count,
                             slot->contents != NULL
                                 ? (const guint8 *) slot->contents->data + (gsize) first * size
                                 : NULL,
                             after));
    }
  return TRUE;
}

/* What the kernel measured itself, as its last run left it. An element that still holds the poison
 * was not written, and does not count. */
static gboolean
read_cycles (Workbench *self, const CuredProgram *program, const CuredDevicePtr *bindings,
             CuredOutcome *outcome, GError **error)
{
  CuredDevice *device = self->device;
  CuredStatistics statistics;
  guint n = 0;

  if (program->cycles < 0)
    return TRUE;
  const CuredProgramBuffer *buffer = &program->buffers[program->cycles];
  void *got = get_room (self, buffer->size, error);
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
    case CURED_CEILING_READ:
      return device->info.ceilings.read_bytes_per_s;
    case CURED_CEILING_COPY:
      return device->info.ceilings.copy_bytes_per_s;
    case CURED_CEILING_FP32:
      return device->info.ceilings.fp32_flops;
    case CURED_CEILING_NONE:
    default:
      return NAN;
    }
}

static void
derive_rates (const CuredDevice *device, const CuredProgram *program, CuredOutcome *outcome)
{
  double *metrics = outcome->metrics;
  CuredCeiling ceiling = program->kernel->ceiling;
  double resolution_ns = device->info.calibration.resolution_ns;
  double time_ns = metrics[CURED_METRIC_time];

  if (isnan (time_ns) || time_ns <= 0 || time_ns < RESOLUTIONS_FOR_A_RATE * resolution_ns)
    return;
  metrics[CURED_METRIC_bandwidth] = program->bytes / time_ns * 1e9;
  metrics[CURED_METRIC_flop_rate] = program->flops / time_ns * 1e9;
  metrics[CURED_METRIC_of_ceiling] =
      metrics[ceiling == CURED_CEILING_FP32 ? CURED_METRIC_flop_rate : CURED_METRIC_bandwidth] /
      get_ceiling (device, ceiling);
}

/* Counts on the emulator what the chip just did. What can't be counted is left out: the time
 * stands. */
static void
count_work (Workbench *self, const CuredJob *job, CuredOutcome *outcome, GCancellable *cancellable)
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

/* The lines of findings that are not in the kernel's own text. */
static void
quote_findings (CuredKernel *kernel, const CuredOptions *options, CuredOutcome *outcome)
{
  g_autoptr (CuredSources) sources = NULL;

  if (outcome->findings->len > 0)
    sources = get_sources (kernel, options, NULL);
  if (sources != NULL)
    _cured_sources_quote (sources, outcome->findings);
}

/* The whole cell. FALSE with @error set: something failed; FALSE without: the outcome's state was
 * set and there is nothing more to do. */
static gboolean
measure (Workbench *self, const CuredJob *job, const CuredProgram *program, CuredOutcome *outcome,
         GCancellable *cancellable, GError **error)
{
  CuredDevice *device = self->device;
  const CuredOptions *options = job->options;
  const CuredContents *expected = NULL;
  gint64 start_us = g_get_monotonic_time ();
  double run_ns = 0;
  gboolean has_time = cured_device_has_time (device);

  cured_job_enter_stage (job, CURED_STAGE_COMPILE);
  gboolean is_done = load_variant (self, program, options,
                                   &outcome->metrics[CURED_METRIC_compile_time], error) != NULL &&
                     annotate_variant (self, program, options, error);
  end_stage (outcome, CURED_STAGE_COMPILE, &start_us);
  if (!is_done || !query_launches (self, program, outcome, error) ||
      g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  /* What the compiler takes is not the kernel's. */
  gint64 deadline_us = start_us + (gint64) MIN (options->limit_s * 1e6, 1e15);
  cured_job_enter_stage (job, CURED_STAGE_PREPARE);
  clear_slots (self, (guint) program->n_buffers);
  for (guint i = 0; is_done && i < program->n_buffers; i++)
    is_done = fill_slot (self, i, &program->buffers[i], options->seed, NULL, error) &&
              reset_slot (self, self->slots->pdata[i], error);
  if (is_done && options->check && options->blocks == NULL && program->kernel->reference != NULL)
    {
      emulate (self, options, FALSE, deadline_us, cancellable);
      expected = get_expected (self, job, program, cancellable, error);
      is_done = expected != NULL;
    }
  end_stage (outcome, CURED_STAGE_PREPARE, &start_us);
  if (!is_done || g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;

  g_autofree CuredDevicePtr *bindings = bind_slots (self, program, options, error);
  if (bindings == NULL)
    return FALSE;
  if (options->check || !has_time)
    {
      cured_job_enter_stage (job, CURED_STAGE_CHECK);
      emulate (self, options, TRUE, deadline_us, cancellable);
      is_done = check_output (self, program, bindings, expected, &run_ns, outcome, error) &&
                take_excerpts (self, job, program, bindings, outcome, error);
      quote_findings (program->kernel, options, outcome);
      end_stage (outcome, CURED_STAGE_CHECK, &start_us);
      if (!is_done)
        return FALSE;
      if (outcome->n_mismatches > 0)
        {
          g_autofree char *count = cured_format_count ((gint64) outcome->n_mismatches);

          cured_outcome_set_state (outcome, CURED_STATE_WRONG,
                                   g_dngettext (GETTEXT_PACKAGE, "%s element is wrong",
                                                "%s elements are wrong",
                                                (gulong) outcome->n_mismatches),
                                   count);
          return FALSE;
        }
    }
  /* What the kernel prints is told of one run, which is not among those that are timed. */
  else if (!run_once (self, program, bindings, &run_ns, error) ||
           !take_excerpts (self, job, program, bindings, outcome, error))
    return FALSE;

  if (!has_time)
    {
      if (options->caches && device->klass->emulator != NULL &&
          !predict_caches (self, program, options, deadline_us, outcome, cancellable, error))
        return FALSE;
      cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
      return TRUE;
    }
  cured_job_enter_stage (job, CURED_STAGE_TIME);
  if (options->cold)
    is_done =
        cured_sampler_take (device, self->module, program, bindings, CURED_TIMING_COLD, options,
                            run_ns >= CURED_SLOW_NS, &outcome->cold, cancellable, error);
  if (is_done && options->hot)
    is_done =
        cured_sampler_take (device, self->module, program, bindings, CURED_TIMING_HOT, options,
                            run_ns >= CURED_SLOW_NS, &outcome->hot, cancellable, error);
  if (is_done)
    is_done = read_cycles (self, program, bindings, outcome, error);
  end_stage (outcome, CURED_STAGE_TIME, &start_us);
  if (!is_done)
    return FALSE;
  if (options->counts)
    count_work (self, job, outcome, cancellable);
  cured_outcome_fill_times (outcome);
  derive_rates (device, program, outcome);
  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  return TRUE;
}

/**
 * cured_measure:
 * @device: where to run
 * @job: what to run
 * @outcome: a fresh outcome, which is filled in
 * @cancellable: (nullable): looked at between stages and samples
 * @error: return location
 *
 * Compiles, checks and times one cell, or has the device's other process do it. Blocks. What is
 * wrong with the cell itself (it does not compile, is not launchable, faults, writes a wrong
 * output) is a state of @outcome and TRUE.
 *
 * A CUDA device in this process can't enforce the job's time limit: a kernel that never ends blocks
 * for ever. Use cured_worker_device_new() for such. The program has run once when %CURED_STAGE_TIME
 * begins, checked or not. On a device that has no time, one run is counted instead.
 *
 * Returns: FALSE where the device can't go on: %CURED_ERROR_STICKY (@outcome
 *   still says what became of the cell), %CURED_ERROR_NO_COMPILER,
 *   %G_IO_ERROR_CANCELLED, or the error of another process
 */
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
  Workbench *bench = get_workbench (device, error);
  if (bench == NULL)
    return FALSE;
  if (measure (bench, job, program, outcome, cancellable, &problem) || problem == NULL)
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

/**
 * cured_device_can_renew:
 * @device: a device
 *
 * Returns: whether it measures in another process, which can be replaced
 */
gboolean
cured_device_can_renew (CuredDevice *device)
{
  return device->klass->get_machine == NULL && device->klass->launch == NULL;
}

/**
 * cured_device_foresee_renewal:
 * @device: a device that cured_device_can_renew() is TRUE of
 *
 * Says that cured_device_renew() will follow. What can be done for it while the process measures,
 * without the device, is begun. May be said again.
 */
void
cured_device_foresee_renewal (CuredDevice *device)
{
  g_return_if_fail (cured_device_can_renew (device));

  get_cells (device)->foresee (device);
}

/**
 * cured_device_renew:
 * @device: a device that cured_device_can_renew() is TRUE of
 *
 * Ends its process. A fresh one measures the next cell: nothing is left of what the other had
 * allocated, loaded or calibrated. The other is gone before the fresh one measures. Blocks for two
 * seconds at most.
 */
void
cured_device_renew (CuredDevice *device)
{
  g_return_if_fail (cured_device_can_renew (device));

  get_cells (device)->renew (device);
}

/**
 * cured_demand_free:
 * @self: (transfer full): what a launch needs
 */
void
cured_demand_free (CuredDemand *self)
{
  g_free (self->entry);
  g_free (self);
}

/**
 * cured_inspect:
 * @device: of this process: a CUDA device, or the emulator of a chip
 * @job: a kernel at a point of its parameters
 * @error: CURED_ERROR_NOT_LAUNCHABLE for a point that breaks a limit,
 *   CURED_ERROR_COMPILE, CURED_ERROR_NO_COMPILER, or the device's
 *
 * Compiles the kernel and asks what its launches need, without running it. Blocks.
 *
 * Returns: (transfer full) (element-type CuredDemand): one a launch
 */
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
  Workbench *bench = get_workbench (device, error);
  if (bench == NULL || load_variant (bench, program, job->options, &compile_ns, error) == NULL ||
      !annotate_variant (bench, program, job->options, error))
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

/* -- ahead -- */

/* A later cell, whose inputs and expected output other processes may want. */
typedef struct
{
  CuredProgram *program;
  guint64 seed;
  gboolean check;
} Ahead;

static void
ahead_free (Ahead *self)
{
  cured_program_free (self->program);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Ahead, ahead_free)

/* A host that works at the same time would be seen in what it does as a step of the program. */
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

/* What somebody else is making is left to them. Not of lower priority: whoever measures may come to
 * wait for it. */
static void
make_ahead (gpointer data, gpointer user_data)
{
  g_autoptr (Ahead) ahead = data;
  Workbench *self = user_data;
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

/* Takes @program over. */
static void
prepare_contents (Workbench *self, CuredProgram *program, const CuredOptions *options)
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

/* Has the variant compiled on another core. */
static void
prepare_variant (Workbench *self, const CuredProgram *program, const CuredOptions *options)
{
  CuredDevice *device = self->device;
  const CuredEmulatorClass *emulator = device->klass->emulator;
  g_autoptr (CuredSources) sources = NULL;
  g_auto (GStrv) compile_options = get_compile_options (program, options, NULL);

  if (compile_options != NULL)
    sources = get_sources (program->kernel, options, NULL);
  if (sources == NULL)
    return;
  g_autofree char *file_name = cured_kernel_get_file_name (program->kernel);
  /* Of the emulator, that brings the PTX. */
  g_autofree char *arch = emulator != NULL ? g_strdup (emulator->get_binary_arch (device))
                                           : get_image_arch (device, program->kernel);
  cured_compiler_prepare (self->compiler, sources, file_name, (const char *const *) compile_options,
                          arch);
}

/**
 * cured_prepare:
 * @device: where a job will run
 * @job: the job
 *
 * Starts compiling a job's variant on another core, so that a later
 * cured_measure() need not wait; and making its inputs and expected output, where @device shares
 * them with others. Never blocks for long, reports nothing: what is wrong with the job shows when
 * it is measured. May be called while another thread measures on @device.
 */
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
  Workbench *bench = get_workbench (device, NULL);
  if (bench == NULL)
    return;
  g_autoptr (CuredProgram) program =
      cured_program_new (job->kernel, job->values, &device->info.limits, NULL);
  if (program == NULL)
    return;
  if (bench->compiler != NULL)
    prepare_variant (bench, program, job->options);
  prepare_contents (bench, g_steal_pointer (&program), job->options);
}
