/* SPDX-License-Identifier: MIT
 * The application, its windows and tabs. */
#pragma once

#include "map/cured-gui-map.h"

/* ---- The application: windows, preferences and actions shared by all windows ---- */

#define CURED_TYPE_APPLICATION (cured_application_get_type ())
G_DECLARE_FINAL_TYPE (CuredApplication, cured_application, CURED, APPLICATION, AdwApplication)

CuredApplication *cured_application_new (void);

/* ---- A dialog for the look of an exported picture ---- */

/* Called only if a format was chosen. */
typedef void (*CuredExportChosenFunc) (gpointer owner, const CuredExportFormat *format,
                                       const CuredExportOptions *options);

void cured_export_dialog_show (GtkWindow *parent, const CuredDrawing *drawing,
                               const CuredExportOptions *options, gpointer owner,
                               CuredExportChosenFunc chosen);

/* ---- The short manual: the contents of the window and the meaning of its figures ---- */

#define CURED_TYPE_HELP (cured_help_get_type ())
G_DECLARE_FINAL_TYPE (CuredHelp, cured_help, CURED, HELP, AdwWindow)

CuredHelp *cured_help_new (GtkApplication *application);

/* ---- Preferences: the folder of results, devices, colours, digits ---- */

#define CURED_TYPE_PREFERENCES (cured_preferences_get_type ())
G_DECLARE_FINAL_TYPE (CuredPreferences, cured_preferences, CURED, PREFERENCES, AdwPreferencesWindow)

/* Default number of digits of a figure in the window. */
#define CURED_DIGITS 3

CuredPreferences *cured_preferences_new (GtkWindow *parent);

/* ---- A tab: the start page, a folder, or one result or kernel ---- */

#define CURED_TYPE_TAB (cured_tab_get_type ())
/* Everything of one document: the model, its views, its loader and its sweeps. It may move from one
 * window to another, and does not depend on its window, which handles everything that exists once
 * per window for the selected tab.
 *
 * Signals: `changed`: its names, contents or available actions changed; `settled`: a file was
 * loaded or failed to load, or an export ended; `written` (const char *text, const char *path): an
 * export, which can be shown in its folder; `message` (const char *text), for the user; `open-file`
 * (GFile *): a file was chosen, to be opened in a suitable tab; `compare` (GFile *first, GFile
 * *second): two files were chosen, likewise; `sweep-ready` (CuredSweep *): may start, in another
 * tab; `attention`: something the user waits for has ended, or a question is asked; `closable`:
 * after questions on closing, it may now be closed. */
G_DECLARE_FINAL_TYPE (CuredTab, cured_tab, CURED, TAB, AdwBin)

CuredTab *cured_tab_new (void);
void cured_tab_open (CuredTab *self, GFile *file);
void cured_tab_compare (CuredTab *self, GFile *other);
void cured_tab_run (CuredTab *self, CuredSweep *sweep);
CuredSweep *cured_tab_get_sweep (CuredTab *self);
CuredResultPage *cured_tab_get_page (CuredTab *self);
const char *cured_tab_get_view_name (CuredTab *self);
const char *cured_tab_get_error (CuredTab *self);
char *cured_tab_get_name (CuredTab *self);
gboolean cured_tab_is_busy (CuredTab *self);
void cured_tab_show_start (CuredTab *self);
gboolean cured_tab_may_close (CuredTab *self, gboolean is_again);
void cured_tab_export (CuredTab *self, const CuredExportFormat *format, const char *path);
void cured_tab_print (CuredTab *self, const char *path);

/* ---- A window: tabs and the list of kernels, under one header bar ---- */

#define CURED_TYPE_WINDOW (cured_window_get_type ())
/* Signal: `settled`, from any of its tabs. */
G_DECLARE_FINAL_TYPE (CuredWindow, cured_window, CURED, WINDOW, AdwApplicationWindow)

CuredWindow *cured_window_new (GtkApplication *application);
CuredWindow *cured_window_open_somewhere (GtkApplication *application, GFile *file);
CuredTab *cured_window_get_tab (CuredWindow *self);
guint cured_window_get_n_tabs (CuredWindow *self);
