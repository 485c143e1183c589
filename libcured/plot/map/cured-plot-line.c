/* SPDX-License-Identifier: MIT
 * The values along one parameter, as points with their intervals. */
#include "plot/map/cured-map-plot-private.h"

#include <math.h>

/* Above this share of the greatest value, the axis of values leaves out 0. */
#define SHARE_FOR_ZERO 0.5

/* The axis of values of a line plot spans all values and intervals, even invisible ones, so that
 * panning does not make it jump. */
void
_cured_plot_span_init (CuredPlotSpan *self, const CuredGrid *grid)
{
  double low = grid->low, high = grid->high;
  double margin;

  for (gsize i = 0; grid->lows != NULL && i < grid->nx; i++)
    {
      if (grid->lows[i] < low)
        low = grid->lows[i];
      if (grid->highs[i] > high)
        high = grid->highs[i];
    }
  if (isnan (low))
    {
      low = 0;
      high = 1;
    }
  self->logarithmic = (grid->logarithmic || cured_grid_is_ratio (grid)) && low > 0;
  if (self->logarithmic)
    {
      margin = MAX (pow (high / low, 0.06), 1.02);
      self->low = low / margin;
      self->high = high * margin;
      return;
    }
  margin = high > low ? (high - low) * 0.06 : MAX (fabs (high) * 0.06, 1e-12);
  self->high = high + margin;
  if (low >= 0 && low < SHARE_FOR_ZERO * high)
    self->low = 0;
  else
    self->low = low - margin;
}

double
_cured_plot_span_get_y (const CuredPlotSpan *self, const CuredRect *plot, double value)
{
  double position;

  if (self->logarithmic)
    position = log (value / self->low) / log (self->high / self->low);
  else
    position = (value - self->low) / (self->high - self->low);
  return plot->y + (1 - position) * plot->height;
}

/* @step: 0 if the ticks are logarithmic. */
gsize
_cured_plot_span_get_ticks (const CuredPlotSpan *self, const CuredPlotScale *scale, gsize max_ticks,
                            double ticks[CURED_PLOT_MAX_TICKS], double *step)
{
  gsize n;

  *step = 0;
  if (self->logarithmic)
    n = _cured_plot_ticks_logarithmic (self->low / scale->factor, self->high / scale->factor,
                                       max_ticks, ticks);
  else
    n = _cured_plot_ticks_linear (self->low / scale->factor, self->high / scale->factor, max_ticks,
                                  ticks, step);
  for (gsize i = 0; i < n; i++)
    ticks[i] *= scale->factor;
  *step *= scale->factor;
  return n;
}

static void
draw_states (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
             const CuredPlotStyle *style, const CuredPlotRange *range)
{
  double line = geometry->line_height;

  for (gsize x = range->x_begin; x < range->x_end; x++)
    {
      guint look = cured_grid_get_look (grid, x);
      gsize begin = x;
      CuredRect band, mark;

      if (!isnan (grid->values[x]))
        continue;
      /* Equal neighbours form one band; each column has its own mark while there is room. */
      while (x + 1 < range->x_end && isnan (grid->values[x + 1]) &&
             grid->states[x + 1] == grid->states[x])
        x++;
      cured_plot_geometry_get_cell (geometry, grid, begin, 0, &band);
      mark = (CuredRect){ band.x, band.y + band.height - 1.5 * line, band.width, 1.5 * line };
      band.width *= (double) (x - begin + 1);
      if (look != CURED_STATE_NOT_RUN && look != CURED_LOOK_EMPTY)
        _cured_plot_fill_rect (cr, &band, _cured_plot_state_fill (style, look), 0.6);
      if (look == CURED_STATE_NOT_LAUNCHABLE)
        _cured_plot_hatch_rect (cr, style, &band);
      else if (look != CURED_STATE_NOT_RUN && mark.width >= 5)
        for (gsize i = begin; i <= x; i++)
          {
            _cured_plot_draw_state_mark (cr, style, look, &mark);
            mark.x += mark.width;
          }
    }
}

/* One vertical stroke per pixel, from the least to the greatest value in it. */
static void
draw_envelope (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
               const CuredPlotSpan *span, const CuredPlotRange *range)
{
  double column = geometry->plot.width / geometry->visible.width, pixel = -1, low = NAN, high = NAN;

  for (gsize x = range->x_begin; x <= range->x_end; x++)
    {
      double at = floor (((double) x - geometry->visible.x) * column);

      if ((at != pixel || x == range->x_end) && !isnan (low))
        {
          double x0 = geometry->plot.x + pixel + 0.5;
          double y0 = _cured_plot_span_get_y (span, &geometry->plot, high);
          double y1 = _cured_plot_span_get_y (span, &geometry->plot, low);

          _cured_plot_add_line (cr, x0, y0, x0, MAX (y1, y0 + 1));
          low = NAN;
          high = NAN;
        }
      pixel = at;
      if (x == range->x_end || isnan (grid->values[x]))
        continue;
      if (!(grid->values[x] >= low))
        low = grid->values[x];
      if (!(grid->values[x] <= high))
        high = grid->values[x];
    }
  cairo_stroke (cr);
}

