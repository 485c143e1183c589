/* SPDX-License-Identifier: MIT
 * Intervals over rounds: they contain the median of an unseen process. */
#include <math.h>

#include "measure/cured-measure-internal.h"
#include "spec/cured-options.h"
#include "store/cured-recordings.h"
#include "store/cured-result.h"
#include "test.h"

/* What a cell of a known spread looks like to a run. */
typedef struct
{
  const char *name;
  double time_ns;
  double relative; /* standard deviation of processes' medians */
  double step;     /* relative: what half of the processes have more; 0: none */
  double least;    /* of the coverage, percent */
} Population;

static const Population populations[] = {
  /* As an H200 has them: 0.1 % above 50 µs, steps of some 10 ns below. */
  { "long, steady", 100e3, 0.0005, 0, 93 },
  { "long", 100e3, 0.001, 0, 93 },
  { "long, less steady", 1e6, 0.002, 0, 93 },
  { "long, unsteady", 300e3, 0.003, 0, 90 },
  { "short", 10e3, 0.004, 0, 93 },
  { "short, unsteady", 20e3, 0.006, 0, 90 },
  { "short, in two places", 10.7e3, 0.001, 0.01, 93 },
  { "short, far apart", 10.7e3, 0.001, 0.09, 88 },
};

static double
draw_process (const Population *self, GRand *random)
{
  double shift = self->relative * draw_normal (random);

  if (self->step > 0 && g_rand_double (random) < 0.5)
    shift += self->step;
  return self->time_ns * (1 + shift);
}

static void
add_round (GArray *samples, double median, double noise, guint n, GRand *random)
{
  guint round =
      samples->len > 0 ? g_array_index (samples, CuredSample, samples->len - 1).round + 1 : 0;

  for (guint i = 0; i < n; i++)
    {
      CuredSample sample = { .time_ns = median * (1 + noise * draw_normal (random)),
                             .sm_clock_hz = 1.98e9,
                             .round = round };

      g_array_append_val (samples, sample);
    }
}

/* What a run makes of a cell: rounds until it needs no more. */
static CuredOutcome *
run_cell (const Population *self, GRand *random)
{
  CuredOutcome *outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->cold = cured_samples_new (CURED_TIMING_COLD, 1);
  do
    {
      add_round (outcome->cold->samples, draw_process (self, random), 0.002, 8, random);
      cured_outcome_fill_times (outcome);
    }
  while (cured_outcome_get_missing_rounds (outcome, 0) > 0);
  return outcome;
}

/* How many of the populations' processes that took no part lie inside. */
static void
test_coverage (gconstpointer data)
{
  const Population *self = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint n_inside = 0, n = 0;

  for (int cell = 0; cell < 400; cell++)
    {
      g_autoptr (CuredOutcome) outcome = run_cell (self, random);
      const double *metrics = outcome->metrics;

      g_assert_cmpfloat (metrics[CURED_METRIC_time_low], <=, metrics[CURED_METRIC_time]);
      g_assert_cmpfloat (metrics[CURED_METRIC_time_high], >=, metrics[CURED_METRIC_time]);
      for (int i = 0; i < 25; i++, n++)
        {
          double median = draw_process (self, random) * (1 + 0.0009 * draw_normal (random));

          n_inside +=
              median >= metrics[CURED_METRIC_time_low] && median <= metrics[CURED_METRIC_time_high];
        }
    }
  g_test_message ("%s: %.1f %%", self->name, 100.0 * n_inside / n);
  g_assert_cmpfloat (100.0 * n_inside / n, >=, self->least);
}

/* One process alone does not: that is why there are rounds. */
TEST ("/rounds/one")
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint n_inside = 0;

  for (int cell = 0; cell < 1000; cell++)
    {
      const Population *population = &populations[3];
      g_autoptr (CuredSamples) samples = cured_samples_new (CURED_TIMING_COLD, 1);
      double median = draw_process (population, random);

      add_round (samples->samples, draw_process (population, random), 0.002, 100, random);
      cured_samples_update (samples);
      g_assert_cmpuint (samples->rounds.n, ==, 1);
      g_assert_true (isnan (samples->rounds.low));
      g_assert_true (isnan (samples->rounds.between));
      n_inside += median >= samples->statistics.low && median <= samples->statistics.high;
    }
  g_assert_cmpuint (n_inside, <, 500);
}

