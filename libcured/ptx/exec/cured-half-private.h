/* SPDX-License-Identifier: MIT
 * Narrow floating point: conversions of f16, bf16 and tf32 from and to f32 and f64. */
#pragma once

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ptx/cured-ptx-internal.h"

/* The NaNs that the hardware generates; bf16 has that of f16. */
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

/* Halves are passed in the low bits of 32, with the upper ones 0: so a loop over lanes has one
 * width and vectorizes. */

/* ---- Widening: always exact ---- */

/* NaNs become canonical. No step has a subnormal operand, since those are slow on some
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

/* ---- Narrowing: rounded once ---- */

/* The rounding, added before the bits below the last remaining one are truncated. @below: number of
 * these bits, at least 1. */
#define CURED_ROUNDING_ADDEND(one, v, below, is_negative, rounding)                                \
  ((rounding) == CURED_PTX_ROUND_RN    ? ((one) << ((below) -1)) - 1 + (((v) >> (below)) & 1)      \
   : (rounding) == CURED_PTX_ROUND_RNA ? (one) << ((below) -1)                                     \
   : (rounding) == (is_negative ? CURED_PTX_ROUND_RM : CURED_PTX_ROUND_RP)                         \
       ? ((one) << (below)) - 1                                                                    \
       : 0)

/* Whether finite values beyond the range become the greatest finite value instead of infinity. */
static inline G_ALWAYS_INLINE bool
cured_stays_finite (bool is_negative, CuredPtxWord rounding)
{
  return rounding == CURED_PTX_ROUND_RZ ||
         rounding == (is_negative ? CURED_PTX_ROUND_RP : CURED_PTX_ROUND_RM);
}

/* To the nearest f16, without a shift that differs between lanes: adding 1/2 moves the last bit of
 * a subnormal f16 to the last one of an f32. */
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

/* The bits of @x in a format with @e exponent bits (5 or 8) and @m significand bits. @rounding: RN,
 * RZ, RM, RP, or RNA (to nearest, ties away from 0). */
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

      /* From 31 dropped bits on, only "not zero" matters; an f32 subnormal has no hidden bit, but is
       * that small. */
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

/* The same for an f64. It is not rounded to f32 first, since double rounding differs from one. */
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

/* Infinity beyond the range if @rounding is away from zero; NaN becomes canonical. */
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

/* An 8-bit float, e4m3 or e5m2, exactly: a half has enough exponents and more digits. NaN becomes
 * the canonical one, without a sign. */
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

/* f64 to f32 with any rounding, independent of the host's rounding mode. */
static inline G_ALWAYS_INLINE float
cured_f64_to_f32 (double x, CuredPtxWord rounding)
{
  return cured_f32_of_bits (cured_narrow_f64 (x, 8, 23, rounding));
}

/* A tf32 is an f32 whose low 13 bits are 0; its NaN is f32's canonical one. */
static inline G_ALWAYS_INLINE uint32_t
cured_f32_to_tf32 (float x, CuredPtxWord rounding)
{
  return x != x ? CURED_NAN_F32 : cured_narrow_f32 (x, 8, 10, rounding) << 13;
}

/* ---- Rounding to odd ----
 *
 * If the exact value is between two numbers of the format, the result is the one whose last bit is
 * 1. Rounding that to a format at least two bits shorter gives the same as rounding the exact
 * value, in every rounding mode. */

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

/* a + b. The error of the rounded sum is exact; that of an infinite one is NaN, for which both
 * comparisons are false. */
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

/* .sat: clamps to [0, 1]; NaN and -0 become +0. The order of saturation and rounding is irrelevant,
 * since both bounds are numbers of every format. */
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
  /* Up to 1 the bits are ordered like the numbers; negative numbers and negative NaNs are above
   * 0x8000, positive NaNs above 0x7c00. */
  return half >= 0x8000 || half > 0x7c00 ? 0 : half < 0x3c00 ? half : 0x3c00;
}

static inline G_ALWAYS_INLINE uint32_t
cured_saturate_bf16 (uint32_t half)
{
  return half >= 0x8000 || half > 0x7f80 ? 0 : half < 0x3f80 ? half : 0x3f80;
}

/* .satfinite: infinities become the greatest finite number of their sign; NaN is kept. */
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

/* .relu: negative numbers and -0 become +0, NaN becomes canonical. */
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

/* The NaN result for these operands: the first NaN among b, c, a. */
static inline double
cured_take_nan_f64 (double a, double b, double c)
{
  double nan = cured_f64_of_bits (CURED_NAN_F64);

  nan = a != a ? cured_quiet_f64 (a) : nan;
  nan = c != c ? cured_quiet_f64 (c) : nan;
  return b != b ? cured_quiet_f64 (b) : nan;
}

/* min or max of halves in global memory: a number is preferred to a NaN, and -0 is less than 0. */
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

/* The <fenv.h> mode for the rounding of @inst. */
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

/* Global memory's adder passes NaNs unchanged, the operand's before memory's; in shared memory they
 * become quiet, and memory's comes first. */
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
