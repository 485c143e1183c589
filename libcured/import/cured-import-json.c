/* SPDX-License-Identifier: MIT
 * Reads other programs' JSON, which may be truncated, contain NaN, or not be JSON at all. */

#include "base/cured-base-internal.h"
#include "import/cured-import-private.h"

/* The parser recurses per level; no format has more than 8. */
#define MAX_DEPTH 64

/* The end of a record in a cache: behind its brace. */
typedef struct
{
  gsize offset;
  guint line;
} End;

typedef struct
{
  GString *text; /* text for the parser */
  GArray *ends;  /* (element-type End) */
  guint depth;   /* at the end; 0: whole */
  gboolean is_too_deep;
  char bad; /* a character that the parser accepts, but JSON forbids; or 0 */
  gboolean is_in_string;
  guint line; /* the last line, or the one that is too deep or bad */
} Scan;

gboolean
_cured_import_fail (const CuredImportReader *self, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return cured_fail (error, CURED_ERROR_SYNTAX, "%s: %s", self->name, message);
}

/* Python writes these three words, which are not JSON. */
static gsize
get_bare_length (const char *at)
{
  static const char *const words[] = { "NaN", "Infinity", "-Infinity" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_has_prefix (at, words[i]))
      return strlen (words[i]);
  return 0;
}

/* Length of an integer beyond 64 bits, which the parser would misread. */
static gsize
get_huge_length (const char *text, const char *at)
{
  if (!g_ascii_isdigit (*at) || (at > text && (g_ascii_isalnum (at[-1]) || at[-1] == '.')))
    return 0;
  gsize length = strspn (at, "0123456789");
  if (length < 19 || strchr (".eE", at[length]) != NULL ||
      (length == 19 && strncmp (at, "9223372036854775807", 19) <= 0))
    return 0;
  return length;
}

/* Copies the text with null in place of what JSON lacks, and finds the ends of a cache's records:
 * objects in an object in the root. */
static void
scan (Scan *self, const char *text)
{
  for (const char *at = text; *at != '\0'; at++)
    {
      if (*at == '\n')
        self->line++;
      if (self->is_in_string)
        {
          /* The parser would take \250 for a byte, which is not valid text. */
          if (*at == '\\' && strchr ("\"\\/bfnrtu", at[1]) == NULL)
            {
              self->bad = '\\';
              return;
            }
          if (*at == '\\' && at[1] != '\0')
            g_string_append_c (self->text, *at++);
          else if (*at == '"')
            self->is_in_string = FALSE;
          g_string_append_c (self->text, *at);
          continue;
        }
      if (*at == '\'')
        {
          self->bad = *at;
          return;
        }
      gsize bare = get_bare_length (at);
      if (bare > 0)
        {
          g_string_append (self->text, "null");
          at += bare - 1;
          continue;
        }
      gsize huge = get_huge_length (text, at);
      if (huge > 0)
        {
          /* As a text, it is not changed. */
          if (g_str_has_suffix (self->text->str, "-"))
            g_string_append_printf (self->text, "%.*s.0", (int) huge, at);
          else
            g_string_append_printf (self->text, "\"%.*s\"", (int) huge, at);
          at += huge - 1;
          continue;
        }
      g_string_append_c (self->text, *at);
      switch (*at)
        {
        case '"': self->is_in_string = TRUE; break;
        case '{':
        case '[':
          if (++self->depth > MAX_DEPTH)
            {
              self->is_too_deep = TRUE;
              return;
            }
          break;
        case '}':
        case ']':
          if (self->depth > 0)
            self->depth--;
          if (self->depth == 2 && *at == '}')
            {
              End end = { self->text->len, self->line };

              g_array_append_val (self->ends, end);
            }
          break;
        default: break;
        }
    }
}

