/* SPDX-License-Identifier: MIT
 * Observer: what each instruction asks of shared and global memory. */
#include "config.h"

#include <string.h>

#include "ptx/cured-bank-kind-internal.h"
#include "ptx/machine/cured-warp-private.h"

#define SECTOR_BYTES 32

/* Accesses that a block remembers, by instruction: those of a loop mostly
 * differ by one distance in all lanes, and cost the same. */
#define N_KNOWN 64

typedef struct
{
  const CuredPtxInst *inst;
  uint32_t mask;
  uint32_t phase; /* where the first lane is, as far as it matters */
  uint32_t distance[CURED_WARP_LANES]; /* of each lane from the first one */
  uint32_t wavefronts;
  uint32_t least;
  uint32_t sectors;
} Known;

typedef struct
{
  Known known[N_KNOWN];
} State;

/* Of an instruction for which the bank model has no rule. */
#define NO_KIND 255

typedef struct
{
  CuredObserver observer;
  CuredBankArch arch;
  uint8_t *kinds; /* CuredBankKind by site */
} Counter;

/* ---- Counting ---- */

static void
count_banks (const Counter *self, const CuredAccess *access, Known *known)
{
  uint8_t kind = self->kinds[access->inst->site];
  CuredBankAccess bank = { .arch = self->arch,
                           .kind = (CuredBankKind) kind,
                           .width = access->width * 8,
                           .mask = access->mask };
  CuredBankCounts counts;

  known->wavefronts = 0;
  known->least = 0;
  if (kind == NO_KIND)
    return;
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    bank.addresses[l] = (uint32_t) access->address[l];
  if (!cured_bank_model_count (&bank, &counts))
    return;
  known->wavefronts = counts.wavefronts;
  known->least = counts.least;
}

/* Accesses are aligned and no wider than 16 bytes, so a lane has one sector. */
static uint32_t
count_sectors (const CuredAccess *access)
{
  uint64_t sectors[CURED_WARP_LANES];
  uint32_t n = 0;

  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      uint64_t sector = access->address[__builtin_ctz (left)] / SECTOR_BYTES;
      uint32_t i = n;

      /* Mostly it is the one before. */
      while (i > 0 && sectors[i - 1] != sector)
        i--;
      if (i == 0)
        sectors[n++] = sector;
    }
  return n;
}

/* Sets the distances of @known; FALSE: one does not fit. */
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
counter_access (CuredObserver *observer,
                void *state,
                CuredWarp *warp,
                const CuredAccess *access)
{
  const Counter *self = (const Counter *) observer;
  CuredSiteCounts *counts = NULL;
  bool is_shared = access->space == CURED_SPACE_SHARED;
  uint64_t first = access->address[__builtin_ctz (access->mask)];
  Known fresh;
  Known *known = NULL;
  uint32_t phase = 0;
  bool is_known = false;

  if (warp->counts == NULL)
    return;
  counts = &warp->counts[access->inst->site];
  counts->requests++;
  if (access->space == CURED_SPACE_LOCAL)
    return;
  if (is_shared)
    counts->shared_requests++;

  /* Short cuts: neighbours, and one word for all. */
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

      counts->sectors += last / SECTOR_BYTES - first / SECTOR_BYTES + 1;
      return;
    }
  if (!is_shared && access->pattern == CURED_PATTERN_SAME)
    {
      counts->sectors++;
      return;
    }

  /* Banks begin again after 128 bytes; of those of 3.x after 256. A distance
   * in words changes nothing where they are 4 bytes wide. */
  phase = (uint32_t) (!is_shared                        ? first % SECTOR_BYTES
                      : self->arch == CURED_BANK_ARCH_5 ? first % 4
                                                        : first % 256);
  known =
      &((State *) state)->known[(access->inst->site * 2 + is_shared) % N_KNOWN];
  if (set_distances (access, first, fresh.distance))
    is_known =
        known->inst == access->inst && known->mask == access->mask &&
        known->phase == phase &&
        memcmp (known->distance, fresh.distance, sizeof fresh.distance) == 0;
  else
    known = &fresh;
  if (!is_known)
    {
      if (known != &fresh)
        memcpy (known->distance, fresh.distance, sizeof fresh.distance);
      known->inst = access->inst;
      known->mask = access->mask;
      known->phase = phase;
      if (is_shared)
        count_banks (self, access, known);
      else
        known->sectors = count_sectors (access);
    }
  if (is_shared)
    {
      counts->wavefronts += known->wavefronts;
      counts->least += known->least;
    }
  else
    counts->sectors += known->sectors;
}

static void
counter_free (CuredObserver *observer)
{
  g_free (((Counter *) observer)->kinds);
  g_free (observer);
}

static const CuredObserverClass counter_class = {
  .name = "counter",
  .state_size = sizeof (State),
  .access = counter_access,
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
  self->kinds = g_new (uint8_t, MAX (grid->module->n_code, 1));
  for (guint site = 0; site < grid->module->n_code; site++)
    {
      CuredBankKind kind;

      self->kinds[site] = _cured_bank_kind_find (grid->module, site, &kind)
                              ? (uint8_t) kind
                              : NO_KIND;
    }
  return &self->observer;
}
