/* SPDX-License-Identifier: MIT
 * Macros that declare in a line what a struct frees, and its getters. */
#pragma once

#include <glib.h>

/* (transfer full): a struct, for g_free (); other members are 0: CURED_NEW (Item, .name = g_strdup
 * (name), .count = 1) */
#define CURED_NEW(Type, ...) ((Type *) g_memdup2 (&(Type){ __VA_ARGS__ }, sizeof (Type)))

/* Each member is followed by the function that frees it: CURED_FREE_FUNC (Item, item_free, name,
 * g_free, values, g_array_unref) defines a static function for a #GDestroyNotify, which frees a
 * struct and up to twelve of its members. The struct and its members may be NULL. */
#define CURED_FREE_FUNC(Type, name, ...)                                                           \
  static void name (gpointer data)                                                                 \
  {                                                                                                \
    Type *self = data;                                                                             \
    if (self != NULL)                                                                              \
      {                                                                                            \
        CURED_CLEAR (__VA_ARGS__);                                                                 \
      }                                                                                            \
    g_free (self);                                                                                 \
  }

/* Likewise, for a struct that is part of another one: the members become NULL. */
#define CURED_CLEAR_FUNC(Type, name, ...)                                                          \
  static void name (gpointer data)                                                                 \
  {                                                                                                \
    Type *self = data;                                                                             \
    CURED_CLEAR (__VA_ARGS__);                                                                     \
  }

/* Public versions of both, with a prototype in a header. */
#define CURED_DEFINE_FREE(Type, name, ...)                                                         \
  void name (Type *self)                                                                           \
  {                                                                                                \
    if (self != NULL)                                                                              \
      {                                                                                            \
        CURED_CLEAR (__VA_ARGS__);                                                                 \
      }                                                                                            \
    g_free (self);                                                                                 \
  }
#define CURED_DEFINE_CLEAR(Type, name, ...)                                                        \
  void name (Type *self) { CURED_CLEAR (__VA_ARGS__); }

/* Defines prefix_ref () and prefix_unref () of a struct made by g_atomic_rc_box_new0(); @clear clears
 * its members in the end. unref () of NULL does nothing. */
#define CURED_DEFINE_RC(Type, prefix, clear)                                                       \
  Type *prefix##_ref (Type *self) { return g_atomic_rc_box_acquire (self); }                       \
  void prefix##_unref (Type *self)                                                                 \
  {                                                                                                \
    if (self != NULL)                                                                              \
      g_atomic_rc_box_release_full (self, (GDestroyNotify) clear);                                 \
  }

/* Defines a getter @name of a member, without a reference for the caller. */
#define CURED_GETTER(Returns, name, Type, member)                                                  \
  Returns name (Type *self) { return self->member; }

/* Defines a #GCompareFunc of structs, by one to three of their members: the first that differs. */
#define CURED_COMPARE_FUNC(Type, name, ...)                                                        \
  static int name (gconstpointer a, gconstpointer b)                                               \
  {                                                                                                \
    const Type *x = a, *y = b;                                                                     \
    return CURED_COMPARE_PICK (__VA_ARGS__, 3, 2, 1) (__VA_ARGS__);                                \
  }
#define CURED_COMPARE_PICK(a, b, c, count, ...) CURED_COMPARE_##count
#define CURED_COMPARE_1(k)                      (x->k > y->k) - (x->k < y->k)
#define CURED_COMPARE_2(k, ...)                 x->k != y->k ? CURED_COMPARE_1 (k) : CURED_COMPARE_1 (__VA_ARGS__)
#define CURED_COMPARE_3(k, ...)                 x->k != y->k ? CURED_COMPARE_1 (k) : CURED_COMPARE_2 (__VA_ARGS__)

/* In other functions: frees up to twelve members of @self, which become NULL. */
/* clang-format off */
#define CURED_CLEAR(...)                                                                           \
  CURED_CLEAR_PICK (__VA_ARGS__, 12, _, 11, _, 10, _, 9, _, 8, _, 7, _, 6, _, 5, _, 4, _, 3, _, 2, \
                    _, 1, _) (__VA_ARGS__)
#define CURED_CLEAR_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x,   \
                         count, ...) CURED_CLEAR_##count
#define CURED_CLEAR_1(a, f)       g_clear_pointer (&self->a, f)
#define CURED_CLEAR_2(a, f, ...)  CURED_CLEAR_1 (a, f); CURED_CLEAR_1 (__VA_ARGS__)
#define CURED_CLEAR_3(a, f, ...)  CURED_CLEAR_1 (a, f); CURED_CLEAR_2 (__VA_ARGS__)
#define CURED_CLEAR_4(a, f, ...)  CURED_CLEAR_1 (a, f); CURED_CLEAR_3 (__VA_ARGS__)
#define CURED_CLEAR_5(a, f, ...)  CURED_CLEAR_1 (a, f); CURED_CLEAR_4 (__VA_ARGS__)
#define CURED_CLEAR_6(a, f, ...)  CURED_CLEAR_1 (a, f); CURED_CLEAR_5 (__VA_ARGS__)
#define CURED_CLEAR_7(a, f, ...)  CURED_CLEAR_1 (a, f); CURED_CLEAR_6 (__VA_ARGS__)
#define CURED_CLEAR_8(a, f, ...)  CURED_CLEAR_1 (a, f); CURED_CLEAR_7 (__VA_ARGS__)
#define CURED_CLEAR_9(a, f, ...)  CURED_CLEAR_1 (a, f); CURED_CLEAR_8 (__VA_ARGS__)
#define CURED_CLEAR_10(a, f, ...) CURED_CLEAR_1 (a, f); CURED_CLEAR_9 (__VA_ARGS__)
#define CURED_CLEAR_11(a, f, ...) CURED_CLEAR_1 (a, f); CURED_CLEAR_10 (__VA_ARGS__)
#define CURED_CLEAR_12(a, f, ...) CURED_CLEAR_1 (a, f); CURED_CLEAR_11 (__VA_ARGS__)
/* clang-format on */
