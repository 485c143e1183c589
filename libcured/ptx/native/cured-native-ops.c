/* SPDX-License-Identifier: MIT
 * Translates arithmetic and logic instructions.
 *
 * The results equal those of the handlers in exec/ to the bit. Instructions, modifiers and operands
 * that are not covered here are left to the handler. f32 results get their canonical NaN only when
 * something other than f32 arithmetic reads them. */
#include "ptx/native/cured-native-private.h"

#include <stddef.h>
#include <string.h>

const NativeData _cured_native_data __attribute__ ((aligned (64))) = {
  .by_4_narrow = { 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60 },
  .by_4 = { 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60 },
  .by_8 = { 0, 8, 16, 24, 32, 40, 48, 56 },
  .nan_32 = 0x7fffffff,
  .sign_32 = 0x80000000,
  .magnitude_32 = 0x7fffffff,
  .one_32 = 0x3f800000,
  .greatest_32 = 0x7fffffff,
  .end_32 = 0x4f000000,
  .bytes_32 = 0xff,
  .halves_32 = 0xffff,
  .sign_64 = UINT64_C (1) << 63,
  .magnitude_64 = UINT64_MAX >> 1,
  .one_64 = UINT64_C (0x3ff0000000000000),
  .odd = 0xaaaa,
  .all = 0xffffffff,
  .below_4 = 3,
  .below_8 = 7,
};

/* Opcode maps and prefixes of integer and floating-point instructions. */
#define INT_1(byte)     X86_VECTOR (1, 1, 0, byte)
#define INT_2(byte)     X86_VECTOR (2, 1, 0, byte)
#define INT_3(byte)     X86_VECTOR (3, 1, 0, byte)
#define FLOAT(byte)     X86_VECTOR (1, 0, 0, byte)
#define DOUBLE(byte)    X86_VECTOR (1, 1, 1, byte)
#define MOVE            INT_1 (0x6f)
#define TERNARY_LOGIC   INT_3 (0x25)
#define COMPARE_FLOAT   FLOAT (0xc2)
#define COMPARE_DOUBLE  DOUBLE (0xc2)
#define IS_UNORDERED    3
#define EXTRACT_HALF    X86_VECTOR (3, 1, 1, 0x3b)
#define INSERT_HALF     X86_VECTOR (3, 1, 1, 0x3a)
#define WIDEN_SIGNED    INT_2 (0x25)
#define WIDEN_UNSIGNED  INT_2 (0x35)
#define MULTIPLY_SIGNED X86_VECTOR (2, 1, 1, 0x28)
#define MULTIPLY        X86_VECTOR (1, 1, 1, 0xf4)
#define BLEND           INT_2 (0x64)

#define WORD(inst, group) ((inst)->words[CURED_PTX_GROUP_##group])

static unsigned
get_bytes (const CuredPtxInst *inst, unsigned i)
{
  return _cured_ptx_types[inst->types[i]].bytes;
}

static bool
is_signed (const CuredPtxInst *inst, unsigned i)
{
  return _cured_ptx_types[inst->types[i]].kind == CURED_PTX_KIND_S;
}

/* Whether all of @inst's modifiers are in @groups, bits of CuredPtxGroup. */
static bool
has_only (const CuredPtxInst *inst, uint64_t groups)
{
  for (unsigned group = 0; group < CURED_PTX_N_GROUPS; group++)
    if (inst->words[group] != 0 && (groups >> group & 1) == 0)
      return false;
  return true;
}

#define GROUP_BIT(group) (UINT64_C (1) << CURED_PTX_GROUP_##group)

/* The bits of a constant, in @value; FALSE: @x is no constant. */
static bool
get_constant (const Native *self, const CuredPtxOperand *x, uint64_t *value)
{
  const uint8_t *at = self->module->constants + x->offset;

  *value = 0;
  if (x->base != CURED_BASE_CONSTANTS || x->width < 2)
    return false;
  memcpy (value, at, x->width);
  return true;
}

/* ---- Destinations ---- */

/* The register for the @part-th vector of the result: the destination itself if all lanes are
 * active. */
static unsigned
get_target (const Native *self, const NativeValue *to, unsigned part, unsigned scratch)
{
  return self->is_masked ? scratch : to->zmm[part];
}

/* Moves @from there. */
static void
set_part (Native *self, NativeValue *to, unsigned part, unsigned from)
{
  if (from != to->zmm[part] || self->is_masked)
    _cured_x86_vector (&self->x86, to->width == 8 ? MOVE | X86_WIDE : MOVE, to->zmm[part], 0,
                       x86_register (from), _cured_native_mask (self, part));
}

static NativeValue *
begin_result (Native *self, const CuredPtxOperand *x)
{
  NativeValue *to;

  _cured_native_load_masks (self, x->width);
  to = _cured_native_hold (self, x, self->is_masked);
  /* Inactive lanes keep their values. */
  if (self->is_masked)
    _cured_native_canonicalize (self, to);
  return to;
}

static void
end_result (Native *self, NativeValue *to, bool is_raw)
{
  to->is_dirty = true;
  to->is_raw = is_raw && !self->is_masked;
}

/* Canonicalizes the result in @zmm of a masked f32 instruction for memory. */
static void
fix_nan (Native *self, unsigned zmm)
{
  if (!self->is_masked)
    return;
  _cured_x86_vector_immediate (&self->x86, COMPARE_FLOAT, 5, zmm, x86_register (zmm), 0,
                               IS_UNORDERED);
  _cured_x86_vector (&self->x86, INT_2 (0x58), zmm, 0,
                     x86_memory (NATIVE_DATA, G_STRUCT_OFFSET (NativeData, nan_32)), 5);
}

/* ---- Predicates ---- */

static void
load_predicate (Native *self, X86Register to, const CuredPtxOperand *x)
{
  _cured_x86_load (&self->x86, to, _cured_native_place (x, 0), false);
  if (x->is_negated)
    _cured_x86_not (&self->x86, to);
}

