/* SPDX-License-Identifier: MIT
 * Charts of many cells: a map for each value of a parameter, and one metric against another. */
#pragma once

#include "plot/cured-chart.h"
#include "plot/map/cured-grid.h"
#include "study/cured-history.h"

/* Limit of maps side by side; with more values, every second, third … one has a
 * map. */
#define CURED_MULTIPLES_MOST 24

CuredChart *cured_multiples_new (CuredResult *result, const CuredView *view, gsize axis);
CuredChart *cured_scatter_new (CuredResult *result, const CuredView *view, gsize metric);
CuredChart *cured_history_plot_new (CuredResult *const *results, const CuredHistorySeries *series,
                                    const char *metric);
gint64 cured_map_chart_get_cell (const CuredChart *chart, gsize item);
gssize cured_map_chart_find_item (const CuredChart *chart, gint64 cell);
