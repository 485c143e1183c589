/* SPDX-License-Identifier: MIT
 * Runs or resumes a sweep on the fake worker, and says which cells are finished. Made to be killed.
 *
 *     fake-sweep FILE.cured [again]
 *
 * With “again”, all cells run once more, whether the file has them or not.
 *
 * Prints the worker's process number first, then the number of each cell after it was finished,
 * then "done". */
#include <stdio.h>

#include "fake-plan.h"
#include "run/cured-runner.h"
#include "worker/cured-worker-internal.h"
#include "test.h"

static void
cell_finished_cb (CuredRunner *runner, gint64 cell, gpointer outcome, gpointer data)
{
  printf ("%" G_GINT64_FORMAT "\n", cell);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  g_autoptr (CuredSpec) spec = fake_spec_new ("1,2,4,8,16,32", "1..8");
  g_autoptr (CuredPlan) plan = fake_plan_new (spec);
  g_autoptr (GError) error = NULL;

  g_return_val_if_fail (argc == 2 || argc == 3, 2);

  g_autoptr (CuredDevice) device = MUST (fake_worker_open ("ms=2", "fake:0", &fail));
  printf ("%d\n", _cured_worker_device_get_pid (device));
  fflush (stdout);

  g_autoptr (CuredStore) store = cured_store_open (argv[1], &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    {
      g_clear_error (&error);
      store = cured_store_create (argv[1], plan, cured_device_get_info (device), FALSE, &error);
    }
  g_assert_no_error (error);
  gboolean ok = MUST (cured_store_matches (store, plan, cured_device_get_info (device), &fail));
  g_assert_true (ok);

  g_autoptr (CuredRunner) runner = cured_runner_new (plan, store);
  cured_runner_add_device (runner, device);
  g_signal_connect (runner, "cell-finished", G_CALLBACK (cell_finished_cb), NULL);
  if (argc == 3)
    {
      gint64 n_cells = cured_plan_get_n_cells (plan);
      g_autofree gint64 *cells = g_new (gint64, n_cells);

      for (gint64 i = 0; i < n_cells; i++)
        cells[i] = i;
      cured_runner_set_cells (runner, cells, (gsize) n_cells);
    }
  ok = MUST (cured_runner_run (runner, NULL, &fail));
  g_assert_true (ok);
  printf ("done\n");
  g_assert_finalize_object (g_steal_pointer (&runner));
  return 0;
}
