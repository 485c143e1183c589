/* SPDX-License-Identifier: MIT
 * What chips of each compute capability allow, for machines that have none.
 *
 * Sources: cuda::arch_traits in NVIDIA's CCCL, whose figures are those of the
 * table of technical specifications in the CUDA C++ Programming Guide; for the
 * units in which registers and shared memory are given out and for what CUDA
 * reserves, the occupancy calculator in the toolkit (cuda_occupancy.h, 13.0);
 * for the number of multiprocessors, the product's data sheet. The row of sm_90
 * is compared with what an H200 said of itself in tests/test-profile.c. */
#include "base/cured-profile.h"

/* What all rows have in common. */
#define COMMON                                                                 \
  .warp_size = 32, .max_threads_per_block = 1024, .max_block_x = 1024,         \
  .max_block_y = 1024, .max_block_z = 64, .max_grid_x = G_MAXINT32,            \
  .max_grid_y = 65535, .max_grid_z = 65535, .shared_per_block = 48 << 10,      \
  .registers_per_block = 64 << 10, .registers_per_sm = 64 << 10

/* Shared memory in KiB, of a multiprocessor; a block gets all of it but what is
 * reserved. */
#define PROFILE(                                                               \
    name, major, minor, product, n_sms, threads, blocks, kib, reserved, unit)  \
  {                                                                            \
    .arch = name, .chip = product,                                             \
    .limits = { COMMON,                                                        \
                .compute_major = major,                                        \
                .compute_minor = minor,                                        \
                .sms = n_sms,                                                  \
                .max_threads_per_sm = threads,                                 \
                .max_blocks_per_sm = blocks,                                   \
                .shared_per_sm = (kib) << 10,                                  \
                .shared_per_block_optin = ((kib) << 10) - (reserved) },        \
    .shared_reserved = reserved, .shared_unit = unit, .partitions = 4,         \
  }

/* ORDER: ascending. */
static const CuredProfile profiles[] = {
  /* clang-format off */
  PROFILE ("sm_75",   7, 5, "T4",              40, 1024, 16,  64,    0, 256),
  PROFILE ("sm_80",   8, 0, "A100",           108, 2048, 32, 164, 1024, 128),
  PROFILE ("sm_86",   8, 6, "RTX 3090",        82, 1536, 16, 100, 1024, 128),
  PROFILE ("sm_87",   8, 7, "Jetson AGX Orin", 16, 1536, 16, 164, 1024, 128),
  PROFILE ("sm_89",   8, 9, "RTX 4090",       128, 1536, 24, 100, 1024, 128),
  PROFILE ("sm_90",   9, 0, "H200",           132, 2048, 32, 228, 1024, 128),
  PROFILE ("sm_100", 10, 0, "B200",           148, 2048, 32, 228, 1024, 128),
  PROFILE ("sm_120", 12, 0, "RTX 5090",       170, 1536, 24, 100, 1024, 128),
  /* clang-format on */
};

/**
 * cured_profile_list:
 * @n_profiles: (out): how many there are
 *
 * Returns: (transfer none): all profiles, the oldest chip first
 */
const CuredProfile *
cured_profile_list (gsize *n_profiles)
{
  *n_profiles = G_N_ELEMENTS (profiles);
  return profiles;
}

/**
 * cured_profile_find:
 * @arch: "sm_90"
 *
 * Returns: (transfer none) (nullable): the profile; NULL where there is none
 */
const CuredProfile *
cured_profile_find (const char *arch)
{
  for (gsize i = 0; i < G_N_ELEMENTS (profiles); i++)
    if (g_str_equal (profiles[i].arch, arch))
      return &profiles[i];
  return NULL;
}

static gint64
round_up (gint64 value, gint64 unit)
{
  return (value + unit - 1) / unit * unit;
}

/* Registers that a warp gets. */
static gint64
get_warp_registers (const CuredProfile *self, int registers)
{
  return round_up (registers * self->limits.warp_size,
                   CURED_PROFILE_REGISTER_UNIT);
}

/**
 * cured_profile_get_max_threads:
 * @self: a chip
 * @registers: that a thread needs; 0: not known
 *
 * Returns: the most threads that a block can have, as far as registers go
 */
int
cured_profile_get_max_threads (const CuredProfile *self, int registers)
{
  const CuredLimits *limits = &self->limits;
  gint64 warps;

  if (registers <= 0)
    return (int) limits->max_threads_per_block;
  /* The check of a launch counts as if every partition had as many warps as the
   * fullest one. */
  warps = limits->registers_per_block / get_warp_registers (self, registers);
  warps -= warps % self->partitions;
  return (int) MIN (warps * limits->warp_size, limits->max_threads_per_block);
}

/**
 * cured_profile_get_blocks_per_sm:
 * @self: a chip
 * @threads: of a block
 * @registers: that a thread needs; 0: not known, and then no limit
 * @shared_bytes: that a block needs, static and dynamic, without what CUDA
 *   reserves
 *
 * How many blocks a multiprocessor holds at once, at its largest share of
 * shared memory.
 *
 * Returns: the number; 0 where not even one block can be launched
 */
int
cured_profile_get_blocks_per_sm (const CuredProfile *self,
                                 gint64 threads,
                                 int registers,
                                 gsize shared_bytes)
{
  const CuredLimits *limits = &self->limits;
  gint64 warps = round_up (threads, limits->warp_size) / limits->warp_size;
  gint64 blocks = limits->max_blocks_per_sm;
  gint64 shared;

  if (threads <= 0 || shared_bytes > (gsize) limits->shared_per_block_optin ||
      threads > cured_profile_get_max_threads (self, registers))
    return 0;
  blocks = MIN (blocks, limits->max_threads_per_sm / limits->warp_size / warps);
  if (registers > 0)
    {
      /* A warp's registers lie in one partition. */
      gint64 warps_a_partition = limits->registers_per_sm / self->partitions /
                                 get_warp_registers (self, registers);

      blocks = MIN (blocks, warps_a_partition * self->partitions / warps);
    }
  shared = round_up ((gint64) (shared_bytes + self->shared_reserved),
                     (gint64) self->shared_unit);
  if (shared > 0)
    blocks = MIN (blocks, limits->shared_per_sm / shared);
  return (int) blocks;
}
