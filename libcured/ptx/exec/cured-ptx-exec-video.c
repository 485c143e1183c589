/* SPDX-License-Identifier: MIT
 * Handlers: video instructions, for one number (vadd) and for halves or bytes (vadd2, vadd4).
 *
 * PTX ISA 9.0, sections 9.7.17 and 9.7.18. Parts of operands become numbers with more bits than any
 * result; the result is saturated to its destination, and then c is added, or provides the rest of
 * the register.
 *
 * For one number an H200 deviates from the ISA. Its behaviour was read off ptxas 13.0's machine
 * code for sm_90: the factors and c of vmad are signed whatever their type, .h1 takes the result's
 * upper half, sums that exceed 32 unsigned bits are truncated rather than saturated, and bytes and
 * halves saturate as if negative numbers were large ones. */

#include "ptx/exec/cured-ptx-exec-private.h"

/* Maximum number of halves or bytes in a register. */
#define MAX_PARTS 4

typedef enum
{
  VIDEO_ADD,
  VIDEO_SUB,
  VIDEO_AVERAGE,
  VIDEO_ABSDIFF,
  VIDEO_MIN,
  VIDEO_MAX,
  VIDEO_SHL,
  VIDEO_SHR,
  VIDEO_MAD,
  VIDEO_SET,
} Operation;

/* Each instruction's operation and number of parts. */
static const struct
{
  CuredPtxOp op;
  Operation operation;
  unsigned n_parts;
} rows[] = {
  { CURED_PTX_OP_vadd, VIDEO_ADD, 1 },          { CURED_PTX_OP_vsub, VIDEO_SUB, 1 },
  { CURED_PTX_OP_vabsdiff, VIDEO_ABSDIFF, 1 },  { CURED_PTX_OP_vmin, VIDEO_MIN, 1 },
  { CURED_PTX_OP_vmax, VIDEO_MAX, 1 },          { CURED_PTX_OP_vshl, VIDEO_SHL, 1 },
  { CURED_PTX_OP_vshr, VIDEO_SHR, 1 },          { CURED_PTX_OP_vmad, VIDEO_MAD, 1 },
  { CURED_PTX_OP_vset, VIDEO_SET, 1 },          { CURED_PTX_OP_vadd2, VIDEO_ADD, 2 },
  { CURED_PTX_OP_vsub2, VIDEO_SUB, 2 },         { CURED_PTX_OP_vavrg2, VIDEO_AVERAGE, 2 },
  { CURED_PTX_OP_vabsdiff2, VIDEO_ABSDIFF, 2 }, { CURED_PTX_OP_vmin2, VIDEO_MIN, 2 },
  { CURED_PTX_OP_vmax2, VIDEO_MAX, 2 },         { CURED_PTX_OP_vset2, VIDEO_SET, 2 },
  { CURED_PTX_OP_vadd4, VIDEO_ADD, 4 },         { CURED_PTX_OP_vsub4, VIDEO_SUB, 4 },
  { CURED_PTX_OP_vavrg4, VIDEO_AVERAGE, 4 },    { CURED_PTX_OP_vabsdiff4, VIDEO_ABSDIFF, 4 },
  { CURED_PTX_OP_vmin4, VIDEO_MIN, 4 },         { CURED_PTX_OP_vmax4, VIDEO_MAX, 4 },
  { CURED_PTX_OP_vset4, VIDEO_SET, 4 },
};

/* A decoded instruction. */
typedef struct
{
  Operation operation;
  unsigned n_parts;
  uint32_t parts[4]; /* of d, a, b and c: CURED_PTX_PART_… */
  bool d_is_signed, a_is_signed, b_is_signed, is_saturated;
  bool is_clamped; /* shifts clamp instead of wrapping */
  bool is_plus_one;
  unsigned scale;
  CuredPtxWord second; /* operation with c; 0: none */
  CuredPtxWord compare;
} Video;

static uint32_t
get_parts (const CuredPtxInst *inst, unsigned operand)
{
  return (uint64_t) inst->immediate >> (CURED_PTX_PART_BITS * operand) &
         ((1u << CURED_PTX_PART_BITS) - 1);
}

