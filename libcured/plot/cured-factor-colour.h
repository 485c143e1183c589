/* SPDX-License-Identifier: MIT
 * A colour for each name that the metric `limiter` can have. */
#pragma once

#include "plot/cured-colour-map.h"

CuredColour cured_factor_get_colour (int limit);
