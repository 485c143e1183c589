/* SPDX-License-Identifier: MIT
 * The start page of a tab, and lessons. */
#pragma once

#include "widgets/cured-gui-widgets.h"

/* ---- The bar that leads through a lesson, above the views of its kernel ---- */

#define CURED_TYPE_LESSON_BAR (cured_lesson_bar_get_type ())
/* Signal: `closed`: the user ended the lesson. */
G_DECLARE_FINAL_TYPE (CuredLessonBar, cured_lesson_bar, CURED, LESSON_BAR, AdwBin)

void cured_lesson_bar_set_document (CuredLessonBar *self, CuredDocument *document,
                                    CuredInspector *inspector);
void cured_lesson_bar_set_lesson (CuredLessonBar *self, const CuredLesson *lesson);
const CuredLesson *cured_lesson_bar_get_lesson (CuredLessonBar *self);

/* ---- The row of a lesson, with its text, map and questions ---- */

#define CURED_TYPE_LESSON_ROW (cured_lesson_row_get_type ())
/* Signal: `open-file` (GFile *file): the user wants to see its recorded map. */
G_DECLARE_FINAL_TYPE (CuredLessonRow, cured_lesson_row, CURED, LESSON_ROW, AdwExpanderRow)

GtkWidget *cured_lesson_row_new (const CuredLesson *lesson);
GFile *cured_lesson_row_find_recording (const CuredLesson *lesson);
const CuredLesson *cured_lesson_row_get_lesson (CuredLessonRow *self);

/* ---- Answers a question of a lesson in a thread ---- */

void cured_question_answer (CuredTask **slot, gpointer owner, const char *question,
                            const char *guess,
                            void (*answered) (gpointer owner, const char *answer));

/* ---- The page of a tab before a file is open ---- */

#define CURED_TYPE_START_PAGE (cured_start_page_get_type ())
/* Signal: `open-file` (GFile *file): a recent or recorded file was chosen. */
G_DECLARE_FINAL_TYPE (CuredStartPage, cured_start_page, CURED, START_PAGE, AdwBin)

void cured_start_page_refresh (CuredStartPage *self);
