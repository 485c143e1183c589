/* SPDX-License-Identifier: MIT
 * The tables of a result file that hold what launches asked of the chip. */
#include "config.h"

#include "store/cured-database-private.h"

#include <glib/gi18n-lib.h>

#include "ptx/cured-work-internal.h"

/* Far above what a kernel file launches, or a kernel has instructions. */
#define MAX_LAUNCHES 4096
#define MAX_SITES    1000000
#define MAX_BUFFERS  4096

/* Columns of the figures come behind these. */
static const char launch_columns[] =
    " cell INTEGER NOT NULL REFERENCES cell, number INTEGER NOT NULL CHECK (number >= 0), entry "
    "TEXT NOT NULL, step INTEGER NOT NULL, repeats INTEGER NOT NULL CHECK (repeats > 0), grid_x "
    "INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL, block_x INTEGER NOT NULL, "
    "block_y INTEGER NOT NULL, block_z INTEGER NOT NULL, shared_bytes INTEGER NOT NULL, registers "
    "INTEGER NOT NULL, blocks_per_sm INTEGER NOT NULL, blocks INTEGER NOT NULL, blocks_run INTEGER "
    "NOT NULL, tickets INTEGER NOT NULL CHECK (tickets IN (0, 1)), error REAL NOT NULL, longest "
    "REAL NOT NULL, hottest REAL NOT NULL, stopped TEXT, l1_hits REAL, l2_read REAL, l2_written "
    "REAL, memory_read REAL, memory_written REAL";
static const char site_columns[] =
    " cell INTEGER NOT NULL, launch INTEGER NOT NULL, site INTEGER NOT NULL CHECK (site >= 0), "
    "file TEXT, line INTEGER NOT NULL, ptx_line INTEGER NOT NULL, ptx TEXT NOT NULL";
static const char buffer_table[] =
    "CREATE TABLE work_buffer ( cell INTEGER NOT NULL, launch INTEGER NOT NULL, number INTEGER NOT "
    "NULL CHECK (number >= 0), name TEXT NOT NULL, bytes REAL NOT NULL, read REAL NOT NULL, "
    "written REAL NOT NULL, PRIMARY KEY (cell, launch, number), FOREIGN KEY (cell, launch) "
    "REFERENCES work_launch) STRICT, WITHOUT ROWID;";

#define N_LAUNCH_COLUMNS 26
#define N_SITE_COLUMNS   7

static void
append_fields (GString *sql, const char *type)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);

  for (gsize i = 0; i < n_fields; i++)
    g_string_append_printf (sql, ", %s%s", fields[i].name, type);
}

/**
 * _cured_database_create_work:
 * @self: a writable database without these tables, in a transaction
 * @error: as _cured_database_fail()
 */
gboolean
_cured_database_create_work (CuredDatabase *self, GError **error)
{
  g_autoptr (GString) sql = g_string_new ("CREATE TABLE work_launch (");

  g_string_append (sql, launch_columns);
  append_fields (sql, " REAL NOT NULL");
  g_string_append (sql,
                   ", PRIMARY KEY (cell, number)) STRICT, WITHOUT ROWID;CREATE TABLE work_site (");
  g_string_append (sql, site_columns);
  append_fields (sql, " REAL NOT NULL");
  g_string_append (sql, ", PRIMARY KEY (cell, launch, site), FOREIGN KEY (cell, launch) REFERENCES "
                        "work_launch) STRICT, WITHOUT ROWID;");
  g_string_append (sql, buffer_table);
  return _cured_database_exec (self, sql->str, error);
}

/* ---- Writing ---- */

static sqlite3_stmt *
prepare_insert (CuredDatabase *self, const char *table, gsize n_columns, GError **error)
{
  g_autoptr (GString) sql = g_string_new (NULL);

  g_string_printf (sql, "INSERT INTO %s VALUES (?1", table);
  for (gsize i = 1; i < n_columns; i++)
    g_string_append_printf (sql, ", ?%zu", i + 1);
  g_string_append_c (sql, ')');
  return _cured_database_prepare (self, sql->str, error);
}

static void
bind_work (sqlite3_stmt *statement, int first, const CuredWork *work)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);

  for (gsize i = 0; i < n_fields; i++)
    sqlite3_bind_double (statement, first + (int) i, cured_work_get (work, &fields[i]));
}

