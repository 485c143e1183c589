/* SPDX-License-Identifier: MIT
 * Matrices in the registers of a warp: mma, ldmatrix, stmatrix, movmatrix.
 *
 * Which lane holds which element: PTX ISA 9.0, section 9.7.14.5. One rule
 * covers all shapes: a register holds 32 or 64 bits of a row of A, of a column
 * of B, a group of four lanes holds 4 registers' worth in a row, the group's
 * number is the row (of A, C, D) or column (of B); further registers go down by
 * 8 rows first, then along.
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
 * more: their results may differ from these in the last bits. */
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ptx/exec/cured-half-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

#define EXTRA_BITS 2
/* Below this exponent nothing is aligned to, however small all terms are. */
#define LEAST_EXPONENT (-133)
/* Of a zero: no term's exponent is lower. */
#define ZERO_EXPONENT (-1000)

#define MAX_M 16
#define N     8
#define MAX_K 32

/* All lanes take part, or those that are left; false: not yet. */
static bool
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

/* ---- 8 × 8 matrices of 16 bits ---- */

typedef struct
{
  uint16_t at[8][8];
} Matrix;

/* A lane's register: two neighbours of a row. */
static void
take_fragments (const uint32_t *lanes, Matrix *matrix)
{
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    for (unsigned j = 0; j < 2; j++)
      matrix->at[l / 4][l % 4 * 2 + j] = (uint16_t) (lanes[l] >> (16 * j));
}

static void
give_fragments (const Matrix *matrix, uint32_t mask, uint32_t *lanes)
{
  FOR_LANES (mask,
             lanes[l] = (uint32_t) matrix->at[l / 4][l % 4 * 2] |
                        (uint32_t) matrix->at[l / 4][l % 4 * 2 + 1] << 16);
}

static void
transpose (const Matrix *from, Matrix *to)
{
  for (unsigned i = 0; i < 8; i++)
    for (unsigned j = 0; j < 8; j++)
      to->at[i][j] = from->at[j][i];
}

/* Lanes 0 to 7 hold the addresses of the first matrix's rows, and so on. */
static void
access_rows (CuredWarp *warp,
             const CuredPtxInst *inst,
             uint32_t mask,
             unsigned n_matrices,
             CuredAccessKind kind,
             const CuredPtxOperand *address,
             CuredHosts *hosts)
{
  uint32_t rows =
      n_matrices == 4 ? CURED_ALL_LANES : (1u << (8 * n_matrices)) - 1;

  hosts->mask = 0;
  if ((mask & rows) == 0)
    return;
  _cured_warp_access (warp,
                      inst,
                      mask & rows,
                      inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_NO_WORD
                          ? CURED_SPACE_SHARED
                          : CURED_SPACE_GENERIC,
                      kind,
                      address,
                      inst->displacement,
                      sizeof (Matrix) / 8,
                      hosts);
  if (G_UNLIKELY (hosts->mask != 0 && hosts->space != CURED_SPACE_SHARED))
    {
      CuredWitness here = _cured_warp_witness (
          warp, inst, hosts->mask, NC_ ("in a finding", "matrix"));

      _cured_grid_report (warp->block->grid,
                          CURED_FINDING_OUT_OF_BOUNDS,
                          &here,
                          NULL,
                          CURED_SPACE_GENERIC,
                          0,
                          "rows of a matrix are in shared memory only");
      hosts->mask = 0;
    }
}

/* Rows that can't be read are zeros. */
static void
load_matrices (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  unsigned n = inst->counts[0];
  bool is_transposed = inst->words[CURED_PTX_GROUP_TRANS] != CURED_PTX_NO_WORD;
  CuredHosts hosts;

  if (!gather (warp, inst, mask))
    return;
  access_rows (warp, inst, mask, n, CURED_ACCESS_LDMATRIX, &inst->x[n], &hosts);
  for (unsigned i = 0; i < n; i++)
    {
      Matrix matrix = { 0 };
      Matrix transposed;

      for (unsigned row = 0; row < 8; row++)
        if ((hosts.mask >> (8 * i + row) & 1) != 0)
          memcpy (matrix.at[row], hosts.host[8 * i + row], 16);
      if (is_transposed)
        transpose (&matrix, &transposed);
      give_fragments (is_transposed ? &transposed : &matrix,
                      mask,
                      LANES (uint32_t, inst->x[i]));
    }
}

