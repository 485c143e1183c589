/* SPDX-License-Identifier: MIT
 * Devices elsewhere: what several verbs take for it. */
#include "config.h"

#include "cured-cli-launch.h"

#include <glib/gi18n.h>

/* Returns FALSE after a message: the options make no sense. */
gboolean
cured_cli_check_launchers (char **launchers, gboolean push)
{
  if (push && launchers == NULL)
    {
      cured_cli_fail (_ ("--push copies the program to where --launcher leads; add one, such as "
                         "--launcher 'ssh gpu-server'"));
      return FALSE;
    }
  for (gsize i = 0; launchers != NULL && launchers[i] != NULL; i++)
    if (launchers[i][0] == '\0')
      {
        cured_cli_fail (_ ("--launcher: expected what starts a program elsewhere, such as "
                           "--launcher 'ssh gpu-server'"));
        return FALSE;
      }
  return TRUE;
}

/* Returns the command of a worker there. */
char **
cured_cli_launch_worker (const char *launcher, gboolean push, GError **error)
{
  g_autofree char *program = NULL;

  if (push)
    {
      program = cured_launcher_push (launcher, NULL, error);
      if (program == NULL)
        return NULL;
    }
  return cured_launcher_get_worker_of (launcher, program, error);
}
