/* SPDX-License-Identifier: MIT
 * The emulator's findings in a cell that failed on a device. */
#pragma once

#include "map/cured-cell-card.h"
#include "model/cured-inspector.h"

#define CURED_TYPE_DIAGNOSIS_CARD (cured_diagnosis_card_get_type ())
/* For a cell that a device called wrong or timed out: runs it on the emulator while the card is
 * visible, and shows the findings with their lines. */
G_DECLARE_FINAL_TYPE (CuredDiagnosisCard, cured_diagnosis_card, CURED, DIAGNOSIS_CARD,
                      CuredCellCard)

void cured_diagnosis_card_set_inspector (CuredDiagnosisCard *self, CuredDocument *document,
                                         CuredInspector *inspector);
