/* SPDX-License-Identifier: MIT
 * Predicted times against recorded ones. */
#include "config.h"

#include <math.h>

#include "model/cured-warp-walk-private.h"
#include "part.h"
#include "predicted.h"
#include "ptx/cured-work-internal.h"
#include "run/cured-forecast.h"
#include "run/cured-search-replay.h"
#include "store/cured-next-sweep.h"
#include "test.h"

/* What the model reached, less a tolerance: a change of counts or formulas shows its cost here.
 * lab/score-predictions makes the whole table. */
static const struct
{
  const char *file;
  gboolean is_quick;
  double spearman;
  double best; /* measured time of the predicted best over the true best's */
  double error;
} kept[] = {
  { "average-global", TRUE, 0.90, 1.06, 0.16 },
  { "banks-stride", TRUE, 0.97, 1.02, 0.06 },
  { "dot-two-launch", TRUE, 0.95, 1.05, 0.20 },
  { "elementwise-error-tile", TRUE, 0.97, 1.03, 0.10 },
  { "features-divergence", FALSE, 0.70, 1.02, 0.05 },
  { "matmul-bf16-best", FALSE, 0.75, 1.02, 0.18 },
  { "matmul-naive", TRUE, 0.93, 1.10, 0.21 },
  { "matmul-registers", FALSE, 0.92, 1.05, 0.27 },
  { "matmul-vector", FALSE, 0.87, 1.05, 0.20 },
  { "reduce-sequential", FALSE, 0.97, 1.03, 0.10 },
  { "reduce-several", FALSE, 0.70, 1.02, 0.09 },
  { "transpose-copy", FALSE, 0.60, 1.03, 0.12 },
  { "transpose-padded", FALSE, 0.91, 1.03, 0.04 },
  { "vector-one", FALSE, 0.95, 1.10, 0.15 },
};

/* Cells per file: few in the quick tier. */
#define QUICK_CELLS 10
#define MANY_CELLS  24

static void
test_kept (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredMachine) machine = MUST (cured_machine_find ("h200", &fail));
  gboolean is_quick = part_has_cell (TRUE);
  guint n_scored = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_autofree char *name = g_strconcat (kept[i].file, "-h200.cured", NULL);
      g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_RESULTS"), name, NULL);
      Score score;

      if (!part_has_cell (kept[i].is_quick))
        continue;
      g_assert_true (
          predicted_init (&score, path, machine, is_quick ? QUICK_CELLS : MANY_CELLS, 0, NULL));
      g_test_message ("%s: %.3f, best %.3f, error %.3f", kept[i].file, score.spearman, score.best,
                      score.error);
      g_assert_cmpfloat (score.spearman, >=, kept[i].spearman);
      g_assert_cmpfloat (score.best, <=, kept[i].best);
      g_assert_cmpfloat (score.error, <=, kept[i].error);
      n_scored++;
    }
  g_assert_cmpuint (n_scored, >, 0);
}

/* Visits that a search needs to come within 2 % of the best cell, if it knows predictions:
 * docs/predict.md has 1, and 10 to 14 without. */
