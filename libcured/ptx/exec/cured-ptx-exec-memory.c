/* SPDX-License-Identifier: MIT
 * Loads, stores and asynchronous copies. */
#include "config.h"

#include <string.h>

#include "ptx/exec/cured-ptx-exec-private.h"

/* ---- What all selectors ask ---- */

/* Parameters of functions, and of calls under way, the parser has put into local memory; a kernel's
 * own are apart. */
static inline CuredSpace
get_space (const CuredPtxInst *inst)
{
  switch (inst->words[CURED_PTX_GROUP_SPACE])
    {
    case CURED_PTX_SPACE_CONST:
      return CURED_SPACE_CONST;
    case CURED_PTX_SPACE_GLOBAL:
      return CURED_SPACE_GLOBAL;
    case CURED_PTX_SPACE_LOCAL:
      return CURED_SPACE_LOCAL;
    case CURED_PTX_SPACE_SHARED:
      return CURED_SPACE_SHARED;
    case CURED_PTX_SPACE_PARAM:
      return CURED_SPACE_PARAM;
    default:
      return CURED_SPACE_GENERIC;
    }
}

static bool
is_address (const CuredPtxOperand *x)
{
  return x->width == 4 || x->width == 8;
}

/* ---- Loads ---- */

/* Values of lanes whose address was refused are 0. */
static void
clear_lanes (CuredWarp *warp, const CuredPtxOperand *to, uint32_t lanes)
{
  uint8_t *bytes = LANES (uint8_t, *to);

  for (; lanes != 0; lanes &= lanes - 1)
    memset (bytes + __builtin_ctz (lanes) * (size_t) to->width, 0, to->width);
}

static inline void
load (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t width, CuredHosts *hosts)
{
  const CuredPtxOperand *address = &inst->x[inst->counts[0]];

  _cured_warp_access (warp, inst, mask, get_space (inst), CURED_ACCESS_LOAD, address,
                      inst->displacement, width, hosts);
  if (G_UNLIKELY (hosts->mask != mask))
    for (unsigned i = 0; i < inst->counts[0]; i++)
      if (inst->x[i].width != 0)
        clear_lanes (warp, &inst->x[i], mask & ~hosts->mask);
  /* What other threads wrote before they released is seen from here on. */
  if (inst->words[CURED_PTX_GROUP_ORDER] == CURED_PTX_ORDER_ACQUIRE)
    _cured_warp_fence (warp, inst, hosts->mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                       CURED_PTX_ORDER_ACQUIRE);
}

/* Bytes of each of the lanes in turn, as they stand in memory, to an array. */
#define LOAD_LANES(D, S, hosts, skip, to)                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    D *to_ = (to);                                                                                 \
                                                                                                   \
    FOR_LANES ((hosts)->mask, S s_; memcpy (&s_, (hosts)->host[l] + (skip), sizeof s_);            \
               to_[l] = (D) s_);                                                                   \
  }                                                                                                \
  G_STMT_END

/* One value per lane, as wide as its register: nearly all loads. */
#define LOAD_SCALAR(name, T)                                                                       \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    T *to = LANES (T, inst->x[0]);                                                                 \
    CuredHosts hosts;                                                                              \
                                                                                                   \
    load (warp, inst, mask, sizeof (T), &hosts);                                                   \
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
    else                                                                                           \
      LOAD_LANES (T, T, &hosts, 0, to);                                                            \
  }

LOAD_SCALAR (load_32, uint32_t)
LOAD_SCALAR (load_64, uint64_t)

/* Several values of 32 or 64 bits per lane, registers of the same width. */
#define LOAD_VECTOR(name, T)                                                                       \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    CuredHosts hosts;                                                                              \
                                                                                                   \
    load (warp, inst, mask, (uint32_t) sizeof (T) * inst->counts[0], &hosts);                      \
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

/* Any type into any registers that are not narrower: signed types with their sign, others with
 * zeros. */
static void
load_any (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxTypeInfo *type = &_cured_ptx_types[inst->types[0]];
  bool is_signed = type->kind == CURED_PTX_KIND_S;
  CuredHosts hosts;

  load (warp, inst, mask, (uint32_t) type->bytes * inst->counts[0], &hosts);
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
        default:
          LOAD_TO (uint64_t);
          break;
        }
    }
}

