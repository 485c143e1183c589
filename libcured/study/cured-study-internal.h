/* SPDX-License-Identifier: MIT
 * Functions on ladders, claims and figures that only the library needs. */
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

/* A cell's value of a metric, with its uncertainty. */
typedef struct
{
  double value; /* NaN: none */
  double low;   /* lower end of its interval; NaN: none */
  double high;  /* upper end */
  /* additional relative uncertainty between processes, for a single round, whose interval is within
   * its process; 0 otherwise */
  double unknown;
  guint n_rounds;    /* rounds of the interval, at least two; 0: it is within a process */
  double clock_hz;   /* of the multiprocessors meanwhile; NaN: not recorded */
  gboolean is_rate;  /* it grows with the clock; FALSE: a time */
  gboolean is_exact; /* a count, so any difference is significant */
} CuredFigure;

/* A metric of a result (borrowed), with the related metrics. */
typedef struct
{
  CuredResult *result;
  CuredBetter better;
  gsize values;
  gsize low;   /* CURED_NO_FIGURE: none, like all that follow */
  gsize high;  /* as @low */
  gsize times; /* the time of @low and @high, if @values are rates */
  gsize rounds, clocks;
  gboolean is_exact; /* neither a time nor a rate, such as a count */
  gboolean is_time;  /* @low and @high are for times of a clock */
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
