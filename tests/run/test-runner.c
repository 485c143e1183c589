/* SPDX-License-Identifier: MIT
 * Sweeps on fake devices: shared, resumed, cancelled, and through failures. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cured-error.h"
#include "base/cured-own.h"
#include "device/cured-device-internal.h"
#include "fake-device.h"
#include "fake-plan.h"
#include "run/cured-runner-internal.h"
#include "run/cured-search.h"
#include "store/cured-result.h"
#include "store/cured-store-internal.h"
#include "test.h"
#include "worker/cured-worker-internal.h"

typedef struct
{
  char *folder, *path;
  CuredSpec *spec;
  CuredPlan *plan;
  CuredStore *store;
  CuredRunner *runner;
  GPtrArray *devices;
  GArray *cells; /* (element-type gint64): as they were finished */
  guint n_failed_devices;
  const char *mark;   /* made when a device failed, or at the cancel */
  guint cancel_after; /* cells; 0: never */
} Sweep;

CURED_CLEAR_FUNC (Sweep, close_store, store, cured_store_close)

static void
sweep_free (Sweep *self)
{
  if (self->runner != NULL)
    g_assert_finalize_object (self->runner);
  close_store (self);
  g_ptr_array_unref (self->devices);
  g_array_unref (self->cells);
  cured_plan_unref (self->plan);
  cured_spec_unref (self->spec);
  g_remove (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sweep, sweep_free)

static void
make_mark (Sweep *self)
{
  if (self->mark != NULL)
    g_assert_true (g_file_set_contents (self->mark, "", 0, NULL));
}

static void
cell_finished_cb (CuredRunner *runner, gint64 cell, CuredOutcome *outcome, Sweep *self)
{
  g_assert_cmpint (cured_store_get_state (self->store, cell), ==, outcome->state);
  g_assert_cmpint (outcome->state, !=, CURED_STATE_NOT_RUN);
  g_assert_true (cured_runner_is_running (runner));
  g_array_append_val (self->cells, cell);
  if (self->cells->len == self->cancel_after)
    {
      cured_runner_cancel (runner);
      make_mark (self);
    }
}

static void
device_failed_cb (CuredRunner *runner, CuredDevice *device, GError *error, Sweep *self)
{
  g_assert_nonnull (device);
  g_assert_nonnull (error);
  self->n_failed_devices++;
  make_mark (self);
}

static void
new_runner (Sweep *self)
{
  if (self->runner != NULL)
    g_assert_finalize_object (self->runner);
  self->runner = cured_runner_new (self->plan, self->store);
  g_array_set_size (self->cells, 0);
  self->n_failed_devices = 0;
  g_signal_connect (self->runner, "cell-finished", G_CALLBACK (cell_finished_cb), self);
  g_signal_connect (self->runner, "device-failed", G_CALLBACK (device_failed_cb), self);
  for (guint i = 0; i < self->devices->len; i++)
    cured_runner_add_device (self->runner, g_ptr_array_index (self->devices, i));
}

static Sweep *
sweep_new (const char *tiles, const char *blocks)
{
  Sweep *self = g_new0 (Sweep, 1);
  g_autoptr (CuredDevice) device = fake_device_open ("fake:0", NULL);

  self->folder = MUST (g_dir_make_tmp ("cured-XXXXXX", &fail));
  self->path = g_build_filename (self->folder, "sweep.cured", NULL);
  self->spec = fake_spec_new (tiles, blocks);
  self->plan = fake_plan_new (self->spec);
  self->store = MUST (
      cured_store_create (self->path, self->plan, cured_device_get_info (device), FALSE, &fail));
  self->devices = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_device_close);
  self->cells = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

static void
add_worker (Sweep *self, const char *faults)
{
  g_autofree char *id = g_strdup_printf ("fake:%u", self->devices->len);
  CuredDevice *device = MUST (fake_worker_open (faults, id, &fail));

  g_ptr_array_add (self->devices, device);
}

static void
assert_all_once (Sweep *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < self->cells->len; i++)
    g_assert_true (g_hash_table_add (seen, &g_array_index (self->cells, gint64, i)));
  g_assert_cmpuint (self->cells->len, ==, cured_plan_get_n_launchable (self->plan));
}

