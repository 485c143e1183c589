/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "measure/cured-sampler.h"

G_BEGIN_DECLS

/* A run of this length is worth a sample, whatever it was made for, and warms up for all that
 * follow: what the caches were like before is far under a percent of it. */
#define CURED_SLOW_NS 10e6

gboolean cured_sampler_take (CuredDevice *device, CuredModule *module, const CuredProgram *program,
                             const CuredDevicePtr *bindings, CuredTimingMode mode,
                             const CuredOptions *options, gboolean is_warm, CuredSamples **samples,
                             GCancellable *cancellable, GError **error);
const char *cured_timing_mode_to_string (CuredTimingMode mode);
CuredSamples *cured_samples_new (CuredTimingMode mode, guint runs);
void cured_samples_add_round (CuredSamples *self, const CuredSamples *earlier);
guint cured_samples_count_throttled (const CuredSamples *self);

G_END_DECLS
