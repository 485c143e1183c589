/* SPDX-License-Identifier: MIT
 * A map of a million cells in the real window: how long until it is seen, what a frame costs while
 * it is moved, and how much memory the application takes. bench-map MAKE-RESULT FILE: FILE is made
 * where it is missing or old. */
#include <stdio.h>
#include <sys/resource.h>

#include "bench.h"
#include "app/cured-gui-app.h"

#define N_FRAMES 120

/* The limit that the project promises. */
#define MOST_START_MS 500.0

/* What the main thread spends between the two signals of each frame. */
typedef struct
{
  double begin, user_begin;
  double user; /* of all of them, without what the system did for them */
  double frames[10 * N_FRAMES];
  guint n_frames;
} Frames;

static double
get_user_ms (void)
{
  struct rusage usage;

  getrusage (RUSAGE_THREAD, &usage);
  return (double) usage.ru_utime.tv_sec * 1e3 + (double) usage.ru_utime.tv_usec / 1e3;
}

static void
before_paint_cb (GdkFrameClock *clock, Frames *frames)
{
  frames->begin = bench_get_cpu_ms (CLOCK_THREAD_CPUTIME_ID);
  frames->user_begin = get_user_ms ();
}

static void
after_paint_cb (GdkFrameClock *clock, Frames *frames)
{
  double spent = bench_get_cpu_ms (CLOCK_THREAD_CPUTIME_ID) - frames->begin;

  if (frames->n_frames == G_N_ELEMENTS (frames->frames))
    return;
  frames->frames[frames->n_frames++] = spent;
  frames->user += get_user_ms () - frames->user_begin;
}

static void
wait_for_frame (Frames *frames)
{
  guint n = frames->n_frames;
  gint64 end_us = g_get_monotonic_time () + G_USEC_PER_SEC;

  while (frames->n_frames == n && g_get_monotonic_time () < end_us)
    g_main_context_iteration (NULL, TRUE);
}

/* Until nothing happened for a while. */
static void
settle (void)
{
  gint64 quiet_us = g_get_monotonic_time ();

  while (g_get_monotonic_time () - quiet_us < 300000)
    if (g_main_context_iteration (NULL, FALSE))
      quiet_us = g_get_monotonic_time ();
    else
      g_usleep (2000);
}

/* Of the same time: what other programs can't lengthen. */
static void
report_main_thread (double since)
{
  printf ("%-40s %8.2f ms of CPU\n", "  of that, the main thread's own",
          bench_get_cpu_ms (CLOCK_THREAD_CPUTIME_ID) - since);
}

static void
forget_frames (Frames *frames)
{
  frames->n_frames = 0;
  frames->user = 0;
}

static void
report_frames (const char *what, Frames *frames)
{
  bench_report_frames (what, frames->frames, frames->n_frames);
  printf ("%-40s %8.2f ms a frame\n", "  of that, in user space", frames->user / frames->n_frames);
  forget_frames (frames);
}

/* (transfer full): what tells a widget of the pointer */
static GtkEventController *
find_motion (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_MOTION (controller))
        return g_steal_pointer (&controller);
    }
  g_assert_not_reached ();
}

