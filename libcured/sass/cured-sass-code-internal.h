/* SPDX-License-Identifier: MIT
 * The machine code of a kernel, decoded. */
#pragma once

#include <glib.h>

/* What executes an instruction. */
typedef enum
{
  CURED_SASS_PIPE_UNKNOWN, /* of an instruction that is not known */
  CURED_SASS_PIPE_NONE,    /* it is issued, and that is all */
  /* single precision, on either half of the pipe where it has two (from sm_86 on) */
  CURED_SASS_PIPE_FMA,
  CURED_SASS_PIPE_FMA_HEAVY, /* integer multiplication, on its first half alone */
  CURED_SASS_PIPE_ALU,
  CURED_SASS_PIPE_FP16, /* a part of FMA from sm_86 on */
  CURED_SASS_PIPE_FP64,
  CURED_SASS_PIPE_XU, /* special functions, conversions, counting bits */
  CURED_SASS_PIPE_LSU,
  CURED_SASS_PIPE_TENSOR,
  CURED_SASS_PIPE_UNIFORM, /* once for all lanes */
  CURED_SASS_PIPE_CBU,     /* branches and convergence */
  CURED_SASS_PIPE_ADU,     /* barriers, constants by index */
  CURED_SASS_N_PIPES,
} CuredSassPipe;

/* What an instruction does, and what it is called. */
/* clang-format off */
#define CURED_SASS_CLASSES(X) \
  X (UNKNOWN, "unknown") \
  X (OTHER, "other") \
  X (MOVE, "move") \
  X (INTEGER, "integer") \
  X (INTEGER_MULTIPLY, "integer-multiply") \
  X (SINGLE, "single") /* single precision that is neither of the next three */ \
  X (ADD, "add") \
  X (MULTIPLY, "multiply") \
  X (MULTIPLY_ADD, "multiply-add") \
  X (SPECIAL, "special") /* an approximation of 1/x, sin x … */ \
  X (HALF, "half") \
  X (DOUBLE, "double") \
  X (CONVERSION, "conversion") \
  X (MATRIX, "matrix") \
  X (VOTE, "vote") \
  X (SHUFFLE, "shuffle") \
  X (LOAD_GENERIC, "m") \
  X (LOAD_GLOBAL, "m") \
  X (LOAD_SHARED, "m") \
  X (LOAD_LOCAL, "m") \
  X (LOAD_CONSTANT, "m") \
  X (LOAD_MATRICES, "l") \
  X (STORE_GENERIC, "m") \
  X (STORE_GLOBAL, "m") \
  X (STORE_SHARED, "m") \
  X (STORE_LOCAL, "m") \
  X (STORE_MATRICES, "l") \
  X (ATOMIC_GENERIC, "g") \
  X (ATOMIC_GLOBAL, "g") \
  X (ATOMIC_SHARED, "n") \
  X (REDUCTION_GLOBAL, "g") \
  X (COPY, "m") /* from global to shared memory */ \
  X (FENCE, "fence") \
  X (BARRIER, "barrier") \
  X (CONVERGENCE, "convergence") /* bookkeeping of lanes that part and meet */ \
  X (BRANCH, "branch") \
  X (CALL, "call") \
  X (RETURN, "return") \
  X (EXIT, "exit")

typedef enum
{
#define X(id, name) CURED_SASS_CLASS_##id,
  CURED_SASS_CLASSES (X)
#undef X
  CURED_SASS_N_CLASSES,
} CuredSassClass;
/* clang-format on */

typedef enum
{
  CURED_SASS_REGISTER,
  CURED_SASS_UNIFORM,
  CURED_SASS_PREDICATE,
  CURED_SASS_UNIFORM_PREDICATE,
} CuredSassFile;

/* Registers that an instruction reads or writes. */
typedef struct
{
  guint8 file; /* CuredSassFile */
  /* number of the first one; those that read as zero or true, and whose writes are dropped, are
   * not listed */
  guint8 first;
  guint8 count; /* how many in a row */
  gboolean is_written;
} CuredSassOperand;

#define CURED_SASS_MAX_OPERANDS 12
#define CURED_SASS_NO_PREDICATE 7
#define CURED_SASS_NO_BARRIER   7
#define CURED_SASS_NO_TARGET    G_MAXUINT64

/* One instruction. */
typedef struct
{
  guint64 offset; /* bytes from the begin of the kernel's section */
  guint64 words[2];
  guint16 opcode;            /* bits 0–8 */
  gint16 row;                /* of cured-sass-ops.def, from 0; -1: not known */
  CuredSassPipe pipe;        /* what executes it */
  CuredSassClass op_class;   /* what it does */
  guint width;               /* of an access to memory: bits per lane; of matrices 128, per row */
  guint matrices;            /* of matrices: 1, 2 or 4; otherwise 0 */
  guint8 guard;              /* predicate, or #CURED_SASS_NO_PREDICATE */
  gboolean is_guard_negated; /* it runs where the predicate is false */
  gboolean never;            /* its guard is the constant false */
  guint n_operands;
  CuredSassOperand operands[CURED_SASS_MAX_OPERANDS];
  gboolean has_constant; /* it reads constant memory at a place that it names: */
  guint8 bank;
  guint16 address;
  guint64 target;       /* offset of where it may go, or #CURED_SASS_NO_TARGET */
  gboolean is_indirect; /* it goes where a register says */
  guint8 stall;         /* cycles until the warp's next instruction may be issued */
  gboolean yields;      /* the scheduler is asked to take another warp next */
  /* of 6, that is up until the results are there, or #CURED_SASS_NO_BARRIER */
  guint8 write_barrier;
  guint8 read_barrier; /* of 6, that is up until its sources were read, or likewise */
  guint8 wait_mask;    /* barriers that must be down before it is issued */
  guint8 reuse;        /* operands, of bits 24, 32 and 64, that are kept for the next instruction */
  /* (nullable): of the source, as the compiler was told its name: the kernel's own file where
   * code of others was inlined into it */
  GRefString *file;
  int line;     /* of the source, from 1; 0: not known */
  int frame;    /* index among the frames, of where it was written; -1: not known */
  int ptx_line; /* of the PTX that the assembler read, from 1; 0: not known */
} CuredSassInst;

/* A place in the source. */
typedef struct
{
  GRefString *file; /* nullable */
  int line;
  int caller; /* index of the frame that it was inlined into; -1: none */
} CuredSassFrame;

/* A kernel's machine code, with the functions that it calls.
 *
 * Immutable; free with cured_sass_code_free(). */
typedef struct
{
  guint arch;     /* 90 of sm_90 */
  GArray *insts;  /* (element-type CuredSassInst): by offset */
  GArray *frames; /* (element-type CuredSassFrame) */
} CuredSassCode;

CuredSassCode *cured_sass_code_new (GBytes *cubin, const char *entry, GError **error);
void cured_sass_code_free (CuredSassCode *self);
char *cured_sass_inst_get_mnemonic (const CuredSassInst *inst);
char *cured_sass_inst_to_text (const CuredSassInst *inst);
const char *cured_sass_pipe_get_name (CuredSassPipe pipe);
const char *cured_sass_class_get_name (CuredSassClass op_class);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSassCode, cured_sass_code_free)
