/* SPDX-License-Identifier: MIT
 * Reads other programs' CSV and TSV: rows of texts. */

#include "import/cured-import-private.h"

#include "base/cured-base-internal.h"

/* More than any profiler writes. */
#define MAX_COLUMNS 20000

static gboolean
is_at_end (const char *at)
{
  return *at == '\0' || *at == '\n' || *at == '\r';
}

/* Comments, a profiler's messages before its table, and blank lines. */
static gboolean
is_skipped (const char *at)
{
  at += strspn (at, " \t");
  return *at == '#' || is_at_end (at) || g_str_has_prefix (at, "==") ||
         g_str_has_prefix (at, "sep=");
}

static const char *
skip_line (const char *at)
{
  at += strcspn (at, "\n");
  return *at == '\n' ? at + 1 : at;
}

/* The most frequent delimiter in the first line, outside of quotation marks. */
static char
find_delimiter (const char *line)
{
  static const char delimiters[] = ",\t;|";
  guint counts[G_N_ELEMENTS (delimiters) - 1] = { 0 };
  gboolean is_quoted = FALSE;
  gsize best = 0;

  for (const char *at = line; *at != '\0' && (is_quoted || !is_at_end (at)); at++)
    if (*at == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && strchr (delimiters, *at) != NULL)
      counts[strchr (delimiters, *at) - delimiters]++;
  for (gsize i = 1; i < G_N_ELEMENTS (counts); i++)
    if (counts[i] > counts[best])
      best = i;
  return delimiters[best];
}

/* Notations of numbers. */
typedef enum
{
  PLAIN,     /* plain, or not a number */
  EITHER,    /* "1,250" */
  THOUSANDS, /* "1,234,567.5" */
  DECIMAL,   /* "0,5" and "1.234,5" */
  DOTTED,    /* "1.250": plain, except beside those with decimal commas */
} Commas;

/* Whether groups of three digits follow the first one. Returns: where they end */
static const char *
skip_groups (const char *at, char separator, guint *n_groups)
{
  gsize n_digits = strspn (at, "0123456789");

  *n_groups = 0;
  if (n_digits < 1 || n_digits > 3 || *at == '0')
    return at + n_digits;
  for (at += n_digits; *at == separator && strspn (at + 1, "0123456789") == 3; at += 4)
    ++*n_groups;
  return at;
}

static Commas
find_commas (const char *text)
{
  guint n_commas = 0, n_dots = 0;
  const char *start = text + (*text == '-' || *text == '+');
  const char *end = skip_groups (start, ',', &n_commas);

  if (!g_ascii_isdigit (*start))
    return PLAIN;
  if (n_commas > 0 && *end == '\0')
    return n_commas == 1 ? EITHER : THOUSANDS;
  if (n_commas > 0 && *end == '.' && end[1 + strspn (end + 1, "0123456789")] == '\0')
    return THOUSANDS;
  end = skip_groups (start, '.', &n_dots);
  if (n_dots > 0 && *end == '\0')
    return DOTTED;
  return *end == ',' && g_ascii_isdigit (end[1]) &&
                 end[1 + strspn (end + 1, "0123456789eE+-")] == '\0'
             ? DECIMAL
             : PLAIN;
}

static char *
mend_number (const char *text, gboolean is_decimal)
{
  Commas commas = find_commas (text);
  g_autoptr (GString) mended = g_string_new (text);

  if (commas == PLAIN || (commas == DECIMAL && !is_decimal) || (commas == DOTTED && !is_decimal) ||
      (commas == THOUSANDS && is_decimal))
    return NULL;
  g_string_replace (mended, is_decimal ? "." : ",", "", 0);
  if (is_decimal)
    g_string_replace (mended, ",", ".", 0);
  return g_string_free (g_steal_pointer (&mended), FALSE);
}

