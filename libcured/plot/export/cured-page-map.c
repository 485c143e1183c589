/* SPDX-License-Identifier: MIT
 * A result's page: the map as a picture, its cells as a table, and its origin. */

#include "base/cured-base-internal.h"
#include "plot/export/cured-export-private.h"
#include "plot/export/cured-page-private.h"
#include "store/cured-remarks.h"
#include "plot/map/cured-map-plot-private.h"

/* A page has all cells that were run; larger sweeps are for programs. */
#define MAX_CELLS 20000

/* Limit of all drawings before compression, and size of each cell's data: a view that would exceed
 * the limit is left out, with all that follow. */
#define MAX_VIEW_BYTES (3 * 1024 * 1024)
#define CELL_BYTES     100

/* ---- Views ---- */

static void
view_free (gpointer data)
{
  CuredPageView *self = data;

  CURED_CLEAR (grid, cured_grid_free, label, g_free, title, g_free, place, g_free);
  for (gsize i = 0; i < G_N_ELEMENTS (self->svgs); i++)
    if (self->svgs[i] != NULL)
      g_string_free (self->svgs[i], TRUE);
  g_free (self);
}

/* The text of a map cell. */
static char *
describe_value (const CuredGrid *grid, gsize index)
{
  if (isnan (grid->values[index]))
    return g_strdup (_cured_plot_state_title (cured_grid_get_look (grid, index)));
  g_autofree char *figure =
      cured_grid_is_named (grid)
          ? g_strdup (cured_factor_get_title (cured_factor_from_value (grid->values[index])))
          : cured_grid_format_value (grid, grid->values[index]);
  /* Translators: a figure that a model made, as in "predicted 14 µs". */
  return cured_grid_is_predicted (grid) ? g_strdup_printf (_ ("predicted %s"), figure)
                                        : g_steal_pointer (&figure);
}

