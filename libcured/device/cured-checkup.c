/* SPDX-License-Identifier: MIT
 * Checks for conditions of a machine that prevent good measurements, with remedies. */
#include "device/cured-checkup.h"

#include <dlfcn.h>
#include <errno.h>
#include <langinfo.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cured-base-internal.h"
#include "device/cured-compiler.h"
#include "device/cured-compiler-internal.h"
#include "device/cured-device-internal.h"

/* NVML's C interface, as far as it is used here; the library comes with the driver, in which these
 * functions and numbers are stable. Source: NVML API reference. */
typedef struct _nvmlDevice *NvmlDevice;
typedef int NvmlResult;

#define NVML_SUCCESS                 0
#define NVML_ERROR_INSUFFICIENT_SIZE 7
#define NVML_ERROR_VERSION_MISMATCH  18
#define NVML_CLOCK_SM                1
#define NVML_COMPUTEMODE_PROHIBITED  2
#define NVML_UNCORRECTED             1
#define NVML_VOLATILE                0

/* ORDER: as the names below. */
typedef struct
{
  NvmlResult (*init) (void);
  NvmlResult (*shutdown) (void);
  NvmlResult (*get_count) (unsigned *n);
  NvmlResult (*get_handle) (unsigned index, NvmlDevice *device);
  NvmlResult (*get_name) (NvmlDevice device, char *name, unsigned length);
  NvmlResult (*get_driver) (char *version, unsigned length);
  NvmlResult (*get_cuda) (int *version);
  NvmlResult (*get_persistence) (NvmlDevice device, int *mode);
  NvmlResult (*get_reasons) (NvmlDevice device, unsigned long long *reasons);
  NvmlResult (*get_clock) (NvmlDevice device, int type, unsigned *mhz);
  NvmlResult (*get_most_clock) (NvmlDevice device, int type, unsigned *mhz);
  NvmlResult (*get_ecc) (NvmlDevice device, int *now, int *next);
  NvmlResult (*get_ecc_errors) (NvmlDevice device, int type, int since, unsigned long long *n);
  NvmlResult (*get_mig) (NvmlDevice device, unsigned *now, unsigned *next);
  NvmlResult (*get_processes) (NvmlDevice device, unsigned *n, void *processes);
  NvmlResult (*get_compute_mode) (NvmlDevice device, int *mode);
} Nvml;

static const char *const nvml_symbols[] = {
  "nvmlInit_v2",
  "nvmlShutdown",
  "nvmlDeviceGetCount_v2",
  "nvmlDeviceGetHandleByIndex_v2",
  "nvmlDeviceGetName",
  "nvmlSystemGetDriverVersion",
  "nvmlSystemGetCudaDriverVersion_v2",
  "nvmlDeviceGetPersistenceMode",
  "nvmlDeviceGetCurrentClocksThrottleReasons",
  "nvmlDeviceGetClockInfo",
  "nvmlDeviceGetMaxClockInfo",
  "nvmlDeviceGetEccMode",
  "nvmlDeviceGetTotalEccErrors",
  "nvmlDeviceGetMigMode",
  "nvmlDeviceGetComputeRunningProcesses_v3",
  "nvmlDeviceGetComputeMode",
};

G_STATIC_ASSERT (sizeof (Nvml) == G_N_ELEMENTS (nvml_symbols) * sizeof (void *));

/* Results and variants are small; a disk with less free space counts as full. */
#define LEAST_FREE_BYTES ((guint64) 1 << 30)

/* GPUs whose lines are printed. */
#define MOST_GPUS 64

typedef struct
{
  GPtrArray *lines;
  const char *root;
  Nvml nvml;
  int gpu; /* index of the checked GPU; -1: the machine */
} Checkup;

CURED_FREE_FUNC (CuredCheckupLine, line_free, text, g_free, remedy, g_free)

