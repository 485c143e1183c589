/* SPDX-License-Identifier: MIT
 * Parts of a plan, devices that are not alike, and one file of all. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "base/cured-error.h"
#include "device/cured-device-internal.h"
#include "fake-plan.h"
#include "run/cured-runner.h"
#include "run/cured-shard.h"
#include "store/cured-merge.h"
#include "store/cured-result.h"
#include "test.h"

typedef struct
{
  char *folder;
  GPtrArray *paths;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("cured-test-XXXXXX", NULL);
  self->paths = g_ptr_array_new_with_free_func (g_free);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  for (guint i = 0; i < self->paths->len; i++)
    g_remove (self->paths->pdata[i]);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_ptr_array_unref (self->paths);
  g_free (self->folder);
}

#define FIXTURE_TEST(path) TEST_FIXTURE (path, Fixture, set_up, tear_down)

static const char *
new_path (Fixture *self)
{
  g_autofree char *name = g_strdup_printf ("%u.cured", self->paths->len);

  g_ptr_array_add (self->paths, g_build_filename (self->folder, name, NULL));
  return self->paths->pdata[self->paths->len - 1];
}

/* Runs a sweep on devices that differ by their faults: with @shard > 0 a part of it. */
static void
run_sweep (const char *path, const char *const *faults, int shard, int n_shards, double anchor_s)
{
  g_autoptr (CuredSpec) spec = fake_spec_new ("1,2,4", "1..4");
  g_autoptr (GPtrArray) devices =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_device_close);
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (CuredPlanPlace));
  const CuredDeviceInfo *infos[8];
  const CuredLimits *limits[8];

  for (gsize i = 0; faults[i] != NULL; i++)
    {
      g_autofree char *id = g_strdup_printf ("fake:%zu", i);
      gboolean is_known = FALSE;
      CuredDevice *device = MUST (fake_worker_open (faults[i], id, &fail));

      g_ptr_array_add (devices, device);
      infos[i] = cured_device_get_info (device);
      for (guint j = 0; j < places->len; j++)
        is_known |= g_str_equal (g_array_index (places, CuredPlanPlace, j).name, infos[i]->name);
      if (!is_known)
        {
          CuredPlanPlace place = { infos[i]->name, "", &infos[i]->limits };

          limits[places->len] = &infos[i]->limits;
          g_array_append_val (places, place);
        }
    }
  g_autoptr (CuredPlan) plan =
      MUST (cured_plan_new_on (spec, (const void *) places->data, places->len, &fail));
  g_autoptr (CuredStore) store =
      MUST (cured_store_create_on (path, plan, infos, devices->len, shard, n_shards, FALSE, &fail));
  g_autoptr (CuredRunner) runner = cured_runner_new (plan, store);
  for (guint i = 0; i < devices->len; i++)
    cured_runner_add_device (runner, devices->pdata[i]);
  cured_runner_set_anchors (runner, anchor_s);
  if (shard > 0)
    {
      gsize n_cells;
      g_autofree gint64 *cells = cured_shard_cells (plan, limits, shard, n_shards, &n_cells);

      cured_runner_set_part (runner, cells, n_cells);
    }
  MUST (cured_runner_run (runner, NULL, &fail));
}

static CuredResult *
load (const char *path)
{
  return MUST (cured_result_load (path, NULL, &fail));
}

/* All parts together are the plan, whoever makes them, and cost about the same. */
TEST ("/cluster/shards")
{
  g_autoptr (CuredSpec) spec = fake_spec_new ("1..40", "1..50");
  g_autoptr (CuredPlan) plan = fake_plan_new (spec);
  CuredLimits any = { .warp_size = 32, .max_threads_per_block = 1024 };
  const CuredLimits *limits = &any;
  gint64 n = cured_plan_get_n_launchable (plan);

  for (int n_shards = 1; n_shards <= 17; n_shards += 4)
    {
      g_autofree guint8 *seen = g_malloc0 ((gsize) cured_plan_get_n_cells (plan));
      gint64 sum = 0;

      for (int shard = 1; shard <= n_shards; shard++)
        {
          gsize n_cells = 0, n_again = 0;
          g_autofree gint64 *cells = cured_shard_cells (plan, &limits, shard, n_shards, &n_cells);
          g_autofree gint64 *again = cured_shard_cells (plan, &limits, shard, n_shards, &n_again);

          g_assert_cmpmem (cells, n_cells * sizeof *cells, again, n_again * sizeof *again);
          for (gsize i = 0; i < n_cells; i++)
            g_assert_cmpint (seen[cells[i]]++, ==, 0);
          sum += (gint64) n_cells;
          g_assert_cmpfloat (fabs ((double) n_cells - (double) n / n_shards), <,
                             0.2 * (double) n / n_shards + 2);
        }
      g_assert_cmpint (sum, ==, n);
    }
}

