/* SPDX-License-Identifier: MIT
 * Items of the drop-downs: a title, what it means, perhaps a picture. */
#pragma once

#include <gtk/gtk.h>

#define CURED_TYPE_CHOICE (cured_choice_get_type ())
G_DECLARE_FINAL_TYPE (CuredChoice, cured_choice, CURED, CHOICE, GObject)

CuredChoice *cured_choice_new (gsize index, const char *title, const char *detail,
                               const char *tooltip, GdkPaintable *picture);
gsize cured_choice_get_index (CuredChoice *self);
const char *cured_choice_get_title (CuredChoice *self);

void cured_choice_add (GListStore *choices, gsize index, const char *title, const char *detail,
                       const char *tooltip);
void cured_choice_connect (GtkDropDown *drop_down, GCallback chosen_cb, gpointer data);
void cured_choice_bind (GtkDropDown *drop_down, gpointer object, const char *property);
void cured_choice_fill (GtkDropDown *drop_down, GListStore *choices, gsize selected);
gboolean cured_choice_get_selected (GtkDropDown *drop_down, gsize *index);
void cured_choice_set_selected (GtkDropDown *drop_down, gsize index);
