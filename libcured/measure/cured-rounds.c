/* SPDX-License-Identifier: MIT
 * What rounds of samples, each in a fresh process, say together. */
#include "measure/cured-measure-internal.h"

#include <math.h>

#include "base/cured-median-internal.h"
#include "base/cured-units.h"

/* Implementation notes
 *
 * Where a process happens to place its buffers, and what it measures its own overhead to be, is
 * drawn once per process: more samples of one process say nothing of the next one. That level is
 * the one to repeat (Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013), and an
 * interval that holds the next process's median comes from Student's t over the rounds' medians.
 *
 * Of two rounds that is fifteen standard deviations to either side, which says nothing. How much
 * processes differ is known from others, though: the variance is that of the rounds and an expected
 * one, which counts as much as EXPECTED_DEGREES rounds more. Rounds that differ by more than is
 * expected get more rounds, whose own variance then counts alone. */

/* By how much processes are expected to differ, standard deviation: relative for all, and steps and
 * overhead of events for short times. */
#define EXPECTED_RELATIVE 0.002
#define EXPECTED_NS       100.0
#define EXPECTED_DEGREES  3

/* An error within a round of this part of that adds an eighth to it: more rounds tell more than more
 * samples. */
#define SLACK_PART 2

/* Half of the interval at which a round stops by default. */
#define ROUND_PRECISION 0.0042

/* Below it, processes fall into two modes, of which two rounds may miss one. */
#define SHORT_NS    50000.0
#define LEAST_LONG  2
#define LEAST_SHORT 4

/* Rounds that disagree are followed by as many again, and no more: each costs a process, however few
 * cells need it. */
#define MOST_OF_LEAST 2

/* How many rounds are added at once. */
#define FURTHER 2

#define UNEXPECTED 1.25

/* Two rounds alone differ so much by chance more often, and to ask for more is to measure the cell
 * again: of processes that are as expected, one in five pairs is over 1.25 times it, and one in
 * twenty over twice. */
#define UNEXPECTED_OF_TWO 2.0

/* The half width of a 95 % interval in standard deviations. */
#define NORMAL_95 1.959963984540054

/* Student's t, which 95 % are within; of more degrees by the expansion of Cornish and Fisher. */
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

/* By how much processes are expected to differ, in nanoseconds: a standard deviation. */
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

/* Half of what the next process's median is within. @variance is of a process that @n rounds and
 * @degrees speak for. */
static double
get_reach (double variance, guint n, guint degrees)
{
  return get_t (degrees) * sqrt (variance * (1 + 1.0 / n));
}

/* @self: (out caller-allocates): what they say together
 * @medians: (array length=n): of each round's samples, nanoseconds
 * @errors: (array length=n): the standard error of each median, nanoseconds
 * @n: how many rounds
 *
 * One round has no interval between processes, and none at all has no median. */
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
  /* More rounds than usual were asked for, because they are unlike what was expected. */
  if (n > cured_rounds_get_least (self->median))
    reach = fmax (reach, get_reach (squares / (n - 1), n, n - 1));
  self->low = fmax (self->median - reach, 0);
  self->high = self->median + reach;
}

/* @median: of one round's samples, nanoseconds
 * @low: lower end of its interval within the process; NaN: not known
 * @high: upper end
 * Returns: half of the width that the interval between processes has, by all that one round says */
double
cured_rounds_widen (double median, double low, double high)
{
  double expected = _cured_rounds_get_expected (median);
  double within = isnan (low) || isnan (high) ? 0 : (high - low) / 2 / NORMAL_95;

  return get_reach (expected * expected + within * within, 1, EXPECTED_DEGREES);
}

/* How many times as wide the interval within a round may be as that of a long program, since more
 * samples of one process hardly tighten what is said of the next: sampling is worth its time as
 * long as its error is over half of what processes differ by. */
double
_cured_rounds_get_slack (double time_ns)
{
  return fmax (_cured_rounds_get_expected (time_ns) / (EXPECTED_RELATIVE * time_ns) / SLACK_PART,
               1);
}

/* Returns: how many rounds are needed, however well they agree */
guint
cured_rounds_get_least (double time_ns)
{
  return time_ns < SHORT_NS ? LEAST_SHORT : LEAST_LONG;
}

/* @n: rounds that there are
 * @time_ns: the median over them; NaN: nothing was timed
 * @between: as #CuredRounds has it
 * Returns: how many rounds such a cell needs, @n where it has enough */
guint
cured_rounds_get_wanted (guint n, double time_ns, double between)
{
  guint least = cured_rounds_get_least (time_ns);
  double unexpected = n == 2 ? UNEXPECTED_OF_TWO : UNEXPECTED;
  /* Of the rounds' medians, to which each round adds its own error. */
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
