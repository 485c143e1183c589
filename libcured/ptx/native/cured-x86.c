/* SPDX-License-Identifier: MIT
 * The encoder; Intel's manual, volume 2, chapter 2 (REX, VEX and EVEX prefixes). */
#include "ptx/native/cured-x86-private.h"

#include <string.h>

void
_cured_x86_clear (X86 *self)
{
  g_free (self->bytes);
  *self = (X86){ 0 };
}

void
_cured_x86_bytes (X86 *self, const uint8_t *bytes, gsize n)
{
  if (self->n + n > self->size)
    {
      self->size = MAX (2 * self->size, 4096 + n);
      self->bytes = g_realloc (self->bytes, self->size);
    }
  memcpy (self->bytes + self->n, bytes, n);
  self->n += n;
}

static void
put (X86 *self, uint32_t byte)
{
  uint8_t value = (uint8_t) byte;

  _cured_x86_bytes (self, &value, 1);
}

static void
put_32 (X86 *self, uint32_t value)
{
  _cured_x86_bytes (self, (const uint8_t *) &value, sizeof value);
}

/* ModRM, SIB and displacement. */
static void
put_operand (X86 *self, unsigned reg, X86Operand operand)
{
  if (!operand.is_memory)
    {
      put (self, 0xc0 | (reg & 7) << 3 | (operand.reg & 7));
      return;
    }
  put (self, 0x80 | (reg & 7) << 3 | (operand.reg & 7));
  if ((operand.reg & 7) == RSP)
    put (self, 0x24);
  put_32 (self, (uint32_t) operand.displacement);
}

/* ---- Vectors ---- */

static void
put_evex (X86 *self, uint32_t op, unsigned to, unsigned left, X86Operand right, unsigned mask,
          unsigned length, bool is_special)
{
  unsigned map = op >> 8 & 3, prefix = op >> 10 & 3, w = op >> 12 & 1;
  bool b = right.reg >> 3 & 1, x = !right.is_memory && (right.reg >> 4 & 1);

  put (self, 0x62);
  put (self, (to & 8 ? 0 : 0x80) | (x ? 0 : 0x40) | (b ? 0 : 0x20) | (to & 16 ? 0 : 0x10) | map);
  put (self, w << 7 | (~left & 15) << 3 | 4 | prefix);
  put (self, length << 5 | (is_special ? 0x10u : 0) | (left & 16 ? 0 : 8) | mask);
  put (self, op);
  put_operand (self, to, right);
}

void
_cured_x86_vector (X86 *self, uint32_t op, unsigned to, unsigned left, X86Operand right,
                   unsigned mask)
{
  put_evex (self, op, to, left, right, mask, 2, right.is_broadcast);
}

void
_cured_x86_vector_immediate (X86 *self, uint32_t op, unsigned to, unsigned left, X86Operand right,
                             unsigned mask, uint8_t immediate)
{
  _cured_x86_vector (self, op, to, left, right, mask);
  put (self, immediate);
}

void
_cured_x86_vector_rounded (X86 *self, uint32_t op, unsigned to, unsigned left, unsigned right,
                           unsigned mask, unsigned rounding)
{
  put_evex (self, op, to, left, x86_register (right), mask, rounding, true);
}

void
_cured_x86_gather (X86 *self, uint32_t op, unsigned to, X86Register base, unsigned index,
                   unsigned mask)
{
  unsigned map = op >> 8 & 3, prefix = op >> 10 & 3, w = op >> 12 & 1;

  put (self, 0x62);
  put (self, (to & 8 ? 0u : 0x80u) | (index & 8 ? 0u : 0x40u) | (base & 8 ? 0u : 0x20u) |
                 (to & 16 ? 0u : 0x10u) | map);
  put (self, w << 7 | 0x78 | 4 | prefix);
  put (self, 2u << 5 | (index & 16 ? 0u : 8u) | mask);
  put (self, op);
  put (self, 0x84 | (to & 7) << 3);
  put (self, (index & 7) << 3 | (base & 7u));
  put_32 (self, 0);
}

void
_cured_x86_move_lane (X86 *self, X86Register to, unsigned from, bool is_wide)
{
  put_evex (self, X86_VECTOR (1, 1, is_wide, 0x7e), from, 0, x86_register (to), 0, 0, false);
}

/* ---- Masks ---- */

static void
put_vex (X86 *self, unsigned map, unsigned prefix, unsigned w, unsigned length, uint32_t byte,
         unsigned to, unsigned left, X86Operand right)
{
  put (self, 0xc4);
  put (self, (to & 8 ? 0 : 0x80) | 0x40 | (right.reg & 8 ? 0 : 0x20) | map);
  put (self, w << 7 | (~left & 15) << 3 | length << 2 | prefix);
  put (self, byte);
  put_operand (self, to, right);
}

void
_cured_x86_mask_load (X86 *self, unsigned to, X86Operand from, unsigned bytes)
{
  put_vex (self, 1, bytes == 2 ? 0 : 1, bytes == 4, 0, 0x90, to, 0, from);
}

