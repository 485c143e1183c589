/* SPDX-License-Identifier: MIT
 * File choosers that may be closed at any time. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void cured_chooser_show (GtkFileChooserNative *chooser);
void cured_chooser_clear (GtkFileChooserNative **chooser);

G_END_DECLS
