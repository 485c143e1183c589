/* SPDX-License-Identifier: MIT
 * One metric of a result against another: a point for each cell. */
#include "plot/map/cured-map-charts-private.h"

#include "base/cured-base-internal.h"

/* Margins of the plot, in lines of text. */
#define LEFT_LINES   5.0
#define TOP_LINES    1.8
#define RIGHT_LINES  1.5
#define BOTTOM_LINES 2.8

#define WIDTH       640.0
#define HEIGHT      420.0
#define LEAST_WIDTH 240.0

#define RADIUS 3.5

/* Greatest distance at which a point is picked. */
#define REACH 10.0

/* From this ratio of the ends, an axis is logarithmic. */
#define WIDE 20.0

/* Points that the Page Up and Page Down keys move. */
#define PAGE 10

typedef struct
{
  double x, y;
  gint64 cell;
} Point;

typedef struct
{
  CuredMapChart base;
  CuredResult *result;
  GArray *points; /* of Point, by x */
  CuredMapScale x, y;
  gssize best; /* -1: none */
} Scatter;

CURED_COMPARE_FUNC (Point, compare_points, x, y)

/* Position of @value on the axis, from 0 to 1. */
double
_cured_map_scale_get_share (const CuredMapScale *self, double value)
{
  if (!(self->high > self->low))
    return 0.5;
  return self->is_logarithmic ? log (value / self->low) / log (self->high / self->low)
                              : (value - self->low) / (self->high - self->low);
}

/* @bottom_lines: lines of text below the plot */
void
_cured_map_chart_get_plot (const CuredChartShown *shown, double bottom_lines, CuredRect *plot,
                           double *line)
{
  *line = ceil (_cured_plot_text_get_line_height (_cured_plot_text_for (shown->style)));
  *plot = (CuredRect){
    .x = LEFT_LINES * *line,
    .y = TOP_LINES * *line,
    .width = MAX (shown->width - (LEFT_LINES + RIGHT_LINES) * *line, 1),
    .height = MAX (shown->height - (TOP_LINES + bottom_lines) * *line, 1),
  };
}

static void
get_place (const Scatter *self, const CuredRect *plot, const Point *point, double *x, double *y)
{
  *x = plot->x + plot->width * _cured_map_scale_get_share (&self->x, point->x);
  *y = plot->y + plot->height * (1 - _cured_map_scale_get_share (&self->y, point->y));
}

static gsize
get_ticks (const CuredMapScale *self, double room, double ticks[CURED_PLOT_MAX_TICKS])
{
  double step;

  if (!(self->high > self->low))
    {
      ticks[0] = self->low;
      return 1;
    }
  return self->is_logarithmic
             ? _cured_plot_ticks_logarithmic (self->low, self->high, (gsize) MAX (room, 2), ticks)
             : _cured_plot_ticks_linear (self->low, self->high, (gsize) MAX (room, 2), ticks,
                                         &step);
}

/* The frame, and the axis on its left. */
void
_cured_map_scale_draw (const CuredMapScale *self, cairo_t *cr, const CuredPlotStyle *style,
                       CuredPlotText *text, const CuredRect *plot, double line)
{
  double ticks[CURED_PLOT_MAX_TICKS];
  gsize n = get_ticks (self, plot->height / (3 * line), ticks);

  _cured_plot_add_rect (cr, plot);
  _cured_plot_stroke (cr, style->dim, 0.6, 1);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *label = cured_format_quantity (ticks[i], self->unit);
      double y =
          round (plot->y + plot->height * (1 - _cured_map_scale_get_share (self, ticks[i]))) + 0.5;

      _cured_plot_add_line (cr, plot->x - 3, y, plot->x + plot->width, y);
      _cured_plot_stroke (cr, style->dim, 0.3, 1);
      _cured_plot_text_paint (text, cr, style->dim, label, CURED_ALIGN_END, plot->x - 6,
                              y - line / 2, plot->x);
    }
}

static void
draw_axes (const Scatter *self, cairo_t *cr, const CuredPlotStyle *style, CuredPlotText *text,
           const CuredRect *plot, double line)
{
  double ticks[CURED_PLOT_MAX_TICKS];
  double bottom = plot->y + plot->height;
  gsize n = get_ticks (&self->x, plot->width / (6 * line), ticks);

  _cured_map_scale_draw (&self->y, cr, style, text, plot, line);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *label = cured_format_quantity (ticks[i], self->x.unit);
      double x =
          round (plot->x + plot->width * _cured_map_scale_get_share (&self->x, ticks[i])) + 0.5;

      _cured_plot_add_line (cr, x, plot->y, x, bottom + 3);
      _cured_plot_stroke (cr, style->dim, 0.3, 1);
      _cured_plot_text_paint (text, cr, style->dim, label, CURED_ALIGN_CENTRE, x, bottom + 4,
                              8 * line);
    }
  _cured_plot_text_paint (text, cr, style->foreground, self->y.title, CURED_ALIGN_START, plot->x, 2,
                          plot->width);
  _cured_plot_text_paint (text, cr, style->foreground, self->x.title, CURED_ALIGN_CENTRE,
                          plot->x + plot->width / 2, bottom + line + 8, plot->width);
}

