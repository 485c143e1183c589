/* SPDX-License-Identifier: MIT
 * Makes and changes widgets in a line each. */
#pragma once

#include <adwaita.h>

#include "model/cured-class.h"

GtkWidget *cured_widget_new (GType type, const char *classes, const char *first,
                             ...) G_GNUC_NULL_TERMINATED;
GtkWidget *cured_widget_new_row (const char *title, const char *subtitle, int subtitle_lines);
void cured_widget_lead_on (gpointer row);
GtkWidget *cured_widget_add_row (gpointer list, int spacing, const char *name, const char *tooltip);
void cured_widget_empty (gpointer widget);
void cured_widget_name (gpointer widget, const char *name, const char *description);
void cured_widget_set_class (gpointer widget, const char *css_class, gboolean is_set);
void cured_widget_say (gpointer label, const char *text);
void cured_widget_cut (gpointer label);
void cured_widget_cut_long (gpointer label, int n_characters);
gboolean cured_widget_may_focus (gpointer widget, GtkWidget *before);

/* Appends up to eight children to a box. */
#define CURED_APPEND(box, ...)                                                                     \
  do                                                                                               \
    {                                                                                              \
      GtkBox *box_of_children = GTK_BOX (box);                                                     \
      CURED_MAP (CURED_APPEND_CHILD, box_of_children, 0, __VA_ARGS__);                             \
    }                                                                                              \
  while (0)
#define CURED_APPEND_CHILD(box, x, child) gtk_box_append (box, GTK_WIDGET (child))
