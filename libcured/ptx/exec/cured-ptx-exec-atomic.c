/* SPDX-License-Identifier: MIT
 * Atomic operations and fences. */
#include "config.h"

#include <string.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

/* ---- What is done to one value ---- */

/* Subnormal numbers become zeros with their sign. */
static inline float
flush (float x)
{
  uint32_t bits = cured_bits_of_f32 (x);

  return (bits & 0x7f800000u) == 0 ? cured_f32_of_bits (bits & 0x80000000u) : x;
}

/* PTX ISA 9.0, atom: additions of .f32 flush subnormal numbers in global memory and keep them in
 * shared memory. */
static inline uint32_t
add_f32 (uint32_t a, uint32_t b, bool is_flushing)
{
  float x = cured_f32_of_bits (a);
  float y = cured_f32_of_bits (b);
  float sum = is_flushing ? flush (flush (x) + flush (y)) : x + y;

  return sum != sum ? CURED_NAN_F32 : cured_bits_of_f32 (sum);
}

/* A sum in f32 has enough bits for the second rounding to do no harm. */
static inline uint16_t
add_f16 (uint16_t a, uint16_t b)
{
  return cured_f32_to_f16 (cured_f16_to_f32 (a) + cured_f16_to_f32 (b), CURED_PTX_ROUND_RN);
}

static inline uint16_t
add_bf16 (uint16_t a, uint16_t b)
{
  return cured_f32_to_bf16 (cured_bf16_to_f32 (a) + cured_bf16_to_f32 (b), CURED_PTX_ROUND_RN);
}

static inline uint32_t
add_f16x2 (uint32_t a, uint32_t b)
{
  return add_f16 ((uint16_t) a, (uint16_t) b) |
         (uint32_t) add_f16 ((uint16_t) (a >> 16), (uint16_t) (b >> 16)) << 16;
}

static inline uint32_t
add_bf16x2 (uint32_t a, uint32_t b)
{
  return add_bf16 ((uint16_t) a, (uint16_t) b) |
         (uint32_t) add_bf16 ((uint16_t) (a >> 16), (uint16_t) (b >> 16)) << 16;
}

/* ---- Lanes ---- */

/* Where the operands of an atom or a red are. */
typedef struct
{
  const CuredPtxOperand *d; /* nullable */
  const CuredPtxOperand *b;
  const CuredPtxOperand *c;
  CuredHosts hosts;
  bool is_private; /* nobody else touches the memory meanwhile */
} Atomic;

static bool
is_order (const CuredPtxInst *inst, CuredPtxWord order)
{
  CuredPtxWord word = (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER];

  return word == order || word == CURED_PTX_ORDER_ACQ_REL;
}

static CuredPtxWord
get_scope (const CuredPtxInst *inst)
{
  CuredPtxWord scope = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE];

  return scope != CURED_PTX_NO_WORD ? scope : CURED_PTX_SCOPE_GPU;
}

static inline void
begin (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, uint32_t width, Atomic *self)
{
  bool has_result = inst->op == CURED_PTX_OP_atom;
  const CuredPtxOperand *address = &inst->x[has_result ? 1 : 0];
  CuredPtxWord space = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SPACE];

  self->d = has_result && inst->x[0].width != 0 ? &inst->x[0] : NULL;
  self->b = address + 1;
  self->c = address + 2;
  if (is_order (inst, CURED_PTX_ORDER_RELEASE))
    _cured_warp_fence (warp, inst, mask, get_scope (inst), CURED_PTX_ORDER_RELEASE);
  _cured_warp_access (warp, inst, mask,
                      space == CURED_PTX_SPACE_SHARED   ? CURED_SPACE_SHARED
                      : space == CURED_PTX_SPACE_GLOBAL ? CURED_SPACE_GLOBAL
                                                        : CURED_SPACE_GENERIC,
                      self->d != NULL ? CURED_ACCESS_ATOMIC : CURED_ACCESS_REDUCTION, address,
                      inst->displacement, width, &self->hosts);
  /* A block runs on one thread of the host: its shared memory is its own. */
  self->is_private = self->hosts.space == CURED_SPACE_SHARED;
}

static inline void
end (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, Atomic *self)
{
  uint32_t refused = mask & ~self->hosts.mask;

  for (; self->d != NULL && refused != 0; refused &= refused - 1)
    memset (LANES (uint8_t, *self->d) + __builtin_ctz (refused) * (size_t) self->d->width, 0,
            self->d->width);
  if (is_order (inst, CURED_PTX_ORDER_ACQUIRE))
    _cured_warp_fence (warp, inst, mask, get_scope (inst), CURED_PTX_ORDER_ACQUIRE);
}

