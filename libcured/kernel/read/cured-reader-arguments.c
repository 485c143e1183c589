/* SPDX-License-Identifier: MIT
 * Reads a launch's arguments: buffers, numbers, records, textures, Numba arrays. */
#include "kernel/read/cured-reader-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "kernel/cured-element-internal.h"

#define KEY "Arguments"

/* Limit of an array's dimensions; the length of stride expressions grows with its square. */
#define MAX_RANK 16

static int
find_tensor_map (const CuredKernel *kernel, const char *name)
{
  for (gsize i = 0; i < kernel->n_tensor_maps; i++)
    if (g_str_equal (kernel->tensor_maps[i].name, name))
      return (int) i;
  return -1;
}

/* "in", "in+4": a buffer, with an offset in elements; FALSE if it is neither. */
static gboolean
parse_place (CuredReader *self, const char *text, CuredArgument *argument)
{
  const CuredKernel *kernel = self->kernel;
  gsize length = 0;

  while (g_ascii_isalnum (text[length]) || text[length] == '_')
    length++;
  const char *rest = text + length + strspn (text + length, " \t");
  for (gsize i = 0; i < kernel->n_buffers && (*rest == '\0' || *rest == '+'); i++)
    if (strlen (kernel->buffers[i].name) == length &&
        strncmp (kernel->buffers[i].name, text, length) == 0)
      {
        argument->buffer = _cured_reader_find_buffer (self, KEY, kernel->buffers[i].name);
        if (*rest == '+')
          argument->expr = _cured_reader_parse_expr (self, KEY, rest + 1);
        return TRUE;
      }
  return FALSE;
}

/* "in:texture", "in:texture:normalized": FALSE if it is neither; nothing is set then. */
static gboolean
parse_texture (char *text, CuredTextureMode *mode)
{
  char *colon = strstr (text, ":texture");

  if (colon == NULL)
    return FALSE;
  if (g_str_equal (colon, ":texture"))
    *mode = CURED_TEXTURE_ELEMENTS;
  else if (g_str_equal (colon, ":texture:normalized"))
    *mode = CURED_TEXTURE_NORMALIZED;
  else
    return FALSE;
  *colon = '\0';
  g_strchomp (text);
  return TRUE;
}

/* "(x, y)", one value per field of the argument's record. */
static void
parse_record (CuredReader *self, char *text, CuredArgument *argument)
{
  const CuredRecord *record = argument->record;
  gsize length = strlen (text);
  g_auto (GStrv) items = NULL;

  argument->parts = g_new0 (CuredArgument, record->n_fields);
  if (*text == '(' && text[length - 1] == ')')
    {
      text[length - 1] = '\0';
      items = _cured_reader_split (text + 1);
    }
  if (items == NULL || g_strv_length (items) != record->n_fields)
    {
      reader_fail (self, KEY, CURED_ERROR_INVALID,
                   _ ("Arguments=: %s needs %zu values in parentheses, one for each field, and "
                      "“%s” has %u"),
                   record->text, record->n_fields, items != NULL ? text + 1 : text,
                   items != NULL ? g_strv_length (items) : 0);
      return;
    }
  for (gsize i = 0; i < record->n_fields && self->error == NULL; i++)
    {
      CuredArgument *part = &argument->parts[i];

      part->buffer = part->tensor_map = -1;
      part->type = record->fields[i].type;
      if (!record->fields[i].is_pointer || !parse_place (self, items[i], part))
        part->expr = _cured_reader_parse_expr (self, KEY, items[i]);
    }
}

/* "n", "n:i64", "in+4", "in:texture", "(1,2):f32x2", "(in,n):struct:Params". */
static void
parse_argument (CuredReader *self, char *text, CuredArgument *argument)
{
  char *colon = strstr (text, ":struct:");

  argument->type = CURED_ELEMENT_I32;
  argument->buffer = -1;
  argument->tensor_map = find_tensor_map (self->kernel, text);
  if (argument->tensor_map >= 0)
    return;
  if (*text == '\0')
    {
      reader_fail (self, KEY, CURED_ERROR_SYNTAX, _ ("Arguments= has an empty item"));
      return;
    }
  if (parse_texture (text, &argument->texture))
    {
      argument->buffer = _cured_reader_find_buffer (self, KEY, text);
      return;
    }
  /* "n:i64"; the text behind the last colon of "a ? b : c" is not a type. */
  if (colon == NULL)
    colon = strrchr (text, ':');
  if (colon != NULL)
    {
      const char *word = colon + 1 + strspn (colon + 1, " \t");
      g_autoptr (GError) local = NULL;

      if (_cured_type_parse (word, _cured_reader_get_declarations (self), &argument->type,
                             &argument->record, &local))
        {
          *colon = '\0';
          g_strchomp (text);
        }
      else if (g_str_has_prefix (word, "struct:"))
        {
          reader_fail (self, KEY, CURED_ERROR_INVALID, "Arguments=%s: %s", text, local->message);
          return;
        }
    }
  if (argument->record != NULL)
    parse_record (self, text, argument);
  else if (!parse_place (self, text, argument))
    argument->expr = _cured_reader_parse_expr (self, KEY, text);
}

