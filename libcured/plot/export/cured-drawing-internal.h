/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "plot/cured-chart.h"
#include "plot/export/cured-drawing.h"

const char *cured_drawing_get_title (const CuredDrawing *self);
char *cured_drawing_get_markup (const CuredDrawing *self, CuredMarkup markup);
CuredDrawing *cured_drawing_new (const CuredDrawingClass *klass, gpointer data, const char *name,
                                 double width, double height);
CuredDrawing *cured_drawing_new_chart (CuredChart *chart, gssize item, const char *name);
void cured_drawing_set_note (CuredDrawing *self, const char *note);
void cured_drawing_set_caption (CuredDrawing *self, const char *title, const char *first_line,
                                const char *second_line, const char *footnote);
