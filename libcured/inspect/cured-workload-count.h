/* SPDX-License-Identifier: MIT
 * Counts what a program asks of a chip, from a few blocks of each launch. */
#pragma once

#include "device/cured-compiler.h"
#include "kernel/program/cured-program.h"
#include "ptx/cured-work.h"

/* How a program is counted; cured_work_query_init() it. */
typedef struct
{
  guint64 seed; /* of the inputs, and of the sample of blocks */
  guint blocks; /* of each launch that run besides the first and the last [6]; 0: all */
  /* per thread, as the machine code has them; 0: not known, and then they limit no occupancy */
  int registers;
  /* that the launches may take in all, and the cache model by itself [20000] */
  gint64 time_limit_ms;
  /* of warps, that blocks of a launch may take that run together [2·10⁸]; 0: any number */
  guint64 max_instructions;
  /* that the cache model may take, by a guess from the counts; where it would take longer, the
   * launches' traffic stays unknown [0: not asked] */
  gint64 traffic_ms;
  /* the second cache is empty before each launch, as profilers have it, and not before the first
   * one alone */
  gboolean is_flushing;
} CuredWorkQuery;

void cured_work_query_init (CuredWorkQuery *self);
CuredWorkload *cured_workload_count (CuredCompiler *compiler, CuredKernel *kernel,
                                     const gint64 *values, const CuredLimits *limits,
                                     const CuredWorkQuery *query, GCancellable *cancellable,
                                     GError **error);
