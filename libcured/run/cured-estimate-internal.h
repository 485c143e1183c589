/* SPDX-License-Identifier: MIT
 * The cost of cells relative to each other. */
#pragma once

#include "run/cured-estimate.h"

void _cured_estimate_costs (CuredPlan *plan, const CuredLimits *const *limits, double *costs);
