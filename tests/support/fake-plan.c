/* SPDX-License-Identifier: MIT
 * Kernels, plans and workers for the tests of the run stage. */
#include "fake-plan.h"

#include "fake-device.h"
#include "device/cured-device-internal.h"
#include "test.h"

/* The kernel that the fake device is made for. */
CuredKernel *
fake_kernel_load (void)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("CURED_TEST_DATA"), "kernels", "fake.cu", NULL);
  return MUST (cured_kernel_new_from_file (path, &fail));
}

/* A quick sweep over its two axes, each as cured_axis_parse() reads it. */
CuredSpec *
fake_spec_new (const char *tiles, const char *blocks)
{
  g_autoptr (CuredKernel) kernel = fake_kernel_load ();
  g_autoptr (CuredSpec) spec = cured_spec_new (kernel);
  g_autoptr (GError) error = NULL;
  CuredOptions *options = cured_spec_get_options (spec);

  g_autoptr (CuredAxis) tile_axis = MUST (cured_axis_parse (tiles, &fail));
  g_autoptr (CuredAxis) block_axis = MUST (cured_axis_parse (blocks, &fail));
  g_assert_true (cured_spec_set_axis (spec, "tile", tile_axis, &error));
  g_assert_true (cured_spec_set_axis (spec, "blocks", block_axis, &error));
  options->min_samples = 3;
  options->max_samples = 5;
  options->precision = 0;
  options->limit_s = 30;
  options->rounds = 1;
  return g_steal_pointer (&spec);
}

/* The plan for the fake device's limits. */
CuredPlan *
fake_plan_new (CuredSpec *spec)
{
  g_autoptr (CuredDevice) device = fake_device_open ("fake:0", NULL);
  return MUST (cured_plan_new (spec, &device->info.limits, &fail));
}

/* A worker behind a launcher, which tells it what goes wrong. */
CuredDevice *
fake_worker_open (const char *faults, const char *id, GError **error)
{
  g_autofree char *variable = g_strconcat ("CURED_FAKE=", faults, NULL);
  const char *command[] = { "env", variable, g_getenv ("CURED_TEST_WORKER"), NULL };

  return cured_worker_device_new (command, id, error);
}
