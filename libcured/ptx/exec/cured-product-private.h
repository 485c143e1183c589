/* SPDX-License-Identifier: MIT
 * Products of matrices as computed by tensor cores, for mma and wgmma: one row of a tile of 8
 * columns.
 *
 * The ISA does not define the rounding of sums. Integers are exact. For f64 every product is fused
 * with the sum, in the order of k. For the narrow formats the hardware adds all products of an
 * instruction and the addend at once: each is truncated at the same bit, EXTRA_BITS below the last
 * bit of an f32 with the greatest exponent (that of a product is the sum of its factors'
 * exponents), then they are added exactly, and the sum is truncated to f32, or rounded to nearest
 * f16. Khattak and Mikaitis found this for the H100 (arXiv 2512.07004). Earlier chips keep fewer
 * bits (A100: 1 extra bit, V100: none) and add fewer products at once (8 and 4), later ones more:
 * their results may differ from these in the last bits. For 8-bit floats, 13 bits after the
 * greatest exponent are kept, and 13 fractional bits of the sum: 2,560 sums of wgmma on an H200
 * (tests/golden). */
#pragma once

#include <math.h>
#include <string.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

#define EXTRA_BITS 2
/* The minimum exponent for alignment, however small all terms are. */
#define LEAST_EXPONENT (-133)
/* Of a zero: less than any term's exponent. */
#define ZERO_EXPONENT (-1000)

#define MAX_M 16
#define N     8
#define MAX_K 128

/* Waits until all lanes take part, or those that have not exited; false: not yet. */
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

/* Whether the product is skipped. */
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
  unsigned ignored_bits; /* at the low end */
  int kept_bits;         /* of a term, after the greatest exponent */
  unsigned sum_bits;     /* fractional bits of an f32 sum */
} formats[] = {
  [FORMAT_F16] = { 5, 10, 0, 23 + EXTRA_BITS, 23 },
  [FORMAT_BF16] = { 8, 7, 0, 23 + EXTRA_BITS, 23 },
  [FORMAT_TF32] = { 8, 10, 13, 23 + EXTRA_BITS, 23 },
  [FORMAT_E4M3] = { 4, 3, 0, 13, 13 },
  [FORMAT_E5M2] = { 5, 2, 0, 13, 13 },
};

/* Eight adjacent elements. */
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

/* Elements of a factor and their exponents, by rows of A; infinities and NaNs are 0. */
typedef struct
{
  Floats value[MAX_M][MAX_K / N];
  Ints exponent[MAX_M][MAX_K / N];
  bool is_special; /* if any element is */
} Rows;

/* The same for B: eight columns in a vector. */
typedef struct
{
  Floats value[MAX_K];
  Ints exponent[MAX_K];
  bool is_special;
} Columns;

/* Splits elements of @format; returns a mask of the special ones. */
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
  /* Those with f32's exponents are the upper bits of an f32. */
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

/* @n_k: number of elements; a multiple of 4 */
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
      /* It has no infinity, and one NaN per sign. */
      if ((bits & 0x7f) == 0x7f)
        return (double) NAN;
      return copysign ((bits >> 3 & 15) == 0
                           ? ldexp ((double) (bits & 7), -9)
                           : ldexp ((double) (bits & 7) + 8, (int) (bits >> 3 & 15) - 10),
                       (bits >> 7 & 1) != 0 ? -1.0 : 1.0);
    case FORMAT_E5M2: return (double) cured_f16_to_f32 ((uint16_t) (bits << 8));
    case FORMAT_TF32:
    default:
      /* A NaN with a payload only in the ignored bits becomes infinite. */
      return (double) cured_f32_of_bits (bits & ~0x1fffu);
    }
}

/* Rounds a sum to f16: a negative one that rounds to zero is +0. */
static inline uint32_t
round_to_f16 (double x)
{
  uint32_t half = cured_f64_to_f16 (x, CURED_PTX_ROUND_RN);

  return half == 0x8000 ? 0 : half;
}

/* The result's bits for a sum: truncated to f32, or rounded to f16. */
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
  /* Likewise, a negative sum truncated to zero is +0. */
  return (cut & INT32_MAX) == 0 ? 0 : cut;
}

/* One element, if f32 may not hold the products. */
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

/* Rows of the product and its addends @c, the bits of f32: @d gets those of f32, or of f16.
 * Infinities and NaNs are treated as 0.
 *
 * In units of the last kept bit, a term is below 4 times 2 to the power 23 + EXTRA_BITS, and no
 * instruction adds more than 16 nonzero products, so that their sum fits in 32 bits. If no exponent
 * is near the limits of f32, products are exact in f32, or below one unit. */
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
      /* A subnormal f16 has the exponent of the least normal one: 16,384 sums of wgmma on an
       * H200. */
      if (is_f16)
        most = choose ((most < -14) & (most > ZERO_EXPONENT), (Ints){ 0 } - 14, most);
      for (unsigned k = 0; k < n_k; k++)
        {
          Ints exponent = b->exponent[k] + exponents[k];

          most = choose (exponent > most, exponent, most);
        }
      /* All zeros: any exponent will do. */
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

/* Whether any addend is infinite or NaN. */
static inline bool
are_special (const uint32_t (*c)[N], unsigned n_rows)
{
  uint32_t found = 0;

  for (unsigned i = 0; i < n_rows; i++)
    for (unsigned n = 0; n < N; n++)
      found |= (c[i][n] & 0x7f800000) == 0x7f800000;
  return found != 0;
}

/* If an operand is infinite or NaN, so is the result, independent of rounding. @kept: products that
 * are present; @sign: their sign. */
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

/* Metadata bits per row: two for each element present, or, with 4-bit elements, for each pair. */
static inline unsigned
count_metadata (unsigned n_k, unsigned bits)
{
  return bits == 32 ? 2 * n_k : bits == 4 ? n_k / 2 : n_k;
}

/* The metadata of a row of @n_k elements of @bits, half of them present: PTX ISA 9.0, section
 * 9.7.14.6.2. Four bits select two of four neighbours, or one of two 32-bit elements. @lanes: the
 * registers of a warp. */
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

/* Number of selectors for such metadata. */
static inline unsigned
count_selectors (unsigned n_k, unsigned bits)
{
  unsigned row_bits = count_metadata (n_k, bits);

  return row_bits == 16 ? 4 : row_bits == 32 ? 2 : 1;
}

/* Spreads the @n_k / 2 elements of @row to their places and sets the others to 0; returns a bit for
 * each element present, of the first 64. */
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
