/* SPDX-License-Identifier: MIT
 * cured explain: finds what limits a cell. */
#include <glib/gi18n.h>
#include <math.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-explain.def"
#include "cured-verb.h"

#define BAR_COLUMNS 30

/* Smallest uncertain share of the issue slots that is printed. */
#define WORTH_SAYING 0.05

/* A bar that is full at 100 %. */
static char *
draw_bar (double share)
{
  int n = (int) (CLAMP (share, 0, 1) * BAR_COLUMNS + 0.5);
  g_autoptr (GString) bar = g_string_new ("|");

  for (int i = 0; i < BAR_COLUMNS; i++)
    g_string_append_c (bar, i < n ? '#' : ' ');
  g_string_append_c (bar, '|');
  return g_string_free (g_steal_pointer (&bar), FALSE);
}

static void
print_bars (const CuredExplanation *explanation)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("llrrlr");

  for (int i = 0; i < CURED_N_RESOURCES; i++)
    {
      const CuredResourceUse *use = &explanation->uses[i];

      if (use->work > 0)
        cured_cli_table_add (table, cured_resource_get_title ((CuredResource) i),
                             cured_cli_lend (draw_bar (use->share)),
                             cured_cli_printf ("%s%s", use->is_most ? "≤ " : "",
                                               cured_cli_quantity (use->share, "ratio")),
                             (gint64) (use->work + 0.5),
                             cured_resource_get_unit ((CuredResource) i),
                             cured_cli_quantity (use->time_ns, "ns"));
    }
  cured_cli_table_print (table, "  ");
}

static void
print_explanation (CuredResult *result, gint64 cell, const CuredMachine *machine,
                   const CuredExplanation *explanation)
{
  const CuredParallelism *parallelism = &explanation->parallelism;
  g_autoptr (CuredAdvice) advice = cured_advice_new (result, cell);
  CuredTraffic traffic;

  g_print ("%s\n", cured_cli_describe_cell (result, cell));
  g_print (_ ("%s on %s at %s\n\n"), cured_cli_quantity (explanation->time_ns, "ns"), machine->name,
           cured_cli_quantity (explanation->sm_clock_hz, "Hz"));
  print_bars (explanation);
  g_print (_ ("\n"
              "  %.0f of %.0f multiprocessors busy, %.0f threads in flight"),
           parallelism->sms_busy, parallelism->sms, parallelism->threads);
  if (!isnan (parallelism->bytes))
    g_print (_ (", %s in flight"), cured_cli_quantity (parallelism->bytes, "B"));
  if (!isnan (parallelism->waves))
    g_print (_ (", %.3g waves, tail %.0f %%"), parallelism->waves, parallelism->tail * 100);
  g_print ("\n\n%s\n", explanation->sentence);
  if (explanation->change != NULL)
    g_print ("%s\n", explanation->change);
  if (advice != NULL)
    g_print ("%s\n", advice->sentence);
  if (explanation->error > 0)
    g_print (_ ("A sample of the blocks was counted; standard error %.2g %%.\n"),
             explanation->error * 100);
  if (explanation->uncertain >= WORTH_SAYING)
    g_print (_ ("%.0f %% of the issue slots are in machine code whose counts are not exact: bars "
                "from issue to load and store may be off by some of that.\n"),
             explanation->uncertain * 100);
  if (!cured_workload_get_traffic (explanation->work, &traffic))
    g_print (_ ("The caches were not modelled, which would have taken too long: L2 and memory are "
                "estimated from what was asked.\n"));
}

/* ---- JSON ---- */

static void
add_work (const CuredWork *work)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);

  cured_cli_json_put ("work{");
  for (gsize i = 0; i < n_fields; i++)
    cured_cli_json ("$", fields[i].name, cured_work_get (work, &fields[i]));
  cured_cli_json_put ("}");
}

static void
add_launch (const CuredWorkLaunch *launch, gboolean all)
{
  cured_cli_json ("{entry repeats blocks blocks_run threads_per_block blocks_per_sm", launch->entry,
                  launch->repeats, launch->n_blocks, launch->n_run,
                  cured_work_launch_count_threads (launch), launch->blocks_per_sm);
  cured_cli_json ("error longest hottest end", launch->error, launch->longest, launch->hottest,
                  launch->end);
  add_work (&launch->total);
  cured_cli_json_put ("instructions[");
  for (guint i = 0; all && i < launch->sites->len; i++)
    {
      const CuredWorkSite *site = g_ptr_array_index (launch->sites, i);

      cured_cli_json ("{file line ptx_line ptx", site->file, site->line, site->ptx_line,
                      site->text);
      add_work (&site->work);
      cured_cli_json_put ("}");
    }
  cured_cli_json_put ("]}");
}

