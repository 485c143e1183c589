/* SPDX-License-Identifier: MIT
 * Nothing that is on a disk, or happens to a result file, ends the program. */
#include "config.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "make-result.h"
#include "store-fixture.h"
#include "store/cured-merge.h"
#include "store/cured-table-internal.h"

#define SKIPPED 77

/* Everything that a program does with a file. Returns whether all of it worked; what did not has to
 * say so. */
static gboolean
use_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredResult) result = cured_result_load (path, NULL, &error);
  gsize n_metrics;
  gboolean is_whole = TRUE;

  if (result == NULL)
    {
      g_assert_nonnull (error);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return FALSE;
    }
  gint64 n_cells = MIN (cured_result_get_n_cells (result), 1000);
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
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  is_whole = cured_table_write_csv (result, NULL, stream, NULL, NULL) && is_whole;
  is_whole = cured_table_write_json (result, NULL, stream, NULL, NULL) && is_whole;

  g_autoptr (CuredStore) store = cured_store_open (path, &error);
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
make_killed (Fixture *self, const char *killed)
{
  g_autofree char *journal = g_strconcat (self->path, "-journal", NULL);
  g_autofree char *killed_journal = g_strconcat (killed, "-journal", NULL);
  g_autofree char *contents = NULL, *journal_contents = NULL;
  gsize length, journal_length;
  sqlite3 *handle;

  make_result (self->path, &(MakeResult){ .n_tiles = 20, .n_blocks = 20, .no_samples = TRUE });
  g_assert_cmpint (sqlite3_open (self->path, &handle), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (handle,
                                 "PRAGMA cache_size = 1; BEGIN IMMEDIATE;UPDATE measurement SET "
                                 "value = 0;UPDATE cell SET state = 5;",
                                 NULL, NULL, NULL),
                   ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_db_cacheflush (handle), ==, SQLITE_OK);
  g_file_get_contents (self->path, &contents, &length, NULL);
  g_file_get_contents (journal, &journal_contents, &journal_length, NULL);
  g_assert_cmpuint (journal_length, >, 512);
  sqlite3_exec (handle, "ROLLBACK", NULL, NULL, NULL);
  sqlite3_close (handle);
  g_file_set_contents (killed, contents, (gssize) length, NULL);
  g_file_set_contents (killed_journal, journal_contents, (gssize) journal_length, NULL);
}

/* What a stranger can put into a file beside rows. */
FIXTURE_TEST ("/store/stranger")
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
      g_unlink (self->path);
      make_result (self->path, &(MakeResult){ 0 });
      change_file (self->path, rows[i].sql);
      if (rows[i].name != NULL)
        {
          assert_refused (self->path, CURED_ERROR, CURED_ERROR_DAMAGED, rows[i].name);
          continue;
        }
      g_autoptr (CuredResult) result = load (self->path);
      g_autoptr (CuredStore) store = MUST (cured_store_open (self->path, &fail));
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
  guint32 child;
  gsize length;

  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (handle, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  guint root = (guint) sqlite3_column_int (statement, 0) - 1;
  g_clear_pointer (&statement, sqlite3_finalize);
  sqlite3_close (handle);
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_byte_array_append (bytes, (const guint8 *) contents, (guint) length);
  guint leaf = root;
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
  guint32 n_pages = GUINT32_TO_BE (bytes->len / PAGE_BYTES);
  memcpy (bytes->data + 28, &n_pages, sizeof n_pages);
  write_file (path, (const char *) bytes->data, bytes->len);
}

