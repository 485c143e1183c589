/* SPDX-License-Identifier: MIT
 * The cells of a heat map: colours, numbers, marks of states. */
#include "base/cured-base-internal.h"
#include "plot/map/cured-map-plot-private.h"

/* Implementation notes
 *
 * On screen, colours are one picture of the plot's size, filled by looking up the cell of each
 * pixel: the cost depends on the window and not on the grid, cairo's limit of 32767 pixels does not
 * apply to cells, and lines between large cells come for free. A million rectangles, and a picture
 * with one pixel per cell scaled by cairo, were slower. In vector files, cells are rectangles,
 * unless there are too many. */

/* Least size of a cell, in user units, for a mark of its state and for a gap. */
#define LEAST_FOR_MARK 7.0
#define LEAST_FOR_GAP  12.0

/* More marks than this are clutter, and slow. */
#define MOST_MARKS 3000

/* More rectangles than this make a file slow to open. */
#define MOST_RECTANGLES 20000

/* Limit of a picture's side, in pixels; larger ones are scaled up. */
#define MOST_PIXELS 8192

/* Least width of a cell beyond its number, in user units. */
#define NUMBER_MARGIN 5.0

/* Greatest size of numbers in large cells, relative to the text's. */
#define MOST_SCALE 2.0

/* Pixels per unit of a picture in vector files. */
#define VECTOR_SCALE 2.0

