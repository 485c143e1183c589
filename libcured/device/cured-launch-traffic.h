/* SPDX-License-Identifier: MIT
 * What each launch of a program asks of a chip's caches. */
#pragma once

#include <glib.h>

#include "ptx/cured-cache-traffic.h"

G_BEGIN_DECLS

/**
 * CuredLineTraffic: of a line of the source.
 * @line: from 1; 0: instructions without one, or of another file
 * @traffic: of its instructions; without write-backs and dirty lines, which belong to no
 *   instruction
 */
typedef struct
{
  int line;
  CuredCacheTraffic traffic;
} CuredLineTraffic;

/**
 * CuredLaunchTraffic: of a launch.
 * @entry: its kernel
 * @step: index of it among the program's
 * @turn: how often the step ran before
 * @repeat: launches of the step that this one represents, itself included
 * @blocks: of the grid
 * @blocks_run: of these, those that the figures come from; where they are
 *   fewer, the figures are scaled
 * @resident_blocks: that a multiprocessor holds at once
 * @l1_bytes: first cache that shared memory leaves
 * @traffic: of the launch
 * @lines: (element-type CuredLineTraffic): in the order of the source
 */
typedef struct
{
  char *entry;
  gsize step;
  gint64 turn, repeat;
  guint64 blocks, blocks_run;
  guint resident_blocks;
  gsize l1_bytes;
  CuredCacheTraffic traffic;
  GArray *lines;
} CuredLaunchTraffic;

void cured_launch_traffic_free (CuredLaunchTraffic *self);
void cured_launch_traffic_sum (const GPtrArray *launches, CuredCacheTraffic *sum);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredLaunchTraffic, cured_launch_traffic_free)

G_END_DECLS
