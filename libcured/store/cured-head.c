/* SPDX-License-Identifier: MIT
 * A result file's data about the whole sweep. */
#include "config.h"

#include "store/cured-database-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-compile-options-internal.h"
#include "kernel/cured-sources.h"
#include "spec/cured-options-internal.h"
#include "store/cured-store.h"

/* Far more than a kernel file or an import can have, but cheap. */
#define MAX_AXES    256
#define MAX_METRICS 4096

/* A row of `axis`. */
typedef struct
{
  char *name;
  CuredParameterKind kind;
  char *summary;
  gint64 length, stride;
} AxisRow;

static const char *
name_kind (int value)
{
  static const char *const names[] = { "compile", "launch", "problem", "device" };

  return names[value];
}

static const char *
name_origin (int value)
{
  return cured_origin_to_string ((CuredOrigin) value);
}

static const char *
name_better (int value)
{
  static const char *const names[] = { "lower", "higher", "neither" };

  return names[value];
}

/* clang-format off */
static const CuredFieldInfo sweep_fields[] = {
  CURED_FIELD (CuredHead, cured_version, TEXT, "", 0, CURED_NAME_BYTES, 0),
  CURED_FIELD (CuredHead, created, DATE, "", 0, 0, 0),
  CURED_FIELD (CuredHead, changed, DATE, "", 0, 0, 0),
  CURED_FIELD (CuredHead, finished, BOOLEAN, "", 0, 0, 0),
  CURED_FIELD (CuredHead, shard, INTEGER, "", 0, G_MAXINT32 / 2, 0),
  CURED_FIELD_AS ("shards", CuredHead, n_shards, INTEGER, "", 0, G_MAXINT32 / 2, 0),
};

static const CuredFieldInfo kernel_fields[] = {
  CURED_FIELD_AS ("id", CuredHead, kernel_id, TEXT, "", 0, CURED_NAME_BYTES, 0),
  CURED_FIELD (CuredHead, title, TEXT, "", 0, CURED_NAME_BYTES, 0),
  CURED_FIELD (CuredHead, source, TEXT, "", 0, 0, 0),
};

static const CuredFieldInfo axis_fields[] = {
  CURED_FIELD (AxisRow, name, TEXT, "", 0, CURED_NAME_BYTES, 0),
  CURED_FIELD_NAMES ("kind", AxisRow, kind, name_kind, CURED_PARAMETER_DEVICE + 1, CURED_FIELD_REQUIRED),
  CURED_FIELD (AxisRow, summary, TEXT, "", 0, CURED_SUMMARY_BYTES, CURED_FIELD_NULLABLE),
  CURED_FIELD (AxisRow, length, INTEGER, "", 1, 0x1p52, 0),
  CURED_FIELD (AxisRow, stride, INTEGER, "", 1, 0x1p52, 0),
};

static const CuredFieldInfo metric_fields[] = {
  CURED_FIELD (CuredMetricInfo, id, TEXT, "", 0, CURED_NAME_BYTES, 0),
  CURED_FIELD (CuredMetricInfo, title, TEXT, "", 0, CURED_NAME_BYTES, 0),
  CURED_FIELD (CuredMetricInfo, unit, TEXT, "", 0, CURED_NAME_BYTES, 0),
  CURED_FIELD_NAMES ("origin", CuredMetricInfo, origin, name_origin, CURED_ORIGIN_PREDICTED + 1, 0),
  CURED_FIELD_NAMES ("better", CuredMetricInfo, better, name_better, CURED_BETTER_NEITHER + 1, 0),
  CURED_FIELD (CuredMetricInfo, description, TEXT, "", 0, CURED_SUMMARY_BYTES, CURED_FIELD_NULLABLE),
};

static const CuredRecordInfo sweep_info = CURED_RECORD (CuredHead, "sweep", sweep_fields, NULL);
static const CuredRecordInfo kernel_info = CURED_RECORD (CuredHead, "kernel", kernel_fields, NULL);
static const CuredRecordInfo axis_info = CURED_RECORD (AxisRow, "axis", axis_fields, NULL);
static const CuredRecordInfo metric_info = CURED_RECORD (CuredMetricInfo, "metric", metric_fields, NULL);

