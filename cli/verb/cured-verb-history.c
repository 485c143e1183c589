/* SPDX-License-Identifier: MIT
 * cured history: how the best cells change from file to file. */
#include <glib/gi18n.h>
#include <math.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-history.def"
#include "cured-verb.h"

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

/* As in cured compare: beyond the limit, or no longer ok. */
static gboolean
is_failing (const CuredHistoryEntry *entry, const CuredMetricInfo *metric)
{
  double loss = metric->better == CURED_BETTER_HIGHER ? 1 / entry->pair.ratio : entry->pair.ratio;

  return !isnan (given.limit) &&
         (entry->pair.verdict == CURED_VERDICT_ONLY_A ||
          (entry->pair.verdict == CURED_VERDICT_WORSE && loss - 1 > given.limit));
}

/* Returns whether an entry is a finding. */
static gboolean
print_series (const CuredHistorySeries *series, CuredResult *const *results,
              const CuredMetricInfo *metric)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("llrrll");
  gboolean is_found = FALSE;

  g_print ("%s\n", series->title);
  cured_cli_json ("{title entries[", series->title);
  for (guint i = 0; i < series->entries->len; i++)
    {
      const CuredHistoryEntry *entry = &g_array_index (series->entries, CuredHistoryEntry, i);
      const CuredPair *pair = &entry->pair;
      CuredResult *result = results[entry->file];
      GDateTime *date = cured_result_get_created (result);
      const char *path = cured_result_get_path (result);
      const char *verdict = cured_verdict_to_string (pair->verdict);
      gboolean fails = is_failing (entry, metric);

      is_found = is_found || fails || (given.exit_code && differs (entry));
      cured_cli_table_add (
          table, cured_cli_lend (cured_format_date (date)),
          cured_cli_lend (g_filename_display_basename (path)),
          entry->cell >= 0 ? cured_cli_quantity (pair->b, metric->unit) : "–",
          isnan (pair->ratio)
              ? ""
              : cured_cli_printf ("%s%s", pair->ratio < 1 ? "−" : "+",
                                  cured_cli_quantity (fabs (pair->ratio - 1), "ratio")),
          differs (entry) ? cured_cli_printf ("%s%s", _ (verdict), fails ? " !" : "") : "",
          entry->cell >= 0 ? cured_cli_describe_cell (result, entry->cell) : "");
      cured_cli_json ("{file date value ratio significance verdict failing cell:", path,
                      cured_cli_lend (g_date_time_format_iso8601 (date)), pair->b, pair->ratio,
                      pair->significance, verdict, fails);
      cured_cli_json_add_cell (result, entry->cell);
      cured_cli_json_put ("}");
    }
  cured_cli_json_put ("]}");
  cured_cli_table_print (table, "  ");
  return is_found;
}

static int
run (int argc, char **argv, GError **error)
{
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  const char *id = given.metric != NULL ? given.metric : "time";
  gboolean is_found = FALSE;
  gint64 cell = -1;
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
  CuredResult *newest = results->pdata[results->len - 1];
  if (given.cell != NULL && !cured_cli_find_cell (newest, given.cell, &cell, error))
    return CURED_EXIT_USAGE;
  g_autoptr (GPtrArray) history =
      cured_history_new ((CuredResult *const *) results->pdata, results->len, id,
                         given.cell != NULL ? newest : NULL, cell, error);
  if (history == NULL)
    return CURED_EXIT_USAGE;
  cured_result_find_metric (results->pdata[0], id, &index);
  const CuredMetricInfo *metric = &cured_result_get_metrics (results->pdata[0], NULL)[index];
  cured_cli_json_put ("{metric:");
  cured_cli_json_add_metric (metric);
  cured_cli_json_put ("series[");
  for (guint i = 0; i < history->len; i++)
    {
      g_print (i > 0 ? "\n" : "");
      is_found |= print_series (history->pdata[i], (CuredResult *const *) results->pdata, metric);
    }
  cured_cli_json_put ("]}");
  return is_found ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}
