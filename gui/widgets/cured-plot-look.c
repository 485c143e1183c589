/* SPDX-License-Identifier: MIT
 * The look of a plot in a window: its colours and its text. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

#include <math.h>
#include <string.h>

/* Font size of exported pictures, in pixels; sizes in pixels were chosen for it. */
#define USUAL_PIXELS (10.0 * 96.0 / 72.0)

/* Smaller sizes mean that no font is set. */
#define LEAST_PIXELS 4.0

/* Size of the widget's font, in pixels; includes the desktop's text scaling. */
static double
get_pixels (const PangoFontDescription *font)
{
  double size = (double) pango_font_description_get_size (font) / PANGO_SCALE;

  if (!pango_font_description_get_size_is_absolute (font))
    size *= 96.0 / 72.0;
  return size >= LEAST_PIXELS ? size : USUAL_PIXELS;
}

/* Takes the colour scheme from the application and the font from the widget, so that a plot follows
 * the desktop's text size as labels do. To be called when the widget's CSS or the colour scheme
 * changes. @style: (inout): of a plot; initially zeros; @text_scale: size of the plot's text
 * relative to labels. Returns: whether the style changed; if so, its other fields are reset by
 * cured_plot_style_init(), except that `draw_background` is FALSE */
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
  /* The style does not own its font; there are few fonts. */
  next.font = g_intern_string (name);
  next.draw_background = FALSE;
  gboolean is_same = style->font == next.font &&
                     memcmp (&style->background, &next.background, sizeof next.background) == 0;
  if (!is_same)
    *style = next;
  return !is_same;
}
