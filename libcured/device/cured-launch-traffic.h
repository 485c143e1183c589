/* SPDX-License-Identifier: MIT
 * The cache traffic of each launch of a program. */
#pragma once

#include <glib.h>

#include "ptx/cured-cache-traffic.h"

/* The traffic of a source line. */
typedef struct
{
  int line; /* from 1; 0: instructions without a line, or of another file */
  /* traffic of its instructions; without write-backs and dirty lines, which belong to no
   * instruction */
  CuredCacheTraffic traffic;
} CuredLineTraffic;

/* The traffic of a launch. */
typedef struct
{
  char *entry;    /* its kernel */
  gsize step;     /* index among the program's steps */
  gint64 turn;    /* index of the repetition, from 0 */
  gint64 repeat;  /* number of launches that this one represents, including itself */
  guint64 blocks; /* of the grid */
  /* of these, the blocks that ran; if they are fewer, the figures are scaled */
  guint64 blocks_run;
  guint resident_blocks;     /* blocks that a multiprocessor holds at once */
  gsize l1_bytes;            /* bytes of L1 that shared memory leaves */
  CuredCacheTraffic traffic; /* of the launch */
  GArray *lines;             /* (element-type CuredLineTraffic): in the order of the source */
} CuredLaunchTraffic;

void cured_launch_traffic_free (CuredLaunchTraffic *self);
void cured_launch_traffic_sum (const GPtrArray *launches, CuredCacheTraffic *sum);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredLaunchTraffic, cured_launch_traffic_free)