/* Of an access that went to several spaces: whether this lane's is shared memory. */
static inline bool
is_shared_lane (const CuredWarp *warp, const uint8_t *host)
{
  const CuredBlock *block = warp->block;

  return (uintptr_t) host - (uintptr_t) block->shared < block->shared_bytes;
}

/* Lanes go one after the other, the lowest first: the order in which a device takes them is not
 * defined. Expressions know a (what is in memory), b, c and is_shared. Addresses are aligned:
 * _cured_warp_access() saw to that, and so is what they are mapped to. */
#define ATOMIC(name, T, expression)                                                                \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    Atomic self;                                                                                   \
    const T *b_;                                                                                   \
    const T *c_;                                                                                   \
                                                                                                   \
    begin (warp, inst, mask, sizeof (T), &self);                                                   \
    b_ = LANES (const T, *self.b);                                                                 \
    c_ = inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_CAS                         \
             ? LANES (const T, *self.c)                                                            \
             : b_;                                                                                 \
    for (uint32_t left = self.hosts.mask; left != 0; left &= left - 1)                             \
      {                                                                                            \
        unsigned l = (unsigned) __builtin_ctz (left);                                              \
        T *at = (T *) (void *) self.hosts.host[l];                                                 \
        T b = b_[l];                                                                               \
        T c = c_[l];                                                                               \
        T a;                                                                                       \
                                                                                                   \
        (void) c;                                                                                  \
        if (self.is_private)                                                                       \
          {                                                                                        \
            const bool is_shared = true;                                                           \
                                                                                                   \
            (void) is_shared;                                                                      \
            a = *at;                                                                               \
            *at = (T) (expression);                                                                \
          }                                                                                        \
        else                                                                                       \
          {                                                                                        \
            const bool is_shared = is_shared_lane (warp, self.hosts.host[l]);                      \
            T old = __atomic_load_n (at, __ATOMIC_RELAXED);                                        \
                                                                                                   \
            (void) is_shared;                                                                      \
            do                                                                                     \
              a = old;                                                                             \
            while (!__atomic_compare_exchange_n (at, &old, (T) (expression), true,                 \
                                                 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));             \
          }                                                                                        \
        if (self.d != NULL)                                                                        \
          LANES (T, *self.d)[l] = a;                                                               \
      }                                                                                            \
    end (warp, inst, mask, &self);                                                                 \
  }

/* clang-format off */
ATOMIC (and_32,  uint32_t, a & b)
ATOMIC (or_32,   uint32_t, a | b)
ATOMIC (xor_32,  uint32_t, a ^ b)
ATOMIC (exch_32, uint32_t, b)
ATOMIC (cas_32,  uint32_t, a == b ? c : a)
ATOMIC (add_32,  uint32_t, a + b)
ATOMIC (inc_32,  uint32_t, a >= b ? 0 : a + 1)
ATOMIC (dec_32,  uint32_t, a == 0 || a > b ? b : a - 1)
ATOMIC (min_u32, uint32_t, MIN (a, b))
ATOMIC (max_u32, uint32_t, MAX (a, b))
ATOMIC (min_s32, uint32_t, (int32_t) a < (int32_t) b ? a : b)
ATOMIC (max_s32, uint32_t, (int32_t) a > (int32_t) b ? a : b)
ATOMIC (and_64,  uint64_t, a & b)
ATOMIC (or_64,   uint64_t, a | b)
ATOMIC (xor_64,  uint64_t, a ^ b)
ATOMIC (exch_64, uint64_t, b)
ATOMIC (cas_64,  uint64_t, a == b ? c : a)
ATOMIC (add_64,  uint64_t, a + b)
ATOMIC (min_u64, uint64_t, MIN (a, b))
ATOMIC (max_u64, uint64_t, MAX (a, b))
ATOMIC (min_s64, uint64_t, (int64_t) a < (int64_t) b ? a : b)
ATOMIC (max_s64, uint64_t, (int64_t) a > (int64_t) b ? a : b)
ATOMIC (cas_16,  uint16_t, a == b ? c : a)
ATOMIC (add_to_f32,    uint32_t, add_f32 (a, b, !is_shared))
ATOMIC (add_to_f64,    uint64_t, cured_add_f64_in_memory (a, b, is_shared))
ATOMIC (add_to_f16,    uint16_t, add_f16 (a, b))
ATOMIC (add_to_bf16,   uint16_t, add_bf16 (a, b))
ATOMIC (add_to_f16x2,  uint32_t, add_f16x2 (a, b))
ATOMIC (add_to_bf16x2, uint32_t, add_bf16x2 (a, b))
/* clang-format on */

