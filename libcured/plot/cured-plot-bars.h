/* SPDX-License-Identifier: MIT
 * Horizontal bars with lines across them: geometry, and drawing with Cairo. */
#pragma once

#include "plot/cured-chart.h"
#include "study/cured-ladder.h"

G_BEGIN_DECLS

/**
 * CuredBar:
 * @number: (nullable): text before the label
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
 * @chart: items are bars
 * @title: of the axis of values
 * @unit: of all values, as of a metric
 * @tick_title: (nullable): what the ticks are, below the bars
 * @bars: (element-type CuredBar)
 * @lines: (element-type CuredBarLine)
 */
typedef struct
{
  CuredChart chart;
  char *title;
  const char *unit;
  char *tick_title;
  GArray *bars;
  GArray *lines;
} CuredBars;

CuredBars *cured_bars_new_for_ladder (const CuredLadderView *view, CuredMetric metric,
                                      const char *current);

G_END_DECLS
