/* SPDX-License-Identifier: MIT
 * Half precision, f16 and bf16, one or two per register.
 *
 * Every result is rounded once. Sums and, for f16, products are exact or rounded in f32, which has
 * more than twice the bits; products of bf16 can underflow or overflow f32, and are computed in
 * f64. A fused multiply-add first rounds its sum to odd. A NaN result is 0x7fff, even of sign
 * changes; .ftz flushes as for f32. The approximations are bit-exact: cured-special.c. */
#include <math.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"
#include "ptx/exec/cured-special-private.h"

#define RN CURED_PTX_ROUND_RN

/* ---- One value ---- */

#define FLUSH_F16(x) cured_f16_to_f32 (is_flushed ? cured_flush_f16 (x) : (x))

static inline G_ALWAYS_INLINE uint32_t
finish_f16 (float x, bool is_flushed, bool is_saturated)
{
  uint32_t half = cured_f32_to_f16 (x, RN);

  /* Less than the least normal number after rounding to 11 bits with an unbounded exponent. */
  if (is_flushed && (cured_f32_to_f16 (x * 0x1p14f, RN) & 0x7fff) < 0x3c00)
    half &= 0x8000;
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

/* Integers in the order of the numbers, with -0 less than +0. */
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

/* ---- Handlers ---- */

#define LOW(x)          ((uint16_t) (x))
#define HIGH(x)         ((uint16_t) ((x) >> 16))
#define PACK(low, high) ((uint32_t) (low) | (uint32_t) (high) << 16)

/* Inactive lanes are computed and discarded: that is faster than going lane by lane, and avoids a
 * second copy of the code. */
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

/* A handler for one value per register and one for two: name_one, name_two. The expression can use
 * a, b, c. */
#define HALF_1(name, expression)                                                                   \
  static inline G_ALWAYS_INLINE uint32_t name##_of (uint32_t a) { return expression; }             \
  VECTOR (name##_one, uint16_t, SOURCE (uint16_t, a, 1), VALUE (a), name##_of (a))                 \
  VECTOR (name##_two, uint32_t, SOURCE (uint32_t, a, 1), VALUE (a),                                \
          PACK (name##_of (LOW (a)), name##_of (HIGH (a))))
#define HALF_2(name, expression)                                                                   \
  static inline G_ALWAYS_INLINE uint32_t name##_of (uint32_t a, uint32_t b) { return expression; } \
  VECTOR (name##_one, uint16_t, SOURCE (uint16_t, a, 1); SOURCE (uint16_t, b, 2), VALUE (a);       \
          VALUE (b), name##_of (a, b))                                                             \
  VECTOR (name##_two, uint32_t, SOURCE (uint32_t, a, 1); SOURCE (uint32_t, b, 2), VALUE (a);       \
          VALUE (b), PACK (name##_of (LOW (a), LOW (b)), name##_of (HIGH (a), HIGH (b))))
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
          PACK (name##_of (LOW (a), LOW (b), LOW (c)), name##_of (HIGH (a), HIGH (b), HIGH (c))))

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

/* The result is 0 if a factor is the NaN that a copy by a tensor map fills in, of either sign. */
#define IS_OOB(x)               (((x) &0x7fff) == 0x7ff7)
#define UNLESS_OOB(a, b, value) (IS_OOB (a) || IS_OOB (b) ? 0 : (value))

HALF_3 (fma_oob, UNLESS_OOB (a, b, fma_f16 (a, b, c, false, false)))
HALF_3 (fma_oob_relu, UNLESS_OOB (a, b, cured_relu_f16 (fma_f16 (a, b, c, false, false))))
HALF_3 (fma_oob_b, UNLESS_OOB (a, b, fma_bf16 (a, b, c)))
HALF_3 (fma_oob_relu_b, UNLESS_OOB (a, b, cured_relu_bf16 (fma_bf16 (a, b, c))))

HALF_1 (abs_plain, change_sign (a, INFINITY_F16, 0x7fff, 0))
HALF_1 (abs_ftz, change_sign (cured_flush_f16 (a), INFINITY_F16, 0x7fff, 0))
HALF_1 (abs_b, change_sign (a, INFINITY_BF16, 0x7fff, 0))
HALF_1 (neg_plain, change_sign (a, INFINITY_F16, 0xffff, 0x8000))
HALF_1 (neg_ftz, change_sign (cured_flush_f16 (a), INFINITY_F16, 0xffff, 0x8000))
HALF_1 (neg_b, change_sign (a, INFINITY_BF16, 0xffff, 0x8000))

/* By .ftz (f), .NaN (n) and .xorsign (x); no .ftz for bf16 (b). */
#define LIMIT(name, is_max)                                                                        \
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
  HALF_2 (name##_bnx, choose_half (a, b, INFINITY_BF16, is_max, 0, 1, 1))

LIMIT (min, false)
LIMIT (max, true)

/* Table look-ups: only for active lanes. */
#define APPROXIMATE(name, half)                                                                    \
  UNARY (name##_one, uint16_t, uint16_t, (uint16_t) _cured_approx_##half (a))                      \
  UNARY (name##_two, uint32_t, uint32_t,                                                           \
         PACK (_cured_approx_##half (LOW (a)), _cured_approx_##half (HIGH (a))))

APPROXIMATE (ex2_h, ex2_f16)
APPROXIMATE (ex2_b, ex2_bf16)
APPROXIMATE (tanh_h, tanh_f16)
APPROXIMATE (tanh_b, tanh_bf16)

/* ---- Selection ---- */

/* ---- Forms ---- */

#define FTZ W_FTZ_FTZ
#define SAT W_SAT_SAT

/* clang-format off */
#define OF_F16(op, words, name) \
  FORM (op, T_F16, WORDS (words), name##_one) FORM (op, T_F16X2, WORDS (words), name##_two)
#define OF_BF16(op, words, name) \
  FORM (op, T_BF16, WORDS (words), name##_one) FORM (op, T_BF16X2, WORDS (words), name##_two)
#define ARITHMETIC(op, rounding, name) \
  OF_F16 (op, rounding, name##_plain) \
  OF_F16 (op, WORDS (rounding, SAT), name##_sat) \
  OF_F16 (op, WORDS (rounding, FTZ), name##_ftz) \
  OF_F16 (op, WORDS (rounding, FTZ, SAT), name##_ftz_sat) \
  OF_BF16 (op, rounding, name##_b)
#define XORSIGN WORDS (W_XORSIGN_XORSIGN, W_ABS_ABS)
#define LIMITS(op, name) \
  OF_F16 (op, 0, name) \
  OF_F16 (op, XORSIGN, name##_x) \
  OF_F16 (op, W_NAN_NAN, name##_n) \
  OF_F16 (op, WORDS (W_NAN_NAN, XORSIGN), name##_nx) \
  OF_F16 (op, FTZ, name##_f) \
  OF_F16 (op, WORDS (FTZ, XORSIGN), name##_fx) \
  OF_F16 (op, WORDS (FTZ, W_NAN_NAN), name##_fn) \
  OF_F16 (op, WORDS (FTZ, W_NAN_NAN, XORSIGN), name##_fnx) \
  OF_BF16 (op, 0, name##_b) \
  OF_BF16 (op, XORSIGN, name##_bx) \
  OF_BF16 (op, W_NAN_NAN, name##_bn) \
  OF_BF16 (op, WORDS (W_NAN_NAN, XORSIGN), name##_bnx)

static const CuredPtxForm forms[] = {
  ARITHMETIC (add_half, MAY (ROUND, RN), add)
  ARITHMETIC (sub_half, MAY (ROUND, RN), sub)
  ARITHMETIC (mul_half, MAY (ROUND, RN), mul)
  ARITHMETIC (fma_half, W_ROUND_RN, fma)
  OF_F16 (fma_half, WORDS (W_ROUND_RN, W_RELU_RELU), fma_relu)
  OF_F16 (fma_half, WORDS (W_ROUND_RN, FTZ, W_RELU_RELU), fma_ftz_relu)
  OF_BF16 (fma_half, WORDS (W_ROUND_RN, W_RELU_RELU), fma_relu_b)
  OF_F16 (fma_half, WORDS (W_ROUND_RN, W_OOB_OOB), fma_oob)
  OF_F16 (fma_half, WORDS (W_ROUND_RN, W_OOB_OOB, W_RELU_RELU), fma_oob_relu)
  OF_BF16 (fma_half, WORDS (W_ROUND_RN, W_OOB_OOB), fma_oob_b)
  OF_BF16 (fma_half, WORDS (W_ROUND_RN, W_OOB_OOB, W_RELU_RELU), fma_oob_relu_b)
  OF_F16 (abs_half, 0, abs_plain)
  OF_F16 (abs_half, FTZ, abs_ftz)
  OF_BF16 (abs_half, 0, abs_b)
  OF_F16 (neg_half, 0, neg_plain)
  OF_F16 (neg_half, FTZ, neg_ftz)
  OF_BF16 (neg_half, 0, neg_b)
  LIMITS (min_half, min)
  LIMITS (max_half, max)
  OF_F16 (ex2_half, W_PRECISION_APPROX, ex2_h)
  OF_BF16 (ex2_half, WORDS (W_PRECISION_APPROX, FTZ), ex2_b)
  OF_F16 (tanh_half, W_PRECISION_APPROX, tanh_h)
  OF_BF16 (tanh_half, W_PRECISION_APPROX, tanh_b)
};
/* clang-format on */

FORMS_OF (half)
