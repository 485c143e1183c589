/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ptx/cured-tensor-map.h"

G_BEGIN_DECLS

gboolean cured_tensor_type_is_float (CuredTensorType type);
gboolean cured_tensor_shape_check (const CuredTensorShape *self,
                                   guint64 buffer_bytes,
                                   GError **error);
void cured_tensor_shape_encode (const CuredTensorShape *self,
                                guint64 address,
                                guint8 object[CURED_TENSOR_MAP_BYTES]);
gboolean
cured_tensor_shape_decode (CuredTensorShape *self,
                           guint64 *address,
                           const guint8 object[CURED_TENSOR_MAP_BYTES]);

G_END_DECLS