static void
test_first (void)
{
  static const char *const files[] = {
    "bandwidth-constant",
    "banks-conflict",
    "features-dynamic-shared",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strconcat (files[i], "-h200.cured", NULL);
      g_autofree char *path = g_build_filename (g_getenv ("CURED_TEST_RESULTS"), name, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
      CuredSearchReplay replay;
      gsize metric;

      const CuredDeviceInfo *device = cured_result_get_device (result);
      g_autoptr (CuredSpec) spec =
          cured_spec_new_from_result (result, cured_result_get_kernel (result));
      g_autoptr (CuredPlan) plan = MUST (cured_plan_new (spec, &device->limits, &fail));
      g_autoptr (CuredForecast) forecast =
          MUST (cured_forecast_new (plan, &device, 1, NULL, NULL, NULL, &fail));
      g_assert_true (cured_result_find_metric (result, "time", &metric));
      g_assert_true (cured_search_replay (result, metric, 20, 0,
                                          cured_forecast_get_times (forecast), NULL, NULL, NULL,
                                          &replay, &error));
      g_test_message ("%s: %.0f visits", files[i], replay.to_close[1]);
      g_assert_cmpfloat (replay.to_close[1], <=, 4);
    }
}

/* What a chip's file does not say hides nothing of what it says. */
TEST ("/predictions/missing")
{
  g_autoptr (CuredMachine) machine = MUST (cured_machine_find ("h200", &fail));
  g_autoptr (CuredWorkload) work = cured_workload_new ();
  CuredWorkLaunch *launch = cured_workload_add (work, "k");
  CuredPrediction whole, less;

  for (int i = 0; i < 3; i++)
    launch->grid[i] = launch->block[i] = 1;
  launch->grid[0] = 1320;
  launch->block[0] = 256;
  launch->n_blocks = launch->n_run = 1320;
  launch->blocks_per_sm = 8;
  launch->total.fp32 = 1e9;
  launch->total.lsu = 1e8;
  cured_prediction_init (&whole, work, machine);
  g_assert_cmpfloat (whole.terms[CURED_TERM_COMPUTE], >, 100e3);
  machine->tensor = machine->constant_words = machine->l1_bytes = NAN;
  cured_prediction_init (&less, work, machine);
  g_assert_cmpfloat (less.terms[CURED_TERM_COMPUTE], ==, whole.terms[CURED_TERM_COMPUTE]);
  g_assert_cmpfloat (less.terms[CURED_TERM_LOAD_STORE], ==, whole.terms[CURED_TERM_LOAD_STORE]);
  g_assert_cmpfloat (less.time_ns, ==, whole.time_ns);
}

/* Where a chip's file says nothing of other blocks' memory, it takes as long as a block's own. */
TEST ("/predictions/remote")
{
  g_autoptr (CuredMachine) machine = MUST (cured_machine_find ("h200", &fail));
  const CuredWork work = { .shared_requests = 2, .remote = 64 };

  g_assert_cmpfloat_with_epsilon (_cured_walk_get_latency (machine, CURED_WAIT_SHARED, &work),
                                  246 + 32 * 1.5, 0.1);
  machine->remote = machine->remote_latency = NAN;
  g_assert_cmpfloat (_cured_walk_get_latency (machine, CURED_WAIT_SHARED, &work), ==,
                     machine->shared_latency);
}

/* L2 is asked once for what two multiprocessors side by side load. */
TEST ("/predictions/joined")
{
  g_autoptr (CuredMachine) machine = MUST (cured_machine_find ("h200", &fail));
  const double joined[] = { NAN, 0, 0.25, 0.5 };
  double terms[G_N_ELEMENTS (joined)];

  for (gsize i = 0; i < G_N_ELEMENTS (joined); i++)
    {
      g_autoptr (CuredWorkload) work = cured_workload_new ();
      CuredWorkLaunch *launch = cured_workload_add (work, "k");
      CuredWorkBuffer *buffer = cured_work_launch_add_buffer (launch);
      CuredPrediction prediction;

      for (int k = 0; k < 3; k++)
        launch->grid[k] = launch->block[k] = 1;
      launch->grid[0] = 1320;
      launch->block[0] = 256;
      launch->n_blocks = launch->n_run = 1320;
      launch->blocks_per_sm = 8;
      launch->total.load_nc = 1e8;
      buffer->name = g_strdup ("in");
      buffer->bytes = 1e6;
      buffer->read = buffer->once = 1e8;
      buffer->joined = joined[i];
      cured_prediction_init (&prediction, work, machine);
      terms[i] = prediction.terms[CURED_TERM_MEMORY];
    }
  g_assert_cmpfloat_with_epsilon (terms[0], 1e8 * 32 / 7.9e12 * 1e9, 1);
  g_assert_cmpfloat (terms[1], ==, terms[0]);
  g_assert_cmpfloat_with_epsilon (terms[2] / terms[0], 0.75, 1e-9);
  g_assert_cmpfloat_with_epsilon (terms[3] / terms[0], 0.5, 1e-9);
}

/* A model that is no good has to look so. */
TEST ("/predictions/score")
{
  const double measured[] = { 1, 2, 3, 4, 5, 6, 7, 8, 8.1, 40 };
  const guint n = G_N_ELEMENTS (measured);
  double good[10], reversed[10], same[10];
  Score score;

  for (guint i = 0; i < n; i++)
    {
      good[i] = measured[i] * 1.2;
      reversed[i] = 100 - measured[i];
      same[i] = 3;
    }
  score_init (&score, measured, good, n);
  g_assert_cmpfloat_with_epsilon (score.spearman, 1, 1e-12);
  g_assert_cmpuint (score.ordered, ==, score.pairs);
  /* 8 and 8.1 are too near to tell. */
  g_assert_cmpuint (score.pairs, ==, 44);
  g_assert_cmpfloat_with_epsilon (score.error, 0.2, 1e-9);
  g_assert_cmpfloat_with_epsilon (score.best, 1, 1e-12);
  score_init (&score, measured, reversed, n);
  g_assert_cmpfloat_with_epsilon (score.spearman, -1, 1e-12);
  g_assert_cmpuint (score.ordered, ==, 0);
  g_assert_cmpfloat_with_epsilon (score.best, 40, 1e-12);
  g_assert_cmpfloat_with_epsilon (score.top, 3, 1e-12);
  score_init (&score, measured, same, n);
  g_assert_cmpfloat_with_epsilon (score.spearman, 0, 1e-12);
  g_assert_cmpuint (score.ordered, ==, 0);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  part_init (&argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (&error);
  if (compiler != NULL)
    g_test_add_func ("/predictions/kept", test_kept);
  if (compiler != NULL && part_has_cell (FALSE))
    g_test_add_func ("/predictions/first", test_first);
  return run_tests ();
}
