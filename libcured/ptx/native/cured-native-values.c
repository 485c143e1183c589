/* SPDX-License-Identifier: MIT
 * Which registers of PTX are in which vectors, and the lanes of an instruction. */
#include "ptx/native/cured-native-private.h"

#include <stddef.h>
#include <string.h>

#define LOAD_32 X86_VECTOR (1, 1, 0, 0x6f)
#define SAVE_32 X86_VECTOR (1, 1, 0, 0x7f)

/* Number of instructions to search for the end of a register's life. */
#define LOOK_AHEAD 48

/* ---- Operands ---- */

/* The memory operand of @x, @skip bytes from its first lane on. */
X86Operand
_cured_native_place (const CuredPtxOperand *x, uint32_t skip)
{
  uint32_t offset = x->offset + skip;

  return x->base == CURED_BASE_REGISTERS ? x86_memory (NATIVE_REGISTERS, offset)
         : x->base == CURED_BASE_CONSTANTS
             ? x86_memory (NATIVE_CONSTANTS, offset)
             : x86_memory (NATIVE_WARP, offsetof (CuredWarp, specials) + offset);
}

/* Whether the instruction writes each destination completely, in all its active lanes. */
bool
_cured_native_is_whole (const CuredPtxInst *inst)
{
  CuredPtxClass klass = _cured_ptx_ops[inst->op].klass;

  return (klass <= CURED_PTX_CLASS_MOVE && klass != CURED_PTX_CLASS_VIDEO) ||
         inst->op == CURED_PTX_OP_ld;
}

static unsigned
count_parts (unsigned width)
{
  return width / 2;
}

static NativeValue *
find_value (Native *self, const CuredPtxOperand *x)
{
  if (x->base == CURED_BASE_REGISTERS)
    for (unsigned i = 0; i < NATIVE_N_VALUES; i++)
      if (self->values[i].width != 0 && self->values[i].offset == x->offset)
        return &self->values[i];
  return NULL;
}

/* Replaces NaNs of an f32 by the canonical one. */
void
_cured_native_canonicalize (Native *self, NativeValue *value)
{
  if (!value->is_raw)
    return;
  for (unsigned i = 0; i < 2; i++)
    {
      unsigned zmm = value->zmm[i];

      _cured_x86_vector_immediate (&self->x86, X86_VECTOR (1, 0, 0, 0xc2), 5, zmm,
                                   x86_register (zmm), 0, 3);
      _cured_x86_vector (&self->x86, X86_VECTOR (2, 1, 0, 0x58), zmm, 0,
                         x86_memory (NATIVE_DATA, G_STRUCT_OFFSET (NativeData, nan_32)), 5);
    }
  value->is_raw = false;
}

static void
write_value (Native *self, NativeValue *value)
{
  _cured_native_canonicalize (self, value);
  for (unsigned i = 0; i < count_parts (value->width); i++)
    _cured_x86_vector (&self->x86, SAVE_32, value->zmm[i], 0,
                       x86_memory (NATIVE_REGISTERS, value->offset + i * 64), 0);
  value->is_dirty = false;
}

/* Allocates @n vectors for @value, evicting the least recently used ones. */
static void
take_vectors (Native *self, NativeValue *value, unsigned n)
{
  for (;;)
    {
      uint32_t taken = (1u << NATIVE_FIRST_ZMM) - 1;
      NativeValue *oldest = NULL;

      for (unsigned i = 0; i < NATIVE_N_VALUES; i++)
        {
          NativeValue *other = &self->values[i];

          for (unsigned k = 0; k < count_parts (other->width); k++)
            taken |= 1u << other->zmm[k];
          if (other->width != 0 && other->used != self->stamp &&
              (oldest == NULL || other->used < oldest->used))
            oldest = other;
        }
      if (NATIVE_N_ZMM - (unsigned) __builtin_popcount (taken) >= n)
        {
          for (unsigned i = 0; i < n; i++)
            {
              value->zmm[i] = (uint8_t) __builtin_ctz (~taken);
              taken |= 1u << value->zmm[i];
            }
          return;
        }
      g_assert (oldest != NULL);
      if (oldest->is_dirty)
        write_value (self, oldest);
      oldest->width = 0;
    }
}

/* The vectors of register @x, pinned for the instruction.
 *
 * @is_loaded: load its value */
