/* SPDX-License-Identifier: MIT
 * A result's page: the map as a picture, its cells as a table, where it is from. */
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "base/cured-error.h"
#include "base/cured-limit.h"
#include "base/cured-units-internal.h"
#include "plot/cured-limit-colour.h"
#include "plot/export/cured-export-private.h"
#include "plot/export/cured-page-private.h"
#include "plot/map/cured-map-plot-private.h"

/* A page holds all cells: a larger sweep is for programs. */
#define MAX_CELLS 20000

/* Rows of the table, which is there for reading. */
#define MAX_ROWS 400

/* Of the picture, in its own units. */
#define CELL_WIDTH   56
#define CELL_HEIGHT  28
#define MOST_WIDTH   1600
#define MOST_HEIGHT  900
#define LABEL_WIDTH  76
#define LABEL_HEIGHT 40

/* ---- The picture ---- */

static CuredColour
get_colour (const CuredGrid *grid, double value)
{
  if (cured_grid_is_named (grid))
    return cured_limit_get_colour (cured_limit_from_value (value));
  return cured_colour_map_get (grid->colours, cured_grid_get_position (grid, value));
}

/* Whose unit the numbers have: where they span decades, the least is small. */
static double
get_scale (const CuredGrid *grid)
{
  return grid->logarithmic ? grid->low : grid->high;
}

static void
append_rect (GString *page, const char *kind, const CuredRect *at)
{
  g_string_append_printf (page, "<rect class=\"%s\"", kind);
  _cured_page_append_place (page, "x", at->x);
  _cured_page_append_place (page, "y", at->y);
  _cured_page_append_place (page, "width", at->width);
  _cured_page_append_place (page, "height", at->height);
}

static void
append_words (GString *page, const char *kind, double x, double y, const char *colour,
              const char *words)
{
  g_string_append_printf (page, "<text class=\"%s\"", kind);
  if (colour != NULL)
    g_string_append_printf (page, " fill=\"%s\"", colour);
  _cured_page_append_place (page, "x", x);
  _cured_page_append_place (page, "y", y);
  g_string_append_c (page, '>');
  _cured_page_append_text (page, words);
  g_string_append (page, "</text>\n");
}

static void
append_label (GString *page, const char *kind, double x, double y, const CuredAxis *values,
              gsize position)
{
  g_autofree char *value = values != NULL ? cured_axis_format_value (values, position) : NULL;

  append_words (page, kind, x, y, NULL, value);
}

static void
append_cell (GString *page, const CuredGrid *grid, gsize index, const CuredRect *at)
{
  double value = grid->values[index];
  guint look = cured_grid_get_look (grid, index);
  g_autofree char *figure = NULL;
  g_autofree char *text = NULL;
  g_autofree char *kind = NULL;
  g_autofree char *number = NULL;
  CuredColour colour;

  figure = cured_grid_format_value (grid, value);
  text = isnan (value) ? g_strdup (_cured_plot_state_title (look))
         : cured_grid_is_predicted (grid)
             /* Translators: a figure that a model made, as in "predicted 14 µs". */
             ? g_strdup_printf (_ ("predicted %s"), figure)
             : g_strdup (figure);
  kind = isnan (value) ? g_strdup_printf ("cell state-%u", look)
                       : g_strdup ((gssize) index == grid->best ? "cell best" : "cell");
  g_string_append (page, "<g><title>");
  _cured_page_append_text (page, text);
  g_string_append (page, "</title>");
  append_rect (page, kind, at);
  if (isnan (value))
    {
      g_string_append (page, "/></g>\n");
      return;
    }
  colour = get_colour (grid, value);
  g_string_append (page, " fill=\"");
  _cured_page_append_colour (page, colour);
  g_string_append (page, "\"/>");
  if (at->width >= CELL_WIDTH - 1 && !cured_grid_is_named (grid))
    {
      number = cured_grid_is_relative (grid) || cured_grid_is_predicted (grid)
                   ? g_strdup (figure)
                   : cured_format_quantity_aligned (value, grid->metric.unit, get_scale (grid));
      /* The unit is below the map. */
      if (strchr (number, ' ') != NULL)
        *strchr (number, ' ') = '\0';
      append_words (page, "value", at->x + at->width / 2, at->y + at->height / 2,
                    _cured_plot_lightness (colour) > 58 ? "#000" : "#fff", number);
    }
  g_string_append (page, "</g>\n");
}

