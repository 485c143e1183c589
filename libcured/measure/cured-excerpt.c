/* SPDX-License-Identifier: MIT
 * Excerpts: some elements of a buffer, to show to people. */
#include "measure/cured-measure-internal.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-error.h"
#include "base/cured-own.h"
#include "kernel/cured-kernel-internal.h"

/* @self: (nullable): a range of a buffer
 *
 * Frees it. */
CURED_DEFINE_FREE (CuredRange, cured_range_free, buffer, g_free)

/* @self: (nullable): elements of a buffer
 *
 * Frees them. */
CURED_DEFINE_FREE (CuredExcerpt, cured_excerpt_free, buffer, g_free, type, g_free, before,
                   g_strfreev, after, g_strfreev)

/* "0..15" or "7", up to the bracket. */
static gboolean
parse_bounds (const char *text, CuredRange *range)
{
  g_auto (GStrv) bounds = g_strsplit (text, "..", 2);
  guint64 first;

  if (bounds[0] == NULL ||
      !g_ascii_string_to_unsigned (bounds[0], 10, 0, G_MAXINT64 - 1, &first, NULL))
    return FALSE;
  guint64 last = first;
  if (bounds[1] != NULL &&
      !g_ascii_string_to_unsigned (bounds[1], 10, first, G_MAXINT64 - 1, &last, NULL))
    return FALSE;
  range->first = (gint64) first;
  range->length = (gint64) (last - first + 1);
  return TRUE;
}

/* @text: `c`, `c[7]` or `c[0..15]`, both ends included
 * @kernel: the buffer's kernel
 * @error: CURED_ERROR_SYNTAX, CURED_ERROR_NOT_FOUND, or CURED_ERROR_INVALID for more than
 *   CURED_EXCERPT_MAX_ELEMENTS
 *
 * Without a range, takes the first CURED_EXCERPT_ELEMENTS elements.
 * Returns: (transfer full): the range */
CuredRange *
cured_range_parse (const char *text, const CuredKernel *kernel, GError **error)
{
  g_autoptr (CuredRange) self = g_new0 (CuredRange, 1);
  gsize i;

  g_return_val_if_fail (text != NULL && kernel != NULL, NULL);

  const char *open = strchr (text, '[');
  self->length = CURED_EXCERPT_ELEMENTS;
  self->buffer = open != NULL ? g_strndup (text, (gsize) (open - text)) : g_strdup (text);
  if (open != NULL)
    {
      g_autofree char *bounds = g_strdup (open + 1);
      gsize length = strlen (bounds);

      if (length > 0 && bounds[length - 1] == ']')
        bounds[--length] = '\0';
      else
        length = 0;
      if (length == 0 || !parse_bounds (bounds, self))
        return cured_fail_null (
            error, CURED_ERROR_SYNTAX,
            _ ("“%s”: expected a buffer and its elements, as in %s[0..15] or %s[7]"), text,
            self->buffer, self->buffer);
    }
  if (self->length > CURED_EXCERPT_MAX_ELEMENTS)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("“%s”: %d elements are the most that are shown"), text,
                            CURED_EXCERPT_MAX_ELEMENTS);
  for (i = 0; i < kernel->n_buffers; i++)
    if (g_str_equal (kernel->buffers[i].name, self->buffer))
      return g_steal_pointer (&self);
  {
    g_autofree const char **names = g_new0 (const char *, i + 1);

    for (i = 0; i < kernel->n_buffers; i++)
      names[i] = kernel->buffers[i].name;
    g_autofree char *list = g_strjoinv (", ", (char **) names);
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("%s has no buffer “%s”; expected one of %s"), kernel->id, self->buffer, list);
  }
  return NULL;
}

/* @self: a range of a buffer
 * @length: number of elements of that buffer
 * @first: (out): the first element in both
 * @count: (out): number of elements; 0 if the range is behind the end
 *
 * Clips a range to its buffer. */
void
cured_range_clip (const CuredRange *self, gint64 length, gint64 *first, gint64 *count)
{
  *first = MIN (self->first, length);
  *count = MIN (self->length, length - *first);
}

static char **
list_elements (const CuredProgramBuffer *buffer, const void *data, gint64 count,
               gboolean has_poison)
{
  gsize size = cured_buffer_get_element_size (buffer->buffer);
  char **texts = g_new0 (char *, (gsize) count + 1);

  for (gsize i = 0; i < (gsize) count; i++)
    texts[i] = has_poison && size > 1 && cured_is_poison ((const guint8 *) data + i * size, size)
                   ? g_strdup ("unwritten")
                   : cured_buffer_element_to_text (buffer->buffer, data, (gint64) i);
  return texts;
}

/* @buffer: a program's buffer
 * @first: first element
 * @count: number of elements
 * @before: (nullable): these elements before the run; NULL for poison
 * @after: these elements after it
 * Returns: (transfer full): the elements, as text */
CuredExcerpt *
cured_excerpt_new (const CuredProgramBuffer *buffer, gint64 first, gint64 count, const void *before,
                   const void *after)
{
  CuredExcerpt *self = g_new0 (CuredExcerpt, 1);

  self->buffer = g_strdup (buffer->buffer->name);
  self->type = g_strdup (cured_buffer_get_type_name (buffer->buffer));
  self->length = buffer->length;
  self->first = first;
  if (before != NULL)
    self->before = list_elements (buffer, before, count, FALSE);
  self->after = list_elements (buffer, after, count, before == NULL);
  return self;
}
