/* SPDX-License-Identifier: MIT
 * The devices of a result file, the device of each cell, and the anchors. */
#include "store/cured-database-private.h"

#include "base/cured-base-internal.h"
#include "device/cured-device-internal.h"
#include "store/cured-outcome-records-internal.h"

/* Limit; there is only one anchor per device every few minutes. */
#define MAX_ANCHORS (1 << 20)

/* Columns that identify a device; what was measured on it may change. */
static const char *const identity[] = {
  "kind", "name", "uuid", "arch", "driver", "runtime", "compiler", "host",
};

/* clang-format off */
const CuredRows _cured_rows_anchor = {
  .name = "anchor", .info = &_cured_anchor_record, .keys = (const char *const[]){ "number", "device", NULL },
  .end = ", PRIMARY KEY (number)) STRICT",
};
const CuredRows _cured_rows_note = {
  .name = "device_note", .info = &_cured_note_record, .keys = (const char *const[]){ "device", NULL },
  .end = ", PRIMARY KEY (device, kind)) STRICT, WITHOUT ROWID",
};
/* clang-format on */

static const char schema[] =
    "CREATE TABLE device_limit (device INTEGER NOT NULL REFERENCES device, name TEXT NOT NULL, "
    "value "
    "INTEGER NOT NULL, unit TEXT NOT NULL, PRIMARY KEY (device, name)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE cell_device (cell INTEGER NOT NULL REFERENCES cell, round INTEGER NOT NULL, "
    "device "
    "INTEGER NOT NULL REFERENCES device, PRIMARY KEY (cell, round)) STRICT, WITHOUT ROWID;";

/* Creates the tables of devices and limits, which are not made from field tables. */
gboolean
_cured_database_create_devices (CuredDatabase *self, GError **error)
{
  static const char *const types[] = {
    [CURED_DEVICE_FACT_TEXT] = "TEXT NOT NULL DEFAULT ''",
    [CURED_DEVICE_FACT_DATE] = "TEXT",
    [CURED_DEVICE_FACT_NUMBER] = "REAL",
  };
  g_autoptr (GString) sql =
      g_string_new ("CREATE TABLE device (device INTEGER PRIMARY KEY, place INTEGER NOT NULL");
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  for (gsize i = 0; i < n_facts; i++)
    g_string_append_printf (sql, ", %s %s", facts[i].column, types[facts[i].type]);
  g_string_append (sql, ") STRICT");
  return _cured_database_exec (self, sql->str, error) && _cured_database_exec (self, schema, error);
}

static gboolean
write_limits (CuredDatabase *self, gint64 number, const CuredDeviceInfo *device, GError **error)
{
  gsize n_limits;
  const CuredLimitInfo *limits = cured_limits_list (&n_limits);

  for (gsize i = 0; i < n_limits; i++)
    if (!_cured_database_run (self, error, "INSERT INTO device_limit VALUES (?1, ?2, ?3, ?4)",
                              "itit", number, limits[i].name,
                              G_STRUCT_MEMBER (gint64, &device->limits, limits[i].offset),
                              limits[i].unit))
      return FALSE;
  return TRUE;
}

/* The first parameter is the place, the others are facts in the order of their table. */
static void
bind_device (sqlite3_stmt *statement, const CuredDeviceInfo *device, gsize place)
{
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);

  sqlite3_bind_int64 (statement, 1, (gint64) place);
  for (gsize i = 0; i < n_facts; i++)
    if (facts[i].type == CURED_DEVICE_FACT_NUMBER)
      _cured_database_bind_double (statement, (int) i + 2,
                                   cured_device_fact_get_number (&facts[i], device));
    else
      _cured_database_bind_text (statement, (int) i + 2,
                                 cured_device_fact_get_text (&facts[i], device));
}

/* Needs a transaction. A device that the file already has, on the same host with the same driver
 * and compiler, keeps its number. */
gboolean
_cured_database_add_device (CuredDatabase *self, const CuredDeviceInfo *device, gsize place,
                            gint64 *number, GError **error)
{
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);
  g_autoptr (GString) find = g_string_new ("SELECT device FROM device WHERE place = ?1");
  g_autoptr (GString) insert = g_string_new ("INSERT INTO device VALUES (NULL, ?1");

  for (gsize i = 0; i < n_facts; i++)
    {
      g_string_append_printf (insert, ", ?%zu", i + 2);
      for (gsize k = 0; k < G_N_ELEMENTS (identity); k++)
        if (g_str_equal (identity[k], facts[i].column))
          g_string_append_printf (find, " AND %s = ?%zu", identity[k], i + 2);
    }
  g_string_append_c (insert, ')');
  g_autoptr (sqlite3_stmt) found = _cured_database_prepare (self, find->str, error);
  if (found == NULL)
    return FALSE;
  bind_device (found, device, place);
  int has_row = _cured_database_next (self, found, error);
  if (has_row > 0)
    *number = sqlite3_column_int64 (found, 0);
  if (has_row != 0)
    return has_row > 0;
  g_autoptr (sqlite3_stmt) statement = _cured_database_prepare (self, insert->str, error);
  if (statement == NULL)
    return FALSE;
  bind_device (statement, device, place);
  if (!_cured_database_step (self, statement, error))
    return FALSE;
  *number = sqlite3_last_insert_rowid (self->handle);
  return write_limits (self, *number, device, error);
}