#define ROWS(name_, info_, end_, key)                                                              \
  { .name = name_, .info = info_, .end = end_, .keys = (const char *const[]){ key, NULL } }

const CuredRows _cured_rows_sweep = ROWS ("sweep", &sweep_info, ", PRIMARY KEY (one)) STRICT", "one");
const CuredRows _cured_rows_kernel = ROWS ("kernel", &kernel_info, ", PRIMARY KEY (one)) STRICT", "one");
const CuredRows _cured_rows_axis = ROWS ("axis", &axis_info, ", PRIMARY KEY (position), UNIQUE (name)) STRICT", "position");
const CuredRows _cured_rows_metric = ROWS ("metric", &metric_info, ", PRIMARY KEY (metric), UNIQUE (id)) STRICT", "metric");
/* clang-format on */

/* (array zero-terminated=1): the tables made from field tables, each after those that it refers
 * to */
const CuredRows *const *
_cured_rows_list (void)
{
  static const CuredRows *const list[] = {
    &_cured_rows_sweep,  &_cured_rows_kernel,   &_cured_rows_axis,
    &_cured_rows_metric, &_cured_rows_cell,     &_cured_rows_sample_set,
    &_cured_rows_sample, &_cured_rows_mismatch, &_cured_rows_finding,
    &_cured_rows_launch, &_cured_rows_site,     &_cured_rows_buffer,
    &_cured_rows_anchor, &_cured_rows_note,     NULL,
  };

  return list;
}

/* The other tables; docs/result-format.md explains all. STRICT needs SQLite 3.37. */
static const char schema[] =
    "CREATE TABLE option (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE axis_value (axis INTEGER NOT NULL REFERENCES axis, number INTEGER NOT NULL, "
    "value "
    "INTEGER NOT NULL, PRIMARY KEY (axis, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE value_name (axis INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, "
    "PRIMARY KEY (axis, number), UNIQUE (axis, name), FOREIGN KEY (axis, number) REFERENCES "
    "axis_value) STRICT, WITHOUT ROWID;"
    "CREATE TABLE state (state INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE measurement (metric INTEGER NOT NULL REFERENCES metric, cell INTEGER NOT NULL "
    "REFERENCES cell, value REAL NOT NULL, PRIMARY KEY (metric, cell)) STRICT, WITHOUT ROWID;";

static const gint64 one[] = { 1 };

/* Writing */

static const char insert_option[] = "INSERT INTO option VALUES (?1, ?2)";

