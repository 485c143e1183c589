/* SPDX-License-Identifier: MIT
 * Launchers: command prefixes for devices of another machine or of a batch system. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device.h"

char **cured_launcher_get_worker (const char *launcher, GError **error);
char **cured_launcher_get_worker_of (const char *launcher, const char *program, GError **error);
char *cured_launcher_push (const char *launcher, GCancellable *cancellable, GError **error);
GPtrArray *cured_launcher_list_devices_of (const char *launcher, const char *program,
                                           GCancellable *cancellable, GError **error);
GPtrArray *cured_launcher_list_devices (const char *launcher, GCancellable *cancellable,
                                        GError **error);
char **cured_launcher_list_recent (void);
void cured_launcher_remember (const char *launcher);
