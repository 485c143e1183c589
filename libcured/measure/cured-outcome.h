/* SPDX-License-Identifier: MIT
 * The outcome of one cell. */
#pragma once

#include <glib.h>

#include "base/cured-metric.h"
#include "measure/cured-compare.h"
#include "measure/cured-excerpt.h"
#include "ptx/cured-finding.h"
#include "ptx/cured-work.h"
#include "measure/cured-sampler.h"

/* ORDER: the numbers are written to result files and are never reused. */
typedef enum
{
  CURED_STATE_NOT_RUN = 0,
  CURED_STATE_OK = 1,
  CURED_STATE_WRONG = 2,
  CURED_STATE_FAILED = 3,
  CURED_STATE_CRASHED = 4,
  CURED_STATE_TIMED_OUT = 5,
  CURED_STATE_NOT_LAUNCHABLE = 6,
  CURED_N_STATES
} CuredState;

const char *cured_state_to_string (CuredState state); /* "timed out" */
const char *cured_state_get_title (CuredState state); /* for people */

/* The stages that take a cell's wall time. */
typedef enum
{
  CURED_STAGE_COMPILE, /* waiting for NVRTC */
  CURED_STAGE_PREPARE, /* inputs and reference */
  CURED_STAGE_CHECK,   /* one run and the comparison */
  CURED_STAGE_TIME,    /* kernels on the device, with warm-up and flush */
  CURED_N_STAGES
} CuredStage;

typedef struct
{
  CuredState state;                /* state of the cell */
  char *reason;                    /* (nullable): the reason why it is not ok */
  double metrics[CURED_N_METRICS]; /* one value per #CuredMetric; NaN: unknown */
  CuredSamples *cold;              /* (nullable): samples with cold caches */
  CuredSamples *hot;               /* (nullable): samples of back-to-back runs */
  GPtrArray *mismatches;           /* (element-type CuredMismatch): the first ones */
  guint64 n_mismatches;            /* total number of mismatches */
  GPtrArray *findings; /* (element-type CuredFinding): what the emulator's detectors found */
  char *output;        /* (nullable): what the kernel printed */
  CuredWorkload *work; /* (nullable): the work of its launches, counted by the emulator */
  /* (nullable) (element-type CuredExcerpt): of the requested buffers, if the kernel has run; not
   * stored in result files */
  GPtrArray *excerpts;
  gint64 stage_ns[CURED_N_STAGES]; /* wall time of the stages */
  GDateTime *finished;             /* (nullable): date of measurement; NULL: now, or unknown */
} CuredOutcome;

CuredOutcome *cured_outcome_new (void);
void cured_outcome_free (CuredOutcome *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredOutcome, cured_outcome_free)