static gboolean
write_options (CuredDatabase *self, const CuredHead *head, GError **error)
{
  gsize n_rows;
  const CuredOptionInfo *rows = cured_options_list (&n_rows);

  /* Another program's options are unknown. */
  if (head->imported != NULL)
    return _cured_database_run (self, error, insert_option, "tt", "imported", head->imported);
  for (gsize i = 0; i < n_rows; i++)
    {
      g_autofree char *value = cured_option_to_string (&rows[i], &head->options);

      if ((rows[i].flags & CURED_OPTION_UNSAFE) == 0 &&
          !_cured_database_run (self, error, insert_option, "tt", rows[i].name, value))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_devices (CuredDatabase *self, const CuredHead *head, GError **error)
{
  gint64 number;

  /* An import has one device. */
  if (head->devices == NULL)
    return _cured_database_add_device (self, &head->device, 0, &number, error);
  CURED_EACH (const CuredResultDevice, device, head->devices)
    if (!_cured_database_add_device (self, &device->info, device->place, &number, error))
      return FALSE;
  return TRUE;
}

static gboolean
write_axes (CuredDatabase *self, const CuredHead *head, GError **error)
{
  gint64 stride = 1;

  for (gsize i = head->n_axes; i-- > 0;)
    {
      const CuredResultAxis *axis = &head->axes[i];
      gint64 position = (gint64) i, length = (gint64) cured_axis_get_length (axis->values);
      AxisRow row = { (char *) axis->name, axis->kind, (char *) axis->summary, length, stride };
      /* Texts that a kernel file would have. */
      gboolean has_names = (head->imported != NULL || axis->kind == CURED_PARAMETER_DEVICE) &&
                           cured_axis_is_named (axis->values);

      if (!_cured_rows_insert (self, &_cured_rows_axis, &position, &row, error))
        return FALSE;
      for (gint64 k = 0; k < length; k++)
        {
          gint64 value = cured_axis_get_value (axis->values, (gsize) k);

          if (!_cured_database_run (self, error, "INSERT INTO axis_value VALUES (?1, ?2, ?3)",
                                    "iii", position, k, value) ||
              (has_names && !_cured_database_run (
                                self, error, "INSERT INTO value_name VALUES (?1, ?2, ?3)", "iit",
                                position, k, cured_axis_get_name (axis->values, value))))
            return FALSE;
        }
      stride *= length;
    }
  return TRUE;
}

static gboolean
write_states (CuredDatabase *self, GError **error)
{
  for (int i = 0; i < CURED_N_STATES; i++)
    if (!_cured_database_run (self, error, "INSERT INTO state VALUES (?1, ?2)", "it", (gint64) i,
                              cured_state_to_string ((CuredState) i)))
      return FALSE;
  return TRUE;
}

static gboolean
write_not_launchable (CuredDatabase *self, const CuredHead *head, CuredPlan *plan, GError **error)
{
  gint64 n_cells = plan != NULL ? cured_plan_get_n_cells (plan) : 0;
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  outcome->state = CURED_STATE_NOT_LAUNCHABLE;
  /* Only the first shard writes it, as there may be thousands. */
  for (gint64 cell = head->n_shards > 0 ? head->shard - 1 : 0; cell < n_cells;
       cell += MAX (head->n_shards, 1))
    {
      gboolean ok = TRUE;

      outcome->reason = (char *) cured_plan_get_reason (plan, cell);
      if (outcome->reason != NULL)
        ok = _cured_rows_insert (self, &_cured_rows_cell, &cell, outcome, error);
      outcome->reason = NULL;
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

/* Column names of a view are case-insensitive. */
static char *
unique_name (GHashTable *used, const char *name)
{
  g_autoptr (GString) unique = g_string_new (name);
  g_autofree char *folded = g_ascii_strdown (name, -1);

  while (!g_hash_table_add (used, g_strdup (folded)))
    {
      g_string_append_c (unique, '_');
      g_free (folded);
      folded = g_ascii_strdown (unique->str, -1);
    }
  return g_string_free (g_steal_pointer (&unique), FALSE);
}

/* Appends a column of the view for each row of @select: its name, with numbers formatted by
 * @format. */
static gboolean
append_columns (CuredDatabase *self, GString *sql, GHashTable *used, const char *select,
                GError **error)
{
  g_autoptr (sqlite3_stmt) statement = _cured_database_prepare (self, select, error);
  int has_row;

  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      g_autofree char *found = _cured_database_dup_text (statement, 0, 0);
      g_autofree char *name = unique_name (used, found != NULL ? found : "unnamed");
      g_autofree char *value = _cured_database_dup_text (statement, 1, 0);
      g_auto (GStrv) parts = g_strsplit (name, "\"", -1);
      g_autofree char *quoted = g_strjoinv ("\"\"", parts);

      g_string_append_printf (sql, ", (SELECT %s) \"%s\"", value, quoted);
    }
  return has_row == 0;
}

/* Recreates the view `cells`: `cell`, the parameters, `state`, `reason`, the metrics. Scripts are
 * written for the files of many kernels, so the common names win: a parameter with such a name
 * gets an underscore. The division is exact whether / truncates integers (SQLite) or not
 * (DuckDB). */
static gboolean
write_view (CuredDatabase *self, GError **error)
{
  g_autoptr (GHashTable) used = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) metrics = g_string_new (NULL);
  g_autoptr (GString) sql =
      g_string_new ("DROP VIEW IF EXISTS cells; CREATE VIEW cells AS SELECT c.cell \"cell\"");

  g_hash_table_add (used, g_strdup ("cell"));
  g_hash_table_add (used, g_strdup ("state"));
  g_hash_table_add (used, g_strdup ("reason"));
  if (!append_columns (self, metrics, used,
                       "SELECT id, 'value FROM measurement WHERE metric=' || metric || ' AND "
                       "cell=c.cell' FROM metric ORDER BY metric",
                       error) ||
      !append_columns (
          self, sql, used,
          "SELECT name, iif (EXISTS (SELECT 1 FROM value_name WHERE axis = position), "
          "'name FROM value_name', 'value FROM axis_value') || ' WHERE axis=' || "
          "position || ' AND number=(c.cell-c.cell%' || stride || ')/' || stride || '%' "
          "|| length FROM axis ORDER BY position",
          error))
    return FALSE;
  g_string_append_printf (sql,
                          ", (SELECT name FROM state WHERE state=c.state) \"state\", c.reason "
                          "\"reason\"%s FROM cell c",
                          metrics->str);
  return _cured_database_exec (self, sql->str, error);
}

/* Metrics */

void
_cured_metric_clear (gpointer info)
{
  _cured_record_clear (&metric_info, info);
}

/* (transfer full) (nullable) (element-type CuredMetricInfo): with texts that they own; @numbers
 * (element-type gint64): their numbers in the file. Includes metrics that only newer versions of
 * Cured know. */
GArray *
_cured_database_read_metrics (CuredDatabase *self, GArray **numbers, GError **error)
{
  g_autoptr (GArray) metrics = g_array_new (FALSE, TRUE, sizeof (CuredMetricInfo));
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (sqlite3_stmt) statement =
      _cured_rows_select (self, &_cured_rows_metric, "ORDER BY metric", error);
  gint64 last = G_MININT64;
  int has_row;

  g_array_set_clear_func (metrics, _cured_metric_clear);
  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      CuredMetricInfo info = { .origin = CURED_ORIGIN_DERIVED, .better = CURED_BETTER_NEITHER };
      gboolean ok = _cured_rows_get (self, &_cured_rows_metric, statement, &info, error);

      if (ok && info.description == NULL)
        info.description = g_strdup ("");
      g_array_append_val (metrics, info);
      if (!ok || !_cured_database_check_order (self, statement, 0, &last, error))
        return NULL;
      if (metrics->len > MAX_METRICS)
        break;
      g_array_append_val (found, last);
    }
  if (has_row == 0 && metrics->len > 0)
    {
      *numbers = g_steal_pointer (&found);
      return g_steal_pointer (&metrics);
    }
  if (has_row >= 0)
    _cured_database_damaged (self, error, _ ("there are no metrics"));
  return NULL;
}

static gboolean
insert_metric (CuredDatabase *self, const CuredMetricInfo *info, gint64 *number, GError **error)
{
  CuredMetricInfo row = *info;
  CuredMetric metric;

  if (!_cured_database_get_integer (self, "SELECT ifnull (max (metric), 0) + 1 FROM metric", number,
                                    error))
    return FALSE;
  /* The meaning of Cured's own metrics is documented. */
  if (cured_metric_from_id (info->id, &metric) &&
      g_strcmp0 (info->description, cured_metric_info (metric)->description) == 0)
    row.description = NULL;
  return _cured_rows_insert (self, &_cured_rows_metric, number, &row, error);
}

/* Adds a metric that the file does not have yet. */
gboolean
_cured_database_add_metric (CuredDatabase *self, const CuredMetricInfo *metric, gint64 *number,
                            GError **error)
{
  return insert_metric (self, metric, number, error) && write_view (self, error);
}

/* Finds the file's number of each metric, and adds metrics that it does not have yet. */
gboolean
_cured_database_register_metrics (CuredDatabase *self, gint64 *numbers, GError **error)
{
  g_autoptr (sqlite3_stmt) find =
      _cured_database_prepare (self, "SELECT metric FROM metric WHERE id = ?1", error);
  gint64 is_broken = 0;
  gboolean is_changed = FALSE;

  if (find == NULL ||
      !_cured_database_get_integer (self, "SELECT 1 FROM metric WHERE typeof (id) <> 'text'",
                                    &is_broken, error))
    return FALSE;
  if (is_broken)
    return _cured_database_damaged (self, error, _ ("a metric is broken"));
  for (int i = 0; i < CURED_N_METRICS; i++)
    {
      const CuredMetricInfo *info = cured_metric_info ((CuredMetric) i);

      _cured_database_bind_text (find, 1, info->id);
      int has_row = _cured_database_next (self, find, error);
      if (has_row < 0)
        return FALSE;
      numbers[i] = sqlite3_column_int64 (find, 0);
      sqlite3_reset (find);
      if (has_row == 0)
        {
          if (!insert_metric (self, info, &numbers[i], error))
            return FALSE;
          is_changed = TRUE;
        }
    }
  return !is_changed || write_view (self, error);
}

static gboolean
create_tables (CuredDatabase *self, GError **error)
{
  g_autofree char *identity =
      g_strdup_printf ("PRAGMA application_id = %d; PRAGMA user_version = %d",
                       CURED_STORE_APPLICATION_ID, CURED_STORE_VERSION);

  if (!_cured_database_exec (self, identity, error))
    return FALSE;
  for (const CuredRows *const *rows = _cured_rows_list (); *rows != NULL; rows++)
    if (!_cured_rows_create (self, *rows, error))
      return FALSE;
  return _cured_database_exec (self, schema, error) && _cured_database_create_devices (self, error);
}

/* Writes, in one transaction, everything known before the first cell runs, including the cells that
 * can't be launched. @plan is NULL for an import, where nothing will run. */
gboolean
_cured_head_write (const CuredHead *self, CuredDatabase *database, CuredPlan *plan, GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  CuredHead sweep = *self;
  gint64 numbers[CURED_N_METRICS];

  sweep.cured_version = (char *) CURED_VERSION;
  sweep.created = sweep.changed = now;
  sweep.finished = FALSE;
  if (_cured_database_exec (database, "BEGIN IMMEDIATE", error) &&
      create_tables (database, error) &&
      _cured_rows_insert (database, &_cured_rows_sweep, one, &sweep, error) &&
      _cured_rows_insert (database, &_cured_rows_kernel, one, self, error) &&
      write_options (database, self, error) && write_devices (database, self, error) &&
      write_axes (database, self, error) && write_states (database, error) &&
      _cured_database_register_metrics (database, numbers, error) &&
      write_not_launchable (database, self, plan, error) &&
      _cured_database_exec (database, "COMMIT", error))
    return TRUE;
  _cured_database_exec (database, "ROLLBACK", NULL);
  return FALSE;
}

/* Reading */

/* Reads the only row of a table. */
static gboolean
read_one (CuredDatabase *self, const CuredRows *rows, gpointer of, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = _cured_rows_select (self, rows, "", error);
  int has_row = _cured_database_next (self, statement, error);

  if (has_row == 0)
    return _cured_database_damaged (self, error, _ ("a row is missing"));
  return has_row > 0 && _cured_rows_get (self, rows, statement, of, error);
}

/* CURED_ERROR_NOT_FOUND if the file now has a sweep with another start. */
gboolean
_cured_database_is_of (CuredDatabase *self, GDateTime *created, GError **error)
{
  CuredHead head = { 0 };
  gboolean ok = read_one (self, &_cured_rows_sweep, &head, error);

  if (ok && !g_date_time_equal (head.created, created))
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                   _ ("%s has been replaced by another result since it was opened. Open it again."),
                   self->path);
      ok = FALSE;
    }
  _cured_record_clear (&sweep_info, &head);
  return ok;
}

