/* SPDX-License-Identifier: MIT
 * Widgets with a template. */
#include <config.h>

#include "widgets/cured-template.h"

/* Gives @klass the template @name. */
void
cured_template_set (gpointer klass, const char *name)
{
  g_autofree char *path = g_strdup_printf ("/io/github/cured/Cured/%s.ui", name);

  gtk_widget_class_set_template_from_resource (klass, path);
}

/* dispose() of a final class that has nothing of its own to drop. */
void
cured_template_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), G_OBJECT_TYPE (object));
  G_OBJECT_CLASS (g_type_class_peek_parent (G_OBJECT_GET_CLASS (object)))->dispose (object);
}
