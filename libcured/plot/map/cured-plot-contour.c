/* SPDX-License-Identifier: MIT
 * Lines of equal value of a second metric, over the cells of the first. */
#include "plot/map/cured-map-plot-private.h"

#include "base/cured-base-internal.h"

/* Implementation notes
 *
 * Marching squares: the corners of a square are the middles of four cells. A line crosses the
 * square's sides; each crossing is known by the number of its side, so that the pieces of
 * neighbouring squares are joined without looking at coordinates. A large grid is averaged in
 * blocks first, since the screen shows no finer lines. */

/* In user units. */
#define LEAST_LABELLED 48.0
#define MOST_LABELS    24

/* Distance of a line from a number, in user units. */
#define NUMBER_GAP 2.0

#define NO_SIDE G_MAXSIZE

CURED_FREE_FUNC (CuredPlotContour, contour_free, points, g_array_unref)

/* The lines of a level: for each side, the sides to which a line continues. */
typedef struct
{
  const double *values;
  gsize nx, ny;
  double level;
  gsize (*next)[2];
  guint8 *is_done;
} March;

/* From a cell to the right … */
static gsize
get_x_side (const March *self, gsize x, gsize y)
{
  return 2 * (y * self->nx + x);
}

/* … and upwards. */
static gsize
get_y_side (const March *self, gsize x, gsize y)
{
  return 2 * (y * self->nx + x) + 1;
}

static void
join (March *self, gsize a, gsize b)
{
  self->next[a][self->next[a][0] != NO_SIDE] = b;
  self->next[b][self->next[b][0] != NO_SIDE] = a;
}

static void
march_square (March *self, gsize x, gsize y)
{
  const double *v = self->values + y * self->nx + x;
  double corners[4] = { v[0], v[1], v[self->nx + 1], v[self->nx] };
  gsize sides[4] = { get_x_side (self, x, y), get_y_side (self, x + 1, y),
                     get_x_side (self, x, y + 1), get_y_side (self, x, y) };
  gsize crossed[4];
  int n_crossed = 0;
  double mean = 0;

  for (int i = 0; i < 4; i++)
    {
      if (isnan (corners[i]))
        return;
      mean += corners[i] / 4;
    }
  for (int i = 0; i < 4; i++)
    if ((corners[i] >= self->level) != (corners[(i + 1) % 4] >= self->level))
      crossed[n_crossed++] = sides[i];
  if (n_crossed == 2)
    join (self, crossed[0], crossed[1]);
  else if (n_crossed == 4)
    {
      /* A saddle: the middle belongs to one pair of corners, so the lines go around the other
       * two. */
      if ((mean >= self->level) == (corners[0] >= self->level))
        {
          join (self, crossed[0], crossed[1]);
          join (self, crossed[2], crossed[3]);
        }
      else
        {
          join (self, crossed[3], crossed[0]);
          join (self, crossed[1], crossed[2]);
        }
    }
}

static CuredPlotPoint
get_crossing (const March *self, gsize side)
{
  gsize cell = side / 2, to = side % 2 == 0 ? cell + 1 : cell + self->nx;
  double t = (self->level - self->values[cell]) / (self->values[to] - self->values[cell]);
  CuredPlotPoint point = { (double) (cell % self->nx) + 0.5, (double) (cell / self->nx) + 0.5 };

  if (side % 2 == 0)
    point.x += t;
  else
    point.y += t;
  return point;
}

static CuredPlotContour *
trace (March *self, gsize side)
{
  CuredPlotContour *contour = CURED_NEW (
      CuredPlotContour, .level = self->level, .is_closed = self->next[side][1] != NO_SIDE,
      .points = g_array_new (FALSE, FALSE, sizeof (CuredPlotPoint)));

  while (side != NO_SIDE)
    {
      CuredPlotPoint point = get_crossing (self, side);
      gsize next = NO_SIDE;

      g_array_append_val (contour->points, point);
      self->is_done[side] = TRUE;
      for (int i = 0; i < 2; i++)
        if (self->next[side][i] != NO_SIDE && !self->is_done[self->next[side][i]])
          next = self->next[side][i];
      side = next;
    }
  return contour;
}

/* The lines along which @values, @nx × @ny row by row, cross @levels. Coordinates are in cells; the
 * first one's middle is at 0.5. Holes are NaN. */
