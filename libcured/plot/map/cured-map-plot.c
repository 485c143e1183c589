/* SPDX-License-Identifier: MIT
 * Drawing of a heat map or a line with Cairo: on screen and in files. */
#include "plot/map/cured-map-plot-private.h"
#include "plot/map/cured-grid-internal.h"

#include "base/cured-base-internal.h"

/* A marked cell is shown at least this large, however small it is. */
#define LEAST_MARKED 9.0

/* @grid: (transfer none): the grid to draw; must outlive the cache
 *
 * Data that frames of the same grid share: colours of cells, fonts and a picture. Belongs to one
 * thread.
 * Returns: (transfer full): an empty cache */
CuredPlotCache *
cured_plot_cache_new (const CuredGrid *grid)
{
  CuredPlotCache *self =
      CURED_NEW (CuredPlotCache, .grid = grid, .text = _cured_plot_text_new (),
                 .small_text = _cured_plot_text_new (), .large_text = _cured_plot_text_new ());

  _cured_plot_scale_init_grid (&self->scale, grid);
  self->shades = *grid;
  return self;
}

/* @low: the value at one end of the colours; NaN: the least value
 * @high: the value at the other end; NaN: the greatest value
 *
 * Sets the range of the colours: values beyond have the colour of the nearer end, and the legend
 * says so. Initially, and with NaN, the colours span all values. Cells keep their numbers, and the
 * best cell does not change. The grid's own limits take precedence.
 * Returns: whether they changed */
gboolean
cured_plot_cache_set_range (CuredPlotCache *self, double low, double high)
{
  g_return_val_if_fail (!(low > high), FALSE);

  if (isnan (low) || isnan (high))
    {
      low = self->grid->low;
      high = self->grid->high;
    }
  if (isnan (low) || (low == self->shades.low && high == self->shades.high))
    return FALSE;
  self->shades.low = low;
  self->shades.high = high;
  self->is_rescaled = low != self->grid->low || high != self->grid->high;
  g_clear_pointer (&self->pixels, g_free);
  return TRUE;
}

/* @low: (out): the value at one end of the colours; NaN: there are no values
 * @high: (out): the value at the other end
 * Returns: whether these differ from the least and greatest values */
gboolean
cured_plot_cache_get_range (const CuredPlotCache *self, double *low, double *high)
{
  _cured_grid_get_ends (&self->shades, low, high);
  return *low != self->grid->low || *high != self->grid->high;
}

/* @self: (nullable) (transfer full): a cache */
void
cured_plot_cache_free (CuredPlotCache *self)
{
  if (self == NULL)
    return;
  CURED_CLEAR (text, _cured_plot_text_free, small_text, _cured_plot_text_free, large_text,
               _cured_plot_text_free);
  for (gsize i = 0; i < G_N_ELEMENTS (self->images); i++)
    g_clear_pointer (&self->images[i], cairo_surface_destroy);
  CURED_CLEAR (levels, g_array_unref, contours, g_ptr_array_unref, pixels, g_free);
  g_free (self);
}

/* The rectangle of a marked cell in whole units, at least LEAST_MARKED. */
static void
get_marked (const CuredPlotGeometry *geometry, const CuredGrid *grid, gsize column, gsize row,
            CuredRect *rect)
{
  cured_plot_geometry_get_cell (geometry, grid, column, row, rect);
  double x = rect->x + rect->width / 2, y = rect->y + rect->height / 2;
  rect->width = MAX (rect->width, LEAST_MARKED);
  rect->height = MAX (rect->height, LEAST_MARKED);
  rect->x = round (x - rect->width / 2);
  rect->y = round (y - rect->height / 2);
  rect->width = round (rect->width);
  rect->height = round (rect->height);
}

static gboolean
is_seen (const CuredPlotGeometry *geometry, gsize column, gsize row)
{
  const CuredRect *v = &geometry->visible;

  return (double) column + 1 > v->x && (double) column < v->x + v->width &&
         (double) row + 1 > v->y && (double) row < v->y + v->height;
}

static void
outline (cairo_t *cr, const CuredRect *rect, double inset)
{
  cairo_rectangle (cr, rect->x + inset, rect->y + inset, MAX (rect->width - 2 * inset, 0),
                   MAX (rect->height - 2 * inset, 0));
}

