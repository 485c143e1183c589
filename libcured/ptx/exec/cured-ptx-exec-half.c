/* SPDX-License-Identifier: MIT
 * Half precision, f16 and bf16, one or two a register.
 *
 * Every result is rounded once. Sums and, for f16, products are exact or rounded in f32, which has
 * more than twice the bits; products of bf16 can be too small or too great for f32, and go through
 * f64. A fused multiply-add rounds its sum to odd first. A NaN result is 0x7fff, of sign changes as
 * well; .ftz looks at the result after it was rounded. The approximations are computed in double
 * and rounded once. */
#include <math.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

#define RN CURED_PTX_ROUND_RN

/* ---- One value ---- */

#define FLUSH_F16(x) cured_f16_to_f32 (is_flushed ? cured_flush_f16 (x) : (x))

static inline G_ALWAYS_INLINE uint32_t
finish_f16 (float x, bool is_flushed, bool is_saturated)
{
  uint32_t half = cured_f32_to_f16 (x, RN);

  if (is_flushed)
    half = cured_flush_f16 (half);
  return is_saturated ? cured_saturate_f16 (half) : half;
}

static inline G_ALWAYS_INLINE uint32_t
add_f16 (uint32_t a, uint32_t b, bool is_flushed, bool is_saturated)
{
  return finish_f16 (FLUSH_F16 (a) + FLUSH_F16 (b), is_flushed, is_saturated);
}

static inline G_ALWAYS_INLINE uint32_t
mul_f16 (uint32_t a, uint32_t b, bool is_flushed, bool is_saturated)
{
  return finish_f16 (FLUSH_F16 (a) * FLUSH_F16 (b), is_flushed, is_saturated);
}

/* The product of two f16 is exact in f32. */
static inline G_ALWAYS_INLINE uint32_t
fma_f16 (uint32_t a, uint32_t b, uint32_t c, bool is_flushed, bool is_saturated)
{
  return finish_f16 (cured_add_to_odd_f32 (FLUSH_F16 (a) * FLUSH_F16 (b), FLUSH_F16 (c)),
                     is_flushed, is_saturated);
}

static inline G_ALWAYS_INLINE uint32_t
add_bf16 (uint32_t a, uint32_t b)
{
  return cured_f32_to_bf16 (cured_bf16_to_f32 (a) + cured_bf16_to_f32 (b), RN);
}

static inline G_ALWAYS_INLINE double
multiply_bf16 (uint32_t a, uint32_t b)
{
  return (double) cured_bf16_to_f32 (a) * (double) cured_bf16_to_f32 (b);
}

static inline G_ALWAYS_INLINE uint32_t
mul_bf16 (uint32_t a, uint32_t b)
{
  return cured_f32_to_bf16 (cured_f64_to_odd_f32 (multiply_bf16 (a, b)), RN);
}

static inline G_ALWAYS_INLINE uint32_t
fma_bf16 (uint32_t a, uint32_t b, uint32_t c)
{
  double sum = cured_add_to_odd_f64 (multiply_bf16 (a, b), (double) cured_bf16_to_f32 (c));

  return cured_f32_to_bf16 (cured_f64_to_odd_f32 (sum), RN);
}

#define INFINITY_F16  0x7c00
#define INFINITY_BF16 0x7f80

static inline G_ALWAYS_INLINE bool
is_nan_half (uint32_t x, uint32_t infinity)
{
  return (x & 0x7fff) > infinity;
}

static inline G_ALWAYS_INLINE uint32_t
change_sign (uint32_t x, uint32_t infinity, uint32_t and_mask, uint32_t xor_mask)
{
  return is_nan_half (x, infinity) ? CURED_NAN_F16 : (uint32_t) ((x & and_mask) ^ xor_mask);
}

/* Numbers in their order, -0 before +0. */
static inline G_ALWAYS_INLINE int32_t
order_half (uint32_t x)
{
  int32_t bits = (int32_t) (x << 16) >> 16;

  return bits ^ (bits >> 15 & 0x7fff);
}

