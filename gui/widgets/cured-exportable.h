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
/* @bytes is NULL where @path was written, or @error says why not. */
typedef void (*CuredWritten) (gpointer owner, const char *path, GBytes *bytes, const GError *error);

void cured_exportable_write (gpointer owner, CuredDrawing *drawing, const CuredExportFormat *format,
                             const char *path, CuredWritten written);

G_END_DECLS
