/* SPDX-License-Identifier: MIT
 * Finds the driver's libraries if the loader does not. */
#include "device/cured-device-internal.h"

#include <dlfcn.h>

/* A bundled C library searches the folders of the system on which it was built; the driver may be
 * in the folders of another distribution. */
static const char *const folders[] = {
  "/usr/lib64",
  "/usr/lib64/nvidia",
  "/usr/lib/x86_64-linux-gnu",
  "/usr/lib/aarch64-linux-gnu",
  "/usr/lib/wsl/lib",
  "/run/opengl-driver/lib",
  "/usr/local/nvidia/lib64",
};

/* Opening it by name afterwards gives the same library. Searches only system folders.
 *
 * @beside: (nullable): a driver library whose folder is searched, too
 * Returns: (nullable): a handle for dlsym(); on NULL, dlerror() has the loader's message */
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
