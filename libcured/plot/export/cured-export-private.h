/* SPDX-License-Identifier: MIT
 * Functions that the export formats share. */
#pragma once

#include <json-glib/json-glib.h>

#include "plot/export/cured-drawing.h"
#include "plot/export/cured-export.h"

char *_cured_export_describe_title (CuredResult *result);
char *_cured_export_describe_origin (CuredResult *result);
char *_cured_export_describe_slice (CuredResult *result, const CuredView *view);
char *_cured_export_describe_cell (CuredResult *result, const CuredView *view, gint64 cell);

gboolean _cured_export_write_builder (JsonBuilder *builder, GOutputStream *stream,
                                      GCancellable *cancellable, GError **error);

gboolean _cured_drawing_write_csv (const CuredDrawing *self, GOutputStream *stream,
                                   GCancellable *cancellable, GError **error);
gboolean _cured_drawing_write_json (const CuredDrawing *self, GOutputStream *stream,
                                    GCancellable *cancellable, GError **error);
gboolean _cured_drawing_write_own_page (const CuredDrawing *self, const CuredExportOptions *options,
                                        GOutputStream *stream, GCancellable *cancellable,
                                        GError **error);
gboolean _cured_export_write_latex (const CuredDrawing *drawing, const CuredExportOptions *options,
                                    GOutputStream *stream, GCancellable *cancellable,
                                    GError **error);
gboolean _cured_export_write_pgfplots (const CuredDrawing *drawing,
                                       const CuredExportOptions *options, GOutputStream *stream,
                                       GCancellable *cancellable, GError **error);
gboolean _cured_export_write_eps (const CuredDrawing *drawing, const CuredExportOptions *options,
                                  GOutputStream *stream, GCancellable *cancellable, GError **error);
char *_cured_export_grid_to_markup (const CuredGrid *grid, const char *const *lines,
                                    CuredMarkup markup);
char *_cured_export_grid_to_pgfplots (const CuredGrid *grid);
void _cured_markup_append_char (GString *text, CuredMarkup markup, char c);
gboolean _cured_export_write_tsv (const CuredDrawing *drawing, const CuredExportOptions *options,
                                  GOutputStream *stream, GCancellable *cancellable, GError **error);
gboolean _cured_export_write_markdown (const CuredDrawing *drawing,
                                       const CuredExportOptions *options, GOutputStream *stream,
                                       GCancellable *cancellable, GError **error);
gboolean _cured_export_write_png (const CuredDrawing *drawing, const CuredExportOptions *options,
                                  GOutputStream *stream, GCancellable *cancellable, GError **error);

typedef void (*CuredDrawFunc) (gconstpointer data, cairo_t *cr, const CuredPlotStyle *style,
                               double width, double height);

GString *_cured_export_draw_svg (CuredDrawFunc draw, gconstpointer data,
                                 const CuredPlotStyle *style, double width, double height,
                                 GError **error);
gboolean _cured_export_write_svg (const CuredDrawing *drawing, const CuredExportOptions *options,
                                  GOutputStream *stream, GCancellable *cancellable, GError **error);
gboolean _cured_export_write_pdf (const CuredDrawing *drawing, const CuredExportOptions *options,
                                  GOutputStream *stream, GCancellable *cancellable, GError **error);
