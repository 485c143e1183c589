/* SPDX-License-Identifier: MIT
 * What one warp of a kernel does to the banks of shared memory, by source line.
 */
#pragma once

#include <gio/gio.h>

#include "bank/cured-bank-model.h"
#include "device/cured-compiler.h"
#include "kernel/program/cured-program.h"
#include "ptx/machine/cured-launch.h"

G_BEGIN_DECLS

/**
 * CURED_BANK_FIRST_STEP: of #CuredBankQuery: the first launch whose kernel has shared memory
 */
#define CURED_BANK_FIRST_STEP G_MAXSIZE

/**
 * CuredBankQuery: whose accesses are wanted.
 * @step: index of a launch of the program, or %CURED_BANK_FIRST_STEP
 * @block: linear index in its grid
 * @warp: of the block
 * @arch: the banks
 * @seed: of the inputs' generator
 */
typedef struct
{
  gsize step;
  guint64 block;
  guint warp;
  CuredBankArch arch;
  guint64 seed;
} CuredBankQuery;

/**
 * CuredBankViewPattern: accesses that differ in nothing but where they begin.
 * @count: how many there are
 * @access: the first of them; cured_bank_model_explain() draws it
 * @counts: what each of them costs
 */
typedef struct
{
  guint64 count;
  CuredBankAccess access;
  CuredBankCounts counts;
} CuredBankViewPattern;

/**
 * CuredBankSite: one instruction of the PTX.
 * @site: its index in the PTX module
 * @file: (nullable): of the source, as the compiler was told its name
 * @line: of the source; 0: not known
 * @source: (nullable): that line, where it is the kernel file's, or that of a file
 *   which came with it
 * @ptx_line: of the PTX text
 * @ptx: the instruction
 * @kind: what it does
 * @width: bits per lane; of matrices 128, per row
 * @is_known: the bank model has a rule for it; without one all figures but
 *   @accesses are 0
 * @is_remote: it accesses the shared memory of other blocks: in the place of wavefronts are remote
 *   sectors (CURED_BANK_KIND_REMOTE_LOAD). What one instruction does to its own block's memory and to
 *   others' is two sites
 * @loop_lanes: of an atomic that is a loop of compare and swap: most lanes of an access that have one
 *   address; else 0
 * @accesses: of the warp
 * @wavefronts: that they take
 * @least: that they would take without a conflict
 * @block_accesses: of all warps of the block; in a cluster, of all of its blocks
 * @block_wavefronts: likewise
 * @block_least: likewise
 * @patterns: (array length=n_patterns): the worst first
 * @n_left_out: accesses whose pattern is not in @patterns, where there are too
 *   many different ones; the sums have them
 * @fault: (nullable): a misaligned address, or one outside of shared memory, of
 *   some warp of the block; lanes with such an address are in no other field
 * @array: (nullable): the shared array that all of its accesses go to, as the
 *   source calls it: what tells two loads of one line apart
 */
typedef struct
{
  guint site;
  char *file;
  int line;
  char *source;
  int ptx_line;
  char *ptx;
  CuredAccessKind kind;
  guint width;
  gboolean is_known;
  gboolean is_remote;
  guint loop_lanes;
  guint64 accesses, wavefronts, least, block_accesses, block_wavefronts, block_least;
  CuredBankViewPattern *patterns;
  gsize n_patterns;
  guint64 n_left_out;
  CuredFinding *fault;
  char *array;
} CuredBankSite;

/**
 * CuredBankEvent: one access of the warp.
 * @site: index of its #CuredBankSite in the view
 * @access: with its addresses as they were
 */
typedef struct
{
  gsize site;
  CuredBankAccess access;
} CuredBankEvent;

/* Most parts of a buffer. */
#define CURED_BANK_MAX_PARTS 256

/* What a block does to a part of a buffer. */
#define CURED_BANK_PART_READ    1
#define CURED_BANK_PART_WRITTEN 2

/**
 * CuredBankSlice: what the block, all of its warps, does to one buffer.
 * @buffer: its name in the kernel file
 * @bytes: of the buffer
 * @element_bytes: of one of its elements
 * @read_begin: the first byte that is read
 * @read_end: after the last one; @read_begin where none is
 * @write_begin: likewise, written
 * @write_end: likewise
 * @parts: (array length=n_parts): equal parts of the buffer, with
 *   %CURED_BANK_PART_READ and %CURED_BANK_PART_WRITTEN where any byte is
 */