/* What the ISA has; a row: operation, type, handler, whether red has it. */
static const struct
{
  CuredPtxWord operation;
  CuredPtxType type;
  CuredPtxHandler run;
  bool is_reduction;
} atomics[] = {
  { CURED_PTX_OPERATION_AND, CURED_PTX_B32, and_32, true },
  { CURED_PTX_OPERATION_OR, CURED_PTX_B32, or_32, true },
  { CURED_PTX_OPERATION_XOR, CURED_PTX_B32, xor_32, true },
  { CURED_PTX_OPERATION_AND, CURED_PTX_B64, and_64, true },
  { CURED_PTX_OPERATION_OR, CURED_PTX_B64, or_64, true },
  { CURED_PTX_OPERATION_XOR, CURED_PTX_B64, xor_64, true },
  { CURED_PTX_OPERATION_EXCH, CURED_PTX_B32, exch_32, false },
  { CURED_PTX_OPERATION_EXCH, CURED_PTX_B64, exch_64, false },
  { CURED_PTX_OPERATION_CAS, CURED_PTX_B16, cas_16, false },
  { CURED_PTX_OPERATION_CAS, CURED_PTX_B32, cas_32, false },
  { CURED_PTX_OPERATION_CAS, CURED_PTX_B64, cas_64, false },
  { CURED_PTX_OPERATION_ADD, CURED_PTX_U32, add_32, true },
  { CURED_PTX_OPERATION_ADD, CURED_PTX_S32, add_32, true },
  { CURED_PTX_OPERATION_ADD, CURED_PTX_U64, add_64, true },
  { CURED_PTX_OPERATION_ADD, CURED_PTX_F32, add_to_f32, true },
  { CURED_PTX_OPERATION_ADD, CURED_PTX_F64, add_to_f64, true },
  { CURED_PTX_OPERATION_ADD, CURED_PTX_F16, add_to_f16, true },
  { CURED_PTX_OPERATION_ADD, CURED_PTX_BF16, add_to_bf16, true },
  { CURED_PTX_OPERATION_ADD, CURED_PTX_F16X2, add_to_f16x2, true },
  { CURED_PTX_OPERATION_ADD, CURED_PTX_BF16X2, add_to_bf16x2, true },
  { CURED_PTX_OPERATION_INC, CURED_PTX_U32, inc_32, true },
  { CURED_PTX_OPERATION_DEC, CURED_PTX_U32, dec_32, true },
  { CURED_PTX_OPERATION_MIN, CURED_PTX_U32, min_u32, true },
  { CURED_PTX_OPERATION_MAX, CURED_PTX_U32, max_u32, true },
  { CURED_PTX_OPERATION_MIN, CURED_PTX_S32, min_s32, true },
  { CURED_PTX_OPERATION_MAX, CURED_PTX_S32, max_s32, true },
  { CURED_PTX_OPERATION_MIN, CURED_PTX_U64, min_u64, true },
  { CURED_PTX_OPERATION_MAX, CURED_PTX_U64, max_u64, true },
  { CURED_PTX_OPERATION_MIN, CURED_PTX_S64, min_s64, true },
  { CURED_PTX_OPERATION_MAX, CURED_PTX_S64, max_s64, true },
};

static CuredPtxHandler
select_atomic (const CuredPtxInst *inst, bool is_reduction, const char **problem)
{
  CuredPtxWord order = (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER];
  CuredPtxWord space = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SPACE];
  bool is_noftz = inst->words[CURED_PTX_GROUP_NOFTZ] != CURED_PTX_NO_WORD;
  CuredPtxWord operation = (CuredPtxWord) inst->words[CURED_PTX_GROUP_OPERATION];
  CuredPtxType type = (CuredPtxType) inst->types[0];
  const CuredPtxOperand *address = &inst->x[is_reduction ? 0 : 1];
  bool is_cas = operation == CURED_PTX_OPERATION_CAS;
  bool is_half = type == CURED_PTX_F16 || type == CURED_PTX_BF16 || type == CURED_PTX_F16X2 ||
                 type == CURED_PTX_BF16X2;

  if (space != CURED_PTX_NO_WORD && space != CURED_PTX_SPACE_GLOBAL &&
      space != CURED_PTX_SPACE_SHARED)
    *problem = "takes global or shared memory only";
  else if (order != CURED_PTX_NO_WORD && order != CURED_PTX_ORDER_RELAXED &&
           order != CURED_PTX_ORDER_RELEASE &&
           (is_reduction || (order != CURED_PTX_ORDER_ACQUIRE && order != CURED_PTX_ORDER_ACQ_REL)))
    *problem = is_reduction ? "takes .relaxed or .release"
                            : "takes .relaxed, .acquire, .release or .acq_rel";
  else if (is_half != is_noftz)
    *problem = "takes .noftz with f16 and bf16, and only there";
  else if (inst->n_types != 1 || (address->width != 4 && address->width != 8))
    *problem = "takes one type and an address of 32 or 64 bits";
  else if (inst->words[CURED_PTX_GROUP_HINT] != 0 && (is_cas || space == CURED_PTX_SPACE_SHARED))
    *problem = "takes no hint for the caches here";
  else if (!is_reduction && is_cas != (inst->x[3].width != 0))
    *problem = is_cas ? "takes two values with .cas" : "takes one value";
  else
    {
      for (gsize i = 0; i < G_N_ELEMENTS (atomics); i++)
        if (atomics[i].operation == operation && atomics[i].type == type &&
            (atomics[i].is_reduction || !is_reduction))
          return atomics[i].run;
      *problem = is_reduction ? "has no such reduction of this type"
                              : "has no such operation on this type";
    }
  return NULL;
}

