/* SPDX-License-Identifier: MIT
 * cured explain: what holds a cell. */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "cured-cli.h"

#define BAR_COLUMNS 30

/* Of the issue slots that are not certain. */
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
      g_autofree char *bar = NULL;
      g_autofree char *share = NULL;
      g_autofree char *work = NULL;
      g_autofree char *time = NULL;
      g_autofree char *at_most = NULL;

      if (!(use->work > 0))
        continue;
      bar = draw_bar (use->share);
      share = cured_format_quantity (use->share, "ratio");
      at_most = use->is_most ? g_strdup_printf ("≤ %s", share) : g_strdup (share);
      work = cured_format_count ((gint64) (use->work + 0.5));
      time = cured_format_quantity (use->time_ns, "ns");
      cured_cli_table_add (table, cured_resource_get_title ((CuredResource) i), bar, at_most, work,
                           cured_resource_get_unit ((CuredResource) i), time, NULL);
    }
  cured_cli_table_print (table, "  ");
}

static void
print_explanation (CuredResult *result, gint64 cell, const CuredMachine *machine,
                   const CuredExplanation *explanation)
{
  g_autofree char *where = cured_cli_describe_cell (result, cell);
  g_autofree char *time = cured_format_quantity (explanation->time_ns, "ns");
  g_autofree char *clock = cured_format_quantity (explanation->sm_clock_hz, "Hz");
  const CuredParallelism *parallelism = &explanation->parallelism;
  CuredTraffic traffic;

  g_print ("%s\n", where);
  g_print (_ ("%s on %s at %s\n\n"), time, machine->name, clock);
  print_bars (explanation);
  g_print (_ ("\n"
              "  %.0f of %.0f multiprocessors busy, %.0f threads in flight"),
           parallelism->sms_busy, parallelism->sms, parallelism->threads);
  if (!isnan (parallelism->waves))
    g_print (_ (", %.3g waves, tail %.0f %%"), parallelism->waves, parallelism->tail * 100);
  g_print ("\n\n%s\n", explanation->sentence);
  if (explanation->change != NULL)
    g_print ("%s\n", explanation->change);
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
add_work (JsonBuilder *builder, const CuredWork *work)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);

  json_builder_set_member_name (builder, "work");
  json_builder_begin_object (builder);
  for (gsize i = 0; i < n_fields; i++)
    cured_cli_json_add_double (builder, fields[i].name, cured_work_get (work, &fields[i]));
  json_builder_end_object (builder);
}

