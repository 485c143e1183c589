/* SPDX-License-Identifier: MIT
 * One warp's accesses to the banks of shared memory, by source line. */
#pragma once

#include <gio/gio.h>

#include "bank/cured-bank-model.h"
#include "device/cured-compiler.h"
#include "kernel/program/cured-program.h"
#include "ptx/machine/cured-launch.h"

/* In #CuredBankQuery: the first launch whose kernel has shared memory. */
#define CURED_BANK_FIRST_STEP G_MAXSIZE

/* The warp whose accesses to view. */
typedef struct
{
  gsize step;         /* index of a launch of the program, or %CURED_BANK_FIRST_STEP */
  guint64 block;      /* linear index in its grid */
  guint warp;         /* of the block */
  CuredBankArch arch; /* the banks */
  guint64 seed;       /* seed of the inputs' generator */
} CuredBankQuery;

/* Accesses that differ only in their first address. */
typedef struct
{
  guint64 count;          /* number of accesses */
  CuredBankAccess access; /* the first of them; cured_bank_model_explain() draws it */
  CuredBankCounts counts; /* cost of each access */
} CuredBankViewPattern;

/* One instruction of the PTX. */
typedef struct
{
  guint site; /* its index in the PTX module */
  char *file; /* (nullable): source file, by its name for the compiler */
  int line;   /* of the source; 0: not known */
  /* (nullable): that line, if it is in the kernel file, or in a file that came with it */
  char *source;
  int ptx_line;         /* of the PTX text */
  char *ptx;            /* the instruction */
  CuredAccessKind kind; /* kind of access */
  guint width;          /* bits per lane; of matrices 128, per row */
  /* the bank model has a rule for it; otherwise all figures except @accesses are 0 */
  gboolean is_known;
  /* it accesses the shared memory of other blocks: figures are remote sectors instead of wavefronts
   * (CURED_BANK_KIND_REMOTE_LOAD). An instruction that accesses its own block's memory and others'
   * has two sites */
  gboolean is_remote;
  /* for an atomic that is a compare-and-swap loop: greatest number of lanes with one address in an
   * access; else 0 */
  guint loop_lanes;
  guint64 accesses;               /* of the warp */
  guint64 wavefronts;             /* wavefronts that they take */
  guint64 least;                  /* wavefronts that they would take without conflicts */
  guint64 block_accesses;         /* of all warps of the block; in a cluster, of all its blocks */
  guint64 block_wavefronts;       /* likewise */
  guint64 block_least;            /* likewise */
  CuredBankViewPattern *patterns; /* (array length=n_patterns): the worst first */
  gsize n_patterns;
  /* accesses whose pattern is not in @patterns, if there are too many different ones; the sums
   * include them */
  guint64 n_left_out;
  /* (nullable): a misaligned address, or one outside of shared memory, in some warp of the block;
   * lanes with such an address are in no other field */
  CuredFinding *fault;
  /* (nullable): the shared array of all its accesses, by its name in the source, which
   * distinguishes two loads of one line */
  char *array;
} CuredBankSite;

/* One access of the warp. */
typedef struct
{
  gsize site;             /* index of its #CuredBankSite in the view */
  CuredBankAccess access; /* with its original addresses */
} CuredBankEvent;

/* Limit of parts of a buffer. */
#define CURED_BANK_MAX_PARTS 256

/* A block's accesses to a part of a buffer. */
#define CURED_BANK_PART_READ    1
#define CURED_BANK_PART_WRITTEN 2

/* The accesses of all warps of the block to one buffer. */
typedef struct
{
  char *buffer;        /* its name in the kernel file */
  guint64 bytes;       /* of the buffer */
  guint element_bytes; /* of one of its elements */
  guint64 read_begin;  /* the first byte that is read */
  guint64 read_end;    /* after the last one; @read_begin if none is */
  guint64 write_begin; /* likewise, written */
  guint64 write_end;   /* likewise */
  /* (array length=n_parts): equal parts of the buffer, with %CURED_BANK_PART_READ and
   * %CURED_BANK_PART_WRITTEN if any byte is accessed */
  guint8 *parts;
  gsize n_parts;
} CuredBankSlice;

/* A thread's accesses to an element of a buffer. */
typedef struct
{
  gsize slice;     /* index of its #CuredBankSlice in the view */
  guint64 element; /* index of the element */
  guint thread;    /* index in the block, x first, then y, then z */
  guint8 flags;    /* %CURED_BANK_PART_READ, %CURED_BANK_PART_WRITTEN, or both */
} CuredBankTouch;

