/* SPDX-License-Identifier: MIT
 * Devices of another machine, or of a batch system: what is put before the
 * command. */
#pragma once

#include <gio/gio.h>

#include "device/cured-device.h"

G_BEGIN_DECLS

char **cured_launcher_get_worker (const char *launcher, GError **error);
GPtrArray *cured_launcher_list_devices (const char *launcher,
                                        GCancellable *cancellable,
                                        GError **error);

G_END_DECLS
