/* SPDX-License-Identifier: MIT
 * What the export formats share. */
#pragma once

#include "plot/cured-export.h"

G_BEGIN_DECLS

char *_cured_export_describe_title (CuredResult *result);
char *_cured_export_describe_origin (CuredResult *result);
char *_cured_export_describe_slice (CuredResult *result, const CuredView *view);
char *_cured_export_describe_cell (CuredResult *result,
                                   const CuredView *view,
                                   gint64 cell);

gboolean _cured_export_write_png (CuredResult *result,
                                  const CuredView *view,
                                  gboolean dark,
                                  GOutputStream *stream,
                                  GCancellable *cancellable,
                                  GError **error);
gboolean _cured_export_write_svg (CuredResult *result,
                                  const CuredView *view,
                                  gboolean dark,
                                  GOutputStream *stream,
                                  GCancellable *cancellable,
                                  GError **error);
gboolean _cured_export_write_pdf (CuredResult *result,
                                  const CuredView *view,
                                  gboolean dark,
                                  GOutputStream *stream,
                                  GCancellable *cancellable,
                                  GError **error);

G_END_DECLS
