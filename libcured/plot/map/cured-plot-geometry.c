/* SPDX-License-Identifier: MIT
 * The layout of a plot, and the visible part of the grid; without drawing. */
#include "plot/map/cured-map-plot-private.h"

#include <math.h>
#include "plot/map/cured-grid-internal.h"

/* Zoom ends at this many cells in each direction. */
#define LEAST_VISIBLE 1.0

/* Least sizes of the drawing, in lines of text; below, a part is left out in favour of the
 * cells. */
#define HEIGHT_FOR_KEYS    15
#define HEIGHT_FOR_TITLES  9
#define HEIGHT_FOR_TICKS   5
#define WIDTH_FOR_LEGEND   18
#define WIDTH_FOR_Y_LABELS 8

#define HEIGHT_FOR_MARGINALS 21
#define WIDTH_FOR_MARGINALS  30

/* Size of the curves beside the map, in lines of text. */
#define MARGINAL_HEIGHT 3.5
#define MARGINAL_WIDTH  5.0

#define BAR_WIDTH 14.0

static double
measure_axis (CuredPlotText *text, const CuredAxis *axis)
{
  gsize least = 0, most = 0;
  double width = 0;

  if (axis == NULL)
    return 0;
  gsize n = cured_axis_get_length (axis);
  for (gsize i = 0; i < n; i++)
    {
      gint64 value = cured_axis_get_value (axis, i);

      if (value < cured_axis_get_value (axis, least))
        least = i;
      if (value > cured_axis_get_value (axis, most))
        most = i;
    }
  /* The widest integer is the least or the greatest; names must all be measured, and are
   * few. */
  for (gsize i = 0; i < n; i++)
    if (i == least || i == most || cured_axis_is_named (axis))
      {
        g_autofree char *label = cured_axis_format_value (axis, i);

        width = MAX (width, _cured_plot_text_measure_number (text, label));
      }
  return width;
}

/* Width of the widest label of the values: beside the bar or, in a line plot, left of the plot. */
static double
measure_values (CuredPlotText *text, const CuredGrid *grid, const CuredPlotScale *scale)
{
  double width = 0;

  for (int i = 0; i <= 10; i++)
    {
      /* Limits of colours may differ from those of the values. */
      double value = i <= 8   ? cured_grid_get_value (grid, i / 8.0)
                     : i == 9 ? grid->low
                              : grid->high;
      g_autofree char *label = _cured_plot_scale_format (scale, value);

      width = MAX (width, _cured_plot_text_measure_number (text, label));
    }
  return width;
}

/* Returns: approximate width of the widest value. */
static double
lay_out (CuredPlotGeometry *self, const CuredGrid *grid, const CuredPlotStyle *style, double width,
         double height, gboolean with_marginals)
{
  CuredPlotText *text = _cured_plot_text_for (style);
  gboolean is_line = cured_grid_is_line (grid);
  CuredPlotScale scale;
  double keys_height = 0, marginal_height = 0, marginal_width = 0;
  double low, high;

  _cured_grid_get_ends (grid, &low, &high);
  width = MAX (width, 0);
  height = MAX (height, 0);
  _cured_plot_scale_init_grid (&scale, grid);
  double line = ceil (_cured_plot_text_get_line_height (text)), pad = round (line / 2);
  *self = (CuredPlotGeometry){
    .width = width,
    .height = height,
    .visible = { 0, 0, (double) grid->nx, (double) grid->ny },
    .line_height = line,
    .x_label_width = measure_axis (text, grid->x_values),
    .has_titles = height >= HEIGHT_FOR_TITLES * line && width >= 6 * line,
  };
  gboolean has_ticks = height >= HEIGHT_FOR_TICKS * line && width >= 4 * line;
  double values_width = measure_values (text, grid, &scale);

  double top = self->has_titles ? pad + line + pad : pad / 2;
  if (with_marginals && grid->marginals && grid->nx > 1 && grid->ny > 1 &&
      height >= HEIGHT_FOR_MARGINALS * line && width >= WIDTH_FOR_MARGINALS * line)
    {
      marginal_height = round (MARGINAL_HEIGHT * line);
      marginal_width = round (MARGINAL_WIDTH * line);
      top += marginal_height + pad;
    }
  double bottom = pad / 2;
  if (has_ticks && grid->x_values != NULL)
    bottom += pad / 2 + line;
  if (self->has_titles && grid->x_values != NULL)
    bottom += line + pad / 2;
  double left = pad, right = pad + (marginal_width > 0 ? marginal_width + pad : 0);
  if (width >= WIDTH_FOR_Y_LABELS * line && has_ticks)
    {
      if (is_line)
        left += values_width + pad;
      else if (grid->y_values != NULL)
        left += measure_axis (text, grid->y_values) + pad / 2;
    }
  if (!is_line && !cured_grid_is_named (grid) && width >= WIDTH_FOR_LEGEND * line && has_ticks &&
      (high > low || (cured_grid_is_ratio (grid) && !isnan (grid->low))))
    {
      /* The caption above the bar is about four lines wide. */
      double bar = BAR_WIDTH + pad / 2 + values_width;

      right += pad + MAX (bar, 4 * line);
    }
  if (height >= HEIGHT_FOR_KEYS * line)
    {
      CuredRect keys = { left, 0, MAX (width - left - pad, 0), 0 };

      keys_height = _cured_plot_layout_keys (NULL, text, grid, &scale, style, &keys, line);
      /* At most a quarter of the height. */
      keys_height = MIN (keys_height, floor (height / 4));
      if (keys_height > 0)
        bottom += keys_height + pad / 2;
    }
  left = round (MIN (left, width / 2));
  right = round (MIN (right, width / 2));
  self->plot = (CuredRect){
    left,
    round (MIN (top, height / 3)),
    floor (MAX (width - left - right, 0)),
    floor (MAX (height - MIN (top, height / 3) - MIN (bottom, height / 2), 0)),
  };
  if (marginal_width > 0)
    {
      self->along_x = (CuredRect){ self->plot.x, self->plot.y - pad - marginal_height,
                                   self->plot.width, marginal_height };
      self->along_y = (CuredRect){ self->plot.x + self->plot.width + pad, self->plot.y,
                                   marginal_width, self->plot.height };
      right -= marginal_width + pad;
    }
  if (right > 2 * pad && !is_line && !cured_grid_is_named (grid))
    {
      /* Room for the caption, which names the better end. */
      double caption = grid->metric.better == CURED_BETTER_NEITHER ? 0 : line + pad / 2;

      self->legend = (CuredRect){
        self->plot.x + self->plot.width + pad + pad / 2 +
            (marginal_width > 0 ? marginal_width + pad : 0),
        self->plot.y + caption,
        BAR_WIDTH,
        MAX (self->plot.height - caption, 0),
      };
    }
  if (keys_height > 0)
    self->keys = (CuredRect){
      self->plot.x,
      height - pad / 2 - keys_height,
      MAX (width - self->plot.x - pad, 0),
      keys_height,
    };
  return values_width;
}

