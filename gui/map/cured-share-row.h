/* SPDX-License-Identifier: MIT
 * A row of a list: a name, a bar, a share. */
#pragma once

#include <gtk/gtk.h>

void cured_share_row_add (GtkListBox *list, const char *title, double share, const char *value,
                          gboolean is_main, const char *tooltip, GtkSizeGroup *titles,
                          GtkSizeGroup *values);
