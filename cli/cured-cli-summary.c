/* SPDX-License-Identifier: MIT
 * Prints the summary of a finished run, and a breakdown of its time. */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "cured-cli.h"

/* Limit of failed cells in the summary. */
#define MAX_FAILURES 5

static gsize
find_time (CuredResult *result)
{
  gsize metric = 0;

  if (cured_result_find_metric (result, "time", &metric) &&
      cured_result_find_best (result, metric) >= 0)
    return metric;
  return cured_result_find_metric (result, "time_hot", &metric) ? metric : G_MAXSIZE;
}

static void
print_best (CuredResult *result)
{
  static const char *const rates[] = { "bandwidth", "flop_rate", "of_ceiling" };
  gsize metric = find_time (result);
  gint64 best = metric != G_MAXSIZE ? cured_result_find_best (result, metric) : -1;

  if (best < 0)
    return;
  const char *where = cured_cli_describe_cell (result, best);
  g_autoptr (GString) text = g_string_new (where);
  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++)
    {
      gsize rate = 0;
      double value = CURED_MISSING;

      if (!cured_result_find_metric (result, rates[i], &rate))
        continue;
      value = cured_result_get_value (result, best, rate);
      if (isnan (value))
        continue;
      const CuredMetricInfo *info = &cured_result_get_metrics (result, NULL)[rate];
      g_autofree char *rate_text = cured_format_quantity (value, info->unit);
      if (g_str_equal (rates[i], "of_ceiling"))
        {
          cured_cli_append_item (
              text, cured_cli_lend (/* Translators: a percentage of the best that the device can
               * do. */
                                    g_strdup_printf (_ ("%s of the limit"), rate_text)));
        }
      else
        cured_cli_append_item (text, rate_text);
    }
  /* Translators: a figure, and a cell. */
  g_print (_ ("Best: %s at %s\n"),
           cured_cli_quantity (cured_result_get_value (result, best, metric), "ns"), text->str);
}

/* Prints findings of the emulator's detectors, and how to see details. */
static void
print_findings (CuredResult *result)
{
  gint64 n_found = 0, first = -1;
  gsize metric = 0;

  if (!cured_result_find_metric (result, cured_metric_info (CURED_METRIC_findings)->id, &metric))
    return;
  cured_result_load_column (result, metric, NULL, NULL);
  for (gint64 i = cured_result_next_cell (result, 0); i >= 0;
       i = cured_result_next_cell (result, i + 1))
    if (cured_result_get_value (result, i, metric) > 0)
      {
        n_found++;
        if (first < 0)
          first = i;
      }
  if (n_found == 0)
    return;
  g_print (ngettext ("Findings: in %s cell, the first %s\n",
                     "Findings: in %s cells, the first %s\n", (gulong) n_found),
           cured_cli_count (n_found), cured_cli_describe_cell (result, first));
}

/* Warns that counts of a subset of blocks are not the grid's. */
static void
print_blocks (CuredResult *result)
{
  const CuredOptions *options = cured_result_get_options (result);

  if (options->blocks != NULL)
    g_print (_ ("Emulated blocks of each grid: %s; the output was not checked\n"), options->blocks);
}

/* Prints the first failed cells, with the reason. */
static void
print_failures (CuredResult *result)
{
  gint64 n_cells = cured_result_get_n_cells (result);
  const guint8 *states = cured_result_get_states (result);
  gint64 n_failures = 0;

  if (n_cells == 1)
    return;
  for (gint64 i = 0; i < n_cells; i++)
    {
      if (states[i] < CURED_STATE_WRONG || states[i] > CURED_STATE_TIMED_OUT)
        continue;
      n_failures++;
      if (n_failures > MAX_FAILURES)
        continue;
      g_autoptr (CuredOutcome) outcome = cured_result_load_outcome (result, i, NULL);
      if (n_failures == 1)
        g_print (_ ("Not ok:\n"));
      g_print ("  %s: %s", cured_cli_describe_cell (result, i),
               _ (cured_state_to_string (states[i])));
      if (outcome != NULL && outcome->reason != NULL)
        g_print (", %s", outcome->reason);
      g_print ("\n");
    }
  if (n_failures > MAX_FAILURES)
    g_print (
        ngettext ("  … and %s more\n", "  … and %s more\n", (gulong) (n_failures - MAX_FAILURES)),
        cured_cli_count (n_failures - MAX_FAILURES));
}

