/* SPDX-License-Identifier: MIT
 * A launch's arguments. */
#pragma once

#include "device/cured-device.h"
#include "kernel/cured-program.h"
#include "ptx/cured-ptx-module.h"

G_BEGIN_DECLS

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

G_END_DECLS
