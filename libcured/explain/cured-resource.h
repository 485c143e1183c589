/* SPDX-License-Identifier: MIT
 * The resources of a chip, and how long each needs for what was counted. */
#pragma once

#include "base/cured-limit.h"
#include "device/cured-machine-facts.h"
#include "ptx/cured-work.h"

G_BEGIN_DECLS

/**
 * CuredResourceUse:
 * @work: what was counted, in the unit of cured_resource_get_unit()
 * @rate: of it per second, that the machine reaches; NaN: not known
 * @time_ns: that the work takes at that rate, with nothing else in the way;
 *   NaN: not known
 * @share: @time_ns over the measured time; NaN: not known
 * @is_most: the work is at most that: what caches hold back is not known
 *
 * One resource of a chip, of a whole program.
 */
typedef struct
{
  double work, rate, time_ns, share;
  gboolean is_most;
} CuredResourceUse;

/**
 * CuredParallelism: how much of the chip had something to do, in the launch that executed most.
 * @sms: multiprocessors of the chip
 * @sms_busy: that had a block
 * @blocks: of the grid
 * @threads: in flight at once, at most
 * @bytes: in flight at once: what the loads of @threads request before they are waited
 *   for; NaN: not known
 * @waves: rounds of blocks that fill the chip; NaN: not known
 * @tail: share of the last round's places that stay empty; NaN: not known
 */
typedef struct
{
  double sms, sms_busy, blocks, threads, bytes, waves, tail;
} CuredParallelism;

void cured_workload_get_uses (const CuredWorkload *work, const CuredMachine *machine,
                              double sm_clock_hz, CuredResourceUse uses[CURED_N_RESOURCES]);
void cured_workload_get_parallelism (const CuredWorkload *work, const CuredMachine *machine,
                                     CuredParallelism *parallelism);

G_END_DECLS
