/* SPDX-License-Identifier: MIT
 * The result in memory: cells and positions, columns, loading in a thread, and a run that goes on
 * meanwhile. */
#include "make-result.h"

#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include "measure/cured-measure-internal.h"
#include "store/cured-store-internal.h"
#include "store/cured-ranks-private.h"
#include "test.h"

typedef struct
{
  char *folder, *path;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = make_folder ();
  self->path = g_build_filename (self->folder, "a.cured", NULL);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_free (self->path);
  remove_folder (self->folder);
}

#define FIXTURE_TEST(path) TEST_FIXTURE (path, Fixture, set_up, tear_down)

static gsize
find (CuredResult *result, const char *id)
{
  gsize metric = 0;

  g_assert_true (cured_result_find_metric (result, id, &metric));
  return metric;
}

static CuredResult *
load (const char *path)
{
  return MUST (cured_result_load (path, NULL, &fail));
}

FIXTURE_TEST ("/result/positions")
{
  const MakeResult what = { .n_tiles = 4, .n_blocks = 3, .n_sizes = 2 };
  gsize positions[3];
  gint64 values[3];
  gsize n_axes;

  make_result (self->path, &what);
  g_autoptr (CuredPlan) plan = make_plan (&what);
  CuredResult *result = load (self->path);
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_assert_cmpuint (n_axes, ==, 3);
  g_assert_cmpint (cured_result_get_n_cells (result), ==, 24);
  for (gint64 cell = 0; cell < 24; cell++)
    {
      cured_result_get_positions (result, cell, positions);
      g_assert_cmpint (cured_result_get_cell (result, positions), ==, cell);
      /* The plan numbers its cells in the same way. */
      cured_plan_get_values (plan, cell, values);
      for (int i = 0; i < 3; i++)
        g_assert_cmpint (cured_axis_get_value (axes[i].values, positions[i]), ==, values[i]);
    }
  /* The last axis runs fastest. */
  cured_result_get_positions (result, 1, positions);
  g_assert_cmpuint (positions[2], ==, 1);
  g_assert_finalize_object (result);
}

FIXTURE_TEST ("/result/states")
{
  gint64 counts[CURED_N_STATES] = { 0 };

  make_result (self->path, &(MakeResult){ .n_tiles = 20, .n_blocks = 20, .unfinished = TRUE });
  g_autoptr (CuredResult) result = load (self->path);
  gsize time = find (result, "time");
  const guint8 *states = cured_result_get_states (result);
  g_assert_false (cured_result_is_finished (result));
  for (gint64 cell = 0; cell < 400; cell++)
    {
      counts[states[cell]]++;
      g_assert_cmpint (cured_result_get_state (result, cell), ==, states[cell]);
      /* Only what is ok has a time. */
      g_assert_cmpint (isnan (cured_result_get_value (result, cell, time)), !=,
                       states[cell] == CURED_STATE_OK);
    }
  for (int i = 0; i < CURED_N_STATES; i++)
    g_assert_cmpint (cured_result_count_state (result, (CuredState) i), ==, counts[i]);
  g_assert_cmpint (counts[CURED_STATE_NOT_LAUNCHABLE], ==, 20);
  g_assert_cmpint (counts[CURED_STATE_NOT_RUN], ==, 20);
  g_assert_cmpint (counts[CURED_STATE_WRONG], >, 0);
}

