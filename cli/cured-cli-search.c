/* SPDX-License-Identifier: MIT
 * The result of a search, and its certainty. */
#include <glib/gi18n.h>

#include "cured-cli.h"

/* Limit of printed cells that are as good as the best one. */
#define MAX_ALIKE 5

static void
print_alike (CuredSearch *search, CuredResult *result)
{
  g_autoptr (GArray) alike = cured_search_list_alike (search);

  for (guint i = 0; i < alike->len; i++)
    cured_cli_json_add_cell (result, g_array_index (alike, gint64, i));
  if (alike->len == 0)
    return;
  g_print (ngettext ("Equal within the measured precision: %s cell\n",
                     "Equal within the measured precision: %s cells\n", alike->len),
           cured_cli_count (alike->len));
  for (guint i = 0; i < MIN (alike->len, MAX_ALIKE); i++)
    g_print ("  %s\n", cured_cli_describe_cell (result, g_array_index (alike, gint64, i)));
  if (alike->len > MAX_ALIKE)
    g_print ("  …\n");
}

static void
print_sureness (const CuredSearchReport *report)
{
  g_autofree char *n_better = cured_format_count (report->n_better);
  g_autofree char *n_cells = cured_format_count (report->n_cells);

  if (report->n_visited == report->n_cells)
    {
      g_print (_ ("Certain: all cells were visited\n"));
      return;
    }
  /* A small grid is searched without descents. */
  if (report->n_descents == 0 && report->n_visited < report->n_most &&
      report->n_most < report->n_cells)
    ;
  else if (report->n_descents == 0)
    g_print (_ ("Descents: none had converged when the search ended\n"));
  else
    g_print (ngettext ("Descents: %u of %u ended there or at an equal cell\n",
                       "Descents: %u of %u ended there or at equal cells\n", report->n_agreeing),
             report->n_agreeing, report->n_descents);
  g_print (
      /* Translators: how many cells may be better, of how many, and how many were chosen by chance:
       * were more better, one of them would be among these. */
      ngettext ("With 95 %% confidence, at most %s of the %s cells is better: otherwise one "
                "of\nthem would be among the %s random ones\n",
                "With 95 %% confidence, at most %s of the %s cells are better: otherwise one "
                "of\nthem would be among the %s random ones\n",
                (gulong) report->n_better),
      n_better, n_cells, cured_cli_count (report->n_drawn));
}

/* Prints the best cell with its interval, the cells that are as good, and the evidence that none is
 * better; in JSON, as the member `search`. */
void
cured_cli_print_search (CuredSearch *search, CuredResult *result)
{
  const CuredMetricInfo *info = cured_metric_info (cured_search_get_metric (search));
  CuredSearchReport report;

  cured_search_get_report (search, &report);
  cured_cli_json ("search{metric cells visited drawn guided better_at_most descents agreeing "
                  "finished? best:",
                  info->id, report.n_cells, report.n_visited, report.n_drawn, report.n_guided,
                  report.n_better, report.n_descents, report.n_agreeing, report.is_finished);
  cured_cli_json_add_cell (result, report.best);
  cured_cli_json ("value low high alike[", report.value, report.low, report.high);
  /* Translators: how many cells were run, of how many, and a metric's id. */
  g_print (ngettext ("Visited %s of %s cell, for the best %s\n",
                     "Visited %s of %s cells, for the best %s\n", (gulong) report.n_cells),
           cured_cli_count (report.n_visited), cured_cli_count (report.n_cells), info->id);
  if (report.best >= 0)
    {
      const double interval[] = { report.low, report.value, report.high };
      const char *ends[3];
      const char *where = cured_cli_describe_cell (result, report.best);

      for (gsize i = 0; i < 3; i++)
        ends[i] = cured_cli_lend (cured_format_quantity_among (interval[i], info->unit, interval,
                                                               G_N_ELEMENTS (interval)));
      if (report.low < report.high)
        /* Translators: a figure, the ends of its interval, and a cell. */
        g_print (_ ("Best: %s (%s to %s) at %s\n"), ends[1], ends[0], ends[2], where);
      else
        g_print (_ ("Best: %s at %s\n"), ends[1], where);
      print_alike (search, result);
      print_sureness (&report);
    }
  else
    g_print (_ ("No cell has this metric\n"));
  cured_cli_json_put ("]}");
}

/* Prints how often the searches found the best cell, after how many visits, and their
 * progress. */
void
cured_cli_print_replay (const CuredSearchReplay *replay)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rrr");

  g_print (ngettext ("%u search among %s cells\n", "%u searches among %s cells\n", replay->n_seeds),
           replay->n_seeds, cured_cli_count (replay->n_cells));
  g_print (_ ("Within 1 %% of the best cell: %u of %u, at it: %u\n"), replay->n_near,
           replay->n_seeds, replay->n_at_optimum);
  g_print (_ ("Visited: %.0f cells (quartiles %.0f to %.0f)\n"), replay->visits[1],
           replay->visits[0], replay->visits[2]);
  g_print (_ ("Within 2 %% of it after: %.0f cells (quartiles %.0f to %.0f)\n"),
           replay->to_close[1], replay->to_close[0], replay->to_close[2]);
  g_print (_ ("Score: %.2f (quartiles %.2f to %.2f) over %s visits; 0 is random search, 1 the\n"
              "best cell at once\n"),
           replay->mean_score, replay->score[0], replay->score[2],
           cured_cli_count (replay->n_scored));
  cured_cli_table_add (table, C_ ("column", "visits"),
                       C_ ("column: part of the best", "of the best"),
                       C_ ("column: random search", "random"));
  cured_cli_json ("{cells optimum searches within_1_percent at_optimum visits visits_to_2_percent "
                  "score_quartiles score scored_visits curve[",
                  replay->n_cells, replay->optimum, replay->n_seeds, replay->n_near,
                  replay->n_at_optimum, replay->visits, replay->to_close, replay->score,
                  replay->mean_score, replay->n_scored);
  for (gsize i = 0; i < CURED_SEARCH_REPLAY_POINTS; i++)
    {
      cured_cli_json ("{visits reached random}", replay->points[i], replay->reached[i],
                      replay->random[i]);
      if (i == 0 || replay->points[i] <= replay->n_cells)
        cured_cli_table_add (table, replay->points[i],
                             cured_cli_printf ("%.3f", replay->reached[i]),
                             cured_cli_printf ("%.3f", replay->random[i]));
    }
  cured_cli_json_put ("]}");
  cured_cli_table_print (table, "  ");
}