static void
clip_to (CuredRect *rect, const CuredRect *plot)
{
  double right = MIN (rect->x + rect->width, plot->x + plot->width);
  double bottom = MIN (rect->y + rect->height, plot->y + plot->height);

  rect->x = MAX (rect->x, plot->x);
  rect->y = MAX (rect->y, plot->y);
  rect->width = MAX (right - rect->x, 0);
  rect->height = MAX (bottom - rect->y, 0);
}

static void
draw_best (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
           const CuredPlotStyle *style, gssize best)
{
  CuredRect cell, marked;

  if (best < 0)
    return;
  gsize column = (gsize) best % grid->nx, row = (gsize) best / grid->nx;
  if (!is_seen (geometry, column, row))
    return;
  if (cured_grid_is_line (grid))
    {
      CuredPlotSpan span;

      cured_plot_geometry_get_cell (geometry, grid, column, 0, &cell);
      _cured_plot_span_init (&span, grid);
      _cured_plot_draw_star (cr, style, cell.x + cell.width / 2,
                             _cured_plot_span_get_y (&span, &geometry->plot, grid->values[best]),
                             7);
      return;
    }
  if (grid->nx * grid->ny == 1)
    return;
  cured_plot_geometry_get_cell (geometry, grid, column, row, &cell);
  double size = MIN (cell.width, cell.height);
  /* If the map is zoomed, a part of the cell can be out of view. */
  clip_to (&cell, &geometry->plot);
  if (size < 18)
    {
      _cured_plot_draw_star (cr, style, cell.x + cell.width / 2, cell.y + cell.height / 2,
                             CLAMP (size * 0.45, 6, 8));
      return;
    }
  get_marked (geometry, grid, column, row, &marked);
  clip_to (&marked, &geometry->plot);
  outline (cr, &marked, 0);
  _cured_plot_stroke (cr, style->foreground, 1, 2);
  /* In the corner, without touching the number or outlines. */
  double radius = CLAMP (size * 0.13, 4, 8), inset = MIN (radius + 3, size / 2);
  _cured_plot_draw_star (cr, style, cell.x + cell.width - inset, cell.y + inset, radius);
}

/* Marks the best cell, or that of each problem; with many rows, only stars with enough distance. */
static void
draw_bests (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
            const CuredPlotStyle *style)
{
  double room = grid->is_problem_x ? geometry->plot.width / geometry->visible.width
                                   : geometry->plot.height / geometry->visible.height;

  if (grid->bests == NULL || room < LEAST_MARKED)
    draw_best (cr, grid, geometry, style, grid->best);
  else
    for (gsize i = 0; i < grid->n_bests; i++)
      draw_best (cr, grid, geometry, style, grid->bests[i]);
}

/* @strength: width of the outline. */
static void
draw_cursor (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
             const CuredPlotStyle *style, const CuredPlotCursor *cursor, double strength)
{
  CuredRect cell;

  if (cursor == NULL || !cursor->is_shown || cursor->column >= grid->nx ||
      cursor->row >= grid->ny || !is_seen (geometry, cursor->column, cursor->row))
    return;
  _cured_plot_begin_clip (cr, &geometry->plot);
  get_marked (geometry, grid, cursor->column, cursor->row, &cell);
  if (cured_grid_is_line (grid))
    {
      double value = grid->values[cursor->column];

      _cured_plot_fill_rect (cr, &cell, style->accent, 0.06 * strength);
      if (!isnan (value))
        {
          CuredPlotSpan span;

          _cured_plot_span_init (&span, grid);
          cairo_new_path (cr);
          cairo_arc (cr, cell.x + cell.width / 2,
                     _cured_plot_span_get_y (&span, &geometry->plot, value), 6, 0, 2 * G_PI);
          _cured_plot_stroke (cr, style->accent, 1, strength);
        }
    }
  else
    {
      /* A light and a dark line, of which one is visible on any colour. */
      outline (cr, &cell, strength / 2);
      _cured_plot_stroke (cr, style->background, 0.9, strength + 2);
      outline (cr, &cell, strength / 2);
      _cured_plot_stroke (cr, style->accent, 1, strength);
    }
  cairo_restore (cr);
}

/* @cache: (nullable): of @grid; speeds up repeated frames
 * @cursor: (nullable): the cell under the pointer
 * @selection: (nullable): the cell whose details are shown
 *
 * Draws a heat map or, if only one parameter varies, a line. Bright is better for every metric with
 * a better end, and the legend says so. Never blocks. */