static void
print_json (CuredResult *result, gint64 cell, const CuredExplanation *explanation, gboolean all)
{
  const CuredParallelism *parallelism = &explanation->parallelism;
  const CuredWorkload *work = explanation->work;
  g_autoptr (CuredAdvice) advice = cured_advice_new (result, cell);
  CuredTraffic traffic;

  cured_cli_json_put ("{cell:");
  cured_cli_json_add_cell (result, cell);
  cured_cli_json ("machine time sm_clock verdict limiter busiest next", explanation->machine,
                  explanation->time_ns, explanation->sm_clock_hz,
                  cured_bottleneck_to_string (explanation->bottleneck),
                  cured_factor_to_string (cured_explanation_get_limiter (explanation)),
                  cured_resource_to_string (explanation->limit),
                  cured_resource_to_string (explanation->next));
  cured_cli_json ("file line line_share excess after wait error uncertain", explanation->file,
                  explanation->line, explanation->line_share, explanation->excess,
                  explanation->after, explanation->wait_ns, explanation->error,
                  explanation->uncertain);
  cured_cli_json ("caches sentence change sms_busy threads_in_flight bytes_in_flight waves tail "
                  "resources[",
                  cured_workload_get_traffic (work, &traffic) ? "modelled" : "estimated",
                  explanation->sentence, explanation->change, parallelism->sms_busy,
                  parallelism->threads, parallelism->bytes, parallelism->waves, parallelism->tail);
  for (int i = 0; i < CURED_N_RESOURCES; i++)
    {
      const CuredResourceUse *use = &explanation->uses[i];

      cured_cli_json ("{resource work rate time share at_most?}",
                      cured_resource_to_string ((CuredResource) i), use->work, use->rate,
                      use->time_ns, use->share, use->is_most);
    }
  cured_cli_json_put ("] advice:");
  if (advice == NULL)
    cured_cli_json_put ("~");
  else
    {
      cured_cli_json_put ("{cell:");
      cured_cli_json_add_cell (result, advice->cell);
      cured_cli_json ("parameter time gain sentence}",
                      cured_result_get_axes (result, NULL)[advice->axis].name, advice->time_ns,
                      advice->gain, advice->sentence);
    }
  cured_cli_json_put ("launches[");
  for (guint i = 0; i < work->launches->len; i++)
    add_launch (g_ptr_array_index (work->launches, i), all);
  cured_cli_json_put ("]}");
}

/* Stores the limits of all cells in the file. */
static int
save (CuredResult *result, const char *path, GError **error)
{
  const char *limiter = cured_metric_info (CURED_METRIC_limiter)->id;

  if (!cured_cli_add_limiters (result, limiter, NULL, error))
    return CURED_EXIT_USAGE;
  g_autoptr (CuredLimiters) limiters = cured_limiters_new_from (result);
  if (limiters == NULL)
    return cured_cli_fail (_ ("No cell of %s has a time"), path);
  if (!cured_limiters_save (limiters, path, error))
    return CURED_EXIT_USAGE;
  gint64 n_known = 0;
  for (gint64 cell = 0; cell < limiters->n_cells; cell++)
    n_known += cured_limiters_has (limiters, cell);
  if (!cured_cli_is_quiet)
    g_print (ngettext ("%s: the limiter of %s cell is in the file\n",
                       "%s: the limiters of %s cells are in the file\n", (gulong) n_known),
             path, cured_cli_count (n_known));
  return CURED_EXIT_OK;
}

static int
run (int argc, char **argv, GError **error)
{
  gint64 cell = 0;
  gsize metric;

  if (!cured_cli_check_with (given.all, "--instructions", cured_cli_is_json, "--json"))
    return CURED_EXIT_USAGE;
  if (given.save && (cured_cli_is_json || given.assignments != NULL || given.machine_id != NULL))
    return cured_cli_deny (_ ("--save explains every cell by the result's own chip; leave --cell, "
                              "--machine and --json out"));
  g_autoptr (CuredResult) result = cured_result_load (argv[1], NULL, error);
  if (result == NULL || !cured_cli_find_metric (result, "time", &metric, error) ||
      (given.assignments != NULL && !cured_cli_find_cell (result, given.assignments, &cell, error)))
    return CURED_EXIT_USAGE;
  if (given.save)
    return save (result, argv[1], error);
  if (given.assignments == NULL)
    cell = cured_result_find_best (result, metric);
  if (cell < 0)
    return cured_cli_fail (_ ("No cell of %s has a time"), argv[1]);
  /* Checked before asking for a machine's rates, which would not help. */
  if (isnan (cured_result_get_value (result, cell, metric)))
    return cured_cli_fail (_ ("The cell has no cold time: only GPU measurements can be explained"));
  g_autoptr (CuredMachine) machine = cured_explain_find_machine (result, given.machine_id, error);
  if (machine == NULL)
    return CURED_EXIT_USAGE;
  g_autoptr (CuredExaminer) examiner = cured_examiner_new (NULL);
  g_autoptr (CuredExplanation) explanation =
      cured_explain_cell (result, cell, machine, examiner, NULL, error);
  if (explanation == NULL)
    return CURED_EXIT_USAGE;
  if (cured_cli_is_json)
    print_json (result, cell, explanation, given.all);
  else
    print_explanation (result, cell, machine, explanation);
  return CURED_EXIT_OK;
}
