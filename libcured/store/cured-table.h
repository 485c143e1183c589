/* SPDX-License-Identifier: MIT
 * A result as text for other programs: CSV and JSON, always in C locale. */
#pragma once

#include "store/cured-result.h"

G_BEGIN_DECLS

gboolean cured_table_write_csv (CuredResult *result,
                                GOutputStream *stream,
                                GCancellable *cancellable,
                                GError **error);
gboolean cured_table_write_json (CuredResult *result,
                                 GOutputStream *stream,
                                 GCancellable *cancellable,
                                 GError **error);

G_END_DECLS
