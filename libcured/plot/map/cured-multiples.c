/* SPDX-License-Identifier: MIT
 * A map for each value of a parameter, all with one scale. */
#include "plot/map/cured-map-charts-private.h"

#include "base/cured-base-internal.h"
#include "plot/map/cured-grid-internal.h"

/* Natural size of a map. */
#define MAP_WIDTH   230.0
#define MAP_HEIGHT  150.0
#define LEAST_WIDTH 240.0

#define GAP 10.0

/* Share of the width for the scale's bar. */
#define BAR_SHARE 0.3
#define BAR_STEPS 64

typedef struct
{
  CuredGrid *grid;
  char *name;
  gint64 cell; /* the best cell, or the first one */
  double best; /* NaN: no best */
} Panel;

typedef struct
{
  CuredMapChart base;
  GArray *panels; /* of Panel */
  char *title;    /* title of the metric */
  double low;     /* range of all maps; NaN: no values */
  double high;
} Multiples;

static const Panel *
get_panel (const Multiples *self, gsize i)
{
  return &g_array_index (self->panels, Panel, i);
}

CURED_CLEAR_FUNC (Panel, panel_clear, grid, cured_grid_free, name, g_free)

typedef struct
{
  gsize n_columns;
  double width; /* of a map, with its name */
  double height, line;
} Layout;

/* Chooses the number of columns that makes the maps largest. */
static void
layout_init (Layout *self, const Multiples *multiples, const CuredPlotStyle *style, double width,
             double height)
{
  gsize n = MAX (multiples->panels->len, 1);
  double most = -1;

  self->line = ceil (_cured_plot_text_get_line_height (_cured_plot_text_for (style)));
  height = MAX (height - 2.5 * self->line, 1);
  for (gsize columns = 1; columns <= n; columns++)
    {
      gsize rows = (n + columns - 1) / columns;
      double each = (width - GAP * (double) (columns - 1)) / (double) columns;
      double high = (height - GAP * (double) (rows - 1)) / (double) rows;
      double size = MIN (each / MAP_WIDTH, high / MAP_HEIGHT);

      if (size <= most)
        continue;
      most = size;
      self->n_columns = columns;
      self->width = each;
      self->height = high;
    }
}

static void
get_place (const Layout *self, gsize item, CuredRect *rect)
{
  rect->x = (double) (item % self->n_columns) * (self->width + GAP);
  rect->y = (double) (item / self->n_columns) * (self->height + GAP);
  rect->width = self->width;
  rect->height = self->height;
}

static void
multiples_measure (const CuredChart *chart, const CuredPlotStyle *style, double for_width,
                   double *least_width, double *width, double *height)
{
  const Multiples *self = (const Multiples *) chart;
  double line = ceil (_cured_plot_text_get_line_height (_cured_plot_text_for (style)));
  gsize n = MAX (self->panels->len, 1), columns = (gsize) ceil (sqrt ((double) n));

  *least_width = LEAST_WIDTH;
  *width = (MAP_WIDTH + GAP) * (double) columns - GAP;
  *height = (MAP_HEIGHT + GAP) * (double) ((n + columns - 1) / columns) + 2.5 * line;
}

static void
draw_panel (const Multiples *self, cairo_t *cr, const CuredPlotStyle *style, const Layout *layout,
            CuredPlotText *text, const Panel *panel)
{
  g_autoptr (CuredPlotCache) cache = cured_plot_cache_new (panel->grid);
  CuredPlotStyle plain = *style;
  CuredPlotGeometry geometry;

  plain.draw_background = plain.draw_marginals = plain.draw_keys = FALSE;
  cured_plot_geometry_init (&geometry, panel->grid, &plain, layout->width, layout->height);
  geometry.plot.y = layout->line + 4;
  geometry.plot.width = MAX (layout->width - geometry.plot.x - 4, 0);
  geometry.plot.height = MAX (layout->height - geometry.plot.y - 1.5 * layout->line, 0);
  geometry.legend = geometry.keys = (CuredRect){ 0 };
  if (!isnan (self->low))
    {
      /* One unit for all numbers, too. */
      _cured_plot_scale_init (&cache->scale, panel->grid->metric.unit, self->low, self->high);
      cured_plot_cache_set_range (cache, self->low, self->high);
    }
  cured_plot_draw (cr, panel->grid, cache, &geometry, &plain, NULL, NULL);
  _cured_plot_text_paint (text, cr, style->foreground, panel->name, CURED_ALIGN_START,
                          geometry.plot.x, 0, geometry.plot.width);
}

