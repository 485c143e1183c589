/* SPDX-License-Identifier: MIT
 * Handlers: products of matrices by one warp: mma, mma.sp, wmma.mma.
 *
 * The lanes' elements are defined in PTX ISA 9.0, section 9.7.14.5. One rule covers all shapes: a
 * register has 32 or 64 bits of a row of A, or of a column of B; a group of four lanes has 4
 * registers' worth of a row; the group's number is the row (of A, C, D) or column (of B); further
 * registers go down by 8 rows first, then along.
 *
 * Products larger than 16 × 8 consist of such tiles, each of which is one mma: this is ptxas 13.0's
 * code for wmma.mma on sm_90, and its layout of the fragments (cured-ptx-exec-wmma.c). With 32
 * columns and 8 rows it computes the transposed product, with B as the first factor.
 *
 * For sm_90 ptxas replaces some products by other instructions, whose results these are: m8n8k4 of
 * halves becomes multiply-adds; 8-bit floats become halves, where the first two of each four in a
 * row are multiplied, then the last two, starting from 0, and the addend comes last, rounded to
 * nearest; wmma of tf32 computes 4 of the 8 products at a time. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "ptx/exec/cured-product-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

/* Operands of the letters. */
enum
{
  D,
  A,
  B,
  C,
  N_MATRICES,
};

#define METADATA 4

/* A product of 8 or 16 rows and 8 columns. */
typedef struct
{
  const CuredPtxOperand *x[N_MATRICES];
  unsigned n[N_MATRICES]; /* number of registers */
  CuredPtxType types[N_MATRICES];
  unsigned m, k;
  unsigned step;            /* products added at once */
  const uint32_t *metadata; /* (nullable): of the lanes; NULL: A is dense */
  unsigned selector;
  int rounding;      /* of f64: a mode of <fenv.h> */
  bool is_saturated; /* of integers */
  bool is_xor;       /* of single bits: xor instead of and */
} Tile;

/* Factors, and for each row of the first one a bit per product present, by k. */
typedef struct
{
  uint32_t a[MAX_M][MAX_K], b[MAX_M][MAX_K];
  uint64_t kept[MAX_M];
} Pair;

typedef void (*TileFunction) (CuredWarp *warp, const Tile *tile, uint32_t mask);

static unsigned
get_bits (CuredPtxType type)
{
  switch ((int) type)
    {
    case CURED_PTX_U4:
    case CURED_PTX_S4: return 4;
    case CURED_PTX_B1: return 1;
    default: return 8u * _cured_ptx_types[type].bytes;
    }
}

/* ---- Registers ---- */

/* Elements of a factor of @bits each from 32-bit registers, where @n_down registers of A go down
 * before the next one goes along. Four lanes have a row's elements. */
static void
take_factor (CuredWarp *warp, const CuredPtxOperand *x, unsigned n_registers, unsigned n_down,
             unsigned bits, uint32_t at[MAX_M][MAX_K])
{
  unsigned n = 4 * 32 / bits;

  for (unsigned r = 0; r < n_registers; r++)
    for (unsigned g = 0; g < CURED_WARP_LANES / 4; g++)
      {
        const uint32_t *lanes = LANES (const uint32_t, x[r]) + 4 * g;
        uint32_t *to = &at[g + 8 * (r % n_down)][r / n_down * n];

        if (bits == 32)
          memcpy (to, lanes, 4 * sizeof *to);
        else if (bits == 16)
          {
            uint16_t halves[8];

            memcpy (halves, lanes, sizeof halves);
            for (unsigned k = 0; k < 8; k++)
              to[k] = halves[k];
          }
        else
          for (unsigned k = 0; k < n; k++)
            to[k] = lanes[k * bits / 32] >> (k * bits % 32) & ((1u << bits) - 1);
      }
}

