/* SPDX-License-Identifier: MIT
 * Sorting numbers, and their median. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

int _cured_compare_doubles (gconstpointer a, gconstpointer b);
double _cured_median (double *values, gsize n);

G_END_DECLS