static void
bind_launch (sqlite3_stmt *statement, const CuredWorkLaunch *launch)
{
  const CuredTraffic *traffic = &launch->traffic;

  _cured_database_bind_text (statement, 3, launch->entry);
  sqlite3_bind_int64 (statement, 4, launch->step);
  sqlite3_bind_int64 (statement, 5, (gint64) launch->repeats);
  for (int i = 0; i < 3; i++)
    {
      sqlite3_bind_int64 (statement, 6 + i, launch->grid[i]);
      sqlite3_bind_int64 (statement, 9 + i, launch->block[i]);
    }
  sqlite3_bind_int64 (statement, 12, (gint64) launch->shared_bytes);
  sqlite3_bind_int (statement, 13, launch->registers);
  sqlite3_bind_int (statement, 14, launch->blocks_per_sm);
  sqlite3_bind_int64 (statement, 15, (gint64) launch->n_blocks);
  sqlite3_bind_int64 (statement, 16, (gint64) launch->n_run);
  sqlite3_bind_int (statement, 17, launch->takes_tickets ? 1 : 0);
  sqlite3_bind_double (statement, 18, launch->error);
  sqlite3_bind_double (statement, 19, launch->longest);
  sqlite3_bind_double (statement, 20, launch->hottest);
  _cured_database_bind_text (statement, 21, launch->end);
  _cured_database_bind_double (statement, 22, traffic->l1_hits);
  _cured_database_bind_double (statement, 23, traffic->l2_read);
  _cured_database_bind_double (statement, 24, traffic->l2_written);
  _cured_database_bind_double (statement, 25, traffic->memory_read);
  _cured_database_bind_double (statement, 26, traffic->memory_written);
  bind_work (statement, N_LAUNCH_COLUMNS + 1, &launch->total);
}

