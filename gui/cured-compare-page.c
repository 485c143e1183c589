/* SPDX-License-Identifier: MIT
 * Two results, cell by cell. */
#include <config.h>

#include "cured-compare-page.h"

struct _CuredComparePage
{
  AdwBin parent_instance;

  /* Owned */
  CuredDocument *document;
};

G_DEFINE_FINAL_TYPE (CuredComparePage, cured_compare_page, ADW_TYPE_BIN)

static void
cured_compare_page_dispose (GObject *object)
{
  CuredComparePage *self = CURED_COMPARE_PAGE (object);

  g_clear_object (&self->document);
  /* A template child that is also the bin's would be dropped twice. */
  adw_bin_set_child (ADW_BIN (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_COMPARE_PAGE);
  G_OBJECT_CLASS (cured_compare_page_parent_class)->dispose (object);
}

static void
cured_compare_page_class_init (CuredComparePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_compare_page_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-compare-page.ui");
}

static void
cured_compare_page_init (CuredComparePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * cured_compare_page_set_document:
 * @self: a page that has no document yet
 * @document: what to show
 */
void
cured_compare_page_set_document (CuredComparePage *self,
                                 CuredDocument *document)
{
  g_return_if_fail (CURED_IS_COMPARE_PAGE (self));

  self->document = g_object_ref (document);
}
