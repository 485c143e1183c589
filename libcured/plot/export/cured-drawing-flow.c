/* SPDX-License-Identifier: MIT
 * How data flows, as drawings: through shared memory step by step, and from elements to threads. */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "plot/bank/cured-flow-plot.h"
#include "plot/bank/cured-thread-plot.h"
#include "plot/export/cured-drawing-banks.h"
#include "plot/export/cured-drawing-internal.h"

/* What is beyond is left out: the picture is of a small case. */
#define MAX_STEPS 48

/* Draws in a picture's own units what is that wide and high. */
static void
fit (cairo_t *cr, double width, double height, double own_width, double own_height)
{
  double scale = MIN (width / own_width, height / own_height);

  cairo_scale (cr, scale, scale);
}

static void
flow_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
           double height)
{
  const CuredFlowPlot *self = data;
  double own_width;
  double own_height;

  cured_flow_plot_measure (self, style, &own_width, &own_height);
  cairo_save (cr);
  fit (cr, width, height, own_width, own_height);
  cured_flow_plot_draw (cr, self, style, -1);
  cairo_restore (cr);
}

static void
flow_free (gpointer data)
{
  cured_flow_plot_free (data);
}

static const CuredDrawingClass flow_class = {
  .draw = flow_draw,
  .free = flow_free,
};

/**
 * cured_drawing_new_flow:
 * @view: accesses of a warp, in their order
 * @name: for a file, without a suffix
 * @title: what it is, such as the kernel's id
 * @first_line: (nullable): below it, such as its parameters
 * @second_line: (nullable): likewise, such as block and warp
 *
 * Draws what a warp does to shared memory from top to bottom: a column per word, a row per access,
 * and lines from what a lane loaded to where it stores next. A reduction is a tree. Above, a strip
 * per buffer shows what the block reads and writes. The first 48 accesses and 96 words are shown.
 * There is no table.
 *
 * Returns: (transfer full): the picture
 */
CuredDrawing *
cured_drawing_new_flow (CuredBankView *view, const char *name, const char *title,
                        const char *first_line, const char *second_line)
{
  CuredFlowPlot *self;
  CuredDrawing *drawing;
  CuredPlotStyle style;
  g_autofree char *footnote = NULL;
  double width;
  double height;

  g_return_val_if_fail (view != NULL, NULL);

  self = cured_flow_plot_new (view, MAX_STEPS, TRUE);
  cured_plot_style_init (&style, FALSE);
  cured_flow_plot_measure (self, &style, &width, &height);
  drawing = cured_drawing_new (&flow_class, self, name, width, height);
  footnote = g_strdup_printf (
      "%s Cured\u00a0%s",
      _ ("Blue: loaded; orange: stored. A column is a word of shared memory, a row an access of "
         "the warp; a line leads from what a lane loaded to where it stores next."),
      CURED_VERSION);
  cured_drawing_set_caption (drawing, title, first_line, second_line, footnote);
  return drawing;
}

typedef struct
{
  CuredThreadPlot *plot;
  gssize cell;
} Threads;

static void
threads_draw (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style, double width,
              double height)
{
  const Threads *self = data;
  double own_width;
  double own_height;

  cured_thread_plot_measure (self->plot, style, &own_width, &own_height);
  cairo_save (cr);
  fit (cr, width, height, own_width, own_height);
  cured_thread_plot_draw (cr, self->plot, style, self->cell);
  cairo_restore (cr);
}

static void
threads_free (gpointer data)
{
  Threads *self = data;

  cured_thread_plot_free (self->plot);
  g_free (self);
}

static const CuredDrawingClass threads_class = {
  .draw = threads_draw,
  .free = threads_free,
};

/**
 * cured_drawing_new_threads:
 * @view: what a block does
 * @cell: a thread, or another cell of a #CuredThreadPlot, that is marked; -1: none
 * @name: for a file, without a suffix
 * @title: what it is, such as the kernel's id
 * @first_line: (nullable): below it, such as its parameters
 * @second_line: (nullable): likewise, such as the block
 *
 * Draws the threads of a block and, beside them, the elements of each buffer in the colour of the
 * thread that touches them. There is no table.
 *
 * Returns: (transfer full): the picture
 */
CuredDrawing *
cured_drawing_new_threads (CuredBankView *view, gssize cell, const char *name, const char *title,
                           const char *first_line, const char *second_line)
{
  Threads *self;
  CuredDrawing *drawing;
  CuredPlotStyle style;
  g_autofree char *footnote = NULL;
  double width;
  double height;

  g_return_val_if_fail (view != NULL, NULL);

  self = g_new0 (Threads, 1);
  self->plot = cured_thread_plot_new (view);
  self->cell = cell;
  cured_plot_style_init (&style, FALSE);
  cured_thread_plot_measure (self->plot, &style, &width, &height);
  drawing = cured_drawing_new (&threads_class, self, name, width, height);
  footnote = g_strdup_printf (
      "%s Cured\u00a0%s",
      _ ("A thread has a colour, and an element the colour and the number of the thread that "
         "touches it; grey: several do. A number beside a row is that of its first element."),
      CURED_VERSION);
  cured_drawing_set_caption (drawing, title, first_line, second_line, footnote);
  return drawing;
}
