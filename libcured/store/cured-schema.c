/* SPDX-License-Identifier: MIT
 * The tables of a result file, and what they say about the sweep as a whole. */
#include "config.h"

#include "store/cured-database-private.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "base/cured-error.h"
#include "base/cured-limits-internal.h"
#include "base/cured-units.h"
#include "kernel/cured-compile-options-internal.h"
#include "kernel/cured-sources.h"
#include "spec/cured-options-internal.h"
#include "store/cured-store.h"

/* Far above what a kernel file can use, far below what costs anything. */
#define MAX_AXES 256

static const char kind_names[][8] = { "compile", "launch", "problem", "device" };
static const char stop_names[][8] = {
  [CURED_STOP_NO] = "no",         [CURED_STOP_PRECISE] = "precise",
  [CURED_STOP_STABLE] = "stable", [CURED_STOP_SAMPLES] = "samples",
  [CURED_STOP_TIME] = "time",
};
static const char better_names[][8] = { "lower", "higher", "neither" };

/* Version 2 added it: files of version 1 get it when they are written to. The columns of `there`
 * are NULL where a finding has one side. */
const char _cured_schema_finding[] =
    "CREATE TABLE finding ( cell INTEGER NOT NULL REFERENCES cell, number INTEGER NOT NULL CHECK "
    "(number >= 0), kind TEXT NOT NULL, kernel TEXT, object TEXT, detail TEXT, count INTEGER NOT "
    "NULL, what TEXT, file TEXT, line INTEGER, ptx_line INTEGER, block_x INTEGER, block_y INTEGER, "
    "block_z INTEGER, warp INTEGER, lanes INTEGER, there_what TEXT, there_file TEXT, there_line "
    "INTEGER, there_ptx_line INTEGER, there_block_x INTEGER, there_block_y INTEGER, there_block_z "
    "INTEGER, there_warp INTEGER, there_lanes INTEGER, PRIMARY KEY (cell, number)) STRICT, WITHOUT "
    "ROWID;";

/* What a kernel file would say: in files that were imported, and of unlike devices. */
static const char schema_value_name[] =
    "CREATE TABLE value_name ( axis INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, "
    "PRIMARY KEY (axis, number), UNIQUE (axis, name), FOREIGN KEY (axis, number) REFERENCES "
    "axis_value) STRICT, WITHOUT ROWID;";

/* What Cured says of its own figures is not true of another program's. */
static const char describe_imported[] =
    "UPDATE metric SET description = 'As the imported file has it';UPDATE metric SET description = "
    "'Median of the samples of the imported file, or else the figure that it has' WHERE id = "
    "'time';";

/* The tables; docs/result-format.md explains them. STRICT needs SQLite 3.37. The division in
 * `cells` is written so that it is exact both
 * where / of integers truncates (SQLite) and where it does not (DuckDB). */
static const char schema[] =
    "CREATE TABLE sweep ( one INTEGER PRIMARY KEY CHECK (one = 1), cured_version TEXT NOT NULL, "
    "created TEXT NOT NULL, changed TEXT NOT NULL, finished INTEGER NOT NULL CHECK (finished IN "
    "(0, 1)), shard INTEGER, shards INTEGER) STRICT;CREATE TABLE kernel ( one INTEGER PRIMARY KEY "
    "CHECK (one = 1), id TEXT NOT NULL, title TEXT NOT NULL, source TEXT NOT NULL) STRICT;CREATE "
    "TABLE option ( name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;CREATE TABLE "
    "axis ( position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL  CHECK "
    "(kind IN ('compile', 'launch', 'problem', 'device')), summary TEXT, length INTEGER NOT NULL "
    "CHECK (length > 0), stride INTEGER NOT NULL CHECK (stride > 0)) STRICT;CREATE TABLE "
    "axis_value ( axis INTEGER NOT NULL REFERENCES axis, number INTEGER NOT NULL CHECK (number >= "
    "0), value INTEGER NOT NULL, PRIMARY KEY (axis, number)) STRICT, WITHOUT ROWID;CREATE TABLE "
    "state ( state INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;CREATE TABLE cell ( cell "
    "INTEGER PRIMARY KEY CHECK (cell >= 0), state INTEGER NOT NULL REFERENCES state, reason TEXT, "
    "output TEXT, n_mismatches INTEGER NOT NULL DEFAULT 0, finished TEXT NOT NULL, compile_ns "
    "INTEGER NOT NULL DEFAULT 0, prepare_ns INTEGER NOT NULL DEFAULT 0, check_ns INTEGER NOT NULL "
    "DEFAULT 0, sampling_ns INTEGER NOT NULL DEFAULT 0) STRICT;CREATE TABLE metric ( metric "
    "INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, unit TEXT NOT NULL, origin "
    "TEXT NOT NULL  CHECK (origin IN ('measured', 'counted', 'derived', 'predicted')), better TEXT "
    "NOT NULL  CHECK (better IN ('lower', 'higher', 'neither')), description TEXT NOT NULL) "
    "STRICT;CREATE TABLE measurement ( metric INTEGER NOT NULL REFERENCES metric, cell INTEGER NOT "
    "NULL REFERENCES cell, value REAL NOT NULL, PRIMARY KEY (metric, cell)) STRICT, WITHOUT "
    "ROWID;CREATE TABLE sample_set ( cell INTEGER NOT NULL REFERENCES cell, mode TEXT NOT NULL "
    "CHECK (mode IN ('cold', 'hot')), runs INTEGER NOT NULL CHECK (runs > 0), stop TEXT, PRIMARY "
    "KEY (cell, mode)) STRICT, WITHOUT ROWID;CREATE TABLE sample ( cell INTEGER NOT NULL, mode "
    "TEXT NOT NULL, number INTEGER NOT NULL CHECK (number >= 0), time_ns REAL, sm_clock_hz REAL, "
    "throttled INTEGER NOT NULL CHECK (throttled IN (0, 1)), round INTEGER NOT NULL DEFAULT 0 "
    "CHECK (round >= 0), PRIMARY KEY (cell, mode, number), FOREIGN KEY (cell, mode) REFERENCES "
    "sample_set) STRICT, WITHOUT ROWID;CREATE TABLE mismatch ( cell INTEGER NOT NULL REFERENCES "
    "cell, number INTEGER NOT NULL CHECK (number >= 0), buffer TEXT NOT NULL, element INTEGER NOT "
    "NULL, got TEXT NOT NULL, expected TEXT NOT NULL, PRIMARY KEY (cell, number)) STRICT, WITHOUT "
    "ROWID;";

