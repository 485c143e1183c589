/* SPDX-License-Identifier: MIT
 * Rounds of a sweep: each in a fresh process, whoever asks for how many. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "base/cured-own.h"
#include "fake-device.h"
#include "fake-plan.h"
#include "run/cured-runner-internal.h"
#include "store/cured-result.h"
#include "test.h"
#include "worker/cured-worker-internal.h"

typedef struct
{
  char *folder, *path;
  char *starts; /* a byte a process */
  CuredSpec *spec;
  CuredPlan *plan;
  CuredStore *store;
  GPtrArray *devices;
  guint n_finished;   /* cells, as often as they were */
  guint cancel_after; /* of them; 0: never */
} Sweep;

static Sweep *
sweep_new_of (guint n_rounds, const char *tiles, const char *blocks)
{
  Sweep *self = g_new0 (Sweep, 1);

  g_autoptr (CuredDevice) device = fake_device_open ("fake:0", NULL);
  self->folder = MUST (g_dir_make_tmp ("cured-XXXXXX", &fail));
  self->path = g_build_filename (self->folder, "sweep.cured", NULL);
  self->starts = g_build_filename (self->folder, "starts", NULL);
  self->spec = fake_spec_new (tiles, blocks);
  cured_spec_get_options (self->spec)->rounds = n_rounds;
  cured_spec_get_options (self->spec)->min_samples = 6;
  cured_spec_get_options (self->spec)->max_samples = 24;
  self->plan = fake_plan_new (self->spec);
  self->store = MUST (
      cured_store_create (self->path, self->plan, cured_device_get_info (device), FALSE, &fail));
  self->devices = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_device_close);
  return self;
}

static Sweep *
sweep_new (guint n_rounds)
{
  return sweep_new_of (n_rounds, "1,2", "1..3");
}

CURED_FREE_FUNC (Sweep, sweep_free, store, cured_store_close, devices, g_ptr_array_unref, plan,
                 cured_plan_unref, spec, cured_spec_unref, path, g_remove, starts, g_remove, folder,
                 g_rmdir, path, g_free, starts, g_free, folder, g_free)

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sweep, sweep_free)

static void
add_worker (Sweep *self, const char *faults)
{
  g_autofree char *id = g_strdup_printf ("fake:%u", self->devices->len);
  g_autofree char *all = g_strdup_printf ("starts=%s,%s", self->starts, faults);
  CuredDevice *device = MUST (fake_worker_open (all, id, &fail));

  g_ptr_array_add (self->devices, device);
}

static gsize
count_starts (Sweep *self)
{
  g_autofree char *text = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (self->starts, &text, &length, NULL));
  return length;
}

static void
cell_finished_cb (CuredRunner *runner, gint64 cell, CuredOutcome *outcome, Sweep *self)
{
  if (++self->n_finished == self->cancel_after)
    cured_runner_cancel (runner);
}

static void
run (Sweep *self, CuredSearch *search, CuredProgress *progress)
{
  g_autoptr (CuredRunner) runner = cured_runner_new (self->plan, self->store);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < self->devices->len; i++)
    cured_runner_add_device (runner, g_ptr_array_index (self->devices, i));
  if (search != NULL)
    cured_runner_set_search (runner, search);
  self->n_finished = 0;
  g_signal_connect (runner, "cell-finished", G_CALLBACK (cell_finished_cb), self);
  gboolean is_done = cured_runner_run (runner, NULL, &error);
  if (self->cancel_after > 0)
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  else
    g_assert_no_error (error);
  g_assert_true (is_done == (self->cancel_after == 0));
  if (progress != NULL)
    cured_runner_get_progress (runner, progress);
}

static CuredResult *
load (Sweep *self)
{
  return MUST (cured_result_load (self->path, NULL, &fail));
}

static CuredOutcome *
load_cell (Sweep *self, gint64 cell)
{
  g_autoptr (CuredResult) result = load (self);
  return MUST (cured_result_load_outcome (result, cell, &fail));
}

