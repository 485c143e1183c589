/* SPDX-License-Identifier: MIT
 * Searches over again what a result file has whole, to see what a search is worth. */
#pragma once

#include <glib.h>

#include "store/cured-result.h"

/* Numbers of visits after which a replay says how far searches had come. */
#define CURED_SEARCH_REPLAY_POINTS 5

/* What searches with some seeds made of a file. */
typedef struct
{
  gint64 n_cells;     /* that the file has a state of */
  double optimum;     /* the best value */
  guint n_seeds;      /* searches */
  guint n_near;       /* of them, that ended within 1 % of the optimum */
  guint n_at_optimum; /* of them, that ended there */
  double visits[3];   /* cells that a search visited: lower quartile, median, upper quartile */
  /* visits until a search had a cell within 2 % of the optimum, or all cells where it had none:
   * lower quartile, median, upper quartile */
  double to_close[3];
  /* of a search after Willemsen et al. (2024), in visits: lower quartile, median, upper quartile; 0
   * is random search, 1 the optimum at once */
  double score[3];
  double mean_score; /* that of the mean curve of all searches */
  /* visits after which random search has come 95 % of the way from the median to the optimum, but
   * no more than 200; the score is over that many */
  gint64 n_scored;
  gint64 points[CURED_SEARCH_REPLAY_POINTS]; /* numbers of visits */
  /* the optimum over the mean of what searches had after that many visits (or the other way round,
   * where higher is better); NaN: nothing yet */
  double reached[CURED_SEARCH_REPLAY_POINTS];
  double random[CURED_SEARCH_REPLAY_POINTS]; /* the same of random search, computed */
} CuredSearchReplay;

/**
 * CuredSearchReplayFunc:
 * @done: searches that have ended
 * @all: their total
 * @user_data: as it was given
 *
 * Called with progress, by any thread, but never by two at once. */
typedef void (*CuredSearchReplayFunc) (gint64 done, gint64 all, gpointer user_data);

gboolean cured_search_replay (CuredResult *result, gsize metric, guint n_seeds, gint64 budget,
                              const double *predicted, CuredSearchReplayFunc func,
                              gpointer user_data, GCancellable *cancellable,
                              CuredSearchReplay *replay, GError **error);
