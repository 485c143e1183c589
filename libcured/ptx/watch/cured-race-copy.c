/* SPDX-License-Identifier: MIT
 * The race detector: asynchronous copies, and products that read shared memory.
 *
 * Bulk copies (cp.async.bulk) are accesses of the threads that start them, and in flight until
 * their completion is observed. To shared memory that is a wait for their barrier, after the phase
 * in which they started: the first thread that observes it becomes the writer, and threads that
 * wait there later are ordered after it. From shared to global memory it is a wait for the group by
 * the starting thread. They use the asynchronous proxy: a stored byte of shared memory is dirty
 * until a fence.proxy.async by its thread, or by one ordered after the store, and a bulk copy must
 * not read it before. The order of fence and copy is not checked, nor is global memory. */
#include "ptx/watch/cured-race-private.h"

#include <string.h>

#define NO_SITE G_MAXUINT32

/* ---- Copies in flight ---- */

static bool
is_reader (RaceCopyKind kind)
{
  return kind == COPY_OUT || kind == COPY_PRODUCT;
}

static void
add_copy (RaceVisit *visit, RaceCopyKind kind, uint64_t address, uint32_t lane)
{
  const CuredBulk *bulk = visit->access->bulk;
  uint32_t warp = visit->warp->index;
  GArray **copies = &visit->owner->copies[warp];
  RaceCopy copy = { .address = address,
                    .width = visit->access->width,
                    .party = visit->stance.slot.party,
                    .lane = lane,
                    .group = visit->races->groups[kind][warp][lane],
                    .kind = kind };

  if (bulk != NULL)
    {
      copy.barrier = bulk->barrier;
      copy.phase = bulk->phase;
    }
  if (*copies == NULL)
    *copies = g_array_new (FALSE, FALSE, sizeof (RaceCopy));
  g_array_append_val (*copies, copy);
  if (kind == COPY_ASYNC)
    visit->owner->pages[address >> PAGE_BITS].n_underway++;
}

/* Records that the lanes started a cp.async. */
void
_cured_race_add_copies (RaceVisit *visit)
{
  for (uint32_t left = visit->access->mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);

      add_copy (visit, COPY_ASYNC, visit->access->address[lane], lane);
    }
}

/* The access of a copy in flight at @at; NULL: there are no further ones. */
static RaceSlot *
find_slot (const RaceBlock *races, const RaceCopy *copy, uint64_t at)
{
  RacePage *page = &races->pages[at >> PAGE_BITS];
  int plane = is_reader (copy->kind) ? PLANE_READ : PLANE_WRITE;
  int last = is_reader (copy->kind) ? PLANE_READ_2 : PLANE_WRITE;

  for (; plane <= last; plane++)
    {
      RaceSlot *slot = _cured_race_page_get_slot (page, plane, at);

      if (slot != NULL && (slot->where & FLAG_UNDERWAY) != 0 && slot->party == copy->party &&
          slot->lanes == 1u << copy->lane)
        return slot;
    }
  return NULL;
}

/* Turns a completed copy into an access by @to, in @races's shared memory. */
static void
finish_copy (RaceBlock *races, const RaceCopy *copy, const RaceSlot *to)
{
  RacePage *first = &races->pages[copy->address >> PAGE_BITS];

  if (copy->kind == COPY_ASYNC)
    {
      uint64_t stamp = (uint64_t) (races->number + 1) << 32 | to->clock;

      first->n_underway--;
      first->latest[KIND_WRITES] = MAX (first->latest[KIND_WRITES], stamp);
    }
  for (uint64_t at = copy->address; at < copy->address + copy->width;)
    {
      RaceSlot *slot = find_slot (races, copy, at);

      if (slot != NULL)
        {
          slot->where &= ~(uint32_t) FLAG_UNDERWAY;
          slot->clock = to->clock;
          slot->party = to->party;
          slot->lanes = to->lanes;
        }
      at += 1u << get_grain_bits (races->pages[at >> PAGE_BITS].grain);
    }
}

/* Drops copies that the last block did not wait for. */
void
_cured_race_forget_copies (RaceBlock *races)
{
  for (uint32_t w = 0; w < CURED_ORDER_WARPS; w++)
    {
      GArray *copies = races->copies[w];

      for (guint i = 0; copies != NULL && i < copies->len; i++)
        {
          const RaceCopy *copy = &g_array_index (copies, RaceCopy, i);

          if (copy->kind == COPY_ASYNC)
            races->pages[copy->address >> PAGE_BITS].n_underway--;
        }
      if (copies != NULL)
        g_array_set_size (copies, 0);
    }
}

static gpointer
get_place (const RaceCopy *copy)
{
  return GSIZE_TO_POINTER (copy->address * CURED_WARP_LANES + copy->lane + 1);
}

/* Removes copies without remaining bytes. */
static void
remove_finished (GArray *copies, guint n_kept)
{
  guint n = 0;

  if (n_kept == copies->len)
    return;
  for (guint i = 0; i < copies->len; i++)
    if (g_array_index (copies, RaceCopy, i).width > 0)
      g_array_index (copies, RaceCopy, n++) = g_array_index (copies, RaceCopy, i);
  g_array_set_size (copies, n);
}

