/* SPDX-License-Identifier: MIT
 * Reads keys of a header by their rows: texts, numbers, words, expressions, buffers. */
#include "kernel/read/cured-reader-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-kernel-private.h"

/* Length of a title or a name, which are shown on one line. */
#define TEXT_BYTES 4096

/* (transfer full) (nullable): the value of a key of the current group; NULL if it is missing, which
 * is an error if it is needed, if it is empty, which is always an error, and after an error. */
char *
_cured_reader_get (CuredReader *self, const char *key, gboolean is_needed)
{
  g_autofree char *value =
      self->error == NULL ? _cured_header_get (self->header, self->group, key) : NULL;

  if (self->error != NULL)
    return NULL;
  if (value == NULL && is_needed)
    reader_fail (self, NULL, CURED_ERROR_SYNTAX, _ ("[%s] has no %s="), self->group, key);
  else if (value != NULL && *value == '\0')
    reader_fail (self, key, CURED_ERROR_SYNTAX, _ ("%s= has no value; give one or remove the line"),
                 key);
  else
    return g_steal_pointer (&value);
  return NULL;
}

gboolean
_cured_reader_has (const CuredReader *self, const char *key)
{
  return _cured_header_get_line (self->header, self->group, key) != 0;
}

/* The value's index among @words; -1 on error. */
int
_cured_reader_find_word (CuredReader *self, const char *key, const char *value,
                         const char *const *words)
{
  for (int i = 0; words[i] != NULL; i++)
    if (g_str_equal (words[i], value))
      return i;
  g_autofree char *list = g_strjoinv (", ", (char **) words);
  reader_fail (self, key, CURED_ERROR_INVALID, _ ("%s=%s is not known; expected one of %s"), key,
               value, list);
  return -1;
}

static int
find_buffer (const CuredKernel *kernel, const char *name)
{
  for (gsize i = 0; i < kernel->n_buffers; i++)
    if (g_str_equal (kernel->buffers[i].name, name))
      return (int) i;
  return -1;
}

/* Index of the buffer that @key names; -1 on error. */
int
_cured_reader_find_buffer (CuredReader *self, const char *key, const char *name)
{
  const CuredKernel *kernel = self->kernel;
  int index = find_buffer (kernel, name);

  if (index < 0)
    {
      g_autofree const char **names = g_new0 (const char *, kernel->n_buffers + 1);

      for (gsize i = 0; i < kernel->n_buffers; i++)
        names[i] = kernel->buffers[i].name;
      g_autofree char *hint = _cured_suggest (name, names);
      reader_fail (self, key, CURED_ERROR_NOT_FOUND, _ ("%s=: there is no [Buffer %s]%s"), key,
                   name, hint);
    }
  else if (kernel->buffers[index].is_constant)
    {
      /* A kernel refers to it by its name in the source. */
      reader_fail (self, key, CURED_ERROR_INVALID,
                   _ ("%s=: %s is a [Constant], which the source has by its name; expected a "
                      "buffer"),
                   key, name);
      index = -1;
    }
  return index;
}

typedef struct
{
  const CuredReader *reader;
  char *unknown;
} NameSearch;

static void
check_name_cb (const char *name, gpointer user_data)
{
  NameSearch *search = user_data;
  static const CuredLimits limits;
  gint64 value;
  gsize index;

  if (search->unknown == NULL && g_strcmp0 (name, search->reader->index) != 0 &&
      !cured_kernel_find_parameter (search->reader->kernel, name, &index) &&
      !cured_limits_get (&limits, name, &value))
    search->unknown = g_strdup (name);
}

/* (transfer full) (nullable): the expression in @key, which uses only known names. */
CuredExpr *
_cured_reader_parse_expr (CuredReader *self, const char *key, const char *text)
{
  NameSearch search = { self, NULL };
  g_autoptr (GError) local = NULL;
  g_autoptr (CuredExpr) expr = cured_expr_parse (text, &local);

  if (expr == NULL)
    {
      reader_fail (self, key, local->code, "%s=%s: %s", key, text, local->message);
      return NULL;
    }
  cured_expr_foreach_name (expr, check_name_cb, &search);
  g_autofree char *unknown = search.unknown;
  if (unknown == NULL)
    return g_steal_pointer (&expr);
  if (find_buffer (self->kernel, unknown) >= 0)
    reader_fail (self, key, CURED_ERROR_INVALID,
                 _ ("%s=%s: %s is a buffer, and has no value in an expression"), key, text,
                 unknown);
  else
    {
      g_autofree const char **names = _cured_kernel_list_names (self->kernel, TRUE);
      g_autofree char *hint = _cured_suggest (unknown, names);

      reader_fail (self, key, CURED_ERROR_NOT_FOUND,
                   _ ("%s=%s: no parameter or device limit is called %s%s"), key, text, unknown,
                   hint);
    }
  return NULL;
}

/* Splits at commas outside of brackets; items are stripped. */
char **
_cured_reader_split (const char *text)
{
  g_autoptr (GStrvBuilder) items = g_strv_builder_new ();
  const char *start = text;
  int depth = 0;

  for (const char *at = text;; at++)
    {
      depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
      if (*at != '\0' && (*at != ',' || depth > 0))
        continue;
      g_autofree char *item = g_strstrip (g_strndup (start, (gsize) (at - start)));
      g_strv_builder_add (items, item);
      if (*at == '\0')
        return g_strv_builder_end (items);
      start = at + 1;
    }
}