/* The bar's outline; an end is pointed if there are values beyond it. */
static void
add_bar (cairo_t *cr, const CuredRect *bar, gboolean is_less, gboolean is_more)
{
  double left = bar->x + (is_less ? bar->height / 2 : 0);
  double right = bar->x + bar->width - (is_more ? bar->height / 2 : 0);
  double bottom = bar->y + bar->height;

  cairo_move_to (cr, left, bar->y);
  cairo_line_to (cr, right, bar->y);
  if (is_more)
    cairo_line_to (cr, bar->x + bar->width, bar->y + bar->height / 2);
  cairo_line_to (cr, right, bottom);
  cairo_line_to (cr, left, bottom);
  if (is_less)
    cairo_line_to (cr, bar->x, bar->y + bar->height / 2);
  cairo_close_path (cr);
}

/* The metric's name and the scale of colours. */
static void
draw_scale (const Multiples *self, cairo_t *cr, const CuredPlotStyle *style, CuredPlotText *text,
            double line, double width, double top)
{
  CuredGrid shades = *get_panel (self, 0)->grid;
  double x = _cured_plot_text_paint (text, cr, style->foreground, self->title, CURED_ALIGN_START, 0,
                                     top, width / 2) +
             line;

  double least, most;

  shades.low = self->low;
  shades.high = self->high;
  _cured_grid_get_ends (&shades, &least, &most);
  if (isnan (least) || !(most > least) || cured_grid_is_named (&shades))
    return;
  g_autofree char *low = cured_format_quantity (least, shades.metric.unit);
  g_autofree char *high = cured_format_quantity (most, shades.metric.unit);
  double from = cured_grid_get_position (&shades, least);
  double to = cured_grid_get_position (&shades, most);
  x += _cured_plot_text_paint (text, cr, style->dim, low, CURED_ALIGN_START, x, top, width) + 6;
  CuredRect bar = { x, top + 2, width * BAR_SHARE, line - 4 };
  cairo_save (cr);
  add_bar (cr, &bar, least > self->low, most < self->high);
  cairo_clip (cr);
  for (int i = 0; i < BAR_STEPS; i++)
    {
      double each = width * BAR_SHARE / BAR_STEPS;
      CuredColour colour =
          cured_colour_map_get (shades.colours, from + (to - from) * i / (BAR_STEPS - 1.0));

      _cured_plot_fill_rect (cr, &(CuredRect){ x + i * each, top + 2, each + 0.5, line - 4 },
                             colour, 1);
    }
  cairo_restore (cr);
  _cured_plot_text_paint (text, cr, style->dim, high, CURED_ALIGN_START, bar.x + bar.width + 6, top,
                          width);
}

static void
multiples_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown)
{
  const Multiples *self = (const Multiples *) chart;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  Layout layout;

  if (self->panels->len == 0 || shown->width < 1 || shown->height < 1)
    return;
  layout_init (&layout, self, shown->style, shown->width, shown->height);
  for (guint i = 0; i < self->panels->len; i++)
    {
      CuredRect rect;

      get_place (&layout, i, &rect);
      cairo_save (cr);
      cairo_translate (cr, rect.x, rect.y);
      if ((gssize) i == shown->item || (gssize) i == shown->hovered)
        _cured_plot_fill_rect (cr, &(CuredRect){ 0, 0, rect.width, rect.height },
                               shown->style->accent, (gssize) i == shown->item ? 0.16 : 0.08);
      _cured_plot_text_begin (text, cr, shown->style, 1);
      draw_panel (self, cr, shown->style, &layout, text, get_panel (self, i));
      cairo_restore (cr);
    }
  _cured_plot_text_begin (text, cr, shown->style, 1);
  draw_scale (self, cr, shown->style, text, layout.line, shown->width,
              shown->height - 1.5 * layout.line);
}

static gssize
multiples_pick (const CuredChart *chart, const CuredChartShown *shown, double x, double y)
{
  const Multiples *self = (const Multiples *) chart;
  Layout layout;

  if (self->panels->len == 0)
    return -1;
  layout_init (&layout, self, shown->style, shown->width, shown->height);
  for (guint i = 0; i < self->panels->len; i++)
    {
      CuredRect rect;

      get_place (&layout, i, &rect);
      if (x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height)
        return (gssize) i;
    }
  return -1;
}

static void
multiples_locate (const CuredChart *chart, const CuredChartShown *shown, gsize item,
                  CuredRect *rect)
{
  Layout layout;

  layout_init (&layout, (const Multiples *) chart, shown->style, shown->width, shown->height);
  get_place (&layout, item, rect);
}

/* Their arrangement depends on the room, so keys go from one to the next. */
static gssize
multiples_move (const CuredChart *chart, gssize item, int columns, int rows, int pages)
{
  return CLAMP (item + columns + rows + pages, 0, (gssize) chart->n_items - 1);
}

