/* SPDX-License-Identifier: MIT
 * Exports of views to files: the table of formats. */
#pragma once

#include <gio/gio.h>

#include "plot/map/cured-grid.h"

G_BEGIN_DECLS

typedef struct _CuredDrawing CuredDrawing;

typedef struct
{
  const char *id;        /* "png"; also the usual suffix */
  const char *title;     /* untranslated */
  const char *mime_type; /* for file dialogs */
  gboolean is_picture;   /* FALSE: a table or a text */
  /* of a result, all cells, with a column for each metric; FALSE: what is seen */
  gboolean has_columns;
  /* writes @drawing to @stream; CURED_ERROR_INVALID where it has no table */
  gboolean (*write) (const CuredDrawing *drawing, gboolean dark, GOutputStream *stream,
                     GCancellable *cancellable, GError **error);
} CuredExportFormat;

const CuredExportFormat *cured_export_formats (gsize *n_formats);
const CuredExportFormat *cured_export_format_find (const char *id);
gboolean cured_export (const CuredDrawing *drawing, gboolean dark, const CuredExportFormat *format,
                       const char *path, GCancellable *cancellable, GError **error);
char *cured_export_terminal (CuredResult *result, const CuredView *view, int columns,
                             gboolean colour);

G_END_DECLS