static inline G_ALWAYS_INLINE uint32_t
choose_half (uint32_t a, uint32_t b, uint32_t infinity, bool is_max, bool is_flushed,
             bool is_nan_kept, bool is_xorsign)
{
  if (is_flushed)
    {
      a = cured_flush_f16 (a);
      b = cured_flush_f16 (b);
    }

  uint32_t sign = (a ^ b) & 0x8000;

  if (is_xorsign)
    {
      a &= 0x7fff;
      b &= 0x7fff;
    }

  bool a_is_nan = is_nan_half (a, infinity);
  bool b_is_nan = is_nan_half (b, infinity);
  bool is_a = is_max ? order_half (a) > order_half (b) : order_half (a) < order_half (b);
  uint32_t x = is_a ? a : b;

  x = b_is_nan ? a : x;
  x = a_is_nan ? b : x;
  if (is_xorsign)
    x |= sign;

  bool is_nan = is_nan_kept ? a_is_nan | b_is_nan : a_is_nan & b_is_nan;

  return is_nan ? CURED_NAN_F16 : x;
}

static uint32_t
ex2_bf16 (uint32_t a)
{
  double x = (double) cured_bf16_to_f32 (cured_flush_bf16 (a));

  return cured_flush_bf16 (cured_f64_to_bf16 (exp2 (x), RN));
}

/* ---- Handlers ---- */

#define LOW(x)          ((uint16_t) (x))
#define HIGH(x)         ((uint16_t) ((x) >> 16))
#define PACK(low, high) ((uint32_t) (low) | (uint32_t) (high) << 16)

/* Lanes that do not run are computed as well and thrown away: that is quicker than to go lane by
 * lane, and the code is there once. */
#define VECTOR(name, D, sources, values, expression)                                               \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    D *d_ = LANES (D, inst->x[0]);                                                                 \
    D all[CURED_WARP_LANES] __attribute__ ((aligned (64)));                                        \
    D *to = mask == CURED_ALL_LANES ? d_ : all;                                                    \
    sources;                                                                                       \
                                                                                                   \
    CURED_IVDEP for (unsigned l = 0; l < CURED_WARP_LANES; l++)                                    \
    {                                                                                              \
      values;                                                                                      \
      to[l] = (D) (expression);                                                                    \
    }                                                                                              \
    if (mask != CURED_ALL_LANES)                                                                   \
      FOR_LANES (mask, d_[l] = all[l]);                                                            \
  }

#define SOURCE(type, name, k) const type *name##_ = LANES (type, inst->x[k])
#define VALUE(name)           uint32_t name = name##_[l]

/* A handler of one value per register and one of two: name[is_packed]. The expression knows a, b,
 * c. */
