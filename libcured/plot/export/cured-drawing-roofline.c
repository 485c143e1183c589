/* SPDX-License-Identifier: MIT
 * A roofline as a drawing: the limits of the device, and the cells below them, also as a table. */
#include <gio/gio.h>

#include "base/cured-base-internal.h"
#include "plot/cured-paint-private.h"
#include "plot/export/cured-drawing-internal.h"
#include "plot/export/cured-export-private.h"
#include "study/cured-roofline.h"

#define WIDTH  620.0
#define HEIGHT 420.0

/* Margins of the plot, in lines of text. */
#define LEFT_LINES   5.0
#define BOTTOM_LINES 2.6
#define TOP_LINES    0.8
#define RIGHT_LINES  1.5

#define RADIUS 3.5

typedef struct
{
  CuredRoofline *roofline;
  CuredResult *result;
} Roofline;

/* Both axes are logarithmic. */
typedef struct
{
  CuredRect plot;
  double x[2], y[2];
} Frame;

static double
get_x (const Frame *self, double intensity)
{
  return self->plot.x +
         self->plot.width * log (intensity / self->x[0]) / log (self->x[1] / self->x[0]);
}

static double
get_y (const Frame *self, double rate)
{
  return self->plot.y +
         self->plot.height * (1 - log (rate / self->y[0]) / log (self->y[1] / self->y[0]));
}

static void
draw_axes (cairo_t *cr, const Frame *frame, const CuredPlotStyle *style, CuredPlotText *text,
           double line)
{
  double ticks[CURED_PLOT_MAX_TICKS];
  double bottom = frame->plot.y + frame->plot.height;
  gsize n = _cured_plot_ticks_logarithmic (frame->x[0], frame->x[1],
                                           (gsize) MAX (frame->plot.width / (4 * line), 2), ticks);

  _cured_plot_add_rect (cr, &frame->plot);
  _cured_plot_stroke (cr, style->dim, 1, 1);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *label = g_strdup_printf ("%g", ticks[i]);

      cairo_move_to (cr, round (get_x (frame, ticks[i])) + 0.5, bottom);
      cairo_rel_line_to (cr, 0, 4);
      cairo_stroke (cr);
      _cured_plot_text_draw (text, cr, label, CURED_ALIGN_CENTRE, get_x (frame, ticks[i]),
                             bottom + 5, 6 * line);
    }
  n = _cured_plot_ticks_logarithmic (frame->y[0], frame->y[1],
                                     (gsize) MAX (frame->plot.height / (2 * line), 2), ticks);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *label = cured_format_quantity (ticks[i], "FLOP/s");

      cairo_move_to (cr, frame->plot.x, round (get_y (frame, ticks[i])) + 0.5);
      cairo_rel_line_to (cr, -4, 0);
      cairo_stroke (cr);
      _cured_plot_text_draw (text, cr, label, CURED_ALIGN_END, frame->plot.x - 6,
                             get_y (frame, ticks[i]) - line / 2, frame->plot.x);
    }
  _cured_plot_text_draw (text, cr, _ ("Arithmetic intensity (FLOP/B)"), CURED_ALIGN_CENTRE,
                         frame->plot.x + frame->plot.width / 2, bottom + line + 6,
                         frame->plot.width);
}

static void
draw_roof (cairo_t *cr, const Frame *frame, const CuredRoofline *roofline,
           const CuredPlotStyle *style, CuredPlotText *text, double line)
{
  g_autofree char *bytes = cured_format_quantity (roofline->bytes_per_s, "B/s");
  g_autofree char *flops = cured_format_quantity (roofline->flops, "FLOP/s");
  double first = fmax (frame->x[0], frame->y[0] / roofline->bytes_per_s);

  _cured_plot_begin_clip (cr, &frame->plot);
  _cured_plot_set_colour (cr, style->foreground, 1);
  cairo_set_line_width (cr, 2);
  cairo_move_to (cr, get_x (frame, first), get_y (frame, first * roofline->bytes_per_s));
  cairo_line_to (cr, get_x (frame, roofline->ridge), get_y (frame, roofline->flops));
  cairo_line_to (cr, get_x (frame, frame->x[1]), get_y (frame, roofline->flops));
  cairo_stroke (cr);
  cairo_restore (cr);
  _cured_plot_text_draw (text, cr, flops, CURED_ALIGN_END, frame->plot.x + frame->plot.width - 4,
                         get_y (frame, roofline->flops) + 3, frame->plot.width / 2);
  _cured_plot_text_draw (text, cr, bytes, CURED_ALIGN_START, get_x (frame, first) + line,
                         get_y (frame, first * roofline->bytes_per_s) - line - 4,
                         frame->plot.width / 2);
}