static void
add_launch (JsonBuilder *builder, const CuredWorkLaunch *launch, gboolean all)
{
  json_builder_begin_object (builder);
  cured_cli_json_add_string (builder, "entry", launch->entry);
  cured_cli_json_add_int (builder, "repeats", (gint64) launch->repeats);
  cured_cli_json_add_int (builder, "blocks", (gint64) launch->n_blocks);
  cured_cli_json_add_int (builder, "blocks_run", (gint64) launch->n_run);
  cured_cli_json_add_int (builder, "threads_per_block",
                          (gint64) cured_work_launch_count_threads (launch));
  cured_cli_json_add_int (builder, "blocks_per_sm", launch->blocks_per_sm);
  cured_cli_json_add_double (builder, "error", launch->error);
  cured_cli_json_add_double (builder, "longest", launch->longest);
  cured_cli_json_add_double (builder, "hottest", launch->hottest);
  cured_cli_json_add_string (builder, "end", launch->end);
  add_work (builder, &launch->total);
  json_builder_set_member_name (builder, "instructions");
  json_builder_begin_array (builder);
  for (guint i = 0; all && i < launch->sites->len; i++)
    {
      const CuredWorkSite *site = g_ptr_array_index (launch->sites, i);

      json_builder_begin_object (builder);
      cured_cli_json_add_string (builder, "file", site->file);
      cured_cli_json_add_int (builder, "line", site->line);
      cured_cli_json_add_int (builder, "ptx_line", site->ptx_line);
      cured_cli_json_add_string (builder, "ptx", site->text);
      add_work (builder, &site->work);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

static void
print_json (CuredResult *result, gint64 cell, const CuredExplanation *explanation, gboolean all)
{
  const CuredParallelism *parallelism = &explanation->parallelism;
  const CuredWorkload *work = explanation->work;
  CuredTraffic traffic;
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "cell");
  cured_cli_json_add_cell (builder, result, cell);
  cured_cli_json_add_string (builder, "machine", explanation->machine);
  cured_cli_json_add_double (builder, "time", explanation->time_ns);
  cured_cli_json_add_double (builder, "sm_clock", explanation->sm_clock_hz);
  cured_cli_json_add_string (builder, "verdict", cured_hold_to_string (explanation->hold));
  cured_cli_json_add_string (builder, "limiter",
                             cured_limit_to_string (cured_explanation_get_limiter (explanation)));
  cured_cli_json_add_string (builder, "busiest", cured_resource_to_string (explanation->limit));
  cured_cli_json_add_string (builder, "next", cured_resource_to_string (explanation->next));
  cured_cli_json_add_string (builder, "file", explanation->file);
  cured_cli_json_add_int (builder, "line", explanation->line);
  cured_cli_json_add_double (builder, "line_share", explanation->line_share);
  cured_cli_json_add_double (builder, "excess", explanation->excess);
  cured_cli_json_add_double (builder, "after", explanation->after);
  cured_cli_json_add_double (builder, "wait", explanation->wait_ns);
  cured_cli_json_add_double (builder, "error", explanation->error);
  cured_cli_json_add_double (builder, "uncertain", explanation->uncertain);
  cured_cli_json_add_string (
      builder, "caches", cured_workload_get_traffic (work, &traffic) ? "modelled" : "estimated");
  cured_cli_json_add_string (builder, "sentence", explanation->sentence);
  cured_cli_json_add_string (builder, "change", explanation->change);
  cured_cli_json_add_double (builder, "sms_busy", parallelism->sms_busy);
  cured_cli_json_add_double (builder, "threads_in_flight", parallelism->threads);
  cured_cli_json_add_double (builder, "waves", parallelism->waves);
  cured_cli_json_add_double (builder, "tail", parallelism->tail);
  json_builder_set_member_name (builder, "resources");
  json_builder_begin_array (builder);
  for (int i = 0; i < CURED_N_RESOURCES; i++)
    {
      const CuredResourceUse *use = &explanation->uses[i];

      json_builder_begin_object (builder);
      cured_cli_json_add_string (builder, "resource", cured_resource_to_string ((CuredResource) i));
      cured_cli_json_add_double (builder, "work", use->work);
      cured_cli_json_add_double (builder, "rate", use->rate);
      cured_cli_json_add_double (builder, "time", use->time_ns);
      cured_cli_json_add_double (builder, "share", use->share);
      json_builder_set_member_name (builder, "at_most");
      json_builder_add_boolean_value (builder, use->is_most);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "launches");
  json_builder_begin_array (builder);
  for (guint i = 0; i < work->launches->len; i++)
    add_launch (builder, g_ptr_array_index (work->launches, i), all);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  cured_cli_print_json (builder);
}

static int
run_explain (GOptionContext *context, int argc, char **argv)
{
  g_autofree char *assignments = NULL;
  g_autofree char *machine_id = NULL;
  gboolean json = FALSE;
  gboolean all = FALSE;
  const GOptionEntry entries[] = {
    { "cell", 'c', 0, G_OPTION_ARG_STRING, &assignments, N_ ("Explain this cell [the best one]"),
      N_ ("PARAMETER=VALUE,…") },
    { "machine", 0, 0, G_OPTION_ARG_STRING, &machine_id, N_ ("Whose rates [the result's chip]"),
      N_ ("CHIP") },
    { "instructions", 0, 0, G_OPTION_ARG_NONE, &all, N_ ("With --json: each instruction's counts"),
      NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print as JSON"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (CuredMachine) machine = NULL;
  g_autoptr (CuredExaminer) examiner = NULL;
  g_autoptr (CuredExplanation) explanation = NULL;
  g_autoptr (GError) error = NULL;
  gint64 cell = 0;
  gsize metric;

  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc != 2)
    return cured_cli_fail (
        _ ("explain needs one result file, such as “cured explain tiles.cured”"));
  if (!cured_cli_check_with (all, "--instructions", json, "--json"))
    return CURED_EXIT_USAGE;
  result = cured_result_load (argv[1], NULL, &error);
  if (result == NULL)
    return cured_cli_fail_error (error);
  if (!cured_cli_find_metric (result, "time", &metric, &error) ||
      (assignments != NULL && !cured_cli_find_cell (result, assignments, &cell, &error)))
    return cured_cli_fail_error (error);
  if (assignments == NULL)
    cell = cured_cli_find_best (result, metric);
  if (cell < 0)
    return cured_cli_fail (_ ("No cell of %s has a time"), argv[1]);
  /* Before it is said whose rates to name: they would be of no help. */
  if (isnan (cured_result_get_value (result, cell, metric)))
    return cured_cli_fail (
        _ ("The cell has no cold time: only what was measured on a GPU can be explained"));
  machine = cured_explain_find_machine (result, machine_id, &error);
  if (machine == NULL)
    return cured_cli_fail_error (error);
  examiner = cured_examiner_new (NULL);
  explanation = cured_explain_cell (result, cell, machine, examiner, NULL, &error);
  if (explanation == NULL)
    return cured_cli_fail_error (error);
  if (json)
    print_json (result, cell, explanation, all);
  else
    print_explanation (result, cell, machine, explanation);
  return CURED_EXIT_OK;
}

const CuredVerb cured_verb_explain = {
  .name = "explain",
  .arguments = N_ ("FILE"),
  .summary = N_ ("Say what holds a cell"),
  .description =
      N_ ("For each resource of the chip, the share of the measured time that it needs for\n"
          "what was counted. Counts are made now, on the emulator, where the file has none.\n"
          "cured-explain(7) has the formulas.\n"
          "\n"
          "Examples:\n"
          "  cured explain tiles.cured\n"
          "  cured explain tiles.cured --cell tile=32,rows=4\n"
          "  cured explain tiles.cured --cell tile=32,rows=4 --json | jq .sentence\n"),
  .words = CURED_CLI_WORDS_RESULTS,
  .run = run_explain,
};