/* @remedy: (nullable) */
static void G_GNUC_PRINTF (5, 6) add (Checkup *self, const char *id, CuredCheckupState state,
                                      const char *remedy, const char *format, ...)
{
  CuredCheckupLine *line = g_new0 (CuredCheckupLine, 1);
  va_list arguments;

  line->id = id;
  line->gpu = self->gpu;
  line->state = state;
  va_start (arguments, format);
  line->text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  line->remedy = g_strdup (remedy);
  g_ptr_array_add (self->lines, line);
}

static char *
make_path (const Checkup *self, const char *path)
{
  return g_build_filename (self->root, path, NULL);
}

static gboolean
has_file (const Checkup *self, const char *path)
{
  g_autofree char *full = make_path (self, path);

  return g_file_test (full, G_FILE_TEST_EXISTS);
}

/* -- The driver -- */

static void *
open_nvml (Checkup *self)
{
  const char *chosen = g_getenv ("CURED_NVML");
  gpointer *functions = (gpointer *) &self->nvml;
  void *handle = chosen != NULL && *chosen != '\0'
                     ? dlopen (chosen, RTLD_NOW | RTLD_LOCAL)
                     : _cured_driver_library_open ("libnvidia-ml.so.1", NULL);

  if (handle == NULL)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (nvml_symbols); i++)
    functions[i] = dlsym (handle, nvml_symbols[i]);
  return handle;
}

static gboolean
has_entries (const Checkup *self)
{
  return self->nvml.init != NULL && self->nvml.shutdown != NULL && self->nvml.get_count != NULL &&
         self->nvml.get_handle != NULL;
}

static gboolean
has_module (const Checkup *self)
{
  return has_file (self, "sys/module/nvidia/version") ||
         has_file (self, "proc/driver/nvidia/version") || has_file (self, "dev/dxg");
}

/* FALSE if nothing more can be queried. */
static gboolean
check_driver (Checkup *self, void *handle)
{
  char version[96] = "";
  int cuda = 0;

  if (handle == NULL || !has_entries (self))
    {
      if (!has_module (self))
        add (self, "driver", CURED_CHECKUP_FAULT,
             _ ("install one, or run Cured where the GPU is; all but timing works without"),
             _ ("no NVIDIA driver is loaded"));
      else
        add (self, "driver", CURED_CHECKUP_FAULT,
             _ ("install the driver's libraries of the same version; in a container, start it with "
                "--gpus all and NVIDIA_DRIVER_CAPABILITIES=compute,utility"),
             _ ("the driver's module is loaded, and its library libnvidia-ml.so.1 is not found"));
      return FALSE;
    }
  NvmlResult result = self->nvml.init ();
  if (result == NVML_ERROR_VERSION_MISMATCH)
    add (self, "driver", CURED_CHECKUP_FAULT, _ ("restart the machine, or load the module anew"),
         _ ("the driver's libraries are of another version than its module"));
  else if (result != NVML_SUCCESS)
    add (self, "driver", CURED_CHECKUP_FAULT,
         _ ("“nvidia-smi” and “dmesg” say more; as root, load the module with “modprobe nvidia”"),
         _ ("the driver does not start (NVML error %d)"), result);
  if (result != NVML_SUCCESS)
    return FALSE;
  if (self->nvml.get_driver != NULL)
    self->nvml.get_driver (version, sizeof version);
  version[sizeof version - 1] = '\0';
  if (self->nvml.get_cuda != NULL)
    self->nvml.get_cuda (&cuda);
  if (cuda > 0 && cuda < 12000)
    add (self, "driver", CURED_CHECKUP_FAULT, _ ("update it to one for CUDA 12 or later"),
         _ ("%s, for CUDA %d.%d"), version, cuda / 1000, cuda % 1000 / 10);
  else
    add (self, "driver", CURED_CHECKUP_OK, NULL, _ ("%s, for CUDA %d.%d"), version, cuda / 1000,
         cuda % 1000 / 10);
  return TRUE;
}

