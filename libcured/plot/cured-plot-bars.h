/* SPDX-License-Identifier: MIT
 * Horizontal bars with lines across them: geometry, and drawing with Cairo. */
#pragma once

#include "plot/cured-chart.h"
#include "study/cured-ladder.h"

typedef struct
{
  char *number; /* (nullable): text before the label */
  char *label;
  char *text;          /* the value as text */
  double value;        /* its length, in the bars' unit; NaN: there is none */
  double tick;         /* a second value, marked in the bar; NaN: none */
  gboolean is_current; /* the rest of the window shows this one */
  gboolean is_soft;    /* not fully comparable to the others: drawn hatched */
} CuredBar;

typedef struct
{
  char *label;       /* name and value */
  double value;      /* its position; NaN: not drawn */
  gboolean is_limit; /* no bar is expected to exceed it */
} CuredBarLine;

typedef struct
{
  CuredChart chart; /* items are bars */
  char *title;      /* title of the axis of values */
  const char *unit; /* unit of all values, like a metric's */
  char *tick_title; /* (nullable): meaning of the ticks, shown below the bars */
  GArray *bars;     /* (element-type CuredBar) */
  GArray *lines;    /* (element-type CuredBarLine) */
} CuredBars;

CuredBars *cured_bars_new_for_ladder (const CuredLadderView *view, CuredMetric metric,
                                      const char *current);
