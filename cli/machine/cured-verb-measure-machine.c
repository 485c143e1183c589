/* SPDX-License-Identifier: MIT
 * cured measure-machine: measures the rates of a chip's resources, into a file. */
#include <glib/gi18n.h>
#include <signal.h>

#include "cured-cli-job.h"
#include "cured-cli.h"

#define CURED_VERB "machine/cured-verb-measure-machine.def"
#include "cured-verb.h"

typedef struct
{
  const char *id;
  const char *worker; /* nullable */
  GPtrArray *left_out;
  char *text;
} Measuring;

static CuredDevice *
open_device (const Measuring *self, GError **error)
{
  g_auto (GStrv) command = NULL;

  if (self->worker == NULL)
    return cured_device_open_confined (self->id, error);
  if (!g_shell_parse_argv (self->worker, NULL, &command, error))
    {
      g_prefix_error (error, "--worker: ");
      return NULL;
    }
  return cured_worker_device_new ((const char *const *) command, self->id, error);
}

static gboolean
measure (CuredCliJob *job, gpointer user_data, GCancellable *cancellable, GError **error)
{
  Measuring *self = user_data;
  g_autoptr (CuredDevice) device = open_device (self, error);

  if (device == NULL)
    return FALSE;
  self->text =
      cured_machine_measure (device, cured_cli_job_report, job, self->left_out, cancellable, error);
  return self->text != NULL;
}

static int
run (int argc, char **argv, GError **error)
{
  g_autoptr (GPtrArray) left_out = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  Measuring measuring = { .left_out = left_out, .id = given.id, .worker = given.worker };
  gboolean is_file;

  is_file = given.output != NULL && !g_str_equal (given.output, "-");
  if (!cured_cli_check_with (given.force, "--force", is_file, "-o FILE") ||
      (is_file && !cured_cli_check_output (given.output, NULL, given.force)))
    return CURED_EXIT_USAGE;

  signal (SIGPIPE, SIG_IGN);
  if (!cured_cli_job_run (_ ("Measuring"), measure, &measuring, NULL, error))
    return CURED_EXIT_USAGE;
  text = measuring.text;
  for (guint i = 0; i < left_out->len && !cured_cli_is_quiet; i++)
    g_printerr (_ ("Left out: %s\n"), (char *) g_ptr_array_index (left_out, i));
  if (!is_file)
    g_print ("%s", text);
  else if (!cured_output_file_write_text (given.output, text, error))
    return CURED_EXIT_USAGE;
  else if (!cured_cli_is_quiet)
    g_printerr (_ ("Written to %s\n"), given.output);
  return CURED_EXIT_OK;
}
