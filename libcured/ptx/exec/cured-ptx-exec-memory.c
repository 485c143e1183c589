/* SPDX-License-Identifier: MIT
 * Loads, stores and asynchronous copies. */
#include <string.h>

#include "ptx/exec/cured-ptx-exec-private.h"

static bool
is_address (const CuredPtxOperand *x)
{
  return x->width == 4 || x->width == 8;
}

/* ---- Without observers, or if the first address is enough for them ---- */

/* An access, with its addresses. */
typedef struct
{
  CuredSpace space; /* SHARED, GLOBAL or CONST */
  uint32_t width;   /* bytes per lane */
  const void *from;
  uint64_t displacement;
  bool is_narrow; /* 4-byte addresses, not 8 */
} Plain;

static G_ALWAYS_INLINE inline uint64_t
get_plain (const Plain *self, unsigned l)
{
  return self->is_narrow ? ((const uint32_t *) self->from)[l] + (uint32_t) self->displacement
                         : ((const uint64_t *) self->from)[l] + self->displacement;
}

/* Whether the lanes from @from on are each @step after the previous one. */
#define ARE_APART(T, Row, from, step, ...)                                                         \
  G_STMT_START                                                                                     \
  {                                                                                                \
    const T *from_ = (from);                                                                       \
    const Row numbers_ = { __VA_ARGS__ };                                                          \
    Row first_ = numbers_ * (T) (step) + from_[0], unlike_ = { 0 };                                \
                                                                                                   \
    for (unsigned l = 0; l < CURED_WARP_LANES; l += sizeof (Row) / sizeof (T))                     \
      {                                                                                            \
        Row lanes_;                                                                                \
                                                                                                   \
        memcpy (&lanes_, from_ + l, sizeof lanes_);                                                \
        unlike_ |= lanes_ ^ (first_ + l * (T) (step));                                             \
      }                                                                                            \
    return cured_is_zero ((Row64) unlike_);                                                        \
  }                                                                                                \
  G_STMT_END

/* Whether each lane's address is @step after the previous one. */
static G_ALWAYS_INLINE inline bool
are_apart (const Plain *self, uint32_t step)
{
  if (self->is_narrow)
    ARE_APART (uint32_t, Row32, self->from, step, 0, 1, 2, 3, 4, 5, 6, 7);
  else
    ARE_APART (uint64_t, Row64, self->from, step, 0, 1, 2, 3);
}

static G_ALWAYS_INLINE inline uint8_t *
get_bytes (const Plain *self, uintptr_t origin, unsigned l)
{
  return (uint8_t *) (origin + get_plain (self, l));
}

/* Whether the lanes of @mask are aligned, and between @low and @low + @last. */
static G_ALWAYS_INLINE inline bool
are_inside (const Plain *self, uint32_t mask, uint64_t low, uint64_t last)
{
  uint64_t outside = 0, places = 0;

  /* @last is below 2^63, so a set sign bit means "outside". */
  if (mask == CURED_ALL_LANES)
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)
      {
        uint64_t offset = get_plain (self, l) - low;

        outside |= offset | (last - offset);
        places |= offset + low;
      }
  else
    for (; mask != 0; mask &= mask - 1)
      {
        uint64_t offset = get_plain (self, (unsigned) __builtin_ctz (mask)) - low;

        outside |= offset | (last - offset);
        places |= offset + low;
      }
  return outside >> 63 == 0 && (places & (self->width - 1)) == 0;
}

/* Whether all bytes of a load from shared memory were written; @written has a bit per byte. */
static G_ALWAYS_INLINE inline bool
is_written (const uint8_t *written, uint64_t first, CuredPattern pattern)
{
  uint64_t low, high;
  uint32_t shift = (uint32_t) first % 8;

  if (pattern == CURED_PATTERN_SAME)
    return (~((uint32_t) written[first / 8] >> shift) & 0xf) == 0;
  memcpy (&low, written + first / 8, sizeof low);
  memcpy (&high, written + first / 8 + sizeof low, sizeof high);
  if (shift == 0)
    return (low & high) == UINT64_MAX;
  return ((low | 0xf) & high) == UINT64_MAX && (~written[first / 8 + 16] & 0xf) == 0;
}

/* Records a load of 32 bits from shared memory for the race detector, instead of notifying
 * observers. FALSE: they must be notified.
 *
 * lab/time-programs: matrixMul with all detectors takes 1.6 times as long without this. */
static G_ALWAYS_INLINE inline bool
note_quietly (CuredWarp *warp, const CuredPtxInst *inst, uint64_t first, CuredPattern pattern)
{
  CuredBlock *block = warp->block;

  if (block->n_reads >= block->most_reads || block->grid->telling[inst->site] != CURED_TELL_LATER ||
      (block->written != NULL && !is_written (block->written, first, pattern)))
    return false;
  block->reads[block->n_reads++] =
      (CuredQuietRead){ (uint32_t) first,
                        inst->site << 6 | warp->index << 1 | (pattern == CURED_PATTERN_SAME) };
  if (warp->counts != NULL)
    cured_count_plain_shared (&warp->counts[inst->site]);
  return true;
}

