/* SPDX-License-Identifier: MIT
 * Widgets with a template. */
#include <config.h>

#include "widgets/cured-template.h"

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

/* dispose() of a final class with a template, which a class that does more calls last. */
void
cured_template_dispose (GObject *object)
{
  cured_class_drop (object);
  /* A template child that is also the bin's would be dropped twice. */
  if (ADW_IS_BIN (object))
    adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), G_OBJECT_TYPE (object));
  G_OBJECT_CLASS (g_type_class_peek_parent (G_OBJECT_GET_CLASS (object)))->dispose (object);
}