static gboolean
parse (CuredImportReader *self, const char *text, gsize length, GError **error)
{
  g_clear_object (&self->parser);
  self->parser = json_parser_new_immutable ();
  if (!json_parser_load_from_data (self->parser, text, (gssize) length, error))
    return FALSE;
  JsonNode *root = json_parser_get_root (self->parser);
  if (root != NULL && JSON_NODE_HOLDS_ARRAY (root) && self->format->shape == CURED_IMPORT_LIST)
    self->list = json_node_get_array (root);
  else if (root != NULL && JSON_NODE_HOLDS_OBJECT (root) &&
           self->format->shape == CURED_IMPORT_OBJECT)
    self->root = json_node_get_object (root);
  else
    return _cured_import_fail (self, error, _ ("expected one JSON object, { … }"));
  return TRUE;
}

/* Splits a parser's message, "<data>:12:3: …", into its line and its text. */
static guint
split_message (const char *message, const char **rest)
{
  const char *end = strstr (message, ": ");

  *rest = message;
  if (!g_str_has_prefix (message, "<data>:") || end == NULL)
    return 1;
  guint64 line = g_ascii_strtoull (message + strlen ("<data>:"), NULL, 10);
  *rest = end + 2;
  return (guint) CLAMP (line, 1, G_MAXUINT);
}

/* Keeps the records that end before @line; 0: all complete ones. The parser may have noticed a
 * mistake a few records later. */
static gboolean
parse_part (CuredImportReader *self, const Scan *found, guint line)
{
  guint n_ends = found->ends->len;

  while (line > 0 && n_ends > 0 && g_array_index (found->ends, End, n_ends - 1).line >= line)
    n_ends--;
  for (guint i = 0; i < 4 && n_ends > i; i++)
    {
      gsize length = g_array_index (found->ends, End, n_ends - 1 - i).offset;
      g_autoptr (GString) text = g_string_sized_new (length + 2);

      g_string_append_len (text, found->text->str, (gssize) length);
      g_string_append (text, "}}");
      if (parse (self, text->str, text->len, NULL))
        {
          self->is_cut = TRUE;
          return TRUE;
        }
    }
  return FALSE;
}

static gboolean
parse_found (CuredImportReader *self, const Scan *found, gboolean may_be_cut, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  const char *rest = NULL;
  gboolean is_open = found->depth > 0 || found->is_in_string;

  if (parse (self, found->text->str, found->text->len, &local_error))
    return TRUE;
  guint line = split_message (local_error->message, &rest);
  if (may_be_cut && ((is_open && parse_part (self, found, 0)) || parse_part (self, found, line)))
    return TRUE;
  if (is_open)
    return _cured_import_fail (self, error,
                               _ ("line %u: the file ends here, in the middle of its JSON: it was "
                                  "cut, or is still being written. Take the whole file."),
                               found->line);
  if (local_error->domain == CURED_ERROR)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  g_autofree char *said = g_strdelimit (g_strdup (rest), "\n\r", ' ');
  return _cured_import_fail (self, error,
                             _ ("line %u: this is not JSON (%s). Take the file as it was written."),
                             line, said);
}

/* Reads the text. NaN and Infinity become null. If a file is truncated or broken, the records
 * before are kept. */
gboolean
_cured_import_parse (CuredImportReader *self, gboolean may_be_cut, GCancellable *cancellable,
                     GError **error)
{
  Scan found = { .line = 1 };
  const char *start = g_str_has_prefix (self->text, "\xEF\xBB\xBF") ? self->text + 3 : self->text;
  gboolean ok;

  found.text = g_string_sized_new (strlen (start) + 1);
  found.ends = g_array_new (FALSE, FALSE, sizeof (End));
  scan (&found, start);
  if (found.is_too_deep)
    ok = _cured_import_fail (self, error,
                             _ ("line %u: lists and objects lie more than %d deep in each other; "
                                "no program writes that"),
                             found.line, MAX_DEPTH);
  else if (found.bad != 0)
    {
      const char said[] = { found.bad, '\0' };

      ok = _cured_import_fail (
          self, error, _ ("line %u: this is not JSON (%s). Take the file as it was written."),
          found.line, said);
    }
  else
    ok = !g_cancellable_set_error_if_cancelled (cancellable, error) &&
         parse_found (self, &found, may_be_cut, error);
  g_string_free (found.text, TRUE);
  g_array_unref (found.ends);
  return ok;
}

