/* SPDX-License-Identifier: MIT
 * Pictures for papers and web pages: a plot with its title and its origin. */
#include "config.h"

#include "plot/export/cured-export-private.h"
#include "plot/map/cured-map-plot-private.h"

#include "base/cured-base-internal.h"

#include <cairo-pdf.h>
#include <cairo-ps.h>
#include <cairo-svg.h>
#include "plot/export/cured-drawing-internal.h"

/* Resolution of a PNG, for crisp output on dense screens and paper. */
#define PNG_DPI 192.0

/* Units of drawings. */
#define UNITS_PER_INCH 96.0

/* Font size of the default style, in points. */
#define FONT_SIZE 10.0

/* Cairo's limit for each side. */
#define MOST_PIXELS 32767.0

typedef struct
{
  GOutputStream *stream;
  GCancellable *cancellable;
  GError *error;
} Sink;

static cairo_status_t
write_cb (void *closure, const unsigned char *data, unsigned int length)
{
  Sink *sink = closure;

  /* Cairo continues to write after a failure; keep the first error. */
  if (sink->error != NULL || !g_output_stream_write_all (sink->stream, data, length, NULL,
                                                         sink->cancellable, &sink->error))
    return CAIRO_STATUS_WRITE_ERROR;
  return CAIRO_STATUS_SUCCESS;
}

static gboolean
sink_finish (Sink *self, cairo_status_t status, GError **error)
{
  if (self->error != NULL)
    {
      g_propagate_error (error, self->error);
      return FALSE;
    }
  if (status != CAIRO_STATUS_SUCCESS)
    return cured_fail (error, CURED_ERROR_STORAGE, _ ("the picture can't be drawn: %s"),
                       cairo_status_to_string (status));
  return TRUE;
}

/* Style, size and scale of a picture. */
typedef struct
{
  CuredPlotStyle style;
  char font[32]; /* the style's font, unless it is the default */
  double width, height;
  gboolean is_to_scale; /* lengths are lengths on paper */
} Sheet;

/* If only one side is given, the other one follows from the drawing's aspect ratio. */
static void
sheet_init (Sheet *self, const CuredDrawing *drawing, const CuredExportOptions *options,
            gboolean vector)
{
  double size = options->font_size > 0 ? options->font_size : FONT_SIZE;
  double width, height;

  cured_plot_style_init (&self->style, options->dark);
  self->style.vector = vector;
  if (options->font_size > 0)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      g_snprintf (self->font, sizeof self->font, "Sans %s",
                  g_ascii_formatd (number, sizeof number, "%.4g", size));
      self->style.font = self->font;
    }
  cured_drawing_get_size (drawing, &width, &height);
  self->width = options->width > 0    ? options->width
                : options->height > 0 ? width * options->height / height
                                      : width * size / FONT_SIZE;
  self->height = options->height > 0  ? options->height
                 : options->width > 0 ? height * options->width / width
                                      : height * size / FONT_SIZE;
  self->is_to_scale = options->width > 0 || options->height > 0 || options->font_size > 0;
}

gboolean
_cured_export_write_png (const CuredDrawing *drawing, const CuredExportOptions *options,
                         GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  Sink sink = { stream, cancellable, NULL };
  double scale = (options->dpi > 0 ? options->dpi : PNG_DPI) / UNITS_PER_INCH;
  Sheet sheet;

  sheet_init (&sheet, drawing, options, FALSE);
  double width = ceil (sheet.width * scale), height = ceil (sheet.height * scale);
  if (MAX (width, height) > MOST_PIXELS)
    return cured_fail (error, CURED_ERROR_INVALID,
                       /* Translators: numbers of pixels. */
                       _ ("a PNG of %.0f × %.0f pixels is too large; a side has at most %.0f"),
                       width, height, MOST_PIXELS);
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) width, (int) height);
  cairo_surface_set_device_scale (surface, scale, scale);
  cairo_t *cr = cairo_create (surface);
  cured_drawing_draw (drawing, cr, &sheet.style, sheet.width, sheet.height);
  cairo_status_t status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream (surface, write_cb, &sink);
  cairo_surface_destroy (surface);
  return sink_finish (&sink, status, error);
}

/* Cairo writes coordinates, mostly of glyphs' outlines, with six decimals; with two, a file is half
 * as large and looks the same. Only paths, in @d, are rounded. */
