/* SPDX-License-Identifier: MIT
 * Horizontal bars with lines across them: geometry, and drawing with Cairo. */
#pragma once

#include "plot/cured-chart.h"
#include "study/cured-ladder.h"

typedef struct
{
  char *number;        /* (nullable): text before the label */
  char *label;         /* what it is */
  char *text;          /* the value, written out */
  double value;        /* its length, in the bars' unit; NaN: there is none */
  double tick;         /* a second value that is marked in the bar; NaN: none */
  gboolean is_current; /* is what the rest of the window shows */
  gboolean is_soft;    /* is not exactly what the others are: hatched */
} CuredBar;

typedef struct
{
  char *label;       /* what it is, with its value */
  double value;      /* where it is; NaN: nowhere */
  gboolean is_limit; /* nothing is expected beyond it */
} CuredBarLine;

typedef struct
{
  CuredChart chart; /* items are bars */
  char *title;      /* of the axis of values */
  const char *unit; /* of all values, as of a metric */
  char *tick_title; /* (nullable): what the ticks are, below the bars */
  GArray *bars;     /* (element-type CuredBar) */
  GArray *lines;    /* (element-type CuredBarLine) */
} CuredBars;

CuredBars *cured_bars_new_for_ladder (const CuredLadderView *view, CuredMetric metric,
                                      const char *current);