/* Whether the member exists; null does not count: empty lists may be written as null. */
static gboolean
find_member (const CuredImportReader *self, JsonObject *object, const char *place,
             const char *member, JsonNodeType type, JsonNode **node, GError **error)
{
  *node = json_object_get_member (object, member);
  if (*node != NULL && JSON_NODE_HOLDS_NULL (*node))
    *node = NULL;
  if (*node == NULL || json_node_get_node_type (*node) == type)
    return TRUE;
  return _cured_import_fail (self, error,
                             type == JSON_NODE_ARRAY ? _ ("%s%s: expected a list, [ … ]")
                                                     : _ ("%s%s: expected an object, { … }"),
                             place, member);
}

gboolean
_cured_import_get_array (const CuredImportReader *self, JsonObject *object, const char *place,
                         const char *member, JsonArray **array, GError **error)
{
  JsonNode *node = NULL;

  *array = NULL;
  if (!find_member (self, object, place, member, JSON_NODE_ARRAY, &node, error))
    return FALSE;
  if (node != NULL)
    *array = json_node_get_array (node);
  return TRUE;
}

gboolean
_cured_import_get_object (const CuredImportReader *self, JsonObject *object, const char *place,
                          const char *member, JsonObject **found, GError **error)
{
  JsonNode *node = NULL;

  *found = NULL;
  if (!find_member (self, object, place, member, JSON_NODE_OBJECT, &node, error))
    return FALSE;
  if (node != NULL)
    *found = json_node_get_object (node);
  return TRUE;
}

JsonObject *
_cured_import_get_element (const CuredImportReader *self, JsonArray *array, guint index,
                           const char *place, GError **error)
{
  JsonNode *node = json_array_get_element (array, index);

  if (JSON_NODE_HOLDS_OBJECT (node))
    return json_node_get_object (node);
  _cured_import_fail (self, error, _ ("%s[%u]: expected an object, { … }"), place, index);
  return NULL;
}

/* NULL if it is not an object. */
JsonObject *
_cured_import_to_object (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

JsonArray *
_cured_import_to_array (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

/* @object: (nullable) */
JsonObject *
_cured_import_find_object (JsonObject *object, const char *member)
{
  return object != NULL ? _cured_import_to_object (json_object_get_member (object, member)) : NULL;
}

JsonArray *
_cured_import_find_array (JsonObject *object, const char *member)
{
  return object != NULL ? _cured_import_to_array (json_object_get_member (object, member)) : NULL;
}

guint
_cured_import_count (JsonArray *array)
{
  return array != NULL ? json_array_get_length (array) : 0;
}

/* @at: zeroed before the first member. FALSE after the last one. */
gboolean
_cured_import_next (JsonObject *object, CuredImportMember *at)
{
  if (at->name == NULL)
    json_object_iter_init_ordered (&at->iter, object);
  return json_object_iter_next_ordered (&at->iter, &at->name, &at->node);
}

/* The text; NULL if it is not one. */
const char *
_cured_import_to_string (JsonNode *node)
{
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
      json_node_get_value_type (node) != G_TYPE_STRING)
    return NULL;
  return json_node_get_string (node);
}

const char *
_cured_import_get_string (JsonObject *object, const char *member)
{
  return _cured_import_to_string (json_object_get_member (object, member));
}

/* The number; NaN where it is not a finite number. */
double
_cured_import_to_number (JsonNode *node)
{
  double value = CURED_MISSING;

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return CURED_MISSING;
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    {
      const char *text = json_node_get_string (node);
      char *end = NULL;

      value = g_ascii_strtod (text, &end);
      if (end == text || *end != '\0')
        return CURED_MISSING;
    }
  else if (json_node_get_value_type (node) == G_TYPE_INT64 ||
           json_node_get_value_type (node) == G_TYPE_DOUBLE)
    value = json_node_get_double (node);
  return isfinite (value) ? value : CURED_MISSING;
}

/* As of _cured_import_to_number(). */
double
_cured_import_get_number (JsonObject *object, const char *member)
{
  return _cured_import_to_number (json_object_get_member (object, member));
}
