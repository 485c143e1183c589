/* SPDX-License-Identifier: MIT
 * Two results beside each other: which cells belong together, and what is a difference. */
#include "make-result.h"

#include <math.h>
#include "measure/cured-measure-internal.h"
#include "test.h"

static const char head[] = "/*! cured\n * [Kernel]\n * Title=Made up\n * Summary=Made up\n"
                           " * Family=vector\n * Step=1\n";

static const char tail[] = " * [Buffer a]\n * Type=f32\n * Length=1024\n * Fill=poison\n"
                           " * [Launch]\n * Entry=made_up\n * Grid=1\n * Block=%c\n * Arguments=a\n"
                           " * [Check]\n * Output=a\n * Reference=vector-add\n */\n";

/* A live result: @axes are assignments as `x=1,2`, one per parameter; n is the problem's size. */
static CuredResult *
make (const char *const *axes)
{
  g_autoptr (GString) text = g_string_new (head);
  CuredDeviceInfo device;

  for (gsize i = 0; axes[i] != NULL; i++)
    g_string_append_printf (text,
                            " * [Parameter %c]\n * Kind=%s\n * Default=1\n * Summary=Made up\n",
                            axes[i][0], axes[i][0] == 'n' ? "problem" : "launch");
  g_string_append_printf (text, tail, axes[0][0]);
  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (text->str, "made-up", NULL, &fail));
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  for (gsize i = 0; axes[i] != NULL; i++)
    {
      MUST (cured_spec_parse_axis (spec, axes[i], &fail));
    }
  make_device_info (&device);
  g_autoptr (CuredPlan) plan = MUST (cured_plan_new (spec, &device.limits, &fail));
  CuredResult *result = cured_result_new (plan, &device, NULL);
  cured_device_info_clear (&device);
  return result;
}

/* @half_width 0: no confidence interval. */
static void
set (CuredResult *result, gint64 cell, double time_ns, double half_width)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->metrics[CURED_METRIC_time] = time_ns;
  outcome->metrics[CURED_METRIC_bandwidth] = 1e12 / time_ns;
  outcome->metrics[CURED_METRIC_registers] = time_ns;
  if (half_width > 0)
    {
      outcome->metrics[CURED_METRIC_time_low] = time_ns - half_width;
      outcome->metrics[CURED_METRIC_time_high] = time_ns + half_width;
      outcome->metrics[CURED_METRIC_rounds] = 2;
    }
  cured_result_set_outcome (result, cell, outcome);
}

static CuredComparison *
compare (CuredResult *a, CuredResult *b, const char *metric)
{
  return MUST (cured_comparison_new (a, b, metric, &fail));
}

static const CuredPair *
get (CuredComparison *comparison, guint index)
{
  g_assert_cmpuint (index, <, comparison->pairs->len);
  return &g_array_index (comparison->pairs, CuredPair, index);
}

TEST ("/comparison/verdicts")
{
  const char *const axes[] = { "x=1,2,3,4,5,6,7", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (axes);
  static const CuredVerdict verdicts[] = {
    CURED_VERDICT_SAME,  CURED_VERDICT_WORSE,  CURED_VERDICT_BETTER,
    CURED_VERDICT_WORSE, CURED_VERDICT_ONLY_A, CURED_VERDICT_ONLY_B,
  };

  set (a, 0, 100, 2);
  set (b, 0, 102, 2); /* within the intervals */
  set (a, 1, 100, 2);
  set (b, 1, 105, 2);
  set (a, 2, 100, 2);
  set (b, 2, 50, 2);
  set (a, 3, 100, 2);
  set (b, 3, 101, 0); /* one has no interval */
  set (a, 4, 100, 2);
  set (b, 5, 100, 2);
  g_autoptr (CuredComparison) comparison = compare (a, b, "time");
  g_assert_cmpuint (comparison->pairs->len, ==, G_N_ELEMENTS (verdicts));
  for (guint i = 0; i < G_N_ELEMENTS (verdicts); i++)
    {
      g_assert_cmpint (get (comparison, i)->verdict, ==, verdicts[i]);
      g_assert_cmpint (get (comparison, i)->cell_a, ==, i);
      g_assert_cmpint (get (comparison, i)->cell_b, ==, i);
    }
  g_assert_cmpfloat (get (comparison, 1)->ratio, ==, 1.05);
  g_assert_true (isnan (get (comparison, 4)->ratio));
  g_assert_cmpfloat (comparison->worst, ==, 1.05);
}

/* As set (), with a clock and a number of rounds. */
static void
set_measured (CuredResult *result, gint64 cell, double time_ns, double half_width, double clock_hz,
              guint n_rounds)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->metrics[CURED_METRIC_time] = time_ns;
  outcome->metrics[CURED_METRIC_time_low] = time_ns - half_width;
  outcome->metrics[CURED_METRIC_time_high] = time_ns + half_width;
  outcome->metrics[CURED_METRIC_bandwidth] = 1e12 / time_ns;
  outcome->metrics[CURED_METRIC_sm_clock] = clock_hz;
  outcome->metrics[CURED_METRIC_rounds] = n_rounds;
  cured_result_set_outcome (result, cell, outcome);
}

