/* SPDX-License-Identifier: MIT
 * Where the keys go. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean cured_focus_is_in_use (GtkWidget *widget, GtkWidget *before);

G_END_DECLS