/* Takes C as bits of f32 or s32. */
static void
take_addend (CuredWarp *warp, const Tile *tile, uint32_t at[MAX_M][N])
{
  for (unsigned r = 0; r < tile->n[C]; r++)
    {
      const uint32_t *lanes = LANES (const uint32_t, tile->x[C][r]);

      for (unsigned l = 0; l < CURED_WARP_LANES; l++)
        if (tile->types[C] == CURED_PTX_F16)
          for (unsigned j = 0; j < 2; j++)
            at[l / 4 + 8 * r][l % 4 * 2 + j] =
                cured_bits_of_f32 (cured_f16_to_f32 ((uint16_t) (lanes[l] >> (16 * j))));
        else
          at[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2] = lanes[l];
    }
}

static void
give_result (CuredWarp *warp, const Tile *tile, uint32_t mask, uint32_t at[MAX_M][N])
{
  for (unsigned r = 0; r < tile->n[D]; r++)
    {
      uint32_t *lanes = LANES (uint32_t, tile->x[D][r]);

      if (tile->types[D] == CURED_PTX_F16)
        FOR_LANES (mask, lanes[l] = at[l / 4 + 8 * r][l % 4 * 2] | at[l / 4 + 8 * r][l % 4 * 2 + 1]
                                                                       << 16);
      else
        FOR_LANES (mask, lanes[l] = at[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2]);
    }
}

/* ---- Sparse factors ---- */

/* Moves the elements present in A to their places; the others are 0. */
static void
spread (const Tile *tile, unsigned bits, Pair *pair)
{
  for (unsigned i = 0; i < tile->m; i++)
    pair->kept[i] = spread_row (get_metadata (tile->metadata, tile->selector, i, tile->k, bits),
                                tile->k, bits, pair->a[i]);
}

static void
take_factors (CuredWarp *warp, const Tile *tile, unsigned bits, Pair *pair)
{
  take_factor (warp, tile->x[A], tile->n[A], tile->m / 8, bits, pair->a);
  take_factor (warp, tile->x[B], tile->n[B], 1, bits, pair->b);
  if (tile->metadata != NULL)
    spread (tile, bits, pair);
  else
    memset (pair->kept, 0xff, sizeof pair->kept);
}

/* ---- Narrow floats ---- */

/* Adds @n products of each element, from the @first on, to @c, the bits of f32, and stores the sum
 * there as f32 or f16. */
static inline void
add_products (Format format, const Pair *pair, unsigned n_m, unsigned first, unsigned n,
              bool is_f16, uint32_t c[MAX_M][N])
{
  const uint32_t (*at_a)[MAX_K] = (const uint32_t (*)[MAX_K]) (pair->a[0] + first);
  const uint32_t (*at_b)[MAX_K] = (const uint32_t (*)[MAX_K]) (pair->b[0] + first);
  uint32_t d[MAX_M][N];
  Rows a;
  Columns b;

  split_rows (format, at_a, n_m, n, &a);
  split_columns (format, at_b, n, &b);
  multiply_rows (format, &a, &b, n_m, n, is_f16, (const uint32_t (*)[N]) c, d);
  if (G_UNLIKELY (a.is_special || b.is_special || are_special ((const uint32_t (*)[N]) c, n_m)))
    for (unsigned i = 0; i < n_m; i++)
      for (unsigned j = 0; j < N; j++)
        {
          double special = multiply_special (format, format, at_a[i], at_b[j], n,
                                             pair->kept[i] >> first, 1, c[i][j]);

          if (!isfinite (special))
            d[i][j] = cut_off (format, is_f16, special);
        }
  memcpy (c, d, n_m * sizeof d[0]);
}

/* Sums are f32 if only one of C and D is f16. */
static void
narrow (unsigned n_m, uint32_t c[MAX_M][N])
{
  for (unsigned i = 0; i < n_m; i++)
    for (unsigned j = 0; j < N; j++)
      c[i][j] = cured_f32_to_f16 (cured_f32_of_bits (c[i][j]), CURED_PTX_ROUND_RN);
}

static inline void
multiply_narrow (CuredWarp *warp, const Tile *tile, uint32_t mask, Format format)
{
  bool is_f16 = tile->types[D] == CURED_PTX_F16 && tile->types[C] == CURED_PTX_F16;
  uint32_t c[MAX_M][N];
  Pair pair;

  take_factors (warp, tile, format == FORMAT_TF32 ? 32 : 16, &pair);
  take_addend (warp, tile, c);
  for (unsigned first = 0; first < tile->k; first += tile->step)
    add_products (format, &pair, tile->m, first, tile->step, is_f16, c);
  if (!is_f16 && tile->types[D] == CURED_PTX_F16)
    narrow (tile->m, c);
  give_result (warp, tile, mask, c);
}

