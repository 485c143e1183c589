/* SPDX-License-Identifier: MIT
 * All that is known of one cell, and of the sweep that it belongs to. */
#pragma once

#include <adwaita.h>

#include "cured.h"

#include "model/cured-explainer.h"
#include "model/cured-inspector.h"

#define CURED_TYPE_CELL_DETAILS (cured_cell_details_get_type ())
G_DECLARE_FINAL_TYPE (CuredCellDetails, cured_cell_details, CURED, CELL_DETAILS, AdwBin)

gint64 cured_cell_details_get_cell (CuredCellDetails *self);
void cured_cell_details_set_metric (CuredCellDetails *self, gsize metric);
void cured_cell_details_set_explainer (CuredCellDetails *self, CuredDocument *document,
                                       CuredExplainer *explainer);
void cured_cell_details_set_inspector (CuredCellDetails *self, CuredDocument *document,
                                       CuredInspector *inspector);
void cured_cell_details_set_cell (CuredCellDetails *self, CuredResult *result, gint64 cell,
                                  gboolean is_best);
void cured_cell_details_update_counts (CuredCellDetails *self);
char *cured_cell_details_to_text (CuredCellDetails *self);
