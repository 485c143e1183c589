/* SPDX-License-Identifier: MIT
 * How long a sweep will take: every kind of thing that is known before it. */
#include <math.h>
#include <string.h>

#include "base/cured-metric.h"
#include "fake-device.h"
#include "fake-plan.h"
#include "device/cured-device-internal.h"
#include "device/cured-devices.h"
#include "kernel/read/cured-catalogue.h"
#include "make-result.h"
#include "run/cured-estimate.h"
#include "store/cured-result.h"
#include "test.h"

static CuredPlan *
new_plan (const char *tiles, const char *blocks)
{
  g_autoptr (CuredSpec) spec = fake_spec_new (tiles, blocks);
  CuredOptions *options = cured_spec_get_options (spec);

  options->sampling_s = 2;
  return fake_plan_new (spec);
}

/* Where there is one, and the test does not say which. */
#define ANY -1.0

static void
assert_estimate (CuredPlan *plan, const CuredDeviceInfo *info, CuredEstimateBasis basis,
                 double seconds)
{
  CuredEstimate estimate;

  cured_estimate_sweep (plan, info, NULL, NULL, &estimate);
  g_assert_cmpint (estimate.basis, ==, basis);
  g_assert_true (isnan (estimate.first_s));
  if (isnan (seconds))
    g_assert_true (isnan (estimate.sweep_s));
  else if (seconds != ANY)
    g_assert_cmpfloat_with_epsilon (estimate.sweep_s, seconds, 1e-6);
}

TEST ("/estimate/sizes")
{
  g_autoptr (CuredDevice) device = fake_device_open ("fake:0", NULL);
  g_autoptr (CuredPlan) plan = new_plan ("1,2", "1..5");
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (plan));
  CuredEstimate both, cold;

  /* Ten short cells of 0.03 s, and 1.3 s. */
  cured_estimate_sweep (plan, &device->info, NULL, NULL, &both);
  g_assert_cmpint (both.basis, ==, CURED_ESTIMATE_SIZES);
  g_assert_cmpfloat_with_epsilon (both.sweep_s, 1.6, 0.05);
  options->hot = FALSE;
  cured_estimate_sweep (plan, &device->info, NULL, NULL, &cold);
  g_assert_cmpfloat_with_epsilon (both.sweep_s - cold.sweep_s, 0.15, 1e-6);
  options->limit_s = 0.001;
  assert_estimate (plan, &device->info, CURED_ESTIMATE_SIZES, 1.31);
  device->info.limits.emulated = 1;
  assert_estimate (plan, &device->info, CURED_ESTIMATE_NONE, CURED_MISSING);
}

static double
estimate_product (const char *tile, const char *n)
{
  g_autoptr (CuredDevice) device = fake_device_open ("fake:0", NULL);
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("matmul/tiled", &fail));
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  CuredEstimate estimate;

  MUST (cured_spec_parse_axis (spec, tile, &fail));
  MUST (cured_spec_parse_axis (spec, n, &fail));
  g_autoptr (CuredPlan) plan = MUST (cured_plan_new (spec, &device->info.limits, &fail));
  cured_estimate_sweep (plan, &device->info, NULL, NULL, &estimate);
  g_assert_cmpint (estimate.basis, ==, CURED_ESTIMATE_SIZES);
  return estimate.sweep_s;
}

/* The recording of the kernel says that tiles of 1 are slow, and nothing of n = 2047, which is as
 * slow as that for its formulas. */
TEST ("/estimate/recorded")
{
  double slow = estimate_product ("tile=1", "n=2048"),
         fast = estimate_product ("tile=16", "n=2048");
  double both = estimate_product ("tile=1", "n=2047,2048");

  g_assert_cmpfloat (slow, >, 1.2 * fast);
  g_assert_cmpfloat_with_epsilon (both - slow, slow - fast, 0.25 * slow);
}

