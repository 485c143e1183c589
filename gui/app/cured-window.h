/* SPDX-License-Identifier: MIT
 * A window: tabs, beside the kernels, under one header bar. */
#pragma once

#include "app/cured-tab.h"

#define CURED_TYPE_WINDOW (cured_window_get_type ())
/* Signal: `settled`, of any of its tabs. */
G_DECLARE_FINAL_TYPE (CuredWindow, cured_window, CURED, WINDOW, AdwApplicationWindow)

CuredWindow *cured_window_new (GtkApplication *application);
CuredWindow *cured_window_open_somewhere (GtkApplication *application, GFile *file);
CuredTab *cured_window_get_tab (CuredWindow *self);
guint cured_window_get_n_tabs (CuredWindow *self);