TEST ("/cluster/parse")
{
  static const char *const wrong[] = {
    "", "3", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/4", "1/ 2"
  };
  g_autoptr (GError) error = NULL;
  int shard, n_shards;

  g_assert_true (cured_shard_parse ("3/16", &shard, &n_shards, &error));
  g_assert_cmpint (shard, ==, 3);
  g_assert_cmpint (n_shards, ==, 16);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      FAILS (cured_shard_parse (wrong[i], &shard, &n_shards, &fail), CURED_ERROR,
             CURED_ERROR_INVALID, "");
    }
  g_unsetenv ("SLURM_ARRAY_TASK_ID");
  REFUSES (cured_shard_parse ("slurm", &shard, &n_shards, &fail), "SLURM_ARRAY_TASK_ID");
  g_setenv ("SLURM_ARRAY_TASK_ID", "7", TRUE);
  g_setenv ("SLURM_ARRAY_TASK_MIN", "5", TRUE);
  g_setenv ("SLURM_ARRAY_TASK_MAX", "8", TRUE);
  g_setenv ("SLURM_ARRAY_TASK_COUNT", "4", TRUE);
  g_assert_true (cured_shard_parse ("slurm", &shard, &n_shards, &error));
  g_assert_cmpint (shard, ==, 3);
  g_assert_cmpint (n_shards, ==, 4);
  /* 5, 7, 9, 11 are four numbers, and no positions. */
  g_setenv ("SLURM_ARRAY_TASK_MAX", "11", TRUE);
  REFUSES (cured_shard_parse ("slurm", &shard, &n_shards, &fail), "gaps");
}

FIXTURE_TEST ("/cluster/merge")
{
  const char *faults[] = { "", NULL };
  const char *whole = new_path (self);
  g_autoptr (GPtrArray) shards = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  gsize metric, other;

  run_sweep (whole, faults, 0, 0, 0);
  for (int i = 1; i <= 3; i++)
    {
      const char *path = new_path (self);

      run_sweep (path, faults, i, 3, 0);
      g_ptr_array_add (shards, (gpointer) path);
    }
  g_ptr_array_add (shards, NULL);
  const char *merged = new_path (self);
  g_autoptr (CuredMergeReport) report =
      MUST (cured_merge ((const char *const *) shards->pdata, merged, CURED_MERGE_REFUSE,
                         CURED_MERGE_ACCEPT_NONE, FALSE, NULL, &fail));
  g_assert_cmpint (report->n_written, ==, 12);
  g_assert_cmpint (report->n_missing, ==, 0);
  g_autoptr (CuredResult) all = load (merged);
  g_autoptr (CuredResult) one = load (whole);
  g_assert_true (cured_result_is_finished (all));
  g_assert_true (cured_result_find_metric (all, "registers", &metric));
  g_assert_true (cured_result_find_metric (one, "registers", &other));
  for (gint64 cell = 0; cell < 12; cell++)
    {
      g_autoptr (CuredOutcome) a = MUST (cured_result_load_outcome (all, cell, &fail));
      g_autoptr (CuredOutcome) b = MUST (cured_result_load_outcome (one, cell, &fail));
      gsize device;

      g_assert_cmpint (a->state, ==, b->state);
      g_assert_cmpuint (a->cold->samples->len, ==, b->cold->samples->len);
      g_assert_cmpfloat (cured_result_get_value (all, cell, metric), ==,
                         cured_result_get_value (one, cell, other));
      g_assert_true (cured_result_get_cell_device (all, cell, &device));
    }

  /* The same measurement twice is one, another one is a conflict. */
  g_clear_pointer (&report, cured_merge_report_free);
  shards->pdata[3] = (gpointer) whole;
  g_ptr_array_add (shards, NULL);
  report = cured_merge ((const char *const *) shards->pdata, new_path (self), CURED_MERGE_REFUSE,
                        CURED_MERGE_ACCEPT_NONE, FALSE, NULL, &error);
  g_assert_null (report);
  g_assert_error (error, CURED_ERROR, CURED_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "12 cells"));
  g_assert_nonnull (strstr (error->message, "tile=1 blocks=1"));
  g_assert_nonnull (strstr (error->message, whole));
  g_clear_error (&error);
  g_ptr_array_set_size (self->paths, (int) self->paths->len - 1);
  report = MUST (cured_merge ((const char *const *) shards->pdata, new_path (self),
                              CURED_MERGE_NEWEST, CURED_MERGE_ACCEPT_NONE, FALSE, NULL, &fail));
  g_assert_cmpint (report->n_conflicts, ==, 12);
  g_clear_pointer (&report, cured_merge_report_free);
  shards->pdata[3] = shards->pdata[0];
  report = MUST (cured_merge ((const char *const *) shards->pdata, new_path (self),
                              CURED_MERGE_REFUSE, CURED_MERGE_ACCEPT_NONE, FALSE, NULL, &fail));
  g_assert_cmpint (report->n_repeated, >, 0);
}

