/* SPDX-License-Identifier: MIT
 * How often each piece of a kernel's machine code ran. */
#pragma once

#include "sass/cured-sass-code-internal.h"
#include "ptx/machine/cured-launch.h"

/* Counts of one PTX instruction in a launch. */
typedef struct
{
  int ptx_line; /* line of the assembled text, from 1 */
  /* class of its machine instruction, one to one except for joined or split accesses;
   * #CURED_SASS_CLASS_UNKNOWN: any */
  CuredSassClass op_class;
  guint width;                 /* of an access to memory: bits per lane; otherwise 0 */
  gboolean is_guarded;         /* it has a predicate */
  guint64 issued;              /* warps that executed it */
  guint64 diverged;            /* for a branch: warps that split */
  gint64 taken;                /* for a branch: warps that went to its target; -1: unknown */
  int target_line, target_end; /* first and last line of the target's block */
  int next_line, next_end;     /* first and last line of the block behind it */
} CuredSassSite;

/* The certainty of a count. */
typedef enum
{
  /* it follows from necessary conditions: equally many warps enter and leave a block, and each
   * store, load, barrier and atomic of the PTX runs equally often in machine code */
  CURED_SASS_EXACT,
  /* these conditions only bound it, from @low to @high; within the bounds, the count is that of the
   * block's PTX instructions */
  CURED_SASS_BOUNDED,
  /* nothing bounds it, or counts are contradictory: the count is the PTX's */
  CURED_SASS_UNKNOWN,
} CuredSassCertainty;

#define CURED_SASS_NO_BLOCK G_MAXUINT

/* Instructions that run one after the other. */
typedef struct
{
  guint first;     /* index of the first one */
  guint n_insts;   /* number of instructions */
  guint next;      /* the next block, if it may continue there, or #CURED_SASS_NO_BLOCK */
  guint target;    /* the block that it may branch to or calls, or likewise */
  double executed; /* warps that ran it */
  double low;      /* lower bound of @executed */
  double high;     /* upper bound, possibly infinite */
  CuredSassCertainty certainty;
} CuredSassBlock;

/* 8, 16, 32, 64 and 128 bits per lane. */
#define CURED_SASS_N_WIDTHS 5

/* Executed machine code of a launch.
 *
 * Free with cured_sass_flow_free(). */
typedef struct
{
  GArray *blocks; /* (element-type CuredSassBlock): by offset */
  /* @by_pipe, @by_class: executed warp instructions */
  double by_pipe[CURED_SASS_N_PIPES], by_class[CURED_SASS_N_CLASSES];
  /* accesses to memory of a class, by width */
  double requests[CURED_SASS_N_CLASSES][CURED_SASS_N_WIDTHS];
  double total;           /* executed warp instructions */
  double uncertain;       /* of these, in blocks that are not exact */
  double low;             /* lower bound of @total */
  double high;            /* upper bound, possibly infinite */
  guint n_contradictions; /* number of counts that contradict others, and were ignored */
} CuredSassFlow;

GArray *cured_sass_list_sites (const CuredPtxModule *module, const CuredSiteCounts *counts,
                               guint n_counts);
CuredSassFlow *cured_sass_flow_new (const CuredSassCode *code, const CuredSassSite *sites,
                                    gsize n_sites, guint64 n_warps);
void cured_sass_flow_free (CuredSassFlow *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSassFlow, cured_sass_flow_free)
