/* SPDX-License-Identifier: MIT
 * Observer: memory requests of each instruction. */
#include <string.h>

#include "ptx/cured-bank-kind-internal.h"
#include "ptx/machine/cured-warp-private.h"

#define SECTOR_BYTES 32
#define LINE_BYTES   128

/* Size of a host thread's table of accesses, by shape and phase: those of a loop usually differ by
 * a common offset of all lanes, and cost the same if they have the same offset in a line. */
#define N_KNOWN 4096

typedef struct
{
  uint64_t shape; /* CuredAccess.shape; 0: see the distances */
  uint32_t what;  /* the kind, or GLOBAL, and the width */
  uint32_t mask;
  uint32_t phase; /* position of the first lane, as far as it affects the cost */
  uint32_t wavefronts, least, sectors, lines, partial;
} Known;

/* Distances are stored separately, since few accesses have no shape. */
typedef struct
{
  Known known[N_KNOWN];
  uint32_t distances[N_KNOWN][CURED_WARP_LANES]; /* from the first lane to each one */
} KnownTable;

/* The bank model has no rule for the instruction. */
#define NO_KIND 255

/* Used in place of a kind for global memory, which has no banks. */
#define GLOBAL 254

typedef struct
{
  CuredObserver observer;
  CuredBankArch arch;
  uint8_t *kinds; /* CuredBankKind by site: for the block's own memory, and for another block's */
} Counter;

/* ---- Counting ---- */

static CuredBankCounts
count_turns (const Counter *self, const CuredAccess *access)
{
  uint8_t kind = self->kinds[access->inst->site * 2 + (access->owner != NULL)];
  CuredBankAccess bank = { .arch = self->arch, .width = access->width * 8, .mask = access->mask };
  CuredBankCounts counts = { 0 };

  if (kind == NO_KIND)
    return counts;
  bank.kind = (CuredBankKind) kind;
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    bank.addresses[l] = (uint32_t) access->address[l];
  cured_bank_model_count (&bank, &counts);
  return counts;
}

static void
count_banks (const Counter *self, const CuredAccess *access, Known *known)
{
  CuredBankCounts counts = count_turns (self, access);

  known->wavefronts = counts.wavefronts;
  known->least = counts.least;
}

/* Moves the distinct @values, an entry per lane of @mask, to the front; returns their number,
 * and sets @times[i] to the number of occurrences of each. */
static uint32_t
find_distinct (uint32_t mask, uint64_t *values, uint32_t *times)
{
  uint32_t n = 0;
  uint64_t highest = 0;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      uint64_t value = values[__builtin_ctz (left)];
      uint32_t i = value > highest ? 0 : n;

      highest = MAX (highest, value);
      /* Usually it is the preceding one. */
      while (i > 0 && values[i - 1] != value)
        i--;
      if (i == 0)
        {
          values[n] = value;
          times[n++] = 1;
        }
      else
        times[i - 1]++;
    }
  return n;
}

static uint32_t
count_distinct_lines (const CuredAccess *access)
{
  uint64_t values[CURED_WARP_LANES];
  uint32_t times[CURED_WARP_LANES];

  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    values[l] = access->address[l] / LINE_BYTES;
  return find_distinct (access->mask, values, times);
}

/* The greatest number of distinct words in one of L1's banks, of an access to global memory. A
 * lane's words are in different banks. */
static uint32_t
count_bank_words (const CuredAccess *access)
{
  uint64_t words[CURED_WARP_LANES][CURED_WARP_LANES];
  uint32_t n[CURED_WARP_LANES] = { 0 }, most = 0;

  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint64_t first = access->address[__builtin_ctz (left)] / 4;

      for (uint64_t word = first; word <= first + (access->width - 1) / 4; word++)
        {
          uint32_t bank = (uint32_t) (word % CURED_WARP_LANES), i = n[bank];

          while (i > 0 && words[bank][i - 1] != word)
            i--;
          if (i > 0)
            continue;
          words[bank][n[bank]++] = word;
          most = MAX (most, n[bank]);
        }
    }
  return most;
}

/* Turns of L1 that an access to global memory takes: each serves one word per bank, from at most
 * two lines (docs/explain.md). */
static uint64_t
get_turns (uint64_t lines, uint64_t bank_words)
{
  return MAX ((lines + 1) / 2, bank_words);
}

