/* SPDX-License-Identifier: MIT
 * What a search found, and how sure it is of that. */
#include "config.h"

#include <inttypes.h>
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
  g_print (ngettext ("As good within the measured precision: %s cell\n",
                     "As good within the measured precision: %s cells\n",
                     alike->len),
           count);
  for (guint i = 0; i < MIN (alike->len, MAX_ALIKE); i++)
    {
      g_autofree char *where =
          cured_cli_describe_cell (result, g_array_index (alike, gint64, i));

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
  if (report->n_descents == 0)
    g_print (_ ("Descents: half of the cells were visited before one "
                "converged\n"));
  else
    g_print (ngettext ("Descents: %u of %u ended there or at a cell as good\n",
                       "Descents: %u of %u ended there or at cells as good\n",
                       report->n_agreeing),
             report->n_agreeing,
             report->n_descents);
  g_print (
      /* Translators: how many cells may be better, of how many, and how many
       * were chosen by chance: were more better, one of them would be among
       * these. */
      ngettext ("Sure, 95 %%: at most %s of the %s cells is better, or one of "
                "them would have\n"
                "been among the %s drawn at random\n",
                "Sure, 95 %%: at most %s of the %s cells are better, or one of "
                "them would have\n"
                "been among the %s drawn at random\n",
                (gulong) report->n_better),
      n_better,
      n_cells,
      n_drawn);
}

/**
 * cured_cli_print_search:
 * @search: of a plan; what it found
 * @result: the file that was written
 *
 * Prints the best cell with its interval, the cells that are as good, and what
 * speaks for there being no better one.
 */
void
cured_cli_print_search (CuredSearch *search, CuredResult *result)
{
  const CuredMetricInfo *info =
      cured_metric_info (cured_search_get_metric (search));
  CuredSearchReport report;
  double interval[3];
  g_autofree char *visited = NULL;
  g_autofree char *cells = NULL;
  g_autofree char *value = NULL;
  g_autofree char *low = NULL;
  g_autofree char *high = NULL;
  g_autofree char *where = NULL;

  cured_search_get_report (search, &report);
  interval[0] = report.low;
  interval[1] = report.value;
  interval[2] = report.high;
  visited = cured_format_count (report.n_visited);
  cells = cured_format_count (report.n_cells);
  /* Translators: how many cells were run, of how many, and a metric's id. */
  g_print (ngettext ("Visited %s of %s cell, for the best %s\n",
                     "Visited %s of %s cells, for the best %s\n",
                     (gulong) report.n_cells),
           visited,
           cells,
           info->id);
  if (report.best < 0)
    {
      g_print (_ ("No cell has that metric\n"));
      return;
    }
  value = cured_format_quantity_among (
      report.value, info->unit, interval, G_N_ELEMENTS (interval));
  low = cured_format_quantity_among (
      report.low, info->unit, interval, G_N_ELEMENTS (interval));
  high = cured_format_quantity_among (
      report.high, info->unit, interval, G_N_ELEMENTS (interval));
  where = cured_cli_describe_cell (result, report.best);
  if (report.low < report.high)
    /* Translators: a figure, the ends of its interval, and a cell. */
    g_print (_ ("Best: %s (%s to %s) at %s\n"), value, low, high, where);
  else
    g_print (_ ("Best: %s at %s\n"), value, where);
  print_alike (search, result);
  print_sureness (&report);
}

/**
 * cured_cli_json_add_search:
 * @builder: in an object
 * @search: of a plan; what it found
 * @result: the file that was written
 *
 * As cured_cli_print_search(), for programs.
 */
void
cured_cli_json_add_search (JsonBuilder *builder,
                           CuredSearch *search,
                           CuredResult *result)
{
  CuredSearchReport report;
  g_autoptr (GArray) alike = cured_search_list_alike (search);
  const struct
  {
    const char *name;
    const gint64 *value;
  } counts[] = {
    { "cells", &report.n_cells },
    { "visited", &report.n_visited },
    { "drawn", &report.n_drawn },
    { "better_at_most", &report.n_better },
  };

  cured_search_get_report (search, &report);
  json_builder_set_member_name (builder, "search");
  json_builder_begin_object (builder);
  cured_cli_json_add_string (
      builder,
      "metric",
      cured_metric_info (cured_search_get_metric (search))->id);
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    cured_cli_json_add_int (builder, counts[i].name, *counts[i].value);
  cured_cli_json_add_int (builder, "descents", report.n_descents);
  cured_cli_json_add_int (builder, "agreeing", report.n_agreeing);
  json_builder_set_member_name (builder, "finished");
  json_builder_add_boolean_value (builder, report.is_finished);
  json_builder_set_member_name (builder, "best");
  if (report.best >= 0)
    cured_cli_json_add_cell (builder, result, report.best);
  else
    json_builder_add_null_value (builder);
  cured_cli_json_add_double (builder, "value", report.value);
  cured_cli_json_add_double (builder, "low", report.low);
  cured_cli_json_add_double (builder, "high", report.high);
  json_builder_set_member_name (builder, "alike");
  json_builder_begin_array (builder);
  for (guint i = 0; i < alike->len; i++)
    cured_cli_json_add_cell (builder, result, g_array_index (alike, gint64, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}
