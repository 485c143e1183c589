/* SPDX-License-Identifier: MIT
 * Like=: a kernel file takes groups from another one. */
#include "kernel/read/cured-read-private.h"

#include "kernel/read/cured-catalogue-text-private.h"
#include "kernel/cured-sources-internal.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-ptx-text-internal.h"

/* Implementation notes
 *
 * Groups that a file lacks are taken from the file that Like= names, except [Kernel] and the
 * claims, which are about one kernel. The launches are taken all or not at all. A group without
 * keys means that the file omits it.
 *
 * A copy of the text must be self-contained, and its code must have the line numbers of the file,
 * which compilers and people refer to. So groups from the other file are written below the code,
 * into the closing comment, and the lines that they replace are commented out in the header by a
 * #. */

static gboolean
is_launch (const char *group)
{
  return g_str_equal (group, "Launch") || g_str_has_prefix (group, "Launch ");
}

static gboolean
has_launch (const CuredHeader *header)
{
  const char *const *groups = _cured_header_get_groups (header);

  while (*groups != NULL && !is_launch (*groups))
    groups++;
  return *groups != NULL;
}

static gboolean
is_shared (const char *group)
{
  return !g_str_equal (group, "Kernel") && !g_str_has_prefix (group, "Claim ");
}

/* (transfer full): the text of the kernel called @name. */
static char *
load (const char *name, const char *path, char **file, GError **error)
{
  g_autofree char *text = NULL;

  if (!g_str_has_suffix (name, ".cu"))
    {
      *file = g_strconcat (name, ".cu", NULL);
      return _cured_catalogue_load_text (name, error);
    }
  *file = _cured_find_beside (path, name, error);
  if (*file != NULL)
    text = _cured_kernel_load_text (*file, error);
  return g_steal_pointer (&text);
}

/* Comments out line @line, from 1, of the header. */
static void
comment_out (GString *text, guint line)
{
  const char *at = text->str;

  for (; line > 1; line--)
    at = strchr (at, '\n') + 1;
  at += strspn (at, " \t");
  if (g_str_has_prefix (at, "/*! cured"))
    at += strlen ("/*! cured");
  else if (*at == '*')
    at++;
  at += strspn (at, " \t");
  g_string_insert (text, at - text->str, "# ");
}

/* The groups of @other that @header lacks, as lines of a comment. */
static GString *
collect (const CuredHeader *header, const CuredHeader *other)
{
  const char *const *own = _cured_header_get_groups (header);
  const char *const *groups = _cured_header_get_groups (other);
  GString *lines = g_string_new (NULL);

  for (; *groups != NULL; groups++)
    {
      if (!is_shared (*groups) || g_strv_contains (own, *groups) ||
          (is_launch (*groups) && has_launch (header)))
        continue;
      g_auto (GStrv) group = g_strsplit (_cured_header_get_text (other, *groups), "\n", -1);
      g_string_append (lines, " *\n");
      for (guint i = 0; group[i] != NULL && group[i][0] != '\0'; i++)
        g_string_append_printf (lines, " * %s\n", group[i]);
    }
  return lines;
}

/* Reports an error in the other file at this file's Like=. */
static void
blame_like (GError **error, const char *file, guint line, const char *name)
{
  if (error == NULL)
    return;
  g_autofree char *text = g_strdup_printf ("Like=%s: %s", name, (*error)->message);
  g_prefix_error (error, "%s:%u: Like=%s: ", file, line, name);
  if ((*error)->domain == CURED_ERROR)
    cured_error_set_place (*error, file, line, 0, text);
}

/* (transfer full): the self-contained text: the lines of @text, and more
 * below. */
char *
_cured_kernel_expand (const char *text, const char *path, CuredHeader **header, const char *file,
                      CuredKernelReadFunc read_alone, GError **error)
{
  g_autofree char *name = _cured_header_get (*header, "Kernel", "Like");
  guint line = _cured_header_get_line (*header, "Kernel", "Like");
  const char *const *groups = _cured_header_get_groups (*header);
  gsize closing = _cured_header_get_closing (*header);
  g_autofree char *other_file = NULL, *other_text = NULL;
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (CuredHeader) other = NULL, expanded = NULL;
  g_autoptr (GString) result = g_string_new_len (text, (gssize) closing);

  /* Errors of the other kernel by itself are reported when it is read. */
  other_text = load (name, path, &other_file, error);
  if (other_text != NULL)
    kernel = read_alone (other_text, name, other_file, error);
  if (kernel != NULL)
    other = _cured_header_new (other_text, other_file, error);
  if (other == NULL)
    {
      blame_like (error, file, line, name);
      return NULL;
    }

  g_autoptr (GString) lines = collect (*header, other);
  if (closing == 0)
    {
      g_string_assign (result, text);
      if (result->len > 0 && result->str[result->len - 1] != '\n')
        g_string_append_c (result, '\n');
      g_string_append (result, "\n/*! cured\n");
    }
  else
    {
      while (g_ascii_isspace (result->str[result->len - 1]))
        g_string_truncate (result, result->len - 1);
      g_string_append (result, "\n *\n");
    }
  guint first_line = _cured_text_count_lines (result->str, result->str + result->len);
  g_string_append_printf (result, " * # As in %s:\n%s */\n", name, lines->str);

  comment_out (result, line);
  for (; *groups != NULL; groups++)
    {
      g_auto (GStrv) keys = _cured_header_get_keys (*header, *groups);

      if (keys[0] == NULL && is_shared (*groups) && _cured_header_get_text (other, *groups) != NULL)
        comment_out (result, _cured_header_get_line (*header, *groups, NULL));
    }
  expanded = _cured_header_new (result->str, file, error);
  if (expanded == NULL)
    return NULL;
  _cured_header_set_like (expanded, name, line, first_line);
  _cured_header_free (*header);
  *header = g_steal_pointer (&expanded);
  return g_string_free (g_steal_pointer (&result), FALSE);
}
