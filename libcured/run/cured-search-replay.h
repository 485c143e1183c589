/* SPDX-License-Identifier: MIT
 * Replays searches on a complete result file, to evaluate the search. */
#pragma once

#include <glib.h>

#include "store/cured-result.h"

/* Number of points, in visits, at which a replay reports the progress of searches. */
#define CURED_SEARCH_REPLAY_POINTS 5

/* The results of searches on a file with different seeds. */
typedef struct
{
  gint64 n_cells;     /* cells with a state in the file */
  double optimum;     /* the best value */
  guint n_seeds;      /* searches */
  guint n_near;       /* searches that ended within 1 % of the optimum */
  guint n_at_optimum; /* searches that ended at the optimum */
  double visits[3];   /* cells visited per search: lower quartile, median, upper quartile */
  /* visits until a search had a cell within 2 % of the optimum, or all of them if it had none:
   * lower quartile, median, upper quartile */
  double to_close[3];
  /* score per search by Willemsen et al. (2024), in visits: lower quartile, median, upper quartile;
   * 0 is random search, 1 the optimum at once */
  double score[3];
  double mean_score; /* score of the mean curve of all searches */
  /* visits after which random search has come 95 % of the way from the median to the optimum, but
   * no more than 200; the score is over that many */
  gint64 n_scored;
  gint64 points[CURED_SEARCH_REPLAY_POINTS]; /* numbers of visits */
  /* the optimum divided by the mean of the searches' best after that many visits (or the inverse,
   * if higher is better); NaN: nothing yet */
  double reached[CURED_SEARCH_REPLAY_POINTS];
  double random[CURED_SEARCH_REPLAY_POINTS]; /* the same for random search, computed */
} CuredSearchReplay;

/* *
 * CuredSearchReplayFunc:
 * @done: searches that have ended
 * @all: their total
 * @user_data: as passed to cured_search_replay()
 *
 * Called with progress, by any thread, but never by two at once. */
typedef void (*CuredSearchReplayFunc) (gint64 done, gint64 all, gpointer user_data);

gboolean cured_search_replay (CuredResult *result, gsize metric, guint n_seeds, gint64 budget,
                              const double *predicted, CuredSearchReplayFunc func,
                              gpointer user_data, GCancellable *cancellable,
                              CuredSearchReplay *replay, GError **error);