static void
take_apart (const CuredPtxInst *inst, Video *self)
{
  bool is_set = false;

  *self = (Video){
    .is_saturated = cured_has_word (inst, CURED_PTX_GROUP_SAT),
    .is_clamped = WORD_OF (inst, WRAP) == CURED_PTX_WRAP_CLAMP,
    .is_plus_one = cured_has_word (inst, CURED_PTX_GROUP_PLUS_ONE),
    .scale = WORD_OF (inst, SCALE) == CURED_PTX_SCALE_SHR7    ? 7
             : WORD_OF (inst, SCALE) == CURED_PTX_SCALE_SHR15 ? 15
                                                              : 0,
    .second = WORD_OF (inst, OPERATION),
    .compare = WORD_OF (inst, COMPARE),
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].op == inst->op)
      {
        self->operation = rows[i].operation;
        self->n_parts = rows[i].n_parts;
      }
  is_set = self->operation == VIDEO_SET;
  self->d_is_signed = inst->types[0] == CURED_PTX_S32;
  self->a_is_signed = inst->types[is_set ? 0 : 1] == CURED_PTX_S32;
  self->b_is_signed = inst->types[is_set ? 1 : 2] == CURED_PTX_S32;
  for (unsigned i = 0; i < G_N_ELEMENTS (self->parts); i++)
    self->parts[i] = get_parts (inst, i);
}

/* ---- Parts ---- */

static int64_t
extend (uint32_t value, unsigned bits, bool is_signed)
{
  unsigned rest = 32 - bits;

  return is_signed ? (int64_t) ((int32_t) (value << rest) >> rest)
                   : (int64_t) (value << rest >> rest);
}

static unsigned
get_bits (uint32_t part)
{
  return CURED_PTX_PART_N (part) == 0 ? 32 : (part & CURED_PTX_PART_HALF) != 0 ? 16 : 8;
}

/* The whole register, or its selected part. */
static int64_t
get_number (uint32_t value, uint32_t part, bool is_signed)
{
  unsigned bits = get_bits (part);

  return extend (bits == 32 ? value : value >> (bits * CURED_PTX_PART_AT (part, 0)), bits,
                 is_signed);
}

/* Half or byte @i from the parts of two registers; by default of a, or with @is_b of b. */
static int64_t
get_part (const Video *self, uint32_t a, uint32_t b, uint32_t part, unsigned i, bool is_b,
          bool is_signed)
{
  unsigned bits = 32 / self->n_parts;
  unsigned at =
      CURED_PTX_PART_N (part) != 0 ? CURED_PTX_PART_AT (part, i) : i + (is_b ? self->n_parts : 0);

  return extend ((at < self->n_parts ? a : b) >> (at % self->n_parts * bits), bits, is_signed);
}

/* Whether part @i of d is written. */
static bool
is_written (const Video *self, unsigned i)
{
  uint32_t part = self->parts[0];

  for (unsigned k = 0; k < CURED_PTX_PART_N (part); k++)
    if (CURED_PTX_PART_AT (part, k) == i)
      return true;
  return CURED_PTX_PART_N (part) == 0;
}

/* ---- Numbers ---- */

static cured_int128
saturate (cured_int128 x, unsigned bits, bool is_signed)
{
  cured_int128 one = 1;
  cured_int128 least = is_signed ? -(one << (bits - 1)) : 0;
  cured_int128 most = (one << (is_signed ? bits - 1 : bits)) - 1;

  return x < least ? least : x > most ? most : x;
}

static bool
compare (CuredPtxWord word, int64_t a, int64_t b)
{
  switch ((int) word)
    {
    case CURED_PTX_COMPARE_EQ: return a == b;
    case CURED_PTX_COMPARE_NE: return a != b;
    case CURED_PTX_COMPARE_LT: return a < b;
    case CURED_PTX_COMPARE_LE: return a <= b;
    case CURED_PTX_COMPARE_GT: return a > b;
    default: return a >= b;
    }
}