static void
draw_points (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
             const CuredPlotStyle *style, const CuredPlotSpan *span, const CuredPlotRange *range)
{
  double column = geometry->plot.width / geometry->visible.width;
  double radius = column >= 12 ? 3.5 : column >= 6 ? 2 : 0, cap = CLAMP (column / 5, 1.5, 4);
  gboolean is_open = FALSE;
  gsize begin = range->x_begin > 0 ? range->x_begin - 1 : 0, end = MIN (range->x_end + 1, grid->nx);

  /* One column beyond either side, since the line continues there. */
  for (gsize i = begin; i < end; i++)
    {
      double x = geometry->plot.x + ((double) i + 0.5 - geometry->visible.x) * column;

      if (isnan (grid->values[i]))
        {
          is_open = FALSE;
          continue;
        }
      if (is_open)
        cairo_line_to (cr, x, _cured_plot_span_get_y (span, &geometry->plot, grid->values[i]));
      else
        cairo_move_to (cr, x, _cured_plot_span_get_y (span, &geometry->plot, grid->values[i]));
      is_open = TRUE;
    }
  _cured_plot_stroke (cr, style->accent, radius > 0 ? 0.55 : 1, 1.5);
  if (radius <= 0)
    return;

  for (gsize i = begin; i < end; i++)
    {
      double x = geometry->plot.x + ((double) i + 0.5 - geometry->visible.x) * column;

      if (grid->lows != NULL && !isnan (grid->lows[i]) && !isnan (grid->highs[i]))
        {
          double y0 = _cured_plot_span_get_y (span, &geometry->plot, grid->highs[i]);
          double y1 = _cured_plot_span_get_y (span, &geometry->plot, grid->lows[i]);

          /* An interval narrower than the point would only blur it. */
          if (y1 - y0 > 2 * radius)
            {
              _cured_plot_add_line (cr, x, y0, x, y1);
              _cured_plot_add_line (cr, x - cap, y0, x + cap, y0);
              _cured_plot_add_line (cr, x - cap, y1, x + cap, y1);
            }
        }
    }
  _cured_plot_stroke (cr, style->foreground, 0.7, 1);
  for (gsize i = begin; i < end; i++)
    if (!isnan (grid->values[i]))
      {
        cairo_new_sub_path (cr);
        cairo_arc (cr, geometry->plot.x + ((double) i + 0.5 - geometry->visible.x) * column,
                   _cured_plot_span_get_y (span, &geometry->plot, grid->values[i]), radius, 0,
                   2 * G_PI);
      }
  _cured_plot_fill (cr, style->accent, 1);
}

void
_cured_plot_draw_line (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                       const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  double ticks[CURED_PLOT_MAX_TICKS];
  double column = geometry->plot.width / geometry->visible.width;
  CuredPlotRange range;
  CuredPlotSpan span;
  double step;

  if (geometry->plot.width < 1 || geometry->plot.height < 1)
    return;
  cured_plot_geometry_get_range (geometry, grid, &range);
  _cured_plot_span_init (&span, grid);
  _cured_plot_begin_clip (cr, &geometry->plot);
  if (column >= 1)
    draw_states (cr, grid, geometry, style, &range);
  gsize n = _cured_plot_span_get_ticks (
      &span, &cache->scale, (gsize) (geometry->plot.height / (2 * geometry->line_height)), ticks,
      &step);
  for (gsize i = 0; i < n; i++)
    {
      double y = _cured_plot_span_get_y (&span, &geometry->plot, ticks[i]);

      _cured_plot_add_line (cr, geometry->plot.x, round (y) + 0.5,
                            geometry->plot.x + geometry->plot.width, round (y) + 0.5);
    }
  _cured_plot_stroke (cr, style->dim, 0.25, 1);
  if (column >= 1)
    draw_points (cr, grid, geometry, style, &span, &range);
  else
    {
      _cured_plot_set_colour (cr, style->accent, 1);
      draw_envelope (cr, grid, geometry, &span, &range);
    }
  cairo_restore (cr);
}
