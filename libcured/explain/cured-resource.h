/* SPDX-License-Identifier: MIT
 * The resources of a chip, and the time that each needs for the counted work. */
#pragma once

#include "base/cured-limiting-factor.h"
#include "device/cured-machine-facts.h"
#include "ptx/cured-work.h"

/* Use of one resource of a chip by a whole program. */
typedef struct
{
  double work; /* counted work, in the unit of cured_resource_get_unit() */
  double rate; /* work per second that the machine reaches; NaN: not known */
  /* time of the work alone, at that rate; NaN: not known */
  double time_ns;
  double share;     /* @time_ns over the measured time; NaN: not known */
  gboolean is_most; /* the work is an upper bound: hits of caches are not known */
} CuredResourceUse;

/* How much of the chip was used, in the launch that executed most. */
typedef struct
{
  double sms;      /* multiprocessors of the chip */
  double sms_busy; /* multiprocessors that had a block */
  double blocks;   /* blocks of the grid */
  double threads;  /* most threads in flight at once */
  /* bytes in flight at once, by the loads of @threads that are not waited for yet; NaN: not
   * known */
  double bytes;
  double waves; /* rounds of blocks that fill the chip; NaN: not known */
  double tail;  /* share of the last round's places that stay empty; NaN: not known */
} CuredParallelism;

void cured_workload_get_uses (const CuredWorkload *work, const CuredMachine *machine,
                              double sm_clock_hz, CuredResourceUse uses[CURED_N_RESOURCES]);
void cured_workload_get_parallelism (const CuredWorkload *work, const CuredMachine *machine,
                                     CuredParallelism *parallelism);
