/* SPDX-License-Identifier: MIT
 * Statistics: known small cases, and the coverage that the interval claims. */
#include "cured.h"
#include "test.h"

#include <math.h>

static double
uniform (void)
{
  return g_test_rand_double_range (1e-12, 1);
}

static double
normal (void)
{
  return sqrt (-2 * log (uniform ())) * cos (2 * G_PI * uniform ());
}

TEST ("/statistics/empty")
{
  CuredStatistics s;

  cured_statistics_init (&s, NULL, 0);
  g_assert_cmpuint (s.n, ==, 0);
  g_assert_true (isnan (s.min) && isnan (s.q1) && isnan (s.median) && isnan (s.q3) &&
                 isnan (s.max) && isnan (s.mean) && isnan (s.low) && isnan (s.high));
}

TEST ("/statistics/small")
{
  const double one[] = { 7 };
  const double five[] = { 5, 1, 4, 2, 3 };
  const double six[] = { 6, 5, 4, 3, 2, 1 };
  CuredStatistics s;

  cured_statistics_init (&s, one, 1);
  g_assert_true (s.min == 7 && s.q1 == 7 && s.median == 7 && s.q3 == 7 && s.max == 7 &&
                 s.mean == 7);
  g_assert_true (isnan (s.low) && isnan (s.high));

  cured_statistics_init (&s, five, 5);
  g_assert_true (s.min == 1 && s.q1 == 2 && s.median == 3 && s.q3 == 4 && s.max == 5 &&
                 s.mean == 3);
  g_assert_true (isnan (s.low) && isnan (s.high));
  g_assert_cmpfloat (five[0], ==, 5);

  cured_statistics_init (&s, six, 6);
  g_assert_true (s.q1 == 2.25 && s.median == 3.5 && s.q3 == 4.75);
  g_assert_cmpfloat_with_epsilon (s.p90, 5.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (s.p99, 5.95, 1e-12);
  g_assert_true (s.low == 1 && s.high == 6);
}

/* Ranks from published tables of the sign test's interval: for n samples, the median is between the
 * r-th smallest and the r-th largest one. */
TEST ("/statistics/ranks")
{
  static const struct
  {
    gsize n, rank;
  } rows[] = {
    { 6, 1 },  { 7, 1 },  { 8, 1 },  { 9, 2 },   { 10, 2 },  { 11, 2 },  { 12, 3 },
    { 15, 4 }, { 20, 6 }, { 25, 8 }, { 30, 10 }, { 40, 14 }, { 50, 18 }, { 100, 40 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree double *samples = g_new (double, rows[i].n);
      CuredStatistics s;

      for (gsize j = 0; j < rows[i].n; j++)
        samples[j] = (double) (j + 1);
      cured_statistics_init (&s, samples, rows[i].n);
      g_assert_cmpfloat (s.low, ==, (double) rows[i].rank);
      g_assert_cmpfloat (s.high, ==, (double) (rows[i].n + 1 - rows[i].rank));
    }
}

/* The exact ranks and the approximation for many samples meet. */
TEST ("/statistics/approximation")
{
  g_autofree double *samples = g_new (double, 1001);
  CuredStatistics exact, approximate;

  for (int j = 0; j < 1001; j++)
    samples[j] = j;
  cured_statistics_init (&exact, samples, 1000);
  cured_statistics_init (&approximate, samples, 1001);
  g_assert_cmpfloat (fabs (approximate.low - exact.low), <=, 1);
  g_assert_cmpfloat (fabs (approximate.high - exact.high), <=, 2);
  g_assert_cmpfloat (approximate.low + approximate.high, ==, 1000);
}

/* Draws many sets of samples from a distribution whose median is known, and counts how often the
 * interval holds it. */
static void
test_coverage (gconstpointer data)
{
  gboolean is_lognormal = GPOINTER_TO_INT (data);
  double median = is_lognormal ? 100 * exp (0.3) : 100;
  static const gsize sizes[] = { 6, 20, 51, 500, 1500 };

  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    {
      gsize n = sizes[k];
      g_autofree double *samples = g_new (double, n);
      int n_sets = n > 100 ? 1000 : 4000;
      int n_held = 0;
      double deviation = sqrt (0.05 * 0.95 / n_sets);

      for (int i = 0; i < n_sets; i++)
        {
          CuredStatistics s;

          for (gsize j = 0; j < n; j++)
            samples[j] = is_lognormal ? 100 * exp (0.3 + 0.5 * normal ()) : 100 + 3 * normal ();
          cured_statistics_init (&s, samples, n);
          g_assert_true (s.min <= s.low && s.low <= s.median && s.median <= s.high &&
                         s.high <= s.max);
          n_held += s.low <= median && median <= s.high;
        }
      double coverage = (double) n_held / n_sets;
      g_test_message ("n %" G_GSIZE_FORMAT ": %.3f", n, coverage);
      /* Never under 95 %, and not far above: ranks are whole numbers, which costs most where there
       * are few. */
      g_assert_cmpfloat (coverage, >, 0.95 - 4.5 * deviation);
      g_assert_cmpfloat (coverage, <, (n < 50 ? 0.985 : 0.97) + 4.5 * deviation);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/statistics/coverage/normal", GINT_TO_POINTER (FALSE), test_coverage);
  g_test_add_data_func ("/statistics/coverage/lognormal", GINT_TO_POINTER (TRUE), test_coverage);
  return run_tests ();
}
