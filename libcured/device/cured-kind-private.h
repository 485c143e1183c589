/* SPDX-License-Identifier: MIT
 * What the kinds of device share among themselves. */
#pragma once

#include "base/cured-profile.h"
#include "device/cured-device.h"

typedef struct
{
  const char *name; /* before the colon of an id */
  /* opens a device by the rest; NULL where there is no colon */
  CuredDevice *(*open) (const char *number, GError **error);
  /* (nullable): loads what takes long and needs no device yet */
  void (*load) (void);
  /* appends a #CuredDeviceFound for each device, or one with the reason why there is none */
  void (*list) (GPtrArray *list);
} CuredDeviceKind;

extern const CuredDeviceKind _cured_cuda_kind;
extern const CuredDeviceKind _cured_emulator_kind;
extern const CuredDeviceKind _cured_model_kind;

void _cured_emulator_become (const CuredProfile *profile, CuredDeviceInfo *info);

gboolean _cured_ceilings_load (CuredDeviceInfo *info);
void _cured_ceilings_save (const CuredDeviceInfo *info);
