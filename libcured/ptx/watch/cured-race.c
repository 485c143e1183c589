/* SPDX-License-Identifier: MIT
 * The race detector: two unordered accesses of different threads to the same bytes, at least one of
 * them a write.
 *
 * Implementation notes.
 *
 * cured-order.c computes the order: by program order, barriers of the block and of the warp, and
 * release and acquire: a fence (or an access's own .release) before an atomic or a strong store, an
 * atomic or strong load that reads there, and a fence (or its own .acquire) after that. Scopes have
 * to include both threads. That is the PTX memory model (PTX ISA 9.0, chapter 8), with these
 * exceptions:
 *
 * - A barrier of the block or the warp replaces the fence on the acquiring side:
 *   NVIDIA's own example of a last block counts, waits at __syncthreads () and
 *   reads.
 * - Data that was waited for without a fence may be read by strong loads and
 *   changed by atomics, if it was written by such: they do not overtake the read
 *   that they depend on. Only a thread that has read it may store to it.
 * - A store does not end the releases made through an address.
 * - shfl, vote, match and redux converge lanes without ordering them: code that
 *   relies on a warp's lanes running in lockstep races (CUDA C++ Programming
 *   Guide, independent thread scheduling). Only __syncwarp orders them.
 * - volatile is a strong access in the model, which would excuse exactly the old
 *   warp-synchronous code that is wrong today, and a last block that reads
 *   partial sums without a fence. Here two volatile accesses race like plain
 *   ones, unless the load polls: it is in a loop where its address is constant
 *   and whose exit depends on its value. A volatile load does not race with an
 *   atomic operation; a volatile store does (atomicity is guaranteed only among
 *   atomics), unless the atomic polls.
 * - The first owner of a lock is a matter of chance. An access after an atomic
 *   that takes a lock, without a fence between them, races with another thread's
 *   accesses under the same lock, even if that came later in this run and had
 *   its fence. A lock is an atom.cas or atom.exch that polls and always compares
 *   with the same value.
 * - The plain read before a loop around atom.cas, whose value the compare-and-swap
 *   compares, counts as a strong one: a stale value costs an iteration.
 * - Stores of the same value do not race with each other: their order does not
 *   matter. Within one instruction, different values are a finding, since the
 *   winning lane is undefined.
 *
 * Verdicts depend on order, not on time or the speed of the host's threads. Only the number of
 * occurrences, and the race described for a pair of places, may vary.
 *
 * Shared memory belongs to a block, and its shadow is reused by the next block: slots have the
 * block's number, and those of another one are void.
 *
 * Files: classification of instructions (cured-race-site.c), buffers that may have a race
 * (cured-race-reach.c), the shadow (cured-race-shadow.c), accesses to it (cured-race-visit.c),
 * postponed accesses (cured-race-postpone.c), verdicts (cured-race-verdict.c) and reports
 * (cured-race-report.c); locks, copies and other blocks' memory have one each as well. */
#include "ptx/watch/cured-race-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "base/cured-each-internal.h"

/* Maximum number of reads kept before they are checked. A block of 32 warps that multiplies tiles
 * of 32 rows has 2048. */
#define MAX_QUIET_READS 4096

/* Number of blocks that fit a slot's field; later ones are not checked. A module of that
 * many instructions would be gigabytes of text. */
#define MAX_BLOCKS (1u << 26)

