/* SPDX-License-Identifier: MIT
 * Labels that may be too narrow for their text. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void cured_label_cut (GtkLabel *label);
void cured_label_cut_long (GtkLabel *label, int n_characters);

G_END_DECLS