NativeValue *
_cured_native_hold (Native *self, const CuredPtxOperand *x, bool is_loaded)
{
  NativeValue *value = find_value (self, x);
  NativeValue fresh = { .offset = x->offset };

  if (value == NULL)
    {
      take_vectors (self, &fresh, count_parts (x->width));
      for (value = self->values; value->width != 0;)
        value++;
      *value = fresh;
      value->width = x->width;
      for (unsigned i = 0; is_loaded && i < count_parts (x->width); i++)
        _cured_x86_vector (&self->x86, LOAD_32, value->zmm[i], 0, _cured_native_place (x, i * 64),
                           0);
    }
  value->used = self->stamp;
  return value;
}

/* The @part-th vector of @x: a register, or memory. */
X86Operand
_cured_native_get (Native *self, const CuredPtxOperand *x, unsigned part, bool may_be_raw)
{
  NativeValue *value;

  if (x->base == CURED_BASE_CONSTANTS)
    {
      X86Operand place = _cured_native_place (x, 0);

      place.is_broadcast = true;
      return place;
    }
  if (x->base == CURED_BASE_SPECIALS)
    return _cured_native_place (x, part * 64);
  value = _cured_native_hold (self, x, true);
  if (!may_be_raw)
    _cured_native_canonicalize (self, value);
  return x86_register (value->zmm[part]);
}

/* The same in a register: @scratch, if it is in none. */
unsigned
_cured_native_get_zmm (Native *self, const CuredPtxOperand *x, unsigned part, unsigned scratch,
                       bool may_be_raw)
{
  X86Operand from = _cured_native_get (self, x, part, may_be_raw);

  if (!from.is_memory)
    return from.reg;
  if (from.is_broadcast)
    {
      from.is_broadcast = false;
      _cured_x86_vector (&self->x86,
                         x->width == 2   ? X86_VECTOR (2, 1, 0, 0x79)
                         : x->width == 4 ? X86_VECTOR (2, 1, 0, 0x58)
                                         : X86_VECTOR (2, 1, 1, 0x59),
                         scratch, 0, from, 0);
    }
  else
    _cured_x86_vector (&self->x86, LOAD_32, scratch, 0, from, 0);
  return scratch;
}

/* ---- Lanes ---- */

/* Loads the active lanes into RDX, and into masks 1 to 4 for elements of @width; 0: no masks. Emits
 * nothing if all lanes are active. */
void
_cured_native_load_masks (Native *self, unsigned width)
{
  const CuredPtxInst *inst = self->inst;
  X86 *x86 = &self->x86;
  X86Operand active = x86_memory (NATIVE_WARP, offsetof (CuredWarp, active));

  if (!self->is_masked)
    return;
  if (inst->guard.width == 0)
    {
      if (width == 0 || width == self->mask_width)
        return;
      for (unsigned i = 0; i < count_parts (width); i++)
        {
          active.displacement =
              (int32_t) (offsetof (CuredWarp, active) + i * 4 / count_parts (width));
          _cured_x86_mask_load (x86, 1 + i, active, 4 / count_parts (width));
        }
      self->mask_width = (uint8_t) width;
      return;
    }
  if (width == 0)
    return;
  self->mask_width = 0;
  _cured_x86_mask_from_gpr (x86, 1, RDX);
  for (unsigned i = 1; i < count_parts (width); i++)
    _cured_x86_mask_shift (x86, 1 + i, 1, (uint8_t) (i * 32 / count_parts (width)));
}

/* The mask of the @part-th vector, for the width that masks were loaded for; 0: all lanes. */
unsigned
_cured_native_mask (const Native *self, unsigned part)
{
  return self->is_masked ? 1 + part : 0;
}

/* ---- Back to memory ---- */

static bool
is_operand (const CuredPtxOperand *x, uint32_t offset)
{
  return x->width > 1 && x->base == CURED_BASE_REGISTERS && x->offset == offset;
}

/* Whether @inst or a later instruction may read the register at @offset; TRUE also if the search
 * was given up. */
static bool
is_needed (const Native *self, const CuredPtxInst *inst, uint32_t offset)
{
  for (unsigned n = 0; inst < self->piece_end; inst++, n++)
    {
      bool is_written = false;

      if (n >= LOOK_AHEAD)
        return true;
      CURED_EACH_OPERAND (walk, inst)
        if (is_operand (walk.x, offset) && !cured_ptx_is_destination (&walk))
          return true;
        else if (is_operand (walk.x, offset))
          is_written = true;
      if (is_written)
        return inst->guard.width != 0 || !_cured_native_is_whole (inst);
    }
  return (self->live_out[offset / 4096] >> (offset / 64 % 64) & 1) != 0;
}

