/* SPDX-License-Identifier: MIT
 * Handlers: products of matrices by four warps (wgmma).
 *
 * PTX ISA 9.0, section 9.7.15. A warp computes its own 16 rows of D immediately, independent of the
 * other warps of its group. D is in registers in the layout of mma.m16n8, 8 columns at a time, and
 * so is A if it is in registers. Sums are rounded like those of mma: all products of an instruction
 * and the addend at once, with k covering 32 bytes of a row.
 *
 * A and B in shared memory have descriptors of 64 bits (section 9.7.15.5.1.2.2). In the canonical
 * layouts (Swizzle<...> of chunks of 16 bytes), an element of row r (of A; of B the column) and
 * position k is at
 *
 *   K-major, no swizzle    r % 8 * 16 + r / 8 * stride + chunk of k * leading
 *   K-major, swizzle of W  r % 8 * W + r / 8 * stride + bytes of k % W +
 *                          bytes of k / W * leading
 *   MN-major, no swizzle   chunk of r * stride + k % 8 * 16 + k / 8 * leading
 *   MN-major, swizzle of W r % W * size + r / W * leading + k % 8 * W +
 *                          k / 8 * stride
 *
 * from the start address, and bits 4 to 6 of the sum are XORed with bits 7 to 9 minus the base
 * offset, as many as the swizzle has.
 *
 * A sparse A (wgmma.mma_async.sp) has half of its elements, and k is 64 bytes of a row of B, or 32
 * of A. Their places are in a register of each lane, as for mma.sp, and ptxas accepts the same
 * selectors. Rows of B wider than the swizzle continue at the leading offset, like the next
 * chunks. */
#include <glib/gi18n-lib.h>

#include "ptx/exec/cured-product-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

/* Rows of a warp, and the maximum number of columns of a product. */
#define ROWS        16
#define MAX_COLUMNS 256

/* For single bits, k counts 32-bit words, of which there are 8. */
#define BIT_WORDS 8

typedef struct
{
  uint32_t start, leading, stride;
  uint32_t base;    /* offset of the pattern, in rows of 128 bytes */
  uint32_t swizzle; /* bytes; 0: none */
  bool is_mn_major;
} Descriptor;

/* A factor in shared memory. */
typedef struct
{
  const uint8_t *bytes; /* the block's shared memory */
  uint32_t size;
} Shared;

static unsigned
get_columns (const CuredPtxInst *inst)
{
  return 8 * (unsigned) (WORD_OF (inst, COLUMNS) - CURED_PTX_COLUMNS_N8 + 1);
}

/* Elements of a row: 32 bytes, or 64 for a sparse product. */
static unsigned
get_depth (const CuredPtxInst *inst)
{
  switch ((int) WORD_OF (inst, SHAPE))
    {
    case CURED_PTX_SHAPE_M64K8: return 8;
    case CURED_PTX_SHAPE_M64K16: return 16;
    case CURED_PTX_SHAPE_M64K64: return 64;
    default: return 32;
    }
}

static Descriptor
read_descriptor (uint64_t bits, bool is_mn_major)
{
  static const uint8_t swizzles[] = { 0, 128, 64, 32 };

  return (Descriptor){
    .start = (uint32_t) (bits & 0x3fff) << 4,
    .leading = (uint32_t) (bits >> 16 & 0x3fff) << 4,
    .stride = (uint32_t) (bits >> 32 & 0x3fff) << 4,
    .base = (uint32_t) (bits >> 49 & 7),
    .swizzle = swizzles[bits >> 62],
    .is_mn_major = is_mn_major,
  };
}

/* The address of an element at row @row and position @k; @bytes: its size. */
static uint32_t
locate (const Descriptor *self, unsigned row, unsigned k, unsigned bytes)
{
  uint32_t span = self->swizzle != 0 ? self->swizzle : 16;
  uint32_t address = self->start;

  if (self->is_mn_major)
    {
      uint32_t across = span / bytes;

      address += row % across * bytes + k % 8 * span;
      address += self->swizzle != 0 ? row / across * self->leading + k / 8 * self->stride
                                    : row / across * self->stride + k / 8 * self->leading;
    }
  else
    {
      uint32_t at = k * bytes;

      address += row % 8 * span + row / 8 * self->stride;
      address += at / span * self->leading + at % span;
    }
  if (self->swizzle != 0)
    address ^= (((address >> 7) - self->base) & (span / 16 - 1)) << 4;
  return address;
}

