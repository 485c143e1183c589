/* SPDX-License-Identifier: MIT
 * What parser, interpreter and observers share: types, instructions, module. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptx/cured-ptx-module.h"
#include "ptx/cured-work.h"

#define CURED_WARP_LANES 32

/* ---- Types ---- */

typedef enum
{
  CURED_PTX_TYPE_NONE,
#define TYPE(word, id, bytes, kind) CURED_PTX_##id,
#include "ptx/cured-ptx-types.def"
  CURED_PTX_N_TYPES
} CuredPtxType;

typedef enum
{
  CURED_PTX_KIND_P, /* predicate */
  CURED_PTX_KIND_B, /* bits */
  CURED_PTX_KIND_U, /* unsigned */
  CURED_PTX_KIND_S, /* signed */
  CURED_PTX_KIND_F, /* floating point */
  CURED_PTX_KIND_X, /* packed, or of an alternate format */
} CuredPtxKind;

typedef struct
{
  const char *word;
  uint8_t bytes; /* 0: a predicate */
  CuredPtxKind kind;
} CuredPtxTypeInfo;

extern const CuredPtxTypeInfo _cured_ptx_types[CURED_PTX_N_TYPES];

/* ---- Modifier words ---- */

typedef enum
{
#define GROUP(id) CURED_PTX_GROUP_##id,
#include "ptx/cured-ptx-groups.def"
  CURED_PTX_N_GROUPS
} CuredPtxGroup;

/* Distinct over all groups; 0 is none. */
typedef enum
{
  CURED_PTX_NO_WORD,
#define WORD(word, group, value) CURED_PTX_##group##_##value,
#include "ptx/cured-ptx-words.def"
  CURED_PTX_N_WORDS
} CuredPtxWord;

extern const char *const _cured_ptx_word_names[CURED_PTX_N_WORDS];
extern const CuredPtxGroup _cured_ptx_word_groups[CURED_PTX_N_WORDS];

/* ---- The instruction table ---- */

typedef enum
{
  CURED_PTX_CLASS_INT,
  CURED_PTX_CLASS_VIDEO,
  CURED_PTX_CLASS_LOGIC,
  CURED_PTX_CLASS_COMPARE,
  CURED_PTX_CLASS_FLOAT,
  CURED_PTX_CLASS_HALF,
  CURED_PTX_CLASS_CONVERT,
  CURED_PTX_CLASS_MOVE,
  CURED_PTX_CLASS_MEMORY,
  CURED_PTX_CLASS_ATOMIC,
  CURED_PTX_CLASS_WARP,
  CURED_PTX_CLASS_BARRIER,
  CURED_PTX_CLASS_MATRIX,
  CURED_PTX_CLASS_CONTROL,
} CuredPtxClass;

typedef enum
{
#define OP(id, mnemonic, types, modifiers, operands, class, pipe, meaning) CURED_PTX_OP_##id,
#include "ptx/cured-ptx-ops.def"
  CURED_PTX_N_OPS
} CuredPtxOp;

/* The pipe of instructions without machine code. */
#define CURED_PIPE_FREE CURED_N_PIPES

typedef struct
{
  const char *id, *mnemonic;
  uint64_t types;     /* bit t: the first suffix may be CuredPtxType t */
  uint64_t modifiers; /* bit g: CuredPtxGroup g may occur */
  const char *operands;
  CuredPtxClass klass;
  CuredPipe pipe; /* CURED_PIPE_FREE: of nothing */
  const char *meaning;
} CuredPtxOpInfo;

extern const CuredPtxOpInfo _cured_ptx_ops[CURED_PTX_N_OPS];

/* The letters of operands that are written. */
#define CURED_PTX_DESTINATIONS "DWENHPOVgd"

/* Shape of a matrix product: @m rows, @n columns, sums of @k products. */
typedef struct
{
  CuredPtxWord word;
  uint16_t m, n, k;
} CuredPtxShape;

/* ---- Instructions, decoded ---- */

typedef struct _CuredPtxInst CuredPtxInst;
typedef struct _CuredWarp CuredWarp;

