/* SPDX-License-Identifier: MIT
 * What chips of each compute capability allow, for machines that have none. */
#pragma once

#include "base/cured-limits.h"

G_BEGIN_DECLS

/**
 * CuredProfile:
 * @arch: "sm_90", as compilers say it
 * @chip: a product that has it: its number of multiprocessors is the one that
 *   @limits has
 * @limits: what the chip allows; what depends on the product's memory and
 *   clocks is 0
 * @shared_reserved: bytes of shared memory that CUDA itself takes of every
 *   block
 * @shared_unit: shared memory is given out in multiples of so many bytes
 * @partitions: parts of a multiprocessor, each with its own registers
 *
 * One row of the table of compute capabilities.
 */
typedef struct
{
  const char *arch;
  const char *chip;
  CuredLimits limits;
  gsize shared_reserved;
  gsize shared_unit;
  int partitions;
} CuredProfile;

/* Registers are given out to a warp in multiples of so many, since compute
 * capability 3.0. */
#define CURED_PROFILE_REGISTER_UNIT 256

const CuredProfile *cured_profile_list (gsize *n_profiles);
const CuredProfile *cured_profile_find (const char *arch);
int cured_profile_get_max_threads (const CuredProfile *self, int registers);
int cured_profile_get_blocks_per_sm (const CuredProfile *self,
                                     gint64 threads,
                                     int registers,
                                     gsize shared_bytes);

G_END_DECLS
