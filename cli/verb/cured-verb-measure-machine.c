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

static struct
{
  char *id;
  char *output;
  gboolean force;
  char *worker;
} given = { .id = (char *) "cuda:0" };

/* clang-format off */
static const CuredCliOption rows[] = {
  { "device", 'd', CURED_CLI_TEXT, &given.id, N_ ("Which GPU [cuda:0]"), N_ ("ID") },
  { "output", 'o', CURED_CLI_FILE, &given.output, N_ ("Write to FILE; “-” is standard output [-]"), N_ ("FILE") },
  { "force", 0, CURED_CLI_FLAG, &given.force, N_ ("Replace FILE") },
  { "worker", 0, CURED_CLI_TEXT, &given.worker, N_ ("Command that starts a worker elsewhere"), N_ ("COMMAND") },
  { NULL },
};
/* clang-format on */

static int
run_measure_machine (int argc, char **argv, GError **error)
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
  for (guint i = 0; i < left_out->len && !cured_cli_is_quiet (); i++)
    g_printerr (_ ("Left out: %s\n"), (char *) g_ptr_array_index (left_out, i));
  if (!is_file)
    g_print ("%s", text);
  else if (!cured_output_file_write_text (given.output, text, error))
    return CURED_EXIT_USAGE;
  else if (!cured_cli_is_quiet ())
    g_printerr (_ ("Written to %s\n"), given.output);
  return CURED_EXIT_OK;
}

const CuredVerb cured_verb_measure_machine = {
  .name = "measure-machine",
  .summary = N_ ("Measure a GPU's peak rates and latencies"),
  .description =
      N_ ("Rates, latencies, and what launches and atomics cost, each with how it was\n"
          "measured, as a file of machine facts for explain and predict; it takes about a\n"
          "minute. What could not be measured is left out, and named. cured-machine(7) says\n"
          "where such files are looked for.\n"
          "\n"
          "Examples:\n"
          "  cured measure-machine -o ~/.local/share/cured/machines/mine.ini\n"
          "  cured measure-machine --device cuda:1 -o h100.ini\n"),
  .options = { rows },
  .run = run_measure_machine,
};
