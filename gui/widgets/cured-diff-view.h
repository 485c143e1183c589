/* SPDX-License-Identifier: MIT
 * A change line by line, below the author's words about it. */
#pragma once

#include <gtk/gtk.h>

#define CURED_TYPE_DIFF_VIEW (cured_diff_view_get_type ())
/* A text to read and to copy. The lines are found by diff(1), in a process of its own; `changed`
 * follows when they are there. */
G_DECLARE_FINAL_TYPE (CuredDiffView, cured_diff_view, CURED, DIFF_VIEW, GtkTextView)

void cured_diff_view_show (CuredDiffView *self, const char *prose, const char *old_name,
                           const char *old_text, const char *new_name, const char *new_text);
void cured_diff_view_clear (CuredDiffView *self);
char *cured_diff_view_get_text (CuredDiffView *self);
