/* SPDX-License-Identifier: MIT
 * A button that tells a document's point, and lets one move. */
#pragma once

#include <adwaita.h>

#include "model/cured-document.h"

#define CURED_TYPE_POINT_BUTTON (cured_point_button_get_type ())
G_DECLARE_FINAL_TYPE (CuredPointButton, cured_point_button, CURED, POINT_BUTTON, AdwBin)

void cured_point_button_set_document (CuredPointButton *self, CuredDocument *document);
const char *cured_point_button_get_text (CuredPointButton *self);
