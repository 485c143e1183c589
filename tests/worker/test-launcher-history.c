/* SPDX-License-Identifier: MIT
 * The launchers that were used last. */
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "test.h"
#include "worker/cured-launcher.h"

static char *
get_path (void)
{
  return g_build_filename (g_get_user_config_dir (), "cured", "launchers", NULL);
}

static void
assert_recent (const char *expected)
{
  g_auto (GStrv) recent = cured_launcher_list_recent ();
  g_autofree char *all = g_strjoinv (" | ", recent);

  g_assert_cmpstr (all, ==, expected);
}

TEST ("/launcher-history/order")
{
  g_autofree char *path = get_path ();
  GStatBuf found;

  assert_recent ("");
  cured_launcher_remember ("ssh a");
  cured_launcher_remember (" srun --gpus=1 ");
  assert_recent ("srun --gpus=1 | ssh a");
  cured_launcher_remember ("ssh a");
  assert_recent ("ssh a | srun --gpus=1");
  /* This machine is no launcher, and a line has one. */
  cured_launcher_remember (NULL);
  cured_launcher_remember (" ");
  cured_launcher_remember ("ssh\nb");
  cured_launcher_remember ("ssh \xff");
  assert_recent ("ssh a | srun --gpus=1");
  g_assert_cmpint (g_stat (path, &found), ==, 0);
  g_assert_cmpint (found.st_mode & 0777, ==, 0600);
}

TEST ("/launcher-history/most")
{
  for (int i = 0; i < 12; i++)
    {
      g_autofree char *launcher = g_strdup_printf ("ssh host%d", i);

      cured_launcher_remember (launcher);
    }
  g_auto (GStrv) recent = cured_launcher_list_recent ();
  g_assert_cmpuint (g_strv_length (recent), ==, 10);
  g_assert_cmpstr (recent[0], ==, "ssh host11");
  g_assert_cmpstr (recent[9], ==, "ssh host2");
}

/* A file that a person wrote has what can be read of it. */
TEST ("/launcher-history/damaged")
{
  g_autofree char *path = get_path ();
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, "\n\xff\xfe\nssh a\n\nsrun", -1, NULL));
  assert_recent ("ssh a | srun");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  return run_tests ();
}
