/* SPDX-License-Identifier: MIT
 * The files that `#include MACRO (x)` may mean. */
#include "kernel/sources/cured-include-macro-internal.h"

#include "base/cured-base-internal.h"

/* Nesting of macros, and possible names per directive. */
#define MAX_DEPTH 8
#define MAX_NAMES 16
#define MAX_BYTES 4096

typedef struct
{
  const char *const *texts;
  GPtrArray *names;
} Expansion;

/* A definition of a macro: its replacement and parameters. */
typedef struct
{
  char **parameters; /* NULL: an object-like macro */
  char *body;
} Macro;

CURED_CLEAR_FUNC (Macro, macro_clear, parameters, g_strfreev, body, g_free)

static gboolean
is_name (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

static gsize
count_name (const char *text)
{
  gsize n = 0;

  while (is_name (text[n]))
    n++;
  return n;
}

/* The `)` that matches the `(` at @text; NULL if it is not on the same line. */
static const char *
find_close (const char *text)
{
  int depth = 0;

  for (const char *at = text; *at != '\0' && at - text < MAX_BYTES; at++)
    {
      depth += (*at == '(') - (*at == ')');
      if (depth == 0)
        return at;
    }
  return NULL;
}

/* Skips the operand of a directive: a name, and arguments in brackets if any. */
const char *
_cured_include_macro_skip (const char *operand)
{
  const char *end = operand + count_name (operand), *open = end + strspn (end, " \t");
  const char *close = *open == '(' ? find_close (open) : NULL;

  return close != NULL ? close + 1 : end;
}

/* (transfer full): the arguments in the brackets, split at commas. */
static char **
split (const char *open, const char *close)
{
  g_autofree char *inside = g_strndup (open + 1, (gsize) (close - open) - 1);
  char **items = g_strsplit (inside, ",", -1);

  for (char **item = items; *item != NULL; item++)
    g_strstrip (*item);
  return items;
}

/* Adds the definitions of @name in @text. */
static void
find_definitions (const char *text, const char *name, GArray *macros)
{
  gsize length = strlen (name);

  for (const char *at = text; (at = strstr (at, "define")) != NULL && macros->len < MAX_NAMES;)
    {
      const char *before = at, *end;
      Macro macro = { 0 };

      at += strlen ("define");
      while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
      if (before == text || before[-1] != '#')
        continue;
      at += strspn (at, " \t");
      if (strncmp (at, name, length) != 0 || is_name (at[length]))
        continue;
      at += length;
      if (*at == '(')
        {
          const char *close = find_close (at);

          if (close == NULL)
            continue;
          macro.parameters = split (at, close);
          at = close + 1;
        }
      for (end = at; *end != '\0' && *end != '\n' && end - at < MAX_BYTES; end++)
        if (*end == '/' && (end[1] == '*' || (end[1] == '/' && g_ascii_isspace (end[-1]))))
          break;
      macro.body = g_strstrip (g_strndup (at, (gsize) (end - at)));
      g_array_append_val (macros, macro);
    }
}

static GArray *
find_macro (const Expansion *self, const char *name)
{
  GArray *macros = g_array_new (FALSE, FALSE, sizeof (Macro));

  g_array_set_clear_func (macros, macro_clear);
  for (const char *const *text = self->texts; *text != NULL; text++)
    find_definitions (*text, name, macros);
  return macros;
}

/* An argument, expanded before it replaces a parameter. */
static char *
expand_argument (const Expansion *self, const char *argument)
{
  if (argument[0] != '\0' && count_name (argument) == strlen (argument))
    {
      g_autoptr (GArray) macros = find_macro (self, argument);

      if (macros->len > 0 && g_array_index (macros, Macro, 0).parameters == NULL)
        return g_strdup (g_array_index (macros, Macro, 0).body);
    }
  return g_strdup (argument);
}

/* (transfer full): the body with arguments for parameters, and `#x` and `##` applied. */
static char *
substitute (const Expansion *self, const Macro *macro, char **arguments)
{
  GString *text = g_string_new (NULL);
  gboolean is_text = FALSE;

  for (const char *at = macro->body; *at != '\0' && text->len < MAX_BYTES;)
    {
      gsize n = count_name (at);
      gboolean is_joined = text->len > 0 && text->str[text->len - 1] == '\001';
      gboolean is_quoted = !is_joined && text->len > 0 && text->str[text->len - 1] == '#';
      const char *argument = NULL;

      is_text ^= *at == '"';
      if (!is_text && at[0] == '#' && at[1] == '#')
        {
          while (text->len > 0 && text->str[text->len - 1] == ' ')
            g_string_truncate (text, text->len - 1);
          g_string_append_c (text, '\001');
          at += 2;
          at += strspn (at, " \t");
          continue;
        }
      if (n == 0)
        {
          g_string_append_c (text, *at++);
          continue;
        }
      for (guint i = 0; !is_text && arguments != NULL && macro->parameters[i] != NULL; i++)
        if (strlen (macro->parameters[i]) == n && strncmp (macro->parameters[i], at, n) == 0)
          argument = arguments[i];
      at += n;
      if (argument == NULL)
        g_string_append_len (text, at - n, (gssize) n);
      else if (is_quoted)
        {
          g_string_truncate (text, text->len - 1);
          g_string_append_printf (text, "\"%s\"", argument);
        }
      else
        {
          gboolean is_bare = is_joined || g_str_has_prefix (at + strspn (at, " \t"), "##");
          g_autofree char *value = is_bare ? g_strdup (argument) : expand_argument (self, argument);

          g_string_append (text, value);
        }
    }
  g_string_replace (text, "\001", "", 0);
  return g_string_free (text, FALSE);
}

static void
expand (Expansion *self, const char *text, guint depth)
{
  gsize length = count_name (text);
  g_autofree char *name = g_strndup (text, length);
  const char *close = *text == '<'   ? strchr (text, '>')
                      : *text == '"' ? strchr (text + 1, '"')
                                     : NULL;

  if (close != NULL)
    {
      char *found = g_strndup (text, (gsize) (close - text) + 1);

      if (self->names->len == MAX_NAMES ||
          g_ptr_array_find_with_equal_func (self->names, found, g_str_equal, NULL))
        g_free (found);
      else
        g_ptr_array_add (self->names, found);
      return;
    }
  if (length == 0 || depth == MAX_DEPTH)
    return;
  g_autoptr (GArray) macros = find_macro (self, name);
  text += length;
  text += strspn (text, " \t");
  close = *text == '(' ? find_close (text) : NULL;
  CURED_EACH (const Macro, macro, macros)
    {
      g_auto (GStrv) arguments =
          close != NULL && macro->parameters != NULL ? split (text, close) : NULL;

      if (macro->parameters != NULL &&
          (arguments == NULL || g_strv_length (arguments) != g_strv_length (macro->parameters)))
        continue;
      g_autofree char *body = substitute (self, macro, arguments);
      expand (self, body, depth + 1);
    }
}

/* (transfer full) (element-type utf8): the names, in `<>` or quotes, that @operand may expand to by
 * the definitions in @texts, whichever branches are compiled. */
GPtrArray *
_cured_include_macro_expand (const char *const *texts, const char *operand)
{
  Expansion self = { texts, g_ptr_array_new_with_free_func (g_free) };

  expand (&self, operand, 0);
  return self.names;
}
