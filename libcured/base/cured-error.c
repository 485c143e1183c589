/* SPDX-License-Identifier: MIT
 * The error domain of the whole library. */
#include "base/cured-error.h"

/* Additional data of an error of this domain. It stays with the GError, even if a prefix is added
 * to the message. */
typedef struct
{
  CuredErrorPlace place; /* its file is NULL if there is none */
  char *log;
} CuredErrorPrivate;

static void
cured_error_private_init (CuredErrorPrivate *self)
{
}

static void
cured_error_private_copy (const CuredErrorPrivate *self, CuredErrorPrivate *copy)
{
  copy->place = self->place;
  copy->place.file = g_strdup (self->place.file);
  copy->place.text = g_strdup (self->place.text);
  copy->log = g_strdup (self->log);
}

static void
cured_error_private_clear (CuredErrorPrivate *self)
{
  g_free (self->place.file);
  g_free (self->place.text);
  g_free (self->log);
}

G_DEFINE_EXTENDED_ERROR (CuredError, cured_error)

/* Formats nothing if the caller does not want an error. */
static G_GNUC_PRINTF (3, 0) void set_error (GError **error, CuredError code, const char *format,
                                            va_list arguments)
{
  if (error != NULL)
    *error = g_error_new_valist (CURED_ERROR, (int) code, format, arguments);
}

/* @code: kind of failure
 * @format: the reason, a printf() format
 *
 * Sets @error, for `return cured_fail (…)`.
 * Returns: %FALSE */
gboolean
cured_fail (GError **error, CuredError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  set_error (error, code, format, arguments);
  va_end (arguments);
  return FALSE;
}

/* @code: kind of failure
 * @format: the reason, a printf() format
 *
 * Like cured_fail(), in functions that return a pointer.
 * Returns: (nullable): %NULL */
void *
cured_fail_null (GError **error, CuredError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  set_error (error, code, format, arguments);
  va_end (arguments);
  return NULL;
}

/* @format: why a point can't be launched, a printf() format
 *
 * Sets %CURED_ERROR_NOT_LAUNCHABLE. The text is made only if @error is not NULL, since a plan
 * checks a million cells.
 * Returns: %FALSE */
gboolean
cured_error_refuse (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  set_error (error, CURED_ERROR_NOT_LAUNCHABLE, format, arguments);
  va_end (arguments);
  return FALSE;
}

/* @code: kind of error
 * @file: its name for people
 * @line: line in it, from 1
 * @column: in bytes, from 1; 0: unknown
 * @text: the error, with a remedy
 *
 * Sets an error that carries its place, and whose message begins with it. */
void
cured_set_error_at (GError **error, CuredError code, const char *file, guint line, guint column,
                    const char *text)
{
  if (error == NULL)
    return;
  g_autofree char *where = column > 0 ? g_strdup_printf ("%s:%u:%u", file, line, column)
                                      : g_strdup_printf ("%s:%u", file, line);
  g_set_error (error, CURED_ERROR, (int) code, "%s: %s", where, text);
  cured_error_set_place (*error, file, line, column, text);
}

/* @error: of %CURED_ERROR
 * @file: the file that it is about
 * @line: from 1
 * @column: in bytes, from 1; 0: unknown
 * @text: the error
 *
 * Sets the place of an error, without changing its message. */
void
cured_error_set_place (GError *error, const char *file, guint line, guint column, const char *text)
{
  g_return_if_fail (error != NULL && error->domain == CURED_ERROR && file != NULL && text != NULL);

  CuredErrorPlace *place = &cured_error_get_private (error)->place;
  g_free (place->file);
  g_free (place->text);
  *place = (CuredErrorPlace){
    .file = g_strdup (file),
    .line = (int) MIN (line, G_MAXINT),
    .column = (int) MIN (column, G_MAXINT),
    .text = g_strdup (text),
  };
}

/* @error: any error
 * Returns: (transfer none) (nullable): its place, valid as long as the error; %NULL if it has
 *   none */
const CuredErrorPlace *
cured_error_get_place (const GError *error)
{
  g_return_val_if_fail (error != NULL, NULL);

  if (error->domain != CURED_ERROR)
    return NULL;
  const CuredErrorPrivate *self = cured_error_get_private (error);
  return self->place.file != NULL ? &self->place : NULL;
}

/* @error: of %CURED_ERROR
 * @log: (nullable): the compiler's log, verbatim */
void
cured_error_set_log (GError *error, const char *log)
{
  g_return_if_fail (error != NULL && error->domain == CURED_ERROR);

  CuredErrorPrivate *self = cured_error_get_private (error);
  g_free (self->log);
  self->log = g_strdup (log);
}

/* @error: any error
 * Returns: (transfer none) (nullable): the compiler's log, verbatim */
const char *
cured_error_get_log (const GError *error)
{
  g_return_val_if_fail (error != NULL, NULL);

  return error->domain == CURED_ERROR ? cured_error_get_private (error)->log : NULL;
}