/* Writes RAX; changes RCX. */
static void
store_predicate (Native *self, const CuredPtxOperand *x)
{
  X86 *x86 = &self->x86;
  X86Operand place = _cured_native_place (x, 0);

  if (self->is_masked)
    {
      if (self->inst->guard.width == 0)
        _cured_x86_load (x86, RDX, x86_memory (NATIVE_WARP, offsetof (CuredWarp, active)), false);
      _cured_x86_move (x86, RCX, RDX, false);
      _cured_x86_arithmetic (x86, X86_AND, RAX, x86_register (RCX), false);
      _cured_x86_not (x86, RCX);
      _cured_x86_arithmetic (x86, X86_AND, RCX, place, false);
      _cured_x86_arithmetic (x86, X86_OR, RAX, x86_register (RCX), false);
    }
  _cured_x86_store (x86, place, RAX, false);
}

/* ---- One host instruction each ---- */

/* d = a op b, 32 or 64 bits. */
static bool
binary (Native *self, uint32_t op, bool is_commutative)
{
  const CuredPtxOperand *x = self->inst->x, *a = &x[1], *b = &x[2];

  if (is_commutative && a->base != CURED_BASE_REGISTERS)
    {
      a = &x[2];
      b = &x[1];
    }
  _cured_native_get (self, a, 0, false);
  _cured_native_get (self, b, 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < x->width / 2u; i++)
    _cured_x86_vector (&self->x86, op, to->zmm[i], _cured_native_get_zmm (self, a, i, 0, false),
                       _cured_native_get (self, b, i, false), _cured_native_mask (self, i));
  end_result (self, to, false);
  return true;
}

static bool
binary_32_64 (Native *self, uint32_t op, uint32_t wide, bool is_commutative)
{
  unsigned bytes = get_bytes (self->inst, 0);

  return bytes >= 4 && binary (self, bytes == 8 ? wide : op, is_commutative);
}

/* d = op a. */
static bool
unary (Native *self, uint32_t op)
{
  const CuredPtxOperand *x = self->inst->x;

  _cured_native_get (self, &x[1], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < x->width / 2u; i++)
    {
      X86Operand from = _cured_native_get (self, &x[1], i, false);

      _cured_x86_vector (&self->x86, op, to->zmm[i], 0, from, _cured_native_mask (self, i));
    }
  end_result (self, to, false);
  return true;
}

static bool
move (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;

  if (x[0].width != x[1].width || x[0].width < 4)
    return false;
  _cured_native_get (self, &x[1], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < x->width / 2u; i++)
    {
      unsigned from = _cured_native_get_zmm (self, &x[1], i, get_target (self, to, i, 0), false);

      set_part (self, to, i, from);
    }
  end_result (self, to, false);
  return true;
}

/* d = a + @addend. */
static bool
add_number (Native *self, uint64_t addend)
{
  const CuredPtxOperand *x = self->inst->x;
  bool is_wide = x->width == 8;

  if (x[0].width != x[1].width || x[0].width < 4)
    return false;
  _cured_native_get (self, &x[1], 0, false);
  NativeValue *to = begin_result (self, x);
  _cured_x86_set (&self->x86, RAX, is_wide ? addend : (uint32_t) addend);
  _cured_x86_vector (&self->x86, X86_VECTOR (2, 1, is_wide, 0x7c), 1, 0, x86_register (RAX), 0);
  for (unsigned i = 0; i < x->width / 2u; i++)
    _cured_x86_vector (&self->x86, is_wide ? INT_1 (0xd4) | X86_WIDE : INT_1 (0xfe), to->zmm[i], 1,
                       _cured_native_get (self, &x[1], i, false), _cured_native_mask (self, i));
  end_result (self, to, false);
  return true;
}

/* The lower 32 bits of a variable's address. */
static bool
move_low (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;

  if (x[1].base != CURED_BASE_CONSTANTS)
    return false;
  NativeValue *to = begin_result (self, x);
  _cured_x86_load (&self->x86, RAX, _cured_native_place (&x[1], 0), false);
  if (inst->displacement != 0)
    _cured_x86_arithmetic_immediate (&self->x86, X86_ADD, x86_register (RAX),
                                     (int32_t) inst->displacement, false);
  for (unsigned i = 0; i < 2; i++)
    _cured_x86_vector (&self->x86, INT_2 (0x7c), to->zmm[i], 0, x86_register (RAX),
                       _cured_native_mask (self, i));
  end_result (self, to, false);
  return true;
}

static bool
move_any (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;

  if (inst->types[0] == CURED_PTX_PRED)
    {
      load_predicate (self, RAX, &x[1]);
      store_predicate (self, x);
      return true;
    }
  if (inst->words[CURED_PTX_GROUP_VECTOR] != 0)
    return false;
  if (inst->counts[0] == 1 && inst->counts[1] == 1)
    {
      if (x[1].base == CURED_BASE_SPECIALS && x[1].offset >= offsetof (CuredSpecials, clock))
        return false;
      if (x[0].width == 4 && x[1].width == 8)
        return move_low (self);
      return inst->displacement != 0 ? add_number (self, (uint64_t) inst->displacement)
                                     : move (self);
    }
  return false;
}

/* ---- Between widths ---- */

/* The 8 lanes of a 32-bit register that belong to the @part-th vector of 64 bits: the operand of a
 * widening instruction. */
static X86Operand
get_narrow (Native *self, const CuredPtxOperand *x, unsigned part, unsigned scratch)
{
  X86Operand from = _cured_native_get (self, x, part / 2, false);

  if (from.is_memory)
    {
      from = _cured_native_place (x, 32 * part);
      return from;
    }
  if (part % 2 == 0)
    return from;
  _cured_x86_vector_immediate (&self->x86, EXTRACT_HALF, from.reg, 0, x86_register (scratch), 0, 1);
  return x86_register (scratch);
}

