/* SPDX-License-Identifier: MIT
 * cured show: a result file in the terminal. */
#include "config.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli.h"

static struct
{
  gboolean follow;
  char *assignments;
  gboolean list;
  gboolean roofline;
  gboolean importance;
  gint64 n_top;
  char *machine_id;
  gboolean json;
} given;

/* clang-format off */
static const CuredCliOption rows[] = {
  { "watch", 0, CURED_CLI_FLAG, &given.follow, N_ ("Follow a sweep that runs elsewhere") },
  { "cell", 'c', CURED_CLI_TEXT, &given.assignments,
    N_ ("Print all metrics of one cell instead"), N_ ("PARAMETER=VALUE,…") },
  { "top", 0, CURED_CLI_INT, &given.n_top, N_ ("List the N best cells instead"), N_ ("N"), NULL, 1, G_MAXINT32 },
  { "list", 0, CURED_CLI_FLAG, &given.list, N_ ("List parameters and metrics instead") },
  { "roofline", 0, CURED_CLI_FLAG, &given.roofline, N_ ("FLOP/s over FLOP/B, below the device's limits") },
  { "importance", 0, CURED_CLI_FLAG, &given.importance, N_ ("Share of the variance by parameter") },
  { "machine", 0, CURED_CLI_TEXT, &given.machine_id, N_ ("Rates for --metric limiter [the chip's]"), N_ ("CHIP") },
  { "json", 0, CURED_CLI_FLAG, &given.json, N_ ("Print as JSON") },
  { NULL },
};
/* clang-format on */

/* What --metric, --x, --y and --at can name in this file. */
static void
print_list (CuredResult *result)
{
  g_autoptr (CuredCliTable) axes_table = cured_cli_table_new ("lll");
  g_autoptr (CuredCliTable) metrics_table = cured_cli_table_new ("lll");
  gsize n_axes = 0;
  gsize n_metrics = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);

  for (gsize i = 0; i < n_axes; i++)
    {
      g_autofree char *values = cured_axis_to_string (axes[i].values);

      cured_cli_table_add (axes_table, axes[i].name, values,
                           axes[i].summary != NULL ? cured_kernel_translate (axes[i].summary) : "",
                           NULL);
    }
  for (gsize i = 0; i < n_metrics; i++)
    if (cured_result_has_values (result, i))
      cured_cli_table_add (metrics_table, metrics[i].id,
                           _ (cured_origin_to_string (metrics[i].origin)),
                           _ (metrics[i].description), NULL);
  g_print (_ ("Parameters, for --x, --y, --at and --cell\n"));
  cured_cli_table_print (axes_table, "  ");
  g_print (_ ("\n"
              "Metrics, for --metric\n"));
  cured_cli_table_print (metrics_table, "  ");
}

/* What --list prints. */
static void
print_list_json (CuredResult *result)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  gsize n_axes = 0;
  gsize n_metrics = 0;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);

  cured_cli_json_put (builder, "{parameters[");
  for (gsize i = 0; i < n_axes; i++)
    {
      cured_cli_json (builder, "{name summary", axes[i].name, axes[i].summary);
      cured_cli_json_add_axis (builder, "values", result, axes[i].values);
      cured_cli_json_put (builder, "}");
    }
  cured_cli_json_put (builder, "] metrics[");
  for (gsize i = 0; i < n_metrics; i++)
    if (cured_result_has_values (result, i))
      cured_cli_json_add_metric (builder, &metrics[i]);
  cured_cli_json_put (builder, "]}");
  cured_cli_print_json (builder);
}

/* All metrics that files may have. */
static void
print_metrics (gboolean json)
{
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("lll");
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  cured_cli_json_put (builder, "{metrics[");
  for (guint i = 0; i < CURED_N_METRICS; i++)
    {
      const CuredMetricInfo *info = cured_metric_info ((CuredMetric) i);

      cured_cli_json_add_metric (builder, info);
      cured_cli_table_add (table, info->id, _ (cured_origin_to_string (info->origin)),
                           _ (info->description), NULL);
    }
  cured_cli_json_put (builder, "]}");
  if (json)
    cured_cli_print_json (builder);
  else
    cured_cli_table_print (table, "");
}

