/* SPDX-License-Identifier: MIT
 * Result files of made-up numbers, for tests of whatever reads them. The numbers look like a
 * sweep's and are the same on every machine. */
#include "make-result.h"

#include <glib/gstdio.h>
#include <math.h>
#include <sqlite3.h>
#include "measure/cured-measure-internal.h"
#include "store/cured-store-internal.h"
#include "made-up-limits.h"
#include "test.h"

static const char source[] = "/*! cured\n * [Kernel]\n * Title=Synthetic sum\n"
                             " * Summary=Not a measured kernel: made-up numbers for tests\n"
                             " * Family=vector\n * Step=1\n * Bytes=4*n\n * Ceiling=read\n *\n"
                             " * [Parameter tile]\n * Kind=compile\n * Default=64\n"
                             " * Summary=Threads per block\n *\n"
                             " * [Parameter blocks]\n * Kind=launch\n * Default=132\n"
                             " * Summary=Blocks in the grid\n *\n"
                             " * [Parameter n]\n * Kind=problem\n * Default=1048576\n"
                             " * Summary=Elements\n *\n"
                             " * [Buffer a]\n * Type=f32\n * Length=n\n * Fill=uniform\n *\n"
                             " * [Buffer c]\n * Type=f32\n * Length=n\n * Fill=poison\n *\n"
                             " * [Launch]\n * Entry=synthetic\n * Grid=blocks\n * Block=tile\n"
                             " * Arguments=a,c,n\n *\n"
                             " * [Check]\n * Output=c\n * Reference=vector-add\n *\n"
                             " * [Sweep]\n * tile=32..256:32\n * blocks=66,132,264\n * X=tile\n"
                             " * Y=blocks\n */\n"
                             "extern \"C\" __global__ void\n"
                             "synthetic (const float *a, float *c, int n)\n{\n}\n";

static CuredAxis *
make_axis (gsize n_values, gint64 step, gint64 last)
{
  g_autofree gint64 *values = g_new (gint64, n_values);

  for (gsize i = 0; i < n_values; i++)
    values[i] = n_values > 64 ? (gint64) i + 1 : step * (gint64) (i + 1);
  if (n_values <= 64 && n_values > 1 && last != 0)
    values[n_values - 1] = last;
  return cured_axis_new (values, n_values);
}

static void
set_axis (CuredSpec *spec, const char *parameter, CuredAxis *axis)
{
  MUST (cured_spec_set_axis (spec, parameter, axis, &fail));
  cured_axis_unref (axis);
}

/**
 * make_plan:
 * @what: how large
 *
 * Returns: (transfer full): what make_result() pretends to run */
CuredPlan *
make_plan (const MakeResult *what)
{
  CuredDeviceInfo info;

  g_autoptr (CuredKernel) kernel =
      MUST (cured_kernel_new_from_text (source, "synthetic/sum", NULL, &fail));
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  set_axis (spec, "tile", make_axis (what->n_tiles > 0 ? what->n_tiles : 8, 32, 2048));
  set_axis (spec, "blocks", make_axis (what->n_blocks > 0 ? what->n_blocks : 6, 66, 0));
  set_axis (spec, "n", make_axis (what->n_sizes > 0 ? what->n_sizes : 1, 1 << 20, 0));
  make_device_info (&info);
  CuredPlan *plan = MUST (cured_plan_new (spec, &info.limits, &fail));
  cured_device_info_clear (&info);
  return plan;
}

/**
 * make_device_info:
 * @info: (out caller-allocates): a device that does not exist; clear it with
 *   cured_device_info_clear()
 */
void
make_device_info (CuredDeviceInfo *info)
{
  *info = (CuredDeviceInfo) {
    .id = g_strdup ("fake:0"),
    .kind = g_strdup ("fake"),
    .name = g_strdup ("Synthetic device"),
    .uuid = g_strdup (""),
    .arch = g_strdup ("sm_90"),
    .driver = g_strdup ("synthetic driver"),
    .runtime = g_strdup ("synthetic runtime"),
    .host = g_strdup ("synthetic host"),
    .compiler = g_strdup ("synthetic compiler"),
    .limits = {
      H200_LIMITS,
      .l2_bytes = 62914560,
      .global_bytes = G_GINT64_CONSTANT (150000000000),
      .sm_clock_khz = 1980000,
      .memory_clock_khz = 3201000,
      .memory_bus_bits = 6144,
    },
    .calibration = { .cold_overhead_ns = 1312.5, .resolution_ns = 32 },
    .ceilings = {
      .copy_bytes_per_s = 4.0e12,
      .read_bytes_per_s = 4.2e12,
      .fp32_flops = NAN,
      .date = g_strdup ("2026-01-02T03:04:05Z")
    },
  };
}