static void
multiply_f16 (CuredWarp *warp, const Tile *tile, uint32_t mask)
{
  multiply_narrow (warp, tile, mask, FORMAT_F16);
}

static void
multiply_bf16 (CuredWarp *warp, const Tile *tile, uint32_t mask)
{
  multiply_narrow (warp, tile, mask, FORMAT_BF16);
}

static void
multiply_tf32 (CuredWarp *warp, const Tile *tile, uint32_t mask)
{
  multiply_narrow (warp, tile, mask, FORMAT_TF32);
}

/* The place of the k-th of @n_k bytes that become halves: the first two of each four precede the
 * last two; with a sparse A, every other four. */
static unsigned
get_half_of_byte (unsigned k, unsigned n_k, bool is_sparse)
{
  return is_sparse ? k / 4 % 2 * n_k / 2 + k / 8 * 4 + k % 4
                   : k % 4 / 2 * n_k / 2 + k / 4 * 2 + k % 2;
}

static void
widen_bytes (CuredPtxType type, unsigned n_rows, unsigned n_k, bool is_sparse,
             uint32_t at[MAX_M][MAX_K])
{
  for (unsigned i = 0; i < n_rows; i++)
    {
      uint32_t row[MAX_K];

      for (unsigned k = 0; k < n_k; k++)
        row[get_half_of_byte (k, n_k, is_sparse)] =
            cured_f8_to_f16 (at[i][k], type == CURED_PTX_E5M2);
      memcpy (at[i], row, n_k * sizeof (uint32_t));
    }
}

static void
multiply_f8 (CuredWarp *warp, const Tile *tile, uint32_t mask)
{
  bool is_f16 = tile->types[D] == CURED_PTX_F16;
  bool is_sparse = tile->metadata != NULL;
  unsigned half = tile->k / 2;
  uint32_t c[MAX_M][N], sums[MAX_M][N] = { 0 };
  Pair pair;

  take_factors (warp, tile, 8, &pair);
  take_addend (warp, tile, c);
  widen_bytes (tile->types[A], tile->m, tile->k, is_sparse, pair.a);
  widen_bytes (tile->types[B], N, tile->k, is_sparse, pair.b);
  for (unsigned i = 0; is_sparse && i < tile->m; i++)
    {
      uint64_t kept = 0;

      for (unsigned k = 0; k < tile->k; k++)
        kept |= (pair.kept[i] >> k & 1) << get_half_of_byte (k, tile->k, true);
      pair.kept[i] = kept;
    }
  for (unsigned first = 0; first < tile->k; first += half)
    {
      add_products (FORMAT_F16, &pair, tile->m, first, half, is_f16, sums);
      for (unsigned i = 0; is_f16 && i < tile->m; i++)
        for (unsigned j = 0; j < N; j++)
          sums[i][j] = cured_bits_of_f32 (cured_f16_to_f32 ((uint16_t) sums[i][j]));
    }
  for (unsigned i = 0; i < tile->m; i++)
    for (unsigned j = 0; j < N; j++)
      {
        double sum = (double) cured_f32_of_bits (c[i][j]) + (double) cured_f32_of_bits (sums[i][j]);

        sums[i][j] = is_f16 ? cured_f64_to_f16 (sum, CURED_PTX_ROUND_RN)
                            : cured_narrow_f64 (sum, 8, 23, CURED_PTX_ROUND_RN);
      }
  give_result (warp, tile, mask, sums);
}

/* ---- Integers ---- */

static void
extend (CuredPtxType type, unsigned n_rows, unsigned n_k, uint32_t at[MAX_M][MAX_K])
{
  bool is_signed = type == CURED_PTX_S4 || type == CURED_PTX_S8;
  unsigned rest = 32 - get_bits (type);

  for (unsigned i = 0; is_signed && i < n_rows; i++)
    for (unsigned k = 0; k < n_k; k++)
      at[i][k] = (uint32_t) ((int32_t) (at[i][k] << rest) >> rest);
}