static void
append_rounded (GString *svg, const char *d, const char *end)
{
  while (d < end)
    {
      const char *number = d;
      char *after = NULL, buffer[G_ASCII_DTOSTR_BUF_SIZE];

      if (g_ascii_isdigit (*d) || *d == '-' || *d == '.')
        g_ascii_strtod (d, &after);
      if (after == NULL || after == number)
        {
          g_string_append_c (svg, *d++);
          continue;
        }
      d = after;
      g_ascii_formatd (buffer, sizeof buffer, "%.2f", g_ascii_strtod (number, NULL));
      for (char *last = buffer + strlen (buffer) - 1; *last == '0' || *last == '.'; last--)
        {
          gboolean is_point = *last == '.';

          *last = '\0';
          if (is_point)
            break;
        }
      g_string_append (svg, buffer);
    }
}

static GString *
compact (const char *svg, gsize length)
{
  GString *text = g_string_sized_new (length);
  const char *path;

  for (; (path = strstr (svg, " d=\"")) != NULL; svg = strchr (path + 4, '"'))
    {
      g_string_append_len (text, svg, path + 4 - svg);
      append_rounded (text, path + 4, strchr (path + 4, '"'));
    }
  return g_string_append (text, svg);
}

static cairo_status_t
append_cb (void *closure, const unsigned char *data, unsigned int length)
{
  g_string_append_len (closure, (const char *) data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* Finishes the drawing on @surface, (transfer full), and frees both. */
static cairo_status_t
finish (cairo_surface_t *surface, cairo_t *cr)
{
  cairo_status_t status = cairo_status (cr);

  cairo_destroy (cr);
  /* This writes the rest of the document. */
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  return status;
}

/* (transfer full) (nullable): an SVG document. */
GString *
_cured_export_draw_svg (CuredDrawFunc draw, gconstpointer data, const CuredPlotStyle *style,
                        double width, double height, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  cairo_surface_t *surface = cairo_svg_surface_create_for_stream (append_cb, text, width, height);
  cairo_t *cr = cairo_create (surface);

  cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PX);
  draw (data, cr, style, width, height);
  return sink_finish (&(Sink){ 0 }, finish (surface, cr), error) ? compact (text->str, text->len)
                                                                 : NULL;
}

static void
draw_whole (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
            double height)
{
  cured_drawing_draw (data, cr, style, width, height);
}

gboolean
_cured_export_write_svg (const CuredDrawing *drawing, const CuredExportOptions *options,
                         GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  Sheet sheet;

  sheet_init (&sheet, drawing, options, TRUE);
  g_autoptr (GString) svg =
      _cured_export_draw_svg (draw_whole, drawing, &sheet.style, sheet.width, sheet.height, error);
  return svg != NULL &&
         g_output_stream_write_all (stream, svg->str, svg->len, NULL, cancellable, error);
}

/* Writes a document of one page. @is_eps: Encapsulated PostScript; FALSE: PDF */
static gboolean
write_page (const CuredDrawing *drawing, const CuredExportOptions *options, gboolean is_eps,
            GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  Sink sink = { stream, cancellable, NULL };
  Sheet sheet;

  sheet_init (&sheet, drawing, options, TRUE);
  /* The surfaces' unit is a point. */
  double scale = sheet.is_to_scale ? 72 / UNITS_PER_INCH : 1;
  cairo_surface_t *surface =
      (is_eps ? cairo_ps_surface_create_for_stream : cairo_pdf_surface_create_for_stream) (
          write_cb, &sink, sheet.width * scale, sheet.height * scale);
  if (is_eps)
    cairo_ps_surface_set_eps (surface, TRUE);
  else
    {
      cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE,
                                      cured_drawing_get_title (drawing));
      cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR, "Cured " CURED_VERSION);
    }
  cairo_t *cr = cairo_create (surface);
  cairo_scale (cr, scale, scale);
  cured_drawing_draw (drawing, cr, &sheet.style, sheet.width, sheet.height);
  return sink_finish (&sink, finish (surface, cr), error);
}

gboolean
_cured_export_write_pdf (const CuredDrawing *drawing, const CuredExportOptions *options,
                         GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  return write_page (drawing, options, FALSE, stream, cancellable, error);
}

gboolean
_cured_export_write_eps (const CuredDrawing *drawing, const CuredExportOptions *options,
                         GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  return write_page (drawing, options, TRUE, stream, cancellable, error);
}
