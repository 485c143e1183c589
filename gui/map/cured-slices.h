/* SPDX-License-Identifier: MIT
 * The slice of a result that a map shows: its axes, and a slider for each other. */
#pragma once

#include <adwaita.h>

#include "model/cured-map-view.h"

#define CURED_TYPE_SLICES (cured_slices_get_type ())
/* The sliders; the drop-downs of the axes are elsewhere. Both are bound to the view. */
G_DECLARE_FINAL_TYPE (CuredSlices, cured_slices, CURED, SLICES, AdwBin)

void cured_slices_set_view (CuredSlices *self, CuredMapView *view, GtkDropDown *x_axis,
                            GtkDropDown *y_axis);