static void
multiply_integers (CuredWarp *warp, const Tile *tile, uint32_t mask)
{
  uint32_t c[MAX_M][N];
  Pair pair;

  take_factors (warp, tile, get_bits (tile->types[A]), &pair);
  take_addend (warp, tile, c);
  extend (tile->types[A], tile->m, tile->k, pair.a);
  extend (tile->types[B], N, tile->k, pair.b);
  for (unsigned i = 0; i < tile->m; i++)
    for (unsigned j = 0; j < N; j++)
      {
        /* MAX_K products of bytes are far from overflowing 32 bits. */
        uint32_t products = 0;
        int64_t sum;

        for (unsigned k = 0; k < tile->k; k++)
          products += pair.a[i][k] * pair.b[j][k];
        sum = (int64_t) (int32_t) c[i][j] + (int32_t) products;
        if (tile->is_saturated)
          sum = CLAMP (sum, INT32_MIN, INT32_MAX);
        c[i][j] = (uint32_t) sum;
      }
  give_result (warp, tile, mask, c);
}

static void
multiply_bits (CuredWarp *warp, const Tile *tile, uint32_t mask)
{
  uint32_t c[MAX_M][N];
  Pair pair;

  take_factor (warp, tile->x[A], tile->n[A], tile->m / 8, 32, pair.a);
  take_factor (warp, tile->x[B], tile->n[B], 1, 32, pair.b);
  take_addend (warp, tile, c);
  for (unsigned i = 0; i < tile->m; i++)
    for (unsigned j = 0; j < N; j++)
      for (unsigned k = 0; k < tile->k / 32; k++)
        c[i][j] += (uint32_t) __builtin_popcount (tile->is_xor ? pair.a[i][k] ^ pair.b[j][k]
                                                               : pair.a[i][k] & pair.b[j][k]);
  give_result (warp, tile, mask, c);
}

/* ---- f64 ---- */

static void
multiply_f64 (CuredWarp *warp, const Tile *tile, uint32_t mask)
{
  unsigned n_down = tile->m / 8;
  double a[MAX_M][16], b[N][16], c[MAX_M][N];

  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    {
      for (unsigned r = 0; r < tile->n[A]; r++)
        a[l / 4 + 8 * (r % n_down)][r / n_down * 4 + l % 4] =
            LANES (const double, tile->x[A][r])[l];
      for (unsigned r = 0; r < tile->n[B]; r++)
        b[l / 4][4 * r + l % 4] = LANES (const double, tile->x[B][r])[l];
      for (unsigned r = 0; r < tile->n[C]; r++)
        c[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2] = LANES (const double, tile->x[C][r])[l];
    }
  if (tile->rounding != FE_TONEAREST)
    fesetround (tile->rounding);
  for (unsigned i = 0; i < tile->m; i++)
    for (unsigned j = 0; j < N; j++)
      {
        double sum = c[i][j];

        for (unsigned k = 0; k < tile->k; k++)
          sum = cured_finish_f64 (fma (a[i][k], b[j][k], sum), a[i][k], b[j][k], sum);
        c[i][j] = sum;
      }
  if (tile->rounding != FE_TONEAREST)
    fesetround (FE_TONEAREST);
  for (unsigned r = 0; r < tile->n[D]; r++)
    {
      double *lanes = LANES (double, tile->x[D][r]);

      FOR_LANES (mask, lanes[l] = c[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2]);
    }
}

/* ---- Tiles ---- */

/* wmma of f16 has only the types of D and C. */
static CuredPtxType
get_type (const CuredPtxInst *inst, unsigned which)
{
  if (inst->n_types == 2)
    return which == D ? inst->types[0] : which == C ? inst->types[1] : CURED_PTX_F16;
  return inst->types[which];
}

/* Number of a tile's registers for a matrix of @elements. */
static unsigned
count_registers (CuredPtxType type, unsigned elements)
{
  unsigned bits = get_bits (type);

  return elements * bits / (CURED_WARP_LANES * (bits == 64 ? 64 : 32));
}