static CuredSamples *
make_round (CuredTimingMode mode, double time_ns)
{
  CuredSamples *samples = cured_samples_new (mode, 1);
  CuredSample sample = { .time_ns = time_ns, .sm_clock_hz = 1.98e9 };

  g_array_append_val (samples->samples, sample);
  cured_samples_update (samples);
  return samples;
}

/* Of a long program whose hot time is the cold one, a later round has cold samples only. */
TEST ("/rounds/alike")
{
  g_autoptr (CuredOutcome) first = cured_outcome_new ();
  g_autoptr (CuredOutcome) second = cured_outcome_new ();
  g_autoptr (CuredSamples) near = make_round (CURED_TIMING_HOT, 4.007e6);
  g_autoptr (CuredSamples) far = make_round (CURED_TIMING_HOT, 4.02e6);
  g_autoptr (CuredSamples) brief = make_round (CURED_TIMING_COLD, 1e6);
  g_autoptr (CuredSamples) brief_hot = make_round (CURED_TIMING_HOT, 1e6);

  first->cold = make_round (CURED_TIMING_COLD, 4e6);
  g_assert_true (cured_samples_agree (first->cold, near));
  g_assert_false (cured_samples_agree (first->cold, far));
  g_assert_false (cured_samples_agree (first->cold, NULL));
  g_assert_false (cured_samples_agree (brief, brief_hot));

  cured_outcome_set_state (first, CURED_STATE_OK, NULL);
  cured_outcome_set_state (second, CURED_STATE_OK, NULL);
  first->hot = g_steal_pointer (&near);
  cured_outcome_fill_times (first);
  second->cold = make_round (CURED_TIMING_COLD, 4.001e6);
  cured_outcome_fill_times (second);
  cured_outcome_add_round (second, first);
  g_assert_cmpuint (second->hot->rounds.n, ==, 2);
  g_assert_cmpint (second->hot->mode, ==, CURED_TIMING_HOT);
  g_assert_cmpfloat (g_array_index (second->hot->samples, CuredSample, 0).time_ns, ==, 4.007e6);
  g_assert_cmpfloat (g_array_index (second->hot->samples, CuredSample, 1).time_ns, ==, 4.001e6);
  g_assert_cmpuint (second->cold->samples->len, ==, 2);
  g_assert_false (isnan (second->metrics[CURED_METRIC_time_hot_low]));
}

/* Student's t, by hand: with an expected spread of 0.2 % and three degrees. */
TEST ("/rounds/judge")
{
  const double medians[] = { 1e6, 1.001e6 };
  const double none[] = { 0, 0 };
  CuredRounds rounds;
  double expected = hypot (2001, 100); /* of the median, 1000500 ns */
  double variance = (3 * expected * expected + 500000) / 4;
  double reach = 2.776445 * sqrt (variance * 1.5);

  cured_rounds_judge (&rounds, medians, none, 2);
  g_assert_cmpuint (rounds.n, ==, 2);
  g_assert_cmpfloat_with_epsilon (rounds.median, 1000500, 1e-6);
  g_assert_cmpfloat_with_epsilon (rounds.between, sqrt (500000) / 1000500, 1e-9);
  g_assert_cmpfloat_with_epsilon (rounds.low, 1000500 - reach, 0.01);
  g_assert_cmpfloat_with_epsilon (rounds.high, 1000500 + reach, 0.01);

  cured_rounds_judge (&rounds, medians, none, 0);
  g_assert_cmpuint (rounds.n, ==, 0);
  g_assert_true (isnan (rounds.median));
}

/* Rounds that are longer or shorter count alike, and a missing sample for nothing. */
TEST ("/rounds/update")
{
  const struct
  {
    double time_ns;
    guint round;
  } rows[] = {
    { 100e3, 0 }, { 102e3, 0 }, { 101e3, 0 }, { NAN, 0 },   { 100e3, 0 },
    { 102e3, 0 }, { 101e3, 0 }, { 105e3, 1 }, { 105e3, 1 }, { NAN, 2 },
  };
  g_autoptr (CuredSamples) samples = cured_samples_new (CURED_TIMING_COLD, 1);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CuredSample sample = { .time_ns = rows[i].time_ns,
                             .sm_clock_hz = NAN,
                             .round = rows[i].round };

      g_array_append_val (samples->samples, sample);
    }
  cured_samples_update (samples);
  g_assert_cmpuint (samples->rounds.n, ==, 2);
  g_assert_cmpuint (samples->statistics.n, ==, 8);
  g_assert_cmpfloat (samples->statistics.median, ==, 103e3);
  g_assert_cmpfloat (samples->statistics.low, <, 101e3);
  g_assert_cmpfloat (samples->statistics.high, >, 105e3);
}

