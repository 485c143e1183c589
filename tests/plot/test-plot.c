/* SPDX-License-Identifier: MIT
 * Geometry of a plot, and that what is drawn is what is in the grid. */
#include "cured-plot.h"
#include "plot/map/cured-grid-internal.h"
#include "plot/map/cured-map-plot-private.h"

#include <math.h>
#include <string.h>
#include "measure/cured-measure-internal.h"
#include "test.h"

typedef struct
{
  gsize nx;
  gsize ny; /* 0: no vertical axis */
} Size;

static const Size sizes[] = {
  { 1, 1 }, { 1, 0 }, { 1, 40 }, { 40, 1 }, { 40, 0 }, { 7, 5 }, { 16, 9 }, { 65, 3 }, { 300, 200 },
};

static CuredAxis *
make_axis (gsize n)
{
  g_autofree gint64 *values = g_new (gint64, n);

  for (gsize i = 0; i < n; i++)
    values[i] = (gint64) i + 1;
  return cured_axis_new (values, n);
}

/* The best cell is in the middle, the worst at the origin. */
static CuredGrid *
make_grid (gsize nx, gsize ny)
{
  CuredGrid *grid = g_new0 (CuredGrid, 1);

  grid->nx = nx;
  grid->ny = MAX (ny, 1);
  gsize n = grid->nx * grid->ny;
  grid->x_values = make_axis (nx);
  grid->x_title = g_strdup ("tile");
  grid->x_summary = g_strdup ("Edge of a tile");
  if (ny > 0)
    {
      grid->y_values = make_axis (ny);
      grid->y_title = g_strdup ("blocks");
    }
  grid->values = g_new (double, n);
  grid->states = g_new (guint8, n);
  grid->cells = g_new0 (gint64, n);
  grid->metric = *cured_metric_info (CURED_METRIC_time);
  grid->colours = cured_colour_map_find (NULL);
  grid->best = (gssize) (n / 2);
  for (gsize i = 0; i < n; i++)
    {
      grid->values[i] = 2e5 - 1e5 * (double) i / (double) n;
      grid->states[i] = CURED_STATE_OK;
    }
  grid->values[grid->best] = 5e4;
  grid->low = 5e4;
  grid->high = n > 1 ? 2e5 : 5e4;
  grid->n_states[CURED_STATE_OK] = n;
  return grid;
}

static void
set_state (CuredGrid *grid, gsize column, gsize row, CuredState state)
{
  gsize i = row * grid->nx + column;

  grid->n_states[grid->states[i]]--;
  grid->states[i] = (guint8) state;
  grid->n_states[state]++;
  grid->values[i] = NAN;
}

static void
lay_out (CuredPlotGeometry *geometry, const CuredGrid *grid, double width, double height)
{
  CuredPlotStyle style;

  cured_plot_style_init (&style, FALSE);
  cured_plot_geometry_init (geometry, grid, &style, width, height);
}

/* Draws with no text, cursor or legend in the way of counting pixels. */
static cairo_surface_t *
draw (const CuredGrid *grid, CuredPlotCache *cache, const CuredPlotGeometry *geometry,
      gboolean dark)
{
  cairo_surface_t *surface = cairo_image_surface_create (
      CAIRO_FORMAT_ARGB32, (int) MAX (geometry->width, 1), (int) MAX (geometry->height, 1));
  cairo_t *cr = cairo_create (surface);
  CuredPlotStyle style;

  cured_plot_style_init (&style, dark);
  cured_plot_draw (cr, grid, cache, geometry, &style, NULL, NULL);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  return surface;
}

static guint32
get_pixel (cairo_surface_t *surface, double x, double y)
{
  const guchar *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);
  guint32 pixel;

  g_assert_cmpint ((int) x, <, cairo_image_surface_get_width (surface));
  g_assert_cmpint ((int) y, <, cairo_image_surface_get_height (surface));
  memcpy (&pixel, data + (int) y * stride + (int) x * 4, 4);
  return pixel;
}

static void
assert_inside (const CuredPlotGeometry *geometry, const CuredRect *rect)
{
  g_assert_cmpfloat (rect->width, >=, 0);
  g_assert_cmpfloat (rect->height, >=, 0);
  if (rect->width <= 0 || rect->height <= 0)
    return;
  g_assert_cmpfloat (rect->x, >=, 0);
  g_assert_cmpfloat (rect->y, >=, 0);
  g_assert_cmpfloat (rect->x + rect->width, <=, geometry->width + 0.001);
  g_assert_cmpfloat (rect->y + rect->height, <=, geometry->height + 0.001);
}

TEST ("/plot/geometry/layout")
{
  static const double lengths[] = { 0, 1, 5, 20, 60, 150, 300, 720, 2560 };

  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
      for (gsize j = 0; j < G_N_ELEMENTS (lengths); j++)
        {
          g_autoptr (CuredGrid) grid = make_grid (sizes[k].nx, sizes[k].ny);
          CuredPlotGeometry geometry;

          lay_out (&geometry, grid, lengths[i], lengths[j]);
          assert_inside (&geometry, &geometry.plot);
          assert_inside (&geometry, &geometry.legend);
          assert_inside (&geometry, &geometry.keys);
          g_assert_cmpfloat (geometry.visible.width, ==, (double) grid->nx);
          g_assert_cmpfloat (geometry.visible.height, ==, (double) grid->ny);
          if (geometry.legend.width > 0)
            g_assert_cmpfloat (geometry.legend.x, >, geometry.plot.x + geometry.plot.width);
          if (geometry.keys.height > 0)
            g_assert_cmpfloat (geometry.keys.y, >, geometry.plot.y + geometry.plot.height);
          /* Most of a usual window is the map. */
          if (lengths[i] >= 300 && lengths[j] >= 300)
            g_assert_cmpfloat (geometry.plot.width * geometry.plot.height, >,
                               0.35 * lengths[i] * lengths[j]);
        }
}

