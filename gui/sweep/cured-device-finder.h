/* SPDX-License-Identifier: MIT
 * The devices that there are, as they are found. */
#pragma once

#include <gio/gio.h>

#include "cured.h"

#define CURED_TYPE_DEVICE_ITEM (cured_device_item_get_type ())
/* A device that can be used. Property `name`: for people, with its id. */
G_DECLARE_FINAL_TYPE (CuredDeviceItem, cured_device_item, CURED, DEVICE_ITEM, GObject)

const char *cured_device_item_get_id (CuredDeviceItem *self);
const CuredDeviceInfo *cured_device_item_get_info (CuredDeviceItem *self);

#define CURED_TYPE_DEVICE_FINDER (cured_device_finder_get_type ())
/* A list model of the devices that can be used (#CuredDeviceItem), which are looked for in a
 * thread. Properties: `launcher` (string): where, as cured_launcher_list_devices() takes it, ""
 * being this machine; another one begins another search; `searching` (boolean, read-only); `usable`
 * (boolean, read-only): whether there is any; `problem` (string, read-only): why devices can't be
 * used, "" if all can. Items come and go while `searching` is TRUE. */
G_DECLARE_FINAL_TYPE (CuredDeviceFinder, cured_device_finder, CURED, DEVICE_FINDER, GObject)

void cured_device_finder_search (CuredDeviceFinder *self);
void cured_device_finder_stop (CuredDeviceFinder *self);
void cured_device_finder_set_found (CuredDeviceFinder *self, GPtrArray *found);
void cured_device_finder_set_launcher (CuredDeviceFinder *self, const char *launcher);
const char *cured_device_finder_get_launcher (CuredDeviceFinder *self);
gboolean cured_device_finder_is_searching (CuredDeviceFinder *self);
gboolean cured_device_finder_get_nearest (CuredDeviceFinder *self, const CuredDeviceInfo *like,
                                          guint *position);
gboolean cured_device_finder_get_default (CuredDeviceFinder *self, const char *arch,
                                          const char *model, guint *position);
gboolean cured_device_finder_get_position (CuredDeviceFinder *self, const char *id,
                                           guint *position);
