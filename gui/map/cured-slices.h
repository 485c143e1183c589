/* SPDX-License-Identifier: MIT
 * Which slice of a result a map shows: its axes, and a slider for each other. */
#pragma once

#include <adwaita.h>

#include "cured-plot.h"

G_BEGIN_DECLS

#define CURED_TYPE_SLICES (cured_slices_get_type ())
/**
 * CuredSlices:
 *
 * The sliders; the drop-downs of the axes stand elsewhere. What is chosen goes
 * into the view.
 *
 * Signals: `changing` before that; `changed` after it, with whether the axes
 * are others.
 */
G_DECLARE_FINAL_TYPE (CuredSlices, cured_slices, CURED, SLICES, AdwBin)

void cured_slices_set_drop_downs (CuredSlices *self,
                                  GtkDropDown *x_axis,
                                  GtkDropDown *y_axis);
void
cured_slices_set_view (CuredSlices *self, CuredResult *result, CuredView *view);
void cured_slices_set_axes (CuredSlices *self, gsize x_axis, gsize y_axis);

G_END_DECLS
