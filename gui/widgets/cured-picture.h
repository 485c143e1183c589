/* SPDX-License-Identifier: MIT
 * What the pictures of a window have in common. */
#pragma once

#include <gtk/gtk.h>

#include "cured-plot.h"

G_BEGIN_DECLS

#define CURED_TYPE_PICTURE (cured_picture_get_type ())
/**
 * CuredPicture:
 *
 * A widget that is drawn with a #CuredPlotStyle, which follows the desktop's text size and its
 * light or dark; that knows what is under the pointer; and that takes the keys where it is pressed.
 * Signals, of those that a player goes with: `step` (int by): a key asks for another step; `play`:
 * the space key.
 */
G_DECLARE_DERIVABLE_TYPE (CuredPicture, cured_picture, CURED, PICTURE, GtkWidget)

/**
 * CuredPictureClass:
 * @text_scale: of the style's text, to that of labels beside it; 1 at first
 * @draw: draws all of it
 * @pick: (nullable): the number of what is somewhere; -1: of nothing
 * @hovered: (nullable): something else is under the pointer; it is drawn anew in
 *   any case
 * @pressed: (nullable): it was pressed, @n_press times, and has the keys now; what
 *   is there is under the pointer already
 */
struct _CuredPictureClass
{
  GtkWidgetClass parent_class;

  double text_scale;
  void (*draw) (CuredPicture *self, cairo_t *cr, const CuredPlotStyle *style, double width,
                double height);
  gssize (*pick) (CuredPicture *self, double x, double y);
  void (*hovered) (CuredPicture *self);
  void (*pressed) (CuredPicture *self, int n_press, double x, double y);
};

const CuredPlotStyle *cured_picture_get_style (CuredPicture *self);
gssize cured_picture_get_hovered (CuredPicture *self);
void cured_picture_forget_hovered (CuredPicture *self);
void cured_picture_reveal (CuredPicture *self, const CuredRect *rect);
void cured_picture_step (CuredPicture *self, int by);
void cured_picture_class_bind_step (CuredPictureClass *klass, guint key, GdkModifierType modifiers,
                                    int by);
void cured_picture_class_bind_play (CuredPictureClass *klass);

G_END_DECLS
