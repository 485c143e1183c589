/* SPDX-License-Identifier: MIT
 * Handlers: fragments of wmma between memory and registers.
 *
 * The ISA leaves open which lane has which element. Here they lie as ptxas 13.0 makes it for sm_90:
 * a fragment is those of the mma of 16 × 8 that the product consists of, one behind the other (PTX
 * ISA 9.0, section 9.7.14.5), and halves of A and B are in registers of their own again until there
 * are eight. A product of 8 × 32 is the transposed one, so that A lies as B does, and C and D are
 * transposed.
 *
 * Accesses are as wide as those that ptxas makes for global memory: a register's elements at once
 * where they are neighbours in memory, pairs of halves that are transposed later, and else an
 * element at a time. For shared memory it takes ldmatrix for A and B, which reads the same bytes in
 * the same order. */
#include <glib/gi18n-lib.h>

#include "ptx/exec/cured-product-private.h"
#include "ptx/exec/cured-ptx-exec-private.h"

#define MAX_LINES     32
#define MAX_POSITIONS 16

/* A is lines of k, B columns of k, C lines of columns or, of a transposed product, columns of
 * lines. */
typedef struct
{
  unsigned bytes; /* of an element; of less than 8 bits, of a word of them */
  unsigned bits;  /* of an element as the ISA counts it */
  unsigned each;  /* neighbours that a lane has: a unit */
  unsigned n_lines, n_positions;
  unsigned n_down; /* units that go down by 8 lines before they go along */
  unsigned n_units;
  unsigned n_split; /* registers of a unit */
  unsigned length;  /* elements between lines or positions, unless told */
  bool is_addend;
  bool is_natural; /* a line's elements are neighbours in memory */
} Fragment;

/* Where the first of a lane's unit is. */
typedef struct
{
  unsigned line, position;
} Place;

static bool
is_addend (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_wmma_load_c || inst->op == CURED_PTX_OP_wmma_store;
}

static void
get_fragment (const CuredPtxInst *inst, Fragment *self)
{
  const CuredPtxShape *shape = _cured_ptx_get_shape (inst);
  CuredPtxType type = inst->types[0];
  bool is_small = type == CURED_PTX_S4 || type == CURED_PTX_U4;
  bool is_bits = type == CURED_PTX_B1;
  bool is_transposed = shape->n == 32;
  bool is_row = WORD_OF (inst, LAYOUT_A) == CURED_PTX_LAYOUT_A_ROW;
  bool is_a = inst->op == CURED_PTX_OP_wmma_load_a;

  self->bytes = is_small || is_bits ? 4 : _cured_ptx_types[type].bytes;
  self->bits = is_small ? 4 : is_bits ? 1 : 8 * self->bytes;
  self->is_addend = is_addend (inst);
  if (self->is_addend)
    {
      self->n_lines = is_transposed ? shape->n : shape->m;
      self->n_positions = is_transposed ? shape->m : shape->n;
      self->n_down = self->n_lines >= 16 ? 2 : 1;
      self->each = 2;
      self->n_split = self->bytes == 2 ? 1 : 2;
      self->is_natural = is_row != is_transposed;
    }
  else
    {
      self->n_lines = is_a ? shape->m : shape->n;
      self->n_positions = shape->k * self->bits / (8 * self->bytes);
      self->n_down = is_a != is_transposed && self->n_lines >= 16 ? 2 : 1;
      self->each = self->bytes >= 4 ? 1 : 4 / self->bytes;
      self->n_split = 1;
      self->is_natural = is_row == is_a;
    }
  self->n_units = self->n_lines * self->n_positions / (CURED_WARP_LANES * self->each);
  self->length =
      (self->is_natural ? self->n_positions : self->n_lines) * 8 * self->bytes / self->bits;
}

/* Registers that the ISA gives a fragment. */
static unsigned
count_registers (const CuredPtxInst *inst, const Fragment *self)
{
  return !self->is_addend && inst->types[0] == CURED_PTX_F16 ? 8 : self->n_units * self->n_split;
}

static Place
get_place (const Fragment *self, unsigned unit, unsigned lane)
{
  unsigned n_along = self->is_addend ? 1 : self->n_positions / (4 * self->each);
  unsigned tile = unit / (self->n_down * n_along);
  unsigned rest = unit % (self->n_down * n_along);
  Place place = { 8 * self->n_down * tile + 8 * (rest % self->n_down) + lane / 4,
                  (4 * (rest / self->n_down) + lane % 4) * self->each };

  /* Of the addend the next tile is right of this one. */
  if (place.line >= self->n_lines)
    {
      place.line -= 8 * self->n_down * tile;
      place.position += 8 * tile;
    }
  return place;
}

