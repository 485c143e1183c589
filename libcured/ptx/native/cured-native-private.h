/* SPDX-License-Identifier: MIT
 * What the translator's files share.
 *
 * While a piece runs, RBX is the warp, RBP the number of instructions left of its turn, R12 the
 * frame's registers, R13 the module's constants, R14 the counts (see cured-native.c), and R15
 * _cured_native_data. zmm0 to 7 are scratch registers of one instruction; the others cache PTX
 * registers. Mask registers 1 to 4 are the active lanes of an instruction, 5 to 7 its scratch. */
#pragma once

#include "ptx/machine/cured-warp-private.h"
#include "ptx/native/cured-x86-private.h"

#define NATIVE_WARP      RBX
#define NATIVE_LEFT      RBP
#define NATIVE_REGISTERS R12
#define NATIVE_CONSTANTS R13
#define NATIVE_COUNTS    R14
#define NATIVE_DATA      R15

#define NATIVE_FIRST_ZMM 8
#define NATIVE_N_ZMM     32

/* A PTX register in vector registers: 16 lanes of 32 bits each, or 8 of 64, or 32 of 16. */
typedef struct
{
  uint32_t offset; /* in the frame */
  uint32_t used;   /* the last instruction that used it */
  uint8_t width;   /* 0: none */
  uint8_t zmm[4];
  bool is_dirty; /* memory has an outdated value */
  bool is_raw;   /* of f32: NaNs are not canonical yet */
} NativeValue;

#define NATIVE_N_VALUES (NATIVE_N_ZMM - NATIVE_FIRST_ZMM)

/* Cold code after the rest of its piece: calls the handler of an instruction, with all values
 * stored where it reads them. */
typedef struct
{
  const CuredPtxInst *inst;
  X86Label begin, back;
  NativeValue before[NATIVE_N_VALUES], after[NATIVE_N_VALUES];
} NativeDetour;

typedef struct
{
  X86 x86;
  const CuredPtxModule *module;
  const CuredPtxFunction *function;
  bool is_counting; /* instructions by site */
  bool is_observed; /* accesses are reported to observers */
  bool is_full;     /* all lanes of the warp run the piece */
  /* Of the instruction. */
  const CuredPtxInst *inst;
  uint32_t stamp;
  bool is_masked; /* some lanes may be inactive: RDX has the active ones */
  uint8_t
      mask_width; /* of elements that masks 1 to 4 are for; 0: they are not those of RBX's active
                       * lanes */
  NativeValue values[NATIVE_N_VALUES];
  GPtrArray *detours; /* (element-type NativeDetour) */
  const CuredPtxInst *piece_end;
  const uint64_t *live_out; /* of the piece: one bit per 64 bytes of the frame */
} Native;

/* Constants that translated code reads, by their offset. */
typedef struct
{
  uint32_t by_4_narrow[16]; /* 0, 4, 8 and so on */
  uint64_t by_4[16], by_8[8];
  uint32_t nan_32, sign_32, magnitude_32, one_32, greatest_32;
  uint32_t end_32; /* 2^31, an f32 */
  uint32_t bytes_32, halves_32;
  uint64_t sign_64, magnitude_64, one_64;
  uint32_t odd;              /* every second lane of 16 */
  uint32_t all;              /* of a mask */
  uint64_t below_4, below_8; /* address bits that must be 0 for alignment */
} NativeData;

extern const NativeData _cured_native_data;

#define NATIVE_DATUM(field) x86_broadcast (NATIVE_DATA, G_STRUCT_OFFSET (NativeData, field))
#define NATIVE_ROW(field)   x86_memory (NATIVE_DATA, G_STRUCT_OFFSET (NativeData, field))

/* ---- cured-native-values.c ---- */

bool _cured_native_is_whole (const CuredPtxInst *inst);
X86Operand _cured_native_place (const CuredPtxOperand *x, uint32_t skip);
void _cured_native_load_masks (Native *self, unsigned width);
unsigned _cured_native_mask (const Native *self, unsigned part);
NativeValue *_cured_native_hold (Native *self, const CuredPtxOperand *x, bool is_loaded);
X86Operand _cured_native_get (Native *self, const CuredPtxOperand *x, unsigned part,
                              bool may_be_raw);
unsigned _cured_native_get_zmm (Native *self, const CuredPtxOperand *x, unsigned part,
                                unsigned scratch, bool may_be_raw);
void _cured_native_canonicalize (Native *self, NativeValue *value);
void _cured_native_write_back (Native *self, const CuredPtxInst *next, bool is_everything);
void _cured_native_forget (Native *self);
NativeDetour *_cured_native_add_detour (Native *self);
void _cured_native_finish_detour (Native *self, NativeDetour *detour);
void _cured_native_place_detours (Native *self);
void _cured_native_call_handler (Native *self, const CuredPtxInst *inst);

/* ---- cured-native-ops.c, cured-native-memory.c ---- */

bool _cured_native_translate (Native *self);
bool _cured_native_translate_access (Native *self);
