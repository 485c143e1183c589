/* SPDX-License-Identifier: MIT
 * What the tests of the window share: the application, waiting, keys. */
#pragma once

#include <adwaita.h>

#include "app/cured-gui-app.h"
#include "soon.h"
#include "test-compiled.h"
#include "test.h"

/* Results of made-up numbers, in a folder of the test's own: small.cured, sizes.cured (three axes),
 * line.cured (one), states.cured (all states). */
extern GtkApplication *application;

/* Windows that a test leaves open are closed, and have to go. */
#undef TEST
#define TEST(path)                                                                                 \
  TEST_NAMED (G_PASTE (test_, __LINE__), G_PASTE (declare_, __LINE__), (void), path, 0, NULL,      \
              close_windows)

typedef gboolean (*Condition) (gpointer data);

/* What gui-main.c does; run_and_end() removes what begin() made. */
void begin (int *argc, char ***argv);
int run_and_end (void);

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
CuredWindow *open_recorded (const char *name);
gboolean is_over (gpointer data);
gboolean shows (gpointer page, const char *name);
int get_least_width (gpointer widget);
CuredWindow *open_result (const char *name);
CuredMapView *get_view (CuredWindow *window);
void close_window (gpointer window);
void close_windows (gpointer fixture, gconstpointer data);
GtkWindow *find_dialog (GType type);
GtkWindow *wait_for_dialog (GType type);
