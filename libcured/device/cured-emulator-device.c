/* SPDX-License-Identifier: MIT
 * The emulator as a device: kernels run on this machine's processor, within the limits of an
 * emulated chip. */
#include <unistd.h>

#include "base/cured-base-internal.h"
#include "device/cured-compiler.h"
#include "device/cured-emulated-internal.h"
#include "device/cured-kind-private.h"
#include "ptx/cured-finding-internal.h"
#include "ptx/emulator/cured-work-count-internal.h"
#include "ptx/machine/cured-memory.h"

#define DEFAULT_ARCH "sm_90"

/* The emulated device may have 1 / MEMORY_SHARE of the machine's memory; the rest is for inputs,
 * references and the detectors. */
#define MEMORY_SHARE 2

/* Limit of findings and printed output that a run keeps. */
#define MAX_OUTPUT_BYTES (1 << 20)

typedef struct
{
  CuredDevice parent;
  const CuredProfile *profile;
  CuredMemory *memory;
  CuredEmulation emulation;
  CuredCounts counts;
  GString *output;
} EmulatorDevice;

/* This device's CuredModule. */
typedef struct
{
  CuredPtxModule *ptx;
  GBytes *binary; /* nullable: the chip's machine code */
} EmulatorModule;

static void
emulator_unload (CuredDevice *device, CuredModule *loaded)
{
  EmulatorModule *module = (EmulatorModule *) loaded;

  cured_ptx_module_free (module->ptx);
  g_clear_pointer (&module->binary, g_bytes_unref);
  g_free (module);
}

static CuredModule *
emulator_load (CuredDevice *device, GBytes *image, GError **error)
{
  EmulatorDevice *self = (EmulatorDevice *) device;
  CuredPtxModule *ptx = _cured_emulated_load (image, "PTX", self->memory, error);

  if (ptx == NULL)
    return NULL;
  EmulatorModule *module = g_new0 (EmulatorModule, 1);
  module->ptx = ptx;
  return (CuredModule *) module;
}

static const char *
emulator_get_binary_arch (CuredDevice *device)
{
  return ((EmulatorDevice *) device)->profile->arch;
}

static void
emulator_annotate (CuredDevice *device, CuredModule *loaded, GBytes *binary)
{
  EmulatorModule *module = (EmulatorModule *) loaded;

  g_bytes_ref (binary);
  g_clear_pointer (&module->binary, g_bytes_unref);
  module->binary = binary;
}

/* Without the chip's machine code, the number of registers is unknown, and limits nothing. */
static gboolean
emulator_query (CuredDevice *device, CuredModule *loaded, const CuredProgramStep *step,
                CuredFunctionInfo *info, GError **error)
{
  EmulatorDevice *self = (EmulatorDevice *) device;
  EmulatorModule *module = (EmulatorModule *) loaded;
  const CuredProfile *profile = self->profile;
  gint64 threads = (gint64) step->block[0] * step->block[1] * step->block[2];
  gsize shared_bytes = 0;
  CuredPtxEntry entry;

  if (!_cured_emulated_find_entry (module->ptx, step->entry, &entry, error))
    return FALSE;
  info->registers = 0;
  info->local_bytes = entry.local_bytes;
  if (module->binary != NULL &&
      !_cured_cubin_read_usage (module->binary, step->entry, &info->registers, &info->local_bytes,
                                error))
    return FALSE;
  info->shared_static = entry.shared_bytes;
  info->max_threads_per_block = cured_occupancy_get_max_threads (profile, info->registers);
  if (entry.max_threads > 0)
    info->max_threads_per_block = MIN (info->max_threads_per_block, entry.max_threads);
  info->blocks_per_sm = 0;
  if (g_size_checked_add (&shared_bytes, entry.shared_bytes, step->shared_bytes))
    {
      CuredOccupancy occupancy;

      cured_occupancy_init (&occupancy, profile, threads, info->registers, shared_bytes);
      info->blocks_per_sm = occupancy.blocks;
    }
  return TRUE;
}

static gboolean
emulator_find_variable (CuredDevice *device, CuredModule *module, const char *name,
                        CuredDevicePtr *address, gsize *size, GError **error)
{
  return _cured_emulated_find_variable (((EmulatorModule *) module)->ptx, name, address, size,
                                        error);
}

static gboolean
emulator_allocate (CuredDevice *device, gsize size, CuredDevicePtr *address, GError **error)
{
  return cured_memory_allocate (((EmulatorDevice *) device)->memory, size, address, error);
}

static void
emulator_release (CuredDevice *device, CuredDevicePtr address)
{
  cured_memory_release (((EmulatorDevice *) device)->memory, address);
}