/* What the map shows: NaN, which is null, where a cell has no figure. */
static void
add_map (JsonBuilder *builder, CuredResult *result, const CuredView *view)
{
  g_autoptr (CuredGrid) grid = cured_grid_new (result, view);
  const guint8 *states = cured_result_get_states (result);
  gboolean is_sparse =
      cured_result_get_imported (result) != NULL || cured_result_is_sparse (result);

  cured_cli_json_put (builder, "x:");
  if (view->x_axis == CURED_AXIS_NONE)
    cured_cli_json_put (builder, "~");
  else
    {
      cured_cli_json (builder, "{name", grid->x_title);
      cured_cli_json_add_axis (builder, "values", result, grid->x_values);
      cured_cli_json_put (builder, "}");
    }
  cured_cli_json_put (builder, "y:");
  if (view->y_axis == CURED_AXIS_NONE)
    cured_cli_json_put (builder, "~");
  else
    {
      cured_cli_json (builder, "{name", grid->y_title);
      cured_cli_json_add_axis (builder, "values", result, grid->y_values);
      cured_cli_json_put (builder, "}");
    }
  cured_cli_json_put (builder, "rows[");
  for (gsize y = 0; y < grid->ny; y++)
    {
      cured_cli_json_put (builder, "[");
      for (gsize x = 0; x < grid->nx; x++)
        {
          gsize i = y * grid->nx + x;

          /* A place of a large space that holds nothing. */
          if (is_sparse && states[grid->cells[i]] == CURED_STATE_NOT_RUN)
            {
              cured_cli_json_put (builder, "~");
              continue;
            }
          cured_cli_json (builder, "{cell state value", grid->cells[i],
                          cured_state_to_string ((CuredState) states[grid->cells[i]]),
                          cured_grid_get_raw (grid, i));
          if (cured_grid_is_named (grid) && !isnan (grid->values[i]))
            cured_cli_json (builder, "name",
                            cured_limit_to_string (cured_limit_from_value (grid->values[i])));
          cured_cli_json_put (builder, "}");
        }
      cured_cli_json_put (builder, "]");
    }
  cured_cli_json_put (builder, "] best:");
  if (grid->best >= 0)
    cured_cli_json_add_cell (builder, result, grid->cells[grid->best]);
  else
    cured_cli_json_put (builder, "~");
}

/* The map, and what is printed below it. */
static void
show_json (CuredResult *result, GError **error)
{
  CuredView view;
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  if (!cured_cli_get_view (result, &view, error))
    return;
  gint64 best = cured_result_find_best (result, view.metric);
  cured_cli_json_put (builder, "{");
  cured_cli_json_add_facts (builder, result);
  cured_cli_json_put (builder, "metric:");
  cured_cli_json_add_metric (builder, &cured_result_get_metrics (result, NULL)[view.metric]);
  add_map (builder, result, &view);
  cured_cli_json_put (builder, "best_in_file:");
  if (best >= 0)
    cured_cli_json_add_cell (builder, result, best);
  else
    cured_cli_json_put (builder, "~");
  cured_cli_json_put (builder, "}");
  cured_cli_print_json (builder);
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

  /* The map marks the best cell that it shows; with further parameters, the best of all may be
   * elsewhere. */
  best = has_other_slices (result, &view) && !view.best_over
             ? cured_result_find_best (result, view.metric)
             : -1;
  if (best >= 0)
    {
      const CuredMetricInfo *info = &cured_result_get_metrics (result, NULL)[view.metric];
      double value = cured_result_get_value (result, best, view.metric);
      gboolean is_predicted = info->origin == CURED_ORIGIN_PREDICTED;
      g_autofree char *quantity = is_predicted ? cured_format_rough (value, info->unit)
                                               : cured_format_quantity (value, info->unit);
      g_autofree char *where = cured_cli_describe_cell (result, best);

      g_print (is_predicted                           ? _ ("Predicted best in the file: %s at %s\n")
               : info->better == CURED_BETTER_NEITHER ? _ ("Minimum in the file: %s at %s\n")
                                                      : _ ("Best in the file: %s at %s\n"),
               quantity, where);
    }
  cured_cli_print_facts (result, TRUE);
  cured_view_clear (&view);
}

/* A map of names: a letter for each limit, and what the letters mean. */
static void
show_limiters (CuredResult *result, GError **error)
{
  g_autoptr (CuredCliTable) legend = cured_cli_table_new ("lrl");
  /* In the order in which they appear; -1 is one of them. */
  int limits[CURED_LIMIT_CONTRADICTED + 2];
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
          int limit = cured_limit_from_value (value);
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
      g_autofree char *count = cured_format_count (counts[k]);

      cured_cli_table_add (legend, letter, count, cured_limit_get_title (limits[k]), NULL);
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

/* Equal ones in the order of the file. */
static int
compare_ranked (gconstpointer a, gconstpointer b)
{
  const Ranked *x = a;
  const Ranked *y = b;

  return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                              : (x->cell > y->cell) - (x->cell < y->cell);
}

/* The best cells of the whole file, the best one first. */
static void
show_top (CuredResult *result, GError **error)
{
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (Ranked));
  g_autoptr (CuredCliTable) table = cured_cli_table_new ("rlrr");
  g_autoptr (JsonBuilder) builder = json_builder_new ();
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
  cured_cli_table_add (table, "", C_ ("column", "cell"), metric->id, _ ("of the best"), NULL);
  cured_cli_json_put (builder, "[");
  for (guint i = 0; i < MIN (cells->len, given.n_top); i++)
    {
      const Ranked *one = &g_array_index (cells, Ranked, is_higher ? cells->len - 1 - i : i);
      double best = g_array_index (cells, Ranked, is_higher ? cells->len - 1 : 0).value;
      gint64 cell = one->cell;
      g_autofree char *rank = g_strdup_printf ("%u", i + 1);
      g_autofree char *where = cured_cli_describe_cell (result, cell);
      g_autofree char *value = cured_result_format_value (result, cell, view.metric);
      g_autofree char *ratio = g_strdup_printf ("%.3f×", one->value / best);

      cured_cli_table_add (table, rank, where, value, ratio, NULL);
      cured_cli_json_put (builder, "{values:");
      cured_cli_json_add_cell (builder, result, cell);
      cured_cli_json (builder, "value}", one->value);
    }
  cured_cli_json_put (builder, "]");
  if (given.json)
    cured_cli_print_json (builder);
  else
    cured_cli_table_print (table, "");
  cured_view_clear (&view);
}