/* Transform of an SVG group whose unit is a cell, counted from the top. */
static char *
describe_place (const CuredGrid *grid, const CuredPlotGeometry *geometry)
{
  const CuredRect *plot = &geometry->plot;
  const double numbers[] = { plot->x, plot->y, plot->width / (double) grid->nx,
                             plot->height / (double) grid->ny };
  char texts[4][G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_ascii_formatd (texts[i], sizeof texts[i], "%.4f", numbers[i]);
  return g_strdup_printf ("translate(%s %s) scale(%s %s)", texts[0], texts[1], texts[2], texts[3]);
}

static CuredPageView *
view_new (CuredResult *result, const CuredView *view, gboolean has_slices, GError **error)
{
  CuredPageView *self = g_new0 (CuredPageView, 1);
  g_autofree char *slice = has_slices ? _cured_export_describe_slice (result, view) : NULL;
  CuredPlotGeometry geometry;
  CuredPlotScale scale;
  CuredPlotStyle style;

  self->grid = cured_grid_new (result, view);
  const char *metric = _ (self->grid->metric.title);
  const char *origin = _ (cured_origin_to_string (self->grid->metric.origin));
  self->label = slice != NULL ? g_strdup_printf ("%s (%s) · %s", metric, origin, slice)
                              : g_strdup_printf ("%s (%s)", metric, origin);
  _cured_plot_scale_init_grid (&scale, self->grid);
  g_autofree char *multiple = _cured_plot_multiple_text (self->grid);
  self->title = cured_grid_is_relative (self->grid) ? g_strdup_printf ("%s (%s)", metric, multiple)
                : *scale.unit != '\0' && !cured_grid_is_named (self->grid)
                    ? g_strdup_printf ("%s (%s)", metric, scale.unit)
                    : g_strdup (metric);
  _cured_plot_measure_grid (self->grid, &self->width, &self->height);
  for (gsize dark = 0; dark < G_N_ELEMENTS (self->svgs); dark++)
    {
      cured_plot_style_init (&style, dark == 1);
      style.vector = TRUE;
      style.draw_background = FALSE;
      self->svgs[dark] = _cured_export_draw_svg (_cured_plot_draw_grid, self->grid, &style,
                                                 self->width, self->height, error);
      if (self->svgs[dark] == NULL)
        {
          view_free (self);
          return NULL;
        }
    }
  cured_plot_geometry_init (&geometry, self->grid, &style, self->width, self->height);
  self->place = describe_place (self->grid, &geometry);
  return self;
}

/* FALSE if the size limit is reached, or it can't be drawn. */
static gboolean
add_view (GPtrArray *views, CuredResult *result, const CuredView *view, gboolean has_slices,
          gsize *n_bytes, GError **error)
{
  const CuredPageView *first = views->len > 0 ? views->pdata[0] : NULL;

  /* All views have equally many cells; do not draw one that can't fit. */
  if (first != NULL && *n_bytes + CELL_BYTES * first->grid->nx * first->grid->ny > MAX_VIEW_BYTES)
    return FALSE;
  CuredPageView *one = view_new (result, view, has_slices, error);
  if (one == NULL)
    return FALSE;
  *n_bytes += one->svgs[0]->len + one->svgs[1]->len + CELL_BYTES * one->grid->nx * one->grid->ny;
  if (views->len > 0 && *n_bytes > MAX_VIEW_BYTES)
    {
      view_free (one);
      return FALSE;
    }
  g_ptr_array_add (views, one);
  return TRUE;
}

/* Metrics in the order that readers want; those without values are left out. */
static const char *const shown[] = {
  "time",           "time_hot",       "time_spread", "bandwidth",
  "flop_rate",      "predicted_time", "wavefronts",  "excess_wavefronts",
  "global_sectors", "instructions",   "occupancy",   "limiter",
};

/* Indices of metrics, @first before all others. */
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

/* Moves @view to the slice of @cell. FALSE if it is there already. */
static gboolean
go_to (CuredView *view, CuredResult *result, gint64 cell, GHashTable *seen)
{
  cured_result_get_positions (result, cell, view->positions);
  if (view->x_axis != CURED_AXIS_NONE)
    view->positions[view->x_axis] = 0;
  if (view->y_axis != CURED_AXIS_NONE)
    view->positions[view->y_axis] = 0;
  gint64 first = cured_result_get_cell (result, view->positions);
  return g_hash_table_add (seen, g_memdup2 (&first, sizeof first));
}

/* (transfer full) (nullable): the exported view; its slice of other metrics; its metric in other
 * slices. */
static GPtrArray *
make_views (CuredResult *result, const CuredView *view, GError **error)
{
  g_autoptr (GPtrArray) views = g_ptr_array_new_with_free_func (view_free);
  g_autoptr (GArray) metrics = choose_metrics (result, view->metric);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_auto (CuredView) other = { 0 };
  gboolean has_slices = FALSE, goes_on = TRUE;
  gsize n_bytes = 0;

  /* The best over the other parameters covers all slices. */
  for (gsize i = 0; i < n_axes && !view->best_over; i++)
    has_slices |=
        i != view->x_axis && i != view->y_axis && cured_axis_get_length (axes[i].values) > 1;
  cured_view_copy (view, result, &other);
  if (!add_view (views, result, view, has_slices, &n_bytes, error))
    return NULL;
  for (guint i = 1; goes_on && i < metrics->len; i++)
    {
      other.metric = g_array_index (metrics, gsize, i);
      if (!cured_result_load_column (result, other.metric, NULL, error))
        return NULL;
      other.logarithmic = cured_view_suggests_logarithm (&other, result);
      other.relative = cured_view_suggests_relative (&other, result);
      goes_on = add_view (views, result, &other, has_slices, &n_bytes, NULL);
    }
  other.metric = view->metric;
  other.logarithmic = view->logarithmic;
  other.relative = view->relative;
  go_to (&other, result, cured_result_get_cell (result, view->positions), seen);
  for (gint64 cell = cured_result_next_cell (result, 0); goes_on && has_slices && cell >= 0;
       cell = cured_result_next_cell (result, cell + 1))
    if (go_to (&other, result, cell, seen))
      goes_on = add_view (views, result, &other, has_slices, &n_bytes, NULL);
  return g_steal_pointer (&views);
}

/* ---- The picture ---- */

static void
append_image (GString *page, const CuredPageView *view, gsize dark)
{
  g_autofree char *base64 =
      g_base64_encode ((const guchar *) view->svgs[dark]->str, view->svgs[dark]->len);

  g_string_append_printf (page,
                          "<image class=\"%s\" width=\"%.0f\" height=\"%.0f\" "
                          "href=\"data:image/svg+xml;base64,%s\"/>\n",
                          dark ? "dark" : "light", view->width, view->height, base64);
}

/* Position and value of a cell, which a browser shows at the pointer. */
static void
append_cell (GString *page, CuredResult *result, const CuredView *view, const CuredGrid *grid,
             gsize index)
{
  g_autofree char *where = _cured_export_describe_cell (result, view, grid->cells[index]);
  g_autofree char *value = describe_value (grid, index);
  g_autofree char *text =
      *where != '\0' ? g_strdup_printf ("%s: %s", where, value) : g_strdup (value);

  g_string_append_printf (page,
                          "<rect class=\"cell\" data-i=\"%zu\" x=\"%zu\" y=\"%zu\" width=\"1\" "
                          "height=\"1\"><title>",
                          index, index % grid->nx, grid->ny - 1 - index / grid->nx);
  _cured_page_append_text (page, text);
  g_string_append (page, "</title></rect>\n");
}

/* The drawing, light and dark, and above it an element for each cell that was run. */
static void
append_picture (GString *page, CuredResult *result, const CuredView *of, const CuredPageView *view)
{
  const CuredGrid *grid = view->grid;

  g_string_append_printf (page,
                          "<div class=\"scroll\" id=\"picture\">\n"
                          "<svg class=\"map\" role=\"img\" aria-labelledby=\"map-title\" "
                          "viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n",
                          view->width, view->height, view->width, view->height);
  _cured_page_append_element (page, "title id=\"map-title\"", _ (grid->metric.title));
  for (gsize dark = 0; dark < 2; dark++)
    append_image (page, view, dark);
  g_string_append_printf (page, "<g class=\"cells\" transform=\"%s\">\n", view->place);
  for (gsize i = 0; i < grid->nx * grid->ny; i++)
    if (grid->states[i] != CURED_STATE_NOT_RUN)
      append_cell (page, result, of, grid, i);
  g_string_append (page, "</g>\n</svg>\n</div>\n");
}

/* ---- The table ---- */

/* Indices of metrics with values, and of those of the views. */
static GArray *
list_columns (CuredResult *result, const CuredGrid *grid, GError **error)
{
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize n_metrics;
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);

  for (gsize i = 0; i < n_metrics; i++)
    {
      if (!cured_result_has_values (result, i) && !g_str_equal (metrics[i].id, grid->metric.id))
        continue;
      if (!cured_result_load_column (result, i, NULL, error))
        return NULL;
      g_array_append_val (columns, i);
    }
  return g_steal_pointer (&columns);
}