/* A difference is half a percent at least, holds in cycles, and is more than what one process of
 * each may make. */
TEST ("/comparison/limits")
{
  const char *const axes[] = { "x=1,2,3,4,5,6,7", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (axes);
  static const struct
  {
    double time_ns, clock_hz;
    guint n_rounds;
    CuredVerdict verdict;
  } rows[] = {
    { 1.004e6, 1.98e9, 2, CURED_VERDICT_SAME },
    { 1.006e6, 1.98e9, 2, CURED_VERDICT_WORSE },
    /* All of it is the clock. */
    { 1.05e6, 1.98e9 / 1.05, 2, CURED_VERDICT_SAME },
    /* Slower though the clock is higher; faster because it is. */
    { 1.01e6, 1.98e9 * 1.05, 2, CURED_VERDICT_WORSE },
    { 0.95e6, 1.98e9 * 1.05, 2, CURED_VERDICT_SAME },
    /* The clock is not known. */
    { 1.05e6, NAN, 2, CURED_VERDICT_WORSE },
    /* Intervals within one process are too narrow. */
    { 1.006e6, 1.98e9, 1, CURED_VERDICT_SAME },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      set_measured (a, (gint64) i, 1e6, 100, 1.98e9, 2);
      set_measured (b, (gint64) i, rows[i].time_ns, 100, rows[i].clock_hz, rows[i].n_rounds);
    }
  g_autoptr (CuredComparison) times = compare (a, b, "time");
  g_autoptr (CuredComparison) rates = compare (a, b, "bandwidth");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_assert_cmpint (get (times, i)->verdict, ==, rows[i].verdict);
      g_assert_cmpint (get (rates, i)->verdict, ==, rows[i].verdict);
      g_assert_true ((get (times, i)->verdict == CURED_VERDICT_WORSE) ==
                         (get (times, i)->significance > 1) ||
                     rows[i].time_ns < 1.005e6);
    }
}

#define N_COMPARISONS 1000

/* What a run says of a cell whose processes differ by a tenth of a percent, and whose clock is
 * @clock of what it should be. */
static void
run_cell (CuredResult *result, gint64 cell, double time_ns, double clock, GRand *random)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
  outcome->cold = cured_samples_new (CURED_TIMING_COLD, 1);
  for (guint round = 0; round == 0 || cured_outcome_get_missing_rounds (outcome, 0) > 0; round++)
    {
      double process = time_ns / clock * (1 + 0.001 * draw_normal (random));

      for (int i = 0; i < 8; i++)
        {
          CuredSample sample = { .time_ns = process * (1 + 0.002 * draw_normal (random)),
                                 .sm_clock_hz =
                                     1.98e9 * clock * (1 + 0.0005 * draw_normal (random)),
                                 .round = round };

          g_array_append_val (outcome->cold->samples, sample);
        }
      cured_outcome_fill_times (outcome);
    }
  cured_result_set_outcome (result, cell, outcome);
}

/* Two runs of the same are the same, also where the clock was another, and a change of 2 % is
 * found. */
