/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "plot/cured-colour-map.h"

const CuredColourMap *cured_colour_map_diverging (gsize *n_maps);
gboolean cured_colour_map_is_diverging (const CuredColourMap *self);
