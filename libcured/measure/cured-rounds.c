/* SPDX-License-Identifier: MIT
 * Combines rounds of samples, each from a fresh process. */
#include "measure/cured-measure-internal.h"

#include <math.h>

#include "base/cured-median-internal.h"
#include "base/cured-units.h"

/* Implementation notes
 *
 * The placement of buffers and the measured overhead vary from process to process, and more samples
 * in one process do not predict the next one. So processes are the level to repeat (Kalibera and
 * Jones, "Rigorous benchmarking in reasonable time", 2013), and the interval for the next process's
 * median is Student's t over the rounds' medians.
 *
 * With two rounds that is fifteen standard deviations to either side, which is useless. But the
 * usual variance between processes is known: it is combined with that of the rounds, with the
 * weight of EXPECTED_DEGREES additional rounds. If rounds differ by more than expected, more are
 * taken, and only their own variance counts. */

/* Expected standard deviation between processes: a relative one, and one in ns for steps and
 * overhead of events, which matters for short times. */
#define EXPECTED_RELATIVE 0.002
#define EXPECTED_NS       100.0
#define EXPECTED_DEGREES  3

/* An error within a round of 1 / SLACK_PART of this deviation adds only an eighth to it: more
 * rounds help more than more samples. */
#define SLACK_PART 2

/* Relative half width of the interval at which a round stops by default. */
#define ROUND_PRECISION 0.0042

/* Below SHORT_NS, times of processes have two modes, of which two rounds may miss one. */
#define SHORT_NS    50000.0
#define LEAST_LONG  2
#define LEAST_SHORT 4

/* Rounds that disagree are doubled once, not more: each costs a process, however few cells need
 * it. */
#define MOST_OF_LEAST 2

/* Number of rounds added at once. */
#define FURTHER 2

#define UNEXPECTED 1.25

/* Two rounds often differ by chance, and more rounds mean measuring the cell again: with
 * the expected deviation, one in five pairs exceeds it 1.25 times, and one in twenty
 * twice. */
#define UNEXPECTED_OF_TWO 2.0

/* The half width of a 95 % interval in standard deviations. */
#define NORMAL_95 1.959963984540054

/* Student's t for 95 %; beyond the table by the Cornish-Fisher expansion. */
static double
get_t (guint degrees)
{
  static const double exact[] = {
    NAN,      12.70620, 4.302653, 3.182446, 2.776445, 2.570582,
    2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
  };
  const double z = NORMAL_95;
  double d = degrees;

  if (degrees < G_N_ELEMENTS (exact))
    return exact[degrees];
  return z + (z * z * z + z) / (4 * d) + (5 * pow (z, 5) + 16 * z * z * z + 3 * z) / (96 * d * d);
}

/* The expected standard deviation between processes, in nanoseconds. */
double
_cured_rounds_get_expected (double time_ns)
{
  return hypot (EXPECTED_RELATIVE * time_ns, EXPECTED_NS);
}

static double
get_median (const double *values, guint n)
{
  g_autofree double *sorted = g_memdup2 (values, n * sizeof *values);

  return _cured_median (sorted, n);
}

/* Half width of the interval for the next process's median. @variance: between processes, with
 * @degrees of freedom, from @n rounds. */
static double
get_reach (double variance, guint n, guint degrees)
{
  return get_t (degrees) * sqrt (variance * (1 + 1.0 / n));
}

/* @self: (out caller-allocates): the combined result
 * @medians: (array length=n): of each round's samples, nanoseconds
 * @errors: (array length=n): the standard error of each median, nanoseconds
 * @n: number of rounds
 *
 * With one round there is no interval between processes, without any no median. */
void
cured_rounds_judge (CuredRounds *self, const double *medians, const double *errors, guint n)
{
  double mean = 0, squares = 0, within = 0;

  *self = (CuredRounds){ .n = n,
                         .median = CURED_MISSING,
                         .between = CURED_MISSING,
                         .low = CURED_MISSING,
                         .high = CURED_MISSING };
  if (n == 0)
    return;
  self->median = get_median (medians, n);
  if (n == 1)
    return;
  for (guint i = 0; i < n; i++)
    {
      mean += medians[i] / n;
      within += errors[i] * errors[i] / n;
    }
  for (guint i = 0; i < n; i++)
    squares += (medians[i] - mean) * (medians[i] - mean);
  self->between = sqrt (squares / (n - 1)) / self->median;
  double expected = _cured_rounds_get_expected (self->median);
  double reach = get_reach ((EXPECTED_DEGREES * (expected * expected + within) + squares) /
                                (EXPECTED_DEGREES + n - 1),
                            n, EXPECTED_DEGREES + n - 1);
  /* More rounds than usual were taken, because they differ by more than expected. */
  if (n > cured_rounds_get_least (self->median))
    reach = fmax (reach, get_reach (squares / (n - 1), n, n - 1));
  self->low = fmax (self->median - reach, 0);
  self->high = self->median + reach;
}

/* @median: median of one round's samples, nanoseconds
 * @low: lower end of its interval within the process; NaN: not known
 * @high: upper end
 * Returns: half width of the interval between processes, as expected from one round */
double
cured_rounds_widen (double median, double low, double high)
{
  double expected = _cured_rounds_get_expected (median);
  double within = isnan (low) || isnan (high) ? 0 : (high - low) / 2 / NORMAL_95;

  return get_reach (expected * expected + within * within, 1, EXPECTED_DEGREES);
}

/* How much wider the interval within a round may be than a long program's, since more samples in
 * one process hardly help to predict the next: sampling pays off while its error exceeds half of
 * the deviation between processes. */
double
_cured_rounds_get_slack (double time_ns)
{
  return fmax (_cured_rounds_get_expected (time_ns) / (EXPECTED_RELATIVE * time_ns) / SLACK_PART,
               1);
}

/* Returns: least number of rounds, even if they agree */
guint
cured_rounds_get_least (double time_ns)
{
  return time_ns < SHORT_NS ? LEAST_SHORT : LEAST_LONG;
}

/* @n: number of existing rounds
 * @time_ns: the median over them; NaN: nothing was timed
 * @between: as in #CuredRounds
 * Returns: number of rounds that the cell needs; @n if it has enough */
guint
cured_rounds_get_wanted (guint n, double time_ns, double between)
{
  guint least = cured_rounds_get_least (time_ns);
  double unexpected = n == 2 ? UNEXPECTED_OF_TWO : UNEXPECTED;
  /* Expected deviation of the rounds' medians, including the error within a round. */
  double expected =
      hypot (_cured_rounds_get_expected (time_ns),
             ROUND_PRECISION * time_ns / NORMAL_95 * _cured_rounds_get_slack (time_ns));

  if (isnan (time_ns))
    return n;
  if (n < least)
    return least;
  if (n < MOST_OF_LEAST * least && between * time_ns > unexpected * expected)
    return MIN (n + FURTHER, MOST_OF_LEAST * least);
  return n;
}
