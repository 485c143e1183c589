/* SPDX-License-Identifier: MIT
 * Translates loads and stores without observers: lanes at
 * consecutive addresses, or at one address, are checked and moved as one range, 16 or 8 at a
 * time; others are gathered. Accesses out of bounds and misaligned ones are left to the handler. */
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
#define ADD             X86_VECTOR (1, 1, 0, 0xfe)
#define ADD_64          X86_VECTOR (1, 1, 1, 0xd4)
#define EXTRACT_HALF    X86_VECTOR (3, 1, 1, 0x3b)
#define INSERT_HALF     X86_VECTOR (3, 1, 1, 0x3a)
#define GREATER         6
#define FIELD(type, of) offsetof (type, of)

/* An access of one value per lane. */
typedef struct
{
  const CuredPtxOperand *address, *value;
  CuredSpace space;
  unsigned bytes;
  unsigned lanes; /* of a group: one vector of values */
  unsigned n;     /* vectors of a group's addresses */
  bool is_wide;   /* addresses are handled in 64 bits */
  bool is_load;
  NativeDetour *detour;
} Access;

static CuredSpace
get_space (const CuredPtxInst *inst)
{
  switch (inst->words[CURED_PTX_GROUP_SPACE])
    {
    case CURED_PTX_SPACE_SHARED: return CURED_SPACE_SHARED;
    case CURED_PTX_SPACE_GLOBAL: return CURED_SPACE_GLOBAL;
    case CURED_PTX_SPACE_CONST: return CURED_SPACE_CONST;
    case CURED_PTX_SPACE_PARAM: return CURED_SPACE_PARAM;
    default: return CURED_N_SPACES;
    }
}

static void
leave_if (Native *self, const Access *access, X86Condition condition)
{
  _cured_x86_jump_if (&self->x86, condition, &access->detour->begin);
}

/* RSI gets the host address of the memory's first byte, RDI the greatest offset that a lane's
 * access may have; for global memory, RCX is the region. */
static void
find_origin (Native *self, const Access *access)
{
  X86 *x86 = &self->x86;

  if (access->space == CURED_SPACE_SHARED)
    {
      _cured_x86_load (x86, RCX, x86_memory (NATIVE_WARP, FIELD (CuredWarp, block)), true);
      _cured_x86_load (x86, RDI, x86_memory (RCX, FIELD (CuredBlock, shared_bytes)), false);
      _cured_x86_arithmetic_immediate (x86, X86_SUB, x86_register (RDI), (int32_t) access->bytes,
                                       true);
      leave_if (self, access, X86_BELOW);
      _cured_x86_load (x86, RSI, x86_memory (RCX, FIELD (CuredBlock, shared)), true);
      return;
    }
  _cured_x86_load (
      x86, RCX,
      x86_memory (NATIVE_WARP,
                  FIELD (CuredWarp, regions) + self->inst->site % CURED_N_RECENT * sizeof (void *)),
      true);
  _cured_x86_arithmetic_immediate (x86, X86_CMP, x86_register (RCX), 0, true);
  leave_if (self, access, X86_EQUAL);
  _cured_x86_load (x86, RDI, x86_memory (RCX, FIELD (CuredRegion, heap)), true);
  _cured_x86_arithmetic (x86, X86_OR, RDI, x86_memory (RCX, FIELD (CuredRegion, filled)), true);
  leave_if (self, access, X86_NOT_EQUAL);
  _cured_x86_arithmetic_immediate (x86, X86_CMP, x86_memory (RCX, FIELD (CuredRegion, is_constant)),
                                   0, false);
  leave_if (self, access, access->space == CURED_SPACE_CONST ? X86_EQUAL : X86_NOT_EQUAL);
  _cured_x86_load (x86, RSI, x86_memory (RCX, FIELD (CuredRegion, low)), true);
  _cured_x86_load (x86, RDI, x86_memory (RCX, FIELD (CuredRegion, high)), true);
  _cured_x86_arithmetic (x86, X86_SUB, RDI, x86_register (RSI), true);
  _cured_x86_arithmetic_immediate (x86, X86_SUB, x86_register (RDI), (int32_t) access->bytes, true);
  leave_if (self, access, X86_BELOW);
  _cured_x86_arithmetic (x86, X86_SUB, RSI, x86_memory (RCX, FIELD (CuredRegion, address)), true);
  _cured_x86_arithmetic (x86, X86_ADD, RSI, x86_memory (RCX, FIELD (CuredRegion, bytes)), true);
}

