/* SPDX-License-Identifier: MIT
 * Two results, cell by cell. */
#pragma once

#include "study/cured-match.h"

typedef enum
{
  CURED_VERDICT_SAME,   /* no more than chance, less than half a percent, or exact equality */
  CURED_VERDICT_BETTER, /* @b is better than @a */
  CURED_VERDICT_WORSE,  /* @b is worse than @a */
  CURED_VERDICT_ONLY_A, /* no value in @b */
  CURED_VERDICT_ONLY_B, /* no value in @a */
  CURED_N_VERDICTS
} CuredVerdict;

const char *cured_verdict_to_string (CuredVerdict verdict);

/* A cell of both, or of one. */
typedef struct
{
  gint64 cell_a; /* number of the cell in the first; -1: it has no such cell */
  gint64 cell_b; /* likewise, of the second */
  double a;      /* value in the first; NaN: none */
  double b;      /* value in the second */
  /* @b over @a; NaN where either is missing, and where both are 0: 0 ÷ 0 is not a number, here, in
   * tables and on maps; @verdict says that nothing changed */
  double ratio;
  /* the difference of the values over the reach of their intervals towards each other, which add up
   * as independent errors do: above 1 the difference is no chance; the smaller one of times and of
   * cycles, where the clocks are known; NaN where either has no interval */
  double significance;
  CuredVerdict verdict; /* what became of it */
} CuredPair;

typedef struct
{
  CuredMatch *match; /* which cells belong together */
  /* (element-type CuredPair): in the order of the first's cells, then those that only the second
   * has */
  GArray *pairs;
  guint n_verdicts[CURED_N_VERDICTS]; /* how many there are of each verdict */
  /* how many times as bad the cell that lost most is; 1: none is worse; NaN: no cell has a ratio */
  double worst;
  double best;           /* how many times as good the cell that gained most is; likewise */
  double geometric_mean; /* of the ratios above 0; NaN: there are none */
} CuredComparison;

gint64 cured_result_find_best (CuredResult *result, gsize metric);
gboolean cured_result_find_problem (CuredResult *result, gsize axis, gsize *position);
CuredComparison *cured_comparison_new (CuredResult *a, CuredResult *b, const char *metric,
                                       GError **error);
void cured_comparison_free (CuredComparison *self);
gboolean cured_comparison_get_best (const CuredComparison *self, CuredResult *a, CuredResult *b,
                                    const char *metric, const CuredPair *like, CuredPair *best);
char *cured_pair_describe (const CuredPair *self, const CuredMetricInfo *metric);
char *cured_pair_describe_change (const CuredPair *self, const CuredMetricInfo *metric);
char *cured_comparison_describe (const CuredComparison *self, CuredResult *a, CuredResult *b,
                                 const char *metric);
GArray *cured_comparison_list_largest (const CuredComparison *self, guint n_most,
                                       gboolean significant_only, guint *n_left_out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredComparison, cured_comparison_free)
