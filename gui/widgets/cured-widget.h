/* SPDX-License-Identifier: MIT
 * Classes of widgets with a template, and what makes and changes widgets in a line each. */
#pragma once

#include <adwaita.h>

#include "model/cured-class.h"

void cured_template_set (gpointer klass, const char *name);
void cured_template_dispose (GObject *object);
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

/* Defines a final class whose instances begin with the children of their template. */
#define CURED_DEFINE_TEMPLATE_TYPE(Type, prefix, PARENT)                                           \
  G_DEFINE_FINAL_TYPE (Type, prefix, PARENT)                                                       \
  static void prefix##_init (Type *self) { gtk_widget_init_template (GTK_WIDGET (self)); }

/* In class_init(): children of the template, its handlers, and classes of its children. */
#define CURED_BIND(Type, ...) CURED_MAP (CURED_BIND_CHILD, Type, 0, __VA_ARGS__)
#define CURED_CALLBACKS(...)  CURED_MAP (CURED_BIND_CALLBACK, 0, 0, __VA_ARGS__)
#define CURED_NEEDS(...)      CURED_MAP (CURED_ENSURE, 0, 0, __VA_ARGS__)
/* In class_init(): an action of the class, which takes the instance as what it is. */
#define CURED_ACTION(name, parameter, activate)                                                    \
  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), name, parameter,                      \
                                   (GtkWidgetActionActivateFunc) activate)
#define CURED_BIND_CHILD(Type, x, name)                                                            \
  gtk_widget_class_bind_template_child (GTK_WIDGET_CLASS (klass), Type, name)
#define CURED_BIND_CALLBACK(x, y, name)                                                            \
  gtk_widget_class_bind_template_callback (GTK_WIDGET_CLASS (klass), name)
#define CURED_ENSURE(x, y, NAME) g_type_ensure (CURED_TYPE_##NAME)
