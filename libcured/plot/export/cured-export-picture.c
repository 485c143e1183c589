/* SPDX-License-Identifier: MIT
 * Pictures for papers and web pages: a plot with its title and its origin. */
#include "config.h"

#include "plot/export/cured-export-private.h"
#include "plot/map/cured-map-plot-private.h"

#include "base/cured-error.h"

#include <cairo-pdf.h>
#include <cairo-ps.h>
#include <cairo-svg.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>
#include "plot/export/cured-drawing-internal.h"

/* Pixels a unit of a PNG, so that it is crisp on dense screens and paper. */
#define PNG_SCALE 2.0

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

  /* cairo goes on writing after a failure: the first one is told. */
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

static void
start (const CuredDrawing *drawing, gboolean dark, gboolean vector, CuredPlotStyle *style,
       double *width, double *height)
{
  cured_plot_style_init (style, dark);
  style->vector = vector;
  cured_drawing_get_size (drawing, width, height);
}

gboolean
_cured_export_write_png (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                         GCancellable *cancellable, GError **error)
{
  Sink sink = { stream, cancellable, NULL };
  CuredPlotStyle style;
  double width, height;

  start (drawing, dark, FALSE, &style, &width, &height);
  cairo_surface_t *surface = cairo_image_surface_create (
      CAIRO_FORMAT_RGB24, (int) ceil (width * PNG_SCALE), (int) ceil (height * PNG_SCALE));
  cairo_surface_set_device_scale (surface, PNG_SCALE, PNG_SCALE);
  cairo_t *cr = cairo_create (surface);
  cured_drawing_draw (drawing, cr, &style, width, height);
  cairo_status_t status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream (surface, write_cb, &sink);
  cairo_surface_destroy (surface);
  return sink_finish (&sink, status, error);
}

/* Cairo writes coordinates with six decimals, most of which are glyphs' outlines: with two, a file is
 * half as large and looks the same. Only paths, in @d, are rounded. */
static void
append_rounded (GString *svg, const char *d, const char *end)
{
  while (d < end)
    {
      const char *number = d;
      char *after = NULL;
      char buffer[G_ASCII_DTOSTR_BUF_SIZE];

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
  cairo_status_t status = cairo_status (cr);
  cairo_destroy (cr);
  /* Only here is the document written to its end. */
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  return sink_finish (&(Sink){ 0 }, status, error) ? compact (text->str, text->len) : NULL;
}

static void
draw_whole (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
            double height)
{
  cured_drawing_draw (data, cr, style, width, height);
}

gboolean
_cured_export_write_svg (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                         GCancellable *cancellable, GError **error)
{
  CuredPlotStyle style;
  double width, height;

  start (drawing, dark, TRUE, &style, &width, &height);
  g_autoptr (GString) svg =
      _cured_export_draw_svg (draw_whole, drawing, &style, width, height, error);
  return svg != NULL &&
         g_output_stream_write_all (stream, svg->str, svg->len, NULL, cancellable, error);
}

/* A page of its own. @is_eps: Encapsulated PostScript; FALSE: PDF */
static gboolean
write_page (const CuredDrawing *drawing, gboolean dark, gboolean is_eps, GOutputStream *stream,
            GCancellable *cancellable, GError **error)
{
  Sink sink = { stream, cancellable, NULL };
  CuredPlotStyle style;
  double width, height;

  start (drawing, dark, TRUE, &style, &width, &height);
  cairo_surface_t *surface =
      (is_eps ? cairo_ps_surface_create_for_stream
              : cairo_pdf_surface_create_for_stream) (write_cb, &sink, width, height);
  if (is_eps)
    cairo_ps_surface_set_eps (surface, TRUE);
  else
    {
      cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE,
                                      cured_drawing_get_title (drawing));
      cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR, "Cured " CURED_VERSION);
    }
  cairo_t *cr = cairo_create (surface);
  cured_drawing_draw (drawing, cr, &style, width, height);
  cairo_status_t status = cairo_status (cr);
  cairo_destroy (cr);
  /* Only here is the file written to its end. */
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  return sink_finish (&sink, status, error);
}

gboolean
_cured_export_write_pdf (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                         GCancellable *cancellable, GError **error)
{
  return write_page (drawing, dark, FALSE, stream, cancellable, error);
}

gboolean
_cured_export_write_eps (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                         GCancellable *cancellable, GError **error)
{
  return write_page (drawing, dark, TRUE, stream, cancellable, error);
}
