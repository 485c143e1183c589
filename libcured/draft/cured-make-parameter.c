/* SPDX-License-Identifier: MIT
 * Makes a parameter of a constant in a kernel file. */
#include "draft/cured-make-parameter.h"

#include "base/cured-base-internal.h"
#include "draft/cured-header-draft-internal.h"
#include "kernel/cured-ptx-text-internal.h"

/* Larger numbers are not sizes of tiles or blocks. */
#define MOST 65536

/* Threads of a block, and of a multiprocessor. */
#define MOST_THREADS  1024
#define MOST_RESIDENT 2048

/* Values of a list. */
#define MOST_VALUES 12

/* The name is group 2, the number group 3. */
#define DEFINITION                                                                                 \
  "^([ \\t]*#[ \\t]*define[ \\t]+|[ \\t]*(?:(?:static|constexpr|const|inline|unsigned|int|long|"   \
  "short|size_t|auto|uint32_t|int32_t|__device__|__constant__)[ \\t]+)+)([A-Za-z_]\\w*)"           \
  "[ \\t]*(?:=[ \\t]*)?\\(?(\\d{1,6})[uUlL]*\\)?[ \\t]*;?[ \\t]*(?://.*|/\\*.*\\*/[ \\t]*)?$"

/* A literal size of the launch in the header. The key is group 1, the number group 2. */
#define LAUNCH "^[ \\t]*\\*[ \\t]*(Grid|Block)[ \\t]*=[ \\t]*(\\d{2,5})[ \\t]*(?:,.*)?$"

/* The arguments of a kernel's `__launch_bounds__`: threads are group 1, blocks group 2. */
#define BOUNDS "__launch_bounds__[ \\t]*\\([ \\t]*(\\w+)[ \\t]*(?:,[ \\t]*(\\w+)[ \\t]*)?"

/* The name is group 2, the arguments group 3. */
#define ENTRY "^([ \\t]*\\*[ \\t]*Entry[ \\t]*=[ \\t]*(?:\\w+::)*)(\\w+)[ \\t]*<(.*)>[ \\t]*$"

#define TEMPLATE "\\btemplate[ \\t\\n]*<"

/* The code after the kernel's header. */
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

/* The range of a parameter's values. */
typedef struct
{
  gint64 value, least, most;
  gint64 whole; /* a number that each value must divide; 0: none */
  gboolean is_threads;
} Range;

static gboolean
is_within (const Range *self, gint64 value)
{
  return value >= self->least && value <= self->most &&
         (self->whole == 0 || self->whole % value == 0);
}

/* Powers of two around the value, and the value itself; for a block, also multiples of a warp; for
 * a divisor of a number, its other divisors. */
static char *
list_values (const Range *self)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  GString *text = g_string_new (NULL);
  gint64 power = 1;

  while (power * 4 < self->value)
    power *= 2;
  g_array_append_val (values, self->value);
  for (int i = 0; i < 5; i++, power *= 2)
    {
      gint64 between = power + power / 2;

      if (is_within (self, power))
        g_array_append_val (values, power);
      if (self->is_threads && between % 32 == 0 && is_within (self, between))
        g_array_append_val (values, between);
    }
  for (gint64 v = self->value / 4 + 1; self->whole > 0 && v < self->value * 4; v++)
    if (values->len < MOST_VALUES && is_within (self, v))
      g_array_append_val (values, v);
  g_array_sort (values, compare);
  for (guint i = 0; i < values->len; i++)
    if (i == 0 || g_array_index (values, gint64, i) != g_array_index (values, gint64, i - 1))
      append_value (text, g_array_index (values, gint64, i));
  return g_string_free (text, FALSE);
}

/* The source with @section inserted before the header's launch. */
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
write_section (const char *name, const char *kind, const Range *range)
{
  g_autofree char *values = list_values (range);

  return g_strdup_printf (" * [Parameter %s]\n * Kind=%s\n * Values=%s\n * Default=%" PRId64
                          "\n *\n",
                          name, kind, values, range->value);
}

