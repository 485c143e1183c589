/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "base/cured-metric.h"

G_BEGIN_DECLS

gboolean cured_metric_is_timed (CuredMetric metric);

G_END_DECLS