#define HALF_1(name, expression)                                                                   \
  static inline G_ALWAYS_INLINE uint32_t name##_of (uint32_t a) { return expression; }             \
  VECTOR (name##_one, uint16_t, SOURCE (uint16_t, a, 1), VALUE (a), name##_of (a))                 \
  VECTOR (name##_two, uint32_t, SOURCE (uint32_t, a, 1), VALUE (a),                                \
          PACK (name##_of (LOW (a)), name##_of (HIGH (a))))                                        \
  static const CuredPtxHandler name[2] = { name##_one, name##_two };
#define HALF_2(name, expression)                                                                   \
  static inline G_ALWAYS_INLINE uint32_t name##_of (uint32_t a, uint32_t b) { return expression; } \
  VECTOR (name##_one, uint16_t, SOURCE (uint16_t, a, 1); SOURCE (uint16_t, b, 2), VALUE (a);       \
          VALUE (b), name##_of (a, b))                                                             \
  VECTOR (name##_two, uint32_t, SOURCE (uint32_t, a, 1); SOURCE (uint32_t, b, 2), VALUE (a);       \
          VALUE (b), PACK (name##_of (LOW (a), LOW (b)), name##_of (HIGH (a), HIGH (b))))          \
  static const CuredPtxHandler name[2] = { name##_one, name##_two };
#define HALF_3(name, expression)                                                                   \
  static inline G_ALWAYS_INLINE uint32_t name##_of (uint32_t a, uint32_t b, uint32_t c)            \
  {                                                                                                \
    return expression;                                                                             \
  }                                                                                                \
  VECTOR (name##_one, uint16_t, SOURCE (uint16_t, a, 1); SOURCE (uint16_t, b, 2);                  \
          SOURCE (uint16_t, c, 3), VALUE (a); VALUE (b); VALUE (c), name##_of (a, b, c))           \
  VECTOR (name##_two, uint32_t, SOURCE (uint32_t, a, 1); SOURCE (uint32_t, b, 2);                  \
          SOURCE (uint32_t, c, 3), VALUE (a); VALUE (b);                                           \
          VALUE (c),                                                                               \
          PACK (name##_of (LOW (a), LOW (b), LOW (c)), name##_of (HIGH (a), HIGH (b), HIGH (c))))  \
  static const CuredPtxHandler name[2] = { name##_one, name##_two };

HALF_2 (add_plain, add_f16 (a, b, false, false))
HALF_2 (add_sat, add_f16 (a, b, false, true))
HALF_2 (add_ftz, add_f16 (a, b, true, false))
HALF_2 (add_ftz_sat, add_f16 (a, b, true, true))
HALF_2 (sub_plain, add_f16 (a, b ^ 0x8000, false, false))
HALF_2 (sub_sat, add_f16 (a, b ^ 0x8000, false, true))
HALF_2 (sub_ftz, add_f16 (a, b ^ 0x8000, true, false))
HALF_2 (sub_ftz_sat, add_f16 (a, b ^ 0x8000, true, true))
HALF_2 (mul_plain, mul_f16 (a, b, false, false))
HALF_2 (mul_sat, mul_f16 (a, b, false, true))
HALF_2 (mul_ftz, mul_f16 (a, b, true, false))
HALF_2 (mul_ftz_sat, mul_f16 (a, b, true, true))
HALF_3 (fma_plain, fma_f16 (a, b, c, false, false))
HALF_3 (fma_sat, fma_f16 (a, b, c, false, true))
HALF_3 (fma_relu, cured_relu_f16 (fma_f16 (a, b, c, false, false)))
HALF_3 (fma_ftz, fma_f16 (a, b, c, true, false))
HALF_3 (fma_ftz_sat, fma_f16 (a, b, c, true, true))
HALF_3 (fma_ftz_relu, cured_relu_f16 (fma_f16 (a, b, c, true, false)))
HALF_2 (add_b, add_bf16 (a, b))
HALF_2 (sub_b, add_bf16 (a, b ^ 0x8000))
HALF_2 (mul_b, mul_bf16 (a, b))
HALF_3 (fma_b, fma_bf16 (a, b, c))
HALF_3 (fma_relu_b, cured_relu_bf16 (fma_bf16 (a, b, c)))

HALF_1 (abs_plain, change_sign (a, INFINITY_F16, 0x7fff, 0))
HALF_1 (abs_ftz, change_sign (cured_flush_f16 (a), INFINITY_F16, 0x7fff, 0))
HALF_1 (abs_b, change_sign (a, INFINITY_BF16, 0x7fff, 0))
HALF_1 (neg_plain, change_sign (a, INFINITY_F16, 0xffff, 0x8000))
HALF_1 (neg_ftz, change_sign (cured_flush_f16 (a), INFINITY_F16, 0xffff, 0x8000))
HALF_1 (neg_b, change_sign (a, INFINITY_BF16, 0xffff, 0x8000))

/* name[ftz][NaN][xorsign][is_packed]; no .ftz for bf16. */
#define CHOICE(name, is_max)                                                                       \
  HALF_2 (name, choose_half (a, b, INFINITY_F16, is_max, 0, 0, 0))                                 \
  HALF_2 (name##_x, choose_half (a, b, INFINITY_F16, is_max, 0, 0, 1))                             \
  HALF_2 (name##_n, choose_half (a, b, INFINITY_F16, is_max, 0, 1, 0))                             \
  HALF_2 (name##_nx, choose_half (a, b, INFINITY_F16, is_max, 0, 1, 1))                            \
  HALF_2 (name##_f, choose_half (a, b, INFINITY_F16, is_max, 1, 0, 0))                             \
  HALF_2 (name##_fx, choose_half (a, b, INFINITY_F16, is_max, 1, 0, 1))                            \
  HALF_2 (name##_fn, choose_half (a, b, INFINITY_F16, is_max, 1, 1, 0))                            \
  HALF_2 (name##_fnx, choose_half (a, b, INFINITY_F16, is_max, 1, 1, 1))                           \
  HALF_2 (name##_b, choose_half (a, b, INFINITY_BF16, is_max, 0, 0, 0))                            \
  HALF_2 (name##_bx, choose_half (a, b, INFINITY_BF16, is_max, 0, 0, 1))                           \
  HALF_2 (name##_bn, choose_half (a, b, INFINITY_BF16, is_max, 0, 1, 0))                           \
  HALF_2 (name##_bnx, choose_half (a, b, INFINITY_BF16, is_max, 0, 1, 1))                          \
  static const CuredPtxHandler *const name##_f16[2][2][2] = {                                      \
    { { name, name##_x }, { name##_n, name##_nx } },                                               \
    { { name##_f, name##_fx }, { name##_fn, name##_fnx } },                                        \
  };                                                                                               \
  static const CuredPtxHandler *const name##_bf16[2][2] = {                                        \
    { name##_b, name##_bx },                                                                       \
    { name##_bn, name##_bnx },                                                                     \
  };

CHOICE (min, false)
CHOICE (max, true)

/* Calls of the C library: only for lanes that run. */
#define SLOW_1(name, expression)                                                                   \
  static uint32_t name##_of (uint32_t a) { return expression; }                                    \
  UNARY (name##_one, uint16_t, uint16_t, name##_of (a))                                            \
  UNARY (name##_two, uint32_t, uint32_t, PACK (name##_of (LOW (a)), name##_of (HIGH (a))))         \
  static const CuredPtxHandler name[2] = { name##_one, name##_two };

SLOW_1 (ex2_h, cured_f64_to_f16 (exp2 ((double) cured_f16_to_f32 (a)), RN))
SLOW_1 (ex2_b, ex2_bf16 (a))
SLOW_1 (tanh_h, cured_f64_to_f16 (tanh ((double) cured_f16_to_f32 (a)), RN))
SLOW_1 (tanh_b, cured_f64_to_bf16 (tanh ((double) cured_bf16_to_f32 (a)), RN))

/* ---- Comparison ---- */

/* A bit per lane: a < b, a == b, neither can be said. */
typedef struct
{
  uint32_t less;
  uint32_t equal;
  uint32_t unordered;
} Comparison;

static uint32_t
get_truth (const CuredPtxInst *inst, const Comparison *of)
{
  switch (inst->words[CURED_PTX_GROUP_COMPARE])
    {
    case CURED_PTX_COMPARE_EQ:
      return of->equal;
    case CURED_PTX_COMPARE_NE:
      return ~(of->equal | of->unordered);
    case CURED_PTX_COMPARE_LT:
      return of->less;
    case CURED_PTX_COMPARE_LE:
      return of->less | of->equal;
    case CURED_PTX_COMPARE_GT:
      return ~(of->less | of->equal | of->unordered);
    case CURED_PTX_COMPARE_GE:
      return ~(of->less | of->unordered);
    case CURED_PTX_COMPARE_EQU:
      return of->equal | of->unordered;
    case CURED_PTX_COMPARE_NEU:
      return ~of->equal;
    case CURED_PTX_COMPARE_LTU:
      return of->less | of->unordered;
    case CURED_PTX_COMPARE_LEU:
      return of->less | of->equal | of->unordered;
    case CURED_PTX_COMPARE_GTU:
      return ~(of->less | of->equal);
    case CURED_PTX_COMPARE_GEU:
      return ~of->less;
    case CURED_PTX_COMPARE_NUM:
      return ~of->unordered;
    default: /* NAN: the selector let nothing else through. */
      return of->unordered;
    }
}

static uint32_t
combine (CuredWarp *warp, const CuredPtxInst *inst, uint32_t truth)
{
  switch (inst->words[CURED_PTX_GROUP_OPERATION])
    {
    case CURED_PTX_OPERATION_AND:
      return truth & cured_get_predicate (warp, &inst->x[4]);
    case CURED_PTX_OPERATION_OR:
      return truth | cured_get_predicate (warp, &inst->x[4]);
    case CURED_PTX_OPERATION_XOR:
      return truth ^ cured_get_predicate (warp, &inst->x[4]);
    default:
      return truth;
    }
}

#define COMPARE(name, type, shift, convert)                                                        \
  static inline uint32_t name (CuredWarp *warp, const CuredPtxInst *inst)                          \
  {                                                                                                \
    const type *a_ = LANES (type, inst->x[2]);                                                     \
    const type *b_ = LANES (type, inst->x[3]);                                                     \
    Comparison of = { 0, 0, 0 };                                                                   \
                                                                                                   \
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)                                                \
      {                                                                                            \
        float a = convert ((uint16_t) (a_[l] >> shift));                                           \
        float b = convert ((uint16_t) (b_[l] >> shift));                                           \
                                                                                                   \
        of.less |= (uint32_t) (a < b) << l;                                                        \
        of.equal |= (uint32_t) (a == b) << l;                                                      \
        of.unordered |= (uint32_t) (a != a || b != b) << l;                                        \
      }                                                                                            \
    return combine (warp, inst, get_truth (inst, &of));                                            \
  }

/* Of two halves p is the lower one's truth, q the upper one's. */
#define COMPARES(name, convert)                                                                    \
  COMPARE (name##_of, uint16_t, 0, convert)                                                        \
  COMPARE (name##_low_of, uint32_t, 0, convert)                                                    \
  COMPARE (name##_high_of, uint32_t, 16, convert)                                                  \
  static void name##_one (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                \
  {                                                                                                \
    cured_set_predicate (warp, &inst->x[0], mask, name##_of (warp, inst));                         \
  }                                                                                                \
  static void name##_two (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                \
  {                                                                                                \
    uint32_t low = name##_low_of (warp, inst);                                                     \
    uint32_t high = name##_high_of (warp, inst);                                                   \
                                                                                                   \
    if (inst->x[0].width != 0)                                                                     \
      cured_set_predicate (warp, &inst->x[0], mask, low);                                          \
    if (inst->x[1].width != 0)                                                                     \
      cured_set_predicate (warp, &inst->x[1], mask, high);                                         \
  }                                                                                                \
  static const CuredPtxHandler name[2] = { name##_one, name##_two };

static inline float
flush_f16_to_f32 (uint16_t x)
{
  return cured_f16_to_f32 (cured_flush_f16 (x));
}

COMPARES (setp_plain, cured_f16_to_f32)
COMPARES (setp_ftz, flush_f16_to_f32)
COMPARES (setp_b, cured_bf16_to_f32)

/* ---- Selection ---- */

static bool
is_bf16 (const CuredPtxInst *inst)
{
  return inst->types[0] == CURED_PTX_BF16 || inst->types[0] == CURED_PTX_BF16X2;
}

static bool
is_packed (const CuredPtxInst *inst)
{
  return inst->types[0] == CURED_PTX_F16X2 || inst->types[0] == CURED_PTX_BF16X2;
}

/* What every instruction of this file has in common. */
static bool
is_plain (const CuredPtxInst *inst, const char **problem)
{
  if (inst->n_types != 1)
    *problem = "takes one type";
  else if (cured_has_word (inst, CURED_PTX_GROUP_ROUND) && inst->words[CURED_PTX_GROUP_ROUND] != RN)
    *problem = "takes only .rn as rounding";
  else if (inst->words[CURED_PTX_GROUP_SAT] == CURED_PTX_SAT_SATFINITE)
    *problem = "takes no .satfinite";
  else
    return true;
  return false;
}

static CuredPtxHandler
select_arithmetic (const CuredPtxInst *inst, const CuredPtxHandler *const of_f16[2][2],
                   const CuredPtxHandler *of_bf16, const char **problem)
{
  bool is_flushed = cured_has_word (inst, CURED_PTX_GROUP_FTZ);
  bool is_saturated = cured_has_word (inst, CURED_PTX_GROUP_SAT);

  if (!is_plain (inst, problem))
    return NULL;
  if (!is_bf16 (inst))
    return of_f16[is_flushed][is_saturated][is_packed (inst)];
  if (!is_flushed && !is_saturated)
    return of_bf16[is_packed (inst)];
  *problem = "takes no .ftz or .sat for .bf16";
  return NULL;
}

CuredPtxHandler
SELECT (add_half) (const CuredPtxInst *inst, const char **problem)
{
  static const CuredPtxHandler *const of_f16[2][2] = {
    { add_plain, add_sat },
    { add_ftz, add_ftz_sat },
  };

  return select_arithmetic (inst, of_f16, add_b, problem);
}

CuredPtxHandler
SELECT (sub_half) (const CuredPtxInst *inst, const char **problem)
{
  static const CuredPtxHandler *const of_f16[2][2] = {
    { sub_plain, sub_sat },
    { sub_ftz, sub_ftz_sat },
  };

  return select_arithmetic (inst, of_f16, sub_b, problem);
}

CuredPtxHandler
SELECT (mul_half) (const CuredPtxInst *inst, const char **problem)
{
  static const CuredPtxHandler *const of_f16[2][2] = {
    { mul_plain, mul_sat },
    { mul_ftz, mul_ftz_sat },
  };

  return select_arithmetic (inst, of_f16, mul_b, problem);
}

CuredPtxHandler
SELECT (fma_half) (const CuredPtxInst *inst, const char **problem)
{
  static const CuredPtxHandler *const of_f16[2][2] = {
    { fma_plain, fma_sat },
    { fma_ftz, fma_ftz_sat },
  };

  if (!cured_has_word (inst, CURED_PTX_GROUP_ROUND))
    *problem = "needs .rn";
  else if (!cured_has_word (inst, CURED_PTX_GROUP_RELU))
    return select_arithmetic (inst, of_f16, fma_b, problem);
  else if (cured_has_word (inst, CURED_PTX_GROUP_SAT))
    *problem = "takes .sat or .relu, not both";
  else if (!is_plain (inst, problem))
    return NULL;
  else if (!is_bf16 (inst))
    return (cured_has_word (inst, CURED_PTX_GROUP_FTZ) ? fma_ftz_relu : fma_relu)[is_packed (inst)];
  else if (cured_has_word (inst, CURED_PTX_GROUP_FTZ))
    *problem = "takes no .ftz for .bf16";
  else
    return fma_relu_b[is_packed (inst)];
  return NULL;
}

/* One that has at most .ftz, and that for f16. */
static CuredPtxHandler
select_flushing (const CuredPtxInst *inst, const CuredPtxHandler *plain,
                 const CuredPtxHandler *flushing, const CuredPtxHandler *of_bf16,
                 const char **problem)
{
  bool is_flushed = cured_has_word (inst, CURED_PTX_GROUP_FTZ);

  if (!is_plain (inst, problem))
    return NULL;
  if (!is_bf16 (inst))
    return (is_flushed ? flushing : plain)[is_packed (inst)];
  if (!is_flushed)
    return of_bf16[is_packed (inst)];
  *problem = "takes no .ftz for .bf16";
  return NULL;
}

CuredPtxHandler
SELECT (abs_half) (const CuredPtxInst *inst, const char **problem)
{
  return select_flushing (inst, abs_plain, abs_ftz, abs_b, problem);
}

CuredPtxHandler
SELECT (neg_half) (const CuredPtxInst *inst, const char **problem)
{
  return select_flushing (inst, neg_plain, neg_ftz, neg_b, problem);
}

static CuredPtxHandler
select_choice (const CuredPtxInst *inst, const CuredPtxHandler *const of_f16[2][2][2],
               const CuredPtxHandler *const of_bf16[2][2], const char **problem)
{
  bool is_flushed = cured_has_word (inst, CURED_PTX_GROUP_FTZ);
  bool is_nan_kept = cured_has_word (inst, CURED_PTX_GROUP_NAN);
  bool is_xorsign = cured_has_word (inst, CURED_PTX_GROUP_XORSIGN);

  if (!is_plain (inst, problem))
    return NULL;
  if (is_xorsign != cured_has_word (inst, CURED_PTX_GROUP_ABS))
    *problem = "takes .xorsign and .abs only together";
  else if (!is_bf16 (inst))
    return of_f16[is_flushed][is_nan_kept][is_xorsign][is_packed (inst)];
  else if (is_flushed)
    *problem = "takes no .ftz for .bf16";
  else
    return of_bf16[is_nan_kept][is_xorsign][is_packed (inst)];
  return NULL;
}

CuredPtxHandler
SELECT (min_half) (const CuredPtxInst *inst, const char **problem)
{
  return select_choice (inst, min_f16, min_bf16, problem);
}

CuredPtxHandler
SELECT (max_half) (const CuredPtxInst *inst, const char **problem)
{
  return select_choice (inst, max_f16, max_bf16, problem);
}

CuredPtxHandler
SELECT (setp_half) (const CuredPtxInst *inst, const char **problem)
{
  const uint8_t operation = inst->words[CURED_PTX_GROUP_OPERATION];

  if (!is_plain (inst, problem))
    return NULL;
  switch (inst->words[CURED_PTX_GROUP_COMPARE])
    {
    case CURED_PTX_COMPARE_EQ:
    case CURED_PTX_COMPARE_NE:
    case CURED_PTX_COMPARE_LT:
    case CURED_PTX_COMPARE_LE:
    case CURED_PTX_COMPARE_GT:
    case CURED_PTX_COMPARE_GE:
    case CURED_PTX_COMPARE_EQU:
    case CURED_PTX_COMPARE_NEU:
    case CURED_PTX_COMPARE_LTU:
    case CURED_PTX_COMPARE_LEU:
    case CURED_PTX_COMPARE_GTU:
    case CURED_PTX_COMPARE_GEU:
    case CURED_PTX_COMPARE_NUM:
    case CURED_PTX_COMPARE_NAN:
      break;
    default:
      *problem = "needs a comparison of floating-point numbers";
      return NULL;
    }
  if (operation != CURED_PTX_NO_WORD && operation != CURED_PTX_OPERATION_AND &&
      operation != CURED_PTX_OPERATION_OR && operation != CURED_PTX_OPERATION_XOR)
    *problem = "combines only with .and, .or or .xor";
  else if ((operation != CURED_PTX_NO_WORD) != (inst->x[4].width != 0))
    *problem = "takes a predicate to combine with .and, .or or .xor";
  else if (!is_packed (inst) && inst->x[1].width != 0)
    *problem = "writes one predicate";
  else if (!is_packed (inst) && inst->x[0].width == 0)
    *problem = "writes a predicate";
  else
    return select_flushing (inst, setp_plain, setp_ftz, setp_b, problem);
  return NULL;
}

static bool
is_approximate (const CuredPtxInst *inst, const char **problem)
{
  if (!is_plain (inst, problem))
    return false;
  if (inst->words[CURED_PTX_GROUP_PRECISION] == CURED_PTX_PRECISION_APPROX)
    return true;
  *problem = "needs .approx";
  return false;
}

CuredPtxHandler
SELECT (ex2_half) (const CuredPtxInst *inst, const char **problem)
{
  if (!is_approximate (inst, problem))
    return NULL;
  if (cured_has_word (inst, CURED_PTX_GROUP_FTZ) == is_bf16 (inst))
    return (is_bf16 (inst) ? ex2_b : ex2_h)[is_packed (inst)];
  *problem = is_bf16 (inst) ? "needs .ftz for .bf16" : "takes no .ftz for .f16";
  return NULL;
}

CuredPtxHandler
SELECT (tanh_half) (const CuredPtxInst *inst, const char **problem)
{
  if (!is_approximate (inst, problem))
    return NULL;
  return (is_bf16 (inst) ? tanh_b : tanh_h)[is_packed (inst)];
}
