/* SPDX-License-Identifier: MIT
 * Products of matrices as tensor cores form them: one row of a tile of 8 columns,
 * for mma and wgmma.
 *
 * How sums are rounded is not in the ISA. Integers are exact. Of f64 every
 * product is fused with the sum, in the order of k. For the narrow formats the
 * hardware adds all products of an instruction and the addend at once: each is
 * cut off at the same bit, EXTRA_BITS below the last one that an f32 of the
 * greatest exponent has (the sum of the two factors' exponents counts, whatever
 * their product's is), then they are added exactly, and the sum is cut off to
 * f32, or rounded to nearest f16. That is what Khattak and Mikaitis found out
 * about the H100 (arXiv 2512.07004). Earlier chips keep fewer bits (A100: 1
 * extra bit, V100: none) and add fewer products at once (8 and 4), later ones
 * more: their results may differ from these in the last bits. Of 8-bit floats
 * 13 bits behind the greatest exponent are kept, and of the sum 13 bits of
 * fraction: 2,560 sums of wgmma on an H200 (tests/golden). */
#pragma once

#include <math.h>
#include <string.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

G_BEGIN_DECLS

#define EXTRA_BITS 2
/* Below this exponent nothing is aligned to, however small all terms are. */
#define LEAST_EXPONENT (-133)
/* Of a zero: no term's exponent is lower. */
#define ZERO_EXPONENT (-1000)

#define MAX_M 16
#define N     8
#define MAX_K 64

/* All lanes take part, or those that are left; false: not yet. */
static inline bool
gather (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  if (!_cured_warp_converge (warp, mask, CURED_ALL_LANES))
    return false;
  if (G_UNLIKELY (mask != CURED_ALL_LANES))
    {
      CuredWitness here = _cured_warp_witness (
          warp, inst, mask, NC_ ("in a finding", "matrix"));

      _cured_grid_report (warp->block->grid,
                          CURED_FINDING_INACTIVE_LANE,
                          &here,
                          NULL,
                          CURED_SPACE_GENERIC,
                          0,
                          "it is for all 32 lanes, and 0x%08x take no part",
                          ~mask);
    }
  return true;
}

/* Significands with their sign and exponents of the unit above them, column by
 * column of k, so that a loop over rows or columns vectorizes. */
typedef struct
{
  int32_t significand[MAX_K][MAX_M];
  int32_t exponent[MAX_K][MAX_M];
  bool is_special; /* some are infinite or NaN */
} Factors;

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
  unsigned exponent_bits;
  unsigned fraction_bits;
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

static inline void
split (Format format,
       const uint32_t (*at)[MAX_K],
       unsigned n_rows,
       unsigned n_k,
       Factors *factors)
{
  const unsigned m = formats[format].fraction_bits;
  const int top = (1 << formats[format].exponent_bits) - 1;
  const int bias = top / 2;

  factors->is_special = false;
  for (unsigned k = 0; k < n_k; k++)
    for (unsigned i = 0; i < n_rows; i++)
      {
        uint32_t bits = at[i][k] >> formats[format].ignored_bits;
        int exponent = (int) (bits >> m) & top;
        int fraction = (int) (bits & ((1u << m) - 1));
        bool is_negative = bits >> (m + formats[format].exponent_bits) & 1;
        int significand = exponent != 0 ? fraction | 1 << m : fraction;

        factors->is_special |=
            exponent == top && (format != FORMAT_E4M3 || fraction == 7);
        factors->significand[k][i] = is_negative ? -significand : significand;
        factors->exponent[k][i] = significand == 0 ? ZERO_EXPONENT
                                  : exponent == 0  ? 1 - bias
                                                   : exponent - bias;
      }
}

static inline double
widen (Format format, uint32_t bits)
{
  switch (format)
    {
    case FORMAT_F16:
      return (double) cured_f16_to_f32 ((uint16_t) bits);
    case FORMAT_BF16:
      return (double) cured_bf16_to_f32 ((uint16_t) bits);
    case FORMAT_E4M3:
      /* It has no infinity, and one NaN of each sign. */
      if ((bits & 0x7f) == 0x7f)
        return (double) NAN;
      return copysign (
          (bits >> 3 & 15) == 0
              ? ldexp ((double) (bits & 7), -9)
              : ldexp ((double) (bits & 7) + 8, (int) (bits >> 3 & 15) - 10),
          (bits >> 7 & 1) != 0 ? -1.0 : 1.0);
    case FORMAT_E5M2:
      return (double) cured_f16_to_f32 ((uint16_t) (bits << 8));
    case FORMAT_TF32:
    default:
      /* A NaN whose payload is in the ignored bits only is infinite. */
      return (double) cured_f32_of_bits (bits & ~0x1fffu);
    }
}

/* One row of the product and its addends, to doubles that hold it exactly.
 * Every term is at most 4 times 2 to the power 23 + EXTRA_BITS, so that 8 of
 * them fit in 32 bits. */
