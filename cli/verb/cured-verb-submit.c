/* SPDX-License-Identifier: MIT
 * cured submit: a sweep as a job array of Slurm. */
#include <inttypes.h>
#include <glib/gi18n.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-submit.def"
#include "cured-verb.h"

/* Interval of queries of the job's state. */
#define POLL_US (2 * G_USEC_PER_SEC)

/* Time of a task after Slurm's warning that it will end. */
#define WARNING_S 60

/* Options of “run” that make no sense in each task. */
static gboolean
check_arguments (char **arguments)
{
  static const char *const own[] = { "--shard", "--resume", "--best", "-b" };

  for (gsize i = 0; arguments[i] != NULL; i++)
    for (gsize j = 0; j < G_N_ELEMENTS (own); j++)
      if (g_str_equal (arguments[i], own[j]) ||
          (g_str_has_prefix (arguments[i], own[j]) && arguments[i][strlen (own[j])] == '='))
        return cured_cli_deny (_ ("submit sets %s itself; omit it"), own[j]);
  return TRUE;
}

static gboolean
check_sbatch (char **options)
{
  for (gsize i = 0; options != NULL && options[i] != NULL; i++)
    if (strpbrk (options[i], "\n\r") != NULL || options[i][0] != '-')
      return cured_cli_deny (
          _ ("--sbatch %s: expected an option of sbatch, such as --sbatch=--time=1:00:00"),
          options[i]);
  return TRUE;
}

/* Lets “run” check its arguments before anything is submitted. */
static gboolean
check_run (const char *program, char **arguments, GError **error)
{
  g_autoptr (GPtrArray) command = g_ptr_array_new ();
  g_autofree char *complaint = NULL;

  g_ptr_array_add (command, (char *) program);
  g_ptr_array_add (command, (char *) "run");
  for (gsize i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (command, arguments[i]);
  g_ptr_array_add (command, (char *) "--dry-run");
  g_ptr_array_add (command, NULL);
  g_autoptr (GSubprocess) process =
      g_subprocess_newv ((const char *const *) command->pdata,
                         G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE, error);
  if (process == NULL ||
      !g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &complaint, error))
    return FALSE;
  if (g_subprocess_get_successful (process))
    return TRUE;
  if (g_subprocess_get_if_signaled (process))
    return cured_cli_refuse (error,
                             /* Translators: a signal's name, such as “Killed”. */
                             _ ("“cured run --dry-run” was ended by a signal: %s"),
                             g_strsignal (g_subprocess_get_term_sig (process)));
  return cured_cli_refuse (error, _ ("“cured run” refuses this: %s"), g_strstrip (complaint));
}

static gboolean
asks_for_gpu (char **arguments)
{
  for (gsize i = 0; given.sbatch != NULL && given.sbatch[i] != NULL; i++)
    if (g_str_has_prefix (given.sbatch[i], "--gpus") ||
        g_str_has_prefix (given.sbatch[i], "--gres") || g_str_has_prefix (given.sbatch[i], "-G"))
      return FALSE;
  for (gsize i = 0; arguments[i] != NULL; i++)
    if (strstr (arguments[i], "emulator") != NULL || strstr (arguments[i], "model:") != NULL ||
        g_str_has_prefix (arguments[i], "--worker") ||
        g_str_has_prefix (arguments[i], "--launcher"))
      return FALSE;
  return TRUE;
}

static void
append_quoted (GString *text, const char *word)
{
  g_string_append_printf (text, " %s", cured_cli_lend (g_shell_quote (word)));
}

/* In #SBATCH lines, words are quoted differently from a shell: a backslash escapes within any
 * quotes, and a number sign begins a comment. */
static void
append_sbatch_word (GString *script, const char *word)
{
  g_string_append_c (script, '"');
  for (; *word != '\0'; word++)
    {
      if (*word == '"' || *word == '\\')
        g_string_append_c (script, '\\');
      g_string_append_c (script, *word);
    }
  g_string_append_c (script, '"');
}

/* In a path, a percent sign has a special meaning for Slurm. */
static void
append_log (GString *script, const char *folder)
{
  g_auto (GStrv) parts = g_strsplit (folder, "%", -1);
  g_autofree char *escaped = g_strjoinv ("%%", parts);
  g_autofree char *log = g_strconcat (escaped, "/%a.log", NULL);

  g_string_append (script, "#SBATCH --output=");
  append_sbatch_word (script, log);
  g_string_append_c (script, '\n');
}