/* A number with an unambiguous notation decides for the whole column. */
static void
mend_numbers (CuredImportReader *self, const char *name, char delimiter)
{
  gboolean any[DOTTED + 1] = { FALSE };
  gboolean has_fraction = FALSE, is_decimal;

  CURED_EACH_POINTER (const CuredImportRow, row, self->rows)
    {
      const char *text = _cured_import_get_text (self, row, name);

      if (text == NULL)
        continue;
      any[find_commas (text)] = TRUE;
      has_fraction |= g_str_has_prefix (text, "0,");
    }
  /* "32,8" between commas may be two numbers. */
  if (delimiter == ',' && any[DECIMAL] && !has_fraction)
    return;
  if (!any[EITHER] && !any[THOUSANDS] && !any[DECIMAL])
    return;
  is_decimal = any[DECIMAL] || (delimiter == ';' && !any[THOUSANDS]);
  if (self->format->keys == NULL && any[EITHER] && !any[DECIMAL] && !any[THOUSANDS] && !is_decimal)
    g_ptr_array_add (self->notes,
                     g_strdup_printf (_ ("“%s”: commas are read as thousands separators"), name));
  CURED_EACH_POINTER (CuredImportRow, row, self->rows)
    {
      const char *text = _cured_import_get_text (self, row, name);
      g_autofree char *mended = text != NULL ? mend_number (text, is_decimal) : NULL;

      _cured_import_put_text (self, row, name, CURED_IMPORT_AS_UNKNOWN, mended);
    }
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
      g_ptr_array_add (fields, g_strdup (field->str));
      if (*at != delimiter || fields->len > MAX_COLUMNS)
        break;
      at++;
    }
  ++*line;
  return skip_line (at);
}

/* Whether it is a number, with decimal commas or without. */
gboolean
_cured_import_is_numeric (const char *text)
{
  g_autofree char *mended = mend_number (text, TRUE);
  const char *number = mended != NULL ? mended : text;
  char *end = NULL;

  g_ascii_strtod (number, &end);
  return end != number && *end == '\0';
}

static guint
count_numbers (GPtrArray *fields)
{
  guint n = 0;

  for (guint i = 0; i < fields->len; i++)
    n += _cured_import_is_numeric (g_ptr_array_index (fields, i));
  return n;
}

/* Drops an unnamed field at the end of each row. */
static void
drop_last_empty (GPtrArray *fields, guint n_columns)
{
  while (fields->len > n_columns && *(char *) g_ptr_array_index (fields, fields->len - 1) == '\0')
    g_ptr_array_remove_index (fields, fields->len - 1);
}

/* The line of column names; may be a comment followed by numbers, as NumPy writes it. */
static const char *
find_header (const char *text, guint *line)
{
  const char *comment = NULL;
  guint comment_line = 0, next_line = 1;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) first = g_ptr_array_new_with_free_func (g_free);

  if (g_str_has_prefix (text, "\xEF\xBB\xBF"))
    text += 3;
  while (*text != '\0' && is_skipped (text))
    {
      if (*text == '#')
        {
          comment = text + 1;
          comment_line = *line;
        }
      ++*line;
      text = skip_line (text);
    }
  if (comment == NULL || *text == '\0')
    return text;
  char delimiter = find_delimiter (text);
  read_line (comment, delimiter, names, &next_line);
  read_line (text, delimiter, first, &next_line);
  if (names->len != first->len || count_numbers (names) > 0 || count_numbers (first) < first->len)
    return text;
  *line = comment_line;
  return comment;
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
      while (*at != '\0' && is_skipped (at))
        at = skip_line (at);
      if (*at != '\0')
        read_line (at, delimiter, *first, &line);
      drop_last_empty (*first, columns->len);
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
  /* Text of a field → JsonNode: equal ones are kept once. */
  g_autoptr (GHashTable) texts = g_hash_table_new (g_str_hash, g_str_equal);

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
      drop_last_empty (fields, self->columns->len);
      if (*at == '\0' && at[-1] != '\n' && fields->len < self->columns->len)
        {
          g_ptr_array_add (self->notes,
                           g_strdup_printf (_ ("line %u is incomplete and left out"), here));
          break;
        }
      if (fields->len > self->columns->len)
        return _cured_import_fail (self, error,
                                   _ ("line %u: %u fields, and the first line names %u columns"),
                                   here, fields->len, self->columns->len);
      CuredImportRow *row = _cured_import_add_row (self);
      for (guint i = 0; i < fields->len; i++)
        {
          const CuredImportColumn *column = g_ptr_array_index (self->columns, i);
          const char *text = g_ptr_array_index (fields, i);
          JsonNode *node = g_hash_table_lookup (texts, text);

          if (*text == '\0')
            continue;
          if (node != NULL)
            _cured_import_put (self, row, column->name, CURED_IMPORT_AS_UNKNOWN, node);
          else
            {
              _cured_import_put_text (self, row, column->name, CURED_IMPORT_AS_UNKNOWN, text);
              node = _cured_import_get_field (self, row, column->name);
              g_hash_table_insert (texts, (gpointer) json_node_get_string (node), node);
            }
        }
    }
  for (guint i = 0; self->rows != NULL && i < self->columns->len; i++)
    mend_numbers (self, ((CuredImportColumn *) g_ptr_array_index (self->columns, i))->name,
                  delimiter);
  return TRUE;
}
