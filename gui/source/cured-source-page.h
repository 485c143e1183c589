/* SPDX-License-Identifier: MIT
 * The kernel, what it compiles to, and what was found in it. */
#pragma once

#include "widgets/cured-page.h"

#define CURED_TYPE_SOURCE_PAGE (cured_source_page_get_type ())
/* An editor for the document's source, with figures a line in its gutter, the problems below it and
 * the PTX beside it. Signals: `message (const char *)`: something was done, for a toast; `saved
 * (GFile *)`: the source was written. */
G_DECLARE_FINAL_TYPE (CuredSourcePage, cured_source_page, CURED, SOURCE_PAGE, CuredPage)

void cured_source_page_commit (CuredSourcePage *self);
