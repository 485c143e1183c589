/* SPDX-License-Identifier: MIT
 * The number of blocks and warps that fit a multiprocessor, and the limiting resource. */
#pragma once

#include "base/cured-profile.h"

/* Resources of a multiprocessor that limit the number of blocks. */
typedef enum
{
  CURED_LIMITER_WARPS,
  CURED_LIMITER_REGISTERS,
  CURED_LIMITER_SHARED,
  CURED_LIMITER_BLOCKS,
  CURED_N_LIMITERS
} CuredLimiter;

/* More blocks than any chip holds: a resource that a block does not use limits nothing. */
#define CURED_OCCUPANCY_UNLIMITED G_MAXINT

typedef struct
{
  int blocks;       /* blocks that fit on a multiprocessor at once; 0: not even one */
  int warps;        /* of these blocks */
  double occupancy; /* @warps over the greatest number that the multiprocessor holds */
  /* number of blocks by each #CuredLimiter alone; #CURED_OCCUPANCY_UNLIMITED if it is no
   * limit */
  int most[CURED_N_LIMITERS];
  guint limiters;             /* bit k: #CuredLimiter k limits @blocks */
  gint64 warps_per_block;     /* that a block has */
  gint64 registers_per_block; /* registers allocated to a block */
  gint64 shared_per_block;    /* bytes allocated to a block, with CUDA's reserve */
} CuredOccupancy;

/* Properties of a kernel that determine occupancy. */
typedef enum
{
  CURED_NEED_THREADS,   /* of a block */
  CURED_NEED_REGISTERS, /* of a thread */
  CURED_NEED_SHARED,    /* bytes of shared memory, of a block */
  CURED_N_NEEDS
} CuredNeed;

void cured_occupancy_init (CuredOccupancy *self, const CuredProfile *profile, gint64 threads,
                           int registers, gsize shared_bytes);
gboolean cured_occupancy_find_more (const CuredProfile *profile, const gint64 needs[CURED_N_NEEDS],
                                    CuredNeed need, gint64 *value, double *occupancy);
const char *cured_limiter_to_string (CuredLimiter limiter);
const char *cured_limiter_get_title (CuredLimiter limiter);
