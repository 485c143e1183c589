/* SPDX-License-Identifier: MIT
 * Work of unknown length in a thread: progress, and Ctrl+C. */
#include "cured-cli-job.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <unistd.h>

#include "cured-cli.h"

/* Shorter waits need no message. */
#define QUIET_US (G_USEC_PER_SEC / 2)

#define TICK_MS 100

struct _CuredCliJob
{
  const char *what;
  CuredCliJobFunc func;
  gpointer user_data;
  GCancellable *cancellable;
  GMainLoop *loop;
  GMutex lock;
  gint64 done; /* under @lock, with @all */
  gint64 all, start_us;
  guint n_interrupts;
  gboolean is_terminated, is_ok;
  GError *error;
};

/* Reports progress, from the job's thread or any thread that it starts. */
void
cured_cli_job_report (gint64 done, gint64 all, gpointer job)
{
  CuredCliJob *self = job;

  g_mutex_lock (&self->lock);
  self->done = done;
  self->all = all;
  g_mutex_unlock (&self->lock);
}

static char *
compose (CuredCliJob *self, gint64 now_us)
{
  g_autoptr (GString) line = g_string_new (self->what);
  double elapsed_s = (double) (now_us - self->start_us) / G_USEC_PER_SEC;
  gint64 done, all;

  g_mutex_lock (&self->lock);
  done = self->done;
  all = self->all;
  g_mutex_unlock (&self->lock);
  if (all > 0)
    g_string_append_printf (line, ": %s/%s", cured_cli_count (done), cured_cli_count (all));
  if (done > 0 && done < all)
    {
      /* Translators: a time. */

      cured_cli_append_item (
          line, cured_cli_printf (_ ("%s left"), cured_cli_seconds (elapsed_s / (double) done *
                                                                    (double) (all - done))));
    }
  return g_string_free (g_steal_pointer (&line), FALSE);
}

static gboolean
tick_cb (gpointer user_data)
{
  CuredCliJob *self = user_data;
  gint64 now_us = g_get_monotonic_time ();

  if (cured_cli_line_is_due () && now_us - self->start_us >= QUIET_US)
    {
      g_autofree char *line = compose (self, now_us);

      cured_cli_line_show (line);
    }
  return G_SOURCE_CONTINUE;
}

static gboolean
interrupt_cb (gpointer user_data)
{
  CuredCliJob *self = user_data;

  cured_cli_line_clear ();
  if (++self->n_interrupts > 1)
    _exit (CURED_EXIT_CANCELLED);
  g_printerr ("%s\n", _ ("Stopping; Ctrl+C again stops at once"));
  g_cancellable_cancel (self->cancellable);
  return G_SOURCE_CONTINUE;
}

static gboolean
terminate_cb (gpointer user_data)
{
  ((CuredCliJob *) user_data)->is_terminated = TRUE;
  return interrupt_cb (user_data);
}

static gboolean
finished_cb (gpointer user_data)
{
  g_main_loop_quit (((CuredCliJob *) user_data)->loop);
  return G_SOURCE_REMOVE;
}

static gpointer
run_job (gpointer user_data)
{
  CuredCliJob *self = user_data;

  self->is_ok = self->func (self, self->user_data, self->cancellable, &self->error);
  g_idle_add (finished_cb, self);
  return NULL;
}

/* Does the work in a thread, shows its progress and remaining time on standard error, and ends it
 * on Ctrl+C and SIGTERM. */
gboolean
cured_cli_job_run (const char *what, CuredCliJobFunc func, gpointer user_data,
                   gboolean *is_terminated, GError **error)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  CuredCliJob self = { .what = what,
                       .func = func,
                       .user_data = user_data,
                       .cancellable = cancellable,
                       .loop = loop,
                       .start_us = g_get_monotonic_time () };
  guint sources[3];

  g_mutex_init (&self.lock);
  /* If no thread can be created, Ctrl+C ends the program. */
  GThread *thread = g_thread_try_new ("job", run_job, &self, NULL);
  if (thread == NULL)
    run_job (&self);
  sources[0] = g_unix_signal_add (SIGINT, interrupt_cb, &self);
  sources[1] = g_unix_signal_add (SIGTERM, terminate_cb, &self);
  sources[2] = g_timeout_add (TICK_MS, tick_cb, &self);
  g_main_loop_run (loop);
  g_clear_pointer (&thread, g_thread_join);
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  cured_cli_line_clear ();
  g_mutex_clear (&self.lock);
  if (is_terminated != NULL)
    *is_terminated = self.is_terminated;
  if (!self.is_ok)
    g_propagate_error (error, self.error);
  return self.is_ok;
}
