/* SPDX-License-Identifier: MIT
 * Limits of chips by compute capability, for machines without them.
 *
 * Sources: the table of technical specifications in NVIDIA's CUDA programming guides: version 4.2
 * for compute capability 1.0 to 3.0, the last ones that list them for 3.2 to 7.2, and
 * https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/compute-capabilities.html
 * (13.x) for 7.5 to 12.x. The allocation units of registers and shared memory, and CUDA's reserve:
 * NVIDIA's occupancy calculator, as the spreadsheet CUDA_Occupancy_calculator.xls up to 2.1, and as
 * cuda_occupancy.h of the CUDA Toolkit 13.0 from 3.0 on. The number of multiprocessors: the
 * product's data sheet. tests/base/test-profile.c compares the row of sm_90 with the values
 * reported by an H200, and tests/base/test-occupancy.c all rows from 3.0 on with cuda_occupancy.h,
 * if the toolkit is installed. */
#include "base/cured-profile.h"

/* Values common to all rows. */
#define COMMON .warp_size = 32, .max_block_z = 64, .max_grid_y = 65535

/* Shared memory in KiB. Registers in units of 1024. */
#define ROW(name, major, minor, product, n_sms, threads_block, threads_sm, blocks_sm,              \
            registers_sm, registers_block, registers_thread, shared_sm, shared_block, ...)         \
  {                                                                                                \
    .arch = name, .chip = product,                                                                 \
    .limits = { COMMON,                                                                            \
                .compute_major = major,                                                            \
                .compute_minor = minor,                                                            \
                .sms = n_sms,                                                                      \
                .max_threads_per_block = threads_block,                                            \
                .max_block_x = threads_block,                                                      \
                .max_block_y = threads_block,                                                      \
                .max_grid_x = (major) < 3 ? 65535 : G_MAXINT32,                                    \
                .max_grid_z = (major) < 2 ? 1 : 65535,                                             \
                .max_threads_per_sm = threads_sm,                                                  \
                .max_blocks_per_sm = blocks_sm,                                                    \
                .registers_per_sm = (registers_sm) << 10,                                          \
                .registers_per_block = (registers_block) << 10,                                    \
                .shared_per_sm = (shared_sm) << 10,                                                \
                .shared_per_block = MIN (shared_block, 48) << 10,                                  \
                .shared_per_block_optin = (shared_block) << 10 },                                  \
    .is_emulated = (n_sms) > 0, .registers_per_thread = registers_thread,                          \
    .banks = (major) < 2 ? 16 : 32, __VA_ARGS__                                                    \
  }

/* Allocation of memory, by generation. */
#define TESLA(unit)                                                                                \
  .register_unit = (unit), .is_register_block = TRUE, .partitions = 2, .shared_unit = 512
#define FERMI .register_unit = 64, .partitions = 2, .shared_unit = 128
#define WARPS(n_partitions, unit, reserved)                                                        \
  .register_unit = 256, .partitions = (n_partitions), .shared_unit = (unit),                       \
  .shared_reserved = (reserved)
#define KEPLER WARPS (4, 256, 0)
#define AMPERE WARPS (4, 128, 1024)

/* KiB of a multiprocessor's L1 cache with its shared memory, and of the product's L2
 * cache. */
#define CACHES(l1, l2) .l1_bytes = (l1) << 10, .l2_bytes = (gsize) (l2) << 10

/* ORDER: ascending. Columns: arch, major, minor, a product, multiprocessors of it (0: not
 * emulated); threads per block, threads per multiprocessor, blocks per multiprocessor; registers
 * per multiprocessor, block and thread; shared memory per multiprocessor, a block. */