/* Reading */

static void
device_clear (gpointer data)
{
  cured_device_info_clear (&((CuredResultDevice *) data)->info);
}

CURED_CLEAR_FUNC (CuredDeviceNote, note_clear, detail, g_free)

/* (transfer full) (element-type CuredResultDevice) */
GArray *
_cured_result_devices_new (void)
{
  GArray *devices = g_array_new (FALSE, TRUE, sizeof (CuredResultDevice));

  g_array_set_clear_func (devices, device_clear);
  return devices;
}

static CuredResultDevice *
get_device (GArray *devices, gint64 number)
{
  guint low = 0, high = devices->len;

  /* Devices are sorted by number. */
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
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self, "SELECT device, name, value FROM device_limit", error);
  int has_row;

  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      CuredResultDevice *device = get_device (devices, sqlite3_column_int64 (statement, 0));
      g_autofree char *name = _cured_database_dup_text (statement, 1, 0);

      /* Limits unknown to this version are skipped. */
      if (device != NULL && name != NULL)
        cured_limits_set (&device->info.limits, name, sqlite3_column_int64 (statement, 2));
    }
  return has_row == 0;
}

/* (transfer full) (nullable) (element-type CuredResultDevice): by number; at least one */
GArray *
_cured_database_read_devices (CuredDatabase *self, GError **error)
{
  g_autoptr (GArray) devices = _cured_result_devices_new ();
  g_autoptr (GString) sql = g_string_new ("SELECT device, place");
  gsize n_facts;
  const CuredDeviceFact *facts = cured_device_facts (&n_facts);
  int has_row;

  for (gsize i = 0; i < n_facts; i++)
    g_string_append_printf (sql, ", %s", facts[i].column);
  g_string_append (sql, " FROM device ORDER BY device");
  g_autoptr (sqlite3_stmt) statement = _cured_database_prepare (self, sql->str, error);
  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      CuredResultDevice device = { .number = sqlite3_column_int64 (statement, 0) };
      gint64 place = sqlite3_column_int64 (statement, 1);

      if (place < 0 || place > CURED_STORE_MAX_DEVICES || devices->len == CURED_STORE_MAX_DEVICES)
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
            g_autofree char *text =
                _cured_database_dup_text (statement, (int) i + 2, CURED_NAME_BYTES);

            cured_device_fact_set_text (&facts[i], &device.info, text);
          }
      g_array_append_val (devices, device);
    }
  if (has_row == 0 && devices->len == 0)
    _cured_database_damaged (self, error, _ ("a row is missing"));
  return has_row == 0 && devices->len > 0 && read_limits (self, devices, error)
             ? g_steal_pointer (&devices)
             : NULL;
}

/* The index in @devices of the device with that number; FALSE if there is none. */
gboolean
_cured_result_device_find (GArray *devices, gint64 number, guint *index)
{
  CuredResultDevice *device = get_device (devices, number);

  if (device == NULL)
    return FALSE;
  *index = (guint) (device - (CuredResultDevice *) (void *) devices->data);
  return TRUE;
}

/* @indices: (array length=n_cells): one plus the index in @devices of the device that measured the
 * cell's first round; 0 if unknown */
gboolean
_cured_database_read_cell_devices (CuredDatabase *self, GArray *devices, gint64 n_cells,
                                   guint16 **indices, GError **error)
{
  g_autofree guint16 *found = g_new0 (guint16, (gsize) n_cells);
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self, "SELECT cell, device FROM cell_device", error);
  int has_row;

  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    {
      gint64 cell = sqlite3_column_int64 (statement, 0);
      guint index;

      if (cell < 0 || cell >= n_cells)
        return _cured_database_damaged (self, error, _ ("the device table is broken"));
      if (found[cell] == 0 &&
          _cured_result_device_find (devices, sqlite3_column_int64 (statement, 1), &index))
        found[cell] = (guint16) (1 + index);
    }
  *indices = has_row == 0 ? g_steal_pointer (&found) : NULL;
  return has_row == 0;
}

