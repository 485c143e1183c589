/* SPDX-License-Identifier: MIT
 * The PTX in Triton's cache. */
#include "draft/cured-header-draft-internal.h"

#include <glib/gstdio.h>

#include "base/cured-base-internal.h"

#define MAX_CACHED 65536

/* The files NAME.ptx of a folder, and of the folders in it. */
static void
list_ptx (const char *folder, int depth, GPtrArray *paths)
{
  g_autoptr (GDir) listing = g_dir_open (folder, 0, NULL);
  const char *name;

  while (listing != NULL && paths->len < MAX_CACHED && (name = g_dir_read_name (listing)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_str_has_suffix (name, ".ptx"))
        g_ptr_array_add (paths, g_steal_pointer (&path));
      else if (depth > 0 && g_file_test (path, G_FILE_TEST_IS_DIR) &&
               !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        list_ptx (path, depth - 1, paths);
    }
}

/* @folder: Triton's cache, or one of the folders in it
 * @name: (nullable): name of a kernel; %NULL: the only one
 * @error: %CURED_ERROR_NOT_FOUND, with the existing names
 *
 * Triton keeps NAME.ptx, NAME.json and NAME.ttir of each kernel in a folder named by a hash. Blocks
 * on the files.
 * Returns: (transfer full): the newest PTX of that name */
char *
cured_header_find_triton (const char *folder, const char *name, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) list = g_string_new (NULL);
  const char *newest = NULL;
  gint64 newest_time = 0;

  g_return_val_if_fail (folder != NULL, NULL);

  list_ptx (folder, 1, paths);
  CURED_EACH_POINTER (const char, path, paths)
    {
      g_autofree char *stem = g_path_get_basename (path);
      GStatBuf info;

      stem[strlen (stem) - strlen (".ptx")] = '\0';
      if ((name == NULL || g_str_equal (stem, name)) && g_stat (path, &info) == 0 &&
          (newest == NULL || (gint64) info.st_mtime > newest_time))
        {
          newest = path;
          newest_time = (gint64) info.st_mtime;
        }
      g_hash_table_add (names, g_steal_pointer (&stem));
    }
  if (newest != NULL && (name != NULL || g_hash_table_size (names) == 1))
    return g_strdup (newest);
  g_autoptr (GList) known = g_list_sort (g_hash_table_get_keys (names), (GCompareFunc) strcmp);
  for (GList *at = known; at != NULL; at = at->next)
    g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", (const char *) at->data);
  if (known == NULL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("%s has no PTX of Triton's; expected its cache, which is ~/.triton/cache where "
                    "TRITON_CACHE_DIR names none"),
                 folder);
  else
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 name == NULL ? _ ("%s has several kernels; name one with --kernel: %s")
                              : _ ("%s has none of that name; there are: %s"),
                 folder, list->str);
  return NULL;
}