/* What rows of text a statement gives, one a line. */
static char *
query (const char *path, const char *sql)
{
  g_autoptr (GString) text = g_string_new (NULL);
  sqlite3_stmt *statement = NULL;
  sqlite3 *handle = NULL;

  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (handle, sql, -1, &statement, NULL), ==, SQLITE_OK);
  while (sqlite3_step (statement) == SQLITE_ROW)
    g_string_append_printf (text, "%s\n", (const char *) sqlite3_column_text (statement, 0));
  sqlite3_finalize (statement);
  sqlite3_close (handle);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Each round of each cell keeps the device that measured it, whatever number the device has in
 * another file. */
FIXTURE_TEST ("/cluster/devices")
{
  static const char who[] = "SELECT cell || ' ' || round || ' ' || uuid FROM cell_device JOIN "
                            "device USING (device) ORDER BY cell, round";
  const char *few[] = { "", NULL };
  const char *many[] = { "", "", "", NULL };
  const char *first = new_path (self);
  const char *second = new_path (self);
  const char *merged = new_path (self);
  const char *paths[] = { first, second, NULL };
  g_autoptr (GPtrArray) expected = g_ptr_array_new_with_free_func (g_free);
  guint n_lines = 0;

  run_sweep (first, few, 1, 2, 0);
  run_sweep (second, many, 2, 2, 0);
  for (int i = 0; i < 2; i++)
    {
      /* Alternately, and a second round on another device than the first, where there is one. */
      g_free (query (paths[i],
                     "UPDATE cell_device SET device = 1 + cell % (SELECT count (*) FROM device)"));
      g_free (query (paths[i], "INSERT INTO cell_device SELECT cell, 1, 1 + device % (SELECT count "
                               "(*) FROM device) FROM cell_device"));
      g_autofree char *rows = query (paths[i], who);
      g_auto (GStrv) own = g_strsplit (g_strchomp (rows), "\n", -1);
      for (guint j = 0; own[j] != NULL; j++)
        g_ptr_array_add (expected, g_strdup (own[j]));
    }
  g_autoptr (CuredMergeReport) report = MUST (
      cured_merge (paths, merged, CURED_MERGE_REFUSE, CURED_MERGE_ACCEPT_NONE, FALSE, NULL, &fail));
  g_autofree char *said = query (merged, who);
  g_auto (GStrv) lines = g_strsplit (g_strchomp (said), "\n", -1);
  for (; lines[n_lines] != NULL; n_lines++)
    g_assert_true (g_ptr_array_find_with_equal_func (expected, lines[n_lines], g_str_equal, NULL));
  g_assert_cmpuint (n_lines, ==, 24);
  g_assert_cmpuint (expected->len, ==, 24);
  g_assert_nonnull (strstr (said, "fake-fake:2"));
}