/* What is wrong with the order of a load or store; NULL: nothing. */
static const char *
check_order (const CuredPtxInst *inst, bool is_store)
{
  uint8_t space = inst->words[CURED_PTX_GROUP_SPACE];
  uint8_t order = inst->words[CURED_PTX_GROUP_ORDER];
  uint8_t scope = inst->words[CURED_PTX_GROUP_SCOPE];
  bool is_strong = order != CURED_PTX_NO_WORD && order != CURED_PTX_ORDER_WEAK;

  switch (order)
    {
    case CURED_PTX_NO_WORD:
    case CURED_PTX_ORDER_WEAK:
    case CURED_PTX_ORDER_VOLATILE:
      if (scope != CURED_PTX_NO_WORD)
        return "takes a scope only with .relaxed, .acquire or .release";
      break;
    case CURED_PTX_ORDER_ACQUIRE:
      if (is_store)
        return "takes no .acquire";
      break;
    case CURED_PTX_ORDER_RELEASE:
      if (!is_store)
        return "takes no .release";
      break;
    case CURED_PTX_ORDER_RELAXED:
      break;
    default:
      return is_store ? "takes .weak, .volatile, .relaxed or .release"
                      : "takes .weak, .volatile, .relaxed or .acquire";
    }
  if (is_strong && order != CURED_PTX_ORDER_VOLATILE && scope == CURED_PTX_NO_WORD)
    return "takes a scope: .cta, .cluster, .gpu or .sys";
  if (is_strong && space != CURED_PTX_NO_WORD && space != CURED_PTX_SPACE_GLOBAL &&
      space != CURED_PTX_SPACE_SHARED)
    return "takes no order for this space";
  if (is_strong && inst->words[CURED_PTX_GROUP_CACHE] != 0)
    return "takes no cache operator with an order";
  if (order == CURED_PTX_ORDER_VOLATILE && inst->words[CURED_PTX_GROUP_EVICT] != 0)
    return "takes no eviction priority with .volatile";
  if (inst->words[CURED_PTX_GROUP_MMIO] != 0 &&
      (order != CURED_PTX_ORDER_RELAXED || scope != CURED_PTX_SCOPE_SYS ||
       space == CURED_PTX_SPACE_SHARED))
    return "takes .mmio with .relaxed.sys, for global memory";
  if (inst->words[CURED_PTX_GROUP_NONCOHERENT] != 0 &&
      (is_store || space != CURED_PTX_SPACE_GLOBAL || order != CURED_PTX_NO_WORD))
    return "takes .nc for plain loads from global memory only";
  return NULL;
}

/* Hints change nothing, and are for loads or stores, or for global memory. */
static const char *
check_hints (const CuredPtxInst *inst, bool is_store)
{
  uint8_t space = inst->words[CURED_PTX_GROUP_SPACE];

  switch (inst->words[CURED_PTX_GROUP_CACHE])
    {
    case CURED_PTX_CACHE_CA:
    case CURED_PTX_CACHE_LU:
    case CURED_PTX_CACHE_CV:
      if (is_store)
        return "takes .wb, .cg, .cs or .wt";
      break;
    case CURED_PTX_CACHE_WB:
    case CURED_PTX_CACHE_WT:
      if (!is_store)
        return "takes .ca, .cg, .cs, .lu or .cv";
      break;
    default:
      break;
    }
  if (inst->words[CURED_PTX_GROUP_PREFETCH] != 0 && is_store)
    return "takes no size to prefetch";
  if ((inst->words[CURED_PTX_GROUP_EVICT] != 0 || inst->words[CURED_PTX_GROUP_HINT] != 0 ||
       inst->words[CURED_PTX_GROUP_PREFETCH] != 0) &&
      space != CURED_PTX_NO_WORD && space != CURED_PTX_SPACE_GLOBAL)
    return "takes hints for the caches for global memory only";
  return NULL;
}

/* What is wrong with a load or store; NULL: nothing.
 *
 * @values: registers or constants of the vector
 * @n_values: how many
 * @address: the memory operand */