/* A number in [0, 1) that looks random and is a function of @cell and @salt. */
static double
scatter (gint64 cell, guint salt)
{
  guint64 x = (guint64) cell * 0x9E3779B97F4A7C15u + salt * 0xBF58476D1CE4E5B9u;

  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  return (double) (x >> 11) / 9007199254740992.0;
}

static CuredSamples *
make_samples (CuredTimingMode mode, gint64 cell, double time_ns, guint n)
{
  CuredSamples *samples = cured_samples_new (mode, mode == CURED_TIMING_COLD ? 1 : 128);
  g_autofree double *times = g_new (double, n);

  for (guint i = 0; i < n; i++)
    {
      CuredSample sample = { .time_ns = time_ns * (0.99 + 0.02 * scatter (cell, 100 + i)),
                             .sm_clock_hz = i == 3 ? NAN : 1.98e9 - 1e6 * i,
                             .throttled = i == 5 };

      times[i] = sample.time_ns;
      g_array_append_val (samples->samples, sample);
    }
  cured_statistics_init (&samples->statistics, times, n);
  samples->stop = CURED_STOP_PRECISE;
  return samples;
}

/* Fast where the device is full, slow where it is not, a little uneven. */
static double
make_time (const MakeResult *what, const gint64 *values, gint64 cell)
{
  double threads = (double) MIN (values[0] * values[1], 132 * 2048);
  double waves = ceil ((double) values[1] / 132);
  double factor = what->factor > 0 ? what->factor : 1;

  return factor *
         (2000 + (double) values[2] * 30000 / threads + 150 * waves + 100 * scatter (cell, 1));
}

static void
fill_ok (const MakeResult *what, const gint64 *values, gint64 cell, CuredOutcome *outcome)
{
  double *metrics = outcome->metrics;
  double time_ns = make_time (what, values, cell);

  metrics[CURED_METRIC_time] = time_ns;
  metrics[CURED_METRIC_time_low] = time_ns * 0.998;
  metrics[CURED_METRIC_time_high] = time_ns * 1.002;
  if (what->no_samples)
    return;
  outcome->cold = make_samples (CURED_TIMING_COLD, cell, time_ns, 12);
  outcome->hot = make_samples (CURED_TIMING_HOT, cell, time_ns * 0.9, 8);
  metrics[CURED_METRIC_time] = outcome->cold->statistics.median;
  metrics[CURED_METRIC_time_low] = outcome->cold->statistics.low;
  metrics[CURED_METRIC_time_high] = outcome->cold->statistics.high;
  metrics[CURED_METRIC_time_min] = outcome->cold->statistics.min;
  metrics[CURED_METRIC_time_mean] = outcome->cold->statistics.mean;
  metrics[CURED_METRIC_time_samples] = 12;
  metrics[CURED_METRIC_time_hot] = outcome->hot->statistics.median;
  metrics[CURED_METRIC_time_hot_low] = outcome->hot->statistics.low;
  metrics[CURED_METRIC_time_hot_high] = outcome->hot->statistics.high;
  metrics[CURED_METRIC_time_hot_samples] = 8;
  metrics[CURED_METRIC_bandwidth] = 4e9 * (double) values[2] / metrics[CURED_METRIC_time];
  metrics[CURED_METRIC_of_ceiling] = metrics[CURED_METRIC_bandwidth] / 4.2e12;
  metrics[CURED_METRIC_sm_clock] = 1.98e9;
  metrics[CURED_METRIC_throttled] = 1;
  metrics[CURED_METRIC_registers] = (double) (16 + values[0] % 24);
  metrics[CURED_METRIC_threads_per_block] = (double) values[0];
  metrics[CURED_METRIC_grid_blocks] = (double) values[1];
}

static void
add_mismatch (CuredOutcome *outcome, gint64 index)
{
  CuredMismatch *mismatch = g_new0 (CuredMismatch, 1);

  mismatch->buffer = g_strdup ("c");
  mismatch->index = index;
  mismatch->got = g_strdup ("unwritten");
  mismatch->expected = g_strdup_printf ("%" G_GINT64_FORMAT ".5", index);
  g_ptr_array_add (outcome->mismatches, mismatch);
}

