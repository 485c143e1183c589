/* SPDX-License-Identifier: MIT
 * One cell on the model of a chip: compile, count, predict. */
#pragma once

#include "device/cured-device-internal.h"
#include "measure/cured-measure.h"

gboolean _cured_predict_cell (CuredDevice *device, const CuredJob *job, CuredOutcome *outcome,
                              GCancellable *cancellable, GError **error);