static const char *
check_access (const CuredPtxInst *inst, const CuredPtxOperand *values, unsigned n_values,
              const CuredPtxOperand *address, bool is_store)
{
  const CuredPtxTypeInfo *type = &_cured_ptx_types[inst->types[0]];
  uint8_t space = inst->words[CURED_PTX_GROUP_SPACE];
  uint8_t vector = inst->words[CURED_PTX_GROUP_VECTOR];
  unsigned n = vector == CURED_PTX_VECTOR_V2 ? 2 : vector == CURED_PTX_VECTOR_V4 ? 4 : 1;
  const char *problem = NULL;

  if (inst->n_types != 1 || type->bytes == 0 || type->kind == CURED_PTX_KIND_X ||
      (type->kind == CURED_PTX_KIND_F && type->bytes < 4))
    return "takes one type of 8 to 64 bits: b, u, s, f32 or f64";
  if (!is_address (address))
    return "takes an address of 32 or 64 bits";
  if (n * type->bytes > 16)
    return "takes no more than 128 bits per lane before sm_100";
  if (n_values != n)
    return "takes as many registers as its vector has elements";
  for (unsigned i = 0; i < n; i++)
    if (values[i].width == 1 || (values[i].width != 0 && values[i].width < type->bytes))
      return "takes registers that are as wide as its type, or wider";
  problem = check_order (inst, is_store);
  if (problem == NULL)
    problem = check_hints (inst, is_store);
  if (problem == NULL && is_store &&
      (space == CURED_PTX_SPACE_CONST || space == CURED_PTX_SPACE_PARAM))
    problem = "takes no memory that can only be read";
  return problem;
}

CuredPtxHandler
SELECT (ld) (const CuredPtxInst *inst, const char **problem)
{
  unsigned n = inst->counts[0];
  uint8_t bytes = _cured_ptx_types[inst->types[0]].bytes;
  bool is_even = true;

  *problem = check_access (inst, inst->x, n, &inst->x[n], false);
  if (*problem != NULL)
    return NULL;
  for (unsigned i = 0; i < n; i++)
    {
      if (inst->x[i].base != CURED_BASE_REGISTERS && inst->x[i].width != 0)
        {
          *problem = "takes a register as destination";
          return NULL;
        }
      is_even &= inst->x[i].width == bytes || inst->x[i].width == 0;
    }
  if (n == 1 && is_even && inst->x[0].width == 4)
    return load_32;
  if (n == 1 && is_even && inst->x[0].width == 8)
    return load_64;
  if (is_even && bytes == 4)
    return load_vector_32;
  if (is_even && bytes == 8)
    return load_vector_64;
  return load_any;
}

/* A load whose address all lanes share; one that they do not is not an
 * error. */
CuredPtxHandler
SELECT (ldu) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord space = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SPACE];

  if (space != CURED_PTX_NO_WORD && space != CURED_PTX_SPACE_GLOBAL)
    {
      *problem = "takes global memory only";
      return NULL;
    }
  return SELECT (ld) (inst, problem);
}

/* ---- Stores ---- */

static inline void
store (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t width, CuredHosts *hosts)
{
  if (inst->words[CURED_PTX_GROUP_ORDER] == CURED_PTX_ORDER_RELEASE)
    _cured_warp_fence (warp, inst, mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                       CURED_PTX_ORDER_RELEASE);
  _cured_warp_access (warp, inst, mask, get_space (inst), CURED_ACCESS_STORE, &inst->x[0],
                      inst->displacement, width, hosts);
}

/* Of lanes that store to the same place the last one wins. Not FOR_LANES: lanes may meet. */
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
    store (warp, inst, mask, sizeof (T), &hosts);                                                  \
    if (hosts.pattern == CURED_PATTERN_CONTIGUOUS)                                                 \
      memcpy (hosts.host[0], from, CURED_WARP_LANES * sizeof (T));                                 \
    else                                                                                           \
      STORE_LANES (T, T, &hosts, 0, from);                                                         \
  }

STORE_SCALAR (store_32, uint32_t)
STORE_SCALAR (store_64, uint64_t)

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

/* Any type from any registers that are not narrower: their low bits. */
static void
store_any (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxTypeInfo *type = &_cured_ptx_types[inst->types[0]];
  CuredHosts hosts;

  store (warp, inst, mask, (uint32_t) type->bytes * inst->counts[1], &hosts);
  for (unsigned i = 0; i < inst->counts[1]; i++)
    {
      const CuredPtxOperand *from = &inst->x[1 + i];
      size_t skip = (size_t) i * type->bytes;

      switch (type->bytes)
        {
        case 1:
          STORE_FROM (uint8_t);
          break;
        case 2:
          STORE_FROM (uint16_t);
          break;
        case 4:
          STORE_FROM (uint32_t);
          break;
        default:
          STORE_FROM (uint64_t);
          break;
        }
    }
}