FIXTURE_TEST ("/result/metrics")
{
  gsize n_metrics, metric;

  make_result (self->path, &(MakeResult){ 0 });
  g_autoptr (CuredResult) result = load (self->path);
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, &n_metrics);
  g_assert_cmpuint (n_metrics, ==, CURED_N_METRICS);
  for (gsize i = 0; i < n_metrics; i++)
    {
      const CuredMetricInfo *info = cured_metric_info ((CuredMetric) i);

      g_assert_cmpstr (metrics[i].id, ==, info->id);
      g_assert_cmpstr (metrics[i].unit, ==, info->unit);
      g_assert_cmpstr (metrics[i].title, ==, info->title);
      g_assert_cmpstr (metrics[i].description, ==, info->description);
      g_assert_cmpint (metrics[i].origin, ==, info->origin);
      g_assert_cmpint (metrics[i].better, ==, info->better);
    }
  g_assert_false (cured_result_find_metric (result, "no-such", &metric));
  g_assert_true (cured_result_has_values (result, find (result, "time")));
  g_assert_false (cured_result_has_values (result, find (result, "local_bytes")));
  g_assert_true (isnan (cured_result_get_value (result, 0, find (result, "local_bytes"))));
  g_assert_cmpfloat (cured_result_get_value (result, 0, find (result, "threads_per_block")), ==,
                     32);
}

static void
assert_figure (CuredResult *result, const char *id, const char *expected)
{
  g_autofree char *text = cured_result_format_value (result, 0, find (result, id));

  g_assert_cmpstr (text, ==, expected);
}

/* Low, median and high are told apart; what is of another quantity needs no more digits for it. */
FIXTURE_TEST ("/result/format")
{
  static const MakeResult what = { 0 };
  g_autoptr (CuredPlan) plan = make_plan (&what);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  CuredDeviceInfo device;

  make_device_info (&device);
  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->metrics[CURED_METRIC_time_low] = 11.068e6;
  outcome->metrics[CURED_METRIC_time] = 11.124e6;
  outcome->metrics[CURED_METRIC_time_high] = 11.139e6;
  outcome->metrics[CURED_METRIC_time_hot] = 11.1e6;
  outcome->metrics[CURED_METRIC_instructions] = 546637;
  g_autoptr (CuredResult) result = cured_result_new (plan, &device, self->path);
  cured_result_set_outcome (result, 0, outcome);
  assert_figure (result, "time_low", "11.07 ms");
  assert_figure (result, "time", "11.12 ms");
  assert_figure (result, "time_high", "11.14 ms");
  assert_figure (result, "time_hot", "11.1 ms");
  assert_figure (result, "instructions", "546,637");
  assert_figure (result, "bandwidth", "–");
  cured_device_info_clear (&device);
}

static void
loaded_cb (GObject *source, GAsyncResult *async, gpointer user_data)
{
  GAsyncResult **finished = user_data;

  *finished = g_object_ref (async);
}

FIXTURE_TEST ("/result/async")
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  FAILS (cured_result_load_ready (self->path, NULL, &fail), G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "");
  make_result (self->path, &(MakeResult){ 0 });
  CuredResult *result = MUST (cured_result_load_ready (self->path, cancellable, &fail));
  g_assert_cmpint (cured_result_get_state (result, 0), ==, CURED_STATE_OK);
  g_assert_false (isnan (cured_result_get_value (result, 0, find (result, "time"))));
  g_assert_finalize_object (result);

  g_cancellable_cancel (cancellable);
  FAILS (cured_result_load_ready (self->path, cancellable, &fail), G_IO_ERROR, G_IO_ERROR_CANCELLED,
         "");
}

/* One cell read in another thread is the cell read in this one. */
FIXTURE_TEST ("/result/outcome-async")
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) answer = NULL;

  make_result (self->path, &(MakeResult){ 0 });
  g_autoptr (CuredResult) result = load (self->path);
  g_autoptr (CuredOutcome) here = MUST (cured_result_load_outcome (result, 0, &fail));
  cured_result_load_outcome_async (result, 0, cancellable, loaded_cb, &answer);
  while (answer == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_autoptr (CuredOutcome) there = MUST (cured_result_load_outcome_finish (result, answer, &fail));
  g_assert_cmpint (there->state, ==, CURED_STATE_OK);
  g_assert_cmpmem (there->cold->samples->data, there->cold->samples->len * sizeof (CuredSample),
                   here->cold->samples->data, here->cold->samples->len * sizeof (CuredSample));

  g_clear_object (&answer);
  cured_result_load_outcome_async (result, 0, cancellable, loaded_cb, &answer);
  g_cancellable_cancel (cancellable);
  while (answer == NULL)
    g_main_context_iteration (NULL, TRUE);
  FAILS (cured_result_load_outcome_finish (result, answer, &fail), G_IO_ERROR, G_IO_ERROR_CANCELLED,
         "");
}

