/* SPDX-License-Identifier: MIT
 * How often each piece of a kernel's machine code ran. */
#pragma once

#include "sass/cured-sass-code-internal.h"
#include "ptx/machine/cured-launch.h"

/* What one instruction of the PTX did in a launch. */
typedef struct
{
  int ptx_line; /* of the text that was assembled, from 1 */
  /* what becomes of it in machine code, one to one but for accesses that are joined or split;
   * #CURED_SASS_CLASS_UNKNOWN: anything */
  CuredSassClass op_class;
  guint width;                 /* of an access to memory: bits per lane; otherwise 0 */
  gboolean is_guarded;         /* it has a predicate */
  guint64 issued;              /* warps that executed it */
  guint64 diverged;            /* of a branch: warps that split there */
  gint64 taken;                /* of a branch: warps that went to its target; -1: not known */
  int target_line, target_end; /* of the block there, the first line and the last */
  int next_line, next_end;     /* of the block behind it, likewise */
} CuredSassSite;

/* How sure a count is. */
typedef enum
{
  /* it follows from what must hold: as many warps go into a block as come out, and each store,
   * load, barrier and atomic of the PTX runs as often in machine code */
  CURED_SASS_EXACT,
  /* that leaves room, from @low to @high; in there the count is what the PTX's instructions say
   * that the block was made from */
  CURED_SASS_BOUNDED,
  /* nothing bounds it, or what was counted contradicts itself: the count is the PTX's */
  CURED_SASS_UNKNOWN,
} CuredSassCertainty;

#define CURED_SASS_NO_BLOCK G_MAXUINT

/* Instructions that run one after the other. */
typedef struct
{
  guint first;     /* index of the first one */
  guint n_insts;   /* how many */
  guint next;      /* the block behind it, where it may go on there, or #CURED_SASS_NO_BLOCK */
  guint target;    /* the block that it may branch to or calls, or likewise */
  double executed; /* warps that ran it */
  double low;      /* it is between this */
  double high;     /* and this, which may be infinite */
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
  /* those of a class that access memory, by their width */
  double requests[CURED_SASS_N_CLASSES][CURED_SASS_N_WIDTHS];
  double total;           /* executed warp instructions */
  double uncertain;       /* of these, in blocks that are not exact */
  double low;             /* @total is between this */
  double high;            /* and this, which may be infinite */
  guint n_contradictions; /* counts that contradict others, and were left out */
} CuredSassFlow;

GArray *cured_sass_list_sites (const CuredPtxModule *module, const CuredSiteCounts *counts,
                               guint n_counts);
CuredSassFlow *cured_sass_flow_new (const CuredSassCode *code, const CuredSassSite *sites,
                                    gsize n_sites, guint64 n_warps);
void cured_sass_flow_free (CuredSassFlow *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSassFlow, cured_sass_flow_free)
