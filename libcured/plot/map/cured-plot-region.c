/* SPDX-License-Identifier: MIT
 * The outline of the cells that are nearly as good as the best one. */
#include "plot/map/cured-map-plot-private.h"

#include "base/cured-base-internal.h"

/* Implementation notes
 *
 * If cells are smaller than LEAST_BLOCK, blocks of 2 × 2, 4 × 4 … cells are outlined instead: a
 * block is inside if one of its cells is. The blocks of all sizes are made once per grid, so that a
 * frame costs only the visible ones. */

/* In user units. */
#define LEAST_BLOCK 4.0

/* Limit of edges in a frame; more are clutter, and slow. */
#define MOST_EDGES 6000

static guint8
is_inside (const guint8 *inside, gsize nx, gsize ny, gssize x, gssize y)
{
  return x >= 0 && y >= 0 && (gsize) x < nx && (gsize) y < ny &&
         inside[(gsize) y * nx + (gsize) x] != 0;
}

/* The edges between cells that are @inside and others, with straight runs merged, for the cells in
 * @range and their neighbours. */
void
_cured_plot_find_outline (const guint8 *inside, gsize nx, gsize ny, const CuredPlotRange *range,
                          GArray *edges)
{
  for (gsize y = range->y_begin; y <= range->y_end; y++)
    {
      gsize begin = range->x_begin;

      for (gsize x = range->x_begin; x <= range->x_end; x++)
        {
          gssize column = (gssize) x, row = (gssize) y;

          if (x < range->x_end && is_inside (inside, nx, ny, column, row - 1) !=
                                      is_inside (inside, nx, ny, column, row))
            continue;
          if (x > begin)
            {
              CuredPlotEdge edge = { begin, y, x, y };

              g_array_append_val (edges, edge);
            }
          begin = x + 1;
        }
    }
  for (gsize x = range->x_begin; x <= range->x_end; x++)
    {
      gsize begin = range->y_begin;

      for (gsize y = range->y_begin; y <= range->y_end; y++)
        {
          gssize column = (gssize) x, row = (gssize) y;

          if (y < range->y_end && is_inside (inside, nx, ny, column - 1, row) !=
                                      is_inside (inside, nx, ny, column, row))
            continue;
          if (y > begin)
            {
              CuredPlotEdge edge = { x, begin, x, y };

              g_array_append_val (edges, edge);
            }
          begin = y + 1;
        }
    }
}

typedef struct
{
  gsize nx, ny;
  guint8 *inside;
} Level;

CURED_CLEAR_FUNC (Level, level_clear, inside, g_free)

static GArray *
make_levels (const CuredGrid *grid)
{
  GArray *levels = g_array_new (FALSE, FALSE, sizeof (Level));
  Level level = { grid->nx, grid->ny, NULL };

  g_array_set_clear_func (levels, level_clear);
  level.inside = g_new (guint8, level.nx * level.ny);
  for (gsize i = 0; i < level.nx * level.ny; i++)
    level.inside[i] = cured_grid_is_near_best (grid, i);
  g_array_append_val (levels, level);
  while (level.nx > 1 || level.ny > 1)
    {
      Level half = { (level.nx + 1) / 2, (level.ny + 1) / 2, NULL };

      half.inside = g_new0 (guint8, half.nx * half.ny);
      for (gsize y = 0; y < level.ny; y++)
        for (gsize x = 0; x < level.nx; x++)
          half.inside[y / 2 * half.nx + x / 2] |= level.inside[y * level.nx + x];
      g_array_append_val (levels, half);
      level = half;
    }
  return levels;
}

static void
add_path (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
          const GArray *edges, gsize block)
{
  const CuredRect *plot = &geometry->plot;
  double cell_width = plot->width / geometry->visible.width;
  double cell_height = plot->height / geometry->visible.height;

  CURED_EACH (const CuredPlotEdge, edge, edges)
    {
      double xs[2] = { (double) MIN (edge->x1 * block, grid->nx),
                       (double) MIN (edge->x2 * block, grid->nx) };
      double ys[2] = { (double) MIN (edge->y1 * block, grid->ny),
                       (double) MIN (edge->y2 * block, grid->ny) };

      for (int end = 0; end < 2; end++)
        {
          /* Whole units, for a crisp line of two pixels. */
          double x = round (plot->x + (xs[end] - geometry->visible.x) * cell_width);
          double y = round (plot->y + plot->height - (ys[end] - geometry->visible.y) * cell_height);

          if (end == 0)
            cairo_move_to (cr, x, y);
          else
            cairo_line_to (cr, x, y);
        }
    }
}

/* Black on a light edge on any background, since the best cells are bright. Dashed, so that it is
 * not taken for a selection, even in grey. */
void
_cured_plot_stroke_region (cairo_t *cr)
{
  static const double dashes[] = { 5, 4 };

  cairo_set_line_cap (cr, CAIRO_LINE_CAP_SQUARE);
  cairo_set_line_width (cr, 5);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.9);
  cairo_stroke_preserve (cr);
  cairo_set_line_width (cr, 2);
  cairo_set_source_rgb (cr, 0.05, 0.05, 0.05);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_BUTT);
  cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

/* Outlines nearly best cells, if the grid asks for it. */
void
_cured_plot_draw_region (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                         const CuredPlotGeometry *geometry)
{
  double cell = MIN (geometry->plot.width / geometry->visible.width,
                     geometry->plot.height / geometry->visible.height);
  CuredPlotRange range;
  gsize block = 1;

  if (!cured_grid_has_region (grid))
    return;
  if (cache->levels == NULL)
    cache->levels = make_levels (grid);
  cured_plot_geometry_get_range (geometry, grid, &range);
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (CuredPlotEdge));
  for (guint i = 0; i < cache->levels->len; i++, block *= 2)
    {
      const Level *level = &g_array_index (cache->levels, Level, i);
      CuredPlotRange blocks = {
        range.x_begin / block,
        MIN ((range.x_end + block - 1) / block, level->nx),
        range.y_begin / block,
        MIN ((range.y_end + block - 1) / block, level->ny),
      };

      if (cell * (double) block < LEAST_BLOCK && i + 1 < cache->levels->len)
        continue;
      g_array_set_size (edges, 0);
      _cured_plot_find_outline (level->inside, level->nx, level->ny, &blocks, edges);
      if (edges->len <= MOST_EDGES)
        break;
    }
  _cured_plot_begin_clip (cr, &geometry->plot);
  cairo_new_path (cr);
  add_path (cr, grid, geometry, edges, block);
  _cured_plot_stroke_region (cr);
  cairo_restore (cr);
}
