/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "plot/map/cured-grid.h"

G_BEGIN_DECLS

double cured_grid_get_value (const CuredGrid *self, double position);
char *cured_grid_to_table (const CuredGrid *self);

G_END_DECLS