/* Appends an option as of sbatch's command line. */
static void
append_option (GString *script, const char *option)
{
  const char *value = strchr (option, '=');

  g_string_append (script, "#SBATCH ");
  if (value == NULL || strpbrk (value, " \t\"'\\#") == NULL)
    g_string_append (script, option);
  else
    {
      g_string_append_len (script, option, value + 1 - option);
      append_sbatch_word (script, value + 1);
    }
  g_string_append_c (script, '\n');
}

static char *
make_script (const char *program, const char *folder, char **arguments)
{
  GString *script = g_string_new ("#!/bin/sh\n# Written by cured submit.\n"
                                  "#SBATCH --job-name=cured\n");

  g_string_append_printf (script,
                          "#SBATCH --array=0-%" PRId64 "\n"
                          "#SBATCH --requeue\n"
                          "#SBATCH --open-mode=append\n"
                          "#SBATCH --signal=B:TERM@%d\n",
                          given.n_tasks - 1, WARNING_S);
  append_log (script, folder);
  if (asks_for_gpu (arguments))
    g_string_append (script, "#SBATCH --gpus=1\n");
  for (gsize i = 0; given.sbatch != NULL && given.sbatch[i] != NULL; i++)
    append_option (script, given.sbatch[i]);
  g_string_append (script, "\n");
  g_string_append_printf (script,
                          "file=%s/\"$SLURM_ARRAY_TASK_ID\".cured\n"
                          "# A task that was requeued goes on where it was stopped.\n",
                          cured_cli_lend (g_shell_quote (folder)));
  g_string_append (script, cured_cli_lend (g_shell_quote (program)));
  g_string_append (script, " run");
  for (gsize i = 0; arguments[i] != NULL; i++)
    append_quoted (script, arguments[i]);
  g_string_append (script, " --resume --shard slurm -o \"$file\" &\n"
                           "cured=$!\n"
                           "trap 'kill -TERM \"$cured\" 2>/dev/null' TERM\n"
                           "wait \"$cured\"\n"
                           "code=$?\n"
                           "# A signal ends the waiting, not what is waited for.\n"
                           "while kill -0 \"$cured\" 2>/dev/null; do\n"
                           "  wait \"$cured\"\n"
                           "  code=$?\n"
                           "done\n");
  g_string_append_printf (
      script,
      "# %d: stopped before the end, and to be resumed; a job that was cancelled runs\n"
      "# no more, and is not.\n"
      "task=\"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"\n"
      "if [ \"$code\" -eq %d ]; then\n"
      "  case \"$(scontrol show job -o \"$task\")\" in\n"
      "  *\"JobState=RUNNING \"*) scontrol requeue \"$task\" ;;\n"
      "  esac\n"
      "fi\n"
      "exit \"$code\"\n",
      CURED_EXIT_RESUME, CURED_EXIT_RESUME);
  return g_string_free (script, FALSE);
}

static char *
call (const char *const *command, GError **error)
{
  g_autoptr (GSubprocess) process = g_subprocess_newv (
      command, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, error);
  g_autofree char *answer = NULL, *complaint = NULL;

  if (process == NULL ||
      !g_subprocess_communicate_utf8 (process, NULL, NULL, &answer, &complaint, error))
    return NULL;
  if (g_subprocess_get_successful (process))
    return g_strdup (g_strstrip (answer));
  cured_cli_refuse (error, _ ("%s says: %s"), command[0], g_strstrip (complaint));
  return NULL;
}