TEST ("/comparison/chance")
{
  const char *const axes[] = { "x=1..1000", NULL };
  const double times_ns[] = { 12e3, 30e3, 100e3, 400e3, 5e6 };
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) same = make (axes);
  g_autoptr (CuredResult) slower = make (axes);

  for (gint64 cell = 0; cell < N_COMPARISONS; cell++)
    {
      double time_ns = times_ns[cell % (gint64) G_N_ELEMENTS (times_ns)];

      run_cell (a, cell, time_ns, 1, random);
      run_cell (same, cell, time_ns, cell % 2 == 0 ? 1 : 0.97, random);
      run_cell (slower, cell, time_ns * 1.02, 1, random);
    }
  g_autoptr (CuredComparison) alike = compare (a, same, "time");
  g_assert_cmpuint (alike->n_verdicts[CURED_VERDICT_SAME], ==, N_COMPARISONS);
  g_autoptr (CuredComparison) changed = compare (a, slower, "time");
  g_test_message ("%u of %d changes were found", changed->n_verdicts[CURED_VERDICT_WORSE],
                  N_COMPARISONS);
  g_assert_cmpuint (changed->n_verdicts[CURED_VERDICT_WORSE], >=, N_COMPARISONS * 95 / 100);
  g_assert_cmpuint (changed->n_verdicts[CURED_VERDICT_BETTER], ==, 0);
}

/* A parameter of another name is the same on request. */
TEST ("/comparison/renamed")
{
  const char *const axes_a[] = { "x=1,2,3", NULL };
  const char *const axes_b[] = { "y=2,3,4", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);

  for (gint64 i = 0; i < 3; i++)
    {
      set (a, i, 100 * (double) (i + 1), 0);
      set (b, i, 100 * (double) (i + 2), 0);
    }
  FAILS (cured_result_rename_axis (b, "z", "x", &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND, "");
  g_assert_true (MUST (cured_result_rename_axis (b, "y", "x", &fail)));
  g_autoptr (CuredComparison) comparison = compare (a, b, "time");
  g_assert_cmpuint (comparison->pairs->len, ==, 4);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_SAME], ==, 2);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_ONLY_A], ==, 1);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_ONLY_B], ==, 1);
}

