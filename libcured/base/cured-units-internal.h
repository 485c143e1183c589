/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-units.h"

G_BEGIN_DECLS

char *cured_format_quantity_aligned (double value, const char *unit, double scale_of);
gboolean cured_parse_file_number (const char *text, double *value, GError **error);

G_END_DECLS
