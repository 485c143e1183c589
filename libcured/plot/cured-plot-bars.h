/* SPDX-License-Identifier: MIT
 * Horizontal bars with lines across them: geometry, and drawing with Cairo. */
#pragma once

#include "plot/cured-paint.h"
#include "study/cured-ladder.h"

G_BEGIN_DECLS

/**
 * CuredBar:
 * @number: (nullable): what stands before the label
 * @label: what it is
 * @text: the value, written out
 * @value: its length, in the bars' unit; NaN: there is none
 * @tick: a second value that is marked in the bar; NaN: none
 * @is_current: is what the rest of the window shows
 * @is_soft: is not exactly what the others are: hatched
 */
typedef struct
{
  char *number;
  char *label;
  char *text;
  double value;
  double tick;
  gboolean is_current;
  gboolean is_soft;
} CuredBar;

/**
 * CuredBarLine:
 * @label: what it is, with its value
 * @value: where it is; NaN: nowhere
 * @is_limit: nothing is expected beyond it
 */
typedef struct
{
  char *label;
  double value;
  gboolean is_limit;
} CuredBarLine;

/**
 * CuredBars:
 * @title: of the axis of values
 * @unit: of all values, as of a metric
 * @bars: (element-type CuredBar)
 * @lines: (element-type CuredBarLine)
 */
typedef struct
{
  char *title;
  const char *unit;
  GArray *bars;
  GArray *lines;
} CuredBars;

CuredBars *cured_bars_new_for_ladder (const CuredLadderView *view, CuredMetric metric,
                                      const char *current);
void cured_bars_free (CuredBars *self);

/**
 * CuredBarsGeometry:
 * @width: of the whole drawing, in user units
 * @plot: where the bars are
 * @labels_width: of the labels left of @plot, numbers included
 * @numbers_width: of the numbers before them
 * @row_height: of a bar with the space around it
 * @line_height: of the text
 * @most: the value at the right end of @plot
 */
typedef struct
{
  double width;
  CuredRect plot;
  double labels_width;
  double numbers_width;
  double row_height;
  double line_height;
  double most;
} CuredBarsGeometry;

void cured_bars_geometry_init (CuredBarsGeometry *self, const CuredBars *bars,
                               const CuredPlotStyle *style, double width);
double cured_bars_geometry_get_height (const CuredBarsGeometry *self, const CuredBars *bars);
void cured_bars_geometry_get_row (const CuredBarsGeometry *self, guint bar, CuredRect *rect);
gboolean cured_bars_geometry_pick (const CuredBarsGeometry *self, const CuredBars *bars, double x,
                                   double y, guint *bar);
void cured_bars_draw (cairo_t *cr, const CuredBars *bars, const CuredBarsGeometry *geometry,
                      const CuredPlotStyle *style, gint selected, gint hovered);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredBars, cured_bars_free)

G_END_DECLS
