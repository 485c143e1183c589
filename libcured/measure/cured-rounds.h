/* SPDX-License-Identifier: MIT
 * Combines rounds of samples, each from a fresh process. */
#pragma once

#include <glib.h>

typedef struct
{
  guint n;        /* number of rounds */
  double median;  /* the median of their medians */
  double between; /* the standard deviation of their medians over @median; NaN with one round */
  double low;  /* lower end of the 95 % interval for another process's median; NaN with one round */
  double high; /* upper end */
} CuredRounds;
