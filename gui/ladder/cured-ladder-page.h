/* SPDX-License-Identifier: MIT
 * The steps of a family, from the textbook to the limit. */
#pragma once

#include <adwaita.h>

#include "model/cured-document.h"

G_BEGIN_DECLS

#define CURED_TYPE_LADDER_PAGE (cured_ladder_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredLadderPage, cured_ladder_page, CURED, LADDER_PAGE, AdwBin)

void cured_ladder_page_set_document (CuredLadderPage *self, CuredDocument *document);

G_END_DECLS