/* Reads @n_rows × @n_k elements; those out of bounds are 0. */
static void
take_shared (const Shared *memory, const Descriptor *descriptor, unsigned first, unsigned n_rows,
             unsigned n_k, unsigned bytes, uint32_t at[][MAX_K])
{
  for (unsigned r = 0; r < n_rows; r++)
    for (unsigned k = 0; k < n_k; k++)
      {
        uint32_t address = locate (descriptor, first + r, k, bytes);

        at[r][k] = 0;
        if (address <= memory->size && bytes <= memory->size - address)
          memcpy (&at[r][k], memory->bytes + address, bytes);
      }
}

/* Notifies observers of the warp's reads: chunks of 16 bytes, of which a wavefront serves any eight
 * (docs/banks.md). A wavefront serves all warps that read the same, and is counted for the
 * first. */
static void
announce (CuredWarp *warp, const CuredPtxInst *inst, const Descriptor *descriptor, unsigned first,
          unsigned n_rows, unsigned n_k, unsigned bytes, bool is_counted)
{
  unsigned step = 16 / bytes;
  unsigned n_chunks = descriptor->is_mn_major ? n_rows / step * n_k : n_rows * (n_k / step);
  uint64_t address[CURED_WARP_LANES];
  unsigned n = 0;

  for (unsigned i = 0; i < n_chunks; i++)
    {
      unsigned row = descriptor->is_mn_major ? i / n_k * step : i / (n_k / step);
      unsigned k = descriptor->is_mn_major ? i % n_k : i % (n_k / step) * step;

      address[n++] = locate (descriptor, first + row, k, bytes);
      if (n < CURED_WARP_LANES && i + 1 < n_chunks)
        continue;
      _cured_warp_read_chunks (warp, inst, address, n, is_counted ? (n + 7) / 8 : 0);
      n = 0;
    }
}

/* ---- Products ---- */

typedef struct
{
  const CuredPtxOperand *d, *a, *b;
  const CuredPtxOperand *metadata; /* nullable: A is dense */
  const CuredPtxOperand *scale_d;
  const CuredPtxOperand *numbers; /* scales, then whether each factor is transposed */
  unsigned n_d, n_a, n_columns, n_k;
  unsigned bytes; /* of an element; for single bits, of a word */
} Product;

/* All four warps start; none waits for the others. */
static bool
begin (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  if (!gather (warp, inst, mask))
    return false;
  _cured_warp_add_product (warp, inst, mask);
  return true;
}

static uint32_t
get_number (const CuredWarp *warp, const CuredPtxOperand *x)
{
  return x->width == 0 ? 0 : LANES (const uint32_t, *x)[0];
}

static bool
is_sparse (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_wgmma_sparse;
}

static void
find_operands (const CuredPtxInst *inst, Product *self)
{
  self->n_d = inst->counts[0];
  self->n_a = inst->counts[1];
  self->d = inst->x;
  self->a = self->d + self->n_d;
  self->b = self->a + self->n_a;
  self->metadata = is_sparse (inst) ? self->b + 1 : NULL;
  self->scale_d = self->b + (self->metadata != NULL ? 3 : 1);
  self->numbers = self->scale_d + 1;
}

/* Whether A is in shared memory. */
static bool
is_described (const Product *self)
{
  return self->n_a == 1;
}

/* The value of a register that is uniform over the lanes. */
static uint64_t
get_uniform (const CuredWarp *warp, const CuredPtxOperand *x, uint32_t mask)
{
  return LANES (const uint64_t, *x)[__builtin_ctz (mask)];
}

/* The layout of A, if in shared memory, or else of B. */
static Descriptor
describe (const CuredWarp *warp, const Product *self, uint32_t mask, const CuredPtxOperand *x)
{
  /* If A is in registers, the only number is B's. */
  unsigned which = x == self->b && is_described (self) ? 1 : 0;

  return read_descriptor (get_uniform (warp, x, mask),
                          get_number (warp, &self->numbers[2 + which]) != 0);
}

/* The first of the warp's rows. */
static unsigned
get_first_row (const CuredWarp *warp)
{
  return warp->index % 4 * ROWS;
}