static void
block_begin (CuredObserver *observer, void *data, CuredBlock *block)
{
  RaceDetector *self = (RaceDetector *) observer;
  RaceState *state = data;
  const CuredCluster *cluster = block->cluster;
  const RaceBlock *first =
      block->rank == 0 ? NULL : ((RaceState *) cluster->blocks[0]->states[observer->index])->races;
  RaceBlock *races = NULL;
  uint32_t number;

  g_mutex_lock (&self->mutex);
  if (block->rank == 0)
    {
      number = self->blocks->len;
      if (number < MAX_BLOCKS)
        g_array_set_size (self->blocks, number + cluster->n_blocks);
    }
  else
    number = first != NULL ? first->number + block->rank : MAX_BLOCKS;
  if (number < MAX_BLOCKS)
    {
      g_array_index (self->blocks, guint64, number) = block->index;
      if (self->spares->len > 0)
        races = g_ptr_array_steal_index_fast (self->spares, self->spares->len - 1);
    }
  g_mutex_unlock (&self->mutex);
  if (number >= MAX_BLOCKS)
    return;
  if (races == NULL)
    {
      races = g_new0 (RaceBlock, 1);
      races->order = _cured_block_order_new (self->order, block->n_warps);
      races->pages = g_new0 (RacePage, self->n_shared_pages);
      races->n_pages = self->n_shared_pages;
    }
  races->number = number;
  races->first = number - block->rank;
  races->n_blocks = cluster->n_blocks;
  if (races->remotes != NULL)
    g_array_set_size (races->remotes, 0);
  if (races->n_blocks > 1 && races->met == NULL)
    races->met = g_new0 (uint32_t, CURED_ORDER_WARPS * CURED_MAX_CLUSTER);
  else if (races->n_blocks > 1)
    memset (races->met, 0, CURED_ORDER_WARPS * CURED_MAX_CLUSTER * sizeof *races->met);
  _cured_block_order_begin (races->order, number);
  _cured_race_forget_copies (races);
  _cured_race_forget_postponed (races);
  for (int k = 0; k < N_COPY_KINDS && (self->has_copies || self->has_bulk); k++)
    memset (races->groups[k], 0, block->n_warps * sizeof races->groups[k][0]);
  if (self->has_bulk && races->dirty == NULL)
    races->dirty = g_new0 (uint8_t, races->n_pages * PAGE_DIRTY);
  else if (self->has_bulk)
    memset (races->dirty, 0, (gsize) races->n_pages * PAGE_DIRTY);
  g_clear_pointer (&races->locks, g_free);
  races->has_told_of_copies = false;
  state->races = races;
}

static void visit_access (CuredObserver *observer, RaceBlock *races, CuredWarp *warp,
                          const CuredAccess *access, const RaceSlot *slot, bool is_postponed);

/* The slot of an access, without its lanes. */
static inline RaceSlot
make_slot (const RaceBlock *races, uint32_t warp, uint32_t site, uint32_t flags)
{
  return cured_race_make_slot (races->number * CURED_WARP_LANES + warp, races->order->clocks[warp],
                               site << FLAG_BITS | flags);
}

/* Postpones the block's quiet reads as if each had been announced when it was done. */
static void
gather_reads (RaceDetector *self, RaceBlock *races, CuredBlock *block)
{
  uint32_t n = block->n_reads;

  block->n_reads = 0;
  for (uint32_t i = 0; i < n; i++)
    {
      CuredQuietRead read = block->reads[i];
      uint32_t site = read.who >> 6, w = read.who >> 1 & (CURED_WARP_LANES - 1);
      bool is_same = (read.who & 1) != 0;
      CuredPattern pattern = is_same ? CURED_PATTERN_SAME : CURED_PATTERN_CONTIGUOUS;
      const RaceSlot slot = make_slot (races, w, site, self->flags[site]);
      CuredAccess access = {
        .inst = &self->parent.grid->module->code[site],
        .space = CURED_SPACE_SHARED,
        .kind = CURED_ACCESS_LOAD,
        .width = WORD_BYTES,
        .mask = G_MAXUINT32,
        .pattern = pattern,
        .shape = cured_get_plain_shape (pattern, WORD_BYTES),
        .low = read.first,
        .high = read.first + (is_same ? 0 : (CURED_WARP_LANES - 1) * WORD_BYTES),
        .address = { read.first },
      };

      if (!_cured_race_postpone (self, races, &block->warps[w], &access, &slot))
        visit_access (&self->parent, races, &block->warps[w], &access, &slot, false);
    }
}

/* Announces each read from now on. */
static inline void
close_reads (RaceDetector *self, RaceBlock *races, CuredBlock *block)
{
  if (block->n_reads > 0)
    gather_reads (self, races, block);
  block->most_reads = 0;
}

/* A barrier of the whole block: no earlier access can race with a later read, so
 * reads need not be announced until the next write, or a partial ordering. */
static void
open_reads (const RaceDetector *self, RaceBlock *races, CuredBlock *block)
{
  block->n_reads = 0;
  if (self->has_copies || self->has_bulk || self->is_clustered || races->locks != NULL ||
      races->order->base != NULL)
    return;
  if (races->reads == NULL)
    races->reads = g_new (CuredQuietRead, MAX_QUIET_READS);
  block->reads = races->reads;
  block->most_reads = MAX_QUIET_READS;
}

