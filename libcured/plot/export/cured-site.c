/* SPDX-License-Identifier: MIT
 * A folder of results as web pages, one for each and an index, or as other files. */
#include "plot/export/cured-site.h"

#include <errno.h>

#include "base/cured-base-internal.h"
#include "plot/export/cured-page-private.h"
#include "store/cured-recordings.h"

static gboolean
is_site (const CuredExportFormat *format)
{
  return g_str_equal (format->id, "html");
}

static char *
get_page_name (const char *path, const CuredExportFormat *format)
{
  g_autofree char *base = g_path_get_basename (path);
  char *dot = strrchr (base, '.');

  if (dot != NULL && dot != base)
    *dot = '\0';
  /* The index has this name. */
  return g_strconcat (base, is_site (format) && g_str_equal (base, "index") ? "-result." : ".",
                      format->id, NULL);
}

static void
append_head (GString *index, const char *folder)
{
  g_autofree char *name = g_filename_display_basename (folder);
  g_autofree char *title = g_strdup_printf (_ ("Results: %s"), name);
  const char *const columns[] = {
    N_ ("Kernel"), N_ ("Title"), N_ ("Device"), N_ ("Date"), N_ ("Cells"), N_ ("Best"),
  };

  _cured_page_begin (index, title, FALSE);
  g_string_append (index, "<header>\n");
  _cured_page_append_element (index, "h1", title);
  g_string_append (index, "</header>\n<section class=\"card\">\n"
                          "<div class=\"scroll\"><table class=\"index\">\n"
                          "<thead><tr>");
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    _cured_page_append_element (index, "th scope=\"col\"", _ (columns[i]));
  g_string_append (index, "</tr></thead>\n<tbody>\n");
}

/* The best value of the metric that the page shows first: "95.5 µs". */
static char *
describe_best (CuredResult *result, const CuredView *view)
{
  g_autoptr (CuredGrid) grid = cured_grid_new (result, view);

  if (grid->best < 0)
    return g_strdup ("");
  g_autofree char *value = cured_grid_format_best (grid);
  return g_strdup_printf ("%s, %s", value, _ (cured_origin_to_string (grid->metric.origin)));
}

static void
append_row (GString *index, CuredResult *result, const CuredView *view, const char *page)
{
  GDateTime *created = cured_result_get_created (result);
  g_autofree char *date = created != NULL ? g_date_time_format (created, "%Y-%m-%d") : NULL;
  g_autofree char *cells = cured_format_count (cured_result_get_n_cells (result));
  g_autofree char *best = describe_best (result, view);
  g_autofree char *address = g_uri_escape_string (page, NULL, FALSE);

  g_string_append (index, "<tr><th scope=\"row\"><a href=\"");
  _cured_page_append_text (index, address);
  g_string_append (index, "\">");
  _cured_page_append_text (index, cured_result_get_kernel_id (result));
  g_string_append (index, "</a></th>");
  _cured_page_append_element (index, "td", cured_result_get_title (result));
  _cured_page_append_element (index, "td", cured_result_get_device (result)->name);
  _cured_page_append_element (index, "td", date);
  _cured_page_append_element (index, "td class=\"number\"", cells);
  _cured_page_append_element (index, "td class=\"number\"", best);
  g_string_append (index, "</tr>\n");
}

static gboolean
write_page (GString *index, CuredResult *result, const char *output,
            const CuredExportFormat *format, const CuredExportOptions *options,
            GCancellable *cancellable, GError **error)
{
  g_autofree char *name = get_page_name (cured_result_get_path (result), format);
  g_autofree char *page = g_build_filename (output, name, NULL);
  g_auto (CuredView) view = { 0 };

  cured_view_init (&view, result);
  g_autoptr (CuredDrawing) drawing = cured_drawing_new_map (result, &view);
  if (!cured_export (drawing, options, format, page, cancellable, error))
    return FALSE;
  append_row (index, result, &view, name);
  return TRUE;
}

static gboolean
make_folder (const char *output, GError **error)
{
  if (g_mkdir_with_parents (output, 0777) == 0)
    return TRUE;
  return cured_fail (error, CURED_ERROR_STORAGE, _ ("%s: the folder can't be made: %s"), output,
                     g_strerror (errno));
}

/* @folder: of result files
 * @output: a folder for the pages, created if missing; pages of the same names are replaced, other
 *   files left alone
 * @format: format of the pages
 * @options: style of pictures; dark pages are dark whatever the reader's system prefers
 * @func: (nullable): called for each file
 *
 * Writes a page for every result file of a folder and, for web pages, `index.html`. A file that
 * can't be read gets no page, and @func the reason. Blocks.
 * Returns: FALSE with %CURED_ERROR_NOT_FOUND if there is no result file, with %CURED_ERROR_STORAGE
 *   if a page can't be written, or when cancelled */
gboolean
cured_site_write (const char *folder, const char *output, const CuredExportFormat *format,
                  const CuredExportOptions *options, CuredSiteFunc func, gpointer user_data,
                  GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) paths = cured_recordings_list (folder, error);
  g_autoptr (GString) index = g_string_new (NULL);
  g_autofree char *path = g_build_filename (output, "index.html", NULL);
  const CuredPageParts parts = { 0 };

  if (paths == NULL)
    return FALSE;
  if (paths->len == 0)
    return cured_fail (error, CURED_ERROR_NOT_FOUND,
                       _ ("%s: there is no result file in it; their names end in .cured"), folder);
  if (!make_folder (output, error))
    return FALSE;
  append_head (index, folder);
  for (guint i = 0; i < paths->len; i++)
    {
      g_autoptr (GError) problem = NULL;
      g_autoptr (CuredResult) result = cured_result_load (paths->pdata[i], cancellable, &problem);

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
      if (result != NULL &&
          !write_page (index, result, output, format, options, cancellable, &problem) &&
          !g_error_matches (problem, CURED_ERROR, CURED_ERROR_INVALID))
        {
          /* Stop: a full disk will be full for the next file, too. */
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
      if (func != NULL)
        func (paths->pdata[i], problem, user_data);
    }
  if (!is_site (format))
    return TRUE;
  g_string_append (index, "</tbody></table></div>\n</section>\n");
  _cured_page_end (index, &parts);
  if (g_file_set_contents (path, index->str, (gssize) index->len, NULL))
    return TRUE;
  return cured_fail (error, CURED_ERROR_STORAGE,
                     _ ("%s: can't be written; is the disk full, or the folder read-only?"), path);
}
