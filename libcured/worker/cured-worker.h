/* SPDX-License-Identifier: MIT
 * The device process, and the device that drives one. docs/worker-protocol.md has the messages. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device.h"

#define CURED_WORKER_PROTOCOL 1

typedef CuredDevice *(*CuredDeviceOpenFunc) (const char *id, GError **error);

int cured_worker_main (CuredDeviceOpenFunc open_func, const char *id);

CuredDevice *cured_worker_device_new (const char *const *command, const char *id, GError **error);
char **cured_worker_default_command (void);
char **cured_worker_default_verb (const char *verb);
