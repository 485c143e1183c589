/* SPDX-License-Identifier: MIT
 * cured export: a result file as a picture or a table. */
#include <glib/gi18n.h>
#include <string.h>

#include "cured-cli-job.h"
#include "cured-cli.h"

#define CURED_VERB "verb/cured-verb-export.def"
#include "cured-verb.h"

typedef struct
{
  const char *folder;
  const CuredCliExportOptions *options;
  const CuredExportFormat *format;
  guint n_pages, n_problems;
} Site;

static void
page_cb (const char *file, const GError *problem, gpointer user_data)
{
  Site *self = user_data;

  if (problem == NULL)
    {
      self->n_pages++;
      return;
    }
  self->n_problems++;
  cured_cli_fail_error (problem);
}

static gboolean
write_site (CuredCliJob *job, gpointer user_data, GCancellable *cancellable, GError **error)
{
  Site *self = user_data;

  return cured_site_write (self->folder, self->options->output, self->format, &self->options->look,
                           page_cb, self, cancellable, error);
}

/* Writes a file for each result of a folder and, for web pages, an index. */
static int
export_folder (const char *folder, GError **error)
{
  CuredCliExportOptions *options = &cured_cli_export_options;
  const CuredCliViewOptions *view = &cured_cli_view;
  Site site = { .folder = folder, .options = options };

  if (options->format == NULL)
    return cured_cli_fail (
        _ ("%s is a folder: add --format html, png or another, or name one of its files"), folder);
  if (g_str_equal (options->output, "-"))
    return cured_cli_fail (_ ("the files of a folder need a folder, such as -o site"));
  site.format = cured_cli_export_options_get_format (options, error);
  if (site.format == NULL)
    return CURED_EXIT_USAGE;
  if (view->metric != NULL || view->x != NULL || view->y != NULL || view->at != NULL ||
      view->relative || view->absolute || view->best_over || given.roofline)
    return cured_cli_fail (_ ("--metric, --x, --y, --at, --best-over, --relative, --absolute and "
                              "--roofline are of one "
                              "file; %s is a folder"),
                           folder);
  if (!cured_cli_job_run (_ ("Writing"), write_site, &site, NULL, error))
    return CURED_EXIT_USAGE;
  if (!cured_cli_is_quiet && !g_str_equal (site.format->id, "html"))
    g_print (ngettext ("%u file in %s\n", "%u files in %s\n", site.n_pages), site.n_pages,
             options->output);
  else if (!cured_cli_is_quiet)
    g_print (
        ngettext ("%u page and an index in %s\n", "%u pages and an index in %s\n", site.n_pages),
        site.n_pages, options->output);
  return site.n_problems > 0 ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}

static int
run (int argc, char **argv, GError **error)
{
  CuredCliExportOptions *export = &cured_cli_export_options;
  const char *metric = cured_cli_view.metric;
  CuredView view;

  if (export->output == NULL)
    return cured_cli_fail (_ ("export needs -o OUT; “-o -” is standard output"));
  if (!cured_cli_check_machine (given.machine_id, metric))
    return CURED_EXIT_USAGE;

  if (g_file_test (argv[1], G_FILE_TEST_IS_DIR))
    return export_folder (argv[1], error);
  if (!cured_cli_export_options_check (export, argv + 1))
    return CURED_EXIT_USAGE;
  const CuredExportFormat *format = cured_cli_export_options_get_format (export, error);
  if (format == NULL)
    return CURED_EXIT_USAGE;
  if (metric != NULL && strchr (metric, ',') != NULL &&
      (format->is_picture || !format->has_columns))
    return cured_cli_fail (_ ("--metric %s: %s shows one; tables have several: csv, tsv, json"),
                           metric, format->id);
  g_autoptr (CuredResult) result = cured_result_load (argv[1], NULL, error);
  if (result == NULL || !cured_cli_add_limiters (result, metric, given.machine_id, error) ||
      !cured_cli_get_view (result, &view, error))
    return CURED_EXIT_USAGE;
  g_autoptr (CuredDrawing) drawing = given.roofline ? cured_drawing_new_roofline (result, error)
                                                    : cured_drawing_new_map (result, &view);
  gboolean written = drawing != NULL && cured_cli_export (export, drawing, format, error);
  cured_view_clear (&view);
  return written ? CURED_EXIT_OK : CURED_EXIT_USAGE;
}