static inline void
multiply_row (Format a_format,
              Format b_format,
              const Factors *a,
              const Factors *b,
              unsigned row,
              unsigned n_k,
              const uint32_t *c,
              double *sums)
{
  const int bits = formats[a_format].kept_bits;
  const int product_bits =
      (int) (formats[a_format].fraction_bits + formats[b_format].fraction_bits);
  int32_t greatest[N];
  int64_t totals[N];

  for (unsigned n = 0; n < N; n++)
    {
      int exponent = (int) (c[n] >> 23 & 0xff);

      greatest[n] = (c[n] & INT32_MAX) == 0 ? ZERO_EXPONENT * 2
                    : exponent == 0         ? -126
                                            : exponent - 127;
    }
  for (unsigned k = 0; k < n_k; k++)
    for (unsigned n = 0; n < N; n++)
      {
        int32_t exponent = a->exponent[k][row] + b->exponent[k][n];

        greatest[n] = exponent > greatest[n] ? exponent : greatest[n];
      }
  for (unsigned n = 0; n < N; n++)
    {
      int exponent = (int) (c[n] >> 23 & 0xff);
      int64_t term =
          (int64_t) ((c[n] & 0x7fffff) | (exponent != 0 ? 1u << 23 : 0))
          << bits;
      int shift;

      greatest[n] = greatest[n] < LEAST_EXPONENT ? LEAST_EXPONENT : greatest[n];
      shift = 23 + greatest[n] - (exponent != 0 ? exponent - 127 : -126);
      term = shift > 62 ? 0 : shift < 0 ? 0 : term >> shift;
      totals[n] = c[n] >> 31 ? -term : term;
    }
  for (unsigned first = 0; first < n_k; first += 8)
    {
      int32_t partial[N] = { 0 };

      for (unsigned k = first; k < first + 8 && k < n_k; k++)
        for (unsigned n = 0; n < N; n++)
          {
            int32_t product = a->significand[k][row] * b->significand[k][n];
            int32_t sign = product >> 31;
            int32_t shift =
                greatest[n] - a->exponent[k][row] - b->exponent[k][n];
            int32_t term;

            shift = shift > 31 ? 31 : shift;
            term =
                (((product ^ sign) - sign) << (bits - product_bits)) >> shift;
            partial[n] += (term ^ sign) - sign;
          }
      for (unsigned n = 0; n < N; n++)
        totals[n] += partial[n];
    }
  for (unsigned n = 0; n < N; n++)
    sums[n] = (double) totals[n] *
              cured_f64_of_bits ((uint64_t) (greatest[n] - bits + 1023) << 52);
}

/* With an infinity or NaN in it the result is one of these, and does not depend
 * on any rounding. @kept: the products that there are. */
static inline double
multiply_special (Format a_format,
                  Format b_format,
                  const uint32_t *a,
                  const uint32_t *b,
                  unsigned n_k,
                  uint64_t kept,
                  uint32_t c)
{
  double sum = (double) cured_f32_of_bits (c);

  for (unsigned k = 0; k < n_k; k++)
    if ((kept >> k & 1) != 0)
      sum += widen (a_format, a[k]) * widen (b_format, b[k]);
  return sum;
}

/* The metadata of a row of @n_k elements of @bits, half of which there are: PTX
 * ISA 9.0, section 9.7.14.6.2. Four bits say which two of four neighbours there
 * are, or which one of two 32-bit ones. @lanes: the registers of a warp. */
static inline uint64_t
get_metadata (const uint32_t *lanes,
              unsigned selector,
              unsigned row,
              unsigned n_k,
              unsigned bits)
{
  unsigned half = row / 8;
  unsigned row_bits = bits == 32 ? 2 * n_k : n_k;
  uint64_t found = 0;

  lanes += row % 8 * 4;
  if (row_bits == 16)
    return lanes[selector] >> (16 * half) & 0xffff;
  if (bits != 8)
    for (unsigned i = 0; i < 2; i++)
      found |= (uint64_t) (lanes[2 * selector + i] >> (16 * half) & 0xffff)
               << (16 * i);
  else
    for (unsigned i = 0; i < row_bits / 32; i++)
      found |= (uint64_t) lanes[2 * (selector + i) + half] << (32 * i);
  return found;
}

/* How many selectors such metadata has. */
static inline unsigned
count_selectors (unsigned n_k, unsigned bits)
{
  unsigned row_bits = bits == 32 ? 2 * n_k : n_k;

  return row_bits == 16 ? 4 : row_bits == 32 ? 2 : 1;
}

/* The @n_k / 2 elements at @row, to where they belong, the others being 0; a bit
 * for each of those that there are. */
static inline uint64_t
spread_row (uint64_t metadata, unsigned n_k, unsigned bits, uint32_t row[MAX_K])
{
  uint32_t whole[MAX_K] = { 0 };
  uint64_t kept = 0;

  for (unsigned k = 0; k < n_k / 2; k++)
    {
      unsigned to = bits == 32 ? 2 * k + (metadata >> (4 * k + 1) & 1)
                               : k / 2 * 4 + (metadata >> (2 * k) & 3);

      whole[to] = row[k];
      kept |= (uint64_t) 1 << to;
    }
  memcpy (row, whole, sizeof whole);
  return kept;
}

static inline uint32_t
cut_off (Format format, double x)
{
  const uint32_t lost = (1u << (23 - formats[format].sum_bits)) - 1;

  if (fabs (x) >= 0x1p128)
    x = copysign (INFINITY, x);
  if (!isfinite (x))
    return cured_narrow_f64 (x, 8, 23, CURED_PTX_ROUND_RZ);
  return cured_narrow_f64 (x, 8, 23, CURED_PTX_ROUND_RZ) & ~lost;
}

G_END_DECLS