/* What a cold sample takes beside its run: the flush of an H200's cache. */
#define FLUSH_NS 120e3

/* What replayed samples came to, with one least number of them. */
typedef struct
{
  guint min_samples; /* of a round */
  gboolean is_round; /* and the rule knows that it is one of several */
  double seconds;    /* that all samples took */
  guint n_held;      /* medians of other processes */
  guint n_asked;
  GArray *off;   /* (element-type double): of a round's median, relative */
  GArray *width; /* (element-type double): half of an interval, relative */
} Replay;

/* By how much processes differ, standard deviation: docs/measuring.md. */
static double
draw_shift (double time_ns, GRand *random)
{
  return (time_ns < 50e3 ? 0.0093 : 0.0022) * draw_normal (random);
}

/* A round of the recorded samples, from any of them on, in a process that makes them all slower or
 * faster. */
static void
replay_round (Replay *self, const CuredSamples *recorded, GArray *samples, GRand *random)
{
  g_auto (CuredOptions) options = { 0 };
  g_autofree double *times = g_new (double, recorded->samples->len);
  double shift = draw_shift (recorded->statistics.median, random);
  guint round =
      samples->len > 0 ? g_array_index (samples, CuredSample, samples->len - 1).round + 1 : 0;
  guint from = (guint) g_rand_int_range (random, 0, (gint32) recorded->samples->len);
  CuredStatistics statistics;
  CuredStop stop = CURED_STOP_NO;
  double seconds = 0;
  guint n = 0;

  cured_options_init (&options);
  g_autoptr (CuredStopRule) rule =
      cured_stop_rule_new (self->min_samples, options.max_samples / 2, options.sampling_s / 2,
                           options.precision * sqrt (2));
  if (self->is_round)
    _cured_stop_rule_expect_rounds (rule);
  while (n < recorded->samples->len && stop == CURED_STOP_NO)
    {
      CuredSample sample =
          g_array_index (recorded->samples, CuredSample, (from + n) % recorded->samples->len);

      times[n++] = sample.time_ns;
      seconds +=
          (sample.time_ns * recorded->runs + (recorded->mode == CURED_TIMING_COLD ? FLUSH_NS : 0)) /
          1e9;
      stop = cured_stop_rule_add (rule, sample.time_ns, seconds);
      sample.time_ns *= 1 + shift;
      sample.round = round;
      g_array_append_val (samples, sample);
    }
  self->seconds += seconds;
  cured_statistics_init (&statistics, times, n);
  double off = fabs (statistics.median / recorded->statistics.median - 1);
  g_array_append_val (self->off, off);
}

static void
replay_cell (Replay *self, const CuredSamples *recorded, GRand *random)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  double median = recorded->statistics.median;

  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->cold = cured_samples_new (CURED_TIMING_COLD, recorded->runs);
  do
    {
      replay_round (self, recorded, outcome->cold->samples, random);
      cured_outcome_fill_times (outcome);
    }
  while (cured_outcome_get_missing_rounds (outcome, 0) > 0);
  double width =
      (outcome->metrics[CURED_METRIC_time_high] - outcome->metrics[CURED_METRIC_time_low]) / 2 /
      outcome->metrics[CURED_METRIC_time];
  g_array_append_val (self->width, width);
  for (int i = 0; i < 10; i++)
    {
      double other = median * (1 + draw_shift (median, random));

      self->n_asked++;
      self->n_held += other >= outcome->metrics[CURED_METRIC_time_low] &&
                      other <= outcome->metrics[CURED_METRIC_time_high];
    }
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

/* The samples of the recorded sweeps, as rounds would have taken them that have a least number
 * each, or each its half of the cell's, and as they know that they are one of several. Each takes
 * less time than the one before, and the interval holds the median of another process as often.
 * Quick: each second file. */
