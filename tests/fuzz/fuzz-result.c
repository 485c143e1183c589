/* SPDX-License-Identifier: MIT
 * Fuzz target: a result file from elsewhere is read and continued, or refused with a reason. An input that begins as SQLite's files do is a file; any other is a list of rows that are
 * changed, added and deleted in a file that was whole. */
#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "make-result.h"
#include "measure/cured-measure-internal.h"
#include "store/cured-store-internal.h"
#include "store/cured-table-internal.h"

/* Of a result that says that it has more, less is looked at. */
#define MAX_CELLS   64
#define MAX_COLUMN  4096
#define MAX_CHANGES 64

/* The primary key of each table, and how many columns it has. */
static const struct
{
  const char *name, *key;
  guint n_columns;
} tables[] = {
  { "sweep", "one", 7 },
  { "kernel", "one", 4 },
  { "option", "name", 2 },
  { "device", "device", 18 },
  { "device_limit", "device, name", 4 },
  { "axis", "position", 6 },
  { "axis_value", "axis, number", 3 },
  { "state", "state", 2 },
  { "cell", "cell", 10 },
  { "metric", "metric", 7 },
  { "measurement", "metric, cell", 3 },
  { "sample_set", "cell, mode", 4 },
  { "sample", "cell, mode, number", 7 },
  { "mismatch", "cell, number", 6 },
  { "finding", "cell, number", 25 },
  { "value_name", "axis, number", 3 },
  { "cell_device", "cell, round", 3 },
  { "anchor", "number", 7 },
  { "device_note", "device, kind", 4 },
  { "sqlite_schema", "rowid", 5 },
};

static char *folder;
/* A file that Cured wrote, and the same where a table takes any value. */
static char *contents[2];
static gsize lengths[2];

static void
remove_files (void)
{
  remove_folder (folder);
  g_free (contents[0]);
  g_free (contents[1]);
}

/* Not g_file_set_contents(), which waits for the disk. */
static void
write_file (const char *path, const void *data, gsize length)
{
  FILE *file = g_fopen (path, "wb");

  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (data, 1, length, file), ==, length);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
