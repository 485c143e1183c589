/* SPDX-License-Identifier: MIT
 * Opens a result of a million cells and moves around in it, against the clock.
 * bench-million MAKE-RESULT FILE: FILE is made where it is missing or old. */
#include "cured.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIDE     "1000"
#define N_FRAMES 200

/* Other programs on the machine can make one of them slow, not all. */
#define N_OPENINGS 3

#define WIDTH  1280
#define HEIGHT 800

/* The limits that the project promises. */
#define MOST_OPEN_MS  1000.0
#define MOST_FRAME_MS 4.0
#define MOST_MEMORY   400.0 /* MB */

static gboolean failed;

static void
report (const char *what, double figure, const char *unit, double limit)
{
  gboolean is_over = !(figure < limit);

  printf ("%-34s %8.1f %s, limit %.0f%s\n",
          what,
          figure,
          unit,
          limit,
          is_over ? ": FAILED" : "");
  failed = failed || is_over;
}

static double
get_cpu_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/* The most memory that this process ever held, in MB. */
static double
get_peak_memory (void)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0;
  line = strstr (status, "VmHWM:");
  return line != NULL ? g_ascii_strtod (line + 6, NULL) * 1024 / 1e6 : 0;
}

/* In a process of its own: its memory is not ours. */
static void
make_file (const char *make_result, const char *path)
{
  g_autofree char *temporary = g_strconcat (path, ".part", NULL);
  const char *arguments[] = { make_result, temporary, SIDE, SIDE, NULL };
  g_autoptr (GError) error = NULL;
  GStatBuf maker;
  GStatBuf made;
  int status = 0;

  if (g_stat (make_result, &maker) == 0 && g_stat (path, &made) == 0 &&
      made.st_mtime >= maker.st_mtime)
    return;
  if (!g_spawn_sync (NULL,
                     (char **) arguments,
                     NULL,
                     G_SPAWN_DEFAULT,
                     NULL,
                     NULL,
                     NULL,
                     NULL,
                     &status,
                     &error) ||
      !g_spawn_check_wait_status (status, &error))
    g_error ("%s: %s", make_result, error->message);
  if (rename (temporary, path) != 0)
    g_error ("%s: cannot be renamed", temporary);
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a;
  double y = *(const double *) b;

  return (x > y) - (x < y);
}

/* In and out again, and sideways all the time, with the pointer moving. */
static void
move (CuredPlotGeometry *geometry,
      const CuredGrid *grid,
      int frame,
      CuredPlotCursor *cursor)
{
  double x = geometry->plot.x + geometry->plot.width * (frame % 50) / 50.0;
  double y = geometry->plot.y + geometry->plot.height * (frame % 37) / 37.0;

  cured_plot_geometry_zoom (
      geometry, grid, frame < N_FRAMES / 2 ? 1.06 : 1 / 1.06, x, y);
  cured_plot_geometry_pan (geometry, grid, -5, 3);
  cursor->is_shown = cured_plot_geometry_pick (
      geometry, grid, x, y, &cursor->column, &cursor->row);
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
  double sum = 0;
  double opening = G_MAXDOUBLE;

  if (argc != 3)
    {
      g_printerr ("usage: bench-million MAKE-RESULT FILE\n");
      return 2;
    }
  make_file (argv[1], argv[2]);

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
  report ("open and first frame, best of 3", opening, "ms", MOST_OPEN_MS);
  if (grid->nx * grid->ny != 1000 * 1000)
    g_error ("%s: not a million cells", argv[2]);

  for (int i = 0; i < N_FRAMES; i++)
    {
      double cpu = get_cpu_ms ();

      move (&geometry, grid, i, &cursor);
      cured_plot_draw (cr, grid, cache, &geometry, &style, &cursor, &selection);
      cairo_surface_flush (surface);
      frames[i] = get_cpu_ms () - cpu;
      sum += frames[i];
    }
  qsort (frames, N_FRAMES, sizeof frames[0], compare_doubles);
  report ("frame, mean of 200", sum / N_FRAMES, "ms of CPU", MOST_FRAME_MS);
  report ("frame, 95 of 100 are below",
          frames[N_FRAMES * 95 / 100],
          "ms of CPU",
          MOST_FRAME_MS * 1.5);
  printf ("%-34s %8.1f ms of CPU\n", "slowest frame", frames[N_FRAMES - 1]);
  report ("memory at most", get_peak_memory (), "MB", MOST_MEMORY);
  if (cairo_status (cr) != CAIRO_STATUS_SUCCESS)
    g_error ("%s", cairo_status_to_string (cairo_status (cr)));
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return failed ? 1 : 0;
}
