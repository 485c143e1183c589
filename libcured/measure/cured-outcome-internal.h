/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "measure/cured-outcome.h"

G_BEGIN_DECLS

const char *cured_stage_get_title (CuredStage stage);
void cured_outcome_fill_times (CuredOutcome *self);
void cured_outcome_add_round (CuredOutcome *self, const CuredOutcome *earlier);
guint cured_outcome_get_missing_rounds (const CuredOutcome *self, guint n_wanted);
void cured_outcome_fill_work (CuredOutcome *self);
void cured_outcome_set_state (CuredOutcome *self, CuredState state, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
const char *cured_stage_to_string (CuredStage stage);
gboolean cured_state_from_string (const char *text, CuredState *state);

G_END_DECLS
