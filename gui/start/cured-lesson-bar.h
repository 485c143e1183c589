/* SPDX-License-Identifier: MIT
 * A lesson above the views of its kernel, step by step. */
#pragma once

#include <adwaita.h>

#include "model/cured-inspector.h"

#define CURED_TYPE_LESSON_BAR (cured_lesson_bar_get_type ())
/* Signal: `closed`: the lesson is done with. */
G_DECLARE_FINAL_TYPE (CuredLessonBar, cured_lesson_bar, CURED, LESSON_BAR, AdwBin)

void cured_lesson_bar_set_document (CuredLessonBar *self, CuredDocument *document,
                                    CuredInspector *inspector);
void cured_lesson_bar_set_lesson (CuredLessonBar *self, const CuredLesson *lesson);
const CuredLesson *cured_lesson_bar_get_lesson (CuredLessonBar *self);
