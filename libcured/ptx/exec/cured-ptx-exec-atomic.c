/* SPDX-License-Identifier: MIT
 * Atomic operations and fences. */

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

/* ---- Operations on one value ---- */

/* PTX ISA 9.0, atom: additions of .f32 flush subnormals in global memory and keep them in shared
 * memory. */
static inline uint32_t
add_f32 (uint32_t a, uint32_t b, bool is_flushing)
{
  float x = cured_f32_of_bits (a);
  float y = cured_f32_of_bits (b);
  float sum = is_flushing ? cured_flush_f32 (cured_flush_f32 (x) + cured_flush_f32 (y)) : x + y;

  return sum != sum ? CURED_NAN_F32 : cured_bits_of_f32 (sum);
}

/* f32 has enough bits to make the double rounding harmless. */
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

static inline uint16_t
limit_f16 (uint16_t a, uint16_t b, bool is_least)
{
  return cured_f32_to_f16 (
      cured_limit_in_memory (cured_f16_to_f32 (a), cured_f16_to_f32 (b), is_least),
      CURED_PTX_ROUND_RN);
}

static inline uint16_t
limit_bf16 (uint16_t a, uint16_t b, bool is_least)
{
  return cured_f32_to_bf16 (
      cured_limit_in_memory (cured_bf16_to_f32 (a), cured_bf16_to_f32 (b), is_least),
      CURED_PTX_ROUND_RN);
}

/* ---- Lanes ---- */

/* The operands of an atom or red. */
typedef struct
{
  const CuredPtxOperand *d; /* nullable */
  const CuredPtxOperand *b, *c;
  CuredHosts hosts;
  bool is_private; /* no other thread accesses the memory meanwhile */
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
  bool is_atom = inst->op == CURED_PTX_OP_atom;
  const CuredPtxOperand *address = cured_get_operands (inst, is_atom ? 1 : 0);
  CuredWarpRequest request = {
    .inst = inst,
    .mask = mask,
    .space = cured_get_space (inst),
    .kind = is_atom && inst->x[0].width != 0 ? CURED_ACCESS_ATOMIC : CURED_ACCESS_REDUCTION,
    .width = width,
  };

  self->d = request.kind == CURED_ACCESS_ATOMIC ? &inst->x[0] : NULL;
  self->b = address + 1;
  self->c = cured_get_operands (inst, is_atom ? 3 : 2);
  if (is_order (inst, CURED_PTX_ORDER_RELEASE))
    _cured_warp_fence (warp, inst, mask, get_scope (inst), CURED_PTX_ORDER_RELEASE);
  _cured_warp_access (warp, &request, address, inst->displacement, &self->hosts);
  /* A block runs on one host thread, so its shared memory is private. */
  self->is_private = self->hosts.space == CURED_SPACE_SHARED;
}

static inline void
end (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, Atomic *self)
{
  uint32_t refused = mask & ~self->hosts.mask;

  for (; self->d != NULL && refused != 0; refused &= refused - 1)
    for (unsigned i = 0; i < inst->counts[0]; i++)
      cured_set_lane (warp, &self->d[i], (unsigned) __builtin_ctz (refused), 0);
  if (is_order (inst, CURED_PTX_ORDER_ACQUIRE))
    _cured_warp_fence (warp, inst, mask, get_scope (inst), CURED_PTX_ORDER_ACQUIRE);
}

/* Whether this lane's memory is shared, for an access to several spaces. */
static inline bool
is_shared_lane (const CuredWarp *warp, const uint8_t *host)
{
  const CuredBlock *block = warp->block;

  return (uintptr_t) host - (uintptr_t) block->shared < block->shared_bytes;
}

/* Lanes run in ascending order; a device's order is undefined. Expressions can use a (the value in
 * memory), b, c and is_shared. _cured_warp_access() checked the alignment of addresses; the host's
 * memory is aligned likewise. */
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

/* The same for each element of a vector, in global memory; only elements are atomic, as on a
 * chip. */
