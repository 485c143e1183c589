/* SPDX-License-Identifier: MIT
 * Tables of imported records, as the importer writes them. */
#pragma once

#include "import/cured-import-private.h"

G_BEGIN_DECLS

void _cured_import_table_free (gpointer data);
const char *_cured_import_table_get_label (const CuredImportTable *self);
gboolean _cured_import_table_is_empty (const CuredImportTable *self);
CuredImportedFile *_cured_import_table_write (CuredImportTable *self, CuredImportReader *reader,
                                              const char *path, gboolean overwrite,
                                              GCancellable *cancellable, GError **error);

G_END_DECLS
