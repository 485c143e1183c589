/* SPDX-License-Identifier: MIT
 * cured export: a result file as a picture or a table. */
#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "cured-cli-job.h"
#include "cured-cli.h"

static struct
{
  char *machine_id;
  gboolean roofline;
} given;

typedef struct
{
  const char *folder;
  const CuredCliExportOptions *options;
  const CuredExportFormat *format;
  guint n_pages;
  guint n_problems;
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

  return cured_site_write (self->folder, self->options->output, self->format, self->options->dark,
                           page_cb, self, cancellable, error);
}

/* A file for each result of a folder, and for web pages an index. */
static int
export_folder (const char *folder, GError **error)
{
  const CuredCliExportOptions *options = &cured_cli_export_options;
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
  if (!cured_cli_is_quiet () && !g_str_equal (site.format->id, "html"))
    g_print (ngettext ("%u file in %s\n", "%u files in %s\n", site.n_pages), site.n_pages,
             options->output);
  else if (!cured_cli_is_quiet ())
    g_print (
        ngettext ("%u page and an index in %s\n", "%u pages and an index in %s\n", site.n_pages),
        site.n_pages, options->output);
  return site.n_problems > 0 ? CURED_EXIT_FINDING : CURED_EXIT_OK;
}

/* clang-format off */
static const CuredCliOption rows[] = {
  { "machine", 0, CURED_CLI_TEXT, &given.machine_id, N_ ("Rates for --metric limiter [the chip's]"), N_ ("CHIP") },
  { "roofline", 0, CURED_CLI_FLAG, &given.roofline, N_ ("FLOP/s over FLOP/B, below the device's limits") },
  { NULL },
};
/* clang-format on */

static int
run_export (int argc, char **argv, GError **error)
{
  const CuredCliExportOptions *export = &cured_cli_export_options;
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

const CuredVerb cured_verb_export = {
  .name = "export",
  .arguments = N_ ("FILE|FOLDER"),
  .summary = N_ ("Write a result file as a picture, a table or a web page"),
  .description = N_ ("Pictures show what --metric, --x, --y and --at choose, and so do md, tex\n"
                     "and tikz; tables have every cell and every metric, or those of --metric,\n"
                     "in the C locale. OUT is replaced.\n"
                     "\n"
                     "A web page (html) needs nothing but itself: map, cells, samples, source,\n"
                     "banks. Of a folder, each result becomes a page, with an index, or a file\n"
                     "of another format; a file that can't be read is named, and the exit code\n"
                     "is 1.\n"
                     "\n"
                     "Examples:\n"
                     "  cured export tiles.cured -o tiles.png\n"
                     "  cured export tiles.cured --metric bandwidth --dark -o tiles.svg\n"
                     "  cured export tiles.cured --metric limiter -o limits.svg\n"
                     "  cured export tiles.cured --relative -o tiles.md\n"
                     "  cured export tiles.cured -o tiles.html\n"
                     "  cured export results --format html -o site\n"
                     "  cured export results --format png -o pictures\n"
                     "  cured export tiles.cured --metric time,bandwidth -o tiles.csv\n"
                     "  cured export tiles.cured --format csv -o - | head\n"),
  .words = CURED_CLI_WORDS_RESULTS,
  .options = { cured_cli_export_rows, cured_cli_view_rows, rows },
  .least = 1,
  .most = 1,
  .usage = N_ ("export needs one result file, such as “cured export tiles.cured -o tiles.png”"),
  .run = run_export,
};
