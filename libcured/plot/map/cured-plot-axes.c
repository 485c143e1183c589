/* SPDX-License-Identifier: MIT
 * Titles and labels around the cells. */
#include "plot/map/cured-map-plot-private.h"

#include <math.h>

/* Draws a name, and its meaning if there is room. Returns the width. */
static double
draw_title (cairo_t *cr, CuredPlotText *text, const CuredPlotStyle *style, const char *name,
            const char *summary, double x, double y, double max_width)
{
  if (name == NULL || max_width <= 0)
    return 0;
  double gap = _cured_plot_text_get_line_height (text) * 0.6;
  _cured_plot_set_colour (cr, style->foreground, 1);
  double used = _cured_plot_text_draw (text, cr, name, CURED_ALIGN_START, x, y, max_width);
  if (summary == NULL || *summary == '\0' ||
      used + gap + _cured_plot_text_measure (text, summary) > max_width)
    return used;
  _cured_plot_set_colour (cr, style->dim, 1);
  return used + gap +
         _cured_plot_text_draw (text, cr, summary, CURED_ALIGN_START, x + used + gap, y, -1);
}

/* Distance of labels, in cells, for labels of size @label and cells of size @cell. If not every
 * cell gets a label, the distance is larger. */
static gsize
get_least_step (double label, double cell, double loose)
{
  return label <= cell ? 1 : (gsize) ceil (label * loose / cell);
}

static void
draw_x_labels (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
               const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  double cell = geometry->plot.width / geometry->visible.width, line = geometry->line_height;
  double bottom = geometry->plot.y + geometry->plot.height;
  CuredPlotRange range;
  gsize first, step;

  if (grid->x_values == NULL || bottom + line > geometry->height)
    return;
  cured_plot_geometry_get_range (geometry, grid, &range);
  _cured_plot_axis_ticks (grid->x_values,
                          get_least_step (geometry->x_label_width + line * 0.4, cell, 1.2), &first,
                          &step);
  if (range.x_begin > first)
    first += (range.x_begin - first + step - 1) / step * step;
  for (gsize i = first; i < range.x_end; i += step)
    {
      double x = geometry->plot.x + ((double) i + 0.5 - geometry->visible.x) * cell;

      if (x < geometry->plot.x || x > geometry->plot.x + geometry->plot.width)
        continue;
      g_autofree char *label = cured_axis_format_value (grid->x_values, i);
      double half = _cured_plot_text_measure_number (cache->text, label) / 2;
      /* The last one may be wider than the margin. */
      _cured_plot_text_add_number (cache->text, label, CURED_ALIGN_CENTRE,
                                   MAX (MIN (x, geometry->width - half - 1), half),
                                   bottom + line / 4 + 1 + line / 2);
      _cured_plot_add_line (cr, floor (x) + 0.5, bottom, floor (x) + 0.5, bottom + 3);
    }
}

/* Below this share of a line of text, a name cannot be read. */
#define LEAST_NAME 0.6

/* Every row gets its name, shrunk to fit. */
static void
draw_y_names (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
              const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  double cell = geometry->plot.height / geometry->visible.height, line = geometry->line_height;
  double scale = MIN (cell / line, 1.0);
  CuredPlotRange range;

  _cured_plot_set_colour (cr, style->dim, 1);
  cured_plot_geometry_get_range (geometry, grid, &range);
  for (gsize i = range.y_begin; i < range.y_end; i++)
    {
      double y = geometry->plot.y + geometry->plot.height -
                 ((double) i + 0.5 - geometry->visible.y) * cell;
      g_autofree char *label = cured_axis_format_value (grid->y_values, i);

      if (y < geometry->plot.y || y > geometry->plot.y + geometry->plot.height)
        continue;
      cairo_save (cr);
      cairo_translate (cr, geometry->plot.x - line / 4 - 2, y - line * scale / 2);
      cairo_scale (cr, scale, scale);
      _cured_plot_text_draw (cache->text, cr, label, CURED_ALIGN_END, 0, 0, -1);
      cairo_restore (cr);
    }
}

