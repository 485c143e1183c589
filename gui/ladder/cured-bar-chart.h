/* SPDX-License-Identifier: MIT
 * Bars on screen, one of which is selected. */
#pragma once

#include "widgets/cured-picture.h"

G_BEGIN_DECLS

#define CURED_TYPE_BAR_CHART (cured_bar_chart_get_type ())
/**
 * CuredBarChart:
 *
 * Signals: `selection-changed`, by keys, pointer or a call; `activated`: Enter, or a double click.
 */
G_DECLARE_FINAL_TYPE (CuredBarChart, cured_bar_chart, CURED, BAR_CHART, CuredPicture)

void cured_bar_chart_set_bars (CuredBarChart *self, CuredBars *bars, GStrv tooltips, int selected);
const CuredBars *cured_bar_chart_get_bars (CuredBarChart *self);
int cured_bar_chart_get_selected (CuredBarChart *self);
void cured_bar_chart_set_selected (CuredBarChart *self, int bar);

G_END_DECLS
