/* SPDX-License-Identifier: MIT
 * The barrier of a cluster (PTX ISA 9.0, barrier.cluster): arriving and waiting are separate, and
 * every thread still in the cluster has to arrive. */
#include "ptx/machine/cured-machine-private.h"

#include <glib/gi18n-lib.h>

static void
report (CuredWarp *warp, const CuredPtxInst *inst, uint32_t lanes, const char *detail)
{
  CuredWitness here = _cured_warp_witness (warp, inst, lanes, NC_ ("in a finding", "barrier"));

  _cured_grid_report (warp->block->grid, CURED_FINDING_DIVERGENT_BARRIER, &here, NULL,
                      CURED_SPACE_GENERIC, 0, "%s", detail);
}

void
_cured_warp_cluster_arrive (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
                            bool is_aligned, bool is_release)
{
  CuredBlock *block = warp->block;
  uint32_t *arrived = &block->cluster_arrived[warp->index];
  uint32_t *passed = &block->cluster_passed[warp->index];
  uint32_t again = mask & (*arrived | *passed);

  if (is_aligned && !_cured_warp_converge_at (warp, mask, warp->alive, CURED_CLUSTER_BARRIER))
    return;
  if (again != 0)
    report (
        warp, inst, again,
        _ ("it arrives at the cluster’s barrier twice: barrier.cluster.wait has to come between"));
  warp->n_barriers++;
  *passed &= ~mask;
  *arrived |= mask;
  block->cluster->has_arrivals = true;
  CURED_TELL_OBSERVERS (block, cluster_arrive, warp, mask, is_release);
}

void
_cured_warp_cluster_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, bool is_aligned)
{
  CuredBlock *block = warp->block;
  uint32_t waiting, lanes[CURED_WARP_LANES] = { 0 };

  if (is_aligned && !_cured_warp_converge_at (warp, mask, warp->alive, CURED_CLUSTER_BARRIER))
    return;
  waiting = mask & block->cluster_arrived[warp->index];
  lanes[warp->index] = mask & block->cluster_passed[warp->index];
  if ((mask & ~(waiting | lanes[warp->index])) != 0)
    report (warp, inst, mask & ~(waiting | lanes[warp->index]),
            _ ("it waits at the cluster’s barrier and did not arrive: barrier.cluster.arrive has "
               "to come first"));
  block->cluster_passed[warp->index] &= ~mask;
  if (lanes[warp->index] != 0)
    CURED_TELL_OBSERVERS (block, cluster_wait, block, lanes);
  if (waiting == 0)
    return;
  _cured_warp_split_off (warp, waiting);
  CuredGroup *group = &warp->groups[warp->current];
  group->state = CURED_GROUP_AT_BARRIER;
  group->barrier = CURED_CLUSTER_BARRIER;
  warp->is_stopped = 1;
}

/* Releases the waiting threads of @block. */
static void
release_block (CuredBlock *block)
{
  uint32_t lanes[CURED_WARP_LANES] = { 0 };
  bool is_any = false;

  for (uint32_t w = 0; w < block->n_warps; w++)
    {
      CuredWarp *warp = &block->warps[w];

      block->cluster_passed[w] |= block->cluster_arrived[w];
      block->cluster_arrived[w] = 0;
      for (uint32_t i = 0; i < warp->n_groups; i++)
        {
          CuredGroup *group = &warp->groups[i];

          if (group->state != CURED_GROUP_AT_BARRIER || group->barrier != CURED_CLUSTER_BARRIER)
            continue;
          group->state = CURED_GROUP_READY;
          lanes[w] |= group->mask;
          is_any = true;
        }
      block->cluster_passed[w] &= ~lanes[w];
    }
  if (is_any)
    CURED_TELL_OBSERVERS (block, cluster_wait, block, lanes);
}

/* Ends the phase of the barrier if all remaining threads have arrived.
 *
 * Returns: whether it did */
bool
_cured_cluster_release (CuredCluster *cluster)
{
  if (!cluster->has_arrivals)
    return false;
  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    for (uint32_t w = 0; w < cluster->blocks[b]->n_warps; w++)
      if ((cluster->blocks[b]->warps[w].alive & ~cluster->blocks[b]->cluster_arrived[w]) != 0)
        return false;
  cluster->has_arrivals = false;
  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    CURED_TELL_OBSERVERS (cluster->blocks[b], cluster_done, cluster->blocks[b]);
  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    release_block (cluster->blocks[b]);
  return true;
}
