/* SPDX-License-Identifier: MIT
 * Creates, writes and reads tables of a result file by field tables. */
#include "store/cured-database-private.h"

#include "base/cured-base-internal.h"

typedef struct _Walk Walk;

/* A walk over all columns, in order.
 *
 * @func: called for each column; @of is NULL if there is no struct, or not of that record
 * @skips_absent: all columns of a missing nullable record are NULL */
struct _Walk
{
  void (*func) (Walk *self, const CuredFieldInfo *field, gpointer of, const char *prefix,
                const char *suffix, gboolean is_nullable);
  gboolean skips_absent;
  GString *sql;
  sqlite3_stmt *statement;
  int column;
  const char *wrong; /* the first invalid field */
};

#define AT(of, field)   ((gpointer) ((guint8 *) (of) + (field)->offset))
#define VALUE(type, at) (*(type *) (at))

static void
walk (Walk *self, const CuredRecordInfo *info, gpointer of, const char *prefix,
      gboolean is_nullable)
{
  static const char *const axes[] = { "_x", "_y", "_z" };

  for (gsize i = 0; i < info->n_fields; i++)
    {
      const CuredFieldInfo *field = &info->fields[i];
      gboolean may_be_null = (field->flags & CURED_FIELD_NULLABLE) != 0;

      if ((field->flags & CURED_FIELD_NO_COLUMN) != 0)
        continue;
      if (field->type == CURED_FIELD_RECORD)
        {
          gboolean is_absent = of == NULL || (self->skips_absent && may_be_null &&
                                              _cured_field_is_default (field, of));

          walk (self, field->of, is_absent ? NULL : AT (of, field), field->prefix,
                is_nullable || may_be_null);
        }
      else if (field->type == CURED_FIELD_INTEGERS)
        for (gsize k = 0; k < field->n && k < G_N_ELEMENTS (axes); k++)
          {
            CuredFieldInfo one = *field;

            one.type = CURED_FIELD_INTEGER;
            one.offset += k * field->size;
            self->func (self, &one, of, prefix, axes[k], is_nullable || may_be_null);
          }
      else
        self->func (self, field, of, prefix, "", is_nullable || may_be_null);
    }
}

static gboolean
is_integer (const CuredFieldInfo *field)
{
  return field->type == CURED_FIELD_INTEGER || field->type == CURED_FIELD_BOOLEAN ||
         (field->flags & CURED_FIELD_NUMBER) != 0;
}

/* Making */

static void
append_column (Walk *self, const CuredFieldInfo *field, gpointer of, const char *prefix,
               const char *suffix, gboolean is_nullable)
{
  g_string_append_printf (self->sql, ", %s%s%s %s%s", prefix, field->name, suffix,
                          is_integer (field)                ? "INTEGER"
                          : field->type == CURED_FIELD_REAL ? "REAL"
                                                            : "TEXT",
                          is_nullable ? "" : " NOT NULL");
}

gboolean
_cured_rows_create (CuredDatabase *self, const CuredRows *rows, GError **error)
{
  g_autoptr (GString) columns = g_string_new (NULL);
  g_autofree char *sql = NULL;

  for (gsize i = 0; rows->keys[i] != NULL; i++)
    g_string_append_printf (columns, ", %s INTEGER NOT NULL", rows->keys[i]);
  walk (&(Walk){ .func = append_column, .sql = columns }, rows->info, NULL, "", FALSE);
  sql = g_strdup_printf ("CREATE TABLE %s (%s%s", rows->name, columns->str + 2, rows->end);
  return _cured_database_exec (self, sql, error);
}

/* Writing */

