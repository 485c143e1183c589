/* SPDX-License-Identifier: MIT
 * Makes a parameter of a constant in a kernel file. */
#include <config.h>

#include "model/cured-make-parameter.h"

#include <inttypes.h>
#include <string.h>

#include <glib/gi18n.h>

#include "cured.h"
#include "model/cured-class.h"

/* What has more is no size of a tile or a block. */
#define MOST 65536

/* Threads of a block. */
#define MOST_THREADS 1024

/* The name is group 2, the number group 3. */
#define DEFINITION                                                                                 \
  "^([ \\t]*#[ \\t]*define[ \\t]+|[ \\t]*(?:(?:static|constexpr|const|inline|unsigned|int|long|"   \
  "short|size_t|auto|uint32_t|int32_t|__device__|__constant__)[ \\t]+)+)([A-Za-z_]\\w*)"           \
  "[ \\t]*(?:=[ \\t]*)?\\(?(\\d{1,6})[uUlL]*\\)?[ \\t]*;?[ \\t]*(?://.*|/\\*.*\\*/[ \\t]*)?$"

/* A literal size of the launch in the header. The key is group 1, the number group 2. */
#define LAUNCH "^[ \\t]*\\*[ \\t]*(Grid|Block)[ \\t]*=[ \\t]*(\\d{2,5})[ \\t]*(?:,.*)?$"

static gboolean
has_word (const char *text, const char *word)
{
  g_autofree char *pattern = g_strdup_printf ("\\b%s\\b", word);

  return g_regex_match_simple (pattern, text, 0, 0);
}

static char *
replace_word (const char *text, const char *word, const char *by)
{
  g_autofree char *pattern = g_strdup_printf ("\\b%s\\b", word);
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);

  return g_regex_replace_literal (regex, text, -1, 0, by, 0, NULL);
}

/* What follows the comment that describes the kernel. */
static const char *
find_body (const char *source)
{
  const char *header = strstr (source, "/*! cured");
  const char *end = header != NULL ? strstr (header, "*/") : NULL;

  return end != NULL ? end : source;
}

static void
append_value (GString *text, gint64 value)
{
  g_string_append_printf (text, "%s%" PRId64, text->len > 0 ? "," : "", value);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  gint64 first = *(const gint64 *) a;
  gint64 second = *(const gint64 *) b;

  return first < second ? -1 : first > second;
}

/* Powers of two around it and the value itself; of a block, multiples of a warp as well. */
static char *
list_values (gint64 value, gboolean is_threads)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  GString *text = g_string_new (NULL);
  gint64 most = is_threads ? MOST_THREADS : MOST;
  gint64 power = 1;

  while (power * 4 < value)
    power *= 2;
  g_array_append_val (values, value);
  for (int i = 0; i < 5; i++, power *= 2)
    {
      gint64 between = power + power / 2;

      if (power <= most && (!is_threads || power >= 32))
        g_array_append_val (values, power);
      if (is_threads && between <= most && between % 32 == 0)
        g_array_append_val (values, between);
    }
  g_array_sort (values, compare);
  for (guint i = 0; i < values->len; i++)
    if (i == 0 || g_array_index (values, gint64, i) != g_array_index (values, gint64, i - 1))
      append_value (text, g_array_index (values, gint64, i));
  return g_string_free (text, FALSE);
}

/* With @section before the header's launch. */
static char *
insert_section (const char *source, const char *section, GError **error)
{
  g_autoptr (GRegex) launch =
      g_regex_new ("^[ \\t]*\\*[ \\t]*\\[Launch\\b", G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  int at;

  if (strstr (source, "/*! cured") == NULL || !g_regex_match (launch, source, 0, &match) ||
      !g_match_info_fetch_pos (match, 0, &at, NULL))
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("The file has no comment that describes the kernel: describe it first"));
  return g_strdup_printf ("%.*s%s%s", at, source, section, source + at);
}

static char *
write_section (const char *name, const char *kind, gint64 value, gboolean is_threads)
{
  g_autofree char *values = list_values (value, is_threads);

  return g_strdup_printf (" * [Parameter %s]\n * Kind=%s\n * Values=%s\n * Default=%" PRId64
                          "\n *\n",
                          name, kind, values, value);
}

/* A parameter of the kind `compile` is a macro in capitals. A definition of another name takes its
 * value from that. */