/* A possible ordering of some threads of the block. */
static void
catch_up (RaceDetector *self, RaceBlock *races, CuredBlock *block)
{
  close_reads (self, races, block);
  if (races->n_postponed > 0)
    _cured_race_catch_up (self, races, block);
}

/* Updates the order and the locks for an access. */
static void
follow_roles (const RaceVisit *visit, uint32_t roles)
{
  const CuredAccess *access = visit->access;
  bool is_wide = (visit->stance.slot.where & FLAG_NARROW) == 0;
  uint64_t keys[CURED_WARP_LANES];
  CuredSpace space = access->space;

  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    keys[l] = get_key (visit, access->address[l], &space);
  if ((roles & (ROLE_CARRIES | ROLE_RELEASES)) != 0)
    _cured_block_order_release (visit->races->order, visit->warp->index, access->mask, space, keys,
                                is_wide, (roles & ROLE_RELEASES) != 0);
  if ((roles & ROLE_ACQUIRES) != 0)
    catch_up (visit->self, visit->races, visit->warp->block);
  if ((roles & (ROLE_READS | ROLE_ACQUIRES)) != 0)
    _cured_block_order_acquire (visit->races->order, visit->warp->index, access->mask, space, keys,
                                is_wide, (roles & ROLE_ACQUIRES) != 0);
  if ((roles & (ROLE_LOCKS | ROLE_CARRIES)) != 0)
    _cured_race_update_locks (visit, roles);
}

/* Processes the warp's last strong read. */
static inline void
settle (RaceDetector *self, RaceBlock *races, const CuredWarp *warp)
{
  if (G_LIKELY (races->order->pending[warp->index].mask == 0))
    return;
  catch_up (self, races, warp->block);
  _cured_block_order_settle (races->order, warp->index);
}

/* Reports stores to buffers from which none of their addresses is derived. */
static void
look_for_strays (RaceDetector *self, CuredWarp *warp, const CuredAccess *access)
{
  uint32_t strays = 0;

  if (access->region != NULL && access->region->index < self->n_regions &&
      self->is_written[access->region->index])
    return;
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      const CuredRegion *region =
          access->region != NULL
              ? access->region
              : _cured_memory_find (self->parent.grid->memory, access->address[l]);

      if (region != NULL && region->index < self->n_regions && !self->is_written[region->index])
        strays |= 1u << l;
    }
  if (strays == 0)
    return;
  CuredWitness here =
      _cured_warp_witness (warp, access->inst, strays, _cured_access_what (access->kind));
  _cured_grid_report (self->parent.grid, CURED_FINDING_OUT_OF_BOUNDS, &here, NULL,
                      CURED_SPACE_GLOBAL, access->address[__builtin_ctz (strays)], "%s",
                      _ ("the address is made of another buffer's, which it has left"));
}

/* An access that is not postponed, or affects more than its place. */
static __attribute__ ((noinline)) void
visit_access (CuredObserver *observer, RaceBlock *races, CuredWarp *warp, const CuredAccess *access,
              const RaceSlot *slot, bool is_postponed)
{
  RaceDetector *self = (RaceDetector *) observer;
  uint32_t roles = self->roles[access->inst->site];
  bool is_copy = access->kind == CURED_ACCESS_COPY && access->bulk == NULL;
  RaceVisit visit;

  _cured_race_start_visit (&visit, self, races, warp, access, slot);
  if (G_UNLIKELY (access->owner != NULL))
    {
      const RaceState *state = access->owner->states[observer->index];

      visit.owner = state->races;
      _cured_race_visit_remote (&visit);
    }
  if (access->bulk != NULL)
    _cured_race_visit_bulk (&visit);
  else if (!is_postponed)
    _cured_race_visit_access (&visit, _cured_race_note_loose (&visit));

  if (races->dirty != NULL && visit.is_shared && access->bulk == NULL && visit.plane == PLANE_WRITE)
    _cured_race_mark_dirty (visit.owner, access);
  if (races->dirty != NULL && (roles & ROLE_ACQUIRES) != 0 && access->inst->op != CURED_PTX_OP_ld)
    _cured_race_deliver (&visit);
  if (is_copy)
    _cured_race_add_copies (&visit);
  /* The barrier is notified when the copies are done. */
  if (access->inst->op == CURED_PTX_OP_cp_async_mbarrier)
    _cured_race_finish_copies (races, warp->index, access->mask, COPY_ASYNC, CURED_COPIES_NONE);
  if (roles != 0)
    follow_roles (&visit, roles);
  _cured_race_report (&visit);
}