/* Reads at most @most expressions, separated by commas; returns their number. */
guint
_cured_reader_get_exprs (CuredReader *self, const char *key, gboolean is_needed, CuredExpr **exprs,
                         guint most)
{
  g_autofree char *value = _cured_reader_get (self, key, is_needed);
  g_auto (GStrv) items = value != NULL ? _cured_reader_split (value) : NULL;
  guint n = items != NULL ? g_strv_length (items) : 0;

  if (n > most)
    reader_fail (self, key, CURED_ERROR_INVALID,
                 _ ("%s=%s has too many dimensions; expected at most %u"), key, value, most);
  for (guint i = 0; i < n && self->error == NULL; i++)
    exprs[i] = _cured_reader_parse_expr (self, key, items[i]);
  return n;
}

static void
read_integer (CuredReader *self, const CuredReaderField *field, const char *value, int *to)
{
  g_autoptr (GError) local = NULL;
  gint64 number = 0;

  if (!cured_parse_integer (value, &number, &local))
    reader_fail (self, field->key, local->code, "%s=: %s", field->key, local->message);
  else if (number < field->least || number > field->most)
    reader_fail (self, field->key, CURED_ERROR_INVALID,
                 _ ("%s=%s is out of range; expected %" PRId64 " to %" PRId64), field->key, value,
                 field->least, field->most);
  *to = (int) number;
}

static gboolean
lookup_nothing_cb (const char *name, CuredNumber *value, gpointer user_data)
{
  return FALSE;
}

/* Reads a constant expression, without names. */
static void
read_bound (CuredReader *self, const char *key, const char *value, double *bound)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (CuredExpr) expr = cured_expr_parse (value, &local);

  if (expr == NULL || !cured_expr_evaluate_double (expr, lookup_nothing_cb, NULL, bound, &local))
    reader_fail (self, key, local->code, "%s=: %s", key, local->message);
  else if (!isfinite (*bound))
    reader_fail (self, key, CURED_ERROR_INVALID, _ ("%s=%s is not a number"), key, value);
}

static void
read_field (CuredReader *self, const CuredReaderField *field, gpointer record, guint variant)
{
  gpointer to = (guint8 *) record + field->offset;
  g_autofree char *value = _cured_reader_get (self, field->key, (field->needed & variant) != 0);

  if (field->kind == CURED_READ_BOUND)
    *(double *) to = NAN;
  if (value == NULL)
    return;
  switch (field->kind)
    {
    case CURED_READ_TEXT:
      if (strlen (value) > TEXT_BYTES)
        reader_fail (self, field->key, CURED_ERROR_INVALID, _ ("%s has at most %d bytes"),
                     field->key, TEXT_BYTES);
      *(char **) to = g_steal_pointer (&value);
      break;
    case CURED_READ_INTEGER: read_integer (self, field, value, to); break;
    case CURED_READ_WORD:
      *(int *) to = (int) field->least +
                    MAX (_cured_reader_find_word (self, field->key, value, field->words), 0);
      break;
    case CURED_READ_EXPR:
      *(CuredExpr **) to = _cured_reader_parse_expr (self, field->key, value);
      break;
    case CURED_READ_EXPRS:
      _cured_reader_get_exprs (self, field->key, FALSE, to, (guint) field->most);
      break;
    case CURED_READ_BUFFER:
      *(int *) to = _cured_reader_find_buffer (self, field->key, value);
      break;
    case CURED_READ_BOUND: read_bound (self, field->key, value, to); break;
    case CURED_READ_OTHER:
    default: break;
    }
}

/* Reads the group's keys into @record, by the rows of @fields up to one without a key. */
void
_cured_reader_read (CuredReader *self, const CuredReaderField *fields, gpointer record,
                    guint variant)
{
  for (; fields->key != NULL && self->error == NULL; fields++)
    if (fields->taken == 0 || (fields->taken & variant) != 0)
      read_field (self, fields, record, variant);
}

/* The source and, if it uses a struct, its own included files, which may declare
 * types. */
const char *
_cured_reader_get_declarations (CuredReader *self)
{
  const CuredKernel *kernel = self->kernel;
  const CuredSources *known[] = { kernel->carried, kernel->sources };

  if (self->declarations != NULL)
    return self->declarations;
  GString *all = g_string_new (NULL);
  if (strstr (kernel->text, "struct:") != NULL && !kernel->is_ptx)
    {
      g_autofree char *context = kernel->path != NULL && kernel->sources == NULL
                                     ? _cured_kernel_read_context (kernel->path, kernel->source)
                                     : NULL;

      for (const char *const *word = kernel->options; *word != NULL; word++)
        if (g_str_has_prefix (*word, "-D"))
          g_string_append_printf (all, "#define %.*s\n", (int) strcspn (*word + 2, "="), *word + 2);
      for (gsize k = 0; k < G_N_ELEMENTS (known); k++)
        for (gsize i = 0; known[k] != NULL && i < known[k]->n; i++)
          g_string_append_printf (all, "%s\n", known[k]->texts[i]);
      g_string_append (all, context != NULL ? context : "");
    }
  g_string_append (all, kernel->source);
  return self->declarations = g_string_free (all, FALSE);
}
