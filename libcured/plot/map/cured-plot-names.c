/* SPDX-License-Identifier: MIT
 * Regions of one name: the borders between them, and their names. */
#include "plot/map/cured-map-plot-private.h"

#include "base/cured-base-internal.h"

/* More borders than this are clutter, and slow. */
#define MOST_EDGES 20000

/* Margin beside a name, in user units. */
#define NAME_MARGIN 8.0

/* Whether two cells need a border between them. NaN means no name. */
static gboolean
differ (double a, double b)
{
  return isnan (a) != isnan (b) || (!isnan (a) && (int) a != (int) b);
}

/* Draws lines between cells that have different names. */
void
_cured_plot_draw_borders (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
                          const CuredPlotStyle *style)
{
  CuredPlotRange range;
  gsize n_edges = 0;

  cured_plot_geometry_get_range (geometry, grid, &range);
  _cured_plot_begin_clip (cr, &geometry->plot);
  cairo_new_path (cr);
  for (gsize y = range.y_begin; y < range.y_end; y++)
    for (gsize x = range.x_begin; x < range.x_end; x++)
      {
        const double *value = &grid->values[y * grid->nx + x];
        CuredRect cell;

        cured_plot_geometry_get_cell (geometry, grid, x, y, &cell);
        /* Whole units, for a crisp line of two pixels. */
        double left = round (cell.x), top = round (cell.y);
        if (x > 0 && differ (value[0], value[-1]))
          {
            _cured_plot_add_line (cr, left, top, left, round (cell.y + cell.height));
            n_edges++;
          }
        if (y + 1 < grid->ny && differ (value[0], value[grid->nx]))
          {
            _cured_plot_add_line (cr, left, top, round (cell.x + cell.width), top);
            n_edges++;
          }
      }
  if (n_edges <= MOST_EDGES)
    {
      cairo_set_line_cap (cr, CAIRO_LINE_CAP_SQUARE);
      _cured_plot_stroke (cr, style->foreground, 1, 2);
    }
  cairo_new_path (cr);
  cairo_restore (cr);
}

/* The place of a name: a run of adjacent cells of a region. */
typedef struct
{
  gsize begin, end, row;
} Run;

/* Marks all cells of the region at @index as seen, and returns its longest run; the middle one of
 * equally long ones. */
static Run
find_run (const CuredGrid *grid, const CuredPlotRange *range, gsize index, guint8 *is_seen)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (Run));
  Run longest = { 0 };
  guint n_longest = 0;

  is_seen[index] = TRUE;
  g_array_append_val (stack, index);
  while (stack->len > 0)
    {
      gsize at = g_array_index (stack, gsize, stack->len - 1), x = at % grid->nx, y = at / grid->nx;
      const double *value = &grid->values[at];
      gsize next[4];
      guint n_next = 0;

      g_array_set_size (stack, stack->len - 1);
      if (x > range->x_begin)
        next[n_next++] = at - 1;
      if (x + 1 < range->x_end)
        next[n_next++] = at + 1;
      if (y > range->y_begin)
        next[n_next++] = at - grid->nx;
      if (y + 1 < range->y_end)
        next[n_next++] = at + grid->nx;
      for (guint i = 0; i < n_next; i++)
        if (!is_seen[next[i]] && !differ (*value, grid->values[next[i]]))
          {
            is_seen[next[i]] = TRUE;
            g_array_append_val (stack, next[i]);
          }
      /* Look at each run once, at its first cell. */
      if (x == range->x_begin || differ (value[0], value[-1]))
        {
          Run run = { x, x + 1, y };

          while (run.end < range->x_end && !differ (value[0], grid->values[y * grid->nx + run.end]))
            run.end++;
          g_array_append_val (runs, run);
        }
    }
  CURED_EACH (const Run, run, runs)
    {
      gsize length = run->end - run->begin;

      if (length > longest.end - longest.begin)
        {
          longest = *run;
          n_longest = 1;
        }
      else if (length == longest.end - longest.begin)
        n_longest++;
    }
  for (guint i = 0, k = 0; i < runs->len && n_longest > 2; i++)
    {
      const Run *run = &g_array_index (runs, Run, i);

      if (run->end - run->begin == longest.end - longest.begin && k++ == n_longest / 2)
        return *run;
    }
  return longest;
}

/* Writes the name of each region into it, if there is room, so that colours are not needed to
 * distinguish regions. */
void
_cured_plot_draw_names (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                        const CuredPlotGeometry *geometry)
{
  double cell_width = geometry->plot.width / geometry->visible.width;
  double cell_height = geometry->plot.height / geometry->visible.height;
  CuredPlotRange range;

  if (cell_height < geometry->line_height)
    return;
  cured_plot_geometry_get_range (geometry, grid, &range);
  g_autofree guint8 *is_seen = g_new0 (guint8, grid->nx * grid->ny);
  for (gsize y = range.y_begin; y < range.y_end; y++)
    for (gsize x = range.x_begin; x < range.x_end; x++)
      {
        gsize index = y * grid->nx + x;
        CuredRect cell;

        if (is_seen[index] || isnan (grid->values[index]))
          continue;
        Run run = find_run (grid, &range, index, is_seen);
        int limit = cured_factor_from_value (grid->values[index]);
        const char *title = cured_factor_get_title (limit);
        double room = cell_width * (double) (run.end - run.begin);
        if (_cured_plot_text_measure (cache->text, title) + NAME_MARGIN > room)
          continue;
        cured_plot_geometry_get_cell (geometry, grid, run.begin, run.row, &cell);
        if (_cured_plot_is_light (cured_factor_get_colour (limit)))
          cairo_set_source_rgb (cr, 0.08, 0.08, 0.08);
        else
          cairo_set_source_rgb (cr, 1, 1, 1);
        _cured_plot_text_draw (cache->text, cr, title, CURED_ALIGN_CENTRE, cell.x + room / 2,
                               cell.y + (cell.height - geometry->line_height) / 2, -1);
      }
}