TEST ("/comparison/direction")
{
  const char *const axes[] = { "x=1,2", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (axes);

  set (a, 0, 100, 0);
  set (b, 0, 80, 0);
  g_autoptr (CuredComparison) comparison = compare (a, b, "bandwidth");
  g_assert_cmpint (get (comparison, 0)->verdict, ==, CURED_VERDICT_BETTER);
  g_assert_cmpfloat_with_epsilon (get (comparison, 0)->ratio, 1.25, 1e-12);
  g_assert_cmpfloat_with_epsilon (comparison->worst, 0.8, 1e-12);
  g_clear_pointer (&comparison, cured_comparison_free);
  comparison = compare (b, a, "bandwidth");
  g_assert_cmpint (get (comparison, 0)->verdict, ==, CURED_VERDICT_WORSE);
  g_assert_cmpfloat_with_epsilon (comparison->worst, 1.25, 1e-12);
  g_clear_pointer (&comparison, cured_comparison_free);
  /* More registers are neither good nor bad. */
  comparison = compare (a, b, "registers");
  g_assert_cmpint (get (comparison, 0)->verdict, ==, CURED_VERDICT_SAME);
  g_clear_pointer (&comparison, cured_comparison_free);
  comparison = compare (a, a, "time");
  g_assert_cmpint (get (comparison, 0)->verdict, ==, CURED_VERDICT_SAME);
  g_assert_cmpfloat (comparison->worst, ==, 1);
  g_clear_pointer (&comparison, cured_comparison_free);
  comparison = compare (a, b, "sm_clock");
  g_assert_cmpuint (comparison->pairs->len, ==, 0);
  g_assert_true (isnan (comparison->worst));
}

/* Other orders, other values and a parameter that only one has. */
TEST ("/comparison/matching")
{
  const char *const axes_a[] = { "x=1,2,4", "y=10,20", NULL };
  const char *const axes_b[] = { "y=20,10", "z=7", "x=4,2,8", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);
  guint n_matched = 0, n_only_a = 0, n_only_b = 0;

  for (gint64 cell = 0; cell < 6; cell++)
    {
      gsize at[3];
      static const double x_a[] = { 1, 2, 4 }, y_a[] = { 10, 20 };
      static const double x_b[] = { 4, 2, 8 }, y_b[] = { 20, 10 };

      cured_result_get_positions (a, cell, at);
      set (a, cell, 100 * x_a[at[0]] + y_a[at[1]], 0);
      cured_result_get_positions (b, cell, at);
      set (b, cell, 100 * x_b[at[2]] + y_b[at[0]], 0);
    }
  g_autoptr (CuredComparison) comparison = compare (a, b, "time");
  for (guint i = 0; i < comparison->pairs->len; i++)
    {
      const CuredPair *pair = get (comparison, i);

      n_only_a += pair->verdict == CURED_VERDICT_ONLY_A && pair->cell_b == -1;
      n_only_b += pair->verdict == CURED_VERDICT_ONLY_B && pair->cell_a == -1;
      if (pair->cell_a >= 0 && pair->cell_b >= 0)
        {
          g_assert_cmpfloat (pair->a, ==, pair->b);
          g_assert_cmpint (pair->verdict, ==, CURED_VERDICT_SAME);
          n_matched++;
        }
    }
  g_assert_cmpuint (n_matched, ==, 4);
  g_assert_cmpuint (n_only_a, ==, 2);
  g_assert_cmpuint (n_only_b, ==, 2);
}

TEST ("/comparison/errors")
{
  const char *const axes[] = { "x=1,2", NULL };
  g_autoptr (CuredResult) a = make (axes);

  FAILS (cured_comparison_new (a, a, "speed", &fail), CURED_ERROR, CURED_ERROR_NOT_FOUND,
         "“speed”");
}

static void
fail (CuredResult *result, gint64 cell, CuredState state)
{
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  cured_outcome_set_state (outcome, state, "made up");
  cured_result_set_outcome (result, cell, outcome);
}

static void
assert_description (CuredComparison *comparison, CuredResult *a, CuredResult *b, const char *metric,
                    const char *expected)
{
  g_autofree char *text = cured_comparison_describe (comparison, a, b, metric);

  g_assert_cmpstr (text, ==, expected);
}

/* A parameter that only one has is chosen over: the best at its values. */
TEST ("/comparison/best")
{
  const char *const axes_a[] = { "x=1,2,3", NULL };
  const char *const axes_b[] = { "p=7,8,9", "x=2,1,4", "q=5", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);

  set (a, 0, 100, 0);
  set (a, 1, 200, 0);
  set (a, 2, 300, 0);
  /* Of b, x is 2, 1, 4 in cells 0 to 2 at p = 7, and so on. The fastest at
   * x = 2 is wrong and does not count. */
  set (b, 0, 190, 0);
  set (b, 3, 180, 0);
  fail (b, 6, CURED_STATE_WRONG);
  set (b, 1, 130, 0);
  set (b, 4, 120, 0);
  set (b, 7, 110, 0);
  set (b, 2, 5, 0);
  g_autoptr (CuredComparison) comparison = compare (a, b, "time");
  g_assert_cmpuint (comparison->pairs->len, ==, 4);
  g_assert_cmpint (get (comparison, 0)->cell_b, ==, 7);
  g_assert_cmpfloat (get (comparison, 0)->b, ==, 110);
  g_assert_cmpint (get (comparison, 0)->verdict, ==, CURED_VERDICT_WORSE);
  g_assert_cmpint (get (comparison, 1)->cell_b, ==, 3);
  g_assert_cmpfloat (get (comparison, 1)->ratio, ==, 0.9);
  g_assert_cmpint (get (comparison, 2)->verdict, ==, CURED_VERDICT_ONLY_A);
  g_assert_cmpint (get (comparison, 2)->cell_b, ==, -1);
  g_assert_cmpint (get (comparison, 3)->verdict, ==, CURED_VERDICT_ONLY_B);
  g_assert_cmpint (get (comparison, 3)->cell_a, ==, -1);
  g_assert_cmpint (get (comparison, 3)->cell_b, ==, 2);
  g_assert_true (cured_match_is_best (comparison->match));
  assert_description (comparison, a, b, "time",
                      "The parameters differ: cells are compared at equal values of x. B is at its "
                      "best over p. Only B has q=5.");

  /* The other way round: A is the one that is chosen from. */
  g_autoptr (CuredComparison) back = compare (b, a, "time");
  g_assert_cmpuint (back->pairs->len, ==, 4);
  g_assert_cmpint (get (back, 0)->cell_a, ==, 3);
  g_assert_cmpint (get (back, 0)->cell_b, ==, 1);
  g_assert_cmpint (get (back, 1)->cell_a, ==, 7);
  assert_description (back, b, a, "time",
                      "The parameters differ: cells are compared at equal values of x. A is at its "
                      "best over p. Only A has q=5.");
}

/* What is best is what the metric calls better, or else what another does. */
TEST ("/comparison/best/direction")
{
  const char *const axes_a[] = { "x=1", NULL };
  const char *const axes_b[] = { "x=1", "p=1,2,3", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);

  set (a, 0, 100, 0);
  set (b, 0, 100, 0);
  set (b, 1, 50, 0);
  set (b, 2, 200, 0);
  g_autoptr (CuredComparison) bandwidth = compare (a, b, "bandwidth");
  g_assert_cmpint (get (bandwidth, 0)->cell_b, ==, 1);
  g_assert_cmpfloat_with_epsilon (get (bandwidth, 0)->ratio, 2, 1e-12);
  g_autoptr (CuredComparison) registers = compare (a, b, "registers");
  g_assert_cmpint (get (registers, 0)->cell_b, ==, 1);
  g_assert_cmpfloat (get (registers, 0)->b, ==, 50);
  assert_description (
      registers, a, b, "registers",
      "The parameters differ: cells are compared at equal values of x. B is at its best over p. "
      "Which cell is the best is decided by another metric: Time (time).");
}

/* Where no cell is ok, the pair says what became of one that ran. */
TEST ("/comparison/best/failed")
{
  const char *const axes_a[] = { "x=1,2", NULL };
  const char *const axes_b[] = { "x=1,2", "p=1,2,3", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);

  set (a, 0, 100, 0);
  set (a, 1, 100, 0);
  fail (b, 1, CURED_STATE_CRASHED);
  fail (b, 2, CURED_STATE_WRONG);
  g_autoptr (CuredComparison) comparison = compare (a, b, "time");
  g_assert_cmpuint (comparison->pairs->len, ==, 2);
  g_assert_cmpint (get (comparison, 0)->verdict, ==, CURED_VERDICT_ONLY_A);
  g_assert_cmpint (get (comparison, 0)->cell_b, ==, 1);
  /* Nothing ran at x = 2. */
  g_assert_cmpint (get (comparison, 1)->cell_b, ==, 3);
  g_assert_cmpint (cured_result_get_state (b, 3), ==, CURED_STATE_NOT_RUN);
}

/* No parameter in common: the best of each. */
TEST ("/comparison/best/of-all")
{
  const char *const axes_a[] = { "x=1,2", "y=1,2", NULL };
  const char *const axes_b[] = { "p=1,2,3", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);

  for (gint64 cell = 0; cell < 4; cell++)
    set (a, cell, 100 + ((double) cell - 2) * ((double) cell - 2), 0);
  for (gint64 cell = 0; cell < 3; cell++)
    set (b, cell, 300 - 100 * (double) cell, 0);
  g_autoptr (CuredComparison) comparison = compare (a, b, "time");
  g_assert_cmpuint (comparison->pairs->len, ==, 1);
  g_assert_cmpint (get (comparison, 0)->cell_a, ==, 2);
  g_assert_cmpint (get (comparison, 0)->cell_b, ==, 2);
  g_assert_cmpint (get (comparison, 0)->verdict, ==, CURED_VERDICT_SAME);
  assert_description (comparison, a, b, "time",
                      "The two have no parameter in common: the best cells are compared. A is at "
                      "its best over x, y. B is at its best over p.");
}

/* The best over several problems would be the smallest. Values of a problem's size that both have
 * are matched, and those of one are only in that one. */
TEST ("/comparison/best/problem")
{
  const char *const axes_a[] = { "n=64,128", "x=1", NULL };
  const char *const axes_b[] = { "x=1", NULL };
  const char *const axes_c[] = { "n=128,256", "x=1", "p=1,2", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);
  g_autoptr (CuredResult) c = make (axes_c);

  FAILS (cured_comparison_new (a, b, "time", &fail), CURED_ERROR, CURED_ERROR_INVALID, "“n”");
  FAILS (cured_comparison_new (b, a, "time", &fail), CURED_ERROR, CURED_ERROR_INVALID, "");

  set (a, 0, 10, 0);
  set (a, 1, 20, 0);
  set (c, 0, 22, 0);
  set (c, 1, 18, 0);
  set (c, 2, 40, 0);
  g_autoptr (CuredComparison) comparison = compare (a, c, "time");
  g_assert_cmpuint (comparison->pairs->len, ==, 3);
  g_assert_cmpint (get (comparison, 0)->verdict, ==, CURED_VERDICT_ONLY_A);
  g_assert_cmpfloat (get (comparison, 1)->ratio, ==, 0.9);
  g_assert_cmpint (get (comparison, 2)->verdict, ==, CURED_VERDICT_ONLY_B);
}

/* Values of one parameter that always differ are reported. */
TEST ("/comparison/nothing-shared")
{
  const char *const axes_a[] = { "x=1,2", "n=64", NULL };
  const char *const axes_b[] = { "x=2,3", "n=65", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);

  set (a, 1, 10, 0);
  set (b, 0, 10, 0);
  g_autoptr (CuredComparison) comparison = compare (a, b, "time");
  g_assert_cmpuint (comparison->pairs->len, ==, 2);
  assert_description (comparison, a, b, "time", "No value of n is in both files.");
}

/* Nothing is said, and nothing chosen, where the parameters are the same. */
TEST ("/comparison/plain")
{
  const char *const axes[] = { "x=1,2", NULL };
  g_autoptr (CuredResult) a = make (axes);

  set (a, 0, 100, 0);
  g_autoptr (CuredComparison) comparison = compare (a, a, "time");
  g_assert_false (cured_match_is_best (comparison->match));
  assert_description (comparison, a, a, "time", NULL);
}

/* The figures of the whole, and the order of the largest changes. */
TEST ("/comparison/summary")
{
  const char *const axes[] = { "x=1,2,3,4,5", NULL };
  const char *const more[] = { "x=1,2,3,4,5,6", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (more);
  guint n_left_out;
  const double two = sqrt (2.0 / 3.0); /* of two rounds each */

  /* 1: 10 % slower and apart, 2: 2 % slower and within, 3: twice as fast,
   * 4: lost, 5: equal, 6: only in the second. */
  set (a, 0, 100, 1);
  set (b, 0, 110, 1);
  set (a, 1, 100, 2);
  set (b, 1, 102, 2);
  set (a, 2, 100, 1);
  set (b, 2, 50, 1);
  set (a, 3, 100, 1);
  set (a, 4, 100, 1);
  set (b, 4, 100, 1);
  set (b, 5, 100, 1);
  g_autoptr (CuredComparison) comparison = cured_comparison_new (a, b, "time", NULL);
  g_assert_cmpuint (comparison->pairs->len, ==, 6);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_SAME], ==, 2);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_BETTER], ==, 1);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_WORSE], ==, 1);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_ONLY_A], ==, 1);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_ONLY_B], ==, 1);
  g_assert_cmpfloat_with_epsilon (comparison->worst, 1.1, 1e-12);
  g_assert_cmpfloat_with_epsilon (comparison->best, 2, 1e-12);
  double expected = pow (1.1 * 1.02 * 0.5, 0.25);
  g_assert_cmpfloat_with_epsilon (comparison->geometric_mean, expected, 1e-12);

