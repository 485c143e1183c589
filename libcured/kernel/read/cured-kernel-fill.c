/* SPDX-License-Identifier: MIT
 * A kernel with other fills than in its file. */

#include "base/cured-base-internal.h"
#include "kernel/cured-kernel-internal.h"

/* The keys in a buffer's group that describe its fill. */
static const char *const fill_keys[] = {
  "Fill", "Low", "High", "Step", "Value", "File", "Values", NULL,
};

/* The text of a header line, without a "*" at its beginning. */
static const char *
get_content (const char *line)
{
  while (g_ascii_isspace (*line))
    line++;
  if (line[0] == '*' && line[1] != '/')
    line++;
  while (g_ascii_isspace (*line))
    line++;
  return line;
}

static gboolean
is_fill_key (const char *content)
{
  gsize length = strcspn (content, "= \t");

  for (gsize i = 0; fill_keys[i] != NULL; i++)
    if (strlen (fill_keys[i]) == length && strncmp (content, fill_keys[i], length) == 0)
      return TRUE;
  return FALSE;
}

/* The name of a group "[Buffer NAME]"; NULL if the line is not one. */
static char *
get_buffer (const char *content)
{
  const char *name = strchr (content, ' ');

  if (name == NULL ||
      (!g_str_has_prefix (content, "[Buffer ") && !g_str_has_prefix (content, "[Constant ")))
    return NULL;
  const char *end = strchr (name, ']');
  return end != NULL ? g_strstrip (g_strndup (name, (gsize) (end - name))) : NULL;
}

/* "ramp:1:2" as lines of a group. */
static gboolean
write_fill (GString *groups, const char *fill, GError **error)
{
  gboolean is_list = g_ascii_isdigit (*fill) || *fill == '-' || *fill == '.';

  if (*fill == '\0' ||
      strspn (fill, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:,.+-^%() ") !=
          strlen (fill))
    return cured_fail (
        error, CURED_ERROR_INVALID,
        _ ("“%s” is no fill; write ramp:LOW:STEP, constant:VALUE, uniform:LOW:HIGH, "
           "normal:MEAN:DEVIATION, permutation, or numbers with commas between them"),
        fill);
  if (is_list)
    {
      g_string_append_printf (groups, " * Fill=values\n * Values=%s\n", fill);
      return TRUE;
    }
  g_auto (GStrv) words = g_strsplit (fill, ":", 4);
  for (gsize i = 0; words[i] != NULL; i++)
    g_string_append_printf (groups, " * %s=%s\n", fill_keys[i], words[i]);
  return TRUE;
}

/* The requested fill; NULL if there is none. */
static const char *
find_fill (const char *const *fills, const char *buffer)
{
  const char *found = NULL;

  for (gsize i = 0; fills[i] != NULL; i++)
    {
      gsize length = strlen (buffer);

      if (strncmp (fills[i], buffer, length) == 0 && fills[i][length] == '=')
        found = fills[i] + length + 1;
    }
  return found;
}

static gboolean
check_names (const CuredKernel *kernel, const char *const *fills, GError **error)
{
  for (gsize i = 0; fills[i] != NULL; i++)
    {
      const char *equals = strchr (fills[i], '=');
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      gboolean is_known = FALSE;

      for (gsize k = 0; equals != NULL && k < kernel->n_buffers; k++)
        {
          const char *name = kernel->buffers[k].name;

          g_ptr_array_add (names, (gpointer) name);
          is_known |= strlen (name) == (gsize) (equals - fills[i]) &&
                      strncmp (name, fills[i], strlen (name)) == 0;
        }
      g_ptr_array_add (names, NULL);
      if (equals == NULL)
        g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                     _ ("“%s”: expected BUFFER=FILL, such as a=ramp"), fills[i]);
      else if (!is_known)
        {
          g_autofree char *all = g_strjoinv (", ", (char **) names->pdata);

          g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                       _ ("“%s”: %s has no such buffer, but %s"), fills[i], kernel->id, all);
        }
      if (equals == NULL || !is_known)
        return FALSE;
    }
  return TRUE;
}

/* Moves the buffers' groups from @lines, whose number stays the same, to @groups. */
static gboolean
move_buffers (char **lines, const char *const *fills, GString *groups, GError **error)
{
  gboolean is_header = FALSE;
  const char *fill = NULL;
  gboolean is_buffer = FALSE;

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      const char *content = get_content (lines[i]);
      g_autofree char *name = NULL;

      if (!is_header && strstr (lines[i], "/*! cured") != NULL)
        {
          is_header = TRUE;
          continue;
        }
      if (strstr (lines[i], "*/") != NULL)
        is_header = is_buffer = FALSE;
      if (!is_header)
        continue;
      if (*content == '[')
        {
          name = get_buffer (content);
          is_buffer = name != NULL;
          fill = is_buffer ? find_fill (fills, name) : NULL;
          if (is_buffer)
            g_string_append_printf (groups, " *\n * %s\n", content);
          if (fill != NULL && !write_fill (groups, fill, error))
            return FALSE;
        }
      else if (is_buffer && *content != '\0' && (fill == NULL || !is_fill_key (content)))
        g_string_append_printf (groups, " * %s\n", content);
      if (is_buffer)
        {
          g_free (lines[i]);
          lines[i] = g_strdup (" *");
        }
    }
  return TRUE;
}

/* Adds @groups to the comment that closes the text, or in a new one. */
static char *
add_groups (const char *text, const char *groups)
{
  g_autofree char *body = g_strchomp (g_strdup (text));
  const char *first = strstr (body, "/*! cured"), *last = g_strrstr (body, "/*! cured");
  gsize length = strlen (body);

  if (first != NULL && last != first && g_str_has_suffix (body, "*/"))
    {
      g_autofree char *open = g_strndup (body, length - 2);

      return g_strdup_printf ("%s\n%s */\n", g_strchomp (open), groups);
    }
  return g_strdup_printf ("%s\n/*! cured\n%s */\n", body, groups);
}

/* @fills: (array zero-terminated=1): "BUFFER=FILL": a fill as in kernel files, with its numbers
 *   behind colons (`a=ramp:1:2`), or the elements themselves, separated by commas (`in=25,6,34`)
 *   and repeated. If a buffer has two, the last one counts
 *
 * Makes a kernel whose buffers have other initial contents than its file says. Its changed text is
 * stored in result files; the line numbers of the code stay the same.
 * Returns: (transfer full): the kernel, with @self's id; NULL with %CURED_ERROR_INVALID or what
 *   cured_kernel_new_from_text() says */
CuredKernel *
cured_kernel_refill (CuredKernel *self, const char *const *fills, GError **error)
{
  g_autoptr (GString) groups = g_string_new (NULL);

  g_return_val_if_fail (self != NULL && fills != NULL, NULL);

  if (self->is_ptx)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("%s is PTX; write Fill= into its header"), self->id);
  if (!check_names (self, fills, error))
    return NULL;
  g_auto (GStrv) lines = g_strsplit (self->source, "\n", -1);
  if (!move_buffers (lines, fills, groups, error))
    return NULL;
  g_autofree char *joined = g_strjoinv ("\n", lines), *text = add_groups (joined, groups->str);
  return cured_kernel_new_from_text (text, self->id, self->path, error);
}
