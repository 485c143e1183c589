/* SPDX-License-Identifier: MIT
 * Texts of a compilation, and where a kernel's files may be. */
#include "kernel/cured-sources-internal.h"

#include <stdlib.h>

#include "base/cured-base-internal.h"

CURED_CLEAR_FUNC (CuredSources, clear, text, g_free, names, g_strfreev, texts, g_strfreev)

/* Takes ownership of all arguments; there is one name per text. */
CuredSources *
_cured_sources_new_take (char *text, char **names, char **texts)
{
  CuredSources *self = g_atomic_rc_box_new0 (CuredSources);

  self->text = text;
  self->names = names;
  self->texts = texts;
  self->n = g_strv_length (names);
  g_assert (g_strv_length (texts) == self->n);
  return self;
}

/* @text: CUDA C
 * Returns: (transfer full): @text as it is, which includes nothing but the toolkit's headers */
CuredSources *
cured_sources_new_from_text (const char *text)
{
  return _cured_sources_new_take (g_strdup (text), g_new0 (char *, 1), g_new0 (char *, 1));
}

gboolean
_cured_is_below (const char *path, const char *folder)
{
  gsize length = strlen (folder);

  return g_str_equal (folder, "/") || (strncmp (path, folder, length) == 0 && path[length] == '/');
}

/* Whether @path, from a compiler's output, denotes the file @name. */
gboolean
_cured_is_file (const char *path, const char *name)
{
  gsize length = strlen (name), path_length = path != NULL ? strlen (path) : 0;

  if (path_length < length || !g_str_equal (path + path_length - length, name))
    return FALSE;
  return path_length == length || G_IS_DIR_SEPARATOR (path[path_length - length - 1]);
}

/* (transfer full): the path of the file @name, relative to the folder of the kernel file @file
 * (NULL if the kernel came in a result file) or absolute. With links resolved, it must be in that
 * folder or below: a kernel file from elsewhere can't name other files of this machine. */
char *
_cured_find_beside (const char *file, const char *name, GError **error)
{
  g_autofree char *folder = NULL, *path = NULL, *own = NULL, *real = NULL;
  gboolean is_outside = g_path_is_absolute (name);

  if (file != NULL)
    {
      folder = g_path_get_dirname (file);
      path = is_outside ? g_strdup (name) : g_build_filename (folder, name, NULL);
      own = realpath (folder, NULL);
      real = realpath (path, NULL);
      is_outside = real != NULL && (own == NULL || !_cured_is_below (real, own));
    }
  if (is_outside)
    g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                 _ ("“%s” points outside the kernel file's folder; expected a file in it, or a "
                    "built-in kernel"),
                 name);
  else if (file == NULL)
    g_set_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND,
                 _ ("“%s” is a file beside the kernel file, and where that is is not known"), name);
  else
    return g_strdup (real != NULL ? real : path);
  return NULL;
}

/* Longer lines are not quoted. */
#define MAX_QUOTED_BYTES 512

/* (transfer full) (nullable): that line, stripped of white space, if @file is one of the included
 * files. */
char *
_cured_sources_dup_line (const CuredSources *self, const char *file, int line)
{
  const char *at = NULL;

  for (gsize i = 0; file != NULL && i < self->n && at == NULL; i++)
    if (_cured_is_file (file, self->names[i]))
      at = self->texts[i];
  for (int n = 1; at != NULL && n < line; n++)
    {
      at = strchr (at, '\n');
      at = at != NULL ? at + 1 : NULL;
    }
  if (at == NULL || line <= 0)
    return NULL;
  char *text = g_strstrip (g_strndup (at, strcspn (at, "\n")));
  if (strlen (text) > MAX_QUOTED_BYTES)
    *g_utf8_find_prev_char (text, text + MAX_QUOTED_BYTES) = '\0';
  return text;
}

static void
quote (const CuredSources *self, CuredFindingSide *side)
{
  g_free (side->source);
  side->source = _cured_sources_dup_line (self, side->file, side->line);
}

void
_cured_sources_quote (const CuredSources *self, GPtrArray *findings)
{
  CURED_EACH_POINTER (CuredFinding, finding, findings)
    {
      quote (self, &finding->here);
      quote (self, &finding->there);
    }
}

CURED_DEFINE_RC (CuredSources, cured_sources, clear)

/* @self: sources
 * @other: other sources
 * Returns: whether a compiler would get the same texts under the same names */
gboolean
cured_sources_equal (const CuredSources *self, const CuredSources *other)
{
  return g_str_equal (self->text, other->text) &&
         g_strv_equal ((const char *const *) self->names, (const char *const *) other->names) &&
         g_strv_equal ((const char *const *) self->texts, (const char *const *) other->texts);
}