/* Appends an argument, an integer of 64 bits. */
static void
add_word (CuredReader *self, CuredStep *step, const char *text)
{
  CuredArgument *argument = READER_ADD (step->arguments, step->n_arguments);

  argument->buffer = argument->tensor_map = -1;
  argument->type = CURED_ELEMENT_I64;
  argument->expr = _cured_reader_parse_expr (self, KEY, text);
}

/* @text is "x:numba[m,n]", @numba points at its colon: a buffer as Numba passes a contiguous array
 * in C's order. Its arguments are the array's meminfo and parent, which are host objects; the
 * number of elements; the bytes of one; the data; then the length and the stride, in bytes, of each
 * dimension. */
static void
parse_numba (CuredReader *self, char *text, char *numba, CuredStep *step)
{
  g_auto (GStrv) shape = NULL;
  g_autoptr (GString) count = g_string_new (NULL);
  char *open = numba + strlen (":numba");

  *numba = '\0';
  g_strchomp (text);
  int index = _cured_reader_find_buffer (self, KEY, text);
  if (index < 0)
    return;
  const CuredBuffer *buffer = &self->kernel->buffers[index];
  if (*open == '[' && g_str_has_suffix (open, "]") && strlen (open) > 2)
    {
      open[strlen (open) - 1] = '\0';
      shape = g_strsplit (open + 1, ",", MAX_RANK + 1);
      if (g_strv_length (shape) > MAX_RANK)
        g_clear_pointer (&shape, g_strfreev);
    }
  if (shape == NULL || buffer->n_variants > 0 || buffer->record != NULL)
    {
      reader_fail (self, KEY, CURED_ERROR_SYNTAX,
                   shape == NULL ? _ ("Arguments=: after %s:numba, expected the lengths of the "
                                      "array's dimensions in brackets, as in %s:numba[n,n]")
                                 : _ ("Arguments=: %s:numba: expected a buffer of one type, not of "
                                      "one that a parameter picks"),
                   text, text);
      return;
    }
  for (guint i = 0; shape[i] != NULL; i++)
    g_string_append_printf (count, "%s(%s)", i > 0 ? "*" : "", shape[i]);
  g_autofree char *size = g_strdup_printf ("%zu", cured_element_get_size (buffer->type));
  add_word (self, step, "0");
  add_word (self, step, "0");
  add_word (self, step, count->str);
  add_word (self, step, size);
  CuredArgument *argument = READER_ADD (step->arguments, step->n_arguments);
  argument->buffer = index;
  argument->tensor_map = -1;
  for (guint i = 0; shape[i] != NULL; i++)
    add_word (self, step, shape[i]);
  for (guint i = 0; shape[i] != NULL && self->error == NULL; i++)
    {
      g_autoptr (GString) stride = g_string_new (size);

      for (guint k = i + 1; shape[k] != NULL; k++)
        g_string_append_printf (stride, "*(%s)", shape[k]);
      add_word (self, step, stride->str);
    }
}

void
_cured_reader_get_arguments (CuredReader *self, CuredStep *step)
{
  g_autofree char *value = _cured_reader_get (self, KEY, FALSE);
  g_auto (GStrv) items = value != NULL ? _cured_reader_split (value) : NULL;

  for (guint i = 0; items != NULL && items[i] != NULL && self->error == NULL; i++)
    {
      char *numba = strstr (items[i], ":numba");

      if (numba != NULL)
        parse_numba (self, items[i], numba, step);
      else
        parse_argument (self, items[i], READER_ADD (step->arguments, step->n_arguments));
    }
}
