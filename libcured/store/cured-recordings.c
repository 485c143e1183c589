/* SPDX-License-Identifier: MIT
 * Result files of a folder: location of Cured's own, and names of new ones. */
#include "store/cured-recordings.h"

#include <gio/gio.h>

#include "base/cured-base-internal.h"
#include "store/cured-result.h"

/* The beginning of file names: matmul/tiled → matmul-tiled; for a user's kernel, whose id may be
 * its path, the file's name. */
static char *
make_stem (const char *kernel_id)
{
  char *stem =
      g_path_is_absolute (kernel_id) ? g_path_get_basename (kernel_id) : g_strdup (kernel_id);

  g_strdelimit (stem, "/\\ ", '-');
  if (g_str_has_suffix (stem, ".cu"))
    stem[strlen (stem) - strlen (".cu")] = '\0';
  return stem;
}

/* `results` in the folder that `CURED_DATA_DIR` names, whether or not it exists; else the installed
 * folder; else the source's, for a build that is not installed.
 * Returns: (transfer full) (nullable): the folder of the recordings that come with Cured; NULL if
 *   they are not installed */
char *
cured_recordings_find_folder (void)
{
  static const char *const fixed[] = { CURED_DATADIR "/cured/results",
                                       CURED_SOURCE_DATADIR "/results" };
  const char *data = g_getenv ("CURED_DATA_DIR");

  if (data != NULL)
    return g_build_filename (data, "results", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (fixed); i++)
    if (g_file_test (fixed[i], G_FILE_TEST_IS_DIR))
      return g_strdup (fixed[i]);
  return NULL;
}

/* @folder: (nullable): a folder of result files; NULL: none
 * @error: set to a `G_FILE_ERROR`
 * Returns: (transfer full) (nullable) (element-type filename): the paths of the result files of a
 *   folder, by name; NULL with an error */
GPtrArray *
cured_recordings_list (const char *folder, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (folder == NULL)
    return g_steal_pointer (&paths);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  if (dir == NULL)
    return NULL;
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".cured"))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, _cured_compare_texts);
  return g_steal_pointer (&paths);
}

/* @paths: (element-type filename): paths of recordings
 * @but: (nullable): a path to skip
 *
 * Finds a recording by its file name, on any device: that of `matmul/tiled` is called
 * `matmul-tiled-DEVICE.cured`. Opens no file.
 * Returns: (transfer none) (nullable): the path of the first one */
const char *
cured_recordings_find (GPtrArray *paths, const char *kernel_id, const char *but)
{
  g_autofree char *stem = make_stem (kernel_id);

  CURED_EACH_POINTER (const char, path, paths)
    {
      g_autofree char *name = g_path_get_basename (path);
      const char *rest = g_str_has_prefix (name, stem) ? name + strlen (stem) : "";

      /* Another kernel's name may begin with this one's: “-fixed-h200” is not a device. */
      if (*rest == '-' && strchr (rest + 1, '-') == NULL && g_strcmp0 (path, but) != 0)
        return path;
    }
  return NULL;
}

/* @folder: (nullable): a folder of result files; NULL: none
 *
 * Reads the kernel of each recording. Opens every file, and blocks for some tenths of a second. Of
 * several recordings of a kernel, the file whose name sorts first is taken. Files that can't be
 * read are left out.
 * Returns: (transfer full) (element-type utf8 filename): paths by the kernel's id */
GHashTable *
cured_recordings_read (const char *folder)
{
  GHashTable *by_id = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);

  for (guint i = 0; paths != NULL && i < paths->len; i++)
    {
      g_autofree char *id = cured_result_peek_kernel_id (paths->pdata[i], NULL);

      if (id != NULL && !g_hash_table_contains (by_id, id))
        g_hash_table_insert (by_id, g_steal_pointer (&id), g_strdup (paths->pdata[i]));
    }
  return by_id;
}

/* @kernel_id: the kernel to run
 * @folder: (nullable): a folder; NULL: the current one
 * @is_taken: (nullable) (scope call): called for a path without a file
 *
 * Names a new result file after the kernel and the day, with a number if that name is taken:
 * `matmul-tiled-2026-11-20-2.cured`.
 * Returns: (transfer full): a path at which there is no file */
char *
cured_recordings_propose_path (const char *kernel_id, const char *folder, CuredPathTaken is_taken,
                               gpointer user_data)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%Y-%m-%d"), *stem = make_stem (kernel_id);

  for (guint i = 1;; i++)
    {
      g_autofree char *number = i > 1 ? g_strdup_printf ("-%u", i) : g_strdup ("");
      g_autofree char *name = g_strdup_printf ("%s-%s%s.cured", stem, date, number);
      g_autofree char *path =
          folder != NULL ? g_build_filename (folder, name, NULL) : g_strdup (name);

      if (!g_file_test (path, G_FILE_TEST_EXISTS) &&
          (is_taken == NULL || !is_taken (path, user_data)))
        return g_steal_pointer (&path);
    }
}