/* The base of an operand's offset; see CuredWarp.bases. */
typedef enum
{
  CURED_BASE_REGISTERS, /* of the running frame */
  CURED_BASE_CONSTANTS, /* of the module: immediates, addresses of variables */
  CURED_BASE_SPECIALS,  /* of the warp: CuredSpecials */
  CURED_N_BASES
} CuredBase;

/* An array of one value per lane: 32 × @width bytes at @offset from @base; a predicate is one
 * uint32_t, lane 0 in bit 0. All offsets are multiples of 64 (predicates': of 4). */
typedef struct
{
  uint32_t offset;
  uint8_t base;       /* CuredBase */
  uint8_t width;      /* bytes per lane: 2, 4, 8; 1: a predicate; 0: absent */
  uint8_t is_negated; /* of a predicate: !p */
  uint8_t is_float;   /* of a register: declared .f32 or .f64 */
} CuredPtxOperand;

/* Runs one instruction for the lanes of @mask, which is never 0. */
typedef void (*CuredPtxHandler) (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask);

/* Most syntactic operands of an instruction. */
#define CURED_PTX_MAX_OPERANDS 10

/* Parts of an operand, as `.b3`, `.h10` or `-` say. In an instruction's immediate those of its
 * operand i are CURED_PTX_PART_BITS from i times that on: bit 0 of a minus, bit 1 of halves, not
 * bytes, bits 2 to 4 the number of parts, then the parts, 3 bits each, from the lowest on. */
#define CURED_PTX_PART_BITS        20
#define CURED_PTX_PART_NEGATED     1u
#define CURED_PTX_PART_HALF        2u
#define CURED_PTX_PART_N(part)     ((part) >> 2 & 7)
#define CURED_PTX_PART_AT(part, i) ((part) >> (5 + 3 * (i)) & 7)

/* Operands stored in the instruction itself: all of them for nearly all instructions. */
#define CURED_PTX_NEAR_OPERANDS 4

#define CURED_PTX_INST_ALIGN 64

/* Code is read from beginning to end, repeatedly: the fields that handlers need for nearly all
 * instructions are in one cache line of the host. */
struct _CuredPtxInst
{
  CuredPtxHandler run;
  /* Flattened in the order of the row's letters: each letter takes counts[k] entries; an absent
   * optional one takes one entry of width 0, so that positions of scalar operands do not move. */
  const CuredPtxOperand *x;
  CuredPtxOperand near_x[CURED_PTX_NEAR_OPERANDS]; /* storage of @x, if there are no more */
  CuredPtxOperand guard;                           /* width 0: none */
  int64_t displacement;                            /* of the memory operand: [x + displacement] */
  int64_t displacement2;                           /* of the second one, of a copy */
  int64_t immediate; /* value of an "I" operand; of a copy that has none,
                          * the displacement of a third address; of a video
                          * instruction, parts of its operands: see below */
  uint32_t target;   /* bra: site; call: index of function; brx: of table */
  uint32_t site;     /* index of this instruction in the module's code */
  int32_t line;      /* of the source, 0: unknown */
  int32_t ptx_line, ptx_column;
  uint16_t file; /* index in the module's files */
  uint16_t op;   /* CuredPtxOp */
  /* Number of instructions from this one on that always run consecutively: they neither read nor
   * change the warp's position, nor the choice of the next group. 0: this one may. */
  uint16_t straight;
  uint8_t n_types;
  uint8_t types[4]; /* CuredPtxType, in the order of the suffixes */
  uint8_t n_counts, counts[CURED_PTX_MAX_OPERANDS];
  uint8_t words[CURED_PTX_N_GROUPS]; /* CuredPtxWord a group; 0: none */
  const struct _CuredPtxCall *call;  /* of a call; nullable */
} __attribute__ ((aligned (CURED_PTX_INST_ALIGN)));

/* A walk over the operands of an instruction; see CURED_EACH_OPERAND. */
typedef struct
{
  const CuredPtxOperand *x, *end; /* @end: of those of the letter */
  const char *letter;             /* of the row */
  unsigned n_letters;             /* so far */
} CuredPtxWalk;

