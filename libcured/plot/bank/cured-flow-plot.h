/* SPDX-License-Identifier: MIT
 * How data flows: which part of each buffer a block reads and writes, and what a warp does to
 * shared memory, step by step. */
#pragma once

#include "inspect/cured-bank-view.h"
#include "plot/cured-chart.h"

CuredChart *cured_flow_plot_new (CuredBankView *view);
