/* SPDX-License-Identifier: MIT
 * Looks for the best cell of a sweep without visiting all of them. */
#pragma once

#include <glib.h>

#include "base/cured-metric.h"
#include "measure/cured-outcome.h"
#include "plan/cured-plan.h"

/* Chooses the next cell of a grid to visit, and gets its value. Independent of devices: the grid
 * may be a plan's or one of recorded numbers. Belongs to one thread at a time.
 *
 * At first some cells are drawn at random. A model of the cells seen chooses the next ones,
 * until many were no better than the best one; after some time without a better one, every
 * other one is a neighbour of the best cell. It ends with a descent from the best cell:
 * downhill, one axis after the other, by 1 and 2 steps and to both ends. With a budget, or by
 * predicted times, further descents begin at a kick of the best cell, with other positions on
 * two of its axes. A grid of 32 to 130 cells is searched without descents, until no gain is
 * expected. */
typedef struct _CuredSearch CuredSearch;

/**
 * CuredSearchAllowedFunc:
 * @cell: a cell of the grid
 *
 * Returns: whether the cell may be visited */
typedef gboolean (*CuredSearchAllowedFunc) (gint64 cell, gpointer user_data);

/* The state of a search, and how certain it is. */
typedef struct
{
  gint64 n_cells;   /* cells that may be visited */
  gint64 n_visited; /* cells visited */
  gint64 n_drawn;   /* of those, drawn at random */
  gint64 n_guided;  /* of those, chosen by predictions */
  gint64 n_most;    /* limit of cells to visit */
  gint64 best;      /* the best cell; -1: none yet */
  double value;     /* its value */
  double low;       /* lower end of the value's interval */
  double high;      /* upper end */
  guint n_descents; /* finished descents */
  /* of those, ended in cells that can't be distinguished from the best one, or are less than half a
   * percent worse */
  guint n_agreeing;
  /* with 95 % confidence, the greatest number of better cells in the grid: with more, one of them
   * would have been drawn; 0 if all were visited */
  gint64 n_better;
  gboolean is_finished; /* nothing is left to visit */
} CuredSearchReport;

CuredSearch *cured_search_new (const gsize *lengths, gsize n_axes,
                               CuredSearchAllowedFunc is_allowed, gpointer user_data,
                               gboolean higher_is_better, guint64 seed);
CuredSearch *cured_search_new_for_plan (CuredPlan *plan, CuredMetric metric, guint64 seed);
void cured_search_set_budget (CuredSearch *self, gint64 n_cells, double seconds);
void cured_search_set_predicted (CuredSearch *self, const double *times);
void cured_search_free (CuredSearch *self);
CuredMetric cured_search_get_metric (const CuredSearch *self);
void cured_search_add_outcome (CuredSearch *self, gint64 cell, const CuredOutcome *outcome);
void cured_search_get_report (CuredSearch *self, CuredSearchReport *report);
GArray *cured_search_list_alike (CuredSearch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSearch, cured_search_free)