/* d = a in 64 bits, converted as @op does. */
static bool
widen (Native *self, uint32_t op)
{
  const CuredPtxOperand *x = self->inst->x;

  if (x[0].width != 8 || x[1].width != 4)
    return false;
  _cured_native_get (self, &x[1], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < 4; i++)
    _cured_x86_vector (&self->x86, op, to->zmm[i], 0, get_narrow (self, &x[1], i, 0),
                       _cured_native_mask (self, i));
  end_result (self, to, false);
  return true;
}

/* d = a in 32 bits; @op has its destination as the last operand. */
static bool
narrow (Native *self)
{
  const CuredPtxOperand *x = self->inst->x;

  if (x[0].width != 4 || x[1].width != 8)
    return false;
  _cured_native_get (self, &x[1], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < 2; i++)
    {
      for (unsigned k = 0; k < 2; k++)
        {
          unsigned from = _cured_native_get_zmm (self, &x[1], 2 * i + k, k, false);

          _cured_x86_vector (&self->x86, X86_VECTOR (2, 2, 0, 0x35), from, 0, x86_register (k), 0);
        }
      _cured_x86_vector_immediate (&self->x86, INSERT_HALF, 0, 0, x86_register (1), 0, 1);
      set_part (self, to, i, 0);
    }
  end_result (self, to, false);
  return true;
}

/* The product of the @part-th 8 lanes of 32-bit @a and @b, in zmm 0. */
static void
multiply_wide (Native *self, const CuredPtxOperand *a, const CuredPtxOperand *b, unsigned part)
{
  bool is_negative = is_signed (self->inst, 0);

  for (unsigned k = 0; k < 2; k++)
    {
      const CuredPtxOperand *x = k == 0 ? a : b;

      if (x->base == CURED_BASE_CONSTANTS)
        _cured_native_get_zmm (self, x, 0, k, false);
      else
        _cured_x86_vector (&self->x86, is_negative ? WIDEN_SIGNED : WIDEN_UNSIGNED, k, 0,
                           get_narrow (self, x, part, 2), 0);
    }
  _cured_x86_vector (&self->x86, is_negative ? MULTIPLY_SIGNED : MULTIPLY, 0, 0, x86_register (1),
                     0);
}

/* d = a * b, or a * b + c, of 64 bits. */
static bool
product_wide (Native *self, bool has_addend)
{
  const CuredPtxOperand *x = self->inst->x;

  if (get_bytes (self->inst, 0) != 4)
    return false;
  for (unsigned i = 1; i < 3u + has_addend; i++)
    _cured_native_get (self, &x[i], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < 4; i++)
    {
      multiply_wide (self, &x[1], &x[2], i);
      if (has_addend)
        _cured_x86_vector (&self->x86, INT_1 (0xd4) | X86_WIDE, 0, 0,
                           _cured_native_get (self, &x[3], i, false), 0);
      set_part (self, to, i, 0);
    }
  end_result (self, to, false);
  return true;
}

/* d = the upper half of a * b, of 32 bits: products of even lanes, and of odd ones. */
static bool
product_high (Native *self)
{
  const CuredPtxOperand *x = self->inst->x;
  X86 *x86 = &self->x86;
  uint32_t op = is_signed (self->inst, 0) ? MULTIPLY_SIGNED : MULTIPLY;

  if (get_bytes (self->inst, 0) != 4)
    return false;
  _cured_native_get (self, &x[1], 0, false);
  _cured_native_get (self, &x[2], 0, false);
  NativeValue *to = begin_result (self, x);
  _cured_x86_mask_load (x86, 7, x86_memory (NATIVE_DATA, G_STRUCT_OFFSET (NativeData, odd)), 2);
  for (unsigned i = 0; i < 2; i++)
    {
      unsigned a = _cured_native_get_zmm (self, &x[1], i, 0, false);
      unsigned b = _cured_native_get_zmm (self, &x[2], i, 1, false);

      /* Moves the upper halves to where products are read. */
      _cured_x86_vector_immediate (x86, X86_VECTOR (1, 1, 1, 0x73), 2, 2, x86_register (a), 0, 32);
      _cured_x86_vector_immediate (x86, X86_VECTOR (1, 1, 1, 0x73), 2, 3, x86_register (b), 0, 32);
      _cured_x86_vector (x86, op, 2, 2, x86_register (3), 0);
      _cured_x86_vector (x86, op, 3, a, x86_register (b), 0);
      _cured_x86_vector_immediate (x86, X86_VECTOR (1, 1, 1, 0x73), 2, 3, x86_register (3), 0, 32);
      _cured_x86_vector (x86, BLEND, 2, 3, x86_register (2), 7);
      set_part (self, to, i, 2);
    }
  end_result (self, to, false);
  return true;
}

/* d = a * b + c, the lower half. */
static bool
multiply_add (Native *self)
{
  const CuredPtxOperand *x = self->inst->x;
  bool is_wide = x->width == 8;
  const CuredPtxOperand *a = &x[1], *b = &x[2];

  if (x->width < 4)
    return false;
  if (a->base != CURED_BASE_REGISTERS)
    {
      a = &x[2];
      b = &x[1];
    }
  for (unsigned i = 1; i < 4; i++)
    _cured_native_get (self, &x[i], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < x->width / 2u; i++)
    {
      _cured_x86_vector (&self->x86, INT_2 (0x40) | (is_wide ? X86_WIDE : 0), 0,
                         _cured_native_get_zmm (self, a, i, 0, false),
                         _cured_native_get (self, b, i, false), 0);
      _cured_x86_vector (&self->x86, is_wide ? INT_1 (0xd4) | X86_WIDE : INT_1 (0xfe), to->zmm[i],
                         0, _cured_native_get (self, &x[3], i, false),
                         _cured_native_mask (self, i));
    }
  end_result (self, to, false);
  return true;
}

/* ---- Bits ---- */

/* Opcode and opcode extension of a shift by an immediate. */
typedef struct
{
  uint32_t op, wide;
  unsigned extension;
  uint32_t by_lanes;
} Shift;

