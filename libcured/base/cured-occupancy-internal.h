/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-occupancy.h"

int cured_occupancy_get_max_threads (const CuredProfile *profile, int registers);