static inline gboolean
cured_ptx_walk_next (CuredPtxWalk *self, const CuredPtxInst *inst)
{
  for (self->x = self->x == NULL ? inst->x : self->x + 1; self->x == self->end;)
    {
      if (self->n_letters == inst->n_counts)
        return FALSE;
      self->letter += self->n_letters > 0;
      self->letter += *self->letter == '?';
      self->end += inst->counts[self->n_letters++];
    }
  return TRUE;
}

/* For each operand of @inst, absent ones as well: @walk has the operand and its letter. */
#define CURED_EACH_OPERAND(walk, inst)                                                             \
  for (CuredPtxWalk walk = { .end = (inst)->x, .letter = _cured_ptx_ops[(inst)->op].operands };    \
       cured_ptx_walk_next (&walk, inst);)

static inline gboolean
cured_ptx_is_destination (const CuredPtxWalk *walk)
{
  return strchr (CURED_PTX_DESTINATIONS, *walk->letter) != NULL;
}

/* ---- Variables ---- */

typedef enum
{
  CURED_SPACE_GENERIC,
  CURED_SPACE_GLOBAL,
  CURED_SPACE_SHARED,
  CURED_SPACE_LOCAL,
  CURED_SPACE_CONST,
  CURED_SPACE_PARAM,
  CURED_N_SPACES
} CuredSpace;

/* A module-level variable in global or constant memory. */
typedef struct
{
  char *name;
  CuredSpace space;
  gsize size, align, element_bytes;
  guint8 *initial;     /* (nullable): the first bytes; the others are zeros */
  gsize initial_bytes; /* of @initial, at most @size */
  gboolean is_extern;  /* declared, and defined nowhere (yet) */
  gboolean is_used;
  guint32 ptx_line; /* of the declaration */
  guint32 ptx_column;
  guint64 address; /* set by linking */
} CuredPtxVariable;

/* A variable in shared memory, for messages about addresses. */
typedef struct
{
  char *name;
  guint32 function; /* index of the entry that owns it; G_MAXUINT32: all entries */
  gsize offset;     /* in the .shared space; 0 for a dynamic array */
  gsize size;       /* 0: a dynamic array, behind the other variables */
  gsize element_bytes;
} CuredPtxShared;

/* A place that holds the address of a variable: in the constant pool (32 lanes of @width bytes) or
 * in a variable's initial bytes. */
typedef struct
{
  gboolean is_in_variable;
  guint holder; /* index of a variable, where it is in one */
  gsize offset; /* into the holder's bytes or the constant pool */
  guint8 width; /* bytes that are written: 1, 2, 4 or 8 */
  guint8 shift; /* in a variable: of the address, to the right */
  guint variable;
  gint64 addend;
} CuredPtxRelocation;

/* A parameter or result of a function, or a .param variable of a call sequence: bytes in a frame's
 * own part of local memory. Of an entry: bytes of the parameter block. */
typedef struct
{
  gsize offset, size;
  CuredPtxKind kind; /* of an element */
} CuredPtxSlot;

typedef struct
{
  char *name;
  gboolean is_entry, is_defined;
  guint32 first;      /* site of the first instruction */
  guint32 n_sites;    /* instructions; the last one is a ret or exit */
  gsize frame_bytes;  /* registers of all lanes */
  gsize local_bytes;  /* local and .param variables of one frame, a lane */
  gsize local_end;    /* the same, before it is rounded up: what may be accessed */
  gsize shared_bytes; /* of an entry: static, its own and the module's */
  gsize parameter_bytes;
  CuredPtxSlot *parameters;
  guint n_parameters;
  CuredPtxSlot *results;
  guint n_results;
  /* Where results and parameters passed in registers (`.reg`) live: offset in the frame, width 0
   * where it is a slot. One per result, then a parameter. */
  CuredPtxOperand *in_registers;
  int max_threads;  /* of a block; 0: not said */
  guint block[3];   /* the only one that it may have; 0: any */
  guint cluster[3]; /* blocks that it requires; 0: unspecified */
  int registers;    /* 32-bit ones declared and used at once: an estimate */
  /* A function provided by the interpreter. */
  enum
  {
    CURED_BUILTIN_NONE,
    CURED_BUILTIN_VPRINTF,
    CURED_BUILTIN_ASSERTFAIL,
    CURED_BUILTIN_MALLOC,
    CURED_BUILTIN_FREE,
  } builtin;
} CuredPtxFunction;

