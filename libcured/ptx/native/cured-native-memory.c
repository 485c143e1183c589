/* SPDX-License-Identifier: MIT
 * The translation of loads and stores that nobody observes: lanes that are neighbours, or at one
 * address, are checked and moved as one range, 16 or 8 at a time. The handler does all else. */
#include "config.h"

#include "ptx/native/cured-native-private.h"

#include <stddef.h>
#include <string.h>

#define SUBTRACT        X86_VECTOR (1, 1, 0, 0xfa)
#define SUBTRACT_64     X86_VECTOR (1, 1, 1, 0xfb)
#define DIFFER          X86_VECTOR (3, 1, 0, 0x1e)
#define NOT_EQUAL       4
#define TEST            X86_VECTOR (2, 1, 0, 0x27)
#define SPREAD          X86_VECTOR (2, 1, 0, 0x58)
#define SPREAD_64       X86_VECTOR (2, 1, 1, 0x59)
#define LOAD            X86_VECTOR (1, 2, 0, 0x6f)
#define SAVE            X86_VECTOR (1, 2, 0, 0x7f)
#define MOVE            X86_VECTOR (1, 1, 0, 0x6f)
#define WIDEN_UNSIGNED  X86_VECTOR (2, 1, 0, 0x35)
#define FIELD(type, of) offsetof (type, of)

/* An access of one value a lane. */
typedef struct
{
  const CuredPtxOperand *address;
  const CuredPtxOperand *value;
  CuredSpace space;
  unsigned bytes;
  unsigned lanes; /* of a group: one vector of values */
  bool is_load;
  NativeDetour *detour;
} Access;

static CuredSpace
get_space (const CuredPtxInst *inst)
{
  switch (inst->words[CURED_PTX_GROUP_SPACE])
    {
    case CURED_PTX_SPACE_SHARED:
      return CURED_SPACE_SHARED;
    case CURED_PTX_SPACE_GLOBAL:
      return CURED_SPACE_GLOBAL;
    case CURED_PTX_SPACE_PARAM:
      return CURED_SPACE_PARAM;
    default:
      return CURED_N_SPACES;
    }
}

static void
leave_if (Native *self, const Access *access, X86Condition condition)
{
  _cured_x86_jump_if (&self->x86, condition, &access->detour->begin);
}

/* RAX has an address; RSI gets where its byte is, if @span bytes from it on may be accessed. */
static void
find_bytes (Native *self, const Access *access, unsigned span)
{
  X86 *x86 = &self->x86;

  _cured_x86_test_immediate (x86, RAX, (int32_t) access->bytes - 1);
  leave_if (self, access, X86_NOT_EQUAL);
  if (access->space == CURED_SPACE_SHARED)
    {
      _cured_x86_load (x86, RCX, x86_memory (NATIVE_WARP, FIELD (CuredWarp, block)), true);
      _cured_x86_load (x86, RDI, x86_memory (RCX, FIELD (CuredBlock, shared_bytes)), false);
      _cured_x86_move (x86, RSI, RAX, true);
      _cured_x86_arithmetic_immediate (x86, X86_ADD, x86_register (RSI), (int32_t) span, true);
      _cured_x86_arithmetic (x86, X86_CMP, RSI, x86_register (RDI), true);
      leave_if (self, access, X86_ABOVE);
      _cured_x86_load (x86, RSI, x86_memory (RCX, FIELD (CuredBlock, shared)), true);
      _cured_x86_arithmetic (x86, X86_ADD, RSI, x86_register (RAX), true);
      return;
    }
  _cured_x86_load (
      x86, RCX,
      x86_memory (NATIVE_WARP,
                  FIELD (CuredWarp, regions) + self->inst->site % CURED_N_RECENT * sizeof (void *)),
      true);
  _cured_x86_arithmetic_immediate (x86, X86_CMP, x86_register (RCX), 0, true);
  leave_if (self, access, X86_EQUAL);
  _cured_x86_move (x86, RSI, RAX, true);
  _cured_x86_arithmetic (x86, X86_SUB, RSI, x86_memory (RCX, FIELD (CuredRegion, low)), true);
  _cured_x86_load (x86, RDI, x86_memory (RCX, FIELD (CuredRegion, high)), true);
  _cured_x86_arithmetic (x86, X86_SUB, RDI, x86_memory (RCX, FIELD (CuredRegion, low)), true);
  _cured_x86_arithmetic_immediate (x86, X86_SUB, x86_register (RDI), (int32_t) span, true);
  leave_if (self, access, X86_BELOW);
  _cured_x86_arithmetic (x86, X86_CMP, RSI, x86_register (RDI), true);
  leave_if (self, access, X86_ABOVE);
  _cured_x86_load (x86, RDI, x86_memory (RCX, FIELD (CuredRegion, heap)), true);
  _cured_x86_arithmetic (x86, X86_OR, RDI, x86_memory (RCX, FIELD (CuredRegion, filled)), true);
  leave_if (self, access, X86_NOT_EQUAL);
  _cured_x86_arithmetic_immediate (x86, X86_CMP, x86_memory (RCX, FIELD (CuredRegion, is_constant)),
                                   0, false);
  leave_if (self, access, X86_NOT_EQUAL);
  _cured_x86_move (x86, RSI, RAX, true);
  _cured_x86_arithmetic (x86, X86_SUB, RSI, x86_memory (RCX, FIELD (CuredRegion, address)), true);
  _cured_x86_arithmetic (x86, X86_ADD, RSI, x86_memory (RCX, FIELD (CuredRegion, bytes)), true);
}

