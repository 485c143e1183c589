/* SPDX-License-Identifier: MIT
 * cured export: a result file as a picture or a table. */
#include "config.h"

#include <glib/gi18n.h>

#include "cured-cli.h"

static int
run_export (GOptionContext *context, int argc, char **argv)
{
  g_auto (CuredCliViewOptions) options = { 0 };
  g_auto (CuredCliExportOptions) export = { 0 };
  g_autofree char *machine_id = NULL;
  const GOptionEntry entries[] = {
    { "machine",
      0,
      0,
      G_OPTION_ARG_STRING,
      &machine_id,
      N_ ("Rates for --metric limiter [the chip's]"),
      N_ ("CHIP") },
    G_OPTION_ENTRY_NULL,
  };
  const CuredExportFormat *format = NULL;
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredDrawing) drawing = NULL;
  CuredView view;
  gboolean written = FALSE;

  cured_cli_export_options_add (&export, context);
  cured_cli_view_options_add (&options, context);
  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc != 2)
    return cured_cli_fail (_ ("export needs one result file, such as “cured "
                              "export tiles.cured -o tiles.png”"));
  if (export.output == NULL)
    return cured_cli_fail (
        _ ("export needs -o OUT; “-o -” is standard output"));

  format = cured_cli_export_options_get_format (&export, &error);
  if (format == NULL)
    return cured_cli_fail_error (error);
  result = cured_result_load (argv[1], NULL, &error);
  if (result == NULL ||
      !cured_cli_add_limiters (result, options.metric, machine_id, &error) ||
      !cured_cli_view_options_get_view (&options, result, &view, &error))
    return cured_cli_fail_error (error);
  drawing = cured_drawing_new_map (result, &view);
  written = cured_cli_export (&export, drawing, format, &error);
  cured_view_clear (&view);
  return written ? CURED_EXIT_OK : cured_cli_fail_error (error);
}

const CuredVerb cured_verb_export = {
  .name = "export",
  .arguments = N_ ("FILE"),
  .summary = N_ ("Write a result file as csv, json, png, svg or pdf"),
  .description =
      N_ ("Pictures show what --metric, --x, --y and --at choose; tables have "
          "every\n"
          "cell and every metric, in the C locale. OUT is replaced.\n"
          "\n"
          "Examples:\n"
          "  cured export tiles.cured -o tiles.png\n"
          "  cured export tiles.cured --metric bandwidth --dark -o "
          "tiles.svg\n"
          "  cured export tiles.cured --metric limiter -o limits.svg\n"
          "  cured export tiles.cured --format csv -o - | head\n"),
  .words = CURED_CLI_WORDS_RESULTS,
  .run = run_export,
};
