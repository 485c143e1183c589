/* SPDX-License-Identifier: MIT
 * Two results, cell by cell. */
#pragma once

#include "widgets/cured-page.h"

/* Shows the document's result beside another file, once one was chosen. Both are compared in a
 * thread. */
#define CURED_TYPE_COMPARE_PAGE (cured_compare_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredComparePage, cured_compare_page, CURED, COMPARE_PAGE, CuredPage)

void cured_compare_page_open (CuredComparePage *self, const char *path);
const CuredComparison *cured_compare_page_get_comparison (CuredComparePage *self);