static CuredOutcome *
load_again (CuredResult *result, GError **error)
{
  g_autoptr (GAsyncResult) answer = NULL;

  cured_result_load_outcome_async (result, 0, NULL, loaded_cb, &answer);
  while (answer == NULL)
    g_main_context_iteration (NULL, TRUE);
  return cured_result_load_outcome_finish (result, answer, error);
}

/* The file is replaced by a copy of itself, and then by another sweep. */
FIXTURE_TEST ("/result/replaced")
{
  g_autofree char *other = g_build_filename (self->folder, "b.cured", NULL);
  g_autofree char *bytes = NULL;
  gsize n_bytes;
  sqlite3 *database;

  make_result (self->path, &(MakeResult){ 0 });
  g_autoptr (CuredResult) result = load (self->path);
  g_assert_true (g_file_get_contents (self->path, &bytes, &n_bytes, NULL));
  g_assert_true (g_file_set_contents (self->path, bytes, (gssize) n_bytes, NULL));
  g_autoptr (CuredOutcome) same = MUST (load_again (result, &fail));
  g_assert_cmpint (same->state, ==, CURED_STATE_OK);
  g_autoptr (CuredResult) copy = MUST (cured_result_load_again (result, NULL, &fail));
  g_assert_cmpint (cured_result_get_n_cells (copy), ==, cured_result_get_n_cells (result));

  make_result (other, &(MakeResult){ .n_blocks = 2 });
  g_assert_cmpint (sqlite3_open (other, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (database, "UPDATE sweep SET created = '2001-02-03T04:05:06.000Z'",
                                 NULL, NULL, NULL),
                   ==, SQLITE_OK);
  sqlite3_close (database);
  g_assert_cmpint (g_rename (other, self->path), ==, 0);
  FAILS (load_again (result, &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, self->path);
  FAILS (cured_result_load_again (result, NULL, &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");
}

/* A long statement ends when it is cancelled, and the result can be used. */
FIXTURE_TEST ("/result/cancel")
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  make_result (self->path, &(MakeResult){ .n_tiles = 100, .n_blocks = 100, .no_samples = TRUE });
  g_autoptr (CuredResult) result = load (self->path);
  g_cancellable_cancel (cancellable);
  FAILS (cured_result_load_column (result, find (result, "time"), cancellable, &fail), G_IO_ERROR,
         G_IO_ERROR_CANCELLED, "");
  g_assert_true (cured_result_load_column (result, find (result, "time"), NULL, &error));
  g_assert_false (isnan (cured_result_get_value (result, 0, find (result, "time"))));
}

static void
changed_cb (CuredResult *result, gint64 cell, gpointer user_data)
{
  gint64 *changed = user_data;

  g_assert_cmpint (*changed, ==, -1);
  g_assert_cmpint (cured_result_get_state (result, cell), ==, CURED_STATE_OK);
  *changed = cell;
}

FIXTURE_TEST ("/result/live")
{
  const MakeResult what = { 0 };
  g_autoptr (CuredPlan) plan = make_plan (&what);
  g_autoptr (CuredOutcome) outcome = make_outcome (&what, plan, 4);
  g_autoptr (CuredOutcome) wrong = cured_outcome_new ();
  g_autoptr (CuredOutcome) loaded = NULL;
  CuredDeviceInfo device;
  gint64 changed = -1;

  make_device_info (&device);
  CuredResult *result = cured_result_new (plan, &device, NULL);
  gsize time = find (result, "time");
  g_assert_null (cured_result_get_path (result));
  g_assert_nonnull (cured_result_get_kernel (result));
  g_assert_cmpstr (cured_result_get_device (result)->name, ==, "Synthetic device");
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_NOT_RUN), ==, 42);
  g_assert_cmpint (cured_result_get_state (result, 47), ==, CURED_STATE_NOT_LAUNCHABLE);
  g_assert_false (cured_result_has_values (result, time));
  g_assert_true (isnan (cured_result_get_value (result, 4, time)));

  gulong handler = g_signal_connect (result, "cell-changed", G_CALLBACK (changed_cb), &changed);
  cured_result_set_outcome (result, 4, outcome);
  g_assert_cmpint (changed, ==, 4);
  g_assert_true (cured_result_has_values (result, time));
  g_assert_cmpfloat (cured_result_get_value (result, 4, time), ==,
                     outcome->metrics[CURED_METRIC_time]);
  g_assert_true (isnan (cured_result_get_value (result, 5, time)));
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 1);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_NOT_RUN), ==, 41);

  /* A re-run replaces the old outcome, its time too. */
  g_signal_handler_disconnect (result, handler);
  cured_outcome_set_state (wrong, CURED_STATE_WRONG, "it was luck");
  cured_result_set_outcome (result, 4, wrong);
  g_assert_true (isnan (cured_result_get_value (result, 4, time)));
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 0);

  FAILS (cured_result_load_outcome (result, 4, &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");
  g_assert_finalize_object (result);
  cured_device_info_clear (&device);
}

/* A file that was loaded while its sweep goes on, and gets the rest later. */
FIXTURE_TEST ("/result/continued")
{
  const MakeResult what = { .unfinished = TRUE };
  g_autoptr (CuredPlan) plan = make_plan (&what);
  g_autoptr (CuredOutcome) outcome = make_outcome (&what, plan, 3);
  CuredDeviceInfo device;

  make_device_info (&device);
  g_autoptr (CuredStore) store =
      MUST (cured_store_create (self->path, plan, &device, FALSE, &fail));
  cured_device_info_clear (&device);
  MUST (cured_store_append (store, 0, outcome, &fail));

  g_autoptr (CuredResult) result = load (self->path);
  gsize time = find (result, "time");
  gsize hot = find (result, "time_hot");
  g_assert_true (isnan (cured_result_get_value (result, 3, time)));
  MUST (cured_store_append (store, 3, outcome, &fail));

  /* Not there yet: a column that is read now must agree with the states. */
  g_assert_true (isnan (cured_result_get_value (result, 3, hot)));
  cured_result_set_outcome (result, 3, outcome);
  for (int i = 0; i < 2; i++)
    {
      g_assert_cmpfloat (cured_result_get_value (result, 3, time), ==,
                         outcome->metrics[CURED_METRIC_time]);
      g_assert_cmpfloat (cured_result_get_value (result, 3, hot), ==,
                         outcome->metrics[CURED_METRIC_time_hot]);
    }
  g_assert_cmpfloat (cured_result_get_value (result, 3, find (result, "registers")), ==,
                     outcome->metrics[CURED_METRIC_registers]);
  g_autoptr (CuredOutcome) loaded = MUST (cured_result_load_outcome (result, 3, &fail));
  g_assert_cmpint (loaded->state, ==, outcome->state);
  g_assert_cmpuint (loaded->cold->samples->len, ==, 12);

  g_clear_pointer (&loaded, cured_outcome_free);
  loaded = MUST (cured_result_load_outcome (result, 5, &fail));
  g_assert_cmpint (loaded->state, ==, CURED_STATE_NOT_RUN);
}

/* One number of a large file is read without its column, and is the same. */
FIXTURE_TEST ("/result/large")
{
  gint64 n_cells = 300 * 300;

  make_result (
      self->path,
      &(MakeResult){ .n_tiles = 300, .n_blocks = 300, .no_samples = TRUE, .unfinished = TRUE });
  g_autoptr (CuredResult) result = load (self->path);
  gsize time = find (result, "time");
  g_assert_cmpint (cured_result_get_n_cells (result), ==, n_cells);
  g_autofree double *values = g_new (double, n_cells);
  for (gint64 cell = 0; cell < n_cells; cell += 97)
    values[cell] = cured_result_get_value (result, cell, time);
  /* That was not measured. */
  g_assert_true (isnan (cured_result_get_value (result, 0, find (result, "instructions"))));
  g_assert_true (cured_result_load_column (result, time, NULL, NULL));
  for (gint64 cell = 0; cell < n_cells; cell += 97)
    {
      double value = cured_result_get_value (result, cell, time);

      g_assert_cmpint (isnan (values[cell]), ==, isnan (value));
      if (!isnan (values[cell]))
        g_assert_cmpfloat (values[cell], ==, value);
    }
  g_assert_false (isnan (values[97]));
  g_assert_true (isnan (cured_result_get_value (result, n_cells - 1, time)));
}

/* Cells that hold something, by number and by rank, over several words. */
TEST ("/result/ranks")
{
  guint8 states[300] = { 0 };
  gint64 rank = 0;

  for (gint64 cell = 5; cell < 300; cell += cell < 100 ? 3 : 71)
    states[cell] = 1;
  CuredRanks *ranks = _cured_ranks_new (states, 300);
  for (gint64 cell = 0; cell < 300; cell++)
    {
      gint64 next = cell;

      while (next < 300 && states[next] == 0)
        next++;
      g_assert_cmpint (_cured_ranks_next (ranks, cell), ==, next < 300 ? next : -1);
      g_assert_cmpint (_cured_ranks_find (ranks, cell), ==, states[cell] != 0 ? rank : -1);
      rank += states[cell];
    }
  g_assert_cmpint (_cured_ranks_next (ranks, 320), ==, -1);
  _cured_ranks_free (ranks);
}

/* Notes are in the file, whatever their text. */
TEST ("/result/remarks")
{
  static const struct
  {
    gint64 cell;
    const char *text;
    const char *read; /* nullable */
  } rows[] = {
    { CURED_REMARK_OF_FILE, "of the file", "of the file" },
    { 3, "  two\nlines \n", "two\nlines" },
    { 5, "\xe2\x80\xaetxet\x1b[2J", "\xef\xbf\xbdtxet\xe2\x90\x9b[2J" },
    { 5, "another", "another" },
    { 3, " ", NULL },
    { 7, "", NULL },
  };
  const char *folder = test_folder ();
  g_autofree char *path = g_build_filename (folder, "a.cured", NULL);
  g_autofree char *most = g_strnfill (CURED_REMARK_BYTES, 'x');
  g_autofree char *more = g_strnfill (CURED_REMARK_BYTES + 1, 'x');
  gsize n_remarks;

  make_result (path, &(MakeResult){ 0 });
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      MUST (cured_remark_write (path, NULL, rows[i].cell, rows[i].text, &fail));
      g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
      g_assert_cmpstr (cured_result_get_remark (result, rows[i].cell), ==, rows[i].read);
    }
  MUST (cured_remark_write (path, NULL, 0, most, &fail));
  FAILS (cured_remark_write (path, NULL, 0, more, &fail), CURED_ERROR, CURED_ERROR_INVALID, "4097");
  g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
  const CuredRemark *remarks = cured_result_get_remarks (result, &n_remarks);
  g_assert_cmpuint (n_remarks, ==, 3);
  g_assert_cmpint (remarks[0].cell, ==, CURED_REMARK_OF_FILE);
  g_assert_cmpstr (remarks[1].text, ==, most);
  /* In memory as in the file. */
  cured_result_set_remark (result, 1, "new");
  cured_result_set_remark (result, 0, "");
  g_assert_cmpstr (cured_result_get_remark (result, 1), ==, "new");
  g_assert_null (cured_result_get_remark (result, 0));
  g_assert_null (cured_result_get_remark (result, 2));

  /* Another result took the file's place. */
  g_autoptr (GDateTime) other = g_date_time_new_utc (2001, 1, 1, 0, 0, 0);
  FAILS (cured_remark_write (path, other, 0, "x", &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND,
         "replaced");
}