CuredPtxHandler
SELECT (st) (const CuredPtxInst *inst, const char **problem)
{
  unsigned n = inst->counts[1];
  uint8_t bytes = _cured_ptx_types[inst->types[0]].bytes;

  *problem = check_access (inst, &inst->x[1], n, &inst->x[0], true);
  if (*problem != NULL)
    return NULL;
  for (unsigned i = 0; i < n; i++)
    if (inst->x[1 + i].width == 0)
      {
        *problem = "takes no '_' as source";
        return NULL;
      }
  if (n == 1 && bytes == 4 && inst->x[1].width == 4)
    return store_32;
  if (n == 1 && bytes == 8 && inst->x[1].width == 8)
    return store_64;
  return store_any;
}

/* ---- Hints ---- */

static void
do_nothing (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
}

/* A device ignores a prefetch from where nothing is. */
CuredPtxHandler
SELECT (prefetch) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord space = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SPACE];
  bool has_level = inst->words[CURED_PTX_GROUP_LEVEL] != 0;
  bool has_priority = inst->words[CURED_PTX_GROUP_EVICT2] != 0;

  if (cured_has_word (inst, CURED_PTX_GROUP_TENSORMAP))
    {
      REFUSE_IF (space != CURED_PTX_NO_WORD || has_level || has_priority ||
                     WORD_OF (inst, TENSORMAP) != CURED_PTX_TENSORMAP_TENSORMAP,
                 "takes no space and no level with .tensormap");
      return do_nothing;
    }
  if (space != CURED_PTX_NO_WORD && space != CURED_PTX_SPACE_GLOBAL &&
      space != CURED_PTX_SPACE_LOCAL)
    *problem = "takes global or local memory only";
  else if (has_level == has_priority)
    *problem = "takes a level or an eviction priority";
  else if (has_priority && (space == CURED_PTX_SPACE_LOCAL ||
                            (inst->words[CURED_PTX_GROUP_EVICT2] != CURED_PTX_EVICT2_LAST &&
                             inst->words[CURED_PTX_GROUP_EVICT2] != CURED_PTX_EVICT2_NORMAL)))
    *problem = "takes .L2::evict_last or .L2::evict_normal, for global memory";
  else
    return do_nothing;
  return NULL;
}

CuredPtxHandler
SELECT (prefetchu) (const CuredPtxInst *inst, const char **problem)
{
  if (inst->words[CURED_PTX_GROUP_LEVEL] == CURED_PTX_LEVEL_L1)
    return do_nothing;
  *problem = "takes .L1";
  return NULL;
}

static CuredPtxHandler
select_line_hint (const CuredPtxInst *inst, bool is_level_wanted, const char **problem)
{
  CuredPtxWord space = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SPACE];

  if (space != CURED_PTX_NO_WORD && space != CURED_PTX_SPACE_GLOBAL)
    *problem = "takes global memory only";
  else if (is_level_wanted && inst->words[CURED_PTX_GROUP_LEVEL] != CURED_PTX_LEVEL_L2)
    *problem = "takes .L2";
  else if (inst->immediate != 128)
    *problem = "takes 128 bytes";
  else
    return do_nothing;
  return NULL;
}

CuredPtxHandler
SELECT (discard) (const CuredPtxInst *inst, const char **problem)
{
  return select_line_hint (inst, true, problem);
}

CuredPtxHandler
SELECT (applypriority) (const CuredPtxInst *inst, const char **problem)
{
  if (inst->words[CURED_PTX_GROUP_EVICT2] != CURED_PTX_EVICT2_NORMAL)
    {
      *problem = "takes .L2::evict_normal";
      return NULL;
    }
  return select_line_hint (inst, false, problem);
}

/* The value is nobody's but the cache's. */
static void
create_policy (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint64_t *to = LANES (uint64_t, inst->x[0]);

  FOR_LANES (mask, to[l] = 0);
}

CuredPtxHandler
SELECT (createpolicy) (const CuredPtxInst *inst, const char **problem)
{
  if (inst->x[0].width == 8 && inst->words[CURED_PTX_GROUP_EVICT2] != 0)
    return create_policy;
  *problem = "takes an eviction priority and a destination of 64 bits";
  return NULL;
}