/* The bytes of an allocation, for an access by the host, not by a
 * kernel. */
static void *
map (EmulatorDevice *self, CuredDevicePtr address, gsize size, GError **error)
{
  void *bytes = cured_memory_map (self->memory, address, size);

  if (bytes == NULL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_DEVICE,
                 _ ("%zu bytes at 0x%" PRIx64 " are not within one allocation of the emulator"),
                 size, address);
  return bytes;
}

static gboolean
emulator_upload (CuredDevice *device, CuredDevicePtr to, const void *from, gsize size,
                 GError **error)
{
  EmulatorDevice *self = (EmulatorDevice *) device;

  if (size == 0)
    return TRUE;
  void *bytes = map (self, to, size, error);
  if (bytes == NULL)
    return FALSE;
  memcpy (bytes, from, size);
  cured_memory_define (self->memory, to, size);
  return TRUE;
}

static gboolean
emulator_download (CuredDevice *device, void *to, CuredDevicePtr from, gsize size, GError **error)
{
  if (size == 0)
    return TRUE;
  const void *bytes = map ((EmulatorDevice *) device, from, size, error);
  if (bytes != NULL)
    memcpy (to, bytes, size);
  return bytes != NULL;
}

static gboolean
emulator_copy (CuredDevice *device, CuredDevicePtr to, CuredDevicePtr from, gsize size,
               GError **error)
{
  EmulatorDevice *self = (EmulatorDevice *) device;

  if (size == 0)
    return TRUE;
  const void *source = map (self, from, size, error);
  void *target = source != NULL ? map (self, to, size, error) : NULL;
  if (target == NULL)
    return FALSE;
  memmove (target, source, size);
  cured_memory_define (self->memory, to, size);
  return TRUE;
}

static gboolean
emulator_set (CuredDevice *device, CuredDevicePtr to, guint8 value, gsize size, GError **error)
{
  EmulatorDevice *self = (EmulatorDevice *) device;

  if (size == 0)
    return TRUE;
  void *bytes = map (self, to, size, error);
  if (bytes == NULL)
    return FALSE;
  memset (bytes, value, size);
  cured_memory_define (self->memory, to, size);
  return TRUE;
}

static void
emulator_label (CuredDevice *device, CuredDevicePtr address, gsize size, const char *name,
                gsize element_bytes, gboolean is_undefined)
{
  cured_memory_label (((EmulatorDevice *) device)->memory, address, size, name, element_bytes,
                      is_undefined);
}

static void
emulator_emulate (CuredDevice *device, const CuredEmulation *emulation)
{
  EmulatorDevice *self = (EmulatorDevice *) device;

  /* Discard uncollected counts: they are from runs that do not count, such as a
   * reference's. */
  _cured_counts_clear (&self->counts);
  g_string_truncate (self->output, 0);
  self->emulation = *emulation;
}

/* ---- Counts ---- */

static void
add_finding (EmulatorDevice *self, const CuredFinding *finding)
{
  GPtrArray *findings = self->counts.findings;

  cured_findings_add (findings, finding);
  if (findings->len > CURED_MAX_FINDINGS)
    g_ptr_array_set_size (findings, CURED_MAX_FINDINGS);
}

/* Adds the detectors' findings and the kernel's output. */
static void
add_found (EmulatorDevice *self, const CuredReport *report)
{
  for (guint i = 0; report->findings != NULL && i < report->findings->len; i++)
    add_finding (self, g_ptr_array_index (report->findings, i));
  if (report->output != NULL && self->output->len < MAX_OUTPUT_BYTES)
    g_string_append_len (self->output, report->output->str,
                         (gssize) MIN (report->output->len, MAX_OUTPUT_BYTES - self->output->len));
}

static void
add_report (EmulatorDevice *self, const CuredPtxModule *module, const CuredProgramStep *step,
            const CuredReport *report)
{
  CuredCounts *counts = &self->counts;

  if (counts->findings == NULL)
    counts->findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  add_found (self, report);
  /* Untimed steps are not counted. */
  if (step->setup != CURED_SETUP_NO)
    return;
  counts->blocks += report->n_blocks_run;
  counts->instructions += report->instructions;
  counts->lane_instructions += report->lane_instructions;
  counts->barriers += report->barriers;
  for (guint i = 0; report->counts != NULL && i < report->n_counts; i++)
    {
      const CuredSiteCounts *site = &report->counts[i];

      counts->diverged += site->diverged;
      counts->wavefronts += site->wavefronts;
      counts->least += site->least;
      counts->remote += site->remote;
      counts->requests += site->requests - site->shared_requests - site->local_requests;
      counts->sectors += site->sectors;
      counts->loads += _cured_ptx_count_loads (&module->code[i], site);
      counts->flops += _cured_ptx_count_flops (&module->code[i], site);
      g_autoptr (CuredFinding) conflict = _cured_ptx_find_conflict (module, i, step->entry, site);
      if (conflict != NULL)
        add_finding (self, conflict);
    }
}

