/* SPDX-License-Identifier: MIT
 * Texts about two results. */
#pragma once

#include <cured.h>

char *cured_compare_text_best (CuredResult *result, const CuredMatchSide *side, gint64 cell);
char *cured_compare_text_result (CuredResult *result, CuredResult *other);
char *cured_compare_text_counts (const CuredComparison *comparison);
char *cured_compare_text_summary (const CuredComparison *comparison, CuredResult *a, CuredResult *b,
                                  const CuredMetricInfo *metric);