/* Number of elements present in a row of A. */
static unsigned
get_kept (const Product *self)
{
  return self->metadata != NULL ? self->n_k / 2 : self->n_k;
}

/* Notifies observers of the reads of A and B. */
static void
announce_factors (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const Product *self)
{
  Descriptor descriptor;

  if (is_described (self))
    {
      descriptor = describe (warp, self, mask, self->a);
      announce (warp, inst, &descriptor, get_first_row (warp), ROWS, get_kept (self), self->bytes,
                true);
    }
  descriptor = describe (warp, self, mask, self->b);
  announce (warp, inst, &descriptor, 0, self->n_columns, self->n_k, self->bytes,
            warp->index % 4 == 0);
}

/* Reads A and B. @kept: the elements present in each row of A. */
static void
take_factors (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const Product *self,
              uint32_t a[ROWS][MAX_K], uint64_t kept[ROWS], uint32_t b[][MAX_K])
{
  CuredBlock *block = warp->block;
  const Shared memory = { .bytes = block->shared, .size = block->shared_bytes };
  Descriptor descriptor;

  if (is_described (self))
    {
      descriptor = describe (warp, self, mask, self->a);
      take_shared (&memory, &descriptor, get_first_row (warp), ROWS, get_kept (self), self->bytes,
                   a);
    }
  else
    {
      unsigned bits = 8 * self->bytes;
      unsigned each = 32 / bits;
      uint32_t ones = bits == 32 ? UINT32_MAX : (1u << bits) - 1;

      for (unsigned r = 0; r < 4; r++)
        for (unsigned l = 0; l < CURED_WARP_LANES; l++)
          for (unsigned j = 0; j < each; j++)
            a[l / 4 + 8 * (r % 2)][r / 2 * 4 * each + l % 4 * each + j] =
                LANES (const uint32_t, self->a[r])[l] >> (bits * j) & ones;
    }
  for (unsigned i = 0; i < ROWS; i++)
    kept[i] =
        self->metadata == NULL
            ? UINT64_MAX
            : spread_row (get_metadata (LANES (const uint32_t, *self->metadata),
                                        (unsigned) inst->immediate, i, self->n_k, 8 * self->bytes),
                          self->n_k, 8 * self->bytes, a[i]);
  descriptor = describe (warp, self, mask, self->b);
  take_shared (&memory, &descriptor, 0, self->n_columns, self->n_k, self->bytes, b);
}

/* Reads 8 columns of D from @first on, or sets them to 0. */
static void
take_tile (CuredWarp *warp, const Product *self, unsigned first, bool is_f16, uint32_t c[ROWS][N])
{
  uint32_t kept = cured_get_predicate (warp, self->scale_d);

  for (unsigned r = 0; r < 4; r++)
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)
      {
        unsigned at = first / 2 + r;
        const CuredPtxOperand *x = &self->d[is_f16 ? at / 2 : at];
        uint32_t value = LANES (const uint32_t, *x)[l];

        if (is_f16)
          for (unsigned j = 0; j < 2; j++)
            c[l / 4 + r / 2 * 8][l % 4 * 2 + j] = cured_bits_of_f32 (cured_f16_to_f32 (
                LANES (const uint32_t, self->d[first / 4 + r / 2])[l] >> (16 * j) & 0xffff));
        else
          c[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2] = value;
        if ((kept >> l & 1) == 0)
          c[l / 4 + r / 2 * 8][l % 4 * 2] = c[l / 4 + r / 2 * 8][l % 4 * 2 + 1] = 0;
      }
}

static void
give_tile (CuredWarp *warp, const Product *self, uint32_t mask, unsigned first, bool is_f16,
           uint32_t d[ROWS][N])
{
  if (is_f16)
    for (unsigned r = 0; r < 2; r++)
      {
        uint32_t *lanes = LANES (uint32_t, self->d[first / 4 + r]);

        FOR_LANES (mask,
                   lanes[l] = d[l / 4 + 8 * r][l % 4 * 2] | d[l / 4 + 8 * r][l % 4 * 2 + 1] << 16);
      }
  else
    for (unsigned r = 0; r < 4; r++)
      {
        uint32_t *lanes = LANES (uint32_t, self->d[first / 2 + r]);

        FOR_LANES (mask, lanes[l] = d[l / 4 + r / 2 * 8][l % 4 * 2 + r % 2]);
      }
}

