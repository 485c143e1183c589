/* SPDX-License-Identifier: MIT
 * Writes a file completely or not at all. */
#include "base/cured-base-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
set_storage_error (GError **error, const char *path, int code)
{
  g_autofree char *name = g_filename_display_name (path);

  return cured_fail (error, CURED_ERROR_STORAGE, _ ("%s: can't be written: %s"), name,
                     g_strerror (code));
}

/* The domain of an error can't be changed, since ours has additional data. */
static void
propagate (GError **error, GError *problem, const char *path)
{
  g_autofree char *name = g_filename_display_name (path);

  if (problem->domain == G_IO_ERROR && !g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      GError *stored =
          g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_NO_SPACE)
              ? g_error_new (CURED_ERROR, CURED_ERROR_STORAGE,
                             _ ("the disk is full, and a file of that name is as it was; free some "
                                "space, or choose another folder"))
              : g_error_new_literal (CURED_ERROR, CURED_ERROR_STORAGE, problem->message);

      g_error_free (problem);
      problem = stored;
    }
  g_propagate_prefixed_error (error, problem, "%s: ", name);
}

/* Writes all to @fd, which is closed. */
static gboolean
write_to (int fd, const char *path, CuredOutputFunc func, gpointer user_data,
          GCancellable *cancellable, GError **error)
{
  g_autoptr (GOutputStream) stream = g_unix_output_stream_new (fd, TRUE);
  GError *problem = NULL;

  if (func (stream, user_data, cancellable, &problem) &&
      g_output_stream_close (stream, NULL, &problem))
    return TRUE;
  g_output_stream_close (stream, NULL, NULL);
  propagate (error, problem, path);
  return FALSE;
}

/* An unnamed file in the folder of @target, so that nothing is left if the process ends; -1 if the
 * file system does not support it, or it could not be named later. */
static int
open_unnamed (const char *target)
{
  g_autofree char *folder = g_path_get_dirname (target);

  return access ("/proc/self/fd", X_OK) == 0 ? open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
                                             : -1;
}

/* Gives the file of @fd the name @temporary, with six random characters at its end. */
static gboolean
give_name (int fd, char *temporary)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", fd);
  char *end = temporary + strlen (temporary) - 6;
  int status = -1;

  for (int i = 0; i < 100 && status != 0 && (i == 0 || errno == EEXIST); i++)
    {
      g_autofree char *drawn = g_strdup_printf ("%06x", g_random_int () & 0xffffff);

      memcpy (end, drawn, 6);
      status = linkat (AT_FDCWD, link, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW);
    }
  return status == 0;
}

/* @path: the file; an existing one is replaced once the new one is complete, which gets its
 *   permissions; links are followed, pipes and devices are written to
 * @func: (scope call): writes
 * @cancellable: (nullable): for @func
 *
 * Writes a file. Blocks. After a failure, an existing file at @path is unchanged.
 * Returns: FALSE with %CURED_ERROR_STORAGE if the file can't be written, or with the error of
 *   @func */
gboolean
cured_output_file_write (const char *path, CuredOutputFunc func, gpointer user_data,
                         GCancellable *cancellable, GError **error)
{
  /* From malloc(): the path with links resolved; NULL if there is no file yet. */
  char *real = realpath (path, NULL);
  g_autofree char *target = g_strdup (real != NULL ? real : path);
  g_autofree char *temporary = g_strconcat (target, ".XXXXXX", NULL);
  GStatBuf status;
  gboolean is_there = g_stat (target, &status) == 0;
  int unnamed = -1, fd;

  free (real);
  if (is_there && !S_ISREG (status.st_mode))
    {
      fd = g_open (target, O_WRONLY | O_CLOEXEC, 0);
      return fd < 0 ? set_storage_error (error, path, errno)
                    : write_to (fd, path, func, user_data, cancellable, error);
    }
  fd = open_unnamed (target);
  if (fd >= 0 && (unnamed = fcntl (fd, F_DUPFD_CLOEXEC, 0)) < 0)
    {
      close (fd);
      fd = -1;
    }
  if (fd < 0)
    fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0)
    return set_storage_error (error, path, errno);
  gboolean is_written = write_to (fd, path, func, user_data, cancellable, error);
  if (unnamed >= 0)
    {
      gboolean is_named = is_written && give_name (unnamed, temporary);
      int code = errno;

      close (unnamed);
      if (!is_named)
        return is_written ? set_storage_error (error, path, code) : FALSE;
    }
  if (is_written && ((is_there && g_chmod (temporary, (int) status.st_mode & ACCESSPERMS) != 0) ||
                     g_rename (temporary, target) != 0))
    is_written = set_storage_error (error, path, errno);
  if (!is_written)
    g_unlink (temporary);
  return is_written;
}

static gboolean
write_text (GOutputStream *stream, gpointer user_data, GCancellable *cancellable, GError **error)
{
  const char *text = user_data;

  return g_output_stream_write_all (stream, text, strlen (text), NULL, cancellable, error);
}

/* @path: as for cured_output_file_write()
 * @text: its new contents
 * @error: set to %CURED_ERROR_STORAGE
 *
 * Writes a file. Blocks.
 * Returns: FALSE with an error */
gboolean
cured_output_file_write_text (const char *path, const char *text, GError **error)
{
  return cured_output_file_write (path, write_text, (gpointer) text, NULL, error);
}
