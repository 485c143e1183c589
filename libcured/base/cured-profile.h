/* SPDX-License-Identifier: MIT
 * What chips of each compute capability allow, for machines that have none. */
#pragma once

#include "base/cured-limits.h"

/* One row of the table of compute capabilities. */
typedef struct
{
  const char *arch; /* "sm_90", as compilers say it */
  const char *chip; /* a product that has it */
  /* what the chip allows; what depends on the product is 0, but for the number of multiprocessors
   * of @chip where @is_emulated */
  CuredLimits limits;
  gboolean is_emulated;       /* there is a device emulator:@arch */
  int registers_per_thread;   /* that a thread can have at most */
  int register_unit;          /* allocation unit of registers */
  gboolean is_register_block; /* to a whole block at once; else to each warp */
  /* parts of a multiprocessor, each with its own registers; where @is_register_block, what a
   * block's warps are rounded up to */
  int partitions;
  gsize shared_reserved; /* bytes of shared memory that CUDA itself takes of every block */
  gsize shared_unit;     /* allocation unit of shared memory, in bytes */
  int banks;             /* of shared memory */
  /* first cache and shared memory of a multiprocessor, which share one memory; 0: not known, as of
   * all that are not emulated */
  gsize l1_bytes;
  gsize l2_bytes; /* second cache of @chip; 0: not known */
} CuredProfile;

const CuredProfile *cured_profile_list (gsize *n_profiles);
const CuredProfile *cured_profile_find (const char *arch);
gsize cured_profile_get_carveout (const CuredProfile *self, gsize shared_bytes);
