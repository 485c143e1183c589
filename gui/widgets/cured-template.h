/* SPDX-License-Identifier: MIT
 * Widgets with a template. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void cured_template_set (gpointer klass, const char *name);
void cured_template_dispose (GObject *object);

/* clang-format off */
/* Binds up to eight children of the template of @widget_class. */
#define CURED_BIND(Type, ...)                                                                      \
  CURED_BIND_COUNTED (__VA_ARGS__, CURED_BIND_8, CURED_BIND_7, CURED_BIND_6, CURED_BIND_5,         \
                      CURED_BIND_4, CURED_BIND_3, CURED_BIND_2, CURED_BIND_1, 0) (Type, __VA_ARGS__)
#define CURED_BIND_COUNTED(a, b, c, d, e, f, g, h, macro, ...) macro
#define CURED_BIND_1(Type, a) gtk_widget_class_bind_template_child (widget_class, Type, a)
#define CURED_BIND_2(Type, a, ...) CURED_BIND_1 (Type, a); CURED_BIND_1 (Type, __VA_ARGS__)
#define CURED_BIND_3(Type, a, ...) CURED_BIND_1 (Type, a); CURED_BIND_2 (Type, __VA_ARGS__)
#define CURED_BIND_4(Type, a, ...) CURED_BIND_1 (Type, a); CURED_BIND_3 (Type, __VA_ARGS__)
#define CURED_BIND_5(Type, a, ...) CURED_BIND_1 (Type, a); CURED_BIND_4 (Type, __VA_ARGS__)
#define CURED_BIND_6(Type, a, ...) CURED_BIND_1 (Type, a); CURED_BIND_5 (Type, __VA_ARGS__)
#define CURED_BIND_7(Type, a, ...) CURED_BIND_1 (Type, a); CURED_BIND_6 (Type, __VA_ARGS__)
#define CURED_BIND_8(Type, a, ...) CURED_BIND_1 (Type, a); CURED_BIND_7 (Type, __VA_ARGS__)
/* clang-format on */

G_END_DECLS
