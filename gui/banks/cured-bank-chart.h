/* SPDX-License-Identifier: MIT
 * The picture of one access on screen: chips, pointer and keyboard cursor. */
#pragma once

#include "widgets/cured-picture.h"

G_BEGIN_DECLS

#define CURED_TYPE_BANK_CHART (cured_bank_chart_get_type ())
/**
 * CuredBankChart:
 *
 * Scrolls by itself: put it into a #GtkScrolledWindow. Signals: `cursor-moved`: another chip is
 * under the pointer or the cursor.
 */
G_DECLARE_FINAL_TYPE (CuredBankChart, cured_bank_chart, CURED, BANK_CHART, CuredPicture)

void cured_bank_chart_set_access (CuredBankChart *self, const CuredBankAccess *access,
                                  const char *why);
void cured_bank_chart_set_mode (CuredBankChart *self, CuredBankPlotMode mode);
void cured_bank_chart_set_wavefront (CuredBankChart *self, gssize wavefront);
void cured_bank_chart_align (CuredBankChart *self, CuredBankChart *beside);
const CuredBankPlot *cured_bank_chart_get_plot (CuredBankChart *self);
gssize cured_bank_chart_get_wavefront (CuredBankChart *self);
gssize cured_bank_chart_get_chip (CuredBankChart *self);
int cured_bank_chart_get_lane (CuredBankChart *self);
void cured_bank_chart_point_at_lane (CuredBankChart *self, int lane);
char *cured_bank_chart_get_read_out (CuredBankChart *self);

G_END_DECLS
