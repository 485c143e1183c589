/* SPDX-License-Identifier: MIT
 * How well predicted times put a kernel's cells in order. */
#include "scores.h"

#include <math.h>
#include <string.h>

#define WIDE_SPREAD 1.5
#define DIFFERENT   1.1
#define N_TOP       8

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a;
  double y = *(const double *) b;

  return (x > y) - (x < y);
}

double
score_median (const double *values, guint n)
{
  g_autofree double *sorted = g_memdup2 (values, n * sizeof *values);

  if (n == 0)
    return NAN;
  qsort (sorted, n, sizeof *sorted, compare_doubles);
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Equal values share the middle of their ranks. */
static void
set_ranks (const double *values, guint n, double *ranks)
{
  for (guint i = 0; i < n; i++)
    {
      guint less = 0, same = 0;

      for (guint k = 0; k < n; k++)
        {
          less += values[k] < values[i];
          same += values[k] == values[i];
        }
      ranks[i] = less + (same - 1) / 2.0;
    }
}

static double
get_spearman (const double *a, const double *b, guint n)
{
  g_autofree double *x = g_new (double, n);
  g_autofree double *y = g_new (double, n);
  double mean = (n - 1) / 2.0;
  double xx = 0, yy = 0, xy = 0;

  set_ranks (a, n, x);
  set_ranks (b, n, y);
  for (guint i = 0; i < n; i++)
    {
      xx += (x[i] - mean) * (x[i] - mean);
      yy += (y[i] - mean) * (y[i] - mean);
      xy += (x[i] - mean) * (y[i] - mean);
    }
  return xx > 0 && yy > 0 ? xy / sqrt (xx * yy) : 0;
}

/* The best measured time of the @n_first cells with the least prediction. */
static double
find_best (const double *measured, const double *predicted, guint n, guint n_first)
{
  double best = INFINITY;

  for (guint i = 0; i < n; i++)
    {
      guint before = 0;

      for (guint k = 0; k < n; k++)
        before += predicted[k] < predicted[i] || (predicted[k] == predicted[i] && k < i);
      if (before < n_first)
        best = MIN (best, measured[i]);
    }
  return best;
}

void
score_init (Score *self, const double *measured, const double *predicted, guint n)
{
  g_autofree double *errors = g_new (double, n + 1);
  double least = INFINITY;
  double most = 0;

  *self = (Score){ .n = n };
  for (guint i = 0; i < n; i++)
    {
      least = MIN (least, measured[i]);
      most = MAX (most, measured[i]);
      errors[i] = fabs (predicted[i] / measured[i] - 1);
      for (guint k = 0; k < i; k++)
        if (MAX (measured[i], measured[k]) > DIFFERENT * MIN (measured[i], measured[k]))
          {
            self->pairs++;
            self->ordered += predicted[i] != predicted[k] &&
                             (measured[i] < measured[k]) == (predicted[i] < predicted[k]);
          }
    }
  self->spearman = get_spearman (measured, predicted, n);
  self->spread = most / least;
  self->best = find_best (measured, predicted, n, 1) / least;
  self->top = find_best (measured, predicted, n, N_TOP) / least;
  self->error = score_median (errors, n);
}

void
scores_init (Scores *self, const Score *scores, guint n)
{
  g_autofree double *all = g_new (double, n + 1);
  g_autofree double *wide = g_new (double, n + 1);
  g_autofree double *errors = g_new (double, n + 1);
  guint n_wide = 0;
  double pairs = 0;

  memset (self, 0, sizeof *self);
  self->n = n;
  self->least = NAN;
  for (guint i = 0; i < n; i++)
    {
      all[i] = scores[i].spearman;
      errors[i] = scores[i].error;
      pairs += scores[i].pairs;
      self->ordered += scores[i].ordered;
      self->best += (scores[i].best <= 1.1) / (double) n;
      self->top += (scores[i].top <= 1.02) / (double) n;
      if (scores[i].spread < WIDE_SPREAD)
        continue;
      wide[n_wide++] = all[i];
      self->least = fmin (self->least, all[i]);
    }
  self->ordered /= MAX (pairs, 1);
  self->spearman = score_median (all, n);
  self->wide_spearman = score_median (wide, n_wide);
  self->error = score_median (errors, n);
}
