/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "study/cured-match.h"

G_BEGIN_DECLS

gint64 cured_match_find_cell (const CuredMatchSide *side, CuredResult *result, gsize *positions);
gboolean cured_match_find_value (const CuredAxis *axis, gsize index, const CuredAxis *other,
                                 gsize *position);

G_END_DECLS