static void
store_matrices (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  unsigned n = inst->counts[1];
  bool is_transposed = inst->words[CURED_PTX_GROUP_TRANS] != CURED_PTX_NO_WORD;
  CuredHosts hosts;

  if (!gather (warp, inst, mask))
    return;
  access_rows (warp, inst, mask, n, CURED_ACCESS_STMATRIX, &inst->x[0], &hosts);
  for (unsigned i = 0; i < n; i++)
    {
      Matrix matrix;
      Matrix transposed;

      take_fragments (LANES (const uint32_t, inst->x[1 + i]), &matrix);
      if (is_transposed)
        transpose (&matrix, &transposed);
      for (unsigned row = 0; row < 8; row++)
        if ((hosts.mask >> (8 * i + row) & 1) != 0)
          memcpy (hosts.host[8 * i + row],
                  is_transposed ? transposed.at[row] : matrix.at[row],
                  16);
    }
}

static void
move_matrix (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  Matrix matrix;
  Matrix transposed;

  if (!gather (warp, inst, mask))
    return;
  take_fragments (LANES (const uint32_t, inst->x[1]), &matrix);
  transpose (&matrix, &transposed);
  give_fragments (&transposed, mask, LANES (uint32_t, inst->x[0]));
}

/* ---- Shapes of mma ---- */

static void
get_shape (const CuredPtxInst *inst, unsigned *m, unsigned *k)
{
  *m = 16;
  *k = 0;
  switch (inst->words[CURED_PTX_GROUP_SHAPE])
    {
    case CURED_PTX_SHAPE_M8N8K4:
      *m = 8;
      *k = 4;
      break;
    case CURED_PTX_SHAPE_M8N8K16:
      *m = 8;
      *k = 16;
      break;
    case CURED_PTX_SHAPE_M16N8K4:
      *k = 4;
      break;
    case CURED_PTX_SHAPE_M16N8K8:
      *k = 8;
      break;
    case CURED_PTX_SHAPE_M16N8K16:
      *k = 16;
      break;
    case CURED_PTX_SHAPE_M16N8K32:
      *k = 32;
      break;
    default:
      break;
    }
}

/* Of d, a, b, c: where their operands start. */
static const CuredPtxOperand *
get_operands (const CuredPtxInst *inst, unsigned which)
{
  const CuredPtxOperand *x = inst->x;

  for (unsigned i = 0; i < which; i++)
    x += inst->counts[i];
  return x;
}

/* Elements of A (@m > 0: two registers go down before the next goes along) or
 * of B, as @bits of a register of 32 bits each: at[row or column][k]. */
static void
take_narrow (CuredWarp *warp,
             const CuredPtxOperand *x,
             unsigned n_registers,
             unsigned n_down,
             unsigned bits,
             uint32_t at[MAX_M][MAX_K])
{
  unsigned each = 32 / bits;
  uint32_t ones = bits == 32 ? UINT32_MAX : (1u << bits) - 1;

  for (unsigned r = 0; r < n_registers; r++)
    {
      const uint32_t *lanes = LANES (const uint32_t, x[r]);

      for (unsigned l = 0; l < CURED_WARP_LANES; l++)
        for (unsigned j = 0; j < each; j++)
          at[l / 4 + 8 * (r % n_down)][r / n_down * 4 * each + l % 4 * each +
                                       j] = lanes[l] >> (bits * j) & ones;
    }
}

/* C or D of 32 bits per element. */
static void
take_addend (CuredWarp *warp,
             const CuredPtxOperand *x,
             unsigned n_registers,
             uint32_t at[MAX_M][N])
{
  for (unsigned r = 0; r < n_registers; r++)
    {
      const uint32_t *lanes = LANES (const uint32_t, x[r]);

      for (unsigned l = 0; l < CURED_WARP_LANES; l++)
        at[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2] = lanes[l];
    }
}

static void
give_result (CuredWarp *warp,
             const CuredPtxOperand *x,
             unsigned n_registers,
             uint32_t mask,
             uint32_t at[MAX_M][N])
{
  for (unsigned r = 0; r < n_registers; r++)
    {
      uint32_t *lanes = LANES (uint32_t, x[r]);

      FOR_LANES (mask, lanes[l] = at[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2]);
    }
}