/* Finds the host's address that corresponds to address 0; those of the lanes of @mask are offset
 * from it by their addresses. 0: the slow path is required. */
static G_ALWAYS_INLINE inline uintptr_t
find_plain (const Plain *self, CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask,
            CuredAccessKind kind, CuredPattern *pattern)
{
  const CuredBlock *block = warp->block;
  uint64_t first = get_plain (self, (unsigned) __builtin_ctz (mask));
  uint64_t second = get_plain (self, 1);
  uint64_t last = get_plain (self, CURED_WARP_LANES - 1);
  uintptr_t origin = (uintptr_t) block->shared;
  uint64_t low = 0;
  uint64_t size = block->shared_bytes;
  uint32_t span = self->width;
  bool is_observed = block->grid->n_observers > 0;
  bool may_be_same = second == first && last == first;
  bool may_be_apart =
      second == first + self->width && last == first + (CURED_WARP_LANES - 1) * self->width;
  const CuredRegion *region = NULL;

  if (is_observed && (!(may_be_same || may_be_apart) || mask != CURED_ALL_LANES ||
                      self->space == CURED_SPACE_CONST || block->grid->telling == NULL ||
                      block->grid->telling[inst->site] == CURED_TELL_ALL))
    return 0;
  if (self->space != CURED_SPACE_SHARED)
    {
      const CuredRegion **recent = &warp->regions[inst->site % CURED_N_RECENT];

      region = *recent;
      if (region == NULL || first - region->low >= region->high - region->low)
        *recent = region = _cured_memory_find (block->grid->memory, first);
      if (region == NULL || region->heap != NULL || region->filled != NULL ||
          region->is_constant != (self->space == CURED_SPACE_CONST))
        return 0;
      low = region->low;
      size = region->high - low;
      origin = (uintptr_t) region->bytes - region->address;
    }
  *pattern = CURED_PATTERN_ANY;
  if (mask == CURED_ALL_LANES && may_be_same && are_apart (self, 0))
    *pattern = CURED_PATTERN_SAME;
  else if (mask == CURED_ALL_LANES && may_be_apart && are_apart (self, self->width))
    {
      *pattern = CURED_PATTERN_CONTIGUOUS;
      span *= CURED_WARP_LANES;
    }
  if (size < span ||
      (is_observed && (*pattern == CURED_PATTERN_ANY ||
                       (*pattern == CURED_PATTERN_SAME && kind == CURED_ACCESS_STORE))))
    return 0;
  if (*pattern == CURED_PATTERN_ANY ? !are_inside (self, mask, low, size - span)
                                    : first - low > size - span || (first & (self->width - 1)) != 0)
    return 0;
  if (is_observed && !(self->space == CURED_SPACE_SHARED && kind == CURED_ACCESS_LOAD &&
                       self->width == 4 && note_quietly (warp, inst, first, *pattern)))
    _cured_warp_tell (warp,
                      &(CuredWarpRequest){ inst, mask, self->space, kind, self->width, 0, true },
                      first, *pattern, region);
  return origin;
}

/* ---- Loads ---- */

/* Lanes with invalid addresses get 0. */
static void
clear_lanes (CuredWarp *warp, const CuredPtxOperand *to, uint32_t lanes)
{
  uint8_t *bytes = LANES (uint8_t, *to);

  for (; lanes != 0; lanes &= lanes - 1)
    memset (bytes + __builtin_ctz (lanes) * (size_t) to->width, 0, to->width);
}

static inline void
load (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t width, bool is_brief,
      CuredHosts *hosts)
{
  const CuredPtxOperand *address = &inst->x[inst->counts[0]];

  _cured_warp_access (warp,
                      &(CuredWarpRequest){ inst, mask, cured_get_space (inst), CURED_ACCESS_LOAD,
                                           width, 0, is_brief },
                      address, inst->displacement, hosts);
  if (G_UNLIKELY (hosts->mask != mask))
    for (unsigned i = 0; i < inst->counts[0]; i++)
      if (inst->x[i].width != 0)
        clear_lanes (warp, &inst->x[i], mask & ~hosts->mask);
  /* From here on, other threads' writes before their release are visible. */
  if (inst->words[CURED_PTX_GROUP_ORDER] == CURED_PTX_ORDER_ACQUIRE)
    _cured_warp_fence (warp, inst, hosts->mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                       CURED_PTX_ORDER_ACQUIRE);
}

/* ---- Vectors as messages between threads ---- */

/* A chip moves up to 16 bytes per lane at once. Programs that pass a value and its state in one
 * vector rely on this, although PTX does not guarantee it. */
typedef uint64_t Whole __attribute__ ((vector_size (16), may_alias));