/* Which way the axes run, and in what the numbers are. */
static char *
describe_axes (const CuredGrid *grid)
{
  GString *text = g_string_new (NULL);
  double factor;

  if (grid->y_title != NULL)
    g_string_append_printf (text, "%s ↑ · ", grid->y_title);
  if (grid->x_title != NULL)
    g_string_append_printf (text, "%s →", grid->x_title);
  if (grid->metric.unit[0] != '\0' && !cured_grid_is_named (grid) && isfinite (grid->high))
    g_string_append_printf (text, " · %s",
                            cured_unit_choose (grid->metric.unit, get_scale (grid), &factor));
  return g_string_free (text, FALSE);
}

/**
 * _cured_page_append_map:
 * @page: a document
 * @grid: what it shows
 *
 * Appends the map as an inline drawing, for readers without a script.
 */
void
_cured_page_append_map (GString *page, const CuredGrid *grid)
{
  CuredRect at = {
    .width = MIN (CELL_WIDTH, (double) MOST_WIDTH / (double) grid->nx),
    .height = MIN (CELL_HEIGHT, (double) MOST_HEIGHT / (double) grid->ny),
  };
  gsize x_step = (gsize) ceil (CELL_WIDTH / at.width);
  gsize y_step = (gsize) ceil (18 / at.height);
  int width = (int) ceil (LABEL_WIDTH + at.width * (double) grid->nx + 8);
  int height = (int) ceil (LABEL_HEIGHT + at.height * (double) grid->ny + 8);
  g_autofree char *axes = describe_axes (grid);

  g_string_append_printf (page,
                          "<svg class=\"map\" role=\"img\" aria-labelledby=\"map-title\" "
                          "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
                          width, height, width, height);
  _cured_page_append_element (page, "title id=\"map-title\"", _ (grid->metric.title));
  for (gsize row = 0; row < grid->ny; row++)
    {
      at.y = 4 + at.height * (double) (grid->ny - 1 - row);
      for (gsize column = 0; column < grid->nx; column++)
        {
          at.x = LABEL_WIDTH + at.width * (double) column;
          append_cell (page, grid, row * grid->nx + column, &at);
        }
      if (row % y_step == 0)
        append_label (page, "y", LABEL_WIDTH - 8, at.y + at.height / 2, grid->y_values, row);
    }
  for (gsize column = 0; column < grid->nx; column += x_step)
    append_label (page, "x", LABEL_WIDTH + at.width * ((double) column + 0.5),
                  height - LABEL_HEIGHT + 12, grid->x_values, column);
  append_words (page, "axis", LABEL_WIDTH + at.width * (double) grid->nx / 2, height - 8, NULL,
                axes);
  g_string_append (page, "</svg>\n");
}

/* ---- The table ---- */

/* What a reader of the table wants first; what has no value is left out. */
static const char *const shown[] = {
  "time",           "time_hot",       "time_spread", "bandwidth",
  "flop_rate",      "predicted_time", "wavefronts",  "excess_wavefronts",
  "global_sectors", "instructions",   "occupancy",   "limiter",
};

/* Metrics of the table, by index. */
static GArray *
choose_metrics (CuredResult *result, gsize first)
{
  GArray *chosen = g_array_new (FALSE, FALSE, sizeof (gsize));

  g_array_append_val (chosen, first);
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    {
      gsize metric;

      if (cured_result_find_metric (result, shown[i], &metric) && metric != first &&
          cured_result_has_values (result, metric))
        g_array_append_val (chosen, metric);
    }
  return chosen;
}

