/* SPDX-License-Identifier: MIT
 * The kernel, what it compiles to, and what was found in it. */
#include <config.h>

#include "cured-source-page.h"

struct _CuredSourcePage
{
  AdwBin parent_instance;

  /* Owned */
  CuredDocument *document;
  CuredInspector *inspector;
};

G_DEFINE_FINAL_TYPE (CuredSourcePage, cured_source_page, ADW_TYPE_BIN)

static void
cured_source_page_dispose (GObject *object)
{
  CuredSourcePage *self = CURED_SOURCE_PAGE (object);

  g_clear_object (&self->document);
  g_clear_object (&self->inspector);
  /* A template child that is also the bin's would be dropped twice. */
  adw_bin_set_child (ADW_BIN (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_SOURCE_PAGE);
  G_OBJECT_CLASS (cured_source_page_parent_class)->dispose (object);
}

static void
cured_source_page_class_init (CuredSourcePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_source_page_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-source-page.ui");
}

static void
cured_source_page_init (CuredSourcePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * cured_source_page_set_document:
 * @self: a page that has no document yet
 * @document: what to show
 * @inspector: of @document
 */
void
cured_source_page_set_document (CuredSourcePage *self,
                                CuredDocument *document,
                                CuredInspector *inspector)
{
  g_return_if_fail (CURED_IS_SOURCE_PAGE (self));

  self->document = g_object_ref (document);
  self->inspector = g_object_ref (inspector);
}
