/* SPDX-License-Identifier: MIT
 * The page of a family's steps. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- The steps of a family, from the textbook to the limit ---- */

/* Shows the family of the document's kernel. A thread reads its recordings. */
#define CURED_TYPE_LADDER_PAGE (cured_ladder_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredLadderPage, cured_ladder_page, CURED, LADDER_PAGE, CuredPage)
