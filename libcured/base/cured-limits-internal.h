/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-limits.h"

G_BEGIN_DECLS

gboolean cured_limits_set (CuredLimits *self, const char *name, gint64 value);

G_END_DECLS