void
cured_plot_draw (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                 const CuredPlotGeometry *geometry, const CuredPlotStyle *style,
                 const CuredPlotCursor *cursor, const CuredPlotCursor *selection)
{
  g_autoptr (CuredPlotCache) own = NULL;

  g_return_if_fail (cache == NULL || cache->grid == grid);

  if (cache == NULL)
    cache = own = cured_plot_cache_new (grid);
  cairo_save (cr);
  cairo_new_path (cr);
  _cured_plot_text_begin (cache->text, cr, style, 1);
  _cured_plot_text_begin (cache->small_text, cr, style, CURED_PLOT_SMALL_SCALE);
  if (style->draw_background)
    _cured_plot_fill_rect (cr, &(CuredRect){ 0, 0, geometry->width, geometry->height },
                           style->background, 1);
  if (geometry->plot.width >= 1 && geometry->plot.height >= 1)
    {
      /* A frame shows the edge of the grid even if cells are empty. */
      cairo_rectangle (cr, geometry->plot.x - 0.5, geometry->plot.y - 0.5, geometry->plot.width + 1,
                       geometry->plot.height + 1);
      _cured_plot_stroke (cr, style->dim, 0.4, 1);
      if (cured_grid_is_line (grid))
        _cured_plot_draw_line (cr, grid, cache, geometry, style);
      else
        {
          _cured_plot_draw_cells (cr, grid, cache, geometry, style);
          if (cured_grid_is_named (grid))
            _cured_plot_draw_borders (cr, grid, geometry, style);
          _cured_plot_draw_region (cr, grid, cache, geometry);
          _cured_plot_draw_contours (cr, cache, geometry, style);
        }
      draw_cursor (cr, grid, geometry, style, cursor, 1.5);
      draw_cursor (cr, grid, geometry, style, selection, 3);
      draw_bests (cr, grid, geometry, style);
    }
  if (style->draw_marginals)
    cured_plot_draw_marginals (cr, grid, cache, geometry, style, grid->column, grid->row);
  _cured_plot_draw_axes (cr, grid, cache, geometry, style);
  if (style->draw_keys)
    cured_plot_draw_keys (cr, grid, cache, geometry, style);
  cairo_restore (cr);
}

/* @cache: of @grid
 *
 * Draws the titles and the legend, which stay the same while the grid is moved. A style without
 * @draw_keys draws the rest. */
void
cured_plot_draw_keys (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                      const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  g_return_if_fail (cache->grid == grid);

  _cured_plot_text_begin (cache->text, cr, style, 1);
  _cured_plot_text_begin (cache->small_text, cr, style, CURED_PLOT_SMALL_SCALE);
  _cured_plot_draw_titles (cr, grid, cache, geometry, style);
  _cured_plot_draw_legend (cr, grid, cache, geometry, style);
}

/* Sizes of a separate picture. */

#define CELL_WIDTH   52.0
#define CELL_HEIGHT  34.0
#define LEAST_WIDTH  420.0
#define MOST_WIDTH   1400.0
#define LEAST_HEIGHT 240.0
#define MOST_HEIGHT  1000.0
#define LINE_HEIGHT  340.0

/* Room for curves along a row and a column. */
#define MARGINAL_WIDTH  95.0
#define MARGINAL_HEIGHT 70.0

/* Room around the cells for labels, titles, legend and keys. */
#define AROUND_WIDTH  150.0
#define AROUND_HEIGHT 120.0

void
_cured_plot_measure_grid (const CuredGrid *grid, double *width, double *height)
{
  gboolean is_line = cured_grid_is_line (grid);

  *width =
      CLAMP (CELL_WIDTH * (double) grid->nx, LEAST_WIDTH, is_line ? MOST_WIDTH / 2 : MOST_WIDTH) +
      AROUND_WIDTH;
  *height =
      (is_line ? LINE_HEIGHT : CLAMP (CELL_HEIGHT * (double) grid->ny, LEAST_HEIGHT, MOST_HEIGHT)) +
      AROUND_HEIGHT;
  if (grid->marginals && !is_line)
    {
      *width += MARGINAL_WIDTH;
      *height += MARGINAL_HEIGHT;
    }
}

void
_cured_plot_draw_grid (gconstpointer grid, cairo_t *cr, const CuredPlotStyle *style, double width,
                       double height)
{
  CuredPlotGeometry geometry;

  cured_plot_geometry_init (&geometry, grid, style, width, height);
  cured_plot_draw (cr, grid, NULL, &geometry, style, NULL, NULL);
}
