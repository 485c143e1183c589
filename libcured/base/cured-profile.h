/* SPDX-License-Identifier: MIT
 * Limits of chips by compute capability, for machines without them. */
#pragma once

#include "base/cured-limits.h"

/* One row of the table of compute capabilities. */
typedef struct
{
  const char *arch; /* "sm_90", as for compilers */
  const char *chip; /* a product with this capability */
  /* the chip's limits; those that depend on the product are 0, except the number of multiprocessors
   * of @chip if @is_emulated */
  CuredLimits limits;
  gboolean is_emulated;       /* there is a device emulator:@arch */
  int registers_per_thread;   /* greatest number of registers of a thread */
  int register_unit;          /* allocation unit of registers */
  gboolean is_register_block; /* allocated to a whole block; otherwise to each warp */
  /* parts of a multiprocessor, each with its own registers; if @is_register_block, unit to which a
   * block's warps are rounded up */
  int partitions;
  gsize shared_reserved; /* bytes of shared memory per block that CUDA reserves */
  gsize shared_unit;     /* allocation unit of shared memory, in bytes */
  int banks;             /* of shared memory */
  /* L1 cache and shared memory of a multiprocessor, which share one memory; 0: unknown, as for all
   * that are not emulated */
  gsize l1_bytes;
  gsize l2_bytes; /* L2 cache of @chip; 0: unknown */
} CuredProfile;

const CuredProfile *cured_profile_list (gsize *n_profiles);
const CuredProfile *cured_profile_find (const char *arch);
gsize cured_profile_get_carveout (const CuredProfile *self, gsize shared_bytes);
