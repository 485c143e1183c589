/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/cured-element-internal.h"
#include "kernel/cured-kernel.h"

G_BEGIN_DECLS

const CuredBuffer *cured_buffer_resolve (const CuredBuffer *self, const gint64 *values);
gboolean cured_kernel_parse_point (const CuredKernel *self, const char *text, gint64 *values,
                                   GError **error);

G_END_DECLS
