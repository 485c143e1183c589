/* SPDX-License-Identifier: MIT
 * The best cells of several files, one after the other. */
#pragma once

#include "study/cured-comparison.h"

typedef struct
{
  guint file;  /* index of the result */
  gint64 cell; /* its best cell of the series; -1: none is ok and has the metric */
  /* that cell compared with that of the last previous entry that has one; for the first, the
   * verdict is %CURED_VERDICT_SAME */
  CuredPair pair;
} CuredHistoryEntry;

typedef struct
{
  char *title;     /* kernel, device and problem, which are equal in all compared cells */
  GArray *entries; /* (element-type CuredHistoryEntry): in the order of the files' dates */
} CuredHistorySeries;

GPtrArray *cured_history_new (CuredResult *const *results, guint n_results, const char *metric,
                              CuredResult *like, gint64 like_cell, GError **error);
