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
  /* @b over @a; NaN if one is missing, or both are 0, as in tables and on maps; for two zeros,
   * @verdict is %CURED_VERDICT_SAME */
  double ratio;
  /* the difference of the values over the combined half widths of their intervals towards each
   * other, added as independent errors: above 1, it is significant; the smaller one of times and of
   * cycles, if the clocks are known; NaN if one has no interval */
  double significance;
  CuredVerdict verdict; /* the verdict */
} CuredPair;

typedef struct
{
  CuredMatch *match; /* the matching of cells */
  /* (element-type CuredPair): in the order of the first's cells, then those that only the second
   * has */
  GArray *pairs;
  guint n_verdicts[CURED_N_VERDICTS]; /* number of pairs with each verdict */
  /* the greatest factor by which a cell is worse; 1: none is; NaN: no cell has a ratio */
  double worst;
  double best;           /* the greatest factor by which a cell is better; likewise */
  double geometric_mean; /* of the ratios above 0; NaN: none */
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
