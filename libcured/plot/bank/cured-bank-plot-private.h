/* SPDX-License-Identifier: MIT
 * What the files that lay an access out share. */
#pragma once

#include "plot/bank/cured-bank-plot.h"
#include "plot/cured-paint-private.h"

G_BEGIN_DECLS

/* Of addresses. */
typedef struct
{
  guint32 word;    /* the first of the row, a multiple of the columns */
  guint n_skipped; /* 0: a row of words; else it stands for so many that nobody touches */
} CuredBankPlotRow;

/* Where the parts of a picture are. */
typedef struct
{
  double width;
  double height;
  CuredRect plot;     /* where chips are seen; what is scrolled out of it is clipped */
  double cell_width;  /* of a bank or word */
  double cell_height; /* of a wavefront or row of words */
  double content_height;
  double scroll; /* what of the content is above the plot */
  double line_height;
  gboolean has_labels;
} CuredBankPlotGeometry;

static inline const CuredBankChip *
_cured_bank_plot_get_chip (const CuredBankPlot *self, gsize chip)
{
  return &g_array_index (self->chips, CuredBankChip, chip);
}

guint _cured_bank_plot_get_n_rows (const CuredBankPlot *self);
void _cured_bank_plot_get_place (const CuredBankPlot *self, const CuredBankChip *chip,
                                 guint *column, guint *row);
gboolean _cured_bank_plot_is_bank_in_conflict (const CuredBankPlot *self, guint bank);
void _cured_bank_plot_geometry_init (CuredBankPlotGeometry *self, const CuredBankPlot *plot,
                                     const CuredChartShown *shown);
void _cured_bank_plot_geometry_get_chip (const CuredBankPlotGeometry *self,
                                         const CuredBankPlot *plot, gsize chip, CuredRect *rect);
void _cured_bank_plot_measure (const CuredChart *chart, const CuredPlotStyle *style,
                               double for_width, double *least_width, double *width,
                               double *height);
gssize _cured_bank_plot_pick (const CuredChart *chart, const CuredChartShown *shown, double x,
                              double y);
void _cured_bank_plot_locate (const CuredChart *chart, const CuredChartShown *shown, gsize item,
                              CuredRect *rect);
void _cured_bank_plot_get_rows (const CuredChart *chart, const CuredChartShown *shown,
                                CuredChartRows *rows);
void _cured_bank_plot_draw (const CuredChart *chart, cairo_t *cr, const CuredChartShown *shown);

G_END_DECLS
