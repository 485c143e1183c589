/* SPDX-License-Identifier: MIT
 * Occupancy: hand-made figures, what NVIDIA's own calculator says, and what CUDA said of kernels on
 * an H200. */
#include <math.h>

#include "cured.h"

#include "base/cured-limits-internal.h"
#include "test.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define HAS_CALCULATOR 1
#else
#define HAS_CALCULATOR 0
#endif

static CuredOccupancy
compute (const char *arch, gint64 threads, int registers, gsize shared_bytes)
{
  CuredOccupancy occupancy;

  cured_occupancy_init (&occupancy, cured_profile_find (arch), threads, registers, shared_bytes);
  return occupancy;
}

#define WARPS     (1u << CURED_LIMITER_WARPS)
#define REGISTERS (1u << CURED_LIMITER_REGISTERS)
#define SHARED    (1u << CURED_LIMITER_SHARED)
#define BLOCKS    (1u << CURED_LIMITER_BLOCKS)

TEST ("/occupancy/figures")
{
  static const struct
  {
    const char *arch;
    gint64 threads;
    int registers;
    gsize shared_bytes;
    int blocks;
    guint limiters;
  } rows[] = {
    /* The example that the first spreadsheet opened with: 24 warps of 24. */
    { "sm_10", 256, 10, 4096, 3, WARPS | REGISTERS },
    /* 11 registers: 2816 a block of 8192. */
    { "sm_10", 256, 11, 4096, 2, REGISTERS },
    /* 512 bytes a unit: 16 KiB hold three of 4097 bytes. */
    { "sm_10", 64, 8, 4097, 3, SHARED },
    { "sm_13", 513, 8, 0, 0, WARPS | REGISTERS },
    /* 33 * 32 is 1056, rounded up to 1088: 30 warps of 32 K registers. */
    { "sm_20", 192, 33, 0, 5, REGISTERS },
    { "sm_20", 32, 20, 0, 8, BLOCKS },
    { "sm_20", 32, 64, 0, 0, REGISTERS },
    /* 255 registers: 8192 a warp, 2 warps a partition, 8 a multiprocessor. */
    { "sm_90", 256, 255, 0, 1, REGISTERS },
    { "sm_90", 257, 255, 0, 0, REGISTERS },
    { "sm_90", 256, 32, 0, 8, WARPS | REGISTERS },
    { "sm_90", 256, 33, 0, 6, REGISTERS },
    { "sm_90", 32, 16, 0, 32, BLOCKS },
    /* Unknown registers limit nothing. */
    { "sm_90", 1024, 0, 0, 2, WARPS },
    /* Shared memory: one block with all of it, none with a byte more. */
    { "sm_90", 32, 16, 232448, 1, SHARED },
    { "sm_90", 32, 16, 232449, 0, SHARED },
    /* sm_75 reserves nothing and gives out 256 bytes at a time. */
    { "sm_75", 32, 16, 4096, 16, SHARED | BLOCKS },
    { "sm_75", 32, 16, 4097, 15, SHARED },
    { "sm_75", 1024, 64, 0, 1, WARPS | REGISTERS },
    { "sm_75", 1025, 16, 0, 0, WARPS | REGISTERS },
    { "sm_75", 0, 16, 0, 0, WARPS | REGISTERS },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      CuredOccupancy occupancy =
          compute (rows[i].arch, rows[i].threads, rows[i].registers, rows[i].shared_bytes);
      const CuredLimits *limits = &cured_profile_find (rows[i].arch)->limits;
      double warps = (double) (rows[i].blocks * ((rows[i].threads + 31) / 32));

      g_test_message ("%s, %d threads", rows[i].arch, (int) rows[i].threads);
      g_assert_cmpint (occupancy.blocks, ==, rows[i].blocks);
      g_assert_cmphex (occupancy.limiters, ==, rows[i].limiters);
      g_assert_cmpfloat (occupancy.warps, ==, warps);
      g_assert_cmpfloat_with_epsilon (occupancy.occupancy,
                                      warps * 32 / (double) limits->max_threads_per_sm, 1e-12);
    }
  g_assert_cmpint (compute ("sm_10", 256, 10, 4096).registers_per_block, ==, 2560);
  g_assert_cmpint (compute ("sm_90", 96, 33, 0).registers_per_block, ==, 3840);
  g_assert_cmpint (compute ("sm_90", 96, 33, 100).shared_per_block, ==, 1152);
  g_assert_cmpint (compute ("sm_90", 96, 33, 0).most[CURED_LIMITER_SHARED], ==, 228);
  g_assert_cmpint (cured_occupancy_get_max_threads (cured_profile_find ("sm_90"), 255), ==, 256);
  g_assert_cmpint (cured_occupancy_get_max_threads (cured_profile_find ("sm_90"), 0), ==, 1024);
}

