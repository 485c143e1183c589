/* SPDX-License-Identifier: MIT
 * The averaging filter's worked example: 16 numbers, four iterations, by every way that the
 * catalogue has to do it. */
#include <cured.h>
#include <math.h>
#include <string.h>

#include "device/cured-device-internal.h"
#include "kernel/program/cured-program-internal.h"
#include "test-compiled.h"
#include "test.h"

#define N          16
#define ITERATIONS 4

/* As the text prints it, rounded to whole numbers, but for one: in row 4 it has 40 for the ninth
 * number, which is 36.96, the mean of 41.15, 37.30 and
 * 32.44 in row 3. */
static const int table[ITERATIONS + 1][N] = {
  { 25, 6, 34, 91, 10, 62, 55, 5, 80, 20, 10, 40, 6, 99, 26, 2 },
  { 25, 22, 44, 45, 54, 42, 41, 47, 35, 37, 23, 19, 48, 44, 42, 2 },
  { 25, 30, 37, 48, 47, 46, 43, 41, 39, 32, 26, 30, 37, 45, 29, 2 },
  { 25, 31, 38, 44, 47, 45, 43, 41, 37, 32, 29, 31, 37, 37, 25, 2 },
  { 25, 31, 38, 43, 45, 45, 43, 41, 37, 33, 31, 33, 35, 33, 21, 2 },
};

static CuredDevice *device;
static CuredCompiler *compiler;

/* What a kernel makes of the example. @settings is "case=14 block=32"; FALSE: the kernel file
 * refuses that. */
static gboolean
average (const char *id, const char *settings, int iterations, float *result)
{
  const CuredLaunchClass *launch = device->klass->launch;
  g_auto (GStrv) words = g_strsplit (settings, " ", -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));
  const CuredParameter *parameters;
  gsize n_parameters, parameter;
  float in[N];

  parameters = kernel->parameters;
  n_parameters = kernel->n_parameters;
  g_autofree gint64 *values = g_new (gint64, n_parameters);
  for (gsize i = 0; i < n_parameters; i++)
    values[i] = parameters[i].default_value;
  for (gsize i = 0; words[i] != NULL; i++)
    {
      char *value = strchr (words[i], '=');

      *value++ = '\0';
      g_assert_true (cured_kernel_find_parameter (kernel, words[i], &parameter));
      values[parameter] = g_ascii_strtoll (value, NULL, 10);
    }
  g_assert_true (cured_kernel_find_parameter (kernel, "n", &parameter));
  values[parameter] = N;
  g_assert_true (cured_kernel_find_parameter (kernel, "iterations", &parameter));
  values[parameter] = iterations;
  g_autoptr (CuredProgram) program =
      cured_program_new (kernel, values, &device->info.limits, &error);
  if (program == NULL)
    {
      g_test_message ("%s %s: %s", id, settings, error->message);
      return FALSE;
    }

  g_autoptr (GBytes) image = MUST (cured_compiler_compile (compiler, kernel->source, "kernel.cu",
                                                           (const char *const *) program->defines,
                                                           device->info.arch, NULL, &fail));
  CuredModule *module = MUST (launch->load (device, image, &fail));
  g_autofree CuredDevicePtr *bindings = g_new0 (CuredDevicePtr, program->n_buffers);
  for (gsize i = 0; i < program->n_buffers; i++)
    g_assert_true (launch->allocate (device, program->buffers[i].size, &bindings[i], &error));
  for (int i = 0; i < N; i++)
    in[i] = (float) table[0][i];
  g_assert_true (launch->upload (device, bindings[cured_program_find_buffer (program, "in")], in,
                                 sizeof in, &error));
  MUST (launch->run (device, module, program, bindings, &fail));
  g_assert_true (launch->download (device, result, bindings[kernel->output], sizeof in, &error));
  for (gsize i = 0; i < program->n_buffers; i++)
    launch->release (device, bindings[i]);
  launch->unload (device, module);
  return TRUE;
}

/* Rounded for print as the table is, and to the bit what plain C makes of it. */
static void
assert_row (const float *result, int iterations)
{
  float plain[2][N];

  for (int i = 0; i < N; i++)
    plain[0][i] = plain[1][i] = (float) table[0][i];
  for (int k = 0; k < iterations; k++)
    for (int i = 1; i < N - 1; i++)
      {
        const float *from = plain[k % 2];
        volatile float sum = from[i - 1] + from[i];

        sum = sum + from[i + 1];
        plain[1 - k % 2][i] = sum / 3;
      }
  for (int i = 0; i < N; i++)
    g_assert_cmpint ((int) floorf (result[i] + 0.5F), ==, table[iterations][i]);
  g_assert_cmpmem (result, N * sizeof *result, plain[iterations % 2], sizeof plain[0]);
}

/* Blocks of 4, 8 and 16 threads, so that block borders lie everywhere. */
static const struct
{
  const char *id, *settings;
} ways[] = {
  { "average/block", "elements=4 steps=4 warps=2" },
  { "average/global", "block=4" },
  { "average/global", "block=8" },
  { "average/global", "block=16" },
  { "average/march", "elements=4 steps=2 warps=1" },
  { "average/shared", "block=4 steps=1" },
  { "average/shared", "block=8 steps=2" },
  { "average/shared", "block=8 steps=3 division=0" },
  { "average/shared", "block=16 steps=4" },
  { "average/staged", "elements=4 steps=3 warps=1" },
  { "average/warp", "elements=4 steps=4 warps=1" },
};

static void
test_way (gconstpointer data)
{
  gsize way = GPOINTER_TO_SIZE (data);

  for (int iterations = 1; iterations <= ITERATIONS; iterations++)
    {
      float result[N] = { 0 };

      g_assert_true (average (ways[way].id, ways[way].settings, iterations, result));
      assert_row (result, iterations);
    }
}

/* All sixteen cases, with every size of the block. More than one iteration is refused where the
 * case has a single one. */
static void
test_case (gconstpointer data)
{
  int number = GPOINTER_TO_INT (data);

  for (int block = 4; block <= N; block *= 2)
    for (int iterations = 1; iterations <= ITERATIONS; iterations++)
      {
        g_autofree char *settings = g_strdup_printf ("case=%d block=%d", number, block);
        float result[N] = { 0 };
        gboolean is_single = number % 4 < 2;
        gboolean is_done = average ("average/cases", settings, iterations, result);

        g_assert_cmpint (is_done, ==, !is_single || iterations == 1);
        if (is_done)
          assert_row (result, iterations);
      }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *settings = g_strdelimit (g_strdup (ways[i].settings), " ", ',');
      g_autofree char *path = g_strdup_printf ("/worked-average/%s/%s", ways[i].id, settings);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_way);
    }
  for (int i = 0; i < 16; i++)
    {
      g_autofree char *path = g_strdup_printf ("/worked-average/case/%d", i);

      g_test_add_data_func (path, GINT_TO_POINTER (i), test_case);
    }
  return run_compiled_tests (&compiler, &device);
}
