/* SPDX-License-Identifier: MIT
 * Takes the samples of one program on one device. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device.h"
#include "kernel/program/cured-program.h"
#include "spec/cured-options.h"
#include "measure/cured-rounds.h"
#include "measure/cured-statistics.h"
#include "measure/cured-stop-rule.h"

typedef struct
{
  double time_ns;     /* of one run, overhead taken off */
  double sm_clock_hz; /* NaN: unknown */
  gboolean throttled; /* the clock was under three quarters of the device's highest */
  guint round;        /* which of the fresh processes took it, from 0 */
} CuredSample;

/* All samples of one mode, in the order in which they were taken: round after round. */
typedef struct
{
  CuredTimingMode mode;
  guint runs;      /* a sample; 1 when cold */
  GArray *samples; /* (element-type CuredSample) */
  /* Over all samples; with several rounds @median, @low and @high are those of
   * cured_rounds_judge(). */
  CuredStatistics statistics;
  CuredRounds rounds;
  CuredStop stop;
  guint n_waits; /* for the clock, after which sampling began again */
} CuredSamples;

void cured_samples_update (CuredSamples *self);
void cured_samples_free (CuredSamples *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSamples, cured_samples_free)