FIXTURE_TEST ("/store/shared-pages")
{
  const char *const paths[] = { self->path, NULL };
  g_autofree char *merged = g_build_filename (self->folder, "merged.cured", NULL);
  g_autofree char *other = g_build_filename (self->folder, "other.cured", NULL);
  g_autoptr (GError) error = NULL;
  gint64 stage_ns[CURED_N_STAGES];

  make_result (self->path, &(MakeResult){ .no_samples = TRUE });
  make_result (other, &(MakeResult){ .no_samples = TRUE });
  g_assert_cmpint (MUST (cured_result_peek_stages (self->path, stage_ns, &fail)), >, 0);
  share_pages (self->path, "cell");
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_DAMAGED, "repeated");
  CuredMergeReport *report =
      cured_merge (paths, merged, CURED_MERGE_REFUSE, CURED_MERGE_ACCEPT_NONE, FALSE, NULL, &error);
  g_assert_null (report);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
  g_clear_error (&error);
  /* Nothing but their number is wrong with rows that are only added up. */
  g_assert_cmpint (cured_result_peek_stages (self->path, stage_ns, &error), ==, -1);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "room"));
  g_clear_error (&error);

  share_pages (other, "metric");
  CuredResult *result = cured_result_load (other, NULL, &error);
  g_assert_null (result);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
}

/* A person may add some views, but the schema is read whole. */
FIXTURE_TEST ("/store/large-schema")
{
  static const char add[] =
      "PRAGMA writable_schema = ON; WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM "
      "n WHERE i < %d) INSERT INTO sqlite_schema SELECT 'view', 'v' || i, 'v' || i, 0, 'CREATE "
      "VIEW v' || i || ' AS SELECT 1' FROM n";
  g_autofree char *few = g_strdup_printf (add, 1, 100);
  g_autofree char *many = g_strdup_printf (add, 101, 10000);

  make_result (self->path, &(MakeResult){ 0 });
  change_file (self->path, few);
  g_autoptr (CuredResult) result = load (self->path);
  change_file (self->path, many);
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_DAMAGED, "room");
}

static CuredOutcome *
load_outcome (const char *path, gint64 cell, GError **error)
{
  g_autoptr (CuredResult) result = load (path);

  return cured_result_load_outcome (result, cell, error);
}

/* Rows that a cell has twice, in tables without keys. */
FIXTURE_TEST ("/store/repeated-rows")
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
      g_autoptr (GError) error = NULL;

      g_unlink (self->path);
      make_result (self->path, &(MakeResult){ 0 });
      change_file (self->path, once);
      g_autoptr (CuredOutcome) good = MUST (load_outcome (self->path, 0, &fail));
      g_assert_cmpuint (good->cold->samples->len, >, 0);
      change_file (self->path, twice);
      g_autoptr (CuredOutcome) bad = load_outcome (self->path, 0, &error);
      g_assert_null (bad);
      g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, "repeated"));
    }
}

/* A file in WAL mode is refused, with nothing written beside it. */
FIXTURE_TEST ("/store/wal")
{
  g_autofree char *wal = g_strconcat (self->path, "-wal", NULL);

  make_result (self->path, &(MakeResult){ 0 });
  change_file (self->path, "PRAGMA journal_mode = WAL");
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_DAMAGED, "WAL");
  g_assert_cmpuint (count_files (self->folder), ==, 1);
  change_file (self->path, "PRAGMA journal_mode = DELETE");
  g_autoptr (CuredResult) result = load (self->path);
  write_file (wal, "", 0);
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_DAMAGED, "WAL");
  g_assert_cmpuint (count_files (self->folder), ==, 2);
}

/* At the end of a journal may stand the name of a super-journal, and SQLite deletes the file of
 * that name when it has played the journal back. */
