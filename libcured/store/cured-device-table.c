/* SPDX-License-Identifier: MIT
 * The devices of a result file, which of them measured a cell, and what their anchors say. */
#include "config.h"

#include "store/cured-database-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cured-limits-internal.h"
#include "device/cured-device-info-internal.h"

/* Far above what a cluster has, far below what costs anything. */
#define MAX_DEVICES 16384

/* Anchors are few: one a device every few minutes. */
#define MAX_ANCHORS (1 << 20)

/* Which of the devices is which. What was measured on it may change. */
static const char *const identity[] = {
  "kind", "name", "uuid", "arch", "driver", "runtime", "compiler", "host",
};

static const char *const note_kinds[] = {
  [CURED_DEVICE_NOTE_OFF_PEERS] = "off-peers",
  [CURED_DEVICE_NOTE_DRIFT] = "drift",
  [CURED_DEVICE_NOTE_SHARED] = "shared",
};

static const char schema_limit[] = "CREATE TABLE device_limit ( device INTEGER NOT NULL REFERENCES "
                                   "device, name TEXT NOT NULL, value INTEGER NOT NULL, unit TEXT "
                                   "NOT NULL, PRIMARY KEY (device, name)) STRICT, WITHOUT ROWID;";

static const char schema_rest[] =
    "CREATE TABLE cell_device ( cell INTEGER NOT NULL REFERENCES cell, round INTEGER NOT NULL "
    "CHECK (round >= 0), device INTEGER NOT NULL REFERENCES device, PRIMARY KEY (cell, round)) "
    "STRICT, WITHOUT ROWID;CREATE TABLE anchor ( number INTEGER PRIMARY KEY, device INTEGER NOT "
    "NULL REFERENCES device, cell INTEGER NOT NULL, measured TEXT NOT NULL, time_ns REAL NOT NULL, "
    "low_ns REAL, high_ns REAL) STRICT;CREATE TABLE device_note ( device INTEGER NOT NULL "
    "REFERENCES device, kind TEXT NOT NULL CHECK (kind IN ('off-peers', 'drift', 'shared')), value "
    "REAL, detail TEXT NOT NULL, PRIMARY KEY (device, kind)) STRICT, WITHOUT ROWID;";

static gboolean
create_device (CuredDatabase *self, GError **error)
{
  static const char *const types[] = {
    [CURED_DEVICE_FACT_TEXT] = "TEXT NOT NULL DEFAULT ''",
    [CURED_DEVICE_FACT_DATE] = "TEXT",
    [CURED_DEVICE_FACT_NUMBER] = "REAL",
  };
  g_autoptr (GString) sql = g_string_new (
      "CREATE TABLE device (device INTEGER PRIMARY KEY, place INTEGER NOT NULL CHECK (place >= 0)");
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  for (gsize i = 0; i < n_facts; i++)
    g_string_append_printf (sql, ", %s %s", facts[i].column, types[facts[i].type]);
  g_string_append (sql, ") STRICT");
  return _cured_database_exec (self, sql->str, error);
}

/**
 * _cured_database_create_devices:
 * @self: a database, in a transaction
 * @error: as _cured_database_fail()
 *
 * Makes the tables of this file's subject, all of them empty.
 */
gboolean
_cured_database_create_devices (CuredDatabase *self, GError **error)
{
  return create_device (self, error) && _cured_database_exec (self, schema_limit, error) &&
         _cured_database_exec (self, schema_rest, error);
}

/**
 * _cured_database_has_column:
 * @self: a database
 * @table: a table or a view
 * @column: of it
 * @has: (out): whether there is such a column
 * @error: as _cured_database_fail()
 */
gboolean
_cured_database_has_column (CuredDatabase *self, const char *table, const char *column,
                            gboolean *has, GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self, "SELECT 1 FROM pragma_table_info (?1) WHERE name = ?2", error);

  if (statement == NULL)
    return FALSE;
  _cured_database_bind_text (statement, 1, table);
  _cured_database_bind_text (statement, 2, column);
  return _cured_database_step (self, statement, has, error);
}

