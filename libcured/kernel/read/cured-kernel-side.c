/* SPDX-License-Identifier: MIT
 * A header in a file of its own, beside code that another program wrote. */
#include "kernel/read/cured-read-private.h"

#include "base/cured-base-internal.h"
#include "kernel/cured-ptx-text-internal.h"
#include "kernel/cured-sources-internal.h"

#define SIDE ".kernel"

/* Implementation notes
 *
 * A compiler that is run again writes its PTX anew, and what a person wrote into it would be lost.
 * So the header may be in NAME.ptx.kernel, written as in a comment, or in another file whose
 * Source= names the PTX. Both are joined into one text, with the header below the code, so that
 * line numbers are those of the PTX: workers and result files get this text. */

/* @name: a file name or another text
 * Returns: whether it ends as a kernel file does, in `.cu`, `.ptx` or `.kernel` */
gboolean
cured_kernel_is_file_name (const char *name)
{
  g_return_val_if_fail (name != NULL, FALSE);

  return g_str_has_suffix (name, ".cu") || g_str_has_suffix (name, ".ptx") ||
         g_str_has_suffix (name, SIDE);
}

/* (transfer full): its name without `.cu`, `.ptx` or `.kernel`. */
char *
_cured_kernel_make_id (const char *path)
{
  static const char *const suffixes[] = { SIDE, ".cu", ".ptx" };
  char *id = g_filename_display_basename (path);

  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (id, suffixes[i]) && strlen (id) > strlen (suffixes[i]))
      id[strlen (id) - strlen (suffixes[i])] = '\0';
  return id;
}

/* The lines of a header as one comment, which they may be already, as “cured header” writes it.
 * Line numbers stay the same. NULL if there is more than a header. */
static char *
make_comment (const char *lines, const char *path, GError **error)
{
  gboolean is_comment = g_str_has_prefix (lines, "/*! cured");
  const char *mark = strstr (lines, "*/");

  if (is_comment && mark != NULL && mark[2 + strspn (mark + 2, " \t\r\n")] == 0)
    return g_strdup (lines);
  if (!is_comment && mark == NULL)
    return g_strconcat ("/*! cured ", lines, "\n*/\n", NULL);
  cured_set_error_at (
      error, CURED_ERROR_SYNTAX, path, _cured_text_count_lines (lines, mark), 0,
      mark == NULL
          ? _ ("the comment that starts here is not closed; close it with */")
          : _ ("“*/” ends a comment, and more follows; expected the groups of a header alone"));
  return NULL;
}

/* The code file of the header file @path, which @header may name. */
static char *
find_code (const CuredHeader *header, const char *path, GError **error)
{
  g_autofree char *name = _cured_header_get (header, "Kernel", "Source");

  if (name == NULL)
    {
      name = g_path_get_basename (path);
      name[strlen (name) - strlen (SIDE)] = '\0';
      if (!g_str_has_suffix (name, ".ptx"))
        {
          _cured_header_fail (header, "Kernel", NULL, CURED_ERROR_SYNTAX, error,
                              _ ("[Kernel] has no Source=; name the .ptx that this header is for"));
          return NULL;
        }
    }
  else if (!g_str_has_suffix (name, ".ptx"))
    {
      _cured_header_fail (
          header, "Kernel", "Source", CURED_ERROR_INVALID, error,
          _ ("Source=%s: expected a file that ends in .ptx; a .cu has its header inside"), name);
      return NULL;
    }
  g_autofree char *code = _cured_find_beside (path, name, error);
  return g_steal_pointer (&code);
}

static gboolean
has_header (const char *text)
{
  return strstr (text, "/*! cured") != NULL;
}

/* (transfer full): the text of the code, with a header from another file below it. */
char *
_cured_kernel_load_pair (const char *path, char **code_path, CuredHeader **header, GError **error)
{
  g_autofree char *side = NULL, *code = NULL, *text = NULL;

  *header = NULL;
  if (g_str_has_suffix (path, SIDE))
    side = g_strdup (path);
  else
    {
      text = _cured_kernel_load_text (path, error);
      if (text == NULL)
        return NULL;
      if (g_str_has_suffix (path, ".ptx") && !has_header (text))
        {
          g_autofree char *name = g_path_get_basename (path);
          g_autofree char *beside = g_strconcat (name, SIDE, NULL);
          g_autofree char *real = g_strconcat (path, SIDE, NULL);

          if (g_file_test (real, G_FILE_TEST_EXISTS))
            {
              side = _cured_find_beside (path, beside, error);
              if (side == NULL)
                return NULL;
              g_free (side);
              side = g_steal_pointer (&real);
            }
        }
      if (side == NULL)
        {
          *code_path = g_strdup (path);
          return g_steal_pointer (&text);
        }
    }

  g_autofree char *lines = _cured_kernel_load_text (side, error);
  if (lines == NULL)
    return NULL;
  if (!g_utf8_validate (lines, -1, NULL))
    {
      cured_set_error_at (error, CURED_ERROR_SYNTAX, side, 1, 0,
                          _ ("the text is not UTF-8; save the file as UTF-8"));
      return NULL;
    }
  g_autofree char *comment = make_comment (lines, side, error);
  if (comment == NULL)
    return NULL;
  g_autoptr (CuredHeader) found = _cured_header_new (comment, side, error);
  if (found == NULL)
    return NULL;
  if (_cured_header_get_line (found, "Kernel", "Like") != 0)
    {
      _cured_header_fail (found, "Kernel", "Like", CURED_ERROR_INVALID, error,
                          _ ("Like= stands in a file with code; write the groups here"));
      return NULL;
    }
  if (text == NULL)
    {
      code = find_code (found, side, error);
      if (code != NULL)
        text = _cured_kernel_load_text (code, error);
      if (text == NULL)
        {
          g_prefix_error (error, _ ("%s: the PTX of this header: "), side);
          return NULL;
        }
      if (has_header (text))
        return cured_fail_null (
            error, CURED_ERROR_INVALID,
            _ ("%s has a header of its own, beside %s; open that file, or take its header out"),
            code, side);
    }
  else
    code = g_strdup (path);
  if (!_cured_text_is_ptx (text))
    {
      cured_set_error_at (error, CURED_ERROR_SYNTAX, code, 1, 0,
                          _ ("this is no PTX; expected a module that begins with .version"));
      return NULL;
    }
  *code_path = g_steal_pointer (&code);
  *header = g_steal_pointer (&found);
  return g_strconcat (text, g_str_has_suffix (text, "\n") ? "" : "\n", comment, NULL);
}