FIXTURE_TEST ("/store/super-journal")
{
  static const guint8 magic[] = {
    0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7,
  };
  g_autofree char *killed = g_build_filename (self->folder, "k.cured", NULL);
  g_autofree char *journal = g_strconcat (killed, "-journal", NULL);
  g_autofree char *victim = g_build_filename (self->folder, "victim", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint32 sum = 0;
  gsize length;

  make_killed (self, killed);
  g_file_get_contents (journal, &contents, &length, NULL);
  g_byte_array_append (bytes, (const guint8 *) contents, (guint) length);
  /* Of the lock page, then the name, its length, its sum, and the magic. */
  guint32 number = GUINT32_TO_BE (0x40000000 / 4096 + 1);
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

FIXTURE_TEST ("/store/cut")
{
  g_autofree char *contents = NULL;
  g_autofree char *cut = g_build_filename (self->folder, "cut.cured", NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gsize length;

  make_result (self->path, &(MakeResult){ .n_tiles = 4, .n_blocks = 3 });
  g_file_get_contents (self->path, &contents, &length, NULL);
  g_assert_true (use_file (self->path));
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

FIXTURE_TEST ("/store/flipped")
{
  g_autofree char *contents = NULL;
  g_autofree char *flipped = g_build_filename (self->folder, "flipped.cured", NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  guint n_refused = 0;
  gsize length;

  make_result (self->path, &(MakeResult){ .n_tiles = 3, .n_blocks = 2 });
  g_file_get_contents (self->path, &contents, &length, NULL);
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
FIXTURE_TEST ("/store/long-texts")
{
  static const char *const columns[] = {
    "kernel SET id", "kernel SET title", "axis SET summary", "metric SET unit", "device SET name",
  };
  gsize n_axes;

  make_result (self->path, &(MakeResult){ .n_tiles = 2, .n_blocks = 2 });
  change_file (self->path, "UPDATE axis SET name = position || hex (zeroblob (1500000))");
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autofree char *sql = g_strdup_printf (
          "UPDATE %s = 'a' || replace (hex (zeroblob (200000)), '00', char (0x301))", columns[i]);

      change_file (self->path, sql);
    }
  g_autoptr (CuredResult) result = load (self->path);
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
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

/* A text that is no date wins over none: every reader would refuse the merged file. */
FIXTURE_TEST ("/store/merge-dates")
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
  const char *const paths[] = { self->path, NULL };
  g_autofree char *merged = g_build_filename (self->folder, "merged.cured", NULL);

  make_result (self->path, &(MakeResult){ .n_tiles = 2, .n_blocks = 2, .no_samples = TRUE });
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *sql = g_strdup_printf ("UPDATE cell SET finished = '%s'", rows[i].finished);
      g_autoptr (GError) error = NULL;

      change_file (self->path, sql);
      g_autoptr (CuredMergeReport) report = cured_merge (
          paths, merged, CURED_MERGE_NEWEST, CURED_MERGE_ACCEPT_NONE, TRUE, NULL, &error);
      if (rows[i].is_date)
        g_assert_no_error (error);
      else
        g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
    }
}

#define INSERT_CELL                                                                                \
  "INSERT INTO cell (cell, state, n_mismatches, finished, compile_ns, prepare_ns, check_ns, "      \
  "sampling_ns) VALUES "

FIXTURE_TEST ("/store/nonsense")
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

  make_result (self->path, &(MakeResult){ 0 });
  g_file_get_contents (self->path, &contents, &length, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      write_file (self->path, contents, length);
      change_file (self->path, changes[i]);
      g_test_message ("%s", changes[i]);
      assert_refused (self->path, CURED_ERROR, CURED_ERROR_DAMAGED, "cut or damaged");
    }
}

/* A map has to show something. Continuing such a file puts the metrics back. */
FIXTURE_TEST ("/store/no-metrics")
{
  g_autoptr (GError) error = NULL;

  make_result (self->path, &(MakeResult){ 0 });
  change_file (self->path, "DELETE FROM metric");
  g_autoptr (CuredResult) result = cured_result_load (self->path, NULL, &error);
  g_assert_null (result);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_DAMAGED);
}

/* A later Cured has more figures, but not thousands. */
FIXTURE_TEST ("/store/many-metrics")
{
  static const char add[] =
      "WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO "
      "metric SELECT i, 'later_' || i, 'Later', 'ns', 'measured', 'lower', 'Later' FROM n";
  g_autofree char *few = g_strdup_printf (add, 1000, 1500);
  g_autofree char *many = g_strdup_printf (add, 2000, 6500);

  make_result (self->path, &(MakeResult){ 0 });
  change_file (self->path, few);
  g_autoptr (CuredResult) result = load (self->path);
  change_file (self->path, many);
  g_clear_object (&result);
  g_assert_null (cured_result_load (self->path, NULL, NULL));
}

/* A recording is given the words of today; its source keeps its own. */
FIXTURE_TEST ("/store/words-of-kernel")
{
  cured_store_close (create (self));
  g_autoptr (CuredResult) result = load (self->path);
  const CuredKernel *kernel = cured_result_get_kernel (result);
  g_autofree char *other = g_strdup (kernel->parameters[1].summary);
  g_clear_object (&result);

  change_file (self->path, "UPDATE kernel SET title = 'a newer title';UPDATE axis SET summary = "
                           "'newer words' WHERE position = 0;");
  result = load (self->path);
  kernel = cured_result_get_kernel (result);
  g_assert_cmpstr (kernel->title, ==, "a newer title");
  g_assert_cmpstr (kernel->parameters[0].summary, ==, "newer words");
  g_assert_cmpstr (kernel->parameters[1].summary, ==, other);
  g_clear_object (&result);

  /* Without them, the source's own are better than none. */
  change_file (self->path, "UPDATE kernel SET title = '';UPDATE axis SET summary = NULL;");
  result = load (self->path);
  kernel = cured_result_get_kernel (result);
  g_assert_cmpstr (kernel->title, !=, "");
  g_assert_cmpstr (kernel->parameters[1].summary, ==, other);
}

/* An older file's words for a metric that is known give way to the table's, which are translated;
 * another program's metric keeps its own. */
FIXTURE_TEST ("/store/words-of-metrics")
{
  gsize metric;

  make_result (self->path, &(MakeResult){ 0 });
  change_file (
      self->path,
      "UPDATE metric SET title = 'Old', description = 'Old' WHERE id = 'time_min';UPDATE metric "
      "SET id = 'own', title = 'Own', description = 'Of its own' WHERE id = 'time_mean'");
  g_autoptr (CuredResult) result = MUST (cured_result_load (self->path, NULL, &fail));
  const CuredMetricInfo *metrics = cured_result_get_metrics (result, NULL);
  g_assert_true (cured_result_find_metric (result, "time_min", &metric));
  g_assert_cmpstr (metrics[metric].title, ==, "Minimum time");
  g_assert_cmpstr (metrics[metric].description, ==, "Minimum of the samples, cold");
  g_assert_true (cured_result_find_metric (result, "own", &metric));
  g_assert_cmpstr (metrics[metric].title, ==, "Own");
  g_assert_cmpstr (metrics[metric].description, ==, "Of its own");
}

/* A few rows that make more cells than fit in a plan, or in 64 bits. */
FIXTURE_TEST ("/store/too-many-cells")
{
  g_autoptr (GString) sql = g_string_new (NULL);
  gint64 stride = 1;

  make_result (self->path, &(MakeResult){ 0 });
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
  change_file (self->path, sql->str);
  assert_refused (self->path, CURED_ERROR, CURED_ERROR_DAMAGED, "cells");
}

/* Damage that leaves the rest readable. */
FIXTURE_TEST ("/store/partial")
{
  gsize metric;

  make_result (self->path, &(MakeResult){ 0 });
  change_file (
      self->path,
      "UPDATE kernel SET source = 'not a kernel file';UPDATE device SET name = CAST (x'48c332ff' "
      "AS TEXT);UPDATE cell SET reason = CAST (x'48c332ff' AS TEXT) WHERE cell "
      "= 0;INSERT INTO metric VALUES (99, 'future', 'Future', 'W', 'measured', 'lower', 'From a "
      "later Cured');INSERT INTO measurement VALUES (99, 0, 1.5);INSERT INTO option VALUES "
      "('future', '1');INSERT INTO device_limit VALUES (1, 'future', 1, '');");
  g_autoptr (CuredResult) result = load (self->path);
  g_assert_null (cured_result_get_kernel (result));
  g_assert_true (g_utf8_validate (cured_result_get_device (result)->name, -1, NULL));
  g_autoptr (CuredOutcome) outcome = MUST (cured_result_load_outcome (result, 0, &fail));
  g_assert_true (g_utf8_validate (outcome->reason, -1, NULL));
  g_assert_true (cured_result_find_metric (result, "future", &metric));
  g_assert_true (cured_result_has_values (result, metric));
  g_assert_cmpfloat (cured_result_get_value (result, 0, metric), ==, 1.5);
  g_assert_true (isnan (cured_result_get_value (result, 1, metric)));
}

/* Time */

FIXTURE_TEST ("/store/journal")
{
  g_autofree char *killed = g_build_filename (self->folder, "k.cured", NULL);
  g_autofree char *journal = g_strconcat (killed, "-journal", NULL);

  for (int writable = 0; writable < 2; writable++)
    {
      g_autoptr (CuredStore) store = NULL;

      make_killed (self, killed);
      if (writable)
        {
          store = MUST (cured_store_open (killed, &fail));
          g_assert_cmpint (cured_store_get_state (store, 0), ==, CURED_STATE_OK);
        }
      g_autoptr (CuredResult) result = load (killed);
      g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), >, 300);
      g_assert_cmpint (cured_result_get_state (result, 0), ==, CURED_STATE_OK);
      g_assert_false (g_file_test (journal, G_FILE_TEST_EXISTS));
    }
}

