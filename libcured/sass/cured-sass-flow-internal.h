/* SPDX-License-Identifier: MIT
 * How often each piece of a kernel's machine code ran. */
#pragma once

#include "sass/cured-sass-code-internal.h"
#include "ptx/machine/cured-launch.h"

G_BEGIN_DECLS

/**
 * CuredSassSite: what one instruction of the PTX did in a launch.
 * @ptx_line: of the text that was assembled, from 1
 * @op_class: what becomes of it in machine code, one to one but for accesses
 *   that are joined or split; #CURED_SASS_CLASS_UNKNOWN: anything
 * @width: of an access to memory: bits per lane; otherwise 0
 * @is_guarded: it has a predicate
 * @issued: warps that executed it
 * @diverged: of a branch: warps that split there
 * @taken: of a branch: warps that went to its target; -1: not known
 * @target_line, @target_end: of the block there, the first line and the last
 * @next_line, @next_end: of the block behind it, likewise
 */
typedef struct
{
  int ptx_line;
  CuredSassClass op_class;
  guint width;
  gboolean is_guarded;
  guint64 issued, diverged;
  gint64 taken;
  int target_line, target_end, next_line, next_end;
} CuredSassSite;

/**
 * CuredSassCertainty: how sure a count is.
 * @CURED_SASS_EXACT: it follows from what must hold: as many warps go into a block as come out,
 *   and each store, load, barrier and atomic of the PTX runs as often in machine code
 * @CURED_SASS_BOUNDED: that leaves room, from @low to @high; in there the count is what the PTX's
 *   instructions say that the block was made from
 * @CURED_SASS_UNKNOWN: nothing bounds it, or what was counted contradicts itself: the count is the
 *   PTX's
 */
typedef enum
{
  CURED_SASS_EXACT,
  CURED_SASS_BOUNDED,
  CURED_SASS_UNKNOWN,
} CuredSassCertainty;

#define CURED_SASS_NO_BLOCK G_MAXUINT

/**
 * CuredSassBlock: instructions that run one after the other.
 * @first: index of the first one
 * @n_insts: how many
 * @next: the block behind it, where it may go on there, or #CURED_SASS_NO_BLOCK
 * @target: the block that it may branch to or calls, or likewise
 * @executed: warps that ran it @low, @high: between these it is; @high may be infinite
 */
typedef struct
{
  guint first, n_insts, next, target;
  double executed, low, high;
  CuredSassCertainty certainty;
} CuredSassBlock;

/* 8, 16, 32, 64 and 128 bits per lane. */
#define CURED_SASS_N_WIDTHS 5

/**
 * CuredSassFlow: executed machine code of a launch.
 * @blocks: (element-type CuredSassBlock): by offset
 * @by_pipe, @by_class: executed warp instructions
 * @requests: those of a class that access memory, by their width
 * @total: executed warp instructions
 * @uncertain: of these, in blocks that are not exact
 * @low, @high: between these @total is; @high may be infinite
 * @n_contradictions: counts that contradict others, and were left out
 *
 * Free with cured_sass_flow_free().
 */
typedef struct
{
  GArray *blocks;
  double by_pipe[CURED_SASS_N_PIPES], by_class[CURED_SASS_N_CLASSES];
  double requests[CURED_SASS_N_CLASSES][CURED_SASS_N_WIDTHS];
  double total, uncertain, low, high;
  guint n_contradictions;
} CuredSassFlow;

GArray *cured_sass_list_sites (const CuredPtxModule *module, const CuredSiteCounts *counts,
                               guint n_counts);
CuredSassFlow *cured_sass_flow_new (const CuredSassCode *code, const CuredSassSite *sites,
                                    gsize n_sites, guint64 n_warps);
void cured_sass_flow_free (CuredSassFlow *self);
const CuredSassBlock *cured_sass_flow_get_block (const CuredSassFlow *self, guint inst);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSassFlow, cured_sass_flow_free)

G_END_DECLS