static void
check_pick (const CuredPlotGeometry *geometry, const CuredGrid *grid)
{
  gsize step_x = MAX (grid->nx / 23, 1);
  gsize step_y = MAX (grid->ny / 23, 1);

  for (gsize row = 0; row < grid->ny; row += step_y)
    for (gsize column = 0; column < grid->nx; column += step_x)
      {
        /* The middle, and just inside each corner. */
        static const double at[][2] = {
          { 0.5, 0.5 }, { 0.01, 0.01 }, { 0.99, 0.01 }, { 0.01, 0.99 }, { 0.99, 0.99 },
        };
        CuredRect cell;

        cured_plot_geometry_get_cell (geometry, grid, column, row, &cell);
        for (gsize i = 0; i < G_N_ELEMENTS (at); i++)
          {
            double x = cell.x + at[i][0] * cell.width;
            double y = cell.y + at[i][1] * cell.height;
            const CuredRect *plot = &geometry->plot;
            gboolean is_inside = x >= plot->x && x < plot->x + plot->width && y >= plot->y &&
                                 y < plot->y + plot->height;
            gsize got_column = 0, got_row = 0;

            g_assert_cmpint (cured_plot_geometry_pick (geometry, grid, x, y, &got_column, &got_row),
                             ==, is_inside);
            if (!is_inside)
              continue;
            g_assert_cmpuint (got_column, ==, column);
            g_assert_cmpuint (got_row, ==, row);
          }
      }
}

TEST ("/plot/geometry/pick")
{
  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autoptr (CuredGrid) grid = make_grid (sizes[k].nx, sizes[k].ny);
      CuredPlotGeometry geometry;
      gsize column = 99, row = 99;

      lay_out (&geometry, grid, 900, 600);
      check_pick (&geometry, grid);
      cured_plot_geometry_zoom (&geometry, grid, 2.7, 300, 300);
      check_pick (&geometry, grid);
      cured_plot_geometry_pan (&geometry, grid, 33.3, -21.7);
      check_pick (&geometry, grid);

      g_assert_false (
          cured_plot_geometry_pick (&geometry, grid, geometry.plot.x - 1, 300, &column, &row));
      g_assert_false (cured_plot_geometry_pick (&geometry, grid, 300, -5, &column, &row));
      g_assert_false (cured_plot_geometry_pick (&geometry, grid, NAN, 300, &column, &row));
      g_assert_cmpuint (column, ==, 99);
    }
}

/* Rows count upwards, as on paper. */
TEST ("/plot/geometry/upwards")
{
  g_autoptr (CuredGrid) grid = make_grid (4, 3);
  CuredPlotGeometry geometry;
  CuredRect low, high;

  lay_out (&geometry, grid, 900, 600);
  cured_plot_geometry_get_cell (&geometry, grid, 0, 0, &low);
  cured_plot_geometry_get_cell (&geometry, grid, 0, 2, &high);
  g_assert_cmpfloat (low.y, >, high.y);
  g_assert_cmpfloat_with_epsilon (low.y + low.height, geometry.plot.y + geometry.plot.height, 1e-9);
  g_assert_cmpfloat_with_epsilon (high.y, geometry.plot.y, 1e-9);
}

/* Where a point of the drawing is in the grid, not rounded to cells. */
static void
locate (const CuredPlotGeometry *geometry, double x, double y, double *column, double *row)
{
  *column =
      geometry->visible.x + (x - geometry->plot.x) / geometry->plot.width * geometry->visible.width;
  *row = geometry->visible.y +
         (1 - (y - geometry->plot.y) / geometry->plot.height) * geometry->visible.height;
}

TEST ("/plot/geometry/zoom")
{
  g_autoptr (CuredGrid) grid = make_grid (300, 200);
  CuredPlotGeometry geometry;
  double x, y;

  lay_out (&geometry, grid, 900, 600);
  CuredRect whole = geometry.visible;
  x = geometry.plot.x + 0.3 * geometry.plot.width;
  y = geometry.plot.y + 0.8 * geometry.plot.height;
  for (int i = 0; i < 30; i++)
    {
      double column, row, column_after, row_after;

      locate (&geometry, x, y, &column, &row);
      cured_plot_geometry_zoom (&geometry, grid, 1.15, x, y);
      locate (&geometry, x, y, &column_after, &row_after);
      g_assert_cmpfloat_with_epsilon (column, column_after, 1e-9);
      g_assert_cmpfloat_with_epsilon (row, row_after, 1e-9);
      g_assert_cmpfloat (geometry.visible.x, >=, 0);
      g_assert_cmpfloat (geometry.visible.y, >=, 0);
    }
  /* No closer than one cell. */
  cured_plot_geometry_zoom (&geometry, grid, 1e9, x, y);
  g_assert_cmpfloat (geometry.visible.width, ==, 1);
  g_assert_cmpfloat (geometry.visible.height, ==, 1);
  /* And back to the whole, from anywhere. */
  cured_plot_geometry_zoom (&geometry, grid, 1e-9, 0, 0);
  g_assert_cmpfloat (geometry.visible.x, ==, whole.x);
  g_assert_cmpfloat (geometry.visible.y, ==, whole.y);
  g_assert_cmpfloat (geometry.visible.width, ==, whole.width);
  g_assert_cmpfloat (geometry.visible.height, ==, whole.height);
}

TEST ("/plot/geometry/pan")
{
  g_autoptr (CuredGrid) grid = make_grid (300, 200);
  CuredPlotGeometry geometry;
  CuredRect before, after;

  lay_out (&geometry, grid, 900, 600);
  /* The whole grid has nowhere to go. */
  cured_plot_geometry_pan (&geometry, grid, 100, 100);
  g_assert_cmpfloat (geometry.visible.x, ==, 0);
  g_assert_cmpfloat (geometry.visible.y, ==, 0);

  cured_plot_geometry_zoom (&geometry, grid, 4, 450, 300);
  cured_plot_geometry_get_cell (&geometry, grid, 150, 100, &before);
  cured_plot_geometry_pan (&geometry, grid, 12, -7);
  cured_plot_geometry_get_cell (&geometry, grid, 150, 100, &after);
  g_assert_cmpfloat_with_epsilon (after.x - before.x, 12, 1e-9);
  g_assert_cmpfloat_with_epsilon (after.y - before.y, -7, 1e-9);
  cured_plot_geometry_pan (&geometry, grid, 1e9, -1e9);
  g_assert_cmpfloat (geometry.visible.x, ==, 0);
  g_assert_cmpfloat (geometry.visible.y, ==, 0);
  cured_plot_geometry_pan (&geometry, grid, -1e9, 1e9);
  g_assert_cmpfloat_with_epsilon (geometry.visible.x + geometry.visible.width, 300, 1e-9);
  g_assert_cmpfloat_with_epsilon (geometry.visible.y + geometry.visible.height, 200, 1e-9);
}