static const Shift shift_left = { INT_1 (0x72), INT_1 (0x73) | X86_WIDE, 6, INT_2 (0x47) };
static const Shift shift_right = { INT_1 (0x72), INT_1 (0x73) | X86_WIDE, 2, INT_2 (0x45) };
static const Shift shift_signed = { INT_1 (0x72), INT_1 (0x72) | X86_WIDE, 4, INT_2 (0x46) };

static void
shift_by (Native *self, const Shift *shift, bool is_wide, unsigned to, unsigned from, uint64_t by)
{
  _cured_x86_vector_immediate (&self->x86, is_wide ? shift->wide : shift->op, shift->extension, to,
                               x86_register (from), 0, (uint8_t) MIN (by, 64));
}

static bool
translate_shift (Native *self, const Shift *shift)
{
  const CuredPtxOperand *x = self->inst->x;
  bool is_wide = x->width == 8;
  uint64_t by = 0;

  if (x->width < 4)
    return false;
  bool is_constant = get_constant (self, &x[2], &by);
  _cured_native_get (self, &x[1], 0, false);
  if (!is_constant)
    _cured_native_get (self, &x[2], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < x->width / 2u; i++)
    {
      unsigned target = get_target (self, to, i, 0);
      unsigned from = _cured_native_get_zmm (self, &x[1], i, 1, false);

      if (is_constant)
        {
          shift_by (self, shift, is_wide, target, from, by);
          set_part (self, to, i, target);
          continue;
        }
      X86Operand amount = is_wide ? x86_register (2) : _cured_native_get (self, &x[2], i, false);
      if (is_wide)
        _cured_x86_vector (&self->x86, WIDEN_UNSIGNED, 2, 0, get_narrow (self, &x[2], i, 2), 0);
      _cured_x86_vector (&self->x86, shift->by_lanes | (is_wide ? X86_WIDE : 0), to->zmm[i], from,
                         amount, _cured_native_mask (self, i));
    }
  end_result (self, to, false);
  return true;
}

/* The pair b:a, shifted by an immediate. */
static bool
translate_funnel (Native *self)
{
  const CuredPtxOperand *x = self->inst->x;
  bool is_left = WORD (self->inst, MODE) == CURED_PTX_MODE_L;
  uint64_t by;

  if (!get_constant (self, &x[3], &by))
    return false;
  if (WORD (self->inst, WRAP) == CURED_PTX_WRAP_WRAP)
    by &= 31;
  if (by == 0 || by > 31)
    return false;
  _cured_native_get (self, &x[1], 0, false);
  _cured_native_get (self, &x[2], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < 2; i++)
    {
      unsigned a = _cured_native_get_zmm (self, &x[1], i, 0, false);
      unsigned b = _cured_native_get_zmm (self, &x[2], i, 1, false);

      shift_by (self, &shift_right, false, 2, a, is_left ? 32 - by : by);
      shift_by (self, &shift_left, false, 3, b, is_left ? by : 32 - by);
      _cured_x86_vector (&self->x86, INT_1 (0xeb), to->zmm[i], 2, x86_register (3),
                         _cured_native_mask (self, i));
    }
  end_result (self, to, false);
  return true;
}

/* A field of 32 bits at an immediate position. */
static bool
extract (Native *self)
{
  const CuredPtxOperand *x = self->inst->x;
  const Shift *right = is_signed (self->inst, 0) ? &shift_signed : &shift_right;
  uint64_t position, length;

  if (x->width != 4 || !get_constant (self, &x[2], &position) ||
      !get_constant (self, &x[3], &length) || length == 0 || position + length > 32)
    return false;
  _cured_native_get (self, &x[1], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < 2; i++)
    {
      unsigned target = get_target (self, to, i, 0);
      unsigned from = _cured_native_get_zmm (self, &x[1], i, 0, false);

      shift_by (self, &shift_left, false, target, from, 32 - position - length);
      shift_by (self, right, false, target, target, 32 - length);
      set_part (self, to, i, target);
    }
  end_result (self, to, false);
  return true;
}

/* d = any function of three bits: @table, indexed by a, b and c. */
static bool
ternary_logic (Native *self, const CuredPtxOperand *a, const CuredPtxOperand *b,
               const CuredPtxOperand *c, uint8_t table)
{
  const CuredPtxOperand *x = self->inst->x;

  if (x->width < 4)
    return false;
  _cured_native_get (self, a, 0, false);
  _cured_native_get (self, b, 0, false);
  _cured_native_get (self, c, 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < x->width / 2u; i++)
    {
      unsigned left = _cured_native_get_zmm (self, a, i, 0, false);
      unsigned middle = _cured_native_get_zmm (self, b, i, 1, false);

      if (left != 0)
        _cured_x86_vector (&self->x86, MOVE, 0, 0, x86_register (left), 0);
      _cured_x86_vector_immediate (&self->x86, TERNARY_LOGIC | (x->width == 8 ? X86_WIDE : 0), 0,
                                   middle, _cured_native_get (self, c, i, false), 0, table);
      set_part (self, to, i, 0);
    }
  end_result (self, to, false);
  return true;
}

/* ---- Logic of predicates ---- */

static bool
predicate_logic (Native *self, X86Arithmetic operation)
{
  const CuredPtxOperand *x = self->inst->x;

  load_predicate (self, RAX, &x[1]);
  load_predicate (self, RCX, &x[2]);
  _cured_x86_arithmetic (&self->x86, operation, RAX, x86_register (RCX), false);
  store_predicate (self, x);
  return true;
}

static bool
logic (Native *self, uint32_t op, X86Arithmetic operation)
{
  if (self->inst->types[0] == CURED_PTX_PRED)
    return predicate_logic (self, operation);
  return binary_32_64 (self, op, op | X86_WIDE, true);
}

static bool
not_any (Native *self)
{
  const CuredPtxOperand *x = self->inst->x;

  if (self->inst->types[0] != CURED_PTX_PRED)
    return ternary_logic (self, &x[1], &x[1], &x[1], 0x55);
  load_predicate (self, RAX, &x[1]);
  _cured_x86_not (&self->x86, RAX);
  store_predicate (self, x);
  return true;
}

