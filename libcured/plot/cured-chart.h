/* SPDX-License-Identifier: MIT
 * A picture of any kind, with functions that measure, draw, pick, move and describe. */
#pragma once

#include "plot/cured-paint.h"

/* How a chart is shown. */
typedef struct
{
  const CuredPlotStyle *style; /* colours and font */
  double width;                /* width available, in user units */
  double height;               /* height available */
  double scroll;  /* height of rows scrolled out at the top, if the chart scrolls them itself */
  gssize item;    /* the marked item; -1: none */
  gssize hovered; /* the item under the pointer; -1: none */
  gssize step;    /* the step that is shown; -1: all */
} CuredChartShown;

/* The rows of a chart that scrolls them itself. */
typedef struct
{
  double top;  /* top of the rows, below parts that do not scroll */
  double all;  /* the height of all rows */
  double seen; /* the height of the visible ones */
  double each; /* the height of one */
} CuredChartRows;

/* *
 * CuredChart:
 * @n_items: number of items, which can be picked and marked
 * @n_steps: number of steps, which can be played
 *
 * The first member of the struct of each kind of picture. Pictures of banks, flow, threads, bars
 * and samples are charts; programs show and export all of them in the same way. */
typedef struct _CuredChart CuredChart;

/* The functions of a kind of picture. */
typedef struct
{
  /* @width and @height: the natural size; @least_width: below it, nothing is legible;
   * @for_width: negative for the natural width */
  void (*measure) (const CuredChart *self, const CuredPlotStyle *style, double for_width,
                   double *least_width, double *width, double *height);
  /* draws it from the origin; sizes of 0 are drawn as well */
  void (*draw) (const CuredChart *self, cairo_t *cr, const CuredChartShown *shown);
  /* (nullable): the item at a point, or -1 */
  gssize (*pick) (const CuredChart *self, const CuredChartShown *shown, double x, double y);
  /* (nullable): the rectangle that must be visible to see the item */
  void (*locate) (const CuredChart *self, const CuredChartShown *shown, gsize item,
                  CuredRect *rect);
  /* (nullable): the item to which a key moves from an item, or from none; without this function,
   * arrow keys go from step to step */
  gssize (*move) (const CuredChart *self, gssize item, int columns, int rows, int pages);
  /* a line about an item, a step or, with neither, the whole chart; translated */
  char *(*describe) (const CuredChart *self, gssize item, gssize step);
  /* (nullable): it scrolls its rows itself */
  void (*get_rows) (const CuredChart *self, const CuredChartShown *shown, CuredChartRows *rows);
  GDestroyNotify free; /* frees the chart */
} CuredChartClass;

struct _CuredChart
{
  const CuredChartClass *klass;
  gsize n_items, n_steps;
};

static inline void
cured_chart_free (CuredChart *self)
{
  self->klass->free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredChart, cured_chart_free)