static cured_int128
combine (const Video *self, int64_t a, int64_t b)
{
  cured_int128 wide = a;
  int64_t sum = a + b;
  unsigned shift = self->is_clamped ? (unsigned) MIN ((uint32_t) b, 32) : (unsigned) b & 31;

  switch (self->operation)
    {
    case VIDEO_ADD: return sum;
    case VIDEO_SUB: return a - b;
    case VIDEO_AVERAGE: return (sum + (sum >= 0)) >> 1;
    case VIDEO_ABSDIFF: return a > b ? a - b : b - a;
    case VIDEO_MIN: return MIN (a, b);
    case VIDEO_MAX: return MAX (a, b);
    case VIDEO_SHL: return wide * ((cured_int128) 1 << shift);
    case VIDEO_SHR: return wide >> shift;
    case VIDEO_MAD: return wide * b;
    case VIDEO_SET:
    default: return compare (self->compare, a, b);
    }
}

static uint32_t
merge (const Video *self, cured_int128 x, uint32_t c)
{
  uint32_t part = self->parts[0];
  unsigned bits = get_bits (part);
  unsigned at;
  uint32_t ones;

  if (bits == 32)
    return (uint32_t) x;
  at = bits * CURED_PTX_PART_AT (part, 0);
  ones = ((1u << bits) - 1) << at;
  /* For halves, the one at the destination's position. */
  return (c & ~ones) | ((uint32_t) x << (bits == 16 ? 0 : at) & ones);
}

/* A number in two registers: @high has the bits beyond the low one. */
typedef struct
{
  uint32_t low;
  int32_t high;
} Wide;

static Wide
get_wide (cured_int128 x)
{
  return (Wide){ (uint32_t) x, (int32_t) (x >> 32) };
}

static Wide
extend_wide (uint32_t low, bool is_signed)
{
  return (Wide){ low, is_signed ? (int32_t) low >> 31 : 0 };
}

static bool
is_shift (Operation operation)
{
  return operation == VIDEO_SHL || operation == VIDEO_SHR;
}

static Wide
saturate_shifted (Wide x, bool is_signed)
{
  return extend_wide (
      (uint32_t) saturate ((cured_int128) x.high * ((cured_int128) 1 << 32) + x.low, 32, is_signed),
      true);
}

static Wide
saturate_one (const Video *self, Wide x)
{
  unsigned bits = get_bits (self->parts[0]);
  uint32_t most = (1u << (bits - (self->d_is_signed ? 1 : 0)) % 32) - 1;

  if (is_shift (self->operation))
    {
      /* 34 bits, the highest of which is the sign. */
      x.high = (int32_t) ((uint32_t) x.high << 30) >> 30;
      return saturate_shifted (x, self->d_is_signed);
    }
  if (bits < 32)
    return extend_wide (x.high != 0 ? most : MIN (x.low, most), true);
  if (self->d_is_signed)
    return saturate_shifted (x, true);
  if (self->operation == VIDEO_ADD || self->operation == VIDEO_SUB)
    return extend_wide (x.high >= 0 ? x.low : 0, true);
  return x.high >= 0 ? x : (Wide){ 0, 0 };
}

static bool
is_below (const Video *self, Wide a, Wide b)
{
  if (a.high == b.high)
    return a.low < b.low;
  return self->d_is_signed ? a.high < b.high : (uint32_t) a.high < (uint32_t) b.high;
}

static uint32_t
run_one (const Video *self, uint32_t a, uint32_t b, uint32_t c)
{
  Wide x = get_wide (combine (self, get_number (a, self->parts[1], self->a_is_signed),
                              get_number (b, self->parts[2], self->b_is_signed)));
  Wide second = extend_wide (c, self->d_is_signed);

  if (self->is_saturated)
    x = saturate_one (self, x);
  else if (self->operation == VIDEO_ADD || self->operation == VIDEO_SUB)
    x = extend_wide (x.low, true);
  switch ((int) self->second)
    {
    case CURED_PTX_OPERATION_ADD: return x.low + c;
    case CURED_PTX_OPERATION_MIN: return is_below (self, x, second) ? x.low : c;
    case CURED_PTX_OPERATION_MAX: return is_below (self, second, x) ? x.low : c;
    default: return merge (self, x.low, c);
    }
}

