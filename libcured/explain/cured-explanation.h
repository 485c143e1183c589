/* SPDX-License-Identifier: MIT
 * What limits a cell: counted work, measured time and the machine's rates. */
#pragma once

#include "explain/cured-resource.h"

G_BEGIN_DECLS

/**
 * CuredBottleneck: what can be said.
 * @CURED_BOTTLENECK_RESOURCE: one resource is busy most of the time
 * @CURED_BOTTLENECK_LATENCY: none is; warps wait, one access after another
 * @CURED_BOTTLENECK_UNEXPLAINED: none is, and waiting does not explain the time
 * @CURED_BOTTLENECK_CONTRADICTED: a resource would need more than the time that was
 *   measured: the counts are wrong
 */
typedef enum
{
  CURED_BOTTLENECK_RESOURCE,
  CURED_BOTTLENECK_LATENCY,
  CURED_BOTTLENECK_UNEXPLAINED,
  CURED_BOTTLENECK_CONTRADICTED,
} CuredBottleneck;

/* A resource that is busy so much of the time holds the cell; and so much none can be. */
#define CURED_EXPLAIN_BOUND        0.60
#define CURED_EXPLAIN_CONTRADICTED 1.10

/* Whether a share of a measured rate is slightly over 100 %: a kernel can beat the mix of accesses
 * with which the rate was measured. */
static inline gboolean
cured_explain_is_at_limit (double share)
{
  return share > 1 && share <= CURED_EXPLAIN_CONTRADICTED;
}

/**
 * CuredExplanation:
 * @time_ns: that was measured, of one run of the program
 * @sm_clock_hz: that rates of multiprocessors are multiplied with
 * @machine: id of the machine facts: "h200"
 * @work: what was counted
 * @uses: of each #CuredResource
 * @parallelism: of the launch that executed most
 * @wait_ns: that a warp's accesses take one after another, in as many rounds as
 *   there are; more than the time where they overlap
 * @least_in_flight: bytes in flight that keep an idle memory busy, by Little's law
 * @error: relative standard error of the issue slots, the largest of a launch
 * @uncertain: share of the issue slots that machine code says less than exactly,
 *   of the launch that has most of it; NaN: not known
 * @bottleneck: what can be said
 * @limit: the busiest resource, of those whose work is certain
 * @next: the one after it
 * @file: (nullable): the source file of @line
 * @line: that asks the most of @limit; 0: none can be named
 * @line_share: of @limit's work, that this line asks
 * @excess: share of @limit's work that another order of the same accesses would
 *   not ask: conflicts, bytes that are moved again; 0: none that shows in counts
 * @after: what the time would be without @excess, over the measured one
 * @after_limit: what would hold it then
 * @sentence: in plain words, translated
 * @change: (nullable): what would have to change, from counts, translated
 *
 * Immutable; free with cured_explanation_free().
 */
typedef struct
{
  double time_ns, sm_clock_hz;
  char *machine;
  CuredWorkload *work;
  CuredResourceUse uses[CURED_N_RESOURCES];
  CuredParallelism parallelism;
  double wait_ns, least_in_flight, error, uncertain;
  CuredBottleneck bottleneck;
  CuredResource limit, next;
  char *file;
  int line;
  double line_share, excess, after;
  CuredResource after_limit;
  char *sentence, *change;
} CuredExplanation;

CuredExplanation *cured_explanation_new (CuredWorkload *work, const CuredMachine *machine,
                                         double time_ns, double sm_clock_hz);
void cured_explanation_free (CuredExplanation *self);
int cured_explanation_get_limiter (const CuredExplanation *self);
const char *cured_bottleneck_to_string (CuredBottleneck bottleneck);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredExplanation, cured_explanation_free)

G_END_DECLS
