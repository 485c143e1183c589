/* SPDX-License-Identifier: MIT
 * The devices of this machine, by id. */
#pragma once

#include "device/cured-device.h"

CuredDevice *cured_device_open (const char *id, GError **error);
GPtrArray *cured_device_list (void);
