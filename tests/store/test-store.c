/* SPDX-License-Identifier: MIT
 * The result file: what goes in comes out, and nothing that is on a disk or happens to it takes the
 * program along. */
#include "config.h"

#include "make-result.h"
#include "other-values.h"
#include "record-fill.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/cured-measure-internal.h"
#include "ptx/cured-work-internal.h"
#include "store/cured-database-private.h"
#include "store/cured-merge.h"
#include "store/cured-outcome-records-internal.h"
#include "store/cured-store-internal.h"
#include "store/cured-table-internal.h"

#define SKIPPED 77

typedef struct
{
  char *folder;
  char *path;
  CuredPlan *plan;
  CuredDeviceInfo device;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = make_folder ();
  fixture->path = g_build_filename (fixture->folder, "a.cured", NULL);
  fixture->plan = make_plan (&(MakeResult){ 0 });
  make_device_info (&fixture->device);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  cured_device_info_clear (&fixture->device);
  cured_plan_unref (fixture->plan);
  g_free (fixture->path);
  remove_folder (fixture->folder);
}

static CuredStore *
create (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  CuredStore *store =
      cured_store_create (fixture->path, fixture->plan, &fixture->device, FALSE, &error);

  g_assert_no_error (error);
  return store;
}

static void
append (CuredStore *store, gint64 cell, const CuredOutcome *outcome)
{
  g_autoptr (GError) error = NULL;

  cured_store_append (store, cell, outcome, &error);
  g_assert_no_error (error);
}

/* Without the flushes of g_file_set_contents(): there are hundreds. */
static void
write_file (const char *path, const char *contents, gsize length)
{
  FILE *file = fopen (path, "wb");

  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (contents, 1, length, file), ==, length);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* Changes a file behind Cured's back. */
static void
change_file (const char *path, const char *sql)
{
  sqlite3 *handle = NULL;
  char *message = NULL;

  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  sqlite3_exec (handle, sql, NULL, NULL, &message);
  g_assert_cmpstr (message, ==, NULL);
  sqlite3_close (handle);
}

/* The rows of @sql, columns joined by '|', rows by '\n', as any other program reads them. */
static char *
query (const char *path, const char *sql)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (sqlite3_stmt) statement = NULL;
  sqlite3 *handle = NULL;

  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  if (sqlite3_prepare_v2 (handle, sql, -1, &statement, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (handle));
  while (sqlite3_step (statement) == SQLITE_ROW)
    for (int i = 0; i < sqlite3_column_count (statement); i++)
      {
        const char *value = (const char *) sqlite3_column_text (statement, i);

        if (text->len > 0)
          g_string_append_c (text, i > 0 ? '|' : '\n');
        g_string_append (text, value != NULL ? value : "NULL");
      }
  g_clear_pointer (&statement, sqlite3_finalize);
  sqlite3_close (handle);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

#define assert_query(path, sql, expected)                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *found_ = query (path, sql);                                                   \
                                                                                                   \
    g_assert_cmpstr (found_, ==, expected);                                                        \
  }                                                                                                \
  G_STMT_END

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n_files = 0;

  while (g_dir_read_name (dir) != NULL)
    n_files++;
  return n_files;
}

/* Each member of each struct, by its table. */
static void
assert_same_outcome (const CuredOutcome *a, const CuredOutcome *b)
{
  g_autofree char *a_text = record_to_text (&_cured_outcome_record, a);
  g_autofree char *b_text = record_to_text (&_cured_outcome_record, b);

  g_assert_cmpstr (a_text, ==, b_text);
}

static CuredResult *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  CuredResult *result = cured_result_load (path, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static void
assert_cell (CuredResult *result, gint64 cell, const CuredOutcome *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredOutcome) outcome = cured_result_load_outcome (result, cell, &error);

  g_assert_no_error (error);
  assert_same_outcome (expected, outcome);
}

/* An outcome with something in every field, and numbers that a rounding text would change. */
static CuredOutcome *
make_full_outcome (void)
{
  g_autoptr (CuredPlan) plan = make_plan (&(MakeResult){ 0 });
  g_autoptr (CuredOutcome) ok = make_outcome (&(MakeResult){ 0 }, plan, 0);
  CuredOutcome *outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, CURED_STATE_WRONG, "two\nlines, “quoted”");
  for (int i = 0; i < CURED_N_METRICS; i++)
    outcome->metrics[i] = (i + 1) / 3.0 * pow (10, i * 11 - 150);
  outcome->metrics[3] = NAN;
  outcome->metrics[4] = 0;
  outcome->metrics[5] = G_MAXDOUBLE;
  outcome->metrics[6] = G_MINDOUBLE;
  outcome->output = g_strdup ("grüße\n");
  outcome->n_mismatches = G_GUINT64_CONSTANT (1) << 40;
  for (int i = 0; i < CURED_N_STAGES; i++)
    outcome->stage_ns[i] = ok->stage_ns[i];
  outcome->cold = g_steal_pointer (&ok->cold);
  outcome->hot = g_steal_pointer (&ok->hot);
  outcome->cold->stop = CURED_STOP_TIME;
  for (guint i = 0; i < 3; i++)
    {
      CuredMismatch *mismatch = g_new0 (CuredMismatch, 1);

      mismatch->buffer = g_strdup ("c");
      mismatch->index = (gint64) i * G_MAXINT - 1;
      mismatch->got = g_strdup ("nan");
      mismatch->expected = g_strdup ("0x1.8p+3");
      g_ptr_array_add (outcome->mismatches, mismatch);
    }
  for (guint i = 0; i < 2; i++)
    {
      CuredFinding *finding = g_new0 (CuredFinding, 1);

      finding->kind = i == 0 ? CURED_FINDING_RACE_GLOBAL : CURED_FINDING_OUT_OF_BOUNDS;
      finding->kernel = g_strdup ("entry");
      finding->here.file = g_strdup ("größe.cu");
      finding->here.line = 12;
      finding->here.ptx_line = 34;
      finding->here.what = "write";
      finding->here.block[2] = G_MAXUINT;
      finding->here.lanes = 0xf0000001;
      if (i == 0)
        finding->there = (CuredFindingSide){ .what = "read", .lanes = 1 };
      else
        finding->object = g_strdup ("c[-1]");
      finding->count = G_GUINT64_CONSTANT (1) << 40;
      g_ptr_array_add (outcome->findings, finding);
    }
  return outcome;
}

static void
test_round_trip (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autoptr (CuredResult) result = NULL;
  gsize metric;

  g_assert_cmpstr (cured_store_get_path (store), ==, fixture->path);
  append (store, 7, outcome);
  g_assert_cmpint (cured_store_get_state (store, 7), ==, CURED_STATE_WRONG);
  g_assert_cmpint (cured_store_get_state (store, 8), ==, CURED_STATE_NOT_RUN);

  result = load (fixture->path);
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

static void
test_head (Fixture *fixture, gconstpointer data)
{
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (fixture->plan));
  const CuredOptions *loaded;
  const CuredResultAxis *axes;
  g_autoptr (CuredResult) result = NULL;
  CuredKernel *kernel;
  gsize n_axes;

  cured_options_clear (options);
  other_options_init (options);
  cured_device_info_clear (&fixture->device);
  other_device_init (&fixture->device);
  cured_store_close (create (fixture));

  result = load (fixture->path);
  loaded = cured_result_get_options (result);
  assert_same_options (options, loaded, CURED_OPTION_UNSAFE);

  assert_same_device (cured_result_get_device (result), &fixture->device);

  kernel = cured_spec_get_kernel (cured_plan_get_spec (fixture->plan));
  g_assert_cmpstr (cured_result_get_source (result), ==, kernel->source);
  g_assert_cmpstr (cured_result_get_title (result), ==, "Synthetic sum");
  g_assert_cmpstr (cured_result_get_kernel_id (result), ==, "synthetic/sum");
  g_assert_nonnull (cured_result_get_kernel (result));
  g_assert_cmpstr (cured_result_get_cured_version (result), ==, CURED_VERSION);
  axes = cured_result_get_axes (result, &n_axes);
  g_assert_cmpuint (n_axes, ==, 3);
  g_assert_cmpstr (axes[1].name, ==, "blocks");
  g_assert_cmpstr (axes[1].summary, ==, "Blocks in the grid");
  g_assert_cmpint (axes[1].kind, ==, CURED_PARAMETER_LAUNCH);
  g_assert_cmpint (cured_axis_get_value (axes[1].values, 5), ==, 396);
}

