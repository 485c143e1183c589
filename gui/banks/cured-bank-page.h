/* SPDX-License-Identifier: MIT
 * What the warps of a kernel do to the banks of shared memory. */
#pragma once

#include <adwaita.h>

#include "model/cured-inspector.h"

G_BEGIN_DECLS

#define CURED_TYPE_BANK_PAGE (cured_bank_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredBankPage, cured_bank_page, CURED, BANK_PAGE, AdwBin)

void cured_bank_page_set_document (CuredBankPage *self, CuredDocument *document,
                                   CuredInspector *inspector);

G_END_DECLS