int
main (int argc, char **argv)
{
  gint64 start_us = g_get_monotonic_time ();
  static Frames frames;

  if (argc != 3)
    {
      g_printerr ("usage: bench-map MAKE-RESULT FILE\n");
      return 2;
    }
  g_autoptr (GtkApplication) application = GTK_APPLICATION (cured_application_new ());
  g_application_set_flags (G_APPLICATION (application),
                           G_APPLICATION_NON_UNIQUE | G_APPLICATION_HANDLES_OPEN);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  CuredWindow *window = cured_window_new (application);
  gtk_window_set_default_size (GTK_WINDOW (window), 1280, 800);
  gtk_window_present (GTK_WINDOW (window));
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  g_signal_connect (clock, "before-paint", G_CALLBACK (before_paint_cb), &frames);
  g_signal_connect (clock, "after-paint", G_CALLBACK (after_paint_cb), &frames);
  wait_for_frame (&frames);
  bench_report ("first frame of the application",
                (double) (g_get_monotonic_time () - start_us) / 1e3, "ms", MOST_START_MS);
  report_main_thread (0);
  settle ();
  printf ("%-40s %8.1f MB\n", "memory of the start page", bench_get_memory ("VmRSS:"));

  bench_make_million (argv[1], argv[2]);
  g_autoptr (GFile) file = g_file_new_for_path (argv[2]);
  double cpu = bench_get_cpu_ms (CLOCK_THREAD_CPUTIME_ID);
  start_us = g_get_monotonic_time ();
  cured_tab_open (cured_window_get_tab (window), file);
  while (!g_str_equal (cured_tab_get_view_name (cured_window_get_tab (window)), "result"))
    g_main_context_iteration (NULL, TRUE);
  forget_frames (&frames);
  wait_for_frame (&frames);
  bench_report ("open and first frame of the map",
                (double) (g_get_monotonic_time () - start_us) / 1e3, "ms", BENCH_MOST_OPEN_MS);
  report_main_thread (cpu);
  CuredHeatMap *map =
      cured_result_page_get_map (cured_tab_get_page (cured_window_get_tab (window)));
  g_assert_cmpuint (cured_map_view_get_grid (cured_heat_map_get_view (map))->nx *
                        cured_map_view_get_grid (cured_heat_map_get_view (map))->ny,
                    ==, 1000 * 1000);
  settle ();

  /* Far out: each pixel is a cell of its own, and all of them move. */
  cured_heat_map_zoom (map, 1.5);
  wait_for_frame (&frames);
  forget_frames (&frames);
  for (int i = 0; i < N_FRAMES; i++)
    {
      cured_heat_map_pan (map, i < N_FRAMES / 2 ? -3 : 3, i % 2 == 0 ? 2 : -2);
      wait_for_frame (&frames);
    }
  report_frames ("frame while panning far out", &frames);
  for (int i = 0; i < N_FRAMES; i++)
    {
      cured_heat_map_zoom (map, i < N_FRAMES / 2 ? 1.06 : 1 / 1.06);
      wait_for_frame (&frames);
    }
  report_frames ("frame while zooming in and out", &frames);
  /* Close: numbers in the cells. */
  cured_heat_map_zoom (map, 60);
  wait_for_frame (&frames);
  forget_frames (&frames);
  for (int i = 0; i < N_FRAMES; i++)
    {
      cured_heat_map_pan (map, i < N_FRAMES / 2 ? -3 : 3, i % 2 == 0 ? 2 : -2);
      wait_for_frame (&frames);
    }
  report_frames ("frame while panning close up", &frames);
  /* Only the pointer moves, from cell to cell: the map itself is kept. */
  GtkEventController *motion = find_motion (GTK_WIDGET (map));
  for (int i = 0; i < N_FRAMES; i++)
    {
      g_signal_emit_by_name (motion, "motion", 150.0 + 100.0 * (i % 3), 200.0 + 0.1 * i);
      wait_for_frame (&frames);
    }
  report_frames ("frame while the pointer moves", &frames);
  g_signal_emit_by_name (motion, "leave");
  g_object_unref (motion);
  wait_for_frame (&frames);
  forget_frames (&frames);
  /* Only the cursor moves, and the details with it. */
  for (int i = 0; i < N_FRAMES; i++)
    {
      gsize column, row;

      cured_map_view_get_cursor (cured_heat_map_get_view (map), &column, &row);
      cured_map_view_set_cursor (cured_heat_map_get_view (map), column ^ 1, row);
      wait_for_frame (&frames);
    }
  report_frames ("frame while the cursor moves", &frames);
  bench_report ("memory at most", bench_get_memory ("VmHWM:"), "MB", BENCH_MOST_MEMORY);
  printf ("%-40s %8.1f MB\n", "memory now", bench_get_memory ("VmRSS:"));
  gtk_window_destroy (GTK_WINDOW (window));
  return bench_has_failed () ? 1 : 0;
}
