/* SPDX-License-Identifier: MIT
 * What the warps of a kernel do to the banks of shared memory. */
#include <config.h>

#include "cured-bank-page.h"

struct _CuredBankPage
{
  AdwBin parent_instance;

  /* Owned */
  CuredDocument *document;
  CuredInspector *inspector;
};

G_DEFINE_FINAL_TYPE (CuredBankPage, cured_bank_page, ADW_TYPE_BIN)

static void
cured_bank_page_dispose (GObject *object)
{
  CuredBankPage *self = CURED_BANK_PAGE (object);

  g_clear_object (&self->document);
  g_clear_object (&self->inspector);
  /* A template child that is also the bin's would be dropped twice. */
  adw_bin_set_child (ADW_BIN (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_BANK_PAGE);
  G_OBJECT_CLASS (cured_bank_page_parent_class)->dispose (object);
}

static void
cured_bank_page_class_init (CuredBankPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_bank_page_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-bank-page.ui");
}

static void
cured_bank_page_init (CuredBankPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * cured_bank_page_set_document:
 * @self: a page that has no document yet
 * @document: what to show
 * @inspector: of @document
 */
void
cured_bank_page_set_document (CuredBankPage *self,
                              CuredDocument *document,
                              CuredInspector *inspector)
{
  g_return_if_fail (CURED_IS_BANK_PAGE (self));

  self->document = g_object_ref (document);
  self->inspector = g_object_ref (inspector);
}
