/* SPDX-License-Identifier: MIT
 * The race detector: checks an access for a race with a slot. */
#include "ptx/watch/cured-race-private.h"

/* The only lane of @slot, as a mask, if it is in the access's own warp; 0: there is none. */
static inline uint32_t
get_alone (const RaceVisit *visit, const RaceSlot *slot)
{
  return slot->party == visit->stance.slot.party && (slot->lanes & (slot->lanes - 1)) == 0
             ? slot->lanes
             : 0;
}

/* The lanes of @lanes that are not ordered after @slot. */
uint32_t
_cured_race_find_unordered (const RaceVisit *visit, const RaceSlot *slot, uint32_t lanes)
{
  const CuredBlockOrder *order = visit->races->order;
  uint32_t block = get_block (slot), from = slot->party % CURED_WARP_LANES, unordered = 0;

  if (slot->lanes == 0)
    return 0;
  if (block != visit->races->number)
    {
      if (visit->is_shared && !is_of_cluster (visit->races, slot))
        return 0;
      if (visit->is_shared && (slot->where & FLAG_UNDERWAY) != 0)
        return lanes;
    }
  else if ((slot->where & FLAG_UNDERWAY) != 0)
    return lanes;
  else if (slot->clock < order->floor || (slot->party == visit->stance.slot.party &&
                                          slot->lanes == lanes && (lanes & (lanes - 1)) == 0))
    return 0;
  if (visit->stance.is_plain)
    return lanes & ~get_alone (visit, slot);

  for (uint32_t left = lanes; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      uint32_t thread = visit->warp->index * CURED_WARP_LANES + lane, others = slot->lanes;

      if (slot->party == visit->stance.slot.party)
        others &= ~(1u << lane);
      if (others == 0 ||
          (block == visit->races->number &&
           _cured_block_order_knows (order, thread, from, others, slot->clock)) ||
          _cured_block_order_knows_foreign (order, thread, block, from, others, slot->clock, false))
        continue;
      unordered |= 1u << lane;
    }
  return unordered;
}

/* Whether the store writes the same value as the last one: @value. */
bool
_cured_race_stores_the_same (const RaceVisit *visit, const RaceSlot *slot, uint32_t value,
                             uint32_t offset, uint32_t size)
{
  const CuredPtxInst *code = visit->self->parent.grid->module->code;
  uint32_t mine = 0;

  if (visit->value_bytes == 0 || code[slot->where >> FLAG_BITS].op != CURED_PTX_OP_st)
    return false;
  memcpy (&mine, visit->value + offset, size);
  return mine == value;
}

/* Whether both accesses may be used for synchronization. */
static bool
is_talk (const RaceVisit *visit, const RaceSlot *slot)
{
  uint32_t mine = visit->stance.slot.where, other = slot->where;

  if (((mine | other) & FLAG_NARROW) != 0 && get_block (slot) != visit->races->number)
    return false;
  if ((mine & FLAG_STRONG) != 0)
    return (other & (FLAG_STRONG | FLAG_VOLATILE)) != 0;
  if ((mine & FLAG_VOLATILE) != 0)
    return (other & FLAG_STRONG) != 0 ||
           ((other & FLAG_VOLATILE) != 0 && ((mine | other) & FLAG_POLLS) != 0);
  return false;
}

/* Returns: (nullable): its entry; NULL: the table is full */
RaceConflict *
_cured_race_add_conflict (RaceVisit *visit, const RaceSlot *slot, int plane, RaceReason reason,
                          uint32_t lanes, uint64_t address)
{
  RaceConflict *conflict = NULL;

  for (uint32_t i = 0; i < visit->n_conflicts; i++)
    {
      conflict = &visit->conflicts[i];
      if (conflict->there.party == slot->party && conflict->there.where == slot->where &&
          conflict->plane == plane && conflict->reason == reason)
        {
          conflict->lanes |= lanes;
          conflict->there.lanes |= slot->lanes;
          return conflict;
        }
    }
  if (visit->n_conflicts == MAX_CONFLICTS)
    return NULL;
  conflict = &visit->conflicts[visit->n_conflicts++];
  *conflict = (RaceConflict){ *slot, plane, reason, lanes, address };
  return conflict;
}

/* The lanes of @lanes that did not hear of @slot's atomics through their word itself: a counter
 * that determines the last thread, which resets it. */
static uint32_t
find_deaf (const RaceVisit *visit, const RaceSlot *slot, uint32_t lanes, uint64_t address)
{
  uint32_t deaf = 0;

  for (uint32_t left = lanes; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      CuredSpace space;
      uint64_t key = get_key (visit, address, &space);
      bool is_heard = false;

      /* The word may be the second one of a 64-bit number. */
      for (uint32_t back = 0; back <= 4 && back <= address; back += 4)
        is_heard = is_heard ||
                   _cured_block_order_heard (
                       visit->races->order, visit->warp->index * CURED_WARP_LANES + lane, space,
                       key - back, get_block (slot), slot->party % CURED_WARP_LANES, slot->lanes);
      if (!is_heard)
        deaf |= 1u << lane;
    }
  return deaf;
}

