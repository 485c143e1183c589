/* SPDX-License-Identifier: MIT
 * A kernel's traffic of a chip's caches, at one point. */
#pragma once

#include <gio/gio.h>

#include "device/cured-compiler.h"
#include "device/cured-launch-traffic.h"
#include "kernel/program/cured-program.h"

typedef enum
{
  /* the L2 cache is empty before each launch, as in Nsight Compute; otherwise only before the first
   * one */
  CURED_TRAFFIC_FLUSHED = 1 << 0,
} CuredTrafficFlags;

GPtrArray *cured_traffic_view_new (CuredCompiler *compiler, CuredKernel *kernel,
                                   const gint64 *values, const char *arch, CuredTrafficFlags flags,
                                   gint64 time_limit_ms, GCancellable *cancellable, GError **error);