static guint
count_state (Sweep *self, CuredState state)
{
  guint n = 0;

  for (gint64 i = 0; i < cured_plan_get_n_cells (self->plan); i++)
    n += cured_store_get_state (self->store, i) == state;
  return n;
}

static void
run_to_end (Sweep *self)
{
  g_assert_true (MUST (cured_runner_run (self->runner, NULL, &fail)));
  g_assert_false (cured_runner_is_running (self->runner));
  /* Once is all that there is of a run. */
  FAILS (cured_runner_run (self->runner, NULL, &fail), CURED_ERROR, CURED_ERROR_INVALID, "");
}

TEST ("/runner/in-process")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4,8", "1..4");
  CuredProgress progress;

  g_ptr_array_add (sweep->devices, fake_device_open ("fake:0", NULL));
  new_runner (sweep);
  cured_runner_get_progress (sweep->runner, &progress);
  g_assert_cmpint (progress.n_cells, ==, 16);
  g_assert_cmpint (progress.elapsed_ns, ==, 0);
  g_assert_cmpint (progress.eta_ns, ==, -1);
  g_assert_cmpint (progress.best_cell, ==, -1);
  run_to_end (sweep);
  assert_all_once (sweep);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 16);

  cured_runner_get_progress (sweep->runner, &progress);
  g_assert_cmpint (progress.n_done, ==, 16);
  g_assert_cmpint (progress.n_states[CURED_STATE_OK], ==, 16);
  g_assert_cmpint (progress.eta_ns, ==, 0);
  g_assert_cmpint (progress.elapsed_ns, >, 0);
  g_assert_cmpint (progress.n_devices, ==, 1);
  g_assert_cmpint (progress.best_cell, >=, 0);
  g_assert_cmpfloat (progress.best_ns, >, 1000);
  g_assert_cmpint (progress.stage_ns[CURED_STAGE_TIME], >, 0);
  g_assert_cmpint (progress.store_ns, >, 0);
  g_assert_cmpint (progress.start_ns, ==, 0);
}

static gboolean
is_file_finished (Sweep *self)
{
  g_autoptr (CuredResult) result = MUST (cured_result_load (self->path, NULL, &fail));

  return cured_result_is_finished (result);
}

/* A search runs what it asks for and no more, on several devices as on one; a sweep runs the
 * rest. */
TEST ("/runner/search")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4,8", "1..20");
  g_autoptr (CuredSearch) search = cured_search_new_for_plan (sweep->plan, CURED_METRIC_time, 1);
  CuredSearchReport report;
  CuredProgress progress;

  g_ptr_array_add (sweep->devices, fake_device_open ("fake:0", NULL));
  g_ptr_array_add (sweep->devices, fake_device_open ("fake:1", NULL));
  new_runner (sweep);
  cured_runner_set_search (sweep->runner, search);
  run_to_end (sweep);
  cured_search_get_report (search, &report);
  g_assert_true (report.is_finished);
  guint n_visited = sweep->cells->len;
  g_assert_cmpuint (n_visited, >=, 8);
  g_assert_cmpuint (n_visited, <=, 40);
  g_assert_cmpint (report.n_visited, ==, n_visited);
  g_assert_cmpint (report.n_cells, ==, 80);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, n_visited);
  cured_runner_get_progress (sweep->runner, &progress);
  g_assert_cmpint (progress.n_done, ==, n_visited);
  g_assert_cmpint (progress.n_cells, ==, n_visited);
  g_assert_cmpint (progress.best_cell, ==, report.best);
  g_assert_cmpfloat (progress.best_ns, ==, report.value);
  g_assert_cmpfloat (report.low, <=, report.value);
  g_assert_cmpfloat (report.high, >=, report.value);
  g_assert_false (is_file_finished (sweep));

  new_runner (sweep);
  run_to_end (sweep);
  g_assert_cmpuint (sweep->cells->len, ==, 80 - n_visited);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 80);
  g_assert_true (is_file_finished (sweep));
}

