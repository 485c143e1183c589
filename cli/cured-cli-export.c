/* SPDX-License-Identifier: MIT
 * The options with which a verb writes a drawing to a file. */
#include <gio/gunixoutputstream.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "cured-cli-job.h"
#include "cured-cli.h"

CuredCliExportOptions cured_cli_export_options;

/* clang-format off */
#define ROWS(formats)                                                                              \
  { "output", 'o', CURED_CLI_FILE, &cured_cli_export_options.output, N_ ("The file to write; - is standard output"), N_ ("OUT") }, \
  { "format", 'f', CURED_CLI_TEXT, &cured_cli_export_options.format, formats, N_ ("FORMAT"), .list = cured_cli_list_formats }, \
  { "dark", 0, CURED_CLI_FLAG, &cured_cli_export_options.look.dark, N_ ("A dark picture") },            \
  { "size", 0, CURED_CLI_TEXT, &cured_cli_export_options.size, N_ ("Size of a picture, such as 12x8cm"), N_ ("SIZE") }, \
  { "dpi", 0, CURED_CLI_REAL, &cured_cli_export_options.look.dpi, N_ ("Pixels per inch of a PNG [192]"), N_ ("N"), NULL, 10, 2400 }, \
  { "font-size", 0, CURED_CLI_REAL, &cured_cli_export_options.look.font_size, N_ ("Size of the text of a picture [10]"), N_ ("POINTS"), NULL, 4, 72 }, \
  { NULL }

const CuredCliOption cured_cli_export_rows[] = { ROWS (N_ ("pdf|png|svg|eps|html|csv|tsv|md|tex|tikz|json")) };
const CuredCliOption cured_cli_picture_rows[] = { ROWS (N_ ("pdf, png, svg, eps or html")) };
/* clang-format on */

/* Existing files are replaced, except for inputs and for result files, which are named
 * .cured. */
gboolean
cured_cli_export_options_check (const CuredCliExportOptions *self, char **inputs)
{
  gboolean has_output = self->output != NULL;

  if (!cured_cli_check_with (self->format != NULL, "--format", has_output, "-o OUT") ||
      !cured_cli_check_with (self->look.dark, "--dark", has_output, "-o OUT") ||
      !cured_cli_check_with (self->size != NULL, "--size", has_output, "-o OUT") ||
      !cured_cli_check_with (self->look.dpi > 0, "--dpi", has_output, "-o OUT") ||
      !cured_cli_check_with (self->look.font_size > 0, "--font-size", has_output, "-o OUT"))
    return FALSE;
  if (has_output && g_str_has_suffix (self->output, ".cured"))
    return cured_cli_deny (
        _ ("%s: .cured is for result files; give the picture or table another name"), self->output);
  return !has_output || g_str_equal (self->output, "-") ||
         cured_cli_check_output (self->output, inputs, TRUE);
}

/* Options without effect are refused, such as the resolution of a drawing without pixels. */
static gboolean
check_look (CuredCliExportOptions *self, const CuredExportFormat *format, GError **error)
{
  gboolean is_paged = format->is_picture && !g_str_equal (format->id, "html");

  if (self->look.dpi > 0 && !g_str_equal (format->id, "png"))
    return cured_cli_refuse (error, _ ("--dpi is for png; %s has no pixels"), format->id);
  if ((self->size != NULL || self->look.font_size > 0) && !is_paged)
    return cured_cli_refuse (error, _ ("--size and --font-size are for png, svg, pdf and eps"));
  if (self->size == NULL ||
      cured_export_parse_size (self->size, &self->look.width, &self->look.height, error))
    return TRUE;
  return cured_cli_prefix (error, "--size: ");
}

/* Returns the format; NULL with CURED_ERROR_INVALID or an error that lists the
 * formats. */
const CuredExportFormat *
cured_cli_export_options_get_format (CuredCliExportOptions *self, GError **error)
{
  const CuredExportFormat *format = NULL;
  const char *suffix = strrchr (self->output, '.');
  gsize n_formats = 0;
  const CuredExportFormat *formats = cured_export_formats (&n_formats);

  if (self->format == NULL && (suffix == NULL || strchr (suffix, '/') != NULL))
    {
      cured_cli_refuse (error, _ ("%s: the name does not tell the format; add --format"),
                        self->output);
      return NULL;
    }
  g_autofree char *lower = g_ascii_strdown (self->format != NULL ? self->format : suffix + 1, -1);
  format = cured_export_format_find (lower);
  if (format != NULL && (format->is_picture || !self->is_picture))
    return check_look (self, format, error) ? format : NULL;
  char **ids = g_new0 (char *, n_formats + 1);
  for (gsize i = 0, n = 0; i < n_formats; i++)
    if (formats[i].is_picture || !self->is_picture)
      ids[n++] = (char *) formats[i].id;
  cured_cli_set_unknown (error, cured_cli_printf (_ ("no export format “%s”"), lower), lower, ids);
  return NULL;
}

/* A terminal gets nothing but text. */
static gboolean
print (const CuredCliExportOptions *self, const CuredDrawing *drawing,
       const CuredExportFormat *format, GError **error)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  GMemoryOutputStream *memory = G_MEMORY_OUTPUT_STREAM (stream);

  if (!format->write (drawing, &self->look, stream, NULL, error))
    return FALSE;
  const char *text = g_memory_output_stream_get_data (memory);
  gsize length = g_memory_output_stream_get_data_size (memory);
  if (length > G_MAXINT || !g_utf8_validate (text, (gssize) length, NULL))
    return cured_cli_refuse (
        error, _ ("%s: a terminal takes text alone; write it to a file, with --output FILE.%s"),
        _ (format->title), format->id);
  g_print ("%.*s", (int) length, text);
  return TRUE;
}

/* A drawing to be written to a file. */
typedef struct
{
  const CuredCliExportOptions *options;
  const CuredDrawing *drawing;
  const CuredExportFormat *format;
} Export;

static gboolean
write_file (CuredCliJob *job, gpointer user_data, GCancellable *cancellable, GError **error)
{
  const Export *self = user_data;

  return cured_export (self->drawing, &self->options->look, self->format, self->options->output,
                       cancellable, error);
}

/* Ctrl+C leaves no partial file. */
gboolean
cured_cli_export (const CuredCliExportOptions *self, const CuredDrawing *drawing,
                  const CuredExportFormat *format, GError **error)
{
  Export export = { .options = self, .drawing = drawing, .format = format };

  if (!g_str_equal (self->output, "-"))
    /* Translators: what goes on while a file is written. */
    return cured_cli_job_run (_ ("Writing"), write_file, &export, NULL, error);
  if (isatty (STDOUT_FILENO))
    return print (self, drawing, format, error);
  g_autoptr (GOutputStream) stream = g_unix_output_stream_new (STDOUT_FILENO, FALSE);
  return format->write (drawing, &self->look, stream, NULL, error) &&
         g_output_stream_flush (stream, NULL, error);
}
