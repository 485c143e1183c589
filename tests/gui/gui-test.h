/* SPDX-License-Identifier: MIT
 * What the tests of the window share: the application, waiting, keys. */
#pragma once

#include <adwaita.h>

#include "cured-application.h"
#include "cured-window.h"

/* Results of made-up numbers lie in a folder of the test's own: small.cured,
 * sizes.cured (three axes), line.cured (one), states.cured (all states). */
extern GtkApplication *application;

#define PATIENCE_S 30

typedef gboolean (*Condition) (gpointer data);

/* begin() first in main(), then g_test_add_func(), then
 * return run_and_end(). */
void begin (int *argc, char ***argv);
int run_and_end (void);

/* What follows from something that a thread, a process or the X server does is
 * waited for, never looked at after a while: how long it takes depends on the
 * machine. Evaluates its condition again and again. */
#define assert_soon(condition)                                                 \
  G_STMT_START                                                                 \
  {                                                                            \
    gint64 soon_end_us =                                                       \
        g_get_monotonic_time () + PATIENCE_S * (gint64) G_USEC_PER_SEC;        \
                                                                               \
    while (!(condition) && g_get_monotonic_time () < soon_end_us)              \
      pause_ms (5);                                                            \
    g_assert_true (condition);                                                 \
  }                                                                            \
  G_STMT_END

void pause_ms (guint ms);
void settle (void);
gboolean wait_for (Condition condition, gpointer data);
gboolean is_loaded (gpointer data);
gboolean is_set (gpointer data);
gboolean is_mapped (gpointer data);
gboolean is_unmapped (gpointer data);
void set_cb (gboolean *flag);
GtkWidget *find (GtkWidget *root, const char *id);
GtkWidget *get (gpointer root, const char *id);
guint count_rows (GtkWidget *list);
void press (const char *keys);
void shoot (const char *name);
char *in_folder (const char *name);
CuredWindow *open_path (const char *path);
CuredWindow *open_result (const char *name);
void close_window (gpointer window);
GtkWindow *find_dialog (GType type);
GtkWindow *wait_for_dialog (GType type);