/**
 * make_outcome:
 * @what: as make_plan()
 * @plan: from make_plan()
 * @cell: a launchable cell
 *
 * Returns: (transfer full): most cells are ok; of a hundred, about two are
 *   wrong and one each failed, crashed and timed out
 */
CuredOutcome *
make_outcome (const MakeResult *what, CuredPlan *plan, gint64 cell)
{
  CuredOutcome *outcome = cured_outcome_new ();
  double luck = scatter (cell, 2);
  gint64 values[3];

  cured_plan_get_values (plan, cell, values);
  for (int i = 0; i < CURED_N_STAGES; i++)
    outcome->stage_ns[i] = (i + 1) * 1000000;
  if (luck < 0.95)
    {
      cured_outcome_set_state (outcome, CURED_STATE_OK, NULL);
      fill_ok (what, values, cell, outcome);
    }
  else if (luck < 0.97)
    {
      cured_outcome_set_state (outcome, CURED_STATE_WRONG, "%d elements of c differ", 3);
      outcome->n_mismatches = 3;
      for (gint64 i = 0; i < 3; i++)
        add_mismatch (outcome, 7 * i - 1);
      outcome->output = g_strdup ("synthetic: printed by the kernel\n");
    }
  else if (luck < 0.98)
    cured_outcome_set_state (outcome, CURED_STATE_FAILED, "synthetic: NVRTC says \"no\", twice");
  else if (luck < 0.99)
    cured_outcome_set_state (outcome, CURED_STATE_CRASHED, "synthetic: the worker died");
  else
    cured_outcome_set_state (outcome, CURED_STATE_TIMED_OUT, "synthetic: longer than %d s", 10);
  return outcome;
}

/**
 * make_result:
 * @path: where; an old file is replaced
 * @what: how large
 *
 * Writes a result file in one transaction; a million cells without samples take some seconds.
 * Aborts on an error. */
void
make_result (const char *path, const MakeResult *what)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredPlan) plan = make_plan (what);
  gint64 n_cells = cured_plan_get_n_cells (plan);
  CuredDeviceInfo info;

  make_device_info (&info);
  g_autoptr (CuredStore) store = cured_store_create (path, plan, &info, TRUE, &error);
  cured_device_info_clear (&info);
  g_assert_no_error (error);
  MUST (cured_store_begin_batch (store, &fail));
  if (what->unfinished)
    n_cells -= n_cells / 10;
  for (gint64 cell = 0; cell < n_cells; cell++)
    {
      if (cured_store_get_state (store, cell) != CURED_STATE_NOT_RUN ||
          (what->every > 0 && cell % what->every != 0))
        continue;
      g_autoptr (CuredOutcome) outcome = make_outcome (what, plan, cell);
      MUST (cured_store_append (store, cell, outcome, &fail));
    }
  MUST (cured_store_end_batch (store, &fail));
  if (!what->unfinished)
    cured_store_finish (store, &error);
  g_assert_no_error (error);
}

/**
 * make_folder:
 *
 * Returns: (transfer full): a new folder for one test's files */
/* A copy of a recording that has forgotten what limits its cells. */
void
copy_unexplained (const char *from, const char *to)
{
  sqlite3 *database = NULL;

  MUST (cured_store_copy (from, to, &fail));
  g_assert_cmpint (sqlite3_open (to, &database), ==, SQLITE_OK);
  g_assert_cmpint (
      sqlite3_exec (database,
                    "DELETE FROM measurement WHERE metric IN (SELECT metric FROM metric "
                    "WHERE id LIKE 'limiter%' OR id IN ('sampled_excess', "
                    "'bytes_in_flight'))",
                    NULL, NULL, NULL),
      ==, SQLITE_OK);
  sqlite3_close (database);
}

char *
make_folder (void)
{
  return MUST (g_dir_make_tmp ("cured-test-XXXXXX", &fail));
}

/* With all that is in it; frees the name. */
void
remove_folder (char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        remove_folder (path);
      else
        {
          g_remove (path);
          g_free (path);
        }
    }
  g_rmdir (folder);
  g_free (folder);
}

/* A folder that goes at the end of the test. */
const char *
test_folder (void)
{
  char *folder = make_folder ();

  g_test_queue_destroy ((GDestroyNotify) remove_folder, folder);
  return folder;
}