static void
test_create (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *journal = g_strconcat (fixture->path, "-journal", NULL);
  g_autofree char *nowhere = g_build_filename (fixture->folder, "no", "such.cured", NULL);
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();

  append (store, 0, outcome);
  g_clear_pointer (&store, cured_store_close);
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);

  store = cured_store_create (fixture->path, fixture->plan, &fixture->device, FALSE, &error);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, fixture->path));
  g_assert_nonnull (strstr (error->message, "--resume"));
  g_assert_null (store);
  g_clear_error (&error);

  /* A journal of the file that is replaced must not be played back. */
  g_file_set_contents (journal, "not a journal", -1, &error);
  g_assert_no_error (error);
  store = cured_store_create (fixture->path, fixture->plan, &fixture->device, TRUE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cured_store_get_state (store, 0), ==, CURED_STATE_NOT_RUN);
  g_assert_false (g_file_test (journal, G_FILE_TEST_EXISTS));
  g_clear_pointer (&store, cured_store_close);
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);

  store = cured_store_create (nowhere, fixture->plan, &fixture->device, FALSE, &error);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, nowhere));
  g_clear_error (&error);
  store = cured_store_create (fixture->folder, fixture->plan, &fixture->device, TRUE, &error);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

/* Another run takes the name while the first one still writes. */
static void
test_replaced (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) first = create (fixture);
  g_autoptr (CuredStore) second = NULL;
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autoptr (CuredResult) result = NULL;

  append (first, 0, outcome);
  second = cured_store_create (fixture->path, fixture->plan, &fixture->device, TRUE, &error);
  g_assert_no_error (error);
  append (second, 1, outcome);
  g_assert_false (cured_store_append (first, 2, outcome, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, "moved, deleted or replaced"));
  append (second, 3, outcome);
  result = load (fixture->path);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_WRONG), ==, 2);
  assert_cell (result, 3, outcome);
}

static void
test_replace_cell (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredOutcome) full = make_full_outcome ();
  g_autoptr (CuredOutcome) bare = cured_outcome_new ();
  g_autoptr (CuredResult) result = NULL;

  cured_outcome_set_state (bare, CURED_STATE_TIMED_OUT, "too long");
  append (store, 3, full);
  append (store, 4, full);
  append (store, 3, bare);
  result = load (fixture->path);
  assert_cell (result, 3, bare);
  assert_cell (result, 4, full);
}

static void
test_batch (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autoptr (CuredResult) result = NULL;

  g_assert_true (cured_store_begin_batch (store, &error));
  append (store, 3, outcome);
  append (store, 4, outcome);
  result = load (fixture->path);
  g_assert_cmpint (cured_result_get_state (result, 3), ==, CURED_STATE_NOT_RUN);
  g_clear_object (&result);
  g_assert_true (cured_store_end_batch (store, &error));
  result = load (fixture->path);
  g_assert_cmpint (cured_result_get_state (result, 3), ==, CURED_STATE_WRONG);
  assert_cell (result, 4, outcome);
}

/* One cell that can't be written takes the batch along, and no more. */
static void
test_batch_lost (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autoptr (CuredResult) result = NULL;

  /* Triggers of a file do not fire: its second sample is refused. */
  change_file (fixture->path, "CREATE UNIQUE INDEX refuse ON sample (cell) WHERE cell = 4");
  g_assert_true (cured_store_begin_batch (store, &error));
  append (store, 3, outcome);
  g_assert_false (cured_store_append (store, 4, outcome, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
  g_clear_error (&error);
  g_assert_cmpint (cured_store_get_state (store, 3), ==, CURED_STATE_NOT_RUN);
  g_assert_false (cured_store_end_batch (store, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  append (store, 3, outcome);
  result = load (fixture->path);
  assert_cell (result, 3, outcome);
  g_assert_cmpint (cured_result_get_state (result, 4), ==, CURED_STATE_NOT_RUN);
}

static void
test_resume (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autoptr (CuredSpec) spec = NULL;
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredResult) result = NULL;

  append (store, 5, outcome);
  g_clear_pointer (&store, cured_store_close);
  store = cured_store_open (fixture->path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cured_store_get_state (store, 5), ==, CURED_STATE_WRONG);
  g_assert_cmpint (cured_store_get_state (store, 47), ==, CURED_STATE_NOT_LAUNCHABLE);
  g_assert_true (cured_store_matches (store, fixture->plan, &fixture->device, &error));

  /* What the file asks for is what was asked for. */
  spec = cured_store_load_spec (store, &error);
  g_assert_no_error (error);
  plan = cured_plan_new (spec, &fixture->device.limits, &error);
  g_assert_no_error (error);
  g_assert_true (cured_store_matches (store, plan, &fixture->device, &error));
  g_assert_cmpint (cured_plan_get_n_cells (plan), ==, 48);

  append (store, 6, outcome);
  g_assert_true (cured_store_finish (store, &error));
  result = load (fixture->path);
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

static void
test_differences (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredPlan) other_axis = make_plan (&(MakeResult){ .n_tiles = 5 });
  g_autoptr (CuredPlan) other_seed = make_plan (&(MakeResult){ 0 });
  g_autoptr (CuredPlan) other_limit = make_plan (&(MakeResult){ 0 });
  g_autoptr (CuredPlan) other_options = make_plan (&(MakeResult){ 0 });
  CuredDeviceInfo device = fixture->device;
  CuredOptions *options;

  assert_differs (store, other_axis, &fixture->device,
                  "tile: the file has 32..224:32,2048, and this sweep 32,64,96,128,2048");
  options = cured_spec_get_options (cured_plan_get_spec (other_seed));
  options->seed += 1;
  assert_differs (store, other_seed, &fixture->device, "seed");
  options = cured_spec_get_options (cured_plan_get_spec (other_options));
  options->compile_options = g_strdup ("-G");
  assert_differs (store, other_options, &fixture->device, "-G");
  options->blocks = g_strdup ("0..7");
  assert_differs (store, other_options, &fixture->device, "0..7");
  device.name = (char *) "Another device";
  assert_differs (store, fixture->plan, &device, "Another device");

  options = cured_spec_get_options (cured_plan_get_spec (other_limit));
  options->limit_s *= 2;
  g_assert_true (cured_store_matches (store, other_limit, &fixture->device, NULL));

  change_file (fixture->path, "UPDATE kernel SET source = source || ' '");
  assert_differs (store, fixture->plan, &fixture->device, "source");
}

/* What the table of a struct has comes back from a row of it, for every struct. */
static void
test_rows (Fixture *fixture, gconstpointer data)
{
  static const gint64 keys[] = { 1, 2, 3 };
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredDatabase) database = _cured_database_create (fixture->path, &error);

  g_assert_no_error (error);
  for (const CuredRows *const *rows = _cured_rows_list (); *rows != NULL; rows++)
    {
      /* Without what refers to other tables, and what looks at members together. */
      CuredRecordInfo info = *(*rows)->info;
      CuredRows alone = **rows;

      info.finish = NULL;
      alone.info = &info;
      alone.end = ") STRICT";
      _cured_rows_create (database, &alone, &error);
      g_assert_no_error (error);
      for (int turn = 0; turn < 10; turn++)
        {
          g_autofree char *clear = g_strdup_printf ("DELETE FROM %s", alone.name);
          gpointer sent = _cured_record_new (&info);
          gpointer got = _cured_record_new (&info);
          g_autoptr (sqlite3_stmt) statement = NULL;
          g_autofree char *sent_text = NULL;
          g_autofree char *got_text = NULL;

          record_fill (&info, sent, random);
          _cured_rows_insert (database, &alone, keys, sent, &error);
          g_assert_no_error (error);
          statement = _cured_rows_select (database, &alone, "", &error);
          g_assert_cmpint (_cured_database_next (database, statement, &error), ==, 1);
          _cured_rows_get (database, &alone, statement, got, &error);
          g_assert_no_error (error);
          /* What has no column is not there. */
          record_forget (&info, sent);
          sent_text = record_to_text (&info, sent);
          got_text = record_to_text (&info, got);
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
static void
test_two_writers (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) first = create (fixture);
  g_autoptr (CuredStore) second = cured_store_open (fixture->path, &error);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autoptr (CuredResult) result = NULL;

  g_assert_no_error (error);
  append (first, 0, outcome);
  g_assert_false (cured_store_append (second, 0, outcome, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, "Another sweep writes"));
  append (second, 1, outcome);
  result = load (fixture->path);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_WRONG), ==, 2);
}

/* A round of samples joins those that are there. */
static void
test_add_round (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredOutcome) full = make_full_outcome ();
  g_autoptr (CuredStore) store = create (fixture);
  gint64 number = 0;
  guint n_missing = 0;

  full->state = CURED_STATE_OK;
  full->metrics[CURED_METRIC_rounds] = 1;
  g_assert_true (_cured_store_add_device (store, &fixture->device, 0, &number, &error));
  g_assert_true (_cured_store_append_from (store, 0, full, number, &error));
  g_assert_true (_cured_store_get_missing_rounds (store, 0, 1, &n_missing, &error));
  g_assert_cmpuint (n_missing, ==, 0);
  g_assert_true (_cured_store_get_missing_rounds (store, 0, 3, &n_missing, &error));
  g_assert_cmpuint (n_missing, ==, 2);
  g_assert_true (_cured_store_add_round (store, 0, full, number, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (full->cold->rounds.n, ==, 2);
  assert_query (fixture->path, "SELECT max (round) FROM sample", "1");
  assert_query (fixture->path, "SELECT count (*) FROM cell_device", "2");
  assert_query (fixture->path, "SELECT count (*) FROM mismatch WHERE cell = 0", "3");
}

/* Files that are not result files */

static void
assert_refused (const char *path, GQuark domain, int code, const char *what)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load (path, NULL, &error);
  g_autoptr (CuredStore) store = NULL;

  g_assert_null (result);
  g_assert_error (error, domain, code);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, what));
  g_clear_error (&error);
  store = cured_store_open (path, &error);
  g_assert_null (store);
  g_assert_error (error, domain, code);
}

