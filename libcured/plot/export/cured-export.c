/* SPDX-License-Identifier: MIT
 * Exports of views to files: the table of formats. */
#include "plot/export/cured-export-private.h"

#include "base/cured-base-internal.h"
#include "plot/export/cured-page-private.h"
#include "study/cured-match.h"

/* Limits of a picture's sides, in 1/96 inch. */
#define LEAST_SIDE 100.0
#define MOST_SIDE  10000.0

static gboolean
write_csv (const CuredDrawing *drawing, const CuredExportOptions *options, GOutputStream *stream,
           GCancellable *cancellable, GError **error)
{
  return _cured_drawing_write_csv (drawing, stream, cancellable, error);
}

static gboolean
write_json (const CuredDrawing *drawing, const CuredExportOptions *options, GOutputStream *stream,
            GCancellable *cancellable, GError **error)
{
  return _cured_drawing_write_json (drawing, stream, cancellable, error);
}

/* ORDER: as in file dialogs. */
static const CuredExportFormat formats[] = {
  { "png", N_ ("PNG picture"), "image/png", TRUE, FALSE, _cured_export_write_png },
  { "svg", N_ ("SVG drawing"), "image/svg+xml", TRUE, FALSE, _cured_export_write_svg },
  { "pdf", N_ ("PDF document"), "application/pdf", TRUE, FALSE, _cured_export_write_pdf },
  { "eps", N_ ("Encapsulated PostScript"), "image/x-eps", TRUE, FALSE, _cured_export_write_eps },
  { "html", N_ ("Web page"), "text/html", TRUE, FALSE, _cured_page_write_drawing },
  { "csv", N_ ("CSV table"), "text/csv", FALSE, TRUE, write_csv },
  { "tsv", N_ ("Tab-separated table"), "text/tab-separated-values", FALSE, TRUE,
    _cured_export_write_tsv },
  { "md", N_ ("Markdown table"), "text/markdown", FALSE, FALSE, _cured_export_write_markdown },
  { "tex", N_ ("LaTeX table"), "application/x-tex", FALSE, FALSE, _cured_export_write_latex },
  { "tikz", N_ ("PGFPlots drawing"), "text/x-tex", FALSE, FALSE, _cured_export_write_pgfplots },
  { "json", N_ ("JSON document"), "application/json", FALSE, TRUE, write_json },
};

/* Returns: (transfer none) (array length=n_formats): the table */
const CuredExportFormat *
cured_export_formats (gsize *n_formats)
{
  *n_formats = G_N_ELEMENTS (formats);
  return formats;
}

/* @text: `12x8cm`, `800x600` (in 1/96 inch), or only a width, `6in`; units are px, pt, mm, cm, in
 * @width: (out): in 1/96 inch
 * @height: (out): likewise; 0: not given
 *
 * Returns: FALSE with %CURED_ERROR_SYNTAX, or with %CURED_ERROR_INVALID if it is too small or too
 *   large for a picture */
gboolean
cured_export_parse_size (const char *text, double *width, double *height, GError **error)
{
  static const struct
  {
    const char *name;
    double length;
  } units[] = { { "", 1 },           { "px", 1 },         { "pt", 96.0 / 72 },
                { "mm", 96 / 25.4 }, { "cm", 96 / 2.54 }, { "in", 96 } };
  g_autofree char *plain = g_strstrip (g_ascii_strdown (text, -1));
  char *after;
  double sides[2] = { 0, 0 };
  double unit = 0;

  sides[0] = g_ascii_strtod (plain, &after);
  after = g_strchug (after);
  if (*after == 'x' || g_str_has_prefix (after, "×"))
    {
      sides[1] = g_ascii_strtod (after + (*after == 'x' ? 1 : strlen ("×")), &after);
      if (sides[1] <= 0)
        sides[1] = NAN;
    }
  g_strchug (after);
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_equal (after, units[i].name))
      unit = units[i].length;
  /* strtod () reads hexadecimals, too. */
  if (unit <= 0 || g_str_has_prefix (plain, "0x") || !isfinite (sides[0]) || !isfinite (sides[1]) ||
      sides[0] <= 0)
    return cured_fail (error, CURED_ERROR_SYNTAX, _ ("“%s” is no size, such as 12x8cm or 800x600"),
                       text);
  for (int i = 0; i < 2; i++)
    if (sides[i] > 0 && (sides[i] * unit < LEAST_SIDE || sides[i] * unit > MOST_SIDE))
      return cured_fail (error, CURED_ERROR_INVALID,
                         /* Translators: a size, such as “2x1cm”, and two lengths in centimetres. */
                         _ ("“%s”: a picture has sides of %.0f to %.0f cm"), text,
                         ceil (LEAST_SIDE / 96 * 2.54), floor (MOST_SIDE / 96 * 2.54));
  *width = sides[0] * unit;
  *height = sides[1] * unit;
  return TRUE;
}