/* ---- mma of narrow formats ---- */

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
} Format;

static const struct
{
  unsigned exponent_bits;
  unsigned fraction_bits;
  unsigned ignored_bits; /* at the end */
} formats[] = {
  [FORMAT_F16] = { 5, 10, 0 },
  [FORMAT_BF16] = { 8, 7, 0 },
  [FORMAT_TF32] = { 8, 10, 13 },
};

static void
split (Format format,
       const uint32_t at[MAX_M][MAX_K],
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

        factors->is_special |= exponent == top;
        factors->significand[k][i] = is_negative ? -significand : significand;
        factors->exponent[k][i] = significand == 0 ? ZERO_EXPONENT
                                  : exponent == 0  ? 1 - bias
                                                   : exponent - bias;
      }
}

static double
widen (Format format, uint32_t bits)
{
  switch (format)
    {
    case FORMAT_F16:
      return (double) cured_f16_to_f32 ((uint16_t) bits);
    case FORMAT_BF16:
      return (double) cured_bf16_to_f32 ((uint16_t) bits);
    case FORMAT_TF32:
    default:
      /* A NaN whose payload is in the ignored bits only is infinite. */
      return (double) cured_f32_of_bits (bits & ~0x1fffu);
    }
}

/* One row of the product and its addends, to doubles that hold it exactly.
 * Every term is at most 4 times 2 to the power 23 + EXTRA_BITS, so that 8 of
 * them fit in 32 bits. */
static void
multiply_row (const Factors *a,
              const Factors *b,
              unsigned row,
              unsigned n_k,
              unsigned fraction_bits,
              const uint32_t *c,
              double *sums)
{
  const int bits = 23 + EXTRA_BITS;
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
          << EXTRA_BITS;
      int shift;

      greatest[n] = greatest[n] < LEAST_EXPONENT ? LEAST_EXPONENT : greatest[n];
      shift = greatest[n] - (exponent != 0 ? exponent - 127 : -126);
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
            term = (((product ^ sign) - sign)
                    << (bits - 2 * (int) fraction_bits)) >>
                   shift;
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
 * on any rounding. */
static double
multiply_special (Format format,
                  const uint32_t *a,
                  const uint32_t *b,
                  unsigned n_k,
                  uint32_t c)
{
  double sum = (double) cured_f32_of_bits (c);

  for (unsigned k = 0; k < n_k; k++)
    sum += widen (format, a[k]) * widen (format, b[k]);
  return sum;
}

static uint32_t
cut_off (double x)
{
  if (fabs (x) >= 0x1p128)
    x = copysign (INFINITY, x);
  return cured_narrow_f64 (x, 8, 23, CURED_PTX_ROUND_RZ);
}

static inline void
multiply_narrow (CuredWarp *warp,
                 const CuredPtxInst *inst,
                 uint32_t mask,
                 Format format)
{
  const CuredPtxOperand *x[4];
  uint32_t a[MAX_M][MAX_K];
  uint32_t b[MAX_M][MAX_K];
  uint32_t c[MAX_M][N];
  uint32_t d[MAX_M][N];
  Factors a_factors;
  Factors b_factors;
  bool is_f16 = inst->types[0] == CURED_PTX_F16;
  unsigned bits = format == FORMAT_TF32 ? 32 : 16;
  unsigned n_m;
  unsigned n_k;

  if (!gather (warp, inst, mask))
    return;
  get_shape (inst, &n_m, &n_k);
  for (unsigned i = 0; i < 4; i++)
    x[i] = get_operands (inst, i);
  take_narrow (warp, x[1], inst->counts[1], 2, bits, a);
  take_narrow (warp, x[2], inst->counts[2], 1, bits, b);
  if (is_f16)
    for (unsigned r = 0; r < 2; r++)
      for (unsigned l = 0; l < CURED_WARP_LANES; l++)
        for (unsigned j = 0; j < 2; j++)
          {
            uint32_t pair = LANES (const uint32_t, x[3][r])[l];

            c[l / 4 + 8 * r][l % 4 * 2 + j] = cured_bits_of_f32 (
                cured_f16_to_f32 ((uint16_t) (pair >> (16 * j))));
          }
  else
    take_addend (warp, x[3], 4, c);
  split (format, (const uint32_t (*)[MAX_K]) a, n_m, n_k, &a_factors);
  split (format, (const uint32_t (*)[MAX_K]) b, N, n_k, &b_factors);

  for (unsigned i = 0; i < n_m; i++)
    {
      double sums[N];

      multiply_row (&a_factors,
                    &b_factors,
                    i,
                    n_k,
                    formats[format].fraction_bits,
                    c[i],
                    sums);
      for (unsigned n = 0; n < N; n++)
        {
          if (a_factors.is_special || b_factors.is_special ||
              (c[i][n] & 0x7f800000) == 0x7f800000)
            {
              double special =
                  multiply_special (format, a[i], b[n], n_k, c[i][n]);

              if (!isfinite (special))
                sums[n] = special;
            }
          d[i][n] = is_f16 ? cured_f64_to_f16 (sums[n], CURED_PTX_ROUND_RN)
                           : cut_off (sums[n]);
        }
    }
  if (is_f16)
    for (unsigned r = 0; r < 2; r++)
      {
        uint32_t *lanes = LANES (uint32_t, x[0][r]);

        FOR_LANES (mask,
                   lanes[l] = d[l / 4 + 8 * r][l % 4 * 2] |
                              d[l / 4 + 8 * r][l % 4 * 2 + 1] << 16);
      }
  else
    give_result (warp, x[0], 4, mask, d);
}

static void
multiply_f16 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  multiply_narrow (warp, inst, mask, FORMAT_F16);
}

