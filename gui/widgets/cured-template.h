/* SPDX-License-Identifier: MIT
 * Widgets with a template. */
#pragma once

#include <adwaita.h>

#include "model/cured-class.h"

G_BEGIN_DECLS

void cured_template_set (gpointer klass, const char *name);
void cured_template_dispose (GObject *object);

/* In class_init(): children of the template, its handlers, and classes of its children. */
#define CURED_BIND(Type, ...) CURED_MAP (CURED_BIND_CHILD, Type, 0, __VA_ARGS__)
#define CURED_CALLBACKS(...)  CURED_MAP (CURED_BIND_CALLBACK, 0, 0, __VA_ARGS__)
#define CURED_NEEDS(...)      CURED_MAP (CURED_ENSURE, 0, 0, __VA_ARGS__)
#define CURED_BIND_CHILD(Type, x, name)                                                            \
  gtk_widget_class_bind_template_child (GTK_WIDGET_CLASS (klass), Type, name)
#define CURED_BIND_CALLBACK(x, y, name)                                                            \
  gtk_widget_class_bind_template_callback (GTK_WIDGET_CLASS (klass), name)
#define CURED_ENSURE(x, y, NAME) g_type_ensure (CURED_TYPE_##NAME)

G_END_DECLS
