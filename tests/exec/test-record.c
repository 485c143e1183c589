/* SPDX-License-Identifier: MIT
 * A program that has its GPU, here a driver that computes on the processor: its launches are timed
 * and saved, and what was saved comes to the same on the emulator. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

#include "test.h"

static char *folder;

/* @line: of cured; (transfer full): what it printed */
static char *
run (const char *line, int wanted)
{
  g_autofree char *command = g_strdup_printf ("'%s' %s", g_getenv ("CURED_PROGRAM"), line);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) error = NULL;
  char *out = NULL;
  g_autofree char *err = NULL;

  g_assert_true (g_shell_parse_argv (command, NULL, &words, &error));
  g_subprocess_launcher_setenv (launcher, "LD_LIBRARY_PATH", g_getenv ("CURED_TEST_RECORD"), TRUE);
  g_subprocess_launcher_set_cwd (launcher, folder);
  g_autoptr (GSubprocess) process =
      MUST (g_subprocess_launcher_spawnv (launcher, (const char *const *) words, &fail));
  MUST (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, &err, &fail));
  if (g_subprocess_get_exit_status (process) != wanted)
    g_test_message ("%s\n%s\n%s", command, out, err);
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, wanted);
  return out;
}

static JsonObject *
record (const char *options, int n_launches)
{
  g_autofree char *line = g_strdup_printf ("exec --json --device cuda %s -- '%s/launcher' %d",
                                           options, g_getenv ("CURED_TEST_RECORD"), n_launches);
  g_autofree char *text = run (line, 0);
  g_autoptr (JsonNode) root = MUST (json_from_string (text, &fail));

  return json_object_ref (json_node_get_object (root));
}

static JsonObject *
get_kernel (JsonObject *report)
{
  JsonArray *kernels = json_object_get_array_member (report, "kernels");

  g_assert_cmpuint (json_array_get_length (kernels), ==, 1);
  return json_array_get_object_element (kernels, 0);
}

/* More launches than times in a message, and than events in a row. */
TEST ("/record/times")
{
  g_autoptr (JsonObject) report = record ("", 1001);
  JsonObject *kernel = get_kernel (report);

  g_assert_cmpstr (json_object_get_string_member (kernel, "kernel"), ==, "saxpy");
  g_assert_cmpint (json_object_get_int_member (kernel, "launches"), ==, 1001);
  g_assert_cmpint (json_object_get_int_member (kernel, "timed"), ==, 1001);
  g_assert_cmpint (json_object_get_int_member (kernel, "geometries"), ==, 2);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (kernel, "median_ns"), 8000, 1);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (kernel, "minimum_ns"), 4000, 1);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (kernel, "total_ns"),
                                  501 * 8000 + 500 * 4000, 100);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "saved")), ==, 0);
}

/* A launch of each geometry, its constant among them, and with what came of it; and the sweep that
 * both are points of. */
TEST ("/record/saved")
{
  static const char *const wanted[] = { "Grid=8,1,1", "Grid=4,1,1", "Block=64,1,1",
                                        "Grid=ceil(n/block)", "Reference=copy" };
  g_autoptr (JsonObject) report = record ("--save launches", 4);
  JsonArray *saved = json_object_get_array_member (report, "saved");
  g_autoptr (GString) all = g_string_new (NULL);

  g_assert_cmpint (json_object_get_int_member (get_kernel (report), "timed"), ==, 4);
  g_assert_cmpuint (json_array_get_length (saved), ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *path =
          g_build_filename (folder, json_array_get_string_element (saved, i), NULL);
      g_autofree char *line = g_strdup_printf ("check '%s'", path);
      g_autofree char *text = NULL;
      g_autofree char *said = run (line, 0);

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_nonnull (strstr (text, "[Constant scale]"));
      g_string_append (all, text);
    }
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    g_assert_nonnull (strstr (all->str, wanted[i]));
}

/* A kernel that is not asked for is timed, and not saved. */
TEST ("/record/glob")
{
  g_autoptr (JsonObject) report = record ("--save others -k 'sgemm*'", 2);

  g_assert_cmpint (json_object_get_int_member (get_kernel (report), "timed"), ==, 2);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (report, "saved")), ==, 0);
}

TEST ("/record/refused")
{
  g_autofree char *said = run ("exec --device cuda --check -- true", 2);
  g_autofree char *few = run ("exec --device cuda --first 2 -- true", 2);
  g_autofree char *other = run ("exec --device model:h200 -- true", 2);
  g_autofree char *longer = run ("exec --device cudagraph -- true", 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("cured-record-XXXXXX", NULL);
  g_assert_nonnull (folder);
  int status = run_tests ();
  remove_all (folder);
  g_free (folder);
  return status;
}
