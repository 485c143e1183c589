/* SPDX-License-Identifier: MIT
 * Tables of imported records. */
#pragma once

#include "import/cured-import-private.h"

void _cured_import_table_free (gpointer data);
const char *_cured_import_table_get_label (const CuredImportTable *self);
gboolean _cured_import_table_is_empty (const CuredImportTable *self);
gboolean _cured_import_table_matches (const CuredImportTable *self, const CuredImportTable *other);
void _cured_import_table_absorb (CuredImportTable *self, CuredImportTable *other);
gboolean _cured_import_table_add_result (CuredImportTable *self, CuredImportReader *reader,
                                         const char *path, GCancellable *cancellable,
                                         GError **error);
void _cured_import_table_rename (CuredImportTable *self, const char *name);
CuredImportedFile *_cured_import_table_write (CuredImportTable *self, CuredImportReader *reader,
                                              const char *path, gboolean overwrite,
                                              GCancellable *cancellable, GError **error);