/* Combines the masks of the comparison's parts in RAX. */
static void
join_masks (Native *self, unsigned n, uint32_t op, const CuredPtxOperand *a,
            const CuredPtxOperand *b, uint8_t condition, bool may_be_raw)
{
  X86 *x86 = &self->x86;

  for (unsigned i = 0; i < n; i++)
    {
      unsigned left = _cured_native_get_zmm (self, a, i, 0, may_be_raw);

      _cured_x86_vector_immediate (x86, op, 5 + i % 2, left,
                                   _cured_native_get (self, b, i, may_be_raw), 0, condition);
      if (n == 4 && i % 2 == 1)
        _cured_x86_mask_unpack (x86, i == 1 ? 7 : 6, 6, 5, 8);
    }
  if (n == 4)
    _cured_x86_mask_unpack (x86, 5, 6, 7, 16);
  else
    _cured_x86_mask_unpack (x86, 5, 6, 5, 16);
  _cured_x86_mask_to_gpr (x86, RAX, 5);
}

static bool
compare (Native *self)
{
  /* ORDER: the words of the group, from EQ on. The numbers are those of vpcmp and vcmp. */
  static const uint8_t integers[] = { 0, 4, 1, 2, 6, 5, 1, 2, 6, 5 };
  static const uint8_t floats[] = { 0, 12, 1, 2, 14, 13, 0, 0, 0, 0, 8, 4, 9, 10, 6, 5, 7, 3 };
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;
  unsigned order = (unsigned) WORD (inst, COMPARE) - CURED_PTX_COMPARE_EQ;
  unsigned bytes = get_bytes (inst, 0);
  bool is_float = inst->types[0] == CURED_PTX_F32 || inst->types[0] == CURED_PTX_F64;
  uint32_t op = is_float              ? bytes == 8 ? COMPARE_DOUBLE : COMPARE_FLOAT
                : is_signed (inst, 0) ? INT_3 (0x1f)
                                      : INT_3 (0x1e);
  X86Arithmetic operation = X86_AND;

  if (x[0].width == 0 || x[1].width != 0 || bytes < 4 || (!is_float && order >= 10) ||
      !has_only (inst, GROUP_BIT (COMPARE) | GROUP_BIT (OPERATION)))
    return false;
  if (!is_float && bytes == 8)
    op |= X86_WIDE;
  _cured_native_get (self, &x[2], 0, is_float);
  _cured_native_get (self, &x[3], 0, is_float);
  join_masks (self, bytes / 2, op, &x[2], &x[3], is_float ? floats[order] : integers[order],
              is_float);
  if (WORD (inst, OPERATION) != 0)
    {
      operation = WORD (inst, OPERATION) == CURED_PTX_OPERATION_AND  ? X86_AND
                  : WORD (inst, OPERATION) == CURED_PTX_OPERATION_OR ? X86_OR
                                                                     : X86_XOR;
      load_predicate (self, RCX, &x[4]);
      _cured_x86_arithmetic (&self->x86, operation, RAX, x86_register (RCX), false);
    }
  store_predicate (self, x);
  return true;
}

static bool
select_by_predicate (Native *self)
{
  const CuredPtxOperand *x = self->inst->x;
  const CuredPtxOperand *one = &x[x[3].is_negated ? 2 : 1], *other = &x[x[3].is_negated ? 1 : 2];

  if (x->width < 4)
    return false;
  _cured_native_get (self, one, 0, false);
  _cured_native_get (self, other, 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < x->width / 2u; i++)
    {
      unsigned target = get_target (self, to, i, 1), from;

      _cured_x86_mask_load (&self->x86, 5, _cured_native_place (&x[3], i * 8 / x->width),
                            8 / x->width);
      from = _cured_native_get_zmm (self, other, i, 0, false);
      _cured_x86_vector (&self->x86, BLEND | (x->width == 8 ? X86_WIDE : 0), target, from,
                         _cured_native_get (self, one, i, false), 5);
      set_part (self, to, i, target);
    }
  end_result (self, to, false);
  return true;
}

/* ---- Floating point ---- */

/* The encoding of the modifier; -1: not supported here. */
static int
get_rounding (const CuredPtxInst *inst)
{
  switch (WORD (inst, ROUND))
    {
    case CURED_PTX_NO_WORD:
    case CURED_PTX_ROUND_RN: return 0;
    case CURED_PTX_ROUND_RM: return 1;
    case CURED_PTX_ROUND_RP: return 2;
    case CURED_PTX_ROUND_RZ: return 3;
    default: return -1;
    }
}

static bool
is_f64 (const Native *self)
{
  return self->inst->types[0] == CURED_PTX_F64;
}

/* f64 NaNs are left to the handler, which is called if one of zmm 0 to 3 has one. Moves them to @to
 * otherwise. */
static void
end_f64 (Native *self, NativeValue *to)
{
  X86 *x86 = &self->x86;
  NativeDetour *detour;

  _cured_x86_vector_immediate (x86, COMPARE_DOUBLE, 5, 0, x86_register (1), 0, IS_UNORDERED);
  _cured_x86_vector_immediate (x86, COMPARE_DOUBLE, 6, 2, x86_register (3), 0, IS_UNORDERED);
  _cured_x86_mask_or_test (x86, 5, 6);
  detour = _cured_native_add_detour (self);
  _cured_x86_jump_if (x86, X86_NOT_EQUAL, &detour->begin);
  for (unsigned i = 0; i < 4; i++)
    set_part (self, to, i, i);
  end_result (self, to, false);
  _cured_native_finish_detour (self, detour);
}

