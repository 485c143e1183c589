/* SPDX-License-Identifier: MIT
 * Answers a question of a lesson in a thread. */
#include <config.h>

#include "start/cured-gui-start.h"

typedef struct
{
  char *question, *guess;
  void (*answered) (gpointer owner, const char *answer);
} Asked;

CURED_FREE_FUNC (Asked, asked_free, question, g_free, guess, g_free)

static void
answer_work (CuredTask *task)
{
  const Asked *asked = task->input;

  task->output = cured_lesson_answer (asked->question, asked->guess, &task->error);
}

static void
answered_cb (gpointer owner, CuredTask *task)
{
  ((const Asked *) task->input)
      ->answered (owner, task->output != NULL ? task->output : task->error->message);
}

static const CuredTaskKind answer_task =
    CURED_TASK_KIND (answer_work, answered_cb, asked_free, g_free);

/* Finds the answer, which may run a kernel on the emulator. @answered gets a text: whether @guess
 * is right and the answer, or an error. */
void
cured_question_answer (CuredTask **slot, gpointer owner, const char *question, const char *guess,
                       void (*answered) (gpointer owner, const char *answer))
{
  Asked *asked = g_new0 (Asked, 1);

  asked->question = g_strdup (question);
  asked->guess = g_strdup (guess);
  asked->answered = answered;
  cured_task_start (slot, owner, &answer_task, asked);
}
