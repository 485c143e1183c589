/* SPDX-License-Identifier: MIT
 * A colour for each name that the metric `limiter` can have. */
#pragma once

#include "plot/cured-colour-map.h"

G_BEGIN_DECLS

CuredColour cured_limit_get_colour (int limit);

G_END_DECLS
