/* SPDX-License-Identifier: MIT
 * What a kernel at one point asks of the caches of a chip. */
#pragma once

#include <gio/gio.h>

#include "device/cured-compiler.h"
#include "device/cured-launch-traffic.h"
#include "kernel/program/cured-program.h"

typedef enum
{
  /* the second cache is empty before each launch, as Nsight Compute has it; otherwise before the
   * first one alone */
  CURED_TRAFFIC_FLUSHED = 1 << 0,
} CuredTrafficFlags;

GPtrArray *cured_traffic_view_new (CuredCompiler *compiler, CuredKernel *kernel,
                                   const gint64 *values, const char *arch, CuredTrafficFlags flags,
                                   gint64 time_limit_ms, GCancellable *cancellable, GError **error);
