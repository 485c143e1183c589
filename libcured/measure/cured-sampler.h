/* SPDX-License-Identifier: MIT
 * Takes the samples of one program on one device. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device.h"
#include "kernel/cured-program.h"
#include "spec/cured-options.h"
#include "measure/cured-statistics.h"
#include "measure/cured-stop-rule.h"

G_BEGIN_DECLS

/**
 * CuredSample:
 * @time_ns: of one run, overhead taken off
 * @sm_clock_hz: NaN: unknown
 * @throttled: the clock was under three quarters of the device's highest
 */
typedef struct
{
  double time_ns;
  double sm_clock_hz;
  gboolean throttled;
} CuredSample;

/**
 * CuredSamples:
 *
 * All samples of one mode, in the order in which they were taken.
 */
typedef struct
{
  CuredTimingMode mode;
  guint runs;      /* a sample; 1 when cold */
  GArray *samples; /* (element-type CuredSample) */
  CuredStatistics statistics;
  CuredStop stop;
} CuredSamples;

void cured_samples_update (CuredSamples *self);
void cured_samples_free (CuredSamples *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredSamples, cured_samples_free)

G_END_DECLS
