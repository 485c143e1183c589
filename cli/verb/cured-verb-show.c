/* SPDX-License-Identifier: MIT
 * cured show: a result file in the terminal. */
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-show.def"
#include "cured-verb.h"

static void
list_metric (CuredCliTable *table, const CuredMetricInfo *metric)
{
  cured_cli_json_add_metric (metric);
  cured_cli_table_add (table, metric->id, _ (cured_origin_to_string (metric->origin)),
                       _ (metric->description));
}

/* Prints the names for --metric, --x, --y and --at in this file. */
static void
print_list (CuredResult *result)
{
  g_autoptr (CuredCliTable) axes_table = cured_cli_table_new ("lll");
  g_autoptr (CuredCliTable) metrics_table = cured_cli_table_new ("lll");
  gsize n_axes = 0, n_metrics = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);

  cured_cli_json_put ("{parameters[");
  for (gsize i = 0; i < n_axes; i++)
    {
      cured_cli_table_add (axes_table, axes[i].name,
                           cured_cli_lend (cured_axis_to_string (axes[i].values)),
                           axes[i].summary != NULL ? cured_kernel_translate (axes[i].summary) : "");
      cured_cli_json ("{name summary", axes[i].name, axes[i].summary);
      cured_cli_json_add_axis ("values", result, axes[i].values);
      cured_cli_json_put ("}");
    }
  cured_cli_json_put ("] metrics[");
  for (gsize i = 0; i < n_metrics; i++)
    if (cured_result_has_values (result, i))
      list_metric (metrics_table, &metrics[i]);
  cured_cli_json_put ("]}");
  g_print (_ ("Parameters, for --x, --y, --at and --cell\n"));
  cured_cli_table_print (axes_table, "  ");
  g_print (_ ("\n"
              "Metrics, for --metric\n"));
  cured_cli_table_print (metrics_table, "  ");
}

/* Prints all metrics that files may have. */
static void
print_metrics (void)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lll");

  cured_cli_json_put ("{metrics[");
  for (guint i = 0; i < CURED_N_METRICS; i++)
    list_metric (table, cured_metric_info ((CuredMetric) i));
  cured_cli_json_put ("]}");
  cured_cli_table_print (table, "");
}

static void
add_map_axis (const char *member, gsize axis, CuredResult *result, const char *title,
              const CuredAxis *values)
{
  cured_cli_json ("$:", member);
  if (axis == CURED_AXIS_NONE)
    {
      cured_cli_json_put ("~");
      return;
    }
  cured_cli_json ("{name", title);
  cured_cli_json_add_axis ("values", result, values);
  cured_cli_json_put ("}");
}

/* Adds the values of the map: NaN, written as null, for cells without a figure. */
static void
add_map (CuredResult *result, const CuredView *view)
{
  g_autoptr (CuredGrid) grid = cured_grid_new (result, view);
  const guint8 *states = cured_result_get_states (result);
  gboolean is_sparse =
      cured_result_get_imported (result) != NULL || cured_result_is_sparse (result);

  add_map_axis ("x", view->x_axis, result, grid->x_title, grid->x_values);
  add_map_axis ("y", view->y_axis, result, grid->y_title, grid->y_values);
  cured_cli_json_put ("rows[");
  for (gsize y = 0; y < grid->ny; y++)
    {
      cured_cli_json_put ("[");
      for (gsize x = 0; x < grid->nx; x++)
        {
          gsize i = y * grid->nx + x;

          /* An empty place of a large space. */
          if (is_sparse && states[grid->cells[i]] == CURED_STATE_NOT_RUN)
            {
              cured_cli_json_put ("~");
              continue;
            }
          cured_cli_json ("{cell state value", grid->cells[i],
                          cured_state_to_string ((CuredState) states[grid->cells[i]]),
                          cured_grid_get_raw (grid, i));
          if (cured_grid_is_named (grid) && !isnan (grid->values[i]))
            cured_cli_json ("name",
                            cured_factor_to_string (cured_factor_from_value (grid->values[i])));
          cured_cli_json_put ("}");
        }
      cured_cli_json_put ("]");
    }
  cured_cli_json_put ("] best:");
  cured_cli_json_add_cell (result, grid->best >= 0 ? grid->cells[grid->best] : -1);
}

