/* SPDX-License-Identifier: MIT
 * The result file: what goes in comes out. */
#include "config.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "make-result.h"
#include "other-values.h"
#include "ptx/cured-work-internal.h"
#include "record-fill.h"
#include "store-fixture.h"
#include "store/cured-database-private.h"

FIXTURE_TEST ("/store/round-trip")
{
  g_autoptr (CuredStore) store = create (self);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  gsize metric;

  g_assert_cmpstr (cured_store_get_path (store), ==, self->path);
  append (store, 7, outcome);
  g_assert_cmpint (cured_store_get_state (store, 7), ==, CURED_STATE_WRONG);
  g_assert_cmpint (cured_store_get_state (store, 8), ==, CURED_STATE_NOT_RUN);

  g_autoptr (CuredResult) result = load (self->path);
  g_assert_cmpint (cured_result_get_state (result, 7), ==, CURED_STATE_WRONG);
  g_assert_cmpint (cured_result_get_state (result, 8), ==, CURED_STATE_NOT_RUN);
  g_assert_cmpint (cured_result_get_state (result, 47), ==, CURED_STATE_NOT_LAUNCHABLE);
  assert_cell (result, 7, outcome);
  for (int i = 0; i < CURED_N_METRICS; i++)
    {
      g_assert_true (
          cured_result_find_metric (result, cured_metric_info ((CuredMetric) i)->id, &metric));
      g_assert_true (isnan (outcome->metrics[i])
                         ? isnan (cured_result_get_value (result, 7, metric))
                         : outcome->metrics[i] <= cured_result_get_value (result, 7, metric) &&
                               outcome->metrics[i] >= cured_result_get_value (result, 7, metric));
    }
  g_assert_finalize_object (g_steal_pointer (&result));
}

FIXTURE_TEST ("/store/head")
{
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (self->plan));
  gsize n_axes;

  cured_options_clear (options);
  other_options_init (options);
  cured_device_info_clear (&self->device);
  other_device_init (&self->device);
  cured_store_close (create (self));

  g_autoptr (CuredResult) result = load (self->path);
  const CuredOptions *loaded = cured_result_get_options (result);
  assert_same_options (options, loaded, CURED_OPTION_UNSAFE);

  assert_same_device (cured_result_get_device (result), &self->device);

  CuredKernel *kernel = cured_spec_get_kernel (cured_plan_get_spec (self->plan));
  g_assert_cmpstr (cured_result_get_source (result), ==, kernel->source);
  g_assert_cmpstr (cured_result_get_title (result), ==, "Synthetic sum");
  g_assert_cmpstr (cured_result_get_kernel_id (result), ==, "synthetic/sum");
  g_assert_nonnull (cured_result_get_kernel (result));
  g_assert_cmpstr (cured_result_get_cured_version (result), ==, CURED_VERSION);
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_assert_cmpuint (n_axes, ==, 3);
  g_assert_cmpstr (axes[1].name, ==, "blocks");
  g_assert_cmpstr (axes[1].summary, ==, "Blocks in the grid");
  g_assert_cmpint (axes[1].kind, ==, CURED_PARAMETER_LAUNCH);
  g_assert_cmpint (cured_axis_get_value (axes[1].values, 5), ==, 396);
}

FIXTURE_TEST ("/store/create")
{
  g_autoptr (GError) error = NULL;
  g_autofree char *journal = g_strconcat (self->path, "-journal", NULL);
  g_autofree char *nowhere = g_build_filename (self->folder, "no", "such.cured", NULL);
  g_autoptr (CuredStore) store = create (self);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();

  append (store, 0, outcome);
  g_clear_pointer (&store, cured_store_close);
  g_assert_cmpuint (count_files (self->folder), ==, 1);

  store = cured_store_create (self->path, self->plan, &self->device, FALSE, &error);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, self->path));
  g_assert_nonnull (strstr (error->message, "--resume"));
  g_assert_null (store);
  g_clear_error (&error);

  /* A journal of the file that is replaced must not be played back. */
  MUST (g_file_set_contents (journal, "not a journal", -1, &fail));
  store = MUST (cured_store_create (self->path, self->plan, &self->device, TRUE, &fail));
  g_assert_cmpint (cured_store_get_state (store, 0), ==, CURED_STATE_NOT_RUN);
  g_assert_false (g_file_test (journal, G_FILE_TEST_EXISTS));
  g_clear_pointer (&store, cured_store_close);
  g_assert_cmpuint (count_files (self->folder), ==, 1);

  store = cured_store_create (nowhere, self->plan, &self->device, FALSE, &error);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, nowhere));
  g_clear_error (&error);
  store = cured_store_create (self->folder, self->plan, &self->device, TRUE, &error);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_cmpuint (count_files (self->folder), ==, 1);
}

