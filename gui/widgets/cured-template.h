/* SPDX-License-Identifier: MIT
 * Widgets with a template. */
#pragma once

#include <adwaita.h>

#include "model/cured-class.h"

void cured_template_set (gpointer klass, const char *name);
void cured_template_dispose (GObject *object);

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
