/* SPDX-License-Identifier: MIT
 * A launch's arguments. */
#pragma once

#include "device/cured-device.h"
#include "kernel/program/cured-program.h"
#include "ptx/cured-ptx-module.h"
#include "ptx/cured-texture-internal.h"

/* @shape: shape of a tensor map
 * @address: address of its data
 * @object: (out): the object that the device's kernels take
 * Returns: %FALSE if the device does not support such a tensor map */
typedef gboolean (*CuredEncodeFunc) (const CuredTensorShape *shape, CuredDevicePtr address,
                                     guint8 object[CURED_TENSOR_MAP_BYTES], GError **error);

/* @data: as passed to the caller
 * @texture: a texture over a buffer
 * @handle: (out): the handle that the device's kernels take
 * Returns: %FALSE if the device does not support such a texture */
typedef gboolean (*CuredTextureFunc) (gpointer data, const CuredTexture *texture, guint64 *handle,
                                      GError **error);

gboolean _cured_argument_get (const CuredProgram *program, const CuredProgramStep *step,
                              gsize index, const CuredDevicePtr *bindings, gint64 turn,
                              CuredEncodeFunc encode, CuredTextureFunc make_texture, gpointer data,
                              void *value, GError **error);
gsize _cured_argument_get_size (const CuredProgramArgument *argument, gsize *alignment);
GByteArray *_cured_arguments_pack (const CuredProgram *program, const CuredProgramStep *step,
                                   const CuredDevicePtr *bindings, gint64 turn,
                                   const CuredPtxEntry *entry, GArray *textures, GError **error);
