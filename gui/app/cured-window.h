/* SPDX-License-Identifier: MIT
 * A window: the start page, or one result. */
#pragma once

#include <adwaita.h>

#include "map/cured-result-page.h"
#include "model/cured-sweep.h"

G_BEGIN_DECLS

#define CURED_TYPE_WINDOW (cured_window_get_type ())
/**
 * CuredWindow:
 *
 * Signal: `settled`: a file was loaded, could not be loaded, or an export came
 * to its end.
 */
G_DECLARE_FINAL_TYPE (
    CuredWindow, cured_window, CURED, WINDOW, AdwApplicationWindow)

CuredWindow *cured_window_new (GtkApplication *application);
CuredWindow *cured_window_open_somewhere (GtkApplication *application,
                                          GFile *file);
void cured_window_open (CuredWindow *self, GFile *file);
void cured_window_run (CuredWindow *self, CuredSweep *sweep);
CuredSweep *cured_window_get_sweep (CuredWindow *self);
CuredResultPage *cured_window_get_page (CuredWindow *self);
const char *cured_window_get_view_name (CuredWindow *self);
const char *cured_window_get_error (CuredWindow *self);
void cured_window_export (CuredWindow *self,
                          const CuredExportFormat *format,
                          const char *path);
void cured_window_print (CuredWindow *self, const char *path);

G_END_DECLS