/**
 * _cured_database_migrate_rounds:
 * @self: a database of version 5, in a transaction
 * @error: as _cured_database_fail()
 *
 * Makes what each cell has its first and only round. A cell that is added later gets one, too, as
 * the others.
 */
gboolean
_cured_database_migrate_rounds (CuredDatabase *self, GError **error)
{
  return _cured_database_exec (
      self,
      "ALTER TABLE sample ADD COLUMN round INTEGER NOT NULL DEFAULT 0 CHECK (round >= 0);ALTER "
      "TABLE cell_device RENAME TO cell_device_5;CREATE TABLE cell_device ( cell INTEGER NOT NULL "
      "REFERENCES cell, round INTEGER NOT NULL CHECK (round >= 0), device INTEGER NOT NULL "
      "REFERENCES device, PRIMARY KEY (cell, round)) STRICT, WITHOUT ROWID;INSERT INTO cell_device "
      "SELECT cell, 0, device FROM cell_device_5;DROP TABLE cell_device_5;INSERT OR IGNORE INTO "
      "option SELECT 'rounds', '1' WHERE NOT EXISTS (SELECT 1 FROM option WHERE name = 'imported')",
      error);
}

/**
 * _cured_database_migrate_devices:
 * @self: a database of version 4, in a transaction, with neither foreign keys
 *   nor views looked at
 * @error: as _cured_database_fail()
 *
 * Makes the one device of the file the first of several. Which of several like devices measured a
 * cell, that file does not say.
 */
gboolean
_cured_database_migrate_devices (CuredDatabase *self, GError **error)
{
  g_autoptr (GString) columns = g_string_new (NULL);
  g_autofree char *sql = NULL;
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  for (gsize i = 0; i < n_facts; i++)
    {
      gboolean has;

      if (!_cured_database_has_column (self, "device", facts[i].column, &has, error))
        return FALSE;
      if (has)
        g_string_append_printf (columns, ", %s", facts[i].column);
    }
  sql = g_strdup_printf ("INSERT INTO device (device, place%s) SELECT 1, 0%s FROM device_4;INSERT "
                         "INTO device_limit SELECT 1, name, value, unit FROM device_limit_4;DROP "
                         "TABLE device_4;DROP TABLE device_limit_4",
                         columns->str, columns->str);
  return _cured_database_exec (self,
                               "ALTER TABLE device RENAME TO device_4;ALTER TABLE device_limit "
                               "RENAME TO device_limit_4",
                               error) &&
         _cured_database_create_devices (self, error) && _cured_database_exec (self, sql, error);
}

static gboolean
write_limits (CuredDatabase *self, gint64 number, const CuredDeviceInfo *device, GError **error)
{
  const CuredLimitInfo *limits;
  gsize n_limits;
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self, "INSERT INTO device_limit VALUES (?1, ?2, ?3, ?4)", error);

  if (statement == NULL)
    return FALSE;
  limits = cured_limits_list (&n_limits);
  for (gsize i = 0; i < n_limits; i++)
    {
      gint64 value = 0;

      cured_limits_get (&device->limits, limits[i].name, &value);
      sqlite3_bind_int64 (statement, 1, number);
      _cured_database_bind_text (statement, 2, limits[i].name);
      sqlite3_bind_int64 (statement, 3, value);
      _cured_database_bind_text (statement, 4, limits[i].unit);
      if (!_cured_database_run (self, statement, error))
        return FALSE;
    }
  return TRUE;
}

static const CuredDeviceFact *
find_fact (const char *column)
{
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  for (gsize i = 0; i < n_facts; i++)
    if (g_str_equal (facts[i].column, column))
      return &facts[i];
  g_return_val_if_reached (NULL);
}