static gboolean
read_options (CuredDatabase *self, CuredHead *head, GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self, "SELECT name, value FROM option", error);
  int has_row;

  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      g_autofree char *name = _cured_database_dup_text (statement, 0, 0);
      g_autofree char *value = _cured_database_dup_text (statement, 1, 0);
      /* Options unknown to this version are skipped. */
      const CuredOptionInfo *row = name != NULL ? cured_option_find (name) : NULL;

      if (g_strcmp0 (name, "imported") == 0 && value != NULL && *value != '\0')
        {
          g_free (head->imported);
          head->imported = g_strdup (value);
        }
      if (row != NULL && (row->flags & CURED_OPTION_UNSAFE) == 0 &&
          (value == NULL || !cured_option_read (row, &head->options, value)))
        return _cured_database_damaged (self, error, _ ("option %s can't be “%s”"), name, value);
    }
  return has_row == 0;
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

/* The values of an axis, with their names in the file. */
static CuredAxis *
read_axis (CuredDatabase *self, gint64 position, gint64 length, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = _cured_database_query (
      self, error,
      "SELECT number, value, (SELECT name FROM value_name AS n WHERE n.axis = v.axis AND n.number "
      "= v.number) FROM axis_value AS v WHERE axis = ?1 ORDER BY number",
      "i", position);
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  CuredAxis *axis;
  int has_row;

  /* Count the rows; @length is untrusted. */
  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      gint64 value = sqlite3_column_int64 (statement, 1);
      char *name = _cured_database_dup_text (statement, 2, CURED_NAME_BYTES);

      if (name != NULL)
        g_ptr_array_add (names, name);
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
  if (has_row < 0)
    return NULL;
  /* NULL if values are repeated, or if there are none. */
  axis = cured_axis_new ((const void *) values->data, values->len);
  if (axis == NULL || (gint64) values->len != length)
    {
      g_clear_pointer (&axis, cured_axis_unref);
      _cured_database_damaged (self, error, _ ("the values of axis %d are missing or repeated"),
                               (int) position);
    }
  if (axis == NULL || names->len == 0)
    return axis;
  g_ptr_array_add (names, NULL);
  CuredAxis *named = names->len == values->len + 1
                         ? cured_axis_new_named (axis, (const char *const *) names->pdata)
                         : NULL;
  if (named == NULL)
    _cured_database_damaged (self, error, _ ("the names of axis %d are missing or repeated"),
                             (int) position);
  cured_axis_unref (axis);
  return named;
}

