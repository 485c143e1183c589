/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "measure/cured-compare.h"

G_BEGIN_DECLS

gboolean cured_is_poison (const void *element, gsize size);
guint64 cured_compare (CuredElement type,
                       gint64 length,
                       const void *got,
                       const void *expected,
                       double tolerance,
                       double relative,
                       const char *buffer,
                       GPtrArray *mismatches);

G_END_DECLS