/* Another run takes the name while the first one still writes. */
FIXTURE_TEST ("/store/replaced")
{
  g_autoptr (CuredStore) first = create (self);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();

  append (first, 0, outcome);
  g_autoptr (CuredStore) second =
      MUST (cured_store_create (self->path, self->plan, &self->device, TRUE, &fail));
  append (second, 1, outcome);
  FAILS (cured_store_append (first, 2, outcome, &fail), CURED_ERROR, CURED_ERROR_STORAGE,
         "moved, deleted or replaced");
  append (second, 3, outcome);
  g_autoptr (CuredResult) result = load (self->path);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_WRONG), ==, 2);
  assert_cell (result, 3, outcome);
}

FIXTURE_TEST ("/store/replace-cell")
{
  g_autoptr (CuredStore) store = create (self);
  g_autoptr (CuredOutcome) full = make_full_outcome ();
  g_autoptr (CuredOutcome) bare = cured_outcome_new ();

  cured_outcome_set_state (bare, CURED_STATE_TIMED_OUT, "too long");
  append (store, 3, full);
  append (store, 4, full);
  append (store, 3, bare);
  g_autoptr (CuredResult) result = load (self->path);
  assert_cell (result, 3, bare);
  assert_cell (result, 4, full);
}

FIXTURE_TEST ("/store/batch")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) store = create (self);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();

  g_assert_true (cured_store_begin_batch (store, &error));
  append (store, 3, outcome);
  append (store, 4, outcome);
  g_autoptr (CuredResult) result = load (self->path);
  g_assert_cmpint (cured_result_get_state (result, 3), ==, CURED_STATE_NOT_RUN);
  g_clear_object (&result);
  g_assert_true (cured_store_end_batch (store, &error));
  result = load (self->path);
  g_assert_cmpint (cured_result_get_state (result, 3), ==, CURED_STATE_WRONG);
  assert_cell (result, 4, outcome);
}

/* One cell that can't be written takes the batch along, and no more. */
FIXTURE_TEST ("/store/batch-lost")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) store = create (self);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();

  /* Triggers of a file do not fire: its second sample is refused. */
  change_file (self->path, "CREATE UNIQUE INDEX refuse ON sample (cell) WHERE cell = 4");
  g_assert_true (cured_store_begin_batch (store, &error));
  append (store, 3, outcome);
  FAILS (cured_store_append (store, 4, outcome, &fail), CURED_ERROR, CURED_ERROR_DAMAGED, "");
  g_assert_cmpint (cured_store_get_state (store, 3), ==, CURED_STATE_NOT_RUN);
  FAILS (cured_store_end_batch (store, &fail), CURED_ERROR, CURED_ERROR_STORAGE, "");
  append (store, 3, outcome);
  g_autoptr (CuredResult) result = load (self->path);
  assert_cell (result, 3, outcome);
  g_assert_cmpint (cured_result_get_state (result, 4), ==, CURED_STATE_NOT_RUN);
}

FIXTURE_TEST ("/store/resume")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) store = create (self);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autoptr (CuredPlan) plan = NULL;

  append (store, 5, outcome);
  g_clear_pointer (&store, cured_store_close);
  store = MUST (cured_store_open (self->path, &fail));
  g_assert_cmpint (cured_store_get_state (store, 5), ==, CURED_STATE_WRONG);
  g_assert_cmpint (cured_store_get_state (store, 47), ==, CURED_STATE_NOT_LAUNCHABLE);
  g_assert_true (cured_store_matches (store, self->plan, &self->device, &error));

  /* What the file asks for is what was asked for. */
  g_autoptr (CuredSpec) spec = MUST (cured_store_load_spec (store, &fail));
  plan = MUST (cured_plan_new (spec, &self->device.limits, &fail));
  g_assert_true (cured_store_matches (store, plan, &self->device, &error));
  g_assert_cmpint (cured_plan_get_n_cells (plan), ==, 48);

  append (store, 6, outcome);
  g_assert_true (cured_store_finish (store, &error));
  g_autoptr (CuredResult) result = load (self->path);
  g_assert_true (cured_result_is_finished (result));
  assert_cell (result, 5, outcome);
  assert_cell (result, 6, outcome);
}