/* Computes the product tile by tile. */
static inline void
multiply (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, TileFunction function)
{
  const CuredPtxShape *shape = _cured_ptx_get_shape (inst);
  bool is_transposed = shape->n == 32;
  bool is_sparse = inst->op == CURED_PTX_OP_mma_sparse || inst->op == CURED_PTX_OP_mma_ordered;
  unsigned n_m = is_transposed ? shape->n : shape->m;
  unsigned n_n = is_transposed ? shape->m : shape->n;
  Tile tile = {
    .m = MIN (n_m, MAX_M),
    .k = shape->k,
    .step = shape->k,
    .rounding = cured_get_host_rounding (inst),
    .is_saturated = cured_has_word (inst, CURED_PTX_GROUP_SAT),
    .is_xor = WORD_OF (inst, OPERATION) == CURED_PTX_OPERATION_XOR,
  };

  if (!gather (warp, inst, mask) || is_spared (warp, inst))
    return;
  for (unsigned i = 0; i < N_MATRICES; i++)
    {
      /* The letter of the tile's operand. */
      unsigned from = is_transposed && i == A ? B : is_transposed && i == B ? A : i;

      tile.x[i] = cured_get_operands (inst, from);
      tile.types[i] = get_type (inst, from);
    }
  if (is_sparse)
    {
      tile.metadata = LANES (const uint32_t, *cured_get_operands (inst, METADATA));
      tile.selector = (unsigned) inst->immediate;
    }
  if (inst->op == CURED_PTX_OP_wmma_mma && tile.types[A] == CURED_PTX_TF32)
    tile.step = 4;
  tile.n[A] = count_registers (tile.types[A], tile.m * tile.k / (is_sparse ? 2 : 1));
  tile.n[B] = count_registers (tile.types[B], N * tile.k);
  tile.n[C] = count_registers (tile.types[C], tile.m * N);
  tile.n[D] = count_registers (tile.types[D], tile.m * N);
  for (unsigned i = 0; i < n_m / tile.m * (n_n / N); i++)
    {
      function (warp, &tile, mask);
      tile.x[n_m > tile.m ? A : B] += tile.n[n_m > tile.m ? A : B];
      tile.x[C] += tile.n[C];
      tile.x[D] += tile.n[D];
    }
}

#define PRODUCT(name)                                                                              \
  static void run_##name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                \
  {                                                                                                \
    multiply (warp, inst, mask, name);                                                             \
  }

PRODUCT (multiply_f16)
PRODUCT (multiply_bf16)
PRODUCT (multiply_tf32)
PRODUCT (multiply_f8)
PRODUCT (multiply_integers)
PRODUCT (multiply_bits)
PRODUCT (multiply_f64)

/* ---- Four products of 8 × 8 × 4 ---- */

/* Lanes 4q to 4q + 3 and the lanes 16 above them have the q-th product; a lane has a row or a
 * column of a factor. */
static void
take_quads (CuredWarp *warp, const CuredPtxOperand *x, bool is_along, float at[4][8][4])
{
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    for (unsigned i = 0; i < 4; i++)
      {
        unsigned row = l / 16 * 4 + (is_along ? l % 4 : i);
        uint32_t half = LANES (const uint32_t, x[i / 2])[l] >> (i % 2 * 16);

        at[l / 4 % 4][row][is_along ? i : l % 4] = cured_f16_to_f32 ((uint16_t) half);
      }
}

/* The place of the i-th element of a lane's sums: row * 8 + column. */
static unsigned
place_in_quad (CuredPtxType type, unsigned l, unsigned i)
{
  unsigned row = l / 16 * 4 + (type == CURED_PTX_F16 ? l % 4 : (l & 1) + (i & 2));

  return row * 8 + (type == CURED_PTX_F16 ? i : (i & 4) + (l & 2) + (i & 1));
}

/* Like the multiply-adds generated by ptxas: sums of f32 are in the order of k, with the addend
 * last; for halves, two products are added, then the other two. */
