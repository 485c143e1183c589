/* SPDX-License-Identifier: MIT
 * cured history: how the best cells change from file to file. */
#include "config.h"

#include <glib/gi18n.h>
#include <math.h>

#include "cured-cli.h"

static struct
{
  char *metric;
  double limit;
  gboolean exit_code;
  gboolean json;
} given = { .limit = CURED_MISSING };

/* clang-format off */
static const CuredCliOption rows[] = {
  { "metric", 'm', CURED_CLI_TEXT, &given.metric, N_ ("The metric of the series [time]"), N_ ("METRIC"), .list = cured_cli_list_metrics },
  { "fail-on", 0, CURED_CLI_PERCENT, &given.limit, N_ ("Exit with 1 where a file is worse by more"), N_ ("PERCENT") },
  { "exit-code", 0, CURED_CLI_FLAG, &given.exit_code, N_ ("Exit with 1 where a file is better or worse") },
  { "json", 0, CURED_CLI_FLAG, &given.json, N_ ("Print as JSON") },
  { NULL },
};
/* clang-format on */

static int
compare_dates (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (cured_result_get_created (*(CuredResult *const *) a),
                              cured_result_get_created (*(CuredResult *const *) b));
}

static gboolean
differs (const CuredHistoryEntry *entry)
{
  return entry->pair.verdict != CURED_VERDICT_SAME;
}

/* As of cured compare: beyond the limit, or no longer ok. */
static gboolean
is_failing (const CuredHistoryEntry *entry, const CuredMetricInfo *metric)
{
  double loss = metric->better == CURED_BETTER_HIGHER ? 1 / entry->pair.ratio : entry->pair.ratio;

  return !isnan (given.limit) &&
         (entry->pair.verdict == CURED_VERDICT_ONLY_A ||
          (entry->pair.verdict == CURED_VERDICT_WORSE && loss - 1 > given.limit));
}

static void
print_series (const CuredHistorySeries *series, CuredResult *const *results,
              const CuredMetricInfo *metric)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("llrrll");

  g_print ("%s\n", series->title);
  for (guint i = 0; i < series->entries->len; i++)
    {
      const CuredHistoryEntry *entry = &g_array_index (series->entries, CuredHistoryEntry, i);
      CuredResult *result = results[entry->file];
      g_autofree char *date = cured_format_date (cured_result_get_created (result));
      g_autofree char *name = g_filename_display_basename (cured_result_get_path (result));
      g_autofree char *value =
          entry->cell >= 0 ? cured_format_quantity (entry->pair.b, metric->unit) : g_strdup ("–");
      g_autofree char *change = isnan (entry->pair.ratio)
                                    ? g_strdup ("")
                                    : g_strdup_printf ("%+.2f %%", (entry->pair.ratio - 1) * 100);
      g_autofree char *verdict =
          differs (entry)
              ? g_strdup_printf ("%s%s", _ (cured_verdict_to_string (entry->pair.verdict)),
                                 is_failing (entry, metric) ? " !" : "")
              : g_strdup ("");
      g_autofree char *where =
          entry->cell >= 0 ? cured_cli_describe_cell (result, entry->cell) : g_strdup ("");

      cured_cli_table_add (table, date, name, value, change, verdict, where, NULL);
    }
  cured_cli_table_print (table, "  ");
}

static void
print_json (const GPtrArray *history, CuredResult *const *results, const CuredMetricInfo *metric)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  cured_cli_json_put (builder, "{metric:");
  cured_cli_json_add_metric (builder, metric);
  cured_cli_json_put (builder, "series[");
  for (guint i = 0; i < history->len; i++)
    {
      const CuredHistorySeries *series = history->pdata[i];

      cured_cli_json (builder, "{title entries[", series->title);
      for (guint k = 0; k < series->entries->len; k++)
        {
          const CuredHistoryEntry *entry = &g_array_index (series->entries, CuredHistoryEntry, k);
          CuredResult *result = results[entry->file];
          g_autofree char *date = g_date_time_format_iso8601 (cured_result_get_created (result));

          cured_cli_json (builder, "{file date value ratio significance verdict failing cell:",
                          cured_result_get_path (result), date, entry->pair.b, entry->pair.ratio,
                          entry->pair.significance, cured_verdict_to_string (entry->pair.verdict),
                          is_failing (entry, metric));
          if (entry->cell >= 0)
            cured_cli_json_add_cell (builder, result, entry->cell);
          else
            cured_cli_json_put (builder, "~");
          cured_cli_json_put (builder, "}");
        }
      cured_cli_json_put (builder, "]}");
    }
  cured_cli_json_put (builder, "]}");
  cured_cli_print_json (builder);
}

static int
run_history (int argc, char **argv, GError **error)
{
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  const char *id = given.metric != NULL ? given.metric : "time";
  gboolean is_found = FALSE;
  gsize index;

  for (int i = 1; i < argc; i++)
    {
      CuredResult *result = cured_result_load (argv[i], NULL, error);

      if (result == NULL)
        return CURED_EXIT_USAGE;
      g_ptr_array_add (results, result);
      if (!cured_cli_find_metric (result, id, &index, error))
        {
          g_prefix_error (error, "%s: ", argv[i]);
          return CURED_EXIT_USAGE;
        }
    }
  g_ptr_array_sort (results, compare_dates);
  g_autoptr (GPtrArray) history =
      cured_history_new ((CuredResult *const *) results->pdata, results->len, id, error);
  if (history == NULL)
    return CURED_EXIT_USAGE;
  cured_result_find_metric (results->pdata[0], id, &index);
  const CuredMetricInfo *metric = &cured_result_get_metrics (results->pdata[0], NULL)[index];
  if (given.json)
    print_json (history, (CuredResult *const *) results->pdata, metric);
  for (guint i = 0; i < history->len; i++)
    {
      const CuredHistorySeries *series = history->pdata[i];

      if (!given.json)
        {
          g_print (i > 0 ? "\n" : "");
          print_series (series, (CuredResult *const *) results->pdata, metric);
        }
      for (guint k = 0; k < series->entries->len; k++)
        {
          const CuredHistoryEntry *entry = &g_array_index (series->entries, CuredHistoryEntry, k);

          is_found = is_found || is_failing (entry, metric) || (given.exit_code && differs (entry));
        }
    }
  return is_found ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}

const CuredVerb cured_verb_history = {
  .name = "history",
  .arguments = N_ ("FILE…"),
  .summary = N_ ("Show how the best cells change from file to file"),
  .description =
      N_ ("The files are sorted by their dates. Each kernel, device and problem has a series\n"
          "of its own: a line for each file, with its best cell, the change since the file\n"
          "before it, and “better” or “worse” where that is more than the noise, as of\n"
          "cured compare. The exit code is 1 where --fail-on or --exit-code says so; with\n"
          "--fail-on, a file without a cell that is ok counts as worse.\n"
          "\n"
          "Examples:\n"
          "  cured history nightly/*.cured\n"
          "  cured history v1.cured v2.cured v3.cured --metric bandwidth\n"
          "  cured history nightly/*.cured --fail-on 3% --json\n"),
  .words = CURED_CLI_WORDS_RESULTS,
  .options = { rows },
  .least = 1,
  .usage = N_ ("history needs result files, such as “cured history nightly/*.cured”"),
  .run = run_history,
};
