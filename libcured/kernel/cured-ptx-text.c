/* SPDX-License-Identifier: MIT
 * Facts about PTX that need no parser: whether it is PTX, its target, and its source
 * files. */
#include "kernel/cured-ptx-text-internal.h"

#include "base/cured-base-internal.h"

/* Limit of source files that a module may name; compilers name a few. */
#define MAX_FILES 64

/* Skips white space and comments, except comments for which @is_kept (nullable) holds. */
const char *
_cured_text_skip_remarks (const char *at, gboolean (*is_kept) (const char *at))
{
  if (g_str_has_prefix (at, "\xEF\xBB\xBF"))
    at += 3;
  for (;;)
    {
      const char *end = NULL;

      if (g_ascii_isspace (*at))
        end = at + 1;
      else if (g_str_has_prefix (at, "//"))
        end = at + strcspn (at, "\n");
      else if (g_str_has_prefix (at, "/*") && (is_kept == NULL || !is_kept (at)))
        end = strstr (at + 2, "*/") != NULL ? strstr (at + 2, "*/") + 2 : NULL;
      if (end == NULL)
        return at;
      at = end;
    }
}

/* Every PTX module begins with `.version`, and no other language does. Returns whether it is PTX
 * rather than CUDA C. */
gboolean
_cured_text_is_ptx (const char *text)
{
  const char *at = _cured_text_skip_remarks (text, NULL);

  return g_str_has_prefix (at, ".version") && g_ascii_isspace (at[strlen (".version")]);
}

/* The beginning of the next line, or the end of the text. */
static const char *
next_line (const char *at)
{
  at += strcspn (at, "\n");
  return *at == '\n' ? at + 1 : at;
}

/* The text behind the directive @word if @line begins with it, else NULL. */
static const char *
after_directive (const char *line, const char *word)
{
  line += strspn (line, " \t");
  if (!g_str_has_prefix (line, word))
    return NULL;
  line += strlen (word);
  return *line == ' ' || *line == '\t' ? line + strspn (line, " \t") : NULL;
}

/* 90 from `.target sm_90a`; 0 if there is no target. */
int
_cured_ptx_text_get_target (const char *text, char *suffix)
{
  *suffix = '\0';
  for (const char *line = _cured_text_skip_remarks (text, NULL); *line != '\0';
       line = next_line (line))
    {
      const char *at = after_directive (line, ".target");
      char *end;

      if (at == NULL || !g_str_has_prefix (at, "sm_") || !g_ascii_isdigit (at[3]))
        continue;
      guint64 number = g_ascii_strtoull (at + 3, &end, 10);
      if (g_ascii_isalpha (*end))
        *suffix = *end;
      return number <= 9999 ? (int) number : 0;
    }
  return 0;
}

/* (transfer full) (array zero-terminated=1): the names of the files that its lines come from,
 * without their folders, each once. */
char **
_cured_ptx_text_list_files (const char *text)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (const char *line = text; *line != '\0' && names->len < MAX_FILES; line = next_line (line))
    {
      const char *at = after_directive (line, ".file");

      if (at == NULL)
        continue;
      at += strspn (at, "0123456789 \t");
      if (*at != '"')
        continue;
      const char *end = at + 1 + strcspn (at + 1, "\"\n");
      if (*end != '"' || end == at + 1)
        continue;
      g_autofree char *path = g_strndup (at + 1, (gsize) (end - at - 1));
      g_autofree char *name = g_path_get_basename (path);
      if (g_str_equal (name, ".") || g_str_equal (name, "..") || g_str_equal (name, "/") ||
          g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        continue;
      g_ptr_array_add (names, g_steal_pointer (&name));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* FALSE if the PTX's target is a newer chip, or exclusively another one. */
gboolean
_cured_ptx_text_check_target (const char *text, const char *name, const char *arch, GError **error)
{
  const char *digits = strpbrk (arch, "0123456789");
  int chip = digits != NULL ? (int) g_ascii_strtoll (digits, NULL, 10) : 0;
  char suffix;
  int target = _cured_ptx_text_get_target (text, &suffix);

  if (chip == 0 || target == 0 || target == chip ||
      (target < chip && suffix != 'a' && (suffix != 'f' || target / 10 == chip / 10)))
    return TRUE;
  return cured_fail (
      error, CURED_ERROR_INVALID,
      target > chip
          ? _ ("%s was made for sm_%d%.1s, and this is an sm_%d, which is older; compile it for "
               "sm_%d, or take a device of sm_%d, such as --device emulator:sm_%d")
          : _ ("%s was made for sm_%d%.1s, which no newer chip runs, and this is an sm_%d; compile "
               "it for sm_%d, or take a device of sm_%d, such as --device emulator:sm_%d"),
      name, target, &suffix, chip, chip, target, target);
}

/* Whether @word occurs in @text as a whole word. */
gboolean
_cured_text_has_word (const char *text, const char *word)
{
  g_autofree char *pattern = g_strdup_printf ("\\b%s\\b", word);

  return g_regex_match_simple (pattern, text, 0, 0);
}

/* The line number of @to, counting from 1 at @from. */
guint
_cured_text_count_lines (const char *from, const char *to)
{
  guint line = 1;

  for (; from < to; from++)
    line += *from == '\n';
  return line;
}

gboolean
_cured_text_has_control (const char *text)
{
  for (; *text != '\0'; text++)
    if (g_ascii_iscntrl (*text))
      return TRUE;
  return FALSE;
}
