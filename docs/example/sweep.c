/* SPDX-License-Identifier: MIT
 * Sweeps a kernel with no window, and says which cell is best.
 *
 * cc sweep.c -o sweep $(pkg-config --cflags --libs libcured)
 * ./sweep vector/add cuda:0 add.cured && cured show add.cured */
#include <cured.h>
#include <locale.h>

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
  g_autofree char *best = NULL;
  g_autofree char *time = NULL;
  const CuredDeviceInfo *info;
  CuredProgress progress;

  device = cured_worker_device_new ((const char *const *) worker, device_id, error);
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
  g_print ("%" G_GINT64_FORMAT " cells, ", progress.n_done);
  if (progress.best_cell < 0)
    {
      /* None was ok, or the device counts and has no time, as the emulator. */
      g_print ("none with a time\n");
      return TRUE;
    }
  best = cured_plan_describe_cell (plan, progress.best_cell);
  time = cured_format_quantity (progress.best_ns, "ns");
  g_print ("best %s: %s\n", best, time);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  setlocale (LC_ALL, "");
  if (argc == 4 && sweep (argv[1], argv[2], argv[3], &error))
    return 0;
  g_printerr ("%s\n", error ? error->message : "usage: KERNEL DEVICE FILE");
  return argc == 4 ? 1 : 2;
}