TEST ("/plot/geometry/reveal")
{
  g_autoptr (CuredGrid) grid = make_grid (300, 200);
  CuredPlotGeometry geometry;
  CuredRect before;

  lay_out (&geometry, grid, 900, 600);
  cured_plot_geometry_zoom (&geometry, grid, 20, 450, 300);
  for (gsize i = 0; i < 300; i += 13)
    {
      gsize row = (i * 7) % 200;
      CuredRect cell;

      cured_plot_geometry_reveal (&geometry, grid, i, row);
      cured_plot_geometry_get_cell (&geometry, grid, i, row, &cell);
      g_assert_cmpfloat (cell.x, >=, geometry.plot.x - 1e-6);
      g_assert_cmpfloat (cell.y, >=, geometry.plot.y - 1e-6);
      g_assert_cmpfloat (cell.x + cell.width, <=, geometry.plot.x + geometry.plot.width + 1e-6);
      g_assert_cmpfloat (cell.y + cell.height, <=, geometry.plot.y + geometry.plot.height + 1e-6);
      /* What is seen already stays where it is. */
      before = geometry.visible;
      cured_plot_geometry_reveal (&geometry, grid, i, row);
      g_assert_cmpfloat (before.x, ==, geometry.visible.x);
      g_assert_cmpfloat (before.y, ==, geometry.visible.y);
    }
}

TEST ("/plot/geometry/resize")
{
  g_autoptr (CuredGrid) grid = make_grid (300, 200);
  CuredPlotGeometry geometry;
  CuredPlotStyle style;
  CuredRect visible;

  cured_plot_style_init (&style, FALSE);
  cured_plot_geometry_init (&geometry, grid, &style, 900, 600);
  cured_plot_geometry_zoom (&geometry, grid, 5, 450, 300);
  visible = geometry.visible;
  cured_plot_geometry_resize (&geometry, grid, &style, 1200, 500);
  g_assert_cmpfloat (geometry.width, ==, 1200);
  g_assert_cmpfloat (geometry.visible.x, ==, visible.x);
  g_assert_cmpfloat (geometry.visible.width, ==, visible.width);
}

static void
check_ticks (const char *axis_text, gsize least, gint64 first, gint64 step)
{
  g_autoptr (CuredAxis) axis = cured_axis_parse (axis_text, NULL);
  gsize first_index, step_index;

  _cured_plot_axis_ticks (axis, least, &first_index, &step_index);
  g_assert_cmpuint (step_index, >=, least);
  g_assert_cmpint (cured_axis_get_value (axis, first_index), ==, first);
  if (step != 0)
    g_assert_cmpint (cured_axis_get_value (axis, first_index + step_index), ==, first + step);
}

/* Ticks are written as the numbers of the cells are. */
static void
check_tick (const char *unit, double value, double step, const char *expected)
{
  CuredPlotScale scale;

  _cured_plot_scale_init (&scale, unit, value / 2, value * 2);
  g_autofree char *text = _cured_plot_scale_format_tick (&scale, value, step);
  g_assert_cmpstr (text, ==, expected);
}

TEST ("/plot/ticks/text")
{
  check_tick ("", 15000000, 5000000, "15,000,000");
  check_tick ("", 5000, 1000, "5000");
  check_tick ("", 2.5, 0.5, "2.5");
  check_tick ("ns", 15000000, 5000000, "15");
}

/* Labels of a range are round numbers, whatever it begins with. */
TEST ("/plot/ticks/axis")
{
  check_ticks ("1..32", 1, 1, 1);
  check_ticks ("1..32", 3, 4, 4);
  check_ticks ("0..64", 5, 0, 8);
  check_ticks ("64..1024:64", 4, 256, 256);
  check_ticks ("1..1000", 41, 50, 50);
  check_ticks ("1..1000", 60, 100, 100);
  check_ticks ("8,24,66,132,264", 2, 8, 58);
  check_ticks ("-8..8", 4, -8, 4);
}

TEST ("/plot/ticks/values")
{
  double ticks[CURED_PLOT_MAX_TICKS], step;
  gsize n = _cured_plot_ticks_linear (0, 179, 6, ticks, &step);

  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpfloat (step, ==, 50);
  g_assert_cmpfloat (ticks[3], ==, 150);
  g_assert_cmpuint (_cured_plot_ticks_linear (5, 5, 6, ticks, &step), ==, 0);

  n = _cured_plot_ticks_logarithmic (3, 5000, 12, ticks);
  g_assert_cmpuint (n, ==, 10); /* 5, 10, 20, 50, … 5000 */
  g_assert_cmpfloat (ticks[0], ==, 5);
  n = _cured_plot_ticks_logarithmic (3, 5000, 4, ticks);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpfloat (ticks[0], ==, 10);
  n = _cured_plot_ticks_logarithmic (1e-12, 1e12, 5, ticks);
  g_assert_cmpuint (n, >=, 2);
  g_assert_cmpuint (n, <=, 5);
}

static void
check_format (double low, double high, double value, const char *expected)
{
  CuredPlotScale scale;

  _cured_plot_scale_init (&scale, "ns", low, high);
  g_autofree char *text = _cured_plot_scale_format (&scale, value);
  g_assert_cmpstr (text, ==, expected);
}

