/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "measure/cured-stop-rule.h"

G_BEGIN_DECLS

CuredStop cured_stop_rule_add (CuredStopRule *self, double sample_ns, double seconds_so_far);
CuredStopRule *cured_stop_rule_new (guint min_samples, guint max_samples, double max_seconds,
                                    double precision);

G_END_DECLS
