/* SPDX-License-Identifier: MIT
 * Functions shared by the verbs of the command. */
#include <glib/gi18n.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cured-cli.h"

/* Returns CURED_EXIT_USAGE; CURED_EXIT_CANCELLED, without a message, if @error says that it was
 * cancelled. */
int
cured_cli_fail_error (const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return CURED_EXIT_CANCELLED;
  cured_cli_fail ("%s", error->message);
  if (g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_COMPILER) ||
      g_error_matches (error, CURED_ERROR, CURED_ERROR_NO_DEVICE))
    g_printerr (_ ("“cured doctor” shows what this machine lacks\n"));
  return CURED_EXIT_USAGE;
}

/* Sets @error to CURED_ERROR_INVALID; returns FALSE. */
gboolean
cured_cli_refuse (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return cured_fail (error, CURED_ERROR_INVALID, "%s", message);
}

/* Prefixes an error with its subject, such as an option; returns FALSE. */
gboolean
cured_cli_prefix (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *prefix = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_prefix_error_literal (error, prefix);
  return FALSE;
}

/* As cured_cli_fail(), for functions that return FALSE. */
gboolean
cured_cli_deny (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  va_end (arguments);
  cured_cli_fail ("%s", cured_cli_lend (g_strdup_vprintf (format, arguments)));
  return FALSE;
}

/* Limit of texts lent at a time. */
#define MAX_LENT 1024

/* Returns @text, (transfer full), which is freed after MAX_LENT others were lent. */
const char *
cured_cli_lend (char *text)
{
  static char *lent[MAX_LENT];
  static guint next;
  char **place = &lent[next++ % MAX_LENT];

  g_free (*place);
  return *place = text;
}

const char *
cured_cli_printf (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return cured_cli_lend (text);
}

const char *
cured_cli_count (gint64 value)
{
  return cured_cli_lend (cured_format_count (value));
}

const char *
cured_cli_quantity (double value, const char *unit)
{
  return cured_cli_lend (cured_format_quantity (value, unit));
}

const char *
cured_cli_seconds (double seconds)
{
  return cured_cli_lend (cured_format_seconds (seconds));
}

/* Levenshtein's distance, on bytes: names are ASCII. */
static guint
get_distance (const char *a, const char *b)
{
  gsize length = strlen (b);
  g_autofree guint *row = g_new (guint, length + 1);

  for (gsize j = 0; j <= length; j++)
    row[j] = (guint) j;
  for (gsize i = 0; a[i] != '\0'; i++)
    {
      guint diagonal = row[0];

      row[0] = (guint) i + 1;
      for (gsize j = 0; j < length; j++)
        {
          guint change = diagonal + (g_ascii_tolower (a[i]) != g_ascii_tolower (b[j]));

          diagonal = row[j + 1];
          row[j + 1] = MIN (change, MIN (row[j], diagonal) + 1);
        }
    }
  return row[length];
}

static int
compare_distance (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const char *word = user_data;
  const char *name_a = *(const char *const *) a;
  const char *name_b = *(const char *const *) b;

  return (int) get_distance (word, name_a) - (int) get_distance (word, name_b);
}

void
cured_cli_sort_nearest (const char *word, char **candidates)
{
  /* g_qsort_with_data() is stable. */
  g_qsort_with_data (candidates, (int) g_strv_length (candidates), sizeof *candidates,
                     compare_distance, (gpointer) word);
}

/* Returns whether @word may be a typo of @candidate. */
gboolean
cured_cli_is_near (const char *word, const char *candidate)
{
  if (candidate == NULL)
    return FALSE;
  return get_distance (word, candidate) <= MAX (strlen (candidate) / 3, 2) ||
         (word[0] != '\0' && g_str_has_prefix (candidate, word));
}

/* Appends one more item, after a translated comma. */
void
cured_cli_append_item (GString *text, const char *item)
{
  if (text->len > 0)
    /* Translators: between the items of a list. */
    g_string_append (text, C_ ("list", ", "));
  g_string_append (text, item);
}

/* (transfer container): the texts at @first and each @size bytes further. */
char **
cured_cli_collect (gconstpointer first, gsize n, gsize size)
{
  char **texts = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    texts[i] = *(char *const *) ((const char *) first + i * size);
  return texts;
}