GPtrArray *
_cured_plot_find_contours (const double *values, gsize nx, gsize ny, const double *levels,
                           gsize n_levels)
{
  GPtrArray *contours = g_ptr_array_new_with_free_func (contour_free);
  gsize n_sides = 2 * nx * ny;
  March march = { values, nx, ny, 0, NULL, NULL };

  if (nx < 2 || ny < 2)
    return contours;
  march.next = g_malloc_n (n_sides, sizeof *march.next);
  march.is_done = g_new (guint8, n_sides);
  for (gsize k = 0; k < n_levels; k++)
    {
      march.level = levels[k];
      memset (march.is_done, 0, n_sides);
      for (gsize i = 0; i < n_sides; i++)
        march.next[i][0] = march.next[i][1] = NO_SIDE;
      for (gsize y = 0; y + 1 < ny; y++)
        for (gsize x = 0; x + 1 < nx; x++)
          march_square (&march, x, y);
      /* Open lines first; the remaining ones are closed. */
      for (int closed = 0; closed < 2; closed++)
        for (gsize i = 0; i < n_sides; i++)
          if (!march.is_done[i] && march.next[i][0] != NO_SIDE &&
              (closed || march.next[i][1] == NO_SIDE))
            g_ptr_array_add (contours, trace (&march, i));
    }
  g_free (march.next);
  g_free (march.is_done);
  return contours;
}

static GPtrArray *
make_contours (const CuredGrid *grid)
{
  double levels[CURED_PLOT_MAX_TICKS];
  CuredPlotBlocks blocks;
  gsize n_levels = _cured_plot_blocks_init (&blocks, grid, levels);
  GPtrArray *contours =
      _cured_plot_find_contours (blocks.values, blocks.nx, blocks.ny, levels, n_levels);

  CURED_EACH_POINTER (const CuredPlotContour, contour, contours)
    {
      CURED_EACH (CuredPlotPoint, point, contour->points)
        {
          point->x *= (double) blocks.width;
          point->y *= (double) blocks.height;
        }
    }
  g_free (blocks.values);
  return contours;
}

static CuredPlotPoint
place (const CuredPlotGeometry *geometry, const CuredPlotPoint *point)
{
  const CuredRect *plot = &geometry->plot, *v = &geometry->visible;

  return (CuredPlotPoint){
    plot->x + (point->x - v->x) * plot->width / v->width,
    plot->y + plot->height - (point->y - v->y) * plot->height / v->height,
  };
}

static gboolean
is_in (const CuredRect *rect, const CuredPlotPoint *point)
{
  return point->x >= rect->x && point->x <= rect->x + rect->width && point->y >= rect->y &&
         point->y <= rect->y + rect->height;
}

/* The visible length of a line. */
static double
measure_seen (const CuredPlotContour *contour, const CuredPlotGeometry *geometry)
{
  double length = 0;
  CuredPlotPoint before = { 0, 0 };

  for (guint i = 0; i < contour->points->len; i++)
    {
      CuredPlotPoint here = place (geometry, &g_array_index (contour->points, CuredPlotPoint, i));

      if (i > 0 && is_in (&geometry->plot, &here) && is_in (&geometry->plot, &before))
        length += hypot (here.x - before.x, here.y - before.y);
      before = here;
    }
  return length;
}