TEST ("/runner/search/cancel")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4,8", "1..20");
  g_autoptr (CuredSearch) search = cured_search_new_for_plan (sweep->plan, CURED_METRIC_time, 1);
  CuredSearchReport report;

  g_ptr_array_add (sweep->devices, fake_device_open ("fake:0", NULL));
  new_runner (sweep);
  cured_runner_set_search (sweep->runner, search);
  sweep->cancel_after = 3;
  FAILS (cured_runner_run (sweep->runner, NULL, &fail), G_IO_ERROR, G_IO_ERROR_CANCELLED, "");
  cured_search_get_report (search, &report);
  g_assert_false (report.is_finished);
  g_assert_cmpint (report.n_visited, ==, sweep->cells->len);
}

/* Times of two sorts of device don't go into one file. */
TEST ("/runner/mixture")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4,8", "1..4");
  CuredDevice *other = fake_device_open ("fake:1", NULL);

  g_free (other->info.name);
  other->info.name = g_strdup ("Another device");
  g_ptr_array_add (sweep->devices, fake_device_open ("fake:0", NULL));
  g_ptr_array_add (sweep->devices, other);
  new_runner (sweep);
  run_to_end (sweep);
  assert_all_once (sweep);
  g_assert_cmpuint (sweep->n_failed_devices, ==, 1);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 16);
}

/* A cell that can't be launched is not run, and not waited for. */
TEST ("/runner/not-launchable")
{
  g_autoptr (Sweep) sweep = sweep_new ("16,32,33,64", "1,2");

  g_ptr_array_add (sweep->devices, fake_device_open ("fake:0", NULL));
  new_runner (sweep);
  run_to_end (sweep);
  g_assert_cmpuint (sweep->cells->len, ==, 4);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_NOT_LAUNCHABLE), ==, 4);
}

TEST ("/runner/shared")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4,8", "1..10");
  CuredProgress progress;

  add_worker (sweep, "ms=2");
  add_worker (sweep, "ms=2");
  add_worker (sweep, "ms=2");
  new_runner (sweep);
  run_to_end (sweep);
  assert_all_once (sweep);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 40);
  cured_runner_get_progress (sweep->runner, &progress);
  g_assert_cmpint (progress.n_devices, ==, 3);
}

TEST ("/runner/resume")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4,8", "1..5");
  g_autoptr (GError) error = NULL;
  g_autofree char *cancelled = g_build_filename (sweep->folder, "cancelled", NULL);
  g_autofree char *faults = g_strconcat ("wait=4,until=", cancelled, NULL);
  CuredProgress progress;

  sweep->mark = cancelled;
  add_worker (sweep, faults);
  sweep->cancel_after = 3;
  new_runner (sweep);
  g_assert_false (cured_runner_run (sweep->runner, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  guint n_first = sweep->cells->len;
  g_assert_cmpuint (n_first, >=, 3);
  g_assert_cmpuint (n_first, <, 20);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, n_first);
  g_clear_error (&error);

  /* As another program would, later. */
  g_assert_finalize_object (g_steal_pointer (&sweep->runner));
  close_store (sweep);
  sweep->store = MUST (cured_store_open (sweep->path, &fail));
  sweep->cancel_after = 0;
  new_runner (sweep);
  run_to_end (sweep);
  g_assert_cmpuint (sweep->cells->len, ==, 20 - n_first);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 20);
  cured_runner_get_progress (sweep->runner, &progress);
  g_assert_cmpint (progress.n_cells, ==, 20 - n_first);
  g_assert_cmpint (g_remove (cancelled), ==, 0);

  /* Nothing is left to do: a run ends at once. */
  new_runner (sweep);
  run_to_end (sweep);
  g_assert_cmpuint (sweep->cells->len, ==, 0);

  close_store (sweep);
  g_autoptr (CuredResult) result = MUST (cured_result_load (sweep->path, NULL, &fail));
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 20);
}