static void
multiply_bf16 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  multiply_narrow (warp, inst, mask, FORMAT_BF16);
}

static void
multiply_tf32 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  multiply_narrow (warp, inst, mask, FORMAT_TF32);
}

/* ---- mma of integers ---- */

static int32_t
extend (uint32_t byte, bool is_signed)
{
  return is_signed ? (int8_t) byte : (int32_t) byte;
}

static void
multiply_s8 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  bool is_saturated = inst->words[CURED_PTX_GROUP_SAT] != CURED_PTX_NO_WORD;
  bool a_is_signed = inst->types[1] == CURED_PTX_S8;
  bool b_is_signed = inst->types[2] == CURED_PTX_S8;
  uint32_t a[MAX_M][MAX_K];
  uint32_t b[MAX_M][MAX_K];
  uint32_t c[MAX_M][N];
  unsigned n_m;
  unsigned n_k;

  if (!gather (warp, inst, mask))
    return;
  get_shape (inst, &n_m, &n_k);
  take_narrow (warp, get_operands (inst, 1), inst->counts[1], n_m / 8, 8, a);
  take_narrow (warp, get_operands (inst, 2), inst->counts[2], 1, 8, b);
  take_addend (warp, get_operands (inst, 3), inst->counts[3], c);
  for (unsigned i = 0; i < n_m; i++)
    for (unsigned n = 0; n < N; n++)
      {
        int64_t sum = (int32_t) c[i][n];

        for (unsigned k = 0; k < n_k; k++)
          sum += extend (a[i][k], a_is_signed) * extend (b[n][k], b_is_signed);
        if (is_saturated)
          sum = CLAMP (sum, INT32_MIN, INT32_MAX);
        c[i][n] = (uint32_t) sum;
      }
  give_result (warp, get_operands (inst, 0), inst->counts[0], mask, c);
}

/* ---- mma of f64 ---- */

