/* SPDX-License-Identifier: MIT
 * A worker with the tests' fake device. Stands in for `cured worker` through
 * the environment variable CURED_WORKER; CURED_FAKE says what goes wrong. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake-device.h"
#include "worker/cured-worker.h"

/* That a process waits for another one to be refused. */
#define LONGEST_MS 100000

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

  return g_file_get_contents (alone, &text, NULL, NULL) &&
         atoi (text) == getpid ();
}

/* Lets the worker's process outlive its work, as one does whose driver clears
 * up, and with it its hold on the device. */
static void
linger (guint64 ms, const char *alone)
{
  g_autofree char *refused = g_strconcat (alone, ".refused", NULL);
  pid_t child = fork ();
  int status;

  if (child == 0)
    return;
  close (STDIN_FILENO);
  close (STDOUT_FILENO);
  waitpid (child, &status, 0);
  if (alone != NULL && !has_device (alone))
    _exit (0);
  for (guint64 i = 0; i < ms && (alone == NULL || access (refused, F_OK) != 0);
       i++)
    g_usleep (1000);
  if (alone != NULL)
    {
      unlink (refused);
      unlink (alone);
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
  g_autofree char *alone = find_setting ("alone=");

  setlocale (LC_ALL, "");
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
    linger (LONGEST_MS, alone);
  else if (leave_ms != NULL)
    linger (g_ascii_strtoull (leave_ms, NULL, 10), NULL);
  return cured_worker_main (fake_device_open, id);
}
