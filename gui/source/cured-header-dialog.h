/* SPDX-License-Identifier: MIT
 * Helps to write the header of a CUDA file that has none. */
#pragma once

#include <adwaita.h>

#include "cured.h"

#define CURED_TYPE_HEADER_DIALOG (cured_header_dialog_get_type ())
/* Proposes a header for a CUDA file's text, lets it be mended, and shows whether it is right.
 * Nothing is written to the file. Signals: `ready (const char *text)`: the file's text with its
 * header on top, which cured_kernel_new_from_text() takes; the dialog closes by itself. */
G_DECLARE_FINAL_TYPE (CuredHeaderDialog, cured_header_dialog, CURED, HEADER_DIALOG, AdwWindow)

CuredHeaderDialog *cured_header_dialog_new (GtkWindow *parent, const char *path,
                                            const char *source);
