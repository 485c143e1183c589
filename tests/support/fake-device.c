/* SPDX-License-Identifier: MIT
 * A device for the tests: computes what the reference says, takes made-up times, and fails where it
 * is told to. */
#include "fake-device.h"

#include <math.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "base/cured-units.h"
#include "device/cured-device-internal.h"
#include "kernel/read/cured-catalogue-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "kernel/reference/cured-reference-internal.h"
#include "made-up-limits.h"

#define COLD_OVERHEAD_NS 2500.0
#define CLOCK_HZ         1980e6

typedef struct
{
  CuredDevice parent;
  char **faults; /* "hang=3" */
  gboolean is_lost;
  gboolean is_new_cell; /* its first launch comes */
  gboolean is_untimed;  /* its first span comes */
  guint n_spans;
  guint n_starts; /* of devices before this one, where "starts" counts them */
} FakeDevice;

static const char *
find_setting (FakeDevice *self, const char *name)
{
  gsize length = strlen (name);

  for (guint i = 0; self->faults[i] != NULL; i++)
    if (strncmp (self->faults[i], name, length) == 0 && self->faults[i][length] == '=')
      return self->faults[i] + length + 1;
  return NULL;
}

static gint64
get_key (FakeDevice *self, const CuredProgram *program)
{
  const char *key = find_setting (self, "key");
  gint64 value;

  if (cured_program_get_value (program, key != NULL ? key : "blocks", &value))
    return value;
  return program->values[0];
}

static gboolean
is_told_to (FakeDevice *self, const char *action, gint64 key)
{
  g_autofree char *exactly = g_strdup_printf ("%s=%" G_GINT64_FORMAT, action, key);
  g_autofree char *always = g_strdup_printf ("%s=*", action);

  return g_strv_contains ((const char *const *) self->faults, exactly) ||
         g_strv_contains ((const char *const *) self->faults, always);
}

/* A sanitizer would take these signals for its own. */
static void
die_of (int number)
{
  g_printerr ("fake device: dying as told\n");
  signal (number, SIG_DFL);
  raise (number);
}

static gboolean
misbehave (FakeDevice *self, const CuredProgram *program, GError **error)
{
  gint64 key = get_key (self, program);
  const char *ms = find_setting (self, "ms");
  const char *until = find_setting (self, "until");

  /* Once a cell, not once a launch. */
  if (ms != NULL && self->is_new_cell)
    g_usleep ((gulong) (g_ascii_strtod (ms, NULL) * 1000));
  if (is_told_to (self, "wait", key) ||
      (self->n_starts > 0 && is_told_to (self, "wait-later", key)))
    while (until != NULL && access (until, F_OK) != 0)
      g_usleep (1000);
  if (is_told_to (self, "slow", key) && self->is_new_cell)
    g_usleep (300 * 1000);
  self->is_new_cell = FALSE;
  while (is_told_to (self, "hang", key))
    pause ();
  if (is_told_to (self, "crash", key))
    die_of (SIGABRT);
  if (is_told_to (self, "segv", key))
    die_of (SIGSEGV);
  if (is_told_to (self, "kill", key))
    kill (getpid (), SIGKILL);
  if (is_told_to (self, "exit", key))
    _exit (0);
  if (is_told_to (self, "print", key))
    printf ("thread 0 of cell %" G_GINT64_FORMAT " says hello\n", key);
  if (is_told_to (self, "chatter", key))
    for (int i = 0; i < 1 << 16; i++)
      printf ("sixteen bytes.\n");
  if (is_told_to (self, "fail", key) ||
      (self->n_starts > 0 && is_told_to (self, "fail-later", key)))
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_DEVICE, "The fake device fails as told");
      return FALSE;
    }
  if (is_told_to (self, "sticky", key))
    self->is_lost = TRUE;
  if (self->is_lost)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_STICKY, "The fake device is lost as told");
      return FALSE;
    }
  return TRUE;
}

static CuredModule *
fake_load (CuredDevice *device, GBytes *image, GError **error)
{
  g_return_val_if_fail (image == NULL, NULL);

  /* Nothing is compiled: any address will do. */
  return g_malloc (1);
}

static void
fake_unload (CuredDevice *device, CuredModule *module)
{
  g_free (module);
}

static gboolean
fake_query (CuredDevice *device, CuredModule *module, const CuredProgramStep *step,
            CuredFunctionInfo *info, GError **error)
{
  FakeDevice *self = (FakeDevice *) device;
  guint threads = step->block[0] * step->block[1] * step->block[2];

  self->is_new_cell = TRUE;
  self->is_untimed = TRUE;
  info->registers = 32;
  info->shared_static = 0;
  info->local_bytes = 0;
  info->max_threads_per_block = 1024;
  info->blocks_per_sm = (int) CLAMP (2048 / MAX (threads, 1), 1, 32);
  return TRUE;
}

/* Nothing was compiled, so that there is no variable either: room for any. */
static gboolean
fake_find_variable (CuredDevice *device, CuredModule *module, const char *name,
                    CuredDevicePtr *address, gsize *size, GError **error)
{
  static guint8 room[65536];

  *address = (CuredDevicePtr) (gsize) room;
  *size = sizeof room;
  return TRUE;
}

