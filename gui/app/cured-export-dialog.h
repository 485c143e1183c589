/* SPDX-License-Identifier: MIT
 * Asks how an exported picture is to look. */
#pragma once

#include "cured-plot.h"
#include <adwaita.h>

/* Called where a format was chosen, and not otherwise. */
typedef void (*CuredExportChosenFunc) (gpointer owner, const CuredExportFormat *format,
                                       const CuredExportOptions *options);

void cured_export_dialog_show (GtkWindow *parent, const CuredDrawing *drawing,
                               const CuredExportOptions *options, gpointer owner,
                               CuredExportChosenFunc chosen);
