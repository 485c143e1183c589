/* SPDX-License-Identifier: MIT
 * The SQLite side of a result file: opening, statements, errors. */
#include "config.h"

#include "store/cured-database-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/cured-base-internal.h"
#include "store/cured-store.h"

/* A result file's longest text is a kernel's source; a damaged length must not become an allocation
 * of a gigabyte. */
#define MAX_TEXT_BYTES (1 << 27)

/* Far more than the statements and the schema of a result file need. */
#define MAX_SQL_BYTES     (1 << 20)
#define MAX_EXPR_DEPTH    50
#define MAX_PATTERN_BYTES 50

/* Size of an SQLite database's header. */
#define HEADER_BYTES 100

/* How long to wait for another process's transaction, which takes milliseconds. */
#define BUSY_MS 10000

/* Limit of a statement's time, in SQLite instructions, including nested statements. SQLite does not
 * notice pages that share a child, so that a few damaged pages can yield trillions of rows. Real
 * files need at most a tenth of a step per byte. */
#define STEPS_A_CALL   20000
#define MAX_STEPS      ((gint64) 10 * 1000 * 1000)
#define STEPS_PER_BYTE 10

static sqlite3_file *
get_file (CuredDatabase *self, const char *name)
{
  sqlite3_file *file = NULL;

  if (sqlite3_file_control (self->handle, name, SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      file == NULL || file->pMethods == NULL)
    return NULL;
  return file;
}

static gboolean
has_many_steps (CuredDatabase *self)
{
  static const char *const names[] = { "main", "source", "temp" };
  gint64 n_steps = (gint64) self->n_calls * STEPS_A_CALL - MAX_STEPS, all_bytes = 0;
  int cached_bytes = 0, most;

  if (n_steps <= 0)
    return FALSE;
  /* Unwritten pages are in the cache only. */
  sqlite3_db_status (self->handle, SQLITE_DBSTATUS_CACHE_USED, &cached_bytes, &most, FALSE);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      sqlite3_file *file = get_file (self, names[i]);
      sqlite3_int64 bytes = 0;

      if (file != NULL)
        file->pMethods->xFileSize (file, &bytes);
      all_bytes += bytes;
    }
  return n_steps / STEPS_PER_BYTE > all_bytes + cached_bytes;
}

static int
progress_cb (gpointer user_data)
{
  CuredDatabase *self = user_data;

  self->n_calls++;
  /* Preparing reads the schema and parses each of its rows, of which 20000 steps read thousands. */
  return g_cancellable_is_cancelled (self->cancellable) || self->is_preparing ||
         has_many_steps (self);
}

/* Restarts the count unless another statement is running. */
static void
begin_counting (CuredDatabase *self)
{
  for (sqlite3_stmt *statement = sqlite3_next_stmt (self->handle, NULL); statement != NULL;
       statement = sqlite3_next_stmt (self->handle, statement))
    if (sqlite3_stmt_busy (statement))
      return;
  self->n_calls = 0;
}

/* Reads the first bytes through SQLite's own descriptor, since closing a second one would drop this
 * process's locks on the file. Missing bytes are 0. */
static void
read_header (CuredDatabase *self, guint8 header[HEADER_BYTES])
{
  sqlite3_file *file = get_file (self, "main");
  int code = SQLITE_IOERR;

  if (file != NULL)
    code = file->pMethods->xRead (file, header, HEADER_BYTES, 0);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
    memset (header, 0, HEADER_BYTES);
}

static gboolean
has_our_header (CuredDatabase *self)
{
  guint8 header[HEADER_BYTES];
  guint32 id;

  read_header (self, header);
  memcpy (&id, header + 68, sizeof id);
  return memcmp (header, "SQLite format 3", 16) == 0 &&
         GUINT32_FROM_BE (id) == CURED_STORE_APPLICATION_ID;
}

static gboolean
fail_foreign (const char *name, GError **error)
{
  return cured_fail (
      error, CURED_ERROR_FOREIGN,
      _ ("“%s” is not a Cured result file. Result files are written by “cured run” and "
         "end in .cured."),
      name);
}

/* FALSE, with CURED_ERROR_DAMAGED */
gboolean
_cured_database_damaged (CuredDatabase *self, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  /* @what may quote the file. */
  g_autofree char *valid = g_utf8_make_valid (what, -1);
  return cured_fail (
      error, CURED_ERROR_DAMAGED,
      _ ("The result file “%s” is cut or damaged: %s. Take another copy of it, or run the "
         "sweep again."),
      self->name, valid);
}

