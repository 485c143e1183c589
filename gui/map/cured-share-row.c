/* SPDX-License-Identifier: MIT
 * A list row with a name, a bar and a share. */
#include <config.h>

#include "map/cured-gui-map.h"

/* Maximum width of a name, since a parameter's comes from a file. */
#define MOST_CHARS 24

/* @share: from 0 to 1; @value: the same as text; @is_main: highlighted; @tooltip: (nullable);
 * @titles, @values: of the list, to align its columns */
void
cured_share_row_add (GtkListBox *list, const char *title, double share, const char *value,
                     gboolean is_main, const char *tooltip, GtkSizeGroup *titles,
                     GtkSizeGroup *values)
{
  g_autofree char *label = g_strdup_printf ("%s: %s", title, value);
  GtkWidget *title_label =
      cured_widget_new (GTK_TYPE_LABEL, is_main ? "why-limit" : "dim-label", "label", title,
                        "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars", MOST_CHARS, NULL);
  GtkWidget *bar =
      cured_widget_new (GTK_TYPE_LEVEL_BAR, is_main ? "why-bar" : "why-bar other", "value",
                        CLAMP (share, 0.0, 1.0), "hexpand", TRUE, "valign", GTK_ALIGN_CENTER, NULL);
  GtkWidget *value_label =
      cured_widget_new (GTK_TYPE_LABEL, "numeric", "label", value, "xalign", 1.0, NULL);
  GtkWidget *box = cured_widget_add_row (list, 9, label, tooltip);

  gtk_size_group_add_widget (titles, title_label);
  gtk_size_group_add_widget (values, value_label);
  /* A full bar or an empty one is not coloured as an alarm. */
  gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (bar), GTK_LEVEL_BAR_OFFSET_LOW);
  gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (bar), GTK_LEVEL_BAR_OFFSET_HIGH);
  gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (bar), GTK_LEVEL_BAR_OFFSET_FULL);
  cured_widget_name (gtk_widget_get_parent (box), label, tooltip);
  cured_widget_name (bar, title, NULL);
  CURED_APPEND (box, title_label, bar, value_label);
}
