/* SPDX-License-Identifier: MIT
 * The special-function unit of a multiprocessor (MUFU), bit-exact.
 *
 * A function is a table of parabolas: result = ⌊c0 + c1 t + c2 S (t)⌋ in units of the last place,
 * where t is the 17-bit position in the segment, and S is its square from a multiplier array
 * without the partial products below 2^19. The sums are exact; results are truncated to 24 bits.
 * docs/special-functions.md has the derivation. Compared with an H200 for all inputs. */
/* lab/compare-special.cu compiles this file for a GPU. */
#ifndef SPECIAL_TABLE
#include "ptx/exec/cured-special-private.h"

#define SPECIAL_TABLE static const
#define SPECIAL_FUNCTION
#define SPECIAL_HELPER        static inline
#define SPECIAL_LEADING_ZEROS __builtin_clzll
#endif

#define T_BITS   17
#define MANTISSA 23
#define HIDDEN   (UINT32_C (1) << MANTISSA)
#define INF      UINT32_C (0x7f800000)
#define NAN_BITS UINT32_C (0x7fffffff)
#define SIGN     UINT32_C (0x80000000)

typedef struct
{
  int32_t c0; /* in 1/16 of the last place */
  int32_t c1; /* in the last place, over the whole segment */
  int32_t c2; /* in 1/2 of the last place, over the whole segment */
} Segment;

/* With an exponent for the last place, relative to 2^-24. */
typedef struct
{
  int32_t c0, c1, c2, exponent;
} ScaledSegment;

#include "ptx/exec/cured-special.def"

/* For each octave of tanh from 2^-8 on: its first segment, and the number of mantissa bits that
 * select one from there. */
SPECIAL_TABLE uint8_t tanh_first[] = { 0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43 };
SPECIAL_TABLE uint8_t tanh_bits[] = { 0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3 };

/* The square of 17 bits, in units of 2^19: a folded multiplier array without the partial products
 * below 2^19. These are all products among the low 9 bits, and most of theirs with the high 8. */
SPECIAL_HELPER uint32_t
square (uint32_t t)
{
  uint32_t high = t >> 9;
  uint32_t sum = high * high >> 1;

#pragma GCC unroll 7
  for (int i = 2; i < 9; i++)
    sum += -(t >> i & 1) & (high >> (9 - i));
  return sum;
}

/* In units of 2^-17 of the last place. */
SPECIAL_HELPER int64_t
interpolate (int32_t c0, int32_t c1, int32_t c2, uint32_t t)
{
  return (int64_t) c0 * (1 << (T_BITS - 4)) + (int64_t) c1 * t + (int64_t) c2 * 2 * square (t);
}

/* @value times 2 to the power @exponent, truncated to 24 bits; subnormals are flushed. */
SPECIAL_HELPER uint32_t
pack (uint32_t sign, uint64_t value, int exponent)
{
  if (value == 0)
    return sign;

  int top = 63 - SPECIAL_LEADING_ZEROS (value);
  uint64_t mantissa = top >= MANTISSA ? value >> (top - MANTISSA) : value << (MANTISSA - top);
  int biased = top + exponent + 127;

  if (biased <= 0)
    return sign;
  if (biased >= 255)
    return sign | INF;
  return sign | ((uint32_t) biased << MANTISSA) | ((uint32_t) mantissa & (HIDDEN - 1));
}

/* The unit treats subnormals as zeros of the same sign. */
SPECIAL_HELPER uint32_t
flush (uint32_t x)
{
  return (x & INF) == 0 ? x & SIGN : x;
}

SPECIAL_HELPER uint32_t
unit_rcp (uint32_t x)
{
  uint32_t sign = x & SIGN, a = flush (x) & ~SIGN, m = a & (HIDDEN - 1);

  if (a > INF)
    return NAN_BITS;
  if (a == 0 || a == INF)
    return sign | (a == 0 ? INF : 0);

  const Segment *s = &rcp_segments[m >> 16];

  return pack (sign, (uint64_t) interpolate (s->c0, s->c1, s->c2, (m & 0xffff) << 1) + 8092,
               -T_BITS - 24 + 127 - (int) (a >> MANTISSA));
}