static void
bind_column (Walk *self, const CuredFieldInfo *field, gpointer of, const char *prefix,
             const char *suffix, gboolean is_nullable)
{
  gpointer at = AT (of, field);
  int parameter = self->column++;
  g_autofree char *date = NULL;

  if (of == NULL)
    return;
  if (is_integer (field))
    sqlite3_bind_int64 (self->statement, parameter, _cured_field_get_integer (field, at));
  else if (field->type == CURED_FIELD_REAL)
    _cured_database_bind_double (self->statement, parameter, VALUE (double, at));
  else if (field->type == CURED_FIELD_NAME)
    _cured_database_bind_text (self->statement, parameter,
                               field->get_name ((int) _cured_field_get_integer (field, at)));
  else if (field->type == CURED_FIELD_DATE)
    {
      date = VALUE (GDateTime *, at) != NULL ? _cured_database_format_date (VALUE (GDateTime *, at))
                                             : _cured_database_now ();
      _cured_database_bind_text (self->statement, parameter, date);
    }
  else
    _cured_database_bind_text (self->statement, parameter,
                               VALUE (char *, at) != NULL || is_nullable ? VALUE (char *, at) : "");
}

static void
append_parameter (Walk *self, const CuredFieldInfo *field, gpointer of, const char *prefix,
                  const char *suffix, gboolean is_nullable)
{
  g_string_append (self->sql, ", ?");
}

static sqlite3_stmt *
keep_insert (CuredDatabase *self, const CuredRows *rows, GError **error)
{
  sqlite3_stmt *statement = g_hash_table_lookup (self->statements, rows->name);

  if (statement != NULL)
    return statement;
  g_autoptr (GString) sql = g_string_new (NULL);
  for (gsize i = 0; rows->keys[i] != NULL; i++)
    g_string_append (sql, ", ?");
  walk (&(Walk){ .func = append_parameter, .sql = sql }, rows->info, NULL, "", FALSE);
  sql->str[0] = '(';
  g_autofree char *text = g_strdup_printf (
      "INSERT%s INTO %s VALUES %s)", rows->is_replaced ? " OR REPLACE" : "", rows->name, sql->str);
  statement = _cured_database_prepare (self, text, error);
  if (statement != NULL)
    g_hash_table_insert (self->statements, g_strdup (rows->name), statement);
  return statement;
}

gboolean
_cured_rows_insert (CuredDatabase *self, const CuredRows *rows, const gint64 *keys,
                    gconstpointer of, GError **error)
{
  Walk binding = { .func = bind_column,
                   .skips_absent = TRUE,
                   .statement = keep_insert (self, rows, error),
                   .column = 1 };

  if (binding.statement == NULL)
    return FALSE;
  for (gsize i = 0; rows->keys[i] != NULL; i++)
    sqlite3_bind_int64 (binding.statement, binding.column++, keys[i]);
  walk (&binding, rows->info, (gpointer) of, "", FALSE);
  return _cured_database_step (self, binding.statement, error);
}

/* Reading */

static void
append_name (Walk *self, const CuredFieldInfo *field, gpointer of, const char *prefix,
             const char *suffix, gboolean is_nullable)
{
  g_string_append_printf (self->sql, ", %s%s%s", prefix, field->name, suffix);
}

/* (transfer full): keys, then fields, with commas between them */
char *
_cured_rows_list_columns (const CuredRows *rows)
{
  GString *sql = g_string_new (NULL);

  for (gsize i = 0; rows->keys[i] != NULL; i++)
    g_string_append_printf (sql, ", %s", rows->keys[i]);
  walk (&(Walk){ .func = append_name, .sql = sql }, rows->info, NULL, "", FALSE);
  g_string_erase (sql, 0, 2);
  return g_string_free (sql, FALSE);
}

/* @rest: SQL behind the table's name. */
sqlite3_stmt *
_cured_rows_select (CuredDatabase *self, const CuredRows *rows, const char *rest, GError **error)
{
  g_autofree char *columns = _cured_rows_list_columns (rows);
  g_autofree char *sql = g_strdup_printf ("SELECT %s FROM %s %s", columns, rows->name, rest);

  return _cured_database_prepare (self, sql, error);
}

/* Selects the rows of one cell. */
sqlite3_stmt *
_cured_rows_select_of (CuredDatabase *self, const CuredRows *rows, const char *rest, gint64 cell,
                       GError **error)
{
  g_autofree char *where = g_strconcat ("WHERE cell = ?1 ", rest, NULL);
  sqlite3_stmt *statement = _cured_rows_select (self, rows, where, error);

  if (statement != NULL)
    sqlite3_bind_int64 (statement, 1, cell);
  return statement;
}