/* imm-scale: 1 or -1. */
static void
negate (Rows *rows, unsigned n_rows, unsigned n_k)
{
  for (unsigned i = 0; i < n_rows; i++)
    for (unsigned k = 0; k < n_k; k += N)
      rows->value[i][k / N] = -rows->value[i][k / N];
}

static inline void
multiply_narrow (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, Format a_format,
                 Format b_format)
{
  bool is_f16 = inst->types[0] == CURED_PTX_F16;
  Product self = { .bytes = a_format == FORMAT_TF32 ? 4 : a_format <= FORMAT_BF16 ? 2 : 1 };
  uint32_t a[ROWS][MAX_K];
  uint64_t kept[ROWS];
  uint32_t b[MAX_COLUMNS][MAX_K];
  Rows rows;
  float sign;

  if (!begin (warp, inst, mask))
    return;
  find_operands (inst, &self);
  self.n_columns = get_columns (inst);
  self.n_k = get_depth (inst);
  announce_factors (warp, inst, mask, &self);
  if (is_spared (warp, inst))
    return;
  take_factors (warp, inst, mask, &self, a, kept, b);
  split_rows (a_format, (const uint32_t (*)[MAX_K]) a, ROWS, self.n_k, &rows);
  sign = (float) (int32_t) get_number (warp, &self.numbers[0]) *
         (float) (int32_t) get_number (warp, &self.numbers[1]);
  if (sign < 0)
    negate (&rows, ROWS, self.n_k);

  for (unsigned first = 0; first < self.n_columns; first += N)
    {
      const uint32_t (*tile)[MAX_K] = (const uint32_t (*)[MAX_K]) b + first;
      Columns columns;
      uint32_t c[ROWS][N], d[ROWS][N];

      split_columns (b_format, tile, self.n_k, &columns);
      take_tile (warp, &self, first, is_f16, c);
      multiply_rows (a_format, &rows, &columns, ROWS, self.n_k, is_f16, (const uint32_t (*)[N]) c,
                     d);
      if (G_UNLIKELY (rows.is_special || columns.is_special ||
                      are_special ((const uint32_t (*)[N]) c, ROWS)))
        for (unsigned i = 0; i < ROWS; i++)
          for (unsigned n = 0; n < N; n++)
            {
              double special = multiply_special (a_format, b_format, a[i], tile[n], self.n_k,
                                                 kept[i], sign < 0 ? -1 : 1, c[i][n]);

              if (!isfinite (special))
                d[i][n] = cut_off (a_format, is_f16, special);
            }
      give_tile (warp, &self, mask, first, is_f16, d);
    }
}

#define NARROW(name, a_format, b_format)                                                           \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    multiply_narrow (warp, inst, mask, a_format, b_format);                                        \
  }

NARROW (multiply_f16, FORMAT_F16, FORMAT_F16)
NARROW (multiply_bf16, FORMAT_BF16, FORMAT_BF16)
NARROW (multiply_tf32, FORMAT_TF32, FORMAT_TF32)
NARROW (multiply_e4m3, FORMAT_E4M3, FORMAT_E4M3)
NARROW (multiply_e4m3_e5m2, FORMAT_E4M3, FORMAT_E5M2)
NARROW (multiply_e5m2_e4m3, FORMAT_E5M2, FORMAT_E4M3)
NARROW (multiply_e5m2, FORMAT_E5M2, FORMAT_E5M2)

static int32_t
extend (uint32_t byte, bool is_signed)
{
  return is_signed ? (int8_t) byte : (int32_t) byte;
}

