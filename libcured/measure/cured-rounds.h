/* SPDX-License-Identifier: MIT
 * What rounds of samples, each in a fresh process, say together. */
#pragma once

#include <glib.h>

typedef struct
{
  guint n;        /* how many rounds there are */
  double median;  /* the median of their medians */
  double between; /* the standard deviation of their medians over @median; NaN with one round */
  double low;  /* lower end of where the median of another process is, 95 %; NaN with one round */
  double high; /* upper end */
} CuredRounds;
