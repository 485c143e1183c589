/* SPDX-License-Identifier: MIT
 * What a cell costs beside others. */
#pragma once

#include "run/cured-estimate.h"

void _cured_estimate_costs (CuredPlan *plan, const CuredLimits *const *limits, double *costs);
