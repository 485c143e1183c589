/* SPDX-License-Identifier: MIT
 * The limit of a cell: a sentence, and a bar for each resource. */
#pragma once

#include "map/cured-cell-card.h"
#include "model/cured-document.h"
#include "model/cured-explainer.h"

#define CURED_TYPE_WHY_CARD (cured_why_card_get_type ())
/* Asks an explainer of one cell while it is seen, and shows what that says. */
G_DECLARE_FINAL_TYPE (CuredWhyCard, cured_why_card, CURED, WHY_CARD, CuredCellCard)

void cured_why_card_set_explainer (CuredWhyCard *self, CuredDocument *document,
                                   CuredExplainer *explainer);