/* The product and c are added exactly; so is the 1 that the ISA adds last after a complement. */
static uint32_t
run_mad (const Video *self, uint32_t a, uint32_t b, uint32_t c)
{
  bool is_minus = ((self->parts[1] ^ self->parts[2]) & 1) != 0;
  bool c_is_minus = (self->parts[3] & 1) != 0;
  bool is_signed = self->a_is_signed || self->b_is_signed || is_minus || c_is_minus;
  /* Whole registers are then multiplied as signed numbers, whatever their type; if nothing is
   * signed, the sum is shifted as unsigned. */
  bool is_wide = self->is_saturated || self->scale != 0;
  cured_int128 x =
      combine (self,
               get_number (a, self->parts[1],
                           self->a_is_signed || (is_wide && get_bits (self->parts[1]) == 32)),
               get_number (b, self->parts[2],
                           self->b_is_signed || (is_wide && get_bits (self->parts[2]) == 32)));
  cured_int128 last = extend (c, 32, true);

  x = (is_minus ? -x : x) + (c_is_minus ? -last : last) + self->is_plus_one;
  x = is_wide && !is_signed ? (cured_int128) (int64_t) ((uint64_t) x >> self->scale)
                            : x >> self->scale;
  return (uint32_t) (self->is_saturated ? saturate (x, 32, is_signed) : x);
}

static uint32_t
run_parts (const Video *self, uint32_t a, uint32_t b, uint32_t c)
{
  unsigned bits = 32 / self->n_parts;
  uint32_t ones = (1u << bits) - 1;
  uint32_t d = self->second != CURED_PTX_NO_WORD ? c : 0;

  for (unsigned i = 0; i < self->n_parts; i++)
    {
      int64_t x = (int64_t) combine (
          self, get_part (self, a, b, self->parts[1], i, false, self->a_is_signed),
          get_part (self, a, b, self->parts[2], i, true, self->b_is_signed));

      if (self->is_saturated)
        x = (int64_t) saturate (x, bits, self->d_is_signed);
      if (self->second != CURED_PTX_NO_WORD)
        d += is_written (self, i) ? (uint32_t) x : 0;
      else if (is_written (self, i))
        d |= ((uint32_t) x & ones) << (i * bits);
      else
        d |= c & ones << (i * bits);
    }
  return d;
}

#define VIDEO(name, function)                                                                      \
  static void name (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)                      \
  {                                                                                                \
    uint32_t *d = LANES (uint32_t, inst->x[0]);                                                    \
    const uint32_t *a = LANES (const uint32_t, inst->x[1]);                                        \
    const uint32_t *b = LANES (const uint32_t, inst->x[2]);                                        \
    const uint32_t *c = inst->x[3].width != 0 ? LANES (const uint32_t, inst->x[3]) : NULL;         \
    Video self;                                                                                    \
                                                                                                   \
    take_apart (inst, &self);                                                                      \
    FOR_LANES (mask, d[l] = function (&self, a[l], b[l], c != NULL ? c[l] : 0));                   \
  }

VIDEO (video_one, run_one)
VIDEO (video_mad, run_mad)
VIDEO (video_parts, run_parts)

/* ---- Forms ---- */

/* A single part: one of four bytes or two halves. */
static bool
is_one_part (uint32_t part)
{
  return CURED_PTX_PART_N (part) == 0 ||
         (CURED_PTX_PART_N (part) == 1 && CURED_PTX_PART_AT (part, 0) * get_bits (part) < 32);
}

/* The number of parts of the instruction, each from one of the two registers. */
static bool
is_choice (const Video *self, uint32_t part)
{
  return CURED_PTX_PART_N (part) == 0 ||
         (CURED_PTX_PART_N (part) == self->n_parts && get_bits (part) * self->n_parts == 32);
}

/* Parts of d, in descending order. */
static bool
is_mask (const Video *self, uint32_t part)
{
  unsigned n = CURED_PTX_PART_N (part);

  for (unsigned i = 1; i < n; i++)
    if (CURED_PTX_PART_AT (part, i) <= CURED_PTX_PART_AT (part, i - 1))
      return false;
  return n == 0 ||
         (get_bits (part) * self->n_parts == 32 && CURED_PTX_PART_AT (part, n - 1) < self->n_parts);
}

