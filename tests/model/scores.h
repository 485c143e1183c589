/* SPDX-License-Identifier: MIT
 * How well predicted times put a kernel's cells in order. */
#pragma once

#include <glib.h>

/**
 * Score: of one kernel, over cells that were measured and predicted.
 * @n: cells
 * @spearman: rank correlation; 0 where all are predicted the same
 * @spread: slowest over fastest
 * @pairs: that differ by more than 10 %
 * @ordered: of these, in the right order
 * @best: measured time of the predicted best over the true best's
 * @top: best measured time of the predicted first eight over the true best's
 * @error: median of |predicted / measured - 1| */
typedef struct
{
  guint n;
  double spearman, spread;
  guint pairs, ordered;
  double best, top, error;
} Score;

/**
 * Scores: of all kernels together. */
typedef struct
{
  guint n;
  double spearman;      /* median */
  double wide_spearman; /* median, where the spread is at least 1.5 */
  double least;         /* of these */
  double ordered;       /* share of all pairs */
  double best;          /* share of kernels whose @best is within 10 % */
  double top;           /* share of kernels whose @top is within 2 % */
  double error;         /* median of the kernels' */
} Scores;

double score_median (const double *values, guint n);
void score_init (Score *self, const double *measured, const double *predicted, guint n);
void scores_init (Scores *self, const Score *scores, guint n);