/* Prints the summary of a run, and the next steps. */
void
cured_cli_print_summary (CuredResult *result, const CuredProgress *progress, CuredSearch *search,
                         const char *path)
{
  if (progress->n_cells == 0)
    g_print (_ ("Nothing left to run\n\n"));
  else
    /* Translators: how many cells ran, of how many, and for how long. */
    g_print (ngettext ("Ran %s of %s cell in %s\n\n", "Ran %s of %s cells in %s\n\n",
                       (gulong) progress->n_cells),
             cured_cli_count (progress->n_done), cured_cli_count (progress->n_cells),
             cured_cli_seconds ((double) progress->elapsed_ns / 1e9));
  cured_cli_print_facts (result, FALSE);
  if (search != NULL)
    cured_cli_print_search (search, result);
  else
    print_best (result);
  print_blocks (result);
  print_findings (result);
  print_failures (result);
  if (cured_result_get_n_cells (result) == 1)
    {
      g_autoptr (GError) error = NULL;

      g_print ("\n");
      if (!cured_cli_print_cell (result, 0, &error))
        cured_cli_fail_error (error);
    }
  g_print (_ ("\nWritten to %s\n"), path);
  /* A name without a blank needs no quotes, and reads better without. */
  g_print (_ ("Look at it: cured show %s\n"), strpbrk (path, " \t\n'\"\\$&;|<>()*?[]#~`!") != NULL
                                                  ? cured_cli_lend (g_shell_quote (path))
                                                  : path);
}

/* As cured_cli_print_summary(), for programs. */
void
cured_cli_print_summary_json (CuredResult *result, const CuredProgress *progress,
                              CuredSearch *search, const char *path, const GPtrArray *excerpts,
                              const GError *stopped)
{
  gsize metric = find_time (result);
  gint64 best = metric != G_MAXSIZE ? cured_result_find_best (result, metric) : -1;

  cured_cli_json ("{file kernel device cells states{", path, cured_result_get_kernel_id (result),
                  cured_result_get_device (result)->name, cured_result_get_n_cells (result));
  for (guint i = 0; i < CURED_N_STATES; i++)
    cured_cli_json ("$", cured_state_to_string ((CuredState) i),
                    cured_result_count_state (result, (CuredState) i));
  cured_cli_json_put ("} best:");
  if (best >= 0)
    {
      gsize n_metrics = 0;
      const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);

      cured_cli_json_put ("{values:");
      cured_cli_json_add_cell (result, best);
      cured_cli_json_put ("metrics{");
      for (gsize i = 0; i < n_metrics; i++)
        cured_cli_json ("$", metrics[i].id, cured_result_get_value (result, best, i));
      cured_cli_json_put ("}}");
    }
  else
    cured_cli_json_put ("~");
  if (search != NULL)
    cured_cli_print_search (search, result);
  if (excerpts != NULL)
    cured_cli_print_excerpts (excerpts);
  cured_cli_json ("elapsed_s stopped}", (double) progress->elapsed_ns / 1e9,
                  stopped != NULL ? stopped->message : NULL);
}

/* Prints where the wall time of the devices went, in percent. */
void
cured_cli_print_breakdown (const CuredProgress *progress, guint n_devices)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lr");
  double total = (double) progress->elapsed_ns * n_devices;
  double rest = total;
  const struct
  {
    const char *title;
    gint64 spent_ns;
  } parts[] = {
    { _ ("running kernels"), progress->stage_ns[CURED_STAGE_TIME] },
    { _ ("waiting for the compiler"), progress->stage_ns[CURED_STAGE_COMPILE] },
    { _ ("preparing inputs"), progress->stage_ns[CURED_STAGE_PREPARE] },
    { _ ("checking"), progress->stage_ns[CURED_STAGE_CHECK] },
    { _ ("storing"), progress->store_ns },
    { _ ("starting workers"), progress->start_ns },
  };

  if (!(total > 0.0))
    return;
  for (gsize i = 0; i <= G_N_ELEMENTS (parts); i++)
    {
      gboolean is_rest = i == G_N_ELEMENTS (parts);
      double spent = is_rest ? MAX (rest, 0.0) : (double) parts[i].spent_ns;

      rest -= spent;
      cured_cli_table_add (table, is_rest ? C_ ("time", "rest") : parts[i].title,
                           cured_cli_printf ("%.1f %%", 100.0 * spent / total));
    }
  /* Translators: the time that a run took, of each of so many devices. */
  g_print (
      ngettext ("\nWhere %s of %u device went:\n", "\nWhere %s of %u devices went:\n", n_devices),
      cured_cli_seconds ((double) progress->elapsed_ns / 1e9), n_devices);
  cured_cli_table_print (table, "  ");
}