static void
watch_access (CuredObserver *observer, void *data, CuredWarp *warp, const CuredAccess *access)
{
  RaceDetector *self = (RaceDetector *) observer;
  RaceBlock *races = ((RaceState *) data)->races;
  uint32_t site = access->inst->site;
  bool is_copy = access->kind == CURED_ACCESS_COPY && access->bulk == NULL;
  RaceSlot slot;

  if (races == NULL || access->space == CURED_SPACE_LOCAL)
    return;
  if (self->is_reach_certain && access->space == CURED_SPACE_GLOBAL &&
      (access->kind == CURED_ACCESS_STORE || access->kind == CURED_ACCESS_ATOMIC ||
       access->kind == CURED_ACCESS_REDUCTION))
    look_for_strays (self, warp, access);
  uint32_t flags = is_copy ? FLAG_UNDERWAY : self->flags[site], roles = self->roles[site];
  settle (self, races, warp);
  if (warp->block->most_reads > 0 && (access->space == CURED_SPACE_SHARED || roles != 0))
    {
      if (roles != 0 ||
          (access->kind != CURED_ACCESS_LOAD && access->kind != CURED_ACCESS_LDMATRIX))
        close_reads (self, races, warp->block);
      else if (warp->block->n_reads > 0)
        gather_reads (self, races, warp->block);
    }

  /* One store: loading parts of data just stored separately stalls processors. */
  slot = make_slot (races, warp->index, site, flags);
  if (access->region != NULL && roles == 0 && races->locks == NULL &&
      access->kind == CURED_ACCESS_LOAD && access->bulk == NULL &&
      g_atomic_pointer_get (&self->regions[access->region->index]) == NULL)
    return;
  bool is_postponed = _cured_race_postpone (self, races, warp, access, &slot);
  /* A strong read of shared memory hears nothing if no thread has released anything. */
  if (is_postponed && (roles == 0 || (roles == ROLE_READS && races->order->shared == NULL)))
    return;
  visit_access (observer, races, warp, access, &slot, is_postponed);
}

/* Checks of locks and copies need all addresses. */
static CuredTelling
get_telling (const CuredObserver *observer, const CuredPtxInst *inst)
{
  const RaceDetector *self = (const RaceDetector *) observer;

  return self->roles[inst->site] == 0 && !self->has_locks && !self->has_bulk ? CURED_TELL_LATER
                                                                             : CURED_TELL_ALL;
}

static void
barrier (CuredObserver *observer, void *data, CuredBlock *block, uint32_t index,
         const uint32_t *lanes)
{
  RaceState *state = data;
  bool is_all = true;

  if (state->races == NULL)
    return;
  for (uint32_t w = 0; w < block->n_warps; w++)
    {
      is_all = is_all && (block->warps[w].alive & ~lanes[w]) == 0;
      _cured_race_tighten_locks (state->races, w, lanes[w], LEVEL_TIGHT);
    }
  if (is_all)
    {
      _cured_race_forget_postponed (state->races);
      _cured_block_order_join_all (state->races->order);
      open_reads ((RaceDetector *) observer, state->races, block);
    }
  else
    {
      catch_up ((RaceDetector *) observer, state->races, block);
      _cured_block_order_join (state->races->order, lanes, index);
    }
}

static void
arrive (CuredObserver *observer, void *data, CuredWarp *warp, uint32_t mask, uint32_t index)
{
  RaceState *state = data;

  if (state->races == NULL)
    return;
  catch_up ((RaceDetector *) observer, state->races, warp->block);
  _cured_block_order_arrive (state->races->order, warp->index, mask, index);
}

static void
cluster_arrive (CuredObserver *observer, void *data, CuredWarp *warp, uint32_t mask,
                bool is_release)
{
  RaceState *state = data;

  if (state->races != NULL)
    _cured_block_order_cluster_arrive (state->races->order, warp->index, mask, is_release);
}

static void
cluster_done (CuredObserver *observer, void *data, CuredBlock *block)
{
  RaceState *state = data;

  if (state->races != NULL)
    _cured_block_order_cluster_done (state->races->order, state->races->first);
}