/* The bytes of each lane, for reading and writing its parts separately. */
typedef struct
{
  uint8_t bytes[CURED_WARP_LANES][sizeof (Whole)] __attribute__ ((aligned (sizeof (Whole))));
  uint8_t *places[CURED_WARP_LANES]; /* in the host's memory */
} Staged;

/* The memory is aligned to @width. */
static inline void
copy_whole (uint8_t *to, const uint8_t *from, uint32_t width)
{
  if (width == sizeof (Whole))
    *(volatile Whole *) to = *(const volatile Whole *) from;
  else
    memcpy (to, from, width);
}

static inline bool
is_staged (const CuredPtxInst *inst, uint32_t width)
{
  CuredPtxWord order = (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER];

  return width > 4 && width <= sizeof (Whole) && order != 0 && order != CURED_PTX_ORDER_WEAK;
}

static void
load_vector (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t width,
             CuredHosts *hosts, Staged *staged)
{
  load (warp, inst, mask, width, false, hosts);
  if (G_UNLIKELY (is_staged (inst, width)))
    for (uint32_t left = hosts->mask; left != 0; left &= left - 1)
      {
        unsigned l = (unsigned) __builtin_ctz (left);

        copy_whole (staged->bytes[l], hosts->host[l], width);
        hosts->host[l] = staged->bytes[l];
      }
}

/* Copies each lane's bytes from memory to an array. */
#define LOAD_LANES(D, S, hosts, skip, to)                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    D *to_ = (to);                                                                                 \
                                                                                                   \
    FOR_LANES ((hosts)->mask, S s_; memcpy (&s_, (hosts)->host[l] + (skip), sizeof s_);            \
               to_[l] = (D) s_);                                                                   \
  }                                                                                                \
  G_STMT_END

/* The same for groups of @n lanes, see CuredHosts, with a few moves per group. */
#define LOAD_GROUPS(T, hosts, to, n)                                                               \
  for (unsigned g_ = 0; g_ < CURED_WARP_LANES; g_ += (n))                                          \
    if ((hosts)->is_same)                                                                          \
      {                                                                                            \
        T value_;                                                                                  \
                                                                                                   \
        memcpy (&value_, (hosts)->host[g_], sizeof value_);                                        \
        for (unsigned l = g_; l < g_ + (n); l++)                                                   \
          (to)[l] = value_;                                                                        \
      }                                                                                            \
    else                                                                                           \
      memcpy (&(to)[g_], (hosts)->host[g_], (n) * sizeof (T));

/* One value per lane, with its register's width: nearly all loads. */
#define LOAD_SCALAR(name, T)                                                                       \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    T *to = LANES (T, inst->x[0]);                                                                 \
    CuredHosts hosts;                                                                              \
                                                                                                   \
    load (warp, inst, mask, sizeof (T), true, &hosts);                                             \
    if (hosts.pattern == CURED_PATTERN_CONTIGUOUS)                                                 \
      memcpy (to, hosts.host[0], CURED_WARP_LANES * sizeof (T));                                   \
    else if (hosts.pattern == CURED_PATTERN_SAME && hosts.mask == CURED_ALL_LANES)                 \
      {                                                                                            \
        T value;                                                                                   \
                                                                                                   \
        memcpy (&value, hosts.host[0], sizeof value);                                              \
        for (unsigned l = 0; l < CURED_WARP_LANES; l++)                                            \
          to[l] = value;                                                                           \
      }                                                                                            \
    else if (hosts.group == 16)                                                                    \
      LOAD_GROUPS (T, &hosts, to, 16)                                                              \
    else if (hosts.group == 8)                                                                     \
      LOAD_GROUPS (T, &hosts, to, 8)                                                               \
    else if (hosts.group == 4)                                                                     \
      LOAD_GROUPS (T, &hosts, to, 4)                                                               \
    else                                                                                           \
      LOAD_LANES (T, T, &hosts, 0, to);                                                            \
  }

LOAD_SCALAR (load_32, uint32_t)
LOAD_SCALAR (load_64, uint64_t)

/* The same, for a space named by the instruction. */
static G_ALWAYS_INLINE inline void
load_plainly (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, CuredSpace space,
              uint32_t width, CuredPtxHandler the_long_way)
{
  const Plain plain = { space, width, LANES (const uint8_t, inst->x[1]),
                        (uint64_t) inst->displacement, space == CURED_SPACE_SHARED };
  uint32_t *to_32 = LANES (uint32_t, inst->x[0]);
  uint64_t *to_64 = LANES (uint64_t, inst->x[0]);
  CuredPattern pattern = CURED_PATTERN_ANY;
  uintptr_t origin = find_plain (&plain, warp, inst, mask, CURED_ACCESS_LOAD, &pattern);

  if (G_UNLIKELY (origin == 0))
    the_long_way (warp, inst, mask);
  else if (pattern == CURED_PATTERN_CONTIGUOUS)
    memcpy (to_32, get_bytes (&plain, origin, 0), (size_t) CURED_WARP_LANES * width);
  else if (pattern == CURED_PATTERN_SAME)
    {
      uint64_t value = 0;

      memcpy (&value, get_bytes (&plain, origin, 0), width);
      if (width == 4)
        for (unsigned l = 0; l < CURED_WARP_LANES; l++)
          to_32[l] = (uint32_t) value;
      else
        for (unsigned l = 0; l < CURED_WARP_LANES; l++)
          to_64[l] = value;
    }
  else if (width == 4)
    FOR_LANES (mask, memcpy (&to_32[l], get_bytes (&plain, origin, l), 4));
  else
    FOR_LANES (mask, memcpy (&to_64[l], get_bytes (&plain, origin, l), 8));
}