TEST ("/plot/format")
{
  CuredPlotScale scale;

  _cured_plot_scale_init (&scale, "ns", 2500, 90000);
  g_assert_cmpstr (scale.unit, ==, "µs");
  check_format (2500, 90000, 2500, "2.50");
  check_format (2500, 90000, 90000, "90.0");
  check_format (2500, 900000, 123456, "123");
  check_format (2500, 900000, 99950, "100");
  /* The least value decides, until the greatest gets too long. */
  check_format (866e3, 174e6, 174e6, "174,000");
  check_format (866e3, 1005e6, 1005e6, "1005");
  check_format (866e3, 1005e6, 866e3, "0.866");
  check_format (866e3, 1005e6, 12345e3, "12.3");
  check_format (0, 1e6, 6700, "0.0067");
  /* Too wide for one unit: each has its own. */
  _cured_plot_scale_init (&scale, "ns", 2500, 2.5e9);
  g_assert_cmpstr (scale.unit, ==, "");
  check_format (2500, 2.5e9, 2.5e9, "2.50 s");
}

/* A file says which unit a metric has, and what its cells hold: names that there are none of are
 * laid out, drawn and copied. */
TEST ("/plot/unknown-names")
{
  static const double values[] = { 0, CURED_FACTOR_LATENCY, 20, G_MAXINT, -1, NAN };
  g_autoptr (CuredGrid) grid = make_grid (G_N_ELEMENTS (values), 1);
  CuredPlotGeometry geometry;

  grid->metric.unit = "limit";
  grid->best = -1;
  memcpy (grid->values, values, sizeof values);
  grid->low = -1;
  grid->high = G_MAXINT;
  lay_out (&geometry, grid, 1000, 700);
  g_assert_cmpfloat (geometry.keys.height, >, 0);
  cairo_surface_destroy (draw (grid, NULL, &geometry, FALSE));
}

/* The colour of each cell, where the map puts it. */
TEST ("/plot/draw/colours")
{
  static const Size drawn[] = { { 40, 30 }, { 7, 5 }, { 300, 200 } };

  for (gsize k = 0; k < G_N_ELEMENTS (drawn); k++)
    {
      g_autoptr (CuredGrid) grid = make_grid (drawn[k].nx, drawn[k].ny);
      CuredPlotGeometry geometry;
      gsize n_seen = 0;
      CuredRect best;

      lay_out (&geometry, grid, 1000, 700);
      cured_plot_geometry_get_cell (&geometry, grid, (gsize) grid->best % grid->nx,
                                    (gsize) grid->best / grid->nx, &best);
      cairo_surface_t *surface = draw (grid, NULL, &geometry, FALSE);
      for (gsize row = 0; row < grid->ny; row++)
        for (gsize column = 0; column < grid->nx; column++)
          {
            gsize i = row * grid->nx + column;
            CuredRect cell;
            guint32 expected = cured_colour_map_get_pixel (
                grid->colours, cured_grid_get_position (grid, grid->values[i]));

            cured_plot_geometry_get_cell (&geometry, grid, column, row, &cell);
            /* Beside the number in the middle, and not below the star. */
            if (fabs (cell.x - best.x) < cell.width + 12 &&
                fabs (cell.y - best.y) < cell.height + 12)
              continue;
            n_seen++;
            g_assert_cmphex (
                get_pixel (surface, cell.x + cell.width * 0.45, cell.y + cell.height * 0.2 + 0.5),
                ==, expected);
          }
      g_assert_cmpuint (n_seen, >=, grid->nx);
      cairo_surface_destroy (surface);
    }
}

/* A cache changes nothing, also when zoom and theme change under it. */
TEST ("/plot/draw/cache")
{
  g_autoptr (CuredGrid) grid = make_grid (60, 40);
  CuredPlotGeometry geometry;

  set_state (grid, 3, 3, CURED_STATE_CRASHED);
  g_autoptr (CuredPlotCache) cache = cured_plot_cache_new (grid);
  lay_out (&geometry, grid, 800, 500);
  for (int i = 0; i < 6; i++)
    {
      cairo_surface_t *with = draw (grid, cache, &geometry, i % 2);
      cairo_surface_t *without = draw (grid, NULL, &geometry, i % 2);

      g_assert_cmpmem (cairo_image_surface_get_data (with),
                       (gsize) cairo_image_surface_get_stride (with) * 500,
                       cairo_image_surface_get_data (without),
                       (gsize) cairo_image_surface_get_stride (without) * 500);
      cairo_surface_destroy (with);
      cairo_surface_destroy (without);
      cured_plot_geometry_zoom (&geometry, grid, 1.7, 200, 300);
    }
}

static gboolean
is_white (guint32 pixel)
{
  return (pixel & 0xffffff) == 0xffffff;
}

/* One cell of 60 000 is smaller than a pixel; its star is not. */
TEST ("/plot/draw/best")
{
  g_autoptr (CuredGrid) grid = make_grid (3000, 1500);
  CuredPlotGeometry geometry;
  CuredRect cell;

  lay_out (&geometry, grid, 400, 300);
  cured_plot_geometry_get_cell (&geometry, grid, (gsize) grid->best % grid->nx,
                                (gsize) grid->best / grid->nx, &cell);
  g_assert_cmpfloat (cell.width, <, 1);
  cairo_surface_t *surface = draw (grid, NULL, &geometry, TRUE);
  g_assert_true (is_white (get_pixel (surface, cell.x, cell.y)));
  g_assert_true (is_white (get_pixel (surface, cell.x, cell.y - 2)));
  cairo_surface_destroy (surface);
}

/* The mark of a state without its colour: the pixels that differ from the cell's ground. */
static void
get_shape (CuredState state, gboolean dark, gboolean shape[28 * 28])
{
  g_autoptr (CuredGrid) grid = make_grid (9, 9);
  CuredPlotGeometry geometry;
  CuredRect cell;

  set_state (grid, 2, 6, state);
  lay_out (&geometry, grid, 700, 600);
  cairo_surface_t *surface = draw (grid, NULL, &geometry, dark);
  cured_plot_geometry_get_cell (&geometry, grid, 2, 6, &cell);
  cell.x += (cell.width - 28) / 2;
  cell.y += (cell.height - 28) / 2;
  guint32 ground = get_pixel (surface, cell.x, cell.y);
  for (int y = 0; y < 28; y++)
    for (int x = 0; x < 28; x++)
      shape[28 * y + x] = get_pixel (surface, cell.x + x, cell.y + y) != ground;
  cairo_surface_destroy (surface);
}