static void
roofline_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
               double height)
{
  const Roofline *self = data;
  g_autoptr (CuredPlotText) text = _cured_plot_text_new ();
  Frame frame;

  _cured_plot_text_begin (text, cr, style, 1);
  double line = _cured_plot_text_get_line_height (text);
  cured_roofline_get_range (self->roofline, frame.x, frame.y);
  frame.plot = (CuredRect){
    .x = LEFT_LINES * line,
    .y = TOP_LINES * line,
    .width = MAX (width - (LEFT_LINES + RIGHT_LINES) * line, 1),
    .height = MAX (height - (TOP_LINES + BOTTOM_LINES) * line, 1),
  };
  _cured_plot_set_colour (cr, style->foreground, 1);
  draw_axes (cr, &frame, style, text, line);
  draw_roof (cr, &frame, self->roofline, style, text, line);
  CURED_EACH (const CuredRooflinePoint, point, self->roofline->points)
    {
      _cured_plot_set_colour (cr, style->accent, 0.7);
      cairo_arc (cr, get_x (&frame, point->intensity), get_y (&frame, point->flop_rate), RADIUS, 0,
                 2 * G_PI);
      cairo_fill (cr);
    }
  const CuredRooflinePoint *best =
      &g_array_index (self->roofline->points, CuredRooflinePoint, self->roofline->best);
  _cured_plot_set_colour (cr, style->foreground, 1);
  _cured_plot_draw_star (cr, style, get_x (&frame, best->intensity),
                         get_y (&frame, best->flop_rate), 2 * RADIUS);
}

/* ---- The table ---- */

static const char *const columns[] = {
  "intensity [FLOP/B]", "flop_rate [FLOP/s]", "roof [FLOP/s]", "of_roof [ratio]", "bound",
};

static const char *
get_bound (const CuredRoofline *roofline, const CuredRooflinePoint *point)
{
  return point->intensity < roofline->ridge ? "memory" : "arithmetic";
}

static gboolean
roofline_write_csv (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                    GError **error)
{
  const Roofline *self = data;
  gsize n_axes;
  const CuredResultAxis *axes = cured_result_get_axes (self->result, &n_axes);
  g_autofree gsize *positions = g_new0 (gsize, n_axes + 1);
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < n_axes; i++)
    _cured_csv_text (text, axes[i].name);
  _cured_csv_texts (text, columns, G_N_ELEMENTS (columns));
  _cured_csv_end (text);
  CURED_EACH (const CuredRooflinePoint, point, self->roofline->points)
    {
      const double numbers[] = { point->intensity, point->flop_rate, point->roof,
                                 point->flop_rate / point->roof };

      cured_result_get_positions (self->result, point->cell, positions);
      for (gsize i = 0; i < n_axes; i++)
        {
          g_autofree char *value = cured_axis_value_to_string (
              axes[i].values, cured_axis_get_value (axes[i].values, positions[i]));

          _cured_csv_text (text, value);
        }
      for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
        _cured_csv_number (text, numbers[i]);
      _cured_csv_text (text, get_bound (self->roofline, point));
      _cured_csv_end (text);
    }
  return g_output_stream_write_all (stream, text->str, text->len, NULL, cancellable, error);
}

static gboolean
roofline_write_json (gconstpointer data, GOutputStream *stream, GCancellable *cancellable,
                     GError **error)
{
  const Roofline *self = data;
  g_autoptr (JsonBuilder) json = json_builder_new ();

  json_builder_begin_object (json);
  _cured_json_add_real (json, "bytes_per_s", self->roofline->bytes_per_s);
  _cured_json_add_real (json, "flops", self->roofline->flops);
  _cured_json_add_real (json, "ridge", self->roofline->ridge);
  _cured_json_begin_array (json, "points");
  CURED_EACH (const CuredRooflinePoint, point, self->roofline->points)
    {
      json_builder_begin_object (json);
      _cured_json_add_int (json, "cell", point->cell);
      _cured_json_add_real (json, "intensity", point->intensity);
      _cured_json_add_real (json, "flop_rate", point->flop_rate);
      _cured_json_add_real (json, "roof", point->roof);
      _cured_json_add_text (json, "bound", get_bound (self->roofline, point));
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
  json_builder_end_object (json);
  return _cured_export_write_builder (json, stream, cancellable, error);
}

CURED_FREE_FUNC (Roofline, roofline_free, roofline, cured_roofline_free, result, g_object_unref)

static const CuredDrawingClass roofline_class = {
  .draw = roofline_draw,
  .write_csv = roofline_write_csv,
  .write_json = roofline_write_json,
  .free = roofline_free,
};

/* @result: what to draw; the drawing keeps a reference, and its table is read by the same thread
 * @error: as from cured_roofline_new()
 * Returns: (transfer full) (nullable): arithmetic rates over arithmetic intensity, below the limits
 *   of the device in the file */
CuredDrawing *
cured_drawing_new_roofline (CuredResult *result, GError **error)
{
  CuredRoofline *roofline = cured_roofline_new (result, error);

  if (roofline == NULL)
    return NULL;
  Roofline *self = CURED_NEW (Roofline, .roofline = roofline, .result = g_object_ref (result));
  g_autofree char *title = _cured_export_describe_title (result);
  g_autofree char *origin = _cured_export_describe_origin (result);
  CuredDrawing *drawing = cured_drawing_new (&roofline_class, self, "roofline", WIDTH, HEIGHT);
  cured_drawing_set_caption (drawing, title, origin, NULL,
                             _ ("Arithmetic rate over arithmetic intensity, of the kernel file's "
                                "formulas; lines: what the device reaches, measured"));
  return drawing;
}