static void
test_foreign (Fixture *fixture, gconstpointer data)
{
  static const char png[] =
      "\x89PNG\r\n\x1a\n and then some more bytes, which are longer than the header of a database "
      "is, so that nobody can say that it was only too short.";
  g_autofree char *missing = g_build_filename (fixture->folder, "missing.cured", NULL);
  g_autofree char *fifo = g_build_filename (fixture->folder, "fifo", NULL);
  g_autofree char *other = g_build_filename (fixture->folder, "other", NULL);
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  assert_refused (missing, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no file");
  assert_refused (fixture->folder, CURED_ERROR, CURED_ERROR_FOREIGN, "folder");
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  assert_refused (fifo, CURED_ERROR, CURED_ERROR_FOREIGN, "regular");
  assert_refused ("/dev/zero", CURED_ERROR, CURED_ERROR_FOREIGN, "regular");

  g_file_set_contents (fixture->path, "", 0, NULL);
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");
  g_file_set_contents (fixture->path, png, sizeof png, NULL);
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");
  g_file_set_contents (fixture->path, "SQLite format 3", -1, NULL);
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");

  /* Another program's database is refused and not touched. */
  change_file (other, "CREATE TABLE cell (cell, state); PRAGMA user_version=1");
  g_file_get_contents (other, &before, NULL, NULL);
  assert_refused (other, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");
  g_file_get_contents (other, &after, NULL, NULL);
  g_assert_cmpmem (before, 100, after, 100);
  change_file (other, "PRAGMA journal_mode = WAL");
  assert_refused (other, CURED_ERROR, CURED_ERROR_FOREIGN, "not a");
}

static void
test_newer (Fixture *fixture, gconstpointer data)
{
  make_result (fixture->path, &(MakeResult){ 0 });
  change_file (fixture->path, "PRAGMA user_version = 99");
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_NEWER, "format version 99");
  change_file (fixture->path, "PRAGMA user_version = 0");
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_DAMAGED, "version");
}

/* What launches ask of the chip: by launch, instruction and buffer; what can't be is refused. */
static void
test_work (Fixture *fixture, gconstpointer data)
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
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredWorkload) work = NULL;
  CuredWorkLaunch *launch;
  CuredWorkSite *site;
  CuredWorkBuffer *buffer;

  outcome->work = cured_workload_new ();
  launch = cured_workload_add (outcome->work, "entry");
  for (int i = 0; i < 3; i++)
    launch->grid[i] = launch->block[i] = (guint) i + 1;
  launch->n_blocks = 6;
  launch->n_run = 4;
  launch->total.barriers = 1.5;
  launch->traffic.memory_read = 1e9;
  site = cured_work_launch_add_site (launch);
  site->site = 3;
  site->line = 12;
  site->text = g_strdup ("ld.shared.f32 %f1, [%r1];");
  site->work.wavefronts = 1.0 / 3;
  buffer = cured_work_launch_add_buffer (launch);
  buffer->name = g_strdup ("größe");
  buffer->read = 7;

  append (store, 7, outcome);
  append (store, 7, outcome);
  g_clear_pointer (&store, cured_store_close);
  result = load (fixture->path);
  g_assert_true (cured_result_load_work (result, 8, &work, &error));
  g_assert_null (work);
  g_assert_true (cured_result_load_work (result, 7, &work, &error));
  g_assert_no_error (error);
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
      g_autofree char *copy = g_strconcat (fixture->path, ".copy", NULL);

      g_assert_true (cured_store_copy (fixture->path, copy, &error));
      g_assert_no_error (error);
      change_file (copy, changes[i]);
      result = load (copy);
      g_assert_false (cured_result_load_work (result, 7, &work, &error));
      g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
      g_clear_error (&error);
      g_clear_object (&result);
      g_assert_cmpint (g_unlink (copy), ==, 0);
    }
}

/* What is not a regular file is never replaced, not even when asked to. */
static void
test_not_a_file (Fixture *fixture, gconstpointer data)
{
  static const mode_t kinds[] = { S_IFIFO, S_IFSOCK };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredStore) store = NULL;
      GStatBuf before, after;

      g_assert_cmpint (mknod (fixture->path, kinds[i] | 0600, 0), ==, 0);
      g_assert_cmpint (g_stat (fixture->path, &before), ==, 0);
      store = cured_store_create (fixture->path, fixture->plan, &fixture->device, TRUE, &error);
      g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
      g_assert_null (store);
      g_assert_cmpint (g_stat (fixture->path, &after), ==, 0);
      g_assert_cmpuint (before.st_mode, ==, after.st_mode);
      g_unlink (fixture->path);
    }
}

