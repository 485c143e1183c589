/* SPDX-License-Identifier: MIT
 * Products of matrices as tensor cores form them: one row of a tile of 8 columns, for mma and
 * wgmma.
 *
 * How sums are rounded is not in the ISA. Integers are exact. Of f64 every product is fused with
 * the sum, in the order of k. For the narrow formats the hardware adds all products of an
 * instruction and the addend at once: each is cut off at the same bit, EXTRA_BITS below the last
 * one that an f32 of the greatest exponent has (the sum of the two factors' exponents counts,
 * whatever their product's is), then they are added exactly, and the sum is cut off to f32, or
 * rounded to nearest f16. That is what Khattak and Mikaitis found out about the H100 (arXiv
 * 2512.07004). Earlier chips keep fewer bits (A100: 1 extra bit, V100: none) and add fewer products
 * at once (8 and 4), later ones more: their results may differ from these in the last bits. Of
 * 8-bit floats 13 bits behind the greatest exponent are kept, and of the sum 13 bits of fraction:
 * 2,560 sums of wgmma on an H200 (tests/golden). */
#pragma once

#include <math.h>
#include <string.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

#define EXTRA_BITS 2
/* Below this exponent nothing is aligned to, however small all terms are. */
#define LEAST_EXPONENT (-133)
/* Of a zero: no term's exponent is lower. */
#define ZERO_EXPONENT (-1000)

#define MAX_M 16
#define N     8
#define MAX_K 128

/* All lanes take part, or those that are left; false: not yet. */
static inline bool
gather (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  if (!_cured_warp_converge (warp, mask, CURED_ALL_LANES))
    return false;
  if (G_UNLIKELY (mask != CURED_ALL_LANES))
    {
      CuredWitness here = _cured_warp_witness (warp, inst, mask, NC_ ("in a finding", "matrix"));

      _cured_grid_report (warp->block->grid, CURED_FINDING_INACTIVE_LANE, &here, NULL,
                          CURED_SPACE_GENERIC, 0, "it is for all 32 lanes, and 0x%08x take no part",
                          ~mask);
    }
  return true;
}

/* Whether the product is not needed. */
static inline bool
is_spared (const CuredWarp *warp, const CuredPtxInst *inst)
{
  const bool *spared = warp->block->grid->spared;

  return spared != NULL && spared[inst->site];
}

typedef enum
{
  FORMAT_F16,
  FORMAT_BF16,
  FORMAT_TF32,
  FORMAT_E4M3,
  FORMAT_E5M2,
} Format;

static const struct
{
  unsigned exponent_bits, fraction_bits;
  unsigned ignored_bits; /* at the end */
  int kept_bits;         /* of a term, behind the greatest exponent */
  unsigned sum_bits;     /* of an f32 sum's fraction */
} formats[] = {
  [FORMAT_F16] = { 5, 10, 0, 23 + EXTRA_BITS, 23 },
  [FORMAT_BF16] = { 8, 7, 0, 23 + EXTRA_BITS, 23 },
  [FORMAT_TF32] = { 8, 10, 13, 23 + EXTRA_BITS, 23 },
  [FORMAT_E4M3] = { 4, 3, 0, 13, 13 },
  [FORMAT_E5M2] = { 5, 2, 0, 13, 13 },
};

/* Eight elements side by side. */
typedef int32_t Ints __attribute__ ((vector_size (4 * N)));
typedef int64_t Longs __attribute__ ((vector_size (8 * N)));
typedef float Floats __attribute__ ((vector_size (4 * N)));
typedef double Doubles __attribute__ ((vector_size (8 * N)));

static G_ALWAYS_INLINE inline Ints
choose (Ints is_first, Ints first, Ints second)
{
  return (first & is_first) | (second & ~is_first);
}

static inline bool
is_any (Ints found)
{
  uint64_t parts[sizeof found / 8];
  uint64_t all = 0;

  memcpy (parts, &found, sizeof found);
  for (unsigned i = 0; i < G_N_ELEMENTS (parts); i++)
    all |= parts[i];
  return all != 0;
}

/* Elements of a factor, and the exponents of the unit above them, rows of A or columns of B;
 * special ones, infinite or NaN, are 0. */
