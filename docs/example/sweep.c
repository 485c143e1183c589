/* SPDX-License-Identifier: MIT
 * Sweeps a kernel with no window, and says which cell is best.
 *
 * cc sweep.c -o sweep $(pkg-config --cflags --libs libcured)
 * ./sweep vector/add cuda:0 add.cured && cured show add.cured */
#include <cured.h>

static gboolean
sweep (const char *id, const char *device_id, const char *path, GError **error)
{
  /* A kernel that hangs takes its worker process with it, not this one. */
  g_auto (GStrv) worker = cured_worker_default_command ();
  g_autoptr (CuredDevice) device = NULL;
  g_autoptr (CuredKernel) kernel = NULL;
  g_autoptr (CuredSpec) spec = NULL;
  g_autoptr (CuredPlan) plan = NULL;
  g_autoptr (CuredStore) store = NULL;
  g_autoptr (CuredRunner) runner = NULL;
  const CuredDeviceInfo *info;
  CuredProgress progress;

  device =
      cured_worker_device_new ((const char *const *) worker, device_id, error);
  if (device == NULL || (kernel = cured_catalogue_load (id, error)) == NULL)
    return FALSE;
  info = cured_device_get_info (device);
  spec = cured_spec_new (kernel);
  cured_spec_use_default_sweep (spec);
  if ((plan = cured_plan_new (spec, &info->limits, error)) == NULL ||
      (store = cured_store_create (path, plan, info, TRUE, error)) == NULL)
    return FALSE;
  runner = cured_runner_new (plan, store);
  cured_runner_add_device (runner, device);
  if (!cured_runner_run (runner, NULL, error))
    return FALSE;
  cured_runner_get_progress (runner, &progress);
  g_print ("%" G_GINT64_FORMAT " cells, best %" G_GINT64_FORMAT ": %.1f us\n",
           progress.n_done,
           progress.best_cell,
           progress.best_ns / 1e3);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (argc == 4 && sweep (argv[1], argv[2], argv[3], &error))
    return 0;
  g_printerr ("%s\n", error ? error->message : "usage: KERNEL DEVICE FILE");
  return argc == 4 ? 1 : 2;
}
