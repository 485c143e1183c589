/* SPDX-License-Identifier: MIT
 * Finds the header comments of a kernel file, and records every key's line. */
#include "kernel/read/cured-header-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-ptx-text-internal.h"

#define OPENING "/*! cured"

/* GKeyFile holds the values. It reports no line numbers and merges repeated groups, so our own pass
 * over the text comes first: it refuses whatever GKeyFile would refuse or merge, and records the
 * lines. */
struct _CuredHeader
{
  char *file;
  guint line;
  gsize closing; /* offset of the end of the closing comment; 0: none */
  GKeyFile *keys;
  GHashTable *lines; /* "group" and "group\nkey" → line */
  GHashTable *texts; /* group → GString: its lines, unchanged */
  GPtrArray *groups; /* (element-type utf8): NULL-terminated */

  /* Errors in groups from the other kernel are reported at the line of Like=. */
  char *like; /* nullable */
  guint like_line, first_like_line;
};

/* Sets @error to "FILE:LINE: message" for the text at @from. */
G_GNUC_PRINTF (5, 6)
static gboolean
fail_at (const char *file, guint line, int code, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  cured_set_error_at (error, (CuredError) code, file, line, 0, message);
  return FALSE;
}

static gboolean
is_opening (const char *at)
{
  return g_str_has_prefix (at, OPENING) &&
         (at[strlen (OPENING)] == '\0' || g_ascii_isspace (at[strlen (OPENING)]));
}

/* The next line from @at on that begins with a header's opening, except the first line of @text. */
static const char *
find_next_opening (const char *text, const char *at)
{
  for (; (at = strstr (at, OPENING)) != NULL; at++)
    {
      const char *before = at;

      while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
      if (is_opening (at) && before > text && before[-1] == '\n')
        return at;
    }
  return NULL;
}

static const char *
find_last_opening (const char *text)
{
  const char *last = NULL;

  for (const char *at = text; (at = find_next_opening (text, at)) != NULL; at++)
    last = at;
  return last;
}

/* Finds the header among the comments before the code; a licence may precede it. In PTX, which
 * another program wrote, it may be below the code. */
static const char *
find_opening (const char *text, const char *file, guint *line, GError **error)
{
  const char *at = text;

  if (g_str_has_prefix (at, "\xEF\xBB\xBF"))
    at += 3;
  *line = 1;
  for (;;)
    {
      const char *end = NULL;

      if (g_ascii_isspace (*at))
        end = at + 1;
      else if (g_str_has_prefix (at, "//"))
        end = at + strcspn (at, "\n");
      else if (is_opening (at))
        return at + strlen (OPENING);
      else if (g_str_has_prefix (at, "/*"))
        {
          end = strstr (at + 2, "*/");
          if (end == NULL)
            {
              fail_at (file, *line, CURED_ERROR_SYNTAX, error,
                       _ ("the comment that starts here is not closed; close it with */"));
              return NULL;
            }
          end += 2;
        }
      else if (_cured_text_is_ptx (at) && find_last_opening (at) != NULL)
        {
          end = find_last_opening (at);
          *line += _cured_text_count_lines (at, end) - 1;
          return end + strlen (OPENING);
        }
      else if (_cured_text_is_ptx (at))
        {
          fail_at (file, *line, CURED_ERROR_SYNTAX, error,
                   _ ("no header: expected a comment that starts with \"/*! cured\" above or below "
                      "the code, or a file of this name and “.kernel” beside it; “cured header” "
                      "drafts one; see cured-kernel(5)"));
          return NULL;
        }
      else
        {
          fail_at (file, *line, CURED_ERROR_SYNTAX, error,
                   _ ("no header: expected a comment that starts with \"/*! cured\" before the "
                      "code; “cured header” drafts one; see cured-kernel(5)"));
          return NULL;
        }
      *line += _cured_text_count_lines (at, end) - 1;
      at = end;
    }
}

/* Finds the comment that continues the header: it starts a line, and no code follows. FALSE if
 * there is one elsewhere. */
static gboolean
find_closing (const char *text, const char *from, const char *file, const char **start,
              GError **error)
{
  const char *at = find_next_opening (from, from);

  *start = at != NULL ? at + strlen (OPENING) : NULL;
  if (at == NULL)
    return TRUE;
  const char *end = strstr (at, "*/");
  if (end != NULL)
    end = _cured_text_skip_remarks (end + 2, is_opening);
  if (end == NULL || *end != '\0')
    return fail_at (file, _cured_text_count_lines (text, at), CURED_ERROR_SYNTAX, error,
                    end == NULL ? _ ("the header that starts here is not closed; close it with */")
                                : _ ("the header goes on here, in the middle of the code; move "
                                     "this comment to the end of the file"));
  return TRUE;
}

