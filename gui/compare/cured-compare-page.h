/* SPDX-License-Identifier: MIT
 * Two results, cell by cell. */
#pragma once

#include <adwaita.h>

#include "model/cured-document.h"

G_BEGIN_DECLS

#define CURED_TYPE_COMPARE_PAGE (cured_compare_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredComparePage, cured_compare_page, CURED, COMPARE_PAGE, AdwBin)

void cured_compare_page_set_document (CuredComparePage *self, CuredDocument *document);
void cured_compare_page_open (CuredComparePage *self, const char *path);
const CuredComparison *cured_compare_page_get_comparison (CuredComparePage *self);

G_END_DECLS
