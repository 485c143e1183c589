/* SPDX-License-Identifier: MIT
 * Stop rules on sequences of the kinds that devices give. */
#include "cured.h"

#include <math.h>
#include <time.h>
#include "measure/cured-measure-internal.h"
#include "test.h"

/* The defaults of CuredOptions, with a millisecond a sample. */
#define MIN_SAMPLES 20
#define MAX_SAMPLES 500
#define MAX_SECONDS 0.5
#define PRECISION   0.005

static double
normal (GRand *rand)
{
  double u = g_rand_double_range (rand, 1e-12, 1);

  return sqrt (-2 * log (u)) * cos (2 * G_PI * g_rand_double_range (rand, 0, 1));
}

typedef double (*Source) (GRand *rand, guint i);

static double
constant (GRand *rand, guint i)
{
  return 106300;
}

static double
quiet (GRand *rand, guint i)
{
  return 100000 + 300 * normal (rand);
}

static double
noisy (GRand *rand, guint i)
{
  return 100000 + 40000 * normal (rand);
}

/* Two clocks in turns, as of a device near its power limit. */
static double
throttled (GRand *rand, guint i)
{
  return (i / 7 % 2 == 0 ? 100000 : 130000) + 200 * normal (rand);
}

/* Half of the samples 20 % slower, in random order. */
static double
bimodal (GRand *rand, guint i)
{
  return (g_rand_boolean (rand) ? 100000 : 120000) + 100 * normal (rand);
}

static double
drifting (GRand *rand, guint i)
{
  return 100000 * (1 + 0.002 * i) + 50 * normal (rand);
}

/* A run shorter than the overhead that was taken off. */
static double
not_positive (GRand *rand, guint i)
{
  return -3 + normal (rand);
}

/* The clock's steps are 32 ns and the run takes 2 µs. */
static double
coarse (GRand *rand, guint i)
{
  return 32 * round ((2000 + 60 * normal (rand)) / 32);
}

static CuredStop
feed (Source source, guint32 seed, double seconds_a_sample, double precision, guint *n)
{
  g_autoptr (CuredStopRule) rule =
      cured_stop_rule_new (MIN_SAMPLES, MAX_SAMPLES, MAX_SECONDS, precision);
  GRand *rand = g_rand_new_with_seed (seed);
  CuredStop stop = CURED_STOP_NO;

  for (*n = 0; stop == CURED_STOP_NO; ++*n)
    stop = cured_stop_rule_add (rule, source (rand, *n), (*n + 1) * seconds_a_sample);
  g_rand_free (rand);
  return stop;
}

TEST ("/stop-rule/constant")
{
  guint n;

  g_assert_cmpint (feed (constant, 1, 0, PRECISION, &n), ==, CURED_STOP_PRECISE);
  g_assert_cmpuint (n, ==, MIN_SAMPLES);
}

TEST ("/stop-rule/precise")
{
  guint n;

  g_assert_cmpint (feed (quiet, 1, 0, PRECISION, &n), ==, CURED_STOP_PRECISE);
  g_assert_cmpuint (n, ==, MIN_SAMPLES);

  /* A tenth of the width needs about a hundred times the samples, of the five that the first one
   * would have needed. */
  g_assert_cmpint (feed (quiet, 1, 0, PRECISION / 10, &n), ==, CURED_STOP_PRECISE);
  g_assert_cmpuint (n, >, 100);
  g_assert_cmpuint (n, <, MAX_SAMPLES);
}

/* Nothing but more samples is wrong with a wide distribution: the rule must hardly ever call it
 * stable. */
TEST ("/stop-rule/noisy")
{
  int n_stable = 0;

  for (guint32 seed = 0; seed < 300; seed++)
    {
      guint n;
      CuredStop stop = feed (noisy, seed, 0, PRECISION, &n);

      if (stop == CURED_STOP_STABLE)
        n_stable++;
      else
        {
          g_assert_cmpint (stop, ==, CURED_STOP_SAMPLES);
          g_assert_cmpuint (n, ==, MAX_SAMPLES);
        }
    }
  g_test_message ("%d of 300 stable", n_stable);
  g_assert_cmpint (n_stable, <, 300 / 10);
}

static void
test_hopeless (gconstpointer data)
{
  Source source = *(const Source *) data;
  int n_stable = 0;

  for (guint32 seed = 0; seed < 100; seed++)
    {
      guint n;
      CuredStop stop = feed (source, seed, 0, PRECISION, &n);

      if (stop == CURED_STOP_STABLE)
        {
          n_stable++;
          g_assert_cmpuint (n, <, MAX_SAMPLES);
        }
      g_assert_cmpint (stop, !=, CURED_STOP_TIME);
    }
  /* Not all of them: by chance, the interval of some is within one mode. */
  g_test_message ("%d of 100 stable", n_stable);
  g_assert_cmpint (n_stable, >, 70);
}

TEST ("/stop-rule/coarse")
{
  guint n;

  /* The interval goes down in whole steps; whatever the reason, it ends. */
  for (guint32 seed = 0; seed < 100; seed++)
    g_assert_cmpint (feed (coarse, seed, 0, PRECISION, &n), !=, CURED_STOP_NO);
}

TEST ("/stop-rule/not-positive")
{
  guint n;

  g_assert_cmpint (feed (not_positive, 1, 0, PRECISION, &n), ==, CURED_STOP_SAMPLES);
  g_assert_cmpuint (n, ==, MAX_SAMPLES);
}

