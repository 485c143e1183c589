/* SPDX-License-Identifier: MIT
 * Numbers to text: for people in their locale, for files in C. */
#pragma once

#include <glib.h>
#include <math.h>

/* A missing number is NaN everywhere in this library, never 0. */
#define CURED_MISSING ((double) NAN)

char *cured_format_quantity (double value, const char *unit);
void cured_format_set_digits (guint digits);
char *cured_format_rough (double value, const char *unit);
char *cured_format_multiple (double multiple, guint digits);
char *cured_format_quantity_among (double value, const char *unit, const double *others,
                                   gsize n_others);
const char *cured_unit_choose (const char *unit, double scale_of, double *factor);
gboolean cured_parse_quantity (const char *text, const char *unit, double bare, double *value,
                               GError **error);
char *cured_format_count (gint64 count);
char *cured_format_date (GDateTime *date);
char *cured_format_seconds (double seconds);
char *cured_format_file_number (double value);
