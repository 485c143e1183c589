/* SPDX-License-Identifier: MIT
 * Which thread of a block touches which element of which buffer. */
#pragma once

#include "inspect/cured-bank-view.h"
#include "plot/cured-chart.h"

CuredChart *cured_thread_plot_new (CuredBankView *view);
