/* SPDX-License-Identifier: MIT
 * Opens a result of a million cells and moves around in it, against the clock. bench-million
 * MAKE-RESULT FILE: FILE is made where it is missing or old. */
#include "cured-plot.h"

#include <stdio.h>

#include "bench.h"

#define N_FRAMES 200

/* Other programs on the machine can make one of them slow, not all. */
#define N_OPENINGS 3

#define WIDTH  1280
#define HEIGHT 800

/* In and out again, and sideways all the time, with the pointer moving. */
static void
move (CuredPlotGeometry *geometry, const CuredGrid *grid, int frame, CuredPlotCursor *cursor)
{
  double x = geometry->plot.x + geometry->plot.width * (frame % 50) / 50.0;
  double y = geometry->plot.y + geometry->plot.height * (frame % 37) / 37.0;

  cured_plot_geometry_zoom (geometry, grid, frame < N_FRAMES / 2 ? 1.06 : 1 / 1.06, x, y);
  cured_plot_geometry_pan (geometry, grid, -5, 3);
  cursor->is_shown = cured_plot_geometry_pick (geometry, grid, x, y, &cursor->column, &cursor->row);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (CuredGrid) grid = NULL;
  g_autoptr (CuredPlotCache) cache = NULL;
  g_auto (CuredView) view = { 0 };
  CuredPlotStyle style;
  CuredPlotGeometry geometry;
  CuredPlotCursor cursor = { FALSE, 0, 0 };
  CuredPlotCursor selection = { TRUE, 500, 500 };
  cairo_surface_t *surface;
  cairo_t *cr;
  double frames[N_FRAMES];
  double opening = G_MAXDOUBLE;

  if (argc != 3)
    {
      g_printerr ("usage: bench-million MAKE-RESULT FILE\n");
      return 2;
    }
  bench_make_million (argv[1], argv[2]);

  cured_plot_style_init (&style, FALSE);
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cr = cairo_create (surface);
  for (int i = 0; i < N_OPENINGS; i++)
    {
      gint64 begin = g_get_monotonic_time ();

      g_clear_pointer (&cache, cured_plot_cache_free);
      g_clear_pointer (&grid, cured_grid_free);
      g_clear_object (&result);
      cured_view_clear (&view);
      result = cured_result_load (argv[2], NULL, &error);
      if (result == NULL)
        g_error ("%s", error->message);
      cured_view_init (&view, result);
      grid = cured_grid_new (result, &view);
      cache = cured_plot_cache_new (grid);
      cured_plot_geometry_init (&geometry, grid, &style, WIDTH, HEIGHT);
      cured_plot_draw (cr, grid, cache, &geometry, &style, NULL, NULL);
      cairo_surface_flush (surface);
      opening = MIN (opening, (double) (g_get_monotonic_time () - begin) / 1e3);
    }
  bench_report ("open and first frame, best of 3", opening, "ms", BENCH_MOST_OPEN_MS);
  if (grid->nx * grid->ny != 1000 * 1000)
    g_error ("%s: not a million cells", argv[2]);

  for (int i = 0; i < N_FRAMES; i++)
    {
      double cpu = bench_get_cpu_ms (CLOCK_PROCESS_CPUTIME_ID);

      move (&geometry, grid, i, &cursor);
      cured_plot_draw (cr, grid, cache, &geometry, &style, &cursor, &selection);
      cairo_surface_flush (surface);
      frames[i] = bench_get_cpu_ms (CLOCK_PROCESS_CPUTIME_ID) - cpu;
    }
  bench_report_frames ("frame", frames, N_FRAMES);
  printf ("%-40s %8.2f ms of CPU\n", "slowest frame", frames[N_FRAMES - 1]);
  bench_report ("memory at most", bench_get_memory ("VmHWM:"), "MB", BENCH_MOST_MEMORY);
  if (cairo_status (cr) != CAIRO_STATUS_SUCCESS)
    g_error ("%s", cairo_status_to_string (cairo_status (cr)));
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return bench_has_failed () ? 1 : 0;
}