static uint32_t
multiply_quad (const float a[4], const float b[4], float c, bool is_f16)
{
  float sum = 0;

  if (is_f16)
    {
      sum = c + fmaf (a[1], b[1], a[0] * b[0]) + fmaf (a[3], b[3], a[2] * b[2]);
      return cured_f32_to_f16 (sum, CURED_PTX_ROUND_RN);
    }
  for (unsigned k = 0; k < 4; k++)
    sum = fmaf (a[k], b[k], sum);
  sum += c;
  return sum != sum ? CURED_NAN_F32 : cured_bits_of_f32 (sum);
}

static void
run_multiply_quads (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxOperand *d = cured_get_operands (inst, D);
  const CuredPtxOperand *from = cured_get_operands (inst, C);
  CuredPtxType types[] = { get_type (inst, D), get_type (inst, C) };
  float a[4][8][4], b[4][8][4];
  float c[4][8 * 8];

  if (!gather (warp, inst, mask) || is_spared (warp, inst))
    return;
  take_quads (warp, cured_get_operands (inst, A),
              WORD_OF (inst, LAYOUT_A) == CURED_PTX_LAYOUT_A_ROW, a);
  take_quads (warp, cured_get_operands (inst, B),
              WORD_OF (inst, LAYOUT_B) == CURED_PTX_LAYOUT_B_COL, b);
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    for (unsigned i = 0; i < 8; i++)
      c[l / 4 % 4][place_in_quad (types[1], l, i)] =
          types[1] == CURED_PTX_F16
              ? cured_f16_to_f32 (
                    (uint16_t) (LANES (const uint32_t, from[i / 2])[l] >> (i % 2 * 16)))
              : LANES (const float, from[i])[l];
  for (unsigned i = 0; i < 8; i++)
    FOR_LANES (mask, {
      unsigned q = l / 4 % 4;
      unsigned at = place_in_quad (types[0], l, i);
      uint32_t sum =
          multiply_quad (a[q][at / 8], b[q][at % 8], c[q][at], types[0] == CURED_PTX_F16);

      if (types[0] == CURED_PTX_F32)
        LANES (uint32_t, d[i])[l] = sum;
      else if (i % 2 == 0)
        LANES (uint32_t, d[i / 2])[l] = sum;
      else
        LANES (uint32_t, d[i / 2])[l] |= sum << 16;
    });
}

/* ---- Forms ---- */

#define SHAPE(name) (1u << (CURED_PTX_SHAPE_##name - CURED_PTX_SHAPE_M8N8))

#define LARGE (SHAPE (M16N16K16) | SHAPE (M32N8K16) | SHAPE (M8N32K16))

/* Valid combinations. Types of 4 and 8 bits go with types of the same kind, and are looked up as
 * .s4, .s8 and .e4m3. */