static void
cluster_wait (CuredObserver *observer, void *data, CuredBlock *block, const uint32_t *lanes)
{
  RaceState *state = data;
  bool is_all = true;

  if (state->races == NULL)
    return;
  for (uint32_t w = 0; w < block->n_warps; w++)
    {
      is_all = is_all && (block->warps[w].alive & ~lanes[w]) == 0;
      _cured_race_tighten_locks (state->races, w, lanes[w], LEVEL_TIGHT);
    }
  _cured_block_order_cluster_wait (state->races->order, state->races->first, lanes, is_all);
}

static void
warp_sync (CuredObserver *observer, void *data, CuredWarp *warp, uint32_t mask)
{
  RaceState *state = data;

  if (state->races == NULL || (mask & (mask - 1)) == 0)
    return;
  catch_up ((RaceDetector *) observer, state->races, warp->block);
  _cured_race_tighten_locks (state->races, warp->index, mask, LEVEL_TIGHT);
  _cured_block_order_join_warp (state->races->order, warp->index, mask);
}

static void
fence (CuredObserver *observer, void *data, CuredWarp *warp, const CuredPtxInst *inst,
       uint32_t mask, CuredPtxWord scope, CuredPtxWord order)
{
  RaceState *state = data;
  bool is_wide = scope != CURED_PTX_SCOPE_CTA &&
                 (scope != CURED_PTX_SCOPE_CLUSTER || ((RaceDetector *) observer)->is_clustered);

  if (state->races != NULL && inst->op == CURED_PTX_OP_fence_proxy && state->races->dirty != NULL &&
      inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_GLOBAL)
    _cured_race_fence_dirty (state->races, warp->index, mask);
  /* Accesses with an order are handled as accesses. */
  if (state->races == NULL || (inst->op != CURED_PTX_OP_membar && inst->op != CURED_PTX_OP_fence))
    return;
  catch_up ((RaceDetector *) observer, state->races, warp->block);
  _cured_block_order_fence (state->races->order, warp->index, mask, is_wide,
                            order != CURED_PTX_ORDER_ACQUIRE, order != CURED_PTX_ORDER_RELEASE);
  if (order != CURED_PTX_ORDER_RELEASE)
    _cured_race_tighten_locks (state->races, warp->index, mask,
                               is_wide ? LEVEL_TIGHT : LEVEL_BLOCK);
}

/* Copies of a kind are committed as a group, or waited for. */
static void
group_copies (CuredObserver *observer, void *data, const CuredWarp *warp, uint32_t mask,
              RaceCopyKind kind, int left)
{
  RaceBlock *races = ((RaceState *) data)->races;

  if (races == NULL)
    return;
  settle ((RaceDetector *) observer, races, warp);
  if (left == CURED_COPIES_COMMIT)
    for (; mask != 0; mask &= mask - 1)
      races->groups[kind][warp->index][__builtin_ctz (mask)]++;
  else
    _cured_race_finish_copies (races, warp->index, mask, kind, left);
}

static void
copies (CuredObserver *observer, void *data, CuredWarp *warp, uint32_t mask, int left)
{
  group_copies (observer, data, warp, mask, COPY_ASYNC, left);
}

static void
bulk_copies (CuredObserver *observer, void *data, CuredWarp *warp, uint32_t mask, int left)
{
  group_copies (observer, data, warp, mask, COPY_OUT, left);
}

/* Lane 0 represents the warp. */
static void
products (CuredObserver *observer, void *data, CuredWarp *warp, uint32_t mask, int left)
{
  group_copies (observer, data, warp, 1, COPY_PRODUCT, left);
}

static void
block_end (CuredObserver *observer, void *data, CuredBlock *block)
{
  RaceDetector *self = (RaceDetector *) observer;
  RaceState *state = data;

  if (state->races == NULL)
    return;
  if (g_atomic_int_get (&observer->grid->stop) == CURED_END_DONE)
    for (uint32_t w = 0; w < block->n_warps; w++)
      _cured_race_report_copies (self, state->races, block, w);
  if (g_atomic_int_get (&observer->grid->stop) == CURED_END_DONE)
    _cured_race_report_remotes (self, state->races, block);
  _cured_block_order_end (state->races->order);
  g_mutex_lock (&self->mutex);
  g_ptr_array_add (self->spares, g_steal_pointer (&state->races));
  g_mutex_unlock (&self->mutex);
}