/* The strides are redundant with the lengths; both must agree. */
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
  g_autoptr (sqlite3_stmt) statement =
      _cured_rows_select (self, &_cured_rows_axis, "ORDER BY position", error);
  gint64 strides[MAX_AXES];
  int has_row;

  head->axes = g_new0 (CuredResultAxis, MAX_AXES + 1);
  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      CuredResultAxis *axis = &head->axes[head->n_axes];
      AxisRow row = { 0 };

      if (head->n_axes == MAX_AXES)
        return _cured_database_damaged (self, error, _ ("it has too many axes"));
      gboolean ok = _cured_rows_get (self, &_cured_rows_axis, statement, &row, error);
      if (ok && sqlite3_column_int64 (statement, 0) != (gint64) head->n_axes)
        ok = _cured_database_damaged (self, error, _ ("axis %d is broken"), (int) head->n_axes);
      if (ok)
        axis->values = read_axis (self, (gint64) head->n_axes, row.length, error);
      if (axis->values == NULL)
        {
          _cured_record_clear (&axis_info, &row);
          return FALSE;
        }
      axis->kind = row.kind;
      axis->name = row.name;
      axis->summary = row.summary;
      strides[head->n_axes++] = row.stride;
      for (gsize i = 0; i + 1 < head->n_axes; i++)
        if (g_str_equal (head->axes[i].name, axis->name))
          return _cured_database_damaged (self, error, _ ("two axes are called “%s”"), axis->name);
    }
  return has_row == 0 && check_strides (self, head, strides, error);
}

