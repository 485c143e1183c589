/* SPDX-License-Identifier: MIT
 * Several devices, opened and closed at the same time: each takes as long as its driver, and one on
 * another host as long as the command that starts it there. */
#include <glib/gi18n.h>

#include "cured-cli-devices.h"

CuredCliPlaces cured_cli_places;

/* clang-format off */
const CuredCliOption cured_cli_place_rows[] = {
  { "launcher", 0, CURED_CLI_TEXTS, &cured_cli_places.launchers,
    N_ ("Start cured elsewhere, by ssh HOST or srun"), N_ ("COMMAND"), .list = cured_cli_list_launchers },
  { "push", 0, CURED_CLI_FLAG, &cured_cli_places.push, N_ ("Copy this program there first if it is missing") },
  { NULL },
};
/* clang-format on */

/* FALSE after a message: --launcher and --push make no sense. */
gboolean
cured_cli_check_places (void)
{
  char **launchers = cured_cli_places.launchers;

  if (cured_cli_places.push && launchers == NULL)
    return cured_cli_deny (
        _ ("--push copies the program to where --launcher leads; add one, such as "
           "--launcher 'ssh gpu-server'"));
  for (gsize i = 0; launchers != NULL && launchers[i] != NULL; i++)
    if (launchers[i][0] == '\0')
      return cured_cli_deny (
          _ ("--launcher: expected a command that starts a program elsewhere, such as "
             "--launcher 'ssh gpu-server'"));
  return TRUE;
}

/* The command of a worker that @launcher starts, copied there first with --push. */
char **
cured_cli_launch_worker (const char *launcher, GError **error)
{
  g_autofree char *program = NULL;

  if (cured_cli_places.push)
    {
      program = cured_launcher_push (launcher, NULL, error);
      if (program == NULL)
        return NULL;
    }
  return cured_launcher_get_worker_of (launcher, program, error);
}

/* A device to open, in its own thread. */
struct _CuredCliOpening
{
  char **command; /* (nullable): the worker's; NULL: the usual one */
  char *id;
  GThread *thread;
  CuredDevice *device; /* nullable */
  GError *error;       /* nullable */
};

/* Returns an opening for cured_cli_open_all(). */
CuredCliOpening *
cured_cli_opening_new (char **command, const char *id)
{
  CuredCliOpening *self = g_new0 (CuredCliOpening, 1);

  self->command = g_strdupv (command);
  self->id = g_strdup (id);
  return self;
}

void
cured_cli_opening_free (gpointer opening)
{
  CuredCliOpening *self = opening;

  g_strfreev (self->command);
  g_free (self->id);
  g_clear_error (&self->error);
  g_free (self);
}

static gpointer
open_thread (gpointer data)
{
  CuredCliOpening *self = data;

  self->device =
      self->command != NULL
          ? cured_worker_device_new ((const char *const *) self->command, self->id, &self->error)
          : cured_device_open_confined (self->id, &self->error);
  return NULL;
}

static gpointer
close_thread (gpointer data)
{
  cured_device_close (data);
  return NULL;
}

/* Blocks until all devices are open or have failed. */
CuredCliDevices *
cured_cli_open_all (GPtrArray *openings, GError **error)
{
  g_autoptr (CuredCliDevices) devices = g_ptr_array_new ();
  CuredCliOpening *failed = NULL;

  for (guint i = 0; i < openings->len; i++)
    {
      CuredCliOpening *opening = openings->pdata[i];

      opening->thread = g_thread_try_new ("cured-open", open_thread, opening, NULL);
      if (opening->thread == NULL)
        open_thread (opening);
    }
  for (guint i = 0; i < openings->len; i++)
    {
      CuredCliOpening *opening = openings->pdata[i];

      g_clear_pointer (&opening->thread, g_thread_join);
      if (opening->device != NULL)
        g_ptr_array_add (devices, opening->device);
      else if (failed == NULL)
        failed = opening;
    }
  if (failed == NULL)
    return g_steal_pointer (&devices);
  g_propagate_error (error, g_steal_pointer (&failed->error));
  return NULL;
}

/* Blocks until all devices are closed. */
void
cured_cli_devices_close (CuredCliDevices *self)
{
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();

  for (guint i = 0; i < self->len; i++)
    {
      GThread *thread = g_thread_try_new ("cured-close", close_thread, self->pdata[i], NULL);

      if (thread != NULL)
        g_ptr_array_add (threads, thread);
      else
        close_thread (self->pdata[i]);
    }
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (threads->pdata[i]);
  g_ptr_array_unref (self);
}