/* Anchors */

gboolean
_cured_database_add_anchor (CuredDatabase *self, gint64 number, const CuredAnchor *anchor,
                            GError **error)
{
  gint64 keys[] = { 0, number };

  return _cured_database_get_integer (self, "SELECT ifnull (max (number), 0) + 1 FROM anchor",
                                      &keys[0], error) &&
         _cured_rows_insert (self, &_cured_rows_anchor, keys, anchor, error);
}

/* (transfer full) (nullable) (element-type CuredAnchor): measurements of anchors, in order, on
 * devices that the file has */
GArray *
_cured_database_read_anchors (CuredDatabase *self, GArray *devices, GError **error)
{
  g_autoptr (GArray) anchors = g_array_new (FALSE, TRUE, sizeof (CuredAnchor));
  g_autoptr (sqlite3_stmt) statement =
      _cured_rows_select (self, &_cured_rows_anchor, "ORDER BY measured, number", error);
  int has_row = 0;

  g_array_set_clear_func (anchors, cured_anchor_clear);
  while (anchors->len < MAX_ANCHORS &&
         (has_row = _cured_database_next (self, statement, error)) > 0)
    {
      CuredAnchor anchor = { 0 };
      guint index = 0;

      if (!_cured_rows_get (self, &_cured_rows_anchor, statement, &anchor, error))
        {
          cured_anchor_clear (&anchor);
          return NULL;
        }
      if (_cured_result_device_find (devices, sqlite3_column_int64 (statement, 1), &index) &&
          anchor.time_ns > 0)
        {
          anchor.device = index;
          g_array_append_val (anchors, anchor);
        }
      else
        cured_anchor_clear (&anchor);
    }
  return has_row >= 0 ? g_steal_pointer (&anchors) : NULL;
}

/* Needs a transaction. Judges the anchors, and replaces the notes about devices that differ from
 * their peers, drift, or are shared. */
gboolean
_cured_database_write_notes (CuredDatabase *self, GError **error)
{
  g_autoptr (GArray) devices = _cured_database_read_devices (self, error);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_free);

  if (devices == NULL)
    return FALSE;
  g_autoptr (GArray) anchors = _cured_database_read_anchors (self, devices, error);
  if (anchors == NULL || !_cured_database_exec (self, "DELETE FROM device_note", error))
    return FALSE;
  CURED_EACH (const CuredResultDevice, device, devices)
    {
      g_ptr_array_add (groups, g_strdup_printf ("%s\n%s\n%s", device->info.name, device->info.arch,
                                                device->info.sharing));
    }
  g_autoptr (GArray) notes =
      cured_anchors_judge ((const CuredAnchor *) (void *) anchors->data, anchors->len,
                           (const char *const *) groups->pdata, devices->len);
  for (guint i = 0; i < devices->len; i++)
    {
      const CuredResultDevice *device = &g_array_index (devices, CuredResultDevice, i);
      CuredDeviceNote note = { i, CURED_DEVICE_NOTE_SHARED, NAN, g_strdup (device->info.sharing) };

      if (*note.detail != '\0')
        g_array_append_val (notes, note);
      else
        g_free (note.detail);
    }
  CURED_EACH (const CuredDeviceNote, note, notes)
    if (!_cured_rows_insert (self, &_cured_rows_note,
                             &g_array_index (devices, CuredResultDevice, note->device).number, note,
                             error))
      return FALSE;
  return TRUE;
}

/* (transfer full) (nullable) (element-type CuredDeviceNote): the file's notes about its devices */
GArray *
_cured_database_read_notes (CuredDatabase *self, GArray *devices, GError **error)
{
  g_autoptr (GArray) notes = g_array_new (FALSE, TRUE, sizeof (CuredDeviceNote));
  g_autoptr (sqlite3_stmt) statement =
      _cured_rows_select (self, &_cured_rows_note, "ORDER BY device, kind", error);
  int has_row = 0;

  g_array_set_clear_func (notes, note_clear);
  while (notes->len < CURED_STORE_MAX_DEVICES &&
         (has_row = _cured_database_next (self, statement, error)) > 0)
    {
      CuredDeviceNote note = { 0 };
      guint index = 0;
      gboolean ok = _cured_rows_get (self, &_cured_rows_note, statement, &note, error);

      if (ok && _cured_result_device_find (devices, sqlite3_column_int64 (statement, 0), &index))
        {
          note.device = index;
          g_array_append_val (notes, note);
        }
      else
        note_clear (&note);
      if (!ok)
        return NULL;
    }
  return has_row >= 0 ? g_steal_pointer (&notes) : NULL;
}