static void
append_head (GString *page, CuredResult *result, GArray *chosen)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, NULL);

  g_string_append (page, "<thead><tr>");
  for (gsize i = 0; i < n_axes; i++)
    if (cured_axis_get_length (axes[i].values) > 1)
      _cured_page_append_element (page, "th scope=\"col\"", axes[i].name);
  _cured_page_append_element (page, "th scope=\"col\"", _ ("State"));
  for (guint i = 0; i < chosen->len; i++)
    {
      const CuredMetricInfo *info = &metrics[g_array_index (chosen, gsize, i)];
      g_autofree char *title =
          g_strdup_printf ("%s, %s", _ (info->title), _ (cured_origin_to_string (info->origin)));

      _cured_page_append_element (page, "th scope=\"col\"", title);
    }
  g_string_append (page, "</tr></thead>\n");
}

static void
append_row (GString *page, CuredResult *result, GArray *chosen, gint64 cell)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, MAX (n_axes, 1));

  cured_result_get_positions (result, cell, positions);
  g_string_append (page, "<tr>");
  for (gsize i = 0; i < n_axes; i++)
    {
      g_autofree char *value = NULL;

      if (cured_axis_get_length (axes[i].values) <= 1)
        continue;
      value = cured_axis_format_value (axes[i].values, positions[i]);
      _cured_page_append_element (page, "th scope=\"row\"", value);
    }
  _cured_page_append_element (page, "td",
                              cured_state_get_title (cured_result_get_state (result, cell)));
  for (guint i = 0; i < chosen->len; i++)
    {
      g_autofree char *value =
          cured_result_format_value (result, cell, g_array_index (chosen, gsize, i));

      _cured_page_append_element (page, "td", value);
    }
  g_string_append (page, "</tr>\n");
}

/**
 * _cured_page_append_cells:
 * @page: a document
 * @result: what is shown
 * @grid: the slice that is seen first
 * @error: where the file can't be read
 *
 * Appends the cells of the slice as a table, with the figures that matter most.
 *
 * Returns: FALSE where the file can't be read
 */
gboolean
_cured_page_append_cells (GString *page, CuredResult *result, const CuredGrid *grid, GError **error)
{
  gsize metric = 0;
  gsize n_cells = grid->nx * grid->ny;
  g_autoptr (GArray) chosen = NULL;

  cured_result_find_metric (result, grid->metric.id, &metric);
  chosen = choose_metrics (result, metric);
  for (guint i = 0; i < chosen->len; i++)
    if (!cured_result_load_column (result, g_array_index (chosen, gsize, i), NULL, error))
      return FALSE;
  g_string_append (page, "<section class=\"card\" aria-labelledby=\"cells\">\n<details>\n");
  g_string_append (page, "<summary><h2 id=\"cells\">");
  _cured_page_append_text (page, _ ("All cells as a table"));
  g_string_append (page, "</h2></summary>\n<div class=\"scroll\"><table>\n");
  append_head (page, result, chosen);
  g_string_append (page, "<tbody>\n");
  for (gsize i = 0; i < MIN (n_cells, MAX_ROWS); i++)
    if (grid->cells[i] >= 0)
      append_row (page, result, chosen, grid->cells[i]);
  g_string_append (page, "</tbody></table></div>\n");
  if (n_cells > MAX_ROWS)
    _cured_page_append_element (
        page, "p class=\"note\"",
        _ ("The rest is left out; “cured export --format csv” has all of it."));
  g_string_append (page, "</details>\n</section>\n");
  return TRUE;
}

/* ---- Where it is from ---- */

static void
append_fact (GString *page, const char *name, const char *value)
{
  if (value == NULL || *value == '\0')
    return;
  g_string_append (page, "<tr>");
  _cured_page_append_element (page, "th scope=\"row\"", name);
  _cured_page_append_element (page, "td", value);
  g_string_append (page, "</tr>\n");
}