static gboolean
find_device (CuredDatabase *self, const CuredDeviceInfo *device, gsize place, gint64 *number,
             GError **error)
{
  g_autoptr (GString) sql = g_string_new ("SELECT device FROM device WHERE place = ?1");
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_row;

  for (gsize i = 0; i < G_N_ELEMENTS (identity); i++)
    g_string_append_printf (sql, " AND %s = ?%zu", identity[i], i + 2);
  statement = _cured_database_prepare (self, sql->str, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, (gint64) place);
  for (gsize i = 0; i < G_N_ELEMENTS (identity); i++)
    _cured_database_bind_text (statement, (int) i + 2,
                               cured_device_fact_get_text (find_fact (identity[i]), device));
  if (!_cured_database_step (self, statement, &has_row, error))
    return FALSE;
  *number = has_row ? sqlite3_column_int64 (statement, 0) : 0;
  return TRUE;
}

/**
 * _cured_database_add_device:
 * @self: a writable database, in a transaction
 * @device: who measures
 * @place: on the axis of unlike devices; 0 where there is none
 * @number: (out): its number in this file
 * @error: as _cured_database_fail()
 *
 * A device that the file has already, on the same host with the same driver and compiler, keeps its
 * number.
 */
gboolean
_cured_database_add_device (CuredDatabase *self, const CuredDeviceInfo *device, gsize place,
                            gint64 *number, GError **error)
{
  g_autoptr (GString) names = g_string_new ("INSERT INTO device (place");
  g_autoptr (GString) values = g_string_new (") VALUES (?1");
  g_autoptr (sqlite3_stmt) statement = NULL;
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  if (!find_device (self, device, place, number, error))
    return FALSE;
  if (*number > 0)
    return TRUE;
  for (gsize i = 0; i < n_facts; i++)
    {
      g_string_append_printf (names, ", %s", facts[i].column);
      g_string_append_printf (values, ", ?%zu", i + 2);
    }
  g_string_append_printf (names, "%s)", values->str);
  statement = _cured_database_prepare (self, names->str, error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, (gint64) place);
  for (gsize i = 0; i < n_facts; i++)
    if (facts[i].type == CURED_DEVICE_FACT_NUMBER)
      _cured_database_bind_double (statement, (int) i + 2,
                                   cured_device_fact_get_number (&facts[i], device));
    else
      _cured_database_bind_text (statement, (int) i + 2,
                                 cured_device_fact_get_text (&facts[i], device));
  if (!_cured_database_run (self, statement, error))
    return FALSE;
  *number = sqlite3_last_insert_rowid (self->handle);
  return write_limits (self, *number, device, error);
}

/* Reading */

/**
 * _cured_result_device_clear:
 * @self: (type CuredResultDevice): whose strings are freed
 */
void
_cured_result_device_clear (gpointer self)
{
  cured_device_info_clear (&((CuredResultDevice *) self)->info);
}

/**
 * _cured_device_note_clear:
 * @self: (type CuredDeviceNote): whose text is freed
 */
void
_cured_device_note_clear (gpointer self)
{
  g_free (((CuredDeviceNote *) self)->detail);
}

static CuredResultDevice *
get_device (GArray *devices, gint64 number)
{
  guint low = 0;
  guint high = devices->len;

  /* They are in the order of their numbers. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      CuredResultDevice *device = &g_array_index (devices, CuredResultDevice, middle);

      if (device->number == number)
        return device;
      if (device->number < number)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

static gboolean
read_limits (CuredDatabase *self, GArray *devices, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_number;
  gboolean has_row = TRUE;

  if (!_cured_database_has_column (self, "device_limit", "device", &has_number, error))
    return FALSE;
  statement = _cured_database_prepare (self,
                                       has_number ? "SELECT device, name, value FROM device_limit"
                                                  : "SELECT 1, name, value FROM device_limit",
                                       error);
  if (statement == NULL)
    return FALSE;
  while (TRUE)
    {
      CuredResultDevice *device;
      g_autofree char *name = NULL;

      if (!_cured_database_step (self, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      /* A limit that this version does not know is skipped. */
      name = _cured_database_dup_text (statement, 1);
      device = get_device (devices, sqlite3_column_int64 (statement, 0));
      if (device != NULL && name != NULL)
        cured_limits_set (&device->info.limits, name, sqlite3_column_int64 (statement, 2));
    }
}