/* A column for each parameter and each metric, whatever they are called. */
static void
test_views (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  make_result (fixture->path, &(MakeResult){ 0 });
  assert_query (fixture->path, "SELECT tile, blocks, n, state, time > 0 FROM cells WHERE cell = 0",
                "32|66|1048576|ok|1");
  change_file (
      fixture->path,
      "UPDATE axis SET name = 'a\"b]; DROP TABLE cell; --' WHERE position = 0;UPDATE axis "
      "SET name = 'Time' WHERE position = 1;UPDATE axis SET name = 'time' WHERE position = "
      "2;UPDATE metric SET id = 'select' WHERE id = 'registers';");
  /* It gets the metric that it lacks, and the view anew. */
  cured_store_close (cured_store_open (fixture->path, &error));
  g_assert_no_error (error);
  assert_query (fixture->path, "SELECT name FROM pragma_table_info ('cells') LIMIT 6",
                "cell\na\"b]; DROP TABLE cell; --\nTime_\ntime__\nstate\n"
                "reason");
  assert_query (fixture->path,
                "SELECT \"a\"\"b]; DROP TABLE cell; --\", Time_, time__, \"select\" IS NULL, time "
                "= (SELECT value FROM measurement JOIN metric USING (metric) WHERE id = 'time' AND "
                "cell = 0) FROM cells WHERE cell = 0",
                "32|66|1048576|0|1");
}

/* Damage */

/* Everything that a program does with a file. Returns whether all of it worked; what did not has to
 * say so. */
static gboolean
use_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load (path, NULL, &error);
  g_autoptr (CuredStore) store = NULL;
  g_autoptr (GOutputStream) stream = NULL;
  gint64 n_cells;
  gsize n_metrics;
  gboolean is_whole = TRUE;

  if (result == NULL)
    {
      g_assert_nonnull (error);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return FALSE;
    }
  n_cells = MIN (cured_result_get_n_cells (result), 1000);
  cured_result_get_metrics (result, &n_metrics);
  for (gsize i = 0; i < n_metrics; i++)
    {
      cured_result_load_column (result, i, NULL, NULL);
      cured_result_get_value (result, n_cells - 1, i);
    }
  for (gint64 cell = 0; cell < n_cells; cell++)
    {
      g_autoptr (CuredOutcome) outcome = cured_result_load_outcome (result, cell, &error);

      g_assert_true ((outcome != NULL) == (error == NULL));
      is_whole = is_whole && outcome != NULL;
      g_clear_error (&error);
    }
  stream = g_memory_output_stream_new_resizable ();
  is_whole = cured_table_write_csv (result, NULL, stream, NULL, NULL) && is_whole;
  is_whole = cured_table_write_json (result, NULL, stream, NULL, NULL) && is_whole;

  store = cured_store_open (path, &error);
  g_assert_true ((store != NULL) == (error == NULL));
  g_clear_error (&error);
  if (store != NULL)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
      g_autoptr (CuredSpec) spec = cured_store_load_spec (store, &error);

      g_assert_true ((spec != NULL) == (error == NULL));
      g_clear_error (&error);
      cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
      outcome->metrics[0] = 1;
      if (!cured_store_append (store, 0, outcome, &error))
        {
          g_assert_nonnull (error);
          is_whole = FALSE;
        }
    }
  return is_whole && store != NULL;
}

/* A copy of the file and its journal, made in the middle of a transaction, is what a killed writer
 * leaves. */
static void
make_killed (Fixture *fixture, const char *killed)
{
  g_autofree char *journal = g_strconcat (fixture->path, "-journal", NULL);
  g_autofree char *killed_journal = g_strconcat (killed, "-journal", NULL);
  g_autofree char *contents = NULL;
  g_autofree char *journal_contents = NULL;
  gsize length;
  gsize journal_length;
  sqlite3 *handle;

  make_result (fixture->path, &(MakeResult){
                                  .n_tiles = 20,
                                  .n_blocks = 20,
                                  .no_samples = TRUE,
                              });
  g_assert_cmpint (sqlite3_open (fixture->path, &handle), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (handle,
                                 "PRAGMA cache_size = 1; BEGIN IMMEDIATE;UPDATE measurement SET "
                                 "value = 0;UPDATE cell SET state = 5;",
                                 NULL, NULL, NULL),
                   ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_db_cacheflush (handle), ==, SQLITE_OK);
  g_file_get_contents (fixture->path, &contents, &length, NULL);
  g_file_get_contents (journal, &journal_contents, &journal_length, NULL);
  g_assert_cmpuint (journal_length, >, 512);
  sqlite3_exec (handle, "ROLLBACK", NULL, NULL, NULL);
  sqlite3_close (handle);
  g_file_set_contents (killed, contents, (gssize) length, NULL);
  g_file_set_contents (killed_journal, journal_contents, (gssize) journal_length, NULL);
}

/* What a stranger can put into a file beside rows. */
static void
test_stranger (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *sql;
    const char *name; /* in the message; NULL: the file is read as it is */
  } rows[] = {
    { "CREATE VIEW extra AS SELECT * FROM cells", NULL },
    { "CREATE TABLE extra (a, b AS (a + 1)); CREATE INDEX x ON extra (a)", NULL },
    { "CREATE TRIGGER boom AFTER UPDATE ON sweep BEGIN DELETE FROM measurement; END", "boom" },
    { "CREATE VIRTUAL TABLE extra USING fts5 (a)", "extra" },
    { "PRAGMA writable_schema = ON; CREATE TABLE extra (a);UPDATE sqlite_schema SET sql = 'CREATE "
      "VIRTUAL TABLE extra USING dbstat', type = 'index' WHERE name = 'extra'",
      "extra" },
    { "ALTER TABLE cell ADD COLUMN more TEXT AS (hex (zeroblob (9999999)))", "cell.more" },
    { "DROP VIEW cells; ALTER TABLE cell RENAME TO c;CREATE VIEW cell AS SELECT "
      "* FROM c",
      "prohibited" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredResult) result = NULL;
      g_autoptr (CuredStore) store = NULL;

      g_unlink (fixture->path);
      make_result (fixture->path, &(MakeResult){ 0 });
      change_file (fixture->path, rows[i].sql);
      if (rows[i].name != NULL)
        {
          assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_DAMAGED, rows[i].name);
          continue;
        }
      result = load (fixture->path);
      store = cured_store_open (fixture->path, &error);
      g_assert_no_error (error);
    }
}

/* Makes a tree of a table's pages whose branches all lead to the same leaf, with more rows than
 * anybody can count. */
