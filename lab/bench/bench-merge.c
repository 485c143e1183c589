/* SPDX-License-Identifier: MIT
 * How long merging takes: shards of a made-up sweep, and one file of them.
 *
 *     bench-merge SHARDS BLOCKS
 *
 * Makes a plan of 50 × BLOCKS cells, cuts it into SHARDS shards with a dozen figures a cell and no
 * samples, merges them, checks that every cell is there, and prints seconds and memory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake-plan.h"
#include "make-result.h"
#include "store/cured-merge.h"
#include "store/cured-store-internal.h"
#include "test.h"

static const CuredMetric figures[] = {
  CURED_METRIC_time,         CURED_METRIC_time_low,  CURED_METRIC_time_high,
  CURED_METRIC_time_min,     CURED_METRIC_time_mean, CURED_METRIC_time_spread,
  CURED_METRIC_time_samples, CURED_METRIC_bandwidth, CURED_METRIC_sm_clock,
  CURED_METRIC_occupancy,    CURED_METRIC_registers, CURED_METRIC_threads_per_block,
};

/* A thousand files on the disk take minutes, and are thrown away. What merging writes is waited
 * for. */
static gboolean is_patient;

int
fdatasync (int fd)
{
  return is_patient ? (int) syscall (SYS_fdatasync, fd) : 0;
}

int
fsync (int fd)
{
  return is_patient ? (int) syscall (SYS_fsync, fd) : 0;
}

static double
get_cpu_s (const struct rusage *usage)
{
  return (double) (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
         (double) (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static void
write_shard (CuredPlan *plan, const CuredDeviceInfo *device, const char *path, int shard,
             int n_shards)
{
  g_autoptr (GError) error = NULL;
  gint64 n = cured_plan_get_n_launchable (plan);
  gint64 first = n * (shard - 1) / n_shards;
  gint64 end = n * shard / n_shards;
  g_autoptr (CuredStore) store =
      MUST (cured_store_create_on (path, plan, &device, 1, shard, n_shards, FALSE, &fail));
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

  outcome->state = CURED_STATE_OK;
  g_assert_true (cured_store_begin_batch (store, &error));
  for (gint64 i = first; i < end; i++)
    {
      gint64 cell = cured_plan_get_ordered (plan, i);

      for (gsize j = 0; j < G_N_ELEMENTS (figures); j++)
        outcome->metrics[figures[j]] = (double) (cell * 16 + (gint64) j);
      g_assert_true (_cured_store_append_from (store, cell, outcome, 1, &error));
    }
  g_assert_true (cured_store_end_batch (store, &error));
}

int
main (int argc, char **argv)
{
  int n_shards = argc > 1 ? atoi (argv[1]) : 20;
  int n_blocks = argc > 2 ? atoi (argv[2]) : 200;
  g_autofree char *axis = g_strdup_printf ("1..%d", n_blocks);
  g_autoptr (CuredSpec) spec = fake_spec_new ("1..50", axis);
  g_autoptr (CuredPlan) plan = fake_plan_new (spec);
  g_autofree char *folder = g_dir_make_tmp ("cured-merge-XXXXXX", NULL);
  g_autofree char *all = g_build_filename (folder, "all.cured", NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  CuredDeviceInfo device;
  struct rusage usage;
  gint64 n_launchable = cured_plan_get_n_launchable (plan);
  gsize metric;

  make_device_info (&device);
  for (int i = 1; i <= n_shards; i++)
    {
      g_autofree char *name = g_strdup_printf ("%d.cured", i);

      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
      write_shard (plan, &device, paths->pdata[paths->len - 1], i, n_shards);
    }
  g_ptr_array_add (paths, NULL);
  getrusage (RUSAGE_SELF, &usage);
  printf ("memory before: %.0f MB\n", (double) usage.ru_maxrss / 1000);
  double before_s = get_cpu_s (&usage);
  fflush (stdout);
  is_patient = TRUE;
  gint64 began_us = g_get_monotonic_time ();
  g_autoptr (CuredMergeReport) report =
      cured_merge ((const char *const *) paths->pdata, all, CURED_MERGE_REFUSE,
                   CURED_MERGE_ACCEPT_NONE, FALSE, NULL, &error);
  gint64 ended_us = g_get_monotonic_time ();
  g_assert_no_error (error);
  getrusage (RUSAGE_SELF, &usage);
  printf ("%d shards, %" G_GINT64_FORMAT
          " cells: %.1f s (%.1f s of a processor), at most %.0f MB\n",
          n_shards, report->n_written, (double) (ended_us - began_us) / 1e6,
          get_cpu_s (&usage) - before_s, (double) usage.ru_maxrss / 1000);
  g_assert_cmpint (report->n_conflicts, ==, 0);
  g_assert_cmpint (report->n_missing, ==, 0);
  g_autoptr (CuredResult) result = MUST (cured_result_load (all, NULL, &fail));
  g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, n_launchable);
  g_assert_true (cured_result_find_metric (result, "occupancy", &metric));
  for (gint64 i = 0; i < n_launchable; i += 997)
    {
      gint64 cell = cured_plan_get_ordered (plan, i);

      g_assert_cmpfloat (cured_result_get_value (result, cell, metric), ==,
                         (double) (cell * 16 + 9));
    }
  cured_device_info_clear (&device);
  for (guint i = 0; i + 1 < paths->len; i++)
    remove (paths->pdata[i]);
  remove (all);
  remove (folder);
  return 0;
}