static char *
multiples_describe (const CuredChart *chart, gssize item, gssize step)
{
  const Multiples *self = (const Multiples *) chart;

  if (item < 0 || item >= (gssize) self->panels->len)
    /* Translators: the name of a figure: a map of it for each value of a parameter. */
    return g_strdup_printf (_ ("%s, a map for each value"), self->title);
  const Panel *panel = get_panel (self, (gsize) item);
  if (cured_grid_is_ratio (panel->grid) && !isnan (panel->grid->low))
    {
      g_autofree char *low = cured_format_quantity (panel->grid->low, panel->grid->metric.unit);
      g_autofree char *high = cured_format_quantity (panel->grid->high, panel->grid->metric.unit);

      /* Translators: a parameter's value, and the least and the greatest ratio of two files there. */
      return g_strdup_printf (_ ("%s: ratios from %s to %s"), panel->name, low, high);
    }
  if (isnan (panel->best))
    return g_strdup (panel->name);
  g_autofree char *best = cured_format_quantity (panel->best, panel->grid->metric.unit);
  /* Translators: a parameter's value, and the best figure there. */
  return g_strdup_printf (_ ("%s: the best is %s"), panel->name, best);
}

CURED_FREE_FUNC (Multiples, multiples_free, panels, g_array_unref, title, g_free)

static gint64
multiples_get_cell (const CuredChart *chart, gsize item)
{
  return get_panel ((const Multiples *) chart, item)->cell;
}

static const CuredMapChartClass multiples_class = {
  .chart = {
    .measure = multiples_measure,
    .draw = multiples_draw,
    .pick = multiples_pick,
    .locate = multiples_locate,
    .move = multiples_move,
    .describe = multiples_describe,
    .free = multiples_free,
  },
  .get_cell = multiples_get_cell,
};

static void
add_panel (Multiples *self, CuredResult *result, const CuredView *view, gsize axis)
{
  const CuredResultAxis *axes = cured_result_get_axes (result, NULL);
  g_autofree char *value = cured_axis_format_value (axes[axis].values, view->positions[axis]);
  CuredGrid *grid = cured_grid_new (result, view);
  Panel panel = {
    .grid = grid,
    .name = g_strdup_printf ("%s\u00a0%s", axes[axis].name, value),
    .cell = grid->cells[MAX (grid->best, 0)],
    .best = grid->best >= 0 ? grid->values[grid->best] : NAN,
  };

  if (!isnan (grid->low))
    {
      self->low = isnan (self->low) ? grid->low : MIN (self->low, grid->low);
      self->high = isnan (self->high) ? grid->high : MAX (self->high, grid->high);
    }
  g_array_append_val (self->panels, panel);
}

/* Only the best map keeps its star. */
static void
keep_best (Multiples *self)
{
  gssize best = -1;

  for (guint i = 0; i < self->panels->len; i++)
    {
      const Panel *panel = get_panel (self, i);
      double least = best >= 0 ? get_panel (self, (gsize) best)->best : NAN;
      gboolean is_lower = panel->grid->metric.better == CURED_BETTER_LOWER;

      if (!isnan (panel->best) &&
          (best < 0 || (is_lower ? panel->best < least : panel->best > least)))
        best = (gssize) i;
    }
  for (guint i = 0; i < self->panels->len; i++)
    if ((gssize) i != best)
      get_panel (self, i)->grid->best = -1;
}

/* @result: a result with three or more parameters
 * @view: each map's metric, axes and colours, and the position of the other parameters
 * @axis: the parameter that varies; not an axis of @view
 *
 * Items are the maps, in the order of the parameter's values. All have one scale.
 * Returns: (transfer full): small multiples; free with cured_chart_free() */
CuredChart *
cured_multiples_new (CuredResult *result, const CuredView *view, gsize axis)
{
  Multiples *self = g_new0 (Multiples, 1);
  g_auto (CuredView) each = { 0 };
  gsize n = cured_axis_get_length (cured_result_get_axes (result, NULL)[axis].values);
  gsize step = (n + CURED_MULTIPLES_MOST - 1) / CURED_MULTIPLES_MOST;

  cured_view_copy (view, result, &each);
  each.relative = each.region = each.marginals = each.best_over = FALSE;
  each.contour = NULL;
  self->panels = g_array_new (FALSE, FALSE, sizeof (Panel));
  g_array_set_clear_func (self->panels, panel_clear);
  self->low = self->high = NAN;
  for (gsize i = 0; i < n; i += step)
    {
      each.positions[axis] = i;
      add_panel (self, result, &each, axis);
    }
  keep_best (self);
  const CuredGrid *first = get_panel (self, 0)->grid;
  self->title =
      cured_grid_is_ratio (first)
          ? g_strdup (_ (first->metric.title))
          : cured_grid_name_metric (result, &cured_result_get_metrics (result, NULL)[view->metric]);
  self->base.chart.klass = &multiples_class.chart;
  self->base.chart.n_items = self->panels->len;
  return &self->base.chart;
}