TEST ("/rounds/replay")
{
  Replay replays[] = { { .min_samples = 8 },
                       { .min_samples = 4 },
                       { .min_samples = 2, .is_round = TRUE } };
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  double held[3];
  g_autoptr (GPtrArray) paths =
      MUST (cured_recordings_list (g_getenv ("CURED_TEST_RESULTS"), &fail));

  for (gsize i = 0; i < G_N_ELEMENTS (replays); i++)
    {
      replays[i].off = g_array_new (FALSE, FALSE, sizeof (double));
      replays[i].width = g_array_new (FALSE, FALSE, sizeof (double));
    }
  for (guint i = 0; i < paths->len; i += g_test_slow () ? 1 : 2)
    {
      g_autoptr (CuredResult) result = MUST (cured_result_load (paths->pdata[i], NULL, &fail));

      for (gint64 cell = 0; cell < cured_result_get_n_cells (result); cell++)
        {
          g_autoptr (CuredOutcome) outcome = MUST (cured_result_load_outcome (result, cell, &fail));
          CuredSamples *recorded[] = { outcome->cold, outcome->hot };

          for (gsize k = 0; k < G_N_ELEMENTS (recorded); k++)
            if (recorded[k] != NULL && recorded[k]->samples->len >= 15 &&
                recorded[k]->rounds.n == 1 && recorded[k]->statistics.median >= 5e3)
              for (gsize r = 0; r < G_N_ELEMENTS (replays); r++)
                replay_cell (&replays[r], recorded[k], random);
        }
    }
  g_assert_cmpuint (replays[0].n_asked, >, 1000);
  for (gsize i = 0; i < G_N_ELEMENTS (replays); i++)
    {
      GArray *off = replays[i].off;

      GArray *width = replays[i].width;

      g_array_sort (off, compare_doubles);
      g_array_sort (width, compare_doubles);
      held[i] = 100.0 * replays[i].n_held / replays[i].n_asked;
      g_test_message ("%u a round: %u cells and modes, samples of %.1f s, held %.1f %%; medians "
                      "off by %.3f %% (median), %.2f %% (99 of 100); half widths %.3f %% (median)",
                      replays[i].min_samples, replays[i].n_asked / 10, replays[i].seconds, held[i],
                      100 * g_array_index (off, double, off->len / 2),
                      100 * g_array_index (off, double, off->len * 99 / 100),
                      100 * g_array_index (width, double, width->len / 2));
    }
  g_assert_cmpfloat (replays[1].seconds, <, 0.8 * replays[0].seconds);
  g_assert_cmpfloat (replays[2].seconds, <, (g_test_slow () ? 0.85 : 0.98) * replays[1].seconds);
  for (gsize i = 1; i < G_N_ELEMENTS (replays); i++)
    {
      g_assert_cmpfloat (held[i], >=, 93);
      g_assert_cmpfloat (held[i], >=, held[0] - 1);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (replays); i++)
    {
      g_array_unref (replays[i].off);
      g_array_unref (replays[i].width);
    }
}

TEST ("/rounds/wanted")
{
  /* What agrees needs as many as its time asks for, and no more. */
  g_assert_cmpuint (cured_rounds_get_wanted (1, 100e3, NAN), ==, 2);
  g_assert_cmpuint (cured_rounds_get_wanted (2, 100e3, 0.001), ==, 2);
  g_assert_cmpuint (cured_rounds_get_wanted (1, 10e3, NAN), ==, 4);
  g_assert_cmpuint (cured_rounds_get_wanted (4, 10e3, 0.005), ==, 4);
  /* What does not needs two more, up to a limit. */
  g_assert_cmpuint (cured_rounds_get_wanted (2, 100e3, 0.01), ==, 4);
  g_assert_cmpuint (cured_rounds_get_wanted (4, 100e3, 0.01), ==, 4);
  g_assert_cmpuint (cured_rounds_get_wanted (4, 10e3, 0.1), ==, 6);
  g_assert_cmpuint (cured_rounds_get_wanted (6, 10e3, 0.1), ==, 8);
  g_assert_cmpuint (cured_rounds_get_wanted (8, 10e3, 0.1), ==, 8);
  g_assert_cmpuint (cured_rounds_get_wanted (3, NAN, NAN), ==, 3);
  /* The error within a round may be as large where processes differ as much. */
  g_assert_cmpfloat (_cured_rounds_get_slack (1e6), ==, 1);
  g_assert_cmpfloat_with_epsilon (_cured_rounds_get_slack (20e3), 1.346, 0.001);
  g_assert_cmpfloat_with_epsilon (_cured_rounds_get_slack (10e3), 2.550, 0.001);
  g_assert_cmpfloat_with_epsilon (_cured_rounds_get_slack (5e3), 5.025, 0.001);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (populations); i++)
    {
      g_autofree char *path = g_strconcat ("/rounds/coverage/", populations[i].name, NULL);

      g_test_add_data_func (path, &populations[i], test_coverage);
    }
  return run_tests ();
}