/* The handlers for a space, of 32 and 64 bits; @way is load or store. */
#define PLAINLY_BITS(way, of, space, bits)                                                         \
  static void way##_##of##_##bits (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)       \
  {                                                                                                \
    way##_plainly (warp, inst, mask, CURED_SPACE_##space, bits / 8, way##_##bits);                 \
  }
#define PLAINLY(way, of, space) PLAINLY_BITS (way, of, space, 32) PLAINLY_BITS (way, of, space, 64)

PLAINLY (load, shared, SHARED)
PLAINLY (load, global, GLOBAL)
PLAINLY (load, const, CONST)

/* For 32 and 64 bits. */
static const CuredPtxHandler plain_loads[CURED_N_SPACES][2] = {
  [CURED_SPACE_SHARED] = { load_shared_32, load_shared_64 },
  [CURED_SPACE_GLOBAL] = { load_global_32, load_global_64 },
  [CURED_SPACE_CONST] = { load_const_32, load_const_64 },
};

/* The handler for a scalar of @bytes: from @plain, if the address has the width of its space and
 * the access is not a fence, or else @long_way. */
static CuredPtxHandler
select_scalar (const CuredPtxInst *inst, const CuredPtxOperand *address, uint8_t bytes,
               const CuredPtxHandler plain[CURED_N_SPACES][2], CuredPtxHandler long_way)
{
  CuredSpace space = cured_get_space (inst);
  CuredPtxWord order = WORD_OF (inst, ORDER);
  CuredPtxHandler handler = plain[space][bytes == 8];
  bool is_fence = order == CURED_PTX_ORDER_ACQUIRE || order == CURED_PTX_ORDER_RELEASE;

  if (handler == NULL || is_fence || (address->width == 4) != (space == CURED_SPACE_SHARED))
    return long_way;
  return handler;
}

/* Several values of 32 or 64 bits per lane, into registers of the same width. */
#define LOAD_VECTOR(name, T)                                                                       \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    CuredHosts hosts;                                                                              \
    Staged staged;                                                                                 \
                                                                                                   \
    load_vector (warp, inst, mask, (uint32_t) sizeof (T) * inst->counts[0], &hosts, &staged);      \
    for (unsigned i = 0; i < inst->counts[0]; i++)                                                 \
      if (inst->x[i].width != 0)                                                                   \
        LOAD_LANES (T, T, &hosts, i * sizeof (T), LANES (T, inst->x[i]));                          \
  }

LOAD_VECTOR (load_vector_32, uint32_t)
LOAD_VECTOR (load_vector_64, uint64_t)

#define LOAD_TO(S)                                                                                 \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (to->width == 2)                                                                            \
      LOAD_LANES (uint16_t, S, &hosts, skip, LANES (uint16_t, *to));                               \
    else if (to->width == 4)                                                                       \
      LOAD_LANES (uint32_t, S, &hosts, skip, LANES (uint32_t, *to));                               \
    else if (to->width == 8)                                                                       \
      LOAD_LANES (uint64_t, S, &hosts, skip, LANES (uint64_t, *to));                               \
  }                                                                                                \
  G_STMT_END

/* Any type into registers that are not narrower: signed types are sign-extended, others
 * zero-extended. */
static void
load_any (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxTypeInfo *type = &_cured_ptx_types[inst->types[0]];
  bool is_signed = type->kind == CURED_PTX_KIND_S;
  CuredHosts hosts;
  Staged staged;

  load_vector (warp, inst, mask, (uint32_t) type->bytes * inst->counts[0], &hosts, &staged);
  for (unsigned i = 0; i < inst->counts[0]; i++)
    {
      const CuredPtxOperand *to = &inst->x[i];
      size_t skip = (size_t) i * type->bytes;

      switch (type->bytes)
        {
        case 1:
          if (is_signed)
            LOAD_TO (int8_t);
          else
            LOAD_TO (uint8_t);
          break;
        case 2:
          if (is_signed)
            LOAD_TO (int16_t);
          else
            LOAD_TO (uint16_t);
          break;
        case 4:
          if (is_signed)
            LOAD_TO (int32_t);
          else
            LOAD_TO (uint32_t);
          break;
        default: LOAD_TO (uint64_t); break;
        }
    }
}

