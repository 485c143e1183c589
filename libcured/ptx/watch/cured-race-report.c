/* SPDX-License-Identifier: MIT
 * The race detector: the report of a race. */
#include "ptx/watch/cured-race-private.h"

static const char *
get_what (int plane, const RaceSlot *slot)
{
  if ((slot->where & FLAG_UNDERWAY) != 0 && plane == PLANE_WRITE)
    return _cured_access_what (CURED_ACCESS_COPY);
  switch (plane)
    {
    case PLANE_WRITE: return _cured_access_what (CURED_ACCESS_STORE);
    case PLANE_READ:
    case PLANE_READ_2: return _cured_access_what (CURED_ACCESS_LOAD);
    default: return _cured_access_what (CURED_ACCESS_ATOMIC);
    }
}

/* Whether lanes of one warp race because they need not run in lockstep. If threads of other warps
 * race in the same way, a barrier of the block is needed. */
static bool
is_within_warp (const RaceVisit *visit, const RaceConflict *conflict)
{
  return conflict->there.party == visit->stance.slot.party &&
         conflict->reason == REASON_UNORDERED && (conflict->there.where & FLAG_UNDERWAY) == 0;
}

static const char *
explain (const RaceVisit *visit, const RaceConflict *conflict)
{
  const RaceSlot *there = &conflict->there;
  const CuredPtxInst *other = &visit->self->parent.grid->module->code[there->where >> FLAG_BITS];

  if (conflict->reason == REASON_PROXY && _cured_ptx_is_wgmma (visit->access->inst->op))
    return "products of matrices need not see what threads stored: fence.proxy.async has to come "
           "between, before the barrier that orders them";
  if (conflict->reason == REASON_PROXY)
    return "bulk copies need not see what threads stored: fence.proxy.async has to come between, "
           "before the barrier that orders them";
  if ((there->where & FLAG_UNDERWAY) != 0 && _cured_race_is_bulk (other))
    return conflict->plane == PLANE_WRITE
               ? "the bulk copy may still be in flight: a wait for the phase of its mbarrier has "
                 "to come between"
               : "the bulk copy may not have read this yet: cp.async.bulk.wait_group.read and a "
                 "barrier have to come between";
  if ((there->where & FLAG_UNDERWAY) != 0 && _cured_ptx_is_wgmma (other->op))
    return "the product may not have read this yet: wgmma.wait_group and a barrier have to come "
           "between";
  if ((there->where & FLAG_UNDERWAY) != 0)
    return "the copy may still be in flight: cp.async.wait_group and a barrier have to come "
           "between";
  if (conflict->reason == REASON_LOOSE)
    return "the lock was taken without a fence: __threadfence () has to come between the atomic "
           "operation that takes it and what it guards";
  if (conflict->reason == REASON_UNACQUIRED)
    return "nothing acquires what the other thread released: __threadfence () has to come between "
           "the read that waits for it and this access";
  if (conflict->reason == REASON_NO_ATOMIC)
    return "a volatile store is no atomic operation: atomicExch () is one";
  if (get_block (there) != visit->races->number)
    {
      if (visit->is_shared)
        return "no barrier of the cluster stands between";
      if (((there->where | visit->stance.slot.where) & FLAG_NARROW) != 0)
        return "an atomic operation whose scope is the block says nothing to another block";
      return "blocks are ordered by a fence and an atomic operation, or by the end of the launch";
    }
  if (conflict->plane == PLANE_WRITE && other->op == CURED_PTX_OP_cp_async)
    return "the copy was waited for by the thread that began it, and no barrier came after that: "
           "cp.async.wait_group, or the wait of its pipeline, has to come before the barrier";
  if (there->party != visit->stance.slot.party)
    return "no barrier between them";
  if (there->where == visit->stance.slot.where && there->clock == visit->stance.slot.clock &&
      conflict->plane == PLANE_WRITE)
    return "lanes of one warp write different values, and nothing says which of them stays";
  return "lanes of a warp need not run in lockstep: __syncwarp () orders them";
}

/* The index in the grid of the block with the starting number @number. */
uint64_t
_cured_race_get_block_index (RaceDetector *self, uint32_t number)
{
  g_mutex_lock (&self->mutex);
  uint64_t index = g_array_index (self->blocks, guint64, number);
  g_mutex_unlock (&self->mutex);
  return index;
}

/* The order of two blocks is random: the sides are reported in the order of their places. In
 * a block the later one is `here`. */
static void
report (RaceVisit *visit, const RaceConflict *conflict)
{
  CuredPtxGrid *grid = visit->self->parent.grid;
  const CuredAccess *access = visit->access;
  const RaceSlot *slot = &conflict->there;
  CuredWitness sides[2];
  const bool is_weak = is_within_warp (visit, conflict);
  bool is_foreign = get_block (slot) != visit->races->number, is_swapped = false;

  visit->races->has_told_of_copies |= (slot->where & FLAG_UNDERWAY) != 0;

  sides[0] = _cured_warp_witness (visit->warp, access->inst, conflict->lanes,
                                  _cured_access_what (access->kind));
  sides[0].is_weak = is_weak;
  sides[1] = (CuredWitness){
    .inst = &grid->module->code[slot->where >> FLAG_BITS],
    .what = get_what (conflict->plane, slot),
    .block = is_foreign ? _cured_race_get_block_index (visit->self, get_block (slot))
                        : visit->warp->block->index,
    .warp = slot->party % CURED_WARP_LANES,
    .lanes = slot->lanes,
    .is_weak = is_weak,
  };
  if (is_foreign)
    is_swapped = sides[1].inst->site != sides[0].inst->site
                     ? sides[1].inst->site < sides[0].inst->site
                     : sides[1].block < sides[0].block;
  _cured_grid_report (grid,
                      access->space == CURED_SPACE_SHARED ? CURED_FINDING_RACE_SHARED
                                                          : CURED_FINDING_RACE_GLOBAL,
                      &sides[is_swapped], &sides[!is_swapped], access->space, conflict->address,
                      "%s", explain (visit, conflict));
}

/* Reports the conflicts of an access. */
void
_cured_race_report (RaceVisit *visit)
{
  for (uint32_t i = 0; i < visit->n_conflicts; i++)
    report (visit, &visit->conflicts[i]);
}
