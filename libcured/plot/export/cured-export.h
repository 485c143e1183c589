/* SPDX-License-Identifier: MIT
 * Exports of views to files: the table of formats. */
#pragma once

#include <gio/gio.h>

#include "plot/map/cured-grid.h"

typedef struct _CuredDrawing CuredDrawing;

/* Style and size of a picture. Zeros are the defaults. With a width, a height or a font size,
 * lengths in PDF and EPS are lengths on paper; without, a unit is a point. */
typedef struct
{
  gboolean dark;    /* light text on a dark background */
  double width;     /* with its caption, in 1/96 inch; 0: the natural one, or by @height */
  double height;    /* likewise, by @width */
  double dpi;       /* pixels per inch of a PNG; 0: 192 */
  double font_size; /* in points; 0: 10 */
} CuredExportOptions;

gboolean cured_export_parse_size (const char *text, double *width, double *height, GError **error);

typedef struct
{
  const char *id;        /* "png"; also the file suffix */
  const char *title;     /* untranslated */
  const char *mime_type; /* for file dialogs */
  gboolean is_picture;   /* FALSE: a table or a text */
  /* for a result, all cells with a column for each metric; FALSE: the visible slice */
  gboolean has_columns;
  /* writes @drawing to @stream; CURED_ERROR_INVALID if it needs a table and there is none */
  gboolean (*write) (const CuredDrawing *drawing, const CuredExportOptions *options,
                     GOutputStream *stream, GCancellable *cancellable, GError **error);
} CuredExportFormat;

const CuredExportFormat *cured_export_formats (gsize *n_formats);
const CuredExportFormat *cured_export_format_find (const char *id);
gboolean cured_export (const CuredDrawing *drawing, const CuredExportOptions *options,
                       const CuredExportFormat *format, const char *path, GCancellable *cancellable,
                       GError **error);
char *cured_export_terminal (CuredResult *result, const CuredView *view, int columns,
                             gboolean colour);
