/* SPDX-License-Identifier: MIT
 * Observer: reads of unwritten memory.
 *
 * Shared and local memory have a bit per byte, set once the byte was written. So have buffers of
 * global memory that begin without contents; blocks on several threads share those, and change them
 * with atomic operations. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "ptx/machine/cured-warp-private.h"

typedef struct
{
  CuredObserver observer;
  CuredObserverClass klass; /* state_size depends on the launch */
  gsize shared_bytes;
} Undefined;

/* State of a block's shared memory. */
typedef struct
{
  uint32_t n_asked;
  bool is_full; /* all of it was written */
  uint8_t bits[];
} State;

/* Number of reads between checks whether everything was written. */
#define ASK_EVERY 64

/* ---- Bits of one thread ---- */

static inline uint64_t
ones (uint32_t n)
{
  return n >= 64 ? UINT64_MAX : (UINT64_C (1) << n) - 1;
}

/* Whether all of the @n bits from @first on are set; 1 to 16 of them. */
static inline bool
are_set (const uint8_t *bits, uint64_t first, uint32_t n)
{
  uint32_t shift = (uint32_t) (first % 8), wanted = (uint32_t) ones (n) << shift;
  uint32_t found = bits[first / 8];

  for (uint32_t i = 1; i * 8 < shift + n; i++)
    found |= (uint32_t) bits[first / 8 + i] << i * 8;
  return (found & wanted) == wanted;
}

static inline void
set_bits (uint8_t *bits, uint64_t first, uint32_t n)
{
  uint32_t shift = (uint32_t) (first % 8), wanted = (uint32_t) ones (n) << shift;

  for (uint32_t i = 0; i * 8 < shift + n; i++)
    bits[first / 8 + i] |= (uint8_t) (wanted >> i * 8);
}

/* All bits of a contiguous access of the warp, in whole bytes of bits. */
static inline bool
are_all_set (const uint8_t *bits, uint64_t first, uint32_t n)
{
  uint32_t shift = (uint32_t) (first % 8);
  uint8_t all = 0xff;

  bits += first / 8;
  if (shift != 0)
    {
      n -= 8;
      all = bits[0] | (uint8_t) ones (shift);
      all &= bits[n / 8 + 1] | (uint8_t) ~ones (shift);
      bits++;
    }
  for (uint32_t i = 0; i < n / 8; i++)
    all &= bits[i];
  return all == 0xff;
}

static inline void
set_all_bits (uint8_t *bits, uint64_t first, uint32_t n)
{
  uint32_t shift = (uint32_t) (first % 8);

  bits += first / 8;
  if (shift != 0)
    {
      n -= 8;
      bits[0] |= (uint8_t) ~ones (shift);
      bits[n / 8 + 1] |= (uint8_t) ones (shift);
      bits++;
    }
  memset (bits, 0xff, n / 8);
}

/* Whether all bits of the lanes' accesses are set, of which each is in one byte of bits; FALSE,
 * too: they do not. */
static inline bool
are_lanes_set (const uint8_t *bits, const CuredAccess *access)
{
  uint32_t n_lanes = CURED_WARP_LANES >> access->folds;
  uint64_t places = 0, last = UINT64_MAX;
  uint32_t unset = 0;

  for (uint32_t l = 0; l < n_lanes; l++)
    {
      uint64_t first = access->address[l];

      if (first == last)
        continue;
      last = first;
      places |= first;
      unset |= ~((uint32_t) bits[first / 8] >> first % 8);
    }
  return access->width <= 8 && (places & (access->width - 1)) == 0 &&
         (unset & (uint32_t) ones (access->width)) == 0;
}

/* ---- Bits of all threads ---- */

static inline bool
is_any_undefined (const uint8_t *bits, uint64_t first, uint32_t n)
{
  uint32_t shift = (uint32_t) (first % 8), wanted = (uint32_t) ones (n) << shift, found = 0;

  for (uint32_t i = 0; i * 8 < shift + n; i++)
    found |= (uint32_t) __atomic_load_n (&bits[first / 8 + i], __ATOMIC_RELAXED) << i * 8;
  return (found & wanted) != wanted;
}

