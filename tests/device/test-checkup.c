/* SPDX-License-Identifier: MIT
 * What is planted on a machine is found by the checkup, and nothing else. */
#include <glib/gstdio.h>
#include <gio/gio.h>

#include "device/cured-checkup.h"
#include "test.h"

static const char *library; /* tests/support/fake-driver.c */
static char *folder;        /* the driver's, and the root of files */
static char *nvml;

/* What is planted: a word of FAKE_DRIVER, a variable, or a file that goes; and the line that has to
 * find it. */
typedef struct
{
  const char *name;
  const char *words;    /* of FAKE_DRIVER */
  const char *variable; /* nullable: NAME=VALUE */
  const char *file;     /* nullable: renamed while it is looked */
  const char *id;
  CuredCheckupState state;
} Fault;

static const Fault faults[] = {
  { "no-driver", "", "CURED_NVML=/nowhere/libnvidia-ml.so.1", NULL, "driver", CURED_CHECKUP_FAULT },
  { "driver-mismatch", "init=18", NULL, NULL, "driver", CURED_CHECKUP_FAULT },
  { "driver-old", "cuda=11040", NULL, NULL, "driver", CURED_CHECKUP_FAULT },
  { "no-libcuda", "", NULL, "libcuda.so.1", "libcuda", CURED_CHECKUP_FAULT },
  { "no-device-file", "", NULL, "dev/nvidia-uvm", "permissions", CURED_CHECKUP_FAULT },
  { "no-gpu", "gpus=0", NULL, NULL, "gpu", CURED_CHECKUP_FAULT },
  { "gpu-lost", "handle=15", NULL, NULL, "gpu", CURED_CHECKUP_FAULT },
  { "gpu-hidden", "", "CUDA_VISIBLE_DEVICES=", NULL, "gpu", CURED_CHECKUP_FAULT },
  { "no-nvrtc", "", "CURED_NVRTC=/nowhere/libnvrtc.so.13", NULL, "nvrtc", CURED_CHECKUP_FAULT },
  { "no-builtins", "builtins=0", NULL, NULL, "builtins", CURED_CHECKUP_FAULT },
  { "no-headers", "headers=0", NULL, NULL, "headers", CURED_CHECKUP_WARNING },
  { "persistence-off", "persistence=0", NULL, NULL, "persistence", CURED_CHECKUP_WARNING },
  { "clocks-hot", "reasons=32", NULL, NULL, "clocks", CURED_CHECKUP_WARNING },
  { "clocks-locked", "reasons=2", NULL, NULL, "clocks", CURED_CHECKUP_WARNING },
  { "ecc-errors", "errors=3", NULL, NULL, "ecc", CURED_CHECKUP_FAULT },
  { "ecc-pending", "next_ecc=0", NULL, NULL, "ecc", CURED_CHECKUP_WARNING },
  { "mig", "mig=1", NULL, NULL, "mig", CURED_CHECKUP_WARNING },
  { "mode-prohibited", "mode=2", NULL, NULL, "mode", CURED_CHECKUP_FAULT },
  { "processes", "processes=2", NULL, NULL, "processes", CURED_CHECKUP_WARNING },
  { "no-results", "", NULL, "results", "results", CURED_CHECKUP_WARNING },
};

static void
write_file (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, "580.1\n", -1, NULL));
}

/* A machine on which all is well. */
static void
set_healthy (void)
{
  g_setenv ("FAKE_DRIVER", "", TRUE);
  g_setenv ("CURED_NVML", nvml, TRUE);
  g_setenv ("CURED_NVRTC", nvml, TRUE);
  g_unsetenv ("CUDA_VISIBLE_DEVICES");
}

static GPtrArray *
look (void)
{
  g_autofree char *results = g_build_filename (folder, "results", NULL);

  return cured_checkup_run (folder, results);
}

/* Of the lines that are worse than a note, the only one. */
static const CuredCheckupLine *
find_worst (GPtrArray *lines)
{
  const CuredCheckupLine *found = NULL;

  for (guint i = 0; i < lines->len; i++)
    {
      const CuredCheckupLine *line = g_ptr_array_index (lines, i);

      g_assert_cmpstr (line->text, !=, "");
      /* Each fault comes with its remedy. */
      if (line->state != CURED_CHECKUP_OK)
        g_assert_nonnull (line->remedy);
      if (line->state < CURED_CHECKUP_WARNING)
        continue;
      if (found != NULL)
        g_error ("%s: %s, and %s: %s", found->id, found->text, line->id, line->text);
      found = line;
    }
  return found;
}

TEST ("/checkup/healthy")
{
  set_healthy ();
  g_autoptr (GPtrArray) lines = look ();
  g_assert_null (find_worst (lines));
  g_assert_cmpuint (lines->len, >, 14);
}

static void
test_fault (gconstpointer data)
{
  const Fault *fault = data;
  g_autofree char *path = NULL, *aside = NULL;

  set_healthy ();
  g_setenv ("FAKE_DRIVER", fault->words, TRUE);
  if (fault->variable != NULL)
    {
      g_auto (GStrv) parts = g_strsplit (fault->variable, "=", 2);

      g_setenv (parts[0], parts[1], TRUE);
    }
  if (fault->file != NULL)
    {
      path = g_build_filename (folder, fault->file, NULL);
      aside = g_strconcat (path, ".aside", NULL);
      g_assert_cmpint (g_rename (path, aside), ==, 0);
    }
  g_autoptr (GPtrArray) lines = look ();
  if (fault->file != NULL)
    g_assert_cmpint (g_rename (aside, path), ==, 0);
  const CuredCheckupLine *line = find_worst (lines);
  g_assert_nonnull (line);
  g_assert_cmpstr (line->id, ==, fault->id);
  g_assert_cmpint (line->state, ==, fault->state);
}

/* A module without its libraries is another fault than no driver. */
TEST ("/checkup/driver-libraries")
{
  g_autofree char *results = g_build_filename (folder, "results", NULL);

  set_healthy ();
  g_setenv ("CURED_NVML", "/nowhere/libnvidia-ml.so.1", TRUE);
  g_autoptr (GPtrArray) with = look ();
  g_autoptr (GPtrArray) without = cured_checkup_run (results, results);
  g_assert_cmpstr (find_worst (with)->remedy, !=, find_worst (without)->remedy);
}

int
main (int argc, char **argv)
{
  folder = MUST (g_dir_make_tmp ("cured-checkup-XXXXXX", &fail));
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  library = g_getenv ("CURED_TEST_DRIVER");
  g_assert_nonnull (library);
  nvml = g_build_filename (folder, "libnvidia-ml.so.1", NULL);
  g_autoptr (GFile) from = g_file_new_for_path (library);
  for (int i = 0; i < 2; i++)
    {
      g_autofree char *path =
          g_build_filename (folder, i == 0 ? "libnvidia-ml.so.1" : "libcuda.so.1", NULL);
      g_autoptr (GFile) to = g_file_new_for_path (path);

      MUST (g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, &fail));
    }
  write_file ("sys/module/nvidia/version");
  write_file ("dev/nvidiactl");
  write_file ("dev/nvidia-uvm");
  write_file ("dev/nvidia0");
  write_file ("results/some.cured");

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = g_strconcat ("/checkup/fault/", faults[i].name, NULL);

      g_test_add_data_func (path, &faults[i], test_fault);
    }
  int status = run_tests ();
  g_autofree char *command = g_strconcat ("rm -rf ", folder, NULL);
  g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL);
  g_free (folder);
  g_free (nvml);
  return status;
}
