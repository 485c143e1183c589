/* SPDX-License-Identifier: MIT
 * Observer: what a block loads again, and what another one loaded before. */
#include "ptx/machine/cured-warp-private.h"

#define SECTOR_BYTES 32
#define LINE_SECTORS 4

/* Addresses have fewer bits; above these in a sector's number is a pair's. */
#define SECTOR_BITS 46

/* Lines that are remembered at first. */
#define FIRST_CAPACITY 1024

/* A set of lines, each with a bit per sector in the lowest four. Line 0 is nobody's. */
typedef struct
{
  uint64_t *lines;
  gsize capacity; /* a power of two; 0: nothing was loaded yet */
  gsize n;
} State;

typedef struct
{
  CuredObserver observer;
  bool is_as_chip; /* one host thread runs all blocks */
  State all;       /* what any block loaded */
  State pairs;     /* likewise of two blocks that follow each other */
} Reuse;

static uint64_t *
find_line (const State *self, uint64_t line)
{
  gsize at = (gsize) (line * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 32) & (self->capacity - 1);

  while (self->lines[at] != 0 && self->lines[at] >> LINE_SECTORS != line)
    at = (at + 1) & (self->capacity - 1);
  return &self->lines[at];
}

static void
grow (State *self)
{
  State larger = { .capacity = MAX (self->capacity * 2, FIRST_CAPACITY), .n = self->n };

  larger.lines = g_new0 (uint64_t, larger.capacity);
  for (gsize i = 0; i < self->capacity; i++)
    if (self->lines[i] != 0)
      *find_line (&larger, self->lines[i] >> LINE_SECTORS) = self->lines[i];
  g_free (self->lines);
  *self = larger;
}

/* Whether the block loads it for the first time. */
static bool
add_sector (State *self, uint64_t sector)
{
  uint64_t line = sector / LINE_SECTORS, bit = UINT64_C (1) << sector % LINE_SECTORS;

  if (self->n * 2 >= self->capacity)
    grow (self);
  uint64_t *place = find_line (self, line);
  if ((*place & bit) != 0)
    return false;
  if (*place == 0)
    self->n++;
  *place |= line << LINE_SECTORS | bit;
  return true;
}

static bool
is_past_l1 (const CuredPtxInst *inst)
{
  CuredPtxWord cache = (CuredPtxWord) inst->words[CURED_PTX_GROUP_CACHE];
  CuredPtxWord order = (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER];

  if (inst->words[CURED_PTX_GROUP_NONCOHERENT] != CURED_PTX_NO_WORD)
    return false;
  return cache == CURED_PTX_CACHE_CG || cache == CURED_PTX_CACHE_CV ||
         (order != CURED_PTX_NO_WORD && order != CURED_PTX_ORDER_WEAK);
}

static void
reuse_access (CuredObserver *observer, void *state, CuredWarp *warp, const CuredAccess *access)
{
  Reuse *self = (Reuse *) observer;
  const CuredRegion *region = access->region;
  bool is_past = is_past_l1 (access->inst);
  uint64_t last = UINT64_MAX;
  CuredTally *tally = warp->block->tally;

  if (access->space != CURED_SPACE_GLOBAL || access->kind != CURED_ACCESS_LOAD)
    return;
  if (region == NULL)
    region = _cured_memory_find (warp->block->grid->memory,
                                 access->address[__builtin_ctz (access->mask)]);
  if (region == NULL)
    return;
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint64_t sector = access->address[__builtin_ctz (left)] / SECTOR_BYTES;

      /* Neighbours mostly share one. */
      if (sector == last)
        continue;
      last = sector;
      if (!self->is_as_chip)
        tally->regions[region->index].once += is_past || add_sector (state, sector);
      else if (add_sector (state, sector))
        {
          tally->regions[region->index].by_block++;
          tally->regions[region->index].by_all += add_sector (&self->all, sector);
          tally->regions[region->index].by_pair +=
              add_sector (&self->pairs, warp->block->index / 2 << SECTOR_BITS | sector);
        }
      if (access->pattern == CURED_PATTERN_SAME)
        return;
    }
}

static void
reuse_block_end (CuredObserver *observer, void *state, CuredBlock *block)
{
  g_free (((State *) state)->lines);
}

static void
reuse_free (CuredObserver *observer)
{
  g_free (((Reuse *) observer)->all.lines);
  g_free (((Reuse *) observer)->pairs.lines);
  g_free (observer);
}

static const CuredObserverClass reuse_class = {
  .name = "reuse",
  .state_size = sizeof (State),
  .access = reuse_access,
  .block_end = reuse_block_end,
  .free = reuse_free,
};

/* Counts, by allocation, the sectors that each block loads for the first time; of blocks in the
 * order of a chip, also those that no other one has loaded, and those that the other one of two has
 * not.
 *
 * Returns: (transfer full): */
CuredObserver *
_cured_reuse_new (CuredPtxGrid *grid)
{
  Reuse *self = g_new0 (Reuse, 1);

  self->observer.klass = &reuse_class;
  self->observer.grid = grid;
  self->is_as_chip = grid->launch->resident_blocks > 0;
  return &self->observer;
}
