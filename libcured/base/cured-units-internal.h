/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-units.h"

char *cured_format_quantity_aligned (double value, const char *unit, double scale_of);
gboolean cured_parse_file_number (const char *text, double *value, GError **error);