static void
check_libcuda (Checkup *self)
{
  const char *chosen = g_getenv ("CURED_NVML");
  void *handle = _cured_driver_library_open ("libcuda.so.1",
                                             chosen != NULL && *chosen != '\0' ? chosen : NULL);

  if (handle == NULL)
    {
      add (self, "libcuda", CURED_CHECKUP_FAULT,
           _ ("install the driver's compute libraries; in a container, set "
              "NVIDIA_DRIVER_CAPABILITIES=compute,utility"),
           _ ("libcuda.so.1, which runs kernels, is not found"));
      return;
    }
  dlclose (handle);
  add (self, "libcuda", CURED_CHECKUP_OK, NULL, C_ ("checkup", "found"));
}

static void
check_permissions (Checkup *self, unsigned n_gpus)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (has_file (self, "dev/dxg"))
    g_ptr_array_add (names, g_strdup ("dev/dxg"));
  else
    {
      g_ptr_array_add (names, g_strdup ("dev/nvidiactl"));
      g_ptr_array_add (names, g_strdup ("dev/nvidia-uvm"));
      /* In a container, numbers of GPUs may have gaps. */
      for (unsigned i = 0; n_gpus == 1 && i < MOST_GPUS; i++)
        {
          g_autofree char *name = g_strdup_printf ("dev/nvidia%u", i);

          if (has_file (self, name))
            g_ptr_array_add (names, g_steal_pointer (&name));
        }
    }
  CURED_EACH_POINTER (const char, name, names)
    {
      g_autofree char *path = make_path (self, name);

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        {
          add (self, "permissions", CURED_CHECKUP_FAULT,
               _ ("run “nvidia-modprobe -u -c=0” as root; in a container, pass the device in"),
               _ ("/%s is missing"), name);
          return;
        }
      if (access (path, R_OK | W_OK) != 0)
        {
          add (self, "permissions", CURED_CHECKUP_FAULT,
               _ ("join the group that “ls -l /dev/nvidia*” names, or ask the administrator; on a "
                  "cluster, ask the scheduler for a GPU"),
               _ ("/%s may not be opened: %s"), name, g_strerror (errno));
          return;
        }
    }
  add (self, "permissions", CURED_CHECKUP_OK, NULL, _ ("the GPU's device files may be opened"));
}

/* -- A GPU -- */

static void
check_clocks (Checkup *self, NvmlDevice device)
{
  /* ORDER: the worst comes first. */
  static const struct
  {
    unsigned long long bits;
    const char *text, *remedy;
  } rows[] = {
    { 0x60, N_ ("slowed down, since it is too hot"),
      N_ ("let it cool; look at its fans and at what else runs in the machine") },
    { 0x88, N_ ("slowed down by its hardware or its power supply"),
      N_ ("“nvidia-smi -q -d PERFORMANCE” names the cause; look at the power cables") },
    { 0x4, N_ ("held down by its power limit"),
      N_ ("“nvidia-smi -q -d POWER” shows the limit; times are those of that limit") },
    { 0x12, N_ ("held down by chosen clocks"),
      N_ ("right if you chose them to compare runs; otherwise “sudo nvidia-smi -rac” and “-rgc”") },
  };
  unsigned long long reasons = 0;
  unsigned now = 0, most = 0;

  if (self->nvml.get_clock != NULL)
    self->nvml.get_clock (device, NVML_CLOCK_SM, &now);
  if (self->nvml.get_most_clock != NULL)
    self->nvml.get_most_clock (device, NVML_CLOCK_SM, &most);
  if (self->nvml.get_reasons != NULL)
    self->nvml.get_reasons (device, &reasons);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if ((reasons & rows[i].bits) != 0)
      {
        add (self, "clocks", CURED_CHECKUP_WARNING, _ (rows[i].remedy), _ ("%u of %u MHz, %s"), now,
             most, _ (rows[i].text));
        return;
      }
  add (self, "clocks", CURED_CHECKUP_OK, NULL, _ ("%u of %u MHz now, and nothing holds them down"),
       now, most);
}

