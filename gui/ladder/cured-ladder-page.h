/* SPDX-License-Identifier: MIT
 * The steps of a family, from the textbook to the limit. */
#pragma once

#include "widgets/cured-page.h"

/* Shows the family of the document's kernel. What was recorded of it is read in a thread. */
#define CURED_TYPE_LADDER_PAGE (cured_ladder_page_get_type ())
G_DECLARE_FINAL_TYPE (CuredLadderPage, cured_ladder_page, CURED, LADDER_PAGE, CuredPage)