#define ATOMIC_VECTOR(name, T, expression)                                                         \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    const unsigned n = cured_get_vector (inst);                                                    \
    const bool is_shared = false;                                                                  \
    Atomic self;                                                                                   \
                                                                                                   \
    (void) is_shared;                                                                              \
    begin (warp, inst, mask, n *(uint32_t) sizeof (T), &self);                                     \
    for (uint32_t left = self.hosts.mask; left != 0; left &= left - 1)                             \
      for (unsigned i = 0; i < n; i++)                                                             \
        {                                                                                          \
          unsigned l = (unsigned) __builtin_ctz (left);                                            \
          T *at = (T *) (void *) self.hosts.host[l] + i;                                           \
          T b = LANES (const T, self.b[i])[l];                                                     \
          T old = __atomic_load_n (at, __ATOMIC_RELAXED);                                          \
          T a;                                                                                     \
                                                                                                   \
          do                                                                                       \
            a = old;                                                                               \
          while (!__atomic_compare_exchange_n (at, &old, (T) (expression), true, __ATOMIC_SEQ_CST, \
                                               __ATOMIC_RELAXED));                                 \
          if (self.d != NULL)                                                                      \
            cured_set_lane (warp, &self.d[i], l, a);                                               \
        }                                                                                          \
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
ATOMIC_VECTOR (add_to_f32s,    uint32_t, add_f32 (a, b, !is_shared))
ATOMIC_VECTOR (add_to_f16s,    uint16_t, add_f16 (a, b))
ATOMIC_VECTOR (add_to_bf16s,   uint16_t, add_bf16 (a, b))
ATOMIC_VECTOR (add_to_f16x2s,  uint32_t, add_f16x2 (a, b))
ATOMIC_VECTOR (add_to_bf16x2s, uint32_t, add_bf16x2 (a, b))
#define TWICE(name, a, b, is_least) name ((uint16_t) a, (uint16_t) b, is_least) | (uint32_t) name ((uint16_t) (a >> 16), (uint16_t) (b >> 16), is_least) << 16
ATOMIC_VECTOR (min_f16s,       uint16_t, limit_f16 (a, b, true))
ATOMIC_VECTOR (min_bf16s,      uint16_t, limit_bf16 (a, b, true))
ATOMIC_VECTOR (min_f16x2s,     uint32_t, TWICE (limit_f16, a, b, true))
ATOMIC_VECTOR (min_bf16x2s,    uint32_t, TWICE (limit_bf16, a, b, true))
ATOMIC_VECTOR (max_f16s,       uint16_t, limit_f16 (a, b, false))
ATOMIC_VECTOR (max_bf16s,      uint16_t, limit_bf16 (a, b, false))
ATOMIC_VECTOR (max_f16x2s,     uint32_t, TWICE (limit_f16, a, b, false))
ATOMIC_VECTOR (max_bf16x2s,    uint32_t, TWICE (limit_bf16, a, b, false))
/* clang-format on */

/* ---- Fences ---- */

static void
run_membar (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_fence (warp, inst, mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                     CURED_PTX_ORDER_SC);
}

static void
run_fence (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  CuredPtxWord order = (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER];

  _cured_warp_fence (warp, inst, mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                     order != CURED_PTX_NO_WORD ? order : CURED_PTX_ORDER_ACQ_REL);
}

/* Copy engines see memory immediately: the race detector reports missing fences. */
static void
run_fence_proxy (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_fence (warp, inst, mask, CURED_PTX_SCOPE_CTA, CURED_PTX_ORDER_RELAXED);
}

static void
run_fence_mbarrier (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
}

/* Tensor maps are read immediately when a copy begins; missing fences are reported. */
static void
run_fence_tensormap (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_fence (warp, inst, mask, (CuredPtxWord) inst->words[CURED_PTX_GROUP_SCOPE],
                     (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER]);
}

/* ---- Forms ---- */

static const char *
check_address (const CuredPtxInst *inst)
{
  bool is_atom = inst->op == CURED_PTX_OP_atom;
  bool is_cas = WORD_OF (inst, OPERATION) == CURED_PTX_OPERATION_CAS;
  const CuredPtxOperand *address = cured_get_operands (inst, is_atom ? 1 : 0);

  if (address->width != 4 && address->width != 8)
    return "takes an address of 32 or 64 bits";
  return is_atom && is_cas != (cured_get_operands (inst, 3)->width != 0)
             ? "takes one value, or two with .cas"
             : NULL;
}

static const char *
check_map (const CuredPtxInst *inst)
{
  return inst->immediate != 128 ? "takes 128 bytes" : NULL;
}

static const char *
check_no_map (const CuredPtxInst *inst)
{
  return inst->x[0].width != 0 ? "takes an address with .acquire alone" : NULL;
}

/* clang-format off */
#define SPACES MAY (SPACE, GLOBAL), MAY (SPACE, SHARED)
#define ORDERS MAY (ORDER, RELAXED), MAY (ORDER, ACQUIRE), MAY (ORDER, RELEASE), MAY (ORDER, ACQ_REL)
#define SCOPE  W_SCOPE_CTA, W_SCOPE_CLUSTER, W_SCOPE_GPU, W_SCOPE_SYS
/* Cache hints are only for global memory. */
#define ATOM(types, words, run) \
  CHECKED (atom, types, WORDS (words, MAY (SPACE, GLOBAL), ORDERS), G_SCOPE | G_HINT, run, check_address) \
  CHECKED (atom, types, WORDS (words, W_SPACE_SHARED, ORDERS), G_SCOPE, run, check_address)
#define RED(types, words, run) \
  CHECKED (red, types, WORDS (words, MAY (SPACE, GLOBAL), MAY (ORDER, RELAXED), MAY (ORDER, RELEASE)), G_SCOPE | G_HINT, run, check_address) \
  CHECKED (red, types, WORDS (words, W_SPACE_SHARED, MAY (ORDER, RELAXED), MAY (ORDER, RELEASE)), G_SCOPE, run, check_address)