/* One run on two sorts of device, and two runs that are merged. */
FIXTURE_TEST ("/cluster/unlike")
{
  const char *both[] = { "name=Left", "name=Right,percent=10", NULL };
  const char *together = new_path (self);
  const char *left = new_path (self);
  const char *right = new_path (self);
  const char *merged = new_path (self);
  const char *paths[] = { left, right, NULL };

  run_sweep (together, both, 0, 0, 0);
  run_sweep (left, (const char *[]){ both[0], NULL }, 0, 0, 0);
  run_sweep (right, (const char *[]){ both[1], NULL }, 0, 0, 0);
  g_autoptr (CuredMergeReport) report = MUST (
      cured_merge (paths, merged, CURED_MERGE_REFUSE, CURED_MERGE_ACCEPT_NONE, FALSE, NULL, &fail));
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (CuredResult) result = load (i == 0 ? together : merged);
      gsize n_axes;
      const CuredResultAxis *axes = cured_result_get_axes (result, &n_axes);
      gsize metric;

      g_assert_cmpuint (n_axes, ==, 4);
      g_assert_cmpstr (axes[3].name, ==, "device");
      g_assert_cmpint (axes[3].kind, ==, CURED_PARAMETER_DEVICE);
      g_autofree char *names = cured_axis_to_string (axes[3].values);
      g_assert_cmpstr (names, ==, "Left,Right");
      g_assert_nonnull (cured_result_get_kernel (result));
      g_assert_cmpint (cured_result_count_state (result, CURED_STATE_OK), ==, 24);
      g_assert_true (cured_result_is_finished (result));
      g_assert_true (cured_result_find_metric (result, "time", &metric));
      g_assert_true (cured_result_load_column (result, metric, NULL, NULL));
      for (gint64 cell = 0; cell < 24; cell += 2)
        {
          g_assert_cmpstr (cured_result_get_device_of (result, cell)->name, ==, "Left");
          g_assert_cmpstr (cured_result_get_device_of (result, cell + 1)->name, ==, "Right");
          g_assert_cmpfloat_with_epsilon (cured_result_get_value (result, cell + 1, metric) /
                                              cured_result_get_value (result, cell, metric),
                                          1.1, 0.01);
        }
    }
}

static guint
count_notes (CuredResult *result, CuredDeviceNoteKind kind)
{
  gsize n_notes;
  const CuredDeviceNote *notes = cured_result_get_notes (result, &n_notes);
  guint n = 0;

  for (gsize i = 0; i < n_notes; i++)
    n += notes[i].kind == kind;
  return n;
}

/* Four like devices, of which one is 3 % slow, or 0.3 %, which is noise. */
FIXTURE_TEST ("/cluster/off-peers")
{
  for (int is_off = 0; is_off < 2; is_off++)
    {
      const char *path = new_path (self);
      const char *faults[] = { "ms=5", "ms=5", is_off ? "ms=5,percent=3" : "ms=5,percent=0.3",
                               "ms=5", NULL };
      gsize n_notes;

      run_sweep (path, faults, 0, 0, 1e6);
      g_autoptr (CuredResult) result = load (path);
      const CuredDeviceNote *notes = cured_result_get_notes (result, &n_notes);
      g_assert_cmpuint (count_notes (result, CURED_DEVICE_NOTE_OFF_PEERS), ==, is_off ? 1 : 0);
      if (is_off)
        {
          g_autofree char *text = cured_result_describe_note (result, notes);

          g_assert_cmpuint (n_notes, ==, 1);
          g_assert_cmpfloat_with_epsilon (notes->value, 0.03, 0.005);
          g_assert_nonnull (strstr (text, "fake:2"));
          g_assert_nonnull (strstr (text, "longer"));
        }
    }
}

FIXTURE_TEST ("/cluster/drift")
{
  static const char *const settings[] = { "drift=4", "drift=0.2" };

  for (int i = 0; i < 2; i++)
    {
      const char *path = new_path (self);
      gsize n_anchors;

      run_sweep (path, (const char *[]){ settings[i], NULL }, 0, 0, 1e-6);
      g_autoptr (CuredResult) result = load (path);
      cured_result_get_anchors (result, &n_anchors);
      g_assert_cmpuint (n_anchors, >, 10);
      g_assert_cmpuint (count_notes (result, CURED_DEVICE_NOTE_DRIFT), ==, i == 0 ? 1 : 0);
    }
}

FIXTURE_TEST ("/cluster/shared")
{
  const char *path = new_path (self);
  gsize n_notes;
  g_autofree char *slice = cured_device_describe_sharing ("NVIDIA H100 80GB HBM3 MIG 1g.10gb");
  g_autofree char *whole = cured_device_describe_sharing ("NVIDIA H200");

  g_assert_cmpstr (slice, ==, "MIG 1g.10gb");
  g_assert_cmpstr (whole, ==, "");
  run_sweep (path, (const char *[]){ "sharing=MIG 1g.10gb", NULL }, 0, 0, 0);
  g_autoptr (CuredResult) result = load (path);
  const CuredDeviceNote *notes = cured_result_get_notes (result, &n_notes);
  g_assert_cmpuint (n_notes, ==, 1);
  g_assert_cmpint (notes->kind, ==, CURED_DEVICE_NOTE_SHARED);
  g_assert_cmpstr (notes->detail, ==, "MIG 1g.10gb");
}