static gboolean
fail_full (const CuredDatabase *self, GError **error)
{
  return cured_fail (
      error, CURED_ERROR_STORAGE,
      self->is_new ? _ ("The disk that is to hold “%s” is full. Nothing was written, and a file of "
                        "that name is as it was; free some space, or choose another folder.")
                   : _ ("The disk that holds “%s” is full. What was finished before is in the "
                        "file; free some space, then continue with --resume."),
      self->name);
}

/* Whether a write failed because of “ulimit -f”, which SQLite does not report. */
static gboolean
is_past_limit (const CuredDatabase *self)
{
  int code = sqlite3_extended_errcode (self->handle);
  struct rlimit limit;

  return (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_TRUNCATE) &&
         getrlimit (RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* FALSE. Sets @error from SQLite's last error: CURED_ERROR_DAMAGED for bad content,
 * CURED_ERROR_STORAGE for the disk. */
gboolean
_cured_database_fail (CuredDatabase *self, GError **error)
{
  int code = sqlite3_errcode (self->handle), system_errno = sqlite3_system_errno (self->handle);
  const char *said = sqlite3_errmsg (self->handle);

  switch (code)
    {
    case SQLITE_INTERRUPT:
      if (self->cancellable != NULL &&
          g_cancellable_set_error_if_cancelled (self->cancellable, error))
        return FALSE;
      return _cured_database_damaged (self, error, _ ("it has more rows than there is room for"));
    case SQLITE_FULL: return fail_full (self, error);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      if (sqlite3_extended_errcode (self->handle) == SQLITE_READONLY_DBMOVED)
        g_set_error (error, CURED_ERROR, CURED_ERROR_STORAGE,
                     _ ("The file “%s” was moved, deleted or replaced while it was being written. "
                        "If it is elsewhere now, continue there with --resume."),
                     self->name);
      else
        g_set_error (error, CURED_ERROR, CURED_ERROR_STORAGE,
                     _ ("“%s” or its folder can't be written (%s). Check the permissions of both, "
                        "or choose another folder."),
                     self->name, system_errno != 0 ? g_strerror (system_errno) : said);
      return FALSE;
    case SQLITE_IOERR:
      /* The user's quota, or the limit of a file's size. */
      if (system_errno == EDQUOT || system_errno == EFBIG || system_errno == ENOSPC ||
          is_past_limit (self))
        return fail_full (self, error);
      return cured_fail (
          error, CURED_ERROR_STORAGE,
          _ ("Reading or writing “%s” failed (%s). Check the disk, or choose another folder."),
          self->name, system_errno != 0 ? g_strerror (system_errno) : said);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return cured_fail (error, CURED_ERROR_STORAGE,
                         _ ("Another program keeps “%s” locked. Close it there, then try again."),
                         self->name);
    case SQLITE_NOMEM:
      return cured_fail (error, CURED_ERROR_STORAGE, _ ("There is not enough memory for “%s”."),
                         self->name);
    case SQLITE_NOTADB:
      if (!has_our_header (self))
        return fail_foreign (self->name, error);
      break;
    default: break;
    }
  return _cured_database_damaged (self, error, "%s", said);
}

static void
finalize (gpointer statement)
{
  sqlite3_finalize (statement);
}

static CuredDatabase *
database_new (const char *path)
{
  CuredDatabase *self =
      CURED_NEW (CuredDatabase, .path = g_strdup (path), .name = g_filename_display_name (path),
                 .statements = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, finalize));

  return self;
}

/* SQLite deletes the file that the end of a journal names as its super-journal, whichever file that
 * is. A result file never has one, since nothing is attached to it. */
static gboolean
check_journal (CuredDatabase *self, GError **error)
{
  static const guint8 magic[] = {
    0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7,
  };
  const char *journal = sqlite3_filename_journal (sqlite3_db_filename (self->handle, "main"));
  guint8 end[sizeof magic];
  FILE *file = g_fopen (journal, "rbe");

  if (file == NULL)
    return TRUE;
  gboolean is_other = fseek (file, -(long) sizeof end, SEEK_END) == 0 &&
                      fread (end, 1, sizeof end, file) == sizeof end &&
                      memcmp (end, magic, sizeof end) == 0;
  fclose (file);
  return !is_other ||
         _cured_database_damaged (self, error, _ ("its journal is not one of Cured's"));
}

/* Even to read a file in WAL mode, SQLite would write two files beside it, and read an existing
 * WAL. A file with a WAL file beside it counts as one, too. */
static gboolean
check_mode (CuredDatabase *self, GError **error)
{
  const char *wal = sqlite3_filename_wal (sqlite3_db_filename (self->handle, "main"));
  guint8 header[HEADER_BYTES];

  read_header (self, header);
  if (header[18] != 2 && header[19] != 2 && !g_file_test (wal, G_FILE_TEST_EXISTS))
    return TRUE;
  if (!has_our_header (self))
    return fail_foreign (self->name, error);
  return _cured_database_damaged (self, error,
                                  _ ("it is in SQLite's WAL mode, and no result file is"));
}

/* Opens the connection. The path is made absolute, so that ":memory:" and a later chdir() do not
 * change its meaning. */
static gboolean
connect_to (CuredDatabase *self, int flags, GError **error)
{
  g_autofree char *absolute = g_canonicalize_filename (self->path, NULL);

  if (sqlite3_open_v2 (absolute, &self->handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
                       NULL) != SQLITE_OK)
    return _cured_database_fail (self, error);

  /* Nothing in an untrusted file may be executed. */
  sqlite3_db_config (self->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (self->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (self->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config (self->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_limit (self->handle, SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES);
  sqlite3_limit (self->handle, SQLITE_LIMIT_SQL_LENGTH, MAX_SQL_BYTES);
  sqlite3_limit (self->handle, SQLITE_LIMIT_EXPR_DEPTH, MAX_EXPR_DEPTH);
  sqlite3_limit (self->handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN_BYTES);
  sqlite3_limit (self->handle, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  sqlite3_limit (self->handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_busy_timeout (self->handle, BUSY_MS);
  sqlite3_progress_handler (self->handle, STEPS_A_CALL, progress_cb, self);
  /* None of these reads the file. */
  return check_journal (self, error) && check_mode (self, error) &&
         _cured_database_exec (self, "PRAGMA cell_size_check = ON;PRAGMA mmap_size = 0;", error);
}

/* A writer that was killed in the middle of a transaction leaves a journal; only a connection that
 * may write can play it back. */
static gboolean
needs_recovery (CuredDatabase *self)
{
  const char *journal = sqlite3_filename_journal (sqlite3_db_filename (self->handle, "main"));

  switch (sqlite3_errcode (self->handle))
    {
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN: return g_file_test (journal, G_FILE_TEST_EXISTS);
    default: return FALSE;
    }
}

/* SQLite has one error for missing and unreadable files. */
static gboolean
check_file (CuredDatabase *self, GError **error)
{
  GStatBuf status;

  if (g_stat (self->path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _ ("There is no file “%s”."), self->name);
  else if (g_access (self->path, R_OK) != 0)
    g_set_error (error, CURED_ERROR, CURED_ERROR_STORAGE,
                 _ ("“%s” can't be read (%s). Check its permissions and those of its folder."),
                 self->name, g_strerror (errno));
  else if (!S_ISREG (status.st_mode))
    g_set_error (error, CURED_ERROR, CURED_ERROR_FOREIGN,
                 S_ISDIR (status.st_mode) ? _ ("“%s” is a folder, not a Cured result file.")
                                          : _ ("“%s” is not a regular file."),
                 self->name);
  else
    return TRUE;
  return FALSE;
}

/* (transfer full) (nullable): an existing file, if its identity and version are right; otherwise
 * G_IO_ERROR_NOT_FOUND, CURED_ERROR_FOREIGN, _NEWER, _DAMAGED or _STORAGE. */
CuredDatabase *
_cured_database_connect (const char *path, gboolean writable, GError **error)
{
  g_autoptr (CuredDatabase) self = database_new (path);
  int flags = writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  gint64 application_id = 0, version = 0, schema_version;

  if (!check_file (self, error))
    return NULL;
  if (!connect_to (self, flags, error))
    return NULL;
  /* The first statement that needs the file itself; a journal that was left behind is found
   * here. */
  if (!_cured_database_get_integer (self, "PRAGMA schema_version", &schema_version, NULL) &&
      !writable && needs_recovery (self))
    {
      sqlite3_close (self->handle);
      self->handle = NULL;
      if (!connect_to (self, SQLITE_OPEN_READWRITE, error))
        return NULL;
      if (!_cured_database_get_integer (self, "PRAGMA schema_version", &schema_version, NULL))
        return cured_fail_null (
            error, CURED_ERROR_STORAGE,
            _ ("The sweep that wrote “%s” was stopped in the middle of a write, and the "
               "file can't be repaired where it is. Copy it, together with "
               "“%s-journal”, into a folder that you can write, and open it there."),
            self->name, self->name);
    }

  if (!_cured_database_get_integer (self, "PRAGMA application_id", &application_id, error))
    return NULL;
  if (application_id != CURED_STORE_APPLICATION_ID)
    {
      fail_foreign (self->name, error);
      return NULL;
    }
  if (!_cured_database_get_integer (self, "PRAGMA user_version", &version, error))
    return NULL;
  if (version > CURED_STORE_VERSION)
    return cured_fail_null (
        error, CURED_ERROR_NEWER,
        _ ("“%s” has format version %d, and this Cured (%s) reads up to version %d. "
           "Update Cured to open it."),
        self->name, (int) version, CURED_VERSION, CURED_STORE_VERSION);
  if (version < 1)
    {
      _cured_database_damaged (self, error, _ ("it has no format version"));
      return NULL;
    }
  return g_steal_pointer (&self);
}

/* (transfer full) (nullable): an empty database, in a file that is empty or missing */
CuredDatabase *
_cured_database_create (const char *path, GError **error)
{
  g_autoptr (CuredDatabase) self = database_new (path);

  self->is_new = TRUE;
  if (!connect_to (self, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error) ||
      !_cured_database_exec (
          self,
          "PRAGMA page_size = 4096;PRAGMA encoding = 'UTF-8';PRAGMA foreign_keys = ON;PRAGMA "
          "journal_mode = DELETE;PRAGMA synchronous = FULL;",
          error))
    return NULL;
  return g_steal_pointer (&self);
}

CURED_DEFINE_FREE (CuredDatabase, _cured_database_close, statements, g_hash_table_unref, handle,
                   sqlite3_close, cancellable, g_object_unref, path, g_free, name, g_free)

void
_cured_database_set_cancellable (CuredDatabase *self, GCancellable *cancellable)
{
  g_set_object (&self->cancellable, cancellable);
}

gboolean
_cured_database_exec (CuredDatabase *self, const char *sql, GError **error)
{
  begin_counting (self);
  if (sqlite3_exec (self->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
    return _cured_database_fail (self, error);
  return TRUE;
}

/* Attaches a checked file as the database `source`, to read from. */
gboolean
_cured_database_attach (CuredDatabase *self, const char *path, GError **error)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *uri = g_filename_to_uri (absolute, NULL, error);
  g_autofree char *read_only = uri != NULL ? g_strconcat (uri, "?mode=ro", NULL) : NULL;

  sqlite3_limit (self->handle, SQLITE_LIMIT_ATTACHED, 1);
  return uri != NULL && _cured_database_run (self, error, "ATTACH ?1 AS source", "t", read_only);
}

/* (transfer full) (nullable): a missing table or column is CURED_ERROR_DAMAGED */
sqlite3_stmt *
_cured_database_prepare (CuredDatabase *self, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;

  self->is_preparing = TRUE;
  int code = sqlite3_prepare_v2 (self->handle, sql, -1, &statement, NULL);
  self->is_preparing = FALSE;
  if (code != SQLITE_OK)
    {
      _cured_database_fail (self, error);
      return NULL;
    }
  return statement;
}

/* As _cured_database_prepare(), but cached, for statements that are used often. */
static sqlite3_stmt *
keep (CuredDatabase *self, const char *sql, GError **error)
{
  sqlite3_stmt *statement = g_hash_table_lookup (self->statements, sql);

  if (statement != NULL)
    return statement;
  statement = _cured_database_prepare (self, sql, error);
  if (statement != NULL)
    g_hash_table_insert (self->statements, g_strdup (sql), statement);
  return statement;
}

/* 1: the statement is on its next row; 0: there is none; -1: an error. If @statement is NULL,
 * @error is already set. */
int
_cured_database_next (CuredDatabase *self, sqlite3_stmt *statement, GError **error)
{
  if (statement == NULL)
    return -1;
  begin_counting (self);
  int code = sqlite3_step (statement);
  if (code == SQLITE_ROW || code == SQLITE_DONE)
    return code == SQLITE_ROW;
  _cured_database_fail (self, error);
  return -1;
}

/* Checks that rows are strictly ascending in @column, which bounds the memory for them. @last is
 * the previous row's value; G_MININT64 for the first. */
gboolean
_cured_database_check_order (CuredDatabase *self, sqlite3_stmt *statement, int column, gint64 *last,
                             GError **error)
{
  gint64 key = sqlite3_column_int64 (statement, column);

  if (key <= *last)
    return _cured_database_damaged (self, error, _ ("row %lld of a table is repeated"),
                                    (long long) key);
  *last = key;
  return TRUE;
}

/* Runs a bound statement without results, and resets it. */
gboolean
_cured_database_step (CuredDatabase *self, sqlite3_stmt *statement, GError **error)
{
  gboolean ok = _cured_database_next (self, statement, error) >= 0;

  sqlite3_reset (statement);
  sqlite3_clear_bindings (statement);
  return ok;
}

static gboolean
bind (sqlite3_stmt *statement, const char *types, va_list values)
{
  for (int i = 0; statement != NULL && types[i] != '\0'; i++)
    if (types[i] == 'i')
      sqlite3_bind_int64 (statement, i + 1, va_arg (values, gint64));
    else if (types[i] == 'r')
      _cured_database_bind_double (statement, i + 1, va_arg (values, double));
    else
      _cured_database_bind_text (statement, i + 1, va_arg (values, const char *));
  return statement != NULL;
}

/* Runs a cached statement. @types: types of the values: “i” gint64, “r” double, “t” text */
gboolean
_cured_database_run (CuredDatabase *self, GError **error, const char *sql, const char *types, ...)
{
  sqlite3_stmt *statement = keep (self, sql, error);
  va_list values;

  va_start (values, types);
  gboolean ok = bind (statement, types, values);
  va_end (values);
  return ok && _cured_database_step (self, statement, error);
}

/* (transfer full) (nullable): a query with values as for _cured_database_run() */
sqlite3_stmt *
_cured_database_query (CuredDatabase *self, GError **error, const char *sql, const char *types, ...)
{
  sqlite3_stmt *statement = _cured_database_prepare (self, sql, error);
  va_list values;

  va_start (values, types);
  bind (statement, types, values);
  va_end (values);
  return statement;
}

/* The integer that a query of ?1 returns; 0 if it has no row. The database keeps the statement. */
gboolean
_cured_database_look_up (CuredDatabase *self, const char *sql, gint64 key, gint64 *value,
                         GError **error)
{
  sqlite3_stmt *statement = keep (self, sql, error);

  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, key);
  int has_row = _cured_database_next (self, statement, error);
  *value = has_row > 0 ? sqlite3_column_int64 (statement, 0) : 0;
  sqlite3_reset (statement);
  return has_row >= 0;
}

/* The integer that a query without values returns; 0 if it has no row. */
gboolean
_cured_database_get_integer (CuredDatabase *self, const char *sql, gint64 *value, GError **error)
{
  g_autoptr (sqlite3_stmt) statement = _cured_database_prepare (self, sql, error);
  int has_row = _cured_database_next (self, statement, error);

  *value = has_row > 0 ? sqlite3_column_int64 (statement, 0) : 0;
  return has_row >= 0;
}

/* (transfer full) (nullable): always valid UTF-8, and at most @most bytes; 0: no
 * limit */
char *
_cured_database_dup_text (sqlite3_stmt *statement, int column, gsize most)
{
  const char *text = (const char *) sqlite3_column_text (statement, column);
  g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  return valid != NULL ? _cured_text_shorten (valid, most) : NULL;
}

double
_cured_database_get_double (sqlite3_stmt *statement, int column)
{
  switch (sqlite3_column_type (statement, column))
    {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT: return sqlite3_column_double (statement, column);
    default: return CURED_MISSING;
    }
}

void
_cured_database_bind_double (sqlite3_stmt *statement, int parameter, double value)
{
  if (isnan (value))
    sqlite3_bind_null (statement, parameter);
  else
    sqlite3_bind_double (statement, parameter, value);
}

/* Converts the text, which may be a program's output, to valid UTF-8, since others read the
 * file. */
void
_cured_database_bind_text (sqlite3_stmt *statement, int parameter, const char *text)
{
  if (text == NULL)
    sqlite3_bind_null (statement, parameter);
  else if (g_utf8_validate (text, -1, NULL))
    sqlite3_bind_text (statement, parameter, text, -1, SQLITE_TRANSIENT);
  else
    sqlite3_bind_text (statement, parameter, g_utf8_make_valid (text, -1), -1, g_free);
}

/* UTC, ISO 8601 with milliseconds: always 24 characters, so that texts sort as dates. Dates after
 * the year 9999 become the last moment before. */
char *
_cured_database_format_date (GDateTime *date)
{
  g_autoptr (GDateTime) utc = g_date_time_to_utc (date);

  return utc == NULL || g_date_time_get_year (utc) > 9999
             ? g_strdup ("9999-12-31T23:59:59.999Z")
             : g_strdup_printf ("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", g_date_time_get_year (utc),
                                g_date_time_get_month (utc), g_date_time_get_day_of_month (utc),
                                g_date_time_get_hour (utc), g_date_time_get_minute (utc),
                                g_date_time_get_second (utc),
                                g_date_time_get_microsecond (utc) / 1000);
}

char *
_cured_database_now (void)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  return now != NULL ? _cured_database_format_date (now) : g_strdup ("9999-12-31T23:59:59.999Z");
}