static void
free_block_races (gpointer data)
{
  RaceBlock *races = data;

  _cured_block_order_free (races->order);
  for (uint32_t i = 0; i < races->n_pages; i++)
    _cured_race_page_clear (&races->pages[i]);
  for (uint32_t w = 0; w < CURED_ORDER_WARPS; w++)
    g_clear_pointer (&races->copies[w], g_array_unref);
  g_free (races->pages);
  g_free (races->dirty);
  g_free (races->postponed);
  g_free (races->postponed_words);
  g_free (races->values);
  g_free (races->cells);
  g_free (races->reads);
  g_free (races->locks);
  g_free (races->met);
  g_clear_pointer (&races->remotes, g_array_unref);
  g_free (races);
}

static void
race_detector_free (CuredObserver *observer)
{
  RaceDetector *self = (RaceDetector *) observer;

  for (uint32_t i = 0; i < self->n_regions; i++)
    g_clear_pointer (&self->regions[i], _cured_race_region_free);
  g_free (self->regions);
  g_free (self->is_written);
  g_ptr_array_unref (self->spares);
  g_array_unref (self->blocks);
  g_hash_table_unref (self->loose);
  _cured_order_free (self->order);
  g_mutex_clear (&self->mutex);
  g_free (self->flags);
  g_free (self->roles);
  g_free (self);
}

static const CuredObserverClass klass = {
  .name = "races",
  .state_size = sizeof (RaceState),
  .block_begin = block_begin,
  .access = watch_access,
  .get_telling = get_telling,
  .barrier = barrier,
  .arrive = arrive,
  .cluster_arrive = cluster_arrive,
  .cluster_done = cluster_done,
  .cluster_wait = cluster_wait,
  .warp_sync = warp_sync,
  .fence = fence,
  .copies = copies,
  .bulk_copies = bulk_copies,
  .products = products,
  .block_end = block_end,
  .free = race_detector_free,
};

/* Makes the observer that detects races in shared and global memory.
 *
 * @grid: regions of its memory must not change any more
 *
 * Returns: (transfer full): its class's free frees it */
CuredObserver *
_cured_race_detector_new (CuredPtxGrid *grid)
{
  const CuredPtxModule *module = grid->module;
  const GPtrArray *regions = grid->memory->regions;
  RaceDetector *self = g_new0 (RaceDetector, 1);
  gsize shared_bytes = grid->launch->shared_bytes;

  self->parent.klass = &klass;
  self->parent.grid = grid;
  self->order = _cured_order_new ();
  g_mutex_init (&self->mutex);
  self->blocks = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->spares = g_ptr_array_new_with_free_func (free_block_races);
  self->loose = _cured_race_loose_new ();
  if (grid->entry != NULL)
    shared_bytes += grid->entry->shared_bytes;
  self->n_shared_pages = (uint32_t) (shared_bytes / PAGE_BYTES + 1);

  self->n_regions = grid->memory->next_index;
  self->regions = g_new0 (RaceRegion *, self->n_regions + 1);
  self->is_written = g_new0 (bool, self->n_regions + 1);
  self->is_reach_certain = _cured_race_find_written (grid, self->is_written);
  CURED_EACH_POINTER (const CuredRegion, region, regions)
    {
      if (!region->is_constant && self->is_written[region->index])
        self->regions[region->index] = _cured_race_region_new (region->size);
    }

  self->is_clustered = grid->cluster[0] * grid->cluster[1] * grid->cluster[2] > 1;
  self->flags = g_new0 (uint8_t, module->n_code + 1);
  self->roles = g_new0 (uint8_t, module->n_code + 1);
  _cured_race_classify_sites (module, self->is_clustered, self->flags, self->roles);
  self->is_weak = true;
  for (guint i = 0; i < module->n_code; i++)
    {
      self->is_weak = self->is_weak && self->roles[i] == 0 && self->flags[i] == 0;
      self->has_locks = self->has_locks || (self->roles[i] & ROLE_LOCKS) != 0;
      self->has_bulk = self->has_bulk || _cured_race_is_bulk (&module->code[i]) ||
                       _cured_ptx_is_wgmma (module->code[i].op);
      self->has_copies = self->has_copies || module->code[i].op == CURED_PTX_OP_cp_async;
    }
  self->is_weak = self->is_weak && !self->has_bulk;
  return &self->parent;
}
