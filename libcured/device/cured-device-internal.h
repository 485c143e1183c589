/* SPDX-License-Identifier: MIT
 * What the kinds of device share among themselves. */
#pragma once

#include "base/cured-profile.h"
#include "device/cured-device.h"
#include "ptx/cured-ptx-module.h"

G_BEGIN_DECLS

/**
 * CuredDeviceKind:
 * @name: what stands before the colon of an id
 * @open: opens a device by what stands after it; NULL where there is no colon
 * @list: appends a #CuredDeviceFound for each device, or one with the reason
 *   why there is none
 */
typedef struct
{
  const char *name;
  CuredDevice *(*open) (const char *number, GError **error);
  void (*list) (GPtrArray *list);
} CuredDeviceKind;

extern const CuredDeviceKind _cured_cuda_kind;
extern const CuredDeviceKind _cured_emulator_kind;

void _cured_emulator_become (const CuredProfile *profile,
                             CuredDeviceInfo *info);

/* An argument of a launch, in its own width. Device addresses are 64 bits wide
 * on every device. */
typedef union
{
  gint32 i32;
  guint32 u32;
  gint64 i64;
  float f32;
  double f64;
  CuredDevicePtr address;
} CuredArgumentValue;

gsize _cured_argument_get (const CuredProgramStep *step,
                           gsize index,
                           const CuredDevicePtr *bindings,
                           gint64 turn,
                           CuredArgumentValue *value);
GByteArray *_cured_arguments_pack (const CuredProgramStep *step,
                                   const CuredDevicePtr *bindings,
                                   gint64 turn,
                                   const CuredPtxEntry *entry,
                                   GError **error);
gboolean _cured_cubin_read_usage (GBytes *cubin,
                                  const char *entry,
                                  int *registers,
                                  gsize *stack_bytes,
                                  GError **error);

gboolean _cured_ceilings_load (CuredDeviceInfo *info);
void _cured_ceilings_save (const CuredDeviceInfo *info);

G_END_DECLS
