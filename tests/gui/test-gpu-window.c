/* SPDX-License-Identifier: MIT
 * Sweeps that a window starts on a real GPU: run, paused, cancelled, resumed, run again, and one
 * that never ends. Exits 77 where there is no GPU.
 *
 * usage: test-gpu-window WORKER-COMMAND [GLIB TEST OPTION…] */
#include "app/cured-window-private.h"
#include "gui-test.h"
#include "device/cured-devices.h"

/* Of the main loop, while a sweep runs: what a person notices. */
#define LATENCY_MS 250

/* Calls to the main loop that did not come in time. */
typedef struct
{
  gint64 last_us, longest_us;
} Beat;

static gboolean
beat_cb (gpointer user_data)
{
  Beat *beat = user_data;
  gint64 now_us = g_get_monotonic_time ();

  beat->longest_us = MAX (beat->longest_us, now_us - beat->last_us);
  beat->last_us = now_us;
  return G_SOURCE_CONTINUE;
}

static gint64
count_done (CuredSweep *sweep)
{
  CuredProgress progress;

  return cured_sweep_get_progress (sweep, &progress) ? progress.n_done : 0;
}

static CuredSweep *
start (CuredWindow *window, const char *id, const char *const *axes, double limit_s,
       const char *path)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));

  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  for (gsize i = 0; axes[i] != NULL; i++)
    {
      MUST (cured_spec_parse_axis (spec, axes[i], &fail));
    }
  cured_spec_get_options (spec)->limit_s = limit_s;
  CuredSweep *sweep = cured_sweep_new (spec, "cuda:0", path, TRUE);
  cured_tab_run (cured_window_get_tab (window), sweep);
  return sweep;
}

static void
assert_times (CuredResult *result)
{
  gsize time;

  assert_soon (cured_result_find_metric (result, "time", &time));
  for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
    if (cured_result_get_state (result, cell) == CURED_STATE_OK)
      assert_soon_cmpfloat (cured_result_get_value (result, cell, time), >, 500.0);
}

TEST ("/gpu-window/sweep")
{
  static const char *const axes[] = { "tile=8,16,24,32", "rows=1,2,4,8", "n=1024", NULL };
  g_autofree char *path = in_folder ("gpu.cured");
  CuredWindow *window = cured_window_new (application);
  Beat beat = { 0 };
  const gint64 again[] = { 0, 5 };

  gtk_window_present (GTK_WINDOW (window));
  settle ();
  g_autoptr (CuredSweep) sweep = start (window, "matmul/coarsened", axes, 10.0, path);
  beat.last_us = g_get_monotonic_time ();
  guint beat_id = g_timeout_add (10, beat_cb, &beat);
  assert_soon (count_done (sweep) >= 3);
  cured_sweep_set_paused (sweep, TRUE);
  pause_ms (1500);
  gint64 n_done = count_done (sweep);
  pause_ms (1500);
  assert_soon_cmpint (count_done (sweep), ==, n_done);
  shoot ("gpu-paused");
  cured_sweep_set_paused (sweep, FALSE);
  pause_ms (300);
  cured_sweep_cancel (sweep);
  assert_soon (is_over (sweep));
  CuredResult *result = get_sweep (window) != NULL ? cured_sweep_get_result (sweep) : NULL;
  assert_soon_nonnull (result);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_NOT_RUN), >, 0);

  /* The rest, into the same file. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.resume-sweep", NULL);
  g_set_object (&sweep, get_sweep (window));
  assert_soon (is_over (sweep));
  settle ();
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_NOT_RUN), ==, 0);
  gint64 n_ok = cured_result_count_state (result, CURED_STATE_OK);
  assert_soon_cmpint (n_ok, ==, cured_result_get_n_cells (result));
  assert_times (result);
  shoot ("gpu-finished");

  /* Two of them once more. */
  g_clear_object (&sweep);
  sweep = cured_sweep_new_again (result, again, G_N_ELEMENTS (again), NULL);
  cured_tab_run (cured_window_get_tab (window), sweep);
  assert_soon (is_over (sweep));
  assert_soon_cmpint (count_done (sweep), ==, 2);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, n_ok);
  assert_times (result);

  g_source_remove (beat_id);
  g_test_message ("longest wait of the main loop: %.0f ms", (double) beat.longest_us / 1000.0);
  assert_soon_cmpint (beat.longest_us, <, LATENCY_MS * 1000);

  /* The same file's banks, by the emulator. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "banks");
  pause_ms (3000);
  shoot ("gpu-banks");
}

/* A kernel that waits for a block that never runs takes its worker with it; the others are
 * timed. */
TEST ("/gpu-window/endless")
{
  static const char *const axes[] = { "block=64,256", "blocks=1,8", NULL };
  g_autofree char *path = in_folder ("endless.cured");
  CuredWindow *window = cured_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  settle ();
  g_autoptr (CuredSweep) sweep = start (window, "reduce/single-launch", axes, 4.0, path);
  assert_soon (is_over (sweep));
  CuredResult *result = cured_sweep_get_result (sweep);
  assert_soon_nonnull (result);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_TIMED_OUT), ==, 2);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 2);
  shoot ("gpu-endless");
}

/* A kernel that faults is a cell that crashed or failed, and no more. */
TEST ("/gpu-window/fault")
{
  static const char *const axes[] = { NULL };
  g_autofree char *path = in_folder ("fault.cured");
  CuredWindow *window = cured_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  settle ();
  g_autoptr (CuredSweep) sweep = start (window, "specimens/misaligned", axes, 10.0, path);
  assert_soon (is_over (sweep));
  CuredResult *result = cured_sweep_get_result (sweep);
  assert_soon_nonnull (result);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 0);
  assert_soon_cmpint (cured_result_count_state (result, CURED_STATE_NOT_RUN), ==, 0);
}

static gboolean
has_gpu (void)
{
  g_autoptr (GPtrArray) devices = cured_device_list ();

  for (guint i = 0; i < devices->len; i++)
    {
      const CuredDeviceFound *found = devices->pdata[i];

      if (g_str_equal (found->id, "cuda:0") && found->info != NULL)
        return TRUE;
    }
  return FALSE;
}

int
main (int argc, char **argv)
{
  const char *worker = argc > 1 ? argv[1] : NULL;

  if (worker == NULL || !has_gpu ())
    {
      g_print ("skipped: there is no CUDA device\n");
      return 77;
    }
  argv[1] = argv[0];
  argc--;
  argv++;
  begin (&argc, &argv);
  g_setenv ("CURED_WORKER", worker, TRUE);
  return run_and_end ();
}