static void
run_again (Sweep *self, const char *faults, const gint64 *cells, gsize n_cells)
{
  g_ptr_array_set_size (self->devices, 0);
  add_worker (self, faults);
  new_runner (self);
  cured_runner_set_cells (self->runner, cells, n_cells);
  run_to_end (self);
}

static gboolean
is_finished (Sweep *self)
{
  g_autoptr (CuredResult) result = cured_result_load (self->path, NULL, NULL);

  return cured_result_is_finished (result);
}

/* Chosen cells run again in their file, and no other. */
TEST ("/runner/again")
{
  static const gint64 all[] = { 5, 2, 11 };
  static const gint64 bad[] = { 2 };
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4", "1..4");
  CuredProgress progress;
  gint64 values[3];

  /* The file has no cell yet: it is not finished by some of them. */
  run_again (sweep, NULL, all, G_N_ELEMENTS (all));
  g_assert_cmpuint (sweep->cells->len, ==, 3);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 3);
  g_assert_false (is_finished (sweep));
  new_runner (sweep);
  run_to_end (sweep);
  g_assert_cmpuint (sweep->cells->len, ==, 9);
  g_assert_true (is_finished (sweep));

  /* A cell that did well, and fails now. */
  cured_plan_get_values (sweep->plan, bad[0], values);
  {
    g_autofree char *faults = g_strdup_printf ("fail=%d", (int) values[1]);

    run_again (sweep, faults, all, G_N_ELEMENTS (all));
  }
  g_assert_cmpuint (sweep->cells->len, ==, 3);
  cured_runner_get_progress (sweep->runner, &progress);
  g_assert_cmpint (progress.n_cells, ==, 3);
  g_assert_cmpint (progress.cells_ns, >, 0);
  g_assert_cmpint (cured_store_get_state (sweep->store, 2), ==, CURED_STATE_FAILED);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 11);
  /* And well again. */
  run_again (sweep, NULL, bad, 1);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 12);
  g_assert_true (is_finished (sweep));
}

/* A cancel keeps the cells that were done. */
TEST ("/runner/again/cancelled")
{
  static const gint64 cells[] = { 0, 1, 2, 3 };
  g_autoptr (Sweep) sweep = sweep_new ("1", "1..4");

  run_again (sweep, NULL, cells, G_N_ELEMENTS (cells));
  g_ptr_array_set_size (sweep->devices, 0);
  add_worker (sweep, "hang=3");
  new_runner (sweep);
  cured_runner_set_cells (sweep->runner, cells, G_N_ELEMENTS (cells));
  sweep->cancel_after = 1;
  FAILS (cured_runner_run (sweep->runner, NULL, &fail), G_IO_ERROR, G_IO_ERROR_CANCELLED, "");
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 4);
  g_assert_true (is_finished (sweep));
}

/* Whatever one cell does, the others have times. */
TEST ("/runner/faults")
{
  static const CuredState expected[] = { CURED_STATE_OK,      CURED_STATE_FAILED,
                                         CURED_STATE_CRASHED, CURED_STATE_WRONG,
                                         CURED_STATE_OK,      CURED_STATE_TIMED_OUT,
                                         CURED_STATE_FAILED,  CURED_STATE_OK,
                                         CURED_STATE_CRASHED, CURED_STATE_CRASHED };
  g_autoptr (Sweep) sweep = sweep_new ("1,2", "1..10");
  CuredProgress progress;
  gint64 values[3];

  cured_spec_get_options (sweep->spec)->limit_s = 3;
  add_worker (sweep, "fail=2,crash=3,lie=4,hang=6,sticky=7,segv=9,exit=10");
  new_runner (sweep);
  run_to_end (sweep);
  assert_all_once (sweep);
  for (gint64 i = 0; i < cured_plan_get_n_cells (sweep->plan); i++)
    {
      cured_plan_get_values (sweep->plan, i, values);
      g_assert_cmpint (cured_store_get_state (sweep->store, i), ==, expected[values[1] - 1]);
    }
  cured_runner_get_progress (sweep->runner, &progress);
  g_assert_cmpint (progress.n_states[CURED_STATE_TIMED_OUT], ==, 2);
  g_assert_cmpint (progress.n_states[CURED_STATE_CRASHED], ==, 6);
  g_assert_cmpint (progress.start_ns, >, 0);
  g_assert_cmpint (progress.n_devices, ==, 1);
  /* The cells that hung are charged to the stage that they hung in. */
  g_assert_cmpint (progress.stage_ns[CURED_STAGE_CHECK], >, 2 * 2900 * G_GINT64_CONSTANT (1000000));
}