static gboolean
write_sites (CuredDatabase *self, sqlite3_stmt *statement, gint64 cell, guint number,
             const CuredWorkLaunch *launch, GError **error)
{
  for (guint i = 0; i < launch->sites->len; i++)
    {
      const CuredWorkSite *site = g_ptr_array_index (launch->sites, i);

      sqlite3_bind_int64 (statement, 1, cell);
      sqlite3_bind_int64 (statement, 2, number);
      sqlite3_bind_int64 (statement, 3, site->site);
      _cured_database_bind_text (statement, 4, site->file);
      sqlite3_bind_int (statement, 5, site->line);
      sqlite3_bind_int (statement, 6, site->ptx_line);
      _cured_database_bind_text (statement, 7, site->text != NULL ? site->text : "");
      bind_work (statement, N_SITE_COLUMNS + 1, &site->work);
      if (!_cured_database_run (self, statement, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_buffers (CuredDatabase *self, sqlite3_stmt *statement, gint64 cell, guint number,
               const CuredWorkLaunch *launch, GError **error)
{
  for (guint i = 0; i < launch->buffers->len; i++)
    {
      const CuredWorkBuffer *buffer = g_ptr_array_index (launch->buffers, i);

      sqlite3_bind_int64 (statement, 1, cell);
      sqlite3_bind_int64 (statement, 2, number);
      sqlite3_bind_int64 (statement, 3, i);
      _cured_database_bind_text (statement, 4, buffer->name);
      sqlite3_bind_double (statement, 5, buffer->bytes);
      sqlite3_bind_double (statement, 6, buffer->read);
      sqlite3_bind_double (statement, 7, buffer->written);
      if (!_cured_database_run (self, statement, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * _cured_database_write_work:
 * @self: a writable database of this version, in a transaction
 * @cell: of it, which has no work there
 * @work: what its launches ask of the chip
 * @error: as _cured_database_fail()
 */
gboolean
_cured_database_write_work (CuredDatabase *self, gint64 cell, const CuredWorkload *work,
                            GError **error)
{
  gsize n_fields;
  g_autoptr (sqlite3_stmt) launches = NULL;
  g_autoptr (sqlite3_stmt) sites = NULL;
  g_autoptr (sqlite3_stmt) buffers = NULL;

  cured_work_fields (&n_fields);
  launches = prepare_insert (self, "work_launch", N_LAUNCH_COLUMNS + n_fields, error);
  sites = launches == NULL ? NULL
                           : prepare_insert (self, "work_site", N_SITE_COLUMNS + n_fields, error);
  buffers = sites == NULL ? NULL : prepare_insert (self, "work_buffer", 7, error);
  if (buffers == NULL)
    return FALSE;
  for (guint i = 0; i < work->launches->len; i++)
    {
      const CuredWorkLaunch *launch = g_ptr_array_index (work->launches, i);

      sqlite3_bind_int64 (launches, 1, cell);
      sqlite3_bind_int64 (launches, 2, i);
      bind_launch (launches, launch);
      if (!_cured_database_run (self, launches, error) ||
          !write_sites (self, sites, cell, i, launch, error) ||
          !write_buffers (self, buffers, cell, i, launch, error))
        return FALSE;
    }
  return TRUE;
}

/**
 * _cured_database_delete_work:
 * @self: a writable database of this version, in a transaction
 * @cell: whose work is deleted
 * @error: as _cured_database_fail()
 */
gboolean
_cured_database_delete_work (CuredDatabase *self, gint64 cell, GError **error)
{
  static const char *const texts[] = {
    "DELETE FROM work_buffer WHERE cell = ?1",
    "DELETE FROM work_site WHERE cell = ?1",
    "DELETE FROM work_launch WHERE cell = ?1",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (sqlite3_stmt) statement = _cured_database_prepare (self, texts[i], error);

      if (statement == NULL)
        return FALSE;
      sqlite3_bind_int64 (statement, 1, cell);
      if (!_cured_database_run (self, statement, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- Reading ---- */

static sqlite3_stmt *
prepare_select (CuredDatabase *self, const char *columns, const char *rest, GError **error)
{
  g_autoptr (GString) sql = g_string_new ("SELECT ");

  g_string_append (sql, columns);
  append_fields (sql, "");
  g_string_append (sql, rest);
  return _cured_database_prepare (self, sql->str, error);
}

static gboolean
read_work (sqlite3_stmt *statement, int first, CuredWork *work)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);

  for (gsize i = 0; i < n_fields; i++)
    {
      double value = _cured_database_get_double (statement, first + (int) i);

      if (!cured_work_is_amount (value))
        return FALSE;
      *_cured_work_at (work, &fields[i]) = value;
    }
  return TRUE;
}

/* What is no number of its range becomes 0, which is refused. */
static guint
get_size (sqlite3_stmt *statement, int column)
{
  gint64 value = sqlite3_column_int64 (statement, column);

  return value > 0 && value <= G_MAXUINT32 ? (guint) value : 0;
}

static int
get_count (sqlite3_stmt *statement, int column)
{
  gint64 value = sqlite3_column_int64 (statement, column);

  return value >= 0 && value <= G_MAXINT32 ? (int) value : -1;
}

static gboolean
fail (CuredDatabase *self, gint64 cell, GError **error)
{
  return _cured_database_damaged (self, error, _ ("the counts of cell %lld are broken"),
                                  (long long) cell);
}

static gboolean
read_launch (sqlite3_stmt *statement, CuredWorkLaunch *launch)
{
  CuredTraffic *traffic = &launch->traffic;

  launch->step = get_size (statement, 2);
  launch->repeats = (guint64) MAX (sqlite3_column_int64 (statement, 3), 0);
  for (int i = 0; i < 3; i++)
    {
      launch->grid[i] = get_size (statement, 4 + i);
      launch->block[i] = get_size (statement, 7 + i);
    }
  launch->shared_bytes = get_size (statement, 10);
  launch->registers = get_count (statement, 11);
  launch->blocks_per_sm = get_count (statement, 12);
  launch->n_blocks = (guint64) MAX (sqlite3_column_int64 (statement, 13), 0);
  launch->n_run = (guint64) MAX (sqlite3_column_int64 (statement, 14), 0);
  launch->takes_tickets = sqlite3_column_int (statement, 15) != 0;
  launch->error = _cured_database_get_double (statement, 16);
  launch->longest = _cured_database_get_double (statement, 17);
  launch->hottest = _cured_database_get_double (statement, 18);
  launch->end = _cured_database_dup_text (statement, 19);
  traffic->l1_hits = _cured_database_get_double (statement, 20);
  traffic->l2_read = _cured_database_get_double (statement, 21);
  traffic->l2_written = _cured_database_get_double (statement, 22);
  traffic->memory_read = _cured_database_get_double (statement, 23);
  traffic->memory_written = _cured_database_get_double (statement, 24);
  return cured_work_launch_is_sane (launch) && read_work (statement, 25, &launch->total);
}

static gboolean
read_launches (CuredDatabase *self, gint64 cell, CuredWorkload *work, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = prepare_select (
      self,
      "number, entry, step, repeats, grid_x, grid_y, grid_z, block_x, block_y, block_z, "
      "shared_bytes, registers, blocks_per_sm, blocks, blocks_run, tickets, error, longest, "
      "hottest, stopped, l1_hits, l2_read, l2_written, memory_read, memory_written",
      " FROM work_launch WHERE cell = ?1 ORDER BY number", error);
  gboolean has_row;

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, cell);
  while (TRUE)
    {
      g_autofree char *entry = NULL;

      if (!_cured_database_step (self, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      entry = _cured_database_dup_text (statement, 1);
      if (work->launches->len >= MAX_LAUNCHES || entry == NULL ||
          sqlite3_column_int64 (statement, 0) != work->launches->len ||
          !read_launch (statement, cured_workload_add (work, entry)))
        return fail (self, cell, error);
    }
}

/* The launch of row @number; NULL: there is none. */
static CuredWorkLaunch *
get_launch (const CuredWorkload *work, gint64 number)
{
  return number >= 0 && number < work->launches->len
             ? g_ptr_array_index (work->launches, (guint) number)
             : NULL;
}

static gboolean
read_sites (CuredDatabase *self, gint64 cell, CuredWorkload *work, GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      prepare_select (self, "launch, site, file, line, ptx_line, ptx",
                      " FROM work_site WHERE cell = ?1 ORDER BY launch, site", error);
  gboolean has_row;

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, cell);
  for (guint n = 0;; n++)
    {
      CuredWorkLaunch *launch;
      CuredWorkSite *site;

      if (!_cured_database_step (self, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      launch = get_launch (work, sqlite3_column_int64 (statement, 0));
      if (launch == NULL || n >= MAX_SITES)
        return fail (self, cell, error);
      site = cured_work_launch_add_site (launch);
      site->site = (guint) MAX (get_count (statement, 1), 0);
      site->file = _cured_database_dup_text (statement, 2);
      site->line = get_count (statement, 3);
      site->ptx_line = get_count (statement, 4);
      site->text = _cured_database_dup_text (statement, 5);
      if (site->line < 0 || site->ptx_line < 0 || !read_work (statement, 6, &site->work))
        return fail (self, cell, error);
    }
}

static gboolean
read_buffers (CuredDatabase *self, gint64 cell, CuredWorkload *work, GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_database_prepare (self,
                               "SELECT launch, name, bytes, read, written FROM work_buffer WHERE "
                               "cell = ?1 ORDER BY launch, number",
                               error);
  gboolean has_row;

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, cell);
  for (guint n = 0;; n++)
    {
      CuredWorkLaunch *launch;
      CuredWorkBuffer *buffer;

      if (!_cured_database_step (self, statement, &has_row, error))
        return FALSE;
      if (!has_row)
        return TRUE;
      launch = get_launch (work, sqlite3_column_int64 (statement, 0));
      if (launch == NULL || n >= MAX_BUFFERS)
        return fail (self, cell, error);
      buffer = cured_work_launch_add_buffer (launch);
      buffer->name = _cured_database_dup_text (statement, 1);
      buffer->bytes = _cured_database_get_double (statement, 2);
      buffer->read = _cured_database_get_double (statement, 3);
      buffer->written = _cured_database_get_double (statement, 4);
      if (buffer->name == NULL || !cured_work_is_amount (buffer->bytes) ||
          !cured_work_is_amount (buffer->read) || !cured_work_is_amount (buffer->written))
        return fail (self, cell, error);
    }
}

/**
 * _cured_database_read_work:
 * @self: a database
 * @cell: of it
 * @work: (out) (transfer full) (nullable): what its launches ask of the chip;
 *   %NULL where the file does not say
 * @error: set to CURED_ERROR_DAMAGED or _STORAGE
 */
gboolean
_cured_database_read_work (CuredDatabase *self, gint64 cell, CuredWorkload **work, GError **error)
{
  g_autoptr (CuredWorkload) read = cured_workload_new ();
  gboolean has_table;

  *work = NULL;
  if (!_cured_database_has_table (self, "work_launch", &has_table, error))
    return FALSE;
  if (!has_table)
    return TRUE;
  if (!read_launches (self, cell, read, error) ||
      (read->launches->len > 0 &&
       (!read_sites (self, cell, read, error) || !read_buffers (self, cell, read, error))))
    return FALSE;
  if (read->launches->len > 0)
    *work = g_steal_pointer (&read);
  return TRUE;
}