TEST ("/stop-rule/time")
{
  guint n;

  /* 40 ms per sample: the time is up before there are enough of them. */
  g_assert_cmpint (feed (noisy, 1, 0.04, PRECISION, &n), ==, CURED_STOP_TIME);
  g_assert_cmpuint (n, ==, 13);
  g_assert_cmpint (feed (noisy, 1, 10, PRECISION, &n), ==, CURED_STOP_TIME);
  g_assert_cmpuint (n, ==, 1);
  /* 25 ms: both at once, and the answer is the better one. */
  g_assert_cmpint (feed (constant, 1, 0.025, PRECISION, &n), ==, CURED_STOP_PRECISE);
  g_assert_cmpuint (n, ==, MIN_SAMPLES);
}

TEST ("/stop-rule/limits")
{
  g_autoptr (CuredStopRule) one = cured_stop_rule_new (0, 0, 1, 0.005);
  g_autoptr (CuredStopRule) few = cured_stop_rule_new (20, 3, 1, 0.005);
  g_autoptr (CuredStopRule) all = cured_stop_rule_new (6, 10, 1, 0);

  g_assert_cmpint (cured_stop_rule_add (one, 5, 0), ==, CURED_STOP_SAMPLES);
  for (int i = 0; i < 2; i++)
    g_assert_cmpint (cured_stop_rule_add (few, 5, 0), ==, CURED_STOP_NO);
  g_assert_cmpint (cured_stop_rule_add (few, 5, 0), ==, CURED_STOP_SAMPLES);
  /* A precision of 0 asks for all samples, however equal they are. */
  for (int i = 0; i < 9; i++)
    g_assert_cmpint (cured_stop_rule_add (all, 5, 0), ==, CURED_STOP_NO);
  g_assert_cmpint (cured_stop_rule_add (all, 5, 0), ==, CURED_STOP_SAMPLES);
}

/* Of samples too few for order statistics, the range says how well the median is known: of one
 * nothing, and of four that agree enough. */
TEST ("/stop-rule/few")
{
  static const struct
  {
    double samples[4];
    guint n; /* after which it stops; 0: not after these */
  } cases[] = {
    { { 1000, 1000, 1000, 1000 }, 2 }, { { 1000, 1000.1, 1001, 1002 }, 2 },
    { { 1000, 1001, 1002, 1003 }, 3 }, { { 1000, 1004, 1002, 1005 }, 4 },
    { { 1000, 1004, 1002, 1008 }, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (CuredStopRule) rule = cured_stop_rule_new (1, 100, 1, 0.004);
      CuredStop stop = CURED_STOP_NO;
      guint n = 0;

      while (stop == CURED_STOP_NO && n < 4)
        stop = cured_stop_rule_add (rule, cases[i].samples[n++], 0);
      g_assert_cmpint (stop, ==, cases[i].n > 0 ? CURED_STOP_PRECISE : CURED_STOP_NO);
      g_assert_cmpuint (n, ==, cases[i].n > 0 ? cases[i].n : 4);
    }
}

/* Where it is called precise, the true median is that near in 95 of 100. */
TEST ("/stop-rule/few-hold")
{
  for (guint n = 2; n <= 5; n++)
    {
      GRand *rand = g_rand_new_with_seed (n);
      guint n_held = 0;

      for (int i = 0; i < 4000; i++)
        {
          double samples[5];
          CuredStatistics statistics;
          CuredStop stop = CURED_STOP_NO;

          for (guint k = 0; k < n; k++)
            samples[k] = 1e6 + 1000 * normal (rand);
          cured_statistics_init (&statistics, samples, n);
          /* As far as it is off: it stops where its interval does not hold the true median. */
          g_autoptr (CuredStopRule) rule =
              cured_stop_rule_new (n, n, 1, fabs (statistics.median - 1e6) / statistics.median);
          for (guint k = 0; k < n; k++)
            stop = cured_stop_rule_add (rule, samples[k], 0);
          n_held += stop != CURED_STOP_PRECISE;
        }
      g_rand_free (rand);
      g_test_message ("%u samples: %.1f %%", n, n_held / 40.0);
      g_assert_cmpuint (n_held, >, 4000 * 94 / 100);
      g_assert_cmpuint (n_held, <, 4000 * 96 / 100);
    }
}

/* A million samples take about as long as sorting them ten times; sorting them at each sample would
 * take days. */
TEST ("/stop-rule/not-quadratic")
{
  g_autoptr (CuredStopRule) rule = cured_stop_rule_new (1000000, 1000000, 1e9, 0);
  g_autoptr (CuredStopRule) looking = cured_stop_rule_new (6, 1000000, 1e9, 0);
  clock_t start = clock ();
  GRand *rand = g_rand_new_with_seed (1);

  for (int i = 0; i < 999999; i++)
    g_assert_cmpint (cured_stop_rule_add (rule, g_rand_double (rand), 0), ==, CURED_STOP_NO);
  /* Shrinks without end, so that the rule does not call it stable. */
  for (int i = 0; i < 200000; i++)
    if (cured_stop_rule_add (looking, 1 + normal (rand) / (i + 1), 0) != CURED_STOP_NO)
      break;
  g_rand_free (rand);
  g_assert_cmpfloat ((double) (clock () - start) / CLOCKS_PER_SEC, <, 20);
}

int
main (int argc, char *argv[])
{
  static const Source sources[] = { throttled, bimodal, drifting };

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/stop-rule/throttled", &sources[0], test_hopeless);
  g_test_add_data_func ("/stop-rule/bimodal", &sources[1], test_hopeless);
  g_test_add_data_func ("/stop-rule/drifting", &sources[2], test_hopeless);
  return run_tests ();
}