static void
check_persistence (Checkup *self, NvmlDevice device)
{
  int mode = 0;

  if (self->nvml.get_persistence == NULL ||
      self->nvml.get_persistence (device, &mode) != NVML_SUCCESS)
    return;
  if (mode != 0)
    add (self, "persistence", CURED_CHECKUP_OK, NULL, _ ("on"));
  else
    add (self, "persistence", CURED_CHECKUP_WARNING,
         _ ("run “sudo nvidia-smi -pm 1”, or have nvidia-persistenced started"),
         _ ("off: each start initializes the GPU anew, and its clocks begin low"));
}

static void
check_ecc (Checkup *self, NvmlDevice device)
{
  unsigned long long n = 0;
  int now = 0, next = 0;

  if (self->nvml.get_ecc == NULL || self->nvml.get_ecc (device, &now, &next) != NVML_SUCCESS)
    return;
  if (now != 0 && self->nvml.get_ecc_errors != NULL)
    self->nvml.get_ecc_errors (device, NVML_UNCORRECTED, NVML_VOLATILE, &n);
  if (n > 0)
    add (self, "ecc", CURED_CHECKUP_FAULT,
         _ ("have the GPU reset or replaced; its results are not to be trusted"),
         _ ("%" PRIu64 " errors of memory that could not be corrected since the driver was loaded"),
         (guint64) n);
  else if (now != next)
    add (self, "ecc", CURED_CHECKUP_WARNING,
         _ ("restart the machine before results are compared: bandwidth changes with it"), "%s",
         now != 0 ? _ ("on, and off after the next start")
                  : _ ("off, and on after the next start"));
  else
    add (self, "ecc", CURED_CHECKUP_OK, NULL, "%s", now != 0 ? _ ("on, no errors") : _ ("off"));
}

static void
check_sharing (Checkup *self, NvmlDevice device)
{
  unsigned now = 0, next = 0, n = 0;
  int mode = 0;

  if (self->nvml.get_mig != NULL && self->nvml.get_mig (device, &now, &next) == NVML_SUCCESS)
    {
      if (now != 0)
        add (self, "mig", CURED_CHECKUP_WARNING,
             _ ("compare with runs on the same kind of slice alone; “sudo nvidia-smi -mig 0” "
                "switches it off"),
             _ ("on: kernels get a slice, and share power and clocks with the others"));
      else
        add (self, "mig", CURED_CHECKUP_OK, NULL, _ ("off"));
    }
  if (self->nvml.get_compute_mode != NULL &&
      self->nvml.get_compute_mode (device, &mode) == NVML_SUCCESS &&
      mode == NVML_COMPUTEMODE_PROHIBITED)
    add (self, "mode", CURED_CHECKUP_FAULT, _ ("run “sudo nvidia-smi -c DEFAULT”"),
         _ ("the compute mode prohibits all computing"));
  if (self->nvml.get_processes == NULL)
    return;
  NvmlResult result = self->nvml.get_processes (device, &n, NULL);
  if (result == NVML_ERROR_INSUFFICIENT_SIZE && n > 0)
    add (self, "processes", CURED_CHECKUP_WARNING,
         _ ("wait for them, or take another GPU with --device; “nvidia-smi” lists them"),
         ngettext ("%u other process computes on it", "%u other processes compute on it", n), n);
  else if (result == NVML_SUCCESS)
    add (self, "processes", CURED_CHECKUP_OK, NULL, _ ("nobody else computes on it"));
}

