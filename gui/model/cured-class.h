/* SPDX-License-Identifier: MIT
 * Declares a class's signals, properties, owned fields and timers in a line each. */
#pragma once

#include "cured.h"

typedef enum
{
  CURED_OWNED_OBJECT, /* dropped in dispose(), and heard no more */
  CURED_OWNED_TIMER,  /* removed in dispose() */
  CURED_OWNED_MEMORY, /* freed in finalize() */
} CuredOwned;

typedef void (*CuredCallFunc) (gpointer self);
typedef gboolean (*CuredIsFunc) (gpointer self);
typedef void (*CuredSetFunc) (gpointer self, const GValue *value);

void cured_class_own (gpointer klass, CuredOwned kind, gsize offset, GDestroyNotify drop);
void cured_class_add_signal (gpointer klass, const char *name, guint n_types, ...);
void cured_class_add_property (gpointer klass, const char *name, GType type, gsize offset,
                               CuredIsFunc is, CuredSetFunc set);
void cured_class_call_later (gpointer self, guint *id, guint delay_ms, CuredCallFunc call);
void cured_class_drop (GObject *object);
void cured_set_string (char **field, const char *text);
void cured_class_dispose (GObject *object);
void cured_class_finalize (GObject *object);

/* Defines a final class whose instances begin as zeros. */
#define CURED_DEFINE_PLAIN_TYPE(Type, prefix, PARENT)                                              \
  G_DEFINE_FINAL_TYPE (Type, prefix, PARENT)                                                       \
  static void prefix##_init (Type *self) {}

/* Defines prefix_new (). */
#define CURED_DEFINE_NEW(Type, prefix)                                                             \
  Type *prefix##_new (void) { return g_object_new (prefix##_get_type (), NULL); }

/* clang-format off */
/* Does macro (Type, argument, name) for up to eight names. */
#define CURED_MAP(macro, Type, arg, ...)                                                           \
  CURED_MAP_PICK (__VA_ARGS__, CURED_MAP_8, CURED_MAP_7, CURED_MAP_6, CURED_MAP_5, CURED_MAP_4,    \
                  CURED_MAP_3, CURED_MAP_2, CURED_MAP_1, 0) (macro, Type, arg, __VA_ARGS__)
#define CURED_MAP_PICK(a, b, c, d, e, f, g, h, macro, ...) macro
#define CURED_MAP_1(m, T, x, a) m (T, x, a)
#define CURED_MAP_2(m, T, x, a, ...) m (T, x, a); CURED_MAP_1 (m, T, x, __VA_ARGS__)
#define CURED_MAP_3(m, T, x, a, ...) m (T, x, a); CURED_MAP_2 (m, T, x, __VA_ARGS__)
#define CURED_MAP_4(m, T, x, a, ...) m (T, x, a); CURED_MAP_3 (m, T, x, __VA_ARGS__)
#define CURED_MAP_5(m, T, x, a, ...) m (T, x, a); CURED_MAP_4 (m, T, x, __VA_ARGS__)
#define CURED_MAP_6(m, T, x, a, ...) m (T, x, a); CURED_MAP_5 (m, T, x, __VA_ARGS__)
#define CURED_MAP_7(m, T, x, a, ...) m (T, x, a); CURED_MAP_6 (m, T, x, __VA_ARGS__)
#define CURED_MAP_8(m, T, x, a, ...) m (T, x, a); CURED_MAP_7 (m, T, x, __VA_ARGS__)
/* clang-format on */

/* In class_init() of a final class: fields that own an object, a timer, or memory freed by @free. */
#define CURED_OWNS(Type, ...)        CURED_MAP (CURED_OWNS_OBJECT, Type, 0, __VA_ARGS__)
#define CURED_TIMERS(Type, ...)      CURED_MAP (CURED_OWNS_TIMER, Type, 0, __VA_ARGS__)
#define CURED_FREES(Type, free, ...) CURED_MAP (CURED_OWNS_MEMORY, Type, free, __VA_ARGS__)
#define CURED_OWNS_OBJECT(Type, x, name)                                                           \
  cured_class_own (klass, CURED_OWNED_OBJECT, G_STRUCT_OFFSET (Type, name), g_object_unref)
#define CURED_OWNS_TIMER(Type, x, name)                                                            \
  cured_class_own (klass, CURED_OWNED_TIMER, G_STRUCT_OFFSET (Type, name), NULL)
#define CURED_OWNS_MEMORY(Type, free, name)                                                        \
  cured_class_own (klass, CURED_OWNED_MEMORY, G_STRUCT_OFFSET (Type, name), (GDestroyNotify) free)

/* In class_init(): a property read from a field, or a flag read by a function. @set (nullable) sets
 * it; g_object_notify() announces a change. */
#define CURED_PROPERTY(Type, name, TYPE, field, set)                                               \
  cured_class_add_property (klass, name, TYPE, G_STRUCT_OFFSET (Type, field), NULL,                \
                            (CuredSetFunc) set)
#define CURED_FLAG(name, is)                                                                       \
  cured_class_add_property (klass, name, G_TYPE_BOOLEAN, 0, (CuredIsFunc) is, NULL)

/* Calls @function (self) once, after @delay_ms, or when idle where that is 0. @field of self is the
 * source until then; it replaces a call that is still to come. */
#define CURED_LATER(field, delay_ms, function)                                                     \
  cured_class_call_later (self, &self->field, delay_ms, (CuredCallFunc) function)

/* Connects @callback, with self as its first argument, until one of the two objects goes. */
#define CURED_CONNECT(instance, signal, callback)                                                  \
  g_signal_connect_object (instance, signal, G_CALLBACK (callback), self, G_CONNECT_SWAPPED)
