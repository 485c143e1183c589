/* SPDX-License-Identifier: MIT
 * Sorting numbers, and their median. */

#include <stdlib.h>

#include "base/cured-base-internal.h"

/* Of an array of texts. */
int
_cured_compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Of an array of #gint64. */
int
_cured_compare_integers (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* For qsort(), g_array_sort() and their like; numbers that are not NaN. */
int
_cured_compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* The middle number, or the mean of the two; %CURED_MISSING if there are none. */
double
_cured_median (double *values, gsize n)
{
  if (n == 0)
    return CURED_MISSING;
  qsort (values, n, sizeof *values, _cured_compare_doubles);
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}
