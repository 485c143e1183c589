/* SPDX-License-Identifier: MIT
 * Pictures for papers and web pages: a plot with its title and its origin. */
#include "config.h"

#include "plot/export/cured-export-private.h"
#include "plot/map/cured-map-plot-private.h"

#include "base/cured-error.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gi18n-lib.h>
#include <math.h>
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
    {
      g_set_error (error, CURED_ERROR, CURED_ERROR_STORAGE, _ ("the picture can't be drawn: %s"),
                   cairo_status_to_string (status));
      return FALSE;
    }
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
  double width;
  double height;
  cairo_surface_t *surface;
  cairo_status_t status;
  cairo_t *cr;

  start (drawing, dark, FALSE, &style, &width, &height);
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) ceil (width * PNG_SCALE),
                                        (int) ceil (height * PNG_SCALE));
  cairo_surface_set_device_scale (surface, PNG_SCALE, PNG_SCALE);
  cr = cairo_create (surface);
  cured_drawing_draw (drawing, cr, &style, width, height);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream (surface, write_cb, &sink);
  cairo_surface_destroy (surface);
  return sink_finish (&sink, status, error);
}

/* Takes @surface. */
static gboolean
write_vector (const CuredDrawing *drawing, const CuredPlotStyle *style, double width, double height,
              cairo_surface_t *surface, Sink *sink, GError **error)
{
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  cured_drawing_draw (drawing, cr, style, width, height);
  status = cairo_status (cr);
  cairo_destroy (cr);
  /* Only here is the file written to its end. */
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  return sink_finish (sink, status, error);
}

gboolean
_cured_export_write_svg (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                         GCancellable *cancellable, GError **error)
{
  Sink sink = { stream, cancellable, NULL };
  CuredPlotStyle style;
  double width;
  double height;
  cairo_surface_t *surface;

  start (drawing, dark, TRUE, &style, &width, &height);
  surface = cairo_svg_surface_create_for_stream (write_cb, &sink, width, height);
  cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PX);
  return write_vector (drawing, &style, width, height, surface, &sink, error);
}

gboolean
_cured_export_write_pdf (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                         GCancellable *cancellable, GError **error)
{
  Sink sink = { stream, cancellable, NULL };
  CuredPlotStyle style;
  double width;
  double height;
  cairo_surface_t *surface;

  start (drawing, dark, TRUE, &style, &width, &height);
  surface = cairo_pdf_surface_create_for_stream (write_cb, &sink, width, height);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE,
                                  cured_drawing_get_title (drawing));
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR, "Cured " CURED_VERSION);
  return write_vector (drawing, &style, width, height, surface, &sink, error);
}
