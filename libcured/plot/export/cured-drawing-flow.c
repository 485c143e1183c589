/* SPDX-License-Identifier: MIT
 * How data flows through shared memory, step by step, as a drawing. */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "plot/bank/cured-flow-plot.h"
#include "plot/export/cured-drawing-banks.h"
#include "plot/export/cured-drawing-internal.h"

/* What is beyond is left out: the picture is of a small case. */
#define MAX_STEPS 48

static void
flow_draw (gconstpointer data,
           cairo_t *cr,
           const CuredPlotStyle *style,
           double width,
           double height)
{
  const CuredFlowPlot *self = data;
  double own_width;
  double own_height;
  double scale;

  cured_flow_plot_measure (self, style, &own_width, &own_height);
  scale = MIN (width / own_width, height / own_height);
  cairo_save (cr);
  cairo_scale (cr, scale, scale);
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
 * Draws what a warp does to shared memory from top to bottom: a column per word,
 * a row per access, and lines from what a lane loaded to where it stores next.
 * A reduction is a tree. Above, a strip per buffer shows what the block reads and
 * writes. The first 48 accesses and 96 words are shown. There is no table.
 *
 * Returns: (transfer full): the picture
 */
CuredDrawing *
cured_drawing_new_flow (CuredBankView *view,
                        const char *name,
                        const char *title,
                        const char *first_line,
                        const char *second_line)
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
      _ ("Blue: loaded; orange: stored. A column is a word of shared memory, a "
         "row an access of the warp; a line leads from what a lane loaded to "
         "where it stores next."),
      CURED_VERSION);
  cured_drawing_set_caption (drawing, title, first_line, second_line, footnote);
  return drawing;
}
