/* SPDX-License-Identifier: MIT
 * Work: resources of the chip used by launches and their instructions. */
#pragma once

#include <glib.h>

/* Pipes, as occupied by issued instructions.
 *
 * Names are those of #CuredWork's fields. */
typedef enum
{
  CURED_PIPE_FP32,   /* single precision; of 32-bit lanes */
  CURED_PIPE_IMAD,   /* integer multiplications, on half of the fp32 lanes */
  CURED_PIPE_ALU,    /* integer additions, logic, comparisons, min and max, moves */
  CURED_PIPE_HALF,   /* half precision, packed or single */
  CURED_PIPE_FP64,   /* double precision */
  CURED_PIPE_MUFU,   /* special functions, and conversions between types */
  CURED_PIPE_LSU,    /* memory, shuffles, barriers in memory */
  CURED_PIPE_TENSOR, /* products of matrices, by their size */
  /* branches, barriers, exits, and per-warp work; instructions that make products */
  CURED_PIPE_CONTROL,
  CURED_N_PIPES
} CuredPipe;

/* ORDER: name, title, meaning (untranslated). The name is also used in JSON and as a column of
 * result files; the first CURED_N_PIPES are in the order of #CuredPipe. "slots" are warp
 * instructions of machine code: counted there, or estimated from PTX
 * (cured-ptx-cost-internal.h). */
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

/* Sums of figures.
 *
 * One number per row of the table above, for all blocks of the launch. If only some of them ran,
 * their figures are scaled up, so they need not be integers; #CuredWorkLaunch's @error estimates
 * the error. A sector has 32 bytes and is counted once per request. */
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

/* The event that completes an instruction's result. */
typedef enum
{
  CURED_WAIT_NONE,     /* nothing: the register is only renamed */
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
  CURED_WAIT_STORE,    /* nothing: there is no result */
  CURED_WAIT_COPY,     /* an asynchronous copy: CURED_WAIT_COPIES waits for it */
  CURED_WAIT_BULK,     /* a copy by the copy engine: an mbarrier signals its end */
  CURED_WAIT_COPIES,   /* all copies that were started */
  CURED_WAIT_BARRIER,  /* the block's other warps */
  CURED_WAIT_BRANCH,   /* the next instruction */
} CuredWaitKind;

/* An instruction's dependences. */
typedef struct
{
  CuredWaitKind wait; /* what its result waits for */
  guint target; /* of a branch: index of the target's PTX instruction; %G_MAXUINT: not a branch */
  /* a load of data that is constant while the kernel runs, and need not wait for earlier stores */
  gboolean is_read_only;
  guint n_out;      /* registers written */
  guint n_in;       /* registers read, including its predicate's */
  guint *registers; /* (array): numbers of those written, then of those read */
} CuredWorkFlow;

/* An instruction that ran. */
typedef struct
{
  guint site;   /* index of the PTX instruction in the module */
  char *file;   /* (nullable): base name of its source file */
  int line;     /* its line, from 1; 0: not known */
  int ptx_line; /* its line of the PTX text, from 1 */
  char *text;   /* the text of the instruction */
  /* (nullable): its dependences; NULL: unknown, as in counts of another process */
  CuredWorkFlow *flow;
  CuredWork work; /* its figures */
} CuredWorkSite;

/* An instruction of machine code, as executed by a warp. */
typedef struct
{
  CuredWaitKind wait; /* what its result waits for */
  guint site;         /* index of the PTX instruction from which it was made */
  guint target;       /* of a branch: index of the target's step; %G_MAXUINT: not a branch */
  guint8 stall;       /* cycles until the warp's next instruction may start */
  guint8 sets;        /* the barrier (of six) that is set until the result is available; 7: none */
  guint8 reads;       /* likewise, until its operands were read */
  guint8 mask;        /* barriers that must be clear before it starts */
  double executed;    /* by warps, of all repeats of the launch */
} CuredMachineStep;

/* A launch's accesses to one buffer. */
typedef struct
{
  char *name;     /* as in the kernel file */
  double bytes;   /* size of the buffer */
  double read;    /* sectors of loads, each counted once a request */
  double written; /* sectors of stores and atomic operations */
  /* sectors of loads, each counted once per block: the traffic through L1 if it evicts nothing
   * while a block runs */
  double once;
  /* the share of @once that no other concurrent block has loaded; NaN: not known */
  double fresh;
  /* the share of @once that the other block of a pair loads at the same time, so that the chip
   * requests it from L2 once: half of what both load; NaN: not known */
  double joined;
} CuredWorkBuffer;

/* A launch's traffic beyond the caches.
 *
 * NaN: unknown. */
typedef struct
{
  double l1_hits;        /* L1 hits, in sectors of loads */
  double l2_read;        /* bytes read from L2 by multiprocessors */
  double l2_written;     /* bytes written to L2, including atomic operations */
  double memory_read;    /* bytes fetched by L2 */
  double memory_written; /* bytes written back by L2 */
} CuredTraffic;

/* A step of a program that launches a kernel. */
typedef struct
{
  char *entry;     /* the kernel */
  guint step;      /* index of the step in the program */
  guint64 repeats; /* number of launches; @total, @sites and @buffers are sums over them */
  guint grid[3], block[3];
  gsize shared_bytes; /* per block, static and dynamic */
  int registers;      /* per thread; 0: not known */
  int blocks_per_sm;  /* resident on a multiprocessor at once; 0: not known */
  guint64 n_blocks;   /* of the grid */
  guint64 n_run;      /* number of these that ran */
  /* blocks depend on others (by a ticket from an atomic operation, or a flag to wait for), so that
   * all of them had to run */
  gboolean takes_tickets;
  /* relative standard error of the issue slots, from the variation between the blocks that ran; 0
   * if all ran */
  double error;
  /* share of the issue slots in basic blocks of machine code whose count is not exact
   * (docs/machine-code.md); NaN: not known, as for slots estimated from PTX */
  double uncertain;
  /* bytes of global memory that a thread has in flight before it waits: the mean over all bytes
   * loaded, from the machine code; NaN: not known, or loaded by copies */
  double in_flight;
  double longest; /* PTX instructions of the longest-running warp, in one launch */
  /* atomic operations on the most frequent address, in one launch, as far as addresses were
   * distinguished */
  double hottest;
  char *end;            /* reason of an early end (nullable): counts are then partial */
  CuredWork total;      /* sum over all instructions */
  CuredTraffic traffic; /* of the caches */
  GPtrArray *sites;     /* (element-type CuredWorkSite): those that ran, in the order of the PTX */
  GPtrArray *buffers;   /* (element-type CuredWorkBuffer): those accessed */
  /* (nullable) (element-type CuredMachineStep): machine code, in its order; NULL: unknown, as in
   * counts of another process */
  GArray *steps;
} CuredWorkLaunch;

/* The launches of a program, in order.
 *
 * Immutable once built; reference-counted. */
typedef struct
{
  GPtrArray *launches; /* (element-type CuredWorkLaunch): those that launch a kernel */
  guint n_sets;        /* steps that set a buffer */
  guint n_host_steps;  /* steps that copy a buffer to the host and work there */
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