static sqlite3_stmt *
prepare_devices (CuredDatabase *self, GError **error)
{
  g_autoptr (GString) sql = g_string_new ("SELECT rowid");
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);
  gboolean has;

  if (!_cured_database_has_column (self, "device", "place", &has, error))
    return NULL;
  g_string_append (sql, has ? ", place" : ", 0");
  for (gsize i = 0; i < n_facts; i++)
    {
      if (!_cured_database_has_column (self, "device", facts[i].column, &has, error))
        return NULL;
      g_string_append_printf (sql, ", %s", has ? facts[i].column : "NULL");
    }
  g_string_append (sql, " FROM device ORDER BY rowid");
  return _cured_database_prepare (self, sql->str, error);
}

/**
 * _cured_database_read_devices:
 * @self: a database of any version
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE
 *
 * Returns: (transfer full) (nullable) (element-type CuredResultDevice): the
 *   devices, by number; at least one
 */
GArray *
_cured_database_read_devices (CuredDatabase *self, GError **error)
{
  g_autoptr (GArray) devices = g_array_new (FALSE, TRUE, sizeof (CuredResultDevice));
  g_autoptr (sqlite3_stmt) statement = prepare_devices (self, error);
  gboolean has_row = TRUE;
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  g_array_set_clear_func (devices, _cured_result_device_clear);
  if (statement == NULL)
    return NULL;
  while (TRUE)
    {
      CuredResultDevice device = { 0 };
      gint64 place;

      if (!_cured_database_step (self, statement, &has_row, error))
        return NULL;
      if (!has_row)
        break;
      device.number = sqlite3_column_int64 (statement, 0);
      place = sqlite3_column_int64 (statement, 1);
      if (place < 0 || place > MAX_DEVICES || devices->len == MAX_DEVICES)
        {
          _cured_database_damaged (self, error, _ ("the device table is broken"));
          return NULL;
        }
      device.place = (gsize) place;
      cured_device_info_init (&device.info);
      for (gsize i = 0; i < n_facts; i++)
        if (facts[i].type == CURED_DEVICE_FACT_NUMBER)
          cured_device_fact_set_number (&facts[i], &device.info,
                                        _cured_database_get_double (statement, (int) i + 2));
        else
          {
            g_autofree char *text = _cured_database_dup_text (statement, (int) i + 2);

            cured_device_fact_set_text (&facts[i], &device.info, text);
          }
      g_array_append_val (devices, device);
    }
  if (devices->len == 0)
    {
      _cured_database_damaged (self, error, _ ("a row is missing"));
      return NULL;
    }
  return read_limits (self, devices, error) ? g_steal_pointer (&devices) : NULL;
}

/**
 * _cured_result_device_find:
 * @devices: (element-type CuredResultDevice): of a file
 * @number: of one of them there
 * @index: (out): its index in @devices
 *
 * Returns: FALSE where none has that number
 */
gboolean
_cured_result_device_find (GArray *devices, gint64 number, guint *index)
{
  CuredResultDevice *device = get_device (devices, number);

  if (device == NULL)
    return FALSE;
  *index = (guint) (device - (CuredResultDevice *) (void *) devices->data);
  return TRUE;
}

/**
 * _cured_database_read_cell_devices:
 * @self: a database of any version
 * @devices: (element-type CuredResultDevice): of the file
 * @n_cells: how many cells its axes make
 * @indices: (out) (array length=n_cells) (nullable): one plus the index in
 *   @devices of who measured the cell in its first round, 0 where it is not
 *   known; NULL where it is known of no cell
 * @error: as _cured_database_fail()
 */
