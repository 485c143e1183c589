/* SPDX-License-Identifier: MIT
 * The kernel, what it compiles to, and what was found in it. */
#pragma once

#include <adwaita.h>

#include "cured-inspector.h"

G_BEGIN_DECLS

#define CURED_TYPE_SOURCE_PAGE (cured_source_page_get_type ())
G_DECLARE_FINAL_TYPE (
    CuredSourcePage, cured_source_page, CURED, SOURCE_PAGE, AdwBin)

void cured_source_page_set_document (CuredSourcePage *self,
                                     CuredDocument *document,
                                     CuredInspector *inspector);

G_END_DECLS