TEST ("/plot/draw/states")
{
  static const CuredState states[] = {
    CURED_STATE_NOT_RUN, CURED_STATE_WRONG,     CURED_STATE_FAILED,
    CURED_STATE_CRASHED, CURED_STATE_TIMED_OUT, CURED_STATE_NOT_LAUNCHABLE,
  };
  gboolean shapes[G_N_ELEMENTS (states)][28 * 28];

  for (int dark = 0; dark < 2; dark++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
        get_shape (states[i], dark, shapes[i]);
      for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
        for (gsize k = i + 1; k < G_N_ELEMENTS (states); k++)
          {
            int n_different = 0;

            for (int p = 0; p < 28 * 28; p++)
              n_different += shapes[i][p] != shapes[k][p];
            g_assert_cmpint (n_different, >, 15);
          }
    }
}

/* Keys tell the states that occur, and no others. */
TEST ("/plot/draw/keys")
{
  g_autoptr (CuredGrid) grid = make_grid (7, 5);
  CuredPlotGeometry one, many;

  lay_out (&one, grid, 300, 600);
  g_assert_cmpfloat (one.keys.height, >, 0);
  for (gsize i = 0; i < CURED_N_STATES; i++)
    if (i != CURED_STATE_OK)
      set_state (grid, i, 0, (CuredState) i);
  lay_out (&many, grid, 300, 600);
  g_assert_cmpfloat (many.keys.height, >, one.keys.height);
  g_assert_cmpfloat (many.plot.height, <, one.plot.height);
}

/* Any size draws, and nothing of cairo's goes wrong. */
TEST ("/plot/draw/any-size")
{
  static const double lengths[] = { 0, 1, 2, 9, 33, 80, 170, 400, 1300 };

  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autoptr (CuredGrid) grid = make_grid (sizes[k].nx, sizes[k].ny);

      for (gsize i = 0; i < CURED_N_STATES && i < grid->nx; i++)
        if (i != CURED_STATE_OK && (gssize) i != grid->best)
          set_state (grid, i, 0, (CuredState) i);
      g_autoptr (CuredPlotCache) cache = cured_plot_cache_new (grid);
      for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
        for (gsize j = i % 2; j < G_N_ELEMENTS (lengths); j += 2)
          {
            CuredPlotGeometry geometry;

            lay_out (&geometry, grid, lengths[i], lengths[j]);
            cairo_surface_destroy (draw (grid, cache, &geometry, FALSE));
            cured_plot_geometry_zoom (&geometry, grid, 3, 40, 40);
            cairo_surface_destroy (draw (grid, cache, &geometry, TRUE));
          }
    }
}

/* A grid before its first value, and one whose values are all the same. */
TEST ("/plot/draw/no-range")
{
  for (int line = 0; line < 2; line++)
    {
      g_autoptr (CuredGrid) empty = make_grid (6, line ? 0 : 4);
      g_autoptr (CuredGrid) same = make_grid (6, line ? 0 : 4);
      CuredPlotGeometry geometry;

      for (gsize y = 0; y < empty->ny; y++)
        for (gsize x = 0; x < empty->nx; x++)
          {
            set_state (empty, x, y, CURED_STATE_NOT_RUN);
            same->values[y * same->nx + x] = 0;
          }
      empty->low = NAN;
      empty->high = NAN;
      empty->best = -1;
      same->low = 0;
      same->high = 0;
      same->logarithmic = TRUE;
      lay_out (&geometry, empty, 500, 400);
      cairo_surface_destroy (draw (empty, NULL, &geometry, FALSE));
      lay_out (&geometry, same, 500, 400);
      cairo_surface_destroy (draw (same, NULL, &geometry, FALSE));
    }
}

/* A line leaves its values at their heights. */
TEST ("/plot/draw/line")
{
  g_autoptr (CuredGrid) grid = make_grid (12, 0);
  CuredPlotGeometry geometry;
  CuredPlotSpan span;
  CuredPlotStyle style;
  guint32 accent;
  CuredRect cell;

  lay_out (&geometry, grid, 700, 400);
  g_assert_cmpfloat (geometry.legend.width, ==, 0);
  _cured_plot_span_init (&span, grid);
  g_assert_cmpfloat (span.low, <=, grid->low);
  g_assert_cmpfloat (span.high, >, grid->high);
  cairo_surface_t *surface = draw (grid, NULL, &geometry, FALSE);
  cured_plot_style_init (&style, FALSE);
  accent = 0xff000000u | (guint32) lround (style.accent.red * 255) << 16 |
           (guint32) lround (style.accent.green * 255) << 8 |
           (guint32) lround (style.accent.blue * 255);
  cured_plot_geometry_get_cell (&geometry, grid, 2, 0, &cell);
  g_assert_cmphex (get_pixel (surface, cell.x + cell.width / 2,
                              _cured_plot_span_get_y (&span, &geometry.plot, grid->values[2])),
                   ==, accent);
  cairo_surface_destroy (surface);
}

static CuredSamples *
make_samples (CuredTimingMode mode, guint n)
{
  CuredSamples *samples = cured_samples_new (mode, 1);
  g_autofree double *times = g_new (double, n);

  for (guint i = 0; i < n; i++)
    {
      CuredSample sample = { 1000 + i * 7 % 31, NAN, i % 5 == 0 };

      times[i] = sample.time_ns;
      g_array_append_val (samples->samples, sample);
    }
  cured_statistics_init (&samples->statistics, times, n);
  return samples;
}

TEST ("/plot/draw/samples")
{
  static const double lengths[] = { 0, 1, 30, 120, 400, 900 };

  for (guint n = 0; n < 40; n += 13)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      CuredPlotStyle style;

      cured_plot_style_init (&style, TRUE);
      if (n > 0)
        outcome->cold = make_samples (CURED_TIMING_COLD, n);
      if (n > 13)
        outcome->hot = make_samples (CURED_TIMING_HOT, 1);
      for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
        for (gsize j = 0; j < G_N_ELEMENTS (lengths); j++)
          {
            g_autoptr (CuredChart) plot = cured_samples_plot_new (outcome, NULL);
            CuredChartShown shown = { &style, lengths[i], lengths[j], 0, -1, -1, -1 };
            cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 900, 900);
            cairo_t *cr = cairo_create (surface);

            plot->klass->draw (plot, cr, &shown);
            g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
            cairo_destroy (cr);
            cairo_surface_destroy (surface);
          }
    }
}

