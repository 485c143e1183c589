/* SPDX-License-Identifier: MIT
 * The look of a plot in a window: its colours and its text. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

#include <math.h>
#include <string.h>

/* Of the font that pictures in files have, in pixels: what sizes that are given in pixels were
 * chosen for. */
#define USUAL_PIXELS (10.0 * 96.0 / 72.0)

/* Of text without a font of its own. */
#define LEAST_PIXELS 4.0

/* Pixels of the widget's font: the desktop's text size is in it. */
static double
get_pixels (const PangoFontDescription *font)
{
  double size = (double) pango_font_description_get_size (font) / PANGO_SCALE;

  if (!pango_font_description_get_size_is_absolute (font))
    size *= 96.0 / 72.0;
  return size >= LEAST_PIXELS ? size : USUAL_PIXELS;
}

/* Takes light or dark from the application, and the font with its size from the widget, so that a
 * plot follows the desktop's text size as labels do. A widget calls it where its own CSS changed
 * and where the application turned dark. @style: (inout): the style of a plot; all zeros at first;
 * @text_scale: of the plot's text, to that of labels beside it. Returns: whether something is
 * others than before; the fields that tell what is drawn, such as `draw_background`, are then as
 * cured_plot_style_init() has them, but for the background, which is the window's */
gboolean
cured_plot_look_update (CuredPlotStyle *style, GtkWidget *widget, double text_scale)
{
  gboolean is_dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  PangoFontDescription *font = pango_font_description_copy (
      pango_context_get_font_description (gtk_widget_get_pango_context (widget)));
  CuredPlotStyle next;

  pango_font_description_set_absolute_size (font,
                                            round (get_pixels (font) * text_scale * PANGO_SCALE));
  g_autofree char *name = pango_font_description_to_string (font);
  pango_font_description_free (font);
  cured_plot_style_init (&next, is_dark);
  /* Fonts are few, and the style does not own its own. */
  next.font = g_intern_string (name);
  next.draw_background = FALSE;
  gboolean is_same = style->font == next.font &&
                     memcmp (&style->background, &next.background, sizeof next.background) == 0;
  if (!is_same)
    *style = next;
  return !is_same;
}
