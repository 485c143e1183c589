/* SPDX-License-Identifier: MIT
 * Result files of a folder: which there are, and what new ones are called. */

#include "make-result.h"
#include "store/cured-recordings.h"
#include "test.h"

static char *
make_file (const char *folder, const char *name)
{
  char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  return path;
}

TEST ("/recordings/list")
{
  const char *folder = test_folder ();
  g_autofree char *second = make_file (folder, "b-x.cured");
  g_autofree char *first = make_file (folder, "a-b-x.cured");
  g_autofree char *longer = make_file (folder, "a-b-fixed-x.cured");
  g_autofree char *nowhere = g_build_filename (folder, "none", NULL);
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, NULL);
  g_autoptr (GPtrArray) none = cured_recordings_list (NULL, NULL);

  g_assert_cmpuint (paths->len, ==, 3);
  g_assert_cmpstr (paths->pdata[0], ==, longer);
  g_assert_cmpstr (paths->pdata[1], ==, first);
  g_assert_cmpstr (paths->pdata[2], ==, second);
  g_assert_cmpuint (none->len, ==, 0);
  FAILS (cured_recordings_list (nowhere, &fail), G_FILE_ERROR, G_FILE_ERROR_NOENT, "");

  g_assert_cmpstr (cured_recordings_find (paths, "a/b", NULL), ==, first);
  g_assert_cmpstr (cured_recordings_find (paths, "a/b-fixed", NULL), ==, longer);
  g_assert_null (cured_recordings_find (paths, "a/b", first));
  g_assert_null (cured_recordings_find (paths, "a", NULL));
}

/* By what is in the files, whatever they are called. */
TEST ("/recordings/read")
{
  const char *folder = test_folder ();
  g_autofree char *first = g_build_filename (folder, "b.cured", NULL);
  g_autofree char *second = g_build_filename (folder, "c.cured", NULL);

  make_result (second, &(MakeResult){ 0 });
  make_result (first, &(MakeResult){ 0 });
  g_autofree char *id = cured_result_peek_kernel_id (first, NULL);
  g_autoptr (GHashTable) by_id = cured_recordings_read (folder);
  g_assert_cmpuint (g_hash_table_size (by_id), ==, 1);
  g_assert_cmpstr (g_hash_table_lookup (by_id, id), ==, first);
}

static gboolean
is_first (const char *path, gpointer user_data)
{
  return g_str_equal (path, user_data);
}

TEST ("/recordings/propose")
{
  const char *folder = test_folder ();
  g_autofree char *first = cured_recordings_propose_path ("matmul/tiled", folder, NULL, NULL);
  g_autofree char *name = g_path_get_basename (first);
  g_autofree char *taken = cured_recordings_propose_path ("matmul/tiled", folder, is_first, first);
  g_autofree char *own = cured_recordings_propose_path ("/a b/my file.cu", NULL, NULL, NULL);

  g_assert_true (
      g_regex_match_simple ("^matmul-tiled-[0-9]{4}-[0-9]{2}-[0-9]{2}\\.cured$", name, 0, 0));
  g_assert_true (g_str_has_suffix (taken, "-2.cured"));
  g_assert_true (g_str_has_prefix (own, "my-file-"));
  g_assert_true (g_file_set_contents (first, "", 0, NULL));
  g_autofree char *second = cured_recordings_propose_path ("matmul/tiled", folder, NULL, NULL);
  g_assert_cmpstr (second, ==, taken);
}