static void
assert_differs (CuredStore *store, CuredPlan *plan, const CuredDeviceInfo *device, const char *what)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (cured_store_matches (store, plan, device, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, what));
}

FIXTURE_TEST ("/store/differences")
{
  g_autoptr (CuredStore) store = create (self);
  g_autoptr (CuredPlan) other_axis = make_plan (&(MakeResult){ .n_tiles = 5 });
  g_autoptr (CuredPlan) other_seed = make_plan (&(MakeResult){ 0 });
  g_autoptr (CuredPlan) other_limit = make_plan (&(MakeResult){ 0 });
  g_autoptr (CuredPlan) other_options = make_plan (&(MakeResult){ 0 });
  CuredDeviceInfo device = self->device;

  assert_differs (store, other_axis, &self->device,
                  "tile: the file has 32..224:32,2048, and this sweep 32,64,96,128,2048");
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (other_seed));
  options->seed += 1;
  assert_differs (store, other_seed, &self->device, "seed");
  options = cured_spec_get_options (cured_plan_get_spec (other_options));
  options->compile_options = g_strdup ("-G");
  assert_differs (store, other_options, &self->device, "-G");
  options->blocks = g_strdup ("0..7");
  assert_differs (store, other_options, &self->device, "0..7");
  device.name = (char *) "Another device";
  assert_differs (store, self->plan, &device, "Another device");

  options = cured_spec_get_options (cured_plan_get_spec (other_limit));
  options->limit_s *= 2;
  g_assert_true (cured_store_matches (store, other_limit, &self->device, NULL));

  change_file (self->path, "UPDATE kernel SET source = source || ' '");
  assert_differs (store, self->plan, &self->device, "source");
}

/* What the table of a struct has comes back from a row of it, for every struct. */
FIXTURE_TEST ("/store/rows")
{
  static const gint64 keys[] = { 1, 2, 3 };
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredDatabase) database = MUST (_cured_database_create (self->path, &fail));

  for (const CuredRows *const *rows = _cured_rows_list (); *rows != NULL; rows++)
    {
      /* Without what refers to other tables, and what looks at members together. */
      CuredRecordInfo info = *(*rows)->info;
      CuredRows alone = **rows;

      info.finish = NULL;
      alone.info = &info;
      alone.end = ") STRICT";
      MUST (_cured_rows_create (database, &alone, &fail));
      for (int turn = 0; turn < 10; turn++)
        {
          g_autofree char *clear = g_strdup_printf ("DELETE FROM %s", alone.name);
          gpointer sent = _cured_record_new (&info);
          gpointer got = _cured_record_new (&info);

          record_fill (&info, sent, random);
          MUST (_cured_rows_insert (database, &alone, keys, sent, &fail));
          g_autoptr (sqlite3_stmt) statement = _cured_rows_select (database, &alone, "", &error);
          g_assert_cmpint (_cured_database_next (database, statement, &error), ==, 1);
          MUST (_cured_rows_get (database, &alone, statement, got, &fail));
          /* What has no column is not there. */
          record_forget (&info, sent);
          g_autofree char *sent_text = record_to_text (&info, sent);
          g_autofree char *got_text = record_to_text (&info, got);
          g_assert_cmpstr (sent_text, ==, got_text);
          g_clear_pointer (&statement, sqlite3_finalize);
          g_assert_true (_cured_database_exec (database, clear, &error));
          _cured_record_clear (&info, sent);
          _cured_record_clear (&info, got);
          g_free (sent);
          g_free (got);
        }
    }
}

/* A second writer of one file gets a message that says so, and both keep what they wrote. */
FIXTURE_TEST ("/store/two-writers")
{
  g_autoptr (CuredStore) first = create (self);
  g_autoptr (CuredStore) second = MUST (cured_store_open (self->path, &fail));
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();

  append (first, 0, outcome);
  FAILS (cured_store_append (second, 0, outcome, &fail), CURED_ERROR, CURED_ERROR_STORAGE,
         "Another sweep writes");
  append (second, 1, outcome);
  g_autoptr (CuredResult) result = load (self->path);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_WRONG), ==, 2);
}

