/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "measure/cured-compare.h"

G_BEGIN_DECLS

char *cured_element_to_text (CuredElement type, const void *data, gint64 index);
gboolean cured_is_poison (const void *element, gsize size);
char *cured_buffer_element_to_text (const CuredBuffer *buffer, const void *data, gint64 index);
guint64 cured_compare_buffer (const CuredBuffer *buffer, gint64 length, const void *got,
                              const void *expected, double tolerance, double relative,
                              GPtrArray *mismatches);
guint64 cured_compare (CuredElement type, gint64 length, const void *got, const void *expected,
                       double tolerance, double relative, const char *buffer,
                       GPtrArray *mismatches);

G_END_DECLS