/* d = a op b, or op b if @a is NULL. */
static bool
float_binary (Native *self, uint32_t byte, const CuredPtxOperand *a, const CuredPtxOperand *b)
{
  const CuredPtxInst *inst = self->inst;
  bool is_wide = is_f64 (self);
  uint32_t op = is_wide ? DOUBLE (byte) : FLOAT (byte);
  int rounding = get_rounding (inst);

  if (rounding < 0 || (is_wide && rounding > 0) || !has_only (inst, GROUP_BIT (ROUND)))
    return false;
  if (a != NULL)
    _cured_native_get (self, a, 0, true);
  _cured_native_get (self, b, 0, true);
  NativeValue *to = begin_result (self, inst->x);
  for (unsigned i = 0; i < (is_wide ? 4u : 2u); i++)
    {
      unsigned target = is_wide ? i : get_target (self, to, i, 0);
      unsigned left = a != NULL ? _cured_native_get_zmm (self, a, i, 4, true) : 0;

      if (rounding == 0)
        _cured_x86_vector (&self->x86, op, target, left, _cured_native_get (self, b, i, true), 0);
      else
        _cured_x86_vector_rounded (&self->x86, op, target, left,
                                   _cured_native_get_zmm (self, b, i, 5, true), 0,
                                   (unsigned) rounding);
      if (is_wide)
        continue;
      fix_nan (self, target);
      set_part (self, to, i, target);
    }
  if (is_wide)
    end_f64 (self, to);
  else
    end_result (self, to, true);
  return true;
}

/* d = 1 / a. */
static bool
reciprocal (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  bool is_wide = is_f64 (self);

  if (get_rounding (inst) != 0 || !has_only (inst, GROUP_BIT (ROUND)))
    return false;
  _cured_native_get (self, &inst->x[1], 0, true);
  NativeValue *to = begin_result (self, inst->x);
  _cured_x86_vector (&self->x86, X86_VECTOR (2, 1, is_wide, is_wide ? 0x59 : 0x58), 4, 0,
                     is_wide ? NATIVE_ROW (one_64) : NATIVE_ROW (one_32), 0);
  for (unsigned i = 0; i < (is_wide ? 4u : 2u); i++)
    {
      unsigned target = is_wide ? i : get_target (self, to, i, 0);

      _cured_x86_vector (&self->x86, is_wide ? DOUBLE (0x5e) : FLOAT (0x5e), target, 4,
                         _cured_native_get (self, &inst->x[1], i, true), 0);
      if (is_wide)
        continue;
      fix_nan (self, target);
      set_part (self, to, i, target);
    }
  if (is_wide)
    end_f64 (self, to);
  else
    end_result (self, to, true);
  return true;
}

static bool
fuse (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;
  bool is_wide = is_f64 (self);
  uint32_t wide = is_wide ? X86_WIDE : 0;
  int rounding = get_rounding (inst);

  if (rounding < 0 || (is_wide && rounding > 0) || !has_only (inst, GROUP_BIT (ROUND)))
    return false;
  for (unsigned i = 1; i < 4; i++)
    _cured_native_get (self, &x[i], 0, true);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < (is_wide ? 4u : 2u); i++)
    {
      unsigned target = is_wide ? i : get_target (self, to, i, 0);
      X86Operand a = _cured_native_get (self, &x[1], i, true);
      X86Operand c = _cured_native_get (self, &x[3], i, true);
      unsigned b = _cured_native_get_zmm (self, &x[2], i, 4, true);

      if (!c.is_memory && c.reg == target)
        {
          /* 231: the addend's register gets the result. */
          if (rounding == 0)
            _cured_x86_vector (&self->x86, INT_2 (0xb8) | wide, target, b, a, 0);
          else
            _cured_x86_vector_rounded (&self->x86, INT_2 (0xb8) | wide, target, b,
                                       _cured_native_get_zmm (self, &x[1], i, 5, true), 0,
                                       (unsigned) rounding);
        }
      else
        {
          /* 213: a factor's register gets the result. */
          if (b == target)
            b = _cured_native_get_zmm (self, &x[1], i, 5, true);
          else if (a.is_memory)
            _cured_native_get_zmm (self, &x[1], i, target, true);
          else if (a.reg != target)
            _cured_x86_vector (&self->x86, MOVE, target, 0, a, 0);
          if (rounding == 0)
            _cured_x86_vector (&self->x86, INT_2 (0xa8) | wide, target, b, c, 0);
          else
            _cured_x86_vector_rounded (&self->x86, INT_2 (0xa8) | wide, target, b,
                                       _cured_native_get_zmm (self, &x[3], i, 6, true), 0,
                                       (unsigned) rounding);
        }
      if (is_wide)
        continue;
      fix_nan (self, target);
      set_part (self, to, i, target);
    }
  if (is_wide)
    end_f64 (self, to);
  else
    end_result (self, to, true);
  return true;
}

/* -a and |a|. */
static bool
change_sign (Native *self, bool is_negation)
{
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;

  if (is_f64 (self) || !has_only (inst, 0))
    return false;
  _cured_native_get (self, &x[1], 0, true);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < 2; i++)
    {
      unsigned target = get_target (self, to, i, 0);

      _cured_x86_vector (&self->x86, INT_1 (is_negation ? 0xef : 0xdb), target,
                         _cured_native_get_zmm (self, &x[1], i, 0, true),
                         is_negation ? NATIVE_DATUM (sign_32) : NATIVE_DATUM (magnitude_32), 0);
      fix_nan (self, target);
      set_part (self, to, i, target);
    }
  end_result (self, to, true);
  return true;
}

/* Minimum or maximum of two f32; -0 is less than +0. NaNs are left to the handler. */
static bool
limit (Native *self, bool is_greatest)
{
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;
  X86 *x86 = &self->x86;
  NativeDetour *detour;

  if (is_f64 (self) || x[3].width != 0 || !has_only (inst, 0))
    return false;
  _cured_native_get (self, &x[1], 0, true);
  _cured_native_get (self, &x[2], 0, true);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < 2; i++)
    {
      unsigned left = _cured_native_get_zmm (self, &x[1], i, 2, true);

      _cured_x86_vector_immediate (x86, COMPARE_FLOAT, 5 + i, left,
                                   _cured_native_get (self, &x[2], i, true), 0, IS_UNORDERED);
      _cured_x86_vector_immediate (x86, INT_3 (0x50), i, left,
                                   _cured_native_get (self, &x[2], i, true), 0,
                                   is_greatest ? 5 : 4);
    }
  _cured_x86_mask_or_test (x86, 5, 6);
  detour = _cured_native_add_detour (self);
  _cured_x86_jump_if (x86, X86_NOT_EQUAL, &detour->begin);
  for (unsigned i = 0; i < 2; i++)
    set_part (self, to, i, i);
  end_result (self, to, false);
  _cured_native_finish_detour (self, detour);
  return true;
}

