/* SPDX-License-Identifier: MIT
 * A launch's arguments. */
#pragma once

#include "device/cured-device.h"
#include "kernel/cured-program.h"
#include "ptx/cured-ptx-module.h"

G_BEGIN_DECLS

/**
 * CuredEncodeFunc:
 * @shape: of a tensor map
 * @address: what it is laid over
 * @object: (out): what the device's kernels take
 * @error: return location
 *
 * Returns: %FALSE where the device has no such tensor map
 */
typedef gboolean (*CuredEncodeFunc) (const CuredTensorShape *shape,
                                     CuredDevicePtr address,
                                     guint8 object[CURED_TENSOR_MAP_BYTES],
                                     GError **error);

gboolean _cured_argument_get (const CuredProgram *program,
                              const CuredProgramStep *step,
                              gsize index,
                              const CuredDevicePtr *bindings,
                              gint64 turn,
                              CuredEncodeFunc encode,
                              void *value,
                              GError **error);
gsize _cured_argument_get_size (const CuredProgramArgument *argument,
                                gsize *alignment);
GByteArray *_cured_arguments_pack (const CuredProgram *program,
                                   const CuredProgramStep *step,
                                   const CuredDevicePtr *bindings,
                                   gint64 turn,
                                   const CuredPtxEntry *entry,
                                   GError **error);

G_END_DECLS
