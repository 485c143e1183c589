/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/cured-element-internal.h"
#include "kernel/cured-kernel.h"
#include "kernel/cured-sources.h"

/* Total size of a kernel's input files. */
#define CURED_MAX_INPUT_BYTES (512 << 20)

const CuredBuffer *cured_buffer_resolve (const CuredBuffer *self, const gint64 *values);
gboolean _cured_kernel_check_size (const char *name, gint64 n_bytes, GError **error);
char *_cured_kernel_load_text (const char *path, GError **error);
CuredKernel *_cured_kernel_new_from_sources (const char *text, const char *id, const char *path,
                                             CuredSources *sources, GHashTable *inputs,
                                             GError **error);
gboolean _cured_kernel_is_reserved (const char *name);
char *_cured_kernel_read_context (const char *path, const char *source);
gboolean cured_kernel_parse_point (const CuredKernel *self, const char *text, gint64 *values,
                                   GError **error);
