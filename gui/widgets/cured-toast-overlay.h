/* SPDX-License-Identifier: MIT
 * Short messages over what is shown, one at a time. */
#pragma once

#include <gtk/gtk.h>

#define CURED_TYPE_TOAST_OVERLAY (cured_toast_overlay_get_type ())
/* Its `child`, and over it the last message for a while: a new one replaces the old one at once.
 * Escape dismisses it.
 *
 * AdwToastOverlay of libadwaita 1.2 ends the program where a toast comes, or goes, while another
 * one still moves. */
G_DECLARE_FINAL_TYPE (CuredToastOverlay, cured_toast_overlay, CURED, TOAST_OVERLAY, GtkWidget)

/* Called when the button of a message is clicked. @self: where the message was shown; @data: what
 * was given along */
typedef void (*CuredToastFunc) (CuredToastOverlay *self, gpointer data);

void cured_toast_overlay_show (CuredToastOverlay *self, const char *text);
void cured_toast_overlay_offer (CuredToastOverlay *self, const char *text, const char *label,
                                CuredToastFunc func, gpointer data, GDestroyNotify free_data);
const char *cured_toast_overlay_get_text (CuredToastOverlay *self);