static gboolean
overlaps (const CuredRect *a, const CuredRect *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

/* The rectangle of a cell's number; FALSE if it has none. */
static gboolean
get_number_box (const CuredPlotCache *cache, const CuredPlotGeometry *geometry, gsize column,
                gsize row, CuredRect *box)
{
  const CuredGrid *grid = cache->grid;
  CuredRect cell;

  if (cache->number_width <= 0 || isnan (grid->values[row * grid->nx + column]))
    return FALSE;
  cured_plot_geometry_get_cell (geometry, grid, column, row, &cell);
  *box = (CuredRect){
    cell.x + (cell.width - cache->number_width) / 2 - NUMBER_GAP,
    cell.y + (cell.height - cache->number_height) / 2,
    cache->number_width + 2 * NUMBER_GAP,
    cache->number_height,
  };
  return TRUE;
}

static gboolean
covers_number (const CuredPlotCache *cache, const CuredPlotGeometry *geometry,
               const CuredRect *rect)
{
  const CuredGrid *grid = cache->grid;
  gsize first_column, last_column, first_row, last_row;

  if (cache->number_width <= 0)
    return FALSE;
  /* From the upper left corner to the lower right one. */
  if (!cured_plot_geometry_pick (geometry, grid, rect->x, rect->y, &first_column, &last_row) ||
      !cured_plot_geometry_pick (geometry, grid, rect->x + rect->width - 1,
                                 rect->y + rect->height - 1, &last_column, &first_row))
    return TRUE;
  for (gsize y = first_row; y <= last_row; y++)
    for (gsize x = first_column; x <= last_column; x++)
      {
        CuredRect box;

        if (get_number_box (cache, geometry, x, y, &box) && overlaps (&box, rect))
          return TRUE;
      }
  return FALSE;
}

/* Along the line, as near to its middle as there is room beside numbers and other labels; FALSE if
 * there is no room. */
static gboolean
find_label_place (const CuredPlotContour *contour, CuredPlotCache *cache,
                  const CuredPlotGeometry *geometry, const GArray *labels, CuredRect *rect)
{
  const CuredRect *plot = &geometry->plot;
  guint n = contour->points->len;
  double total = measure_seen (contour, geometry);

  if (total < LEAST_LABELLED)
    return FALSE;
  for (guint k = 0; k < n; k++)
    {
      /* From the middle outwards, on alternating sides. */
      guint i = k % 2 == 0 ? n / 2 + k / 2 : n / 2 - (k + 1) / 2;
      gboolean is_free = TRUE;

      if (i >= n)
        continue;
      CuredPlotPoint here = place (geometry, &g_array_index (contour->points, CuredPlotPoint, i));
      if (!is_in (plot, &here))
        continue;
      rect->x =
          round (CLAMP (here.x - rect->width / 2, plot->x, plot->x + plot->width - rect->width));
      rect->y =
          round (CLAMP (here.y - rect->height / 2, plot->y, plot->y + plot->height - rect->height));
      for (guint j = 0; is_free && j < labels->len; j++)
        is_free = !overlaps (&g_array_index (labels, CuredRect, j), rect);
      if (is_free && !covers_number (cache, geometry, rect))
        return TRUE;
    }
  return FALSE;
}

static void
draw_label (cairo_t *cr, CuredPlotCache *cache, const CuredPlotGeometry *geometry,
            const CuredPlotStyle *style, const CuredPlotContour *contour, GArray *labels)
{
  double height = _cured_plot_text_get_line_height (cache->small_text);
  g_autofree char *text = cured_format_quantity (contour->level, cache->grid->contour_metric.unit);
  CuredRect rect = {
    .width = _cured_plot_text_measure (cache->small_text, text) + height / 2,
    .height = height,
  };

  if (!find_label_place (contour, cache, geometry, labels, &rect))
    return;
  g_array_append_val (labels, rect);
  _cured_plot_fill_rect (cr, &rect, style->background, 0.9);
  _cured_plot_text_paint (cache->small_text, cr, style->foreground, text, CURED_ALIGN_START,
                          rect.x + height / 4, rect.y, -1);
}

/* Clips out the numbers of the cells. */
static void
clip_numbers (cairo_t *cr, const CuredPlotCache *cache, const CuredPlotGeometry *geometry)
{
  CuredPlotRange range;

  if (cache->number_width <= 0)
    return;
  cured_plot_geometry_get_range (geometry, cache->grid, &range);
  _cured_plot_add_rect (cr, &geometry->plot);
  for (gsize y = range.y_begin; y < range.y_end; y++)
    for (gsize x = range.x_begin; x < range.x_end; x++)
      {
        CuredRect box;

        if (get_number_box (cache, geometry, x, y, &box))
          cairo_rectangle (cr, round (box.x), round (box.y), round (box.width), round (box.height));
      }
  cairo_set_fill_rule (cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_clip (cr);
}

void
_cured_plot_draw_contours (cairo_t *cr, CuredPlotCache *cache, const CuredPlotGeometry *geometry,
                           const CuredPlotStyle *style)
{
  const CuredGrid *grid = cache->grid;

  if (grid->contour_values == NULL)
    return;
  if (cache->contours == NULL)
    cache->contours = make_contours (grid);
  _cured_plot_begin_clip (cr, &geometry->plot);
  cairo_new_path (cr);
  cairo_save (cr);
  clip_numbers (cr, cache, geometry);
  CURED_EACH_POINTER (const CuredPlotContour, contour, cache->contours)
    {
      for (guint k = 0; k < contour->points->len; k++)
        {
          CuredPlotPoint at = place (geometry, &g_array_index (contour->points, CuredPlotPoint, k));

          if (k == 0)
            cairo_move_to (cr, at.x, at.y);
          else
            cairo_line_to (cr, at.x, at.y);
        }
      if (contour->is_closed)
        cairo_close_path (cr);
    }
  _cured_plot_stroke_contour (cr);
  cairo_restore (cr);
  g_autoptr (GArray) labels = g_array_new (FALSE, FALSE, sizeof (CuredRect));
  for (guint i = 0; i < cache->contours->len && labels->len < MOST_LABELS; i++)
    draw_label (cr, cache, geometry, style, g_ptr_array_index (cache->contours, i), labels);
  cairo_restore (cr);
}
