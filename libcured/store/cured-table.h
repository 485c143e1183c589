/* SPDX-License-Identifier: MIT
 * A result as text for other programs: CSV and JSON, always in C locale. */
#pragma once

#include "store/cured-result.h"

G_BEGIN_DECLS

G_END_DECLS
