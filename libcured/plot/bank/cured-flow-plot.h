/* SPDX-License-Identifier: MIT
 * How data flows: which part of each buffer a block reads and writes, and what a warp does to
 * shared memory, step by step. */
#pragma once

#include "inspect/cured-bank-view.h"
#include "plot/cured-paint.h"

G_BEGIN_DECLS

/**
 * CuredFlowPlot:
 *
 * A picture of a #CuredBankView, of a small case: from top to bottom, a row per access, a column
 * per word, and lines from what a lane loaded to where it stores next; above, a strip per buffer.
 * Immutable.
 */
typedef struct _CuredFlowPlot CuredFlowPlot;

CuredFlowPlot *cured_flow_plot_new (CuredBankView *view, gsize max_steps, gboolean has_slices);
void cured_flow_plot_free (CuredFlowPlot *self);
gsize cured_flow_plot_get_n_steps (const CuredFlowPlot *self);
void cured_flow_plot_measure (const CuredFlowPlot *self, const CuredPlotStyle *style, double *width,
                              double *height);
void cured_flow_plot_get_row (const CuredFlowPlot *self, const CuredPlotStyle *style, gsize step,
                              CuredRect *rect);
void cured_flow_plot_draw (cairo_t *cr, const CuredFlowPlot *self, const CuredPlotStyle *style,
                           gssize step);
char *cured_flow_plot_describe (const CuredFlowPlot *self, gssize step);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredFlowPlot, cured_flow_plot_free)

G_END_DECLS