static void
check_gpus (Checkup *self, unsigned n_gpus)
{
  const char *visible = g_getenv ("CUDA_VISIBLE_DEVICES");

  if (n_gpus == 0)
    {
      add (self, "gpu", CURED_CHECKUP_FAULT,
           _ ("“lspci” shows whether there is one; a container has to be started with it, a "
              "cluster's job has to ask for it"),
           _ ("the driver sees no GPU"));
      return;
    }
  if (visible != NULL && (*visible == '\0' || *visible == '-'))
    add (self, "gpu", CURED_CHECKUP_FAULT,
         _ ("unset it, or name those that may be used: CUDA_VISIBLE_DEVICES=0"),
         _ ("CUDA_VISIBLE_DEVICES=%s hides all GPUs"), visible);
  for (unsigned i = 0; i < MIN (n_gpus, MOST_GPUS); i++)
    {
      NvmlDevice device = NULL;
      char name[96] = "";
      NvmlResult result = self->nvml.get_handle (i, &device);

      self->gpu = (int) i;
      if (result != NVML_SUCCESS)
        {
          add (self, "gpu", CURED_CHECKUP_FAULT,
               _ ("“dmesg” says why; it may have to be reset, or the machine restarted"),
               _ ("does not answer (NVML error %d)"), result);
          continue;
        }
      if (self->nvml.get_name != NULL)
        self->nvml.get_name (device, name, sizeof name);
      name[sizeof name - 1] = '\0';
      g_autofree char *valid = g_utf8_make_valid (name, -1);
      add (self, "gpu", CURED_CHECKUP_OK, NULL, "%s", valid);
      check_persistence (self, device);
      check_clocks (self, device);
      check_ecc (self, device);
      check_sharing (self, device);
    }
  self->gpu = -1;
}

/* -- The compiler -- */

/* Compiles without the cache, to test NVRTC itself. */
static gboolean
can_compile (CuredCompiler *compiler, const char *text, GError **error)
{
  g_autoptr (CuredSources) sources = cured_sources_new_from_text (text);
  g_autoptr (GBytes) image = cured_compiler_compile_live (compiler, sources, "doctor.cu", NULL,
                                                          "compute_75", NULL, NULL, error);

  return image != NULL;
}

static void
check_compiler (Checkup *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);

  if (compiler == NULL)
    {
      add (self, "nvrtc", CURED_CHECKUP_FAULT,
           _ ("no kernel can be compiled until then; pip install 'cured[nvrtc]', or a bundle made "
              "with --with-nvrtc, has it"),
           "%s", error->message);
      return;
    }
  add (self, "nvrtc", CURED_CHECKUP_OK, NULL, _ ("%s, from %s"),
       cured_compiler_get_version (compiler), cured_compiler_get_path (compiler));
  if (!can_compile (compiler, "extern \"C\" __global__ void f (float *p) { *p = sinf (*p); }\n",
                    &error))
    {
      add (self, "builtins", CURED_CHECKUP_FAULT,
           _ ("libnvrtc-builtins of the same version has to lie beside NVRTC: install the whole "
              "package"),
           "%s", error->message);
      return;
    }
  add (self, "builtins", CURED_CHECKUP_OK, NULL, _ ("work"));
  if (!can_compile (compiler, "#include <cuda_fp16.h>\n", &error))
    add (self, "headers", CURED_CHECKUP_WARNING,
         _ ("install the CUDA Toolkit, or the Python packages nvidia-cuda-runtime and "
            "nvidia-cuda-crt beside NVRTC's"),
         _ ("cuda_fp16.h is not found: kernels that include the toolkit's headers do not compile"));
  else
    add (self, "headers", CURED_CHECKUP_OK, NULL, C_ ("checkup", "found"));
}

/* -- The rest of the machine -- */

static void
check_folder (Checkup *self, const char *id, const char *folder, CuredCheckupState bad,
              const char *remedy)
{
  struct statvfs info;

  if (access (folder, W_OK | X_OK) != 0 || statvfs (folder, &info) != 0)
    {
      add (self, id, bad, remedy, _ ("%s can't be written to: %s"), folder, g_strerror (errno));
      return;
    }
  guint64 free_bytes = (guint64) info.f_bavail * (guint64) info.f_frsize;
  g_autofree char *quantity = cured_format_quantity ((double) free_bytes, "B");
  if (info.f_blocks > 0 && free_bytes < LEAST_FREE_BYTES)
    add (self, id, CURED_CHECKUP_WARNING, _ ("make room, or take another disk"),
         _ ("%s: only %s are free"), folder, quantity);
  else
    /* Some file systems report no size. */
    add (self, id, CURED_CHECKUP_OK, NULL,
         info.f_blocks > 0 ? _ ("%s: %s are free") : _ ("%s: how much is free is not known"),
         folder, quantity);
}