/* @rect: (out): the part of the drawing that zoom and pan change
 *
 * Includes cells, marks that extend beyond them, and the labels of the axes; not the curves beside
 * the map, titles and legend. */
void
cured_plot_geometry_get_moving (const CuredPlotGeometry *self, CuredRect *rect)
{
  double pad = round (self->line_height / 2);
  double right = self->plot.x + self->plot.width + MAX (ceil (self->x_label_width / 2) + 1, pad);
  double bottom = self->plot.y + self->plot.height + ceil (self->line_height * 1.25) + 2;

  rect->x = 0;
  rect->y = MAX (self->plot.y - pad, 0);
  rect->width = MIN (right, self->width);
  rect->height = MIN (bottom, self->height) - rect->y;
}

/* Whether cells have room for their values. */
static gboolean
fits_values (const CuredPlotGeometry *self, const CuredGrid *grid, double values_width)
{
  return self->plot.width / (double) grid->nx >= MAX (values_width, 1.5 * self->line_height) &&
         self->plot.height / (double) grid->ny >= self->line_height;
}

/* @self: (out caller-allocates): a geometry
 * @grid: the grid to draw
 * @style: only its font is used
 * @width: of the whole drawing, in user units
 * @height: likewise
 *
 * Lays out a plot that shows the whole grid. Parts without enough room are left out: curves, if
 * cells have room for their values only without them; keys; then titles, legend and labels. All
 * rectangles have sizes of 0 or more, whatever @width and @height are. */
void
cured_plot_geometry_init (CuredPlotGeometry *self, const CuredGrid *grid,
                          const CuredPlotStyle *style, double width, double height)
{
  double values_width = lay_out (self, grid, style, width, height, TRUE);
  CuredPlotGeometry without;

  if (self->along_x.width <= 0 || fits_values (self, grid, values_width))
    return;
  lay_out (&without, grid, style, width, height, FALSE);
  if (fits_values (&without, grid, values_width))
    *self = without;
}

static double
clamp_begin (double begin, double length, gsize n)
{
  return CLAMP (begin, 0, MAX ((double) n - length, 0));
}

static void
clamp_visible (CuredPlotGeometry *self, const CuredGrid *grid)
{
  CuredRect *v = &self->visible;

  v->width = CLAMP (v->width, MIN (LEAST_VISIBLE, grid->nx), grid->nx);
  v->height = CLAMP (v->height, MIN (LEAST_VISIBLE, grid->ny), grid->ny);
  v->x = clamp_begin (v->x, v->width, grid->nx);
  v->y = clamp_begin (v->y, v->height, grid->ny);
}

/* @grid: the grid to draw; of the same size as before
 * @style: as for cured_plot_geometry_init()
 * @width: likewise
 * @height: likewise
 *
 * Lays out again for a new size or for new values in the grid, and keeps the visible part of the
 * grid. */
void
cured_plot_geometry_resize (CuredPlotGeometry *self, const CuredGrid *grid,
                            const CuredPlotStyle *style, double width, double height)
{
  CuredRect visible = self->visible;

  cured_plot_geometry_init (self, grid, style, width, height);
  self->visible = visible;
  clamp_visible (self, grid);
}

