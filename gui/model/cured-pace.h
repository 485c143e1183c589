/* SPDX-License-Identifier: MIT
 * How long a cell takes: what the last sweep of a kernel on a device needed. */
#pragma once

#include "cured.h"

G_BEGIN_DECLS

void cured_pace_learn (CuredResult *result, const CuredProgress *progress);
double cured_pace_estimate_by_file (const char *path,
                                    const CuredOptions *measured,
                                    const CuredOptions *options,
                                    gint64 n_cells);
double cured_pace_estimate (const char *kernel_id,
                            const char *device_name,
                            const CuredOptions *options,
                            gint64 n_cells);

G_END_DECLS
