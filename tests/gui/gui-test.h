/* SPDX-License-Identifier: MIT
 * What the tests of the window share: the application, waiting, keys. */
#pragma once

#include <adwaita.h>

#include "app/cured-application.h"
#include "app/cured-window.h"

/* Results of made-up numbers lie in a folder of the test's own: small.cured, sizes.cured (three
 * axes), line.cured (one), states.cured (all states). */
extern GtkApplication *application;

/* Ten times what a slow machine takes. */
#define PATIENCE_S 600

typedef gboolean (*Condition) (gpointer data);

/* begin() first in main(), then g_test_add_func(), then
 * return run_and_end(). */
void begin (int *argc, char ***argv);
int run_and_end (void);

/* What follows from something that a thread, a process or the X server does is waited for, never
 * looked at after a while: how long it takes depends on the machine. Evaluates @condition again and
 * again until it holds; after PATIENCE_S, @otherwise fails. */
#define UNTIL(condition, otherwise)                                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    gint64 until_us = g_get_monotonic_time () + PATIENCE_S * (gint64) G_USEC_PER_SEC;              \
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

/* So GLib's own wait, too: nothing in a window is there at once. */
#undef g_assert_true
#undef g_assert_false
#undef g_assert_null
#undef g_assert_nonnull
#undef g_assert_cmpint
#undef g_assert_cmpuint
#undef g_assert_cmpfloat
#undef g_assert_cmpstr
#define g_assert_true(condition)    assert_soon (condition)
#define g_assert_false(condition)   assert_soon (!(condition))
#define g_assert_null(pointer)      assert_soon ((pointer) == NULL)
#define g_assert_nonnull(pointer)   assert_soon ((pointer) != NULL)
#define g_assert_cmpint(a, op, b)   UNTIL_NUMBER (gint64, 'i', a, op, b)
#define g_assert_cmpuint(a, op, b)  UNTIL_NUMBER (guint64, 'i', a, op, b)
#define g_assert_cmpfloat(a, op, b) UNTIL_NUMBER (double, 'f', a, op, b)
#define g_assert_cmpstr(a, op, b)                                                                  \
  UNTIL (g_strcmp0 (a, b) op 0,                                                                    \
         g_assertion_message_cmpstr (G_LOG_DOMAIN, __FILE__, __LINE__, G_STRFUNC,                  \
                                     #a " " #op " " #b, a, #op, b))

gboolean need_compiler (void);
void pause_ms (guint ms);
void settle (void);
gboolean wait_for (Condition condition, gpointer data);
const char *get_shown (gpointer window);
CuredResultPage *get_page (gpointer window);
CuredSweep *get_sweep (gpointer window);
const char *get_error (gpointer window);
gboolean is_loaded (gpointer data);
gboolean is_set (gpointer data);
gboolean is_mapped (gpointer data);
gboolean is_unmapped (gpointer data);
void set_cb (gboolean *flag);
GtkWidget *find (GtkWidget *root, const char *id);
GtkWidget *get (gpointer root, const char *id);
GtkWidget *wait_for_view (CuredWindow *window, const char *name);
guint count_rows (GtkWidget *list);
void xdotool (const char *words);
void press (const char *keys);
void move_pointer_to (GtkWidget *widget, double x, double y);
void shoot (const char *name);
char *in_folder (const char *name);
CuredWindow *open_path (const char *path);
CuredWindow *open_result (const char *name);
CuredMapView *get_view (CuredWindow *window);
void close_window (gpointer window);
GtkWindow *find_dialog (GType type);
GtkWindow *wait_for_dialog (GType type);