/* Prints the map and the text below it. */
static void
show_json (CuredResult *result, GError **error)
{
  CuredView view;

  if (!cured_cli_get_view (result, &view, error))
    return;
  gint64 best = cured_result_find_best (result, view.metric);
  cured_cli_json_put ("{");
  cured_cli_json_add_facts (result);
  cured_cli_json_put ("metric:");
  cured_cli_json_add_metric (&cured_result_get_metrics (result, NULL)[view.metric]);
  add_map (result, &view);
  cured_cli_json_put ("best_in_file:");
  cured_cli_json_add_cell (result, best);
  cured_cli_json_put ("}");
  cured_view_clear (&view);
}

static gboolean
has_other_slices (CuredResult *result, const CuredView *view)
{
  gsize n_axes = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  for (gsize i = 0; i < n_axes; i++)
    if (i != view->x_axis && i != view->y_axis && cured_axis_get_length (axes[i].values) > 1)
      return TRUE;
  return FALSE;
}

static void
show (CuredResult *result, GError **error)
{
  CuredView view;
  gint64 best = -1;

  if (!cured_cli_get_view (result, &view, error))
    return;
  g_autofree char *map = cured_export_terminal (
      result, &view, cured_cli_get_columns (STDOUT_FILENO), cured_cli_get_colour ());
  cured_cli_print_coloured (map);
  g_print ("\n");

  /* The map marks the best cell that it shows; with further parameters, the best of all may be in
   * another slice. */
  best = has_other_slices (result, &view) && !view.best_over
             ? cured_result_find_best (result, view.metric)
             : -1;
  if (best >= 0)
    {
      const CuredMetricInfo *info = &cured_result_get_metrics (result, NULL)[view.metric];
      double value = cured_result_get_value (result, best, view.metric);
      gboolean is_predicted = info->origin == CURED_ORIGIN_PREDICTED;

      g_print (is_predicted                           ? _ ("Predicted best in the file: %s at %s\n")
               : info->better == CURED_BETTER_NEITHER ? _ ("Minimum in the file: %s at %s\n")
                                                      : _ ("Best in the file: %s at %s\n"),
               cured_cli_lend (is_predicted ? cured_format_rough (value, info->unit)
                                            : cured_format_quantity (value, info->unit)),
               cured_cli_describe_cell (result, best));
    }
  cured_cli_print_facts (result, TRUE);
  cured_view_clear (&view);
}

/* Prints a map with a letter for each limit, and a legend. */
static void
show_limiters (CuredResult *result, GError **error)
{
  g_autoptr (CuredCliTable) legend = cured_cli_table_new ("lrl");
  /* In the order in which they appear; -1 is one of them. */
  int limits[CURED_FACTOR_CONTRADICTED + 2];
  gint64 counts[G_N_ELEMENTS (limits)] = { 0 };
  gsize n_limits = 0;
  CuredView view;

  if (!cured_cli_get_view (result, &view, error))
    return;
  g_autoptr (CuredGrid) grid = cured_grid_new (result, &view);
  g_print ("%s ↓  %s →\n", grid->y_title != NULL ? grid->y_title : "",
           grid->x_title != NULL ? grid->x_title : "");
  for (gsize y = 0; y < grid->ny; y++)
    {
      g_print ("  ");
      for (gsize x = 0; x < grid->nx; x++)
        {
          double value = grid->values[y * grid->nx + x];
          int limit = cured_factor_from_value (value);
          gsize k = 0;

          if (isnan (value))
            {
              g_print (" .");
              continue;
            }
          while (k < n_limits && limits[k] != limit)
            k++;
          if (k == n_limits)
            limits[n_limits++] = limit;
          counts[k]++;
          g_print (" %c", 'A' + (char) k);
        }
      g_print ("\n");
    }
  for (gsize k = 0; k < n_limits; k++)
    {
      char letter[2] = { (char) ('A' + k), '\0' };

      cured_cli_table_add (legend, letter, cured_cli_count (counts[k]),
                           cured_factor_get_title (limits[k]));
    }
  g_print ("\n");
  cured_cli_table_print (legend, "  ");
  cured_cli_print_facts (result, TRUE);
  cured_view_clear (&view);
}

/* --top */

typedef struct
{
  gint64 cell;
  double value;
} Ranked;

/* Equal values are in the order of the file. */
static int
compare_ranked (gconstpointer a, gconstpointer b)
{
  const Ranked *x = a;
  const Ranked *y = b;

  return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                              : (x->cell > y->cell) - (x->cell < y->cell);
}

