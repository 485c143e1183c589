/* SPDX-License-Identifier: MIT
 * The values along one row and one column of a heat map, beside it. */
#include "plot/map/cured-map-plot-private.h"

#include <math.h>

/* Width of a curve, in pixels. */
#define LINE 1.5

/* Cells that are narrower have no room for a line from one to the next. */
#define DENSE 2.0

/* A curve along a row, to the right, or along a column, upwards. */
typedef struct
{
  const CuredGrid *grid;
  const CuredPlotGeometry *geometry;
  gboolean is_row;
  gsize other; /* index of the row or column */
  double low;  /* range of its values; NaN: there are none */
  double high;
  CuredPlotSpan span;
} Curve;

static double
get_value (const Curve *self, gsize i)
{
  gsize index = self->is_row ? self->other * self->grid->nx + i : i * self->grid->nx + self->other;

  return self->grid->values[index];
}

static void
curve_init (Curve *self, const CuredGrid *grid, const CuredPlotGeometry *geometry, gboolean is_row,
            gsize other)
{
  CuredGrid part = *grid;

  *self = (Curve){ grid, geometry, is_row, other, NAN, NAN, { 0, 1, FALSE } };
  for (gsize i = 0; i < (is_row ? grid->nx : grid->ny); i++)
    {
      double value = get_value (self, i);

      if (isnan (value))
        continue;
      if (!(value >= self->low))
        self->low = value;
      if (!(value <= self->high))
        self->high = value;
    }
  /* Its own range, so that its shape is visible. */
  part.low = self->low;
  part.high = self->high;
  _cured_plot_span_init (&self->span, &part);
}

static void
get_point (const Curve *self, double at, double value, double *x, double *y)
{
  const CuredRect *v = &self->geometry->visible;

  if (self->is_row)
    {
      const CuredRect *rect = &self->geometry->along_x;

      *x = rect->x + (at - v->x) * rect->width / v->width;
      *y = _cured_plot_span_get_y (&self->span, rect, value);
    }
  else
    {
      const CuredRect *rect = &self->geometry->along_y;
      /* Rotated: greater values are farther right. */
      CuredRect lying = { 0, 0, 0, rect->width };

      *x = rect->x + rect->width - _cured_plot_span_get_y (&self->span, &lying, value);
      *y = rect->y + rect->height - (at - v->y) * rect->height / v->height;
    }
}

/* Parts of a drawing skip what is outside of them. */
static gboolean
is_clipped (cairo_t *cr, const CuredRect *rect)
{
  double left, top, right, bottom;

  cairo_clip_extents (cr, &left, &top, &right, &bottom);
  return rect->x >= right || rect->x + rect->width <= left || rect->y >= bottom ||
         rect->y + rect->height <= top;
}

/* A curve whose cells are hardly wider than a pixel: a rectangle for each two pixels, from the
 * least to the greatest value, including the last one before, to connect them. Rectangles cost a
 * fraction of a line with as many corners. */
static void
add_dense (cairo_t *cr, const Curve *self, double cell, gsize begin, gsize end)
{
  gsize step = (gsize) MAX (floor (DENSE / cell), 1);
  double last = NAN;

  for (gsize i = begin; i < end; i += step)
    {
      double low = last, high = last;
      double x1, y1, x2, y2;

      last = NAN;
      for (gsize k = i; k < MIN (i + step, end); k++)
        {
          double value = get_value (self, k);

          if (isnan (value))
            continue;
          if (!(value >= low))
            low = value;
          if (!(value <= high))
            high = value;
          last = value;
        }
      if (isnan (last))
        continue;
      get_point (self, (double) i, low, &x1, &y1);
      get_point (self, (double) (i + step), high, &x2, &y2);
      if (self->is_row)
        cairo_rectangle (cr, floor (x1), y2 - LINE / 2, MAX (floor (x2) - floor (x1), 1),
                         y1 - y2 + LINE);
      else
        cairo_rectangle (cr, x1 - LINE / 2, floor (y2), x2 - x1 + LINE,
                         MAX (floor (y1) - floor (y2), 1));
    }
}