/* Writing */

static gboolean
write_sweep (CuredDatabase *self, const CuredHead *head, GError **error)
{
  g_autofree char *now = _cured_database_now ();
  g_autoptr (sqlite3_stmt) statement = NULL;

  statement =
      _cured_database_prepare (self, "INSERT INTO sweep VALUES (1, ?1, ?2, ?2, 0, ?3, ?4)", error);
  if (statement == NULL)
    return FALSE;
  _cured_database_bind_text (statement, 1, CURED_VERSION);
  _cured_database_bind_text (statement, 2, now);
  if (head->n_shards > 0)
    {
      sqlite3_bind_int (statement, 3, head->shard);
      sqlite3_bind_int (statement, 4, head->n_shards);
    }
  return _cured_database_run (self, statement, error);
}

static gboolean
write_kernel (CuredDatabase *self, const CuredHead *head, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;

  statement = _cured_database_prepare (self, "INSERT INTO kernel VALUES (1, ?1, ?2, ?3)", error);
  if (statement == NULL)
    return FALSE;
  _cured_database_bind_text (statement, 1, head->kernel_id);
  _cured_database_bind_text (statement, 2, head->title);
  _cured_database_bind_text (statement, 3, head->source);
  return _cured_database_run (self, statement, error);
}

static gboolean
write_options (CuredDatabase *self, const CuredHead *head, GError **error)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);
  g_autoptr (sqlite3_stmt) statement = NULL;

  statement = _cured_database_prepare (self, "INSERT INTO option VALUES (?1, ?2)", error);
  if (statement == NULL)
    return FALSE;
  /* How another program measured is its own affair. */
  if (head->imported != NULL)
    {
      _cured_database_bind_text (statement, 1, "imported");
      _cured_database_bind_text (statement, 2, head->imported);
      return _cured_database_run (self, statement, error);
    }
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *value = NULL;

      if ((rows[i].flags & CURED_OPTION_UNSAFE) != 0)
        continue;
      value = cured_option_to_string (&rows[i], &head->options);
      _cured_database_bind_text (statement, 1, rows[i].name);
      _cured_database_bind_text (statement, 2, value);
      if (!_cured_database_run (self, statement, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_devices (CuredDatabase *self, const CuredHead *head, GError **error)
{
  gint64 number;

  /* Whoever imports has one. */
  if (head->devices == NULL)
    return _cured_database_add_device (self, &head->device, 0, &number, error);
  for (guint i = 0; i < head->devices->len; i++)
    {
      const CuredResultDevice *device = &g_array_index (head->devices, CuredResultDevice, i);

      if (!_cured_database_add_device (self, &device->info, device->place, &number, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_names (const CuredHead *head)
{
  if (head->imported != NULL)
    return TRUE;
  for (gsize i = 0; i < head->n_axes; i++)
    if (head->axes[i].kind == CURED_PARAMETER_DEVICE)
      return TRUE;
  return FALSE;
}

static gboolean
write_values (CuredDatabase *self, gsize position, const CuredAxis *values, GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self, "INSERT INTO axis_value VALUES (?1, ?2, ?3)", error);

  if (statement == NULL)
    return FALSE;
  for (gsize i = 0; i < cured_axis_get_length (values); i++)
    {
      sqlite3_bind_int64 (statement, 1, (gint64) position);
      sqlite3_bind_int64 (statement, 2, (gint64) i);
      sqlite3_bind_int64 (statement, 3, cured_axis_get_value (values, i));
      if (!_cured_database_run (self, statement, error))
        return FALSE;
    }
  return TRUE;
}

/* What a kernel file would say. */
static gboolean
write_names (CuredDatabase *self, gsize position, const CuredAxis *values, GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self, "INSERT INTO value_name VALUES (?1, ?2, ?3)", error);

  if (statement == NULL)
    return FALSE;
  for (gsize i = 0; i < cured_axis_get_length (values); i++)
    {
      sqlite3_bind_int64 (statement, 1, (gint64) position);
      sqlite3_bind_int64 (statement, 2, (gint64) i);
      _cured_database_bind_text (statement, 3,
                                 cured_axis_get_name (values, cured_axis_get_value (values, i)));
      if (!_cured_database_run (self, statement, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_axes (CuredDatabase *self, const CuredHead *head, GError **error)
{
  gint64 stride = 1;
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self, "INSERT INTO axis VALUES (?1, ?2, ?3, ?4, ?5, ?6)", error);

  if (statement == NULL)
    return FALSE;
  for (gsize i = head->n_axes; i-- > 0;)
    {
      const CuredResultAxis *axis = &head->axes[i];
      gint64 length = (gint64) cured_axis_get_length (axis->values);

      sqlite3_bind_int64 (statement, 1, (gint64) i);
      _cured_database_bind_text (statement, 2, axis->name);
      _cured_database_bind_text (statement, 3, kind_names[axis->kind]);
      _cured_database_bind_text (statement, 4, axis->summary);
      sqlite3_bind_int64 (statement, 5, length);
      sqlite3_bind_int64 (statement, 6, stride);
      if (!_cured_database_run (self, statement, error) ||
          !write_values (self, i, axis->values, error) ||
          ((head->imported != NULL || axis->kind == CURED_PARAMETER_DEVICE) &&
           cured_axis_is_named (axis->values) && !write_names (self, i, axis->values, error)))
        return FALSE;
      stride *= length;
    }
  return TRUE;
}

static gboolean
write_states (CuredDatabase *self, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;

  statement = _cured_database_prepare (self, "INSERT INTO state VALUES (?1, ?2)", error);
  if (statement == NULL)
    return FALSE;
  for (int i = 0; i < CURED_N_STATES; i++)
    {
      sqlite3_bind_int (statement, 1, i);
      _cured_database_bind_text (statement, 2, cured_state_to_string ((CuredState) i));
      if (!_cured_database_run (self, statement, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_not_launchable (CuredDatabase *self, const CuredHead *head, CuredPlan *plan, GError **error)
{
  g_autofree char *now = _cured_database_now ();
  gint64 n_cells = cured_plan_get_n_cells (plan);
  g_autoptr (sqlite3_stmt) statement = NULL;

  statement = _cured_database_prepare (
      self, "INSERT INTO cell (cell, state, reason, finished) VALUES (?1, ?2, ?3, ?4)", error);
  if (statement == NULL)
    return FALSE;
  /* A thousand shards need not say it a thousand times. */
  for (gint64 cell = head->n_shards > 0 ? head->shard - 1 : 0; cell < n_cells;
       cell += MAX (head->n_shards, 1))
    {
      const char *reason = cured_plan_get_reason (plan, cell);

      if (reason == NULL)
        continue;
      sqlite3_bind_int64 (statement, 1, cell);
      sqlite3_bind_int (statement, 2, CURED_STATE_NOT_LAUNCHABLE);
      _cured_database_bind_text (statement, 3, reason);
      _cured_database_bind_text (statement, 4, now);
      if (!_cured_database_run (self, statement, error))
        return FALSE;
    }
  return TRUE;
}

/* Column names of a view are compared without regard to case. */
static char *
unique_name (GHashTable *used, const char *name)
{
  g_autoptr (GString) unique = g_string_new (name);
  g_autofree char *folded = g_ascii_strdown (name, -1);

  while (g_hash_table_contains (used, folded))
    {
      g_string_append_c (unique, '_');
      g_free (folded);
      folded = g_ascii_strdown (unique->str, -1);
    }
  g_hash_table_add (used, g_steal_pointer (&folded));
  return g_string_free (g_steal_pointer (&unique), FALSE);
}

static void
append_name (GString *sql, const char *name)
{
  g_string_append_c (sql, '"');
  for (const char *p = name; *p != '\0'; p++)
    {
      if (*p == '"')
        g_string_append_c (sql, '"');
      g_string_append_c (sql, *p);
    }
  g_string_append_c (sql, '"');
}

static gboolean
append_metric_columns (CuredDatabase *self, GString *sql, GHashTable *used, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_row;

  statement =
      _cured_database_prepare (self, "SELECT metric, id FROM metric ORDER BY metric", error);
  if (statement == NULL)
    return FALSE;
  while (TRUE)
    {
      g_autofree char *id = NULL;
      g_autofree char *name = NULL;

      if (!_cured_database_step (self, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      id = _cured_database_dup_text (statement, 1);
      name = unique_name (used, id != NULL ? id : "metric");
      g_string_append_printf (sql,
                              ", (SELECT value FROM measurement WHERE measurement.metric = %" PRId64
                              " AND measurement.cell = cell.cell) AS ",
                              (gint64) sqlite3_column_int64 (statement, 0));
      append_name (sql, name);
    }
}

static gboolean
append_axis_columns (CuredDatabase *self, GString *sql, GHashTable *used, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_names;
  gboolean has_row;

  if (!_cured_database_has_table (self, "value_name", &has_names, error))
    return FALSE;
  statement = _cured_database_prepare (
      self,
      has_names ? "SELECT position, name, length, stride, EXISTS (SELECT 1 FROM value_name WHERE "
                  "value_name.axis = position) FROM axis ORDER BY position"
                : "SELECT position, name, length, stride, 0 FROM axis ORDER BY position",
      error);
  if (statement == NULL)
    return FALSE;
  while (TRUE)
    {
      g_autofree char *parameter = NULL;
      g_autofree char *name = NULL;
      const char *column;
      gint64 length;
      gint64 stride;

      if (!_cured_database_step (self, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      parameter = _cured_database_dup_text (statement, 1);
      name = unique_name (used, parameter != NULL ? parameter : "parameter");
      length = sqlite3_column_int64 (statement, 2);
      stride = sqlite3_column_int64 (statement, 3);
      column =
          sqlite3_column_int (statement, 4) != 0 ? "name FROM value_name" : "value FROM axis_value";
      g_string_append_printf (
          sql,
          ", (SELECT %s WHERE axis = %" PRId64 " AND number = (cell.cell - cell.cell %% %" PRId64
          ") / %" PRId64 " %% %" PRId64 ") AS ",
          column, (gint64) sqlite3_column_int64 (statement, 0), stride, stride, length);
      append_name (sql, name);
    }
}

/**
 * _cured_database_write_views:
 * @self: a writable database of this version, in a transaction
 * @error: as _cured_database_fail()
 *
 * Writes `cells` anew: `cell`, the parameters, `state`, `reason`, the metrics. A script is written
 * for the files of many kernels, so that the names which all of them have win: a parameter that is
 * called like one gets an underscore. Versions 1 and 2 called the same view `result`.
 */
gboolean
_cured_database_write_views (CuredDatabase *self, GError **error)
{
  g_autoptr (GHashTable) used = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) columns = g_string_new (NULL);
  g_autoptr (GString) sql = g_string_new (NULL);

  g_hash_table_add (used, g_strdup ("cell"));
  g_hash_table_add (used, g_strdup ("state"));
  g_hash_table_add (used, g_strdup ("reason"));
  if (!append_metric_columns (self, columns, used, error))
    return FALSE;
  g_string_append (sql, "DROP VIEW IF EXISTS result; DROP VIEW IF EXISTS cells; CREATE VIEW cells "
                        "AS SELECT cell.cell AS \"cell\"");
  if (!append_axis_columns (self, sql, used, error))
    return FALSE;
  g_string_append (sql, ", (SELECT name FROM state WHERE state.state = cell.state) AS \"state\", "
                        "cell.reason AS \"reason\"");
  g_string_append_len (sql, columns->str, (gssize) columns->len);
  g_string_append (sql, " FROM cell; CREATE VIEW result AS SELECT * FROM cells");
  return _cured_database_exec (self, sql->str, error);
}

static const char insert_metric_text[] = "INSERT INTO metric (id, title, unit, origin, better, "
                                         "description) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

static gboolean
insert_metric (CuredDatabase *self, sqlite3_stmt *statement, const CuredMetricInfo *info,
               gint64 *number, GError **error)
{
  _cured_database_bind_text (statement, 1, info->id);
  _cured_database_bind_text (statement, 2, info->title);
  _cured_database_bind_text (statement, 3, info->unit);
  _cured_database_bind_text (statement, 4, cured_origin_to_string (info->origin));
  _cured_database_bind_text (statement, 5, better_names[info->better]);
  _cured_database_bind_text (statement, 6, info->description);
  if (!_cured_database_run (self, statement, error))
    return FALSE;
  *number = sqlite3_last_insert_rowid (self->handle);
  return TRUE;
}

/**
 * _cured_database_add_metric:
 * @self: a writable database, in a transaction
 * @metric: a figure that it does not have yet
 * @number: (out): the number that it has in this file
 * @error: as _cured_database_fail()
 */
gboolean
_cured_database_add_metric (CuredDatabase *self, const CuredMetricInfo *metric, gint64 *number,
                            GError **error)
{
  g_autoptr (sqlite3_stmt) insert = _cured_database_prepare (self, insert_metric_text, error);

  return insert != NULL && insert_metric (self, insert, metric, number, error) &&
         _cured_database_write_views (self, error);
}

/**
 * _cured_database_register_metrics:
 * @self: a writable database, in a transaction
 * @numbers: (out caller-allocates) (array fixed-size=CURED_N_METRICS): the
 *   number that each metric has in this file
 * @error: as _cured_database_fail()
 *
 * Adds the metrics that the file does not have yet, and writes the views
 * anew where that changed them.
 */
gboolean
_cured_database_register_metrics (CuredDatabase *self, gint64 *numbers, GError **error)
{
  g_autoptr (sqlite3_stmt) find = NULL;
  g_autoptr (sqlite3_stmt) insert = NULL;
  gboolean is_changed = FALSE;

  find = _cured_database_prepare (self, "SELECT metric FROM metric WHERE id = ?1", error);
  if (find == NULL)
    return FALSE;
  insert = _cured_database_prepare (self, insert_metric_text, error);
  if (insert == NULL)
    return FALSE;
  for (int i = 0; i < CURED_N_METRICS; i++)
    {
      const CuredMetricInfo *info = cured_metric_info ((CuredMetric) i);
      gboolean has_row;

      _cured_database_bind_text (find, 1, info->id);
      if (!_cured_database_step (self, find, &has_row, error))
        return FALSE;
      if (has_row)
        numbers[i] = sqlite3_column_int64 (find, 0);
      sqlite3_reset (find);
      if (has_row)
        continue;

      if (!insert_metric (self, insert, info, &numbers[i], error))
        return FALSE;
      is_changed = TRUE;
    }
  return !is_changed || _cured_database_write_views (self, error);
}

/**
 * _cured_database_write_schema:
 * @self: an empty database
 * @head: what there is to say of the sweep
 * @plan: (nullable): what will run; NULL: nothing, it was imported
 * @error: as _cured_database_fail()
 *
 * Writes, in one transaction, everything that is known before the first cell runs, the cells that
 * can't be launched included.
 */
gboolean
_cured_database_write_schema (CuredDatabase *self, const CuredHead *head, CuredPlan *plan,
                              GError **error)
{
  g_autofree char *identity =
      g_strdup_printf ("PRAGMA application_id = %d; PRAGMA user_version = %d",
                       CURED_STORE_APPLICATION_ID, CURED_STORE_VERSION);
  gint64 numbers[CURED_N_METRICS];

  if (_cured_database_exec (self, "BEGIN IMMEDIATE", error) &&
      _cured_database_exec (self, identity, error) && _cured_database_exec (self, schema, error) &&
      _cured_database_exec (self, _cured_schema_finding, error) &&
      _cured_database_create_work (self, error) && _cured_database_create_devices (self, error) &&
      (!has_names (head) || _cured_database_exec (self, schema_value_name, error)) &&
      write_sweep (self, head, error) && write_kernel (self, head, error) &&
      write_options (self, head, error) && write_devices (self, head, error) &&
      write_axes (self, head, error) && write_states (self, error) &&
      _cured_database_register_metrics (self, numbers, error) &&
      (head->imported == NULL || _cured_database_exec (self, describe_imported, error)) &&
      (plan == NULL || write_not_launchable (self, head, plan, error)) &&
      _cured_database_exec (self, "COMMIT", error))
    return TRUE;
  _cured_database_exec (self, "ROLLBACK", NULL);
  return FALSE;
}

/* Reading */

static gboolean
find_name (const char (*names)[8], gsize n_names, const char *name, int *index)
{
  for (gsize i = 0; i < n_names; i++)
    if (g_strcmp0 (names[i], name) == 0)
      {
        *index = (int) i;
        return TRUE;
      }
  return FALSE;
}

/* Steps to the one row of a table that has to have it. */
static sqlite3_stmt *
read_one (CuredDatabase *self, const char *sql, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_row;

  statement = _cured_database_prepare (self, sql, error);
  if (statement == NULL || !_cured_database_step (self, statement, &has_row, error))
    return NULL;
  if (!has_row)
    {
      _cured_database_damaged (self, error, _ ("a row is missing"));
      return NULL;
    }
  return g_steal_pointer (&statement);
}

static char *
dup_text_or_empty (sqlite3_stmt *statement, int column)
{
  char *text = _cured_database_dup_text (statement, column);

  return text != NULL ? text : g_strdup ("");
}

static GDateTime *
read_date (CuredDatabase *self, sqlite3_stmt *statement, int column, GError **error)
{
  g_autofree char *text = dup_text_or_empty (statement, column);
  g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();
  GDateTime *date = g_date_time_new_from_iso8601 (text, utc);

  if (date == NULL)
    _cured_database_damaged (self, error, _ ("“%s” is not a date"), text);
  return date;
}

static gboolean
read_sweep (CuredDatabase *self, CuredHead *head, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;

  statement = read_one (self, "SELECT cured_version, created, changed, finished FROM sweep", error);
  if (statement == NULL)
    return FALSE;
  head->cured_version = dup_text_or_empty (statement, 0);
  head->created = read_date (self, statement, 1, error);
  if (head->created == NULL)
    return FALSE;
  head->changed = read_date (self, statement, 2, error);
  if (head->changed == NULL)
    return FALSE;
  head->finished = sqlite3_column_int (statement, 3) != 0;
  return TRUE;
}

/**
 * _cured_database_is_of:
 * @self: a database of any version
 * @created: when a sweep was begun
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE, or to CURED_ERROR_NOT_FOUND
 *   where the file's sweep is another one
 *
 * Returns: whether the file has that sweep
 */
gboolean
_cured_database_is_of (CuredDatabase *self, GDateTime *created, GError **error)
{
  g_autoptr (GDateTime) found = NULL;
  g_autoptr (sqlite3_stmt) statement = read_one (self, "SELECT created FROM sweep", error);

  if (statement != NULL)
    found = read_date (self, statement, 0, error);
  if (found == NULL)
    return FALSE;
  if (g_date_time_equal (found, created))
    return TRUE;
  g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
               _ ("%s has been replaced by another result since it was opened. Open it again."),
               self->path);
  return FALSE;
}

static gboolean
read_kernel (CuredDatabase *self, CuredHead *head, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;

  statement = read_one (self, "SELECT id, title, source FROM kernel", error);
  if (statement == NULL)
    return FALSE;
  head->kernel_id = dup_text_or_empty (statement, 0);
  head->title = dup_text_or_empty (statement, 1);
  head->source = dup_text_or_empty (statement, 2);
  return TRUE;
}

static gboolean
read_options (CuredDatabase *self, CuredHead *head, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_row;

  statement = _cured_database_prepare (self, "SELECT name, value FROM option", error);
  if (statement == NULL)
    return FALSE;
  while (TRUE)
    {
      const CuredOptionInfo *row = NULL;
      g_autofree char *name = NULL;
      g_autofree char *value = NULL;

      if (!_cured_database_step (self, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      name = dup_text_or_empty (statement, 0);
      value = dup_text_or_empty (statement, 1);
      if (g_str_equal (name, "imported") && *value != '\0')
        {
          g_free (head->imported);
          head->imported = g_strdup (value);
        }
      /* An option that this version does not know is skipped. */
      row = cured_option_find (name);
      if (row != NULL && (row->flags & CURED_OPTION_UNSAFE) == 0 &&
          !cured_option_read (row, &head->options, value))
        return _cured_database_damaged (self, error, _ ("option %s can't be “%s”"), name, value);
    }
}

static gboolean
read_devices (CuredDatabase *self, CuredHead *head, GError **error)
{
  head->devices = _cured_database_read_devices (self, error);
  if (head->devices == NULL)
    return FALSE;
  cured_device_info_clear (&head->device);
  cured_device_info_copy (&g_array_index (head->devices, CuredResultDevice, 0).info, &head->device);
  return TRUE;
}

/* Which part of the plan the file is for, where it is for a part. */
static gboolean
read_shard (CuredDatabase *self, CuredHead *head, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_row;

  statement = _cured_database_prepare (
      self, "SELECT 1 FROM pragma_table_info ('sweep') WHERE name = 'shards'", error);
  if (statement == NULL || !_cured_database_step (self, statement, &has_row, error))
    return FALSE;
  if (!has_row)
    return TRUE;
  g_clear_pointer (&statement, sqlite3_finalize);
  statement = read_one (self, "SELECT shard, shards FROM sweep", error);
  if (statement == NULL)
    return FALSE;
  head->shard = sqlite3_column_int (statement, 0);
  head->n_shards = sqlite3_column_int (statement, 1);
  if (head->n_shards < 0 || head->shard < 0 || head->n_shards > G_MAXINT32 / 2 ||
      (head->n_shards > 0 && (head->shard < 1 || head->shard > head->n_shards)))
    return _cured_database_damaged (self, error, _ ("shard %d of %d"), head->shard, head->n_shards);
  return TRUE;
}

static CuredAxis *
read_axis_values (CuredDatabase *self, sqlite3_stmt *statement, gint64 position, gint64 length,
                  GError **error)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (CuredAxis) axis = NULL;
  gboolean has_row;

  /* Rows are counted, not @length believed. */
  sqlite3_bind_int64 (statement, 1, position);
  while (TRUE)
    {
      gint64 value;

      if (!_cured_database_step (self, statement, &has_row, error))
        return NULL;
      if (!has_row)
        break;
      value = sqlite3_column_int64 (statement, 1);
      if (sqlite3_column_int64 (statement, 0) != (gint64) values->len ||
          sqlite3_column_type (statement, 1) != SQLITE_INTEGER ||
          values->len >= CURED_AXIS_MAX_VALUES)
        {
          _cured_database_damaged (self, error, _ ("the values of axis %d are broken"),
                                   (int) position);
          return NULL;
        }
      g_array_append_val (values, value);
    }
  sqlite3_reset (statement);

  /* NULL where values are repeated, or where there are none. */
  axis = cured_axis_new ((const void *) values->data, values->len);
  if (axis == NULL || (gint64) values->len != length)
    {
      _cured_database_damaged (self, error, _ ("the values of axis %d are missing or repeated"),
                               (int) position);
      return NULL;
    }
  return g_steal_pointer (&axis);
}

/* The names that the file itself has, of values that no kernel file names. */
static gboolean
read_names (CuredDatabase *self, CuredHead *head, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_names;

  if (!_cured_database_has_table (self, "value_name", &has_names, error))
    return FALSE;
  if (!has_names)
    return TRUE;
  statement = _cured_database_prepare (
      self, "SELECT name FROM value_name WHERE axis = ?1 ORDER BY number", error);
  if (statement == NULL)
    return FALSE;
  for (gsize i = 0; i < head->n_axes; i++)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      CuredAxis *named;
      gboolean has_row = TRUE;

      sqlite3_bind_int64 (statement, 1, (gint64) i);
      /* One too many is seen below. */
      while (has_row && names->len <= cured_axis_get_length (head->axes[i].values))
        {
          if (!_cured_database_step (self, statement, &has_row, error))
            return FALSE;
          if (has_row)
            g_ptr_array_add (names, dup_text_or_empty (statement, 0));
        }
      sqlite3_reset (statement);
      if (names->len == 0)
        continue;
      g_ptr_array_add (names, NULL);
      named = cured_axis_new_named (head->axes[i].values, (const char *const *) names->pdata);
      if (named == NULL)
        return _cured_database_damaged (
            self, error, _ ("the names of axis %d are missing or repeated"), (int) i);
      cured_axis_unref (head->axes[i].values);
      head->axes[i].values = named;
    }
  return TRUE;
}

/* The strides say again what the lengths say; both have to agree. */
static gboolean
check_strides (CuredDatabase *self, CuredHead *head, const gint64 *strides, GError **error)
{
  gint64 n_cells = 1;

  for (gsize i = head->n_axes; i-- > 0;)
    {
      gint64 length = (gint64) cured_axis_get_length (head->axes[i].values);

      if (strides[i] != n_cells)
        return _cured_database_damaged (self, error, _ ("the stride of axis %s is wrong"),
                                        head->axes[i].name);
      if (n_cells > CURED_PLAN_MAX_CELLS / length)
        return _cured_database_damaged (self, error, _ ("its axes make too many cells"));
      n_cells *= length;
    }
  head->n_cells = n_cells;
  return TRUE;
}

static gboolean
read_axes (CuredDatabase *self, CuredHead *head, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  g_autoptr (sqlite3_stmt) values = NULL;
  gint64 strides[MAX_AXES];
  gboolean has_row;

  statement = _cured_database_prepare (
      self, "SELECT position, name, kind, summary, length, stride FROM axis ORDER BY position",
      error);
  if (statement == NULL)
    return FALSE;
  values = _cured_database_prepare (
      self, "SELECT number, value FROM axis_value WHERE axis = ?1 ORDER BY number", error);
  if (values == NULL)
    return FALSE;

  head->axes = g_new0 (CuredResultAxis, MAX_AXES + 1);
  while (TRUE)
    {
      CuredResultAxis *axis = &head->axes[head->n_axes];
      g_autofree char *kind = NULL;
      int kind_index = 0;

      if (!_cured_database_step (self, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        break;
      if (head->n_axes == MAX_AXES)
        return _cured_database_damaged (self, error, _ ("it has too many axes"));
      kind = dup_text_or_empty (statement, 2);
      if (sqlite3_column_int64 (statement, 0) != (gint64) head->n_axes ||
          sqlite3_column_type (statement, 1) != SQLITE_TEXT ||
          !find_name (kind_names, G_N_ELEMENTS (kind_names), kind, &kind_index))
        return _cured_database_damaged (self, error, _ ("axis %d is broken"), (int) head->n_axes);
      strides[head->n_axes] = sqlite3_column_int64 (statement, 5);
      axis->values = read_axis_values (self, values, (gint64) head->n_axes,
                                       sqlite3_column_int64 (statement, 4), error);
      if (axis->values == NULL)
        return FALSE;
      axis->kind = (CuredParameterKind) kind_index;
      axis->name = dup_text_or_empty (statement, 1);
      axis->summary = _cured_database_dup_text (statement, 3);
      head->n_axes++;
      for (gsize i = 0; i + 1 < head->n_axes; i++)
        if (g_str_equal (head->axes[i].name, axis->name))
          return _cured_database_damaged (self, error, _ ("two axes are called “%s”"), axis->name);
    }
  return check_strides (self, head, strides, error) && read_names (self, head, error);
}

/* Only the last axis may be that of the devices: views match the others and the kernel's parameters
 * by position. */
static gboolean
check_places (CuredDatabase *self, CuredHead *head, GError **error)
{
  gsize n_places = 1;

  for (gsize i = 0; i < head->n_axes; i++)
    if (head->axes[i].kind == CURED_PARAMETER_DEVICE)
      {
        if (i + 1 < head->n_axes)
          return _cured_database_damaged (self, error, _ ("axis %d is broken"), (int) i);
        n_places = cured_axis_get_length (head->axes[i].values);
      }
  for (guint i = 0; i < head->devices->len; i++)
    if (g_array_index (head->devices, CuredResultDevice, i).place >= n_places)
      return _cured_database_damaged (self, error, _ ("the device table is broken"));
  return TRUE;
}

/**
 * _cured_stop_to_string:
 * @stop: why sampling ended
 *
 * Returns: (transfer none): as files have it
 */
const char *
_cured_stop_to_string (CuredStop stop)
{
  g_return_val_if_fail ((guint) stop < G_N_ELEMENTS (stop_names), "no");
  return stop_names[stop];
}

/**
 * _cured_stop_from_string:
 * @text: (nullable): what a file has
 *
 * Returns: why sampling ended; %CURED_STOP_NO where the file does not say
 */
CuredStop
_cured_stop_from_string (const char *text)
{
  int stop = CURED_STOP_NO;

  find_name (stop_names, G_N_ELEMENTS (stop_names), text, &stop);
  return (CuredStop) stop;
}

/* A kernel may have a parameter of that name. */
static char *
name_place_axis (const CuredResultAxis *axes, gsize n_axes)
{
  g_autoptr (GString) name = g_string_new ("device");

  for (gsize i = 0; i < n_axes;)
    if (g_str_equal (axes[i].name, name->str))
      {
        g_string_append_c (name, '_');
        i = 0;
      }
    else
      i++;
  return g_string_free (g_steal_pointer (&name), FALSE);
}

/**
 * _cured_head_set_places:
 * @self: what a new file will say of the sweep; it has axes for the kernel's
 *   parameters, and room for one more
 * @places: (transfer full): the sorts of devices
 *
 * Makes the devices the last axis.
 */
void
_cured_head_set_places (CuredHead *self, CuredAxis *places)
{
  CuredResultAxis *axis = &self->axes[self->n_axes];

  axis->name = name_place_axis (self->axes, self->n_axes);
  axis->summary = g_strdup ("what it was measured on");
  axis->kind = CURED_PARAMETER_DEVICE;
  axis->values = places;
  self->n_axes++;
}

/**
 * _cured_head_add_device:
 * @self: what a new file will say of the sweep
 * @plan: (nullable): what runs; NULL: all devices are of one sort
 * @device: one more that it runs on
 */
void
_cured_head_add_device (CuredHead *self, CuredPlan *plan, const CuredDeviceInfo *device)
{
  CuredResultDevice added = { .number = self->devices->len + 1 };

  if (plan != NULL)
    cured_plan_find_place (plan, device->name, device->arch, &added.place);
  cured_device_info_copy (device, &added.info);
  g_array_append_val (self->devices, added);
}

/**
 * _cured_head_get_source:
 * @spec: what runs
 *
 * Returns: (transfer full): its kernel's text, with what that includes
 */
char *
_cured_head_get_source (CuredSpec *spec)
{
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  const CuredOptions *options = cured_spec_get_options (spec);
  g_auto (GStrv) words = NULL;

  if (options->compile_options != NULL)
    words = cured_compile_options_parse (options->compile_options, NULL);
  return cured_sources_carry (kernel, (const char *const *) words);
}

/**
 * _cured_head_new:
 * @plan: what runs
 * @device: on what
 *
 * Returns: (transfer full): what a new file will say of the sweep
 */
CuredHead *
_cured_head_new (CuredPlan *plan, const CuredDeviceInfo *device)
{
  CuredSpec *spec = cured_plan_get_spec (plan);
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  CuredHead *head = g_new0 (CuredHead, 1);
  const CuredParameter *parameters;

  head->cured_version = g_strdup (CURED_VERSION);
  head->kernel_id = g_strdup (kernel->id);
  head->title = g_strdup (kernel->title);
  head->source = _cured_head_get_source (spec);
  head->created = g_date_time_new_now_utc ();
  head->changed = g_date_time_ref (head->created);
  cured_device_info_copy (device, &head->device);
  head->devices = g_array_new (FALSE, TRUE, sizeof (CuredResultDevice));
  g_array_set_clear_func (head->devices, _cured_result_device_clear);
  _cured_head_add_device (head, plan, device);
  cured_options_copy (cured_spec_get_options (spec), &head->options);
  head->n_cells = cured_plan_get_n_cells (plan);

  parameters = kernel->parameters;
  head->n_axes = kernel->n_parameters;
  head->axes = g_new0 (CuredResultAxis, head->n_axes + 1);
  for (gsize i = 0; i < head->n_axes; i++)
    {
      const CuredAxis *values = cured_spec_get_axis (spec, i);

      head->axes[i].name = g_strdup (parameters[i].name);
      head->axes[i].summary = g_strdup (parameters[i].summary);
      head->axes[i].kind = parameters[i].kind;
      head->axes[i].values = cured_axis_ref ((CuredAxis *) values);
    }
  if (cured_plan_get_places (plan) != NULL)
    _cured_head_set_places (head, cured_axis_ref ((CuredAxis *) cured_plan_get_places (plan)));
  return head;
}

/**
 * _cured_head_read:
 * @database: an open database
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE
 *
 * Returns: (transfer full) (nullable): what the file says of the sweep
 */
CuredHead *
_cured_head_read (CuredDatabase *database, GError **error)
{
  g_autoptr (CuredHead) head = g_new0 (CuredHead, 1);

  cured_options_init (&head->options);
  if (!read_sweep (database, head, error) || !read_kernel (database, head, error) ||
      !read_options (database, head, error) || !read_shard (database, head, error) ||
      !read_devices (database, head, error) || !read_axes (database, head, error) ||
      !check_places (database, head, error))
    return NULL;
  return g_steal_pointer (&head);
}

/**
 * _cured_head_free:
 * @self: (transfer full): a head
 */
void
_cured_head_free (CuredHead *self)
{
  for (gsize i = 0; i < self->n_axes; i++)
    {
      g_free ((char *) self->axes[i].name);
      g_free ((char *) self->axes[i].summary);
      cured_axis_unref (self->axes[i].values);
    }
  g_free (self->axes);
  cured_options_clear (&self->options);
  cured_device_info_clear (&self->device);
  g_clear_pointer (&self->devices, g_array_unref);
  g_clear_pointer (&self->created, g_date_time_unref);
  g_clear_pointer (&self->changed, g_date_time_unref);
  g_free (self->cured_version);
  g_free (self->kernel_id);
  g_free (self->title);
  g_free (self->source);
  g_free (self->imported);
  g_free (self);
}

/**
 * _cured_database_read_states:
 * @self: a database
 * @n_cells: how many cells its axes make
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE
 *
 * Returns: (transfer full) (nullable) (array length=n_cells): a #CuredState a
 *   cell
 */
guint8 *
_cured_database_read_states (CuredDatabase *self, gint64 n_cells, GError **error)
{
  g_autofree guint8 *states = g_malloc0 ((gsize) n_cells);
  g_autoptr (sqlite3_stmt) statement = NULL;
  gint64 last = G_MININT64;
  gboolean has_row;

  statement = _cured_database_prepare (self, "SELECT cell, state FROM cell ORDER BY cell", error);
  if (statement == NULL)
    return NULL;
  while (TRUE)
    {
      gint64 cell;
      int state;

      if (!_cured_database_step (self, statement, &has_row, error))
        return NULL;
      if (!has_row)
        return g_steal_pointer (&states);
      if (!_cured_database_check_order (self, statement, 0, &last, error))
        return NULL;
      cell = sqlite3_column_int64 (statement, 0);
      state = sqlite3_column_int (statement, 1);
      if (cell < 0 || cell >= n_cells || state <= CURED_STATE_NOT_RUN || state >= CURED_N_STATES)
        {
          _cured_database_damaged (self, error, _ ("cell %lld has state %d"), (long long) cell,
                                   state);
          return NULL;
        }
      states[cell] = (guint8) state;
    }
}
