/* SPDX-License-Identifier: MIT
 * Matrices in the registers of a warp: mma, ldmatrix, stmatrix, movmatrix.
 *
 * Which lane holds which element: PTX ISA 9.0, section 9.7.14.5. One rule
 * covers all shapes: a register holds 32 or 64 bits of a row of A, of a column
 * of B, a group of four lanes holds 4 registers' worth in a row, the group's
 * number is the row (of A, C, D) or column (of B); further registers go down by
 * 8 rows first, then along. */
#include "config.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "ptx/exec/cured-product-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

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

      multiply_row (format, format, &a_factors, &b_factors, i, n_k, c[i], sums);
      for (unsigned n = 0; n < N; n++)
        {
          if (a_factors.is_special || b_factors.is_special ||
              (c[i][n] & 0x7f800000) == 0x7f800000)
            {
              double special =
                  multiply_special (format, format, a[i], b[n], n_k, c[i][n]);

              if (!isfinite (special))
                sums[n] = special;
            }
          d[i][n] = is_f16 ? cured_f64_to_f16 (sums[n], CURED_PTX_ROUND_RN)
                           : cut_off (format, sums[n]);
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
