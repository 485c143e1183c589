/* SPDX-License-Identifier: MIT
 * Functions that charts of a result's cells share. */
#pragma once

#include "plot/map/cured-map-charts.h"
#include "plot/map/cured-map-plot-private.h"

typedef struct
{
  CuredChartClass chart;
  gint64 (*get_cell) (const CuredChart *self, gsize item); /* the result's cell of an item */
} CuredMapChartClass;

typedef struct
{
  CuredChart chart;
} CuredMapChart;

/* An axis with numbers. */
typedef struct
{
  char *title;
  const char *unit;
  double low, high;
  gboolean is_logarithmic;
} CuredMapScale;

char *_cured_map_chart_name_cell (CuredResult *result, gint64 cell);
void _cured_map_chart_get_plot (const CuredChartShown *shown, double bottom_lines, CuredRect *plot,
                                double *line);
gssize _cured_map_chart_move (const CuredChart *chart, gssize item, int columns, int rows,
                              int pages);
double _cured_map_scale_get_share (const CuredMapScale *self, double value);
void _cured_map_scale_add_margin (CuredMapScale *self, double share);
void _cured_map_scale_draw (const CuredMapScale *self, cairo_t *cr, const CuredPlotStyle *style,
                            CuredPlotText *text, const CuredRect *plot, double line);