/* Checks a load or store of a vector of @n_values @values at @address. */
static const char *
check_access (const CuredPtxInst *inst, const CuredPtxOperand *values, unsigned n_values,
              const CuredPtxOperand *address)
{
  const CuredPtxTypeInfo *type = &_cured_ptx_types[inst->types[0]];
  unsigned n = cured_get_vector (inst);

  if (!is_address (address))
    return "takes an address of 32 or 64 bits";
  if (n * type->bytes > 32 || (n == 8 && type->bytes != 4))
    return "takes no more than 256 bits per lane, and .v8 of 32 bits";
  if (n * type->bytes == 32 && cured_get_space (inst) != CURED_SPACE_GLOBAL &&
      cured_get_space (inst) != CURED_SPACE_GENERIC)
    return "takes 256 bits per lane in global memory alone";
  if (n * type->bytes != 32 && inst->words[CURED_PTX_GROUP_EVICT2] != CURED_PTX_NO_WORD)
    return "takes .L2::evict with 256 bits per lane alone";
  if (n_values != n)
    return "takes as many registers as its vector has elements";
  for (unsigned i = 0; i < n; i++)
    if (values[i].width == 1 || (values[i].width != 0 && values[i].width < type->bytes))
      return "takes registers that are as wide as its type, or wider";
  return NULL;
}

static CuredPtxHandler
select_ld (const CuredPtxInst *inst, const char **problem)
{
  unsigned n = inst->counts[0];
  uint8_t bytes = _cured_ptx_types[inst->types[0]].bytes;
  bool is_even = true;

  *problem = check_access (inst, inst->x, n, &inst->x[n]);
  if (*problem != NULL)
    return NULL;
  for (unsigned i = 0; i < n; i++)
    {
      REFUSE_IF (inst->x[i].base != CURED_BASE_REGISTERS && inst->x[i].width != 0,
                 "takes a register as destination");
      is_even &= inst->x[i].width == bytes || inst->x[i].width == 0;
    }
  if (!is_even || bytes < 4)
    return load_any;
  if (n == 1 && inst->x[0].width != 0)
    return select_scalar (inst, &inst->x[1], bytes, plain_loads, bytes == 4 ? load_32 : load_64);
  return bytes == 4 ? load_vector_32 : load_vector_64;
}

/* ---- Stores ---- */

static inline void
store (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t width, bool is_brief,
       CuredHosts *hosts)
{
  if (inst->words[CURED_PTX_GROUP_ORDER] == CURED_PTX_ORDER_RELEASE)
    _cured_warp_fence (warp, inst, mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                       CURED_PTX_ORDER_RELEASE);
  _cured_warp_access (warp,
                      &(CuredWarpRequest){ inst, mask, cured_get_space (inst), CURED_ACCESS_STORE,
                                           width, 0, is_brief },
                      &inst->x[0], inst->displacement, hosts);
}

/* The last of several stores to one place wins. FOR_LANES requires independent lanes. */
#define STORE_LANES(S, D, hosts, skip, from)                                                       \
  G_STMT_START                                                                                     \
  {                                                                                                \
    const S *from_ = (from);                                                                       \
                                                                                                   \
    for (uint32_t left_ = (hosts)->mask; left_ != 0; left_ &= left_ - 1)                           \
      {                                                                                            \
        unsigned l = (unsigned) __builtin_ctz (left_);                                             \
        D d_ = (D) from_[l];                                                                       \
                                                                                                   \
        memcpy ((hosts)->host[l] + (skip), &d_, sizeof d_);                                        \
      }                                                                                            \
  }                                                                                                \
  G_STMT_END

#define STORE_SCALAR(name, T)                                                                      \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    const T *from = LANES (const T, inst->x[1]);                                                   \
    CuredHosts hosts;                                                                              \
                                                                                                   \
    store (warp, inst, mask, sizeof (T), true, &hosts);                                            \
    if (hosts.pattern == CURED_PATTERN_CONTIGUOUS)                                                 \
      memcpy (hosts.host[0], from, CURED_WARP_LANES * sizeof (T));                                 \
    else if (hosts.pattern == CURED_PATTERN_SAME && hosts.mask == CURED_ALL_LANES)                 \
      memcpy (hosts.host[0], &from[CURED_WARP_LANES - 1], sizeof (T));                             \
    else if (hosts.group != 0)                                                                     \
      for (unsigned l = 0; l < CURED_WARP_LANES; l += hosts.group)                                 \
        if (hosts.is_same)                                                                         \
          memcpy (hosts.host[l], &from[l + hosts.group - 1], sizeof (T));                          \
        else                                                                                       \
          memcpy (hosts.host[l], &from[l], hosts.group * sizeof (T));                              \
    else                                                                                           \
      STORE_LANES (T, T, &hosts, 0, from);                                                         \
  }

STORE_SCALAR (store_32, uint32_t)
STORE_SCALAR (store_64, uint64_t)