/* ---- Asynchronous copies ---- */

/* cp.async copies at once: a kernel that waits as it must sees no difference, and one that does not
 * is the race detector's to find. */
static void
copy_async (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint32_t size = (uint32_t) inst->immediate;
  const CuredPtxOperand *limit = &inst->x[3];
  CuredHosts to;
  uint8_t from[CURED_WARP_LANES][16];
  uint32_t left = mask;

  memset (from, 0, sizeof from);
  /* Lanes that copy the same number of bytes, one group after the other: all of them, or those
   * inside and those outside of a matrix. */
  while (left != 0)
    {
      unsigned l = (unsigned) __builtin_ctz (left);
      uint32_t lanes = left;
      uint32_t bytes = size;
      CuredHosts hosts;

      if (limit->width == 1)
        {
          /* The predicate says which sources are ignored. */
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
      _cured_warp_access_aligned (
          warp, inst, lanes,
          inst->words[CURED_PTX_GROUP_FROM] == CURED_PTX_FROM_GLOBAL ? CURED_SPACE_GLOBAL
                                                                     : CURED_SPACE_GENERIC,
          CURED_ACCESS_LOAD, &inst->x[1], inst->displacement2, bytes, size, &hosts);
      for (uint32_t rest = hosts.mask; rest != 0; rest &= rest - 1)
        {
          unsigned k = (unsigned) __builtin_ctz (rest);

          memcpy (from[k], hosts.host[k], bytes);
        }
    }

  _cured_warp_access (warp, inst, mask, CURED_SPACE_SHARED, CURED_ACCESS_COPY, &inst->x[0],
                      inst->displacement, size, &to);
  for (uint32_t rest = to.mask; rest != 0; rest &= rest - 1)
    {
      unsigned l = (unsigned) __builtin_ctz (rest);

      memcpy (to.host[l], from[l], size);
    }
}

CuredPtxHandler
SELECT (cp_async) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord cache = (CuredPtxWord) inst->words[CURED_PTX_GROUP_CACHE];
  int64_t size = inst->immediate;

  if (cache != CURED_PTX_CACHE_CA && cache != CURED_PTX_CACHE_CG)
    *problem = "takes .ca or .cg";
  else if (inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_SHARED ||
           inst->words[CURED_PTX_GROUP_FROM] != CURED_PTX_FROM_GLOBAL)
    *problem = "takes .shared.global";
  else if (size != 16 && (cache == CURED_PTX_CACHE_CG || (size != 4 && size != 8)))
    *problem = cache == CURED_PTX_CACHE_CG ? "takes 16 bytes with .cg" : "takes 4, 8 or 16 bytes";
  else if (!is_address (&inst->x[0]) || !is_address (&inst->x[1]))
    *problem = "takes addresses of 32 or 64 bits";
  else if (inst->x[3].width != 0 && inst->x[3].width != 1 && inst->x[3].width != 4)
    *problem = "takes the number of bytes in 32 bits, or a predicate";
  else
    return copy_async;
  return NULL;
}

static void
notify_copies (CuredWarp *warp, uint32_t mask, int left)
{
  CuredBlock *block = warp->block;

  for (uint32_t i = 0; i < block->grid->n_observers; i++)
    {
      CuredObserver *observer = block->grid->observers[i];

      if (observer->klass->copies != NULL)
        observer->klass->copies (observer, block->states[i], warp, mask, left);
    }
}

static void
commit_copies (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  notify_copies (warp, mask, CURED_COPIES_COMMIT);
}

CuredPtxHandler
SELECT (cp_async_commit) (const CuredPtxInst *inst, const char **problem)
{
  return commit_copies;
}

static void
wait_groups (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  notify_copies (warp, mask, (int) inst->immediate);
}

CuredPtxHandler
SELECT (cp_async_wait) (const CuredPtxInst *inst, const char **problem)
{
  if (inst->immediate >= 0 && inst->immediate <= INT32_MAX)
    return wait_groups;
  *problem = "takes a number of groups from 0 on";
  return NULL;
}

static void
wait_copies (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  notify_copies (warp, mask, CURED_COPIES_NONE);
}

CuredPtxHandler
SELECT (cp_async_wait_all) (const CuredPtxInst *inst, const char **problem)
{
  return wait_copies;
}
