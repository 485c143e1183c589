/* SPDX-License-Identifier: MIT
 * The barriers of a block: which warps are released, and what to report when some never arrive. */
#include "ptx/machine/cured-machine-private.h"

#include <glib/gi18n-lib.h>

#include <string.h>

static bool
is_complete (const CuredBlock *block, const CuredBarrier *barrier)
{
  if (barrier->count != 0)
    return barrier->arrived >= barrier->count;
  return barrier->n_lanes == block->n_alive;
}

/* Threads that ended cannot arrive: the hardware releases the others, but CUDA C++ requires all
 * threads of the block to reach __syncthreads(). */
static void
report_exited (CuredBlock *block, const CuredBarrier *barrier)
{
  const CuredPtxInst *inst = &block->grid->module->code[barrier->site];
  CuredWitness here = { 0 }, there = { 0 };

  for (uint32_t w = block->n_warps; w-- > 0;)
    {
      CuredWarp *warp = &block->warps[w];
      uint32_t exited = cured_get_threads (block, w) & ~barrier->lanes[w];

      if (barrier->lanes[w] != 0)
        here = _cured_warp_witness (warp, inst, barrier->lanes[w], NC_ ("in a finding", "barrier"));
      if (exited != 0)
        there = _cured_warp_witness (warp, NULL, exited, NC_ ("in a finding", "exit"));
    }
  _cured_grid_report (block->grid, CURED_FINDING_EXITED_BARRIER, &here, &there, CURED_SPACE_GENERIC,
                      0, "%u of the block's %u threads ended before it",
                      block->n_threads - block->n_alive, block->n_threads);
}

/* Releases the lanes of a warp that wait at the barrier, usually all of them. */
static inline void
release (CuredWarp *warp, const CuredBarrier *barrier, uint32_t index)
{
  CuredGroup *group = &warp->groups[0];

  if (G_UNLIKELY (warp->n_groups > 1 || barrier->is_reduction))
    _cured_warp_release (warp, index);
  else if (group->state == CURED_GROUP_AT_BARRIER && group->barrier == index)
    group->state = CURED_GROUP_READY;
}

/* Notifies the observers of the released lanes. */
static __attribute__ ((noinline)) void
notify (CuredBlock *block, uint32_t index)
{
  uint32_t lanes[CURED_WARP_LANES] = { 0 };

  for (uint32_t w = 0; w < block->n_warps; w++)
    for (uint32_t i = 0; i < block->warps[w].n_groups; i++)
      {
        const CuredGroup *group = &block->warps[w].groups[i];

        if (group->state == CURED_GROUP_AT_BARRIER && group->barrier == index)
          lanes[w] |= group->mask;
      }
  CURED_TELL_OBSERVERS (block, barrier, block, index, lanes);
}

bool
_cured_block_release_barriers (CuredBlock *block)
{
  bool is_released = false;

  for (uint32_t left = block->arrivals; left != 0; left &= left - 1)
    {
      uint32_t b = (uint32_t) __builtin_ctz (left);
      CuredBarrier *barrier = &block->barriers[b];

      if (!is_complete (block, barrier))
        continue;
      if (barrier->count == 0 && block->n_alive > 0 && block->n_alive < block->n_threads)
        report_exited (block, barrier);
      if (block->grid->n_observers > 0)
        notify (block, b);
      for (uint32_t w = 0; w < block->n_warps; w++)
        if (barrier->lanes[w] != 0)
          release (&block->warps[w], barrier, b);
      memset (barrier->lanes, 0, block->n_warps * sizeof barrier->lanes[0]);
      barrier->count = barrier->arrived = barrier->n_lanes = barrier->votes = barrier->site = 0;
      barrier->is_reduction = false;
      block->arrivals &= ~(1u << b);
      is_released = true;
    }
  return is_released;
}
