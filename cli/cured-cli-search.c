/* SPDX-License-Identifier: MIT
 * What a search found, and how sure it is of that. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

/* Cells that are as good as the best one which are named. */
#define MAX_ALIKE 5

static void
print_alike (CuredSearch *search, CuredResult *result)
{
  g_autoptr (GArray) alike = cured_search_list_alike (search);
  g_autofree char *count = cured_format_count (alike->len);

  if (alike->len == 0)
    return;
  g_print (ngettext ("Equal within the measured precision: %s cell\n",
                     "Equal within the measured precision: %s cells\n", alike->len),
           count);
  for (guint i = 0; i < MIN (alike->len, MAX_ALIKE); i++)
    {
      g_autofree char *where = cured_cli_describe_cell (result, g_array_index (alike, gint64, i));

      g_print ("  %s\n", where);
    }
  if (alike->len > MAX_ALIKE)
    g_print ("  …\n");
}

static void
print_sureness (const CuredSearchReport *report)
{
  g_autofree char *n_drawn = cured_format_count (report->n_drawn);
  g_autofree char *n_better = cured_format_count (report->n_better);
  g_autofree char *n_cells = cured_format_count (report->n_cells);

  if (report->n_visited == report->n_cells)
    {
      g_print (_ ("Certain: all cells were visited\n"));
      return;
    }
  /* A small grid is searched without any. */
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
      n_better, n_cells, n_drawn);
}

/* Prints the best cell with its interval, the cells that are as good, and what speaks for there
 * being no better one. */
void
cured_cli_print_search (CuredSearch *search, CuredResult *result)
{
  const CuredMetricInfo *info = cured_metric_info (cured_search_get_metric (search));
  CuredSearchReport report;
  double interval[3];
  g_autofree char *value = NULL;
  g_autofree char *low = NULL;
  g_autofree char *high = NULL;

  cured_search_get_report (search, &report);
  interval[0] = report.low;
  interval[1] = report.value;
  interval[2] = report.high;
  g_autofree char *visited = cured_format_count (report.n_visited);
  g_autofree char *cells = cured_format_count (report.n_cells);
  /* Translators: how many cells were run, of how many, and a metric's id. */
  g_print (ngettext ("Visited %s of %s cell, for the best %s\n",
                     "Visited %s of %s cells, for the best %s\n", (gulong) report.n_cells),
           visited, cells, info->id);
  if (report.best < 0)
    {
      g_print (_ ("No cell has this metric\n"));
      return;
    }
  value = cured_format_quantity_among (report.value, info->unit, interval, G_N_ELEMENTS (interval));
  low = cured_format_quantity_among (report.low, info->unit, interval, G_N_ELEMENTS (interval));
  high = cured_format_quantity_among (report.high, info->unit, interval, G_N_ELEMENTS (interval));
  g_autofree char *where = cured_cli_describe_cell (result, report.best);
  if (report.low < report.high)
    /* Translators: a figure, the ends of its interval, and a cell. */
    g_print (_ ("Best: %s (%s to %s) at %s\n"), value, low, high, where);
  else
    g_print (_ ("Best: %s at %s\n"), value, where);
  print_alike (search, result);
  print_sureness (&report);
}

/* As cured_cli_print_search(), for programs. */
void
cured_cli_json_add_search (JsonBuilder *builder, CuredSearch *search, CuredResult *result)
{
  CuredSearchReport report;
  g_autoptr (GArray) alike = cured_search_list_alike (search);
  const struct
  {
    const char *name;
    const gint64 *value;
  } counts[] = {
    { "cells", &report.n_cells },           { "visited", &report.n_visited },
    { "drawn", &report.n_drawn },           { "guided", &report.n_guided },
    { "better_at_most", &report.n_better },
  };

  cured_search_get_report (search, &report);
  cured_cli_json (builder, "search{metric",
                  cured_metric_info (cured_search_get_metric (search))->id);
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    cured_cli_json_int (builder, counts[i].name, *counts[i].value);
  cured_cli_json (builder, "descents agreeing finished? best:", report.n_descents,
                  report.n_agreeing, report.is_finished);
  if (report.best >= 0)
    cured_cli_json_add_cell (builder, result, report.best);
  else
    cured_cli_json_put (builder, "~");
  cured_cli_json (builder, "value low high alike[", report.value, report.low, report.high);
  for (guint i = 0; i < alike->len; i++)
    cured_cli_json_add_cell (builder, result, g_array_index (alike, gint64, i));
  cured_cli_json_put (builder, "]}");
}