typedef struct
{
  Floats value[MAX_M][MAX_K / N];
  Ints exponent[MAX_M][MAX_K / N];
  bool is_special; /* some are */
} Rows;

/* The same of B, eight columns side by side. */
typedef struct
{
  Floats value[MAX_K];
  Ints exponent[MAX_K];
  bool is_special;
} Columns;

/* Takes elements of @format apart; returns which of them are special. */
static G_ALWAYS_INLINE inline Ints
split (Format format, Ints bits, Floats *value, Ints *exponent)
{
  const int m = (int) formats[format].fraction_bits;
  const int sign = m + (int) formats[format].exponent_bits;
  const int top = (1 << formats[format].exponent_bits) - 1;
  const int bias = top / 2;
  Ints digits = bits >> (int) formats[format].ignored_bits;
  Ints biased = digits >> m & top;
  Ints fraction = digits & ((1 << m) - 1);
  Ints is_small = biased == 0;
  Ints is_special = biased == top;
  Ints is_zero = (digits & ((1 << sign) - 1)) == 0;
  Floats x;

  if (format == FORMAT_E4M3)
    is_special &= fraction == 7;
  biased -= is_small; /* which is -1 */
  /* Those with the exponents of f32 are the begin of one. */
  if (formats[format].exponent_bits == 8)
    x = (Floats) (digits << (23 - m));
  else
    {
      Ints significand = fraction | (~is_small & 1 << m);
      Ints is_negative = -(digits >> sign & 1);

      x = __builtin_convertvector((significand ^ is_negative) - is_negative, Floats) *
          (Floats) ((biased - bias - m + 127) << 23);
    }
  *value = (Floats) ((Ints) x & ~is_special);
  *exponent = choose (is_zero, (Ints){ 0 } + ZERO_EXPONENT, biased - bias);
  return is_special;
}

/* @n_k: of elements; a multiple of 4 */
static inline void
split_rows (Format format, const uint32_t (*at)[MAX_K], unsigned n_rows, unsigned n_k, Rows *rows)
{
  Ints is_special = { 0 };

  for (unsigned i = 0; i < n_rows; i++)
    for (unsigned k = 0; k < n_k; k += N)
      {
        Ints bits = { 0 };

        if (n_k - k >= N)
          memcpy (&bits, &at[i][k], sizeof bits);
        else
          memcpy (&bits, &at[i][k], sizeof bits / 2);
        is_special |= split (format, bits, &rows->value[i][k / N], &rows->exponent[i][k / N]);
      }
  rows->is_special = is_any (is_special);
}

static inline void
split_columns (Format format, const uint32_t (*at)[MAX_K], unsigned n_k, Columns *columns)
{
  Ints is_special = { 0 };

  for (unsigned k = 0; k < n_k; k++)
    {
      Ints bits = {
        (int32_t) at[0][k], (int32_t) at[1][k], (int32_t) at[2][k], (int32_t) at[3][k],
        (int32_t) at[4][k], (int32_t) at[5][k], (int32_t) at[6][k], (int32_t) at[7][k],
      };

      is_special |= split (format, bits, &columns->value[k], &columns->exponent[k]);
    }
  columns->is_special = is_any (is_special);
}

static inline double
widen (Format format, uint32_t bits)
{
  switch (format)
    {
    case FORMAT_F16: return (double) cured_f16_to_f32 ((uint16_t) bits);
    case FORMAT_BF16: return (double) cured_bf16_to_f32 ((uint16_t) bits);
    case FORMAT_E4M3:
      /* It has no infinity, and one NaN of each sign. */
      if ((bits & 0x7f) == 0x7f)
        return (double) NAN;
      return copysign ((bits >> 3 & 15) == 0
                           ? ldexp ((double) (bits & 7), -9)
                           : ldexp ((double) (bits & 7) + 8, (int) (bits >> 3 & 15) - 10),
                       (bits >> 7 & 1) != 0 ? -1.0 : 1.0);
    case FORMAT_E5M2: return (double) cured_f16_to_f32 ((uint16_t) (bits << 8));
    case FORMAT_TF32:
    default:
      /* A NaN whose payload is in the ignored bits only is infinite. */
      return (double) cured_f32_of_bits (bits & ~0x1fffu);
    }
}

