/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "store/cured-table.h"

gboolean cured_table_write_csv (CuredResult *result, const char *const *metrics,
                                GOutputStream *stream, GCancellable *cancellable, GError **error);
gboolean cured_table_write_json (CuredResult *result, const char *const *metrics,
                                 GOutputStream *stream, GCancellable *cancellable, GError **error);