TEST ("/estimate/last")
{
  g_autoptr (CuredDevice) device = fake_device_open ("fake:0", NULL);
  g_autoptr (CuredPlan) plan = new_plan ("1,2", "1..5");
  g_autoptr (CuredPlan) next = new_plan ("1,2", "1..50");
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (next));
  CuredProgress progress = { .n_cells = 10, .n_done = 4 };
  g_autofree char *other = g_strdup ("Another device");
  CuredEstimate estimate;

  /* Nothing was done, so nothing is learnt. */
  cured_estimate_learn (plan, &device->info, &(CuredProgress){ 0 });
  assert_estimate (plan, &device->info, CURED_ESTIMATE_SIZES, ANY);

  /* A cell took 3 s: 1 s for each kind of samples, and 1 s else. */
  progress.cells_ns = G_GINT64_CONSTANT (12000000000);
  progress.stage_ns[CURED_STAGE_TIME] = G_GINT64_CONSTANT (8000000000);
  cured_estimate_learn (plan, &device->info, &progress);
  assert_estimate (next, &device->info, CURED_ESTIMATE_LAST, 300);
  options->cold = FALSE;
  assert_estimate (next, &device->info, CURED_ESTIMATE_LAST, 200);
  options->sampling_s = 0.5;
  assert_estimate (next, &device->info, CURED_ESTIMATE_LAST, 150);
  cured_estimate_sweep (next, &device->info, NULL, NULL, &estimate);
  g_autofree char *text = cured_estimate_describe (&estimate, NULL);
  g_assert_nonnull (strstr (text, "the last sweep"));

  /* On another device, nothing is known. */
  g_free (device->info.name);
  device->info.name = g_steal_pointer (&other);
  assert_estimate (plan, &device->info, CURED_ESTIMATE_SIZES, ANY);
}

/* On the emulator a cell takes as long as it has threads. */
TEST ("/estimate/emulated")
{
  g_autoptr (CuredDevice) device = fake_device_open ("fake:0", NULL);
  g_autoptr (CuredPlan) plan = new_plan ("1", "1,3");
  g_autoptr (CuredPlan) next = new_plan ("1", "4");
  g_autoptr (CuredPlan) many = new_plan ("1", "1..1000");
  CuredProgress progress = { .n_cells = 2, .n_done = 2 };
  CuredEstimate estimate;

  device->info.limits.emulated = 1;
  g_free (device->info.name);
  device->info.name = g_strdup ("Emulator of the test");
  /* A cell of two blocks on average took 1 s, and 0.5 s of compiling. */
  progress.cells_ns = G_GINT64_CONSTANT (3000000000);
  progress.stage_ns[CURED_STAGE_CHECK] = G_GINT64_CONSTANT (2000000000);
  progress.n_states[CURED_STATE_TIMED_OUT] = 1;
  cured_estimate_learn (plan, &device->info, &progress);
  assert_estimate (next, &device->info, CURED_ESTIMATE_NONE, CURED_MISSING);
  progress.n_states[CURED_STATE_TIMED_OUT] = 0;
  cured_estimate_learn (plan, &device->info, &progress);
  assert_estimate (plan, &device->info, CURED_ESTIMATE_LAST, 3);
  assert_estimate (next, &device->info, CURED_ESTIMATE_LAST, 2.5);
  /* No cell counts for more than its limit, of 30 s. */
  cured_estimate_sweep (many, &device->info, NULL, NULL, &estimate);
  g_assert_cmpfloat (estimate.sweep_s, >, 1000 * 0.5 + 900 * 30);
  g_assert_cmpfloat (estimate.sweep_s, <, 1000 * 30.5);
}

/* By a file of the kernel, where no sweep ran here. */
TEST ("/estimate/file")
{
  g_autoptr (CuredDevice) device = fake_device_open ("fake:0", NULL);
  g_autoptr (CuredPlan) plan = new_plan ("1,2", "1..5");
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "a b.cured", NULL);
  g_auto (CuredOptions) measured = { 0 };
  gint64 stage_ns[CURED_N_STAGES];
  double cell_s = 0;
  CuredEstimate estimate;
  CuredOptions *options = cured_spec_get_options (cured_plan_get_spec (plan));

  make_result (path, &(MakeResult){ .n_tiles = 4, .n_blocks = 3 });
  g_free (device->info.name);
  device->info.name = g_strdup ("Far device");
  cured_options_init (&measured);
  gint64 n_cells = cured_result_peek_stages (path, stage_ns, NULL);
  g_assert_cmpint (n_cells, >, 0);
  for (int i = 0; i < CURED_N_STAGES; i++)
    cell_s += (double) stage_ns[i] / 1e9 / (double) n_cells;
  options->sampling_s = 1000;
  cured_estimate_sweep (plan, &device->info, path, &measured, &estimate);
  g_assert_cmpint (estimate.basis, ==, CURED_ESTIMATE_FILE);
  g_assert_cmpfloat_with_epsilon (estimate.sweep_s, 10 * cell_s, 1e-6 * cell_s);
  g_autofree char *text = cured_estimate_describe (&estimate, path);
  g_assert_nonnull (strstr (text, "estimated from a b.cured"));

  cured_estimate_sweep (plan, &device->info, "/nowhere.cured", &measured, &estimate);
  g_assert_cmpint (estimate.basis, ==, CURED_ESTIMATE_SIZES);
}

