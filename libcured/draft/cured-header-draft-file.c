/* SPDX-License-Identifier: MIT
 * The headers that can be drafted for a file, whatever language it has. */

#include "base/cured-base-internal.h"
#include "draft/cured-header-draft-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-ptx-text-internal.h"
#include "kernel/cured-sources-internal.h"

/* Limit of drafted kernels per file. */
#define MAX_DRAFTS 64u

/* Limits: entries of its folder, and sources among them that are read. */
#define MAX_ENTRIES    4096
#define MAX_NEIGHBOURS 32

/* Makes a draft for each function in @source that can be launched, possibly none. */
typedef GPtrArray *(*DraftFunc) (const char *path, const char *source, GError **error);

/* @path: path of a CUDA file
 * @source: its text
 *
 * Reads what the file includes from its own folder: these may define types, sizes and macros of its
 * kernels. Blocks on the files.
 * Returns: (transfer full) (nullable): their text; %NULL where there is none */
char *
cured_header_draft_read_context (const char *path, const char *source)
{
  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (source != NULL, NULL);

  return _cured_kernel_read_context (path, source);
}

/* Whether the text names one of the functions. */
static gboolean
names_any (const char *text, GPtrArray *functions)
{
  for (guint i = 0; i < functions->len; i++)
    if (strstr (text, ((CuredDraftFunction *) functions->pdata[i])->name) != NULL)
      return TRUE;
  return FALSE;
}

/* (transfer full): the names of sources beside the file, in order. */
static GPtrArray *
list_neighbours (const char *path)
{
  static const char *const suffixes[] = { ".cu", ".cuh", ".cpp", ".cc", ".h", ".hpp" };
  g_autofree char *folder = g_path_get_dirname (path), *own = g_path_get_basename (path);
  g_autoptr (GDir) listing = g_dir_open (folder, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  for (guint n = 0;
       listing != NULL && n < MAX_ENTRIES && (name = g_dir_read_name (listing)) != NULL; n++)
    for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
      if (g_str_has_suffix (name, suffixes[i]) && !g_str_equal (name, own))
        g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, _cured_compare_texts);
  g_ptr_array_set_size (names, (int) MIN (names->len, MAX_NEIGHBOURS));
  return names;
}

/* (transfer full) (nullable): the text of a source beside the file. */
static char *
load_neighbour (const char *path, const char *name)
{
  g_autofree char *file = _cured_find_beside (path, name, NULL);
  g_autofree char *text = file != NULL ? _cured_kernel_load_text (file, NULL) : NULL;

  return text != NULL && g_utf8_validate (text, -1, NULL) ? g_steal_pointer (&text) : NULL;
}

/* Adds a neighbouring source that launches the functions, if their own file has no launch. */
static char *
add_launches (const char *path, const char *source, char *context, GPtrArray *functions)
{
  if (functions->len == 0 || strstr (source, "<<") != NULL || strstr (source, "cudaLaunch") != NULL)
    return context;
  g_autoptr (GPtrArray) names = list_neighbours (path);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *text = load_neighbour (path, names->pdata[i]);

      if (text == NULL || strstr (text, "<<") == NULL || !names_any (text, functions))
        continue;
      char *both = g_strconcat (context != NULL ? context : "", "\n", text, NULL);
      g_free (context);
      return both;
    }
  return context;
}

/* Fails, naming a neighbouring file that has a kernel, if any: one that the source names, or the
 * first. */
static void
fail_without_kernel (const char *path, const char *source, GError **error)
{
  g_autoptr (GPtrArray) names = list_neighbours (path);
  g_autofree char *other = NULL;
  gboolean is_named = FALSE;

  for (guint i = 0; i < names->len && !is_named && g_str_has_suffix (path, ".cu"); i++)
    {
      g_autofree char *text = load_neighbour (path, names->pdata[i]);
      g_autoptr (GPtrArray) functions = text != NULL ? cured_header_draft_scan (text, NULL) : NULL;

      for (guint k = 0; functions != NULL && k < functions->len && !is_named; k++)
        {
          const CuredDraftFunction *function = functions->pdata[k];

          is_named = function->has_code && _cured_text_has_word (source, function->name);
          if (!function->has_code || (other != NULL && !is_named))
            continue;
          g_free (other);
          other = g_strdup_printf (_ ("%s has no kernel; %s, beside it, has %s"), path,
                                   (const char *) names->pdata[i], function->name);
        }
    }
  if (other != NULL)
    g_set_error_literal (error, CURED_ERROR, CURED_ERROR_INVALID, other);
  else
    g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                 _ ("%s has no kernel; expected a __global__ function, or an .entry of PTX"), path);
}

