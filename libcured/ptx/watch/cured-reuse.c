/* SPDX-License-Identifier: MIT
 * Observer: data that a block loads again, or that another one loaded before. */
#include "ptx/machine/cured-warp-private.h"

#define SECTOR_BYTES 32
#define LINE_SECTORS 4

/* Addresses have fewer bits; higher bits of a line's number hold the number of a pair of blocks. */
#define PAIR_SHIFT 44

/* Initial capacity for lines. */
#define FIRST_CAPACITY 1024

/* A set of lines, each with a bit per sector in the lowest four. Line 0 is not used. */
typedef struct
{
  uint64_t *lines;
  gsize capacity; /* a power of two; 0: nothing loaded yet */
  gsize n;
} State;

typedef struct
{
  CuredObserver observer;
  bool is_as_chip; /* one host thread runs all blocks */
  State all;       /* lines loaded by any block */
  State pairs;     /* likewise by two consecutive blocks */
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

/* Adds the sectors of mask @sectors of a line; returns the mask of new ones. */
static uint32_t
add_sectors (State *self, uint64_t line, uint32_t sectors)
{
  if (self->n * 2 >= self->capacity)
    grow (self);
  uint64_t *place = find_line (self, line);
  uint32_t added = sectors & ~(uint32_t) *place;
  self->n += *place == 0;
  *place |= line << LINE_SECTORS | sectors;
  return added;
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

/* The block loads @sectors of a line. */
static void
load_line (Reuse *self, State *state, const CuredBlock *block, const CuredRegion *region,
           uint64_t line, uint32_t sectors)
{
  CuredTally *tally = block->tally;

  sectors = add_sectors (state, line, sectors);
  if (!self->is_as_chip)
    tally->regions[region->index].once += (uint32_t) __builtin_popcount (sectors);
  else if (sectors != 0)
    {
      uint32_t of_all = add_sectors (&self->all, line, sectors);
      uint32_t of_pair = add_sectors (&self->pairs, block->index / 2 << PAIR_SHIFT | line, sectors);

      tally->regions[region->index].by_block += (uint32_t) __builtin_popcount (sectors);
      tally->regions[region->index].by_all += (uint32_t) __builtin_popcount (of_all);
      tally->regions[region->index].by_pair += (uint32_t) __builtin_popcount (of_pair);
    }
}

static void
reuse_access (CuredObserver *observer, void *state, CuredWarp *warp, const CuredAccess *access)
{
  Reuse *self = (Reuse *) observer;
  const CuredRegion *region = access->region;
  uint64_t last = UINT64_MAX, line = UINT64_MAX;
  uint32_t sectors = 0, changes = 0;

  if (access->space != CURED_SPACE_GLOBAL || access->kind != CURED_ACCESS_LOAD)
    return;
  if (region == NULL)
    region = _cured_memory_find (warp->block->grid->memory,
                                 access->address[__builtin_ctz (access->mask)]);
  if (region == NULL)
    return;
  bool is_past = !self->is_as_chip && is_past_l1 (access->inst);
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint64_t sector =
          cured_access_get_address (access, (unsigned) __builtin_ctz (left)) / SECTOR_BYTES;

      /* Adjacent lanes usually share one. */
      if (sector == last)
        continue;
      last = sector;
      changes++;
      if (sector / LINE_SECTORS != line && sectors != 0 && !is_past)
        {
          load_line (self, state, warp->block, region, line, sectors);
          sectors = 0;
        }
      line = sector / LINE_SECTORS;
      sectors |= 1u << sector % LINE_SECTORS;
      if (access->pattern == CURED_PATTERN_SAME)
        break;
    }
  if (is_past)
    warp->block->tally->regions[region->index].once += changes;
  else
    load_line (self, state, warp->block, region, line, sectors);
}

/* The other addresses follow from the first one. */
static CuredTelling
get_telling (const CuredObserver *observer, const CuredPtxInst *inst)
{
  return CURED_TELL_LATER;
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
  .get_telling = get_telling,
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