/* More of anything never makes more blocks. */
TEST ("/occupancy/monotonous")
{
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);

  for (gsize i = 0; i < n_profiles; i++)
    for (gint64 threads = 32; threads <= 1024; threads += 96)
      for (int registers = 8; registers < 256; registers += 8)
        for (gsize shared = 0; shared < 100 << 10; shared += 5000)
          {
            const char *arch = profiles[i].arch;
            int blocks = compute (arch, threads, registers, shared).blocks;

            g_assert_cmpint (compute (arch, threads + 32, registers, shared).blocks, <=, blocks);
            g_assert_cmpint (compute (arch, threads, registers + 1, shared).blocks, <=, blocks);
            g_assert_cmpint (compute (arch, threads, registers, shared + 999).blocks, <=, blocks);
          }
}

/* What would help: the nearest value, and nothing nearer. */
TEST ("/occupancy/more")
{
  static const struct
  {
    gint64 needs[CURED_N_NEEDS];
    CuredNeed need;
    gint64 value; /* -1: none */
  } rows[] = {
    { { 1024, 40, 0 }, CURED_NEED_REGISTERS, 32 },
    { { 256, 255, 0 }, CURED_NEED_REGISTERS, 128 },
    { { 768, 32, 0 }, CURED_NEED_THREADS, 800 },
    { { 32, 32, 0 }, CURED_NEED_THREADS, 64 },
    { { 256, 32, 0 }, CURED_NEED_THREADS, -1 },
    { { 256, 0, 0 }, CURED_NEED_REGISTERS, -1 },
    /* 228 KiB hold eight of 28.5 KiB, of which CUDA takes one. */
    { { 256, 32, 30000 }, CURED_NEED_SHARED, 28160 },
    { { 256, 32, 28160 }, CURED_NEED_SHARED, -1 },
    { { 1024, 40, 0 }, CURED_NEED_SHARED, -1 },
  };
  const CuredProfile *profile = cured_profile_find ("sm_90");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const gint64 *needs = rows[i].needs;
      gint64 value = -1;
      double occupancy = 0;
      CuredOccupancy now;

      cured_occupancy_init (&now, profile, needs[0], (int) needs[1], (gsize) needs[2]);
      g_assert_true (cured_occupancy_find_more (profile, needs, rows[i].need, &value, &occupancy) ==
                     (rows[i].value >= 0));
      g_assert_cmpint (value, ==, rows[i].value);
      if (value >= 0)
        g_assert_cmpfloat (occupancy, >, now.occupancy);
    }
}