static GPtrArray *
draft_cuda (const char *path, const char *source, GError **error)
{
  GPtrArray *drafts = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_header_draft_free);
  g_autofree char *context = cured_header_draft_read_context (path, source);
  g_autoptr (GPtrArray) functions = cured_header_draft_scan (source, context);

  /* Those that are only declared are in a file that this one does not include. */
  for (guint i = functions->len; i-- > 0;)
    if (!((CuredDraftFunction *) functions->pdata[i])->has_code)
      g_ptr_array_remove_index (functions, i);
  g_autoptr (GArray) order = _cured_header_draft_order (source, functions);
  context = add_launches (path, source, g_steal_pointer (&context), functions);
  for (guint i = 0; i < MIN (order->len, MAX_DRAFTS); i++)
    {
      const CuredDraftFunction *function =
          g_ptr_array_index (functions, g_array_index (order, guint, i));
      g_autofree char *title = g_strdelimit (g_strdup (function->name), "_", ' ');

      *title = g_ascii_toupper (*title);
      g_ptr_array_add (drafts,
                       cured_header_draft_new_from_source (source, context, function, title));
    }
  return drafts;
}

static GPtrArray *
draft_ptx (const char *path, const char *source, GError **error)
{
  /* ptxas refuses it, too. */
  if (g_str_has_prefix (source, "\xEF\xBB\xBF"))
    {
      cured_set_error_at (error, CURED_ERROR_SYNTAX, path, 1, 1, _ ("PTX has no such character"));
      return NULL;
    }
  return cured_header_draft_from_ptx (path, source);
}

/* Languages of files, by suffix. */
static const struct
{
  const char *suffix;
  DraftFunc draft;
} languages[] = {
  { ".cu", draft_cuda },
  { ".cuh", draft_cuda },
  { ".ptx", draft_ptx },
};

static DraftFunc
find_language (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (languages); i++)
    if (g_str_has_suffix (path, languages[i].suffix))
      return languages[i].draft;
  return NULL;
}

/* @path: a file without a header
 * @source: (out) (transfer full): its text
 * @error: %CURED_ERROR_INVALID if it has a header, is in an unknown language, or has no kernel; or
 *   a #GFileError
 *
 * Drafts a header for each kernel of a file. Blocks on the file.
 * Returns: (transfer full) (element-type CuredHeaderDraft): at least one, in the order of the
 *   host's launches; %NULL with an error */
GPtrArray *
cured_header_draft_file (const char *path, char **source, GError **error)
{
  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (source != NULL, NULL);

  *source = NULL;
  DraftFunc draft = find_language (path);
  if (draft == NULL)
    return cured_fail_null (
        error, CURED_ERROR_INVALID,
        _ ("%s: headers are drafted for CUDA sources and PTX; expected a name that ends "
           "in .cu or .ptx"),
        path);
  g_autofree char *text = _cured_kernel_load_text (path, error);
  if (text == NULL)
    return NULL;
  if (!g_utf8_validate (text, -1, NULL))
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("%s: the text is not UTF-8; save the file as UTF-8"), path);
  if (cured_header_is_there (text))
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("%s has a header already; “cured check %s” tries it"), path, path);
  g_autoptr (GPtrArray) drafts = draft (path, text, error);
  if (drafts == NULL)
    return NULL;
  if (drafts->len == 0)
    {
      fail_without_kernel (path, text, error);
      return NULL;
    }
  *source = g_steal_pointer (&text);
  return g_steal_pointer (&drafts);
}
