/* SPDX-License-Identifier: MIT
 * The error domain of the whole library. */
#include "base/cured-error.h"

/* What an error of the domain carries beside its message. It goes wherever the GError does, also
 * where a prefix is put before the message. */
typedef struct
{
  CuredErrorPlace place; /* its file is NULL where there is none */
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

/* Nothing is formatted for a caller who does not ask why. */
static G_GNUC_PRINTF (3, 0) void set_error (GError **error, CuredError code, const char *format,
                                            va_list arguments)
{
  if (error != NULL)
    *error = g_error_new_valist (CURED_ERROR, (int) code, format, arguments);
}

/* @code: what kind of failure it is
 * @format: why, as of printf()
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

/* @code: what kind of failure it is
 * @format: why, as of printf()
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

/* @format: why a point can't be launched, as of printf()
 *
 * Sets %CURED_ERROR_NOT_LAUNCHABLE. A plan asks for a million cells; a text is made only on request
 * is made.
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

/* @code: what kind of error it is
 * @file: what people call it
 * @line: of it, from 1
 * @column: in bytes, from 1; 0: not known
 * @text: the error, and what helps
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
 * @file: what it is about
 * @line: from 1
 * @column: in bytes, from 1; 0: not known
 * @text: the error
 *
 * Says where an error is, without a change of its message. */
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
 * Returns: (transfer none) (nullable): where it is, as long as it lasts; %NULL where it is about no
 *   place */
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
 * @log: (nullable): what the compiler said, word for word */
void
cured_error_set_log (GError *error, const char *log)
{
  g_return_if_fail (error != NULL && error->domain == CURED_ERROR);

  CuredErrorPrivate *self = cured_error_get_private (error);
  g_free (self->log);
  self->log = g_strdup (log);
}

/* @error: any error
 * Returns: (transfer none) (nullable): what the compiler said, word for word */
const char *
cured_error_get_log (const GError *error)
{
  g_return_val_if_fail (error != NULL, NULL);

  return error->domain == CURED_ERROR ? cured_error_get_private (error)->log : NULL;
}
