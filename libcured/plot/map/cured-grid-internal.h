/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include <math.h>

#include "plot/map/cured-grid.h"

double cured_grid_get_value (const CuredGrid *self, double position);
void _cured_grid_get_ends (const CuredGrid *self, double *low, double *high);

/* The cell's value; NaN if it is not ok or has none. */
static inline double
_cured_grid_get_ok_value (CuredResult *result, gsize metric, gint64 cell)
{
  double value = cured_result_get_state (result, cell) == CURED_STATE_OK
                     ? cured_result_get_value (result, cell, metric)
                     : NAN;

  return isfinite (value) ? value : NAN;
}

static inline gboolean
_cured_grid_has_run (CuredResult *result, gint64 cell)
{
  CuredState state = cured_result_get_state (result, cell);

  return state != CURED_STATE_NOT_RUN && state != CURED_STATE_NOT_LAUNCHABLE;
}