static void
multiply_integers (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  bool is_bits = inst->types[1] == CURED_PTX_B1;
  bool is_saturated = cured_has_word (inst, CURED_PTX_GROUP_SAT);
  bool a_is_signed = inst->types[1] == CURED_PTX_S8;
  bool b_is_signed = inst->types[2] == CURED_PTX_S8;
  Product self = { .bytes = is_bits ? 4 : 1 };
  uint32_t a[ROWS][MAX_K];
  uint64_t kept[ROWS];
  uint32_t b[MAX_COLUMNS][MAX_K];

  if (!begin (warp, inst, mask))
    return;
  find_operands (inst, &self);
  self.n_columns = get_columns (inst);
  self.n_k = is_bits ? BIT_WORDS : get_depth (inst);
  /* Neither is transposed, and there are no scales. */
  self.numbers = (const CuredPtxOperand[4]){ 0 };
  announce_factors (warp, inst, mask, &self);
  if (is_spared (warp, inst))
    return;
  take_factors (warp, inst, mask, &self, a, kept, b);
  for (unsigned first = 0; first < self.n_columns; first += N)
    {
      uint32_t c[ROWS][N];

      take_tile (warp, &self, first, false, c);
      for (unsigned i = 0; i < ROWS; i++)
        for (unsigned n = 0; n < N; n++)
          {
            const uint32_t *column = b[first + n];
            int64_t sum = (int32_t) c[i][n];

            for (unsigned k = 0; k < self.n_k; k++)
              sum += is_bits ? __builtin_popcount (a[i][k] & column[k])
                             : extend (a[i][k], a_is_signed) * extend (column[k], b_is_signed);
            if (is_saturated)
              sum = CLAMP (sum, INT32_MIN, INT32_MAX);
            c[i][n] = (uint32_t) sum;
          }
      give_tile (warp, &self, mask, first, false, c);
    }
}

/* ---- Combinations of types ---- */

/* Valid combinations; for integers, .s8 and .u8 in any combination. */
static const struct
{
  uint8_t a, b, shape;
  bool takes_f16; /* allowed for D */
  CuredPtxHandler handler;
} products[] = {
  { CURED_PTX_F16, CURED_PTX_F16, CURED_PTX_SHAPE_M64K16, true, multiply_f16 },
  { CURED_PTX_BF16, CURED_PTX_BF16, CURED_PTX_SHAPE_M64K16, false, multiply_bf16 },
  { CURED_PTX_TF32, CURED_PTX_TF32, CURED_PTX_SHAPE_M64K8, false, multiply_tf32 },
  { CURED_PTX_E4M3, CURED_PTX_E4M3, CURED_PTX_SHAPE_M64K32, true, multiply_e4m3 },
  { CURED_PTX_E4M3, CURED_PTX_E5M2, CURED_PTX_SHAPE_M64K32, true, multiply_e4m3_e5m2 },
  { CURED_PTX_E5M2, CURED_PTX_E4M3, CURED_PTX_SHAPE_M64K32, true, multiply_e5m2_e4m3 },
  { CURED_PTX_E5M2, CURED_PTX_E5M2, CURED_PTX_SHAPE_M64K32, true, multiply_e5m2 },
};

static bool
is_s8 (uint8_t type)
{
  return type == CURED_PTX_S8 || type == CURED_PTX_U8;
}

/* Valid numbers of columns for integers: 8, 16, 24, then multiples of 16. */
static bool
is_integer_width (unsigned columns)
{
  return columns <= 24 || columns % 16 == 0;
}

static bool
is_one (const CuredPtxOperand *x)
{
  return x->width != 0;
}

/* The shape of the dense product with the number of elements present in A. */
static int
get_dense_shape (const CuredPtxInst *inst)
{
  if (!is_sparse (inst))
    return WORD_OF (inst, SHAPE);
  switch ((int) WORD_OF (inst, SHAPE))
    {
    case CURED_PTX_SHAPE_M64K16: return CURED_PTX_SHAPE_M64K8;
    case CURED_PTX_SHAPE_M64K32: return CURED_PTX_SHAPE_M64K16;
    case CURED_PTX_SHAPE_M64K64: return CURED_PTX_SHAPE_M64K32;
    default: return 0;
    }
}