static G_ALWAYS_INLINE inline void
store_plainly (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, CuredSpace space,
               uint32_t width, CuredPtxHandler the_long_way)
{
  const Plain plain = { space, width, LANES (const uint8_t, inst->x[0]),
                        (uint64_t) inst->displacement, space == CURED_SPACE_SHARED };
  const uint8_t *from = LANES (const uint8_t, inst->x[1]);
  CuredPattern pattern = CURED_PATTERN_ANY;
  uintptr_t origin = find_plain (&plain, warp, inst, mask, CURED_ACCESS_STORE, &pattern);

  if (G_UNLIKELY (origin == 0))
    the_long_way (warp, inst, mask);
  else if (pattern == CURED_PATTERN_CONTIGUOUS)
    memcpy (get_bytes (&plain, origin, 0), from, (size_t) CURED_WARP_LANES * width);
  else if (pattern == CURED_PATTERN_SAME)
    memcpy (get_bytes (&plain, origin, 0), from + (CURED_WARP_LANES - 1) * width, width);
  else
    for (; mask != 0; mask &= mask - 1)
      {
        unsigned l = (unsigned) __builtin_ctz (mask);

        memcpy (get_bytes (&plain, origin, l), from + l * width, width);
      }
}

PLAINLY (store, shared, SHARED)
PLAINLY (store, global, GLOBAL)

static const CuredPtxHandler plain_stores[CURED_N_SPACES][2] = {
  [CURED_SPACE_SHARED] = { store_shared_32, store_shared_64 },
  [CURED_SPACE_GLOBAL] = { store_global_32, store_global_64 },
};

#define STORE_FROM(D)                                                                              \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (from->width == 2)                                                                          \
      STORE_LANES (uint16_t, D, &hosts, skip, LANES (const uint16_t, *from));                      \
    else if (from->width == 4)                                                                     \
      STORE_LANES (uint32_t, D, &hosts, skip, LANES (const uint32_t, *from));                      \
    else if (from->width == 8)                                                                     \
      STORE_LANES (uint64_t, D, &hosts, skip, LANES (const uint64_t, *from));                      \
  }                                                                                                \
  G_STMT_END

/* Any type from registers that are not narrower: their low bits. */
static void
store_any (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxTypeInfo *type = &_cured_ptx_types[inst->types[0]];
  uint32_t width = (uint32_t) type->bytes * inst->counts[1];
  CuredHosts hosts;
  Staged staged;

  store (warp, inst, mask, width, false, &hosts);
  if (G_UNLIKELY (is_staged (inst, width)))
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)
      {
        staged.places[l] = hosts.host[l];
        hosts.host[l] = staged.bytes[l];
      }
  for (unsigned i = 0; i < inst->counts[1]; i++)
    {
      const CuredPtxOperand *from = &inst->x[1 + i];
      size_t skip = (size_t) i * type->bytes;

      switch (type->bytes)
        {
        case 1: STORE_FROM (uint8_t); break;
        case 2: STORE_FROM (uint16_t); break;
        case 4: STORE_FROM (uint32_t); break;
        default: STORE_FROM (uint64_t); break;
        }
    }
  if (G_UNLIKELY (is_staged (inst, width)))
    for (uint32_t left = hosts.mask; left != 0; left &= left - 1)
      copy_whole (staged.places[__builtin_ctz (left)], staged.bytes[__builtin_ctz (left)], width);
}

/* Several values of 32 bits, from registers of this width. */
static void
store_vector_32 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredHosts hosts;

  store (warp, inst, mask, (uint32_t) sizeof (uint32_t) * inst->counts[1], false, &hosts);
  for (unsigned i = 0; i < inst->counts[1]; i++)
    STORE_LANES (uint32_t, uint32_t, &hosts, i * sizeof (uint32_t),
                 LANES (const uint32_t, inst->x[1 + i]));
}

static CuredPtxHandler
select_st (const CuredPtxInst *inst, const char **problem)
{
  unsigned n = inst->counts[1];
  bool is_plain = !is_staged (inst, 4 * n);
  uint8_t bytes = _cured_ptx_types[inst->types[0]].bytes;

  *problem = check_access (inst, &inst->x[1], n, &inst->x[0]);
  if (*problem != NULL)
    return NULL;
  REFUSE_IF (cured_get_space (inst) == CURED_SPACE_PARAM, "takes no memory that can only be read");
  for (unsigned i = 0; i < n; i++)
    {
      REFUSE_IF (inst->x[1 + i].width == 0, "takes no '_' as source");
      is_plain = is_plain && inst->x[1 + i].width == 4;
    }
  if (n == 1 && inst->x[1].width == bytes && bytes >= 4)
    return select_scalar (inst, &inst->x[0], bytes, plain_stores, bytes == 4 ? store_32 : store_64);
  if (bytes == 4 && is_plain)
    return store_vector_32;
  return store_any;
}

/* ---- Hints ---- */

/* A device ignores prefetches from invalid addresses. */
static void
do_nothing (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
}

