/* SPDX-License-Identifier: MIT
 * An encoder for the x86-64 and AVX-512 instructions that translated PTX uses.
 *
 * Vector instructions are EVEX-encoded and 512 bits wide, except for some conversions, as noted. A
 * memory operand has a displacement of 32 bits, never scaled. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum
{
  RAX,
  RCX,
  RDX,
  RBX,
  RSP,
  RBP,
  RSI,
  RDI,
  R8,
  R9,
  R10,
  R11,
  R12,
  R13,
  R14,
  R15,
} X86Register;

/* The last operand of an instruction: a register, or memory. */
typedef struct
{
  int32_t displacement;
  uint8_t reg; /* zmm or mask; for memory, the base, an X86Register */
  bool is_memory;
  bool is_broadcast; /* of memory: one element, broadcast */
} X86Operand;

/* A jump target, which may follow the jumps to it. */
typedef struct
{
  gsize at;        /* 0: not yet known */
  GArray *waiting; /* (nullable) (element-type gsize): displacements to set */
} X86Label;

/* Grows; released with _cured_x86_clear (). */
typedef struct
{
  uint8_t *bytes;
  gsize n, size;
} X86;

/* An instruction of vectors: the byte, its map (1: 0F, 2: 0F38, 3: 0F3A), its prefix (0: none, 1:
 * 66, 2: F3, 3: F2) and W. */
#define X86_VECTOR(map, prefix, w, byte)                                                           \
  ((uint32_t) (byte) | (uint32_t) (map) << 8 | (uint32_t) (prefix) << 10 | (uint32_t) (w) << 12)
/* The same for 64-bit elements, if only W differs. */
#define X86_WIDE 0x1000u

/* Conditions of jumps. */
typedef enum
{
  X86_BELOW = 2,
  X86_NOT_BELOW = 3,
  X86_EQUAL = 4,
  X86_NOT_EQUAL = 5,
  X86_NOT_ABOVE = 6,
  X86_ABOVE = 7,
} X86Condition;

/* Arithmetic of general registers: the opcode extension of 81h. */
typedef enum
{
  X86_ADD = 0,
  X86_OR = 1,
  X86_AND = 4,
  X86_SUB = 5,
  X86_XOR = 6,
  X86_CMP = 7,
} X86Arithmetic;

static inline X86Operand
x86_register (unsigned reg)
{
  return (X86Operand){ .reg = (uint8_t) reg };
}

static inline X86Operand
x86_memory (X86Register base, int64_t displacement)
{
  return (X86Operand){ (int32_t) displacement, (uint8_t) base, true, false };
}

static inline X86Operand
x86_broadcast (X86Register base, int64_t displacement)
{
  return (X86Operand){ (int32_t) displacement, (uint8_t) base, true, true };
}

void _cured_x86_clear (X86 *self);

/* @op: X86_VECTOR (); @to: the register of the first operand; @left: of the second, 0 where there
 * is none; @mask: 1 to 7; 0: none */
void _cured_x86_vector (X86 *self, uint32_t op, unsigned to, unsigned left, X86Operand right,
                        unsigned mask);
void _cured_x86_vector_immediate (X86 *self, uint32_t op, unsigned to, unsigned left,
                                  X86Operand right, unsigned mask, uint8_t immediate);
/* Between registers, rounded as the instruction says: 0 to nearest, 1 down, 2 up, 3 to zero. */
void _cured_x86_vector_rounded (X86 *self, uint32_t op, unsigned to, unsigned left, unsigned right,
                                unsigned mask, unsigned rounding);

/* A gather or scatter at @base plus each element of the vector @index; @mask is used up. */
void _cured_x86_gather (X86 *self, uint32_t op, unsigned to, X86Register base, unsigned index,
                        unsigned mask);
/* The lowest 32 or 64 bits of a vector. */
void _cured_x86_move_lane (X86 *self, X86Register to, unsigned from, bool is_wide);

/* Mask registers. */
void _cured_x86_mask_load (X86 *self, unsigned to, X86Operand from, unsigned bytes);
void _cured_x86_mask_to_gpr (X86 *self, X86Register to, unsigned from);
void _cured_x86_mask_from_gpr (X86 *self, unsigned to, X86Register from);
/* @to gets @high above the @bits of @low. */
void _cured_x86_mask_unpack (X86 *self, unsigned to, unsigned high, unsigned low, unsigned bits);
void _cured_x86_mask_shift (X86 *self, unsigned to, unsigned from, uint8_t by);
void _cured_x86_mask_or_test (X86 *self, unsigned left, unsigned right);

/* General registers; @is_wide: 64 bits, or 32. */
void _cured_x86_load (X86 *self, X86Register to, X86Operand from, bool is_wide);
void _cured_x86_store (X86 *self, X86Operand to, X86Register from, bool is_wide);
void _cured_x86_store_immediate (X86 *self, X86Operand to, uint32_t value);
void _cured_x86_set (X86 *self, X86Register to, uint64_t value);
void _cured_x86_move (X86 *self, X86Register to, X86Register from, bool is_wide);
void _cured_x86_not (X86 *self, X86Register to);
void _cured_x86_arithmetic (X86 *self, X86Arithmetic operation, X86Register to, X86Operand right,
                            bool is_wide);
void _cured_x86_arithmetic_immediate (X86 *self, X86Arithmetic operation, X86Operand to,
                                      int32_t right, bool is_wide);
void _cured_x86_test_immediate (X86 *self, X86Register left, int32_t right);
void _cured_x86_popcount (X86 *self, X86Register to, X86Operand from);
void _cured_x86_bytes (X86 *self, const uint8_t *bytes, gsize n);

void _cured_x86_jump (X86 *self, X86Label *to);
void _cured_x86_jump_if (X86 *self, X86Condition condition, X86Label *to);
void _cured_x86_call (X86 *self, X86Register to);
void _cured_x86_place (X86 *self, X86Label *label);