/* A round of samples joins those that are there. */
FIXTURE_TEST ("/store/add-round")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredOutcome) full = make_full_outcome ();
  g_autoptr (CuredStore) store = create (self);
  gint64 number = 0;
  guint n_missing = 0;

  full->state = CURED_STATE_OK;
  full->metrics[CURED_METRIC_rounds] = 1;
  g_assert_true (_cured_store_add_device (store, &self->device, 0, &number, &error));
  g_assert_true (_cured_store_append_from (store, 0, full, number, &error));
  g_assert_true (_cured_store_get_missing_rounds (store, 0, 1, &n_missing, &error));
  g_assert_cmpuint (n_missing, ==, 0);
  g_assert_true (_cured_store_get_missing_rounds (store, 0, 3, &n_missing, &error));
  g_assert_cmpuint (n_missing, ==, 2);
  g_assert_true (MUST (_cured_store_add_round (store, 0, full, number, &fail)));
  g_assert_cmpuint (full->cold->rounds.n, ==, 2);
  assert_query (self->path, "SELECT max (round) FROM sample", "1");
  assert_query (self->path, "SELECT count (*) FROM cell_device", "2");
  assert_query (self->path, "SELECT count (*) FROM mismatch WHERE cell = 0", "3");
}

/* Files that are not result files */

FIXTURE_TEST ("/store/foreign")
{
  static const char png[] =
      "\x89PNG\r\n\x1a\n and then some more bytes, which are longer than the header of a database "
      "is, so that nobody can say that it was only too short.";
  g_autofree char *missing = g_build_filename (self->folder, "missing.cured", NULL);
  g_autofree char *fifo = g_build_filename (self->folder, "fifo", NULL);
  g_autofree char *other = g_build_filename (self->folder, "other", NULL);
  g_autofree char *before = NULL, *after = NULL;

  assert_refused (missing, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no file");
  assert_refused (self->folder, CURED_ERROR, CURED_ERROR_FOREIGN, "folder");
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  assert_refused (fifo, CURED_ERROR, CURED_ERROR_FOREIGN, "regular");
  assert_refused ("/dev/zero", CURED_ERROR, CURED_ERROR_FOREIGN, "regular");

  g_file_set_contents (self->path, "", 0, NULL);
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");
  g_file_set_contents (self->path, png, sizeof png, NULL);
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");
  g_file_set_contents (self->path, "SQLite format 3", -1, NULL);
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");

  /* Another program's database is refused and not touched. */
  change_file (other, "CREATE TABLE cell (cell, state); PRAGMA user_version=1");
  g_file_get_contents (other, &before, NULL, NULL);
  assert_refused (other, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");
  g_file_get_contents (other, &after, NULL, NULL);
  g_assert_cmpmem (before, 100, after, 100);
  change_file (other, "PRAGMA journal_mode = WAL");
  assert_refused (other, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");
}

FIXTURE_TEST ("/store/newer")
{
  make_result (self->path, &(MakeResult){ 0 });
  change_file (self->path, "PRAGMA user_version = 99");
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_NEWER, "format version 99");
  change_file (self->path, "PRAGMA user_version = 0");
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_DAMAGED, "version");
}

/* What launches ask of the chip: by launch, instruction and buffer; what can't be is refused. */
FIXTURE_TEST ("/store/work")
{
  static const char *const changes[] = {
    "UPDATE work_site SET wavefronts = -1",       "UPDATE work_launch SET lsu = 9e999",
    "UPDATE work_launch SET grid_y = 0",          "UPDATE work_launch SET blocks_run = 100",
    "UPDATE work_buffer SET read = -1",           "UPDATE work_buffer SET read = 9e999",
    "UPDATE work_buffer SET written = 9e999",     "UPDATE work_buffer SET bytes = -9e999",
    "UPDATE work_buffer SET bytes = 9e999",       "UPDATE work_launch SET l2_read = 9e999",
    "UPDATE work_launch SET memory_written = -1", "UPDATE work_site SET launch = 7",
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autoptr (CuredStore) store = create (self);
  g_autoptr (CuredWorkload) work = NULL;

  outcome->work = cured_workload_new ();
  CuredWorkLaunch *launch = cured_workload_add (outcome->work, "entry");
  for (int i = 0; i < 3; i++)
    launch->grid[i] = launch->block[i] = (guint) i + 1;
  launch->n_blocks = 6;
  launch->n_run = 4;
  launch->total.barriers = 1.5;
  launch->traffic.memory_read = 1e9;
  CuredWorkSite *site = cured_work_launch_add_site (launch);
  site->site = 3;
  site->line = 12;
  site->text = g_strdup ("ld.shared.f32 %f1, [%r1];");
  site->work.wavefronts = 1.0 / 3;
  CuredWorkBuffer *buffer = cured_work_launch_add_buffer (launch);
  buffer->name = g_strdup ("größe");
  buffer->read = 7;

  append (store, 7, outcome);
  append (store, 7, outcome);
  g_clear_pointer (&store, cured_store_close);
  g_autoptr (CuredResult) result = load (self->path);
  g_assert_true (cured_result_load_work (result, 8, &work, &error));
  g_assert_null (work);
  g_assert_true (MUST (cured_result_load_work (result, 7, &work, &fail)));
  g_assert_cmpuint (work->launches->len, ==, 1);
  launch = g_ptr_array_index (work->launches, 0);
  g_assert_cmpstr (launch->entry, ==, "entry");
  g_assert_cmpuint (launch->block[2], ==, 3);
  g_assert_cmpuint (launch->n_run, ==, 4);
  g_assert_cmpfloat (launch->total.barriers, ==, 1.5);
  g_assert_cmpfloat (launch->traffic.memory_read, ==, 1e9);
  g_assert_true (isnan (launch->traffic.l1_hits));
  site = g_ptr_array_index (launch->sites, 0);
  g_assert_cmpuint (site->site, ==, 3);
  g_assert_cmpstr (site->text, ==, "ld.shared.f32 %f1, [%r1];");
  g_assert_cmpfloat (site->work.wavefronts, ==, 1.0 / 3);
  buffer = g_ptr_array_index (launch->buffers, 0);
  g_assert_cmpstr (buffer->name, ==, "größe");
  g_assert_cmpfloat (buffer->read, ==, 7);
  g_clear_pointer (&work, cured_workload_unref);
  g_clear_object (&result);

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autofree char *copy = g_strconcat (self->path, ".copy", NULL);

      g_assert_true (MUST (cured_store_copy (self->path, copy, &fail)));
      change_file (copy, changes[i]);
      result = load (copy);
      FAILS (cured_result_load_work (result, 7, &work, &fail), CURED_ERROR, CURED_ERROR_DAMAGED,
             "");
      g_clear_object (&result);
      g_assert_cmpint (g_unlink (copy), ==, 0);
    }
}

/* Only a regular file is ever replaced, even when asked to. */
FIXTURE_TEST ("/store/not-a-file")
{
  static const mode_t kinds[] = { S_IFIFO, S_IFSOCK };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (GError) error = NULL;
      GStatBuf before, after;

      g_assert_cmpint (mknod (self->path, kinds[i] | 0600, 0), ==, 0);
      g_assert_cmpint (g_stat (self->path, &before), ==, 0);
      g_autoptr (CuredStore) store =
          cured_store_create (self->path, self->plan, &self->device, TRUE, &error);
      g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
      g_assert_null (store);
      g_assert_cmpint (g_stat (self->path, &after), ==, 0);
      g_assert_cmpuint (before.st_mode, ==, after.st_mode);
      g_unlink (self->path);
    }
}

