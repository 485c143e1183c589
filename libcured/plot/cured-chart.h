/* SPDX-License-Identifier: MIT
 * A picture of any kind: what measures, draws, picks, moves and describes it. */
#pragma once

#include "plot/cured-paint.h"

/* How a chart is shown. */
typedef struct
{
  const CuredPlotStyle *style; /* colours and font */
  double width;                /* the room that it has, in user units */
  double height;               /* likewise */
  double scroll;  /* what of its rows is above that room, of a chart that scrolls them itself */
  gssize item;    /* the one that is marked; -1: none */
  gssize hovered; /* the one under the pointer; -1: none */
  gssize step;    /* the one that is shown; -1: all */
} CuredChartShown;

/* Of a chart that scrolls its rows itself. */
typedef struct
{
  double top;  /* where they begin, below what does not scroll */
  double all;  /* the height of all rows */
  double seen; /* the height of the visible ones */
  double each; /* the height of one */
} CuredChartRows;

/**
 * CuredChart:
 * @n_items: what can be picked and marked, from 0 on
 * @n_steps: what can be played
 *
 * The first member of what a kind of picture consists of. Pictures of banks, flow, threads, bars
 * and samples are charts; a program shows and exports them all alike. */
typedef struct _CuredChart CuredChart;

/* What a kind of picture does. */
typedef struct
{
  /* in @width and @height the size at which all can be read, and below which width nothing can;
   * @for_width: negative: of the natural width */
  void (*measure) (const CuredChart *self, const CuredPlotStyle *style, double for_width,
                   double *least_width, double *width, double *height);
  /* draws it from the origin; sizes of 0 are drawn as well */
  void (*draw) (const CuredChart *self, cairo_t *cr, const CuredChartShown *shown);
  /* (nullable): the item at a point, or -1 */
  gssize (*pick) (const CuredChart *self, const CuredChartShown *shown, double x, double y);
  /* (nullable): the item's place, with all that must be visible with it */
  void (*locate) (const CuredChart *self, const CuredChartShown *shown, gsize item,
                  CuredRect *rect);
  /* (nullable): the item that keys lead to from one, or from none; arrow keys go from step to step
   * where there is no such function */
  gssize (*move) (const CuredChart *self, gssize item, int columns, int rows, int pages);
  /* a line about an item, a step or, with neither, all of it; translated */
  char *(*describe) (const CuredChart *self, gssize item, gssize step);
  /* (nullable): it scrolls its rows itself */
  void (*get_rows) (const CuredChart *self, const CuredChartShown *shown, CuredChartRows *rows);
  GDestroyNotify free; /* frees it */
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
