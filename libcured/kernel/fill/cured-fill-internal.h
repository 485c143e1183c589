/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/fill/cured-fill.h"

void cured_fill_range (const CuredProgramBuffer *buffer, gsize buffer_index, guint64 seed,
                       gsize offset, gsize size, void *data);
void cured_fill_buffer (const CuredProgramBuffer *buffer, gsize buffer_index, guint64 seed,
                        void *data);
gboolean cured_fill_check (const CuredProgramBuffer *buffer, GError **error);
char *cured_fill_key (const CuredProgramBuffer *buffer, gsize buffer_index, guint64 seed);
