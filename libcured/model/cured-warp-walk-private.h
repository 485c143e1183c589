/* SPDX-License-Identifier: MIT
 * Time of a lone warp on a multiprocessor. */
#pragma once

#include "device/cured-machine-facts.h"
#include "ptx/cured-work.h"

typedef struct _CuredWarpWalk CuredWarpWalk;

CuredWarpWalk *_cured_warp_walk_new (const CuredWorkLaunch *launch, const CuredMachine *machine);
void _cured_warp_walk_free (CuredWarpWalk *self);
double _cured_warp_walk_run (CuredWarpWalk *self, double load_cycles, gboolean is_last_block);
double _cured_walk_get_latency (const CuredMachine *machine, CuredWaitKind wait,
                                const CuredWork *work);
double _cured_machine_walk_run (const CuredWorkLaunch *launch, const CuredMachine *machine,
                                double load_cycles, gboolean is_last_block);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredWarpWalk, _cured_warp_walk_free)
