/* SPDX-License-Identifier: MIT
 * Waiting for what follows from something that a thread, a process or the X server does. It is
 * never looked at after a while: how long it takes depends on the machine. */
#pragma once

#include <gio/gio.h>

/* 30 s, times CURED_TEST_FACTOR. */
gint64 soon_limit_us (void);
void pause_ms (guint ms);

/* Evaluates @condition again and again, with the main loop between, until it holds; in the end,
 * @otherwise fails. */
#define UNTIL(condition, otherwise)                                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    gint64 until_us = g_get_monotonic_time () + soon_limit_us ();                                  \
                                                                                                   \
    while (!(condition))                                                                           \
      if (g_get_monotonic_time () < until_us)                                                      \
        pause_ms (5);                                                                              \
      else                                                                                         \
        otherwise;                                                                                 \
  }                                                                                                \
  G_STMT_END

#define UNTIL_NUMBER(type, letter, a, op, b)                                                       \
  UNTIL ((type) (a) op (type) (b),                                                                 \
         g_assertion_message_cmpnum (G_LOG_DOMAIN, __FILE__, __LINE__, G_STRFUNC,                  \
                                     #a " " #op " " #b, (long double) (a), #op, (long double) (b), \
                                     letter))

#define assert_soon(condition)                                                                     \
  UNTIL (condition, g_assertion_message (G_LOG_DOMAIN, __FILE__, __LINE__, G_STRFUNC, #condition))
#define assert_soon_not(condition)     assert_soon (!(condition))
#define assert_soon_null(pointer)      assert_soon ((pointer) == NULL)
#define assert_soon_nonnull(pointer)   assert_soon ((pointer) != NULL)
#define assert_soon_cmpint(a, op, b)   UNTIL_NUMBER (gint64, 'i', a, op, b)
#define assert_soon_cmpuint(a, op, b)  UNTIL_NUMBER (guint64, 'i', a, op, b)
#define assert_soon_cmpfloat(a, op, b) UNTIL_NUMBER (double, 'f', a, op, b)
#define assert_soon_cmpstr(a, op, b)                                                               \
  UNTIL (g_strcmp0 (a, b) op 0,                                                                    \
         g_assertion_message_cmpstr (G_LOG_DOMAIN, __FILE__, __LINE__, G_STRFUNC,                  \
                                     #a " " #op " " #b, a, #op, b))