static gboolean
fake_allocate (CuredDevice *device, gsize size, CuredDevicePtr *address, GError **error)
{
  void *memory = g_try_malloc (MAX (size, 1));

  if (memory == NULL)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_DEVICE, "The fake device has no %zu bytes left",
                   size);
      return FALSE;
    }
  *address = (CuredDevicePtr) (guintptr) memory;
  return TRUE;
}

static void *
to_host (CuredDevicePtr address)
{
  return (void *) (guintptr) address;
}

static void
fake_release (CuredDevice *device, CuredDevicePtr address)
{
  g_free (to_host (address));
}

static gboolean
fake_upload (CuredDevice *device, CuredDevicePtr to, const void *from, gsize size, GError **error)
{
  memcpy (to_host (to), from, size);
  return TRUE;
}

static gboolean
fake_download (CuredDevice *device, void *to, CuredDevicePtr from, gsize size, GError **error)
{
  memcpy (to, to_host (from), size);
  return TRUE;
}

static gboolean
fake_copy (CuredDevice *device, CuredDevicePtr to, CuredDevicePtr from, gsize size, GError **error)
{
  memmove (to_host (to), to_host (from), size);
  return TRUE;
}

static gboolean
fake_set (CuredDevice *device, CuredDevicePtr to, guint8 value, gsize size, GError **error)
{
  memset (to_host (to), value, size);
  return TRUE;
}

/* The C function behind a kernel's reference, or behind its reference's. Where that lies on another
 * machine, the sum that all kernels of the tests compute does. */
static const CuredReference *
find_reference (CuredKernel *kernel)
{
  const char *name = kernel->reference;

  if (name == NULL)
    return NULL;
  const CuredReference *reference = cured_reference_find (name);
  if (reference != NULL)
    return reference;
  g_autoptr (CuredKernel) other = cured_catalogue_load_reference (kernel, NULL);
  return other != NULL ? find_reference (other) : cured_reference_find ("vector-add");
}

static gboolean
fake_run (CuredDevice *device, CuredModule *module, const CuredProgram *program,
          const CuredDevicePtr *bindings, GError **error)
{
  FakeDevice *self = (FakeDevice *) device;
  int output = program->kernel->output;
  gsize size;

  if (!misbehave (self, program, error))
    return FALSE;
  /* Cycles are counted by every other thread that has a place for them. */
  for (gint64 i = 0; program->cycles >= 0 && i < program->buffers[program->cycles].length; i += 2)
    ((guint32 *) to_host (bindings[program->cycles]))[i] = (guint32) (1000 + i);
  if (output < 0)
    return TRUE;
  const CuredReference *reference = find_reference (program->kernel);
  if (reference == NULL)
    return TRUE;

  g_autofree const void **inputs = g_new0 (const void *, program->n_buffers);
  for (gsize i = 0; i < program->n_buffers; i++)
    inputs[i] = to_host (bindings[i]);
  size = program->buffers[output].size;
  g_autofree guint8 *result = g_malloc0 (MAX (size, 1));
  if (!reference->func (program, inputs, result, NULL, error))
    return FALSE;
  if (size > 0 && is_told_to (self, "lie", get_key (self, program)))
    result[size / 2] ^= 0x40;
  memcpy (to_host (bindings[output]), result, size);
  return TRUE;
}

/* A landscape with one valley, the same at each run. */
static double
make_up_time_ns (const CuredProgram *program)
{
  gsize n_parameters;
  double time_ns = 20000;

  n_parameters = program->kernel->n_parameters;
  for (gsize i = 0; i < n_parameters; i++)
    time_ns *= 1 + 0.05 * fabs (log2 (1 + fabs ((double) program->values[i])) - (4 + (double) i));
  return time_ns;
}

static double
get_factor (FakeDevice *self)
{
  const char *percent = find_setting (self, "percent");
  const char *drift = find_setting (self, "drift");
  const char *between = find_setting (self, "between");
  const char *scale = find_setting (self, "scale");
  double factor = 1;

  if (percent != NULL)
    factor += g_ascii_strtod (percent, NULL) / 100;
  if (drift != NULL && self->n_spans > 200)
    factor += g_ascii_strtod (drift, NULL) / 100;
  /* Each process its own. */
  if (between != NULL)
    factor += g_ascii_strtod (between, NULL) / 100 * self->n_starts;
  if (scale != NULL)
    factor *= g_ascii_strtod (scale, NULL);
  return factor;
}

/* Half of the clock for as many spans as it is told. */
static gboolean
is_throttled (FakeDevice *self)
{
  const char *throttle = find_setting (self, "throttle");

  return throttle != NULL && self->n_spans <= g_ascii_strtoull (throttle, NULL, 10);
}

