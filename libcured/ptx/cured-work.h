/* SPDX-License-Identifier: MIT
 * Work: what launches asked of the chip's resources, and each instruction of them. */
#pragma once

#include <glib.h>

/* What an issued instruction occupies.
 *
 * Names are those of #CuredWork's fields. */
typedef enum
{
  CURED_PIPE_FP32,   /* single precision; of 32-bit lanes */
  CURED_PIPE_IMAD,   /* integer multiplications, on half of the fp32 lanes */
  CURED_PIPE_ALU,    /* integer additions, logic, comparisons, min and max, moves */
  CURED_PIPE_HALF,   /* half precision, packed or single */
  CURED_PIPE_FP64,   /* double precision */
  CURED_PIPE_MUFU,   /* the special functions, and conversions between types */
  CURED_PIPE_LSU,    /* memory, shuffles, barriers in memory */
  CURED_PIPE_TENSOR, /* products of matrices, by how much they multiply */
  /* branches, barriers, exits, and per-warp work; instructions that ask for products */
  CURED_PIPE_CONTROL,
  CURED_N_PIPES
} CuredPipe;

/* ORDER: name, title, meaning (untranslated). A field's name is also its name in JSON and its
 * column in result files; the first CURED_N_PIPES are those of
 * #CuredPipe, in its order. "slots" are warp instructions of machine code: counted
 * there, or estimated from PTX (cured-ptx-cost-internal.h). */
#define CURED_WORK_FIELDS(X)                                                                       \
  X (fp32, "fp32", "issue slots of single precision")                                              \
  X (imad, "imad", "issue slots of integer multiplication")                                        \
  X (alu, "alu", "issue slots of integer arithmetic, logic and moves")                             \
  X (half, "half", "issue slots of half precision")                                                \
  X (fp64, "fp64", "issue slots of double precision")                                              \
  X (mufu, "mufu", "issue slots of special functions and conversions")                             \
  X (lsu, "lsu", "issue slots of loads, stores and shuffles")                                      \
  X (tensor, "tensor", "products of 16 x 8 by 8 x 16 words of matrices")                           \
  X (control, "control", "issue slots of branches, barriers, products, exits")                     \
  X (issued, "issued", "PTX instructions, by warps")                                               \
  X (lanes, "lanes", "PTX instructions, by lanes")                                                 \
  X (diverged, "diverged", "times that a branch split a warp")                                     \
  X (barriers, "barriers", "arrivals of warps at a block's barrier")                               \
  X (requests, "requests", "accesses of warps to global memory")                                   \
  X (lines, "lines", "turns of L1 for them, of 128 bytes")                                         \
  X (load_ca, "load .ca", "sectors loaded through L1")                                             \
  X (load_cg, "load .cg", "sectors loaded past L1")                                                \
  X (load_nc, "load .nc", "sectors loaded through L1, read-only")                                  \
  X (stored, "stored", "sectors stored")                                                           \
  X (atomic, "atomic", "sectors of atomic operations")                                             \
  X (partial, "partial", "of the sectors stored: written only in part")                            \
  X (shared_requests, "shared requests", "accesses of warps to shared memory")                     \
  X (wavefronts, "wavefronts", "wavefronts of shared memory")                                      \
  X (least, "least", "wavefronts that they need without a conflict")                               \
  X (remote, "remote sectors", "sectors of other blocks' shared memory")                           \
  X (remote_least, "remote least", "sectors of the same bytes side by side")                       \
  X (remote_requests, "remote requests", "lines of it that loads ask for")                         \
  X (local_requests, "local requests", "accesses of warps to local memory")                        \
  X (local_sectors, "local sectors", "sectors of local memory")                                    \
  X (atomics, "atomics", "atomic operations on global memory, by lanes")                           \
  X (addresses, "addresses", "distinct addresses of them, by request")                             \
  X (constants, "constants", "accesses of warps to constants, parameters too")                     \
  X (constant_words, "constant words", "distinct addresses of them")