static gboolean
read_value (const CuredFieldInfo *field, gpointer at, sqlite3_stmt *statement, int column)
{
  gboolean is_missing = sqlite3_column_type (statement, column) == SQLITE_NULL;
  double real;
  int value;

  if (is_integer (field))
    return is_missing ||
           _cured_field_set_integer (field, at, sqlite3_column_int64 (statement, column));
  if (field->type == CURED_FIELD_REAL)
    {
      real = _cured_database_get_double (statement, column);
      VALUE (double, at) = real;
      return is_missing ? (field->flags & CURED_FIELD_NULLABLE) != 0
                        : _cured_field_takes_real (field, real);
    }
  g_autofree char *text = _cured_database_dup_text (
      statement, column, field->type == CURED_FIELD_TEXT ? (gsize) field->most : 0);
  if (field->type == CURED_FIELD_NAME)
    {
      if (_cured_field_find_name (field, text, &value))
        return _cured_field_set_integer (field, at, value);
      return (field->flags & CURED_FIELD_REQUIRED) == 0;
    }
  if (field->type == CURED_FIELD_DATE)
    {
      g_autoptr (GTimeZone) utc = g_time_zone_new_utc ();

      g_clear_pointer (&VALUE (GDateTime *, at), g_date_time_unref);
      VALUE (GDateTime *, at) = text != NULL ? g_date_time_new_from_iso8601 (text, utc) : NULL;
      return VALUE (GDateTime *, at) != NULL;
    }
  g_free (VALUE (char *, at));
  VALUE (char *, at) = g_steal_pointer (&text);
  return !is_missing || (field->flags & CURED_FIELD_NULLABLE) != 0;
}

static void
read_column (Walk *self, const CuredFieldInfo *field, gpointer of, const char *prefix,
             const char *suffix, gboolean is_nullable)
{
  int column = self->column++;

  if (!read_value (field, AT (of, field), self->statement, column) &&
      !(is_nullable && sqlite3_column_type (self->statement, column) == SQLITE_NULL) &&
      self->wrong == NULL)
    self->wrong = field->name;
}

/* Fills @of, which is new, from the current row of @statement, from _cured_rows_select(). */
gboolean
_cured_rows_get (CuredDatabase *self, const CuredRows *rows, sqlite3_stmt *statement, gpointer of,
                 GError **error)
{
  Walk reading = { .func = read_column, .statement = statement };

  while (rows->keys[reading.column] != NULL)
    reading.column++;
  walk (&reading, rows->info, of, "", FALSE);
  if ((rows->info->finish == NULL || rows->info->finish (of)) && reading.wrong == NULL)
    return TRUE;
  return _cured_database_damaged (self, error, _ ("the value of %s.%s can't be"), rows->name,
                                  reading.wrong != NULL ? reading.wrong
                                                        : rows->info->fields[0].name);
}

static void
free_record (const CuredRecordInfo *info, gpointer of)
{
  if (info->free != NULL)
    info->free (of);
  else
    {
      _cured_record_clear (info, of);
      g_free (of);
    }
}

/* Adds the row's record to @into, unless its kind is unknown. */
gboolean
_cured_rows_take (CuredDatabase *self, const CuredRows *rows, sqlite3_stmt *statement,
                  GPtrArray *into, GError **error)
{
  const CuredRecordInfo *info = rows->info;
  gpointer of = _cured_record_new (info);
  gboolean ok = _cured_rows_get (self, rows, statement, of, error);

  if (ok && (info->is_known == NULL || info->is_known (of)))
    g_ptr_array_add (into, of);
  else
    free_record (info, of);
  return ok;
}

/* Adds all rows of a cell, which are numbered. */
gboolean
_cured_rows_read (CuredDatabase *self, const CuredRows *rows, gint64 cell, GPtrArray *into,
                  GError **error)
{
  g_autoptr (sqlite3_stmt) statement =
      _cured_rows_select_of (self, rows, "ORDER BY number", cell, error);
  gint64 last = G_MININT64;
  int has_row;

  while ((has_row = _cured_database_next (self, statement, error)) > 0)
    if (!_cured_database_check_order (self, statement, 1, &last, error) ||
        !_cured_rows_take (self, rows, statement, into, error))
      return FALSE;
  return has_row == 0;
}
