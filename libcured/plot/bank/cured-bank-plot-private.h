/* SPDX-License-Identifier: MIT
 * What the files that lay an access out share. */
#pragma once

#include "plot/bank/cured-bank-plot.h"
#include "plot/cured-paint-private.h"

G_BEGIN_DECLS

/**
 * CuredBankPlotRow: of addresses.
 * @word: the first of the row, a multiple of the columns
 * @n_skipped: 0: a row of words; else it stands for so many that nobody touches
 */
typedef struct
{
  guint32 word;
  guint n_skipped;
} CuredBankPlotRow;

struct _CuredBankPlot
{
  CuredBankAccess access;
  gboolean is_known;
  guint n_banks;
  CuredBankCounts counts;
  GArray *chips;    /* (element-type CuredBankChip): of banks */
  GArray *elements; /* (element-type CuredBankChip): of addresses */
  GArray *rows;     /* (element-type CuredBankPlotRow): of addresses */
  guint n_parts;    /* the most words that a bank serves at once */
  /* Of the picture beside it, whose rows are to be as high; 0: there is none. */
  guint rows_beside[2]; /* a #CuredBankPlotMode each */
  guint parts_beside;
};

guint _cured_bank_plot_get_n_columns (const CuredBankPlot *self);
guint _cured_bank_plot_get_n_rows (const CuredBankPlot *self, CuredBankPlotMode mode);
void _cured_bank_plot_get_place (const CuredBankPlot *self, CuredBankPlotMode mode,
                                 const CuredBankChip *chip, guint *column, guint *row);
const CuredBankChip *_cured_bank_plot_get_chip (const CuredBankPlot *self, CuredBankPlotMode mode,
                                                gsize chip);

G_END_DECLS