static const struct
{
  uint8_t d, a;
  uint32_t mma; /* shapes */
  uint32_t sparse, wmma;
  CuredPtxHandler handler;
} products[] = {
  { CURED_PTX_F32, CURED_PTX_F16, SHAPE (M8N8K4), 0, 0, run_multiply_quads },
  { CURED_PTX_F16, CURED_PTX_F16, SHAPE (M8N8K4), 0, 0, run_multiply_quads },
  { CURED_PTX_F32, CURED_PTX_F16, SHAPE (M16N8K8) | SHAPE (M16N8K16),
    SHAPE (M16N8K16) | SHAPE (M16N8K32), LARGE, run_multiply_f16 },
  { CURED_PTX_F16, CURED_PTX_F16, SHAPE (M16N8K8) | SHAPE (M16N8K16),
    SHAPE (M16N8K16) | SHAPE (M16N8K32), LARGE, run_multiply_f16 },
  { CURED_PTX_F32, CURED_PTX_BF16, SHAPE (M16N8K8) | SHAPE (M16N8K16),
    SHAPE (M16N8K16) | SHAPE (M16N8K32), LARGE, run_multiply_bf16 },
  { CURED_PTX_F32, CURED_PTX_TF32, SHAPE (M16N8K4) | SHAPE (M16N8K8),
    SHAPE (M16N8K8) | SHAPE (M16N8K16), SHAPE (M16N16K8), run_multiply_tf32 },
  { CURED_PTX_F32, CURED_PTX_E4M3, SHAPE (M16N8K16) | SHAPE (M16N8K32), SHAPE (M16N8K64), 0,
    run_multiply_f8 },
  { CURED_PTX_F16, CURED_PTX_E4M3, SHAPE (M16N8K16) | SHAPE (M16N8K32), 0, 0, run_multiply_f8 },
  { CURED_PTX_S32, CURED_PTX_S8, SHAPE (M8N8K16) | SHAPE (M16N8K16) | SHAPE (M16N8K32),
    SHAPE (M16N8K32) | SHAPE (M16N8K64), LARGE, run_multiply_integers },
  { CURED_PTX_S32, CURED_PTX_S4, SHAPE (M8N8K32) | SHAPE (M16N8K32) | SHAPE (M16N8K64),
    SHAPE (M16N8K64) | SHAPE (M16N8K128), SHAPE (M8N8K32), run_multiply_integers },
  { CURED_PTX_S32, CURED_PTX_B1, SHAPE (M8N8K128) | SHAPE (M16N8K128) | SHAPE (M16N8K256), 0,
    SHAPE (M8N8K128), run_multiply_bits },
  { CURED_PTX_F64, CURED_PTX_F64,
    SHAPE (M8N8K4) | SHAPE (M16N8K4) | SHAPE (M16N8K8) | SHAPE (M16N8K16), 0, SHAPE (M8N8K4),
    run_multiply_f64 },
};

/* The type that represents @type in the table. */
static uint8_t
get_like (CuredPtxType type)
{
  switch ((int) type)
    {
    case CURED_PTX_U8: return CURED_PTX_S8;
    case CURED_PTX_U4: return CURED_PTX_S4;
    case CURED_PTX_E5M2: return CURED_PTX_E4M3;
    default: return (uint8_t) type;
    }
}

static bool
is_integer (CuredPtxType type)
{
  return get_like (type) == CURED_PTX_S8 || get_like (type) == CURED_PTX_S4;
}

/* Volta's product, four at once. */
static bool
is_of_quads (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_mma && WORD_OF (inst, SHAPE) == CURED_PTX_SHAPE_M8N8K4 &&
         get_type (inst, A) == CURED_PTX_F16;
}

/* Checks that are independent of the shape. */
static bool
check_words (const CuredPtxInst *inst, const char **problem)
{
  bool is_wmma = inst->op == CURED_PTX_OP_wmma_mma;
  CuredPtxType a = get_type (inst, A);
  bool is_row_col = WORD_OF (inst, LAYOUT_A) == CURED_PTX_LAYOUT_A_ROW &&
                    WORD_OF (inst, LAYOUT_B) == CURED_PTX_LAYOUT_B_COL;
  bool may_lie_across =
      is_wmma ? get_like (a) != CURED_PTX_S4 && a != CURED_PTX_B1 : is_of_quads (inst);
  bool is_counting = WORD_OF (inst, OPERATION) == CURED_PTX_OPERATION_XOR ||
                     WORD_OF (inst, OPERATION) == CURED_PTX_OPERATION_AND;

  if (!cured_has_word (inst, CURED_PTX_GROUP_ALIGNED) ||
      (is_wmma && !cured_has_word (inst, CURED_PTX_GROUP_SYNC)))
    *problem = "needs .sync.aligned";
  else if (!cured_has_word (inst, CURED_PTX_GROUP_LAYOUT_B) || (!is_row_col && !may_lie_across))
    *problem = "needs .row.col";
  else if (_cured_ptx_get_shape (inst) == NULL)
    *problem = "needs a shape";
  else if (cured_has_word (inst, CURED_PTX_GROUP_SAT) &&
           (!is_integer (a) || WORD_OF (inst, SAT) != CURED_PTX_SAT_SATFINITE))
    *problem = "takes .satfinite for integers only";
  else if (a == CURED_PTX_B1 ? !is_counting || !cured_has_word (inst, CURED_PTX_GROUP_POPC)
                             : cured_has_word (inst, CURED_PTX_GROUP_OPERATION) ||
                                   cured_has_word (inst, CURED_PTX_GROUP_POPC))
    *problem = "takes .and.popc or .xor.popc with .b1, and with that alone";
  else if (cured_has_word (inst, CURED_PTX_GROUP_ROUND) &&
           (a != CURED_PTX_F64 || WORD_OF (inst, ROUND) > CURED_PTX_ROUND_RP))
    *problem = "takes a rounding of .f64 alone: .rn, .rz, .rm or .rp";
  else
    return true;
  return false;
}

