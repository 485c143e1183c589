/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "device/cured-device-info.h"

G_BEGIN_DECLS

void cured_device_fact_set_number (const CuredDeviceFact *self, CuredDeviceInfo *of, double number);
void cured_device_fact_set_text (const CuredDeviceFact *self, CuredDeviceInfo *of,
                                 const char *text);

char *cured_device_describe_sharing (const char *name);

G_END_DECLS
