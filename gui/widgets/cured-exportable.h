/* SPDX-License-Identifier: MIT
 * What the window can export, copy and print of a page. */
#pragma once

#include <gtk/gtk.h>

#include "cured-plot.h"

G_BEGIN_DECLS

#define CURED_TYPE_EXPORTABLE (cured_exportable_get_type ())
/**
 * CuredExportableInterface:
 * @get_drawing: (transfer full) (nullable): what is seen now; %NULL: nothing
 */
G_DECLARE_INTERFACE (CuredExportable, cured_exportable, CURED, EXPORTABLE, GtkWidget)

struct _CuredExportableInterface
{
  GTypeInterface parent_interface;

  CuredDrawing *(*get_drawing) (CuredExportable *self);
};

CuredDrawing *cured_exportable_get_drawing (CuredExportable *self);
void cured_exportable_write_async (CuredDrawing *drawing, const CuredExportFormat *format,
                                   const char *path, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
GBytes *cured_exportable_write_finish (GAsyncResult *result, GError **error);

G_END_DECLS
