/* SPDX-License-Identifier: MIT
 * What charts of a result's cells share. */
#pragma once

#include "plot/map/cured-map-charts.h"
#include "plot/map/cured-map-plot-private.h"

typedef struct
{
  CuredChartClass chart;
  gint64 (*get_cell) (const CuredChart *self, gsize item); /* of the result, that an item is of */
} CuredMapChartClass;

char *_cured_map_chart_name_cell (CuredResult *result, gint64 cell);

typedef struct
{
  CuredChart chart;
} CuredMapChart;
