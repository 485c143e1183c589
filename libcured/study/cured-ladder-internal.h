/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "study/cured-ladder.h"

G_BEGIN_DECLS

gboolean cured_ladder_view_write_csv (const CuredLadderView *self, GOutputStream *stream,
                                      GCancellable *cancellable, GError **error);

G_END_DECLS