static gboolean
is_same_colour (CuredColour a, CuredColour b)
{
  return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

static guint32
get_pixel (CuredColour colour)
{
  return 0xff000000u | (guint32) lround (colour.red * 255) << 16 |
         (guint32) lround (colour.green * 255) << 8 | (guint32) lround (colour.blue * 255);
}

static gboolean
is_hidden (const CuredGrid *grid, gsize index)
{
  return grid->hide_alike && grid->is_alike != NULL && grid->is_alike[index];
}

/* The colour of a cell that has a value. */
static CuredColour
get_fill (const CuredGrid *grid, gsize index, CuredColour background)
{
  if (cured_grid_is_named (grid))
    return cured_factor_get_colour (cured_factor_from_value (grid->values[index]));
  CuredColour fill =
      cured_colour_map_get (grid->colours, cured_grid_get_position (grid, grid->values[index]));
  return grid->is_alike != NULL && grid->is_alike[index]
             ? _cured_plot_mix (fill, background, CURED_PLOT_FAINT)
             : fill;
}

static void
make_pixels (CuredPlotCache *cache, const CuredPlotStyle *style)
{
  const CuredGrid *grid = &cache->shades;
  gsize n = grid->nx * grid->ny;
  guint32 looks[CURED_N_LOOKS];

  if (cache->pixels != NULL && is_same_colour (cache->background, style->background) &&
      is_same_colour (cache->foreground, style->foreground))
    return;
  for (guint i = 0; i < CURED_N_LOOKS; i++)
    looks[i] = get_pixel (_cured_plot_state_fill (style, i));
  /* Cells without a value yet are transparent. */
  looks[CURED_STATE_NOT_RUN] = 0;
  looks[CURED_LOOK_EMPTY] = 0;
  if (cache->pixels == NULL)
    cache->pixels = g_new (guint32, n);
  for (gsize i = 0; i < n; i++)
    {
      double value = grid->values[i];

      if (isnan (value))
        cache->pixels[i] = looks[cured_grid_get_look (grid, i)];
      else if (cured_grid_is_named (grid))
        cache->pixels[i] = get_pixel (get_fill (grid, i, style->background));
      else if (grid->is_alike != NULL && grid->is_alike[i])
        cache->pixels[i] =
            is_hidden (grid, i) ? 0 : get_pixel (get_fill (grid, i, style->background));
      else
        cache->pixels[i] =
            cured_colour_map_get_pixel (grid->colours, cured_grid_get_position (grid, value));
    }
  cache->background = style->background;
  cache->foreground = style->foreground;
}

/* Pixels per unit on the surface, if it has pixels at all. */
static void
get_scale (cairo_t *cr, const CuredPlotStyle *style, double *x, double *y)
{
  double dx = 1, dy = 1, shear = 0;

  if (style->vector)
    {
      *x = VECTOR_SCALE;
      *y = VECTOR_SCALE;
      return;
    }
  cairo_surface_get_device_scale (cairo_get_target (cr), x, y);
  cairo_user_to_device_distance (cr, &dx, &shear);
  shear = 0;
  cairo_user_to_device_distance (cr, &shear, &dy);
  *x *= fabs (dx);
  *y *= fabs (dy);
}

/* Size of the picture of the visible cells. */
static void
get_picture_size (const CuredPlotGeometry *geometry, double scale_x, double scale_y, int *width,
                  int *height)
{
  *width = (int) CLAMP (round (geometry->plot.width * scale_x), 1, MOST_PIXELS);
  *height = (int) CLAMP (round (geometry->plot.height * scale_y), 1, MOST_PIXELS);
}

/* @stride: in pixels. */
static void
fill_picture (const CuredPlotCache *cache, const CuredPlotGeometry *geometry,
              const CuredPlotStyle *style, guint32 *data, int width, int height, int stride)
{
  const CuredGrid *grid = cache->grid;
  const CuredRect *v = &geometry->visible;
  g_autofree gsize *columns = g_new (gsize, (gsize) width + 1);
  gsize before = G_MAXSIZE;
  gboolean has_gaps = geometry->plot.width / v->width >= LEAST_FOR_GAP &&
                      geometry->plot.height / v->height >= LEAST_FOR_GAP && !style->vector &&
                      !cured_grid_is_named (grid);

  for (int i = 0; i < width; i++)
    columns[i] = MIN ((gsize) MAX (v->x + (i + 0.5) / width * v->width, 0), grid->nx - 1);
  columns[width] = columns[width - 1];
  for (int k = 0; k < height; k++)
    {
      gsize row = MIN ((gsize) MAX (v->y + (1 - (k + 0.5) / height) * v->height, 0), grid->ny - 1);
      const guint32 *from = cache->pixels + row * grid->nx;
      guint32 *to = data + (gsize) k * (gsize) stride;

      if (row == before)
        memcpy (to, to - stride, (gsize) width * sizeof *to);
      else if (has_gaps)
        {
          /* The last pixel of a cell is the line to the next one. */
          for (int i = 0; i < width; i++)
            to[i] = columns[i] == columns[i + 1] ? from[columns[i]] : 0;
          if (k > 0)
            memset (to - stride, 0, (gsize) width * sizeof *to);
        }
      else
        for (int i = 0; i < width; i++)
          to[i] = from[columns[i]];
      before = row;
    }
}

/* The picture that is not on screen. GTK's recording refers to the last frame's until the next is
 * drawn, and Cairo would copy that one before a change. */
static cairo_surface_t *
take_image (CuredPlotCache *cache, int width, int height)
{
  cairo_surface_t **image = &cache->images[cache->n_pictures++ % G_N_ELEMENTS (cache->images)];

  if (*image == NULL || cairo_image_surface_get_width (*image) != width ||
      cairo_image_surface_get_height (*image) != height)
    {
      g_clear_pointer (image, cairo_surface_destroy);
      *image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
    }
  return *image;
}

static void
draw_picture (cairo_t *cr, CuredPlotCache *cache, const CuredPlotGeometry *geometry,
              const CuredPlotStyle *style)
{
  double scale_x, scale_y;
  int width, height;

  get_scale (cr, style, &scale_x, &scale_y);
  get_picture_size (geometry, scale_x, scale_y, &width, &height);
  cairo_surface_t *image = take_image (cache, width, height);
  if (cairo_surface_status (image) != CAIRO_STATUS_SUCCESS)
    return;
  cairo_surface_flush (image);
  fill_picture (cache, geometry, style, (guint32 *) (void *) cairo_image_surface_get_data (image),
                width, height, cairo_image_surface_get_stride (image) / 4);
  cairo_surface_mark_dirty (image);

  cairo_save (cr);
  cairo_translate (cr, geometry->plot.x, geometry->plot.y);
  cairo_scale (cr, geometry->plot.width / width, geometry->plot.height / height);
  cairo_set_source_surface (cr, image, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
  cairo_restore (cr);
}

/* @grid: a heat map, not a line
 * @cache: of @grid
 * @style: colours
 * @scale: pixels per unit
 * @width: (out): of the picture, in pixels
 * @height: (out): likewise
 *
 * Only the colours of the cells, as pixels for a texture that covers the geometry's plot; the rest
 * of the map is drawn on top, with a style without @draw_cells.
 * Returns: (transfer full) (nullable): @width * @height pixels of `CAIRO_FORMAT_ARGB32`, row by row
 *   without padding; %NULL if the size is 0 */
GBytes *
cured_plot_render_cells (const CuredGrid *grid, CuredPlotCache *cache,
                         const CuredPlotGeometry *geometry, const CuredPlotStyle *style,
                         double scale, int *width, int *height)
{
  guint32 *data;

  g_return_val_if_fail (cache->grid == grid, NULL);

  if (geometry->plot.width < 1 || geometry->plot.height < 1)
    return NULL;
  make_pixels (cache, style);
  get_picture_size (geometry, scale, scale, width, height);
  gsize n_bytes = (gsize) *width * (gsize) *height * sizeof *data;
  data = g_malloc (n_bytes);
  fill_picture (cache, geometry, style, data, *width, *height, *width);
  return g_bytes_new_take (data, n_bytes);
}

static void
draw_rectangles (cairo_t *cr, CuredPlotCache *cache, const CuredPlotGeometry *geometry,
                 const CuredPlotRange *range)
{
  const CuredGrid *grid = cache->grid;

  cairo_save (cr);
  /* No antialiasing, to avoid seams between neighbours. */
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  for (gsize y = range->y_begin; y < range->y_end; y++)
    for (gsize x = range->x_begin; x < range->x_end; x++)
      {
        guint32 pixel = cache->pixels[y * grid->nx + x];
        CuredRect cell;
        double gap;

        if (pixel == 0)
          continue;
        cured_plot_geometry_get_cell (geometry, grid, x, y, &cell);
        gap =
            MIN (cell.width, cell.height) >= LEAST_FOR_GAP && !cured_grid_is_named (grid) ? 0.5 : 0;
        cairo_rectangle (cr, cell.x, cell.y + gap, cell.width - gap, cell.height - gap);
        cairo_set_source_rgb (cr, (pixel >> 16 & 0xff) / 255.0, (pixel >> 8 & 0xff) / 255.0,
                              (pixel & 0xff) / 255.0);
        cairo_fill (cr);
      }
  cairo_restore (cr);
}

static void
draw_marks (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
            const CuredPlotStyle *style, const CuredPlotRange *range)
{
  gsize n_marks = 0;
  CuredRect cell;

  for (gsize y = range->y_begin; y < range->y_end; y++)
    for (gsize x = range->x_begin; x < range->x_end; x++)
      if (isnan (grid->values[y * grid->nx + x]))
        n_marks++;
  if (n_marks == 0 || n_marks > MOST_MARKS)
    return;

  for (gsize y = range->y_begin; y < range->y_end; y++)
    for (gsize x = range->x_begin; x < range->x_end; x++)
      {
        gsize begin = x;

        if (grid->states[y * grid->nx + x] != CURED_STATE_NOT_LAUNCHABLE)
          continue;
        /* Fill a run of cells as one area: continuous hatching, and faster. */
        while (x + 1 < range->x_end &&
               grid->states[y * grid->nx + x + 1] == CURED_STATE_NOT_LAUNCHABLE)
          x++;
        cured_plot_geometry_get_cell (geometry, grid, begin, y, &cell);
        cell.width *= (double) (x - begin + 1);
        _cured_plot_add_rect (cr, &cell);
      }
  cairo_save (cr);
  cairo_clip (cr);
  _cured_plot_draw_hatch (cr, style);
  cairo_restore (cr);

  for (gsize y = range->y_begin; y < range->y_end; y++)
    for (gsize x = range->x_begin; x < range->x_end; x++)
      if (isnan (grid->values[y * grid->nx + x]))
        {
          cured_plot_geometry_get_cell (geometry, grid, x, y, &cell);
          _cured_plot_draw_state_mark (cr, style, cured_grid_get_look (grid, y * grid->nx + x),
                                       &cell);
        }
}

/* Marks the corners of cells that are ok but have findings of the emulator, or of cells with a
 * note. @is_marked: (nullable): one per cell */
static void
draw_corners (cairo_t *cr, const CuredGrid *grid, const CuredPlotGeometry *geometry,
              const CuredPlotStyle *style, const CuredPlotRange *range, const guint8 *is_marked,
              gsize n_marked, void (*draw) (cairo_t *, const CuredPlotStyle *, const CuredRect *))
{
  if (n_marked == 0 || n_marked > MOST_MARKS)
    return;
  for (gsize y = range->y_begin; y < range->y_end; y++)
    for (gsize x = range->x_begin; x < range->x_end; x++)
      if (is_marked[y * grid->nx + x])
        {
          CuredRect cell;

          cured_plot_geometry_get_cell (geometry, grid, x, y, &cell);
          draw (cr, style, &cell);
        }
}

/* A result of one cell: shows only its value. */
static void
draw_only_number (cairo_t *cr, CuredPlotCache *cache, const CuredPlotGeometry *geometry)
{
  const CuredGrid *grid = cache->grid;
  const CuredRect *plot = &geometry->plot;
  double value = grid->values[0];
  double scale;

  if (isnan (value))
    return;
  g_autofree char *number = _cured_plot_scale_format (&cache->scale, value);
  g_autofree char *text = *cache->scale.unit == '\0'
                              ? g_strdup (number)
                              : g_strdup_printf ("%s %s", number, cache->scale.unit);
  double width = _cured_plot_text_measure (cache->text, text);
  double size = _cured_plot_text_get_line_height (cache->text);
  scale = MIN (plot->width / (width + size), plot->height / (2 * size));
  scale = MIN (scale, 3);
  cairo_save (cr);
  cairo_translate (cr, plot->x + plot->width / 2, plot->y + (plot->height - size * scale) / 2);
  cairo_scale (cr, scale, scale);
  if (_cured_plot_is_light (cured_colour_map_get (grid->colours, 0.5)))
    cairo_set_source_rgb (cr, 0.08, 0.08, 0.08);
  else
    cairo_set_source_rgb (cr, 1, 1, 1);
  _cured_plot_text_draw (cache->text, cr, text, CURED_ALIGN_CENTRE, 0, 0, -1);
  cairo_restore (cr);
}

static double
measure_widest (CuredPlotText *font, const GPtrArray *texts)
{
  double widest = 0;

  for (guint i = 0; i < texts->len; i++)
    if (g_ptr_array_index (texts, i) != NULL)
      widest = MAX (widest, _cured_plot_text_measure_number (font, g_ptr_array_index (texts, i)));
  return widest;
}

/* Numbers grow with their cells, in few steps, so that layouts can be
 * reused. */
static CuredPlotText *
choose_font (cairo_t *cr, CuredPlotCache *cache, const CuredPlotStyle *style, double widest,
             double cell_width, double cell_height)
{
  double scale = MIN ((cell_width - NUMBER_MARGIN) / MAX (widest, 1) * 0.6,
                      cell_height / _cured_plot_text_get_line_height (cache->text) / 3);

  scale = floor (MIN (scale, MOST_SCALE) * 4) / 4;
  if (scale <= 1)
    return cache->text;
  _cured_plot_text_begin (cache->large_text, cr, style, scale);
  return cache->large_text;
}

static void
draw_numbers (cairo_t *cr, CuredPlotCache *cache, const CuredPlotGeometry *geometry,
              const CuredPlotStyle *style, const CuredPlotRange *range)
{
  const CuredGrid *grid = cache->grid;
  double cell_width = geometry->plot.width / geometry->visible.width;
  double cell_height = geometry->plot.height / geometry->visible.height;
  gsize n_x = range->x_end - range->x_begin;
  CuredPlotText *font = cache->text;

  if (cell_height < geometry->line_height || cell_width < 1.5 * geometry->line_height)
    return;
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  for (gsize y = range->y_begin; y < range->y_end; y++)
    for (gsize x = range->x_begin; x < range->x_end; x++)
      {
        double value = grid->values[y * grid->nx + x];

        g_ptr_array_add (texts, isnan (value) || is_hidden (grid, y * grid->nx + x)
                                    ? NULL
                                    : _cured_plot_scale_format (&cache->scale, value));
      }
  /* All or none: a map with gaps in its numbers reads as missing data. */
  if (measure_widest (font, texts) + NUMBER_MARGIN > cell_width)
    {
      font = cache->small_text;
      if (measure_widest (font, texts) + NUMBER_MARGIN > cell_width)
        return;
    }
  else
    font = choose_font (cr, cache, style, measure_widest (font, texts), cell_width, cell_height);
  cache->number_width = measure_widest (font, texts);
  cache->number_height = _cured_plot_text_get_line_height (font);
  for (int dark = 0; dark < 2; dark++)
    {
      for (guint i = 0; i < texts->len; i++)
        {
          gsize x = range->x_begin + i % n_x, y = range->y_begin + i / n_x;
          CuredRect cell;

          if (g_ptr_array_index (texts, i) == NULL)
            continue;
          CuredColour fill = get_fill (&cache->shades, y * grid->nx + x, cache->background);
          if (_cured_plot_is_light (fill) != dark)
            continue;
          cured_plot_geometry_get_cell (geometry, grid, x, y, &cell);
          _cured_plot_text_add_number (font, g_ptr_array_index (texts, i), CURED_ALIGN_CENTRE,
                                       cell.x + cell.width / 2, cell.y + cell.height / 2);
        }
      if (dark)
        cairo_set_source_rgb (cr, 0.08, 0.08, 0.08);
      else
        cairo_set_source_rgb (cr, 1, 1, 1);
      _cured_plot_text_flush_numbers (font, cr);
    }
}

void
_cured_plot_draw_cells (cairo_t *cr, const CuredGrid *grid, CuredPlotCache *cache,
                        const CuredPlotGeometry *geometry, const CuredPlotStyle *style)
{
  CuredPlotRange range;
  double cell_width = geometry->plot.width / geometry->visible.width;
  double cell_height = geometry->plot.height / geometry->visible.height;

  if (geometry->plot.width < 1 || geometry->plot.height < 1)
    return;
  cured_plot_geometry_get_range (geometry, grid, &range);
  gsize n_x = range.x_end - range.x_begin, n_y = range.y_end - range.y_begin;
  make_pixels (cache, style);
  cache->number_width = 0;
  _cured_plot_begin_clip (cr, &geometry->plot);
  if (!style->draw_cells)
    ;
  else if (style->vector && n_x <= MOST_RECTANGLES / n_y)
    draw_rectangles (cr, cache, geometry, &range);
  else
    draw_picture (cr, cache, geometry, style);
  if (MIN (cell_width, cell_height) >= LEAST_FOR_MARK)
    {
      draw_marks (cr, grid, geometry, style, &range);
      draw_corners (cr, grid, geometry, style, &range, grid->is_flagged, grid->n_flagged,
                    _cured_plot_draw_flag);
      draw_corners (cr, grid, geometry, style, &range, grid->is_noted, grid->n_noted,
                    _cured_plot_draw_note);
    }
  if (cured_grid_is_named (grid))
    _cured_plot_draw_names (cr, grid, cache, geometry);
  else if (grid->nx * grid->ny == 1)
    draw_only_number (cr, cache, geometry);
  else
    draw_numbers (cr, cache, geometry, style, &range);
  cairo_restore (cr);
}
