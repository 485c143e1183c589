/* SPDX-License-Identifier: MIT
 * The devices of this machine, by id. */
#pragma once

#include "device/cured-device.h"

G_BEGIN_DECLS

CuredDevice *cured_device_open (const char *id, GError **error);
GPtrArray *cured_device_list (void);
void cured_device_list_chips (GPtrArray *list);

G_END_DECLS
