/* SPDX-License-Identifier: MIT
 * A lesson: what a text says, its map, and questions. */
#pragma once

#include <adwaita.h>

#include "cured-plot.h"

#define CURED_TYPE_LESSON_ROW (cured_lesson_row_get_type ())
/* Signal: `open-file` (GFile *file): its recorded map is wanted. */
G_DECLARE_FINAL_TYPE (CuredLessonRow, cured_lesson_row, CURED, LESSON_ROW, AdwExpanderRow)

GtkWidget *cured_lesson_row_new (const CuredLesson *lesson);
GFile *cured_lesson_row_find_recording (const CuredLesson *lesson);
const CuredLesson *cured_lesson_row_get_lesson (CuredLessonRow *self);