/* Prints how often they found the best cell, after how many visits, and how far they had come on
 * the way. */
void
cured_cli_print_replay (const CuredSearchReplay *replay)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rrr");
  g_autofree char *cells = cured_format_count (replay->n_cells);
  g_autofree char *scored = cured_format_count (replay->n_scored);

  g_print (ngettext ("%u search among %s cells\n", "%u searches among %s cells\n", replay->n_seeds),
           replay->n_seeds, cells);
  g_print (_ ("Within 1 %% of the best cell: %u of %u, at it: %u\n"), replay->n_near,
           replay->n_seeds, replay->n_at_optimum);
  g_print (_ ("Visited: %.0f cells (quartiles %.0f to %.0f)\n"), replay->visits[1],
           replay->visits[0], replay->visits[2]);
  g_print (_ ("Within 2 %% of it after: %.0f cells (quartiles %.0f to %.0f)\n"),
           replay->to_close[1], replay->to_close[0], replay->to_close[2]);
  g_print (_ ("Score: %.2f (quartiles %.2f to %.2f) over %s visits; 0 is random search, 1 the\n"
              "best cell at once\n"),
           replay->mean_score, replay->score[0], replay->score[2], scored);
  cured_cli_table_add (table, C_ ("column", "visits"),
                       C_ ("column: part of the best", "of the best"),
                       C_ ("column: random search", "random"), NULL);
  for (gsize i = 0; i < CURED_SEARCH_REPLAY_POINTS; i++)
    {
      g_autofree char *reached = NULL;
      g_autofree char *random = NULL;

      if (i > 0 && replay->points[i] > replay->n_cells)
        break;
      g_autofree char *visits = cured_format_count (replay->points[i]);
      reached = g_strdup_printf ("%.3f", replay->reached[i]);
      random = g_strdup_printf ("%.3f", replay->random[i]);
      cured_cli_table_add (table, visits, reached, random, NULL);
    }
  cured_cli_table_print (table, "  ");
}

static void
add_quartiles (JsonBuilder *builder, const char *name, const double *numbers)
{
  json_builder_set_member_name (builder, name);
  cured_cli_json_put (builder, "[");
  for (gsize i = 0; i < 3; i++)
    cured_cli_json (builder, ".", numbers[i]);
  cured_cli_json_put (builder, "]");
}

/* As cured_cli_print_replay(), for programs. */
void
cured_cli_print_replay_json (const CuredSearchReplay *replay)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  cured_cli_json (builder, "{cells optimum searches within_1_percent at_optimum", replay->n_cells,
                  replay->optimum, replay->n_seeds, replay->n_near, replay->n_at_optimum);
  add_quartiles (builder, "visits", replay->visits);
  add_quartiles (builder, "visits_to_2_percent", replay->to_close);
  add_quartiles (builder, "score_quartiles", replay->score);
  cured_cli_json (builder, "score scored_visits curve[", replay->mean_score, replay->n_scored);
  for (gsize i = 0; i < CURED_SEARCH_REPLAY_POINTS; i++)
    cured_cli_json (builder, "{visits reached random}", replay->points[i], replay->reached[i],
                    replay->random[i]);
  cured_cli_json_put (builder, "]}");
  cured_cli_print_json (builder);
}
