/* SPDX-License-Identifier: MIT
 * The recorded samples that come with Cured. */
#include <config.h>

#include "model/cured-recordings.h"

#include "cured.h"

/**
 * cured_recordings_get_folder:
 *
 * `results` in the folder that `CURED_DATA_DIR` names; else where the
 * installation put them; else those of the source, for a build that is not
 * installed.
 *
 * Returns: (transfer full): a path, of a folder that may be missing
 */
char *
cured_recordings_get_folder (void)
{
  const char *data = g_getenv ("CURED_DATA_DIR");
  const char *const fixed[] = { CURED_DATADIR "/cured/results",
                                CURED_SOURCE_DATADIR "/results" };

  if (data != NULL)
    return g_build_filename (data, "results", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (fixed); i++)
    if (g_file_test (fixed[i], G_FILE_TEST_IS_DIR))
      return g_strdup (fixed[i]);
  return g_strdup (fixed[0]);
}

/**
 * cured_recordings_read:
 *
 * Finds out of which kernel each recording is. Opens every file: blocks for
 * some tenths of a second. Where a kernel was recorded several times, the file
 * of the least name is taken. What can't be read is left out.
 *
 * Returns: (transfer full) (element-type utf8 utf8): paths by the kernel's id
 */
GHashTable *
cured_recordings_read (void)
{
  GHashTable *paths =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *folder = cured_recordings_get_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = NULL;
      g_autofree char *id = NULL;
      const char *known;

      if (!g_str_has_suffix (name, ".cured"))
        continue;
      path = g_build_filename (folder, name, NULL);
      id = cured_result_peek_kernel_id (path, NULL);
      if (id == NULL)
        continue;
      known = g_hash_table_lookup (paths, id);
      if (known == NULL || g_strcmp0 (path, known) < 0)
        g_hash_table_insert (
            paths, g_steal_pointer (&id), g_steal_pointer (&path));
    }
  return paths;
}