/* Accesses of a unit. */
static unsigned
count_pieces (const Fragment *self)
{
  return self->is_natural || self->bytes == 2 ? 1 : self->each;
}

/* Where a lane's @piece of a unit begins, and which way it goes on. */
static Place
get_piece (const Fragment *self, unsigned unit, unsigned piece, unsigned lane, unsigned *n,
           bool *goes_down)
{
  Place place = get_place (self, unit, lane);

  *n = self->is_natural || self->bytes == 2 ? self->each : 1;
  *goes_down = !self->is_natural && self->bytes == 2;
  /* 8 × 8 halves are read as they lie and transposed. */
  if (*goes_down)
    return (Place){ place.line - lane / 4 + lane % 4 * 2,
                    place.position - lane % 4 * 2 + lane / 4 };
  place.position += piece;
  return place;
}

/* Finds the bytes of a piece of each lane. */
static void
access_piece (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const Fragment *self,
              unsigned unit, unsigned piece, const CuredPtxOperand *address,
              const CuredPtxOperand *stride, CuredHosts *hosts)
{
  int64_t displacements[CURED_WARP_LANES];
  bool is_reading = inst->op != CURED_PTX_OP_wmma_store;
  unsigned n = 1;

  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    {
      bool goes_down;
      Place place = get_piece (self, unit, piece, l, &n, &goes_down);
      int64_t length = stride->width != 0 ? (int64_t) LANES (const uint32_t, *stride)[l]
                                          : (int64_t) self->length;
      int64_t line = self->is_natural ? place.line : place.position;
      int64_t position = self->is_natural ? place.position : place.line;

      displacements[l] =
          inst->displacement + line * length * self->bits / 8 + position * self->bytes;
    }
  _cured_warp_access_apart (
      warp,
      &(CuredWarpRequest){ inst, mask, cured_get_space (inst),
                           is_reading ? CURED_ACCESS_LOAD : CURED_ACCESS_STORE, n * self->bytes,
                           0 },
      address, displacements, hosts);
}

/* Copies a piece's elements between @host and @at. */
static void
copy_piece (const Fragment *self, unsigned unit, unsigned piece, unsigned lane, uint8_t *host,
            uint64_t at[MAX_LINES][MAX_POSITIONS], bool is_reading)
{
  bool goes_down;
  unsigned n;
  Place place = get_piece (self, unit, piece, lane, &n, &goes_down);

  for (unsigned i = 0; i < n; i++)
    {
      uint64_t *element =
          &at[place.line + (goes_down ? i : 0)][place.position + (goes_down ? 0 : i)];

      if (is_reading)
        memcpy (element, host + i * self->bytes, self->bytes);
      else
        memcpy (host + i * self->bytes, element, self->bytes);
    }
}

/* What can't be read is 0. */
static void
move_fragment (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask, const Fragment *self,
               uint64_t at[MAX_LINES][MAX_POSITIONS])
{
  bool is_reading = inst->op != CURED_PTX_OP_wmma_store;
  const CuredPtxOperand *address = cured_get_operands (inst, is_reading ? 1 : 0);
  const CuredPtxOperand *stride = cured_get_operands (inst, 2);

  for (unsigned unit = 0; unit < self->n_units; unit++)
    for (unsigned piece = 0; piece < count_pieces (self); piece++)
      {
        CuredHosts hosts;

        hosts.mask = 0;
        access_piece (warp, inst, mask, self, unit, piece, address, stride, &hosts);
        for (unsigned l = 0; l < CURED_WARP_LANES; l++)
          if ((hosts.mask >> l & 1) != 0)
            copy_piece (self, unit, piece, l, hosts.host[l], at, is_reading);
      }
}

static void
load_fragment (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  uint64_t at[MAX_LINES][MAX_POSITIONS] = { 0 };
  Fragment self;

  if (!gather (warp, inst, mask))
    return;
  get_fragment (inst, &self);
  move_fragment (warp, inst, mask, &self, at);
  for (unsigned r = 0; r < inst->counts[0]; r++)
    {
      unsigned unit = r / self.n_split % self.n_units;

      FOR_LANES (mask, {
        Place place = get_place (&self, unit, l);
        const uint64_t *from = &at[place.line][place.position];
        uint64_t value = 0;

        if (self.n_split == 2)
          value = from[r % 2];
        else
          for (unsigned j = 0; j < self.each; j++)
            value |= from[j] << (8 * self.bytes * j);
        if (self.bytes == 8)
          LANES (uint64_t, inst->x[r])[l] = value;
        else
          LANES (uint32_t, inst->x[r])[l] = (uint32_t) value;
      });
    }
}