void
_cured_x86_mask_to_gpr (X86 *self, X86Register to, unsigned from)
{
  put_vex (self, 1, 3, 0, 0, 0x93, to, 0, x86_register (from));
}

void
_cured_x86_mask_from_gpr (X86 *self, unsigned to, X86Register from)
{
  put_vex (self, 1, 3, 0, 0, 0x92, to, 0, x86_register (from));
}

void
_cured_x86_mask_unpack (X86 *self, unsigned to, unsigned high, unsigned low, unsigned bits)
{
  put_vex (self, 1, bits == 8, 0, 1, 0x4b, to, high, x86_register (low));
}

void
_cured_x86_mask_shift (X86 *self, unsigned to, unsigned from, uint8_t by)
{
  put_vex (self, 3, 1, 0, 0, 0x31, to, 0, x86_register (from));
  put (self, by);
}

void
_cured_x86_mask_or_test (X86 *self, unsigned left, unsigned right)
{
  put_vex (self, 1, 0, 0, 0, 0x98, left, 0, x86_register (right));
}

/* ---- General registers ---- */

static void
put_rex (X86 *self, bool is_wide, unsigned reg, X86Operand operand)
{
  uint32_t rex = 0x40 | (is_wide ? 8 : 0) | (reg & 8 ? 4 : 0) | (operand.reg & 8 ? 1 : 0);

  if (rex != 0x40)
    put (self, rex);
}

static void
put_plain (X86 *self, uint32_t byte, unsigned reg, X86Operand operand, bool is_wide)
{
  put_rex (self, is_wide, reg, operand);
  put (self, byte);
  put_operand (self, reg, operand);
}

void
_cured_x86_load (X86 *self, X86Register to, X86Operand from, bool is_wide)
{
  put_plain (self, 0x8b, to, from, is_wide);
}

void
_cured_x86_store (X86 *self, X86Operand to, X86Register from, bool is_wide)
{
  put_plain (self, 0x89, from, to, is_wide);
}

void
_cured_x86_store_immediate (X86 *self, X86Operand to, uint32_t value)
{
  put_plain (self, 0xc7, 0, to, false);
  put_32 (self, value);
}

void
_cured_x86_set (X86 *self, X86Register to, uint64_t value)
{
  bool is_wide = value > UINT32_MAX;

  put_rex (self, is_wide, 0, x86_register (to));
  put (self, 0xb8 | (to & 7));
  _cured_x86_bytes (self, (const uint8_t *) &value, is_wide ? 8 : 4);
}

void
_cured_x86_move (X86 *self, X86Register to, X86Register from, bool is_wide)
{
  put_plain (self, 0x8b, to, x86_register (from), is_wide);
}

void
_cured_x86_not (X86 *self, X86Register to)
{
  put_plain (self, 0xf7, 2, x86_register (to), false);
}

void
_cured_x86_arithmetic (X86 *self, X86Arithmetic operation, X86Register to, X86Operand right,
                       bool is_wide)
{
  put_plain (self, (uint32_t) operation << 3 | 3, to, right, is_wide);
}

void
_cured_x86_arithmetic_immediate (X86 *self, X86Arithmetic operation, X86Operand to, int32_t right,
                                 bool is_wide)
{
  put_plain (self, 0x81, operation, to, is_wide);
  put_32 (self, (uint32_t) right);
}

void
_cured_x86_test_immediate (X86 *self, X86Register left, int32_t right)
{
  put_plain (self, 0xf7, 0, x86_register (left), false);
  put_32 (self, (uint32_t) right);
}

void
_cured_x86_popcount (X86 *self, X86Register to, X86Operand from)
{
  put (self, 0xf3);
  put_rex (self, false, to, from);
  put (self, 0x0f);
  put (self, 0xb8);
  put_operand (self, to, from);
}

/* ---- Jumps ---- */

static void
put_distance (X86 *self, X86Label *to)
{
  gsize at = self->n;

  if (to->at == 0)
    {
      if (to->waiting == NULL)
        to->waiting = g_array_new (FALSE, FALSE, sizeof (gsize));
      g_array_append_val (to->waiting, at);
    }
  put_32 (self, to->at == 0 ? 0 : (uint32_t) (to->at - (at + 4)));
}

void
_cured_x86_jump (X86 *self, X86Label *to)
{
  put (self, 0xe9);
  put_distance (self, to);
}

void
_cured_x86_jump_if (X86 *self, X86Condition condition, X86Label *to)
{
  put (self, 0x0f);
  put (self, 0x80 | condition);
  put_distance (self, to);
}

void
_cured_x86_call (X86 *self, X86Register to)
{
  put_plain (self, 0xff, 2, x86_register (to), false);
}

/* Defines @label here, and completes the jumps to it. */
void
_cured_x86_place (X86 *self, X86Label *label)
{
  label->at = self->n;
  for (guint i = 0; label->waiting != NULL && i < label->waiting->len; i++)
    {
      gsize at = g_array_index (label->waiting, gsize, i);
      uint32_t distance = (uint32_t) (label->at - (at + 4));

      memcpy (self->bytes + at, &distance, sizeof distance);
    }
  g_clear_pointer (&label->waiting, g_array_unref);
}