/* A column for each parameter and each metric, whatever they are called. */
FIXTURE_TEST ("/store/views")
{
  make_result (self->path, &(MakeResult){ 0 });
  assert_query (self->path, "SELECT tile, blocks, n, state, time > 0 FROM cells WHERE cell = 0",
                "32|66|1048576|ok|1");
  change_file (
      self->path,
      "UPDATE axis SET name = 'a\"b]; DROP TABLE cell; --' WHERE position = 0;UPDATE axis "
      "SET name = 'Time' WHERE position = 1;UPDATE axis SET name = 'time' WHERE position = "
      "2;UPDATE metric SET id = 'select' WHERE id = 'registers';");
  /* It gets the metric that it lacks, and the view anew. */
  cured_store_close (MUST (cured_store_open (self->path, &fail)));
  assert_query (self->path, "SELECT name FROM pragma_table_info ('cells') LIMIT 6",
                "cell\na\"b]; DROP TABLE cell; --\nTime_\ntime__\nstate\n"
                "reason");
  assert_query (self->path,
                "SELECT \"a\"\"b]; DROP TABLE cell; --\", Time_, time__, \"select\" IS NULL, time "
                "= (SELECT value FROM measurement JOIN metric USING (metric) WHERE id = 'time' AND "
                "cell = 0) FROM cells WHERE cell = 0",
                "32|66|1048576|0|1");
}
