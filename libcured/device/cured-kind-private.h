/* SPDX-License-Identifier: MIT
 * The interface of kinds of devices. */
#pragma once

#include "base/cured-profile.h"
#include "device/cured-device.h"

typedef struct
{
  const char *name; /* the part of an id before the colon */
  /* opens a device by the rest; NULL if there is no colon */
  CuredDevice *(*open) (const char *number, GError **error);
  /* (nullable): loads libraries that take long, without a device */
  void (*load) (void);
  /* appends a #CuredDeviceFound for each device, or one with the reason why there are none */
  void (*list) (GPtrArray *list);
} CuredDeviceKind;

extern const CuredDeviceKind _cured_cuda_kind;
extern const CuredDeviceKind _cured_emulator_kind;
extern const CuredDeviceKind _cured_model_kind;

void _cured_emulator_become (const CuredProfile *profile, CuredDeviceInfo *info);

gboolean _cured_ceilings_load (CuredDeviceInfo *info);
void _cured_ceilings_save (const CuredDeviceInfo *info);