/* @id: a format's id, or a file's suffix, in any case
 * Returns: (transfer none) (nullable): the format, or %NULL if there is none */
const CuredExportFormat *
cured_export_format_find (const char *id)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_ascii_strcasecmp (formats[i].id, id) == 0)
      return &formats[i];
  return NULL;
}

/* A drawing on its way to a file. */
typedef struct
{
  const CuredDrawing *drawing;
  const CuredExportFormat *format;
  const CuredExportOptions *options;
} Export;

static gboolean
write_export (GOutputStream *stream, gpointer user_data, GCancellable *cancellable, GError **error)
{
  const Export *self = user_data;

  return self->format->write (self->drawing, self->options, stream, cancellable, error);
}

/* @drawing: what to export
 * @options: style and size of a picture
 * @format: a row of cured_export_formats()
 * @path: the file, as for cured_output_file_write()
 * @cancellable: (nullable): checked while writing
 *
 * Writes a file. Blocks. After a failure, a previous file at @path is unchanged.
 * Returns: %FALSE with `CURED_ERROR_STORAGE` where the file cannot be written, or with the error of
 *   the format */
gboolean
cured_export (const CuredDrawing *drawing, const CuredExportOptions *options,
              const CuredExportFormat *format, const char *path, GCancellable *cancellable,
              GError **error)
{
  Export self = { .drawing = drawing, .format = format, .options = options };

  return cured_output_file_write (path, write_export, &self, cancellable, error);
}

/* Writes a whole JSON document. */
gboolean
_cured_export_write_builder (JsonBuilder *builder, GOutputStream *stream, GCancellable *cancellable,
                             GError **error)
{
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  gsize length = 0;

  json_generator_set_pretty (generator, TRUE);
  json_generator_set_root (generator, root);
  g_autofree char *text = json_generator_to_data (generator, &length);
  return g_output_stream_write_all (stream, text, length, NULL, cancellable, error) &&
         g_output_stream_write_all (stream, "\n", 1, NULL, cancellable, error);
}

/* The kernel's title, or its id if it has none. */
char *
_cured_export_describe_title (CuredResult *result)
{
  const char *title = cured_result_get_title (result), *id = cured_result_get_kernel_id (result);

  if (title == NULL || *title == '\0')
    return g_strdup (id != NULL ? id : "");
  if (id == NULL || *id == '\0')
    return g_strdup (title);
  return g_strdup_printf ("%s (%s)", title, id);
}

/* Device and time of the run. */
char *
_cured_export_describe_origin (CuredResult *result)
{
  const CuredDeviceInfo *device = cured_result_get_device (result);
  GDateTime *created = cured_result_get_created (result);
  GString *text = g_string_new (NULL);

  if (device != NULL && device->name != NULL && *device->name != '\0')
    g_string_append (text, device->name);
  if (created != NULL)
    {
      g_autofree char *date = cured_format_date (created);

      if (text->len > 0)
        g_string_append (text, " · ");
      g_string_append (text, date);
    }
  return g_string_free (text, FALSE);
}

/* The fixed parameters: "n = 2048 · width = 4", and those over which the best is taken. */
char *
_cured_export_describe_slice (CuredResult *result, const CuredView *view)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autoptr (GString) over = g_string_new (NULL);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < n_axes; i++)
    {
      if (i == view->x_axis || i == view->y_axis)
        continue;
      if (view->best_over && cured_axis_get_length (axes[i].values) > 1 &&
          !cured_match_is_problem (result, i))
        {
          g_string_append_printf (over, "%s%s", over->len > 0 ? ", " : "", axes[i].name);
          continue;
        }
      g_autofree char *value = cured_axis_format_value (axes[i].values, view->positions[i]);
      g_string_append_printf (text, "%s%s = %s", text->len > 0 ? " · " : "", axes[i].name, value);
    }
  if (over->len > 0)
    {
      /* Translators: names of parameters: the best of all their values is shown. */
      g_autofree char *words = g_strdup_printf (_ ("best over %s"), over->str);

      g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", words);
    }
  return g_string_free (text, FALSE);
}

/* The position of a cell in a view: "tile = 16, blocks = 132". */
char *
_cured_export_describe_cell (CuredResult *result, const CuredView *view, gint64 cell)
{
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, MAX (n_axes, 1));
  GString *text = g_string_new (NULL);

  cured_result_get_positions (result, cell, positions);
  for (gsize i = 0; i < n_axes; i++)
    {
      if (i != view->x_axis && i != view->y_axis &&
          !(view->best_over && cured_axis_get_length (axes[i].values) > 1))
        continue;
      g_autofree char *value = cured_axis_format_value (axes[i].values, positions[i]);
      g_string_append_printf (text, "%s%s = %s", text->len > 0 ? ", " : "", axes[i].name, value);
    }
  return g_string_free (text, FALSE);
}