gboolean
_cured_database_read_cell_devices (CuredDatabase *self, GArray *devices, gint64 n_cells,
                                   guint16 **indices, GError **error)
{
  g_autofree guint16 *found = NULL;
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_table;
  gboolean has_row;

  *indices = NULL;
  if (!_cured_database_has_table (self, "cell_device", &has_table, error))
    return FALSE;
  if (!has_table)
    return TRUE;
  statement = _cured_database_prepare (self, "SELECT cell, device FROM cell_device", error);
  if (statement == NULL)
    return FALSE;
  found = g_new0 (guint16, (gsize) n_cells);
  while (TRUE)
    {
      CuredResultDevice *device;
      gint64 cell;
      gint64 number;

      if (!_cured_database_step (self, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        break;
      cell = sqlite3_column_int64 (statement, 0);
      number = sqlite3_column_int64 (statement, 1);
      if (cell < 0 || cell >= n_cells)
        return _cured_database_damaged (self, error, _ ("the device table is broken"));
      device = get_device (devices, number);
      if (device != NULL && found[cell] == 0)
        found[cell] = (guint16) (1 + (device - (CuredResultDevice *) devices->data));
    }
  *indices = g_steal_pointer (&found);
  return TRUE;
}

/* Anchors */

/**
 * _cured_database_add_anchor:
 * @self: a writable database
 * @number: of the device
 * @anchor: what was measured there
 * @error: as _cured_database_fail()
 */
gboolean
_cured_database_add_anchor (CuredDatabase *self, gint64 number, const CuredAnchor *anchor,
                            GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self,
                               "INSERT INTO anchor (device, cell, measured, time_ns, low_ns, "
                               "high_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                               error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, number);
  sqlite3_bind_int64 (statement, 2, anchor->cell);
  _cured_database_bind_text (statement, 3, anchor->measured);
  sqlite3_bind_double (statement, 4, anchor->time_ns);
  _cured_database_bind_double (statement, 5, anchor->low_ns);
  _cured_database_bind_double (statement, 6, anchor->high_ns);
  return _cured_database_run (self, statement, error);
}

/**
 * _cured_database_read_anchors:
 * @self: a database of any version
 * @devices: (element-type CuredResultDevice): of the file
 * @error: as _cured_database_fail()
 *
 * Returns: (transfer full) (nullable) (element-type CuredAnchor): what was
 *   measured again, as it came; of devices that the file has
 */
GArray *
_cured_database_read_anchors (CuredDatabase *self, GArray *devices, GError **error)
{
  g_autoptr (GArray) anchors = g_array_new (FALSE, TRUE, sizeof (CuredAnchor));
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_table;
  gboolean has_row;

  g_array_set_clear_func (anchors, cured_anchor_clear);
  if (!_cured_database_has_table (self, "anchor", &has_table, error))
    return NULL;
  if (!has_table)
    return g_steal_pointer (&anchors);
  statement = _cured_database_prepare (self,
                                       "SELECT device, cell, measured, time_ns, low_ns, high_ns "
                                       "FROM anchor ORDER BY measured, number",
                                       error);
  if (statement == NULL)
    return NULL;
  while (anchors->len < MAX_ANCHORS)
    {
      CuredAnchor anchor = { 0 };
      CuredResultDevice *device;

      if (!_cured_database_step (self, statement, &has_row, error))
        return NULL;
      if (!has_row)
        break;
      device = get_device (devices, sqlite3_column_int64 (statement, 0));
      anchor.time_ns = _cured_database_get_double (statement, 3);
      if (device == NULL || !(anchor.time_ns > 0))
        continue;
      anchor.device = (gsize) (device - (CuredResultDevice *) devices->data);
      anchor.cell = sqlite3_column_int64 (statement, 1);
      anchor.measured = _cured_database_dup_text (statement, 2);
      anchor.low_ns = _cured_database_get_double (statement, 4);
      anchor.high_ns = _cured_database_get_double (statement, 5);
      g_array_append_val (anchors, anchor);
    }
  return g_steal_pointer (&anchors);
}

static gboolean
write_note (CuredDatabase *self, sqlite3_stmt *statement, gint64 number,
            const CuredDeviceNote *note, GError **error)
{
  sqlite3_bind_int64 (statement, 1, number);
  _cured_database_bind_text (statement, 2, note_kinds[note->kind]);
  _cured_database_bind_double (statement, 3, note->value);
  _cured_database_bind_text (statement, 4, note->detail);
  return _cured_database_run (self, statement, error);
}

/**
 * _cured_database_write_notes:
 * @self: a writable database, in a transaction
 * @error: as _cured_database_fail()
 *
 * Judges the anchors, and writes anew which devices are not like their peers, drift, or are shared.
 */
gboolean
_cured_database_write_notes (CuredDatabase *self, GError **error)
{
  g_autoptr (GArray) devices = _cured_database_read_devices (self, error);
  g_autoptr (GArray) anchors = NULL;
  g_autoptr (GArray) notes = NULL;
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (sqlite3_stmt) statement = NULL;

  if (devices == NULL)
    return FALSE;
  anchors = _cured_database_read_anchors (self, devices, error);
  if (anchors == NULL || !_cured_database_exec (self, "DELETE FROM device_note", error))
    return FALSE;
  statement =
      _cured_database_prepare (self, "INSERT INTO device_note VALUES (?1, ?2, ?3, ?4)", error);
  if (statement == NULL)
    return FALSE;
  for (guint i = 0; i < devices->len; i++)
    {
      const CuredResultDevice *device = &g_array_index (devices, CuredResultDevice, i);

      g_ptr_array_add (groups, g_strdup_printf ("%s\n%s\n%s", device->info.name, device->info.arch,
                                                device->info.sharing));
    }
  notes = cured_anchors_judge ((const CuredAnchor *) (void *) anchors->data, anchors->len,
                               (const char *const *) groups->pdata, devices->len);
  for (guint i = 0; i < devices->len; i++)
    {
      const CuredResultDevice *device = &g_array_index (devices, CuredResultDevice, i);
      CuredDeviceNote note = {
        .device = i,
        .kind = CURED_DEVICE_NOTE_SHARED,
        .value = NAN,
        .detail = g_strdup (device->info.sharing),
      };

      if (*note.detail != '\0')
        g_array_append_val (notes, note);
      else
        g_free (note.detail);
    }
  for (guint i = 0; i < notes->len; i++)
    {
      const CuredDeviceNote *note = &g_array_index (notes, CuredDeviceNote, i);

      if (!write_note (self, statement,
                       g_array_index (devices, CuredResultDevice, note->device).number, note,
                       error))
        return FALSE;
    }
  return TRUE;
}

/**
 * _cured_database_read_notes:
 * @self: a database of any version
 * @devices: (element-type CuredResultDevice): of the file
 * @error: as _cured_database_fail()
 *
 * Returns: (transfer full) (nullable) (element-type CuredDeviceNote): what the
 *   file says of its devices
 */
GArray *
_cured_database_read_notes (CuredDatabase *self, GArray *devices, GError **error)
{
  g_autoptr (GArray) notes = g_array_new (FALSE, TRUE, sizeof (CuredDeviceNote));
  g_autoptr (sqlite3_stmt) statement = NULL;
  gboolean has_table;
  gboolean has_row;

  g_array_set_clear_func (notes, _cured_device_note_clear);
  if (!_cured_database_has_table (self, "device_note", &has_table, error))
    return NULL;
  if (!has_table)
    return g_steal_pointer (&notes);
  statement = _cured_database_prepare (
      self, "SELECT device, kind, value, detail FROM device_note ORDER BY device, kind", error);
  if (statement == NULL)
    return NULL;
  while (notes->len < MAX_DEVICES)
    {
      CuredDeviceNote note = { 0 };
      g_autofree char *kind = NULL;
      CuredResultDevice *device;

      if (!_cured_database_step (self, statement, &has_row, error))
        return NULL;
      if (!has_row)
        break;
      device = get_device (devices, sqlite3_column_int64 (statement, 0));
      kind = _cured_database_dup_text (statement, 1);
      for (gsize i = 0; device != NULL && i < G_N_ELEMENTS (note_kinds); i++)
        if (g_strcmp0 (kind, note_kinds[i]) == 0)
          {
            note.device = (gsize) (device - (CuredResultDevice *) devices->data);
            note.kind = (CuredDeviceNoteKind) i;
            note.value = _cured_database_get_double (statement, 2);
            note.detail = _cured_database_dup_text (statement, 3);
            g_array_append_val (notes, note);
          }
    }
  return g_steal_pointer (&notes);
}
