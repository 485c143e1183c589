/* SPDX-License-Identifier: MIT
 * Widget classes with a template, and helpers for widgets. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

/* Gives @klass the template @name. */
void
cured_template_set (gpointer klass, const char *name)
{
  g_autofree char *path = g_strdup_printf ("/io/github/cured/Cured/%s.ui", name);
  GObjectClass *parent_class = g_type_class_peek_parent (klass);
  GObjectClass *object_class = klass;

  gtk_widget_class_set_template_from_resource (klass, path);
  if (object_class->dispose == parent_class->dispose ||
      object_class->dispose == cured_class_dispose)
    object_class->dispose = cured_template_dispose;
}

/* dispose() of a final class with a template; an override calls it last. */
void
cured_template_dispose (GObject *object)
{
  cured_class_drop (object);
  /* Otherwise the bin's child, if from the template, would be unparented twice. */
  if (ADW_IS_BIN (object))
    adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), G_OBJECT_TYPE (object));
  G_OBJECT_CLASS (g_type_class_peek_parent (G_OBJECT_GET_CLASS (object)))->dispose (object);
}

/* Returns: (transfer floating): a widget with these properties and style classes; labels are
 * left-aligned. @classes: (nullable): separated by spaces. */
GtkWidget *
cured_widget_new (GType type, const char *classes, const char *first, ...)
{
  va_list properties;

  va_start (properties, first);
  GtkWidget *widget = GTK_WIDGET (g_object_new_valist (type, first, properties));
  va_end (properties);
  if (GTK_IS_LABEL (widget) && gtk_label_get_xalign (GTK_LABEL (widget)) == 0.5f)
    gtk_label_set_xalign (GTK_LABEL (widget), 0.0f);
  if (classes != NULL)
    {
      g_auto (GStrv) names = g_strsplit (classes, " ", -1);

      for (char **name = names; *name != NULL; name++)
        gtk_widget_add_css_class (widget, *name);
    }
  return widget;
}

/* Returns: (transfer floating): a row with these texts, not markup. @subtitle: (nullable). */
GtkWidget *
cured_widget_new_row (const char *title, const char *subtitle, int subtitle_lines)
{
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "use-markup", FALSE, NULL);

  /* Only now, when the labels know that the texts are not markup. */
  g_object_set (row, "title", title, "subtitle", subtitle, "subtitle-lines", subtitle_lines, NULL);
  return row;
}

/* Adds an arrow to @row, an AdwActionRow, and makes it activatable. */
void
cured_widget_lead_on (gpointer row)
{
  adw_action_row_add_suffix (row, g_object_new (GTK_TYPE_IMAGE, "icon-name", "go-next-symbolic",
                                                "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION,
                                                NULL));
  gtk_list_box_row_set_activatable (row, TRUE);
}

/* Adds a row to @list, a GtkListBox; it can't be activated. Returns: (transfer none): its box.
 * @name: for screen readers; @tooltip: (nullable). */
GtkWidget *
cured_widget_add_row (gpointer list, int spacing, const char *name, const char *tooltip)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, spacing);
  GtkWidget *row = g_object_new (GTK_TYPE_LIST_BOX_ROW, "child", box, "activatable", FALSE,
                                 "tooltip-text", tooltip, NULL);

  cured_widget_name (row, name, NULL);
  gtk_list_box_append (list, row);
  return box;
}

/* Removes all children of a box, a grid or a list. */
void
cured_widget_empty (gpointer widget)
{
  GtkWidget *child;

  if (GTK_IS_LIST_BOX (widget))
    while ((child = GTK_WIDGET (gtk_list_box_get_row_at_index (widget, 0))) != NULL)
      gtk_list_box_remove (widget, child);
  else
    while ((child = gtk_widget_get_first_child (widget)) != NULL)
      if (GTK_IS_GRID (widget))
        gtk_grid_remove (widget, child);
      else
        gtk_box_remove (widget, child);
}

/* Names @widget for screen readers. @description: (nullable): read after the name. */
void
cured_widget_name (gpointer widget, const char *name, const char *description)
{
  gtk_accessible_update_property (widget, GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  if (description != NULL)
    gtk_accessible_update_property (widget, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

void
cured_widget_set_class (gpointer widget, const char *css_class, gboolean is_set)
{
  if (is_set)
    gtk_widget_add_css_class (widget, css_class);
  else
    gtk_widget_remove_css_class (widget, css_class);
}

/* Shows a text that may be ellipsized; the tooltip has the full text. @text: (nullable): none. */
void
cured_widget_say (gpointer label, const char *text)
{
  gtk_label_set_label (label, text != NULL ? text : "");
  gtk_widget_set_tooltip_text (label, text);
}

/* Shows a text that is made as by printf(). */
void
cured_widget_print (gpointer label, const char *format, ...)
{
  va_list values;

  va_start (values, format);
  g_autofree char *text = g_strdup_vprintf (format, values);
  va_end (values);
  gtk_label_set_label (label, text);
}

static gboolean
query_tooltip_cb (GtkLabel *label, int x, int y, gboolean is_keyboard, GtkTooltip *tooltip)
{
  if (!pango_layout_is_ellipsized (gtk_label_get_layout (label)))
    return FALSE;
  gtk_tooltip_set_text (tooltip, gtk_label_get_text (label));
  return TRUE;
}

/* Lets @label ellipsize a text that is too wide; a tooltip then shows all of it. */
void
cured_widget_cut (gpointer label)
{
  gtk_label_set_ellipsize (label, PANGO_ELLIPSIZE_END);
  gtk_widget_set_has_tooltip (label, TRUE);
  g_signal_connect (label, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
}

/* Lets @label ellipsize longer texts, so that names in a file can't widen the window. */
void
cured_widget_cut_long (gpointer label, int n_characters)
{
  if (g_utf8_strlen (gtk_label_get_text (label), -1) <= n_characters)
    return;
  cured_widget_cut (label);
  gtk_label_set_width_chars (label, n_characters);
}

/* @widget: a widget that is ready after work in a thread, and would take the focus; @before:
 * (nullable): the widget that had the focus at the request. Returns: whether it may take the focus:
 * the user has not opened a menu of the window or started to enter text since */
gboolean
cured_widget_may_focus (gpointer widget, GtkWidget *before)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus == NULL || !gtk_widget_get_mapped (focus))
    return TRUE;
  return gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) == NULL &&
         (focus == before || !GTK_IS_TEXT (focus));
}