/* Copies of @mask to or from shared memory that are waited for become accesses of their threads. If
 * another copy in flight reads the same, it keeps the slot.
 *
 * @left: groups that may still be in flight; CURED_COPIES_NONE: none */
void
_cured_race_finish_copies (RaceBlock *races, uint32_t warp, uint32_t mask, RaceCopyKind kind,
                           int left)
{
  GArray *copies = races->copies[warp];
  g_autoptr (GHashTable) kept = NULL;
  guint n_kept = 0;

  if (copies == NULL || copies->len == 0)
    return;
  /* Later groups follow. */
  for (guint i = copies->len; i-- > 0;)
    {
      RaceCopy *copy = &g_array_index (copies, RaceCopy, i);
      RaceSlot to = { races->number * CURED_WARP_LANES + warp, races->order->clocks[warp],
                      1u << copy->lane, 0 };
      bool is_kind = copy->kind == kind && (mask >> copy->lane & 1) != 0;

      if (!is_kind || (left >= 0 && (gint64) copy->group + left >=
                                        (gint64) races->groups[kind][warp][copy->lane]))
        {
          if (is_kind && is_reader (kind) && kept == NULL)
            kept = g_hash_table_new (NULL, NULL);
          if (is_kind && is_reader (kind))
            g_hash_table_add (kept, get_place (copy));
          n_kept++;
          continue;
        }
      if (kept == NULL || !g_hash_table_contains (kept, get_place (copy)))
        finish_copy (races, copy, &to);
      copy->width = 0;
    }
  remove_finished (copies, n_kept);
}

/* A test of the barrier at @address of shared memory: bulk copies of a completed phase are done,
 * and @lane, the first one to observe that, becomes their writer. */
static bool
deliver_at (RaceVisit *visit, uint64_t address, uint32_t lane)
{
  RaceBlock *races = visit->races;
  RaceSlot to = { visit->stance.slot.party, visit->stance.slot.clock, 1u << lane, 0 };
  uint64_t barrier;
  bool is_any = false;

  memcpy (&barrier, visit->warp->block->shared + address, sizeof barrier);
  for (uint32_t w = 0; w < visit->warp->block->n_warps; w++)
    {
      GArray *copies = races->copies[w];
      guint n_kept = 0;

      for (guint i = 0; copies != NULL && i < copies->len; i++)
        {
          RaceCopy *copy = &g_array_index (copies, RaceCopy, i);

          if (copy->kind != COPY_IN || copy->barrier != address ||
              copy->phase == cured_mbarrier_get_phase (barrier))
            {
              n_kept++;
              continue;
            }
          finish_copy (races, copy, &to);
          copy->width = 0;
          is_any = true;
        }
      if (copies != NULL)
        remove_finished (copies, n_kept);
    }
  return is_any;
}

/* Lanes test barriers. The present state is released to threads that test it later. */
void
_cured_race_deliver (RaceVisit *visit)
{
  const CuredAccess *access = visit->access;

  if (access->space != CURED_SPACE_SHARED || access->owner != NULL)
    return;
  for (uint32_t left = access->mask; left != 0;)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);
      uint64_t address = access->address[lane], keys[CURED_WARP_LANES];
      CuredSpace space;

      for (uint32_t rest = left; rest != 0; rest &= rest - 1)
        if (access->address[__builtin_ctz (rest)] == address)
          left &= ~(rest & -rest);
      if (!deliver_at (visit, address, lane))
        continue;
      keys[lane] = get_key (visit, address, &space);
      _cured_block_order_release (visit->races->order, visit->warp->index, 1u << lane, space, keys,
                                  true, true);
    }
}

/* ---- Stores that the asynchronous proxy does not see yet ---- */

/* Sets or clears the bits of @width bytes. */
static void
set_dirty (RaceBlock *races, uint64_t address, uint32_t width, bool is_dirty)
{
  for (uint64_t at = address; at < address + width;)
    {
      uint32_t n = (uint32_t) MIN (8 - at % 8, address + width - at);
      uint8_t bits = (uint8_t) (((1u << n) - 1) << at % 8);

      if (is_dirty)
        races->dirty[at / 8] |= bits;
      else
        races->dirty[at / 8] &= (uint8_t) ~bits;
      at += n;
    }
}

/* Marks the stored bytes. */
void
_cured_race_mark_dirty (RaceBlock *races, const CuredAccess *access)
{
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    set_dirty (races, access->address[__builtin_ctz (left)], access->width, true);
}

/* The store at @at that the copy engine may not see yet; NULL: none. @size: the bytes
 * that one slot represents, from @at on. */
static const RaceSlot *
get_dirty (const RaceBlock *races, uint64_t at, uint32_t *size)
{
  RacePage *page = &races->pages[at >> PAGE_BITS];

  *size = page->grain == GRAIN_BYTE ? 1 : WORD_BYTES - at % WORD_BYTES;
  return (races->dirty[at / 8] >> at % 8 & 1) != 0
             ? _cured_race_page_get_slot (page, PLANE_WRITE, at)
             : NULL;
}

