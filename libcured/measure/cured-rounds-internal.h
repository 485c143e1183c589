/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "measure/cured-rounds.h"

G_BEGIN_DECLS

void cured_rounds_judge (CuredRounds *self, const double *medians, const double *errors, guint n);
double cured_rounds_widen (double median, double low, double high);
guint cured_rounds_get_least (double time_ns);
guint cured_rounds_get_wanted (guint n, double time_ns, double between);

G_END_DECLS
