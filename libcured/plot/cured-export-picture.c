/* SPDX-License-Identifier: MIT
 * Pictures for papers and web pages: a plot with its title and its origin. */
#include "config.h"

#include "plot/cured-export-private.h"
#include "plot/cured-plot-private.h"

#include "base/cured-error.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gi18n-lib.h>
#include <math.h>

/* User units: pixels of a PNG at 1:1, points of a PDF. */
#define MARGIN       12.0
#define CELL_WIDTH   52.0
#define CELL_HEIGHT  34.0
#define LEAST_WIDTH  420.0
#define MOST_WIDTH   1400.0
#define LEAST_HEIGHT 240.0
#define MOST_HEIGHT  1000.0
#define LINE_HEIGHT  340.0

/* What is around the cells: labels, titles, legend, keys. */
#define AROUND_WIDTH  150.0
#define AROUND_HEIGHT 120.0

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
  if (sink->error != NULL ||
      !g_output_stream_write_all (
          sink->stream, data, length, NULL, sink->cancellable, &sink->error))
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
      g_set_error (error,
                   CURED_ERROR,
                   CURED_ERROR_STORAGE,
                   _ ("the picture cannot be drawn: %s"),
                   cairo_status_to_string (status));
      return FALSE;
    }
  return TRUE;
}

/* A picture before it is drawn. */
typedef struct
{
  CuredGrid *grid;
  CuredPlotStyle style;
  char *title;
  char *lines[2]; /* below the title */
  char *footnote;
  double line;
  double title_line;
  double header;
  double footer;
  double plot_width;
  double plot_height;
  double width;
  double height;
} Picture;

static char *
make_footnote (const CuredGrid *grid)
{
  const char *origin;

  switch (grid->metric.origin)
    {
    case CURED_ORIGIN_MEASURED:
      origin = _ ("measured on the device");
      break;
    case CURED_ORIGIN_COUNTED:
      origin = _ ("counted");
      break;
    case CURED_ORIGIN_DERIVED:
    default:
      origin = _ ("derived from measured figures");
      break;
    }
  return g_strdup_printf ("%s: %s; %s. Cured\u00a0%s",
                          _ (grid->metric.title),
                          _ (grid->metric.description),
                          origin,
                          CURED_VERSION);
}

static void
picture_init (Picture *self,
              CuredResult *result,
              const CuredView *view,
              gboolean dark,
              gboolean vector)
{
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  g_autofree char *slice = _cured_export_describe_slice (result, view);
  double most_width;

  *self = (Picture){
    .grid = cured_grid_new (result, view),
    .title = _cured_export_describe_title (result),
    .lines = { _cured_export_describe_origin (result), NULL },
  };
  if (*slice != '\0')
    self->lines[1] = g_steal_pointer (&slice);
  self->footnote = make_footnote (self->grid);
  cured_plot_style_init (&self->style, dark);
  self->style.vector = vector;
  _cured_plot_text_begin (text, NULL, &self->style, 1);
  self->line = ceil (_cured_plot_text_get_line_height (text)) + 2;
  self->title_line = round (self->line * 1.5);
  self->header = self->title_line + self->line + MARGIN / 2;
  if (self->lines[1] != NULL)
    self->header += self->line;
  /* The footnote wraps; two lines hold the longest of the table. */
  self->footer = 2 * self->line + MARGIN / 2;

  most_width = cured_grid_is_line (self->grid) ? MOST_WIDTH / 2 : MOST_WIDTH;
  self->plot_width =
      CLAMP (CELL_WIDTH * (double) self->grid->nx, LEAST_WIDTH, most_width) +
      AROUND_WIDTH;
  self->plot_height = (cured_grid_is_line (self->grid)
                           ? LINE_HEIGHT
                           : CLAMP (CELL_HEIGHT * (double) self->grid->ny,
                                    LEAST_HEIGHT,
                                    MOST_HEIGHT)) +
                      AROUND_HEIGHT;
  self->width = self->plot_width + 2 * MARGIN;
  self->height = self->header + self->plot_height + self->footer + 2 * MARGIN;
}

static void
picture_clear (Picture *self)
{
  cured_grid_free (self->grid);
  g_free (self->title);
  g_free (self->lines[0]);
  g_free (self->lines[1]);
  g_free (self->footnote);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, picture_clear)