/* The special cases of both roots: 0, infinity, NaN and negative arguments. */
SPECIAL_HELPER int
is_ordinary (uint32_t x, uint32_t zero, uint32_t infinity, uint32_t *result)
{
  uint32_t a = x & ~SIGN;

  *result = a > INF ? NAN_BITS : a == 0 ? zero : (x & SIGN) != 0 ? NAN_BITS : infinity;
  return a != 0 && x < INF;
}

SPECIAL_HELPER uint32_t
unit_rsqrt (uint32_t x)
{
  uint32_t a = flush (x), m = a & (HIDDEN - 1), result;

  if (!is_ordinary (a, (a & SIGN) | INF, 0, &result))
    return result;

  int exponent = (int) (a >> MANTISSA) - 127;
  int half = exponent >> 1;
  const Segment *s = &((exponent & 1) != 0 ? rsqrt_2_segments : rsqrt_1_segments)[m >> T_BITS];

  if (m == 0 && (exponent & 1) == 0)
    return pack (0, 1, -half);
  return pack (0, (uint64_t) interpolate (s->c0, s->c1, s->c2, m & 0x1ffff) - 1,
               -T_BITS - 24 - half);
}

SPECIAL_HELPER uint32_t
unit_sqrt (uint32_t x)
{
  uint32_t a = flush (x), m = a & (HIDDEN - 1), result;

  if (!is_ordinary (a, a, INF, &result))
    return result;

  int exponent = (int) (a >> MANTISSA) - 127;
  const Segment *s = &((exponent & 1) != 0 ? sqrt_2_segments : sqrt_1_segments)[m >> T_BITS];

  return pack (0, (uint64_t) interpolate (s->c0, s->c1, s->c2, m & 0x1ffff) - 1,
               -T_BITS - 23 + (exponent >> 1));
}

/* The argument in fixed point with 23 fractional bits, truncated; for a negative one, the fraction
 * is replaced by its one's complement, unless it is 0. */
SPECIAL_HELPER uint32_t
unit_ex2 (uint32_t x)
{
  uint32_t a = flush (x) & ~SIGN;
  int exponent = (int) (a >> MANTISSA) - 127;

  if (a > INF)
    return NAN_BITS;
  if (exponent >= 8)
    return (x & SIGN) != 0 ? 0 : INF;

  uint64_t mantissa = (a & (HIDDEN - 1)) | HIDDEN;
  uint64_t fixed = exponent >= 0    ? mantissa << exponent
                   : exponent < -23 ? 0
                                    : mantissa >> -exponent;
  uint32_t fraction = (uint32_t) fixed & (HIDDEN - 1);
  int whole = (int) (fixed >> MANTISSA);

  if ((x & SIGN) != 0)
    {
      whole = fraction != 0 ? -1 - whole : -whole;
      fraction = fraction != 0 ? HIDDEN - 1 - fraction : 0;
    }

  const Segment *s = &ex2_segments[fraction >> T_BITS];

  return pack (0, (uint64_t) interpolate (s->c0, s->c1, s->c2, fraction & 0x1ffff) + 8072,
               -T_BITS - 23 + whole);
}

/* The exponent and the logarithm of the mantissa are added in fixed point with 36 fractional bits;
 * a negative sum is negated by its one's complement. */
SPECIAL_HELPER uint32_t
unit_lg2 (uint32_t x)
{
  uint32_t a = flush (x), m = a & (HIDDEN - 1), result;

  if (!is_ordinary (a, SIGN | INF, INF, &result))
    return result;
  if (a == UINT32_C (0x3f800000))
    return 0;

  const Segment *s = &lg2_segments[m >> T_BITS];
  int64_t log =
      interpolate (s->c0, s->c1, s->c2, m & 0x1ffff) + 3348 - ((int64_t) HIDDEN << T_BITS);
  int64_t sum = ((int64_t) (a >> MANTISSA) - 127) * (INT64_C (1) << 36) + (log >> 4);

  return pack (sum < 0 ? SIGN : 0, (uint64_t) (sum < 0 ? ~sum : sum), -36);
}