/* Puts the displacement on RAX, whose upper half is 0 of addresses of 32 bits. */
static void
add_displacement (Native *self, const Access *access)
{
  if (self->inst->displacement != 0)
    _cured_x86_arithmetic_immediate (&self->x86, X86_ADD, x86_register (RAX),
                                     (int32_t) self->inst->displacement,
                                     access->space == CURED_SPACE_GLOBAL);
}

/* Distances of a group's addresses from its first one, whose bits RAX gets: in zmm 0, and zmm 1
 * where they take two vectors. Returns how many they take. */
static unsigned
find_distances (Native *self, const Access *access, unsigned group)
{
  X86 *x86 = &self->x86;
  bool is_wide = access->address->width == 8 || access->bytes == 8;
  unsigned n = is_wide && access->lanes == 16 ? 2 : 1;

  for (unsigned i = 0; i < n; i++)
    {
      unsigned from;

      if (is_wide && access->address->width == 4)
        {
          X86Operand half = _cured_native_get (self, access->address, group / 2, false);

          if (group % 2 == 1)
            {
              _cured_x86_vector_immediate (x86, X86_VECTOR (3, 1, 1, 0x3b), half.reg, 0,
                                           x86_register (3), 0, 1);
              half = x86_register (3);
            }
          _cured_x86_vector (x86, WIDEN_UNSIGNED, 3, 0, half, 0);
          from = 3;
        }
      else
        from = _cured_native_get_zmm (self, access->address, group * n + i, 3, false);
      if (i == 0)
        _cured_x86_vector (x86, is_wide ? SPREAD_64 : SPREAD, 2, 0, x86_register (from), 0);
      _cured_x86_vector (x86, is_wide ? SUBTRACT_64 : SUBTRACT, i, from, x86_register (2), 0);
    }
  _cured_x86_move_lane (x86, RAX, 2, is_wide);
  add_displacement (self, access);
  return n;
}

/* One vector of values, by zmm 4 and what follows. */
static void
access_group (Native *self, const Access *access, unsigned group)
{
  X86 *x86 = &self->x86;
  X86Label is_scattered = { 0 }, is_done = { 0 };
  bool is_wide = access->address->width == 8 || access->bytes == 8;
  unsigned n = find_distances (self, access, group);
  uint32_t wide = is_wide ? X86_WIDE : 0;
  gsize row = !is_wide             ? FIELD (NativeData, by_4_narrow)
              : access->bytes == 4 ? FIELD (NativeData, by_4)
                                   : FIELD (NativeData, by_8);
  unsigned zmm = 4 + group;

  for (unsigned i = 0; i < n; i++)
    _cured_x86_vector_immediate (x86, DIFFER | wide, 5 + i, i,
                                 x86_memory (NATIVE_DATA, (int64_t) row + i * 64), 0, NOT_EQUAL);
  _cured_x86_mask_or_test (x86, 5, 4 + n);
  if (access->is_load)
    _cured_x86_jump_if (x86, X86_NOT_EQUAL, &is_scattered);
  else
    leave_if (self, access, X86_NOT_EQUAL);
  find_bytes (self, access, access->bytes * access->lanes);
  if (!access->is_load)
    {
      _cured_x86_vector (x86, SAVE, _cured_native_get_zmm (self, access->value, group, 3, false), 0,
                         x86_memory (RSI, 0), 0);
      return;
    }
  _cured_x86_vector (x86, LOAD, zmm, 0, x86_memory (RSI, 0), 0);
  _cured_x86_jump (x86, &is_done);
  _cured_x86_place (x86, &is_scattered);
  for (unsigned i = 0; i < n; i++)
    _cured_x86_vector (x86, TEST | wide, 5 + i, i, x86_register (i), 0);
  _cured_x86_mask_or_test (x86, 5, 4 + n);
  leave_if (self, access, X86_NOT_EQUAL);
  find_bytes (self, access, access->bytes);
  _cured_x86_vector (x86, access->bytes == 8 ? SPREAD_64 : SPREAD, zmm, 0, x86_memory (RSI, 0), 0);
  _cured_x86_place (x86, &is_done);
}

