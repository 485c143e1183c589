/* SPDX-License-Identifier: MIT
 * Data flow: the parts of each buffer that a block reads and writes, and a warp's accesses to
 * shared memory, step by step. */
#pragma once

#include "inspect/cured-bank-view.h"
#include "plot/cured-chart.h"

CuredChart *cured_flow_plot_new (CuredBankView *view);
