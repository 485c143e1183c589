/* SPDX-License-Identifier: MIT
 * A worker with the tests' fake device. Replaces `cured worker` through the environment variable
 * CURED_WORKER; CURED_FAKE says what goes wrong. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "fake-device.h"
#include "worker/cured-worker.h"

/* That a process waits for another one. */
#define LONGEST_MS 600000

/* What "NAME=" is followed by among what goes wrong; NULL: nothing. */
static char *
find_setting (const char *name)
{
  const char *text = g_getenv ("CURED_FAKE");
  g_auto (GStrv) faults = g_strsplit (text != NULL ? text : "", ",", -1);

  for (guint i = 0; faults[i] != NULL; i++)
    if (g_str_has_prefix (faults[i], name))
      return g_strdup (faults[i] + strlen (name));
  return NULL;
}

/* Whether this process has the device: one that was refused has nothing to hold. */
static gboolean
has_device (const char *alone)
{
  g_autofree char *text = NULL;

  return g_file_get_contents (alone, &text, NULL, NULL) && atoi (text) == getpid ();
}

/* How many devices were opened, where that is counted. */
static guint64
count_starts (void)
{
  g_autofree char *starts = find_setting ("starts=");
  GStatBuf file;

  return starts != NULL && g_stat (starts, &file) == 0 ? (guint64) file.st_size : 0;
}

/* Lets the worker's process outlive its work, as one does whose driver clears up, and with it its
 * hold on the device. */
static void
linger (guint64 ms, const char *alone, guint64 n_starts)
{
  g_autofree char *refused = g_strconcat (alone, ".refused", NULL);
  g_autofree char *left = find_setting ("left=");
  pid_t child = fork ();
  int status;

  if (child == 0)
    return;
  close (STDIN_FILENO);
  close (STDOUT_FILENO);
  waitpid (child, &status, 0);
  if (alone != NULL && !has_device (alone))
    _exit (0);
  for (guint64 i = 0; i < ms && (alone == NULL || access (refused, F_OK) != 0) &&
                      (n_starts == 0 || count_starts () < n_starts);
       i++)
    g_usleep (1000);
  if (alone != NULL)
    {
      unlink (refused);
      unlink (alone);
    }
  if (left != NULL)
    {
      FILE *file = fopen (left, "a");

      fprintf (file, "%" G_GUINT64_FORMAT, count_starts ());
      fclose (file);
    }
  _exit (0);
}

int
main (int argc, char **argv)
{
  const char *id = "fake:0";
  const char *hello = g_getenv ("CURED_FAKE_HELLO");
  g_autofree char *load_ms = find_setting ("load-ms=");
  g_autofree char *leave_ms = find_setting ("leave-ms=");
  g_autofree char *leave_at = find_setting ("leave-at=");
  g_autofree char *alone = find_setting ("alone=");

  setlocale (LC_ALL, "");
  /* Some die here as told, and a machine's handler of core dumps would take its time over each. One
   * byte: a limit of none does not keep it from being run. */
  setrlimit (RLIMIT_CORE, &(struct rlimit){ 1, 1 });
  for (int i = 1; i + 1 < argc; i++)
    if (g_str_equal (argv[i], "--device"))
      id = argv[i + 1];

  /* What a worker may say instead of a hello. */
  if (hello != NULL)
    {
      if (g_str_equal (hello, "mute"))
        while (TRUE)
          pause ();
      puts (hello);
      fflush (stdout);
      pause ();
    }
  if (load_ms != NULL)
    g_usleep ((gulong) (1000 * g_ascii_strtoull (load_ms, NULL, 10)));
  if (alone != NULL)
    linger (LONGEST_MS, alone, 0);
  else if (leave_at != NULL)
    linger (LONGEST_MS, NULL, g_ascii_strtoull (leave_at, NULL, 10));
  else if (leave_ms != NULL)
    linger (g_ascii_strtoull (leave_ms, NULL, 10), NULL, 0);
  return cured_worker_main (fake_device_open, id);
}
