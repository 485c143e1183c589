/* SPDX-License-Identifier: MIT
 * The arithmetic of reuse, from what the emulator counted: how many elements a product's threads
 * load, from where, and how often each is used. */
#include <cured.h>
#include <string.h>

#include "device/cured-device-internal.h"
#include "test-compiled.h"
#include "test.h"

static CuredCompiler *compiler;
static CuredDevice *device;

/* Of a launch: by thread, not by warp. */
typedef struct
{
  guint64 global_loads, multiply_adds;
} Operations;

/* Runs a kernel of the arguments a, b, c and n, and adds up what its threads did, by the PTX
 * instructions. */
static Operations
count (const char *id, const char *entry, const char *const *defines, guint n, guint tile)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CuredKernel) kernel = cured_catalogue_get (id, &error);
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 30);
  g_auto (CuredReport) report = { 0 };
  const gsize size = (gsize) n * n * sizeof (float);
  struct
  {
    guint64 matrices[3];
    gint32 n;
  } parameters = { .n = (gint32) n };
  CuredLaunch launch = {
    .memory = memory,
    .entry = entry,
    .grid = { n / tile, n / tile, 1 },
    .block = { tile, tile, 1 },
    .parameters = &parameters,
    .parameters_bytes = sizeof parameters,
    .watch = CURED_WATCH_COUNTS,
  };
  Operations operations = { 0 };
  gsize length;

  g_assert_no_error (error);
  g_autoptr (GBytes) image = MUST (cured_compiler_compile (compiler, kernel->source, id, defines,
                                                           device->info.arch, NULL, &fail));
  const char *text = g_bytes_get_data (image, &length);
  g_autoptr (CuredPtxModule) module =
      MUST (cured_ptx_module_parse (text, (gssize) length, id, &fail));
  for (gsize i = 0; i < G_N_ELEMENTS (parameters.matrices); i++)
    {
      MUST (cured_memory_allocate (memory, size, &parameters.matrices[i], &fail));
      memset (cured_memory_map (memory, parameters.matrices[i], size), 0, size);
    }
  MUST (cured_ptx_module_link (module, memory, &fail));
  launch.module = module;
  MUST (cured_emulator_launch (&launch, &report, NULL, &fail));
  g_assert_cmpint (report.end, ==, CURED_END_DONE);

  for (guint i = 0; i < report.n_counts; i++)
    {
      g_auto (CuredPtxPlace) place = { 0 };

      cured_ptx_module_get_place (module, i, &place);
      if (place.text == NULL)
        continue;
      if (strstr (place.text, "ld.global") != NULL)
        operations.global_loads += report.counts[i].lanes;
      if (strstr (place.text, "fma.rn.f32") != NULL)
        operations.multiply_adds += report.counts[i].lanes;
    }
  return operations;
}

static Operations
count_tiled (guint n, guint tile)
{
  g_autofree char *define = g_strdup_printf ("-DTILE=%u", tile);
  const char *defines[] = { define, "-DROWS=1", "-DUNROLL=32", NULL };

  return count ("matmul/tiled", "matmul_tiled", defines, n, tile);
}

/* The text: with tiles of 16, a block loads 512 elements and does "8192 multiply-adds" with them, a
 * step. The loads are 2 · 16², and right. 8192 is 2 · 16³, a multiplication and an addition each
 * counted for itself; of multiply-adds, each of which is one instruction, there are 16³ = 4096. */
TEST ("/worked/matmul/block")
{
  Operations one = count_tiled (16, 16);
  Operations two = count_tiled (32, 16);

  /* One block, one step. */
  g_assert_cmpuint (one.global_loads, ==, 512);
  g_assert_cmpuint (one.multiply_adds, ==, 4096);
  g_assert_cmpuint (2 * one.multiply_adds, ==, 8192);
  /* Four blocks, two steps each. */
  g_assert_cmpuint (two.global_loads, ==, 4 * 2 * 512);
  g_assert_cmpuint (two.multiply_adds, ==, 4 * 2 * 4096);
}

/* An element that was loaded is used by a row or a column of threads: for each load there are tile
 * / 2 multiply-adds, and as many operations as the tile is wide. */
TEST ("/worked/matmul/reuse")
{
  static const guint tiles[] = { 2, 4, 8, 16, 32 };

  for (gsize i = 0; i < G_N_ELEMENTS (tiles); i++)
    {
      Operations operations = count_tiled (64, tiles[i]);

      g_assert_cmpuint (operations.multiply_adds, ==, 64 * 64 * 64);
      g_assert_cmpuint (2 * operations.multiply_adds, ==, tiles[i] * operations.global_loads);
    }
}

