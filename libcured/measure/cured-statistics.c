/* SPDX-License-Identifier: MIT
 * Robust statistics of a list of samples. */
#include "measure/cured-statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/cured-median-internal.h"
#include "base/cured-units.h"

/* Up to this many samples, ranks come from the exact binomial distribution, whose probabilities do
 * not underflow (0.5^n is normal up to n = 1022); beyond it the normal approximation differs by at
 * most one rank. */
#define EXACT_MOST 1000

/* With five samples, even the least and the greatest enclose the median with only 1 - 2/2^5 = 93.75
 * % confidence. */
#define INTERVAL_LEAST 6

/* The sample at @fraction of the way from the first to the last one, with linear interpolation
 * between neighbours (Hyndman and Fan's type 7, the default of R and NumPy). */
static double
quantile (const double *sorted, gsize n, double fraction)
{
  double position = fraction * (double) (n - 1);
  gsize below = (gsize) position;
  double weight = position - (double) below;

  if (below + 1 >= n)
    return sorted[n - 1];
  return sorted[below] + weight * (sorted[below + 1] - sorted[below]);
}

/* The number of samples under the population's median is binomial with p = 1/2, whatever the
 * distribution. So the samples of rank @rank from below and from above, counted from 0, enclose the
 * median with a probability of 1 - 2 P(X <= rank). Returns the greatest rank for which that is at
 * least 95 %. */
static gsize
interval_rank (gsize n)
{
  gsize rank = 0;

  if (n > EXACT_MOST)
    {
      double position = 0.5 * (double) n - 1.959963984540054 * 0.5 * sqrt ((double) n) - 0.5;

      return (gsize) floor (position);
    }

  double term = ldexp (1, -(int) n), sum = term;
  while (rank < n)
    {
      term *= (double) (n - rank) / (double) (rank + 1);
      if (sum + term > 0.025)
        break;
      sum += term;
      rank++;
    }
  return rank;
}

/* @self: (out caller-allocates): uninitialized memory
 * @samples: (array length=n_samples): finite numbers in any order; unchanged
 * @n_samples: number of samples; 0 gives NaN everywhere
 *
 * Percentiles and median interpolate linearly between neighbouring samples. The interval of the
 * median needs 6 samples; with fewer it is NaN. */
void
cured_statistics_init (CuredStatistics *self, const double *samples, gsize n_samples)
{
  double sum = 0;

  *self = (CuredStatistics){
    .n = n_samples,
    .min = CURED_MISSING,
    .q1 = CURED_MISSING,
    .median = CURED_MISSING,
    .q3 = CURED_MISSING,
    .p90 = CURED_MISSING,
    .p99 = CURED_MISSING,
    .max = CURED_MISSING,
    .mean = CURED_MISSING,
    .low = CURED_MISSING,
    .high = CURED_MISSING,
  };
  if (n_samples == 0)
    return;

  g_autofree double *sorted = g_memdup2 (samples, n_samples * sizeof *samples);
  qsort (sorted, n_samples, sizeof *sorted, _cured_compare_doubles);
  for (gsize i = 0; i < n_samples; i++)
    sum += sorted[i];

  self->min = sorted[0];
  self->q1 = quantile (sorted, n_samples, 0.25);
  self->median = quantile (sorted, n_samples, 0.5);
  self->q3 = quantile (sorted, n_samples, 0.75);
  self->p90 = quantile (sorted, n_samples, 0.9);
  self->p99 = quantile (sorted, n_samples, 0.99);
  self->max = sorted[n_samples - 1];
  self->mean = sum / (double) n_samples;
  if (n_samples >= INTERVAL_LEAST)
    {
      gsize rank = interval_rank (n_samples);

      self->low = sorted[rank];
      self->high = sorted[n_samples - 1 - rank];
    }
}
