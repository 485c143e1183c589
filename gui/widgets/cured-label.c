/* SPDX-License-Identifier: MIT
 * Labels that may be too narrow for their text. */
#include <config.h>

#include "widgets/cured-label.h"

static gboolean
query_tooltip_cb (GtkLabel *label, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip)
{
  if (!pango_layout_is_ellipsized (gtk_label_get_layout (label)))
    return FALSE;
  gtk_tooltip_set_text (tooltip, gtk_label_get_text (label));
  return TRUE;
}

/* Lets @label cut the end of a text for which it is too narrow; a tooltip then has all of it. */
void
cured_label_cut (GtkLabel *label)
{
  gtk_label_set_ellipsize (label, PANGO_ELLIPSIZE_END);
  gtk_widget_set_has_tooltip (GTK_WIDGET (label), TRUE);
  g_signal_connect (label, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
}

/* Lets @label cut a text that is longer than that, so that the names in a file can't dictate how
 * wide the window is. */
void
cured_label_cut_long (GtkLabel *label, int n_characters)
{
  if (g_utf8_strlen (gtk_label_get_text (label), -1) <= n_characters)
    return;
  cured_label_cut (label);
  gtk_label_set_width_chars (label, n_characters);
}