static void
multiply_f64 (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxOperand *x[4];
  double a[MAX_M][16];
  double b[N][16];
  double c[MAX_M][N];
  unsigned n_down;
  unsigned n_m;
  unsigned n_k;

  if (!gather (warp, inst, mask))
    return;
  get_shape (inst, &n_m, &n_k);
  n_down = n_m / 8;
  for (unsigned i = 0; i < 4; i++)
    x[i] = get_operands (inst, i);
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    {
      for (unsigned r = 0; r < inst->counts[1]; r++)
        a[l / 4 + 8 * (r % n_down)][r / n_down * 4 + l % 4] =
            LANES (const double, x[1][r])[l];
      for (unsigned r = 0; r < inst->counts[2]; r++)
        b[l / 4][4 * r + l % 4] = LANES (const double, x[2][r])[l];
      for (unsigned r = 0; r < inst->counts[3]; r++)
        c[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2] =
            LANES (const double, x[3][r])[l];
    }
  for (unsigned i = 0; i < n_m; i++)
    for (unsigned n = 0; n < N; n++)
      {
        double sum = c[i][n];

        for (unsigned k = 0; k < n_k; k++)
          sum = fma (a[i][k], b[n][k], sum);
        c[i][n] = sum != sum ? cured_f64_of_bits (CURED_NAN_F64) : sum;
      }
  for (unsigned r = 0; r < inst->counts[0]; r++)
    {
      double *lanes = LANES (double, x[0][r]);

      FOR_LANES (mask, lanes[l] = c[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2]);
    }
}

/* ---- Selection ---- */

/* Whether all operands of a letter are there and as wide as they must be. */
static bool
are_wide (const CuredPtxOperand *x, unsigned n, unsigned width)
{
  for (unsigned i = 0; i < n; i++)
    if (x[i].width != width)
      return false;
  return true;
}

/* The number of .x1, .x2, .x4, or 0. */
static unsigned
get_matrices (const CuredPtxInst *inst)
{
  switch (inst->words[CURED_PTX_GROUP_MATRICES])
    {
    case CURED_PTX_MATRICES_X1:
      return 1;
    case CURED_PTX_MATRICES_X2:
      return 2;
    case CURED_PTX_MATRICES_X4:
      return 4;
    default:
      return 0;
    }
}

static CuredPtxHandler
select_rows (const CuredPtxInst *inst,
             unsigned letter,
             CuredPtxHandler handler,
             const char **problem)
{
  unsigned n = get_matrices (inst);

  if (inst->n_types != 1)
    *problem = "takes one type";
  else if (!cured_has_word (inst, CURED_PTX_GROUP_ALIGNED))
    *problem = "needs .aligned";
  else if (inst->words[CURED_PTX_GROUP_SHAPE] != CURED_PTX_SHAPE_M8N8)
    *problem = "needs the shape .m8n8";
  else if (n == 0)
    *problem = "needs .x1, .x2 or .x4";
  else if (cured_has_word (inst, CURED_PTX_GROUP_SPACE) &&
           inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_SHARED)
    *problem = "is for .shared memory";
  else if (inst->counts[letter] != n)
    *problem = "takes as many registers as .x1, .x2 or .x4 says";
  else if (!are_wide (get_operands (inst, letter), n, 4))
    *problem = "takes registers of 32 bits";
  else
    return handler;
  return NULL;
}

CuredPtxHandler
SELECT (ldmatrix) (const CuredPtxInst *inst, const char **problem)
{
  return select_rows (inst, 0, load_matrices, problem);
}

CuredPtxHandler
SELECT (stmatrix) (const CuredPtxInst *inst, const char **problem)
{
  return select_rows (inst, 1, store_matrices, problem);
}

CuredPtxHandler
SELECT (movmatrix) (const CuredPtxInst *inst, const char **problem)
{
  if (inst->n_types != 1)
    *problem = "takes one type";
  else if (!cured_has_word (inst, CURED_PTX_GROUP_ALIGNED))
    *problem = "needs .aligned";
  else if (inst->words[CURED_PTX_GROUP_SHAPE] != CURED_PTX_SHAPE_M8N8)
    *problem = "needs the shape .m8n8";
  else if (!cured_has_word (inst, CURED_PTX_GROUP_TRANS))
    *problem = "needs .trans";
  else
    return move_matrix;
  return NULL;
}

#define SHAPES_OF_F16  (SHAPE (M16N8K8) | SHAPE (M16N8K16))
#define SHAPES_OF_TF32 (SHAPE (M16N8K4) | SHAPE (M16N8K8))
#define SHAPES_OF_F64                                                          \
  (SHAPE (M8N8K4) | SHAPE (M16N8K4) | SHAPE (M16N8K8) | SHAPE (M16N8K16))