/* Only the cache uses the value. */
static void
create_policy (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint64_t *to = LANES (uint64_t, inst->x[0]);

  FOR_LANES (mask, to[l] = 0);
}

/* ---- Asynchronous copies ---- */

/* cp.async copies immediately: kernels that wait correctly observe no difference, and the race
 * detector reports the others. */
static void
copy_async (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t size = (uint32_t) inst->immediate;
  const CuredPtxOperand *limit = &inst->x[3];
  CuredHosts to;
  uint8_t from[CURED_WARP_LANES][16];
  uint32_t left = mask;

  memset (from, 0, sizeof from);
  /* Lanes that copy the same number of bytes form a group: all of them, or those inside and those
   * outside a matrix. */
  while (left != 0)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint32_t lanes = left;
      uint32_t bytes = size;
      CuredHosts hosts;

      if (limit->width == 1)
        {
          /* The predicate marks sources that are ignored. */
          uint32_t ignored = cured_get_predicate (warp, limit);

          lanes = (ignored >> l & 1) != 0 ? left & ignored : left & ~ignored;
          bytes = (ignored >> l & 1) != 0 ? 0 : size;
        }
      else if (limit->width == 4)
        {
          const uint32_t *sizes = LANES (const uint32_t, *limit);

          bytes = sizes[l];
          for (uint32_t rest = left; rest != 0; rest &= rest - 1)
            if (sizes[__builtin_ctz (rest)] != bytes)
              lanes &= ~(1u << __builtin_ctz (rest));
          bytes = MIN (bytes, size);
        }
      warp->block->tally->is_mixed = lanes != mask;
      left &= ~lanes;
      if (bytes == 0)
        continue;
      _cured_warp_access (
          warp,
          &(CuredWarpRequest){ inst, lanes, CURED_SPACE_GLOBAL, CURED_ACCESS_LOAD, bytes, size },
          &inst->x[1], inst->displacement2, &hosts);
      for (uint32_t rest = hosts.mask; rest != 0; rest &= rest - 1)
        {
          unsigned k = (unsigned) __builtin_ctz (rest);

          memcpy (from[k], hosts.host[k], bytes);
        }
    }

  _cured_warp_access (
      warp, &(CuredWarpRequest){ inst, mask, CURED_SPACE_SHARED, CURED_ACCESS_COPY, size, 0 },
      &inst->x[0], inst->displacement, &to);
  for (uint32_t rest = to.mask; rest != 0; rest &= rest - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (rest);

      memcpy (to.host[l], from[l], size);
    }
}

static void
commit_copies (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CURED_TELL_OBSERVERS (warp->block, copies, warp, mask, CURED_COPIES_COMMIT);
}

static void
wait_groups (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CURED_TELL_OBSERVERS (warp->block, copies, warp, mask, (int) inst->immediate);
}

static void
wait_copies (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CURED_TELL_OBSERVERS (warp->block, copies, warp, mask, CURED_COPIES_NONE);
}

/* ---- Forms ---- */

static const char *
check_line (const CuredPtxInst *inst)
{
  return inst->immediate != 128 ? "takes 128 bytes" : NULL;
}

static const char *
check_groups (const CuredPtxInst *inst)
{
  return inst->immediate < 0 || inst->immediate > INT32_MAX ? "takes a number of groups from 0 on"
                                                            : NULL;
}

static const char *
check_copy (const CuredPtxInst *inst)
{
  int64_t size = inst->immediate;

  if (size != 16 && (WORD_OF (inst, CACHE) == CURED_PTX_CACHE_CG || (size != 4 && size != 8)))
    return "takes 16 bytes, or 4 or 8 with .ca";
  if (!is_address (&inst->x[0]) || !is_address (&inst->x[1]))
    return "takes addresses of 32 or 64 bits";
  return inst->x[3].width != 0 && inst->x[3].width != 1 && inst->x[3].width != 4
             ? "takes the number of bytes in 32 bits, or a predicate"
             : NULL;
}

/* clang-format off */
#define T_PLAIN    (T_INT | T_BITS | T_U8 | T_S8 | T_B8 | T_F32 | T_F64)
#define VECTOR     MAY (VECTOR, V2), MAY (VECTOR, V4), MAY (VECTOR, V8)
#define SCOPE      W_SCOPE_CTA, W_SCOPE_CLUSTER, W_SCOPE_GPU, W_SCOPE_SYS
#define HINTS      (G_EVICT | G_HINT | G_PREFETCH)
#define WIDE_HINTS MAY (EVICT2, FIRST), MAY (EVICT2, LAST), MAY (EVICT2, NORMAL)
#define WEAK       MAY (ORDER, WEAK)
#define MAY_GLOBAL MAY (SPACE, GLOBAL)
#define LD(words, free) CHOICE (ld, T_PLAIN, WORDS (words, VECTOR), free, select_ld)
#define ST(words, free) CHOICE (st, T_PLAIN, WORDS (words, VECTOR), free, select_st)
#define LOAD_CACHES MAY (CACHE, CA), MAY (CACHE, CG), MAY (CACHE, CS), MAY (CACHE, LU), MAY (CACHE, CV)
#define STORE_CACHES MAY (CACHE, WB), MAY (CACHE, CG), MAY (CACHE, CS), MAY (CACHE, WT)

