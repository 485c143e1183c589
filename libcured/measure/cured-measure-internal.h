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
 */
typedef struct
{
  CuredDeviceClass parent;
  gboolean (*measure) (CuredDevice *self,
                       const CuredJob *job,
                       CuredOutcome *outcome,
                       GCancellable *cancellable,
                       GError **error);
  void (*prepare) (CuredDevice *self, const CuredJob *job);
} CuredCellClass;

G_END_DECLS