/* Prints the best cells of the whole file, the best one first. */
static void
show_top (CuredResult *result, GError **error)
{
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (Ranked));
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rlrr");
  const CuredMetricInfo *metric;
  CuredView view;

  if (!cured_cli_get_view (result, &view, error))
    return;
  metric = &cured_result_get_metrics (result, NULL)[view.metric];
  cured_result_load_column (result, view.metric, NULL, NULL);
  gboolean is_higher = metric->better == CURED_BETTER_HIGHER;
  for (gint64 i = cured_result_next_cell (result, 0); i >= 0;
       i = cured_result_next_cell (result, i + 1))
    {
      Ranked ranked = { i, cured_result_get_value (result, i, view.metric) };

      if (cured_result_get_state (result, i) == CURED_STATE_OK && !isnan (ranked.value))
        g_array_append_val (cells, ranked);
    }
  g_array_sort (cells, compare_ranked);
  cured_cli_table_add (table, "", C_ ("column", "cell"), metric->id, _ ("of the best"));
  cured_cli_json_put ("[");
  for (guint i = 0; i < MIN (cells->len, given.n_top); i++)
    {
      const Ranked *one = &g_array_index (cells, Ranked, is_higher ? cells->len - 1 - i : i);
      double best = g_array_index (cells, Ranked, is_higher ? cells->len - 1 : 0).value;
      gint64 cell = one->cell;

      cured_cli_table_add (table, cured_cli_printf ("%u", i + 1),
                           cured_cli_describe_cell (result, cell),
                           cured_cli_lend (cured_result_format_value (result, cell, view.metric)),
                           cured_cli_printf ("%.3f×", one->value / best));
      cured_cli_json_put ("{values:");
      cured_cli_json_add_cell (result, cell);
      cured_cli_json ("value}", one->value);
    }
  cured_cli_json_put ("]");
  cured_cli_table_print (table, "");
  cured_view_clear (&view);
}

/* --watch */

/* Interval of checks of the file. */
#define WATCH_MS 300

typedef struct
{
  const char *path;
  gboolean clears; /* on a terminal, a map replaces the last one */
  GMainLoop *loop;
  gint64 seen[2];
  GError *error;
  gboolean is_cancelled;
} Watch;

/* The file's modification time and length. */
static void
get_signature (const char *path, gint64 signature[2])
{
  GStatBuf status = { 0 };

  if (g_stat (path, &status) != 0)
    memset (&status, 0, sizeof status);
  signature[0] = (gint64) status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
  signature[1] = (gint64) status.st_size;
}

/* Shows the map. FALSE: the file is complete, or an error. */
static gboolean
watch_show (Watch *self)
{
  g_autoptr (CuredResult) result = cured_result_load (self->path, NULL, &self->error);

  if (result == NULL)
    return FALSE;
  if (self->clears)
    cured_cli_print_clear ();
  show (result, &self->error);
  fflush (stdout);
  return self->error == NULL && !cured_result_is_finished (result);
}

