/* SPDX-License-Identifier: MIT
 * The number of blocks and warps that fit a multiprocessor, and the limiting resource. */
#include "base/cured-base-internal.h"

/* ORDER: as the enum. */
static const struct
{
  const char *id, *title;
} limiters[] = {
  { "warps", N_ ("warps") },
  { "registers", N_ ("registers") },
  { "shared", N_ ("shared memory") },
  { "blocks", N_ ("the number of blocks") },
};

static gint64
round_up (gint64 value, gint64 unit)
{
  return (value + unit - 1) / unit * unit;
}

static int
clamp_blocks (gint64 blocks)
{
  return (int) MIN (blocks, CURED_OCCUPANCY_UNLIMITED);
}

static gint64
get_warp_registers (const CuredProfile *profile, int registers)
{
  return round_up (registers * profile->limits.warp_size, profile->register_unit);
}

/* Number of blocks by registers, and the registers allocated to a block. */
static int
count_by_registers (const CuredProfile *profile, gint64 warps, int registers,
                    gint64 *registers_per_block)
{
  const CuredLimits *limits = &profile->limits;

  *registers_per_block = 0;
  if (registers <= 0)
    return CURED_OCCUPANCY_UNLIMITED;
  if (registers > profile->registers_per_thread)
    return 0;
  if (profile->is_register_block)
    {
      *registers_per_block =
          round_up (round_up (warps, profile->partitions) * limits->warp_size * registers,
                    profile->register_unit);
      return clamp_blocks (limits->registers_per_sm / *registers_per_block);
    }
  *registers_per_block = warps * get_warp_registers (profile, registers);
  if (warps * limits->warp_size > cured_occupancy_get_max_threads (profile, registers))
    return 0;
  gint64 in_partition =
      limits->registers_per_sm / profile->partitions / get_warp_registers (profile, registers);
  return clamp_blocks (in_partition * profile->partitions / warps);
}

/* Number of blocks by shared memory, and the memory allocated to a block. */
static int
count_by_shared (const CuredProfile *profile, gsize shared_bytes, gint64 *shared_per_block)
{
  const CuredLimits *limits = &profile->limits;

  *shared_per_block = 0;
  if (shared_bytes > (gsize) limits->shared_per_block_optin)
    return 0;
  *shared_per_block =
      round_up ((gint64) (shared_bytes + profile->shared_reserved), (gint64) profile->shared_unit);
  if (*shared_per_block == 0)
    return CURED_OCCUPANCY_UNLIMITED;
  return clamp_blocks (limits->shared_per_sm / *shared_per_block);
}

/* The greatest block size that registers allow. */
int
cured_occupancy_get_max_threads (const CuredProfile *profile, int registers)
{
  const CuredLimits *limits = &profile->limits;
  gint64 warps;

  if (registers <= 0)
    return (int) limits->max_threads_per_block;
  if (registers > profile->registers_per_thread)
    return 0;
  if (profile->is_register_block)
    warps = limits->registers_per_block / limits->warp_size / registers;
  else
    warps = limits->registers_per_block / get_warp_registers (profile, registers);
  /* The check of a launch assumes that every partition has as many warps as the fullest one. For
   * 6.x, takes the chip with the most partitions. */
  int partitions = limits->compute_major == 6 ? 4 : profile->partitions;
  warps -= warps % partitions;
  return (int) MIN (warps * limits->warp_size, limits->max_threads_per_block);
}

/* @self: (out caller-allocates): the result
 * @profile: a chip
 * @threads: threads of a block
 * @registers: registers of a thread; 0: unknown, and not a limit
 * @shared_bytes: shared memory of a block, static and dynamic, without CUDA's reserve
 *
 * Computes how many blocks a multiprocessor holds at once, at its largest share of shared memory:
 *
 * - warps: a block of @threads has w = ⌈threads / 32⌉; ⌊warps per multiprocessor / w⌋ blocks.
 * - registers: a warp is given ⌈registers · 32⌉ rounded up to the unit, and is in one of the p
 *   partitions; p · ⌊registers per multiprocessor / p / those of a warp⌋ warps, and as many blocks
 *   as that is times w. On 1.x a block is given ⌈w⌉₂ · 32 · registers, rounded up to the unit.
 * - shared memory: a block is given what it needs and what CUDA reserves (1 KiB since 8.0), rounded
 *   up to the unit.
 * - blocks: what the chip keeps track of.
 *
 * The least of these is the result. This is the formula of NVIDIA's occupancy calculator (the
 * spreadsheet, and cuda_occupancy.h of the CUDA Toolkit), without barriers other than the block's
 * own and without a smaller share of shared memory. */