/* Samples of rounds 0 to @n - 1, one behind the other, none twice. */
static void
assert_rounds (const CuredSamples *samples, guint n)
{
  guint round = 0;

  g_assert_nonnull (samples);
  g_assert_cmpuint (samples->rounds.n, ==, n);
  for (guint i = 0; i < samples->samples->len; i++)
    {
      const CuredSample *sample = &g_array_index (samples->samples, CuredSample, i);

      g_assert_cmpuint (sample->round, >=, round);
      g_assert_cmpuint (sample->round, <=, round + 1);
      round = sample->round;
    }
  g_assert_cmpuint (round, ==, n - 1);
}

static void
assert_all (Sweep *self, guint n)
{
  for (gint64 cell = 0; cell < cured_plan_get_n_cells (self->plan); cell++)
    {
      g_autoptr (CuredOutcome) outcome = load_cell (self, cell);

      g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
      assert_rounds (outcome->cold, n);
      assert_rounds (outcome->hot, n);
      g_assert_cmpfloat (outcome->metrics[CURED_METRIC_rounds], ==, n);
      g_assert_cmpfloat (outcome->metrics[CURED_METRIC_time_samples], ==,
                         outcome->cold->samples->len);
      g_assert_cmpfloat (outcome->metrics[CURED_METRIC_time], ==, outcome->cold->statistics.median);
    }
}

