/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-limits.h"
#include "base/cured-occupancy.h"

gboolean cured_limits_set (CuredLimits *self, const char *name, gint64 value);
int cured_occupancy_get_max_threads (const CuredProfile *profile, int registers);