/* A fence.proxy.async of @mask: makes these lanes' stores, and those ordered before, visible. */
void
_cured_race_fence_dirty (RaceBlock *races, uint32_t warp, uint32_t mask)
{
  const CuredBlockOrder *order = races->order;
  uint32_t thread = warp * CURED_WARP_LANES + (uint32_t) __builtin_ctz (mask), size;

  for (uint64_t at = 0; at < (uint64_t) races->n_pages << PAGE_BITS; at += size)
    {
      size = 8;
      if (at % 8 == 0 && races->dirty[at / 8] == 0)
        continue;
      const RaceSlot *slot = get_dirty (races, at, &size);
      if (slot == NULL || slot->clock < order->floor ||
          slot->party / CURED_WARP_LANES != races->number ||
          (slot->party % CURED_WARP_LANES == warp && (slot->lanes & ~mask) == 0) ||
          _cured_block_order_knows (order, thread, slot->party % CURED_WARP_LANES, slot->lanes,
                                    slot->clock))
        set_dirty (races, at, size, false);
    }
}

/* A bulk copy reads @width bytes at @address. */
static void
check_dirty (RaceVisit *visit, uint64_t address, uint32_t width, uint32_t lanes)
{
  RaceBlock *races = visit->owner;
  uint32_t size;

  for (uint64_t at = address; at < address + width; at += size)
    {
      const RaceSlot *slot = get_dirty (races, at, &size);

      if (slot != NULL && slot->lanes != 0 && is_of_cluster (races, slot) &&
          _cured_race_find_unordered (visit, slot, lanes) == 0)
        _cured_race_add_conflict (visit, slot, PLANE_WRITE, REASON_PROXY, lanes,
                                  at & ~(uint64_t) (WORD_BYTES - 1));
    }
}

/* A part of a bulk copy: done by one lane, even if the access has more. */
void
_cured_race_visit_bulk (RaceVisit *visit)
{
  const CuredAccess *access = visit->access;
  bool is_in = visit->is_shared && access->kind != CURED_ACCESS_LOAD;
  bool is_out =
      visit->is_shared && access->kind == CURED_ACCESS_LOAD && access->bulk->barrier == UINT64_MAX;
  RaceCopyKind kind = _cured_ptx_is_wgmma (access->inst->op) ? COPY_PRODUCT
                      : is_in                                ? COPY_IN
                                                             : COPY_OUT;
  uint32_t lane = access->bulk->lane;

  if (is_in || is_out)
    {
      visit->stance.slot.where |= FLAG_UNDERWAY;
      visit->plane = is_in ? PLANE_WRITE : PLANE_READ;
    }
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint64_t address = access->address[__builtin_ctz (left)];

      if (visit->is_shared && !is_in)
        check_dirty (visit, address, access->width, 1u << lane);
      if (is_in)
        set_dirty (visit->owner, address, access->width, false);
      if (is_in || is_out)
        add_copy (visit, kind, address, lane);
    }
  _cured_race_visit_access (visit, 0);
}

/* ---- Copies without a wait ---- */

/* The site of a copy that is still in flight; NO_SITE: it is done. */
static uint32_t
get_copy_site (const RaceBlock *races, const RaceCopy *copy)
{
  const RaceSlot *slot = find_slot (races, copy, copy->address);

  return slot != NULL ? slot->where >> FLAG_BITS : NO_SITE;
}

/* Copies in flight when the warp's threads ended. */
void
_cured_race_report_copies (const RaceDetector *self, const RaceBlock *races,
                           const CuredBlock *block, uint32_t warp)
{
  const GArray *copies = races->has_told_of_copies ? NULL : races->copies[warp];
  const RaceCopy *copy;

  for (guint i = 0; copies != NULL && i < copies->len; i++)
    {
      CuredWitness here = { .what = _cured_access_what (CURED_ACCESS_COPY),
                            .block = block->index,
                            .warp = warp };

      copy = &g_array_index (copies, RaceCopy, i);
      uint64_t address = copy->address;
      RaceCopyKind kind = copy->kind;
      uint32_t site = get_copy_site (races, copy);
      if (site == NO_SITE)
        continue;
      here.inst = &self->parent.grid->module->code[site];
      here.lanes = 1u << copy->lane;
      while (i + 1 < copies->len && get_copy_site (races, copy + 1) == site)
        {
          copy++;
          i++;
          here.lanes |= 1u << copy->lane;
        }
      _cured_grid_report (
          self->parent.grid, CURED_FINDING_RACE_SHARED, &here, NULL, CURED_SPACE_SHARED, address,
          "%s",
          kind == COPY_IN ? "nothing waits for the bulk copy before its block ends: a wait for the "
                            "phase of its mbarrier has to come"
          : kind == COPY_OUT ? "nothing waits until the bulk copy has read this before its thread "
                               "ends: cp.async.bulk.wait_group.read has to come"
          : kind == COPY_PRODUCT
              ? "nothing waits for the product before its warp ends: wgmma.wait_group has to come"
              : "nothing waits for the copy before its thread ends: cp.async.wait_group, or the "
                "wait of its pipeline, has to come");
    }
}