/* --watch */

/* How often a file is looked at. */
#define WATCH_MS 300

typedef struct
{
  const char *path;
  gboolean clears; /* a terminal: a map takes the place of the last one */
  GMainLoop *loop;
  gint64 seen[2];
  GError *error;
  gboolean is_cancelled;
} Watch;

/* When the file was written to, and how long it is. */
static void
get_signature (const char *path, gint64 signature[2])
{
  GStatBuf status = { 0 };

  if (g_stat (path, &status) != 0)
    memset (&status, 0, sizeof status);
  signature[0] = (gint64) status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
  signature[1] = (gint64) status.st_size;
}

/* Shows the map. FALSE: there is no more to come, or an error. */
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

/* Shows a file that another process writes, until it is complete. */
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

  /* From here on, Ctrl-C is not a crash. */
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
  g_autoptr (JsonBuilder) builder = given.json ? json_builder_new () : NULL;
  if (given.json)
    cured_cli_json (builder, "{metric logarithmic? cells together parameters[", info->id,
                    importance->is_logarithmic, importance->n_cells, importance->together);
  for (gsize i = 0; i < importance->n_parameters; i++)
    {
      const CuredParameterShare *of = &importance->parameters[i];
      g_autofree char *share = cured_format_quantity (of->share, "ratio");
      g_autofree char *bar = g_strnfill ((gsize) (of->share * BAR_COLUMNS + 0.5), '#');

      cured_cli_table_add (table, axes[of->axis].name, bar, share, NULL);
      if (given.json)
        cured_cli_json (builder, "{parameter share}", axes[of->axis].name, of->share);
    }
  if (given.json)
    {
      cured_cli_json_put (builder, "]}");
      cured_cli_print_json (builder);
      return CURED_EXIT_OK;
    }
  g_autofree char *together = cured_format_quantity (importance->together, "ratio");
  g_autofree char *bar = g_strnfill ((gsize) (importance->together * BAR_COLUMNS + 0.5), '#');
  /* Translators: what no parameter explains by itself. */
  cured_cli_table_add (table, _ ("combinations"), bar, together, NULL);
  g_print (importance->is_logarithmic
               /* Translators: the id of a metric. */
               ? _ ("Share of the variance of %s, as a logarithm, by parameter\n\n")
               /* Translators: the id of a metric. */
               : _ ("Share of the variance of %s, by parameter\n\n"),
           info->id);
  cured_cli_table_print (table, "  ");
  g_autofree char *sentence = cured_importance_describe (importance, result);
  g_print ("\n%s\n", sentence);
  return CURED_EXIT_OK;
}

static int
run_show (int argc, char **argv, GError **error)
{
  const char *metric = cured_cli_view.metric;
  gint64 cell = 0;

  if (given.list && argc == 1)
    {
      print_metrics (given.json);
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
  if (given.follow &&
      (given.json || given.list || given.assignments != NULL || g_strcmp0 (metric, "limiter") == 0))
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
    cured_cli_print_roofline (result, given.json, error);
  else if (given.list)
    (given.json ? print_list_json : print_list) (result);
  else if (given.assignments != NULL)
    {
      if (cured_cli_find_cell (result, given.assignments, &cell, error))
        (given.json ? cured_cli_print_cell_json : cured_cli_print_cell) (result, cell, error);
    }
  else if (given.n_top > 0)
    show_top (result, error);
  else
    (given.json                           ? show_json
     : g_strcmp0 (metric, "limiter") == 0 ? show_limiters
                                          : show) (result, error);
  return CURED_EXIT_OK;
}

const CuredVerb cured_verb_show = {
  .name = "show",
  .arguments = N_ ("FILE"),
  .summary = N_ ("Print a result file as a heat map"),
  .description =
      N_ ("Colours are used on a terminal, unless the environment has NO_COLOR.\n"
          "--json prints the map, the choice of --list or the cell of --cell for programs.\n"
          "--watch draws the map again whenever the file changes; Ctrl-C ends it.\n"
          "\n"
          "Examples:\n"
          "  cured show tiles.cured\n"
          "  cured show tiles.cured --metric bandwidth --x tile --at n=1024\n"
          "  cured show tiles.cured --relative\n"
          "  cured show tiles.cured --cell tile=16,n=1024\n"
          "  cured show tiles.cured --watch\n"
          "  cured show tiles.cured --json | jq .best\n"),
  .words = CURED_CLI_WORDS_RESULTS,
  .options = { cured_cli_view_rows, cured_cli_colour_rows, rows },
  .run = run_show,
};
