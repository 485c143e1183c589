/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "plot/bank/cured-bank-plot.h"

G_BEGIN_DECLS

const CuredBankAccess *cured_bank_plot_get_access (const CuredBankPlot *self);
void cured_bank_plot_geometry_get_chip (const CuredBankPlotGeometry *self,
                                        const CuredBankPlot *plot, gsize chip, CuredRect *rect);
guint cured_bank_plot_get_bank_turns (const CuredBankPlot *self, guint bank);
guint cured_bank_plot_get_n_banks (const CuredBankPlot *self);
gboolean cured_bank_plot_is_bank_in_conflict (const CuredBankPlot *self, guint bank);

G_END_DECLS
