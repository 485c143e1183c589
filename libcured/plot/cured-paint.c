/* SPDX-License-Identifier: MIT
 * Colours and marks that all plots draw. */
#include "plot/cured-paint-private.h"

#include <math.h>

#define HATCH_SPACING 6.0

/* @self: (out caller-allocates): a style
 * @dark: light text on a dark background
 *
 * Sets the style of exported pictures, of which a program may change parts. */
void
cured_plot_style_init (CuredPlotStyle *self, gboolean dark)
{
  *self = (CuredPlotStyle){
    .background = dark ? (CuredColour){ 0.118, 0.118, 0.118 } : (CuredColour){ 1, 1, 1 },
    .foreground = dark ? (CuredColour){ 0.93, 0.93, 0.93 } : (CuredColour){ 0.13, 0.13, 0.13 },
    .dim = dark ? (CuredColour){ 0.66, 0.66, 0.66 } : (CuredColour){ 0.38, 0.38, 0.38 },
    .accent = dark ? (CuredColour){ 0.47, 0.68, 0.93 } : (CuredColour){ 0.11, 0.44, 0.85 },
    .font = "Sans 10",
    .draw_background = TRUE,
    .vector = FALSE,
    .draw_cells = TRUE,
    .draw_marginals = TRUE,
    .draw_keys = TRUE,
  };
}

void
_cured_plot_set_colour (cairo_t *cr, CuredColour colour, double alpha)
{
  cairo_set_source_rgba (cr, colour.red, colour.green, colour.blue, alpha);
}

CuredColour
_cured_plot_mix (CuredColour a, CuredColour b, double of_b)
{
  return (CuredColour){
    a.red + (b.red - a.red) * of_b,
    a.green + (b.green - a.green) * of_b,
    a.blue + (b.blue - a.blue) * of_b,
  };
}

static double
decode (double c)
{
  return c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4);
}

/* CIE lightness, 0 … 100. */
static double
get_lightness (CuredColour colour)
{
  double y =
      0.2126 * decode (colour.red) + 0.7152 * decode (colour.green) + 0.0722 * decode (colour.blue);

  return y > 216.0 / 24389.0 ? 116 * cbrt (y) - 16 : y * 24389.0 / 27.0;
}

/* Whether black is easier to read on @colour than white: at the threshold, both have a contrast of
 * 4.3. */
gboolean
_cured_plot_is_light (CuredColour colour)
{
  return get_lightness (colour) > 51;
}

CuredColour
_cured_plot_warning_colour (const CuredPlotStyle *style)
{
  return _cured_plot_is_light (style->background) ? (CuredColour){ 0.75, 0.11, 0.16 }
                                                  : (CuredColour){ 1.0, 0.48, 0.39 };
}

void
_cured_plot_add_rect (cairo_t *cr, const CuredRect *rect)
{
  cairo_rectangle (cr, rect->x, rect->y, rect->width, rect->height);
}

void
_cured_plot_add_line (cairo_t *cr, double x1, double y1, double x2, double y2)
{
  cairo_move_to (cr, x1, y1);
  cairo_line_to (cr, x2, y2);
}

void
_cured_plot_add_triangle (cairo_t *cr, double x1, double y1, double x2, double y2, double x3,
                          double y3)
{
  _cured_plot_add_line (cr, x1, y1, x2, y2);
  cairo_line_to (cr, x3, y3);
  cairo_close_path (cr);
}

void
_cured_plot_fill (cairo_t *cr, CuredColour colour, double alpha)
{
  _cured_plot_set_colour (cr, colour, alpha);
  cairo_fill (cr);
}

void
_cured_plot_fill_rect (cairo_t *cr, const CuredRect *rect, CuredColour colour, double alpha)
{
  _cured_plot_add_rect (cr, rect);
  _cured_plot_fill (cr, colour, alpha);
}

void
_cured_plot_stroke (cairo_t *cr, CuredColour colour, double alpha, double line_width)
{
  cairo_set_line_width (cr, line_width);
  _cured_plot_set_colour (cr, colour, alpha);
  cairo_stroke (cr);
}

/* Until cairo_restore(). */
void
_cured_plot_begin_clip (cairo_t *cr, const CuredRect *rect)
{
  cairo_save (cr);
  _cured_plot_add_rect (cr, rect);
  cairo_clip (cr);
}

/* White with a dark edge, to contrast with every colour and background. */
void
_cured_plot_draw_star (cairo_t *cr, const CuredPlotStyle *style, double x, double y, double radius)
{
  cairo_save (cr);
  cairo_new_path (cr);
  for (int i = 0; i < 10; i++)
    {
      double r = i % 2 == 0 ? radius : radius * 0.45, angle = G_PI * (i / 5.0 - 0.5);

      cairo_line_to (cr, x + r * cos (angle), y + r * sin (angle));
    }
  cairo_close_path (cr);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_set_line_width (cr, 2);
  cairo_stroke_preserve (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_fill (cr);
  cairo_restore (cr);
}

/* Diagonals over the clipped area, continuous across the whole drawing. */
void
_cured_plot_draw_hatch (cairo_t *cr, const CuredPlotStyle *style)
{
  double x1, y1, x2, y2;

  cairo_clip_extents (cr, &x1, &y1, &x2, &y2);
  for (double sum = ceil ((x1 + y1) / HATCH_SPACING) * HATCH_SPACING; sum < x2 + y2;
       sum += HATCH_SPACING)
    {
      cairo_move_to (cr, sum - y1, y1);
      cairo_line_to (cr, sum - y2, y2);
    }
  _cured_plot_set_colour (cr, style->foreground, 0.35);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

void
_cured_plot_hatch_rect (cairo_t *cr, const CuredPlotStyle *style, const CuredRect *rect)
{
  _cured_plot_begin_clip (cr, rect);
  _cured_plot_draw_hatch (cr, style);
  cairo_restore (cr);
}
