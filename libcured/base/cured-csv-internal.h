/* SPDX-License-Identifier: MIT
 * Writes tables as CSV. */
#pragma once

#include <glib.h>

void _cured_csv_text (GString *csv, const char *text);
void _cured_csv_texts (GString *csv, const char *const *texts, gsize n_texts);
void _cured_csv_integer (GString *csv, gint64 value);
void _cured_csv_number (GString *csv, double value);
void _cured_csv_end (GString *csv);