/* Number of registers of the letter, including those for elements held twice. */
static unsigned
count_all (const CuredPtxInst *inst, unsigned which, bool is_sparse)
{
  const CuredPtxShape *shape = _cured_ptx_get_shape (inst);
  CuredPtxType type = get_type (inst, which);

  if (inst->op == CURED_PTX_OP_wmma_mma && (which == A || which == B) && type == CURED_PTX_F16)
    return 8;
  if (is_of_quads (inst))
    return which == A || which == B ? 2 : type == CURED_PTX_F16 ? 4 : 8;
  switch (which)
    {
    case A: return count_registers (type, shape->m * shape->k / (is_sparse ? 2u : 1u));
    case B: return count_registers (type, (unsigned) shape->n * shape->k);
    default: return count_registers (type, (unsigned) shape->m * shape->n);
    }
}

static CuredPtxHandler
select_product (const CuredPtxInst *inst, const char **problem)
{
  bool is_wmma = inst->op == CURED_PTX_OP_wmma_mma;
  bool is_sparse = !is_wmma && inst->op != CURED_PTX_OP_mma;
  CuredPtxType a, b, c, d;

  REFUSE_IF (inst->n_types != 4 && !(is_wmma && inst->n_types == 2), "takes four types");
  a = get_type (inst, A);
  b = get_type (inst, B);
  c = get_type (inst, C);
  d = get_type (inst, D);
  if (!check_words (inst, problem))
    return NULL;
  /* In wmma both factors have the same type. */
  REFUSE_IF (is_wmma ? a != b : get_like (a) != get_like (b), "has no such shape for these types");
  REFUSE_IF (c != d && !(is_of_quads (inst) && d == CURED_PTX_F32 && c == CURED_PTX_F16) &&
                 !(is_wmma && inst->n_types == 2 && (c == CURED_PTX_F32 || c == CURED_PTX_F16)),
             "has no such shape for these types");
  for (unsigned i = 0; i < G_N_ELEMENTS (products); i++)
    {
      uint32_t shapes = is_wmma     ? products[i].wmma
                        : is_sparse ? products[i].sparse
                                    : products[i].mma;

      if (d != products[i].d || get_like (a) != products[i].a ||
          (shapes >> (WORD_OF (inst, SHAPE) - CURED_PTX_SHAPE_M8N8) & 1) == 0)
        continue;
      for (unsigned k = 0; k < N_MATRICES; k++)
        {
          unsigned n = count_all (inst, k, is_sparse);
          unsigned width = get_bits (get_type (inst, k)) == 64 ? 8 : 4;

          REFUSE_IF (inst->counts[k] != n ||
                         !cured_are_wide (cured_get_operands (inst, k), n, width),
                     "takes another number or width of registers");
        }
      REFUSE_IF (is_sparse && (inst->immediate < 0 ||
                               inst->immediate >=
                                   count_selectors (_cured_ptx_get_shape (inst)->k, get_bits (a))),
                 "has no such selector");
      return products[i].handler;
    }
  *problem = "has no such shape for these types";
  return NULL;
}

/* clang-format off */
static const CuredPtxForm forms[] = {
  CHOICE (mma, ANY_TYPES, 0, ANY_WORDS, select_product)
  CHOICE (mma_sparse, ANY_TYPES, 0, ANY_WORDS, select_product)
  CHOICE (mma_ordered, ANY_TYPES, 0, ANY_WORDS, select_product)
  CHOICE (wmma_mma, ANY_TYPES, 0, ANY_WORDS, select_product)
};
/* clang-format on */

FORMS_OF (mma)
