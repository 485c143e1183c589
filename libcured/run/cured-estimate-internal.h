/* SPDX-License-Identifier: MIT
 * What a cell costs beside others. */
#pragma once

#include "run/cured-estimate.h"

G_BEGIN_DECLS

void _cured_estimate_costs (CuredPlan *plan, const CuredLimits *const *limits, double *costs);

G_END_DECLS
