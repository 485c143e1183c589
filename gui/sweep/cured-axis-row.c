/* SPDX-License-Identifier: MIT
 * One parameter of a new sweep, with an entry for its values. */
#include <config.h>

#include "sweep/cured-gui-sweep.h"

struct _CuredAxisRow
{
  GtkListBoxRow parent_instance;

  /* Template widgets */
  GtkLabel *name, *summary, *message;
  GtkEditable *entry;

  char *parameter; /* Owned */
};

G_DEFINE_FINAL_TYPE (CuredAxisRow, cured_axis_row, GTK_TYPE_LIST_BOX_ROW)

static void
changed_cb (CuredAxisRow *self)
{
  g_signal_emit_by_name (self, "changed");
}

static void
show_message (CuredAxisRow *self, const char *text, gboolean is_error)
{
  GtkWidget *message = GTK_WIDGET (self->message);
  GtkWidget *entry = GTK_WIDGET (self->entry);

  gtk_label_set_label (self->message, text);
  if (is_error)
    {
      gtk_widget_remove_css_class (message, "dim-label");
      gtk_widget_add_css_class (message, "error");
      gtk_widget_add_css_class (entry, "error");
    }
  else
    {
      gtk_widget_remove_css_class (message, "error");
      gtk_widget_remove_css_class (entry, "error");
      gtk_widget_add_css_class (message, "dim-label");
    }
  gtk_accessible_update_state (
      GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_STATE_INVALID,
      is_error ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                  -1);
}

static char *
describe_axis (const CuredAxis *axis)
{
  gsize length = cured_axis_get_length (axis);
  g_autofree char *count = cured_format_count ((gint64) length);

  if (length == 1)
    return g_strdup (_ ("1 value (fixed)"));
  g_autofree char *first = cured_axis_format_value (axis, 0);
  g_autofree char *last = cured_axis_format_value (axis, length - 1);
  if (length == 2)
    /* Translators: the two values of a parameter. */
    return g_strdup_printf (_ ("2 values: %s, %s"), first, last);
  /* Translators: how many values a parameter takes, the first, the last. */
  return g_strdup_printf (ngettext ("%s value: %s … %s", "%s values: %s … %s", (gulong) length),
                          count, first, last);
}

static void
cured_axis_row_class_init (CuredAxisRowClass *klass)
{
  cured_class_add_signal (klass, "changed", 0);

  cured_template_set (klass, "cured-axis-row");
  CURED_CALLBACKS (changed_cb);
  CURED_BIND (CuredAxisRow, name, summary, entry, message);
  CURED_FREES (CuredAxisRow, g_free, parameter);
}

static void
cured_axis_row_init (CuredAxisRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
cured_axis_row_new (const CuredParameter *parameter, const CuredAxis *values)
{
  CuredAxisRow *self = g_object_new (CURED_TYPE_AXIS_ROW, NULL);
  g_autofree char *text = cured_axis_to_string (values);

  self->parameter = g_strdup (parameter->name);
  gtk_label_set_label (self->name, parameter->name);
  if (parameter->summary != NULL)
    gtk_label_set_label (self->summary, cured_kernel_translate (parameter->summary));
  gtk_widget_set_visible (GTK_WIDGET (self->summary), parameter->summary != NULL);
  cured_widget_name (self->entry, parameter->name, NULL);
  gtk_editable_set_text (self->entry, text);
  return GTK_WIDGET (self);
}

/* Sets the axis of @spec to the typed values, and shows them, or the error, under the entry.
 * Returns: whether the axis could be set */
gboolean
cured_axis_row_apply (CuredAxisRow *self, CuredSpec *spec)
{
  g_autoptr (GError) error = NULL;
  gsize index;

  g_autofree char *assignment =
      g_strdup_printf ("%s=%s", self->parameter, gtk_editable_get_text (self->entry));
  if (!cured_spec_parse_axis (spec, assignment, &error))
    {
      show_message (self, error->message, TRUE);
      return FALSE;
    }
  if (!cured_kernel_find_parameter (cured_spec_get_kernel (spec), self->parameter, &index))
    g_return_val_if_reached (FALSE);
  g_autofree char *text = describe_axis (cured_spec_get_axis (spec, index));
  show_message (self, text, FALSE);
  return TRUE;
}

void
cured_axis_row_set_text (CuredAxisRow *self, const char *text)
{
  gtk_editable_set_text (self->entry, text);
}
