/* SPDX-License-Identifier: MIT
 * What the library alone asks of ladders, claims and figures. */
#pragma once

#include "store/cured-result.h"
#include "study/cured-claim.h"
#include "study/cured-comparison.h"
#include "study/cured-ladder.h"
#include "study/cured-match.h"

/* ---- Claim ---- */

CuredKernel *cured_claim_load_against (CuredKernel *kernel, const CuredClaim *claim,
                                       gint64 **values, GError **error);

/* ---- Figures ---- */

/* What a cell has of a metric. */
typedef struct
{
  double value; /* NaN: none */
  double low;   /* lower end of its interval; NaN: it has none */
  double high;  /* upper end */
  /* by how much another process may differ all the same, relative: of one round, whose interval
   * holds within its process; 0 otherwise */
  double unknown;
  guint n_rounds;    /* that the interval is over, two at least; 0: it is not */
  double clock_hz;   /* of the multiprocessors meanwhile; NaN: not recorded */
  gboolean is_rate;  /* it grows with the clock; FALSE: a time */
  gboolean is_exact; /* a count, of which any difference is one */
} CuredFigure;

/* A metric of a result, which it borrows, and the metrics that go with it. */
typedef struct
{
  CuredResult *result;
  CuredBetter better;
  gsize values;
  gsize low;   /* CURED_NO_FIGURE: none, as of all that follow */
  gsize high;  /* as @low */
  gsize times; /* of which @low and @high are, where @values are rates */
  gsize rounds, clocks;
  gboolean is_exact; /* counts, and all else that is neither a time nor a rate */
  gboolean is_time;  /* @low and @high are of times on a clock */
} CuredFigures;

#define CURED_NO_FIGURE G_MAXSIZE

gboolean cured_figures_load (CuredFigures *self, CuredResult *result, const char *metric,
                             GError **error);
double cured_figures_get_value (const CuredFigures *self, gint64 cell);
void cured_figures_get (const CuredFigures *self, gint64 cell, CuredFigure *figure);
gboolean cured_figure_differs (const CuredFigure *self, const CuredFigure *other,
                               double *significance);

void cured_pair_judge (const CuredFigures *a, const CuredFigures *b, CuredPair *pair);

/* ---- Ladder ---- */

gboolean cured_ladder_view_write_csv (const CuredLadderView *self, GOutputStream *stream,
                                      GCancellable *cancellable, GError **error);

/* ---- Match ---- */

gint64 cured_match_find_cell (const CuredMatchSide *side, CuredResult *result, gsize *positions);
gboolean cured_match_find_value (const CuredAxis *axis, gsize index, const CuredAxis *other,
                                 gsize *position);