void
cured_occupancy_init (CuredOccupancy *self, const CuredProfile *profile, gint64 threads,
                      int registers, gsize shared_bytes)
{
  g_return_if_fail (self != NULL && profile != NULL);

  const CuredLimits *limits = &profile->limits;
  int most_warps = (int) (limits->max_threads_per_sm / limits->warp_size);
  *self = (CuredOccupancy){ .blocks = CURED_OCCUPANCY_UNLIMITED };
  if (threads > 0 && threads <= limits->max_threads_per_block)
    {
      self->warps_per_block = round_up (threads, limits->warp_size) / limits->warp_size;
      self->most[CURED_LIMITER_WARPS] = most_warps / (int) self->warps_per_block;
      self->most[CURED_LIMITER_REGISTERS] = count_by_registers (
          profile, self->warps_per_block, registers, &self->registers_per_block);
    }
  self->most[CURED_LIMITER_SHARED] =
      count_by_shared (profile, shared_bytes, &self->shared_per_block);
  self->most[CURED_LIMITER_BLOCKS] = (int) limits->max_blocks_per_sm;

  for (int k = 0; k < CURED_N_LIMITERS; k++)
    self->blocks = MIN (self->blocks, self->most[k]);
  for (int k = 0; k < CURED_N_LIMITERS; k++)
    if (self->most[k] == self->blocks)
      self->limiters |= 1u << k;
  self->warps = self->blocks * (int) self->warps_per_block;
  self->occupancy = (double) self->warps / most_warps;
}

static double
get_occupancy (const CuredProfile *profile, const gint64 needs[CURED_N_NEEDS], CuredNeed need,
               gint64 value)
{
  gint64 others[CURED_N_NEEDS];
  CuredOccupancy occupancy;

  for (int k = 0; k < CURED_N_NEEDS; k++)
    others[k] = k == (int) need ? value : needs[k];
  cured_occupancy_init (&occupancy, profile, others[CURED_NEED_THREADS],
                        (int) others[CURED_NEED_REGISTERS], (gsize) others[CURED_NEED_SHARED]);
  return occupancy.occupancy;
}

/* @profile: a chip
 * @needs: threads of a block, registers of a thread (0: not known) and bytes of shared memory of a
 *   block
 * @need: the one that may change
 * @value: (out): the nearest value with a higher occupancy: a block size of whole warps, larger or
 *   smaller; fewer registers; less shared memory
 * @occupancy: (out): the occupancy with it
 * Returns: FALSE if no value of @need increases it */
gboolean
cured_occupancy_find_more (const CuredProfile *profile, const gint64 needs[CURED_N_NEEDS],
                           CuredNeed need, gint64 *value, double *occupancy)
{
  gint64 warp_size = profile->limits.warp_size;
  gint64 unit = need == CURED_NEED_THREADS  ? warp_size
                : need == CURED_NEED_SHARED ? (gint64) profile->shared_unit
                                            : 1;
  gint64 most = need == CURED_NEED_THREADS ? profile->limits.max_threads_per_block : needs[need];
  double now = get_occupancy (profile, needs, need, needs[need]);
  /* CUDA's reserve need not be a multiple of the unit. */
  gint64 reserved = need == CURED_NEED_SHARED ? (gint64) profile->shared_reserved % unit : 0;
  gint64 first = (needs[need] + reserved) / unit * unit - reserved;
  gint64 least = need == CURED_NEED_SHARED ? 0 : unit;

  if (need == CURED_NEED_REGISTERS && needs[need] <= 0)
    return FALSE;
  for (gint64 step = 0; first - step >= least || first + step <= most; step += unit)
    for (int sign = 1; sign >= -1; sign -= 2)
      {
        gint64 at = first + sign * step;

        if (at < least || at > most)
          continue;
        double more = get_occupancy (profile, needs, need, at);
        if (more > now)
          {
            *value = at;
            *occupancy = more;
            return TRUE;
          }
      }
  return FALSE;
}

/* @limiter: a limiting resource
 * Returns: (transfer none): "registers", as in JSON */
const char *
cured_limiter_to_string (CuredLimiter limiter)
{
  g_return_val_if_fail ((guint) limiter < CURED_N_LIMITERS, NULL);
  return limiters[limiter].id;
}

/* @limiter: a limiting resource
 * Returns: (transfer none): "shared memory", for people, translated */
const char *
cured_limiter_get_title (CuredLimiter limiter)
{
  g_return_val_if_fail ((guint) limiter < CURED_N_LIMITERS, NULL);
  return _ (limiters[limiter].title);
}