/* @factor: 2 shows half as many columns and rows, 0.5 twice as many
 * @at_x: the fixed point, in user units
 * @at_y: likewise
 *
 * Zooms in or out, between a single cell and the whole grid; at these limits, the fixed point may
 * move. */
void
cured_plot_geometry_zoom (CuredPlotGeometry *self, const CuredGrid *grid, double factor,
                          double at_x, double at_y)
{
  CuredRect *v = &self->visible;
  double x, y;

  g_return_if_fail (factor > 0);

  if (self->plot.width <= 0 || self->plot.height <= 0)
    return;
  double along = CLAMP ((at_x - self->plot.x) / self->plot.width, 0, 1);
  double up = CLAMP (1 - (at_y - self->plot.y) / self->plot.height, 0, 1);
  x = v->x + along * v->width;
  y = v->y + up * v->height;
  v->width = CLAMP (v->width / factor, MIN (LEAST_VISIBLE, grid->nx), (double) grid->nx);
  v->height = CLAMP (v->height / factor, MIN (LEAST_VISIBLE, grid->ny), (double) grid->ny);
  v->x = x - along * v->width;
  v->y = y - up * v->height;
  clamp_visible (self, grid);
}

/* @by_x: user units that the cells move to the right
 * @by_y: user units that the cells move downwards
 *
 * Moves the cells as if dragged, up to the grid's edge. */
void
cured_plot_geometry_pan (CuredPlotGeometry *self, const CuredGrid *grid, double by_x, double by_y)
{
  CuredRect *v = &self->visible;

  if (self->plot.width <= 0 || self->plot.height <= 0)
    return;
  v->x -= by_x / self->plot.width * v->width;
  v->y += by_y / self->plot.height * v->height;
  clamp_visible (self, grid);
}

/* Pans as little as needed to show a whole cell. */
void
cured_plot_geometry_reveal (CuredPlotGeometry *self, const CuredGrid *grid, gsize column, gsize row)
{
  CuredRect *v = &self->visible;

  v->x = MIN (v->x, (double) column);
  v->x = MAX (v->x, (double) column + 1 - v->width);
  v->y = MIN (v->y, (double) row);
  v->y = MAX (v->y, (double) row + 1 - v->height);
  clamp_visible (self, grid);
}

/* @low: (out): least value of the cells that are at least partly visible
 * @high: (out): greatest of them
 *
 * Costs one pass over these cells.
 * Returns: %FALSE if the whole grid is visible, or no value; both are then NaN */
gboolean
cured_plot_geometry_get_seen (const CuredPlotGeometry *self, const CuredGrid *grid, double *low,
                              double *high)
{
  CuredPlotRange range;
  CuredGridSummary summary;

  *low = NAN;
  *high = NAN;
  cured_plot_geometry_get_range (self, grid, &range);
  if (range.x_end <= range.x_begin || range.y_end <= range.y_begin ||
      (range.x_end - range.x_begin == grid->nx && range.y_end - range.y_begin == grid->ny))
    return FALSE;
  cured_grid_summarize (grid,
                        &(CuredGridRect){ range.x_begin, range.y_begin, range.x_end - range.x_begin,
                                          range.y_end - range.y_begin },
                        &summary);
  *low = summary.low;
  *high = summary.high;
  return !isnan (summary.low);
}

/* @x: in user units
 * @y: in user units
 * @column: (out): column of the cell
 * @row: (out): row of the cell, counted from the bottom
 * Returns: %FALSE if there is no cell; @column and @row are then unchanged */
gboolean
cured_plot_geometry_pick (const CuredPlotGeometry *self, const CuredGrid *grid, double x, double y,
                          gsize *column, gsize *row)
{
  double along = (x - self->plot.x) / self->plot.width;
  double down = (y - self->plot.y) / self->plot.height;

  /* Written so that a NaN is outside: a plot may have no size. */
  if (!(along >= 0 && along < 1 && down >= 0 && down < 1))
    return FALSE;
  double at_x = self->visible.x + along * self->visible.width;
  double at_y = self->visible.y + (1 - down) * self->visible.height;
  if (!(at_x >= 0 && at_y >= 0))
    return FALSE;
  *column = MIN ((gsize) at_x, grid->nx - 1);
  *row = MIN ((gsize) at_y, grid->ny - 1);
  return TRUE;
}

/* @row: of a cell, counted from the bottom
 * @rect: (out caller-allocates): its rectangle, in user units; partly or wholly outside of the plot
 *   if it is not visible */
void
cured_plot_geometry_get_cell (const CuredPlotGeometry *self, const CuredGrid *grid, gsize column,
                              gsize row, CuredRect *rect)
{
  const CuredRect *v = &self->visible;
  double cell_width = self->plot.width / v->width, cell_height = self->plot.height / v->height;

  *rect = (CuredRect){
    self->plot.x + ((double) column - v->x) * cell_width,
    self->plot.y + self->plot.height - ((double) row + 1 - v->y) * cell_height,
    cell_width,
    cell_height,
  };
}
