/* SPDX-License-Identifier: MIT
 * Result files of made-up numbers, for tests of whatever reads them. */
#pragma once

#include "cured.h"

/**
 * MakeResult:
 * @n_tiles: values of `tile`, a compile parameter; 0 is 8. Up to 64 of them
 *   are 32, 64, …, and the last is one that can't be launched; more of them
 *   are 1, 2, 3, …
 * @n_blocks: values of `blocks`, a launch parameter; 0 is 6. Up to 64 of them
 *   are 66, 132, …; more of them are 1, 2, 3, …
 * @n_sizes: values of `n`, a problem parameter; 0 is 1
 * @no_samples: write no samples, and times alone: for large files
 * @unfinished: leave the last tenth of the cells not run
 * @every: write each so-manyth cell alone; 0: all
 * @factor: times are multiplied by this; 0 is 1 */
typedef struct
{
  gsize n_tiles, n_blocks, n_sizes;
  gboolean no_samples, unfinished;
  gint64 every;
  double factor;
} MakeResult;

CuredPlan *make_plan (const MakeResult *what);
void make_device_info (CuredDeviceInfo *info);
CuredOutcome *make_outcome (const MakeResult *what, CuredPlan *plan, gint64 cell);
void make_result (const char *path, const MakeResult *what);
void copy_unexplained (const char *from, const char *to);
char *make_folder (void);
void remove_folder (char *folder);
const char *test_folder (void);