/* A sum rounded to f16: a negative one that rounds to zero is +0. */
static inline uint32_t
round_to_f16 (double x)
{
  uint32_t half = cured_f64_to_f16 (x, CURED_PTX_ROUND_RN);

  return half == 0x8000 ? 0 : half;
}

/* A sum as it is given: the bits of an f32 cut off, or of an f16. */
static inline uint32_t
cut_off (Format format, bool is_f16, double x)
{
  const uint32_t lost = (1u << (23 - formats[format].sum_bits)) - 1;

  if (is_f16)
    return round_to_f16 (x);
  if (fabs (x) >= 0x1p128)
    x = copysign (INFINITY, x);
  if (!isfinite (x))
    return cured_narrow_f64 (x, 8, 23, CURED_PTX_ROUND_RZ);
  uint32_t cut = cured_narrow_f64 (x, 8, 23, CURED_PTX_ROUND_RZ) & ~lost;
  /* A negative sum of which nothing is left is +0, too. */
  return (cut & INT32_MAX) == 0 ? 0 : cut;
}

/* One element, where f32 may not hold the products. */
static __attribute__ ((noinline)) double
add_widely (const float *a, const Columns *b, unsigned column, unsigned n_k, float c, int bits,
            int greatest)
{
  double scale = ldexp (1, bits - greatest);
  double sum = 0;

  sum += trunc ((double) c * scale);
  for (unsigned k = 0; k < n_k; k++)
    sum += trunc ((double) a[k] * (double) b->value[k][column] * scale);
  return sum / scale;
}

/* Rows of the product and its addends @c, the bits of f32: to @d go those of f32, or of f16. What
 * is infinite or NaN is taken for 0.
 *
 * A term in units of the last bit that is kept is below 4 times 2 to the power 23 + EXTRA_BITS, and
 * no instruction adds more than 16 products that are not 0, so that the products' sum has 32 bits.
 * Where no exponent is near the ends of f32 they are exact in f32, or below one unit. */
static inline void
multiply_rows (Format format, const Rows *a, const Columns *b, unsigned n_rows, unsigned n_k,
               bool is_f16, const uint32_t (*c)[N], uint32_t (*d)[N])
{
  const int bits = formats[format].kept_bits;
  const int64_t kept = (int64_t) (UINT64_MAX << (52 - formats[format].sum_bits));

  for (unsigned i = 0; i < n_rows; i++)
    {
      const float *values = (const float *) a->value[i];
      const int32_t *exponents = (const int32_t *) a->exponent[i];
      Ints total = { 0 };
      Ints addend;
      Ints biased;
      Ints most;
      Ints rest;
      Floats scale;
      Doubles sum;

      memcpy (&addend, c[i], sizeof addend);
      biased = addend >> 23 & 0xff;
      most = choose ((addend & INT32_MAX) == 0, (Ints){ 0 } + 2 * ZERO_EXPONENT,
                     biased - 127 - (biased == 0));
      /* A subnormal f16 counts with the exponent of the least normal one: 16,384 sums of wgmma on
       * an H200. */
      if (is_f16)
        most = choose ((most < -14) & (most > ZERO_EXPONENT), (Ints){ 0 } - 14, most);
      for (unsigned k = 0; k < n_k; k++)
        {
          Ints exponent = b->exponent[k] + exponents[k];

          most = choose (exponent > most, exponent, most);
        }
      /* Nothing but zeros: any will do. */
      most &= most >= ZERO_EXPONENT / 2;
      if (G_UNLIKELY (is_any ((most < -100) | (most > 120))))
        {
          for (unsigned n = 0; n < N; n++)
            d[i][n] = cut_off (format, is_f16,
                               add_widely (values, b, n, n_k,
                                           biased[n] == 0xff ? 0 : cured_f32_of_bits (c[i][n]),
                                           bits, MAX (most[n], LEAST_EXPONENT)));
          continue;
        }

      scale = (Floats) ((bits + 127 - most) << 23);
      rest = __builtin_convertvector((Floats) addend * scale, Ints);
      for (unsigned k = 0; k < n_k; k++)
        total += __builtin_convertvector(b->value[k] * values[k] * scale, Ints);
      sum = (__builtin_convertvector(total, Doubles) + __builtin_convertvector(rest, Doubles)) *
            __builtin_convertvector((Floats) ((most - bits + 127) << 23), Doubles);
      if (is_f16)
        for (unsigned n = 0; n < N; n++)
          d[i][n] = round_to_f16 (sum[n]);
      else
        {
          Floats cut = __builtin_convertvector((Doubles) ((Longs) sum & kept), Floats);

          memcpy (d[i], &cut, sizeof cut);
        }
    }
}