/* A process that is killed while it appends: what it said was written is in the file. */
FIXTURE_TEST ("/store/killed")
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();

  for (int round = 0; round < 10; round++)
    {
      g_autoptr (CuredStore) store = NULL;
      guint8 cell;
      int fds[2];

      g_unlink (self->path);
      cured_store_close (create (self));
      g_assert_cmpint (pipe (fds), ==, 0);
      pid_t child = fork ();
      g_assert_cmpint (child, >=, 0);
      if (child == 0)
        {
          store = cured_store_open (self->path, NULL);
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
      gint64 n_written = 1;
      while (read (fds[0], &cell, 1) == 1)
        n_written++;
      close (fds[0]);

      g_autoptr (CuredResult) result = load (self->path);
      g_assert_cmpint (cured_result_count_state (result, CURED_STATE_WRONG), >=, n_written);
      for (gint64 i = 0; i < n_written; i++)
        assert_cell (result, i, outcome);
      store = MUST (cured_store_open (self->path, &fail));
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
FIXTURE_TEST ("/store/threads")
{
  g_autoptr (CuredStore) store = create (self);
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
      result = load (self->path);
      g_assert_true (cured_result_find_metric (result, "time", &metric));
      for (gint64 cell = 0; cell < 42; cell++)
        if (cured_result_get_state (result, cell) == CURED_STATE_OK)
          g_assert_cmpfloat (cured_result_get_value (result, cell, metric), ==, (double) cell);
    }
  while (cured_result_count_state (result, CURED_STATE_OK) < 42);
  for (int i = 0; i < 3; i++)
    g_thread_join (threads[i]);
}

FIXTURE_TEST ("/store/locale")
{
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (self->plan));

  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("there is no locale de_DE.UTF-8");
      return;
    }
  g_autofree char *sql = g_strdup_printf ("%.1f", 0.5);
  g_assert_cmpstr (sql, ==, "0,5");
  options->precision = 0.0125;
  g_autoptr (CuredStore) store = create (self);
  append (store, 7, outcome);
  g_autoptr (CuredResult) result = load (self->path);
  assert_cell (result, 7, outcome);
  g_assert_cmpfloat (cured_result_get_options (result)->precision, ==, 0.0125);
  setlocale (LC_ALL, "C.UTF-8");
  g_clear_object (&result);
  result = load (self->path);
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
run_in_child (Fixture *self, void (*func) (Fixture *))
{
  int status;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      if (!mount_own (self->folder, "size=384k"))
        _exit (SKIPPED);
      func (self);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (WIFEXITED (status) && WEXITSTATUS (status) == SKIPPED)
    g_test_skip ("no file system can be mounted here");
  else
    g_assert_cmpint (status, ==, 0);
}

