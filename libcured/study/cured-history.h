/* SPDX-License-Identifier: MIT
 * The best cells of several files, one after the other. */
#pragma once

#include "study/cured-comparison.h"

G_BEGIN_DECLS

/**
 * CuredHistoryEntry:
 * @file: index of the result
 * @cell: its best cell of the series; -1: none is ok and has the metric
 * @pair: that cell beside the one of the last entry before it that has one; of the first, nothing
 *   is compared, and the verdict is %CURED_VERDICT_SAME
 */
typedef struct
{
  guint file;
  gint64 cell;
  CuredPair pair;
} CuredHistoryEntry;

/**
 * CuredHistorySeries:
 * @title: kernel, device and problem: cells are compared where all three are equal
 * @entries: (element-type CuredHistoryEntry): in the order of the files' dates
 */
typedef struct
{
  char *title;
  GArray *entries;
} CuredHistorySeries;

GPtrArray *cured_history_new (CuredResult *const *results, guint n_results, const char *metric,
                              GError **error);

G_END_DECLS