run_sql (const char *path, const char *sql)
{
  sqlite3 *handle = NULL;

  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (handle, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (handle);
}

static void
make_files (void)
{
  folder = make_folder ();
  atexit (remove_files);
  g_autofree char *path = g_build_filename (folder, "whole.cured", NULL);
  make_result (path, &(MakeResult){ .n_tiles = 3, .n_blocks = 2 });
  run_sql (path, "DELETE FROM sample WHERE number > 2; VACUUM");
  g_file_get_contents (path, &contents[0], &lengths[0], NULL);
  run_sql (path, "PRAGMA writable_schema = ON;UPDATE sqlite_schema SET sql = replace (replace "
                 "(replace (sql, 'STRICT, ', ''), 'STRICT', ''), 'NOT NULL', '')");
  g_file_get_contents (path, &contents[1], &lengths[1], NULL);
}

/* ---- Rows ---- */

typedef struct
{
  const uint8_t *at, *end;
} Bytes;

static guint
take_byte (Bytes *self)
{
  return self->at < self->end ? *self->at++ : 0;
}

static void
take_value (Bytes *self, sqlite3_stmt *statement, int parameter)
{
  static const gint64 numbers[] = {
    0,         -1,         1,          2,          7,       255,
    G_MAXINT,  G_MININT,   G_MAXINT64, G_MININT64, 1 << 24, (1 << 24) + 1,
    G_MAXUINT, 0x43757245, 4096,       99,
  };
  guint kind = take_byte (self);
  gsize length;
  gint64 number = 0;
  double real = 0;

  switch (kind % 6)
    {
    case 0: sqlite3_bind_null (statement, parameter); break;
    case 1: sqlite3_bind_int64 (statement, parameter, (gint8) take_byte (self)); break;
    case 2:
      sqlite3_bind_int64 (statement, parameter, numbers[take_byte (self) % G_N_ELEMENTS (numbers)]);
      break;
    case 3:
      for (int i = 0; i < 8; i++)
        number = (gint64) ((guint64) number << 8 | take_byte (self));
      memcpy (&real, &number, sizeof real);
      if (kind & 64)
        sqlite3_bind_int64 (statement, parameter, number);
      else
        sqlite3_bind_double (statement, parameter, real);
      break;
    case 4:
    case 5:
    default:
      length = take_byte (self);
      length = MIN (length, (gsize) (self->end - self->at));
      if (kind % 6 == 4)
        sqlite3_bind_text (statement, parameter, (const char *) self->at, (int) length,
                           SQLITE_TRANSIENT);
      else
        sqlite3_bind_blob (statement, parameter, self->at, (int) length, SQLITE_TRANSIENT);
      self->at += length;
      break;
    }
}

/* Which row of a table, by its primary key. */
static void
add_where (GString *sql, guint table, guint row)
{
  g_string_append_printf (sql, " WHERE (%s) IN (SELECT %s FROM %s LIMIT 1 OFFSET %u)",
                          tables[table].key, tables[table].key, tables[table].name, row);
}

static char *
get_column (sqlite3 *handle, guint table, guint column)
{
  g_autofree char *sql = g_strdup_printf (
      "SELECT name FROM pragma_table_info ('%s') WHERE cid = %u", tables[table].name, column);
  sqlite3_stmt *statement = NULL;
  char *name = NULL;

  if (sqlite3_prepare_v2 (handle, sql, -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step (statement) == SQLITE_ROW)
    name = g_strdup ((const char *) sqlite3_column_text (statement, 0));
  sqlite3_finalize (statement);
  return name;
}

/* One change; what the file does not take is left. */
static void
change_row (sqlite3 *handle, Bytes *bytes)
{
  guint action = take_byte (bytes);
  guint table = take_byte (bytes) % (guint) G_N_ELEMENTS (tables);
  guint row = take_byte (bytes);
  guint column = take_byte (bytes) % tables[table].n_columns;
  g_autofree char *name = get_column (handle, table, column);
  g_autoptr (GString) sql = g_string_new (NULL);
  sqlite3_stmt *statement = NULL;
  int n_values = 0;

  if (name == NULL)
    return;
  switch (action % 4)
    {
    case 0:
    case 1:
      g_string_printf (sql, "UPDATE OR IGNORE %s SET %s = ?1", tables[table].name, name);
      n_values = 1;
      if (action & 64)
        break;
      add_where (sql, table, row);
      break;
    case 2:
      g_string_printf (sql, "DELETE FROM %s", tables[table].name);
      if ((action & 192) != 192)
        add_where (sql, table, row);
      break;
    case 3:
    default:
      g_string_printf (sql, "INSERT OR IGNORE INTO %s VALUES (", tables[table].name);
      for (guint i = 0; i < tables[table].n_columns; i++)
        g_string_append (sql, i > 0 ? ", ?" : "?");
      g_string_append_c (sql, ')');
      n_values = (int) tables[table].n_columns;
      break;
    }
  if (sqlite3_prepare_v2 (handle, sql->str, -1, &statement, NULL) == SQLITE_OK)
    {
      for (int i = 0; i < n_values; i++)
        take_value (bytes, statement, i + 1);
      sqlite3_step (statement);
    }
  sqlite3_finalize (statement);
}

static void
write_rows (const char *path, const uint8_t *data, size_t size)
{
  Bytes bytes = { data, data + size };
  guint options = take_byte (&bytes);
  sqlite3 *handle = NULL;

  write_file (path, contents[options & 1], lengths[options & 1]);
  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  sqlite3_exec (
      handle,
      "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;PRAGMA ignore_check_constraints = "
      "ON;PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; BEGIN",
      NULL, NULL, NULL);
  for (guint i = 0; i < MAX_CHANGES && bytes.at < bytes.end; i++)
    change_row (handle, &bytes);
  sqlite3_exec (handle, "COMMIT", NULL, NULL, NULL);
  if ((options & 6) == 6)
    sqlite3_exec (handle, "PRAGMA user_version = 2", NULL, NULL, NULL);
  sqlite3_close (handle);
}

/* ---- Use ---- */

static void
check_text (const char *text)
{
  g_assert_true (text == NULL || g_utf8_validate (text, -1, NULL));
}

static void
read_cells (CuredResult *result, gint64 n_cells)
{
  gsize n_metrics;

  n_cells = MIN (n_cells, cured_result_get_n_cells (result));
  cured_result_get_metrics (result, &n_metrics);
  if (cured_result_get_n_cells (result) <= MAX_COLUMN)
    for (gsize i = 0; i < n_metrics; i++)
      {
        cured_result_load_column (result, i, NULL, NULL);
        g_free (cured_result_format_value (result, 0, i));
      }
  for (gint64 cell = 0; cell < n_cells; cell++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredOutcome) outcome = cured_result_load_outcome (result, cell, &error);

      g_assert_true ((outcome == NULL) == (error != NULL));
      if (outcome == NULL)
        continue;
      check_text (outcome->reason);
      check_text (outcome->output);
      for (guint i = 0; i < outcome->findings->len; i++)
        g_free (cured_finding_to_string (g_ptr_array_index (outcome->findings, i)));
    }
}

static void
write_tables (CuredResult *result)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;

  if (cured_result_get_n_cells (result) > MAX_COLUMN)
    return;
  if (!cured_table_write_csv (result, NULL, stream, NULL, &error))
    g_assert_nonnull (error);
  g_clear_error (&error);
  if (!cured_table_write_json (result, NULL, stream, NULL, &error))
    g_assert_nonnull (error);
}

static void
continue_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredStore) store = cured_store_open (path, &error);

  g_assert_true ((store == NULL) == (error != NULL));
  if (store == NULL)
    {
      check_text (error->message);
      return;
    }
  g_autoptr (CuredSpec) spec = cured_store_load_spec (store, &error);
  g_assert_true ((spec == NULL) == (error != NULL));
  g_clear_error (&error);
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->metrics[CURED_METRIC_time] = 1;
  if (!cured_store_append (store, 0, outcome, &error))
    g_assert_nonnull (error);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char magic[] = "SQLite format 3";
  g_autoptr (GError) error = NULL;
  gint64 stage_ns[CURED_N_STAGES];

  if (folder == NULL)
    make_files ();
  g_autofree char *path = g_build_filename (folder, "a.cured", NULL);
  if (size >= sizeof magic && memcmp (data, magic, sizeof magic) == 0)
    write_file (path, data, size);
  else
    write_rows (path, data, size);

  g_free (cured_result_peek_kernel_id (path, NULL));
  cured_result_peek_stages (path, stage_ns, NULL);
  g_autoptr (CuredResult) result = cured_result_load (path, NULL, &error);
  g_assert_true ((result == NULL) == (error != NULL));
  if (result != NULL)
    {
      check_text (cured_result_get_title (result));
      check_text (cured_result_get_device (result)->name);
      read_cells (result, MAX_CELLS);
      write_tables (result);
    }
  else
    check_text (error->message);
  continue_file (path);
  /* The file may be of another version now. */
  if (result != NULL)
    read_cells (result, 1);
  return 0;
}
