/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-limits.h"

gboolean cured_limits_set (CuredLimits *self, const char *name, gint64 value);