static void
draw_y_labels (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
               const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  double cell = geometry->plot.height / geometry->visible.height, line = geometry->line_height;
  double bottom = geometry->plot.y + geometry->plot.height;
  CuredPlotRange range;
  gsize first, step;

  /* No room was left for labels. */
  if (grid->y_values == NULL || geometry->plot.x < line)
    return;
  if (cured_axis_is_named (grid->y_values) && cell < line * 1.05 && cell >= line * LEAST_NAME)
    {
      draw_y_names (cr, grid, cache, geometry, style);
      return;
    }
  cured_plot_geometry_get_range (geometry, grid, &range);
  _cured_plot_axis_ticks (grid->y_values, get_least_step (line * 1.05, cell, 1.8), &first, &step);
  if (range.y_begin > first)
    first += (range.y_begin - first + step - 1) / step * step;
  for (gsize i = first; i < range.y_end; i += step)
    {
      double y = bottom - ((double) i + 0.5 - geometry->visible.y) * cell;

      if (y < geometry->plot.y || y > bottom)
        continue;
      g_autofree char *label = cured_axis_format_value (grid->y_values, i);
      _cured_plot_text_add_number (cache->text, label, CURED_ALIGN_END,
                                   geometry->plot.x - line / 4 - 2, y);
      _cured_plot_add_line (cr, geometry->plot.x - 3, floor (y) + 0.5, geometry->plot.x,
                            floor (y) + 0.5);
    }
}

/* The axis of values in a line plot. */
static void
draw_value_labels (const CuredGrid *grid, CuredPlotCache *cache, const CuredPlotGeometry *geometry)
{
  double ticks[CURED_PLOT_MAX_TICKS];
  double line = geometry->line_height;
  CuredPlotSpan span;
  double step;

  if (geometry->plot.x < 2 * line)
    return;
  _cured_plot_span_init (&span, grid);
  gsize n = _cured_plot_span_get_ticks (&span, &cache->scale,
                                        (gsize) (geometry->plot.height / (2 * line)), ticks, &step);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *label =
          _cured_plot_scale_format_tick (&cache->scale, ticks[i], step > 0 ? step : ticks[i]);

      _cured_plot_text_add_number (cache->text, label, CURED_ALIGN_END,
                                   geometry->plot.x - line / 4 - 2,
                                   _cured_plot_span_get_y (&span, &geometry->plot, ticks[i]));
    }
}

/* Draws labels and ticks, which move with zoom and pan. */
void
_cured_plot_draw_axes (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                       const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  if (geometry->plot.width < 1 || geometry->plot.height < 1)
    return;
  draw_x_labels (cr, grid, cache, geometry, style);
  if (cured_grid_is_line (grid))
    draw_value_labels (grid, cache, geometry);
  else
    draw_y_labels (cr, grid, cache, geometry, style);
  _cured_plot_stroke (cr, style->dim, 0.7, 1);
  _cured_plot_set_colour (cr, style->dim, 1);
  _cured_plot_text_flush_numbers (cache->text, cr);
}

/* Draws the names of the axes and of the metric, which never move. */
void
_cured_plot_draw_titles (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                         const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  double line = geometry->line_height, pad = round (line / 2), right = geometry->width - pad;
  double left = pad, used = 0;

  if (!geometry->has_titles || geometry->plot.width < 1 || geometry->plot.height < 1)
    return;
  g_autofree char *metric = _cured_plot_metric_text (grid, &cache->scale);
  /* The metric's name is on the side of its numbers. */
  _cured_plot_set_colour (cr, style->foreground, 1);
  if (cured_grid_is_line (grid))
    _cured_plot_text_draw (cache->text, cr, metric, CURED_ALIGN_START, left, pad, right - left);
  else
    {
      used = _cured_plot_text_draw (cache->text, cr, metric, CURED_ALIGN_END, right, pad,
                                    right - left);
      draw_title (cr, cache->text, style, grid->y_title, grid->y_summary, left, pad,
                  right - left - used - 2 * pad);
    }
  draw_title (cr, cache->text, style, grid->x_title, grid->x_summary, geometry->plot.x,
              geometry->plot.y + geometry->plot.height + line + pad, right - geometry->plot.x);
}
