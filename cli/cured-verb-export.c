/* SPDX-License-Identifier: MIT
 * cured export: a result file as a picture or a table. */
#include "config.h"

#include <gio/gunixoutputstream.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli.h"

static const CuredExportFormat *
find_format (const char *id, const char *output, GError **error)
{
  const CuredExportFormat *format = NULL;
  const char *suffix = strrchr (output, '.');
  g_autofree char *lower = NULL;
  gsize n_formats = 0;
  const CuredExportFormat *formats = cured_export_formats (&n_formats);
  char **ids = NULL;

  if (id == NULL && (suffix == NULL || strchr (suffix, '/') != NULL))
    {
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_INVALID,
                   _ ("%s: the name does not tell the format; add --format"),
                   output);
      return NULL;
    }
  lower = g_ascii_strdown (id != NULL ? id : suffix + 1, -1);
  format = cured_export_format_find (lower);
  if (format != NULL)
    return format;
  ids = g_new0 (char *, n_formats + 1);
  for (gsize i = 0; i < n_formats; i++)
    ids[i] = (char *) formats[i].id;
  cured_cli_set_unknown (error, _ ("export format"), lower, ids);
  return NULL;
}

static gboolean
export_to_stdout (const CuredDrawing *drawing,
                  gboolean dark,
                  const CuredExportFormat *format,
                  GError **error)
{
  g_autoptr (GOutputStream) stream =
      g_unix_output_stream_new (STDOUT_FILENO, FALSE);

  return format->write (drawing, dark, stream, NULL, error) &&
         g_output_stream_flush (stream, NULL, error);
}

static int
run_export (GOptionContext *context, int argc, char **argv)
{
  g_auto (CuredCliViewOptions) options = { 0 };
  g_autofree char *id = NULL;
  g_autofree char *output = NULL;
  gboolean dark = FALSE;
  const GOptionEntry entries[] = {
    { "output",
      'o',
      0,
      G_OPTION_ARG_FILENAME,
      &output,
      N_ ("The file to write; - is standard output"),
      N_ ("OUT") },
    { "format",
      'f',
      0,
      G_OPTION_ARG_STRING,
      &id,
      N_ ("csv, json, png, svg or pdf [what OUT's name ends in]"),
      N_ ("FORMAT") },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, N_ ("A dark picture"), NULL },
    G_OPTION_ENTRY_NULL,
  };
  const CuredExportFormat *format = NULL;
  g_autoptr (CuredResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredDrawing) drawing = NULL;
  CuredView view;
  gboolean written = FALSE;

  cured_cli_view_options_add (&options, context);
  if (!cured_cli_parse (context, entries, &argc, &argv))
    return CURED_EXIT_USAGE;
  if (argc != 2)
    return cured_cli_fail (_ ("export wants one result file, such as "
                              "“cured export tiles.cured -o tiles.png”"));
  if (output == NULL)
    return cured_cli_fail (_ ("export wants -o OUT; “-o -” is standard "
                              "output"));

  format = find_format (id, output, &error);
  if (format == NULL)
    return cured_cli_fail_error (error);
  result = cured_result_load (argv[1], NULL, &error);
  if (result == NULL ||
      !cured_cli_view_options_get_view (&options, result, &view, &error))
    return cured_cli_fail_error (error);
  drawing = cured_drawing_new_map (result, &view);
  if (g_str_equal (output, "-"))
    written = export_to_stdout (drawing, dark, format, &error);
  else
    written = cured_export (drawing, dark, format, output, NULL, &error);
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
          "cell and every figure, in the C locale. OUT is replaced.\n"
          "\n"
          "Examples:\n"
          "  cured export tiles.cured -o tiles.png\n"
          "  cured export tiles.cured --metric bandwidth --dark -o tiles.svg\n"
          "  cured export tiles.cured --format csv -o - | head\n"),
  .run = run_export,
};