static int
query (Sweep *self, const char *sql)
{
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;

  g_assert_cmpint (sqlite3_open (self->path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (database, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  int value = sqlite3_column_int (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (database);
  return value;
}

/* Each round is a process over all cells, not one a cell. */
TEST ("/rounds/fixed")
{
  g_autoptr (Sweep) sweep = sweep_new (3);
  CuredProgress progress;

  add_worker (sweep, "between=0.1,scale=10");
  run (sweep, NULL, &progress);
  g_assert_cmpuint (count_starts (sweep), ==, 3);
  g_assert_cmpuint (sweep->n_finished, ==, 18);
  g_assert_cmpint (progress.n_cells, ==, 6);
  g_assert_cmpint (progress.n_done, ==, 6);
  g_assert_cmpint (progress.n_measured, ==, 18);
  g_assert_cmpint (progress.n_left, ==, 0);
  g_assert_cmpuint (progress.round, ==, 3);
  g_assert_cmpint (progress.n_states[CURED_STATE_OK], ==, 6);
  g_assert_cmpfloat (cured_progress_get_fraction (&progress), ==, 1);
  assert_all (sweep, 3);
  /* Each round's time is counted once. */
  g_assert_cmpint (progress.stage_ns[CURED_STAGE_TIME] / 1000, ==,
                   query (sweep, "SELECT sum(sampling_ns) / 1000 FROM cell"));
  g_assert_cmpint (progress.stage_ns[CURED_STAGE_CHECK] / 1000, ==,
                   query (sweep, "SELECT sum(check_ns) / 1000 FROM cell"));
  g_assert_cmpint (query (sweep, "SELECT finished FROM sweep"), ==, 1);
  g_assert_cmpint (query (sweep, "SELECT count(*) FROM cell_device"), ==, 18);
  g_assert_cmpint (
      query (sweep, "SELECT count(*) FROM (SELECT DISTINCT cell, mode, round FROM sample)"), ==,
      6 * 2 * 3);
  g_assert_cmpint (query (sweep, "SELECT count(*) FROM cell WHERE check_ns > 0"), ==, 6);

  /* 0, 0.1 and 0.2 %: the time is of the one in the middle. */
  {
    g_autoptr (CuredOutcome) outcome = load_cell (sweep, 0);

    g_assert_cmpfloat_with_epsilon (outcome->metrics[CURED_METRIC_time_between], 0.001, 1e-4);
  }
  g_autoptr (CuredResult) result = load (sweep);
  g_autofree char *text = cured_result_describe_cell_rounds (result, 0);
  g_assert_cmpstr (text, ==, "3 rounds: includes run-to-run variation");
  g_clear_pointer (&text, g_free);
  text = cured_result_describe_rounds (result);
  g_assert_cmpstr (text, ==, "3");
}

/* The least number of samples is the cell's: each round takes its part. */
TEST ("/rounds/least")
{
  const struct
  {
    guint n_rounds, min_samples, n_samples;
  } cases[] = {
    { 1, 8, 8 }, { 2, 8, 8 }, { 0, 8, 8 }, { 0, 9, 10 }, { 3, 8, 9 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Sweep) sweep = sweep_new_of (cases[i].n_rounds, "1", "1");
      CuredOptions *options = cured_spec_get_options (sweep->spec);

      options->min_samples = cases[i].min_samples;
      options->precision = 0.9;
      add_worker (sweep, "scale=10");
      run (sweep, NULL, NULL);
      g_autoptr (CuredOutcome) outcome = load_cell (sweep, 0);
      g_assert_cmpuint (outcome->cold->samples->len, ==, cases[i].n_samples);
      g_assert_cmpuint (outcome->hot->samples->len, ==, cases[i].n_samples);
    }
}

/* What a cell needs: two rounds above 50 µs, four below, twice as many where they differ. */
TEST ("/rounds/auto")
{
  static const struct
  {
    const char *faults;
    guint n_rounds;
  } cases[] = {
    { "scale=10", 2 },
    { "scale=0.5", 4 },
    { "scale=10,between=2", 4 },
    { "scale=0.5,between=5", 8 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (Sweep) sweep = sweep_new_of (0, "1", "1,2");
      CuredProgress progress;

      add_worker (sweep, cases[i].faults);
      run (sweep, NULL, &progress);
      assert_all (sweep, cases[i].n_rounds);
      g_assert_cmpuint (count_starts (sweep), ==, cases[i].n_rounds);
      g_assert_cmpint (progress.n_left, ==, 0);
    }
}

/* Stopped in the second round, the file has every cell; the rest is done by another run, whose
 * first process is fresh by itself. */
TEST ("/rounds/resume")
{
  g_autoptr (Sweep) sweep = sweep_new (3);
  CuredProgress progress;

  /* Not all are done before the cancel. */
  add_worker (sweep, "scale=10,wait-later=3,until=/dev/null/never");
  sweep->cancel_after = 8;
  run (sweep, NULL, NULL);
  g_assert_cmpint (query (sweep, "SELECT finished FROM sweep"), ==, 0);
  g_assert_cmpint (query (sweep, "SELECT count(*) FROM cell"), ==, 6);

  g_ptr_array_set_size (sweep->devices, 0);
  add_worker (sweep, "scale=10");
  sweep->cancel_after = 0;
  run (sweep, NULL, &progress);
  g_assert_cmpint (progress.n_cells, ==, 6);
  assert_all (sweep, 3);
  g_assert_cmpint (query (sweep, "SELECT finished FROM sweep"), ==, 1);

  /* Nothing is left; with more rounds there is. */
  run (sweep, NULL, NULL);
  g_assert_cmpuint (sweep->n_finished, ==, 0);
  cured_spec_get_options (sweep->spec)->rounds = 5;
  run (sweep, NULL, NULL);
  g_assert_cmpuint (sweep->n_finished, ==, 12);
  assert_all (sweep, 5);
}

/* Cells that are run again begin with their first round. */
TEST ("/rounds/again")
{
  g_autoptr (Sweep) sweep = sweep_new (2);
  const gint64 cells[] = { 1, 4 };

  add_worker (sweep, "scale=10");
  run (sweep, NULL, NULL);
  g_autoptr (CuredRunner) runner = cured_runner_new (sweep->plan, sweep->store);
  cured_runner_add_device (runner, g_ptr_array_index (sweep->devices, 0));
  cured_runner_set_cells (runner, cells, G_N_ELEMENTS (cells));
  g_assert_true (MUST (cured_runner_run (runner, NULL, &fail)));
  assert_all (sweep, 2);
}

/* Devices share the rounds as they share the cells. */
TEST ("/rounds/shared")
{
  g_autoptr (Sweep) sweep = sweep_new (4);

  add_worker (sweep, "scale=10,ms=2");
  add_worker (sweep, "scale=10,ms=2");
  run (sweep, NULL, NULL);
  assert_all (sweep, 4);
  g_assert_cmpuint (count_starts (sweep), >=, 4);
  g_assert_cmpuint (count_starts (sweep), <=, 8);
  g_assert_cmpint (query (sweep, "SELECT count(*) FROM cell_device"), ==, 24);
}

/* A process measures a cell once. What one device has measured another one measures next: there is
 * no need of a fresh process for each device and round. */
TEST ("/rounds/once")
{
  g_autoptr (Sweep) sweep = sweep_new_of (2, "1..6", "1..8");
  const guint n_devices = 4;

  for (guint i = 0; i < n_devices; i++)
    add_worker (sweep, "between=0.1,scale=10,ms=2");
  run (sweep, NULL, NULL);
  assert_all (sweep, 2);
  g_assert_cmpuint (count_starts (sweep), <, 2 * n_devices);
  for (gint64 cell = 0; cell < cured_plan_get_n_cells (sweep->plan); cell++)
    {
      g_autoptr (CuredOutcome) outcome = load_cell (sweep, cell);

      g_assert_cmpfloat (outcome->metrics[CURED_METRIC_time_between], >, 0.0002);
    }
}

/* A device of this process has one round, and the file says what that is. */
TEST ("/rounds/in-process")
{
  g_autoptr (Sweep) sweep = sweep_new (0);

  g_ptr_array_add (sweep->devices, fake_device_open ("fake:0", NULL));
  run (sweep, NULL, NULL);
  g_assert_cmpuint (sweep->n_finished, ==, 6);
  assert_all (sweep, 1);
  g_autoptr (CuredResult) result = load (sweep);
  g_autofree char *text = cured_result_describe_cell_rounds (result, 0);
  g_assert_cmpstr (text, ==, "One run only: excludes run-to-run variation");
}

/* Waiting for the clock shows in the progress, and in what the file says. */
TEST ("/rounds/throttled")
{
  g_autoptr (Sweep) sweep = sweep_new (2);
  CuredProgress progress;

  add_worker (sweep, "scale=10,throttle=4");
  run (sweep, NULL, &progress);
  g_assert_cmpint (progress.n_throttled, ==, 0);
  g_assert_cmpint (progress.n_waits, >=, 1);
  g_autofree char *course = cured_progress_describe (&progress);
  g_assert_nonnull (strstr (course, "round 2, waited "));
  g_autoptr (CuredResult) result = load (sweep);
  g_autofree char *text = cured_result_describe_rounds (result);
  g_assert_nonnull (strstr (text, "waited 2 times for the clock"));
}

/* What fails in one of its processes has no time, and says when it failed. */
TEST ("/rounds/failure")
{
  g_autoptr (Sweep) sweep = sweep_new (2);
  CuredProgress progress;

  add_worker (sweep, "scale=10,fail-later=2");
  run (sweep, NULL, &progress);
  g_assert_cmpint (progress.n_states[CURED_STATE_OK], ==, 4);
  g_assert_cmpint (progress.n_states[CURED_STATE_FAILED], ==, 2);
  g_assert_cmpint (progress.n_done, ==, 6);
  g_autoptr (CuredOutcome) outcome = load_cell (sweep, 1);
  g_assert_cmpint (outcome->state, ==, CURED_STATE_FAILED);
  g_assert_nonnull (strstr (outcome->reason, "it was ok before"));
  g_assert_null (outcome->cold);
}

/* A search needs further rounds of the best cell and of what can't be told from it. */
TEST ("/rounds/search")
{
  g_autoptr (Sweep) sweep = sweep_new (2);
  g_autoptr (CuredSearch) search = cured_search_new_for_plan (sweep->plan, CURED_METRIC_time, 1);
  CuredSearchReport report;

  add_worker (sweep, "scale=10");
  run (sweep, search, NULL);
  cured_search_get_report (search, &report);
  g_assert_cmpint (report.n_visited, ==, 6);
  g_autoptr (CuredOutcome) outcome = load_cell (sweep, report.best);
  assert_rounds (outcome->cold, 2);
  g_assert_cmpfloat (report.value, ==, outcome->metrics[CURED_METRIC_time]);
  g_assert_cmpfloat (report.low, ==, outcome->metrics[CURED_METRIC_time_low]);
  guint n_twice = (guint) query (sweep, "SELECT count(*) FROM cell_device WHERE round = 1");
  g_assert_cmpuint (n_twice, >=, 1);
  g_assert_cmpuint (n_twice, <, 6);
  g_assert_cmpuint (sweep->n_finished, ==, 6 + n_twice);
}

/* The next process opens the device while the former ends: neither is waited for after the other. A
 * launcher may have no room for two. */
TEST ("/rounds/start-ahead")
{
  /* The first one ends when the second one has the device, or some time later, when it could
   * have. */
  static const char *const leaves[] = { "leave-at=2", "leave-ms=600", "leave-ms=600" };
  static const char expected[] = { '2', '1', '1' };

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (Sweep) sweep = sweep_new (2);
      g_autofree char *left = g_build_filename (sweep->folder, "left", NULL);
      g_autofree char *setting =
          g_strdup_printf ("CURED_FAKE=scale=10,load-ms=100,open-ms=100,starts=%s,left=%s,%s",
                           sweep->starts, left, leaves[i]);
      g_autofree char *numbers = NULL;
      const char *worker = g_getenv ("CURED_TEST_WORKER");
      const char *plain[] = { "env", setting, worker, NULL };
      const char *launched[] = { "env", setting, "nice", "-n", "0", worker, NULL };
      const char *brief[] = { "env", setting, "nice", worker, NULL };
      const char *const *commands[] = { plain, launched, brief };
      CuredDevice *device = MUST (cured_worker_device_new (commands[i], "fake:0", &fail));
      CuredProgress progress;

      g_ptr_array_add (sweep->devices, device);
      run (sweep, NULL, &progress);
      g_assert_cmpint (sweep->n_finished, ==, 12);
      /* Until it has the device, nothing is measured. */
      g_assert_cmpint (progress.start_ns, >=, i == 0 ? 100000000 : 800000000);
      /* It is there before it has a number. */
      while (!g_file_get_contents (left, &numbers, NULL, NULL) || numbers[0] == '\0')
        {
          g_clear_pointer (&numbers, g_free);
          g_usleep (10000);
        }
      g_assert_cmpint (numbers[0], ==, expected[i]);
      /* The second one may still be about to write. */
      g_clear_pointer (&sweep->devices, g_ptr_array_unref);
      sweep->devices = g_ptr_array_new ();
      g_remove (left);
    }
}

/* A device that has one process at a time gets the next one when the former is gone. */
TEST ("/rounds/alone")
{
  g_autoptr (Sweep) sweep = sweep_new (3);
  g_autofree char *path = g_build_filename (sweep->folder, "alone", NULL);
  g_autofree char *refused = g_strconcat (path, ".refused", NULL);
  g_autofree char *faults = g_strdup_printf ("scale=10,ms=20,alone=%s", path);

  add_worker (sweep, faults);
  run (sweep, NULL, NULL);
  g_assert_cmpint (sweep->n_finished, ==, 18);
  g_autoptr (CuredOutcome) outcome = load_cell (sweep, 1);
  assert_rounds (outcome->cold, 3);
  /* Three that measured, and two that were refused. */
  g_assert_cmpuint (count_starts (sweep), ==, 5);
  /* The last one goes as well. */
  g_assert_true (g_file_set_contents (refused, "", 0, NULL));
  g_clear_pointer (&sweep->devices, g_ptr_array_unref);
  sweep->devices = g_ptr_array_new ();
  while (g_file_test (path, G_FILE_TEST_EXISTS))
    g_usleep (10000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_unsetenv ("CURED_FAKE");
  return run_tests ();
}