/* One side of a call's argument list: a .param variable of the caller's frame, or a register or
 * constant. */
typedef struct
{
  gboolean is_slot;
  CuredPtxSlot slot;
  CuredPtxOperand operand;
} CuredPtxActual;

typedef struct _CuredPtxCall
{
  guint n_results;
  CuredPtxActual *results;
  guint n_arguments;
  CuredPtxActual *arguments;
  gboolean is_indirect;    /* the function's address is @pointer's value */
  CuredPtxOperand pointer; /* function addresses are index + 1 */
} CuredPtxCall;

typedef struct
{
  guint32 *targets;
  guint n_targets;
} CuredPtxTable;

/* ---- The module ---- */

struct _CuredPtxModule
{
  char *file_name;
  char *text; /* owned copy: places quote it */
  gsize length;
  guint32 *lines; /* where each of its lines begins */
  guint n_lines;
  CuredPtxInst *code;
  guint n_code;
  CuredPtxHandler
      *late; /* (nullable): by site: the handler to run after a check of matrix products */
  CuredPtxOperand *operands;
  guint n_operands;
  guint8 *constants; /* 64-byte aligned */
  gsize constants_size;
  CuredPtxFunction *functions;
  guint n_functions;
  CuredPtxVariable *variables;
  guint n_variables;
  CuredPtxShared *shared;
  guint n_shared;
  CuredPtxRelocation *relocations;
  guint n_relocations;
  CuredPtxTable *tables;
  guint n_tables;
  GPtrArray *calls; /* (element-type CuredPtxCall), owned */
  char **files;     /* by CuredPtxInst.file; [0] is "" */
  guint n_files;
  int target; /* 90 of `.target sm_90` */
  gboolean has_recursion;
  GSList *learned; /* (element-type CuredLearned): of launches that have ended */
  GDestroyNotify learned_free;
  gpointer native; /* (nullable): machine code; see ptx/native/ */
  GDestroyNotify native_free;
};

/* Shared memory: addresses of the .shared space count from 0; the dynamic array comes after the
 * static variables. Generic addresses of shared and local memory are those plus a window's base;
 * global memory's are themselves. */
#define CURED_SHARED_WINDOW G_GUINT64_CONSTANT (0x7e0000000000)
#define CURED_LOCAL_WINDOW  G_GUINT64_CONSTANT (0x7f0000000000)
#define CURED_PARAM_WINDOW  G_GUINT64_CONSTANT (0x7f8000000000)
#define CURED_WINDOW_BYTES  G_GUINT64_CONSTANT (0x1000000)

/* @window: CURED_SHARED_WINDOW or another one. */
static inline bool
cured_is_in_window (uint64_t address, uint64_t window)
{
  return address - window < CURED_WINDOW_BYTES;
}

/* In an address of a cluster block's shared memory, the bits above the offset are the block's rank
 * plus one; 0 is the executing block. The ISA leaves the encoding to the implementation. */
#define CURED_MAX_CLUSTER    16
#define CURED_WINDOW_BITS    24
#define CURED_CLUSTER_WINDOW ((CURED_MAX_CLUSTER + 1) * CURED_WINDOW_BYTES)

/* A generic address of shared memory of any block. */
static inline bool
cured_is_in_cluster_window (uint64_t address)
{
  return address - CURED_SHARED_WINDOW < CURED_CLUSTER_WINDOW;
}

/* Register 0 of every frame is a hidden 64-bit one: each lane's base of the frame's local memory.
 * Addresses of local variables count from it. */
#define CURED_FRAME_BASE_OFFSET 0

gboolean _cured_ptx_is_wgmma (guint op);
gboolean _cured_ptx_is_texture (guint op);
const CuredPtxShape *_cured_ptx_get_shape (const CuredPtxInst *inst);

void cured_ptx_module_rename (CuredPtxModule *self, const char *symbol, const char *name);