/* Sets an error with the valid names (transfer container) and the likely intended one. Returns
 * FALSE. */
gboolean
cured_cli_set_unknown (GError **error, const char *message, const char *word, char **candidates)
{
  cured_cli_sort_nearest (word, candidates);
  g_autofree char *list = g_strjoinv (", ", candidates);
  if (cured_cli_is_near (word, candidates[0]))
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 /* Translators: “no parameter “tle””, what is most like it, and all that there
                  * are. */
                 _ ("%s; did you mean “%s”? There are: %s"), message, candidates[0], list);
  else
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 /* Translators: “no parameter “tle””, and what there is. */
                 _ ("%s; there are: %s"), message, list);
  g_free (candidates);
  return FALSE;
}

/* The kernel of a result file is the embedded one, which reads no other file. */
CuredKernel *
cured_cli_load_kernel (const char *name, GError **error)
{
  if (!g_str_has_suffix (name, ".cured"))
    return cured_catalogue_load (name, error);
  g_autoptr (CuredResult) result = cured_result_load (name, NULL, error);
  if (result == NULL)
    return NULL;
  const char *source = cured_result_get_source (result);
  if (*source != '\0')
    return cured_kernel_new_from_text (source, cured_result_get_kernel_id (result), NULL, error);
  cured_cli_refuse (error, _ ("“%s” was imported and contains no kernel; name the kernel file"),
                    name);
  return NULL;
}

/* Fills @kernel's buffers as given by @fills. FALSE leaves it unchanged. */
gboolean
cured_cli_refill (CuredKernel **kernel, char **fills, GError **error)
{
  if (fills == NULL)
    return TRUE;
  CuredKernel *filled = cured_kernel_refill (*kernel, (const char *const *) fills, error);
  if (filled == NULL)
    return cured_cli_prefix (error, "--fill: ");
  cured_kernel_unref (*kernel);
  *kernel = filled;
  return TRUE;
}

/* “bx,by=8:8,16:16”. @is_set: by parameter: whether it was given. */
static gboolean
set_tied (CuredSpec *spec, const char *assignment, const char *names, gboolean *is_set,
          GError **error)
{
  g_auto (GStrv) parts = g_strsplit (names, ",", -1);

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      gsize index;

      if (!cured_kernel_find_parameter (cured_spec_get_kernel (spec), g_strstrip (parts[i]),
                                        &index))
        continue;
      if (is_set[index])
        return cured_cli_refuse (error, _ ("“%s” is given twice"), parts[i]);
      is_set[index] = TRUE;
    }
  return cured_spec_parse_tied (spec, assignment, error);
}

/* Returns FALSE with CURED_ERROR_SYNTAX, CURED_ERROR_INVALID, or CURED_ERROR_NOT_FOUND if the
 * kernel has no such parameter. */
