/* SPDX-License-Identifier: MIT
 * What one warp of a kernel does to the banks of shared memory, by source line. */
#pragma once

#include <gio/gio.h>

#include "bank/cured-bank-model.h"
#include "device/cured-compiler.h"
#include "kernel/program/cured-program.h"
#include "ptx/machine/cured-launch.h"

/* Of #CuredBankQuery: the first launch whose kernel has shared memory. */
#define CURED_BANK_FIRST_STEP G_MAXSIZE

/* Whose accesses are wanted. */
typedef struct
{
  gsize step;         /* index of a launch of the program, or %CURED_BANK_FIRST_STEP */
  guint64 block;      /* linear index in its grid */
  guint warp;         /* of the block */
  CuredBankArch arch; /* the banks */
  guint64 seed;       /* of the inputs' generator */
} CuredBankQuery;

/* Accesses that differ in nothing but where they begin. */
typedef struct
{
  guint64 count;          /* how many there are */
  CuredBankAccess access; /* the first of them; cured_bank_model_explain() draws it */
  CuredBankCounts counts; /* what each of them costs */
} CuredBankViewPattern;

/* One instruction of the PTX. */
typedef struct
{
  guint site; /* its index in the PTX module */
  char *file; /* (nullable): of the source, as the compiler was told its name */
  int line;   /* of the source; 0: not known */
  /* (nullable): that line, where it is the kernel file's, or that of a file which came with it */
  char *source;
  int ptx_line;         /* of the PTX text */
  char *ptx;            /* the instruction */
  CuredAccessKind kind; /* what it does */
  guint width;          /* bits per lane; of matrices 128, per row */
  /* the bank model has a rule for it; without one all figures but @accesses are 0 */
  gboolean is_known;
  /* it accesses the shared memory of other blocks: in the place of wavefronts are remote sectors
   * (CURED_BANK_KIND_REMOTE_LOAD). What one instruction does to its own block's memory and to
   * others' is two sites */
  gboolean is_remote;
  /* of an atomic that is a loop of compare and swap: most lanes of an access that have one address;
   * else 0 */
  guint loop_lanes;
  guint64 accesses;         /* of the warp */
  guint64 wavefronts;       /* that they take */
  guint64 least;            /* that they would take without a conflict */
  guint64 block_accesses;   /* of all warps of the block; in a cluster, of all of its blocks */
  guint64 block_wavefronts; /* likewise */
  guint64 block_least;      /* likewise */
  CuredBankViewPattern *patterns; /* (array length=n_patterns): the worst first */
  gsize n_patterns;
  /* accesses whose pattern is not in @patterns, where there are too many different ones; the sums
   * have them */
  guint64 n_left_out;
  /* (nullable): a misaligned address, or one outside of shared memory, of some warp of the block;
   * lanes with such an address are in no other field */
  CuredFinding *fault;
  /* (nullable): the shared array that all of its accesses go to, as the source calls it: what tells
   * two loads of one line apart */
  char *array;
} CuredBankSite;

/* One access of the warp. */
typedef struct
{
  gsize site;             /* index of its #CuredBankSite in the view */
  CuredBankAccess access; /* with its addresses as they were */
} CuredBankEvent;

/* Most parts of a buffer. */
#define CURED_BANK_MAX_PARTS 256

/* What a block does to a part of a buffer. */
#define CURED_BANK_PART_READ    1
#define CURED_BANK_PART_WRITTEN 2

/* What the block, all of its warps, does to one buffer. */
typedef struct
{
  char *buffer;        /* its name in the kernel file */
  guint64 bytes;       /* of the buffer */
  guint element_bytes; /* of one of its elements */
  guint64 read_begin;  /* the first byte that is read */
  guint64 read_end;    /* after the last one; @read_begin where none is */
  guint64 write_begin; /* likewise, written */
  guint64 write_end;   /* likewise */
  /* (array length=n_parts): equal parts of the buffer, with %CURED_BANK_PART_READ and
   * %CURED_BANK_PART_WRITTEN where any byte is */
  guint8 *parts;
  gsize n_parts;
} CuredBankSlice;

/* What a thread of the block does to an element of a buffer. */
typedef struct
{
  gsize slice;     /* index of its #CuredBankSlice in the view */
  guint64 element; /* of the buffer */
  guint thread;    /* of the block, counted as warps are made: x first, then y, then z */
  guint8 flags;    /* %CURED_BANK_PART_READ, %CURED_BANK_PART_WRITTEN, or both */
} CuredBankTouch;

/* 8, 16, 32, 64 and 128 bits. */
#define CURED_BANK_N_WIDTHS 5

/* Instructions of one kind on one line, as PTX and the machine code have them. */
typedef struct
{
  char *file;           /* (nullable): of the source */
  int line;             /* of the source */
  CuredAccessKind kind; /* reductions are counted as atomics: the machine has one instruction */
  guint ptx[CURED_BANK_N_WIDTHS]; /* by width: instructions in the text, whether they ran or not */
  guint machine[CURED_BANK_N_WIDTHS]; /* likewise, in the machine code */
} CuredBankWidths;

/* What ptxas made of a line's instructions of one kind. */
typedef enum
{
  CURED_BANK_CHANGE_NONE,   /* as many, of the same widths */
  CURED_BANK_CHANGE_WIDTHS, /* of other widths: merged, mostly */
  CURED_BANK_CHANGE_FEWER,  /* of the same widths, and some were left out */
  CURED_BANK_CHANGE_MORE,   /* of the same widths, and repeated: an unrolled loop */
} CuredBankChange;

/* Immutable, reference-counted; may be used by any thread. */
typedef struct
{
  char *entry;        /* name of the kernel that was looked at */
  gsize step;         /* index of its launch */
  guint grid[3];      /* of the launch */
  guint block[3];     /* that ran: coordinates */
  guint threads[3];   /* of a block: its size */
  guint warp;         /* of the block */
  guint n_warps;      /* that the block has */
  gsize shared_bytes; /* of a block, static and dynamic */
  CuredBankArch arch; /* the banks */
  /* (array length=n_sites): every instruction with which the warp accessed shared memory, in the
   * order of the PTX */
  CuredBankSite *sites;
  gsize n_sites;
  /* (array length=n_events): the warp's first accesses, in the order of time; of the sites that are
   * known */
  CuredBankEvent *events;
  gsize n_events;
  guint64 n_later_events; /* accesses after them that are not kept */
  /* (array length=n_slices): buffers that the block reads or writes, in the order of the kernel
   * file */
  CuredBankSlice *slices;
  gsize n_slices;
  /* (array length=n_touches): which thread touches which element, each pair once, in the order of
   * time */
  CuredBankTouch *touches;
  gsize n_touches;
  gboolean is_touched_more; /* there are more, which are not kept */
  /* (nullable): what the machine code is for: "sm_90"; NULL where none could be made, and then
   * there are no @widths */
  char *machine;
  CuredBankWidths *widths; /* (array length=n_widths): by line, as far as lines are known */
  gsize n_widths;
  /* (nullable): a sentence for people: why the data may not be what they are in a whole run */
  char *note;
  /* (element-type CuredFinding): misaligned addresses and such as are outside of all memory, of all
   * warps of the block and of any instruction, also of those that are no site, since no lane was
   * left; a device stops there */
  GPtrArray *faults;
  CuredEnd end; /* how the block ended */
  /* (nullable): where it is not done: why; of %CURED_END_TIMED_OUT a sentence, and no fault of the
   * kernel's */
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
