/* SPDX-License-Identifier: MIT
 * Bars with lines across them: where they are, and what is drawn. */
#include "cured-plot.h"

#include <math.h>
#include <string.h>
#include "plot/cured-plot-bars-internal.h"

static void
add (CuredBars *bars, const char *number, const char *label, double value)
{
  CuredBar bar = {
    .number = (char *) number,
    .label = (char *) label,
    .text = (char *) "12.5 µs",
    .value = value,
    .tick = CURED_MISSING,
  };

  cured_bars_add (bars, &bar);
}

static CuredBars *
make (void)
{
  CuredBars *bars = cured_bars_new ("Time", "ns");
  const CuredBarLine limit = { .label = (char *) "limit 2.00 µs", .value = 2000, .is_limit = TRUE };

  add (bars, "1", "First", 8000);
  add (bars, "2", "Second", 4000);
  add (bars, "10",
       "A third one, with a name that is so long that it would take all of the room that there is "
       "for bars",
       CURED_MISSING);
  cured_bars_add_line (bars, &limit);
  return bars;
}

static void
test_geometry (void)
{
  g_autoptr (CuredBars) bars = make ();
  CuredPlotStyle style;
  CuredBarsGeometry geometry;
  double zero;

  cured_plot_style_init (&style, FALSE);
  for (double width = 240; width < 3000; width *= 1.5)
    {
      CuredRect row;
      guint bar = 99;

      cured_bars_geometry_init (&geometry, bars, &style, width);
      zero = cured_bars_geometry_get_x (&geometry, 0);
      g_assert_cmpfloat (zero, ==, geometry.plot.x);
      /* A long label takes two fifths at most; all is inside. */
      g_assert_cmpfloat (geometry.labels_width, <=, width * 0.4 + 1);
      g_assert_cmpfloat (geometry.plot.x + geometry.plot.width, <=, width);
      /* Lengths are in proportion, and begin at zero. */
      g_assert_cmpfloat_with_epsilon (cured_bars_geometry_get_x (&geometry, 8000) - zero,
                                      2 * (cured_bars_geometry_get_x (&geometry, 4000) - zero),
                                      1e-9);
      for (guint i = 0; i < 3; i++)
        {
          cured_bars_geometry_get_row (&geometry, i, &row);
          g_assert_cmpfloat (row.y + row.height, <=, geometry.plot.y + geometry.plot.height);
          g_assert_true (
              cured_bars_geometry_pick (&geometry, bars, width / 2, row.y + row.height / 2, &bar));
          g_assert_cmpuint (bar, ==, i);
        }
      g_assert_false (cured_bars_geometry_pick (&geometry, bars, width / 2, 0, &bar));
      g_assert_false (cured_bars_geometry_pick (
          &geometry, bars, width / 2, cured_bars_geometry_get_height (&geometry, bars) - 1, &bar));
      g_assert_false (cured_bars_geometry_pick (&geometry, bars, -1, row.y, &bar));
    }
}

static void
test_nothing (void)
{
  g_autoptr (CuredBars) bars = cured_bars_new ("Time", "ns");
  CuredPlotStyle style;
  CuredBarsGeometry geometry;

  cured_plot_style_init (&style, FALSE);
  cured_bars_geometry_init (&geometry, bars, &style, 300);
  g_assert_cmpfloat (geometry.most, >, 0);
  g_assert_false (isnan (cured_bars_geometry_get_x (&geometry, 0)));
}

static guint32
get_pixel (cairo_surface_t *surface, double x, double y)
{
  const guint8 *row = cairo_image_surface_get_data (surface) +
                      (gsize) y * (gsize) cairo_image_surface_get_stride (surface);
  guint32 pixel;

  memcpy (&pixel, row + (gsize) x * 4, sizeof pixel);
  return pixel;
}

/* A bar is where the geometry says, and ends there. */
static void
test_draw (void)
{
  g_autoptr (CuredBars) bars = make ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 600, 300);
  cairo_t *cr = cairo_create (surface);
  CuredPlotStyle style;
  CuredBarsGeometry geometry;
  CuredRect row;
  guint32 inside;
  guint32 outside;
  double end;

  cured_plot_style_init (&style, FALSE);
  cured_bars_geometry_init (&geometry, bars, &style, 600);
  cured_bars_draw (cr, bars, &geometry, &style, -1, -1);
  cairo_surface_flush (surface);
  cured_bars_geometry_get_row (&geometry, 1, &row);
  end = cured_bars_geometry_get_x (&geometry, 4000);
  inside = get_pixel (surface, end - 6, row.y + row.height / 2);
  outside = get_pixel (surface, end + 6, row.y + row.height / 2);
  g_assert_cmphex (inside, !=, 0);
  g_assert_cmphex (inside, !=, outside);
  /* No bar where there is no value. */
  cured_bars_geometry_get_row (&geometry, 2, &row);
  g_assert_cmphex (get_pixel (surface, geometry.plot.x + 6, row.y + row.height / 2), ==, 0);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
}

static void
test_ladder (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredLadder) ladder =
      cured_ladder_new ("matmul", g_getenv ("CURED_TEST_RESULTS"), NULL, NULL, &error);
  g_autoptr (CuredLadderView) view = NULL;
  g_autoptr (CuredBars) times = NULL;
  g_autoptr (CuredBars) rates = NULL;
  g_autoptr (CuredDrawing) drawing = NULL;
  const CuredBar *naive;

  g_assert_no_error (error);
  view = cured_ladder_view_new (ladder, 0);
  times = cured_bars_new_for_ladder (view, CURED_METRIC_time, "matmul/best");
  rates = cured_bars_new_for_ladder (view, CURED_METRIC_flop_rate, NULL);
  g_assert_cmpuint (times->bars->len, ==, view->rungs->len);
  g_assert_cmpuint (times->lines->len, ==, 2);
  naive = &g_array_index (times->bars, CuredBar, 0);
  g_assert_true (naive->is_soft);
  g_assert_true (g_str_has_prefix (naive->text, "≈ "));
  g_assert_false (naive->is_current);
  g_assert_true (g_array_index (times->bars, CuredBar, times->bars->len - 1).is_current);
  /* What is scaled is the time; the rate is as it was. */
  naive = &g_array_index (rates->bars, CuredBar, 0);
  g_assert_false (g_str_has_prefix (naive->text, "≈ "));
  drawing = cured_drawing_new_ladder (view, CURED_METRIC_time);
  g_assert_true (cured_drawing_has_table (drawing));
  g_assert_cmpstr (cured_drawing_get_name (drawing), ==, "ladder-matmul");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plot-bars/geometry", test_geometry);
  g_test_add_func ("/plot-bars/nothing", test_nothing);
  g_test_add_func ("/plot-bars/draw", test_draw);
  g_test_add_func ("/plot-bars/ladder", test_ladder);

  return g_test_run ();
}
