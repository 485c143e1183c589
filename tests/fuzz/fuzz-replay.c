/* SPDX-License-Identifier: MIT
 * Gives a fuzz target the files of its corpus, without libFuzzer.
 *
 * usage: fuzz-replay FOLDER... */
#include <glib.h>

#include "fuzz.h"

static void
test_folder (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) folder = g_dir_open (data, 0, &error);
  const char *name;
  guint n = 0;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (data, name, NULL);
      g_autofree char *bytes = NULL;
      gsize length;

      g_file_get_contents (path, &bytes, &length, &error);
      g_assert_no_error (error);
      g_test_message ("%s", name);
      LLVMFuzzerTestOneInput ((const uint8_t *) bytes, length);
      n++;
    }
  g_assert_cmpuint (n, >, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *base = g_path_get_basename (argv[i]);
      g_autofree char *path = g_strdup_printf ("/fuzz/%s", base);

      g_test_add_data_func (path, argv[i], test_folder);
    }
  return g_test_run ();
}