static const CuredProfile profiles[] = {
  /* clang-format off */
  ROW ("sm_10",   1, 0, "GeForce 8800 GTX",    0,  512,  768,  8,   8,  8, 124,  16,  16, TESLA (256)),
  ROW ("sm_11",   1, 1, "GeForce 9800 GTX",    0,  512,  768,  8,   8,  8, 124,  16,  16, TESLA (256)),
  ROW ("sm_12",   1, 2, "GeForce GT 240",      0,  512, 1024,  8,  16, 16, 124,  16,  16, TESLA (512)),
  ROW ("sm_13",   1, 3, "GeForce GTX 280",     0,  512, 1024,  8,  16, 16, 124,  16,  16, TESLA (512)),
  ROW ("sm_20",   2, 0, "Tesla C2050",         0, 1024, 1536,  8,  32, 32,  63,  48,  48, FERMI),
  ROW ("sm_21",   2, 1, "GeForce GTX 460",     0, 1024, 1536,  8,  32, 32,  63,  48,  48, FERMI),
  ROW ("sm_30",   3, 0, "GeForce GTX 680",     0, 1024, 2048, 16,  64, 64,  63,  48,  48, KEPLER),
  ROW ("sm_32",   3, 2, "Jetson TK1",          0, 1024, 2048, 16,  64, 32, 255,  48,  48, KEPLER),
  ROW ("sm_35",   3, 5, "Tesla K40",           0, 1024, 2048, 16,  64, 64, 255,  48,  48, KEPLER),
  ROW ("sm_37",   3, 7, "Tesla K80",           0, 1024, 2048, 16, 128, 64, 255, 112,  48, KEPLER),
  ROW ("sm_50",   5, 0, "GeForce GTX 750 Ti",  0, 1024, 2048, 32,  64, 64, 255,  64,  48, KEPLER),
  ROW ("sm_52",   5, 2, "GeForce GTX 980",     0, 1024, 2048, 32,  64, 64, 255,  96,  48, KEPLER),
  ROW ("sm_53",   5, 3, "Jetson TX1",          0, 1024, 2048, 32,  64, 32, 255,  64,  48, KEPLER),
  ROW ("sm_60",   6, 0, "Tesla P100",          0, 1024, 2048, 32,  64, 64, 255,  64,  48, WARPS (2, 256, 0)),
  ROW ("sm_61",   6, 1, "GeForce GTX 1080",    0, 1024, 2048, 32,  64, 64, 255,  96,  48, KEPLER),
  ROW ("sm_62",   6, 2, "Jetson TX2",          0, 1024, 2048, 32,  64, 32, 255,  64,  48, KEPLER),
  ROW ("sm_70",   7, 0, "Tesla V100",          0, 1024, 2048, 32,  64, 64, 255,  96,  96, KEPLER),
  ROW ("sm_72",   7, 2, "Jetson AGX Xavier",   0, 1024, 2048, 32,  64, 64, 255,  96,  96, KEPLER),
  ROW ("sm_75",   7, 5, "T4",                 40, 1024, 1024, 16,  64, 64, 255,  64,  64, KEPLER, CACHES (96, 4096)),
  ROW ("sm_80",   8, 0, "A100",              108, 1024, 2048, 32,  64, 64, 255, 164, 163, AMPERE, CACHES (192, 40960)),
  ROW ("sm_86",   8, 6, "RTX 3090",           82, 1024, 1536, 16,  64, 64, 255, 100,  99, AMPERE, CACHES (128, 6144)),
  ROW ("sm_87",   8, 7, "Jetson AGX Orin",    16, 1024, 1536, 16,  64, 64, 255, 164, 163, AMPERE, CACHES (192, 4096)),
  ROW ("sm_89",   8, 9, "RTX 4090",          128, 1024, 1536, 24,  64, 64, 255, 100,  99, AMPERE, CACHES (128, 73728)),
  ROW ("sm_90",   9, 0, "H200",              132, 1024, 2048, 32,  64, 64, 255, 228, 227, AMPERE, CACHES (256, 61440)),
  ROW ("sm_100", 10, 0, "B200",              148, 1024, 2048, 32,  64, 64, 255, 228, 227, AMPERE, CACHES (256, 129024)),
  ROW ("sm_103", 10, 3, "B300",              148, 1024, 2048, 32,  64, 64, 255, 228, 227, AMPERE),
  ROW ("sm_110", 11, 0, "Jetson AGX Thor",    20, 1024, 1536, 24,  64, 64, 255, 228, 227, AMPERE),
  ROW ("sm_120", 12, 0, "RTX 5090",          170, 1024, 1536, 24,  64, 64, 255, 100,  99, AMPERE, CACHES (128, 98304)),
  ROW ("sm_121", 12, 1, "GB10",               48, 1024, 1536, 24,  64, 64, 255, 100,  99, AMPERE),
  /* clang-format on */
};

/* Returns: (transfer none): all profiles, the oldest chip first */
const CuredProfile *
cured_profile_list (gsize *n_profiles)
{
  *n_profiles = G_N_ELEMENTS (profiles);
  return profiles;
}

/* @arch: "sm_90"
 * Returns: (transfer none) (nullable): the profile; NULL if there is none */
const CuredProfile *
cured_profile_find (const char *arch)
{
  for (gsize i = 0; i < G_N_ELEMENTS (profiles); i++)
    if (g_str_equal (profiles[i].arch, arch))
      return &profiles[i];
  return NULL;
}

/* @shared_bytes: memory of all blocks that a multiprocessor holds at once, with CUDA's reserve
 *
 * Shared memory gets one of a few shares of a multiprocessor's memory (CUDA programming guide,
 * tables of shared memory per compute capability); a launch without a preference gets the smallest
 * share for its resident blocks, and the rest is L1 cache.
 * Returns: bytes that are not L1 cache */
gsize
cured_profile_get_carveout (const CuredProfile *self, gsize shared_bytes)
{
  static const gsize steps[] = { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228 };
  gsize most = (gsize) self->limits.shared_per_sm;

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    if (steps[i] << 10 >= shared_bytes &&
        (steps[i] >= 32 || self->limits.compute_major != 7 || self->limits.compute_minor != 5))
      return MIN (steps[i] << 10, most);
  return most;
}
