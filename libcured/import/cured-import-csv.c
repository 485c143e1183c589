/* SPDX-License-Identifier: MIT
 * CSV and TSV as other programs write it: rows become objects of texts. */
#include "config.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "import/cured-import-private.h"

/* More than any profiler writes. */
#define MAX_COLUMNS 20000

static gboolean
is_at_end (const char *at)
{
  return *at == '\0' || *at == '\n' || *at == '\r';
}

/* Comments, what a profiler says before its table, and blank lines. */
static gboolean
is_skipped (const char *at)
{
  at += strspn (at, " \t");
  return *at == '#' || is_at_end (at) || g_str_has_prefix (at, "==");
}

static const char *
skip_line (const char *at)
{
  at += strcspn (at, "\n");
  return *at == '\n' ? at + 1 : at;
}

/* The most frequent one in the first line, outside of quotation marks. */
static char
find_delimiter (const char *line)
{
  static const char delimiters[] = ",\t;";
  guint counts[3] = { 0 };
  gboolean is_quoted = FALSE;
  gsize best = 0;

  for (const char *at = line; *at != '\0' && (is_quoted || !is_at_end (at)); at++)
    if (*at == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && strchr (delimiters, *at) != NULL)
      counts[strchr (delimiters, *at) - delimiters]++;
  for (gsize i = 1; i < 3; i++)
    if (counts[i] > counts[best])
      best = i;
  return delimiters[best];
}

/* "1,234,567.5" and, between semicolons, "0,5". */
static void
mend_number (GString *field, char delimiter)
{
  const char *at = field->str + (*field->str == '-');
  gsize n_digits = strspn (at, "0123456789");
  const char *comma = at + n_digits;
  gboolean is_grouped = n_digits >= 1 && n_digits <= 3;

  if (n_digits == 0 || *comma != ',')
    return;
  if (delimiter == ';')
    {
      if (comma[1 + strspn (comma + 1, "0123456789eE+-")] == '\0')
        field->str[comma - field->str] = '.';
      return;
    }
  while (is_grouped && *comma == ',')
    {
      is_grouped = strspn (comma + 1, "0123456789") == 3;
      comma += 4;
    }
  if (is_grouped && comma[*comma == '.' ? 1 + strspn (comma + 1, "0123456789") : 0] == '\0')
    g_string_replace (field, ",", "", 0);
}

/* Returns: where the field ends. */
static const char *
read_field (const char *at, char delimiter, GString *field, guint *line)
{
  g_string_truncate (field, 0);
  if (delimiter != '\t')
    at += strspn (at, " ");
  if (*at == '"')
    {
      for (at++; *at != '\0' && (*at != '"' || at[1] == '"'); at++)
        {
          at += *at == '"';
          *line += *at == '\n';
          g_string_append_c (field, *at);
        }
      at += *at == '"';
      while (!is_at_end (at) && *at != delimiter)
        at++;
    }
  else
    while (!is_at_end (at) && *at != delimiter)
      g_string_append_c (field, *at++);
  g_strchomp (field->str);
  field->len = strlen (field->str);
  return at;
}

static const char *
read_line (const char *at, char delimiter, GPtrArray *fields, guint *line)
{
  g_autoptr (GString) field = g_string_new (NULL);

  g_ptr_array_set_size (fields, 0);
  for (;;)
    {
      at = read_field (at, delimiter, field, line);
      mend_number (field, delimiter);
      g_ptr_array_add (fields, g_strdup (field->str));
      if (*at != delimiter || fields->len > MAX_COLUMNS)
        break;
      at++;
    }
  ++*line;
  return skip_line (at);
}

static const char *
find_header (const char *text, guint *line)
{
  if (g_str_has_prefix (text, "\xEF\xBB\xBF"))
    text += 3;
  while (*text != '\0' && is_skipped (text))
    {
      ++*line;
      text = skip_line (text);
    }
  return text;
}

/* The fields of the first line. */
GPtrArray *
_cured_import_read_columns (const char *text, GPtrArray **first)
{
  guint line = 1;
  const char *at = find_header (text, &line);
  char delimiter = find_delimiter (at);
  GPtrArray *columns = g_ptr_array_new_with_free_func (g_free);

  at = read_line (at, delimiter, columns, &line);
  if (first != NULL)
    {
      *first = g_ptr_array_new_with_free_func (g_free);
      if (*at != '\0')
        read_line (at, delimiter, *first, &line);
    }
  return columns;
}

/* nvbench has two columns “Noise”: the second becomes "Noise (2)". */
static void
make_unique (GPtrArray *columns)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < columns->len; i++)
    {
      char **name = (char **) &g_ptr_array_index (columns, i);
      g_autofree char *base = g_strdup (*name);

      for (guint n = 2; g_hash_table_contains (seen, *name); n++)
        {
          g_free (*name);
          *name = g_strdup_printf ("%s (%u)", base, n);
        }
      g_hash_table_add (seen, *name);
    }
}

gboolean
_cured_import_parse_csv (CuredImportReader *self, GCancellable *cancellable, GError **error)
{
  guint line = 1;
  const char *at = find_header (self->text, &line);
  char delimiter = find_delimiter (at);
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);

  at = read_line (at, delimiter, fields, &line);
  if (fields->len > MAX_COLUMNS)
    return _cured_import_fail (self, error, _ ("line %u: more than %d columns"), line - 1,
                               MAX_COLUMNS);
  make_unique (fields);
  for (guint i = 0; i < fields->len; i++)
    _cured_import_add_column (self, g_ptr_array_index (fields, i), CURED_IMPORT_AS_UNKNOWN);
  while (*at != '\0')
    {
      guint here = line;

      if (is_skipped (at))
        {
          line++;
          at = skip_line (at);
          continue;
        }
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      at = read_line (at, delimiter, fields, &line);
      if (fields->len > self->columns->len)
        return _cured_import_fail (self, error,
                                   _ ("line %u: %u fields, and the first line names %u columns"),
                                   here, fields->len, self->columns->len);
      JsonObject *row = _cured_import_add_row (self);
      for (guint i = 0; i < fields->len; i++)
        {
          const CuredImportColumn *column = g_ptr_array_index (self->columns, i);
          const char *text = g_ptr_array_index (fields, i);

          if (*text != '\0')
            json_object_set_string_member (row, column->name, text);
        }
    }
  return TRUE;
}
