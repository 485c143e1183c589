/* SPDX-License-Identifier: MIT
 * Tensor maps as the driver makes them. */
#pragma once

#include "ptx/cured-tensor-map.h"

G_BEGIN_DECLS

gboolean _cured_driver_encode_tensor_map (const CuredTensorShape *shape, guint64 address,
                                          guint8 object[CURED_TENSOR_MAP_BYTES], GError **error);

G_END_DECLS