/* NVIDIA's calculator, which comes with the toolkit, says the same of every chip that it knows. */
TEST ("/occupancy/calculator")
{
#if HAS_CALCULATOR
  gsize n_profiles = 0;
  const CuredProfile *profiles = cured_profile_list (&n_profiles);
  gint64 n_compared = 0;

  for (gsize i = 0; i < n_profiles; i++)
    {
      const CuredProfile *profile = &profiles[i];
      const CuredLimits *limits = &profile->limits;
      struct cudaOccDeviceProp properties = {
        .computeMajor = (int) limits->compute_major,
        .computeMinor = (int) limits->compute_minor,
        .maxThreadsPerBlock = (int) limits->max_threads_per_block,
        .maxThreadsPerMultiprocessor = (int) limits->max_threads_per_sm,
        .regsPerBlock = (int) limits->registers_per_block,
        .regsPerMultiprocessor = (int) limits->registers_per_sm,
        .warpSize = (int) limits->warp_size,
        .sharedMemPerBlock = (gsize) limits->shared_per_block,
        .sharedMemPerMultiprocessor = (gsize) limits->shared_per_sm,
        .numSms = 1,
        .sharedMemPerBlockOptin = (gsize) limits->shared_per_block_optin,
        .reservedSharedMemPerBlock = profile->shared_reserved
      };
      struct cudaOccDeviceState state = { .cacheConfig = CACHE_PREFER_NONE,
                                          .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT };

      for (gint64 threads = 1; threads <= limits->max_threads_per_block;
           threads += threads < 33 ? 31 : 37)
        for (int registers = 1; registers <= profile->registers_per_thread; registers += 3)
          for (gsize shared = 0; shared <= (gsize) limits->shared_per_block_optin; shared += 7001)
            {
              struct cudaOccFuncAttributes attributes = { .maxThreadsPerBlock = G_MAXINT,
                                                          .numRegs = registers,
                                                          .shmemLimitConfig =
                                                              FUNC_SHMEM_LIMIT_OPTIN,
                                                          .maxDynamicSharedSizeBytes = shared,
                                                          .numBlockBarriers = 1 };
              struct cudaOccResult result;
              CuredOccupancy occupancy = compute (profile->arch, threads, registers, shared);

              if (cudaOccMaxActiveBlocksPerMultiprocessor (&result, &properties, &attributes,
                                                           &state, (int) threads,
                                                           shared) != CUDA_OCC_SUCCESS)
                continue;
              g_assert_cmpint (occupancy.blocks, ==, result.activeBlocksPerMultiprocessor);
              n_compared++;
            }
    }
  g_test_message ("%d figures compared", (int) n_compared);
  g_assert_cmpint (n_compared, >, 10000);
#else
  g_test_skip ("no cuda_occupancy.h");
#endif
}

static double
get_figure (CuredResult *result, gint64 cell, const char *id)
{
  gsize metric = 0;

  /* A file has the metrics that some cell of it has: a kernel that always hangs has none. */
  return cured_result_find_metric (result, id, &metric)
             ? cured_result_get_value (result, cell, metric)
             : (double) NAN;
}

/* What CUDA said of every cell that was recorded on an H200. Cells of several launches have the
 * most of each figure, which need not be of one launch. */
TEST ("/occupancy/recorded")
{
  const char *folder = g_getenv ("CURED_TEST_RESULTS");
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  gint64 n_compared = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      gsize n_steps = 0;

      if (!g_str_has_suffix (name, ".cured"))
        continue;
      g_autoptr (CuredResult) result = MUST (cured_result_load (path, NULL, &fail));
      n_steps = cured_result_get_kernel (result)->n_steps;
      for (gint64 i = 0; i < cured_result_get_n_cells (result); i++)
        {
          double recorded = get_figure (result, i, "blocks_per_sm");
          double shared =
              get_figure (result, i, "shared_static") + get_figure (result, i, "shared_dynamic");

          if (!(recorded > 0))
            continue;
          CuredOccupancy occupancy =
              compute (cured_result_get_device (result)->arch,
                       (gint64) get_figure (result, i, "threads_per_block"),
                       (int) get_figure (result, i, "registers"), (gsize) shared);
          if (n_steps > 1)
            {
              g_assert_cmpint (occupancy.blocks, <=, (int) recorded);
              continue;
            }
          g_assert_cmpint (occupancy.blocks, ==, (int) recorded);
          g_assert_cmpfloat_with_epsilon (occupancy.occupancy, get_figure (result, i, "occupancy"),
                                          1e-9);
          n_compared++;
        }
    }
  g_assert_cmpint (n_compared, >, 0);
}