/* A parameter of the kind `compile` is a macro in capitals. A definition of another name takes its
 * value from that. */
static char *
rewrite_definition (const char *text, GMatchInfo *match, const char *name, const char *macro)
{
  int begin, end;

  if (g_str_equal (name, macro))
    return g_strdup_printf ("#ifndef %s\n%s\n#endif", macro, text);
  g_match_info_fetch_pos (match, 3, &begin, &end);
  return g_strdup_printf ("#ifndef %s\n#define %s %.*s\n#endif\n%.*s%s%s", macro, macro,
                          end - begin, text + begin, begin, text, macro, text + end);
}

#define SIZE "^[ \\t]*\\*[ \\t]*(Grid|Block|Shared)[ \\t]*="

/* Replaces equal sizes of the launch by the parameter's name. */
static void
use_in_launch (GStrv lines, const char *number, const char *parameter)
{
  for (gsize i = 0; lines[i] != NULL; i++)
    if (g_regex_match_simple (SIZE, lines[i], 0, 0))
      {
        char *line = _cured_draft_text_replace (lines[i], number, parameter);

        g_free (lines[i]);
        lines[i] = line;
      }
}

/* A number in the launch that is divided by @number without a rest; 0: none. */
static gint64
find_whole (GStrv lines, const char *number)
{
  g_autofree char *pattern = g_strdup_printf ("\\b(\\d+)[ \\t]*/[ \\t]*%s\\b", number);
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_RAW, 0, NULL);
  gint64 value = g_ascii_strtoll (number, NULL, 10);

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      g_autoptr (GMatchInfo) match = NULL;

      if (!g_regex_match_simple (SIZE, lines[i], 0, 0) ||
          !g_regex_match (regex, lines[i], 0, &match))
        continue;
      g_autofree char *text = g_match_info_fetch (match, 1);
      gint64 whole = g_ascii_strtoll (text, NULL, 10);
      if (value > 0 && whole % value == 0)
        return whole;
    }
  return 0;
}

typedef struct
{
  char *parameter, *number;
  const char *kind;
  char *text;             /* (nullable): the new line */
  gboolean is_threads;    /* a multiple of a warp */
  gboolean is_unfollowed; /* sizes of the launch do not follow */
  gint64 least;           /* 0: any */
  gint64 most;            /* 0: any */
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
  if (!g_str_equal (macro, constant) && _cured_text_has_word (source, macro))
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
  if (_cured_text_has_word (find_body (source), self->number))
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("The kernel depends on the number %s, too: give it a name with #define "
                          "there, and make that a parameter"),
                       self->number);
  self->kind = "launch";
  self->is_threads = g_str_equal (key, "Block");
  self->parameter = g_strdup (self->is_threads ? "block" : "blocks");
  return TRUE;
}

/* Names a parameter so that its macro is not in the source yet: @name, or @other. */
static gboolean
take_name (Found *self, const char *source, const char *name, const char *other, GError **error)
{
  g_autofree char *first = g_ascii_strup (name, -1);
  g_autofree char *second = g_ascii_strup (other, -1);

  if (_cured_text_has_word (source, first) && _cured_text_has_word (source, second))
    return cured_fail (error, CURED_ERROR_INVALID, _ ("“%s” is another name in this file already"),
                       second);
  self->parameter = g_ascii_strdown (_cured_text_has_word (source, first) ? other : name, -1);
  self->kind = "compile";
  return TRUE;
}

static gboolean
is_number (const char *text)
{
  return text != NULL && text[0] != '\0' && strspn (text, "0123456789") == strlen (text);
}