/* A byte a device, in a file that tells the processes of a sweep apart. */
static void
count_start (FakeDevice *self)
{
  const char *path = find_setting (self, "starts");
  FILE *file = path != NULL ? fopen (path, "ab") : NULL;

  if (file == NULL)
    return;
  /* No two get the same number: it is where its own byte went. */
  fputc ('.', file);
  fflush (file);
  self->n_starts = (guint) ftell (file) - 1;
  fclose (file);
}

static gboolean
fake_span (CuredDevice *device, CuredModule *module, const CuredProgram *program,
           const CuredDevicePtr *bindings, CuredTimingMode mode, guint runs, CuredSpan *span,
           GError **error)
{
  FakeDevice *self = (FakeDevice *) device;
  double noise = 0.002 * ((double) (self->n_spans++ % 7) - 3) / 3;
  double time_ns = make_up_time_ns (program) * get_factor (self);
  gboolean is_first = self->is_untimed;

  if (self->is_lost)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_STICKY, "Lost");
      return FALSE;
    }
  self->is_untimed = FALSE;
  if (is_first && !fake_run (device, module, program, bindings, error))
    return FALSE;
  if (!is_first && is_told_to (self, "print", get_key (self, program)))
    printf ("a run that is timed says hello\n");
  if (mode == CURED_TIMING_HOT)
    span->elapsed_ns = 0.8 * time_ns * (1 + noise) * runs + COLD_OVERHEAD_NS;
  else
    span->elapsed_ns = time_ns * (1 + noise) * runs + COLD_OVERHEAD_NS;
  span->runs = runs;
  span->sm_clock_hz = is_throttled (self) ? CLOCK_HZ / 2 : CLOCK_HZ;
  return TRUE;
}

static void
fake_close (CuredDevice *device)
{
  FakeDevice *self = (FakeDevice *) device;

  g_strfreev (self->faults);
  cured_device_info_clear (&self->parent.info);
  g_free (self);
}

static const CuredLaunchClass fake_launch = { .load = fake_load,
                                              .unload = fake_unload,
                                              .query = fake_query,
                                              .find_variable = fake_find_variable,
                                              .allocate = fake_allocate,
                                              .release = fake_release,
                                              .upload = fake_upload,
                                              .download = fake_download,
                                              .copy = fake_copy,
                                              .set = fake_set,
                                              .run = fake_run };

static const CuredDeviceClass fake_device_class = { .launch = &fake_launch,
                                                    .span = fake_span,
                                                    .close = fake_close };

/* A device for one process at a time: the file says which has it, by the process around this one,
 * which outlives it. */
static gboolean
is_refused (FakeDevice *self)
{
  const char *path = find_setting (self, "alone");
  g_autofree char *refused = g_strconcat (path, ".refused", NULL);

  if (path == NULL)
    return FALSE;
  int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0)
    {
      dprintf (fd, "%d", getppid ());
      close (fd);
    }
  else
    g_file_set_contents (refused, "", 0, NULL);
  return fd < 0;
}

CuredDevice *
fake_device_open (const char *id, GError **error)
{
  FakeDevice *self = g_new0 (FakeDevice, 1);
  CuredDeviceInfo *info = &self->parent.info;
  const char *faults = g_getenv ("CURED_FAKE");

  self->parent.klass = &fake_device_class;
  self->faults = g_strsplit (faults != NULL ? faults : "", ",", -1);
  count_start (self);
  info->id = g_strdup (id);
  info->kind = g_strdup ("fake");
  info->name =
      g_strdup (find_setting (self, "name") != NULL ? find_setting (self, "name") : "Fake device");
  info->sharing =
      g_strdup (find_setting (self, "sharing") != NULL ? find_setting (self, "sharing") : "");
  info->uuid = g_strconcat ("fake-", id, NULL);
  info->arch = g_strdup ("");
  info->driver = g_strdup ("0");
  info->runtime = g_strdup ("none");
  info->host = g_strdup (g_get_host_name ());
  info->compiler = g_strdup ("none");
  info->limits = (CuredLimits){
    H200_LIMITS,
    .l2_bytes = 50 << 20,
    .global_bytes = G_GINT64_CONSTANT (8) << 30,
    .sm_clock_khz = 1980000,
  };
  info->calibration.cold_overhead_ns = COLD_OVERHEAD_NS;
  info->calibration.resolution_ns = 32;
  info->ceilings.copy_bytes_per_s = 1e12;
  info->ceilings.read_bytes_per_s = 1e12;
  info->ceilings.fp32_flops = CURED_MISSING;
  info->ceilings.date = g_strdup ("2026-01-02");

  if (find_setting (self, "mib") != NULL)
    info->limits.global_bytes = (gint64) g_ascii_strtoull (find_setting (self, "mib"), NULL, 10)
                                << 20;
  if (find_setting (self, "open-ms") != NULL)
    g_usleep ((gulong) (1000 * g_ascii_strtoull (find_setting (self, "open-ms"), NULL, 10)));
  if (g_strcmp0 (find_setting (self, "open"), "fail") == 0 || is_refused (self))
    {
      fake_close (&self->parent);
      g_set_error (error, CURED_ERROR, CURED_ERROR_NO_DEVICE, "There is no fake device, as told");
      return NULL;
    }
  return &self->parent;
}
