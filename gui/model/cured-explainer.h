/* SPDX-License-Identifier: MIT
 * Finds the limits of a result's cells in the background. */
#pragma once

#include "cured.h"

#define CURED_TYPE_EXPLAINER (cured_explainer_get_type ())
/* Explains one cell at a time in a thread, and keeps what it found. Main thread only. Signals:
 * `explained`, with the cell of which something is known now; `limiters-changed`: the result's
 * metric `limiter` has other values; `saved`: they are in its file. */
G_DECLARE_FINAL_TYPE (CuredExplainer, cured_explainer, CURED, EXPLAINER, GObject)

CuredExplainer *cured_explainer_new (void);
void cured_explainer_set_result (CuredExplainer *self, CuredResult *result);
void cured_explainer_set_paused (CuredExplainer *self, gboolean is_paused);
const char *cured_explainer_get_problem (CuredExplainer *self);
void cured_explainer_set_cell (CuredExplainer *self, gint64 cell);
void cured_explainer_set_cells (CuredExplainer *self, const gint64 *cells, gsize n_cells);
gboolean cured_explainer_get_progress (CuredExplainer *self, guint *n_done, guint *n_all);
void cured_explainer_forget_cell (CuredExplainer *self, gint64 cell);
const CuredExplanation *cured_explainer_get_explanation (CuredExplainer *self, gint64 cell,
                                                         const char **problem);
const CuredMachine *cured_explainer_get_machine (CuredExplainer *self);
