/* SPDX-License-Identifier: MIT
 * cured measure-machine: what a chip's resources reach, into a file. */
#include "config.h"

#include <glib/gi18n.h>
#include <signal.h>

#include "cured-cli-job.h"
#include "cured-cli.h"

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
run_measure_machine (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *id = NULL;
  g_autofree char *output = NULL;
  g_autofree char *worker = NULL;
  gboolean force = FALSE;
  const GOptionEntry entries[] = {
    { "device", 'd', 0, G_OPTION_ARG_STRING, &id, N_ ("Which GPU [cuda:0]"), N_ ("ID") },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
      N_ ("Write to FILE; “-” is standard output [-]"), N_ ("FILE") },
    { "force", 0, 0, G_OPTION_ARG_NONE, &force, N_ ("Replace FILE"), NULL },
    { "worker", 0, 0, G_OPTION_ARG_STRING, &worker, N_ ("Command that starts a worker elsewhere"),
      N_ ("COMMAND") },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GPtrArray) left_out = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  Measuring measuring = { .left_out = left_out };
  gboolean is_file;

  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc > 1)
    return cured_cli_fail (_ ("“%s”: measure-machine takes no arguments; the file is named by -o"),
                           argv[1]);
  is_file = output != NULL && !g_str_equal (output, "-");
  if (!cured_cli_check_with (force, "--force", is_file, "-o FILE") ||
      (is_file && !cured_cli_check_output (output, NULL, force)))
    return CURED_EXIT_USAGE;

  signal (SIGPIPE, SIG_IGN);
  measuring.id = id != NULL ? id : "cuda:0";
  measuring.worker = worker;
  if (!cured_cli_job_run (_ ("Measuring"), measure, &measuring, NULL, &error))
    {
      g_free (measuring.text);
      return cured_cli_fail_error (error);
    }
  for (guint i = 0; i < left_out->len && !cured_cli_is_quiet (); i++)
    g_printerr (_ ("Left out: %s\n"), (char *) g_ptr_array_index (left_out, i));
  if (!is_file)
    g_print ("%s", measuring.text);
  else if (!cured_output_file_write_text (output, measuring.text, &error))
    {
      g_free (measuring.text);
      return cured_cli_fail_error (error);
    }
  else if (!cured_cli_is_quiet ())
    g_printerr (_ ("Written to %s\n"), output);
  g_free (measuring.text);
  return CURED_EXIT_OK;
}

const CuredVerb cured_verb_measure_machine = {
  .name = "measure-machine",
  .arguments = "",
  .summary = N_ ("Measure what a GPU's resources reach"),
  .description =
      N_ ("Rates, latencies, and what launches and atomics cost, each with how it was\n"
          "measured, as a file of machine facts for explain and predict; it takes about a\n"
          "minute. What could not be measured is left out, and named. cured-machine(7) says\n"
          "where such files are looked for.\n"
          "\n"
          "Examples:\n"
          "  cured measure-machine -o ~/.local/share/cured/machines/mine.ini\n"
          "  cured measure-machine --device cuda:1 -o h100.ini\n"),
  .run = run_measure_machine,
};
