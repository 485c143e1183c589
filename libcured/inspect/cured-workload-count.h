/* SPDX-License-Identifier: MIT
 * Counts a program's work from a few blocks of each launch. */
#pragma once

#include "device/cured-compiler.h"
#include "kernel/program/cured-program.h"
#include "ptx/cured-work.h"

/* How a program is counted; cured_work_query_init() it. */
typedef struct
{
  guint64 seed; /* seed of the inputs, and of the sample of blocks */
  guint blocks; /* blocks of each launch that run besides the first and the last [6]; 0: all */
  /* per thread, from the machine code; 0: unknown, and not a limit of occupancy */
  int registers;
  /* limit of all launches, and again of the cache model [20000] */
  gint64 time_limit_ms;
  /* limit of warp instructions of a launch's blocks that run together [2·10⁸]; 0: none */
  guint64 max_instructions;
  /* limit of the cache model, estimated from the counts; if it would take longer, the launches'
   * traffic stays unknown [0: not requested] */
  gint64 traffic_ms;
  /* the L2 cache is empty before each launch, as in profilers, not only before the first
   * one */
  gboolean is_flushing;
} CuredWorkQuery;

void cured_work_query_init (CuredWorkQuery *self);
CuredWorkload *cured_workload_count (CuredCompiler *compiler, CuredKernel *kernel,
                                     const gint64 *values, const CuredLimits *limits,
                                     const CuredWorkQuery *query, GCancellable *cancellable,
                                     GError **error);