/* A tile of 16 cuts global loads to a sixteenth: of elements that threads ask for, which is what
 * the text counts. Sectors are cut less, as a warp of the plain kernel asks for a sector once,
 * however many of its lanes want a word of it: see below. */
TEST ("/worked/matmul/sixteenth")
{
  static const guint tiles[] = { 8, 16, 32 };
  const char *defines[] = { NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (tiles); i++)
    {
      Operations naive = count ("matmul/naive", "matmul_naive", defines, 64, tiles[i]);
      Operations tiled = count_tiled (64, tiles[i]);

      /* Two for each multiply-add. */
      g_assert_cmpuint (naive.multiply_adds, ==, 64 * 64 * 64);
      g_assert_cmpuint (naive.global_loads, ==, 2 * 64 * 64 * 64);
      g_assert_cmpuint (naive.global_loads, ==, tiles[i] * tiled.global_loads);
    }
}

static double
get_figure (const char *id, const char *const *settings, CuredMetric metric)
{
  g_autoptr (CuredKernel) kernel = MUST (cured_catalogue_get (id, &fail));
  g_autoptr (CuredOutcome) outcome = cured_outcome_new ();
  g_auto (CuredOptions) options = { 0 };
  CuredJob job = { .kernel = kernel, .options = &options };
  const CuredParameter *parameters;

  parameters = kernel->parameters;
  gsize n = kernel->n_parameters;
  g_autofree gint64 *values = g_new (gint64, n);
  for (gsize i = 0; i < n; i++)
    {
      values[i] = parameters[i].default_value;
      for (gsize k = 0; settings[k] != NULL; k += 2)
        if (g_str_equal (parameters[i].name, settings[k]))
          values[i] = g_ascii_strtoll (settings[k + 1], NULL, 10);
    }
  job.values = values;
  cured_options_init (&options);
  MUST (cured_measure (device, &job, outcome, NULL, &fail));
  g_assert_cmpint (outcome->state, ==, CURED_STATE_OK);
  return outcome->metrics[metric];
}

/* What memory sees. Blocks of 16 × 16: a warp is two rows of 16 threads. The plain kernel's warp
 * asks, for each k, for two sectors of a (a word of each) and two of b, the tiled one's, for 16 k,
 * for four of a and four of b: an eighth, not a sixteenth. Each warp writes four sectors in
 * both. */
TEST ("/worked/matmul/sectors")
{
  const char *const naive[] = { "n", "64", "bx", "16", "by", "16", NULL };
  const char *const tiled[] = { "n", "64", "tile", "16", NULL };
  const double warps = 64 * 64 / 32;

  g_assert_cmpfloat (get_figure ("matmul/naive", naive, CURED_METRIC_global_sectors), ==,
                     warps * (64 * 4 + 4));
  g_assert_cmpfloat (get_figure ("matmul/tiled", tiled, CURED_METRIC_global_sectors), ==,
                     warps * (64 / 16 * 8 + 4));
}

/* Reuse is half the tile's side: a block of 16 × 16 loads 512 elements for 4096 multiply-adds, and
 * 86.4 GB/s of floats become 345.6 GFLOP/s. */
TEST ("/worked/matmul/loads")
{
  const char *const naive[] = { "n", "16", "bx", "16", "by", "16", NULL };
  const char *const tiled[] = { "n", "16", "tile", "16", NULL };
  const char *const half[] = { "n", "16", "tile", "8", NULL };

  g_assert_cmpfloat (get_figure ("matmul/naive", naive, CURED_METRIC_global_loads), ==, 2 * 4096);
  g_assert_cmpfloat (get_figure ("matmul/naive", naive, CURED_METRIC_flops_per_load), ==, 1);
  g_assert_cmpfloat (get_figure ("matmul/tiled", tiled, CURED_METRIC_global_loads), ==, 512);
  g_assert_cmpfloat (get_figure ("matmul/tiled", tiled, CURED_METRIC_flops), ==, 2 * 4096);
  g_assert_cmpfloat (get_figure ("matmul/tiled", tiled, CURED_METRIC_flops_per_load) * 86.4 / 4, ==,
                     345.6);
  g_assert_cmpfloat (get_figure ("matmul/tiled", half, CURED_METRIC_flops_per_load), ==, 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  return run_compiled_tests (&compiler, &device);
}
