/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/cured-header-draft.h"

G_BEGIN_DECLS

gboolean cured_header_is_there (const char *source);

G_END_DECLS
