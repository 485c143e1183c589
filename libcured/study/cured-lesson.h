/* SPDX-License-Identifier: MIT
 * Lessons: from a textbook's statement to measurements. */
#pragma once

#include "inspect/cured-inspection.h"
#include "study/cured-claim.h"

/* Questions of a lesson. */
#define CURED_LESSON_MAX_QUESTIONS 3

/* Texts in a lesson's change, and their replacements. */
#define CURED_LESSON_MAX_CHANGES 4

/* Parameters of a case that a lesson draws. */
#define CURED_LESSON_MAX_SMALL 5

/**
 * CuredLesson:
 * @id: for the command
 * @title: untranslated, as the texts below
 * @says: what the texts say
 * @recording: kernel whose recorded map is opened
 * @see: what to see in it
 * @attempt: a change to make, and what to write down before
 * @questions: (array zero-terminated=1): "KERNEL:CLAIM": claims of kernel files
 *   whose figures are to be guessed, and are what was found
 * @small: (array zero-terminated=1): "PARAMETER=VALUE" of a case of @recording
 *   that is small enough to see each thread with its elements; empty where the
 *   lesson is not about these
 * @block: that is drawn of the case, counted as blocks are made
 * @banks: (array zero-terminated=1): "PARAMETER=VALUE" of the case of @recording
 *   whose worst access to shared memory is drawn, where it is not the kernel's
 *   defaults
 * @change: (array zero-terminated=1): the change of @attempt, where it is one of
 *   the source: texts of it, each before what takes its place
 *
 * A lesson. Its texts have no figures; the claims do. */
typedef struct
{
  const char *id, *title, *says, *recording, *see, *attempt;
  const char *questions[CURED_LESSON_MAX_QUESTIONS + 1], *small[CURED_LESSON_MAX_SMALL + 1];
  guint64 block;
  const char *banks[CURED_LESSON_MAX_SMALL + 1];
  const char *change[CURED_LESSON_MAX_CHANGES + 1];
} CuredLesson;

const CuredLesson *cured_lessons (gsize *n_lessons);
const CuredLesson *cured_lesson_find (const char *id);
CuredKernel *cured_lesson_load_question (const char *question, const CuredClaim **claim,
                                         GError **error);
char *cured_lesson_change (const CuredLesson *self, const char *source);
char *cured_lesson_answer (const char *question, const char *guess, GError **error);
char *cured_lesson_compare (const CuredInspection *text, const CuredInspection *own);
