/* SPDX-License-Identifier: MIT
 * nvJitLink, loaded at run time: machine code for PTX that NVRTC did not make. */
#include "device/cured-assembler-private.h"

#include <dlfcn.h>

#include "base/cured-base-internal.h"
#include "kernel/cured-ptx-text-internal.h"

/* nvJitLink's C interface, as far as it is used here (since CUDA 12.0; source: nvJitLink
 * documentation, "User Interface"). */
typedef struct _nvJitLink *Linker;

#define INPUT_PTX 2

typedef struct
{
  int (*create) (Linker *linker, guint32 n_options, const char **options);
  int (*destroy) (Linker *linker);
  int (*add_data) (Linker linker, int input, const void *data, size_t size, const char *name);
  int (*complete) (Linker linker);
  int (*get_cubin_size) (Linker linker, size_t *size);
  int (*get_cubin) (Linker linker, void *cubin);
  int (*get_log_size) (Linker linker, size_t *size);
  int (*get_log) (Linker linker, char *log);
} JitLink;

/* ORDER: as in the struct. */
static const char *const symbols[] = {
  "nvJitLinkCreate",
  "nvJitLinkDestroy",
  "nvJitLinkAddData",
  "nvJitLinkComplete",
  "nvJitLinkGetLinkedCubinSize",
  "nvJitLinkGetLinkedCubin",
  "nvJitLinkGetErrorLogSize",
  "nvJitLinkGetErrorLog",
};

G_STATIC_ASSERT (sizeof (JitLink) == G_N_ELEMENTS (symbols) * sizeof (void *));

/* Opens the library, preferably the one beside NVRTC; it is never closed. */
static void *
open_library (const char *folder)
{
  static const char *const names[] = { "libnvJitLink.so.13", "libnvJitLink.so.12" };
  void *handle = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names) && handle == NULL; i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names) && handle == NULL; i++)
    handle = dlopen (names[i], RTLD_NOW | RTLD_LOCAL);
  return handle;
}

static const JitLink *
get_jit_link (const char *folder)
{
  static GMutex mutex;
  static JitLink jit_link;
  static gboolean is_tried;

  g_mutex_lock (&mutex);
  if (!is_tried)
    {
      void *handle = open_library (folder);
      gpointer *functions = (gpointer *) &jit_link;

      is_tried = TRUE;
      for (gsize i = 0; handle != NULL && i < G_N_ELEMENTS (symbols); i++)
        {
          functions[i] = dlsym (handle, symbols[i]);
          if (functions[i] == NULL)
            {
              jit_link.create = NULL;
              break;
            }
        }
    }
  const JitLink *found = jit_link.create != NULL ? &jit_link : NULL;
  g_mutex_unlock (&mutex);
  return found;
}

static char *
read_log (const JitLink *jit_link, Linker linker)
{
  size_t size = 0;

  if (jit_link->get_log_size (linker, &size) != 0 || size <= 1)
    return NULL;
  g_autofree char *log = g_malloc0 (size + 1);
  if (jit_link->get_log (linker, log) != 0)
    return NULL;
  g_strchomp (log);
  return *log != '\0' ? g_utf8_make_valid (log, -1) : NULL;
}

/* @folder: the first folder to search for the library, before the loader's
 * @log: (out) (transfer full) (nullable): ptxas's messages about PTX that it refuses
 * Returns: (transfer full): a cubin */
GBytes *
_cured_assemble (const char *ptx, const char *name, const char *arch, const char *folder,
                 char **log, GError **error)
{
  const JitLink *jit_link = get_jit_link (folder);
  g_autofree char *cubin = NULL;
  const char *options[2] = { NULL, "-lineinfo" };
  Linker linker = NULL;
  size_t size = 0;
  char suffix;
  int target = _cured_ptx_text_get_target (ptx, &suffix);

  *log = NULL;
  if (jit_link == NULL)
    return cured_fail_null (
        error, CURED_ERROR_NO_COMPILER,
        _ ("machine code of %s is made by nvJitLink (libnvJitLink.so.13 or .12), which "
           "was not found; it comes with the CUDA Toolkit"),
        name);
  /* PTX for only one chip is requested by that chip's name. */
  g_autofree char *option = g_strdup_printf ("-arch=%s", arch);
  if (suffix != '\0' && g_ascii_strtoll (arch + 3, NULL, 10) == target)
    {
      g_free (option);
      option = g_strdup_printf ("-arch=%s%c", arch, suffix);
    }
  options[0] = option;
  int result = jit_link->create (&linker, G_N_ELEMENTS (options), options);
  if (result == 0)
    result = jit_link->add_data (linker, INPUT_PTX, ptx, strlen (ptx) + 1, name);
  if (result == 0)
    result = jit_link->complete (linker);
  if (result == 0)
    result = jit_link->get_cubin_size (linker, &size);
  if (result == 0)
    {
      cubin = g_malloc (MAX (size, 1));
      result = jit_link->get_cubin (linker, cubin);
    }
  if (result != 0 && linker != NULL)
    *log = read_log (jit_link, linker);
  if (linker != NULL)
    jit_link->destroy (&linker);
  if (result == 0)
    return g_bytes_new_take (g_steal_pointer (&cubin), size);
  g_set_error (error, CURED_ERROR, CURED_ERROR_COMPILE,
               /* Translators: a file, a chip, what the assembler said. */
               _ ("%s is no PTX for %s%s%s"), name, arch, *log != NULL ? ":\n" : "",
               *log != NULL ? *log : "");
  if (error != NULL && *log != NULL)
    cured_error_set_log (*error, *log);
  return NULL;
}
