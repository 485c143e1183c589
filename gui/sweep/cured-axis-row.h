/* SPDX-License-Identifier: MIT
 * One parameter of a new sweep: its values, as they are being typed. */
#pragma once

#include <gtk/gtk.h>

#include "cured.h"

#define CURED_TYPE_AXIS_ROW (cured_axis_row_get_type ())
/* Signals: `changed` when the text changed; `activate` on Enter. */
G_DECLARE_FINAL_TYPE (CuredAxisRow, cured_axis_row, CURED, AXIS_ROW, GtkListBoxRow)

GtkWidget *cured_axis_row_new (const CuredParameter *parameter, const CuredAxis *values);
gboolean cured_axis_row_apply (CuredAxisRow *self, CuredSpec *spec);
void cured_axis_row_set_text (CuredAxisRow *self, const char *text);
