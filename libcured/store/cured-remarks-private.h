/* SPDX-License-Identifier: MIT
 * Remarks in a database and in a result. */
#pragma once

#include "store/cured-database-private.h"
#include "store/cured-remarks.h"

extern const CuredRows _cured_rows_remark;

GArray *_cured_remarks_new (void);
gboolean _cured_remarks_find (const GArray *self, gint64 cell, guint *index);
char *_cured_remark_clean (const char *text);
gboolean _cured_database_write_remark (CuredDatabase *database, gint64 cell, const char *text,
                                       GError **error);
GArray *_cured_database_read_remarks (CuredDatabase *database, gint64 n_cells, GError **error);