static void
check_folders (Checkup *self, const char *results)
{
  g_autofree char *cache = _cured_compiler_get_cache (FALSE), *current = g_get_current_dir ();

  check_folder (self, "results", results != NULL ? results : current, CURED_CHECKUP_WARNING,
                _ ("go to another folder, or name one with -o"));
  g_mkdir_with_parents (cache, 0700);
  check_folder (self, "cache", cache, CURED_CHECKUP_WARNING,
                _ ("set XDG_CACHE_HOME to a folder that can be written to: until then everything "
                   "is compiled anew"));
}

static void
check_locale (Checkup *self)
{
  const char *charset = NULL;

  if (g_get_charset (&charset))
    add (self, "locale", CURED_CHECKUP_OK, NULL, "%s", charset);
  else
    add (self, "locale", CURED_CHECKUP_NOTE,
         _ ("set LC_ALL=C.UTF-8, so that maps and quotation marks are shown"),
         _ ("the character set is %s, not UTF-8"), charset);
}

static gboolean
is_set (const char *name)
{
  const char *value = g_getenv (name);

  return value != NULL && *value != '\0';
}

static void
check_window (Checkup *self)
{
  g_autofree char *program = g_find_program_in_path ("cured-gtk");

  if (program == NULL)
    add (self, "window", CURED_CHECKUP_NOTE,
         _ ("results can be looked at on another machine; “cured show” and “cured export” need no "
            "window"),
         _ ("cured-gtk is not in PATH"));
  else if (!is_set ("WAYLAND_DISPLAY") && !is_set ("DISPLAY"))
    add (self, "window", CURED_CHECKUP_NOTE, _ ("start it in a desktop session, or with “ssh -X”"),
         _ ("cured-gtk is there, and no display"));
  else
    add (self, "window", CURED_CHECKUP_OK, NULL, "%s", program);
}

/* @root: (nullable): root folder of the system's files; NULL: /
 * @results: (nullable): the folder for results; NULL: the current one
 *
 * Checks the driver, the GPUs, the compiler, the disk, the locale and the window, and changes
 * nothing except that it creates the cache's folder. Creates no context on a GPU, and needs no
 * privileges. `CURED_NVML` names the NVML library if it is not found. Blocks for about a
 * second.
 * Returns: (transfer full) (element-type CuredCheckupLine): the results */
GPtrArray *
cured_checkup_run (const char *root, const char *results)
{
  Checkup self = { .root = root != NULL ? root : "/", .gpu = -1 };
  void *nvml = open_nvml (&self);

  self.lines = g_ptr_array_new_with_free_func (line_free);
  if (check_driver (&self, nvml))
    {
      unsigned n_gpus = 0;

      if (self.nvml.get_count (&n_gpus) != NVML_SUCCESS)
        n_gpus = 0;
      check_libcuda (&self);
      check_permissions (&self, n_gpus);
      check_gpus (&self, n_gpus);
      self.nvml.shutdown ();
    }
  if (nvml != NULL)
    dlclose (nvml);
  check_compiler (&self);
  check_folders (&self, results);
  check_locale (&self);
  check_window (&self);
  return self.lines;
}

/* @state: state of a line
 * Returns: "ok", "note", "warning" or "fault"; never translated */
const char *
cured_checkup_state_get_id (CuredCheckupState state)
{
  static const char *const ids[] = { "ok", "note", "warning", "fault" };

  g_return_val_if_fail ((guint) state < G_N_ELEMENTS (ids), NULL);
  return ids[state];
}