/* Cuts a comment: a # at the start or after white space. */
static void
cut_comment (char *line)
{
  for (char *at = line; *at != '\0'; at++)
    if (*at == '#' && (at == line || g_ascii_isspace (at[-1])))
      {
        *at = '\0';
        break;
      }
}

static gboolean
is_key (const char *text)
{
  if (*text == '\0')
    return FALSE;
  for (; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && *text != '_' && *text != '-')
      return FALSE;
  return TRUE;
}

static gboolean
remember (CuredHeader *self, const char *group, const char *key, guint line, GError **error)
{
  g_autofree char *where = key == NULL ? g_strdup (group) : g_strconcat (group, "\n", key, NULL);
  guint before = GPOINTER_TO_UINT (g_hash_table_lookup (self->lines, where));

  if (before != 0)
    {
      if (key == NULL)
        fail_at (self->file, line, CURED_ERROR_SYNTAX, error,
                 _ ("[%s] is there already, on line %u"), group, before);
      else
        fail_at (self->file, line, CURED_ERROR_SYNTAX, error,
                 _ ("%s= is there already, on line %u"), key, before);
      return FALSE;
    }
  g_hash_table_insert (self->lines, g_steal_pointer (&where), GUINT_TO_POINTER (line));
  return TRUE;
}

static void
keep_text (CuredHeader *self, const char *group, const char *text)
{
  GString *lines = group != NULL ? g_hash_table_lookup (self->texts, group) : NULL;

  if (lines != NULL && *text != '\0')
    g_string_append_printf (lines, "%s\n", text);
}

/* Reads one line of the header into @self; @group is the current group. */
static gboolean
read_line (CuredHeader *self, char *text, guint line, char **group, GError **error)
{
  g_strchug (text);
  if (*text == '*')
    text++;
  g_strstrip (text);
  g_autofree char *whole = g_strdup (text);
  cut_comment (text);
  g_strstrip (text);
  if (*text == '\0')
    return TRUE;

  if (*text == '[')
    {
      gsize length = strlen (text);

      if (text[length - 1] != ']' || length < 3)
        return fail_at (self->file, line, CURED_ERROR_SYNTAX, error,
                        _ ("expected a group such as [Kernel], found “%s”"), text);
      text[length - 1] = '\0';
      if (strpbrk (text + 1, "[]") != NULL || _cured_text_has_control (text + 1))
        return fail_at (
            self->file, line, CURED_ERROR_SYNTAX, error,
            _ ("a group's name has no brackets and no control characters inside: \"%s\""),
            text + 1);
      g_free (*group);
      *group = g_strdup (text + 1);
      if (!remember (self, *group, NULL, line, error))
        return FALSE;
      g_ptr_array_add (self->groups, g_strdup (*group));
      g_hash_table_insert (self->texts, g_strdup (*group), g_string_new (NULL));
      keep_text (self, *group, whole);
      return TRUE;
    }

  char *equals = strchr (text, '=');
  if (equals == NULL)
    return fail_at (self->file, line, CURED_ERROR_SYNTAX, error,
                    _ ("expected Key=value or a [Group], found “%s”"), text);
  *equals = '\0';
  g_strchomp (text);
  if (!is_key (text))
    return fail_at (self->file, line, CURED_ERROR_SYNTAX, error,
                    _ ("expected a key before “=”, found “%s”"), text);
  if (*group == NULL)
    return fail_at (self->file, line, CURED_ERROR_SYNTAX, error,
                    _ ("%s= stands before the first group; start with [Kernel]"), text);
  if (!remember (self, *group, text, line, error))
    return FALSE;
  keep_text (self, *group, whole);
  g_key_file_set_value (self->keys, *group, text, g_strchug (equals + 1));
  return TRUE;
}

static void
free_text (gpointer data)
{
  g_string_free (data, TRUE);
}

/* Reads a comment's text from @start, on line @line, to @end. */
static gboolean
read_comment (CuredHeader *self, const char *start, const char *end, guint line, GError **error)
{
  g_autofree char *comment = g_strndup (start, (gsize) (end - start));
  g_auto (GStrv) lines = g_strsplit (comment, "\n", -1);
  g_autofree char *group = NULL;

  for (guint i = 0; lines[i] != NULL; i++)
    if (!read_line (self, lines[i], line + i, &group, error))
      return FALSE;
  return TRUE;
}