static CuredPtxHandler
select_product (const CuredPtxInst *inst, const char **problem)
{
  CuredPtxHandler handler = NULL;
  Product self;
  int shape;
  unsigned width, n_numbers = 0, n_wanted;
  bool is_half = inst->types[1] == CURED_PTX_F16 || inst->types[1] == CURED_PTX_BF16;
  bool is_bits = inst->types[1] == CURED_PTX_B1;
  bool is_integer = is_bits || is_s8 (inst->types[1]);

  REFUSE_IF (inst->n_types != 3, "takes three types");
  REFUSE_IF (!cured_has_word (inst, CURED_PTX_GROUP_SHAPE) ||
                 !cured_has_word (inst, CURED_PTX_GROUP_COLUMNS),
             "takes a shape, as .m64n64k16");
  shape = get_dense_shape (inst);
  find_operands (inst, &self);
  self.n_columns = get_columns (inst);
  if (is_integer)
    {
      if (inst->types[0] == CURED_PTX_S32 &&
          shape == (is_bits ? CURED_PTX_SHAPE_M64K256 : CURED_PTX_SHAPE_M64K32) &&
          (is_bits ? inst->types[2] == CURED_PTX_B1 : is_s8 (inst->types[2])) &&
          is_integer_width (self.n_columns))
        handler = multiply_integers;
    }
  else
    for (unsigned i = 0; i < G_N_ELEMENTS (products); i++)
      if (inst->types[1] == products[i].a && inst->types[2] == products[i].b &&
          shape == products[i].shape &&
          (inst->types[0] == CURED_PTX_F32 ||
           (inst->types[0] == CURED_PTX_F16 && products[i].takes_f16)))
        handler = products[i].handler;
  REFUSE_IF (handler == NULL, "has no such shape for these types");
  REFUSE_IF (is_bits != cured_has_word (inst, CURED_PTX_GROUP_POPC) ||
                 (is_bits && WORD_OF (inst, OPERATION) != CURED_PTX_OPERATION_AND) ||
                 (!is_bits && cured_has_word (inst, CURED_PTX_GROUP_OPERATION)),
             "takes .and.popc with .b1, and with that alone");
  REFUSE_IF (cured_has_word (inst, CURED_PTX_GROUP_SAT) &&
                 (is_bits || !is_integer || WORD_OF (inst, SAT) != CURED_PTX_SAT_SATFINITE),
             "takes .satfinite with .s8 and .u8 alone");
  REFUSE_IF (self.n_d != self.n_columns / (inst->types[0] == CURED_PTX_F16 ? 4 : 2),
             "takes another number of registers for d");
  REFUSE_IF (self.n_a != 1 && self.n_a != 4, "takes a descriptor or four registers for a");
  for (unsigned i = 0; i < self.n_d; i++)
    REFUSE_IF (self.d[i].width != 4, "takes registers of 32 bits for d");
  width = self.n_a == 1 ? 8 : 4;
  for (unsigned i = 0; i < self.n_a; i++)
    REFUSE_IF (self.a[i].width != width,
               "takes registers of 32 bits, or a descriptor of 64, for a");
  while (n_numbers < 4 && is_one (&self.numbers[n_numbers]))
    n_numbers++;
  n_wanted = is_integer ? 0 : !is_half ? 2 : width == 8 ? 4 : 3;
  REFUSE_IF (n_numbers != n_wanted, "takes another number of scales and transpositions");
  REFUSE_IF (self.metadata != NULL &&
                 (inst->immediate < 0 ||
                  inst->immediate >= count_selectors (get_depth (inst),
                                                      8u * _cured_ptx_types[inst->types[1]].bytes)),
             "has no such selector");
  return handler;
}

/* ---- Order ---- */

static void
run_fence (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  if (gather (warp, inst, mask))
    _cured_warp_fence_products (warp);
}

static void
run_commit (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  if (gather (warp, inst, mask))
    _cured_warp_wait_products (warp, mask, CURED_COPIES_COMMIT);
}

static void
run_wait (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  if (!gather (warp, inst, mask))
    return;
  _cured_warp_wait_products (warp, mask, (int) inst->immediate);
  _cured_warp_synced (warp, mask);
}

static const char *
check_groups (const CuredPtxInst *inst)
{
  return inst->immediate < 0 || inst->immediate > 7 ? "takes a number of groups from 0 to 7" : NULL;
}

/* clang-format off */
static const CuredPtxForm forms[] = {
  CHOICE (wgmma, ANY_TYPES, 0, ANY_WORDS, select_product)
  CHOICE (wgmma_sparse, ANY_TYPES, 0, ANY_WORDS, select_product)
  FORM (wgmma_fence, 0, 0, run_fence)
  FORM (wgmma_commit, 0, 0, run_commit)
  CHECKED (wgmma_wait, 0, 0, 0, run_wait, check_groups)
};
/* clang-format on */

FORMS_OF (wgmma)
