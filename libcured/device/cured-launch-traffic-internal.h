/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include <gio/gio.h>

#include "base/cured-profile.h"
#include "device/cured-launch-traffic.h"
#include "kernel/program/cured-program.h"
#include "ptx/cured-work.h"

/* The program whose traffic to count, and how. */
typedef struct
{
  const CuredProgram *program; /* the program to run */
  GBytes *ptx;                 /* PTX of its source */
  /* (nullable): the chip's machine code of the same source, for registers; without it, they limit
   * nothing */
  GBytes *binary;
  const char *file_name;       /* the source's name for the compiler */
  const CuredProfile *profile; /* the chip, whose caches must be known */
  const CuredLimits *limits;   /* limits of the emulated device */
  guint64 seed;                /* seed of the inputs' generator */
  /* the L2 cache is empty before each launch, as in profilers, not only before the first
   * one */
  gboolean is_flushing;
  double max_requests; /* requests of a launch beyond which some blocks represent all; 0: default */
  guint turn;          /* instructions of a warp before the next warp runs; 0: the default */
  gint64 deadline_us;  /* on g_get_monotonic_time()'s clock; 0: none */
  gint64 cpu_limit_ms; /* of a launch, of processor time; 0: none */
} CuredTrafficQuery;

GPtrArray *_cured_traffic_count (const CuredTrafficQuery *query, GCancellable *cancellable,
                                 GError **error);
void _cured_traffic_apply (const GPtrArray *launches, CuredWorkload *work);
gboolean _cured_traffic_foresee (const CuredProfile *profile, CuredWorkload *work);