/* 8, 16, 32, 64 and 128 bits. */
#define CURED_BANK_N_WIDTHS 5

/* Instructions of one kind on one line, in PTX and in machine code. */
typedef struct
{
  char *file;           /* (nullable): of the source */
  int line;             /* of the source */
  CuredAccessKind kind; /* reductions count as atomics: the machine has one instruction for both */
  guint ptx[CURED_BANK_N_WIDTHS]; /* by width: instructions in the text, even if they did not run */
  guint machine[CURED_BANK_N_WIDTHS]; /* likewise, in the machine code */
} CuredBankWidths;

/* What ptxas made of a line's instructions of one kind. */
typedef enum
{
  CURED_BANK_CHANGE_NONE,   /* equally many, of the same widths */
  CURED_BANK_CHANGE_WIDTHS, /* of other widths: merged, mostly */
  CURED_BANK_CHANGE_FEWER,  /* of the same widths, but some were removed */
  CURED_BANK_CHANGE_MORE,   /* of the same widths, but repeated: an unrolled loop */
} CuredBankChange;

/* Immutable, reference-counted; may be used by any thread. */
typedef struct
{
  char *entry;        /* name of the kernel */
  gsize step;         /* index of its launch */
  guint grid[3];      /* of the launch */
  guint block[3];     /* coordinates of the block that ran */
  guint threads[3];   /* size of a block */
  guint warp;         /* of the block */
  guint n_warps;      /* number of warps of the block */
  gsize shared_bytes; /* shared memory of a block, static and dynamic */
  CuredBankArch arch; /* the banks */
  /* (array length=n_sites): every instruction with which the warp accessed shared memory, in the
   * order of the PTX */
  CuredBankSite *sites;
  gsize n_sites;
  /* (array length=n_events): the warp's first accesses to known sites, in order of
   * time */
  CuredBankEvent *events;
  gsize n_events;
  guint64 n_later_events; /* number of later accesses, which are not kept */
  /* (array length=n_slices): buffers that the block reads or writes, in the order of the kernel
   * file */
  CuredBankSlice *slices;
  gsize n_slices;
  /* (array length=n_touches): pairs of thread and element, each once, in order of
   * time */
  CuredBankTouch *touches;
  gsize n_touches;
  gboolean is_touched_more; /* more touches were not kept */
  /* (nullable): arch of the machine code: "sm_90"; NULL if none could be made: there are no @widths
   * then */
  char *machine;
  CuredBankWidths *widths; /* (array length=n_widths): by line, as far as lines are known */
  gsize n_widths;
  /* (nullable): a sentence for people: why the data may differ from a whole run's */
  char *note;
  /* (element-type CuredFinding): misaligned and out-of-bounds addresses of all warps of the block,
   * and of any instruction, even one without a site because no lane was left; a device would
   * stop */
  GPtrArray *faults;
  CuredEnd end; /* how the block ended */
  /* (nullable): why it did not finish; for %CURED_END_TIMED_OUT a sentence, as that is not a fault
   * of the kernel */
  char *end_text;
} CuredBankView;

void cured_bank_query_init (CuredBankQuery *self);
CuredBankView *cured_bank_view_new (CuredCompiler *compiler, const CuredProgram *program,
                                    const CuredBankQuery *query, GCancellable *cancellable,
                                    GError **error);
CuredBankView *cured_bank_view_new_widths (CuredCompiler *compiler, const CuredProgram *program,
                                           const char *entry, GCancellable *cancellable,
                                           GError **error);
CuredBankView *cured_bank_view_ref (CuredBankView *self);
void cured_bank_view_unref (CuredBankView *self);
CuredBankChange cured_bank_widths_get_change (const CuredBankWidths *self);
guint cured_bank_width_get_bits (gsize index);
const char *cured_access_kind_get_name (CuredAccessKind kind);
char *cured_bank_access_describe (const CuredBankAccess *access);
char *cured_bank_site_describe (const CuredBankSite *self, const CuredBankAccess *access);
char *cured_bank_site_get_mnemonic (const CuredBankSite *self);
guint cured_bank_site_get_loop_cycles (const CuredBankSite *self);
char *cured_bank_site_describe_loop (const CuredBankSite *self);
const CuredBankSite *cured_bank_view_find_like (const CuredBankView *self,
                                                const CuredBankSite *site,
                                                const CuredBankView *other);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredBankView, cured_bank_view_unref)
