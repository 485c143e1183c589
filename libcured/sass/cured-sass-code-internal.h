/* SPDX-License-Identifier: MIT
 * The machine code of a kernel, decoded. */
#pragma once

#include <glib.h>

/* What executes an instruction. */
typedef enum
{
  CURED_SASS_PIPE_UNKNOWN, /* of an unknown instruction */
  CURED_SASS_PIPE_NONE,    /* none: it is only issued */
  /* single precision, on either half of the pipe if it has two (from sm_86 on) */
  CURED_SASS_PIPE_FMA,
  CURED_SASS_PIPE_FMA_HEAVY, /* integer multiplication, only on its first half */
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

/* Classes of instructions, with their names. */
/* clang-format off */
#define CURED_SASS_CLASSES(X) \
  X (UNKNOWN, "unknown") \
  X (OTHER, "other") \
  X (MOVE, "move") \
  X (INTEGER, "integer") \
  X (INTEGER_MULTIPLY, "integer-multiply") \
  X (SINGLE, "single") /* other single precision than the next three */ \
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
  X (CONVERGENCE, "convergence") /* bookkeeping of divergence and convergence */ \
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
  /* number of the first one; registers that always read as zero or true are not
   * listed */
  guint8 first;
  guint8 count; /* number of consecutive registers */
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
  gint16 row;                /* row of cured-sass-ops.def, from 0; -1: unknown */
  CuredSassPipe pipe;        /* pipe that executes it */
  CuredSassClass op_class;   /* what it does */
  guint width;               /* for an access to memory: bits per lane; for matrices 128, per row */
  guint matrices;            /* of matrices: 1, 2 or 4; otherwise 0 */
  guint8 guard;              /* predicate, or #CURED_SASS_NO_PREDICATE */
  gboolean is_guard_negated; /* it runs if the predicate is false */
  gboolean never;            /* its guard is the constant false */
  guint n_operands;
  CuredSassOperand operands[CURED_SASS_MAX_OPERANDS];
  gboolean has_constant; /* it reads constant memory at this bank and offset: */
  guint8 bank;
  guint16 address;
  guint64 target;       /* offset of its branch target, or #CURED_SASS_NO_TARGET */
  gboolean is_indirect; /* its target is in a register */
  guint8 stall;         /* cycles until the warp's next instruction may be issued */
  gboolean yields;      /* hint for the scheduler to take another warp next */
  /* barrier, of 6, that is set until the results are available, or #CURED_SASS_NO_BARRIER */
  guint8 write_barrier;
  guint8 read_barrier; /* barrier, of 6, that is set until its sources were read, or likewise */
  guint8 wait_mask;    /* barriers that must be clear before it is issued */
  guint8 reuse;        /* operands, of bits 24, 32 and 64, that are kept for the next instruction */
  /* (nullable): source file, by its name for the compiler; the kernel's own file if another file's
   * code was inlined into it */
  GRefString *file;
  int line;     /* source line, from 1; 0: unknown */
  int frame;    /* index of the frame of its original place; -1: unknown */
  int ptx_line; /* line of the assembled PTX, from 1; 0: unknown */
} CuredSassInst;

/* A place in the source. */
typedef struct
{
  GRefString *file; /* nullable */
  int line;
  int caller; /* index of the frame into which it was inlined; -1: none */
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
