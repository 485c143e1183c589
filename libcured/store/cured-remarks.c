/* SPDX-License-Identifier: MIT
 * Users' notes about cells and about a whole file. */
#include "config.h"

#include "store/cured-remarks-private.h"

#include "base/cured-base-internal.h"

/* Limit per file; further ones are ignored. */
#define MOST_REMARKS 65536

/* clang-format off */
static const CuredFieldInfo remark_fields[] = {
  CURED_FIELD (CuredRemark, text, TEXT, "", 0, CURED_REMARK_BYTES, 0),
};

static const CuredRecordInfo remark_info = CURED_RECORD (CuredRemark, "remark", remark_fields, NULL);
/* clang-format on */

const CuredRows _cured_rows_remark = {
  .name = "remark",
  .info = &remark_info,
  .keys = (const char *const[]){ "cell", NULL },
  .end = ", PRIMARY KEY (cell)) STRICT",
  .is_replaced = TRUE,
};

static void
remark_clear (gpointer data)
{
  g_free (((CuredRemark *) data)->text);
}

/* (transfer full) (element-type CuredRemark): an empty array */
GArray *
_cured_remarks_new (void)
{
  GArray *self = g_array_new (FALSE, TRUE, sizeof (CuredRemark));

  g_array_set_clear_func (self, remark_clear);
  return self;
}

/* The index of @cell, or where to insert it. */
gboolean
_cured_remarks_find (const GArray *self, gint64 cell, guint *index)
{
  guint low = 0, high = self->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self, CuredRemark, middle).cell < cell)
        low = middle + 1;
      else
        high = middle;
    }
  *index = low;
  return low < self->len && g_array_index (self, CuredRemark, low).cell == cell;
}

/* (transfer full) (nullable): the displayable part of an untrusted text; NULL if that is
 * empty */
char *
_cured_remark_clean (const char *text)
{
  g_autoptr (GString) plain = g_string_new (NULL);

  cured_append_printable (plain, text, strlen (text));
  g_autofree char *stripped = g_strstrip (g_string_free (g_steal_pointer (&plain), FALSE));
  return *stripped != '\0' ? _cured_text_shorten (stripped, CURED_REMARK_BYTES) : NULL;
}

/* Most files have no such table. */
static gboolean
has_table (CuredDatabase *database, gboolean *has, GError **error)
{
  gint64 n_tables;

  if (!_cured_database_get_integer (
          database, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'remark'",
          &n_tables, error))
    return FALSE;
  *has = n_tables > 0;
  return TRUE;
}

/* (transfer full) (nullable) (element-type CuredRemark): by cells; NULL with an error */
GArray *
_cured_database_read_remarks (CuredDatabase *database, gint64 n_cells, GError **error)
{
  g_autoptr (GArray) remarks = _cured_remarks_new ();
  gint64 last = G_MININT64;
  int has_row = 0;
  gboolean has;

  if (!has_table (database, &has, error))
    return NULL;
  if (!has)
    return g_steal_pointer (&remarks);
  g_autoptr (sqlite3_stmt) statement =
      _cured_rows_select (database, &_cured_rows_remark, "ORDER BY cell", error);
  while (remarks->len < MOST_REMARKS &&
         (has_row = _cured_database_next (database, statement, error)) > 0)
    {
      CuredRemark remark = { .cell = sqlite3_column_int64 (statement, 0) };
      CuredRemark read = { 0 };

      if (!_cured_database_check_order (database, statement, 0, &last, error) ||
          !_cured_rows_get (database, &_cured_rows_remark, statement, &read, error))
        {
          remark_clear (&read);
          return NULL;
        }
      if (remark.cell >= CURED_REMARK_OF_FILE && remark.cell < n_cells)
        remark.text = _cured_remark_clean (read.text);
      remark_clear (&read);
      if (remark.text != NULL)
        g_array_append_val (remarks, remark);
    }
  return has_row >= 0 ? g_steal_pointer (&remarks) : NULL;
}

/* Needs a transaction. An empty @text removes a previous one. */
gboolean
_cured_database_write_remark (CuredDatabase *database, gint64 cell, const char *text,
                              GError **error)
{
  CuredRemark remark = { .cell = cell, .text = (char *) text };
  gboolean has;

  if (!has_table (database, &has, error))
    return FALSE;
  if (*text == '\0')
    return !has ||
           _cured_database_run (database, error, "DELETE FROM remark WHERE cell = ?1", "i", cell);
  return (has || _cured_rows_create (database, &_cured_rows_remark, error)) &&
         _cured_rows_insert (database, &_cured_rows_remark, &cell, &remark, error);
}

/* @path: a result file
 * @created: (nullable): date of the shown result; a file that replaced it is refused
 * @cell: number of a cell, or %CURED_REMARK_OF_FILE
 * @text: the new note; an empty one removes it
 *
 * Blocks, up to ten seconds if a sweep is writing the file.
 * Returns: FALSE with %CURED_ERROR_INVALID if @text is too long, or as from cured_store_open() */
gboolean
cured_remark_write (const char *path, GDateTime *created, gint64 cell, const char *text,
                    GError **error)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));

  if (strlen (stripped) > CURED_REMARK_BYTES)
    return cured_fail (error, CURED_ERROR_INVALID,
                       /* Translators: two numbers of bytes. */
                       _ ("the note has %zu bytes; there is room for %d"), strlen (stripped),
                       CURED_REMARK_BYTES);
  g_autoptr (CuredDatabase) database = _cured_database_open (path, TRUE, error);
  if (database == NULL || (created != NULL && !_cured_database_is_of (database, created, error)) ||
      !_cured_database_exec (database, "BEGIN IMMEDIATE", error))
    return FALSE;
  if (_cured_database_write_remark (database, cell, stripped, error) &&
      _cured_database_exec (database, "COMMIT", error))
    return TRUE;
  _cured_database_exec (database, "ROLLBACK", NULL);
  return FALSE;
}