/* The emulator runs some blocks, whoever asks. */
TEST ("/estimate/blocks")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredDevice) emulator = cured_device_open ("emulator", &error);
  CuredEstimate estimate;

  if (emulator == NULL)
    {
      g_test_skip (error->message);
      return;
    }
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get ("vector/add", &fail));
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  MUST (cured_spec_parse_axis (spec, "n=4096", &fail));
  g_autoptr (CuredPlan) plan = MUST (cured_plan_new (spec, &emulator->info.limits, &fail));
  cured_estimate_sweep (plan, &emulator->info, NULL, NULL, &estimate);
  g_assert_cmpint (estimate.basis, ==, CURED_ESTIMATE_BLOCKS);
  g_assert_cmpfloat (estimate.first_s, >, 0);
  g_assert_cmpfloat (estimate.sweep_s, >=, estimate.first_s);
  g_assert_true (isfinite (estimate.sweep_s));

  /* Not in this process, which a compiler may take along. */
  g_autofree char *program = g_strdup (g_getenv ("CURED_PROGRAM"));
  g_setenv ("CURED_PROGRAM", "false", TRUE);
  assert_estimate (plan, &emulator->info, CURED_ESTIMATE_NONE, CURED_MISSING);
  if (program != NULL)
    g_setenv ("CURED_PROGRAM", program, TRUE);
  else
    g_unsetenv ("CURED_PROGRAM");
}

/* The sizes of a GPU are too large for the emulator, and become smaller, as far as the kernel
 * allows; what is small enough stays. */
TEST ("/estimate/fit")
{
  static const struct
  {
    const char *kernel;
    const char *axis; /* nullable: the default sweep */
    const char *n;    /* as it becomes; nullable: it stays */
  } rows[] = {
    { "vector/add", "blocks=1056", "16777216" },
    { "vector/add", "n=4096", NULL },
    { "matmul/tiled", NULL, "" },
    /* Large grids go before the problem is too small for any. */
    { "vector/add", NULL, "" },
    { "reduce/two-launch", NULL, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (rows[i].kernel, &fail));
      const CuredLimits *limits = &cured_profile_find ("sm_120")->limits;
      gsize n;

      g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
      if (rows[i].axis == NULL)
        cured_spec_use_default_sweep (spec);
      else
        g_assert_true (cured_spec_parse_axis (spec, rows[i].axis, &error));
      g_assert_true (cured_kernel_find_parameter (kernel, "n", &n));
      g_autofree char *before = cured_axis_to_string (cured_spec_get_axis (spec, n));
      g_assert_cmpint (cured_estimate_fit (spec, limits, 6), ==, rows[i].n != NULL);
      g_autofree char *after = cured_axis_to_string (cured_spec_get_axis (spec, n));
      if (rows[i].n == NULL)
        g_assert_cmpstr (after, ==, before);
      else if (*rows[i].n != '\0')
        g_assert_cmpstr (after, ==, rows[i].n);
      g_test_message ("%s: n %s -> %s", rows[i].kernel, before, after);
      if (rows[i].axis == NULL)
        {
          gsize n_axes = 0;

          for (gsize k = 0; k < kernel->n_parameters; k++)
            {
              g_autofree char *axis = cured_axis_to_string (cured_spec_get_axis (spec, k));

              g_test_message ("%s: %s %s", rows[i].kernel, kernel->parameters[k].name, axis);
              n_axes += cured_axis_get_length (cured_spec_get_axis (spec, k)) >= 6;
            }
          g_assert_cmpuint (n_axes, >=, g_str_equal (rows[i].kernel, "matmul/tiled") ? 1 : 2);
          g_assert_cmpint (cured_axis_get_value (cured_spec_get_axis (spec, n), 0), >=, 32);
        }
      /* Fitted is fitted. */
      g_assert_false (cured_estimate_fit (spec, limits, 6));
      g_autoptr (CuredPlan) plan = MUST (cured_plan_new (spec, limits, &fail));
      g_assert_cmpint (cured_plan_get_n_launchable (plan), >, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  return run_tests ();
}