/* The existing shards. */
static char **
list_shards (const char *folder)
{
  GPtrArray *paths = g_ptr_array_new ();

  for (gint64 i = 0; i < given.n_tasks; i++)
    {
      g_autofree char *name = g_strdup_printf ("%" PRId64 ".cured", i);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

static void
count_cells (char **paths, gint64 *n_done, gint64 *n_cells)
{
  *n_done = 0;
  *n_cells = 0;
  for (gsize i = 0; paths[i] != NULL; i++)
    {
      g_autoptr (CuredResult) result = cured_result_load (paths[i], NULL, NULL);

      if (result == NULL)
        continue;
      *n_cells = cured_result_get_n_cells (result);
      *n_done += *n_cells - cured_result_count_state (result, CURED_STATE_NOT_RUN);
    }
}

/* Whether any task of the job is waiting or running. */
static gboolean
is_queued (const char *job, char **states)
{
  const char *command[] = { "squeue", "-h", "-r", "-j", job, "-o", "%T", NULL };

  *states = call (command, NULL);
  return *states != NULL && **states != '\0';
}

static void
wait_for_job (const char *job, const char *folder)
{
  gint64 began_us = g_get_monotonic_time ();
  gint64 n_before = -1, n_first = -1;
  char *states = NULL;

  while (is_queued (job, &states))
    {
      g_auto (GStrv) paths = list_shards (folder);
      g_auto (GStrv) words = g_strsplit (states, "\n", -1);
      gint64 n_done, n_cells;

      count_cells (paths, &n_done, &n_cells);
      if (n_first < 0)
        n_first = n_done;
      if (n_done != n_before && n_cells > 0 && !cured_cli_is_quiet)
        {
          double elapsed_s = (double) (g_get_monotonic_time () - began_us) / 1e6;
          double rest_s = n_done > n_first ? elapsed_s * (double) (n_cells - n_done) /
                                                 (double) (n_done - n_first)
                                           : 0;

          g_autofree char *line = NULL;

          if (n_done > n_first && n_done < n_cells)
            line = g_strdup_printf (_ ("%lld of %lld cells, %u tasks queued or running, %s left"),
                                    (long long) n_done, (long long) n_cells, g_strv_length (words),
                                    cured_cli_seconds (rest_s));
          else
            line = g_strdup_printf (_ ("%lld of %lld cells, %u tasks queued or running"),
                                    (long long) n_done, (long long) n_cells, g_strv_length (words));
          cured_cli_line_show (line);
        }
      n_before = n_done;
      g_clear_pointer (&states, g_free);
      g_usleep (POLL_US);
    }
  g_free (states);
  cured_cli_line_clear ();
}

static int
merge_shards (const char *folder, GError **error)
{
  g_auto (GStrv) paths = list_shards (folder);

  if (paths[0] == NULL)
    return cured_cli_fail (_ ("no task wrote anything; see %s/*.log"), folder);
  g_autoptr (CuredMergeReport) report =
      cured_merge ((const char *const *) paths, given.output, CURED_MERGE_NEWEST,
                   CURED_MERGE_ACCEPT_NONE, given.force, NULL, error);
  if (report == NULL)
    return CURED_EXIT_USAGE;
  cured_cli_print_merge (report, given.output);
  if (report->n_missing == 0)
    return CURED_EXIT_OK;
  g_printerr (_ ("The tasks' messages are in %s/*.log. To run the missing cells, submit the same "
                 "again with --force.\n"),
              folder);
  return CURED_EXIT_RESUME;
}

static int
submit (const char *script, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "submit.sh", NULL);
  g_autofree char *found = g_find_program_in_path ("sbatch");
  const char *command[] = { "sbatch", "--parsable", path, NULL };

  if (found == NULL)
    return cured_cli_fail (_ ("sbatch is not installed here; submit on a Slurm host, or print the "
                              "script with --dry-run"));
  if (g_mkdir_with_parents (folder, 0777) != 0)
    return cured_cli_fail (_ ("%s can't be made; choose another -o"), folder);
  if (!g_file_set_contents (path, script, -1, error))
    return CURED_EXIT_USAGE;
  g_autofree char *job = call (command, error);
  if (job == NULL)
    return CURED_EXIT_USAGE;
  /* “123;cluster” */
  *strchrnul (job, ';') = '\0';
  if (!given.wait)
    {
      g_print (_ ("Submitted as job %s. When it is done: cured merge %s/*.cured -o %s\n"), job,
               folder, given.output);
      return CURED_EXIT_OK;
    }
  g_printerr (_ ("Submitted as job %s\n"), job);
  wait_for_job (job, folder);
  return merge_shards (folder, error);
}

static int
run (int argc, char **argv, GError **error)
{
  if (argc < 2 || given.output == NULL || given.n_tasks == 0)
    return cured_cli_fail (_ ("submit needs a kernel, how many tasks, and where to write, such as "
                              "“cured submit matmul/tiled --sweep --array 16 -o tiles.cured”"));
  if (!check_arguments (argv + 1) || !check_sbatch (given.sbatch) ||
      !cured_cli_check_output (given.output, NULL, given.force))
    return CURED_EXIT_USAGE;
  g_auto (GStrv) command = cured_worker_default_command ();
  g_autofree char *found = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *program = found != NULL ? g_steal_pointer (&found) : g_strdup (command[0]);
  g_autofree char *absolute = g_canonicalize_filename (given.output, NULL);
  g_autofree char *folder = g_strconcat (absolute, ".shards", NULL);
  if (!check_run (program, argv + 1, error))
    return CURED_EXIT_USAGE;
  g_autofree char *script = make_script (program, folder, argv + 1);
  if (given.dry_run)
    {
      g_print ("%s", script);
      return CURED_EXIT_OK;
    }
  return submit (script, folder, error);
}
