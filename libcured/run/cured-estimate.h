/* SPDX-License-Identifier: MIT
 * How long a sweep will take, estimated before it runs. */
#pragma once

#include <glib.h>

#include "device/cured-device-info.h"
#include "device/cured-device.h"
#include "plan/cured-plan.h"
#include "run/cured-runner.h"

/* The source of an estimate. */
typedef enum
{
  CURED_ESTIMATE_NONE,   /* nothing is known */
  CURED_ESTIMATE_BLOCKS, /* some emulated blocks of the first cell */
  CURED_ESTIMATE_LAST,   /* the last sweep of the kernel on such a device */
  CURED_ESTIMATE_FILE,   /* the cells of a result file */
  CURED_ESTIMATE_SIZES,  /* the sizes of the problem, roughly */
} CuredEstimateBasis;

typedef struct
{
  CuredEstimateBasis basis; /* its source */
  /* seconds of wall time on one device, all cells together; NaN with %CURED_ESTIMATE_NONE */
  double sweep_s;
  /* seconds of the first cell if it had no limit; only with %CURED_ESTIMATE_BLOCKS, NaN otherwise;
   * infinite if not even some blocks finished */
  double first_s;
} CuredEstimate;

void cured_estimate_sweep (CuredPlan *plan, const CuredDeviceInfo *info, const char *example,
                           const CuredOptions *example_options, CuredEstimate *estimate);
gboolean cured_estimate_fit (CuredSpec *spec, const CuredLimits *limits, double seconds);
char *cured_estimate_describe (const CuredEstimate *self, const char *example);
const char *cured_estimate_basis_to_string (CuredEstimateBasis basis);
void cured_estimate_learn (CuredPlan *plan, const CuredDeviceInfo *info,
                           const CuredProgress *progress);
