/* SPDX-License-Identifier: MIT
 * Cells as tables of counters name them. */
#pragma once

#include <cured.h>

gboolean cell_values_read (CuredKernel *kernel, const char *text, gint64 *values);
