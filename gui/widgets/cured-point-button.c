/* SPDX-License-Identifier: MIT
 * A button that shows and changes a document's point. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

struct _CuredPointButton
{
  AdwBin parent_instance;

  /* Owned */
  CuredDocument *document; /* nullable */

  /* Borrowed: children */
  GtkMenuButton *button;
  GtkLabel *label;
  GtkGrid *grid;
};

G_DEFINE_FINAL_TYPE (CuredPointButton, cured_point_button, ADW_TYPE_BIN)

/* “tile = 32, rows = 4” */
static char *
format_point (CuredDocument *document)
{
  CuredKernel *kernel = cured_document_get_kernel (document);
  gsize n_values = 0;
  const gint64 *values = cured_document_get_point (document, &n_values);
  g_autoptr (GString) text = g_string_new (NULL);

  if (kernel == NULL)
    return g_strdup ("");
  const CuredParameter *parameters = kernel->parameters;
  for (gsize i = 0; i < n_values; i++)
    {
      const char *name = parameters[i].values != NULL
                             ? cured_axis_get_name (parameters[i].values, values[i])
                             : NULL;
      g_autofree char *value = name != NULL ? g_strdup (name) : cured_format_count (values[i]);

      g_string_append_printf (text, "%s%s = %s", text->len > 0 ? ", " : "", parameters[i].name,
                              value);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
selected_cb (CuredPointButton *self, GParamSpec *pspec, GtkDropDown *drop_down)
{
  gsize parameter = GPOINTER_TO_SIZE (g_object_get_data (G_OBJECT (drop_down), "parameter"));
  CuredAxis *choices = g_object_get_data (G_OBJECT (drop_down), "choices");
  gsize index;

  if (cured_choice_get_selected (drop_down, &index))
    cured_document_set_value (self->document, parameter, cured_axis_get_value (choices, index));
}

static void
add_row (CuredPointButton *self, const CuredParameter *parameter, gsize index, gint64 value)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);
  CuredAxis *choices = cured_document_get_choices (self->document, index);
  GtkWidget *label = cured_widget_new (GTK_TYPE_LABEL, "dim-label", "label", parameter->name,
                                       "tooltip-text", parameter->summary, NULL);
  GtkWidget *drop_down = cured_widget_new (GTK_TYPE_DROP_DOWN, NULL, "hexpand", TRUE, "sensitive",
                                           cured_axis_get_length (choices) > 1, NULL);
  gsize selected = 0;

  for (gsize i = 0; i < cured_axis_get_length (choices); i++)
    {
      g_autofree char *title = cured_axis_format_value (choices, i);

      cured_choice_add (store, i, title, NULL, cured_kernel_translate (parameter->summary));
    }
  cured_axis_find (choices, value, &selected);
  gtk_grid_attach (self->grid, label, 0, (int) index, 1, 1);

  cured_widget_name (drop_down, parameter->name, NULL);
  cured_choice_fill (GTK_DROP_DOWN (drop_down), store, selected);
  g_object_set_data (G_OBJECT (drop_down), "parameter", GSIZE_TO_POINTER (index));
  g_object_set_data_full (G_OBJECT (drop_down), "choices", choices,
                          (GDestroyNotify) cured_axis_unref);
  cured_choice_connect (GTK_DROP_DOWN (drop_down), G_CALLBACK (selected_cb), self);
  gtk_grid_attach (self->grid, drop_down, 1, (int) index, 1, 1);
}

static void
fill (CuredPointButton *self)
{
  CuredKernel *kernel = cured_document_get_kernel (self->document);
  const gint64 *values = cured_document_get_point (self->document, NULL);

  cured_widget_empty (self->grid);
  for (gsize i = 0; kernel != NULL && i < kernel->n_parameters; i++)
    add_row (self, &kernel->parameters[i], i, values[i]);
}

static void
show_point (CuredPointButton *self)
{
  g_autofree char *text = format_point (self->document);

  gtk_label_set_label (self->label, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button), text);
  gtk_widget_set_visible (GTK_WIDGET (self), text[0] != '\0');
}

/* Closes the lists: their parameters may no longer exist. */
static void
kernel_changed_cb (CuredPointButton *self)
{
  gtk_menu_button_popdown (self->button);
  show_point (self);
}

/* Updates the lists in place: the user may have just used one of them. */
static void
point_changed_cb (CuredPointButton *self)
{
  gsize n_values;
  const gint64 *values = cured_document_get_point (self->document, &n_values);

  show_point (self);
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->grid)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      CuredAxis *choices = g_object_get_data (G_OBJECT (child), "choices");
      gsize parameter = GPOINTER_TO_SIZE (g_object_get_data (G_OBJECT (child), "parameter"));
      gsize index;

      if (choices != NULL && parameter < n_values &&
          cured_axis_find (choices, values[parameter], &index))
        cured_choice_set_selected (GTK_DROP_DOWN (child), index);
    }
}

static void
document_changed_cb (CuredPointButton *self, CuredDocumentChange what)
{
  if ((what & CURED_DOCUMENT_KERNEL) != 0)
    kernel_changed_cb (self);
  if ((what & CURED_DOCUMENT_POINT) != 0)
    point_changed_cb (self);
}

/* The lists are created on opening, with the current point. */
static void
popup_cb (GtkMenuButton *button, gpointer user_data)
{
  CuredPointButton *self = user_data;

  if (self->document != NULL)
    fill (self);
}

static void
cured_point_button_class_init (CuredPointButtonClass *klass)
{
  CURED_OWNS (CuredPointButton, document);
}

static void
cured_point_button_init (CuredPointButton *self)
{
  self->grid = g_object_new (GTK_TYPE_GRID, "row-spacing", 6, "column-spacing", 12, NULL);
  self->label =
      GTK_LABEL (cured_widget_new (GTK_TYPE_LABEL, NULL, "ellipsize", PANGO_ELLIPSIZE_END, NULL));
  self->button =
      g_object_new (GTK_TYPE_MENU_BUTTON, "child", self->label, "always-show-arrow", TRUE,
                    "popover", g_object_new (GTK_TYPE_POPOVER, "child", self->grid, NULL), NULL);
  gtk_menu_button_set_create_popup_func (self->button, popup_cb, self, NULL);
  cured_widget_name (self->button, _ ("Values of the parameters"), NULL);
  adw_bin_set_child (ADW_BIN (self), GTK_WIDGET (self->button));
}

void
cured_point_button_set_document (CuredPointButton *self, CuredDocument *document)
{
  g_return_if_fail (self->document == NULL);

  self->document = g_object_ref (document);
  CURED_CONNECT (document, "changed", document_changed_cb);
  show_point (self);
}

/* Returns: the shown point, such as “tile = 32, rows = 4” */
const char *
cured_point_button_get_text (CuredPointButton *self)
{
  return gtk_label_get_label (self->label);
}
