/* SPDX-License-Identifier: MIT
 * Narrow floating point: f16, bf16 and tf32 to and from f32 and f64. */
#pragma once

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ptx/cured-ptx-internal.h"

/* What the hardware writes for a NaN that it computes; bf16's is f16's. */
#define CURED_NAN_F16 0x7fff
#define CURED_NAN_F32 0x7fffffffu
#define CURED_NAN_F64 G_GUINT64_CONSTANT (0xfff8000000000000)

static inline G_ALWAYS_INLINE uint32_t
cured_bits_of_f32 (float x)
{
  uint32_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static inline G_ALWAYS_INLINE float
cured_f32_of_bits (uint32_t bits)
{
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static inline G_ALWAYS_INLINE uint64_t
cured_bits_of_f64 (double x)
{
  uint64_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static inline G_ALWAYS_INLINE double
cured_f64_of_bits (uint64_t bits)
{
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

/* Halves are handed around as the low bits of 32, whose upper ones are 0: so a loop over lanes has
 * one width and vectorizes. */

/* ---- Wider: always exact ---- */

/* NaNs become the canonical one. No step has a subnormal operand: those are slow on some
 * processors. */
static inline G_ALWAYS_INLINE float
cured_f16_to_f32 (uint32_t half)
{
  uint32_t sign = (uint32_t) (half & 0x8000) << 16;
  uint32_t rest = (uint32_t) (half & 0x7fff) << 13;
  uint32_t normal = rest + (112u << 23);
  uint32_t small = cured_bits_of_f32 (cured_f32_of_bits (rest + (113u << 23)) - 0x1p-14f);
  uint32_t bits = rest < (1u << 23) ? small : normal;

  bits = rest == (31u << 23) ? 0x7f800000u : bits;
  bits |= sign;
  return cured_f32_of_bits (rest > (31u << 23) ? CURED_NAN_F32 : bits);
}

/* The upper half of an f32: a NaN keeps its bits. */
static inline G_ALWAYS_INLINE float
cured_bf16_to_f32 (uint32_t half)
{
  return cured_f32_of_bits ((uint32_t) half << 16);
}

/* ---- Narrower: rounded once ---- */

/* What is added below the last bit that stays, before the rest is cut off: the rounding. @below:
 * bits to cut off, at least 1. */
#define CURED_ROUNDING_ADDEND(one, v, below, is_negative, rounding)                                \
  ((rounding) == CURED_PTX_ROUND_RN    ? ((one) << ((below) -1)) - 1 + (((v) >> (below)) & 1)      \
   : (rounding) == CURED_PTX_ROUND_RNA ? (one) << ((below) -1)                                     \
   : (rounding) == (is_negative ? CURED_PTX_ROUND_RM : CURED_PTX_ROUND_RP)                         \
       ? ((one) << (below)) - 1                                                                    \
       : 0)

/* Whether a finite value beyond the range becomes the greatest finite one, and not infinity. */
static inline G_ALWAYS_INLINE bool
cured_stays_finite (bool is_negative, CuredPtxWord rounding)
{
  return rounding == CURED_PTX_ROUND_RZ ||
         rounding == (is_negative ? CURED_PTX_ROUND_RP : CURED_PTX_ROUND_RM);
}

/* To nearest f16, without a shift by a number that differs between lanes: adding 1/2 moves the last
 * bit of a subnormal f16 to the last one of an f32. */
static inline G_ALWAYS_INLINE uint32_t
cured_narrow_to_nearest_f16 (float x)
{
  uint32_t bits = cured_bits_of_f32 (x);
  uint32_t rest = bits & 0x7fffffff;
  uint32_t normal = (rest - (112u << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
  uint32_t small = cured_bits_of_f32 (cured_f32_of_bits (rest) + 0.5f) - (126u << 23);
  uint32_t result = rest < (113u << 23) ? small : normal;

  result = rest >= (143u << 23) ? 0x7c00 : result;
  result |= bits >> 31 << 15;
  return rest > 0x7f800000 ? CURED_NAN_F16 : result;
}

/* The bits of @x in a format of @e bits of exponent (5 or 8) and @m of significand. @rounding: RN,
 * RZ, RM, RP, or RNA (nearest, ties away from 0). */
static inline G_ALWAYS_INLINE uint32_t
cured_narrow_f32 (float x, unsigned e, unsigned m, CuredPtxWord rounding)
{
  const uint32_t infinity = ((1u << e) - 1) << m;
  const uint32_t rebias = 127 - ((1u << (e - 1)) - 1);
  uint32_t bits = cured_bits_of_f32 (x);
  uint32_t rest = bits & 0x7fffffff;
  bool is_negative = bits >> 31;
  uint32_t v = rest;
  uint32_t below = 23 - m;

  if (e == 5 && m == 10 && rounding == CURED_PTX_ROUND_RN)
    return cured_narrow_to_nearest_f16 (x);

  if (rebias > 0)
    {
      uint32_t exponent = rest >> 23;
      uint32_t extra = rebias + 1 - exponent;
      bool is_small = exponent <= rebias;

      /* From 2 to the power -31 on, only "not zero" counts; an f32 subnormal has no hidden bit, but
       * it is that small. */
      extra = extra + below > 31 ? 31 - below : extra;
      v = is_small ? (rest & 0x7fffff) | (rest != 0 ? 0x800000 : 0) : rest - (rebias << 23);
      below = is_small ? below + extra : below;
    }

  uint32_t result = (v + CURED_ROUNDING_ADDEND (1u, v, below, is_negative, rounding)) >> below;

  if (result >= infinity)
    result =
        rest < 0x7f800000 && cured_stays_finite (is_negative, rounding) ? infinity - 1 : infinity;
  result |= (uint32_t) is_negative << (e + m);
  return rest > 0x7f800000 ? (1u << (e + m)) - 1 : result;
}

/* The same of an f64: a value is never rounded to f32 first, since two roundings are not one. */
static inline G_ALWAYS_INLINE uint32_t
cured_narrow_f64 (double x, unsigned e, unsigned m, CuredPtxWord rounding)
{
  const uint64_t infinity = ((UINT64_C (1) << e) - 1) << m;
  const uint64_t rebias = 1023 - ((UINT64_C (1) << (e - 1)) - 1);
  uint64_t bits = cured_bits_of_f64 (x);
  uint64_t rest = bits & INT64_MAX;
  bool is_negative = bits >> 63;
  uint64_t exponent = rest >> 52;
  bool is_small = exponent <= rebias;
  uint64_t extra = rebias + 1 - exponent;
  uint64_t below = 52 - m;

  extra = extra + below > 60 ? 60 - below : extra;

  uint64_t v = is_small ? (rest & ((UINT64_C (1) << 52) - 1)) | ((uint64_t) (rest != 0) << 52)
                        : rest - (rebias << 52);
  below = is_small ? below + extra : below;

  uint64_t result =
      (v + CURED_ROUNDING_ADDEND (UINT64_C (1), v, below, is_negative, rounding)) >> below;

  if (result >= infinity)
    result = rest < (UINT64_C (2047) << 52) && cured_stays_finite (is_negative, rounding)
                 ? infinity - 1
                 : infinity;
  result |= (uint64_t) is_negative << (e + m);
  return rest > (UINT64_C (2047) << 52) ? (uint32_t) ((1u << (e + m)) - 1) : (uint32_t) result;
}

/* Infinity beyond the range where @rounding goes away from zero; NaN becomes the canonical one. */
static inline G_ALWAYS_INLINE uint32_t
cured_f32_to_f16 (float x, CuredPtxWord rounding)
{
  return cured_narrow_f32 (x, 5, 10, rounding);
}

static inline G_ALWAYS_INLINE uint32_t
cured_f32_to_bf16 (float x, CuredPtxWord rounding)
{
  return cured_narrow_f32 (x, 8, 7, rounding);
}

static inline G_ALWAYS_INLINE uint32_t
cured_f64_to_f16 (double x, CuredPtxWord rounding)
{
  return cured_narrow_f64 (x, 5, 10, rounding);
}

static inline G_ALWAYS_INLINE uint32_t
cured_f64_to_bf16 (double x, CuredPtxWord rounding)
{
  return cured_narrow_f64 (x, 8, 7, rounding);
}

/* An 8-bit float, e4m3 or e5m2, exactly: a half has as many exponents and more digits. NaN is the
 * canonical one, and positive. */
static inline uint32_t
cured_f8_to_f16 (uint32_t bits, bool is_e5m2)
{
  uint32_t sign = (bits & 0x80) << 8;
  uint32_t digits = bits & 0x7f;

  if (is_e5m2 ? digits > 0x7c : digits == 0x7f)
    return CURED_NAN_F16;
  if (is_e5m2)
    return sign | digits << 8;
  if (digits < 8)
    return sign | cured_f32_to_f16 ((float) digits * 0x1p-9F, CURED_PTX_ROUND_RN);
  return sign | ((digits << 7) + (8 << 10));
}

/* f64 to f32 in any rounding, whatever the host's rounding mode is. */
static inline G_ALWAYS_INLINE float
cured_f64_to_f32 (double x, CuredPtxWord rounding)
{
  return cured_f32_of_bits (cured_narrow_f64 (x, 8, 23, rounding));
}

/* A tf32 is an f32 whose low 13 bits are 0; NaN is the canonical f32 one. */
static inline G_ALWAYS_INLINE uint32_t
cured_f32_to_tf32 (float x, CuredPtxWord rounding)
{
  return x != x ? CURED_NAN_F32 : cured_narrow_f32 (x, 8, 10, rounding) << 13;
}

/* ---- To odd ----
 *
 * Where the exact value is between two numbers of the format, the one whose last bit is 1.
 * Rounding that to a format at least two bits shorter gives what rounding the exact value would
 * give, in every rounding. */

static inline G_ALWAYS_INLINE float
cured_f64_to_odd_f32 (double x)
{
  float y = (float) x;
  uint32_t bits = cured_bits_of_f32 (y);
  bool is_above = fabs ((double) y) > fabs (x);
  bool is_below = fabs ((double) y) < fabs (x);
  uint32_t step = is_above ? -1u : is_below ? 1 : 0;

  return cured_f32_of_bits (bits + ((bits & 1) != 0 ? 0 : step));
}

/* a + b. The error of the rounded sum is exact; an infinite one's is NaN, which is neither more nor
 * less than 0. */
static inline G_ALWAYS_INLINE float
cured_add_to_odd_f32 (float a, float b)
{
  float sum = a + b;
  float part = sum - a;
  float error = (a - (sum - part)) + (b - part);
  uint32_t bits = cured_bits_of_f32 (sum);
  uint32_t up = sum > 0 ? 1 : -1u;
  uint32_t step = error > 0 ? up : error < 0 ? -up : 0;

  return cured_f32_of_bits (bits + ((bits & 1) != 0 ? 0 : step));
}

static inline G_ALWAYS_INLINE double
cured_add_to_odd_f64 (double a, double b)
{
  double sum = a + b;
  double part = sum - a;
  double error = (a - (sum - part)) + (b - part);
  uint64_t bits = cured_bits_of_f64 (sum);
  uint64_t up = sum > 0 ? 1 : -UINT64_C (1);
  uint64_t step = error > 0 ? up : error < 0 ? -up : 0;

  return cured_f64_of_bits (bits + ((bits & 1) != 0 ? 0 : step));
}

/* ---- Saturation ---- */

/* .sat: into [0, 1]; NaN and -0 become +0. Before or after rounding is the same, as both ends are
 * numbers of every format. */
static inline G_ALWAYS_INLINE float
cured_saturate_f32 (float x)
{
  x = x > 0 ? x : 0;
  return x < 1 ? x : 1;
}

static inline G_ALWAYS_INLINE double
cured_saturate_f64 (double x)
{
  x = x > 0 ? x : 0;
  return x < 1 ? x : 1;
}

static inline G_ALWAYS_INLINE uint32_t
cured_saturate_f16 (uint32_t half)
{
  /* Up to 1 the bits order as the numbers do; negative numbers and NaNs with a sign are above
   * 0x8000, other NaNs above 0x7c00. */
  return half >= 0x8000 || half > 0x7c00 ? 0 : half < 0x3c00 ? half : 0x3c00;
}

static inline G_ALWAYS_INLINE uint32_t
cured_saturate_bf16 (uint32_t half)
{
  return half >= 0x8000 || half > 0x7f80 ? 0 : half < 0x3f80 ? half : 0x3f80;
}

/* .satfinite: infinities become the greatest finite number of their sign; NaN stays. */
static inline G_ALWAYS_INLINE uint32_t
cured_make_finite_f16 (uint32_t half)
{
  return (half & 0x7fff) == 0x7c00 ? half - 1 : half;
}

static inline G_ALWAYS_INLINE uint32_t
cured_make_finite_bf16 (uint32_t half)
{
  return (half & 0x7fff) == 0x7f80 ? half - 1 : half;
}

/* .relu: negative numbers and -0 become +0, NaN the canonical one. */
static inline G_ALWAYS_INLINE uint32_t
cured_relu_f16 (uint32_t half)
{
  return (half & 0x7fff) > 0x7c00 ? CURED_NAN_F16 : half >= 0x8000 ? 0 : half;
}

static inline G_ALWAYS_INLINE uint32_t
cured_relu_bf16 (uint32_t half)
{
  return (half & 0x7fff) > 0x7f80 ? CURED_NAN_F16 : half >= 0x8000 ? 0 : half;
}

/* ---- Subnormals ---- */

/* .ftz: a subnormal becomes the zero of its sign. */
static inline G_ALWAYS_INLINE float
cured_flush_f32 (float x)
{
  uint32_t bits = cured_bits_of_f32 (x);

  return cured_f32_of_bits ((bits & 0x7f800000) != 0 ? bits : bits & 0x80000000);
}

static inline G_ALWAYS_INLINE uint32_t
cured_flush_f16 (uint32_t half)
{
  return (half & 0x7c00) != 0 ? half : half & 0x8000;
}

static inline G_ALWAYS_INLINE uint32_t
cured_flush_bf16 (uint32_t half)
{
  return (half & 0x7f80) != 0 ? half : half & 0x8000;
}

static inline double
cured_quiet_f64 (double x)
{
  return cured_f64_of_bits (cured_bits_of_f64 (x) | UINT64_C (1) << 51);
}

/* The NaN that an operation on these gives: of several, b's, then c's, then a's. */
static inline double
cured_take_nan_f64 (double a, double b, double c)
{
  double nan = cured_f64_of_bits (CURED_NAN_F64);

  nan = a != a ? cured_quiet_f64 (a) : nan;
  nan = c != c ? cured_quiet_f64 (c) : nan;
  return b != b ? cured_quiet_f64 (b) : nan;
}

/* The least of two, or the greatest, of halves in global memory: a number rather than a NaN, and -0
 * below 0. */
static inline float
cured_limit_in_memory (float a, float b, bool is_least)
{
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b)
    return (cured_bits_of_f32 (a) >> 31 != 0) == is_least ? a : b;
  return (a < b) == is_least ? a : b;
}

static inline double
cured_finish_f64 (double x, double a, double b, double c)
{
  return x != x ? cured_take_nan_f64 (a, b, c) : x;
}

/* The mode of <fenv.h> for the rounding of @inst. */
static inline int
cured_get_host_rounding (const CuredPtxInst *inst)
{
  switch (inst->words[CURED_PTX_GROUP_ROUND])
    {
    case CURED_PTX_ROUND_RZ: return FE_TOWARDZERO;
    case CURED_PTX_ROUND_RM: return FE_DOWNWARD;
    case CURED_PTX_ROUND_RP: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

/* A NaN goes through global memory's own adder as it is, the operand's before that of memory; in
 * shared memory it is made quiet, and memory's comes first. */
static inline uint64_t
cured_add_f64_in_memory (uint64_t a, uint64_t b, bool is_shared)
{
  const uint64_t quiet = UINT64_C (1) << 51;
  double x = cured_f64_of_bits (a);
  double y = cured_f64_of_bits (b);
  double sum = x + y;

  if (sum == sum)
    return cured_bits_of_f64 (sum);
  if (is_shared)
    return x != x ? a | quiet : y != y ? b | quiet : CURED_NAN_F64;
  return y != y ? b : x != x ? a : CURED_NAN_F64;
}
