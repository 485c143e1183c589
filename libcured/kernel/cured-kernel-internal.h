/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/cured-kernel.h"

G_BEGIN_DECLS

const CuredBuffer *cured_buffer_resolve (const CuredBuffer *self,
                                         const gint64 *values);
gboolean cured_kernel_parse_point (const CuredKernel *self,
                                   const char *text,
                                   gint64 *values,
                                   GError **error);
gsize cured_element_get_size (CuredElement type);
const char *cured_element_to_string (CuredElement type);

G_END_DECLS