/* The table's head. The script also shows a row as a cell's card, labelled by these heads. */
static void
append_head (GString *page, CuredResult *result, GArray *columns)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, NULL);

  g_string_append (page, "<thead><tr>");
  for (gsize i = 0; i < n_axes; i++)
    if (cured_axis_get_length (axes[i].values) > 1)
      _cured_page_append_element (page, "th scope=\"col\" class=\"axis\"", axes[i].name);
  _cured_page_append_element (page, "th scope=\"col\"", _ ("State"));
  for (guint i = 0; i < columns->len; i++)
    {
      const CuredMetricInfo *info = &metrics[g_array_index (columns, gsize, i)];
      const char *formula = cured_metric_get_formula (info->id);

      g_string_append (page, "<th scope=\"col\" data-metric=\"");
      _cured_page_append_text (page, info->id);
      g_string_append (page, "\" data-origin=\"");
      _cured_page_append_text (page, _ (cured_origin_to_string (info->origin)));
      g_string_append (page, "\" title=\"");
      _cured_page_append_text (page, _ (info->description));
      _cured_page_append_text (page, formula != NULL ? ": " : "");
      _cured_page_append_text (page, formula != NULL ? _ (formula) : "");
      g_string_append (page, "\">");
      _cured_page_append_text (page, _ (info->title));
      g_string_append (page, "</th>\n");
    }
  _cured_page_append_element (page, "th scope=\"col\" data-metric=\"\"", _ ("× the best"));
  g_string_append (page, "</tr></thead>\n");
}

/* The best value of the map, or of the cell's problem. */
static double
get_best_of (const CuredGrid *grid, CuredResult *result, const gsize *positions)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  const char *name = grid->is_problem_x ? grid->x_title : grid->y_title;
  gssize best = grid->best;

  for (gsize i = 0; grid->bests != NULL && i < n_axes; i++)
    {
      gint64 value = cured_axis_get_value (axes[i].values, positions[i]);
      gsize at;

      /* A sparse map lacks some. */
      if (g_str_equal (axes[i].name, name))
        best = cured_axis_find (grid->is_problem_x ? grid->x_values : grid->y_values, value, &at)
                   ? grid->bests[at]
                   : -1;
    }
  return best >= 0 ? cured_grid_get_raw (grid, (gsize) best) : NAN;
}

static void
append_row (GString *page, CuredResult *result, GArray *columns, const CuredGrid *grid, gint64 cell)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, MAX (n_axes, 1));
  g_autofree char *multiple = NULL;
  gsize metric = 0;

  cured_result_get_positions (result, cell, positions);
  g_string_append_printf (page, "<tr data-cell=\"%" PRId64 "\">", cell);
  for (gsize i = 0; i < n_axes; i++)
    {
      if (cured_axis_get_length (axes[i].values) <= 1)
        continue;
      g_autofree char *value = cured_axis_format_value (axes[i].values, positions[i]);
      _cured_page_append_element (page, "th scope=\"row\"", value);
    }
  _cured_page_append_element (page, "td",
                              cured_state_get_title (cured_result_get_state (result, cell)));
  for (guint i = 0; i < columns->len; i++)
    {
      g_autofree char *value =
          cured_result_format_value (result, cell, g_array_index (columns, gsize, i));

      _cured_page_append_element (page, "td", value);
    }
  if (grid->best >= 0 && cured_result_find_metric (result, grid->metric.id, &metric))
    {
      double value = cured_result_get_value (result, cell, metric);
      double best = get_best_of (grid, result, positions);

      if (isfinite (value) && value > 0 && best > 0)
        multiple = cured_format_multiple (grid->metric.better == CURED_BETTER_LOWER ? value / best
                                                                                    : best / value,
                                          cured_grid_is_predicted (grid) ? 2 : 3);
    }
  _cured_page_append_element (page, "td", multiple);
  g_string_append (page, "</tr>\n");
}

