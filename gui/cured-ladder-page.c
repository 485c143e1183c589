/* SPDX-License-Identifier: MIT
 * The steps of a family, from the textbook to the limit. */
#include <config.h>

#include "cured-ladder-page.h"

struct _CuredLadderPage
{
  AdwBin parent_instance;

  /* Owned */
  CuredDocument *document;
};

G_DEFINE_FINAL_TYPE (CuredLadderPage, cured_ladder_page, ADW_TYPE_BIN)

static void
cured_ladder_page_dispose (GObject *object)
{
  CuredLadderPage *self = CURED_LADDER_PAGE (object);

  g_clear_object (&self->document);
  /* A template child that is also the bin's would be dropped twice. */
  adw_bin_set_child (ADW_BIN (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_LADDER_PAGE);
  G_OBJECT_CLASS (cured_ladder_page_parent_class)->dispose (object);
}

static void
cured_ladder_page_class_init (CuredLadderPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_ladder_page_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-ladder-page.ui");
}

static void
cured_ladder_page_init (CuredLadderPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * cured_ladder_page_set_document:
 * @self: a page that has no document yet
 * @document: what to show
 */
void
cured_ladder_page_set_document (CuredLadderPage *self, CuredDocument *document)
{
  g_return_if_fail (CURED_IS_LADDER_PAGE (self));

  self->document = g_object_ref (document);
}
