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
                           axes[i].summary != NULL ? axes[i].summary : "", NULL);
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

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "parameters");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < n_axes; i++)
    {
      json_builder_begin_object (builder);
      cured_cli_json_add_string (builder, "name", axes[i].name);
      cured_cli_json_add_string (builder, "summary", axes[i].summary);
      cured_cli_json_add_axis (builder, "values", result, i);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "metrics");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < n_metrics; i++)
    if (cured_result_has_values (result, i))
      cured_cli_json_add_metric (builder, &metrics[i]);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  cured_cli_print_json (builder);
}

/* What the map shows: NaN, which is null, where a cell has no figure. */
static void
add_map (JsonBuilder *builder, CuredResult *result, const CuredView *view)
{
  g_autoptr (CuredGrid) grid = cured_grid_new (result, view);
  const guint8 *states = cured_result_get_states (result);

  json_builder_set_member_name (builder, "x");
  if (view->x_axis == CURED_AXIS_NONE)
    json_builder_add_null_value (builder);
  else
    {
      json_builder_begin_object (builder);
      cured_cli_json_add_string (builder, "name", grid->x_title);
      cured_cli_json_add_axis (builder, "values", result, view->x_axis);
      json_builder_end_object (builder);
    }
  json_builder_set_member_name (builder, "y");
  if (view->y_axis == CURED_AXIS_NONE)
    json_builder_add_null_value (builder);
  else
    {
      json_builder_begin_object (builder);
      cured_cli_json_add_string (builder, "name", grid->y_title);
      cured_cli_json_add_axis (builder, "values", result, view->y_axis);
      json_builder_end_object (builder);
    }
  json_builder_set_member_name (builder, "rows");
  json_builder_begin_array (builder);
  for (gsize y = 0; y < grid->ny; y++)
    {
      json_builder_begin_array (builder);
      for (gsize x = 0; x < grid->nx; x++)
        {
          gsize i = y * grid->nx + x;

          json_builder_begin_object (builder);
          cured_cli_json_add_int (builder, "cell", grid->cells[i]);
          cured_cli_json_add_string (builder, "state",
                                     cured_state_to_string ((CuredState) states[grid->cells[i]]));
          cured_cli_json_add_double (builder, "value", grid->values[i]);
          if (cured_grid_is_named (grid) && !isnan (grid->values[i]))
            cured_cli_json_add_string (
                builder, "name", cured_limit_to_string (cured_limit_from_value (grid->values[i])));
          json_builder_end_object (builder);
        }
      json_builder_end_array (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "best");
  if (grid->best >= 0)
    cured_cli_json_add_cell (builder, result, grid->cells[grid->best]);
  else
    json_builder_add_null_value (builder);
}

/* The map, and what is printed below it. */
static int
show_json (CuredResult *result, const CuredCliViewOptions *options, GError **error)
{
  CuredView view;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  gint64 best;

  if (!cured_cli_view_options_get_view (options, result, &view, error))
    return CURED_EXIT_USAGE;
  best = cured_cli_find_best (result, view.metric);
  json_builder_begin_object (builder);
  cured_cli_json_add_facts (builder, result);
  json_builder_set_member_name (builder, "metric");
  cured_cli_json_add_metric (builder, &cured_result_get_metrics (result, NULL)[view.metric]);
  add_map (builder, result, &view);
  json_builder_set_member_name (builder, "best_in_file");
  if (best >= 0)
    cured_cli_json_add_cell (builder, result, best);
  else
    json_builder_add_null_value (builder);
  json_builder_end_object (builder);
  cured_cli_print_json (builder);
  cured_view_clear (&view);
  return CURED_EXIT_OK;
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

static int
show (CuredResult *result, const CuredCliViewOptions *options, gboolean colour, GError **error)
{
  CuredView view;
  g_autofree char *map = NULL;
  gint64 best = -1;

  if (!cured_cli_view_options_get_view (options, result, &view, error))
    return CURED_EXIT_USAGE;
  map = cured_export_terminal (result, &view, cured_cli_get_columns (STDOUT_FILENO), colour);
  cured_cli_print_coloured (map);
  g_print ("\n");

  /* The map marks the best cell that it shows; with further parameters, the best of all may be
   * elsewhere. */
  best = has_other_slices (result, &view) ? cured_cli_find_best (result, view.metric) : -1;
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
  return CURED_EXIT_OK;
}

/* A map of names: a letter for each limit, and what the letters mean. */
static int
show_limiters (CuredResult *result, const CuredCliViewOptions *options, GError **error)
{
  g_autoptr (CuredCliTable) legend = cured_cli_table_new ("lrl");
  g_autoptr (CuredGrid) grid = NULL;
  /* In the order in which they appear; -1 is one of them. */
  int limits[CURED_LIMIT_CONTRADICTED + 2];
  gint64 counts[G_N_ELEMENTS (limits)] = { 0 };
  gsize n_limits = 0;
  CuredView view;

  if (!cured_cli_view_options_get_view (options, result, &view, error))
    return CURED_EXIT_USAGE;
  grid = cured_grid_new (result, &view);
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
  return CURED_EXIT_OK;
}

/* --watch */

/* How often a file is looked at. */
#define WATCH_MS 300

typedef struct
{
  const char *path;
  const CuredCliViewOptions *options;
  gboolean colour;
  gboolean clears; /* a terminal: a map takes the place of the last one */
  GMainLoop *loop;
  gint64 seen[2];
  int status;
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

/* A map, and whether there is more to come; an error where it is not there. */
static gboolean
watch_show (Watch *self, GError **error)
{
  g_autoptr (CuredResult) result = cured_result_load (self->path, NULL, error);

  if (result == NULL)
    return FALSE;
  if (self->clears)
    cured_cli_print_clear ();
  self->status = show (result, self->options, self->colour, error);
  fflush (stdout);
  return *error == NULL && !cured_result_is_finished (result);
}

static gboolean
watch_cb (gpointer user_data)
{
  Watch *self = user_data;
  gint64 signature[2];
  g_autoptr (GError) error = NULL;

  get_signature (self->path, signature);
  if (memcmp (signature, self->seen, sizeof signature) == 0)
    return G_SOURCE_CONTINUE;
  memcpy (self->seen, signature, sizeof signature);
  if (watch_show (self, &error))
    return G_SOURCE_CONTINUE;
  if (error != NULL)
    self->status = cured_cli_fail_error (error);
  g_main_loop_quit (self->loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
interrupted_cb (gpointer user_data)
{
  Watch *self = user_data;

  self->status = CURED_EXIT_CANCELLED;
  g_main_loop_quit (self->loop);
  return G_SOURCE_CONTINUE;
}

/* Shows what somebody else writes, until it is complete. */
static int
watch (const char *path, const CuredCliViewOptions *options, gboolean colour)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Watch self = {
    .path = path,
    .options = options,
    .colour = colour,
    .clears = isatty (STDOUT_FILENO),
    .loop = loop,
  };
  g_autoptr (GError) error = NULL;
  guint interrupt;

  /* From here on a Ctrl-C is told apart from a crash. */
  interrupt = g_unix_signal_add (SIGINT, interrupted_cb, &self);
  get_signature (path, self.seen);
  if (watch_show (&self, &error))
    {
      guint timer = g_timeout_add (WATCH_MS, watch_cb, &self);

      g_main_loop_run (loop);
      g_source_remove (timer);
    }
  else if (error != NULL)
    self.status = cured_cli_fail_error (error);
  g_source_remove (interrupt);
  return self.status;
}

static int
run_show (GOptionContext *context, int argc, char **argv)
{
  g_auto (CuredCliViewOptions) options = { 0 };
  g_autofree char *assignments = NULL;
  g_autofree char *machine_id = NULL;
  gboolean colour = FALSE;
  gboolean list = FALSE;
  gboolean json = FALSE;
  gboolean follow = FALSE;
  const GOptionEntry entries[] = {
    { "watch", 0, 0, G_OPTION_ARG_NONE, &follow, N_ ("Follow a sweep that runs elsewhere"), NULL },
    { "cell", 'c', 0, G_OPTION_ARG_STRING, &assignments,
      N_ ("Print all metrics of one cell instead"), N_ ("PARAMETER=VALUE,…") },
    { "list", 0, 0, G_OPTION_ARG_NONE, &list, N_ ("Print what can be chosen instead"), NULL },
    { "machine", 0, 0, G_OPTION_ARG_STRING, &machine_id,
      N_ ("Rates for --metric limiter [the chip's]"), N_ ("CHIP") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print as JSON"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (GError) error = NULL;
  int status = CURED_EXIT_OK;

  cured_cli_view_options_add (&options, context);
  cured_cli_add_colour (context);
  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc != 2)
    return cured_cli_fail (_ ("show needs one result file, such as “cured show tiles.cured”"));
  if (list && assignments != NULL)
    return cured_cli_fail (_ ("--list and --cell exclude each other"));
  if (!cured_cli_get_colour (&colour) || !cured_cli_check_machine (machine_id, options.metric))
    return CURED_EXIT_USAGE;

  if (follow && (json || list || assignments != NULL || g_strcmp0 (options.metric, "limiter") == 0))
    return cured_cli_fail (
        _ ("--watch shows the map; leave out --json, --list, --cell and --metric limiter"));
  if (follow)
    return watch (argv[1], &options, colour);
  result = cured_result_load (argv[1], NULL, &error);
  if (result == NULL)
    return cured_cli_fail_error (error);
  if (!cured_cli_add_limiters (result, options.metric, machine_id, &error))
    return cured_cli_fail_error (error);
  if (list && json)
    print_list_json (result);
  else if (list)
    print_list (result);
  else if (assignments != NULL)
    {
      gint64 cell = 0;

      if (!cured_cli_find_cell (result, assignments, &cell, &error) ||
          !(json ? cured_cli_print_cell_json : cured_cli_print_cell) (result, cell, &error))
        status = CURED_EXIT_USAGE;
    }
  else if (json)
    status = show_json (result, &options, &error);
  else if (g_strcmp0 (options.metric, "limiter") == 0)
    status = show_limiters (result, &options, &error);
  else
    status = show (result, &options, colour, &error);
  return error != NULL ? cured_cli_fail_error (error) : status;
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
  .run = run_show,
};