/* ---- Conversions ---- */

/* An f32 rounded to s32 by the modifier: saturated, and 0 for NaN. */
static bool
f32_to_s32 (Native *self)
{
  const CuredPtxOperand *x = self->inst->x;
  X86 *x86 = &self->x86;
  CuredPtxWord word = (CuredPtxWord) WORD (self->inst, ROUND);
  unsigned rounding = word == CURED_PTX_ROUND_RNI   ? 0
                      : word == CURED_PTX_ROUND_RMI ? 1
                      : word == CURED_PTX_ROUND_RPI ? 2
                                                    : 3;

  if (!has_only (self->inst, GROUP_BIT (ROUND)) || x->width != 4 || x[1].width != 4)
    return false;
  _cured_native_get (self, &x[1], 0, true);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < 2; i++)
    {
      unsigned from = _cured_native_get_zmm (self, &x[1], i, 1, true);

      _cured_x86_vector_rounded (x86, INT_1 (0x5b), 0, 0, from, 0, rounding);
      _cured_x86_vector_immediate (x86, COMPARE_FLOAT, 5, from, NATIVE_DATUM (end_32), 0, 13);
      _cured_x86_vector (x86, INT_2 (0x58), 0, 0, NATIVE_ROW (greatest_32), 5);
      _cured_x86_vector_immediate (x86, COMPARE_FLOAT, 6, from, x86_register (from), 0,
                                   IS_UNORDERED);
      _cured_x86_vector (x86, INT_1 (0xef), 0, 0, x86_register (0), 6);
      set_part (self, to, i, 0);
    }
  end_result (self, to, false);
  return true;
}

/* f32 to f64, and back to nearest. */
static bool
between_floats (Native *self, bool is_widening)
{
  const CuredPtxOperand *x = self->inst->x;
  X86 *x86 = &self->x86;
  NativeDetour *detour;

  if (x[0].width != (is_widening ? 8 : 4) || x[1].width != (is_widening ? 4 : 8))
    return false;
  _cured_native_get (self, &x[1], 0, false);
  NativeValue *to = begin_result (self, x);
  if (is_widening)
    {
      for (unsigned i = 0; i < 4; i++)
        {
          X86Operand from = get_narrow (self, &x[1], i, 4);

          _cured_x86_vector (x86, FLOAT (0x5a), i, 0, from, 0);
        }
      end_f64 (self, to);
      return true;
    }
  for (unsigned i = 0; i < 2; i++)
    {
      for (unsigned k = 0; k < 2; k++)
        _cured_x86_vector (x86, DOUBLE (0x5a), 2 * i + k, 0,
                           _cured_native_get (self, &x[1], 2 * i + k, false), 0);
      _cured_x86_vector_immediate (x86, INSERT_HALF, i, 2 * i, x86_register (2 * i + 1), 0, 1);
    }
  _cured_x86_vector_immediate (x86, COMPARE_FLOAT, 5, 0, x86_register (1), 0, IS_UNORDERED);
  _cured_x86_mask_or_test (x86, 5, 5);
  detour = _cured_native_add_detour (self);
  _cured_x86_jump_if (x86, X86_NOT_EQUAL, &detour->begin);
  for (unsigned i = 0; i < 2; i++)
    set_part (self, to, i, i);
  end_result (self, to, false);
  _cured_native_finish_detour (self, detour);
  return true;
}

/* Part of a 32-bit register, extended to 32 bits. */
static bool
extend_part (Native *self)
{
  const CuredPtxOperand *x = self->inst->x;
  unsigned bits = 8 * get_bytes (self->inst, 1);
  const Shift *right = is_signed (self->inst, 1) ? &shift_signed : &shift_right;

  if (x[0].width != 4 || x[1].width != 4 || get_bytes (self->inst, 0) != 4)
    return false;
  if (bits == 32)
    return move (self);
  _cured_native_get (self, &x[1], 0, false);
  NativeValue *to = begin_result (self, x);
  for (unsigned i = 0; i < 2; i++)
    {
      unsigned target = get_target (self, to, i, 0);

      shift_by (self, &shift_left, false, target, _cured_native_get_zmm (self, &x[1], i, 0, false),
                32 - bits);
      shift_by (self, right, false, target, target, 32 - bits);
      set_part (self, to, i, target);
    }
  end_result (self, to, false);
  return true;
}

static bool
convert (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  CuredPtxType to = (CuredPtxType) inst->types[0], from = (CuredPtxType) inst->types[1];
  CuredPtxKind to_kind = _cured_ptx_types[to].kind, from_kind = _cured_ptx_types[from].kind;
  bool is_integer = to_kind == CURED_PTX_KIND_U || to_kind == CURED_PTX_KIND_S;
  bool is_of_integer = from_kind == CURED_PTX_KIND_U || from_kind == CURED_PTX_KIND_S;
  bool is_nearest = has_only (inst, GROUP_BIT (ROUND)) && WORD (inst, ROUND) == CURED_PTX_ROUND_RN;

  if (inst->x[2].width != 0 && inst->n_counts > 2)
    return false;
  if (is_integer && is_of_integer && has_only (inst, 0))
    {
      if (get_bytes (inst, 0) == 8 && get_bytes (inst, 1) == 4)
        return widen (self, from_kind == CURED_PTX_KIND_S ? WIDEN_SIGNED : WIDEN_UNSIGNED);
      if (get_bytes (inst, 0) == 4 && get_bytes (inst, 1) == 8)
        return narrow (self);
      if (get_bytes (inst, 0) == 8 && get_bytes (inst, 1) == 8)
        return move (self);
      return extend_part (self);
    }
  if (is_nearest && to == CURED_PTX_F32 && (from == CURED_PTX_S32 || from == CURED_PTX_U32) &&
      inst->x[1].width == 4)
    return unary (self, from == CURED_PTX_S32 ? FLOAT (0x5b) : X86_VECTOR (1, 3, 0, 0x7a));
  if (is_nearest && to == CURED_PTX_F64 && (from == CURED_PTX_S32 || from == CURED_PTX_U32))
    return widen (self, X86_VECTOR (1, 2, 0, from == CURED_PTX_S32 ? 0xe6 : 0x7a));
  if (to == CURED_PTX_S32 && from == CURED_PTX_F32)
    return f32_to_s32 (self);
  if (to == CURED_PTX_F64 && from == CURED_PTX_F32 && has_only (inst, 0))
    return between_floats (self, true);
  if (to == CURED_PTX_F32 && from == CURED_PTX_F64 && is_nearest)
    return between_floats (self, false);
  return false;
}