static void
fill_disk (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) store = create (self);
  g_autoptr (CuredOutcome) outcome = make_full_outcome ();
  g_autofree char *filler = g_build_filename (self->folder, "f", NULL);
  g_autofree char *zeros = g_malloc0 (40 * 1024);
  gint64 cell = 0;

  g_free (outcome->output);
  outcome->output = g_strnfill (4000, 'x');
  g_assert_true (g_file_set_contents (filler, zeros, 40 * 1024, NULL));
  while (cell < 42 && cured_store_append (store, cell, outcome, &error))
    cell++;
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, self->path));
  g_assert_nonnull (strstr (error->message, "full"));
  g_assert_cmpint (cell, >, 0);
  g_assert_cmpint (cured_store_get_state (store, cell), ==, CURED_STATE_NOT_RUN);
  g_autoptr (CuredResult) result = load (self->path);
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_WRONG), ==, cell);
  for (gint64 i = 0; i < cell; i++)
    assert_cell (result, i, outcome);

  /* With room again, the same store goes on. */
  g_unlink (filler);
  append (store, cell, outcome);
  assert_cell (result, cell, outcome);
}

FIXTURE_TEST ("/store/full-disk") { run_in_child (self, fill_disk); }

static void
create_on_full_disk (Fixture *self)
{
  g_autofree char *filler = g_build_filename (self->folder, "f", NULL);
  g_autofree char *zeros = g_malloc0 (328 * 1024);

  g_assert_true (g_file_set_contents (filler, zeros, 328 * 1024, NULL));
  FAILS (cured_store_create (self->path, self->plan, &self->device, FALSE, &fail), CURED_ERROR,
         CURED_ERROR_STORAGE, self->path);
  /* Nothing half-made is left. */
  g_assert_cmpuint (count_files (self->folder), ==, 1);
}

