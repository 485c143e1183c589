/* SPDX-License-Identifier: MIT
 * Copies a result file. */
#include "store/cured-store.h"

#include <errno.h>
#include <fcntl.h>

#include <glib/gstdio.h>

#include "base/cured-base-internal.h"
#include "store/cured-database-private.h"

static gboolean
copy_pages (CuredDatabase *from, CuredDatabase *to, GError **error)
{
  sqlite3_backup *backup = sqlite3_backup_init (to->handle, "main", from->handle, "main");

  if (backup == NULL)
    return _cured_database_fail (to, error);
  sqlite3_backup_step (backup, -1);
  /* SQLite stores the error in the destination. */
  if (sqlite3_backup_finish (backup) != SQLITE_OK)
    return _cured_database_fail (to, error);
  return TRUE;
}

/* @copy_path: a path without a file
 * @error: as from cured_result_load() for @path; CURED_ERROR_STORAGE if @copy_path exists or can't
 *   be written
 *
 * Copies the current state of a file, even while a sweep is writing it. Blocks. A copy that fails
 * leaves no file behind.
 * Returns: %FALSE with an error */
gboolean
cured_store_copy (const char *path, const char *copy_path, GError **error)
{
  g_return_val_if_fail (path != NULL && copy_path != NULL, FALSE);

  g_autoptr (CuredDatabase) from = _cured_database_open (path, FALSE, error);
  if (from == NULL)
    return FALSE;
  int descriptor = g_open (copy_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    {
      g_autofree char *name = g_filename_display_name (copy_path);

      return cured_fail (error, CURED_ERROR_STORAGE,
                         _ ("“%s” can't be written (%s). Check the folder, or choose another one."),
                         name, g_strerror (errno));
    }
  g_close (descriptor, NULL);
  g_autoptr (CuredDatabase) to = _cured_database_create (copy_path, error);
  if (to != NULL && copy_pages (from, to, error))
    return TRUE;
  g_unlink (copy_path);
  return FALSE;
}