static void
share_pages (const char *path, const char *table)
{
  enum
  {
    PAGE_BYTES = 4096,
    N_CHILDREN = (PAGE_BYTES - 12) / 7,
    N_LEVELS = 8,
  };
  g_autofree char *sql =
      g_strdup_printf ("SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
  g_autoptr (sqlite3_stmt) statement = NULL;
  g_autofree char *contents = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  sqlite3 *handle = NULL;
  guint root;
  guint leaf;
  guint32 child;
  guint32 n_pages;
  gsize length;

  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (handle, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  root = (guint) sqlite3_column_int (statement, 0) - 1;
  g_clear_pointer (&statement, sqlite3_finalize);
  sqlite3_close (handle);
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_byte_array_append (bytes, (const guint8 *) contents, (guint) length);
  leaf = root;
  while (contents[leaf * PAGE_BYTES] == 5)
    {
      memcpy (&child, contents + leaf * PAGE_BYTES + 8, sizeof child);
      leaf = GUINT32_FROM_BE (child) - 1;
    }
  g_assert_cmpint (contents[leaf * PAGE_BYTES], ==, 13);
  g_byte_array_append (bytes, (const guint8 *) contents + leaf * PAGE_BYTES, PAGE_BYTES);
  child = GUINT32_TO_BE (bytes->len / PAGE_BYTES);
  for (int level = 0; level < N_LEVELS; level++)
    {
      guint8 page[PAGE_BYTES] = { 5 };
      guint16 end = GUINT16_TO_BE (PAGE_BYTES - 5 * N_CHILDREN);
      guint16 n = GUINT16_TO_BE (N_CHILDREN);

      memcpy (page + 3, &n, sizeof n);
      memcpy (page + 5, &end, sizeof end);
      memcpy (page + 8, &child, sizeof child);
      for (int i = 0; i < N_CHILDREN; i++)
        {
          guint16 at = GUINT16_TO_BE (PAGE_BYTES - 5 * (i + 1));

          memcpy (page + 12 + 2 * i, &at, sizeof at);
          memcpy (page + PAGE_BYTES - 5 * (i + 1), &child, sizeof child);
          page[PAGE_BYTES - 5 * i - 1] = 1;
        }
      g_byte_array_append (bytes, page, PAGE_BYTES);
      child = GUINT32_TO_BE (bytes->len / PAGE_BYTES);
      memcpy (bytes->data + root * PAGE_BYTES, page, PAGE_BYTES);
    }
  n_pages = GUINT32_TO_BE (bytes->len / PAGE_BYTES);
  memcpy (bytes->data + 28, &n_pages, sizeof n_pages);
  write_file (path, (const char *) bytes->data, bytes->len);
}

static void
test_shared_pages (Fixture *fixture, gconstpointer data)
{
  const char *const paths[] = { fixture->path, NULL };
  g_autofree char *merged = g_build_filename (fixture->folder, "merged.cured", NULL);
  g_autofree char *other = g_build_filename (fixture->folder, "other.cured", NULL);
  CuredMergeReport *report;
  CuredResult *result;
  g_autoptr (GError) error = NULL;
  gint64 stage_ns[CURED_N_STAGES];

  make_result (fixture->path, &(MakeResult){ .no_samples = TRUE });
  make_result (other, &(MakeResult){ .no_samples = TRUE });
  g_assert_cmpint (cured_result_peek_stages (fixture->path, stage_ns, &error), >, 0);
  g_assert_no_error (error);
  share_pages (fixture->path, "cell");
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_DAMAGED, "repeated");
  report =
      cured_merge (paths, merged, CURED_MERGE_REFUSE, CURED_MERGE_ACCEPT_NONE, FALSE, NULL, &error);
  g_assert_null (report);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
  g_clear_error (&error);
  /* Nothing but their number is wrong with rows that are only added up. */
  g_assert_cmpint (cured_result_peek_stages (fixture->path, stage_ns, &error), ==, -1);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "room"));
  g_clear_error (&error);

  share_pages (other, "metric");
  result = cured_result_load (other, NULL, &error);
  g_assert_null (result);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
}

/* A person may add some views, but the schema is read whole. */
static void
test_large_schema (Fixture *fixture, gconstpointer data)
{
  static const char add[] =
      "PRAGMA writable_schema = ON; WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM "
      "n WHERE i < %d) INSERT INTO sqlite_schema SELECT 'view', 'v' || i, 'v' || i, 0, 'CREATE "
      "VIEW v' || i || ' AS SELECT 1' FROM n";
  g_autofree char *few = g_strdup_printf (add, 1, 100);
  g_autofree char *many = g_strdup_printf (add, 101, 10000);
  g_autoptr (CuredResult) result = NULL;

  make_result (fixture->path, &(MakeResult){ 0 });
  change_file (fixture->path, few);
  result = load (fixture->path);
  change_file (fixture->path, many);
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_DAMAGED, "room");
}

static CuredOutcome *
load_outcome (const char *path, gint64 cell, GError **error)
{
  g_autoptr (CuredResult) result = load (path);

  return cured_result_load_outcome (result, cell, error);
}

/* Rows that a cell has twice, in tables without keys. */
static void
test_repeated_rows (Fixture *fixture, gconstpointer data)
{
  static const char *const tables[] = { "sample", "mismatch", "finding" };

  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *once = g_strdup_printf (
          "INSERT INTO mismatch VALUES (0, 0, 'c', 0, '1', '2');INSERT INTO finding (cell, number, "
          "kind, kernel, count, line, ptx_line, block_x, block_y, block_z, warp, lanes) VALUES (0, "
          "0, 'race', '', 1, 0, 0, 0, 0, 0, 0, 0);CREATE TABLE other AS SELECT * FROM %s;DROP "
          "TABLE "
          "%s; ALTER TABLE other RENAME TO %s",
          tables[i], tables[i], tables[i]);
      g_autofree char *twice =
          g_strdup_printf ("INSERT INTO %s SELECT * FROM %s", tables[i], tables[i]);
      g_autoptr (CuredOutcome) good = NULL;
      g_autoptr (CuredOutcome) bad = NULL;
      g_autoptr (GError) error = NULL;

      g_unlink (fixture->path);
      make_result (fixture->path, &(MakeResult){ 0 });
      change_file (fixture->path, once);
      good = load_outcome (fixture->path, 0, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (good->cold->samples->len, >, 0);
      change_file (fixture->path, twice);
      bad = load_outcome (fixture->path, 0, &error);
      g_assert_null (bad);
      g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, "repeated"));
    }
}

/* A file in WAL mode is refused, with nothing written beside it. */
static void
test_wal (Fixture *fixture, gconstpointer data)
{
  g_autofree char *wal = g_strconcat (fixture->path, "-wal", NULL);
  g_autoptr (CuredResult) result = NULL;

  make_result (fixture->path, &(MakeResult){ 0 });
  change_file (fixture->path, "PRAGMA journal_mode = WAL");
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_DAMAGED, "WAL");
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
  change_file (fixture->path, "PRAGMA journal_mode = DELETE");
  result = load (fixture->path);
  write_file (wal, "", 0);
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_DAMAGED, "WAL");
  g_assert_cmpuint (count_files (fixture->folder), ==, 2);
}

/* At the end of a journal may stand the name of a super-journal, and SQLite deletes the file of
 * that name when it has played the journal back. */
