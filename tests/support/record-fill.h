/* SPDX-License-Identifier: MIT
 * Structs with made-up values of all their fields, by their field tables. */
#pragma once

#include "base/cured-fields-internal.h"

void record_fill (const CuredRecordInfo *info, gpointer of, GRand *random);
void record_forget (const CuredRecordInfo *info, gpointer of);
char *record_to_text (const CuredRecordInfo *info, gconstpointer of);
gboolean page_names_field (const char *text, const char *name);
