/* SPDX-License-Identifier: MIT
 * The whole of libcured: the one header that programs include. */
#pragma once

#include "base/cured-axis.h"
#include "base/cured-error.h"
#include "base/cured-expr.h"
#include "base/cured-limits.h"
#include "base/cured-metric.h"
#include "base/cured-profile.h"
#include "base/cured-units.h"
#include "bank/cured-bank-model.h"
#include "bank/cured-bank-pattern.h"
#include "ptx/cured-emulator.h"
#include "ptx/cured-finding.h"
#include "ptx/cured-memory.h"
#include "ptx/cured-ptx-module.h"
#include "kernel/cured-catalogue.h"
#include "kernel/cured-fill.h"
#include "kernel/cured-kernel.h"
#include "kernel/cured-program.h"
#include "kernel/cured-reference.h"
#include "spec/cured-block-set.h"
#include "spec/cured-options.h"
#include "spec/cured-spec.h"
#include "plan/cured-plan.h"
#include "device/cured-compiler.h"
#include "device/cured-device.h"
#include "timing/cured-sampler.h"
#include "timing/cured-statistics.h"
#include "timing/cured-stop-rule.h"
#include "check/cured-compare.h"
#include "check/cured-outcome.h"
#include "store/cured-comparison.h"
#include "store/cured-result.h"
#include "store/cured-store.h"
#include "store/cured-table.h"
#include "run/cured-measure.h"
#include "run/cured-runner.h"
#include "run/cured-worker.h"

/* Drawing is a library of its own (libcured-plot), for programs that have
 * Cairo. */
#if __has_include(<cairo.h>) && __has_include(<pango/pango.h>)
#include "plot/cured-colour-map.h"
#include "plot/cured-export.h"
#include "plot/cured-grid.h"
#include "plot/cured-plot.h"
#endif