static void
draw_footnote (cairo_t *cr, const Picture *self, double x, double y)
{
  g_autoptr (PangoLayout) layout = pango_cairo_create_layout (cr);
  PangoFontDescription *description =
      pango_font_description_from_string (self->style.font);

  pango_font_description_set_size (
      description,
      (int) (pango_font_description_get_size (description) * 0.85));
  pango_layout_set_font_description (layout, description);
  pango_font_description_free (description);
  pango_layout_set_width (layout, (int) (self->plot_width * PANGO_SCALE));
  pango_layout_set_height (layout, -2);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_text (layout, self->footnote, -1);
  _cured_plot_set_colour (cr, self->style.dim, 1);
  cairo_move_to (cr, x, y);
  pango_cairo_show_layout (cr, layout);
}

static void
picture_draw (cairo_t *cr, Picture *self)
{
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  CuredPlotStyle large = self->style;
  CuredPlotGeometry geometry;
  double pad;
  double y = MARGIN;

  large.font = "Sans Bold 13";
  _cured_plot_set_colour (cr, self->style.background, 1);
  cairo_paint (cr);
  cured_plot_geometry_init (
      &geometry, self->grid, &self->style, self->plot_width, self->plot_height);
  pad = round (geometry.line_height / 2);
  _cured_plot_text_begin (text, cr, &large, 1);
  _cured_plot_set_colour (cr, self->style.foreground, 1);
  _cured_plot_text_draw (text,
                         cr,
                         self->title,
                         CURED_ALIGN_START,
                         MARGIN + pad,
                         y,
                         self->plot_width - 2 * pad);
  y += self->title_line;
  _cured_plot_text_begin (text, cr, &self->style, 1);
  _cured_plot_set_colour (cr, self->style.dim, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (self->lines); i++)
    if (self->lines[i] != NULL)
      {
        _cured_plot_text_draw (text,
                               cr,
                               self->lines[i],
                               CURED_ALIGN_START,
                               MARGIN + pad,
                               y,
                               self->plot_width - 2 * pad);
        y += self->line;
      }
  cairo_save (cr);
  cairo_translate (cr, MARGIN, MARGIN + self->header);
  cured_plot_draw (cr, self->grid, NULL, &geometry, &self->style, NULL, NULL);
  cairo_restore (cr);
  draw_footnote (
      cr, self, MARGIN + pad, self->height - MARGIN - 2 * self->line);
}

gboolean
_cured_export_write_png (CuredResult *result,
                         const CuredView *view,
                         gboolean dark,
                         GOutputStream *stream,
                         GCancellable *cancellable,
                         GError **error)
{
  g_auto (Picture) picture = { NULL };
  Sink sink = { stream, cancellable, NULL };
  cairo_surface_t *surface;
  cairo_status_t status;
  cairo_t *cr;

  picture_init (&picture, result, view, dark, FALSE);
  surface =
      cairo_image_surface_create (CAIRO_FORMAT_RGB24,
                                  (int) ceil (picture.width * PNG_SCALE),
                                  (int) ceil (picture.height * PNG_SCALE));
  cairo_surface_set_device_scale (surface, PNG_SCALE, PNG_SCALE);
  cr = cairo_create (surface);
  picture_draw (cr, &picture);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream (surface, write_cb, &sink);
  cairo_surface_destroy (surface);
  return sink_finish (&sink, status, error);
}

/* Takes @surface. */
static gboolean
write_vector (Picture *picture,
              cairo_surface_t *surface,
              Sink *sink,
              GError **error)
{
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  picture_draw (cr, picture);
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
_cured_export_write_svg (CuredResult *result,
                         const CuredView *view,
                         gboolean dark,
                         GOutputStream *stream,
                         GCancellable *cancellable,
                         GError **error)
{
  g_auto (Picture) picture = { NULL };
  Sink sink = { stream, cancellable, NULL };
  cairo_surface_t *surface;

  picture_init (&picture, result, view, dark, TRUE);
  surface = cairo_svg_surface_create_for_stream (
      write_cb, &sink, picture.width, picture.height);
  cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PX);
  return write_vector (&picture, surface, &sink, error);
}

gboolean
_cured_export_write_pdf (CuredResult *result,
                         const CuredView *view,
                         gboolean dark,
                         GOutputStream *stream,
                         GCancellable *cancellable,
                         GError **error)
{
  g_auto (Picture) picture = { NULL };
  Sink sink = { stream, cancellable, NULL };
  cairo_surface_t *surface;

  picture_init (&picture, result, view, dark, TRUE);
  surface = cairo_pdf_surface_create_for_stream (
      write_cb, &sink, picture.width, picture.height);
  cairo_pdf_surface_set_metadata (
      surface, CAIRO_PDF_METADATA_TITLE, picture.title);
  cairo_pdf_surface_set_metadata (
      surface, CAIRO_PDF_METADATA_CREATOR, "Cured " CURED_VERSION);
  return write_vector (&picture, surface, &sink, error);
}