#define SIGNIFICANCE(i) g_array_index (comparison->pairs, CuredPair, i).significance
  g_assert_cmpfloat_with_epsilon (SIGNIFICANCE (0), log (1.1) / hypot (0.01, 1 / 110.0) / two,
                                  1e-9);
  g_assert_cmpfloat_with_epsilon (SIGNIFICANCE (1), log (1.02) / hypot (0.02, 2 / 102.0) / two,
                                  1e-9);
  g_assert_cmpfloat_with_epsilon (SIGNIFICANCE (2), log (2) / hypot (0.01, 0.02) / two, 1e-9);
  g_assert_true (isnan (SIGNIFICANCE (3)));
  g_assert_cmpfloat (SIGNIFICANCE (4), ==, 0);
#undef SIGNIFICANCE

  g_autoptr (GArray) all = cured_comparison_list_largest (comparison, 0, FALSE, &n_left_out);
  g_assert_cmpuint (all->len, ==, 6);
  g_assert_cmpuint (n_left_out, ==, 0);
  for (guint i = 0; i < all->len; i++)
    {
      static const guint order[] = { 3, 2, 0, 1, 4, 5 };

      g_assert_cmpuint (g_array_index (all, guint, i), ==, order[i]);
    }
  g_autoptr (GArray) significant = cured_comparison_list_largest (comparison, 0, TRUE, &n_left_out);
  g_assert_cmpuint (significant->len, ==, 4);
  g_assert_cmpuint (n_left_out, ==, 2);
  g_assert_cmpuint (g_array_index (significant, guint, 2), ==, 0);
  g_autoptr (GArray) first = cured_comparison_list_largest (comparison, 2, FALSE, &n_left_out);
  g_assert_cmpuint (first->len, ==, 2);
  g_assert_cmpuint (n_left_out, ==, 4);
}