static const CuredPtxForm forms[] = {
  /* Hints have no effect, and are only for global memory. */
  LD (WORDS (MAY_GLOBAL, WEAK, WIDE_HINTS), HINTS)
  LD (WORDS (MAY_GLOBAL, WEAK, LOAD_CACHES), G_HINT | G_PREFETCH)
  LD (WORDS (W_SPACE_CONST, W_SPACE_LOCAL, W_SPACE_SHARED, W_SPACE_PARAM, WEAK, LOAD_CACHES), 0)
  LD (WORDS (W_SPACE_GLOBAL, W_NONCOHERENT_NC, WIDE_HINTS), HINTS)
  LD (WORDS (W_SPACE_GLOBAL, W_NONCOHERENT_NC, MAY (CACHE, CA), MAY (CACHE, CG), MAY (CACHE, CS)), G_HINT | G_PREFETCH)
  LD (WORDS (MAY_GLOBAL, W_ORDER_VOLATILE, WIDE_HINTS), G_PREFETCH)
  LD (WORDS (W_SPACE_SHARED, W_SPACE_LOCAL, W_ORDER_VOLATILE), 0)
  LD (WORDS (MAY_GLOBAL, W_ORDER_RELAXED, W_ORDER_ACQUIRE, SCOPE, WIDE_HINTS), HINTS)
  LD (WORDS (W_SPACE_SHARED, W_ORDER_RELAXED, W_ORDER_ACQUIRE, SCOPE), 0)
  LD (WORDS (MAY_GLOBAL, W_MMIO_MMIO, W_ORDER_RELAXED, W_SCOPE_SYS), 0)
  /* A load with the same address in all lanes; other addresses are not an error. */
  CHOICE (ldu, T_PLAIN, WORDS (MAY_GLOBAL, MAY (VECTOR, V2), MAY (VECTOR, V4)), 0, select_ld)
  ST (WORDS (MAY_GLOBAL, WEAK, WIDE_HINTS), G_EVICT | G_HINT)
  ST (WORDS (MAY_GLOBAL, WEAK, STORE_CACHES), G_HINT)
  /* A call's parameters; a kernel's own are read-only. */
  ST (WORDS (W_SPACE_LOCAL, W_SPACE_SHARED, W_SPACE_PARAM, WEAK, STORE_CACHES), 0)
  ST (WORDS (MAY_GLOBAL, W_ORDER_VOLATILE, WIDE_HINTS), 0)
  ST (WORDS (W_SPACE_SHARED, W_SPACE_LOCAL, W_ORDER_VOLATILE), 0)
  ST (WORDS (MAY_GLOBAL, W_ORDER_RELAXED, W_ORDER_RELEASE, SCOPE, WIDE_HINTS), G_EVICT | G_HINT)
  ST (WORDS (W_SPACE_SHARED, W_ORDER_RELAXED, W_ORDER_RELEASE, SCOPE), 0)
  ST (WORDS (MAY_GLOBAL, W_MMIO_MMIO, W_ORDER_RELAXED, W_SCOPE_SYS), 0)
  FORM (prefetch, 0, W_TENSORMAP_TENSORMAP, do_nothing)
  FORM (prefetch, 0, WORDS (MAY_GLOBAL, MAY (SPACE, LOCAL), W_LEVEL_L1, W_LEVEL_L2), do_nothing)
  FORM (prefetch, 0, WORDS (MAY_GLOBAL, W_EVICT2_LAST, W_EVICT2_NORMAL), do_nothing)
  FORM (prefetchu, 0, W_LEVEL_L1, do_nothing)
  CHECKED (discard, 0, WORDS (MAY_GLOBAL, W_LEVEL_L2), 0, do_nothing, check_line)
  CHECKED (applypriority, 0, WORDS (MAY_GLOBAL, W_EVICT2_NORMAL), 0, do_nothing, check_line)
  CHECKED (createpolicy, T_B64, WORDS (W_EVICT2_NORMAL, W_EVICT2_FIRST, W_EVICT2_LAST, W_EVICT2_UNCHANGED), G_EVICT_REST, create_policy, NULL)
  CHECKED (cp_async, 0, WORDS (W_CACHE_CA, W_CACHE_CG, W_SPACE_SHARED, W_FROM_GLOBAL), G_PREFETCH | G_HINT, copy_async, check_copy)
  FORM (cp_async_commit, 0, 0, commit_copies)
  CHECKED (cp_async_wait, 0, 0, 0, wait_groups, check_groups)
  FORM (cp_async_wait_all, 0, 0, wait_copies)
};
/* clang-format on */

FORMS_OF (memory)