/* Whether the header, in which @at is, has PTX above it. */
static gboolean
is_below_code (const char *text, const char *at)
{
  g_autofree char *before = g_strndup (text, (gsize) (at - text) - strlen (OPENING));

  return _cured_text_is_ptx (before);
}

/* (transfer full): the groups and keys of the opening comment, and of the closing one if the header
 * continues there; their meaning is not checked. */
CuredHeader *
_cured_header_new (const char *text, const char *file, GError **error)
{
  g_autoptr (CuredHeader) self = g_new0 (CuredHeader, 1);
  const char *closing;

  self->file = g_strdup (file);
  self->keys = g_key_file_new ();
  self->lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_text);
  self->groups = g_ptr_array_new_with_free_func (g_free);

  const char *start = find_opening (text, file, &self->line, error);
  if (start == NULL)
    return NULL;
  const char *end = strstr (start, "*/");
  if (end == NULL)
    {
      fail_at (file, self->line, CURED_ERROR_SYNTAX, error,
               _ ("the header that starts here is not closed; close it with */"));
      return NULL;
    }
  if (!read_comment (self, start, end, self->line, error))
    return NULL;
  /* Below the code there is nothing but the header. */
  if (is_below_code (text, start))
    self->closing = (gsize) (end - text);
  if (!find_closing (text, end + 2, file, &closing, error))
    return NULL;
  if (closing != NULL)
    {
      end = strstr (closing, "*/");
      self->closing = (gsize) (end - text);
      if (!read_comment (self, closing, end, _cured_text_count_lines (text, closing), error))
        return NULL;
    }
  g_ptr_array_add (self->groups, NULL);
  return g_steal_pointer (&self);
}

CURED_DEFINE_FREE (CuredHeader, _cured_header_free, file, g_free, keys, g_key_file_free, lines,
                   g_hash_table_unref, texts, g_hash_table_unref, groups, g_ptr_array_unref, like,
                   g_free)

/* (transfer none): the groups' names in the order of the file. */
const char *const *
_cured_header_get_groups (const CuredHeader *self)
{
  return (const char *const *) self->groups->pdata;
}

/* (transfer full): the group's keys in the order of the file. */
char **
_cured_header_get_keys (const CuredHeader *self, const char *group)
{
  char **keys = g_key_file_get_keys (self->keys, group, NULL, NULL);

  return keys != NULL ? keys : g_new0 (char *, 1);
}

/* (transfer full) (nullable): the literal value, no escapes. */
char *
_cured_header_get (const CuredHeader *self, const char *group, const char *key)
{
  return g_key_file_get_value (self->keys, group, key, NULL);
}

/* (transfer none) (nullable): the group's lines, starting with its name, without the marks of a C
 * comment; each ends with a newline. */
const char *
_cured_header_get_text (const CuredHeader *self, const char *group)
{
  const GString *text = g_hash_table_lookup (self->texts, group);

  return text != NULL ? text->str : NULL;
}

/* The line, from 1; 0 if there is no such key or group. */
guint
_cured_header_get_line (const CuredHeader *self, const char *group, const char *key)
{
  g_autofree char *where = key == NULL ? g_strdup (group) : g_strconcat (group, "\n", key, NULL);

  return GPOINTER_TO_UINT (g_hash_table_lookup (self->lines, where));
}

/* Offset of the closing comment's end mark; 0 if there is no such comment. */
CURED_GETTER (gsize, _cured_header_get_closing, const CuredHeader, closing)

/* From now on, errors from @first_line on are reported at @like_line. */
void
_cured_header_set_like (CuredHeader *self, const char *like, guint like_line, guint first_line)
{
  g_free (self->like);
  self->like = g_strdup (like);
  self->like_line = like_line;
  self->first_like_line = first_line;
}

/* Sets @error to "FILE:LINE: message". For a missing key, LINE is its group's. Returns
 * FALSE. */
gboolean
_cured_header_fail (const CuredHeader *self, const char *group, const char *key, int code,
                    GError **error, const char *format, ...)
{
  guint line = 0;
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  if (group != NULL && key != NULL)
    line = _cured_header_get_line (self, group, key);
  if (group != NULL && line == 0)
    line = _cured_header_get_line (self, group, NULL);
  if (self->like != NULL && line >= self->first_like_line)
    fail_at (self->file, self->like_line, code, error,
             /* Translators: a kernel, a group of its header, the error. */
             _ ("Like=%s: [%s]: %s"), self->like, group, message);
  else
    fail_at (self->file, line != 0 ? line : self->line, code, error, "%s", message);
  return FALSE;
}