/* RAX has an address; RSI gets the host's address of its byte, if @span bytes from it on may be
 * accessed. */
static void
find_bytes (Native *self, const Access *access, unsigned span)
{
  X86 *x86 = &self->x86;

  _cured_x86_test_immediate (x86, RAX, (int32_t) access->bytes - 1);
  leave_if (self, access, X86_NOT_EQUAL);
  find_origin (self, access);
  if (access->space != CURED_SPACE_SHARED)
    _cured_x86_arithmetic (x86, X86_SUB, RAX, x86_memory (RCX, FIELD (CuredRegion, low)), true);
  if (span > access->bytes)
    {
      _cured_x86_arithmetic_immediate (x86, X86_SUB, x86_register (RDI),
                                       (int32_t) (span - access->bytes), true);
      leave_if (self, access, X86_BELOW);
    }
  _cured_x86_arithmetic (x86, X86_CMP, RAX, x86_register (RDI), true);
  leave_if (self, access, X86_ABOVE);
  _cured_x86_arithmetic (x86, X86_ADD, RSI, x86_register (RAX), true);
}

/* Adds the displacement to RAX, whose upper half is 0 for 32-bit addresses. */
static void
add_displacement (Native *self, const Access *access)
{
  if (self->inst->displacement != 0)
    _cured_x86_arithmetic_immediate (&self->x86, X86_ADD, x86_register (RAX),
                                     (int32_t) self->inst->displacement,
                                     access->space != CURED_SPACE_SHARED);
}

/* The @i-th vector of a group's addresses: loaded into zmm 3 if it is in no register. */
static unsigned
get_addresses (Native *self, const Access *access, unsigned group, unsigned i)
{
  X86 *x86 = &self->x86;
  X86Operand half;

  if (!access->is_wide || access->address->width == 8)
    return _cured_native_get_zmm (self, access->address, group * access->n + i, 3, false);
  half = _cured_native_get (self, access->address, group / 2, false);
  if (group % 2 == 1)
    {
      _cured_x86_vector_immediate (x86, EXTRACT_HALF, half.reg, 0, x86_register (3), 0, 1);
      half = x86_register (3);
    }
  _cured_x86_vector (x86, WIDEN_UNSIGNED, 3, 0, half, 0);
  return 3;
}

/* Distances of a group's addresses from its first one, which RAX gets: in zmm 0, and zmm 1 if they
 * take two vectors. */
static void
find_distances (Native *self, const Access *access, unsigned group)
{
  X86 *x86 = &self->x86;

  for (unsigned i = 0; i < access->n; i++)
    {
      unsigned from = get_addresses (self, access, group, i);

      if (i == 0)
        _cured_x86_vector (x86, access->is_wide ? SPREAD_64 : SPREAD, 2, 0, x86_register (from), 0);
      _cured_x86_vector (x86, access->is_wide ? SUBTRACT_64 : SUBTRACT, i, from, x86_register (2),
                         0);
    }
  _cured_x86_move_lane (x86, RAX, 2, access->is_wide);
  add_displacement (self, access);
}