/* A row for every cell that was run, with all its figures. */
static gboolean
append_cells (GString *page, CuredResult *result, const CuredGrid *grid, GError **error)
{
  g_autoptr (GArray) columns = list_columns (result, grid, error);

  if (columns == NULL)
    return FALSE;
  g_string_append (page, "<section class=\"card\" aria-labelledby=\"cells\">\n<details>\n"
                         "<summary><h2 id=\"cells\">");
  _cured_page_append_text (page, _ ("All cells as a table"));
  g_string_append (page, "</h2></summary>\n<div class=\"scroll\"><table id=\"all\">\n");
  append_head (page, result, columns);
  g_string_append (page, "<tbody>\n");
  CURED_EACH_CELL (result, cell)
    append_row (page, result, columns, grid, cell);
  g_string_append (page, "</tbody></table></div>\n</details>\n</section>\n");
  return TRUE;
}

/* ---- Origin ---- */

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

      if (!cured_limits_get (&device->limits, limits[i].name, &value) || value == 0 ||
          g_str_equal (limits[i].name, "emulated"))
        continue;
      g_autofree char *text = cured_format_quantity ((double) value, limits[i].unit);
      append_fact (page, _ (limits[i].meaning), text);
    }
  g_string_append (page, "</table>\n</details>\n</section>\n");
}

/* The kernel, device, time and method of the run, and the chip's limits. */
static void
append_provenance (GString *page, CuredResult *result)
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

/* The cell whose source and banks are shown: the best visible one. */
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
  if (cured_result_get_remark (result, CURED_REMARK_OF_FILE) != NULL)
    _cured_page_append_element (page, "p class=\"remark\"",
                                cured_result_get_remark (result, CURED_REMARK_OF_FILE));
  g_string_append (page, "</header>\n");
}

static void
append_figure (GString *page, CuredResult *result, const CuredView *of, const CuredPageView *view)
{
  const CuredGrid *grid = view->grid;
  const char *origin = cured_origin_to_string (grid->metric.origin);

  g_string_append (page, "<div id=\"view\">\n<section class=\"card\" id=\"map\" "
                         "aria-labelledby=\"map-heading\">\n<h2 id=\"map-heading\">");
  _cured_page_append_text (page, view->title);
  g_string_append_printf (page, " <span class=\"origin-%s\">%s</span></h2>\n", origin, _ (origin));
  _cured_page_append_element (page, "p class=\"note\"", _ (grid->metric.description));
  append_picture (page, result, of, view);
  g_string_append (page, "</section>\n</div>\n");
}

gboolean
_cured_page_write_map (CuredResult *result, const CuredView *view,
                       const CuredExportOptions *options, GOutputStream *stream,
                       GCancellable *cancellable, GError **error)
{
  g_autoptr (GString) page = g_string_new (NULL), data = g_string_new (NULL);
  g_autoptr (GHashTable) sentences =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  g_autofree char *title = _cured_export_describe_title (result);
  CuredPageParts parts = { .script = TRUE };

  if (cured_result_get_n_cells (result) - cured_result_count_state (result, CURED_STATE_NOT_RUN) >
      MAX_CELLS)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("a web page holds at most %d cells; export a table, such as csv"),
                       MAX_CELLS);
  if (!cured_result_load_column (result, view->metric, cancellable, error))
    return FALSE;
  _cured_page_explain (result, sentences);
  g_autoptr (GPtrArray) views = make_views (result, view, error);
  if (views == NULL || !_cured_page_append_data (data, result, views, sentences, error))
    return FALSE;
  const CuredGrid *grid = ((CuredPageView *) views->pdata[0])->grid;
  _cured_page_begin (page, title, options->dark);
  append_header (page, result, view);
  append_figure (page, result, view, views->pdata[0]);
  if (!append_cells (page, result, grid, error))
    return FALSE;
  _cured_page_append_source (page, result, choose_cell (result, grid), cancellable);
  append_provenance (page, result);
  parts.data = data->str;
  _cured_page_end (page, &parts);
  return _cured_page_write (page, stream, cancellable, error);
}
