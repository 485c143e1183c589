/* SPDX-License-Identifier: MIT
 * The looks of cells without a value, distinguished by shape, not by colour. */
#include "plot/map/cured-map-plot-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The colour of a cell behind its mark, or of one too small for a mark. */
CuredColour
_cured_plot_state_fill (const CuredPlotStyle *style, guint state)
{
  CuredColour back = style->background, front = style->foreground;

  switch (state)
    {
    case CURED_STATE_NOT_LAUNCHABLE:
    case CURED_LOOK_ONLY_THIS:
    case CURED_LOOK_ONLY_OTHER: return _cured_plot_mix (back, front, 0.10);
    case CURED_STATE_WRONG: return _cured_plot_mix (back, _cured_plot_warning_colour (style), 0.40);
    case CURED_STATE_CRASHED:
      return _cured_plot_mix (back, _cured_plot_warning_colour (style), 0.20);
    case CURED_STATE_FAILED: return _cured_plot_mix (back, front, 0.32);
    case CURED_STATE_TIMED_OUT: return _cured_plot_mix (back, front, 0.22);
    case CURED_STATE_NOT_RUN:
    default: return back;
    }
}

/* @state: or a CuredLook. */
const char *
_cured_plot_state_title (guint state)
{
  switch (state)
    {
    case CURED_LOOK_EMPTY: return _ ("no value");
    case CURED_LOOK_ONLY_THIS:
      /* Translators: cells that have a value in one of two files. */
      return _ ("only in this file");
    case CURED_LOOK_ONLY_OTHER:
      /* Translators: cells that have a value in one of two files. */
      return _ ("only in the other file");
    default: return cured_state_get_title ((CuredState) state);
    }
}

/* A triangle in the upper left corner of @rect, dark with a light edge. */
void
_cured_plot_draw_flag (cairo_t *cr, const CuredPlotStyle *style, const CuredRect *rect)
{
  double size = CLAMP (MIN (rect->width, rect->height) * 0.3, 4, 11);

  cairo_save (cr);
  cairo_new_path (cr);
  _cured_plot_add_triangle (cr, rect->x, rect->y, rect->x + size, rect->y, rect->x, rect->y + size);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_set_line_width (cr, 2);
  cairo_stroke_preserve (cr);
  _cured_plot_fill (cr, (CuredColour){ 0.75, 0.1, 0.1 }, 1);
  cairo_restore (cr);
}

/* A corner like that of a folded sheet: the cell has a note. White in black is visible on any
 * colour, and beside a frame around the cell. */
void
_cured_plot_draw_note (cairo_t *cr, const CuredPlotStyle *style, const CuredRect *rect)
{
  double size = CLAMP (MIN (rect->width, rect->height) * 0.3, 4, 12), inset = size > 8 ? 3 : 0;
  double x = rect->x + inset, bottom = rect->y + rect->height - inset;

  cairo_save (cr);
  cairo_new_path (cr);
  _cured_plot_add_triangle (cr, x, bottom, x + size, bottom, x, bottom - size);
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_set_line_width (cr, 2);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke_preserve (cr);
  _cured_plot_fill (cr, (CuredColour){ 1, 1, 1 }, 1);
  cairo_restore (cr);
}

/* Draws only the mark, in the middle of @rect; cells that can't be launched are hatched as one
 * area, see _cured_plot_draw_hatch(). */
void
_cured_plot_draw_state_mark (cairo_t *cr, const CuredPlotStyle *style, guint state,
                             const CuredRect *rect)
{
  double x = rect->x + rect->width / 2, y = rect->y + rect->height / 2;
  double r = CLAMP (MIN (rect->width, rect->height) * 0.28, 1.5, 7);

  cairo_save (cr);
  cairo_new_path (cr);
  cairo_set_line_width (cr, CLAMP (r / 3, 1, 2));
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  switch (state)
    {
    case CURED_STATE_NOT_RUN:
      /* An outline, for the colour to come. */
      cairo_rectangle (cr, round (rect->x) + 0.5, round (rect->y) + 0.5,
                       MAX (round (rect->width) - 2, 1), MAX (round (rect->height) - 2, 1));
      _cured_plot_stroke (cr, style->dim, 0.45, 1);
      break;
    case CURED_STATE_WRONG:
      _cured_plot_set_colour (cr, _cured_plot_warning_colour (style), 1);
      cairo_set_line_width (cr, CLAMP (r / 2.5, 1, 2.5));
      _cured_plot_add_line (cr, x - r * 0.8, y - r * 0.8, x + r * 0.8, y + r * 0.8);
      _cured_plot_add_line (cr, x - r * 0.8, y + r * 0.8, x + r * 0.8, y - r * 0.8);
      cairo_stroke (cr);
      break;
    case CURED_STATE_FAILED:
      /* No entry. */
      _cured_plot_set_colour (cr, style->foreground, 0.9);
      cairo_new_sub_path (cr);
      cairo_arc (cr, x, y, r, 0, 2 * G_PI);
      _cured_plot_add_line (cr, x - r * 0.55, y, x + r * 0.55, y);
      cairo_stroke (cr);
      break;
    case CURED_STATE_CRASHED:
      /* A flash. */
      _cured_plot_set_colour (cr, _cured_plot_warning_colour (style), 1);
      cairo_move_to (cr, x + r * 0.35, y - r);
      cairo_line_to (cr, x - r * 0.55, y + r * 0.15);
      cairo_line_to (cr, x + r * 0.55, y - r * 0.15);
      cairo_line_to (cr, x - r * 0.35, y + r);
      cairo_stroke (cr);
      break;
    case CURED_STATE_TIMED_OUT:
      /* A clock. */
      _cured_plot_set_colour (cr, style->foreground, 0.9);
      cairo_new_sub_path (cr);
      cairo_arc (cr, x, y, r, 0, 2 * G_PI);
      cairo_move_to (cr, x, y - r * 0.6);
      cairo_line_to (cr, x, y);
      cairo_line_to (cr, x + r * 0.45, y + r * 0.25);
      cairo_stroke (cr);
      break;
    case CURED_LOOK_ONLY_THIS:
    case CURED_LOOK_ONLY_OTHER:
      /* Minus and plus: cells that the other file lost and gained. */
      _cured_plot_set_colour (cr, style->foreground, 0.8);
      cairo_move_to (cr, x - r * 0.7, y);
      cairo_line_to (cr, x + r * 0.7, y);
      if (state == CURED_LOOK_ONLY_OTHER)
        _cured_plot_add_line (cr, x, y - r * 0.7, x, y + r * 0.7);
      cairo_stroke (cr);
      break;
    case CURED_STATE_NOT_LAUNCHABLE:
    case CURED_STATE_OK: break;
    default:
      _cured_plot_set_colour (cr, style->dim, 0.8);
      cairo_arc (cr, x, y, MIN (r / 2, 2), 0, 2 * G_PI);
      cairo_fill (cr);
      break;
    }
  cairo_restore (cr);
}

/* Black beside white, of which one is visible on any colour. */
void
_cured_plot_stroke_contour (cairo_t *cr)
{
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width (cr, 3);
  cairo_set_source_rgba (cr, 1, 1, 1, 0.85);
  cairo_stroke_preserve (cr);
  cairo_set_line_width (cr, 1.2);
  cairo_set_source_rgb (cr, 0.05, 0.05, 0.05);
  cairo_stroke (cr);
}