static void
test_super_journal (Fixture *fixture, gconstpointer data)
{
  static const guint8 magic[] = {
    0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7,
  };
  g_autofree char *killed = g_build_filename (fixture->folder, "k.cured", NULL);
  g_autofree char *journal = g_strconcat (killed, "-journal", NULL);
  g_autofree char *victim = g_build_filename (fixture->folder, "victim", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint32 sum = 0;
  guint32 number;
  gsize length;

  make_killed (fixture, killed);
  g_file_get_contents (journal, &contents, &length, NULL);
  g_byte_array_append (bytes, (const guint8 *) contents, (guint) length);
  /* Of the lock page, then the name, its length, its sum, and the magic. */
  number = GUINT32_TO_BE (0x40000000 / 4096 + 1);
  g_byte_array_append (bytes, (const guint8 *) &number, 4);
  g_byte_array_append (bytes, (const guint8 *) victim, (guint) strlen (victim));
  number = GUINT32_TO_BE ((guint32) strlen (victim));
  g_byte_array_append (bytes, (const guint8 *) &number, 4);
  for (const char *p = victim; *p != '\0'; p++)
    sum += (guint32) *p;
  number = GUINT32_TO_BE (sum);
  g_byte_array_append (bytes, (const guint8 *) &number, 4);
  g_byte_array_append (bytes, magic, sizeof magic);
  write_file (journal, (const char *) bytes->data, bytes->len);
  write_file (victim, "mine", 4);

  assert_refused (killed, CURED_ERROR, CURED_ERROR_DAMAGED, "journal");
  g_assert_true (g_file_test (victim, G_FILE_TEST_EXISTS));
  /* The test would see it: this is what SQLite itself does. */
  change_file (killed, "PRAGMA user_version = 2");
  g_assert_false (g_file_test (victim, G_FILE_TEST_EXISTS));
}

static void
test_cut (Fixture *fixture, gconstpointer data)
{
  g_autofree char *contents = NULL;
  g_autofree char *cut = g_build_filename (fixture->folder, "cut.cured", NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gsize length;

  make_result (fixture->path, &(MakeResult){ .n_tiles = 4, .n_blocks = 3 });
  g_file_get_contents (fixture->path, &contents, &length, NULL);
  g_assert_true (use_file (fixture->path));
  for (gsize at = 0; at < length; at += 4096)
    {
      gsize random_at = (gsize) g_rand_int_range (rand, 0, (gint32) length);

      write_file (cut, contents, at);
      g_assert_false (use_file (cut));
      write_file (cut, contents, random_at);
      g_assert_false (use_file (cut));
    }
  /* Cut in the middle, with a header that says what it was. */
  g_file_set_contents (cut, contents, (gssize) length / 2, NULL);
  assert_refused (cut, CURED_ERROR, CURED_ERROR_DAMAGED, "cut or damaged");
}

static void
test_flipped (Fixture *fixture, gconstpointer data)
{
  g_autofree char *contents = NULL;
  g_autofree char *flipped = g_build_filename (fixture->folder, "flipped.cured", NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  guint n_refused = 0;
  gsize length;

  make_result (fixture->path, &(MakeResult){ .n_tiles = 3, .n_blocks = 2 });
  g_file_get_contents (fixture->path, &contents, &length, NULL);
  for (int round = 0; round < 250; round++)
    {
      g_autofree char *copy = g_memdup2 (contents, length);
      /* Every other one in the header and the schema, where it hurts most. */
      gint32 end = round % 2 == 0 ? 8192 : (gint32) length;

      for (int i = 0; i <= round % 4; i++)
        copy[g_rand_int_range (rand, 0, end)] = (char) g_rand_int_range (rand, 0, 256);
      write_file (flipped, copy, length);
      n_refused += !use_file (flipped);
    }
  g_test_message ("%u of 250 refused", n_refused);
  g_assert_cmpuint (n_refused, >, 0);
}

/* A letter with 200,000 accents takes minutes to lay out, and a name of 3 MB does on each line. */
static void
test_long_texts (Fixture *fixture, gconstpointer data)
{
  static const char *const columns[] = {
    "kernel SET id", "kernel SET title", "axis SET summary", "metric SET unit", "device SET name",
  };
  g_autoptr (CuredResult) result = NULL;
  const CuredResultAxis *axes;
  gsize n_axes;

  make_result (fixture->path, &(MakeResult){ .n_tiles = 2, .n_blocks = 2 });
  change_file (fixture->path, "UPDATE axis SET name = position || hex (zeroblob (1500000))");
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autofree char *sql = g_strdup_printf (
          "UPDATE %s = 'a' || replace (hex (zeroblob (200000)), '00', char (0x301))", columns[i]);

      change_file (fixture->path, sql);
    }
  result = load (fixture->path);
  axes = cured_result_get_axes (result, &n_axes);
  const char *const texts[] = {
    cured_result_get_kernel_id (result),
    cured_result_get_title (result),
    axes[0].name,
    cured_result_get_device (result)->name,
  };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_cmpuint (strlen (texts[i]), >, 990);
      g_assert_cmpuint (strlen (texts[i]), <, 1010);
      g_assert_true (g_utf8_validate (texts[i], -1, NULL));
      g_assert_true (g_str_has_suffix (texts[i], "…"));
    }
  g_assert_cmpuint (strlen (axes[0].summary), <, 4110);
}

/* What is no date wins over none: the merged file would be refused by whoever reads it. */
static void
test_merge_dates (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *finished;
    gboolean is_date;
  } rows[] = {
    { "2026-11-28T21:00:31.545Z", TRUE },   { "9999-12-31T23:59:59.999Z", TRUE },
    { "9999-99-99T00:00:00.000Z", FALSE },  { "0000-00-00T00:00:00.000Z", FALSE },
    { "2026-02-30T00:00:00.000Z", FALSE },  { "10000-01-01T00:00:00.000Z", FALSE },
    { "2026-11-28T21:00:31.545Z;", FALSE }, { "", FALSE },
  };
  const char *const paths[] = { fixture->path, NULL };
  g_autofree char *merged = g_build_filename (fixture->folder, "merged.cured", NULL);

  make_result (fixture->path, &(MakeResult){ .n_tiles = 2, .n_blocks = 2, .no_samples = TRUE });
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *sql = g_strdup_printf ("UPDATE cell SET finished = '%s'", rows[i].finished);
      g_autoptr (CuredMergeReport) report = NULL;
      g_autoptr (GError) error = NULL;

      change_file (fixture->path, sql);
      report = cured_merge (paths, merged, CURED_MERGE_NEWEST, CURED_MERGE_ACCEPT_NONE, TRUE, NULL,
                            &error);
      if (rows[i].is_date)
        g_assert_no_error (error);
      else
        g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
    }
}

#define INSERT_CELL                                                                                \
  "INSERT INTO cell (cell, state, n_mismatches, finished, compile_ns, prepare_ns, check_ns, "      \
  "sampling_ns) VALUES "

static void
test_nonsense (Fixture *fixture, gconstpointer data)
{
  /* What a hand or another program may have written. Tables that are STRICT are replaced by some
   * that are not. */
  static const char *const changes[] = {
    "UPDATE axis SET stride = 7 WHERE position = 0",
    "UPDATE axis SET length = 1000000000 WHERE position = 0",
    "UPDATE axis SET position = 9 WHERE position = 0",
    "DELETE FROM axis_value WHERE axis = 1",
    "DELETE FROM axis_value WHERE axis = 1 AND number = 2",
    "UPDATE axis_value SET value = 5",
    INSERT_CELL "(48, 1, 0, '', 0, 0, 0, 0)",
    INSERT_CELL "(1 << 60, 1, 0, '', 0, 0, 0, 0)",
    "DELETE FROM cell; " INSERT_CELL "(1, 0, 0, '', 0, 0, 0, 0)",
    "DELETE FROM cell; " INSERT_CELL "(1, 77, 0, '', 0, 0, 0, 0)",
    "DELETE FROM sweep",
    "DELETE FROM kernel",
    "DELETE FROM device",
    "UPDATE sweep SET created = 'yesterday'",
    "UPDATE option SET value = 'many' WHERE name = 'min_samples'",
    "UPDATE option SET value = '-1' WHERE name = 'limit_s'",
    "UPDATE option SET value = 'nan' WHERE name = 'precision'",
    "DROP TABLE cell",
    "DROP TABLE axis_value",
    "DROP TABLE metric",
    "ALTER TABLE cell RENAME COLUMN state TO status",
    "DROP TABLE metric; CREATE TABLE metric (metric, id, title, unit, origin, better, "
    "description); INSERT INTO metric VALUES (1, NULL, 1, 1, 1, 1, 1)",
    "DROP TABLE cell; CREATE VIEW cell AS WITH RECURSIVE n (cell) AS (SELECT 1 UNION ALL SELECT "
    "cell + 1 FROM n) SELECT 1 AS cell, 1 AS state FROM n",
  };
  g_autofree char *contents = NULL;
  gsize length;

  make_result (fixture->path, &(MakeResult){ 0 });
  g_file_get_contents (fixture->path, &contents, &length, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      write_file (fixture->path, contents, length);
      change_file (fixture->path, changes[i]);
      g_test_message ("%s", changes[i]);
      assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_DAMAGED, "cut or damaged");
    }
}

/* A map has to show something. Who goes on with such a file puts the metrics back. */
static void
test_no_metrics (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (GError) error = NULL;

  make_result (fixture->path, &(MakeResult){ 0 });
  change_file (fixture->path, "DELETE FROM metric");
  result = cured_result_load (fixture->path, NULL, &error);
  g_assert_null (result);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
}

/* A later Cured has more figures, but not thousands. */
static void
test_many_metrics (Fixture *fixture, gconstpointer data)
{
  static const char add[] =
      "WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO "
      "metric SELECT i, 'later_' || i, 'Later', 'ns', 'measured', 'lower', 'Later' FROM n";
  g_autofree char *few = g_strdup_printf (add, 1000, 1500);
  g_autofree char *many = g_strdup_printf (add, 2000, 6500);
  g_autoptr (CuredResult) result = NULL;

  make_result (fixture->path, &(MakeResult){ 0 });
  change_file (fixture->path, few);
  result = load (fixture->path);
  change_file (fixture->path, many);
  g_clear_object (&result);
  g_assert_null (cured_result_load (fixture->path, NULL, NULL));
}

