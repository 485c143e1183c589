/* SPDX-License-Identifier: MIT
 * Sorting numbers, and their median. */
#pragma once

#include <glib.h>

int _cured_compare_doubles (gconstpointer a, gconstpointer b);
double _cured_median (double *values, gsize n);