TEST ("/runner/deaths/repeated")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4", "1..10");
  g_autoptr (GError) error = NULL;

  add_worker (sweep, "crash=*");
  new_runner (sweep);
  g_assert_false (cured_runner_run (sweep->runner, NULL, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_CRASHED);
  g_assert_nonnull (strstr (error->message, "5 of 30 cells"));
  g_assert_nonnull (strstr (error->message, "died 5 times"));
  g_assert_nonnull (strstr (error->message, "signal 6"));
  g_assert_cmpuint (sweep->n_failed_devices, ==, 1);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_CRASHED), ==, CURED_RUNNER_MAX_DEATHS);
}

/* Deaths with cells finished in between don't add up. */
TEST ("/runner/deaths/scattered")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4", "1..4");

  add_worker (sweep, "crash=2,kill=3,segv=4");
  new_runner (sweep);
  run_to_end (sweep);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_CRASHED), ==, 9);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 3);
}

TEST ("/runner/deaths/one-bad-device")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4,8", "1..10");
  g_autofree char *failed = g_build_filename (sweep->folder, "failed", NULL);
  g_autofree char *faults = g_strconcat ("wait=*,until=", failed, NULL);
  CuredProgress progress;

  /* The other one leaves it cells for all of its deaths, however long they take. */
  cured_spec_get_options (sweep->spec)->limit_s = 3000;
  sweep->mark = failed;
  add_worker (sweep, "segv=*");
  add_worker (sweep, faults);
  new_runner (sweep);
  run_to_end (sweep);
  assert_all_once (sweep);
  g_assert_cmpuint (sweep->n_failed_devices, ==, 1);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_CRASHED), ==, CURED_RUNNER_MAX_DEATHS);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_OK), ==, 35);
  cured_runner_get_progress (sweep->runner, &progress);
  g_assert_cmpint (progress.n_devices, ==, 1);
  g_assert_cmpint (g_remove (failed), ==, 0);
}

/* A worker that can't be started again gives its cell back. */
TEST ("/runner/deaths/not-started-again")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2", "1..5");
  g_autofree char *mark = g_build_filename (sweep->folder, "mark", NULL);
  g_autofree char *script = g_strdup_printf (
      "if [ -e %s ]; then exit 9; fi; touch %s; CURED_FAKE=crash=3 exec \"$0\" \"$@\"", mark, mark);
  const char *command[] = { "sh", "-c", script, g_getenv ("CURED_TEST_WORKER"), NULL };

  CuredDevice *device = MUST (cured_worker_device_new (command, "fake:0", &fail));
  g_ptr_array_add (sweep->devices, device);
  new_runner (sweep);
  FAILS (cured_runner_run (sweep->runner, NULL, &fail), CURED_ERROR, CURED_ERROR_CRASHED,
         "exit status 9");
  guint n_done = sweep->cells->len;
  g_assert_cmpuint (count_state (sweep, CURED_STATE_NOT_RUN), ==, 10 - n_done);

  /* Another device takes the rest. */
  g_ptr_array_set_size (sweep->devices, 0);
  add_worker (sweep, "");
  new_runner (sweep);
  run_to_end (sweep);
  g_assert_cmpuint (sweep->cells->len, ==, 10 - n_done);
  g_remove (mark);
}