/* @x is in turns. The fraction of a quarter turn has 23 bits; where it counts backwards, its one's
 * complement is used. */
SPECIAL_HELPER uint32_t
sine (uint32_t x, uint32_t quarter, uint32_t sign)
{
  uint32_t a = flush (x) & ~SIGN;
  int exponent = (int) (a >> MANTISSA) - 127;

  if (a >= INF)
    return NAN_BITS;

  uint64_t mantissa = (a & (HIDDEN - 1)) | HIDDEN;
  /* In units of 2^-25 of a turn. */
  uint32_t fixed = exponent >= 24    ? 0
                   : exponent >= -2  ? (uint32_t) (mantissa << (exponent + 2))
                   : exponent >= -25 ? (uint32_t) (mantissa >> (-2 - exponent))
                                     : 0;
  uint32_t fraction = fixed & (HIDDEN - 1);

  quarter += fixed >> MANTISSA;
  if ((quarter & 1) != 0)
    fraction = HIDDEN - 1 - fraction;
  sign ^= (quarter & 2) != 0 ? SIGN : 0;

  const Segment *s = &sin_segments[fraction >> T_BITS];

  return pack (sign, (uint64_t) interpolate (s->c0, s->c1, s->c2, fraction & 0x1ffff),
               -T_BITS - 24);
}

SPECIAL_HELPER uint32_t
unit_sin (uint32_t turns)
{
  return sine (turns, 0, turns & SIGN);
}

SPECIAL_HELPER uint32_t
unit_cos (uint32_t turns)
{
  return sine (turns, 1, 0);
}

SPECIAL_HELPER uint32_t
unit_tanh (uint32_t x)
{
  uint32_t sign = x & SIGN, a = x & ~SIGN, m = a & (HIDDEN - 1);
  int octave = (int) (a >> MANTISSA) - 127 + 8;

  if (a > INF)
    return NAN_BITS;
  if (octave < 0)
    return x;
  if (octave > 10)
    return sign | UINT32_C (0x3f800000);

  const ScaledSegment *s =
      &tanh_segments[tanh_first[octave] + (m >> (MANTISSA - tanh_bits[octave]))];
  uint32_t t = m << tanh_bits[octave] & (HIDDEN - 1);

  return pack (sign, (uint64_t) interpolate (s->c0, s->c1, s->c2, t >> (MANTISSA - T_BITS)),
               -T_BITS - 24 + s->exponent);
}

/* ---- The instructions, as compiled by ptxas 13.0 for sm_90 ---- */

SPECIAL_HELPER float
get_float (uint32_t bits)
{
  union
  {
    uint32_t bits;
    float value;
  } both = { bits };

  return both.value;
}

SPECIAL_HELPER uint32_t
get_bits (float value)
{
  union
  {
    float value;
    uint32_t bits;
  } both = { value };

  return both.bits;
}

#define LEAST_NORMAL 0x1p-126f
#define MAGNITUDE(x) get_float (get_bits (x) & ~SIGN)

/* Operations of the floating-point pipe return the canonical NaN. */
SPECIAL_HELPER uint32_t
finish (float value)
{
  return value != value ? NAN_BITS : get_bits (value);
}

SPECIAL_FUNCTION uint32_t
_cured_approx_rcp (uint32_t x, bool is_flushed)
{
  float a = get_float (x);
  float scale = MAGNITUDE (a) < LEAST_NORMAL ? 0x1p24f : MAGNITUDE (a) > 0x1p126f ? 0.25f : 1;

  if (is_flushed)
    return unit_rcp (x);
  return finish (scale * get_float (unit_rcp (finish (a * scale))));
}

