/* SPDX-License-Identifier: MIT
 * Which thread of a block touches which element of which buffer. */
#pragma once

#include "inspect/cured-bank-view.h"
#include "plot/cured-paint.h"

G_BEGIN_DECLS

/**
 * CuredThreadPlot:
 *
 * A picture of a #CuredBankView: the threads of the block, each with a colour of its own, and
 * beside them the elements of each buffer that the block touches, in the colour of the thread that
 * does. A cell is a thread or an element; cells of threads come first, so that the number of a
 * thread is that of its cell. Immutable.
 */
typedef struct _CuredThreadPlot CuredThreadPlot;

CuredThreadPlot *cured_thread_plot_new (CuredBankView *view);
void cured_thread_plot_free (CuredThreadPlot *self);
gsize cured_thread_plot_get_n_threads (const CuredThreadPlot *self);
void cured_thread_plot_measure (const CuredThreadPlot *self, const CuredPlotStyle *style,
                                double *width, double *height);
void cured_thread_plot_get_cell (const CuredThreadPlot *self, const CuredPlotStyle *style,
                                 gsize cell, CuredRect *rect);
gssize cured_thread_plot_find_cell (const CuredThreadPlot *self, const CuredPlotStyle *style,
                                    double x, double y);
gssize cured_thread_plot_move (const CuredThreadPlot *self, gssize cell, int columns, int rows,
                               int panels);
void cured_thread_plot_draw (cairo_t *cr, const CuredThreadPlot *self, const CuredPlotStyle *style,
                             gssize cell);
char *cured_thread_plot_describe (const CuredThreadPlot *self, gssize cell);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredThreadPlot, cured_thread_plot_free)

G_END_DECLS
