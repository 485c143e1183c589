/* SPDX-License-Identifier: MIT
 * A device that measures whole cells elsewhere. */
#pragma once

#include "device/cured-device-internal.h"
#include "measure/cured-measure.h"

G_BEGIN_DECLS

/**
 * CuredCellClass: a device that measures whole cells, in another process.
 * @parent: whose @launch is %NULL
 * @measure: as cured_measure(); one thread at a time for one device
 * @prepare: as cured_prepare(); never blocks for long
 * @foresee: a renewal follows later; never blocks for long
 * @renew: ends the process, so that a fresh one measures the next cell
 */
typedef struct
{
  CuredDeviceClass parent;
  gboolean (*measure) (CuredDevice *self, const CuredJob *job, CuredOutcome *outcome,
                       GCancellable *cancellable, GError **error);
  void (*prepare) (CuredDevice *self, const CuredJob *job);
  void (*foresee) (CuredDevice *self);
  void (*renew) (CuredDevice *self);
} CuredCellClass;

gboolean cured_device_can_renew (CuredDevice *device);
void cured_device_foresee_renewal (CuredDevice *device);
void cured_device_renew (CuredDevice *device);
gboolean cured_job_load_reference (const CuredJob *job, CuredKernel **reference, GError **error);
GPtrArray *cured_inspect (CuredDevice *device, const CuredJob *job, GError **error);
void cured_job_enter_stage (const CuredJob *job, CuredStage stage);
void cured_prepare (CuredDevice *device, const CuredJob *job);

G_END_DECLS