#define SHAPES_OF_S8 (SHAPE (M8N8K16) | SHAPE (M16N8K16) | SHAPE (M16N8K32))
#define SHAPE(name)  (1u << (CURED_PTX_SHAPE_##name - CURED_PTX_SHAPE_M8N8))

/* What goes together. Integers take .s8 and .u8 in any combination: they are
 * looked up as .s8. */
static const struct
{
  uint8_t d;
  uint8_t a;
  uint32_t shapes;
  uint8_t bits;   /* of an element of A and B */
  uint8_t d_bits; /* of C and D */
  CuredPtxHandler handler;
} products[] = {
  { CURED_PTX_F32, CURED_PTX_F16, SHAPES_OF_F16, 16, 32, multiply_f16 },
  { CURED_PTX_F16, CURED_PTX_F16, SHAPES_OF_F16, 16, 16, multiply_f16 },
  { CURED_PTX_F32, CURED_PTX_BF16, SHAPES_OF_F16, 16, 32, multiply_bf16 },
  { CURED_PTX_F32, CURED_PTX_TF32, SHAPES_OF_TF32, 32, 32, multiply_tf32 },
  { CURED_PTX_F64, CURED_PTX_F64, SHAPES_OF_F64, 64, 64, multiply_f64 },
  { CURED_PTX_S32, CURED_PTX_S8, SHAPES_OF_S8, 8, 32, multiply_s8 },
};

static uint8_t
get_factor_type (const CuredPtxInst *inst, unsigned which)
{
  return inst->types[which] == CURED_PTX_U8 ? CURED_PTX_S8 : inst->types[which];
}

CuredPtxHandler
SELECT (mma) (const CuredPtxInst *inst, const char **problem)
{
  const uint8_t shape = inst->words[CURED_PTX_GROUP_SHAPE];

  *problem = NULL;
  if (inst->n_types != 4)
    *problem = "takes four types";
  else if (!cured_has_word (inst, CURED_PTX_GROUP_ALIGNED))
    *problem = "needs .aligned";
  else if (inst->words[CURED_PTX_GROUP_LAYOUT_A] != CURED_PTX_LAYOUT_A_ROW ||
           inst->words[CURED_PTX_GROUP_LAYOUT_B] != CURED_PTX_LAYOUT_B_COL)
    *problem = "needs .row.col";
  else if (!cured_has_word (inst, CURED_PTX_GROUP_SHAPE))
    *problem = "needs a shape";
  else if (shape == CURED_PTX_SHAPE_M8N8K4 && inst->types[1] == CURED_PTX_F16)
    *problem = "takes .m8n8k4 of .f16 only on sm_70, which is not emulated";
  else if (cured_has_word (inst, CURED_PTX_GROUP_SAT) &&
           (inst->types[0] != CURED_PTX_S32 ||
            inst->words[CURED_PTX_GROUP_SAT] != CURED_PTX_SAT_SATFINITE))
    *problem = "takes .satfinite only for .s32";
  if (*problem != NULL)
    return NULL;

  for (unsigned i = 0; i < G_N_ELEMENTS (products); i++)
    {
      unsigned width = products[i].bits == 64 ? 8 : 4;
      unsigned n_m;
      unsigned n_k;
      unsigned n[4];

      if (inst->types[0] != products[i].d || inst->types[3] != products[i].d ||
          get_factor_type (inst, 1) != products[i].a ||
          get_factor_type (inst, 2) != products[i].a ||
          (products[i].shapes >> (shape - CURED_PTX_SHAPE_M8N8) & 1) == 0)
        continue;
      get_shape (inst, &n_m, &n_k);
      /* Elements over lanes and elements per register. */
      n[0] = n_m * N * products[i].d_bits / (CURED_WARP_LANES * 8 * width);
      n[1] = n_m * n_k * products[i].bits / (CURED_WARP_LANES * 8 * width);
      n[2] = N * n_k * products[i].bits / (CURED_WARP_LANES * 8 * width);
      n[3] = n[0];
      for (unsigned k = 0; k < 4; k++)
        if (inst->counts[k] != n[k] ||
            !are_wide (get_operands (inst, k), n[k], width))
          {
            *problem = "takes another number or width of registers";
            return NULL;
          }
      return products[i].handler;
    }
  *problem = "has no such shape for these types";
  return NULL;
}