static void
append_date (GString *page, const char *name, GDateTime *date)
{
  g_autofree char *text = date != NULL ? g_date_time_format_iso8601 (date) : NULL;

  append_fact (page, name, text);
}

static void
append_states (GString *page, CuredResult *result)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < CURED_N_STATES; i++)
    {
      gint64 count = cured_result_count_state (result, (CuredState) i);
      g_autofree char *number = cured_format_count (count);

      if (count > 0)
        g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", number,
                                cured_state_get_title ((CuredState) i));
    }
  append_fact (page, _ ("Cells"), text->str);
}

static void
append_options (GString *page, CuredResult *result)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);
  const CuredOptions *options = cured_result_get_options (result);
  CuredOptions usual;

  cured_options_init (&usual);
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *text = cured_option_to_string (&rows[i], options);
      g_autofree char *before = cured_option_to_string (&rows[i], &usual);

      if ((rows[i].flags & CURED_OPTION_UNSAFE) == 0 && !g_str_equal (text, before))
        append_fact (page, rows[i].name, text);
    }
  cured_options_clear (&usual);
}

static void
append_limits (GString *page, const CuredDeviceInfo *device)
{
  gsize n_limits;
  const CuredLimitInfo *limits = cured_limits_list (&n_limits);

  g_string_append (page, "<section class=\"card\" aria-labelledby=\"limits\">\n"
                         "<details>\n<summary><h2 id=\"limits\">");
  _cured_page_append_text (page, _ ("What the chip allows"));
  g_string_append (page, "</h2></summary>\n<table class=\"facts\">\n");
  for (gsize i = 0; i < n_limits; i++)
    {
      gint64 value = 0;
      g_autofree char *text = NULL;

      if (!cured_limits_get (&device->limits, limits[i].name, &value) || value == 0 ||
          g_str_equal (limits[i].name, "emulated"))
        continue;
      text = cured_format_quantity ((double) value, limits[i].unit);
      append_fact (page, _ (limits[i].meaning), text);
    }
  g_string_append (page, "</table>\n</details>\n</section>\n");
}

/**
 * _cured_page_append_provenance:
 * @page: a document
 * @result: what is shown
 *
 * Appends what was run, where, when and how, and the chip's limits.
 */
void
_cured_page_append_provenance (GString *page, CuredResult *result)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);
  const char *source = cured_result_get_source (result);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree char *file = g_filename_display_basename (cured_result_get_path (result));
  g_autofree char *digest =
      source != NULL ? g_compute_checksum_for_string (G_CHECKSUM_SHA256, source, -1) : NULL;

  append_limits (page, device);
  g_string_append (page, "<section class=\"card\" aria-labelledby=\"origin\">\n"
                         "<details>\n<summary><h2 id=\"origin\">");
  _cured_page_append_text (page, _ ("Where it is from"));
  g_string_append (page, "</h2></summary>\n<table class=\"facts\">\n");
  append_fact (page, _ ("File"), file);
  append_fact (page, _ ("Kernel"), cured_result_get_kernel_id (result));
  append_fact (page, _ ("Imported from"), cured_result_get_imported (result));
  append_fact (page, _ ("Device"), device->name);
  append_fact (page, _ ("Architecture"), device->arch);
  append_fact (page, _ ("Driver"), device->driver);
  append_fact (page, _ ("Runtime"), device->runtime);
  append_fact (page, _ ("Compiler"), device->compiler);
  append_fact (page, _ ("Machine"), device->host);
  append_date (page, _ ("Begun"), cured_result_get_created (result));
  append_date (page, _ ("Last cell"), cured_result_get_changed (result));
  append_fact (page, _ ("Recorded by"), cured_result_get_cured_version (result));
  append_states (page, result);
  for (gsize i = 0; i < n_axes; i++)
    {
      g_autofree char *values = cured_axis_to_string (axes[i].values);

      append_fact (page, axes[i].name, values);
    }
  if (cured_result_get_imported (result) == NULL)
    append_options (page, result);
  append_fact (page, _ ("SHA-256 of the source"), digest);
  g_string_append (page, "</table>\n</details>\n</section>\n");
}

