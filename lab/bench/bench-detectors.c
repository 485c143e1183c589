/* SPDX-License-Identifier: MIT
 * Lane-instructions per second of processor time, of kernels of the catalogue on the emulator with
 * all counters and detectors on. Arguments name the kernels that run. */
#include "cured.h"

#include <stdio.h>

#include "bench.h"

/* Other programs on the machine can make one of them slow, not all. */
#define N_TURNS 4

/* Sizes are such that a turn takes a fraction of a second. */
static const struct
{
  const char *kernel;
  const char *values; /* name, value and so on; others are the default */
} rows[] = {
  { "matmul/naive", "n,256" },
  { "matmul/tiled", "n,256,tile,16" },
  { "matmul/tiled", "n,256,tile,32" },
  { "matmul/registers", "n,256" },
  { "matmul/async", "n,256" },
  { "matmul-bf16/padding", "n,256" },
  { "reduce/interleaved-modulo", "n,1000000" },
  { "reduce/sequential", "n,1000000" },
  { "reduce/shuffle", "n,4000000" },
  { "reduce/atomic", "n,4000000" },
  { "transpose/naive", "n,1024,m,1024" },
  { "transpose/padded", "n,1024,m,1024" },
  { "average/global", "n,200000" },
  { "average/shared", "n,200000" },
  { "elementwise/add", "n,1024" },
  { "vector/add", "n,2000000" },
  { "dot/shuffle", "n,2000000" },
  { "banks/stride", "accesses,256,stride,1" },
  { "banks/stride", "accesses,256,stride,4" },
};

static void
set_values (const CuredKernel *kernel, const char *text, gint64 *values)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);

  for (gsize i = 0; i < kernel->n_parameters; i++)
    values[i] = kernel->parameters[i].default_value;
  for (gsize w = 0; words[w] != NULL; w += 2)
    {
      gsize i;

      if (!cured_kernel_find_parameter (kernel, words[w], &i))
        g_error ("%s has no parameter %s", kernel->id, words[w]);
      values[i] = g_ascii_strtoll (words[w + 1], NULL, 10);
    }
}

/* Processor time of all threads when the kernel's run began. What comes after it in a cell is a
 * look at the output. */
static void
stage_cb (CuredStage stage, gpointer start_ms)
{
  if (stage == CURED_STAGE_CHECK)
    *(double *) start_ms = bench_get_cpu_ms (CLOCK_PROCESS_CPUTIME_ID);
}

static void
measure (CuredDevice *device, const char *name, const char *text, int n_turns)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (name, &error);
  g_autofree gint64 *values = NULL;
  g_auto (CuredOptions) options = { 0 };
  double start_ms = 0;
  CuredJob job = { .options = &options, .stage_func = stage_cb, .stage_data = &start_ms };
  double lanes = 0;
  double best_ms = G_MAXDOUBLE;

  if (kernel == NULL)
    g_error ("%s", error->message);
  values = g_new0 (gint64, kernel->n_parameters);
  set_values (kernel, text, values);
  job.kernel = kernel;
  job.values = values;
  cured_options_init (&options);
  options.limit_s = 100;
  options.check = TRUE;
  for (int turn = 0; turn < n_turns; turn++)
    {
      g_autoptr (CuredOutcome) outcome = cured_outcome_new ();

      if (!cured_measure (device, &job, outcome, NULL, &error))
        g_error ("%s", error->message);
      if (outcome->state != CURED_STATE_OK)
        g_error ("%s %s: %s", name, text, outcome->reason);
      best_ms = MIN (best_ms, bench_get_cpu_ms (CLOCK_PROCESS_CPUTIME_ID) - start_ms);
      lanes = outcome->metrics[CURED_METRIC_instructions] *
              outcome->metrics[CURED_METRIC_lanes_active] * 32;
    }
  printf ("%-28s %-24s %8.1f %10.2f\n", name, text, lanes / 1e6, lanes / best_ms / 1e6);
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredDevice) device = cured_device_open ("emulator", &error);

  if (device == NULL)
    {
      printf ("skipped: %s\n", error->message);
      return 77;
    }
  printf ("%-28s %-24s %8s %10s\n", "kernel", "values", "10^6", "10^9/s");
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (argc < 2 || g_strv_contains ((const char *const *) argv + 1, rows[i].kernel))
      measure (device, rows[i].kernel, rows[i].values, N_TURNS);
  return 0;
}
