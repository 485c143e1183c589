/* SPDX-License-Identifier: MIT
 * The best cells of several files, or one cell in all of them, as a line. */
#pragma once

#include <adwaita.h>

#include "cured.h"

#define CURED_TYPE_HISTORY_WINDOW (cured_history_window_get_type ())
/* Signal: `open-file` (GFile): a person wants to see the file of a point. */
G_DECLARE_FINAL_TYPE (CuredHistoryWindow, cured_history_window, CURED, HISTORY_WINDOW, AdwWindow)

CuredHistoryWindow *cured_history_window_new (GtkWindow *parent, const char *const *paths,
                                              CuredResult *like, gint64 cell);