/* .v2 and .v4, for halves .v8 as well; in global memory. */
#define VECTOR(types, words, run) \
  CHECKED (atom, types, WORDS (words, MAY (SPACE, GLOBAL), ORDERS), G_SCOPE | G_HINT, run, check_address) \
  CHECKED (red, types, WORDS (words, MAY (SPACE, GLOBAL), MAY (ORDER, RELAXED), MAY (ORDER, RELEASE)), G_SCOPE | G_HINT, run, check_address)
#define SHORT W_VECTOR_V2, W_VECTOR_V4, W_NOFTZ_NOFTZ
#define HALVES(operation, name) \
  VECTOR (T_F16, WORDS (operation, SHORT, W_VECTOR_V8), name##_f16s) \
  VECTOR (T_BF16, WORDS (operation, SHORT, W_VECTOR_V8), name##_bf16s) \
  VECTOR (T_F16X2, WORDS (operation, SHORT), name##_f16x2s) \
  VECTOR (T_BF16X2, WORDS (operation, SHORT), name##_bf16x2s)
#define BOTH(types, words, run) ATOM (types, WORDS (words), run) RED (types, WORDS (words), run)
#define CAS(types, run) CHECKED (atom, types, WORDS (W_OPERATION_CAS, SPACES, ORDERS), G_SCOPE, run, check_address)
#define ADD_NOFTZ WORDS (W_OPERATION_ADD, W_NOFTZ_NOFTZ)

static const CuredPtxForm forms[] = {
  BOTH (T_B32, W_OPERATION_AND, and_32)
  BOTH (T_B32, W_OPERATION_OR, or_32)
  BOTH (T_B32, W_OPERATION_XOR, xor_32)
  BOTH (T_B64, W_OPERATION_AND, and_64)
  BOTH (T_B64, W_OPERATION_OR, or_64)
  BOTH (T_B64, W_OPERATION_XOR, xor_64)
  ATOM (T_B32, W_OPERATION_EXCH, exch_32)
  ATOM (T_B64, W_OPERATION_EXCH, exch_64)
  CAS (T_B16, cas_16)
  CAS (T_B32, cas_32)
  CAS (T_B64, cas_64)
  BOTH (T_I32, W_OPERATION_ADD, add_32)
  BOTH (T_U64, W_OPERATION_ADD, add_64)
  BOTH (T_F32, W_OPERATION_ADD, add_to_f32)
  BOTH (T_F64, W_OPERATION_ADD, add_to_f64)
  BOTH (T_F16, ADD_NOFTZ, add_to_f16)
  BOTH (T_BF16, ADD_NOFTZ, add_to_bf16)
  BOTH (T_F16X2, ADD_NOFTZ, add_to_f16x2)
  BOTH (T_BF16X2, ADD_NOFTZ, add_to_bf16x2)
  VECTOR (T_F32, WORDS (W_OPERATION_ADD, W_VECTOR_V2, W_VECTOR_V4), add_to_f32s)
  HALVES (W_OPERATION_ADD, add_to)
  HALVES (W_OPERATION_MIN, min)
  HALVES (W_OPERATION_MAX, max)
  BOTH (T_U32, W_OPERATION_INC, inc_32)
  BOTH (T_U32, W_OPERATION_DEC, dec_32)
  BOTH (T_U32, W_OPERATION_MIN, min_u32)
  BOTH (T_U32, W_OPERATION_MAX, max_u32)
  BOTH (T_S32, W_OPERATION_MIN, min_s32)
  BOTH (T_S32, W_OPERATION_MAX, max_s32)
  BOTH (T_U64, W_OPERATION_MIN, min_u64)
  BOTH (T_U64, W_OPERATION_MAX, max_u64)
  BOTH (T_S64, W_OPERATION_MIN, min_s64)
  BOTH (T_S64, W_OPERATION_MAX, max_s64)
  FORM (membar, 0, WORDS (W_SCOPE_CTA, W_SCOPE_GPU, W_SCOPE_SYS), run_membar)
  FORM (fence, 0, WORDS (SCOPE, MAY (ORDER, ACQ_REL), MAY (ORDER, SC), MAY (ORDER, ACQUIRE), MAY (ORDER, RELEASE)), run_fence)
  FORM (fence_proxy, 0, SPACES, run_fence_proxy)
  CHECKED (fence_tensormap, 0, WORDS (SCOPE, W_ORDER_ACQUIRE), 0, run_fence_tensormap, check_map)
  CHECKED (fence_tensormap, 0, WORDS (SCOPE, W_ORDER_RELEASE), 0, run_fence_tensormap, check_no_map)
  FORM (fence_mbarrier, 0, WORDS (W_ORDER_RELEASE, W_SCOPE_CLUSTER), run_fence_mbarrier)
};
/* clang-format on */

FORMS_OF (atomic)