/* One cell: four edges. An L: its six, and none inside. */
TEST ("/plot/outline")
{
  static const guint8 one[9] = { 0, 0, 0, 0, 1, 0, 0, 0, 0 };
  static const guint8 ell[9] = { 1, 1, 0, 1, 0, 0, 0, 0, 0 };
  static const guint8 all[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  CuredPlotRange range = { 0, 3, 0, 3 };
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (CuredPlotEdge));

  _cured_plot_find_outline (one, 3, 3, &range, edges);
  g_assert_cmpuint (edges->len, ==, 4);
  const CuredPlotEdge *first = &g_array_index (edges, CuredPlotEdge, 0);
  g_assert_cmpuint (first->x1, ==, 1);
  g_assert_cmpuint (first->x2, ==, 2);
  g_assert_cmpuint (first->y1, ==, 1);
  g_assert_cmpuint (first->y2, ==, 1);

  g_array_set_size (edges, 0);
  _cured_plot_find_outline (ell, 3, 3, &range, edges);
  g_assert_cmpuint (edges->len, ==, 6);
  /* The grid's own edge is one, too. */
  g_array_set_size (edges, 0);
  _cured_plot_find_outline (all, 3, 3, &range, edges);
  g_assert_cmpuint (edges->len, ==, 4);
  /* But not the edge of what is seen. */
  range = (CuredPlotRange){ 1, 2, 1, 2 };
  g_array_set_size (edges, 0);
  _cured_plot_find_outline (all, 3, 3, &range, edges);
  g_assert_cmpuint (edges->len, ==, 0);
}

/* A hill has closed lines around its top, nested, at its levels. */
TEST ("/plot/contours")
{
  enum
  {
    N = 21
  };
  static const double levels[] = { 0.25, 0.5, 0.75 };
  double values[N * N];

  for (int y = 0; y < N; y++)
    for (int x = 0; x < N; x++)
      values[y * N + x] = 1 - hypot (x - 10, y - 10) / 10;
  g_autoptr (GPtrArray) contours = _cured_plot_find_contours (values, N, N, levels, 3);
  g_assert_cmpuint (contours->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    {
      const CuredPlotContour *contour = g_ptr_array_index (contours, i);

      g_assert_true (contour->is_closed);
      g_assert_cmpfloat (contour->level, ==, levels[i]);
      g_assert_cmpuint (contour->points->len, >, 8);
      for (guint k = 0; k < contour->points->len; k++)
        {
          const CuredPlotPoint *point = &g_array_index (contour->points, CuredPlotPoint, k);
          const CuredPlotPoint *next =
              &g_array_index (contour->points, CuredPlotPoint, (k + 1) % contour->points->len);

          /* Middles of cells are at one half. */
          g_assert_cmpfloat_with_epsilon (hypot (point->x - 10.5, point->y - 10.5),
                                          10 * (1 - levels[i]), 0.1);
          g_assert_cmpfloat (hypot (point->x - next->x, point->y - next->y), <, 1.5);
        }
    }
  g_clear_pointer (&contours, g_ptr_array_unref);

  /* A step from left to right is one open line from edge to edge. */
  for (int i = 0; i < N * N; i++)
    values[i] = i % N < 7 ? 0 : 1;
  contours = _cured_plot_find_contours (values, N, N, levels + 1, 1);
  g_assert_cmpuint (contours->len, ==, 1);
  {
    const CuredPlotContour *contour = g_ptr_array_index (contours, 0);

    g_assert_false (contour->is_closed);
    g_assert_cmpuint (contour->points->len, ==, N);
    for (guint k = 0; k < N; k++)
      g_assert_cmpfloat (g_array_index (contour->points, CuredPlotPoint, k).x, ==, 7);
  }
  g_clear_pointer (&contours, g_ptr_array_unref);

  /* It ends at holes; a saddle has two lines; a plain has none. */
  values[10 * N + 6] = NAN;
  contours = _cured_plot_find_contours (values, N, N, levels + 1, 1);
  g_assert_cmpuint (contours->len, ==, 2);
  g_clear_pointer (&contours, g_ptr_array_unref);
  {
    static const double saddle[] = { 0, 1, 1, 0 };

    contours = _cured_plot_find_contours (saddle, 2, 2, levels + 1, 1);
    g_assert_cmpuint (contours->len, ==, 2);
    g_clear_pointer (&contours, g_ptr_array_unref);
  }
  for (int i = 0; i < N * N; i++)
    values[i] = 3;
  contours = _cured_plot_find_contours (values, N, N, levels, 3);
  g_assert_cmpuint (contours->len, ==, 0);
  g_clear_pointer (&contours, g_ptr_array_unref);
  contours = _cured_plot_find_contours (values, N, 1, levels, 3);
  g_assert_cmpuint (contours->len, ==, 0);
}

static guint
count_different (cairo_surface_t *a, cairo_surface_t *b)
{
  const guint32 *p = (const void *) cairo_image_surface_get_data (a);
  const guint32 *q = (const void *) cairo_image_surface_get_data (b);
  gsize n =
      (gsize) cairo_image_surface_get_stride (a) / 4 * (gsize) cairo_image_surface_get_height (a);
  guint n_different = 0;

  for (gsize i = 0; i < n; i++)
    n_different += p[i] != q[i];
  return n_different;
}

/* Where the curves beside a map would take the room for the values in its cells, they give way;
 * where there is room for both, or for neither, they stay. */
TEST ("/plot/curves-give-way")
{
  g_autoptr (CuredGrid) grid = make_grid (16, 4);
  gboolean had_curves[3] = { FALSE };

  grid->marginals = TRUE;
  for (double width = 520; width <= 1200; width += 5)
    {
      CuredPlotGeometry geometry;

      lay_out (&geometry, grid, width, 500);
      double cell = geometry.plot.width / 16;
      gboolean has_curves = geometry.along_x.width > 0;
      g_assert_true (has_curves || cell >= 1.5 * geometry.line_height);
      had_curves[has_curves ? 1 : 0] = TRUE;
      if (has_curves && had_curves[0])
        had_curves[2] = TRUE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (had_curves); i++)
    g_assert_true (had_curves[i]);
}

/* Limits of colours with short figures do not make those in cells any shorter. */
TEST ("/plot/curves-and-limits")
{
  g_autoptr (CuredGrid) grid = make_grid (16, 4);
  g_autoptr (CuredGrid) limited = make_grid (16, 4);

  grid->marginals = limited->marginals = TRUE;
  grid->high = limited->high = grid->values[0] = limited->values[0] = 4e8;
  limited->limits =
      (CuredColourLimits){ .has_low = TRUE, .low = 1e5, .has_high = TRUE, .high = 9e5 };
  for (double width = 520; width <= 1600; width += 5)
    {
      CuredPlotGeometry geometry, narrow;

      lay_out (&geometry, grid, width, 500);
      lay_out (&narrow, limited, width, 500);
      g_assert_cmpfloat (narrow.along_x.width, ==, geometry.along_x.width);
    }
}

/* Region, contour and curves are drawn where they are asked for, at any size and zoom. */
TEST ("/plot/draw/overlays")
{
  static const double lengths[] = { 1, 40, 170, 400, 900 };

  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      g_autoptr (CuredGrid) plain = make_grid (sizes[k].nx, sizes[k].ny);
      g_autoptr (CuredGrid) grid = make_grid (sizes[k].nx, sizes[k].ny);
      gsize n = grid->nx * grid->ny;

      grid->region = TRUE;
      grid->marginals = TRUE;
      grid->contour_metric = *cured_metric_info (CURED_METRIC_occupancy);
      grid->contour_values = g_new (double, n);
      for (gsize i = 0; i < n; i++)
        {
          grid->contour_values[i] = (double) (i % grid->nx) / (double) n;
          if (i % 3 == 0)
            grid->values[i] = 5.05e4;
          grid->n_near_best += cured_grid_is_near_best (grid, i);
        }
      for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
        for (gsize j = 0; j < G_N_ELEMENTS (lengths); j++)
          {
            CuredPlotGeometry geometry;

            lay_out (&geometry, grid, lengths[i], lengths[j]);
            g_assert_cmpfloat (geometry.along_x.width, >=, 0);
            if (geometry.along_x.width > 0)
              {
                g_assert_cmpfloat (geometry.along_x.x, ==, geometry.plot.x);
                g_assert_cmpfloat (geometry.along_x.width, ==, geometry.plot.width);
                g_assert_cmpfloat (geometry.along_x.y + geometry.along_x.height, <=,
                                   geometry.plot.y);
                g_assert_cmpfloat (geometry.along_y.height, ==, geometry.plot.height);
                g_assert_cmpfloat (geometry.along_y.x + geometry.along_y.width, <=,
                                   geometry.legend.x);
              }
            cairo_surface_destroy (draw (grid, NULL, &geometry, FALSE));
            cured_plot_geometry_zoom (&geometry, grid, 3, 40, 40);
            cairo_surface_destroy (draw (grid, NULL, &geometry, TRUE));
          }
      if (grid->nx > 1 && grid->ny > 1)
        {
          CuredPlotGeometry geometry;

          lay_out (&geometry, grid, 900, 900);
          g_assert_cmpfloat (geometry.along_x.width, >, 0);
          g_assert_true (cured_grid_has_region (grid));
          cairo_surface_t *with = draw (grid, NULL, &geometry, FALSE);
          grid->region = FALSE;
          cairo_surface_t *without = draw (grid, NULL, &geometry, FALSE);
          g_assert_cmpuint (count_different (with, without), >, 100);
          cairo_surface_destroy (with);
          g_clear_pointer (&grid->contour_values, g_free);
          with = draw (grid, NULL, &geometry, FALSE);
          g_assert_cmpuint (count_different (with, without), >, 100);
          cairo_surface_destroy (with);
          cairo_surface_destroy (without);
        }
    }
}