/* Whether some of the addends are infinite or NaN. */
static inline bool
are_special (const uint32_t (*c)[N], unsigned n_rows)
{
  uint32_t found = 0;

  for (unsigned i = 0; i < n_rows; i++)
    for (unsigned n = 0; n < N; n++)
      found |= (c[i][n] & 0x7f800000) == 0x7f800000;
  return found != 0;
}

/* With an infinity or NaN in it the result is one of these, and does not depend on any rounding.
 * @kept: the products that there are; @sign: of them. */
static inline double
multiply_special (Format a_format, Format b_format, const uint32_t *a, const uint32_t *b,
                  unsigned n_k, uint64_t kept, double sign, uint32_t c)
{
  double sum = (double) cured_f32_of_bits (c);

  for (unsigned k = 0; k < n_k; k++)
    if ((kept >> k & 1) != 0)
      sum += sign * widen (a_format, a[k]) * widen (b_format, b[k]);
  return sum;
}

/* Bits of it a row: two for each element that there is, or, of four bits, for each pair. */
static inline unsigned
count_metadata (unsigned n_k, unsigned bits)
{
  return bits == 32 ? 2 * n_k : bits == 4 ? n_k / 2 : n_k;
}

/* The metadata of a row of @n_k elements of @bits, half of which there are: PTX ISA 9.0, section
 * 9.7.14.6.2. Four bits say which two of four neighbours there are, or which one of two 32-bit
 * ones. @lanes: the registers of a warp. */
static inline uint64_t
get_metadata (const uint32_t *lanes, unsigned selector, unsigned row, unsigned n_k, unsigned bits)
{
  unsigned half = row / 8;
  unsigned row_bits = count_metadata (n_k, bits);
  uint64_t found = 0;

  lanes += row % 8 * 4;
  if (row_bits == 16)
    return lanes[selector] >> (16 * half) & 0xffff;
  if (bits > 8)
    for (unsigned i = 0; i < 2; i++)
      found |= (uint64_t) (lanes[2 * selector + i] >> (16 * half) & 0xffff) << (16 * i);
  else
    for (unsigned i = 0; i < row_bits / 32; i++)
      found |= (uint64_t) lanes[2 * (selector + i) + half] << (32 * i);
  return found;
}

/* How many selectors such metadata has. */
static inline unsigned
count_selectors (unsigned n_k, unsigned bits)
{
  unsigned row_bits = count_metadata (n_k, bits);

  return row_bits == 16 ? 4 : row_bits == 32 ? 2 : 1;
}

/* The @n_k / 2 elements at @row, to where they belong, the others being 0; a bit for each of those
 * that there are, of the first 64. */
static inline uint64_t
spread_row (uint64_t metadata, unsigned n_k, unsigned bits, uint32_t row[MAX_K])
{
  uint32_t whole[MAX_K] = { 0 };
  uint64_t kept = 0;

  for (unsigned k = 0; k < n_k / 2; k++)
    {
      unsigned pair = k / 2;
      unsigned to = bits == 32  ? 2 * k + (metadata >> (4 * k + 1) & 1)
                    : bits == 4 ? 2 * (pair / 2 * 4 + (metadata >> (2 * pair) & 3)) + k % 2
                                : k / 2 * 4 + (metadata >> (2 * k) & 3);

      whole[to] = row[k];
      if (to < 64)
        kept |= (uint64_t) 1 << to;
    }
  memcpy (row, whole, sizeof whole);
  return kept;
}
