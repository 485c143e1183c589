/* SPDX-License-Identifier: MIT
 * A result as text for other programs: CSV and JSON, always in C locale. */
#pragma once

#include "store/cured-result.h"
