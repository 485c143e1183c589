/* SPDX-License-Identifier: MIT
 * Kernel files that are compiled into the library. */
#include "kernel/read/cured-catalogue-internal.h"

#include <gio/gio.h>

#include "base/cured-base-internal.h"
#include "kernel/read/cured-catalogue-text-private.h"
#include "kernel/cured-sources-internal.h"

/* Returns: (transfer full) (array zero-terminated=1): the ids of the built-in kernels, in
 *   alphabetical order */
char **
cured_catalogue_list (void)
{
  return _cured_catalogue_list ();
}

/* @id: an id, such as `reduce/two-launch`
 * @error: (nullable): CURED_ERROR_NOT_FOUND
 * Returns: (transfer full): the built-in kernel */
CuredKernel *
cured_catalogue_get (const char *id, GError **error)
{
  g_return_val_if_fail (id != NULL, NULL);

  g_autofree char *text = _cured_catalogue_load_text (id, error);
  return text == NULL ? NULL : cured_kernel_new_from_text (text, id, NULL, error);
}

/* @id_or_path: an id of the catalogue, or a path: a text for which cured_kernel_is_file_name()
 *   holds, or the name of an existing file
 * @error: (nullable): as from cured_catalogue_get() and cured_kernel_new_from_file()
 * Returns: (transfer full): the kernel */
CuredKernel *
cured_catalogue_load (const char *id_or_path, GError **error)
{
  g_return_val_if_fail (id_or_path != NULL, NULL);

  if (cured_kernel_is_file_name (id_or_path) || g_file_test (id_or_path, G_FILE_TEST_IS_REGULAR))
    return cured_kernel_new_from_file (id_or_path, error);
  return cured_catalogue_get (id_or_path, error);
}

/* @kernel: a kernel whose reference is `kernel:ID` or a path to a kernel file. A path is relative
 *   to the folder of @kernel's own file, and must not leave it.
 * @error: (nullable): CURED_ERROR_NOT_FOUND, also for a path where @kernel came in a result file;
 *   CURED_ERROR_INVALID where the path leads elsewhere, or the reference has no output to compare;
 *   or as from cured_catalogue_load()
 * Returns: (transfer full): the kernel that computes what @kernel should */
CuredKernel *
cured_catalogue_load_reference (const CuredKernel *kernel, GError **error)
{
  const char *name = kernel->reference;
  g_autoptr (CuredKernel) reference = NULL;

  g_return_val_if_fail (name != NULL, NULL);

  if (g_str_has_prefix (name, "kernel:"))
    reference = cured_catalogue_get (name + strlen ("kernel:"), error);
  else
    {
      g_autofree char *path = _cured_find_beside (kernel->path, name, error);

      if (path != NULL)
        reference = cured_kernel_new_from_file (path, error);
    }
  if (reference == NULL)
    {
      g_prefix_error (error, _ ("Reference=%s of %s: "), name, kernel->id);
      return NULL;
    }
  if (reference->output < 0)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("Reference=%s of %s has no [Check] with an Output="), name,
                            kernel->id);
  return g_steal_pointer (&reference);
}
