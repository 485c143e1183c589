/* SPDX-License-Identifier: MIT
 * Tensor maps: functions for the library only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ptx/cured-tensor-map.h"

gboolean cured_tensor_type_is_float (CuredTensorType type);
gboolean cured_tensor_shape_check (const CuredTensorShape *self, guint64 buffer_bytes,
                                   GError **error);
void cured_tensor_shape_encode (const CuredTensorShape *self, guint64 address,
                                guint8 object[CURED_TENSOR_MAP_BYTES]);
/* Fields of a tensor map that a kernel may change, as in tensormap.replace. */
typedef enum
{
  CURED_TENSOR_FIELD_ADDRESS,
  CURED_TENSOR_FIELD_RANK,
  CURED_TENSOR_FIELD_BOX,
  CURED_TENSOR_FIELD_DIM,
  CURED_TENSOR_FIELD_STRIDE,
  CURED_TENSOR_FIELD_STEP,
  CURED_TENSOR_FIELD_TYPE,
  CURED_TENSOR_FIELD_INTERLEAVE,
  CURED_TENSOR_FIELD_SWIZZLE,
  CURED_TENSOR_FIELD_FILL,
} CuredTensorField;

gboolean cured_tensor_object_replace (guint8 object[CURED_TENSOR_MAP_BYTES], CuredTensorField field,
                                      guint64 index, guint64 value);
gboolean cured_tensor_shape_decode (CuredTensorShape *self, guint64 *address,
                                    const guint8 object[CURED_TENSOR_MAP_BYTES]);
