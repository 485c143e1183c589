/* SPDX-License-Identifier: MIT
 * Observer: what each instruction asks of shared and global memory. */
#include "config.h"

#include <string.h>

#include "ptx/cured-warp-private.h"

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

typedef struct
{
  CuredObserver observer;
  CuredBankArch arch;
} Counter;

/* ---- What the bank model calls it ---- */

static bool
is_constant_one (const CuredWarp *warp, const CuredPtxOperand *x)
{
  return x->base == CURED_BASE_CONSTANTS && x->width == 4 &&
         *(const uint32_t *) (const void *) (warp->bases[x->base] +
                                             x->offset) == 1;
}

/* The kind of an atom or red. Measured were red on 32-bit integers, atom.add
 * and atom.min with a used result, and exchanges; the other operations on
 * 32-bit integers are taken to be like these. Compare and swap, and what is
 * made of it (floats, 64 bits), the model does not have. */
static bool
get_atomic_kind (const CuredWarp *warp,
                 const CuredAccess *access,
                 CuredBankKind *kind)
{
  const CuredPtxInst *inst = access->inst;
  bool is_red = inst->op == CURED_PTX_OP_red;

  switch (inst->words[CURED_PTX_GROUP_OPERATION])
    {
    case CURED_PTX_OPERATION_EXCH:
      *kind = CURED_BANK_KIND_EXCHANGE;
      return true;
    case CURED_PTX_OPERATION_INC:
      *kind = access->kind == CURED_ACCESS_ATOMIC ? CURED_BANK_KIND_ATOMIC
              : is_red && is_constant_one (warp, &inst->x[1])
                  ? CURED_BANK_KIND_INCREMENT
                  : CURED_BANK_KIND_REDUCTION;
      return true;
    case CURED_PTX_OPERATION_ADD:
    case CURED_PTX_OPERATION_MIN:
    case CURED_PTX_OPERATION_MAX:
    case CURED_PTX_OPERATION_AND:
    case CURED_PTX_OPERATION_OR:
    case CURED_PTX_OPERATION_XOR:
    case CURED_PTX_OPERATION_DEC:
      *kind = access->kind == CURED_ACCESS_ATOMIC ? CURED_BANK_KIND_ATOMIC
                                                  : CURED_BANK_KIND_REDUCTION;
      return inst->types[0] == CURED_PTX_U32 ||
             inst->types[0] == CURED_PTX_S32 || inst->types[0] == CURED_PTX_B32;
    default:
      return false;
    }
}

/* FALSE: the model has no such access. */
static bool
get_bank_kind (const CuredWarp *warp,
               const CuredAccess *access,
               CuredBankKind *kind)
{
  CuredPtxWord matrices =
      (CuredPtxWord) access->inst->words[CURED_PTX_GROUP_MATRICES];
  bool is_load = access->kind == CURED_ACCESS_LDMATRIX;

  switch (access->kind)
    {
    case CURED_ACCESS_LOAD:
      *kind = CURED_BANK_KIND_LOAD;
      return true;
    case CURED_ACCESS_STORE:
      *kind = CURED_BANK_KIND_STORE;
      return true;
    case CURED_ACCESS_ATOMIC:
    case CURED_ACCESS_REDUCTION:
      return get_atomic_kind (warp, access, kind);
    case CURED_ACCESS_LDMATRIX:
    case CURED_ACCESS_STMATRIX:
      if (matrices == CURED_PTX_MATRICES_X1)
        *kind =
            is_load ? CURED_BANK_KIND_LDMATRIX_X1 : CURED_BANK_KIND_STMATRIX_X1;
      else if (matrices == CURED_PTX_MATRICES_X2)
        *kind =
            is_load ? CURED_BANK_KIND_LDMATRIX_X2 : CURED_BANK_KIND_STMATRIX_X2;
      else
        *kind =
            is_load ? CURED_BANK_KIND_LDMATRIX_X4 : CURED_BANK_KIND_STMATRIX_X4;
      return true;
    case CURED_ACCESS_COPY:
      /* What goes past the L1 cache leaves no trace in the counters. */
      *kind = CURED_BANK_KIND_COPY;
      return access->inst->words[CURED_PTX_GROUP_CACHE] == CURED_PTX_CACHE_CA;
    default:
      return false;
    }
}

/* ---- Counting ---- */

static void
count_banks (const Counter *self,
             const CuredWarp *warp,
             const CuredAccess *access,
             Known *known)
{
  CuredBankAccess bank = { .arch = self->arch,
                           .width = access->width * 8,
                           .mask = access->mask };
  CuredBankCounts counts;

  known->wavefronts = 0;
  known->least = 0;
  if (!get_bank_kind (warp, access, &bank.kind))
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
        count_banks (self, warp, access, known);
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
_cured_counter_new (CuredGrid *grid)
{
  Counter *self = g_new0 (Counter, 1);

  self->observer.klass = &counter_class;
  self->observer.grid = grid;
  self->arch = grid->launch->bank_arch;
  return &self->observer;
}