/* The lanes of @lanes that have at least heard of @slot. */
static uint32_t
find_heard (const RaceVisit *visit, const RaceSlot *slot, uint32_t lanes)
{
  uint32_t heard = 0;

  if (visit->stance.is_plain && visit->races->order->heard[0] == NULL &&
      visit->races->order->heard[1] == NULL)
    return lanes & get_alone (visit, slot);
  for (uint32_t left = lanes; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left), others = slot->lanes;

      if (slot->party == visit->stance.slot.party)
        others &= ~(1u << lane);
      if (_cured_block_order_heard_of (
              visit->races->order, visit->warp->index * CURED_WARP_LANES + lane, get_block (slot),
              slot->party % CURED_WARP_LANES, others, slot->clock))
        heard |= 1u << lane;
    }
  return heard;
}

/* Whether a slot has strong accesses of all of @lanes. */
static bool
is_own (const RaceVisit *visit, const RaceSlot *slots, uint32_t cell, uint32_t lanes)
{
  return slots != NULL && slots[cell].party == visit->stance.slot.party &&
         (lanes & ~slots[cell].lanes) == 0 &&
         (slots[cell].where & (FLAG_STRONG | FLAG_VOLATILE)) != 0;
}

/* Whether a volatile store meets an atomic that does not poll. A thread that has counted may reset
 * the counter. */
static bool
is_store_to_atomic (const RaceVisit *visit, const RacePage *page, uint32_t cell,
                    const RaceSlot *slot, int plane, uint32_t lanes)
{
  uint32_t mine = visit->stance.slot.where, other = slot->where;

  if (visit->plane == PLANE_ATOMIC)
    return (mine & FLAG_POLLS) == 0 && plane == PLANE_WRITE && (other & FLAG_VOLATILE) != 0;
  return visit->plane == PLANE_WRITE && (mine & FLAG_VOLATILE) != 0 &&
         (plane == PLANE_ATOMIC || plane == PLANE_ATOMIC_2) && (other & FLAG_POLLS) == 0 &&
         !is_own (visit, page->planes[PLANE_ATOMIC], cell, lanes) &&
         !is_own (visit, page->planes[PLANE_ATOMIC_2], cell, lanes);
}

/* Whether having heard of strong accesses suffices for this one: a strong load, an atomic, or a
 * strong store to memory that its thread has read. */
static bool
is_hearing_enough (const RaceVisit *visit, const RacePage *page, uint32_t cell,
                   const RaceSlot *slot, uint32_t lanes)
{
  const uint32_t strong = FLAG_STRONG | FLAG_VOLATILE;
  bool is_read = false;

  if ((visit->stance.slot.where & strong) == 0 || (slot->where & strong) == 0)
    return false;
  if (visit->plane != PLANE_WRITE)
    return true;
  for (int i = PLANE_READ; i < N_PLANES; i++)
    is_read = is_read || is_own (visit, page->planes[i], cell, lanes);
  return is_read;
}

/* Checks whether @lanes race with one plane's slot. TRUE: they are ordered after it, so that it is
 * obsolete. */
bool
_cured_race_check_slot (RaceVisit *visit, const RacePage *page, uint32_t cell, const RaceSlot *slot,
                        int plane, uint32_t lanes, uint64_t address)
{
  uint32_t unordered = _cured_race_find_unordered (visit, slot, lanes);
  RaceReason reason = REASON_UNORDERED;

  if (G_UNLIKELY ((slot->where & visit->stance.slot.where & FLAG_UNDERWAY) != 0) &&
      _cured_race_is_bulk_reduction (visit->access->inst) &&
      _cured_race_is_bulk_reduction (
          &visit->self->parent.grid->module->code[slot->where >> FLAG_BITS]))
    return false;

  if (G_LIKELY (unordered == 0))
    {
      const uint32_t strong = FLAG_STRONG | FLAG_VOLATILE;

      if (G_LIKELY ((slot->where & FLAG_LOOSE) == 0) ||
          (plane != PLANE_WRITE && (slot->where & strong) != 0 &&
           (visit->stance.slot.where & strong) != 0))
        return true;
      unordered = _cured_race_find_loose (visit, slot, lanes);
      if (unordered != 0)
        _cured_race_add_conflict (visit, slot, plane, REASON_LOOSE, unordered, address);
      return true;
    }
  if ((slot->where & FLAG_UNDERWAY) == 0)
    {
      if (is_talk (visit, slot))
        {
          if (!is_store_to_atomic (visit, page, cell, slot, plane, lanes))
            return false;
          reason = REASON_NO_ATOMIC;
        }
      uint32_t heard = find_heard (visit, slot, unordered);
      if (heard != 0 && is_hearing_enough (visit, page, cell, slot, heard))
        {
          unordered &= ~heard;
          if (unordered == 0)
            return false;
        }
      else if (heard == unordered && reason == REASON_UNORDERED)
        reason = REASON_UNACQUIRED;
    }
  if (plane == PLANE_ATOMIC || plane == PLANE_ATOMIC_2)
    {
      unordered = find_deaf (visit, slot, unordered, address);
      if (unordered == 0)
        return true;
    }
  RaceSlot there = *slot;
  if (there.party == visit->stance.slot.party && (there.lanes & ~unordered) != 0)
    there.lanes &= ~unordered;
  _cured_race_add_conflict (visit, &there, plane, reason, unordered, address);
  return false;
}
