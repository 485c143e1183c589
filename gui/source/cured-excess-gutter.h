/* SPDX-License-Identifier: MIT
 * Excess wavefronts beside the lines of a source. */
#pragma once

#include <gtksourceview/gtksource.h>

#include "cured.h"

#define CURED_TYPE_EXCESS_GUTTER (cured_excess_gutter_get_type ())
/* A number per line that accesses shared memory, on a ground that is the warmer the more it is; a
 * line's figures in its tooltip. */
G_DECLARE_FINAL_TYPE (CuredExcessGutter, cured_excess_gutter, CURED, EXCESS_GUTTER,
                      GtkSourceGutterRendererText)

CuredExcessGutter *cured_excess_gutter_new (void);
void cured_excess_gutter_set_inspection (CuredExcessGutter *self, CuredInspection *inspection);