/* Accesses are aligned and have at most 16 bytes, so each lane accesses one sector. */
static void
count_sectors (const CuredAccess *access, Known *known)
{
  uint64_t values[CURED_WARP_LANES];
  uint32_t times[CURED_WARP_LANES];

  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    values[l] = access->address[l] / SECTOR_BYTES;
  known->sectors = find_distinct (access->mask, values, times);
  known->partial = 0;
  for (uint32_t i = 0; i < known->sectors; i++)
    known->partial += times[i] * access->width < SECTOR_BYTES;
  known->lines = (uint32_t) get_turns (count_distinct_lines (access), count_bank_words (access));
}

/* A cp.async whose lanes read different numbers of bytes, in one group per number: one request,
 * which reads each sector once (measured: docs/banks.md). */
typedef struct
{
  uint32_t n;
  uint64_t words[CURED_WARP_LANES * 4]; /* distinct */
  uint32_t sectors;                     /* number of distinct sectors */
  uint32_t lines;
} Mixed;

static uint32_t
count_pieces (const Mixed *self, uint32_t words)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < self->n; i++)
    {
      uint32_t k = 0;

      while (self->words[k] / words != self->words[i] / words)
        k++;
      n += k == i;
    }
  return n;
}

/* Sets the cost that the group of @access adds to that of earlier groups. */
static void
count_mixed (CuredTally *tally, const CuredAccess *access, Known *known)
{
  uint32_t in_bank[CURED_WARP_LANES] = { 0 }, most = 0;

  if (tally->mixed == NULL)
    tally->mixed = g_new0 (Mixed, 1);
  Mixed *self = tally->mixed;
  if (tally->copying == NULL)
    *self = (Mixed){ .n = 0 };
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint64_t from = access->address[__builtin_ctz (left)];

      for (uint64_t word = from / 4; word <= (from + access->width - 1) / 4; word++)
        {
          uint32_t i = 0;

          while (i < self->n && self->words[i] != word)
            i++;
          if (i == self->n && i < G_N_ELEMENTS (self->words))
            self->words[self->n++] = word;
        }
    }
  for (uint32_t i = 0; i < self->n; i++)
    most = MAX (most, ++in_bank[self->words[i] % CURED_WARP_LANES]);
  known->partial = 0;
  known->sectors = count_pieces (self, SECTOR_BYTES / 4) - self->sectors;
  known->lines = (uint32_t) get_turns (count_pieces (self, LINE_BYTES / 4), most) - self->lines;
  self->sectors += known->sectors;
  self->lines += known->lines;
}

/* ---- Atomic operations ---- */

/* Atomics that find no free entry within a few steps are not counted: frequent ones come early. */
static void
add_hot (CuredWarp *warp, uint64_t address, uint32_t n)
{
  CuredTally *tally = warp->block->tally;
  uint64_t block = warp->block->index;
  uint64_t at = (address >> 2) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 52;

  if (tally->hot == NULL)
    tally->hot = g_new0 (CuredHotAddress, CURED_N_HOT);
  for (uint32_t step = 0; step < 8; step++)
    {
      CuredHotAddress *hot = &tally->hot[(at + step) % CURED_N_HOT];

      if (hot->address == 0)
        *hot = (CuredHotAddress){ .address = address, .block = block };
      if (hot->address != address)
        continue;
      hot->count += n;
      hot->is_shared |= hot->block != block;
      return;
    }
}

static void
count_atomic (CuredWarp *warp, const CuredAccess *access, CuredSiteCounts *counts)
{
  uint64_t values[CURED_WARP_LANES];
  uint32_t times[CURED_WARP_LANES];

  memcpy (values, access->address, sizeof values);
  uint32_t n = find_distinct (access->mask, values, times);
  counts->addresses += n;
  for (uint32_t i = 0; i < n; i++)
    add_hot (warp, values[i], times[i]);
}

/* ---- Local and constant memory ---- */