SPECIAL_FUNCTION uint32_t
_cured_approx_sqrt (uint32_t x, bool is_flushed)
{
  float a = get_float (x);

  if (!is_flushed && MAGNITUDE (a) < LEAST_NORMAL)
    return finish (get_float (unit_sqrt (finish (a * 0x1p24f))) * 0x1p-12f);
  return unit_sqrt (x);
}

SPECIAL_FUNCTION uint32_t
_cured_approx_rsqrt (uint32_t x, bool is_flushed)
{
  float a = get_float (x);

  if (!is_flushed && MAGNITUDE (a) < LEAST_NORMAL)
    return finish (get_float (unit_rsqrt (finish (a * 0x1p24f))) * 0x1p12f);
  return unit_rsqrt (x);
}

/* The angle in turns: the product with the f32 nearest to 1 / 2π, rounded toward zero. */
SPECIAL_HELPER uint32_t
get_turns (uint32_t x)
{
  double product = (double) get_float (x) * 0x1.45f306p-3;
  float turns = (float) product;
  uint32_t bits = finish (turns);
  double magnitude = product < 0 ? -product : product;

  return (double) MAGNITUDE (turns) > magnitude ? bits - 1 : bits;
}

SPECIAL_FUNCTION uint32_t
_cured_approx_sin (uint32_t x)
{
  return unit_sin (get_turns (x));
}

SPECIAL_FUNCTION uint32_t
_cured_approx_cos (uint32_t x)
{
  return unit_cos (get_turns (x));
}

SPECIAL_FUNCTION uint32_t
_cured_approx_ex2 (uint32_t x, bool is_flushed)
{
  float a = get_float (x);

  if (!is_flushed && a < -126)
    {
      float root = get_float (unit_ex2 (finish (a * 0.5f)));

      return finish (root * root);
    }
  return unit_ex2 (x);
}

SPECIAL_FUNCTION uint32_t
_cured_approx_lg2 (uint32_t x, bool is_flushed)
{
  float a = get_float (x);

  if (!is_flushed && MAGNITUDE (a) < LEAST_NORMAL)
    return finish (get_float (unit_lg2 (finish (a * 0x1p24f))) - 24);
  return unit_lg2 (x);
}

SPECIAL_FUNCTION uint32_t
_cured_approx_tanh (uint32_t x)
{
  return unit_tanh (x);
}

/* FMUL.FTZ: a product is flushed if it is still too small after rounding to 24 bits with an
 * unbounded exponent. */
SPECIAL_HELPER uint32_t
multiply_ftz (uint32_t x, uint32_t y)
{
  double product = (double) get_float (flush (x)) * get_float (flush (y));
  double magnitude = product < 0 ? -product : product;

  if (magnitude < 0x1p-126 && (float) (magnitude * 0x1p64) < 0x1p-62f)
    return product < 0 || 1 / product < 0 ? SIGN : 0;
  return finish ((float) product);
}

/* a times the reciprocal of b, which underflows beyond 2^126: .approx gives 0 there. */
SPECIAL_HELPER uint32_t
divide (uint32_t x, uint32_t y, bool is_full, bool is_flushed)
{
  float b = get_float (y);
  float scale = is_full && MAGNITUDE (b) > 0x1p126f           ? 0.25f
                : !is_flushed && MAGNITUDE (b) < LEAST_NORMAL ? 0x1p24f
                                                              : 1;

  if (is_flushed)
    {
      if (scale != 1)
        {
          x = multiply_ftz (x, get_bits (scale));
          y = multiply_ftz (y, get_bits (scale));
        }
      return multiply_ftz (x, unit_rcp (y));
    }
  return finish (get_float (unit_rcp (finish (b * scale))) * (get_float (x) * scale));
}

SPECIAL_FUNCTION uint32_t
_cured_approx_div (uint32_t x, uint32_t y, bool is_flushed)
{
  return divide (x, y, false, is_flushed);
}

SPECIAL_FUNCTION uint32_t
_cured_approx_div_full (uint32_t x, uint32_t y, bool is_flushed)
{
  return divide (x, y, true, is_flushed);
}