static gboolean
watch_cb (gpointer user_data)
{
  Watch *self = user_data;
  gint64 signature[2];

  get_signature (self->path, signature);
  if (memcmp (signature, self->seen, sizeof signature) == 0)
    return G_SOURCE_CONTINUE;
  memcpy (self->seen, signature, sizeof signature);
  if (!watch_show (self))
    g_main_loop_quit (self->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
interrupted_cb (gpointer user_data)
{
  Watch *self = user_data;

  self->is_cancelled = TRUE;
  g_main_loop_quit (self->loop);
  return G_SOURCE_CONTINUE;
}

/* Shows a file while another process writes it, until it is complete. */
static int
watch (const char *path, GError **error)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Watch self = {
    .path = path,
    .clears = isatty (STDOUT_FILENO),
    .loop = loop,
  };
  guint interrupt;

  /* From here on, Ctrl+C ends the loop. */
  interrupt = g_unix_signal_add (SIGINT, interrupted_cb, &self);
  get_signature (path, self.seen);
  if (watch_show (&self))
    {
      guint timer = g_timeout_add (WATCH_MS, watch_cb, &self);

      g_main_loop_run (loop);
      g_source_remove (timer);
    }
  g_source_remove (interrupt);
  if (self.error != NULL)
    g_propagate_error (error, self.error);
  return self.is_cancelled ? CURED_EXIT_CANCELLED : CURED_EXIT_OK;
}

#define BAR_COLUMNS 30

static void
add_share (CuredCliTable *table, const char *name, double share)
{
  cured_cli_table_add (table, name,
                       cured_cli_lend (g_strnfill ((gsize) (share * BAR_COLUMNS + 0.5), '#')),
                       cured_cli_quantity (share, "ratio"));
}

static int
show_importance (CuredResult *result, GError **error)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("llr");
  CuredView view;

  if (!cured_cli_get_view (result, &view, error))
    return CURED_EXIT_USAGE;
  const CuredMetricInfo *info = &cured_result_get_metrics (result, NULL)[view.metric];
  g_autoptr (CuredImportance) importance = cured_importance_new (result, view.metric);
  if (importance == NULL)
    return cured_cli_fail (_ ("No parameter changes “%s” in this file"), info->id);
  cured_cli_json ("{metric logarithmic? cells together parameters[", info->id,
                  importance->is_logarithmic, importance->n_cells, importance->together);
  for (gsize i = 0; i < importance->n_parameters; i++)
    {
      const CuredParameterShare *of = &importance->parameters[i];

      add_share (table, axes[of->axis].name, of->share);
      cured_cli_json ("{parameter share}", axes[of->axis].name, of->share);
    }
  cured_cli_json_put ("]}");
  /* Translators: what no parameter explains by itself. */
  add_share (table, _ ("combinations"), importance->together);
  g_print (importance->is_logarithmic
               /* Translators: the id of a metric. */
               ? _ ("Share of the variance of %s, as a logarithm, by parameter\n\n")
               /* Translators: the id of a metric. */
               : _ ("Share of the variance of %s, by parameter\n\n"),
           info->id);
  cured_cli_table_print (table, "  ");
  g_print ("\n%s\n", cured_cli_lend (cured_importance_describe (importance, result)));
  return CURED_EXIT_OK;
}

static int
run (int argc, char **argv, GError **error)
{
  const char *metric = cured_cli_view.metric;
  gint64 cell = 0;

  if (given.list && argc == 1)
    {
      print_metrics ();
      return CURED_EXIT_OK;
    }
  if (argc != 2)
    return cured_cli_fail (_ ("show needs one result file, such as “cured show tiles.cured”"));
  if ((given.list || given.n_top > 0) && given.assignments != NULL)
    return cured_cli_fail (given.list ? _ ("--list and --cell exclude each other")
                                      : _ ("--top and --cell exclude each other"));
  if (!cured_cli_check_machine (given.machine_id, metric))
    return CURED_EXIT_USAGE;
  if (metric != NULL && strchr (metric, ',') != NULL)
    return cured_cli_fail (_ ("--metric %s: a map shows one; export has several as columns of a "
                              "table, such as -o map.csv"),
                           metric);
  if (given.roofline &&
      (given.follow || given.list || given.n_top > 0 || given.assignments != NULL))
    return cured_cli_fail (
        _ ("--roofline shows no map; leave out --watch, --list, --top and --cell"));
  if (given.importance && (given.follow || given.list || given.n_top > 0 ||
                           given.assignments != NULL || given.roofline))
    return cured_cli_fail (_ ("--importance shows no map; leave out --watch, --list, --top, --cell "
                              "and --roofline"));
  if (given.follow && (cured_cli_is_json || given.list || given.assignments != NULL ||
                       g_strcmp0 (metric, "limiter") == 0))
    return cured_cli_fail (
        _ ("--watch shows the map; leave out --json, --list, --cell and --metric limiter"));
  if (given.follow)
    return watch (argv[1], error);
  g_autoptr (CuredResult) result = cured_result_load (argv[1], NULL, error);
  if (result == NULL || !cured_cli_add_limiters (result, metric, given.machine_id, error))
    return CURED_EXIT_USAGE;
  if (given.importance)
    return show_importance (result, error);
  if (given.roofline)
    cured_cli_print_roofline (result, error);
  else if (given.list)
    print_list (result);
  else if (given.assignments != NULL)
    {
      if (cured_cli_find_cell (result, given.assignments, &cell, error))
        cured_cli_print_cell (result, cell, error);
    }
  else if (given.n_top > 0)
    show_top (result, error);
  else
    (cured_cli_is_json                    ? show_json
     : g_strcmp0 (metric, "limiter") == 0 ? show_limiters
                                          : show) (result, error);
  return CURED_EXIT_OK;
}