/* What was asked, added up.
 *
 * One number a row of the table above. Of all blocks of the launch: where only some of them ran,
 * what those did is scaled up, so that a number need not be a whole one; #CuredWorkLaunch's
 * @error says how far off that may be. Sectors have 32 bytes, and each is counted once a
 * request. */
typedef struct
{
#define CURED_WORK_FIELD(name, title, meaning) double name;
  CURED_WORK_FIELDS (CURED_WORK_FIELD)
#undef CURED_WORK_FIELD
} CuredWork;

typedef struct
{
  const char *name;    /* in JSON and in result files */
  const char *title;   /* a word or two for people (untranslated) */
  const char *meaning; /* one phrase for people (untranslated) */
  gsize offset;        /* of the number in #CuredWork */
} CuredWorkField;

/* What a warp waits for, before an instruction's result is there. */
typedef enum
{
  CURED_WAIT_NONE,     /* nothing: the register is called something else */
  CURED_WAIT_ALU,      /* arithmetic */
  CURED_WAIT_FP64,     /* double precision */
  CURED_WAIT_MUFU,     /* special functions, conversions */
  CURED_WAIT_TENSOR,   /* matrices */
  CURED_WAIT_SHUFFLE,  /* shuffles and votes */
  CURED_WAIT_CONSTANT, /* constants and parameters */
  CURED_WAIT_SHARED,   /* a load from shared memory */
  CURED_WAIT_GLOBAL,   /* a load from global memory */
  CURED_WAIT_LOCAL,    /* a load from local memory */
  CURED_WAIT_ATOMIC,   /* an atomic operation on global memory */
  CURED_WAIT_STORE,    /* nothing comes back */
  CURED_WAIT_COPY,     /* an asynchronous copy: CURED_WAIT_COPIES waits for it */
  CURED_WAIT_BULK, /* a copy by the copy engine: a barrier in shared memory says when it is there */
  CURED_WAIT_COPIES,  /* copies that were started */
  CURED_WAIT_BARRIER, /* the block's other warps */
  CURED_WAIT_BRANCH,  /* the next instruction */
} CuredWaitKind;

/* How an instruction hangs together with others. */
typedef struct
{
  CuredWaitKind wait; /* what its result waits for */
  guint target; /* of a branch: index of the PTX instruction that it goes to; %G_MAXUINT: of none */
  /* a load of data that is constant while the kernel runs, which need not wait for earlier
   * stores */
  gboolean is_read_only;
  guint n_out;      /* registers that it writes */
  guint n_in;       /* registers that it reads, its predicate's among them */
  guint *registers; /* (array): numbers of those that it writes, then of those it reads */
} CuredWorkFlow;

/* An instruction that ran. */
typedef struct
{
  guint site;   /* index of the PTX instruction in the module */
  char *file;   /* (nullable): base name of the source file it comes from */
  int line;     /* of it, from 1; 0: not known */
  int ptx_line; /* of the PTX text, from 1 */
  char *text;   /* the text of the instruction */
  /* (nullable): what it needs, and who needs it; NULL: not known, as of counts of another
   * process */
  CuredWorkFlow *flow;
  CuredWork work; /* what it did */
} CuredWorkSite;

/* An instruction of machine code, as a warp meets it. */
typedef struct
{
  CuredWaitKind wait; /* what its result waits for */
  guint site;         /* index of the PTX instruction that it was made from */
  guint target;       /* of a branch: index of the step that it goes to; %G_MAXUINT: of none */
  guint8 stall;       /* cycles until the warp's next instruction may start */
  guint8 sets;        /* of six barriers, the one that is up until the result is there; else 7 */
  guint8 reads;       /* likewise, until its operands were read */
  guint8 mask;        /* barriers that must be down before it starts */
  double executed;    /* by warps, of all repeats of the launch */
} CuredMachineStep;