/* Keeps the old values of inactive lanes in the group's destination. */
static void
keep_old (Native *self, const Access *access, const NativeValue *to, unsigned group)
{
  X86 *x86 = &self->x86;
  X86Operand old = x86_register (to->zmm[group]);

  if (access->bytes == 8 || !access->is_wide)
    _cured_x86_vector (x86, MOVE, 4 + group, 0, old, 0);
  else
    {
      _cured_x86_vector (x86, MOVE, 6, 0, old, 0);
      _cured_x86_vector_immediate (x86, EXTRACT_HALF, old.reg, 0, x86_register (7), 0, 1);
    }
}

/* One vector of values at arbitrary addresses. */
static void
scatter_group (Native *self, const Access *access, const NativeValue *to, unsigned group)
{
  X86 *x86 = &self->x86;
  uint32_t wide = access->is_wide ? X86_WIDE : 0;
  uint32_t op = X86_VECTOR (2, 1, access->bytes == 8,
                            (access->is_load ? 0x90 : 0xa0) + (access->is_wide ? 1 : 0));
  bool is_global = access->space != CURED_SPACE_SHARED;

  find_origin (self, access);
  if (access->is_load && self->is_masked)
    keep_old (self, access, to, group);
  for (unsigned i = 0; i < access->n; i++)
    {
      unsigned mask = _cured_native_mask (self, group * access->n + i);
      unsigned from = get_addresses (self, access, group, i), zmm = 4 + group;
      X86Operand below = access->bytes == 8 ? NATIVE_DATUM (below_8) : NATIVE_DATUM (below_4);

      if (self->inst->displacement != 0)
        {
          _cured_x86_set (x86, RAX,
                          access->is_wide ? (uint64_t) self->inst->displacement
                                          : (uint32_t) self->inst->displacement);
          _cured_x86_vector (x86, X86_VECTOR (2, 1, access->is_wide, 0x7c), 2, 0,
                             x86_register (RAX), 0);
          _cured_x86_vector (x86, access->is_wide ? ADD_64 : ADD, 3, from, x86_register (2), 0);
          from = 3;
        }
      _cured_x86_vector (x86, TEST | wide, 5, from, below, mask);
      if (is_global)
        {
          _cured_x86_vector (x86, SPREAD_64, 2, 0, x86_memory (RCX, FIELD (CuredRegion, low)), 0);
          _cured_x86_vector (x86, SUBTRACT_64, 0, from, x86_register (2), 0);
          from = 0;
        }
      _cured_x86_vector (x86, X86_VECTOR (2, 1, access->is_wide, 0x7c), 2, 0, x86_register (RDI),
                         0);
      _cured_x86_vector_immediate (x86, DIFFER | wide, 6, from, x86_register (2), mask, GREATER);
      _cured_x86_mask_or_test (x86, 5, 6);
      leave_if (self, access, X86_NOT_EQUAL);
      if (mask != 0)
        _cured_x86_mask_load (x86, 7, x86_register (mask), 2);
      else
        _cured_x86_mask_load (x86, 7, x86_memory (NATIVE_DATA, FIELD (NativeData, all)), 2);
      if (access->bytes == 4 && access->is_wide && access->is_load)
        zmm = 6 + i;
      else if (!access->is_load)
        {
          zmm = _cured_native_get_zmm (self, access->value, group, 4, false);
          if (access->bytes == 4 && access->is_wide && i == 1)
            {
              _cured_x86_vector_immediate (x86, EXTRACT_HALF, zmm, 0, x86_register (7), 0, 1);
              zmm = 7;
            }
        }
      _cured_x86_gather (x86, op, zmm, RSI, from, 7);
    }
  if (access->bytes == 4 && access->is_wide && access->is_load)
    _cured_x86_vector_immediate (x86, INSERT_HALF, 4 + group, 6, x86_register (7), 0, 1);
}

