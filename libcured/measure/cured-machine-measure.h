/* SPDX-License-Identifier: MIT
 * Measures the rates, latencies and costs of a chip, for a file of machine facts. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device.h"

/* *
 * CuredMachineFunc:
 * @done: probes that ran
 * @all: total number of probes
 *
 * Called with progress, in the thread that measures. */
typedef void (*CuredMachineFunc) (gint64 done, gint64 all, gpointer user_data);

char *cured_machine_measure (CuredDevice *device, CuredMachineFunc func, gpointer user_data,
                             GPtrArray *left_out, GCancellable *cancellable, GError **error);
