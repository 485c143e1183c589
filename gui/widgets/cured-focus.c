/* SPDX-License-Identifier: MIT
 * Where the keys go. */
#include <config.h>

#include "widgets/cured-focus.h"

/* @widget: what a thread has made ready, and that would take the keys; @before: (nullable): what
 * had them when it was asked for. Returns: whether somebody has gone into a menu of the window
 * meanwhile, or into a text, and would lose the keys */
gboolean
cured_focus_is_in_use (GtkWidget *widget, GtkWidget *before)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus == NULL || !gtk_widget_get_mapped (focus))
    return FALSE;
  return gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) != NULL ||
         (focus != before && GTK_IS_TEXT (focus));
}
