/* SPDX-License-Identifier: MIT
 * Options of a run, and a device, of which nothing is as it is by default. */
#pragma once

#include "device/cured-device-info.h"
#include "spec/cured-options.h"

const char *other_option (const CuredOptionInfo *row);
void other_options_init (CuredOptions *self);
void assert_same_options (const CuredOptions *a, const CuredOptions *b, guint but);

void other_device_init (CuredDeviceInfo *self);
void assert_same_device (const CuredDeviceInfo *a, const CuredDeviceInfo *b);