static void
emulator_collect (CuredDevice *device, CuredCounts *counts)
{
  EmulatorDevice *self = (EmulatorDevice *) device;

  if (self->output->len > 0)
    {
      /* Kernels print bytes; invalid UTF-8 is repaired. */
      self->counts.output = g_utf8_make_valid (self->output->str, (gssize) self->output->len);
      g_string_truncate (self->output, 0);
    }
  *counts = self->counts;
  self->counts = (CuredCounts){ 0 };
  if (counts->findings == NULL)
    counts->findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
}

/* ---- Runs ---- */

typedef struct
{
  EmulatorDevice *device;
  const CuredEmulated *emulated;
  guint64 stored; /* sectors of global memory */
} Run;

/* The number of blocks of the grid that each executed block represents. */
static double
get_scale (const CuredProgramStep *step, const CuredReport *report)
{
  double n_blocks = (double) step->grid[0] * step->grid[1] * step->grid[2];

  return report->end == CURED_END_DONE && report->n_blocks_run > 0
             ? n_blocks / (double) report->n_blocks_run
             : 1;
}

/* Adds a launch to the counts, and ends the run if the launch failed. */
static gboolean
take_report_cb (const CuredProgramStep *step, const CuredReport *report, gpointer user_data,
                GError **error)
{
  Run *run = user_data;
  CuredCounts *counts = &run->device->counts;

  for (guint i = 0; i < report->n_regions; i++)
    run->stored += report->regions[i].written;

  add_report (run->device, run->emulated->module, step, report);
  if (report->counts != NULL && step->setup == CURED_SETUP_NO)
    {
      if (counts->work == NULL)
        counts->work = cured_workload_new ();
      _cured_emulated_add_work (run->emulated, step, report, get_scale (step, report), TRUE,
                                counts->work);
    }
  if (report->end == CURED_END_DONE)
    return TRUE;
  g_set_error (error, CURED_ERROR,
               report->end == CURED_END_TIMED_OUT ? CURED_ERROR_TIMED_OUT : CURED_ERROR_DEVICE,
               "%s", report->end_text);
  return FALSE;
}

/* Whether the kernel is expected to store: there is an output, and no reference for it. */
static gboolean
wants_stores (const CuredProgram *program, const CuredEmulation *emulation)
{
  gboolean has_output = FALSE;

  for (gsize i = 0; i < program->n_buffers; i++)
    has_output |= program->buffers[i].buffer->fill == CURED_FILL_POISON;
  return has_output && program->kernel->reference == NULL && emulation->blocks == NULL &&
         (emulation->watch & (CURED_WATCH_COUNTS | CURED_WATCH_RACES)) ==
             (CURED_WATCH_COUNTS | CURED_WATCH_RACES);
}

static void
add_no_store (EmulatorDevice *self, const CuredProgram *program)
{
  g_autoptr (CuredFinding) finding = g_new0 (CuredFinding, 1);

  finding->kind = CURED_FINDING_NO_STORE;
  for (gsize i = 0; i < program->n_steps && finding->kernel == NULL; i++)
    finding->kernel = g_strdup (program->steps[i].entry);
  finding->here.what = NC_ ("in a finding", "write");
  finding->count = 1;
  finding->detail = g_strdup (_ ("no store to a buffer was executed"));
  add_finding (self, finding);
}

static gboolean
emulator_run (CuredDevice *device, CuredModule *loaded, const CuredProgram *program,
              const CuredDevicePtr *bindings, GError **error)
{
  EmulatorDevice *self = (EmulatorDevice *) device;
  CuredEmulated emulated = {
    .program = program,
    .module = ((EmulatorModule *) loaded)->ptx,
    .memory = self->memory,
    .bindings = bindings,
    .limits = &device->info.limits,
    .emulation = self->emulation,
  };
  Run run = { self, &emulated, 0 };

  if (!_cured_emulated_run (&emulated, program->n_steps, take_report_cb, &run, error))
    return FALSE;
  if (run.stored == 0 && self->counts.findings != NULL && wants_stores (program, &self->emulation))
    add_no_store (self, program);
  return TRUE;
}