/* Local memory is interleaved by words: one word of all lanes is 128 bytes. */
static uint32_t
count_local_sectors (const CuredAccess *access)
{
  uint32_t lanes = (uint32_t) __builtin_popcount (access->mask);

  if (access->pattern != CURED_PATTERN_SAME)
    for (unsigned l = 1; l < CURED_WARP_LANES; l++)
      if (access->address[l] != access->address[0])
        return lanes * ((access->width + 3) / 4);
  return (lanes * access->width + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

static void
counter_constant (CuredObserver *observer, void *state, CuredWarp *warp, const CuredAccess *access)
{
  uint64_t values[CURED_WARP_LANES];
  uint32_t times[CURED_WARP_LANES];

  if (warp->counts == NULL)
    return;
  CuredSiteCounts *counts = &warp->counts[access->inst->site];
  memcpy (values, access->address, sizeof values);
  counts->constants++;
  counts->addresses +=
      access->pattern == CURED_PATTERN_SAME ? 1 : find_distinct (access->mask, values, times);
}

/* ---- Global and shared memory ---- */

/* Sets the distances of @known; FALSE: one is out of range. */
static inline bool
set_distances (const CuredAccess *access, uint64_t first, uint32_t *distance)
{
  uint64_t high = 0;

  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    {
      uint64_t d = access->address[l] - first;

      high |= d + 0x80000000u;
      distance[l] = (uint32_t) d;
    }
  return high >> 32 == 0;
}

static void
add_sectors (CuredWarp *warp, const CuredAccess *access, uint64_t sectors, CuredSiteCounts *counts)
{
  const CuredRegion *region = access->region;

  if (region == NULL)
    region = _cured_memory_find (warp->block->grid->memory,
                                 access->address[__builtin_ctz (access->mask)]);
  counts->sectors += sectors;
  if (region == NULL)
    return;
  if (access->kind == CURED_ACCESS_LOAD)
    warp->block->tally->regions[region->index].read += sectors;
  else
    warp->block->tally->regions[region->index].written += sectors;
}

static void
counter_sent (CuredObserver *observer, void *state, CuredWarp *warp, const CuredAccess *access)
{
  const Counter *self = (const Counter *) observer;
  bool is_shared = access->space == CURED_SPACE_SHARED;
  uint64_t first = access->address[__builtin_ctz (access->mask)];
  Known fresh;
  bool is_mixed = false;

  if (warp->counts == NULL)
    return;
  CuredSiteCounts *counts = &warp->counts[access->inst->site];
  /* Lanes that copy different numbers of bytes are announced in groups, but form one
   * request. */
  if (access->inst->op == CURED_PTX_OP_cp_async)
    {
      CuredTally *tally = warp->block->tally;
      bool is_load = access->kind == CURED_ACCESS_LOAD;

      counts->requests += !is_load || tally->copying != warp;
      is_mixed = is_load && tally->is_mixed;
      if (tally->copying != warp)
        tally->copying = NULL;
      if (is_mixed)
        count_mixed (tally, access, &fresh);
      tally->copying = is_load ? warp : NULL;
    }
  else
    counts->requests++;
  if (access->space == CURED_SPACE_LOCAL)
    {
      counts->local_requests++;
      counts->local_sectors += count_local_sectors (access);
      return;
    }
  if (is_shared)
    counts->shared_requests++;
  else if (access->kind == CURED_ACCESS_ATOMIC || access->kind == CURED_ACCESS_REDUCTION)
    count_atomic (warp, access, counts);

  if (access->owner != NULL)
    {
      CuredBankCounts turns =
          access->bulk == NULL ? count_turns (self, access) : (CuredBankCounts){ 0 };

      counts->remote += turns.wavefronts;
      counts->remote_least += turns.least;
      if (access->kind == CURED_ACCESS_LOAD && access->bulk == NULL)
        counts->remote_requests += count_distinct_lines (access);
      return;
    }
  if (access->bulk != NULL && access->bulk->wavefronts > 0)
    {
      counts->wavefronts += access->bulk->wavefronts;
      counts->least += access->bulk->wavefronts;
      return;
    }

  if (is_mixed)
    {
      counts->lines += fresh.lines;
      add_sectors (warp, access, fresh.sectors, counts);
      return;
    }

  /* Fast paths: neighbouring words, and one word for all lanes. */
  if (is_shared && access->width <= 4 && access->pattern != CURED_PATTERN_ANY &&
      self->arch == CURED_BANK_ARCH_5 &&
      (access->kind == CURED_ACCESS_LOAD || access->kind == CURED_ACCESS_STORE))
    {
      counts->wavefronts++;
      counts->least++;
      return;
    }
  if (!is_shared && access->pattern == CURED_PATTERN_CONTIGUOUS)
    {
      uint64_t last = first + CURED_WARP_LANES * (uint64_t) access->width - 1;
      uint64_t sectors = last / SECTOR_BYTES - first / SECTOR_BYTES + 1;

      if (access->kind == CURED_ACCESS_STORE)
        counts->partial += sectors == 1
                               ? last - first + 1 < SECTOR_BYTES
                               : (first % SECTOR_BYTES != 0) + ((last + 1) % SECTOR_BYTES != 0);
      counts->lines += get_turns (last / LINE_BYTES - first / LINE_BYTES + 1,
                                  MAX (CURED_WARP_LANES * access->width / LINE_BYTES, 1));
      add_sectors (warp, access, sectors, counts);
      return;
    }
  if (!is_shared && access->pattern == CURED_PATTERN_SAME)
    {
      counts->partial += access->kind == CURED_ACCESS_STORE;
      counts->lines++;
      add_sectors (warp, access, 1, counts);
      return;
    }

  /* Banks repeat after 128 bytes; those of 3.x after 256. With banks of 4 bytes, an offset in words
   * does not matter. */
  uint32_t phase = (uint32_t) (!is_shared                        ? first % LINE_BYTES
                               : self->arch == CURED_BANK_ARCH_5 ? first % 4
                                                                 : first % 256);
  if (warp->block->tally->learned.known == NULL)
    warp->block->tally->learned.known = g_new0 (KnownTable, 1);
  KnownTable *table = warp->block->tally->learned.known;
  uint32_t what = (is_shared ? self->kinds[access->inst->site * 2] : GLOBAL) | access->width << 8;
  uint64_t at = (what * 37 + phase / 4 + access->shape * 101) % N_KNOWN;
  Known *known = &table->known[at];
  bool is_known = known->what == what && known->phase == phase && known->shape == access->shape;
  if (access->shape == 0)
    {
      uint32_t distance[CURED_WARP_LANES];
      gsize bytes = sizeof distance;

      if (!set_distances (access, first, distance))
        known = &fresh;
      is_known = is_known && known != &fresh && known->mask == access->mask &&
                 memcmp (table->distances[at], distance, bytes) == 0;
      if (!is_known && known != &fresh)
        memcpy (table->distances[at], distance, bytes);
    }
  if (!is_known)
    {
      known->shape = access->shape;
      known->what = what;
      known->mask = access->mask;
      known->phase = phase;
      if (is_shared)
        count_banks (self, access, known);
      else
        count_sectors (access, known);
    }
  if (is_shared)
    {
      counts->wavefronts += known->wavefronts;
      counts->least += known->least;
    }
  else
    {
      if (access->kind == CURED_ACCESS_STORE)
        counts->partial += known->partial;
      counts->lines += known->lines;
      add_sectors (warp, access, known->sectors, counts);
    }
}

static void
counter_access (CuredObserver *observer, void *state, CuredWarp *warp, const CuredAccess *access)
{
  if (!_cured_bank_kind_is_sent (access->inst))
    counter_sent (observer, state, warp, access);
}

/* The accesses that have fast paths. */
static CuredTelling
get_telling (const CuredObserver *observer, const CuredPtxInst *inst)
{
  const Counter *self = (const Counter *) observer;

  return inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_SHARED ||
                 (_cured_ptx_types[inst->types[0]].bytes <= 4 && self->arch == CURED_BANK_ARCH_5)
             ? CURED_TELL_LATER
             : CURED_TELL_ALL;
}

static void
counter_free (CuredObserver *observer)
{
  g_free (((Counter *) observer)->kinds);
  g_free (observer);
}

static const CuredObserverClass counter_class = {
  .name = "counter",
  .access = counter_access,
  .sent = counter_sent,
  .get_telling = get_telling,
  .constant = counter_constant,
  .free = counter_free,
};

/* Counts requests, wavefronts and sectors into the warps' counts.
 *
 * Returns: (transfer full): */
CuredObserver *
_cured_counter_new (CuredPtxGrid *grid)
{
  Counter *self = g_new0 (Counter, 1);

  self->observer.klass = &counter_class;
  self->observer.grid = grid;
  self->arch = grid->launch->bank_arch;
  self->kinds = g_new (uint8_t, MAX (grid->module->n_code * 2, 1));
  for (guint site = 0; site < grid->module->n_code; site++)
    {
      CuredBankKind kind;

      self->kinds[site * 2] =
          _cured_bank_kind_find (grid->module, site, &kind) ? (uint8_t) kind : NO_KIND;
      self->kinds[site * 2 + 1] =
          _cured_bank_kind_find_remote (grid->module, site, &kind) ? (uint8_t) kind : NO_KIND;
    }
  return &self->observer;
}
