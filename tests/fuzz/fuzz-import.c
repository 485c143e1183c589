/* SPDX-License-Identifier: MIT
 * Fuzz target: whatever a file contains, importing it fails with a message, or makes result files
 * that can be read. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>

#include "cured.h"
#include "fuzz.h"

static char *folder;

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

static void
check_file (const CuredImportedFile *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load (file->path, NULL, &error);
  gint64 n_known = 0;

  g_assert_no_error (error);
  g_assert_cmpint (cured_result_get_n_cells (result), ==, file->n_cells);
  for (int i = 1; i < CURED_N_STATES; i++)
    n_known += cured_result_count_state (result, (CuredState) i);
  g_assert_cmpint (n_known, ==, file->n_known);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, file->n_ok);
  g_assert_nonnull (cured_result_get_imported (result));
  g_remove (file->path);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *path = NULL, *out = NULL;
  g_autoptr (GError) error = NULL;
  CuredImportOptions options = { .overwrite = TRUE };

  if (folder == NULL)
    {
      folder = g_dir_make_tmp ("cured-fuzz-XXXXXX", NULL);
      g_assert_nonnull (folder);
      atexit (remove_folder);
    }
  path = g_build_filename (folder, "source.json", NULL);
  out = g_build_filename (folder, "out.cured", NULL);
  options.out_path = out;
  g_assert_true (g_file_set_contents (path, (const char *) data, (gssize) size, NULL));
  g_autoptr (CuredImport) import = cured_import_file (path, &options, NULL, &error);
  g_assert_true ((import == NULL) == (error != NULL));
  if (import == NULL)
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
  for (guint i = 0; import != NULL && i < import->files->len; i++)
    check_file (g_ptr_array_index (import->files, i));
  return 0;
}
