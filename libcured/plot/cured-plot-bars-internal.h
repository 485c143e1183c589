/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "plot/cured-plot-bars.h"

void cured_bars_add (CuredBars *self, const CuredBar *bar);
void cured_bars_add_line (CuredBars *self, const CuredBarLine *line);
CuredBars *cured_bars_new (const char *title, const char *unit);