/* A recording is given the words of today; its source keeps its own. */
static void
test_words_of_kernel (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CuredResult) result = NULL;
  const CuredKernel *kernel;
  g_autofree char *other = NULL;

  cured_store_close (create (fixture));
  result = load (fixture->path);
  kernel = cured_result_get_kernel (result);
  other = g_strdup (kernel->parameters[1].summary);
  g_clear_object (&result);

  change_file (fixture->path, "UPDATE kernel SET title = 'a newer title';UPDATE axis SET summary = "
                              "'newer words' WHERE position = 0;");
  result = load (fixture->path);
  kernel = cured_result_get_kernel (result);
  g_assert_cmpstr (kernel->title, ==, "a newer title");
  g_assert_cmpstr (kernel->parameters[0].summary, ==, "newer words");
  g_assert_cmpstr (kernel->parameters[1].summary, ==, other);
  g_clear_object (&result);

  /* Without them, the source's own are better than none. */
  change_file (fixture->path, "UPDATE kernel SET title = '';UPDATE axis SET summary = NULL;");
  result = load (fixture->path);
  kernel = cured_result_get_kernel (result);
  g_assert_cmpstr (kernel->title, !=, "");
  g_assert_cmpstr (kernel->parameters[1].summary, ==, other);
}

/* An older file's words for a metric that is known give way to the table's, which are translated;
 * another program's metric keeps its own. */
static void
test_words_of_metrics (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (GError) error = NULL;
  const CuredMetricInfo *metrics;
  gsize metric;

  make_result (fixture->path, &(MakeResult){ 0 });
  change_file (
      fixture->path,
      "UPDATE metric SET title = 'Old', description = 'Old' WHERE id = 'time_min';UPDATE metric "
      "SET id = 'own', title = 'Own', description = 'Of its own' WHERE id = 'time_mean'");
  result = cured_result_load (fixture->path, NULL, &error);
  g_assert_no_error (error);
  metrics = cured_result_get_metrics (result, NULL);
  g_assert_true (cured_result_find_metric (result, "time_min", &metric));
  g_assert_cmpstr (metrics[metric].title, ==, "Minimum time");
  g_assert_cmpstr (metrics[metric].description, ==, "Minimum of the samples, cold");
  g_assert_true (cured_result_find_metric (result, "own", &metric));
  g_assert_cmpstr (metrics[metric].title, ==, "Own");
  g_assert_cmpstr (metrics[metric].description, ==, "Of its own");
}

/* A few rows that make more cells than fit in a plan, or in 64 bits. */
static void
test_too_many_cells (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GString) sql = g_string_new (NULL);
  gint64 stride = 1;

  make_result (fixture->path, &(MakeResult){ 0 });
  g_string_append (sql, "DELETE FROM axis_value; DELETE FROM axis;");
  for (int i = 39; i >= 0; i--)
    {
      g_string_append_printf (
          sql, "INSERT INTO axis VALUES (%d, 'p%d', 'launch', NULL, 10, %" G_GINT64_FORMAT ");", i,
          i, stride);
      for (int j = 0; j < 10; j++)
        g_string_append_printf (sql, "INSERT INTO axis_value VALUES (%d, %d, %d);", i, j, j);
      stride = i > 25 ? stride * 10 : stride;
    }
  change_file (fixture->path, sql->str);
  assert_refused (fixture->path, CURED_ERROR, CURED_ERROR_DAMAGED, "cells");
}

/* Damage that leaves the rest readable. */
static void
test_partial (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (CuredOutcome) outcome = NULL;
  gsize metric;

  make_result (fixture->path, &(MakeResult){ 0 });
  change_file (
      fixture->path,
      "UPDATE kernel SET source = 'not a kernel file';UPDATE device SET name = CAST (x'48c332ff' "
      "AS TEXT);UPDATE cell SET reason = CAST (x'48c332ff' AS TEXT) WHERE cell "
      "= 0;INSERT INTO metric VALUES (99, 'future', 'Future', 'W', 'measured', 'lower', 'From a "
      "later Cured');INSERT INTO measurement VALUES (99, 0, 1.5);INSERT INTO option VALUES "
      "('future', '1');INSERT INTO device_limit VALUES (1, 'future', 1, '');");
  result = load (fixture->path);
  g_assert_null (cured_result_get_kernel (result));
  g_assert_true (g_utf8_validate (cured_result_get_device (result)->name, -1, NULL));
  outcome = cured_result_load_outcome (result, 0, &error);
  g_assert_no_error (error);
  g_assert_true (g_utf8_validate (outcome->reason, -1, NULL));
  g_assert_true (cured_result_find_metric (result, "future", &metric));
  g_assert_true (cured_result_has_values (result, metric));
  g_assert_cmpfloat (cured_result_get_value (result, 0, metric), ==, 1.5);
  g_assert_true (isnan (cured_result_get_value (result, 1, metric)));
}

/* Time */

static void
test_journal (Fixture *fixture, gconstpointer data)
{
  g_autofree char *killed = g_build_filename (fixture->folder, "k.cured", NULL);
  g_autofree char *journal = g_strconcat (killed, "-journal", NULL);

  for (int writable = 0; writable < 2; writable++)
    {
      g_autoptr (CuredResult) result = NULL;
      g_autoptr (CuredStore) store = NULL;
      g_autoptr (GError) error = NULL;

      make_killed (fixture, killed);
      if (writable)
        {
          store = cured_store_open (killed, &error);
          g_assert_no_error (error);
          g_assert_cmpint (cured_store_get_state (store, 0), ==, CURED_STATE_OK);
        }
      result = load (killed);
      g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), >, 300);
      g_assert_cmpint (cured_result_get_state (result, 0), ==, CURED_STATE_OK);
      g_assert_false (g_file_test (journal, G_FILE_TEST_EXISTS));
    }
}

/* A process that is killed while it appends: what it said was written is in the file. */
static void
test_killed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();

  for (int round = 0; round < 10; round++)
    {
      g_autoptr (CuredStore) store = NULL;
      g_autoptr (CuredResult) result = NULL;
      g_autoptr (GError) error = NULL;
      gint64 n_written = 0;
      guint8 cell;
      int fds[2];
      pid_t child;

      g_unlink (fixture->path);
      cured_store_close (create (fixture));
      g_assert_cmpint (pipe (fds), ==, 0);
      child = fork ();
      g_assert_cmpint (child, >=, 0);
      if (child == 0)
        {
          store = cured_store_open (fixture->path, NULL);
          for (cell = 0; cell < 42; cell++)
            if (store == NULL || !cured_store_append (store, cell, outcome, NULL) ||
                write (fds[1], &cell, 1) != 1)
              _exit (1);
          pause ();
          _exit (0);
        }
      close (fds[1]);
      g_assert_cmpint (read (fds[0], &cell, 1), ==, 1);
      g_usleep ((gulong) g_rand_int_range (rand, 0, 30000));
      kill (child, SIGKILL);
      waitpid (child, NULL, 0);
      n_written = 1;
      while (read (fds[0], &cell, 1) == 1)
        n_written++;
      close (fds[0]);

      result = load (fixture->path);
      g_assert_cmpint (cured_result_count_state (result, CURED_STATE_WRONG), >=, n_written);
      for (gint64 i = 0; i < n_written; i++)
        assert_cell (result, i, outcome);
      store = cured_store_open (fixture->path, &error);
      g_assert_no_error (error);
      append (store, 41, outcome);
    }
}

typedef struct
{
  CuredStore *store;
  gint64 first;
} Part;