/* ---- Dispatch ---- */

static bool
translate_integer (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;
  bool has_sign = is_signed (inst, 0);

  if (!has_only (inst, inst->op == CURED_PTX_OP_shf ? GROUP_BIT (MODE) | GROUP_BIT (WRAP) : 0))
    return false;
  switch (inst->op)
    {
    case CURED_PTX_OP_add:
      return inst->types[0] != CURED_PTX_U16X2 && inst->types[0] != CURED_PTX_S16X2 &&
             binary_32_64 (self, INT_1 (0xfe), INT_1 (0xd4) | X86_WIDE, true);
    case CURED_PTX_OP_sub: return binary_32_64 (self, INT_1 (0xfa), INT_1 (0xfb) | X86_WIDE, false);
    case CURED_PTX_OP_mul_lo:
      return binary_32_64 (self, INT_2 (0x40), INT_2 (0x40) | X86_WIDE, true);
    case CURED_PTX_OP_mul_hi: return product_high (self);
    case CURED_PTX_OP_mul_wide: return product_wide (self, false);
    case CURED_PTX_OP_mad_wide: return product_wide (self, true);
    case CURED_PTX_OP_mad_lo: return multiply_add (self);
    case CURED_PTX_OP_min:
    case CURED_PTX_OP_max:
      {
        uint32_t op = INT_2 ((inst->op == CURED_PTX_OP_min ? 0x39 : 0x3d) + (has_sign ? 0 : 2));

        return inst->types[0] != CURED_PTX_U16X2 && inst->types[0] != CURED_PTX_S16X2 &&
               binary_32_64 (self, op, op | X86_WIDE, true);
      }
    case CURED_PTX_OP_abs:
      return x->width >= 4 && unary (self, x->width == 8 ? INT_2 (0x1f) | X86_WIDE : INT_2 (0x1e));
    case CURED_PTX_OP_clz: return x[1].width == 4 && unary (self, INT_2 (0x44));
    case CURED_PTX_OP_bfe: return extract (self);
    case CURED_PTX_OP_and: return logic (self, INT_1 (0xdb), X86_AND);
    case CURED_PTX_OP_or: return logic (self, INT_1 (0xeb), X86_OR);
    case CURED_PTX_OP_xor: return logic (self, INT_1 (0xef), X86_XOR);
    case CURED_PTX_OP_not: return not_any (self);
    case CURED_PTX_OP_lop3:
      return x->width == 4 && ternary_logic (self, &x[2], &x[3], &x[4], (uint8_t) inst->immediate);
    case CURED_PTX_OP_shl: return translate_shift (self, &shift_left);
    case CURED_PTX_OP_shr: return translate_shift (self, has_sign ? &shift_signed : &shift_right);
    case CURED_PTX_OP_shf: return translate_funnel (self);
    case CURED_PTX_OP_selp: return select_by_predicate (self);
    default: return false;
    }
}

/* Translates the instruction; FALSE: it is not supported, and nothing was emitted. */
bool
_cured_native_translate (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;

  switch (inst->op)
    {
    case CURED_PTX_OP_mov: return move_any (self);
    case CURED_PTX_OP_cvta:
      return add_number (self,
                         (uint64_t) inst->displacement +
                             (WORD (inst, SPACE) == CURED_PTX_SPACE_SHARED  ? CURED_SHARED_WINDOW
                              : WORD (inst, SPACE) == CURED_PTX_SPACE_LOCAL ? CURED_LOCAL_WINDOW
                              : WORD (inst, SPACE) == CURED_PTX_SPACE_PARAM ? CURED_PARAM_WINDOW
                                                                            : 0));
    case CURED_PTX_OP_cvta_to: return WORD (inst, SPACE) == CURED_PTX_SPACE_GLOBAL && move (self);
    case CURED_PTX_OP_setp: return compare (self);
    case CURED_PTX_OP_cvt: return convert (self);
    case CURED_PTX_OP_add_float: return float_binary (self, 0x58, &x[1], &x[2]);
    case CURED_PTX_OP_sub_float: return float_binary (self, 0x5c, &x[1], &x[2]);
    case CURED_PTX_OP_mul_float: return float_binary (self, 0x59, &x[1], &x[2]);
    case CURED_PTX_OP_div_float: return float_binary (self, 0x5e, &x[1], &x[2]);
    case CURED_PTX_OP_sqrt: return float_binary (self, 0x51, NULL, &x[1]);
    case CURED_PTX_OP_rcp: return reciprocal (self);
    case CURED_PTX_OP_fma_float:
    case CURED_PTX_OP_mad: return fuse (self);
    case CURED_PTX_OP_neg_float: return change_sign (self, true);
    case CURED_PTX_OP_abs_float: return change_sign (self, false);
    case CURED_PTX_OP_min_float: return limit (self, false);
    case CURED_PTX_OP_max_float: return limit (self, true);
    case CURED_PTX_OP_ld:
    case CURED_PTX_OP_st: return _cured_native_translate_access (self);
    default: return translate_integer (self);
    }
}
