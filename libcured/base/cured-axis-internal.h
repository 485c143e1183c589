/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-axis.h"

gboolean cured_parse_integer (const char *text, gint64 *value, GError **error);

gint64 _cured_axis_number_text (const char *text);