/* Only the last axis may be that of the devices, since views match the others to the kernel's
 * parameters by position. */
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

/* The number of axes that are parameters; an additional last one may be the devices. */
gsize
_cured_head_count_parameters (const CuredHead *self)
{
  return self->n_axes > 0 && self->axes[self->n_axes - 1].kind == CURED_PARAMETER_DEVICE
             ? self->n_axes - 1
             : self->n_axes;
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

/* Makes @places (transfer full), the kinds of devices, the last axis; there is room for it. */
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

/* @plan: (nullable): NULL: all devices are of one kind */
void
_cured_head_add_device (CuredHead *self, CuredPlan *plan, const CuredDeviceInfo *device)
{
  CuredResultDevice added = { .number = self->devices->len + 1 };

  if (plan != NULL)
    cured_plan_find_place (plan, device->name, device->arch, &added.place);
  cured_device_info_copy (device, &added.info);
  g_array_append_val (self->devices, added);
}

/* (transfer full): the kernel's text with its included files */
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

/* (transfer full): the head of a new file */
CuredHead *
_cured_head_new (CuredPlan *plan, const CuredDeviceInfo *device)
{
  CuredSpec *spec = cured_plan_get_spec (plan);
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  CuredHead *head =
      CURED_NEW (CuredHead, .cured_version = g_strdup (CURED_VERSION),
                 .kernel_id = g_strdup (kernel->id), .title = g_strdup (kernel->title),
                 .source = _cured_head_get_source (spec), .created = g_date_time_new_now_utc ());

  head->changed = g_date_time_ref (head->created);
  cured_device_info_copy (device, &head->device);
  head->devices = _cured_result_devices_new ();
  _cured_head_add_device (head, plan, device);
  cured_options_copy (cured_spec_get_options (spec), &head->options);
  head->n_cells = cured_plan_get_n_cells (plan);

  const CuredParameter *parameters = kernel->parameters;
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

/* (transfer full) (nullable): CURED_ERROR_DAMAGED or _STORAGE */
CuredHead *
_cured_head_read (CuredDatabase *database, GError **error)
{
  g_autoptr (CuredHead) head = g_new0 (CuredHead, 1);

  cured_options_init (&head->options);
  if (!read_one (database, &_cured_rows_sweep, head, error) ||
      !read_one (database, &_cured_rows_kernel, head, error) ||
      !read_options (database, head, error) || !read_devices (database, head, error) ||
      !read_axes (database, head, error) || !check_places (database, head, error))
    return NULL;
  if (head->n_shards > 0 ? head->shard < 1 || head->shard > head->n_shards : head->shard != 0)
    {
      _cured_database_damaged (database, error, _ ("shard %d of %d"), head->shard, head->n_shards);
      return NULL;
    }
  return g_steal_pointer (&head);
}

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
  CURED_CLEAR (devices, g_array_unref, created, g_date_time_unref, changed, g_date_time_unref,
               cured_version, g_free, kernel_id, g_free, title, g_free, source, g_free, imported,
               g_free);
  g_free (self);
}

/* Opening */

/* Tables are tables, and their columns hold stored values. A virtual table would pass the file to
 * an SQLite module, and a computed column runs its expression whenever it is read. Triggers and
 * views are off; files may have additional views. SQLite derives the schema only from the column
 * sql; the others may contain anything. */
static gboolean
check_schema (CuredDatabase *self, GError **error)
{
  static const char find_foreign[] =
      "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND sql NOT GLOB 'CREATE TABLE *' AND "
      "sql NOT GLOB 'CREATE VIEW *' AND sql NOT GLOB 'CREATE INDEX *' AND sql NOT GLOB 'CREATE "
      "UNIQUE INDEX *'";
  g_autoptr (GString) find_computed = g_string_new (
      "SELECT column1 || '.' || name FROM (VALUES ('option'), ('device'), ('device_limit'), "
      "('axis_value'), ('value_name'), ('state'), ('measurement'), ('cell_device'), ('remark')");

  for (const CuredRows *const *rows = _cured_rows_list (); *rows != NULL; rows++)
    g_string_append_printf (find_computed, ", ('%s')", (*rows)->name);
  g_string_append (find_computed, "), pragma_table_xinfo (column1) WHERE hidden <> 0");
  for (gsize i = 0; i < 2; i++)
    {
      g_autoptr (sqlite3_stmt) statement =
          _cured_database_prepare (self, i == 0 ? find_foreign : find_computed->str, error);
      int has_row = _cured_database_next (self, statement, error);

      if (has_row < 0)
        return FALSE;
      if (has_row == 0)
        continue;
      g_autofree char *name = _cured_database_dup_text (statement, 0, CURED_NAME_BYTES);
      return _cured_database_damaged (self, error, _ ("%s is something that no result file has"),
                                      name != NULL ? name : "?");
    }
  return TRUE;
}

/* (transfer full) (nullable): as of _cured_database_connect(), and with tables that run nothing */
CuredDatabase *
_cured_database_open (const char *path, gboolean writable, GError **error)
{
  g_autoptr (CuredDatabase) self = _cured_database_connect (path, writable, error);

  if (self == NULL || !check_schema (self, error))
    return NULL;
  if (writable &&
      !_cured_database_exec (
          self, "PRAGMA foreign_keys = ON;PRAGMA journal_mode = DELETE;PRAGMA synchronous = FULL;",
          error))
    return NULL;
  if (!writable && !_cured_database_exec (self, "PRAGMA query_only = ON", error))
    return NULL;
  return g_steal_pointer (&self);
}