/* Truncates results of f32; overflow gives infinity. */
SPECIAL_HELPER uint32_t
truncate_to_f16 (uint32_t x)
{
  uint32_t sign = x >> 16 & 0x8000, a = x & ~SIGN;

  if (a > INF)
    return 0x7fff;
  if (a >= UINT32_C (0x47800000))
    return sign | 0x7c00;
  if (a >= UINT32_C (0x38800000))
    return sign | ((a - UINT32_C (0x38000000)) >> 13);
  if (a < UINT32_C (0x33800000))
    return sign;
  return sign | (((a & (HIDDEN - 1)) | HIDDEN) >> (126 - (a >> MANTISSA)));
}

SPECIAL_HELPER uint32_t
truncate_to_bf16 (uint32_t x)
{
  return (x & ~SIGN) > INF ? 0x7fff : x >> 16;
}

SPECIAL_HELPER uint32_t
widen_f16 (uint32_t x)
{
  uint32_t sign = (x & 0x8000) << 16, a = x & 0x7fff;

  if (a >= 0x7c00)
    return sign | (a > 0x7c00 ? NAN_BITS : INF);
  if (a >= 0x400)
    return sign | ((a << 13) + UINT32_C (0x38000000));
  return sign | get_bits ((float) a * 0x1p-24f);
}

SPECIAL_FUNCTION uint32_t
_cured_approx_ex2_f16 (uint32_t x)
{
  return truncate_to_f16 (unit_ex2 (widen_f16 (x)));
}

SPECIAL_FUNCTION uint32_t
_cured_approx_ex2_bf16 (uint32_t x)
{
  return truncate_to_bf16 (unit_ex2 (x << 16));
}

SPECIAL_FUNCTION uint32_t
_cured_approx_tanh_f16 (uint32_t x)
{
  return truncate_to_f16 (unit_tanh (widen_f16 (x)));
}

SPECIAL_FUNCTION uint32_t
_cured_approx_tanh_bf16 (uint32_t x)
{
  return truncate_to_bf16 (unit_tanh (x << 16));
}

/* The upper words of f64: the unit reads and returns 20 bits of the mantissa. The exponent is moved
 * near 0, into the unit's range. */
#define INF_F64 UINT32_C (0x7ff00000)

SPECIAL_FUNCTION uint32_t
_cured_approx_rcp_f64 (uint32_t x)
{
  uint32_t sign = x & SIGN, a = x & ~SIGN;

  /* The upper word alone distinguishes NaN from infinity. */
  if (a > INF_F64)
    return NAN_BITS;
  if (a == INF_F64)
    return sign;
  if (a < UINT32_C (0x00100000))
    return sign | INF_F64;

  uint32_t result = unit_rcp (UINT32_C (0x3f800000) | (a & 0xfffff) << 3);
  int exponent = 1023 - (int) (a >> 20) + (int) (result >> MANTISSA) - 127 + 1023;

  return exponent <= 0 ? sign : sign | (uint32_t) exponent << 20 | (result & (HIDDEN - 1)) >> 3;
}

SPECIAL_FUNCTION uint32_t
_cured_approx_rsqrt_f64 (uint32_t x)
{
  uint32_t sign = x & SIGN, a = x & ~SIGN;

  if (a > INF_F64)
    return NAN_BITS;
  if (a < UINT32_C (0x00100000))
    return sign | INF_F64;
  if (sign != 0)
    return NAN_BITS;
  if (a == INF_F64)
    return 0;

  int exponent = (int) (a >> 20) - 1023;
  uint32_t odd = (uint32_t) exponent & 1;
  uint32_t result = unit_rsqrt ((UINT32_C (127) + odd) << MANTISSA | (a & 0xfffff) << 3);

  exponent = 1023 - (exponent >> 1) + (int) (result >> MANTISSA) - 127;
  return (uint32_t) exponent << 20 | (result & (HIDDEN - 1)) >> 3;
}