/* ---- The page ---- */

/* The cell whose source and banks are shown: the best one that is seen. */
static gint64
choose_cell (CuredResult *result, const CuredGrid *grid)
{
  if (grid->best >= 0)
    return grid->cells[grid->best];
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    if (grid->cells[i] >= 0 && cured_result_get_state (result, grid->cells[i]) == CURED_STATE_OK)
      return grid->cells[i];
  return grid->nx * grid->ny > 0 ? grid->cells[0] : -1;
}

static void
append_header (GString *page, CuredResult *result, const CuredView *view)
{
  g_autofree char *title = _cured_export_describe_title (result);
  g_autofree char *origin = _cured_export_describe_origin (result);
  g_autofree char *slice = _cured_export_describe_slice (result, view);

  g_string_append (page, "<header>\n");
  _cured_page_append_element (page, "h1", title);
  _cured_page_append_element (page, "p class=\"origin\"", origin);
  if (*slice != '\0')
    _cured_page_append_element (page, "p class=\"slice\"", slice);
  g_string_append (page, "</header>\n");
}

static void
append_figure (GString *page, const CuredGrid *grid)
{
  g_autofree char *low = NULL;
  g_autofree char *high = NULL;

  g_string_append (page, "<div id=\"view\">\n<section class=\"card\" id=\"map\" "
                         "aria-labelledby=\"map-heading\">\n<h2 id=\"map-heading\">");
  _cured_page_append_text (page, _ (grid->metric.title));
  g_string_append_printf (page, " <span class=\"origin-%s\">%s</span></h2>\n",
                          cured_origin_to_string (grid->metric.origin),
                          _ (cured_origin_to_string (grid->metric.origin)));
  _cured_page_append_element (page, "p class=\"note\"", _ (grid->metric.description));
  g_string_append (page, "<div class=\"scroll\" id=\"picture\">\n");
  _cured_page_append_map (page, grid);
  g_string_append (page, "</div>\n");
  if (isfinite (grid->low) && !cured_grid_is_named (grid))
    {
      g_autofree char *range = NULL;

      low = cured_grid_format_value (grid, grid->low);
      high = cured_grid_format_value (grid, grid->high);
      /* Translators: the least and the greatest value of a map. */
      range = g_strdup_printf (_ ("%s to %s"), low, high);
      _cured_page_append_element (page, "p class=\"note range\"", range);
    }
  g_string_append (page, "</section>\n</div>\n");
}

gboolean
_cured_page_write_map (CuredResult *result, const CuredView *view, gboolean dark,
                       GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  g_autoptr (GString) page = g_string_new (NULL);
  g_autoptr (GString) data = g_string_new (NULL);
  g_autoptr (CuredGrid) grid = NULL;
  g_autofree char *title = _cured_export_describe_title (result);
  CuredPageParts parts = { .script = TRUE };

  if (cured_result_get_n_cells (result) > MAX_CELLS)
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                   _ ("a web page holds at most %d cells; export a table, such as csv"), MAX_CELLS);
      return FALSE;
    }
  if (!cured_result_load_column (result, view->metric, cancellable, error) ||
      !_cured_page_append_data (data, result, view, error))
    return FALSE;
  grid = cured_grid_new (result, view);
  _cured_page_begin (page, title, dark);
  append_header (page, result, view);
  append_figure (page, grid);
  if (!_cured_page_append_cells (page, result, grid, error))
    return FALSE;
  _cured_page_append_source (page, result, choose_cell (result, grid), cancellable);
  _cured_page_append_provenance (page, result);
  parts.data = data->str;
  _cured_page_end (page, &parts);
  return _cured_page_write (page, stream, cancellable, error);
}