/* The first number of `__launch_bounds__ (256, 4)`, replaced by a macro. */
static gboolean
find_bounds (Found *self, const char *source, const char *here, GError **error)
{
  g_autoptr (GRegex) regex = g_regex_new (BOUNDS, G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  int begin, end;

  if (!g_regex_match (regex, here, 0, &match))
    return TRUE;
  g_autofree char *threads = g_match_info_fetch (match, 1);
  g_autofree char *blocks = g_match_info_fetch (match, 2);
  gboolean is_first = is_number (threads);
  if ((!is_first && !is_number (blocks)) || strstr (find_body (source), here) == NULL)
    return TRUE;
  if (!take_name (self, source, is_first ? "threads" : "min_blocks",
                  is_first ? "max_threads" : "blocks_per_sm", error))
    return FALSE;
  self->number = g_strdup (is_first ? threads : blocks);
  self->is_threads = is_first;
  if (is_first)
    {
      g_autofree char *rest = g_strdup (find_body (source));
      char *bounds = strstr (rest, here);

      /* If the kernel has the number elsewhere, the block does not change, and the bound stays
       * above it. */
      memset (bounds, ' ', strlen (here));
      self->is_unfollowed = _cured_text_has_word (rest, threads);
      self->least = self->is_unfollowed ? g_ascii_strtoll (threads, NULL, 10) : 0;
    }
  else
    {
      self->is_unfollowed = TRUE;
      self->most = is_number (threads)
                       ? MOST_RESIDENT / MAX (g_ascii_strtoll (threads, NULL, 10), 1)
                       : MOST_RESIDENT / 32;
    }
  g_match_info_fetch_pos (match, is_first ? 1 : 2, &begin, &end);
  g_autofree char *macro = g_ascii_strup (self->parameter, -1);
  self->text = g_strdup_printf ("#ifndef %s\n#define %s %s\n#endif\n%.*s%s%s", macro, macro,
                                self->number, begin, here, macro, here + end);
  return TRUE;
}

/* (transfer full) (nullable) (element-type utf8): the parameters of the template that the kernel
 * is, from @from on */
static GPtrArray *
find_template (const char *from, const char *kernel)
{
  g_autoptr (GRegex) regex = g_regex_new (TEMPLATE, G_REGEX_RAW, 0, NULL);
  g_autofree char *function = g_strdup_printf ("^[^;{}]*\\b%s[ \\t\\n]*\\(", kernel);
  g_autoptr (GMatchInfo) match = NULL;

  for (g_regex_match (regex, from, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      int depth = 1;
      int begin, end;

      g_match_info_fetch_pos (match, 0, NULL, &begin);
      for (end = begin; from[end] != '\0' && depth > 0; end++)
        depth += (from[end] == '<') - (from[end] == '>');
      if (depth == 0 && g_regex_match_simple (function, from + end, 0, 0))
        return cured_template_split (from + begin, (gsize) (end - 1 - begin));
    }
  return NULL;
}

/* (transfer full): the name of the parameter of a template, `int TILE = 16` */
static char *
name_template (GPtrArray *templates, guint n)
{
  g_autoptr (GRegex) regex = g_regex_new ("(\\w+)[ \\t\\n]*(?:=.*)?$", G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  return templates != NULL && n < templates->len &&
                 g_regex_match (regex, templates->pdata[n], 0, &match)
             ? g_match_info_fetch (match, 1)
             : g_strdup_printf ("argument_%u", n + 1);
}

/* The first number among the header's template arguments, replaced by a macro, whose name must
 * differ from the template's parameter. */
static gboolean
find_argument (Found *self, const char *source, GStrv lines, int line, GError **error)
{
  g_autoptr (GRegex) entry = g_regex_new (ENTRY, G_REGEX_RAW, 0, NULL);
  const char *here = lines[line];
  gboolean is_of_template = g_regex_match_simple (TEMPLATE, here, 0, 0);
  const char *body = find_body (source);

  if (is_of_template)
    body = strstr (body, here);
  for (int i = 0; body != NULL && lines[i] != NULL; i++)
    {
      g_autoptr (GMatchInfo) match = NULL;

      if ((!is_of_template && i != line) || !g_regex_match (entry, lines[i], 0, &match))
        continue;
      g_autofree char *kernel = g_match_info_fetch (match, 2);
      g_autofree char *given = g_match_info_fetch (match, 3);
      g_autofree char *before = g_match_info_fetch (match, 1);
      g_autoptr (GPtrArray) arguments = cured_template_split (given, strlen (given));
      g_autoptr (GPtrArray) templates = find_template (body, kernel);
      guint n = 0;
      while (n < arguments->len && !is_number (arguments->pdata[n]))
        n++;
      if (n == arguments->len || (is_of_template && templates == NULL))
        continue;
      g_autofree char *name = name_template (templates, n);
      g_autofree char *other = g_strdup_printf ("%s_%s", kernel, name);
      if (!take_name (self, source, name, other, error))
        return FALSE;
      self->number = g_strdup (arguments->pdata[n]);
      g_autoptr (GString) text = g_string_new (before);
      g_autofree char *macro = g_ascii_strup (self->parameter, -1);
      g_string_append_printf (text, "%s<", kernel);
      for (guint k = 0; k < arguments->len; k++)
        g_string_append_printf (text, "%s%s", k > 0 ? ", " : "",
                                k == n ? macro : (char *) arguments->pdata[k]);
      g_string_append_c (text, '>');
      g_free (lines[i]);
      lines[i] = g_string_free (g_steal_pointer (&text), FALSE);
      return TRUE;
    }
  return TRUE;
}

/* Turns a number of a line into a parameter: a `#define N 32`, a `const int`, a bound of
 * `__launch_bounds__`, an argument of the kernel's template (in its line or the header's Entry=),
 * or a literal size in the header's launch. Equal sizes of the launch follow it.
 * @line: from 1
 * @name: (out) (transfer full): name of the parameter
 * Returns: (transfer full): the new source; NULL with an error that names the requirements */
char *
cured_make_parameter (const char *source, int line, char **name, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (source, "\n", -1);
  g_autoptr (Found) found = g_new0 (Found, 1);

  line = CLAMP (line, 1, (int) g_strv_length (lines));
  const char *here = lines[line - 1];
  if (!find_definition (found, source, here, error) ||
      (found->parameter == NULL && !find_launch (found, source, here, error)) ||
      (found->parameter == NULL && !find_bounds (found, source, here, error)) ||
      (found->parameter == NULL && !find_argument (found, source, lines, line - 1, error)))
    return NULL;
  if (found->parameter == NULL)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("Line %d has no number that can be a parameter: go to a line such "
                               "as “#define TILE 32”, “const int n = 32;”, “__launch_bounds__ "
                               "(256)”, or “Block=256” and “Entry=k<16>” of the header"),
                            line);
  g_autofree char *old = g_strdup_printf ("[Parameter %s]", found->parameter);
  if (strstr (source, old) != NULL)
    return cured_fail_null (error, CURED_ERROR_INVALID, _ ("“%s” is a parameter already"),
                            found->parameter);
  Range range = {
    .value = g_ascii_strtoll (found->number, NULL, 10),
    .least = found->least > 0    ? found->least
             : found->is_threads ? 32
                                 : 1,
    .most = found->most > 0     ? found->most
            : found->is_threads ? MOST_THREADS
                                : MOST,
    .whole = found->is_unfollowed ? 0 : find_whole (lines, found->number),
    .is_threads = found->is_threads,
  };
  if (!found->is_unfollowed)
    use_in_launch (lines, found->number, found->parameter);
  if (found->text != NULL)
    {
      g_free (lines[line - 1]);
      lines[line - 1] = g_steal_pointer (&found->text);
    }
  g_autofree char *changed = g_strjoinv ("\n", lines);
  g_autofree char *section = write_section (found->parameter, found->kind, &range);
  char *described = insert_section (changed, section, error);
  if (described != NULL)
    *name = g_strdup (found->parameter);
  return described;
}