static void
scatter_measure (const CuredChart *chart, const CuredPlotStyle *style, double for_width,
                 double *least_width, double *width, double *height)
{
  *least_width = LEAST_WIDTH;
  *width = WIDTH;
  *height = HEIGHT;
}

static void
scatter_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown)
{
  const Scatter *self = (const Scatter *) chart;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  CuredRect plot;
  double line, x, y;

  _cured_map_chart_get_plot (shown, BOTTOM_LINES, &plot, &line);
  _cured_plot_text_begin (text, cr, shown->style, 1);
  draw_axes (self, cr, shown->style, text, &plot, line);
  for (guint i = 0; i < self->points->len; i++)
    {
      gboolean is_marked = (gssize) i == shown->item || (gssize) i == shown->hovered;

      get_place (self, &plot, &g_array_index (self->points, Point, i), &x, &y);
      cairo_new_path (cr);
      cairo_arc (cr, x, y, RADIUS, 0, 2 * G_PI);
      _cured_plot_fill (cr, shown->style->accent, 0.6);
      if (!is_marked)
        continue;
      cairo_new_path (cr);
      cairo_arc (cr, x, y, RADIUS + 4, 0, 2 * G_PI);
      _cured_plot_stroke (cr, shown->style->foreground, 1, (gssize) i == shown->item ? 2 : 1);
    }
  if (self->best < 0)
    return;
  get_place (self, &plot, &g_array_index (self->points, Point, self->best), &x, &y);
  _cured_plot_draw_star (cr, shown->style, x, y, 2 * RADIUS);
}

static gssize
scatter_pick (const CuredChart *chart, const CuredChartShown *shown, double x, double y)
{
  const Scatter *self = (const Scatter *) chart;
  double nearest = REACH;
  gssize item = -1;
  CuredRect plot;
  double line;

  _cured_map_chart_get_plot (shown, BOTTOM_LINES, &plot, &line);
  for (guint i = 0; i < self->points->len; i++)
    {
      double at_x, at_y;

      get_place (self, &plot, &g_array_index (self->points, Point, i), &at_x, &at_y);
      if (hypot (at_x - x, at_y - y) > nearest)
        continue;
      nearest = hypot (at_x - x, at_y - y);
      item = (gssize) i;
    }
  return item;
}

static void
scatter_locate (const CuredChart *chart, const CuredChartShown *shown, gsize item, CuredRect *rect)
{
  const Scatter *self = (const Scatter *) chart;
  CuredRect plot;
  double line, x, y;

  _cured_map_chart_get_plot (shown, BOTTOM_LINES, &plot, &line);
  get_place (self, &plot, &g_array_index (self->points, Point, item), &x, &y);
  *rect = (CuredRect){ x - REACH, y - REACH, 2 * REACH, 2 * REACH };
}

gssize
_cured_map_chart_move (const CuredChart *chart, gssize item, int columns, int rows, int pages)
{
  return CLAMP (item + columns + rows + PAGE * pages, 0, (gssize) chart->n_items - 1);
}

/* (transfer full): the parameters that vary */
char *
_cured_map_chart_name_cell (CuredResult *result, gint64 cell)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  GString *text = g_string_new (NULL);

  cured_result_get_positions (result, cell, positions);
  for (gsize i = 0; i < n_axes; i++)
    {
      g_autofree char *value = cured_axis_format_value (axes[i].values, positions[i]);

      if (cured_axis_get_length (axes[i].values) > 1)
        g_string_append_printf (text, "%s%s\u00a0%s", text->len > 0 ? ", " : "", axes[i].name,
                                value);
    }
  return g_string_free (text, FALSE);
}

static char *
scatter_describe (const CuredChart *chart, gssize item, gssize step)
{
  const Scatter *self = (const Scatter *) chart;

  if (item < 0 || item >= (gssize) self->points->len)
    /* Translators: the names of two figures, of which one is drawn over the other. */
    return g_strdup_printf (_ ("%s against %s"), self->y.title, self->x.title);
  const Point *point = &g_array_index (self->points, Point, item);
  g_autofree char *x = cured_format_quantity (point->x, self->x.unit);
  g_autofree char *y = cured_format_quantity (point->y, self->y.unit);
  g_autofree char *name = _cured_map_chart_name_cell (self->result, point->cell);
  return g_strdup_printf ("%s: %s %s, %s %s", name, self->y.title, y, self->x.title, x);
}