/* The pixels for a texture are those that are drawn. */
TEST ("/plot/draw/texture")
{
  g_autoptr (CuredGrid) grid = make_grid (7, 5);
  CuredPlotGeometry geometry;
  CuredPlotStyle style;
  int width, height;

  set_state (grid, 0, 0, CURED_STATE_NOT_RUN);
  lay_out (&geometry, grid, 600, 500);
  cured_plot_style_init (&style, FALSE);
  g_autoptr (CuredPlotCache) cache = cured_plot_cache_new (grid);
  g_autoptr (GBytes) pixels =
      cured_plot_render_cells (grid, cache, &geometry, &style, 2, &width, &height);
  g_assert_cmpfloat (width, ==, 2 * geometry.plot.width);
  g_assert_cmpfloat (height, ==, 2 * geometry.plot.height);
  g_assert_cmpuint (g_bytes_get_size (pixels), ==, (gsize) width * (gsize) height * 4);
  const guint32 *data = g_bytes_get_data (pixels, NULL);
  for (gsize y = 0; y < 5; y++)
    for (gsize x = 0; x < 7; x++)
      {
        double value = grid->values[y * 7 + x];
        CuredRect cell;

        cured_plot_geometry_get_cell (&geometry, grid, x, y, &cell);
        gsize at_x = (gsize) (2 * (cell.x + cell.width / 2 - geometry.plot.x));
        gsize at_y = (gsize) (2 * (cell.y + cell.height / 2 - geometry.plot.y));
        g_assert_cmphex (data[at_y * (gsize) width + at_x], ==,
                         isnan (value) ? 0
                                       : cured_colour_map_get_pixel (
                                             grid->colours, cured_grid_get_position (grid, value)));
      }
  lay_out (&geometry, grid, 0, 0);
  g_assert_null (cured_plot_render_cells (grid, cache, &geometry, &style, 1, &width, &height));
}

/* Rescale colours to the visible cells: the ends of what is seen have the ends of the map, and what is beyond
 * has the nearer one. */