/* The caller is told, as of any other end. */
TEST ("/runner/no-thread")
{
  g_autoptr (Sweep) sweep = sweep_new ("1", "1..3");

  g_ptr_array_add (sweep->devices, fake_device_open ("fake:0", NULL));
  new_runner (sweep);
  refuse_threads (TRUE);
  FAILS (cured_runner_run (sweep->runner, NULL, &fail), G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "");
  refuse_threads (FALSE);
}

TEST ("/runner/no-device")
{
  g_autoptr (Sweep) sweep = sweep_new ("1", "1..3");

  new_runner (sweep);
  FAILS (cured_runner_run (sweep->runner, NULL, &fail), CURED_ERROR, CURED_ERROR_NO_DEVICE, "");
}

static gpointer
cancel_thread (gpointer data)
{
  g_usleep (300 * 1000);
  g_cancellable_cancel (data);
  return GINT_TO_POINTER (1);
}

TEST ("/runner/cancel/hang")
{
  g_autoptr (Sweep) sweep = sweep_new ("1", "1..10");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  add_worker (sweep, "hang=*");
  add_worker (sweep, "hang=*");
  new_runner (sweep);
  GThread *thread = g_thread_new ("cancel", cancel_thread, cancellable);
  g_assert_false (cured_runner_run (sweep->runner, cancellable, &error));
  g_thread_join (thread);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (count_state (sweep, CURED_STATE_NOT_RUN), ==, 10);
}

/* Cancelled before it began. */
TEST ("/runner/cancel/before")
{
  g_autoptr (Sweep) sweep = sweep_new ("1", "1..10");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  add_worker (sweep, "");
  new_runner (sweep);
  g_cancellable_cancel (cancellable);
  FAILS (cured_runner_run (sweep->runner, cancellable, &fail), G_IO_ERROR, G_IO_ERROR_CANCELLED,
         "");
}

static gboolean
resume_cb (gpointer data)
{
  Sweep *sweep = data;
  CuredProgress progress;

  cured_runner_get_progress (sweep->runner, &progress);
  g_assert_cmpint (progress.n_done, ==, 0);
  g_assert_true (cured_runner_is_running (sweep->runner));
  cured_runner_set_paused (sweep->runner, FALSE);
  return G_SOURCE_REMOVE;
}

static void
quit_cb (CuredRunner *runner, GError *error, gpointer data)
{
  g_assert_no_error (error);
  g_assert_false (cured_runner_is_running (runner));
  g_main_loop_quit (data);
}

/* As a window does it: the main loop goes on meanwhile. */
TEST ("/runner/paused")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2", "1..5");
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  add_worker (sweep, "");
  new_runner (sweep);
  g_signal_connect (sweep->runner, "finished", G_CALLBACK (quit_cb), loop);
  cured_runner_set_paused (sweep->runner, TRUE);
  cured_runner_start (sweep->runner);
  g_timeout_add (150, resume_cb, sweep);
  g_main_loop_run (loop);
  assert_all_once (sweep);
}

/* Dropped in the middle: nothing is left behind, and nothing is emitted. */
TEST ("/runner/dropped/any-moment")
{
  for (int i = 0; i < 10; i++)
    {
      g_autoptr (Sweep) sweep = sweep_new ("1,2", "1..10");

      add_worker (sweep, "ms=5");
      g_ptr_array_add (sweep->devices, fake_device_open ("fake:1", NULL));
      new_runner (sweep);
      cured_runner_start (sweep->runner);
      g_usleep ((gulong) g_test_rand_int_range (0, 30000));
      g_assert_finalize_object (g_steal_pointer (&sweep->runner));
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_assert_cmpuint (sweep->cells->len, ==, 0);
    }
}

static void
drop_cb (CuredRunner *runner, gint64 cell, gpointer outcome, Sweep *sweep)
{
  g_clear_object (&sweep->runner);
}