CURED_FREE_FUNC (Scatter, scatter_free, points, g_array_unref, result, g_object_unref, x.title,
                 g_free, y.title, g_free)

static gint64
scatter_get_cell (const CuredChart *chart, gsize item)
{
  return g_array_index (((const Scatter *) chart)->points, Point, item).cell;
}

static const CuredMapChartClass scatter_class = {
  .chart = {
    .measure = scatter_measure,
    .draw = scatter_draw,
    .pick = scatter_pick,
    .locate = scatter_locate,
    .move = _cured_map_chart_move,
    .describe = scatter_describe,
    .free = scatter_free,
  },
  .get_cell = scatter_get_cell,
};

static void
scale_init (CuredMapScale *self, CuredResult *result, gsize metric)
{
  const CuredMetricInfo *info = &cured_result_get_metrics (result, NULL)[metric];

  *self = (CuredMapScale){ .title = cured_grid_name_metric (result, info),
                           .unit = info->unit,
                           .low = INFINITY,
                           .high = -INFINITY };
}

/* @share: of the axis, added at each end; never goes below 0 if all values are above */
void
_cured_map_scale_add_margin (CuredMapScale *self, double share)
{
  double margin = share * (self->high - self->low);

  self->low = self->low >= 0 ? MAX (self->low - margin, 0) : self->low - margin;
  self->high += margin;
}

/* With a margin, so that no point is on the frame. */
static void
scale_finish (CuredMapScale *self)
{
  self->is_logarithmic = self->low > 0 && self->high > WIDE * self->low;
  if (self->is_logarithmic)
    {
      self->low /= 1.1;
      self->high *= 1.1;
    }
  else if (self->high > self->low)
    _cured_map_scale_add_margin (self, 0.04);
}

/* @result: its cells become points
 * @view: its metric is on the vertical axis
 * @metric: index of the metric on the horizontal axis
 *
 * Items are the cells that have both metrics, from left to right. An axis that spans more than a
 * decade or so is logarithmic.
 * Returns: (transfer full): a scatter plot; free with cured_chart_free() */
CuredChart *
cured_scatter_new (CuredResult *result, const CuredView *view, gsize metric)
{
  Scatter *self = g_new0 (Scatter, 1);
  const CuredMetricInfo *info = &cured_result_get_metrics (result, NULL)[view->metric];
  gboolean has_best = cured_metric_get_scope (info) != CURED_SCOPE_NONE;

  scale_init (&self->x, result, metric);
  scale_init (&self->y, result, view->metric);
  self->points = g_array_new (FALSE, FALSE, sizeof (Point));
  self->result = g_object_ref (result);
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    {
      Point point = {
        .x = cured_result_get_value (result, cell, metric),
        .y = cured_result_get_value (result, cell, view->metric),
        .cell = cell,
      };

      if (!isfinite (point.x) || !isfinite (point.y) ||
          cured_result_get_state (result, cell) != CURED_STATE_OK)
        continue;
      self->x.low = MIN (self->x.low, point.x);
      self->x.high = MAX (self->x.high, point.x);
      self->y.low = MIN (self->y.low, point.y);
      self->y.high = MAX (self->y.high, point.y);
      g_array_append_val (self->points, point);
    }
  g_array_sort (self->points, compare_points);
  self->best = -1;
  for (guint i = 0; has_best && i < self->points->len; i++)
    {
      double y = g_array_index (self->points, Point, i).y;

      if (y == (info->better == CURED_BETTER_LOWER ? self->y.low : self->y.high))
        self->best = (gssize) i;
    }
  if (info->better == CURED_BETTER_NEITHER)
    self->best = -1;
  if (self->points->len == 0)
    self->x.low = self->x.high = self->y.low = self->y.high = 0;
  scale_finish (&self->x);
  scale_finish (&self->y);
  self->base.chart.klass = &scatter_class.chart;
  self->base.chart.n_items = self->points->len;
  return &self->base.chart;
}

/* @chart: from cured_scatter_new() or cured_multiples_new()
 * @item: an item of the chart
 * Returns: the result's cell of the item; for a map, the best one, or the first */
gint64
cured_map_chart_get_cell (const CuredChart *chart, gsize item)
{
  g_return_val_if_fail (item < chart->n_items, -1);

  return ((const CuredMapChartClass *) chart->klass)->get_cell (chart, item);
}

/* @chart: as for cured_map_chart_get_cell()
 * @cell: a cell of its result
 * Returns: the item of the cell; -1: none */
gssize
cured_map_chart_find_item (const CuredChart *chart, gint64 cell)
{
  for (gsize i = 0; i < chart->n_items; i++)
    if (cured_map_chart_get_cell (chart, i) == cell)
      return (gssize) i;
  return -1;
}