static void
store_fragment (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxOperand *x = cured_get_operands (inst, 1);
  uint64_t at[MAX_LINES][MAX_POSITIONS] = { 0 };
  Fragment self;

  if (!gather (warp, inst, mask))
    return;
  get_fragment (inst, &self);
  for (unsigned r = 0; r < inst->counts[1]; r++)
    for (unsigned l = 0; l < CURED_WARP_LANES; l++)
      {
        Place place = get_place (&self, r / self.n_split, l);
        uint64_t *to = &at[place.line][place.position];
        uint64_t value =
            self.bytes == 8 ? LANES (const uint64_t, x[r])[l] : LANES (const uint32_t, x[r])[l];

        if (self.n_split == 2)
          to[r % 2] = value;
        else
          for (unsigned j = 0; j < self.each; j++)
            to[j] = value >> (8 * self.bytes * j) & 0xffff;
      }
  move_fragment (warp, inst, mask, &self, at);
}

/* ---- Forms ---- */

#define SHAPE(name) (1u << (CURED_PTX_SHAPE_##name - CURED_PTX_SHAPE_M8N8))

#define LARGE (SHAPE (M16N16K16) | SHAPE (M32N8K16) | SHAPE (M8N32K16))

static const struct
{
  uint8_t type;
  uint32_t factors; /* shapes of A and B */
  uint32_t addends;
} fragments[] = {
  { CURED_PTX_F16, LARGE, LARGE },
  { CURED_PTX_BF16, LARGE, 0 },
  { CURED_PTX_S8, LARGE, 0 },
  { CURED_PTX_U8, LARGE, 0 },
  { CURED_PTX_TF32, SHAPE (M16N16K8), 0 },
  { CURED_PTX_F32, 0, LARGE | SHAPE (M16N16K8) },
  { CURED_PTX_F64, SHAPE (M8N8K4), SHAPE (M8N8K4) },
  { CURED_PTX_S4, SHAPE (M8N8K32), 0 },
  { CURED_PTX_U4, SHAPE (M8N8K32), 0 },
  { CURED_PTX_B1, SHAPE (M8N8K128), 0 },
  { CURED_PTX_S32, 0, LARGE | SHAPE (M8N8K32) | SHAPE (M8N8K128) },
};

static CuredPtxHandler
select_fragment (const CuredPtxInst *inst, const char **problem)
{
  bool is_storing = inst->op == CURED_PTX_OP_wmma_store;
  unsigned letter = is_storing ? 1 : 0;
  uint32_t shapes = 0;
  Fragment self;

  for (unsigned i = 0; i < G_N_ELEMENTS (fragments); i++)
    if (fragments[i].type == inst->types[0])
      shapes = is_addend (inst) ? fragments[i].addends : fragments[i].factors;
  REFUSE_IF (_cured_ptx_get_shape (inst) == NULL ||
                 (shapes >> (WORD_OF (inst, SHAPE) - CURED_PTX_SHAPE_M8N8) & 1) == 0,
             "has no such shape for this type");
  get_fragment (inst, &self);
  REFUSE_IF (self.bits < 8 && !self.is_natural,
             "has A by rows and B by columns where elements are so small");
  REFUSE_IF (inst->counts[letter] != count_registers (inst, &self) ||
                 !cured_are_wide (cured_get_operands (inst, letter), inst->counts[letter],
                                  self.bytes == 8 ? 8 : 4),
             "takes another number or width of registers");
  return is_storing ? store_fragment : load_fragment;
}

/* clang-format off */
#define FRAGMENT WORDS (W_ALIGNED_ALIGNED, W_LAYOUT_A_ROW, W_LAYOUT_A_COL, MAY (SPACE, GLOBAL), MAY (SPACE, SHARED))
#define FACTORS  (T_F16 | T_BF16 | T_TF32 | T_F64 | T_S8 | T_U8 | T_S4 | T_U4 | T_B1)
#define ADDENDS  (T_F16 | T_F32 | T_F64 | T_S32)

static const CuredPtxForm forms[] = {
  CHOICE (wmma_load_a, FACTORS, FRAGMENT, G_SHAPE, select_fragment)
  CHOICE (wmma_load_b, FACTORS, FRAGMENT, G_SHAPE, select_fragment)
  CHOICE (wmma_load_c, ADDENDS, FRAGMENT, G_SHAPE, select_fragment)
  CHOICE (wmma_store, ADDENDS, FRAGMENT, G_SHAPE, select_fragment)
};
/* clang-format on */

FORMS_OF (wmma)