/* A listener drops the last reference while it is called. */
TEST ("/runner/dropped/by-listener")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2", "1..10");

  add_worker (sweep, "ms=5");
  new_runner (sweep);
  g_signal_connect (sweep->runner, "cell-finished", G_CALLBACK (drop_cb), sweep);
  cured_runner_start (sweep->runner);
  while (sweep->runner != NULL)
    g_main_context_iteration (NULL, TRUE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (sweep->cells->len, ==, 1);
}

/* A file system of its own for this process; FALSE where that is forbidden. */
static gboolean
mount_small (const char *folder, gulong flags, const char *options)
{
  if (unshare (CLONE_NEWNS) < 0 && unshare (CLONE_NEWUSER | CLONE_NEWNS) < 0)
    return FALSE;
  if (mount ("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
    return FALSE;
  return mount ("cured", folder, "tmpfs", flags, options) == 0;
}

TEST ("/runner/disk-full/subprocess/run")
{
  g_autoptr (Sweep) sweep = sweep_new ("1,2,4,8,16", "1..400");
  g_autoptr (GError) error = NULL;

  /* The folder is what is mounted over: the file is made again inside. */
  close_store (sweep);
  g_remove (sweep->path);
  g_assert_true (mount_small (sweep->folder, 0, "size=512k"));
  g_ptr_array_add (sweep->devices, fake_device_open ("fake:0", NULL));
  sweep->store = MUST (cured_store_create (
      sweep->path, sweep->plan, cured_device_get_info (g_ptr_array_index (sweep->devices, 0)),
      FALSE, &fail));
  new_runner (sweep);
  g_assert_false (cured_runner_run (sweep->runner, NULL, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  gint64 n_done = sweep->cells->len;
  g_assert_cmpint (n_done, >, 10);
  g_assert_cmpint (n_done, <, 2000);
  g_print ("%" G_GINT64_FORMAT " cells, then: %s\n", n_done, error->message);

  close_store (sweep);
  g_clear_error (&error);
  g_autoptr (CuredResult) result = MUST (cured_result_load (sweep->path, NULL, &fail));
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, n_done);
  for (guint i = 0; i < sweep->cells->len; i++)
    g_assert_cmpint (cured_result_get_state (result, g_array_index (sweep->cells, gint64, i)), ==,
                     CURED_STATE_OK);
  /* Before the file system goes with this process. */
  g_clear_object (&result);
  g_remove (sweep->path);
  umount2 (sweep->folder, MNT_DETACH);
}

TEST ("/runner/read-only/subprocess/run")
{
  g_autoptr (Sweep) sweep = sweep_new ("1", "1");
  g_autoptr (CuredDevice) device = fake_device_open ("fake:0", NULL);
  g_autoptr (GError) error = NULL;

  close_store (sweep);
  g_remove (sweep->path);
  g_assert_true (mount_small (sweep->folder, MS_RDONLY, "size=512k"));
  g_assert_null (
      cured_store_create (sweep->path, sweep->plan, cured_device_get_info (device), FALSE, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_print ("then: %s\n", error->message);
  umount2 (sweep->folder, MNT_DETACH);
}

/* Tried in a process of its own: what is mounted goes with it. */
static gboolean
can_mount (void)
{
  pid_t child = fork ();
  int status = -1;

  if (child == 0)
    _exit (mount_small (g_get_tmp_dir (), 0, "size=64k") ? 0 : 1);
  waitpid (child, &status, 0);
  return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

static void
test_in_child (gconstpointer data)
{
  if (!can_mount ())
    {
      g_test_skip ("this process may not mount a file system");
      return;
    }
  g_test_trap_subprocess (data, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout ("*then: *sweep.cured*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/runner/disk-full", "/runner/disk-full/subprocess/run", test_in_child);
  g_test_add_data_func ("/runner/read-only", "/runner/read-only/subprocess/run", test_in_child);
  return run_tests ();
}
