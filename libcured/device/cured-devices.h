/* SPDX-License-Identifier: MIT
 * The devices of this machine, by id. */
#pragma once

#include "device/cured-device.h"

G_BEGIN_DECLS

CuredDevice *cured_device_open (const char *id, GError **error);
GPtrArray *cured_device_list (void);

G_END_DECLS