FIXTURE_TEST ("/store/full-disk-create") { run_in_child (self, create_on_full_disk); }

static void
use_read_only (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *other = g_build_filename (self->folder, "b.cured", NULL);
  g_autofree char *killed = g_build_filename (self->folder, "k.cured", NULL);

  /* Two files and a journal. */
  if (mount (NULL, self->folder, NULL, MS_REMOUNT, "size=768k") != 0)
    _exit (SKIPPED);
  make_killed (self, killed);
  if (mount (NULL, self->folder, NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0)
    _exit (SKIPPED);

  g_autoptr (CuredResult) result = load (self->path);
  g_assert_cmpint (cured_result_get_state (result, 0), ==, CURED_STATE_OK);
  FAILS (cured_store_create (other, self->plan, &self->device, FALSE, &fail), CURED_ERROR,
         CURED_ERROR_STORAGE, other);
  g_autoptr (CuredStore) store = cured_store_open (self->path, &error);
  g_assert_null (store);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_STORAGE);
  g_assert_nonnull (strstr (error->message, self->path));
  g_clear_error (&error);

  /* What a killed writer left can't be repaired here. */
  FAILS (cured_result_load (killed, NULL, &fail), CURED_ERROR, CURED_ERROR_STORAGE,
         "k.cured-journal");
}

FIXTURE_TEST ("/store/read-only") { run_in_child (self, use_read_only); }