typedef struct
{
  char *buffer;
  guint64 bytes;
  guint element_bytes;
  guint64 read_begin, read_end, write_begin, write_end;
  guint8 *parts;
  gsize n_parts;
} CuredBankSlice;

/**
 * CuredBankTouch: what a thread of the block does to an element of a buffer.
 * @slice: index of its #CuredBankSlice in the view
 * @element: of the buffer
 * @thread: of the block, counted as warps are made: x first, then y, then z
 * @flags: %CURED_BANK_PART_READ, %CURED_BANK_PART_WRITTEN, or both
 */
typedef struct
{
  gsize slice;
  guint64 element;
  guint thread;
  guint8 flags;
} CuredBankTouch;

/* 8, 16, 32, 64 and 128 bits. */
#define CURED_BANK_N_WIDTHS 5

/**
 * CuredBankWidths: instructions of one kind on one line, as PTX and the machine code have them.
 * @file: (nullable): of the source
 * @line: of the source
 * @kind: reductions are counted as atomics: the machine has one instruction
 * @ptx: by width: instructions in the text, whether they ran or not
 * @machine: likewise, in the machine code
 */
typedef struct
{
  char *file;
  int line;
  CuredAccessKind kind;
  guint ptx[CURED_BANK_N_WIDTHS], machine[CURED_BANK_N_WIDTHS];
} CuredBankWidths;

/**
 * CuredBankChange: what ptxas made of a line's instructions of one kind.
 * @CURED_BANK_CHANGE_NONE: as many, of the same widths
 * @CURED_BANK_CHANGE_WIDTHS: of other widths: merged, mostly
 * @CURED_BANK_CHANGE_FEWER: of the same widths, and some were left out
 * @CURED_BANK_CHANGE_MORE: of the same widths, and repeated: an unrolled loop
 */
typedef enum
{
  CURED_BANK_CHANGE_NONE,
  CURED_BANK_CHANGE_WIDTHS,
  CURED_BANK_CHANGE_FEWER,
  CURED_BANK_CHANGE_MORE,
} CuredBankChange;

/**
 * CuredBankView:
 * @entry: name of the kernel that was looked at
 * @step: index of its launch
 * @grid: of the launch
 * @block: that ran: coordinates
 * @threads: of a block: its size
 * @warp: of the block
 * @n_warps: that the block has
 * @shared_bytes: of a block, static and dynamic
 * @arch: the banks
 * @sites: (array length=n_sites): every instruction with which the warp
 *   accessed shared memory, in the order of the PTX
 * @events: (array length=n_events): the warp's first accesses, in the order of
 *   time; of the sites that are known
 * @n_later_events: accesses after them that are not kept
 * @slices: (array length=n_slices): buffers that the block reads or writes, in
 *   the order of the kernel file
 * @touches: (array length=n_touches): which thread touches which element, each
 *   pair once, in the order of time
 * @is_touched_more: there are more, which are not kept
 * @machine: (nullable): what the machine code is for: "sm_90"; NULL where none
 *   could be made, and then there are no @widths
 * @widths: (array length=n_widths): by line, as far as lines are known
 * @note: (nullable): a sentence for people: why the data may not be what they
 *   are in a whole run
 * @faults: (element-type CuredFinding): misaligned addresses and such as are
 *   outside of all memory, of all warps of the block and of any instruction,
 *   also of those that are no site, since no lane was left; a device stops
 *   there
 * @end: how the block ended
 * @end_text: (nullable): where it is not done: why; of %CURED_END_TIMED_OUT a
 *   sentence, and no fault of the kernel's
 *
 * Immutable, reference-counted; may be used by any thread.
 */
typedef struct
{
  char *entry;
  gsize step;
  guint grid[3], block[3], threads[3], warp, n_warps;
  gsize shared_bytes;
  CuredBankArch arch;
  CuredBankSite *sites;
  gsize n_sites;
  CuredBankEvent *events;
  gsize n_events;
  guint64 n_later_events;
  CuredBankSlice *slices;
  gsize n_slices;
  CuredBankTouch *touches;
  gsize n_touches;
  gboolean is_touched_more;
  char *machine;
  CuredBankWidths *widths;
  gsize n_widths;
  char *note;
  GPtrArray *faults;
  CuredEnd end;
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

G_END_DECLS