/* One vector of values, through zmm 4 and the following registers. */
static void
access_group (Native *self, const Access *access, const NativeValue *to, unsigned group)
{
  X86 *x86 = &self->x86;
  X86Label is_apart = { 0 }, is_scattered = { 0 }, is_done = { 0 };
  uint32_t wide = access->is_wide ? X86_WIDE : 0;
  gsize row = !access->is_wide     ? FIELD (NativeData, by_4_narrow)
              : access->bytes == 4 ? FIELD (NativeData, by_4)
                                   : FIELD (NativeData, by_8);
  unsigned zmm = 4 + group;

  if (self->is_masked)
    {
      scatter_group (self, access, to, group);
      return;
    }
  find_distances (self, access, group);
  for (unsigned i = 0; i < access->n; i++)
    _cured_x86_vector_immediate (x86, DIFFER | wide, 5 + i, i,
                                 x86_memory (NATIVE_DATA, (int64_t) row + i * 64), 0, NOT_EQUAL);
  _cured_x86_mask_or_test (x86, 5, 4 + access->n);
  _cured_x86_jump_if (x86, X86_NOT_EQUAL, access->is_load ? &is_apart : &is_scattered);
  find_bytes (self, access, access->bytes * access->lanes);
  if (access->is_load)
    _cured_x86_vector (x86, LOAD, zmm, 0, x86_memory (RSI, 0), 0);
  else
    _cured_x86_vector (x86, SAVE, _cured_native_get_zmm (self, access->value, group, 3, false), 0,
                       x86_memory (RSI, 0), 0);
  _cured_x86_jump (x86, &is_done);
  if (access->is_load)
    {
      _cured_x86_place (x86, &is_apart);
      for (unsigned i = 0; i < access->n; i++)
        _cured_x86_vector (x86, TEST | wide, 5 + i, i, x86_register (i), 0);
      _cured_x86_mask_or_test (x86, 5, 4 + access->n);
      _cured_x86_jump_if (x86, X86_NOT_EQUAL, &is_scattered);
      find_bytes (self, access, access->bytes);
      _cured_x86_vector (x86, access->bytes == 8 ? SPREAD_64 : SPREAD, zmm, 0, x86_memory (RSI, 0),
                         0);
      _cured_x86_jump (x86, &is_done);
    }
  _cured_x86_place (x86, &is_scattered);
  scatter_group (self, access, to, group);
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

  if (inst->counts[is_load ? 0 : 1] != 1 || access.bytes < 4 ||
      access.value->width != access.bytes || order == CURED_PTX_ORDER_ACQUIRE ||
      order == CURED_PTX_ORDER_RELEASE || ABS (inst->displacement) > G_MAXINT32)
    return false;
  if (access.space == CURED_SPACE_PARAM)
    return is_load && !self->is_masked && load_parameter (self);
  if (self->is_observed || access.space == CURED_N_SPACES ||
      (access.space == CURED_SPACE_CONST && !is_load) ||
      access.address->width != (access.space == CURED_SPACE_SHARED ? 4 : 8))
    return false;
  access.lanes = 64 / access.bytes;
  access.is_wide = access.address->width == 8 || access.bytes == 8;
  access.n = access.is_wide && access.lanes == 16 ? 2 : 1;
  if (access.address->base == CURED_BASE_CONSTANTS)
    {
      if (!is_load || self->is_masked)
        return false;
      to = _cured_native_hold (self, access.value, false);
      access.detour = _cured_native_add_detour (self);
      _cured_x86_load (&self->x86, RAX, _cured_native_place (access.address, 0),
                       access.address->width == 8);
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
    to = _cured_native_hold (self, access.value, self->is_masked);
  else
    _cured_native_get (self, access.value, 0, false);
  if (is_load && self->is_masked)
    _cured_native_canonicalize (self, to);
  _cured_native_load_masks (self, access.is_wide ? 8 : 4);
  access.detour = _cured_native_add_detour (self);
  for (unsigned group = 0; group < access.bytes / 2; group++)
    access_group (self, &access, to, group);
  if (is_load)
    set_result (self, &access, to, false);
  _cured_native_finish_detour (self, access.detour);
  return true;
}