static const char *
check_one (const CuredPtxInst *inst)
{
  bool has_c = inst->x[3].width != 0;
  bool is_merging;
  Video self;

  take_apart (inst, &self);
  is_merging = CURED_PTX_PART_N (self.parts[0]) != 0;
  for (unsigned i = 0; i < 3; i++)
    if (!is_one_part (self.parts[i]))
      return "takes .b0 to .b3, .h0 and .h1";
  if (((self.parts[0] | self.parts[1] | self.parts[2]) & 1) != 0)
    return "takes no minus";
  if (is_merging && self.second)
    return "takes .add, .min and .max with a whole result";
  return has_c != (is_merging || self.second)
             ? "takes a third source with .add, .min, .max or a part of d, and with these alone"
             : NULL;
}

static const char *
check_mad (const CuredPtxInst *inst)
{
  Video self;

  take_apart (inst, &self);
  for (unsigned i = 0; i < 3; i++)
    if (!is_one_part (self.parts[i]))
      return "takes .b0 to .b3, .h0 and .h1";
  if (CURED_PTX_PART_N (self.parts[0]) != 0)
    return "has a whole result";
  if (self.is_plus_one && ((self.parts[1] | self.parts[2] | self.parts[3]) & 1))
    return "takes no minus with .po";
  return ((self.parts[1] ^ self.parts[2]) & 1) != 0 && (self.parts[3] & 1) != 0
             ? "negates the product or c, not both"
             : NULL;
}

static const char *
check_parts (const CuredPtxInst *inst)
{
  Video self;

  take_apart (inst, &self);
  if (((self.parts[0] | self.parts[1] | self.parts[2]) & 1) != 0)
    return "takes no minus";
  if (!is_mask (&self, self.parts[0]))
    return "takes parts of d from the highest one down";
  return !is_choice (&self, self.parts[1]) || !is_choice (&self, self.parts[2])
             ? "takes as many parts of its sources as it has results"
             : NULL;
}

/* clang-format off */
#define TWO      T_I32, T_I32
#define MAY_SAT  MAY (SAT, SAT)
#define SECOND   MAY (OPERATION, ADD), MAY (OPERATION, MIN), MAY (OPERATION, MAX)
#define COMPARES W_COMPARE_EQ, W_COMPARE_NE, W_COMPARE_LT, W_COMPARE_LE, W_COMPARE_GT, W_COMPARE_GE
#define ONE(op) CHECKED (op, TYPES (TWO, T_I32), WORDS (MAY_SAT, SECOND), 0, video_one, check_one)
#define SHIFT(op) CHECKED (op, TYPES (TWO, T_U32), WORDS (W_WRAP_CLAMP, W_WRAP_WRAP, MAY_SAT, SECOND), 0, video_one, check_one)
#define PARTS(op) \
  CHECKED (op, TYPES (TWO, T_I32), MAY_SAT, 0, video_parts, check_parts) \
  CHECKED (op, TYPES (TWO, T_I32), W_OPERATION_ADD, 0, video_parts, check_parts)

static const CuredPtxForm forms[] = {
  ONE (vadd) ONE (vsub) ONE (vabsdiff) ONE (vmin) ONE (vmax) SHIFT (vshl) SHIFT (vshr)
  CHECKED (vmad, TYPES (TWO, T_I32), WORDS (MAY_SAT, MAY (PLUS_ONE, PLUS_ONE), MAY (SCALE, SHR7), MAY (SCALE, SHR15)), 0, video_mad, check_mad)
  CHECKED (vset, TYPES (TWO), WORDS (COMPARES, SECOND), 0, video_one, check_one)
  PARTS (vadd2) PARTS (vsub2) PARTS (vavrg2) PARTS (vabsdiff2) PARTS (vmin2) PARTS (vmax2)
  PARTS (vadd4) PARTS (vsub4) PARTS (vavrg4) PARTS (vabsdiff4) PARTS (vmin4) PARTS (vmax4)
  CHECKED (vset2, TYPES (TWO), WORDS (COMPARES, MAY (OPERATION, ADD)), 0, video_parts, check_parts)
  CHECKED (vset4, TYPES (TWO), WORDS (COMPARES, MAY (OPERATION, ADD)), 0, video_parts, check_parts)
};
/* clang-format on */

FORMS_OF (video)
