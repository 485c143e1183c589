/* SPDX-License-Identifier: MIT
 * Two results beside each other: which cells belong together, and what is a
 * difference. */
#include "make-result.h"

#include <math.h>
#include <string.h>

static const char head[] = "/*! cured\n"
                           " * [Kernel]\n"
                           " * Title=Made up\n"
                           " * Summary=Made up\n"
                           " * Family=vector\n"
                           " * Step=1\n";

static const char tail[] = " * [Buffer a]\n"
                           " * Type=f32\n"
                           " * Length=1024\n"
                           " * Fill=poison\n"
                           " * [Launch]\n"
                           " * Entry=made_up\n"
                           " * Grid=1\n"
                           " * Block=x\n"
                           " * Arguments=a\n"
                           " * [Check]\n"
                           " * Output=a\n"
                           " * Reference=vector-add\n"
                           " */\n";

/* A live result: @axes are assignments as `x=1,2`, one a parameter. */
static CuredResult *
make (const char *const *axes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (head);
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (CuredSpec) spec = NULL;
  g_autoptr (CuredPlan) plan = NULL;
  CuredResult *result;
  CuredDeviceInfo device;

  for (gsize i = 0; axes[i] != NULL; i++)
    g_string_append_printf (text,
                            " * [Parameter %c]\n * Kind=launch\n"
                            " * Default=1\n * Summary=Made up\n",
                            axes[i][0]);
  g_string_append (text, tail);
  kernel = cured_kernel_new_from_text (text->str, "made-up", NULL, &error);
  g_assert_no_error (error);
  spec = cured_spec_new (kernel);
  for (gsize i = 0; axes[i] != NULL; i++)
    {
      cured_spec_parse_axis (spec, axes[i], &error);
      g_assert_no_error (error);
    }
  make_device_info (&device);
  plan = cured_plan_new (spec, &device.limits, &error);
  g_assert_no_error (error);
  result = cured_result_new (plan, &device, NULL);
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
    }
  cured_result_set_outcome (result, cell, outcome);
}

static CuredComparison *
compare (CuredResult *a, CuredResult *b, const char *metric)
{
  g_autoptr (GError) error = NULL;
  CuredComparison *comparison = cured_comparison_new (a, b, metric, &error);

  g_assert_no_error (error);
  return comparison;
}

static const CuredPair *
get (CuredComparison *comparison, guint index)
{
  g_assert_cmpuint (index, <, comparison->pairs->len);
  return &g_array_index (comparison->pairs, CuredPair, index);
}

static void
test_verdicts (void)
{
  const char *const axes[] = { "x=1,2,3,4,5,6,7", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (axes);
  g_autoptr (CuredComparison) comparison = NULL;
  static const CuredVerdict verdicts[] = {
    CURED_VERDICT_SAME,  CURED_VERDICT_WORSE,  CURED_VERDICT_BETTER,
    CURED_VERDICT_WORSE, CURED_VERDICT_ONLY_A, CURED_VERDICT_ONLY_B,
  };

  set (a, 0, 100, 2);
  set (b, 0, 103, 2); /* the intervals overlap */
  set (a, 1, 100, 2);
  set (b, 1, 105, 2);
  set (a, 2, 100, 2);
  set (b, 2, 50, 2);
  set (a, 3, 100, 2);
  set (b, 3, 101, 0); /* one has no interval */
  set (a, 4, 100, 2);
  set (b, 5, 100, 2);
  comparison = compare (a, b, "time");
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

static void
test_direction (void)
{
  const char *const axes[] = { "x=1,2", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (axes);
  g_autoptr (CuredComparison) comparison = NULL;

  set (a, 0, 100, 0);
  set (b, 0, 80, 0);
  comparison = compare (a, b, "bandwidth");
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
static void
test_matching (void)
{
  const char *const axes_a[] = { "x=1,2,4", "y=10,20", NULL };
  const char *const axes_b[] = { "y=20,10", "z=7", "x=4,2,8", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);
  g_autoptr (CuredComparison) comparison = NULL;
  guint n_matched = 0;
  guint n_only_a = 0;
  guint n_only_b = 0;

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
  comparison = compare (a, b, "time");
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

static void
test_errors (void)
{
  const char *const axes_a[] = { "x=1,2", NULL };
  const char *const axes_b[] = { "x=1,2", "z=7,8", NULL };
  g_autoptr (CuredResult) a = make (axes_a);
  g_autoptr (CuredResult) b = make (axes_b);
  g_autoptr (GError) error = NULL;

  g_assert_null (cured_comparison_new (a, b, "time", &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "“z”"));
  g_clear_error (&error);
  g_assert_null (cured_comparison_new (b, a, "time", &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_null (cured_comparison_new (a, a, "speed", &error));
  g_assert_error (error, CURED_ERROR, CURED_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "“speed”"));
}

/* The figures of the whole, and the order of the largest changes. */
static void
test_summary (void)
{
  const char *const axes[] = { "x=1,2,3,4,5", NULL };
  const char *const more[] = { "x=1,2,3,4,5,6", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (more);
  g_autoptr (CuredComparison) comparison = NULL;
  g_autoptr (GArray) all = NULL;
  g_autoptr (GArray) significant = NULL;
  g_autoptr (GArray) first = NULL;
  guint n_left_out;
  double expected;

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
  comparison = cured_comparison_new (a, b, "time", NULL);
  g_assert_cmpuint (comparison->pairs->len, ==, 6);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_SAME], ==, 2);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_BETTER], ==, 1);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_WORSE], ==, 1);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_ONLY_A], ==, 1);
  g_assert_cmpuint (comparison->n_verdicts[CURED_VERDICT_ONLY_B], ==, 1);
  g_assert_cmpfloat_with_epsilon (comparison->worst, 1.1, 1e-12);
  g_assert_cmpfloat_with_epsilon (comparison->best, 2, 1e-12);
  expected = pow (1.1 * 1.02 * 0.5, 0.25);
  g_assert_cmpfloat_with_epsilon (comparison->geometric_mean, expected, 1e-12);

