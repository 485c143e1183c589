/* SPDX-License-Identifier: MIT
 * A heat map as a drawing: the visible slice, and the table of all cells. */
#include "config.h"

#include "base/cured-base-internal.h"
#include "explain/cured-explain-cell.h"
#include "plot/export/cured-drawing-internal.h"
#include "plot/export/cured-export-private.h"
#include "plot/export/cured-page-private.h"
#include "plot/map/cured-map-plot-private.h"
#include "store/cured-remarks.h"
#include "store/cured-table-internal.h"

typedef struct
{
  CuredGrid *grid;
  char *path;              /* of the result file */
  CuredLimiters *limiters; /* nullable: not requested */
  CuredView view;          /* view of the file at @path, without the other result */
  gsize n_axes;            /* number of axes of that result */
  char **columns;          /* (nullable): metrics of the table */
  char *lines[3];          /* origin and slice, if any; NULL-terminated */
} Map;

static void
map_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width, double height)
{
  const Map *self = data;

  _cured_plot_draw_grid (self->grid, cr, style, width, height);
}

/* A result belongs to one thread, and a sweep may be writing to its file: so this reads the file
 * again, with all cells finished by now. */
static CuredResult *
load (const Map *self, GCancellable *cancellable, GError **error)
{
  CuredResult *result = cured_result_load (self->path, cancellable, error);

  if (result != NULL && self->limiters != NULL)
    cured_limiters_show (self->limiters, result);
  return result;
}

static gboolean
map_write_csv (gconstpointer data, GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  const Map *self = data;
  g_autoptr (CuredResult) result = load (self, cancellable, error);

  return result != NULL && cured_table_write_csv (result, (const char *const *) self->columns,
                                                  stream, cancellable, error);
}

static gboolean
map_write_json (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                GError **error)
{
  const Map *self = data;
  g_autoptr (CuredResult) result = load (self, cancellable, error);

  return result != NULL && cured_table_write_json (result, (const char *const *) self->columns,
                                                   stream, cancellable, error);
}

static char *
map_get_markup (gconstpointer data, CuredMarkup markup)
{
  const Map *self = data;

  return markup == CURED_MARKUP_PGFPLOTS
             ? _cured_export_grid_to_pgfplots (self->grid)
             : _cured_export_grid_to_markup (self->grid, (const char *const *) self->lines, markup);
}

/* The file may have been replaced. */
static gboolean
is_view_of (const Map *self, CuredResult *result)
{
  gsize n_axes, n_metrics;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);

  cured_result_get_metrics (result, &n_metrics);
  if (n_axes != self->n_axes || self->view.metric >= n_metrics)
    return FALSE;
  for (gsize i = 0; i < n_axes; i++)
    if (self->view.positions[i] >= cured_axis_get_length (axes[i].values))
      return FALSE;
  return TRUE;
}

static gboolean
map_write_page (gconstpointer data, const CuredExportOptions *options, GOutputStream *stream,
                GCancellable *cancellable, GError **error)
{
  const Map *self = data;
  g_autoptr (CuredResult) result = load (self, cancellable, error);
  g_auto (CuredView) view = { 0 };

  if (result == NULL)
    return FALSE;
  if (is_view_of (self, result))
    cured_view_copy (&self->view, result, &view);
  else
    cured_view_init (&view, result);
  return _cured_page_write_map (result, &view, options, stream, cancellable, error);
}

static void
map_free (gpointer data)
{
  Map *self = data;

  CURED_CLEAR (grid, cured_grid_free, path, g_free, columns, g_strfreev, limiters,
               cured_limiters_free);
  cured_view_clear (&self->view);
  for (gsize i = 0; i < G_N_ELEMENTS (self->lines); i++)
    g_free (self->lines[i]);
  g_free (self);
}

static const CuredDrawingClass map_class = {
  .draw = map_draw,
  .write_csv = map_write_csv,
  .write_json = map_write_json,
  .get_markup = map_get_markup,
  .write_page = map_write_page,
  .free = map_free,
};

/* Without a table, since one result's file does not contain both results. */
static const CuredDrawingClass ratio_class = {
  .draw = map_draw,
  .free = map_free,
};

static char *
make_footnote (const CuredGrid *grid)
{
  const char *origin;

  switch (grid->metric.origin)
    {
    case CURED_ORIGIN_MEASURED: origin = _ ("measured on the device"); break;
    case CURED_ORIGIN_COUNTED: origin = _ ("counted"); break;
    case CURED_ORIGIN_PREDICTED: origin = _ ("predicted by a model"); break;
    case CURED_ORIGIN_DERIVED:
    default: origin = _ ("derived from measured metrics"); break;
    }
  return g_strdup_printf ("%s: %s; %s. Cured\u00a0%s", _ (grid->metric.title),
                          _ (grid->metric.description), origin, CURED_VERSION);
}

/* @view: the slice that the picture shows; the table has the whole file
 *
 * The thread that owns @result may continue to use it. A drawing of ratios has no table.
 * Returns: (transfer full): a heat map or a line */
CuredDrawing *
cured_drawing_new_map (CuredResult *result, const CuredView *view)
{
  g_autofree char *base = g_filename_display_basename (cured_result_get_path (result));
  g_autofree char *title = _cured_export_describe_title (result);
  g_autofree char *origin = _cured_export_describe_origin (result);
  g_autofree char *slice = _cured_export_describe_slice (result, view);
  Map *map = g_new0 (Map, 1);
  double width, height;

  map->grid = cured_grid_new (result, view);
  map->limiters = cured_limiters_new_from (result);
  map->path = g_strdup (cured_result_get_path (result));
  cured_view_copy (view, result, &map->view);
  cured_result_get_axes (result, &map->n_axes);
  g_clear_object (&map->view.other);
  map->view.contour = NULL;
  map->columns = g_strdupv ((char **) view->columns);
  map->view.columns = NULL;
  map->lines[0] = g_strdup (origin);
  map->lines[1] = *slice != '\0' ? g_strdup (slice) : NULL;
  _cured_plot_measure_grid (map->grid, &width, &height);
  if (g_str_has_suffix (base, ".cured"))
    base[strlen (base) - strlen (".cured")] = '\0';
  g_autofree char *footnote = make_footnote (map->grid);
  CuredDrawing *self = cured_drawing_new (
      cured_grid_is_ratio (map->grid) ? &ratio_class : &map_class, map, base, width, height);
  cured_drawing_set_caption (self, title, origin, *slice != '\0' ? slice : NULL, footnote);
  cured_drawing_set_note (self, cured_result_get_remark (result, CURED_REMARK_OF_FILE));
  return self;
}

/* @result: the chart's result
 * @chart: (transfer full): from cured_multiples_new() or cured_scatter_new()
 * @item: the marked item; -1: none
 * Returns: (transfer full): a drawing without a table */
CuredDrawing *
cured_drawing_new_map_chart (CuredResult *result, CuredChart *chart, gssize item)
{
  g_autofree char *base = g_filename_display_basename (cured_result_get_path (result));
  g_autofree char *title = _cured_export_describe_title (result);
  g_autofree char *origin = _cured_export_describe_origin (result);
  g_autofree char *what = chart->klass->describe (chart, -1, -1);

  if (g_str_has_suffix (base, ".cured"))
    base[strlen (base) - strlen (".cured")] = '\0';
  CuredDrawing *self = cured_drawing_new_chart (chart, item, base);
  cured_drawing_set_caption (self, title, origin, what, NULL);
  cured_drawing_set_note (self, cured_result_get_remark (result, CURED_REMARK_OF_FILE));
  return self;
}