static inline void
define_bits (uint8_t *bits, uint64_t first, uint32_t n)
{
  uint32_t shift = (uint32_t) (first % 8), wanted = (uint32_t) ones (n) << shift;

  for (uint32_t i = 0; i * 8 < shift + n; i++)
    {
      uint8_t set = (uint8_t) (wanted >> i * 8), *at = &bits[first / 8 + i];

      if ((__atomic_load_n (at, __ATOMIC_RELAXED) & set) != set)
        __atomic_fetch_or (at, set, __ATOMIC_RELAXED);
    }
}

/* Goes through the words of bits that have the @n bits from @first on. */
#define EACH_WORD(bits, first, n, ...)                                                             \
  for (uint64_t at_ = (first), end_ = at_ + (n); at_ < end_;)                                      \
    {                                                                                              \
      uint32_t shift_ = (uint32_t) at_ % 32, n_ = (uint32_t) MIN (32 - shift_, end_ - at_);        \
      uint32_t wanted = (uint32_t) ones (n_) << shift_;                                            \
      uint32_t *word = (uint32_t *) (void *) (bits) + at_ / 32;                                    \
                                                                                                   \
      at_ += n_;                                                                                   \
      __VA_ARGS__;                                                                                 \
    }

static inline bool
is_row_defined (uint8_t *bits, uint64_t first, uint32_t n)
{
  uint32_t missing = 0;

  EACH_WORD (bits, first, n, missing |= wanted & ~__atomic_load_n (word, __ATOMIC_RELAXED));
  return missing == 0;
}

static inline void
define_row (uint8_t *bits, uint64_t first, uint32_t n)
{
  EACH_WORD (bits, first, n,
             if ((wanted & ~__atomic_load_n (word, __ATOMIC_RELAXED)) != 0)
                 __atomic_fetch_or (word, wanted, __ATOMIC_RELAXED));
}

/* ---- Accesses ---- */

/* Atomic operations both read and write, except exchanges. */
static bool
is_reading (CuredAccessKind kind)
{
  return kind == CURED_ACCESS_LOAD || kind == CURED_ACCESS_LDMATRIX ||
         kind == CURED_ACCESS_ATOMIC || kind == CURED_ACCESS_REDUCTION;
}

static bool
is_writing (CuredAccessKind kind)
{
  return kind != CURED_ACCESS_LOAD && kind != CURED_ACCESS_LDMATRIX;
}

/* An exchange does not depend on the old value. */
static bool
is_exchange (const CuredAccess *access)
{
  return access->inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_EXCH &&
         (access->kind == CURED_ACCESS_ATOMIC || access->kind == CURED_ACCESS_REDUCTION);
}

static void
report (CuredObserver *self, CuredWarp *warp, const CuredAccess *access, uint32_t lanes)
{
  CuredWitness here =
      _cured_warp_witness (warp, access->inst, lanes, _cured_access_what (access->kind));
  bool is_global = access->space == CURED_SPACE_GLOBAL;

  _cured_grid_report (
      self->grid, is_global ? CURED_FINDING_UNWRITTEN : CURED_FINDING_UNINITIALIZED, &here, NULL,
      access->space, cured_access_get_address (access, (unsigned) __builtin_ctz (lanes)),
      is_global ? _ ("not all of these %u bytes have been written yet")
                : _ ("not all of these %u bytes have been written in the block yet"),
      access->width);
}

/* Whether a read of shared memory needs no look: all of it was written. */
static inline bool
is_full (const Undefined *self, State *state)
{
  if (!state->is_full && ++state->n_asked % ASK_EVERY == 0)
    state->is_full =
        self->shared_bytes % 8 == 0 && are_all_set (state->bits, 0, (uint32_t) self->shared_bytes);
  return state->is_full;
}

