/* SPDX-License-Identifier: MIT
 * What limits a cell: counted work, measured time and the machine's rates. */
#pragma once

#include "explain/cured-resource.h"

/* The verdict on what limits a cell. */
typedef enum
{
  CURED_BOTTLENECK_RESOURCE,    /* one resource is busy most of the time */
  CURED_BOTTLENECK_LATENCY,     /* no resource is busy; warps wait, one access after another */
  CURED_BOTTLENECK_UNEXPLAINED, /* no resource is busy, and waiting does not explain the time */
  /* a resource would need more than the measured time: the counts are wrong */
  CURED_BOTTLENECK_CONTRADICTED,
} CuredBottleneck;

/* From this share of the time on, a resource limits the cell; above the second, counts are
 * wrong. */
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
  double time_ns;                           /* measured time of one run of the program */
  double sm_clock_hz;                       /* clock for the rates of multiprocessors */
  char *machine;                            /* id of the machine facts: "h200" */
  CuredWorkload *work;                      /* the counts */
  CuredResourceUse uses[CURED_N_RESOURCES]; /* by #CuredResource */
  CuredParallelism parallelism;             /* parallelism of the launch that executed most */
  /* time of a warp's accesses one after another, over all rounds; more than the time if they
   * overlap */
  double wait_ns;
  double least_in_flight; /* bytes in flight that keep an idle memory busy, by Little's law */
  double error;           /* relative standard error of the issue slots, the largest launch's */
  /* share of the issue slots that is uncertain by the machine code, the largest of all launches;
   * NaN: not known */
  double uncertain;
  CuredBottleneck bottleneck; /* the verdict */
  CuredResource limit;        /* the busiest resource, of those whose work is certain */
  CuredResource next;         /* the next one */
  char *file;                 /* (nullable): the source file of @line */
  int line;                   /* line with the most work on @limit; 0: none can be named */
  double line_share;          /* share of @limit's work of this line */
  /* share of @limit's work that another order of the same accesses would avoid: conflicts, bytes
   * moved again; 0: none that counts show */
  double excess;
  double after;              /* time without @excess, over the measured time */
  CuredResource after_limit; /* the limit without @excess */
  char *sentence;            /* in plain words, translated */
  char *change;              /* (nullable): necessary changes, from counts, translated */
} CuredExplanation;

CuredExplanation *cured_explanation_new (CuredWorkload *work, const CuredMachine *machine,
                                         double time_ns, double sm_clock_hz);
void cured_explanation_free (CuredExplanation *self);
int cured_explanation_get_limiter (const CuredExplanation *self);
const char *cured_bottleneck_to_string (CuredBottleneck bottleneck);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredExplanation, cured_explanation_free)
