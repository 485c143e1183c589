/* SPDX-License-Identifier: MIT
 * Two results, cell by cell. */
#pragma once

#include "store/cured-result.h"

G_BEGIN_DECLS

/**
 * CuredVerdict:
 * @CURED_VERDICT_SAME: the confidence intervals overlap, or exact equality
 * @CURED_VERDICT_BETTER: @b is better than @a
 * @CURED_VERDICT_WORSE: @b is worse than @a
 * @CURED_VERDICT_ONLY_A: no value in @b
 * @CURED_VERDICT_ONLY_B: no value in @a
 */
typedef enum
{
  CURED_VERDICT_SAME,
  CURED_VERDICT_BETTER,
  CURED_VERDICT_WORSE,
  CURED_VERDICT_ONLY_A,
  CURED_VERDICT_ONLY_B,
} CuredVerdict;

typedef struct
{
  gint64 cell_a; /* -1: none */
  gint64 cell_b;
  double a;
  double b;
  double ratio; /* b / a; NaN where either is missing */
  CuredVerdict verdict;
} CuredPair;

/**
 * CuredComparison:
 *
 * Cells are matched by parameter names and values, whatever their numbers; a
 * parameter that only one file has must have one value there.
 */
typedef struct
{
  GArray *pairs; /* (element-type CuredPair) */
  double worst;  /* the worst ratio, 1 or less being no loss */
} CuredComparison;

CuredComparison *cured_comparison_new (CuredResult *a,
                                       CuredResult *b,
                                       const char *metric,
                                       GError **error);
void cured_comparison_free (CuredComparison *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredComparison, cured_comparison_free)

G_END_DECLS
