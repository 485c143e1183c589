/* SPDX-License-Identifier: MIT
 * The resources of a chip, and how long each needs for what was counted. */
#pragma once

#include "device/cured-machine-facts.h"
#include "ptx/cured-work.h"

G_BEGIN_DECLS

/**
 * CuredResource: what may hold a kernel.
 *
 * ORDER: numbers are values of the metric `limiter`, and never reused.
 */
typedef enum
{
  CURED_RESOURCE_ISSUE = 0,
  CURED_RESOURCE_FP32 = 1,
  CURED_RESOURCE_INTEGER = 2,
  CURED_RESOURCE_FP64 = 3,
  CURED_RESOURCE_SPECIAL = 4,
  CURED_RESOURCE_TENSOR = 5,
  CURED_RESOURCE_LOAD_STORE = 6,
  CURED_RESOURCE_SHARED = 7,
  CURED_RESOURCE_CONSTANT = 8,
  CURED_RESOURCE_L1 = 9,
  CURED_RESOURCE_L2 = 10,
  CURED_RESOURCE_MEMORY = 11,
  CURED_RESOURCE_ATOMIC = 12,
  CURED_RESOURCE_DISPATCH = 13,
  CURED_RESOURCE_LAUNCH = 14,
  CURED_N_RESOURCES
} CuredResource;

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
  double work;
  double rate;
  double time_ns;
  double share;
  gboolean is_most;
} CuredResourceUse;

/**
 * CuredParallelism: how much of the chip had something to do, in the launch
 * that executed most.
 * @sms: multiprocessors of the chip
 * @sms_busy: that had a block
 * @blocks: of the grid
 * @threads: in flight at once, at most
 * @waves: rounds of blocks that fill the chip; NaN: not known
 * @tail: share of the last round's places that stay empty; NaN: not known
 */
typedef struct
{
  double sms;
  double sms_busy;
  double blocks;
  double threads;
  double waves;
  double tail;
} CuredParallelism;

const char *cured_resource_to_string (CuredResource resource);
const char *cured_resource_get_title (CuredResource resource);
const char *cured_resource_get_unit (CuredResource resource);
gboolean cured_resource_from_string (const char *text, CuredResource *resource);

void cured_workload_get_uses (const CuredWorkload *work,
                              const CuredMachine *machine,
                              double sm_clock_hz,
                              CuredResourceUse uses[CURED_N_RESOURCES]);
void cured_workload_get_parallelism (const CuredWorkload *work,
                                     const CuredMachine *machine,
                                     CuredParallelism *parallelism);

G_END_DECLS
