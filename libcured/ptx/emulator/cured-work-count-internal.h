/* SPDX-License-Identifier: MIT
 * Work out of what the emulator counted, and which kernels' blocks have to run all. */
#pragma once

#include "ptx/cured-ptx-cost-internal.h"
#include "ptx/cured-work.h"
#include "ptx/machine/cured-launch.h"

void _cured_work_launch_add (CuredWorkLaunch *self, const CuredLaunch *launch,
                             const CuredReport *report, double scale);
guint64 _cured_ptx_count_loads (const CuredPtxInst *inst, const CuredSiteCounts *counts);
guint64 _cured_ptx_count_flops (const CuredPtxInst *inst, const CuredSiteCounts *counts);
CuredWorkFlow *_cured_work_flow_new (const CuredPtxModule *module, guint site,
                                     const CuredPtxCost *cost);
CuredFinding *_cured_ptx_find_conflict (const CuredPtxModule *module, guint site, const char *entry,
                                        const CuredSiteCounts *counts);
gboolean _cured_ptx_takes_tickets (const CuredPtxModule *module, const char *entry);
