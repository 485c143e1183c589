/* SPDX-License-Identifier: MIT
 * One cell on one device: compile, check, time. */
#pragma once

#include "check/cured-outcome.h"
#include "device/cured-compiler.h"
#include "device/cured-device.h"
#include "spec/cured-options.h"

G_BEGIN_DECLS

/**
 * CuredJob:
 * @kernel: what to run
 * @values: of all its parameters, in the kernel's order
 * @options: how
 *
 * Borrows everything for the length of the call.
 */
struct _CuredJob
{
  CuredKernel *kernel;
  const gint64 *values;
  const CuredOptions *options;
};

gboolean cured_measure (CuredDevice *device,
                        const CuredJob *job,
                        CuredOutcome *outcome,
                        GCancellable *cancellable,
                        GError **error);
void cured_prepare (CuredDevice *device, const CuredJob *job);

G_END_DECLS
