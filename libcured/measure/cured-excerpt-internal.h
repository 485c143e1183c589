/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "kernel/program/cured-program.h"
#include "measure/cured-excerpt.h"

G_BEGIN_DECLS

void cured_range_clip (const CuredRange *self, gint64 length, gint64 *first, gint64 *count);
CuredExcerpt *cured_excerpt_new (const CuredProgramBuffer *buffer, gint64 first, gint64 count,
                                 const void *before, const void *after);

G_END_DECLS
