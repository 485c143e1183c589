/* SPDX-License-Identifier: MIT
 * Devices elsewhere: what several verbs take for it. */
#include "config.h"

#include "cured-cli-launch.h"

/**
 * cured_cli_launch_worker:
 * @launcher: what starts a program elsewhere
 * @push: whether this program is copied there, unless it is there
 * @error: return location
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the command of
 *   a worker there
 */
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