static void
set_result (Native *self, const Access *access, NativeValue *to, bool is_one)
{
  for (unsigned i = 0; i < access->bytes / 2; i++)
    _cured_x86_vector (&self->x86, MOVE, to->zmm[i], 0, x86_register (is_one ? 4 : 4 + i), 0);
  to->is_dirty = true;
  to->is_raw = false;
}

/* The address in the constants, with the displacement. */
static uint64_t
get_constant_address (const Native *self, const CuredPtxOperand *x)
{
  const uint8_t *at = self->module->constants + x->offset;
  uint64_t address = 0;

  memcpy (&address, at, x->width);
  return address + (uint64_t) self->inst->displacement;
}

/* A parameter of the kernel. */
static bool
load_parameter (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  const CuredPtxOperand *x = inst->x;
  X86 *x86 = &self->x86;
  uint64_t address;

  if (x[1].base != CURED_BASE_CONSTANTS || !self->function->is_entry)
    return false;
  address = get_constant_address (self, &x[1]);
  if (address >= self->function->parameter_bytes ||
      self->function->parameter_bytes - address < x->width || address % x->width != 0)
    return false;
  NativeValue *to = _cured_native_hold (self, x, false);
  _cured_x86_load (x86, RAX, x86_memory (NATIVE_WARP, FIELD (CuredWarp, block)), true);
  _cured_x86_load (x86, RAX, x86_memory (RAX, FIELD (CuredBlock, grid)), true);
  _cured_x86_load (x86, RAX, x86_memory (RAX, FIELD (CuredPtxGrid, launch)), true);
  _cured_x86_load (x86, RAX, x86_memory (RAX, FIELD (CuredLaunch, parameters)), true);
  for (unsigned i = 0; i < x->width / 2u; i++)
    _cured_x86_vector (x86, x->width == 8 ? SPREAD_64 : SPREAD, to->zmm[i], 0,
                       x86_memory (RAX, (int64_t) address), 0);
  to->is_dirty = true;
  to->is_raw = false;
  return true;
}

bool
_cured_native_translate_access (Native *self)
{
  const CuredPtxInst *inst = self->inst;
  bool is_load = inst->op == CURED_PTX_OP_ld;
  Access access = {
    .address = &inst->x[is_load ? inst->counts[0] : 0],
    .value = &inst->x[is_load ? 0 : 1],
    .space = get_space (inst),
    .bytes = _cured_ptx_types[inst->types[0]].bytes,
    .is_load = is_load,
  };
  unsigned order = inst->words[CURED_PTX_GROUP_ORDER];
  NativeValue *to = NULL;

  if (self->is_masked || inst->counts[is_load ? 0 : 1] != 1 || access.bytes < 4 ||
      access.value->width != access.bytes || order == CURED_PTX_ORDER_ACQUIRE ||
      order == CURED_PTX_ORDER_RELEASE || ABS (inst->displacement) > G_MAXINT32)
    return false;
  if (access.space == CURED_SPACE_PARAM)
    return is_load && load_parameter (self);
  if (self->is_observed || access.space == CURED_N_SPACES ||
      access.address->width != (access.space == CURED_SPACE_SHARED ? 4 : 8))
    return false;
  access.lanes = 64 / access.bytes;
  if (access.address->base == CURED_BASE_CONSTANTS)
    {
      if (!is_load || access.space != CURED_SPACE_SHARED)
        return false;
      to = _cured_native_hold (self, access.value, false);
      access.detour = _cured_native_add_detour (self);
      _cured_x86_load (&self->x86, RAX, _cured_native_place (access.address, 0), false);
      add_displacement (self, &access);
      find_bytes (self, &access, access.bytes);
      _cured_x86_vector (&self->x86, access.bytes == 8 ? SPREAD_64 : SPREAD, 4, 0,
                         x86_memory (RSI, 0), 0);
      set_result (self, &access, to, true);
      _cured_native_finish_detour (self, access.detour);
      return true;
    }
  if (access.address->base != CURED_BASE_REGISTERS)
    return false;
  _cured_native_get (self, access.address, 0, false);
  if (is_load)
    to = _cured_native_hold (self, access.value, false);
  else
    _cured_native_get (self, access.value, 0, false);
  access.detour = _cured_native_add_detour (self);
  for (unsigned group = 0; group < access.bytes / 2; group++)
    access_group (self, &access, group);
  if (is_load)
    set_result (self, &access, to, false);
  _cured_native_finish_detour (self, access.detour);
  return true;
}
