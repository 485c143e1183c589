/* SPDX-License-Identifier: MIT
 * Several devices, opened and closed at the same time: each takes as long as its driver, and one on
 * another host as long as what starts it there. */
#include "config.h"

#include "cured-cli-devices.h"

/* A device that is to be opened, in a thread of its own. */
struct _CuredCliOpening
{
  char **command; /* (nullable): the worker's; NULL: the usual one */
  char *id;
  GThread *thread;
  CuredDevice *device; /* nullable */
  GError *error;       /* nullable */
};

/* Returns for cured_cli_open_all(). */
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

/* Blocks until all of them are open, or can't be. */
CuredCliDevices *
cured_cli_open_all (GPtrArray *openings, GError **error)
{
  g_autoptr (CuredCliDevices) devices = g_ptr_array_new ();
  CuredCliOpening *failed = NULL;

  for (guint i = 0; i < openings->len; i++)
    {
      CuredCliOpening *opening = openings->pdata[i];

      opening->thread = g_thread_new ("cured-open", open_thread, opening);
    }
  for (guint i = 0; i < openings->len; i++)
    {
      CuredCliOpening *opening = openings->pdata[i];

      g_thread_join (opening->thread);
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

/* Blocks until all of them are closed. */
void
cured_cli_devices_close (CuredCliDevices *self)
{
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();

  for (guint i = 0; i < self->len; i++)
    g_ptr_array_add (threads, g_thread_new ("cured-close", close_thread, self->pdata[i]));
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (threads->pdata[i]);
  g_ptr_array_unref (self);
}
