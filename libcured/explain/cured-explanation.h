/* SPDX-License-Identifier: MIT
 * What limits a cell: counted work, measured time and the machine's rates. */
#pragma once

#include "explain/cured-resource.h"

/* What can be said. */
typedef enum
{
  CURED_BOTTLENECK_RESOURCE,    /* one resource is busy most of the time */
  CURED_BOTTLENECK_LATENCY,     /* none is; warps wait, one access after another */
  CURED_BOTTLENECK_UNEXPLAINED, /* none is, and waiting does not explain the time */
  /* a resource would need more than the time that was measured: the counts are wrong */
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

/* Immutable; free with cured_explanation_free(). */
typedef struct
{
  double time_ns;                           /* that was measured, of one run of the program */
  double sm_clock_hz;                       /* that rates of multiprocessors are multiplied with */
  char *machine;                            /* id of the machine facts: "h200" */
  CuredWorkload *work;                      /* what was counted */
  CuredResourceUse uses[CURED_N_RESOURCES]; /* of each #CuredResource */
  CuredParallelism parallelism;             /* of the launch that executed most */
  /* that a warp's accesses take one after another, in as many rounds as there are; more than the
   * time where they overlap */
  double wait_ns;
  double least_in_flight; /* bytes in flight that keep an idle memory busy, by Little's law */
  double error;           /* relative standard error of the issue slots, the largest of a launch */
  /* share of the issue slots that machine code says less than exactly, of the launch that has most
   * of it; NaN: not known */
  double uncertain;
  CuredBottleneck bottleneck; /* what can be said */
  CuredResource limit;        /* the busiest resource, of those whose work is certain */
  CuredResource next;         /* the one after it */
  char *file;                 /* (nullable): the source file of @line */
  int line;                   /* that asks the most of @limit; 0: none can be named */
  double line_share;          /* of @limit's work, that this line asks */
  /* share of @limit's work that another order of the same accesses would not ask: conflicts, bytes
   * that are moved again; 0: none that shows in counts */
  double excess;
  double after;              /* what the time would be without @excess, over the measured one */
  CuredResource after_limit; /* what would hold it then */
  char *sentence;            /* in plain words, translated */
  char *change;              /* (nullable): what would have to change, from counts, translated */
} CuredExplanation;

CuredExplanation *cured_explanation_new (CuredWorkload *work, const CuredMachine *machine,
                                         double time_ns, double sm_clock_hz);
void cured_explanation_free (CuredExplanation *self);
int cured_explanation_get_limiter (const CuredExplanation *self);
const char *cured_bottleneck_to_string (CuredBottleneck bottleneck);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredExplanation, cured_explanation_free)
