/* SPDX-License-Identifier: MIT
 * Sorting numbers and texts, and medians. */
#pragma once

#include <glib.h>

int _cured_compare_texts (gconstpointer a, gconstpointer b);
int _cured_compare_integers (gconstpointer a, gconstpointer b);
int _cured_compare_doubles (gconstpointer a, gconstpointer b);
double _cured_median (double *values, gsize n);