/* Stores values where handlers read them, and everything else that is needed from @next on. */
void
_cured_native_write_back (Native *self, const CuredPtxInst *next, bool is_everything)
{
  for (unsigned i = 0; i < NATIVE_N_VALUES; i++)
    {
      NativeValue *value = &self->values[i];

      if (value->width != 0 && value->is_dirty &&
          (is_everything || is_needed (self, next, value->offset)))
        write_value (self, value);
    }
}

/* Forgets all values in vectors. */
void
_cured_native_forget (Native *self)
{
  for (unsigned i = 0; i < NATIVE_N_VALUES; i++)
    self->values[i].width = 0;
  self->mask_width = 0;
}

/* ---- Handlers ---- */

static void
call (Native *self, const CuredPtxInst *inst)
{
  static const uint8_t vzeroupper[] = { 0xc5, 0xf8, 0x77 };
  X86 *x86 = &self->x86;

  _cured_x86_bytes (x86, vzeroupper, sizeof vzeroupper);
  _cured_x86_move (x86, RDI, NATIVE_WARP, true);
  _cured_x86_set (x86, RSI, (uint64_t) (uintptr_t) inst);
  _cured_x86_set (x86, RAX, (uint64_t) (uintptr_t) inst->run);
  _cured_x86_call (x86, RAX);
}

/* Calls the interpreter's handler; RDX has its active lanes, if not all are active. */
void
_cured_native_call_handler (Native *self, const CuredPtxInst *inst)
{
  X86 *x86 = &self->x86;
  X86Label none = { 0 };

  _cured_native_write_back (self, inst, false);
  _cured_native_forget (self);
  if (!self->is_masked)
    _cured_x86_set (x86, RDX, G_MAXUINT32);
  else if (inst->guard.width != 0)
    {
      _cured_x86_arithmetic_immediate (x86, X86_CMP, x86_register (RDX), 0, false);
      _cured_x86_jump_if (x86, X86_EQUAL, &none);
    }
  else
    _cured_x86_load (x86, RDX, x86_memory (NATIVE_WARP, offsetof (CuredWarp, active)), false);
  call (self, inst);
  _cured_x86_place (x86, &none);
}

/* A detour to the instruction's handler, for cases that the translation does not cover; to be
 * entered before anything is changed. */
NativeDetour *
_cured_native_add_detour (Native *self)
{
  NativeDetour *detour = g_new0 (NativeDetour, 1);

  detour->inst = self->inst;
  memcpy (detour->before, self->values, sizeof self->values);
  g_ptr_array_add (self->detours, detour);
  return detour;
}

/* The end of the instruction, where its detour returns. */
void
_cured_native_finish_detour (Native *self, NativeDetour *detour)
{
  _cured_x86_place (&self->x86, &detour->back);
  memcpy (detour->after, self->values, sizeof self->values);
  self->mask_width = 0;
}

void
_cured_native_place_detours (Native *self)
{
  X86 *x86 = &self->x86;

  for (guint i = 0; i < self->detours->len; i++)
    {
      NativeDetour *detour = g_ptr_array_index (self->detours, i);

      X86Label none = { 0 };

      _cured_x86_place (x86, &detour->begin);
      for (unsigned k = 0; k < NATIVE_N_VALUES; k++)
        if (detour->before[k].width != 0 && detour->before[k].is_dirty)
          write_value (self, &detour->before[k]);
      if (detour->inst->guard.width != 0)
        {
          _cured_x86_arithmetic_immediate (x86, X86_CMP, x86_register (RDX), 0, false);
          _cured_x86_jump_if (x86, X86_EQUAL, &none);
        }
      else
        _cured_x86_load (x86, RDX, x86_memory (NATIVE_WARP, offsetof (CuredWarp, active)), false);
      call (self, detour->inst);
      _cured_x86_place (x86, &none);
      for (unsigned k = 0; k < NATIVE_N_VALUES; k++)
        for (unsigned part = 0; part < count_parts (detour->after[k].width); part++)
          _cured_x86_vector (x86, LOAD_32, detour->after[k].zmm[part], 0,
                             x86_memory (NATIVE_REGISTERS, detour->after[k].offset + part * 64), 0);
      _cured_x86_jump (x86, &detour->back);
    }
  g_ptr_array_set_size (self->detours, 0);
}