CuredPtxHandler
SELECT (atom) (const CuredPtxInst *inst, const char **problem)
{
  return select_atomic (inst, false, problem);
}

CuredPtxHandler
SELECT (red) (const CuredPtxInst *inst, const char **problem)
{
  return select_atomic (inst, true, problem);
}

/* ---- Fences ---- */

static void
run_membar (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_fence (warp, inst, mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                     CURED_PTX_ORDER_SC);
}

CuredPtxHandler
SELECT (membar) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord scope = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE];

  if (scope != CURED_PTX_NO_WORD && scope != CURED_PTX_SCOPE_CLUSTER)
    return run_membar;
  *problem = "takes .cta, .gl or .sys";
  return NULL;
}

static void
run_fence (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxWord order = (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER];

  _cured_warp_fence (warp, inst, mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                     order != CURED_PTX_NO_WORD ? order : CURED_PTX_ORDER_ACQ_REL);
}

CuredPtxHandler
SELECT (fence) (const CuredPtxInst *inst, const char **problem)
{
  if (inst->words[CURED_PTX_GROUP_SCOPE] == CURED_PTX_NO_WORD)
    {
      *problem = "takes a scope: .cta, .cluster, .gpu or .sys";
      return NULL;
    }
  switch (inst->words[CURED_PTX_GROUP_ORDER])
    {
    case CURED_PTX_NO_WORD:
    case CURED_PTX_ORDER_ACQ_REL:
    case CURED_PTX_ORDER_SC:
    case CURED_PTX_ORDER_ACQUIRE:
    case CURED_PTX_ORDER_RELEASE:
      return run_fence;
    default:
      *problem = "takes .sc, .acq_rel, .acquire or .release";
      return NULL;
    }
}

/* Copy engines see memory as it is: what a missing fence would hide from them is the race
 * detector's to find. */
static void
run_fence_proxy (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_fence (warp, inst, mask, CURED_PTX_SCOPE_CTA, CURED_PTX_ORDER_RELAXED);
}

static void
run_fence_mbarrier (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
}

CuredPtxHandler
SELECT (fence_mbarrier) (const CuredPtxInst *inst, const char **problem)
{
  REFUSE_IF (WORD_OF (inst, ORDER) != CURED_PTX_ORDER_RELEASE ||
                 WORD_OF (inst, SCOPE) != CURED_PTX_SCOPE_CLUSTER,
             "takes .release.cluster");
  return run_fence_mbarrier;
}

/* Tensor maps are read when a copy begins, as they are: who does not order that is found. */
static void
run_fence_tensormap (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_fence (warp, inst, mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                     (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER]);
}

CuredPtxHandler
SELECT (fence_tensormap) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord order = (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER];
  bool has_address = inst->x[0].width != 0;

  REFUSE_IF (order != CURED_PTX_ORDER_ACQUIRE && order != CURED_PTX_ORDER_RELEASE,
             "takes .acquire or .release");
  REFUSE_IF (inst->words[CURED_PTX_GROUP_SCOPE] == CURED_PTX_NO_WORD, "takes a scope");
  REFUSE_IF (has_address != (order == CURED_PTX_ORDER_ACQUIRE),
             "takes an address and 128 with .acquire, and with that alone");
  REFUSE_IF (has_address && inst->immediate != 128, "takes 128 bytes");
  return run_fence_tensormap;
}

CuredPtxHandler
SELECT (fence_proxy) (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxWord space = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SPACE];

  if (space == CURED_PTX_NO_WORD || space == CURED_PTX_SPACE_GLOBAL ||
      space == CURED_PTX_SPACE_SHARED)
    return run_fence_proxy;
  *problem = "takes global or shared memory only";
  return NULL;
}
