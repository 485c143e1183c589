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
  double time_ns;     /* of one run, without overhead */
  double sm_clock_hz; /* NaN: unknown */
  gboolean throttled; /* the clock was under three quarters of the device's highest */
  guint round;        /* number of the process that took it, from 0 */
} CuredSample;

/* All samples of one mode, in the order in which they were taken: round after round. */
typedef struct
{
  CuredTimingMode mode;
  guint runs;      /* runs per sample; 1 if cold */
  GArray *samples; /* (element-type CuredSample) */
  /* Over all samples; with several rounds, @median, @low and @high are from
   * cured_rounds_judge(). */
  CuredStatistics statistics;
  CuredRounds rounds;
  CuredStop stop;
  guint n_waits; /* number of waits for the clock, after which sampling began again */
} CuredSamples;

void cured_samples_update (CuredSamples *self);
void cured_samples_free (CuredSamples *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSamples, cured_samples_free)
