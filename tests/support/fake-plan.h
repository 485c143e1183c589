/* SPDX-License-Identifier: MIT
 * Kernels, plans and workers for the tests of the run stage. */
#pragma once

#include "plan/cured-plan.h"
#include "worker/cured-worker.h"

CuredKernel *fake_kernel_load (void);
CuredSpec *fake_spec_new (const char *tiles, const char *blocks);
CuredPlan *fake_plan_new (CuredSpec *spec);
CuredDevice *fake_worker_open (const char *faults, const char *id, GError **error);