/* @bits: of the memory of all lanes, or of the first lane with @stride bytes of bits to the next */
static void
watch_own (CuredObserver *self, CuredWarp *warp, const CuredAccess *access, uint8_t *bits,
           gsize stride)
{
  uint32_t undefined = 0;

  if (is_reading (access->kind) && !is_exchange (access) &&
      !(access->pattern == CURED_PATTERN_CONTIGUOUS
            ? are_all_set (bits, access->address[0], CURED_WARP_LANES * access->width)
            : stride == 0 && access->pattern == CURED_PATTERN_ANY && are_lanes_set (bits, access)))
    for (uint32_t left = access->mask; left != 0; left &= left - 1)
      {
        unsigned l = (unsigned) __builtin_ctz (left);

        if (!are_set (bits + l * stride, cured_access_get_address (access, l), access->width))
          undefined |= 1u << l;
        if (access->pattern == CURED_PATTERN_SAME)
          {
            undefined = undefined != 0 ? access->mask : 0;
            break;
          }
      }
  if (is_writing (access->kind))
    {
      if (access->pattern == CURED_PATTERN_CONTIGUOUS)
        set_all_bits (bits, access->address[0], CURED_WARP_LANES * access->width);
      else
        for (uint32_t left = access->mask; left != 0; left &= left - 1)
          {
            unsigned l = (unsigned) __builtin_ctz (left);

            set_bits (bits + l * stride, access->address[l], access->width);
            if (access->pattern == CURED_PATTERN_SAME)
              break;
          }
    }
  if (undefined != 0)
    report (self, warp, access, undefined);
}

static void
watch_global (CuredObserver *self, CuredWarp *warp, const CuredAccess *access)
{
  uint32_t undefined = 0;

  if (access->region != NULL && access->region->written == NULL)
    return;
  if (access->region != NULL && access->pattern == CURED_PATTERN_CONTIGUOUS)
    {
      uint64_t first = access->address[0] - access->region->low;
      uint32_t n = CURED_WARP_LANES * access->width;

      if (!is_reading (access->kind) || is_exchange (access) ||
          is_row_defined (access->region->written, first, n))
        {
          if (is_writing (access->kind))
            define_row (access->region->written, first, n);
          return;
        }
    }
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      const CuredRegion *region = access->region;

      if (region == NULL)
        region = _cured_memory_find (self->grid->memory, access->address[l]);
      if (region == NULL || region->written == NULL)
        continue;
      uint64_t offset = cured_access_get_address (access, l) - region->low;
      if (is_reading (access->kind) && !is_exchange (access) &&
          is_any_undefined (region->written, offset, access->width))
        undefined |= 1u << l;
      if (is_writing (access->kind))
        define_bits (region->written, offset, access->width);
    }
  if (undefined != 0)
    report (self, warp, access, undefined);
}

static void
undefined_access (CuredObserver *self, void *state, CuredWarp *warp, const CuredAccess *access)
{
  if (access->space == CURED_SPACE_SHARED)
    {
      State *shared = access->owner != NULL ? access->owner->states[self->index] : state;

      if (is_writing (access->kind) || !is_full ((Undefined *) self, shared))
        watch_own (self, warp, access, shared->bits, 0);
    }
  else if (access->space == CURED_SPACE_LOCAL)
    {
      if (warp->local_defined != NULL)
        watch_own (self, warp, access, warp->local_defined, self->grid->stack_bytes / 8);
    }
  else
    watch_global (self, warp, access);
}

static CuredTelling
get_telling (const CuredObserver *self, const CuredPtxInst *inst)
{
  return CURED_TELL_LATER;
}

/* A handler that does not announce a load checks by itself. */
static void
block_begin (CuredObserver *self, void *state, CuredBlock *block)
{
  block->written = ((State *) state)->bits;
}

static void
undefined_free (CuredObserver *self)
{
  g_free (self);
}

/* Watches for reads of shared and local memory, and of global memory that the host left without
 * contents, before the first write.
 *
 * Returns: (transfer full): */
CuredObserver *
_cured_undefined_detector_new (CuredPtxGrid *grid)
{
  Undefined *self = g_new0 (Undefined, 1);

  self->shared_bytes = grid->entry->shared_bytes + grid->launch->shared_bytes;
  self->klass = (CuredObserverClass){
    .name = "undefined",
    /* One more: bits are looked at in whole bytes. */
    .state_size = sizeof (State) + self->shared_bytes / 8 + 1,
    .access = undefined_access,
    .block_begin = block_begin,
    .get_telling = get_telling,
    .free = undefined_free,
  };
  self->observer.klass = &self->klass;
  self->observer.grid = grid;
  return &self->observer;
}