/* Counts of 0 in both files are not a change, and come after all changes. */
TEST ("/comparison/zeros")
{
  const char *const axes[] = { "x=1,2,3", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (axes);

  set (a, 0, 0, 0);
  set (b, 0, 0, 0);
  set (a, 1, 10, 0);
  set (b, 1, 11, 0);
  set (a, 2, 0, 0);
  set (b, 2, 5, 0);
  g_autoptr (CuredComparison) comparison = cured_comparison_new (a, b, "registers", NULL);
  g_assert_cmpuint (comparison->pairs->len, ==, 3);
  g_assert_true (isnan (g_array_index (comparison->pairs, CuredPair, 0).ratio));
  g_autoptr (GArray) all = cured_comparison_list_largest (comparison, 0, FALSE, NULL);
  for (guint i = 0; i < all->len; i++)
    {
      static const guint order[] = { 2, 1, 0 };

      g_assert_cmpuint (g_array_index (all, guint, i), ==, order[i]);
    }
}

static void
assert_described (double a, double b, double half_width, const char *expected)
{
  const char *const axes[] = { "x=1", NULL };
  g_autoptr (CuredResult) result_a = make (axes);
  g_autoptr (CuredResult) result_b = make (axes);

  set (result_a, 0, a, half_width);
  set (result_b, 0, b, half_width);
  g_autoptr (CuredComparison) comparison = compare (result_a, result_b, "time");
  g_autofree char *text =
      cured_pair_describe (get (comparison, 0), cured_metric_info (CURED_METRIC_time));
  g_assert_cmpstr (text, ==, expected);
}

/* A change, and its threshold, in words. */
TEST ("/comparison/words")
{
  CuredPair pair = {
    .a = 100, .b = 250, .ratio = 2.5, .significance = NAN, .verdict = CURED_VERDICT_WORSE
  };

  assert_described (1e6, 1.021e6, 100, "2.1 % slower; the difference exceeds the noise");
  assert_described (1e6, 0.979e6, 100, "2.1 % faster; the difference exceeds the noise");
  assert_described (1e6, 1.021e6, 50000, "2.1 % slower; the difference is within the noise");
  assert_described (1e6, 1.001e6, 100,
                    "0.1 % slower; the difference exceeds the noise, but is too small to matter");
  assert_described (2e6, 1e6, 100, "2× as fast; the difference exceeds the noise");
  assert_described (1e6, 1e6, 100, "no difference");

  /* What was counted has no spread, and is neither fast nor slow. */
  g_autofree char *more =
      cured_pair_describe (&pair, cured_metric_info (CURED_METRIC_instructions));
  g_assert_cmpstr (more, ==, "2.5× as much");
}

/* Wherever in its parameters each is at its best, of one problem. */
TEST ("/comparison/best/against-best")
{
  const char *const axes[] = { "x=1,2", "n=1,2", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (axes);
  CuredPair best;

  /* x runs slower than n. */
  for (gint64 i = 0; i < 4; i++)
    {
      set (a, i, (double[]){ 400, 10, 300, 20 }[i] * 1e3, 100);
      set (b, i, (double[]){ 200, 40, 500, 30 }[i] * 1e3, 100);
    }
  g_autoptr (CuredComparison) comparison = compare (a, b, "time");
  g_assert_true (cured_comparison_get_best (comparison, a, b, "time", NULL, &best));
  g_assert_cmpfloat (best.a, ==, 10e3);
  g_assert_cmpfloat (best.b, ==, 30e3);
  g_assert_cmpint (best.verdict, ==, CURED_VERDICT_WORSE);

  /* Of the problem of a pair: the others are another problem. */
  const CuredPair *like = get (comparison, 0);
  g_assert_cmpfloat (like->a, ==, 400e3);
  g_assert_true (cured_comparison_get_best (comparison, a, b, "time", like, &best));
  g_assert_cmpfloat (best.a, ==, 300e3);
  g_assert_cmpfloat (best.b, ==, 200e3);
  g_assert_cmpint (best.verdict, ==, CURED_VERDICT_BETTER);

  /* No end is better. */
  g_clear_pointer (&comparison, cured_comparison_free);
  comparison = compare (a, b, "registers");
  g_assert_false (cured_comparison_get_best (comparison, a, b, "registers", NULL, &best));
}