static char *
rewrite_definition (const char *text, GMatchInfo *match, const char *name, const char *macro)
{
  int begin;
  int end;

  if (g_str_equal (name, macro))
    return g_strdup_printf ("#ifndef %s\n%s\n#endif", macro, text);
  g_match_info_fetch_pos (match, 3, &begin, &end);
  return g_strdup_printf ("#ifndef %s\n#define %s %.*s\n#endif\n%.*s%s%s", macro, macro,
                          end - begin, text + begin, begin, text, macro, text + end);
}

/* A size of the launch that is the same number is written by the parameter's name. */
static void
use_in_launch (GStrv lines, const char *number, const char *parameter)
{
  for (gsize i = 0; lines[i] != NULL; i++)
    if (g_regex_match_simple ("^[ \\t]*\\*[ \\t]*(Grid|Block|Shared)[ \\t]*=", lines[i], 0, 0))
      {
        char *line = replace_word (lines[i], number, parameter);

        g_free (lines[i]);
        lines[i] = line;
      }
}

typedef struct
{
  char *parameter;
  char *number;
  const char *kind;
  char *text; /* (nullable): what the line becomes */
  gboolean is_threads;
} Found;

CURED_FREE_FUNC (Found, found_free, parameter, g_free, number, g_free, text, g_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Found, found_free)

static gboolean
find_definition (Found *self, const char *source, const char *here, GError **error)
{
  g_autoptr (GRegex) regex = g_regex_new (DEFINITION, G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  if (!g_regex_match (regex, here, 0, &match))
    return TRUE;
  g_autofree char *constant = g_match_info_fetch (match, 2);
  g_autofree char *macro = g_ascii_strup (constant, -1);
  if (!g_str_equal (macro, constant) && has_word (source, macro))
    return cured_fail (error, CURED_ERROR_INVALID, _ ("“%s” is another name in this file already"),
                       macro);
  self->kind = "compile";
  self->parameter = g_ascii_strdown (constant, -1);
  self->number = g_match_info_fetch (match, 3);
  self->text = rewrite_definition (here, match, constant, macro);
  return TRUE;
}

static gboolean
find_launch (Found *self, const char *source, const char *here, GError **error)
{
  g_autoptr (GRegex) regex = g_regex_new (LAUNCH, G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  if (!g_regex_match (regex, here, 0, &match))
    return TRUE;
  g_autofree char *key = g_match_info_fetch (match, 1);
  self->number = g_match_info_fetch (match, 2);
  if (has_word (find_body (source), self->number))
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("The kernel depends on the number %s, too: give it a name with #define "
                          "there, and make that a parameter"),
                       self->number);
  self->kind = "launch";
  self->is_threads = g_str_equal (key, "Block");
  self->parameter = g_strdup (self->is_threads ? "block" : "blocks");
  return TRUE;
}

/* Turns the constant of a line into a parameter: a `#define N 32`, a `const int`, or a literal size
 * in the header's launch. Sizes of the launch that are the same number follow it.
 * @line: from 1
 * @name: (out) (transfer full): of the parameter
 * Returns: (transfer full): the new source; NULL with an error that says what is needed */
char *
cured_make_parameter (const char *source, int line, char **name, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (source, "\n", -1);
  g_autoptr (Found) found = g_new0 (Found, 1);

  line = CLAMP (line, 1, (int) g_strv_length (lines));
  if (!find_definition (found, source, lines[line - 1], error) ||
      (found->parameter == NULL && !find_launch (found, source, lines[line - 1], error)))
    return NULL;
  if (found->parameter == NULL)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("Line %d defines no constant: go to a line such as “#define TILE "
                               "32”, “const int n = 32;” or “Block=256” of the header"),
                            line);
  g_autofree char *old = g_strdup_printf ("[Parameter %s]", found->parameter);
  if (strstr (source, old) != NULL)
    return cured_fail_null (error, CURED_ERROR_INVALID, _ ("“%s” is a parameter already"),
                            found->parameter);
  use_in_launch (lines, found->number, found->parameter);
  if (found->text != NULL)
    {
      g_free (lines[line - 1]);
      lines[line - 1] = g_steal_pointer (&found->text);
    }
  g_autofree char *changed = g_strjoinv ("\n", lines);
  g_autofree char *section = write_section (
      found->parameter, found->kind, g_ascii_strtoll (found->number, NULL, 10), found->is_threads);
  char *described = insert_section (changed, section, error);
  if (described != NULL)
    *name = g_strdup (found->parameter);
  return described;
}
