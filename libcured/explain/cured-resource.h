/* SPDX-License-Identifier: MIT
 * The resources of a chip, and how long each needs for what was counted. */
#pragma once

#include "base/cured-limiting-factor.h"
#include "device/cured-machine-facts.h"
#include "ptx/cured-work.h"

/* One resource of a chip, of a whole program. */
typedef struct
{
  double work; /* what was counted, in the unit of cured_resource_get_unit() */
  double rate; /* of it per second, that the machine reaches; NaN: not known */
  /* that the work takes at that rate, with nothing else in the way; NaN: not known */
  double time_ns;
  double share;     /* @time_ns over the measured time; NaN: not known */
  gboolean is_most; /* the work is at most that: what caches hold back is not known */
} CuredResourceUse;

/* How much of the chip had something to do, in the launch that executed most. */
typedef struct
{
  double sms;      /* multiprocessors of the chip */
  double sms_busy; /* that had a block */
  double blocks;   /* of the grid */
  double threads;  /* in flight at once, at most */
  /* in flight at once: what the loads of @threads request before they are waited for; NaN: not
   * known */
  double bytes;
  double waves; /* rounds of blocks that fill the chip; NaN: not known */
  double tail;  /* share of the last round's places that stay empty; NaN: not known */
} CuredParallelism;

void cured_workload_get_uses (const CuredWorkload *work, const CuredMachine *machine,
                              double sm_clock_hz, CuredResourceUse uses[CURED_N_RESOURCES]);
void cured_workload_get_parallelism (const CuredWorkload *work, const CuredMachine *machine,
                                     CuredParallelism *parallelism);
