/* SPDX-License-Identifier: MIT
 * The page of two results. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- Two results, cell by cell ---- */

/* Compares the document's result with another file, in a thread, once one was chosen. */
#define CURED_TYPE_COMPARE_PAGE (cured_compare_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredComparePage, cured_compare_page, CURED, COMPARE_PAGE, CuredPage)

void cured_compare_page_open (CuredComparePage *self, const char *path);
const CuredComparison *cured_compare_page_get_comparison (CuredComparePage *self);

/* ---- Texts about two results ---- */

char *cured_compare_text_best (CuredResult *result, const CuredMatchSide *side, gint64 cell);
char *cured_compare_text_result (CuredResult *result, CuredResult *other);
char *cured_compare_text_counts (const CuredComparison *comparison);
char *cured_compare_text_summary (const CuredComparison *comparison, CuredResult *a, CuredResult *b,
                                  const CuredMetricInfo *metric);