/* What a launch asked of one buffer. */
typedef struct
{
  char *name;     /* of the kernel file */
  double bytes;   /* that the buffer has */
  double read;    /* sectors of loads, each counted once a request */
  double written; /* sectors of stores and atomic operations */
  /* sectors of loads, each counted once a block: what L1 lets through if it forgets nothing while a
   * block runs */
  double once;
  /* of these, the share that no other block which runs at the same time has loaded; NaN: not
   * known */
  double fresh;
  /* of @once, the share that the other one of two blocks loads at the same time, which the chip
   * asks L2 for once: half of what both load; NaN: not known */
  double joined;
} CuredWorkBuffer;

/* What of a launch's sectors the caches let through.
 *
 * NaN where it is unknown. */
typedef struct
{
  double l1_hits;        /* sectors of loads that L1 had; NaN: not known */
  double l2_read;        /* bytes that L2 gave to multiprocessors */
  double l2_written;     /* bytes that it took, atomic operations' included */
  double memory_read;    /* bytes that L2 fetched */
  double memory_written; /* bytes that L2 wrote back */
} CuredTraffic;

/* A step of a program that launches a kernel. */
typedef struct
{
  char *entry;     /* the kernel */
  guint step;      /* index of the step in the program */
  guint64 repeats; /* times that it was launched; @total, @sites and @buffers are of all of them */
  guint grid[3], block[3];
  gsize shared_bytes; /* per block, static and dynamic */
  int registers;      /* per thread; 0: not known */
  int blocks_per_sm;  /* that a multiprocessor holds at once; 0: not known */
  guint64 n_blocks;   /* of the grid, of one launch */
  guint64 n_run;      /* of these, how many ran */
  /* what a block does depends on others (a ticket that an atomic operation hands out, a flag it
   * waits for), so that all of them had to run */
  gboolean takes_tickets;
  /* relative standard error of the issue slots, from how much the blocks that ran differ; 0 where
   * all ran */
  double error;
  /* share of the issue slots that are in blocks of machine code whose count is not exact
   * (docs/machine-code.md); NaN: not known, as of slots that are estimated from PTX */
  double uncertain;
  /* bytes of global memory that a thread has requested at a time, before it waits for them: the
   * mean over all bytes that it loads, from the machine code; NaN: not known, or brought by
   * copies */
  double in_flight;
  double longest; /* PTX instructions of the warp that executed most, in one launch */
  /* atomic operations on the one address that has most of them, in one launch, as far as addresses
   * were kept apart */
  double hottest;
  char *end;            /* why it was cut short (nullable): counts are then of what ran */
  CuredWork total;      /* of all instructions */
  CuredTraffic traffic; /* of the caches */
  GPtrArray *sites;     /* (element-type CuredWorkSite): those that ran, in the order of the PTX */
  GPtrArray *buffers;   /* (element-type CuredWorkBuffer): those that it touched */
  /* (nullable) (element-type CuredMachineStep): machine code, in its order; NULL: not known, as of
   * counts of another process */
  GArray *steps;
} CuredWorkLaunch;

/* The launches of a program, in their order.
 *
 * Immutable once made; reference-counted. */
typedef struct
{
  GPtrArray *launches; /* (element-type CuredWorkLaunch): those that launch a kernel */
  guint n_sets;        /* steps that set a buffer */
  guint n_host_steps;  /* steps that bring a buffer to the host and work there */
} CuredWorkload;

const CuredWorkField *cured_work_fields (gsize *n_fields);
double cured_work_get (const CuredWork *self, const CuredWorkField *field);
void cured_work_add (CuredWork *self, const CuredWork *other, double times);
double cured_work_get_slots (const CuredWork *self);
guint64 cured_work_launch_count_threads (const CuredWorkLaunch *self);

CuredWorkload *cured_workload_new (void);
CuredWorkload *cured_workload_ref (CuredWorkload *self);
void cured_workload_unref (CuredWorkload *self);
CuredWorkLaunch *cured_workload_add (CuredWorkload *self, const char *entry);
gboolean cured_workload_get_traffic (const CuredWorkload *self, CuredTraffic *traffic);
void cured_workload_get_total (const CuredWorkload *self, CuredWork *total);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredWorkload, cured_workload_unref)