TEST ("/plot/draw/range")
{
  g_autoptr (CuredGrid) grid = make_grid (7, 5);
  g_autoptr (CuredPlotCache) cache = cured_plot_cache_new (grid);
  CuredPlotGeometry geometry;
  CuredPlotStyle style;
  CuredRect cell;
  double low, high, all_low, all_high;
  int width, height;

  cured_plot_style_init (&style, FALSE);
  lay_out (&geometry, grid, 600, 500);
  g_assert_false (cured_plot_geometry_get_seen (&geometry, grid, &low, &high));
  g_assert_true (isnan (low) && isnan (high));
  g_assert_false (cured_plot_cache_set_range (cache, low, high));
  g_assert_false (cured_plot_cache_get_range (cache, &all_low, &all_high));
  g_assert_cmpfloat (all_low, ==, grid->low);
  g_assert_cmpfloat (all_high, ==, grid->high);

  /* Two columns of the lowest row, the worst cell among them. */
  geometry.visible = (CuredRect){ 0, 0, 2, 1 };
  g_assert_true (cured_plot_geometry_get_seen (&geometry, grid, &low, &high));
  g_assert_cmpfloat (low, ==, grid->values[1]);
  g_assert_cmpfloat (high, ==, grid->values[0]);
  g_assert_true (cured_plot_cache_set_range (cache, low, high));
  g_assert_false (cured_plot_cache_set_range (cache, low, high));
  g_assert_true (cured_plot_cache_get_range (cache, &all_low, &all_high));
  g_assert_cmpfloat (all_low, ==, low);

  geometry.visible = (CuredRect){ 0, 0, 7, 5 };
  g_autoptr (GBytes) pixels =
      cured_plot_render_cells (grid, cache, &geometry, &style, 1, &width, &height);
  const guint32 *data = g_bytes_get_data (pixels, NULL);
  for (gsize x = 0; x < 7; x++)
    {
      cured_plot_geometry_get_cell (&geometry, grid, x, 0, &cell);
      g_assert_cmphex (data[(gsize) (cell.y + cell.height / 2 - geometry.plot.y) * (gsize) width +
                            (gsize) (cell.x + cell.width / 2 - geometry.plot.x)],
                       ==, cured_colour_map_get_pixel (grid->colours, x == 0 ? 0 : 1));
    }
  g_assert_true (cured_plot_cache_set_range (cache, NAN, NAN));
  g_assert_false (cured_plot_cache_get_range (cache, &low, &high));
  g_assert_cmpfloat (low, ==, grid->low);

  /* A limit of the grid's own comes before what is seen. */
  grid->limits = (CuredColourLimits){ .has_high = TRUE, .high = (grid->low + grid->high) / 2 };
  g_autoptr (CuredPlotCache) limited = cured_plot_cache_new (grid);
  cured_plot_cache_set_range (limited, grid->values[1], grid->values[0]);
  g_assert_true (cured_plot_cache_get_range (limited, &low, &high));
  g_assert_cmpfloat (low, ==, grid->values[1]);
  g_assert_cmpfloat (high, ==, grid->limits.high);
}

static guint32
get_pixel_at (cairo_surface_t *surface, double x, double y)
{
  return *(guint32 *) (void *) (cairo_image_surface_get_data (surface) +
                                cairo_image_surface_get_stride (surface) * (int) y + 4 * (int) x);
}

/* Lines keep off the numbers in cells: around each, nothing is others than without the lines;
 * between them, there are some. */
TEST ("/plot/draw/contours-and-numbers")
{
  g_autoptr (CuredGrid) grid = make_grid (7, 5);
  g_autoptr (CuredPlotCache) plain = cured_plot_cache_new (grid);
  g_autoptr (CuredPlotCache) cache = cured_plot_cache_new (grid);
  CuredPlotGeometry geometry;
  gsize n_changed = 0;

  lay_out (&geometry, grid, 700, 500);
  cairo_surface_t *without = draw (grid, plain, &geometry, FALSE);
  grid->contour_metric = *cured_metric_info (CURED_METRIC_bandwidth);
  grid->contour_values = g_new (double, 35);
  for (gsize i = 0; i < 35; i++)
    grid->contour_values[i] = 1e9 * (double) (i % 7 + i / 7);
  cairo_surface_t *with = draw (grid, cache, &geometry, FALSE);
  g_assert_cmpfloat (cache->number_width, >, 0);
  for (gsize i = 0; i < 35; i++)
    {
      CuredRect cell;

      cured_plot_geometry_get_cell (&geometry, grid, i % 7, i / 7, &cell);
      for (double x = -cache->number_width / 2; x < cache->number_width / 2; x++)
        for (double y = -cache->number_height / 2 + 1; y < cache->number_height / 2 - 1; y++)
          g_assert_cmphex (
              get_pixel_at (with, cell.x + cell.width / 2 + x, cell.y + cell.height / 2 + y), ==,
              get_pixel_at (without, cell.x + cell.width / 2 + x, cell.y + cell.height / 2 + y));
      for (double x = 0; x < cell.width - 1; x++)
        n_changed += get_pixel_at (with, cell.x + x, cell.y + 2) !=
                     get_pixel_at (without, cell.x + x, cell.y + 2);
    }
  g_assert_cmpuint (n_changed, >, 0);
  cairo_surface_destroy (with);
  cairo_surface_destroy (without);

  /* Named as in the menu. */
  g_autofree char *name = cured_grid_name_metric (NULL, &grid->contour_metric);
  g_assert_cmpstr (name, ==, "Bandwidth (B/s)");
}

/* The look of a ratio that only one file has. */
TEST ("/plot/draw/only-one")
{
  gboolean shapes[2][28 * 28];
  gboolean other[28 * 28];
  int n_different = 0;

  get_shape ((CuredState) CURED_LOOK_ONLY_THIS, FALSE, shapes[0]);
  get_shape ((CuredState) CURED_LOOK_ONLY_OTHER, FALSE, shapes[1]);
  get_shape (CURED_STATE_WRONG, FALSE, other);
  for (int p = 0; p < 28 * 28; p++)
    n_different += shapes[0][p] != shapes[1][p];
  g_assert_cmpint (n_different, >, 8);
  n_different = 0;
  for (int p = 0; p < 28 * 28; p++)
    n_different += shapes[1][p] != other[p];
  g_assert_cmpint (n_different, >, 15);
}
