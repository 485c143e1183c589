/* SPDX-License-Identifier: MIT
 * The driver's libraries, where the loader does not find them by itself. */
#include "device/cured-device-internal.h"

#include <dlfcn.h>

/* A C library of one's own looks in the folders of the system that it was built on; the driver may
 * lie where another distribution keeps libraries. */
static const char *const folders[] = {
  "/usr/lib64",
  "/usr/lib64/nvidia",
  "/usr/lib/x86_64-linux-gnu",
  "/usr/lib/aarch64-linux-gnu",
  "/usr/lib/wsl/lib",
  "/run/opengl-driver/lib",
  "/usr/local/nvidia/lib64",
};

/* Whoever opens it by name afterwards gets the same. No path but the system's is looked into.
 *
 * @beside: (nullable): a driver library whose folder is searched, too
 * Returns: (nullable): for dlsym(); dlerror() says what the loader said */
void *
_cured_driver_library_open (const char *name, const char *beside)
{
  if (beside != NULL)
    {
      g_autofree char *folder = g_path_get_dirname (beside);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      return dlopen (path, RTLD_NOW | RTLD_LOCAL);
    }
  void *handle = dlopen (name, RTLD_NOW | RTLD_LOCAL);
  for (gsize i = 0; handle == NULL && i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (folders[i], name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    }
  return handle;
}