static gpointer
append_part (gpointer data)
{
  Part *part = data;
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  for (gint64 i = 0; i < 14; i++)
    {
      outcome->metrics[CURED_METRIC_time] = (double) (part->first + i);
      append (part->store, part->first + i, outcome);
    }
  return NULL;
}

/* Three threads write while this one reads. */
static void
test_threads (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredResult) result = NULL;
  Part parts[3];
  GThread *threads[3];
  gsize metric;

  for (int i = 0; i < 3; i++)
    {
      parts[i] = (Part){ store, i * 14 };
      threads[i] = g_thread_new ("append", append_part, &parts[i]);
    }
  do
    {
      g_clear_object (&result);
      result = load (fixture->path);
      g_assert_true (cured_result_find_metric (result, "time", &metric));
      for (gint64 cell = 0; cell < 42; cell++)
        if (cured_result_get_state (result, cell) == CURED_STATE_OK)
          g_assert_cmpfloat (cured_result_get_value (result, cell, metric), ==, (double) cell);
    }
  while (cured_result_count_state (result, CURED_STATE_OK) < 42);
  for (int i = 0; i < 3; i++)
    g_thread_join (threads[i]);
}

static void
test_locale (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CuredStore) store = NULL;
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (fixture->plan));
  g_autofree char *sql = NULL;

  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("there is no locale de_DE.UTF-8");
      return;
    }
  sql = g_strdup_printf ("%.1f", 0.5);
  g_assert_cmpstr (sql, ==, "0,5");
  options->precision = 0.0125;
  store = create (fixture);
  append (store, 7, outcome);
  result = load (fixture->path);
  assert_cell (result, 7, outcome);
  g_assert_cmpfloat (cured_result_get_options (result)->precision, ==, 0.0125);
  setlocale (LC_ALL, "C.UTF-8");
  g_clear_object (&result);
  result = load (fixture->path);
  assert_cell (result, 7, outcome);
  g_assert_cmpfloat (cured_result_get_options (result)->precision, ==, 0.0125);
}

/* Disks. A child has a mount namespace of its own, so that nobody else sees the file systems and
 * they go with it. */

static gboolean
mount_own (const char *folder, const char *options)
{
  uid_t uid = getuid ();
  g_autofree char *map = g_strdup_printf ("0 %u 1", (guint) uid);

  if (unshare (CLONE_NEWNS) != 0)
    {
      if (unshare (CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return FALSE;
      g_file_set_contents_full ("/proc/self/uid_map", map, -1, G_FILE_SET_CONTENTS_NONE, 0600,
                                NULL);
    }
  return mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount ("none", folder, "tmpfs", 0, options) == 0;
}

static void
run_in_child (Fixture *fixture, void (*func) (Fixture *))
{
  int status;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      if (!mount_own (fixture->folder, "size=384k"))
        _exit (SKIPPED);
      func (fixture);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (WIFEXITED (status) && WEXITSTATUS (status) == SKIPPED)
    g_test_skip ("no file system can be mounted here");
  else
    g_assert_cmpint (status, ==, 0);
}

static void
fill_disk (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) store = create (fixture);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autoptr (CuredResult) result = NULL;
  g_autofree char *filler = g_build_filename (fixture->folder, "f", NULL);
  g_autofree char *zeros = g_malloc0 (40 * 1024);
  gint64 cell = 0;

  g_free (outcome->output);
  outcome->output = g_strnfill (4000, 'x');
  g_assert_true (g_file_set_contents (filler, zeros, 40 * 1024, NULL));
  while (cell < 42 && cured_store_append (store, cell, outcome, &error))
    cell++;
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, fixture->path));
  g_assert_nonnull (strstr (error->message, "full"));
  g_assert_cmpint (cell, >, 0);
  g_assert_cmpint (cured_store_get_state (store, cell), ==, CURED_STATE_NOT_RUN);
  result = load (fixture->path);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_WRONG), ==, cell);
  for (gint64 i = 0; i < cell; i++)
    assert_cell (result, i, outcome);

  /* With room again, the same store goes on. */
  g_unlink (filler);
  append (store, cell, outcome);
  assert_cell (result, cell, outcome);
}

static void
test_full_disk (Fixture *fixture, gconstpointer data)
{
  run_in_child (fixture, fill_disk);
}

static void
create_on_full_disk (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *filler = g_build_filename (fixture->folder, "f", NULL);
  g_autofree char *zeros = g_malloc0 (328 * 1024);

  g_assert_true (g_file_set_contents (filler, zeros, 328 * 1024, NULL));
  g_assert_null (
      cured_store_create (fixture->path, fixture->plan, &fixture->device, FALSE, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, fixture->path));
  /* Nothing half-made is left. */
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

static void
test_full_disk_create (Fixture *fixture, gconstpointer data)
{
  run_in_child (fixture, create_on_full_disk);
}

static void
use_read_only (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (CuredStore) store = NULL;
  g_autofree char *other = g_build_filename (fixture->folder, "b.cured", NULL);
  g_autofree char *killed = g_build_filename (fixture->folder, "k.cured", NULL);

  /* Two files and a journal. */
  if (mount (NULL, fixture->folder, NULL, MS_REMOUNT, "size=768k") != 0)
    _exit (SKIPPED);
  make_killed (fixture, killed);
  if (mount (NULL, fixture->folder, NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0)
    _exit (SKIPPED);

  result = load (fixture->path);
  g_assert_cmpint (cured_result_get_state (result, 0), ==, CURED_STATE_OK);
  g_assert_null (cured_store_create (other, fixture->plan, &fixture->device, FALSE, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, other));
  g_clear_error (&error);
  store = cured_store_open (fixture->path, &error);
  g_assert_null (store);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, fixture->path));
  g_clear_error (&error);

  /* What a killed writer left can't be repaired here. */
  g_assert_null (cured_result_load (killed, NULL, &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, "k.cured-journal"));
}

static void
test_read_only (Fixture *fixture, gconstpointer data)
{
  run_in_child (fixture, use_read_only);
}

#define ADD(path, func) g_test_add ("/store/" path, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  ADD ("round-trip", test_round_trip);
  ADD ("head", test_head);
  ADD ("create", test_create);
  ADD ("replaced", test_replaced);
  ADD ("replace-cell", test_replace_cell);
  ADD ("batch", test_batch);
  ADD ("batch-lost", test_batch_lost);
  ADD ("resume", test_resume);
  ADD ("differences", test_differences);
  ADD ("foreign", test_foreign);
  ADD ("newer", test_newer);
  ADD ("work", test_work);
  ADD ("not-a-file", test_not_a_file);
  ADD ("rows", test_rows);
  ADD ("two-writers", test_two_writers);
  ADD ("add-round", test_add_round);
  ADD ("views", test_views);
  ADD ("stranger", test_stranger);
  ADD ("shared-pages", test_shared_pages);
  ADD ("large-schema", test_large_schema);
  ADD ("repeated-rows", test_repeated_rows);
  ADD ("wal", test_wal);
  ADD ("super-journal", test_super_journal);
  ADD ("cut", test_cut);
  ADD ("flipped", test_flipped);
  ADD ("nonsense", test_nonsense);
  ADD ("no-metrics", test_no_metrics);
  ADD ("many-metrics", test_many_metrics);
  ADD ("words-of-metrics", test_words_of_metrics);
  ADD ("words-of-kernel", test_words_of_kernel);
  ADD ("too-many-cells", test_too_many_cells);
  ADD ("partial", test_partial);
  ADD ("journal", test_journal);
  ADD ("killed", test_killed);
  ADD ("threads", test_threads);
  ADD ("locale", test_locale);
  ADD ("long-texts", test_long_texts);
  ADD ("merge-dates", test_merge_dates);
  ADD ("full-disk", test_full_disk);
  ADD ("full-disk-create", test_full_disk_create);
  ADD ("read-only", test_read_only);

  return g_test_run ();
}