gboolean
cured_cli_set_axes (CuredSpec *spec, char **axes, GError **error)
{
  CuredKernel *kernel = cured_spec_get_kernel (spec);
  const CuredParameter *parameters = kernel->parameters;
  gsize n_parameters = kernel->n_parameters;
  g_autofree gboolean *is_set = g_new0 (gboolean, n_parameters + 1);

  for (gsize i = 0; axes != NULL && axes[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (axes[i], "=", 2);
      gsize index = 0;

      if (parts[0] == NULL || parts[1] == NULL)
        {
          return cured_cli_refuse (error, _ ("-p %s: expected NAME=AXIS, such as tile=4..32:4"),
                                   axes[i]);
        }
      g_strstrip (parts[0]);
      if (strchr (parts[0], ',') != NULL)
        {
          if (!set_tied (spec, axes[i], parts[0], is_set, error))
            {
              return cured_cli_prefix (error, "-p %s: ", axes[i]);
            }
          continue;
        }
      if (cured_kernel_find_parameter (kernel, parts[0], &index))
        {
          if (is_set[index])
            return cured_cli_refuse (error, _ ("“%s” is given twice"), parts[0]);
          is_set[index] = TRUE;
          if (cured_spec_parse_axis (spec, axes[i], error))
            continue;
          return cured_cli_prefix (error, "-p %s: ", axes[i]);
        }
      cured_cli_set_unknown (error, cured_cli_printf (_ ("no parameter “%s”"), parts[0]), parts[0],
                             CURED_CLI_COLLECT (parameters, n_parameters, name));
      return cured_cli_prefix (error, "%s: ", kernel->id);
    }
  return TRUE;
}

/* Digits with at most one decimal point; no sign, no exponent and no comma, which is a decimal
 * point in some languages only. */
static gboolean
parse_decimal (const char *text, char **end, double *value)
{
  gsize length = strspn (text, "0123456789.");

  *value = g_ascii_strtod (text, end);
  return length > 0 && *end == text + length;
}

/* A number alone is percent, too; one below 1 might be meant as a fraction, and is
 * refused. */
gboolean
cured_cli_parse_percent (const char *text, double *fraction, GError **error)
{
  char *end = NULL;
  double value = 0.0;

  if (!parse_decimal (text, &end, &value) || !isfinite (value) ||
      (*end != '\0' && !g_str_equal (end, "%")))
    return cured_cli_refuse (error, _ ("“%s” is not a percentage; write 5%% or 0.5%%"), text);
  if (*end == '\0' && value > 0.0 && value < 1.0)
    {
      char percent[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_formatd (percent, sizeof percent, "%.10g", 100.0 * value);
      return cured_cli_refuse (error, /* Translators: “0.05”, which is 5 % as a fraction. */
                               _ ("“%s” could be a percentage or a fraction; write %s%% or %s%%"),
                               text, text, percent);
    }
  *fraction = value / 100.0;
  return TRUE;
}

struct _CuredCliTable
{
  char *alignment;
  gsize *widths;
  GPtrArray *rows; /* (element-type GStrv) */
};

/* Returns an empty table. */
CuredCliTable *
cured_cli_table_new (const char *alignment)
{
  CuredCliTable *self = g_new0 (CuredCliTable, 1);

  self->alignment = g_strdup (alignment);
  self->widths = g_new0 (gsize, strlen (alignment));
  self->rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  return self;
}

/* Whole numbers are grouped, as the user's language does it. */
void
cured_cli_table_add_row (CuredCliTable *self, const CuredCliValue *values, gsize n_values)
{
  char **row = g_new0 (char *, n_values + 1);

  for (gsize i = 0; i < n_values; i++)
    {
      if (values[i].kind == CURED_CLI_VALUE_INT)
        row[i] = cured_format_count (values[i].integer);
      else
        /* A row is a single line. */
        row[i] = g_strdelimit (g_strdup (values[i].text), "\n\r\t", ' ');
    }
  g_ptr_array_add (self->rows, row);
}

/* Gives a column at least this width. */
void
cured_cli_table_widen (CuredCliTable *self, gsize column, gsize width)
{
  self->widths[column] = MAX (self->widths[column], width);
}

/* Prints the rows that were added since the last call. */
void
cured_cli_table_print (CuredCliTable *self, const char *indent)
{
  for (guint r = 0; r < self->rows->len; r++)
    {
      char **row = g_ptr_array_index (self->rows, r);

      for (gsize i = 0; row[i] != NULL; i++)
        cured_cli_table_widen (self, i, cured_cli_get_width (row[i]));
    }
  for (guint r = 0; r < self->rows->len; r++)
    {
      char **row = g_ptr_array_index (self->rows, r);
      g_autoptr (GString) line = g_string_new (indent);

      for (gsize i = 0; row[i] != NULL; i++)
        {
          gsize padding = self->widths[i] - cured_cli_get_width (row[i]);

          if (i > 0)
            g_string_append (line, "  ");
          if (self->alignment[i] == 'r')
            g_string_append_printf (line, "%*s", (int) padding, "");
          g_string_append (line, row[i]);
          if (self->alignment[i] == 'l' && row[i + 1] != NULL)
            g_string_append_printf (line, "%*s", (int) padding, "");
        }
      g_print ("%s\n", g_strchomp (line->str));
    }
  g_ptr_array_set_size (self->rows, 0);
}

CURED_DEFINE_FREE (CuredCliTable, cured_cli_table_free, alignment, g_free, widths, g_free, rows,
                   g_ptr_array_unref)

/* Returns how many columns of a terminal the text takes. */
gsize
cured_cli_get_width (const char *text)
{
  gsize width = 0;

  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      if (!g_unichar_iszerowidth (character))
        width += g_unichar_iswide (character) ? 2 : 1;
    }
  return width;
}

/* Returns the terminal's width; COLUMNS, or 80, if it is not a terminal. */
int
cured_cli_get_columns (int fd)
{
  struct winsize size = { 0 };
  const char *columns = g_getenv ("COLUMNS");
  guint64 value = 0;

  if (ioctl (fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  if (columns != NULL && g_ascii_string_to_unsigned (columns, 10, 1, 10000, &value, NULL))
    return (int) value;
  return 80;
}

/* Returns a value for each parameter; parameters not named have their default. */
gint64 *
cured_cli_get_point (CuredKernel *kernel, char **axes, const char *verb, GError **error)
{
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);

  if (!cured_cli_set_axes (spec, axes, error))
    return NULL;
  g_autofree gint64 *values = g_new0 (gint64, kernel->n_parameters + 1);
  for (gsize i = 0; i < kernel->n_parameters; i++)
    {
      const CuredAxis *axis = cured_spec_get_axis (spec, i);
      g_autofree char *first = NULL;

      if (cured_axis_get_length (axis) != 1)
        {
          first = cured_axis_value_to_string (axis, cured_axis_get_value (axis, 0));
          cured_cli_refuse (error,
                            _ ("-p: %s has %zu values, but %s takes one point, such as -p %s=%s"),
                            kernel->parameters[i].name, cured_axis_get_length (axis), verb,
                            kernel->parameters[i].name, first);
          return NULL;
        }
      values[i] = cured_axis_get_value (axis, 0);
    }
  return g_steal_pointer (&values);
}

/* Appends to “tile=16 n=1024”, as `-p` reads it. */
void
cured_cli_append_value (GString *text, const char *name, const CuredAxis *axis, gint64 value)
{
  g_string_append_printf (text, "%s%s=%s", text->len > 0 ? " " : "", name,
                          cured_cli_lend (cured_axis_value_to_string (axis, value)));
}

#define VALUE(name, type, KIND, member)                                                            \
  CuredCliValue cured_cli_value_##name (type value)                                                \
  {                                                                                                \
    return (CuredCliValue){ CURED_CLI_VALUE_##KIND, { .member = value } };                         \
  }

VALUE (int, gint64, INT, integer)
VALUE (real, double, REAL, real)
VALUE (text, const char *, TEXT, text)
VALUE (texts, char **, TEXTS, texts)
VALUE (list, const GPtrArray *, LIST, list)
VALUE (sizes, const guint *, SIZES, sizes)
VALUE (reals, const double *, REALS, reals)

/* The document that is being written; NULL: none. */
static JsonBuilder *document;
static guint depth; /* depth in the document */

static void add_value (CuredCliValue value, gboolean is_boolean);

static void
add_array (const CuredCliValue *value)
{
  json_builder_begin_array (document);
  if (value->kind == CURED_CLI_VALUE_TEXTS)
    for (char **text = value->texts; *text != NULL; text++)
      json_builder_add_string_value (document, *text);
  if (value->kind == CURED_CLI_VALUE_LIST)
    for (guint i = 0; i < value->list->len; i++)
      json_builder_add_string_value (document, value->list->pdata[i]);
  for (gsize i = 0; value->kind == CURED_CLI_VALUE_SIZES && i < 3; i++)
    json_builder_add_int_value (document, value->sizes[i]);
  for (gsize i = 0; value->kind == CURED_CLI_VALUE_REALS && i < 3; i++)
    add_value (cured_cli_value_real (value->reals[i]), FALSE);
  json_builder_end_array (document);
}

/* JSON has no word for NaN and infinity. */
static void
add_value (CuredCliValue value, gboolean is_boolean)
{
  if (is_boolean)
    json_builder_add_boolean_value (document, value.integer != 0);
  else if (value.kind == CURED_CLI_VALUE_INT)
    json_builder_add_int_value (document, value.integer);
  else if (value.kind == CURED_CLI_VALUE_REAL && isfinite (value.real))
    json_builder_add_double_value (document, value.real);
  else if (value.kind == CURED_CLI_VALUE_TEXT && value.text != NULL)
    json_builder_add_string_value (document, value.text);
  else if (value.kind > CURED_CLI_VALUE_TEXT)
    add_array (&value);
  else
    json_builder_add_null_value (document);
}

/* Begins the document of --json. */
void
cured_cli_begin_document (void)
{
  cured_cli_is_json = TRUE;
  cured_cli_print_nothing ();
}

/* (transfer full): ends the document and returns it. */
static char *
end_document (gboolean is_pretty)
{
  g_autoptr (JsonNode) root = json_builder_get_root (document);

  g_clear_object (&document);
  return json_to_string (root, is_pretty);
}

static void
print_document (void)
{
  g_autofree char *text = end_document (TRUE);
  g_autoptr (GString) escaped = g_string_sized_new (strlen (text));

  /* json-glib leaves some of the control characters in strings as they are. */
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      if (character == '\n' || !g_unichar_iscntrl (character))
        g_string_append_unichar (escaped, character);
      else
        g_string_append_printf (escaped, "\\u%04x", (guint) character);
    }
  g_string_append_c (escaped, '\n');
  cured_cli_print_document (escaped->str);
}

static void
write_document (const char *format, const CuredCliValue *values, gsize n_values)
{
  gsize n_used = 0;

  if (document == NULL)
    document = json_builder_new ();
  for (const char *at = format; *at != '\0';)
    {
      gsize length = strcspn (at, " {}[]:?~.");
      gboolean is_value = length > 0 || *at == '.';

      if (*at == '$')
        json_builder_set_member_name (document, values[n_used++].text);
      else if (length > 0)
        json_builder_set_member_name (document, cured_cli_printf ("%.*s", (int) length, at));
      at += length > 0 ? length : (gsize) is_value;
      depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
      if (*at == '{')
        json_builder_begin_object (document);
      else if (*at == '[')
        json_builder_begin_array (document);
      else if (*at == '~')
        json_builder_add_null_value (document);
      else if (is_value && *at != ':')
        {
          g_assert_cmpuint (n_used, <, n_values);
          add_value (values[n_used++], *at == '?');
          /* The part after “?” is read later. */
          depth += (*at == '}' || *at == ']');
          if (*at != '?')
            continue;
        }
      else if (*at == '}')
        json_builder_end_object (document);
      else if (*at == ']')
        json_builder_end_array (document);
      at += *at != '\0';
    }
  g_assert_cmpuint (n_used, ==, n_values);
}

/* With --json: adds the members of @format to the document, with a value for each word: “{kernel
 * cells finished? best~ sizes[. .]}” is an object whose members are “kernel”, “cells”, “finished”,
 * a boolean, “best”, which is null, and “sizes”, an array of two values. “$” is the member that the
 * next value names. A part may be added at a time; the caller adds the value after “best:”. The
 * document is printed once it is complete. */
void
cured_cli_json_add (const char *format, const CuredCliValue *values, gsize n_values)
{
  if (!cured_cli_is_json)
    return;
  write_document (format, values, n_values);
  if (depth == 0)
    print_document ();
}

/* Returns a whole document in a line, independently of --json. */
char *
cured_cli_json_compose (const char *format, const CuredCliValue *values, gsize n_values)
{
  write_document (format, values, n_values);
  return end_document (FALSE);
}

void
cured_cli_json_put (const char *format)
{
  cured_cli_json_add (format, NULL, 0);
}

/* A kernel is compiled under a bare name, which NVRTC puts into the working folder. */
const char *
cured_cli_find_source (CuredKernel *kernel, const char *file)
{
  const char *path = kernel->path;
  const char *bare = file;

  if (file == NULL)
    return NULL;
  g_autofree char *name = cured_kernel_get_file_name (kernel);
  g_autofree char *own = g_path_get_basename (name);
  if (strrchr (file, '/') != NULL)
    bare = strrchr (file, '/') + 1;
  if (!g_str_equal (bare, own))
    return file;
  return path != NULL ? path : bare;
}
