/* SPDX-License-Identifier: MIT
 * Completes a draft by the compiler. */
#pragma once

#include "draft/cured-header-draft.h"

gboolean cured_header_draft_complete (CuredHeaderDraft *self, const char *path, const char *source,
                                      GError **error);
