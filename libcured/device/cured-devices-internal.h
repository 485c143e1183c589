/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "device/cured-devices.h"

G_BEGIN_DECLS

void _cured_device_load (const char *id);
void cured_device_list_chips (GPtrArray *list);

G_END_DECLS
