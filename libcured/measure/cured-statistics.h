/* SPDX-License-Identifier: MIT
 * Robust statistics of a list of samples. */
#pragma once

#include <glib.h>

/* All in the samples' unit; NaN if there are too few samples. @low and @high are order statistics
 * that enclose the median with 95 % confidence (binomial, without assumptions about the
 * distribution). */
typedef struct
{
  gsize n;
  double min, q1, median, q3, p90, p99, max, mean, low, high;
} CuredStatistics;

void cured_statistics_init (CuredStatistics *self, const double *samples, gsize n_samples);
