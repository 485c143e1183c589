/* SPDX-License-Identifier: MIT
 * What each launch of a program asks of a chip's caches. */
#pragma once

#include <glib.h>

#include "ptx/cured-cache-traffic.h"

/* Of a line of the source. */
typedef struct
{
  int line; /* from 1; 0: instructions without one, or of another file */
  /* of its instructions; without write-backs and dirty lines, which belong to no instruction */
  CuredCacheTraffic traffic;
} CuredLineTraffic;

/* Of a launch. */
typedef struct
{
  char *entry;    /* its kernel */
  gsize step;     /* index of it among the program's */
  gint64 turn;    /* how often the step ran before */
  gint64 repeat;  /* launches of the step that this one represents, itself included */
  guint64 blocks; /* of the grid */
  /* of these, those that the figures come from; where they are fewer, the figures are scaled */
  guint64 blocks_run;
  guint resident_blocks;     /* that a multiprocessor holds at once */
  gsize l1_bytes;            /* first cache that shared memory leaves */
  CuredCacheTraffic traffic; /* of the launch */
  GArray *lines;             /* (element-type CuredLineTraffic): in the order of the source */
} CuredLaunchTraffic;

void cured_launch_traffic_free (CuredLaunchTraffic *self);
void cured_launch_traffic_sum (const GPtrArray *launches, CuredCacheTraffic *sum);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredLaunchTraffic, cured_launch_traffic_free)
