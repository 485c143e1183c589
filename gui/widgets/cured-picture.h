/* SPDX-License-Identifier: MIT
 * A chart of any kind on screen. */
#pragma once

#include <gtk/gtk.h>

#include "cured-plot.h"

#define CURED_TYPE_PICTURE (cured_picture_get_type ())
/* Shows a #CuredChart of any kind, with its pointer, keys, scrolling and description; follows the
 * desktop's text size, and its light or dark. Properties: `hint`: what the keys do, for screen
 * readers; `text-scale`: of the text, to that of labels beside it. Signals: `pointed`: another item
 * is under the pointer or marked, or the chart is another one; `marked`: a person marked another
 * item; `activated`: a person wants to go to the marked item; `step` (int by), `play`: a person
 * asks a player for it. */
G_DECLARE_FINAL_TYPE (CuredPicture, cured_picture, CURED, PICTURE, GtkWidget)

void cured_picture_set_chart (CuredPicture *self, CuredChart *chart, gssize item);
CuredChart *cured_picture_get_chart (CuredPicture *self);
void cured_picture_set_item (CuredPicture *self, gssize item);
gssize cured_picture_get_item (CuredPicture *self);
gssize cured_picture_get_pointed (CuredPicture *self);
void cured_picture_set_step (CuredPicture *self, gssize step, gssize item);
gssize cured_picture_get_step (CuredPicture *self);
char *cured_picture_get_read_out (CuredPicture *self);
void cured_picture_set_tooltips (CuredPicture *self, GStrv tooltips);
