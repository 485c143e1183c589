/* SPDX-License-Identifier: MIT
 * Rows of lists, their widgets and items. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

typedef struct
{
  const CuredListRows *rows;
  gpointer data;
  GObject *item; /* nullable: the shown item */
} Row;

static GQuark
row_quark (void)
{
  return g_quark_from_static_string ("cured-row");
}

static GtkWidget *
build (const char *ui)
{
  g_autofree char *path = g_strdup_printf ("/io/github/cured/Cured/%s.ui", ui);
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource (path);
  GSList *objects = gtk_builder_get_objects (builder);
  GtkWidget *row = GTK_WIDGET (gtk_builder_get_object (builder, "row"));

  for (GSList *l = objects; l != NULL; l = l->next)
    {
      if (l->data != row && GTK_IS_BUILDABLE (l->data))
        g_object_set_data (G_OBJECT (row), gtk_buildable_get_buildable_id (l->data), l->data);
      /* Its tooltip shows a text that was cut. */
      if (GTK_IS_LABEL (l->data) && gtk_widget_get_has_tooltip (l->data))
        cured_widget_cut (l->data);
    }
  g_slist_free (objects);
  return g_object_ref (row);
}

/* Numbers are right-aligned; texts are ellipsized. */
static GtkWidget *
make_label (const char *classes)
{
  gboolean is_number = g_strcmp0 (classes, "numeric") == 0;

  return g_object_ref_sink (cured_widget_new (
      GTK_TYPE_LABEL, classes, "single-line-mode", TRUE, "xalign", is_number ? 1.0 : 0.0,
      "ellipsize", is_number ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END, NULL));
}

static void
setup_cb (GtkListItemFactory *factory, GtkListItem *item)
{
  const Row *of = g_object_get_qdata (G_OBJECT (factory), row_quark ());
  g_autoptr (GtkWidget) row =
      of->rows->ui != NULL ? build (of->rows->ui) : make_label (of->rows->classes);

  g_object_set_qdata_full (G_OBJECT (row), row_quark (), g_memdup2 (of, sizeof *of), g_free);
  gtk_list_item_set_child (item, row);
}

static void
show (GtkWidget *widget)
{
  const Row *row = g_object_get_qdata (G_OBJECT (widget), row_quark ());

  row->rows->show (widget, row->item, row->data);
}

static void
bind_cb (GtkListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *widget = gtk_list_item_get_child (item);
  Row *row = g_object_get_qdata (G_OBJECT (widget), row_quark ());
  gpointer object = gtk_list_item_get_item (item);

  if (GTK_IS_TREE_EXPANDER (widget))
    gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (widget), object);
  row->item =
      GTK_IS_TREE_LIST_ROW (object) ? gtk_tree_list_row_get_item (object) : g_object_ref (object);
  if (row->rows->signal != NULL)
    g_signal_connect_object (row->item, row->rows->signal, G_CALLBACK (show), widget,
                             G_CONNECT_SWAPPED);
  show (widget);
}

static void
unbind_cb (GtkListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *widget = gtk_list_item_get_child (item);
  Row *row = g_object_get_qdata (G_OBJECT (widget), row_quark ());

  g_signal_handlers_disconnect_by_data (row->item, widget);
  g_clear_object (&row->item);
  if (GTK_IS_TREE_EXPANDER (widget))
    gtk_tree_expander_set_list_row (GTK_TREE_EXPANDER (widget), NULL);
}

/* Returns: (transfer full): a factory of rows. @rows: static. @data: for its show(); must outlive
 * the list. */
GtkListItemFactory *
cured_list_rows_new (const CuredListRows *rows, gpointer data)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  Row *row = g_new0 (Row, 1);

  *row = (Row){ .rows = rows, .data = data };
  g_object_set_qdata_full (G_OBJECT (factory), row_quark (), row, g_free);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), NULL);
  return factory;
}

/* Returns: (transfer none): the widget of a row with @id in its resource */
gpointer
cured_list_rows_get (GtkWidget *row, const char *id)
{
  return g_object_get_data (G_OBJECT (row), id);
}

/* Sets the text of the label @id. @text: (nullable): NULL hides the label. */
void
cured_list_rows_set_text (GtkWidget *row, const char *id, const char *text)
{
  GtkLabel *label = cured_list_rows_get (row, id);

  gtk_label_set_label (label, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL);
}
