/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include <gio/gio.h>

#include "base/cured-profile.h"
#include "device/cured-launch-traffic.h"
#include "kernel/program/cured-program.h"
#include "ptx/cured-work.h"

/* Whose traffic is wanted. */
typedef struct
{
  const CuredProgram *program; /* what runs */
  GBytes *ptx;                 /* of its source */
  /* (nullable): the chip's own code of the same source, for registers; without it they limit
   * nothing */
  GBytes *binary;
  const char *file_name;       /* what the compiler was told that the source is called */
  const CuredProfile *profile; /* the chip; of one without caches nothing is known */
  const CuredLimits *limits;   /* of the device that is imitated */
  guint64 seed;                /* of the inputs' generator */
  /* the second cache is empty before each launch, and not before the first one alone, as
   * profilers have it */
  gboolean is_flushing;
  double max_requests; /* of a launch, beyond which some blocks represent all; 0: the default */
  guint turn;          /* instructions of a warp until the next one has its turn; 0: the default */
  gint64 deadline_us;  /* on g_get_monotonic_time()'s clock; 0: none */
  gint64 cpu_limit_ms; /* of a launch, of processor time; 0: none */
} CuredTrafficQuery;

GPtrArray *_cured_traffic_count (const CuredTrafficQuery *query, GCancellable *cancellable,
                                 GError **error);
void _cured_traffic_apply (const GPtrArray *launches, CuredWorkload *work);
gboolean _cured_traffic_foresee (const CuredProfile *profile, CuredWorkload *work);