static void
draw_curve (cairo_t *cr, const Curve *self, const CuredPlotStyle *style, gsize marked)
{
  const CuredRect *rect = self->is_row ? &self->geometry->along_x : &self->geometry->along_y;
  CuredPlotRange range;
  gsize n = self->is_row ? self->grid->nx : self->grid->ny;
  double cell = self->is_row ? rect->width / self->geometry->visible.width
                             : rect->height / self->geometry->visible.height;
  gboolean is_open = FALSE;
  double x, y;

  if (is_clipped (cr, rect))
    return;
  cured_plot_geometry_get_range (self->geometry, self->grid, &range);
  gsize begin = self->is_row ? range.x_begin : range.y_begin;
  gsize end = self->is_row ? range.x_end : range.y_end;
  /* One cell beyond either side, since the line continues there. */
  begin = begin > 0 ? begin - 1 : 0;
  end = MIN (end + 1, n);

  cairo_save (cr);
  _cured_plot_add_rect (cr, rect);
  _cured_plot_set_colour (cr, style->dim, 0.08);
  cairo_fill_preserve (cr);
  cairo_clip (cr);
  cairo_new_path (cr);
  _cured_plot_set_colour (cr, style->accent, 1);
  cairo_set_line_width (cr, LINE);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  if (cell < DENSE)
    add_dense (cr, self, cell, begin, end);
  for (gsize i = begin; cell >= DENSE && i < end; i++)
    {
      double value = get_value (self, i);

      if (isnan (value))
        {
          is_open = FALSE;
          continue;
        }
      get_point (self, (double) i + 0.5, value, &x, &y);
      /* A value without neighbours is a point. */
      if (!is_open)
        cairo_move_to (cr, x - 0.75, y);
      cairo_line_to (cr, x, y);
      is_open = TRUE;
    }
  if (cell < DENSE)
    cairo_fill (cr);
  else
    cairo_stroke (cr);
  if (!isnan (get_value (self, marked)))
    {
      get_point (self, (double) marked + 0.5, get_value (self, marked), &x, &y);
      cairo_new_path (cr);
      cairo_arc (cr, x, y, 3.5, 0, 2 * G_PI);
      _cured_plot_set_colour (cr, style->accent, 1);
      cairo_fill_preserve (cr);
      _cured_plot_stroke (cr, style->background, 1, 1);
    }
  cairo_restore (cr);
}

/* A caption in the corner: the value at which the curve is taken, and its range. */
static void
draw_caption (cairo_t *cr, const Curve *self, CuredPlotCache *cache, const CuredPlotStyle *style)
{
  const CuredGrid *grid = self->grid;
  const CuredRect *corner = &self->geometry->along_x;
  const char *title = self->is_row ? grid->y_title : grid->x_title;
  const CuredAxis *values = self->is_row ? grid->y_values : grid->x_values;
  double line = _cured_plot_text_get_line_height (cache->small_text), r = line / 4;
  double left = self->geometry->along_y.x, x = left + 2 * r + 2;
  double y = self->is_row ? corner->y : corner->y + corner->height - 2 * line;
  double width = MAX (self->geometry->width - x - 2, 0);

  if (is_clipped (cr, &(CuredRect){ left, y, width, 2 * line }))
    return;
  g_autofree char *value = cured_axis_format_value (values, self->other);
  g_autofree char *text = g_strdup_printf ("%s\302\240%s", title, value);
  /* A triangle that points at the curve. */
  _cured_plot_set_colour (cr, style->accent, 1);
  cairo_save (cr);
  cairo_translate (cr, left + r, self->is_row ? y + line / 2 : y + line * 1.5);
  if (!self->is_row)
    cairo_rotate (cr, -G_PI / 2);
  _cured_plot_add_triangle (cr, -r, 0, r * 0.7, -r, r * 0.7, r);
  cairo_restore (cr);
  cairo_fill (cr);
  _cured_plot_text_paint (cache->small_text, cr, style->foreground, text, CURED_ALIGN_START, x, y,
                          width);
  if (!isnan (self->low))
    {
      g_autofree char *low = _cured_plot_scale_format (&cache->scale, self->low);
      g_autofree char *high = _cured_plot_scale_format (&cache->scale, self->high);
      g_autofree char *range = g_strdup_printf ("%s … %s", low, high);

      _cured_plot_text_paint (cache->small_text, cr, style->dim, range, CURED_ALIGN_START, x,
                              y + line, width);
    }
}

/* @cache: of @grid
 * @column: column of the cell through which the curves run
 * @row: row of that cell
 *
 * Draws the values along a row above the map and those along a column beside it, if the geometry
 * has room for them. */
void
cured_plot_draw_marginals (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                           const CuredPlotGeometry *geometry, const CuredPlotStyle *style,
                           gsize column, gsize row)
{
  Curve curve;

  g_return_if_fail (cache->grid == grid);
  g_return_if_fail (column < grid->nx && row < grid->ny);

  if (geometry->along_x.width < 1 || geometry->along_y.height < 1)
    return;
  _cured_plot_text_begin (cache->small_text, cr, style, CURED_PLOT_SMALL_SCALE);
  curve_init (&curve, grid, geometry, TRUE, row);
  draw_curve (cr, &curve, style, column);
  draw_caption (cr, &curve, cache, style);
  curve_init (&curve, grid, geometry, FALSE, column);
  draw_curve (cr, &curve, style, row);
  draw_caption (cr, &curve, cache, style);
}