#define SIGNIFICANCE(i)                                                        \
  g_array_index (comparison->pairs, CuredPair, i).significance
  g_assert_cmpfloat_with_epsilon (SIGNIFICANCE (0), 5, 1e-12);
  g_assert_cmpfloat_with_epsilon (SIGNIFICANCE (1), 0.5, 1e-12);
  g_assert_cmpfloat_with_epsilon (SIGNIFICANCE (2), 25, 1e-12);
  g_assert_true (isnan (SIGNIFICANCE (3)));
  g_assert_cmpfloat (SIGNIFICANCE (4), ==, 0);
#undef SIGNIFICANCE

  all = cured_comparison_list_largest (comparison, 0, FALSE, &n_left_out);
  g_assert_cmpuint (all->len, ==, 6);
  g_assert_cmpuint (n_left_out, ==, 0);
  for (guint i = 0; i < all->len; i++)
    {
      static const guint order[] = { 3, 2, 0, 1, 4, 5 };

      g_assert_cmpuint (g_array_index (all, guint, i), ==, order[i]);
    }
  significant =
      cured_comparison_list_largest (comparison, 0, TRUE, &n_left_out);
  g_assert_cmpuint (significant->len, ==, 4);
  g_assert_cmpuint (n_left_out, ==, 2);
  g_assert_cmpuint (g_array_index (significant, guint, 2), ==, 0);
  first = cured_comparison_list_largest (comparison, 2, FALSE, &n_left_out);
  g_assert_cmpuint (first->len, ==, 2);
  g_assert_cmpuint (n_left_out, ==, 4);
}

/* Counts of 0 in both files are no change, and come after all changes. */
static void
test_zeros (void)
{
  const char *const axes[] = { "x=1,2,3", NULL };
  g_autoptr (CuredResult) a = make (axes);
  g_autoptr (CuredResult) b = make (axes);
  g_autoptr (CuredComparison) comparison = NULL;
  g_autoptr (GArray) all = NULL;

  set (a, 0, 0, 0);
  set (b, 0, 0, 0);
  set (a, 1, 10, 0);
  set (b, 1, 11, 0);
  set (a, 2, 0, 0);
  set (b, 2, 5, 0);
  comparison = cured_comparison_new (a, b, "registers", NULL);
  g_assert_cmpuint (comparison->pairs->len, ==, 3);
  g_assert_true (isnan (g_array_index (comparison->pairs, CuredPair, 0).ratio));
  all = cured_comparison_list_largest (comparison, 0, FALSE, NULL);
  for (guint i = 0; i < all->len; i++)
    {
      static const guint order[] = { 2, 1, 0 };

      g_assert_cmpuint (g_array_index (all, guint, i), ==, order[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/comparison/verdicts", test_verdicts);
  g_test_add_func ("/comparison/direction", test_direction);
  g_test_add_func ("/comparison/matching", test_matching);
  g_test_add_func ("/comparison/errors", test_errors);
  g_test_add_func ("/comparison/summary", test_summary);
  g_test_add_func ("/comparison/zeros", test_zeros);

  return g_test_run ();
}
