/* SPDX-License-Identifier: MIT
 * The command of workers. */
#include "worker/cured-worker-internal.h"

#include <stdlib.h>
#include <sys/auxv.h>

/* The file of the running program, or NULL. Without /proc, the path by which it was
 * started. */
static char *
find_self (void)
{
  char *path = g_file_read_link ("/proc/self/exe", NULL);
  const char *started = (const char *) getauxval (AT_EXECFN);

  if (path == NULL && started != NULL)
    {
      char *real = realpath (started, NULL);

      path = g_strdup (real);
      free (real);
    }
  return path;
}

/* Whether the running program is the command: its name is then “cured” or “cured VERB”. */
static gboolean
is_command (void)
{
  const char *name = g_get_prgname ();

  return g_strcmp0 (name, "cured") == 0 || (name != NULL && g_str_has_prefix (name, "cured "));
}

/* The command `cured`: the running program, whatever its file is called, or the file beside
 * it. */
static char *
find_program (void)
{
  g_autofree char *self_path = find_self ();

  if (self_path == NULL)
    return NULL;
  g_autofree char *name = g_path_get_basename (self_path);
  g_autofree char *folder = g_path_get_dirname (self_path);
  g_autofree char *beside = g_str_equal (name, "cured") || is_command ()
                                ? g_strdup (self_path)
                                : g_build_filename (folder, "cured", NULL);
  return g_file_test (beside, G_FILE_TEST_IS_EXECUTABLE) ? g_steal_pointer (&beside) : NULL;
}

static char **
split_command (const char *text)
{
  char **command = NULL;

  if (g_shell_parse_argv (text, NULL, &command, NULL))
    return command;
  /* Unpaired quotes: starting it reports the error. */
  command = g_new0 (char *, 2);
  command[0] = g_strdup (text);
  return command;
}

static char **
make_worker_command (const char *program)
{
  char **command = g_new0 (char *, 3);

  command[0] = g_strdup (program);
  command[1] = g_strdup ("worker");
  return command;
}

/* `$CURED_WORKER`, split like by a shell, if set. Otherwise the command `cured` with the
 * argument `worker`: the running program if it is that, or the one beside it, or the one in the
 * path.
 * Returns: (transfer full): for cured_worker_device_new() */
char **
cured_worker_default_command (void)
{
  const char *wanted = g_getenv ("CURED_WORKER");

  if (wanted != NULL && *wanted != '\0')
    return split_command (wanted);
  g_autofree char *program = find_program ();
  return make_worker_command (program != NULL ? program : "cured");
}

/* A worker of this machine, whichever the sweeps use: the command `cured` that `$CURED_PROGRAM`
 * names, or the running program if it is that, or the one beside it; otherwise as
 * cured_worker_default_command(). */
char **
_cured_examiner_default_command (void)
{
  const char *wanted = g_getenv ("CURED_PROGRAM");

  if (wanted != NULL && *wanted != '\0')
    return make_worker_command (wanted);
  g_autofree char *program = find_program ();
  return program != NULL ? make_worker_command (program) : cured_worker_default_command ();
}

/* @verb: a verb of the command, such as "exec"
 *
 * `$CURED_PROGRAM`, or the running program if it is the command `cured`, or the one beside it;
 * otherwise as cured_worker_default_command().
 * Returns: (transfer full): the command `cured` of this machine with the argument @verb */
char **
cured_worker_default_verb (const char *verb)
{
  char **command = _cured_examiner_default_command ();
  char **last = &command[g_strv_length (command) - 1];

  g_free (*last);
  *last = g_strdup (verb);
  return command;
}