static void
emulator_close (CuredDevice *device)
{
  EmulatorDevice *self = (EmulatorDevice *) device;

  g_clear_pointer (&self->memory, cured_memory_free);
  _cured_counts_clear (&self->counts);
  g_string_free (self->output, TRUE);
  cured_device_info_clear (&device->info);
  g_free (self);
}

static const CuredLaunchClass emulator_launch = {
  .load = emulator_load,
  .unload = emulator_unload,
  .query = emulator_query,
  .find_variable = emulator_find_variable,
  .allocate = emulator_allocate,
  .release = emulator_release,
  .upload = emulator_upload,
  .download = emulator_download,
  .copy = emulator_copy,
  .set = emulator_set,
  .run = emulator_run,
};

static const CuredEmulatorClass emulator_emulator = {
  .emulate = emulator_emulate,
  .label = emulator_label,
  .get_binary_arch = emulator_get_binary_arch,
  .annotate = emulator_annotate,
  .collect = emulator_collect,
};

static const CuredDeviceClass emulator_class = {
  .launch = &emulator_launch,
  .emulator = &emulator_emulator,
  .close = emulator_close,
};

static void
set_text (char **text, char *value)
{
  g_free (*text);
  *text = value;
}

/* Sets @info to the profile's chip, except the memory, which is the machine's. */
void
_cured_emulator_become (const CuredProfile *profile, CuredDeviceInfo *info)
{
  gint64 global_bytes = info->limits.global_bytes;

  set_text (&info->id, g_strdup_printf ("emulator:%s", profile->arch));
  set_text (&info->kind, g_strdup ("emulator"));
  set_text (&info->name, g_strdup_printf ("Emulator of %s", profile->arch));
  /* "sm_90" runs PTX compiled for "compute_90". */
  set_text (&info->arch, g_strdup_printf ("compute_%s", profile->arch + strlen ("sm_")));
  info->limits = profile->limits;
  info->limits.emulated = 1;
  info->limits.global_bytes = global_bytes;
}

static void
fill_info (const CuredProfile *profile, CuredDeviceInfo *info)
{
  gint64 pages = sysconf (_SC_PHYS_PAGES), page_bytes = sysconf (_SC_PAGE_SIZE);

  cured_device_info_init (info);
  _cured_emulator_become (profile, info);
  if (pages > 0 && page_bytes > 0)
    info->limits.global_bytes = pages * page_bytes / MEMORY_SHARE;
}

static CuredDevice *
emulator_open (const char *arch, GError **error)
{
  g_autofree char *name = g_strdup (arch != NULL ? arch : DEFAULT_ARCH);
  gsize length = strlen (name);
  int least_major = 0;

  /* From 9.0 on, sm_90a is sm_90 with chip-specific instructions; from 10.0 on, sm_100f with those
   * of its family. */
  if (length > 0 && strchr ("af", name[length - 1]) != NULL)
    {
      least_major = name[length - 1] == 'f' ? 10 : 9;
      name[length - 1] = '\0';
    }
  const CuredProfile *profile = cured_profile_find (name);

  if (profile == NULL || !profile->is_emulated || profile->limits.compute_major < least_major)
    {
      g_autoptr (GString) known = g_string_new (NULL);
      gsize n_profiles = 0;
      const CuredProfile *profiles = cured_profile_list (&n_profiles);

      for (gsize i = 0; i < n_profiles; i++)
        if (profiles[i].is_emulated)
          g_string_append_printf (known, "%semulator:%s", known->len > 0 ? ", " : "",
                                  profiles[i].arch);
      return cured_fail_null (error, CURED_ERROR_NO_DEVICE,
                              _ ("There is no device emulator:%s; there are: %s"), arch,
                              known->str);
    }
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (error);
  if (compiler == NULL)
    return NULL;

  EmulatorDevice *self = CURED_NEW (EmulatorDevice, .parent.klass = &emulator_class,
                                    .profile = profile, .output = g_string_new (NULL));
  fill_info (profile, &self->parent.info);
  set_text (&self->parent.info.compiler, g_strdup (cured_compiler_get_version (compiler)));
  self->memory = cured_memory_new ((guint64) self->parent.info.limits.global_bytes);
  return &self->parent;
}

static void
emulator_list (GPtrArray *list)
{
  CuredDeviceFound *found =
      CURED_NEW (CuredDeviceFound, .id = g_strdup ("emulator"), .info = g_new (CuredDeviceInfo, 1));

  fill_info (cured_profile_find (DEFAULT_ARCH), found->info);
  g_ptr_array_add (list, found);
}

const CuredDeviceKind _cured_emulator_kind = {
  .name = "emulator",
  .open = emulator_open,
  .list = emulator_list,
};
