/* SPDX-License-Identifier: MIT
 * A question of a lesson: what was found, off the main thread. */
#include <config.h>

#include "start/cured-question.h"

#include "cured-plot.h"

static void
answer_thread (GTask *task, gpointer source, gpointer question, GCancellable *cancellable)
{
  GError *error = NULL;
  char *answer = cured_lesson_answer (question, &error);

  if (answer != NULL)
    g_task_return_pointer (task, answer, g_free);
  else
    g_task_return_error (task, error);
}

/**
 * cured_question_answer_async:
 * @question: of a lesson
 * @source: where the answer is shown
 * @callback: called with it
 * @user_data: for @callback
 *
 * Looks the answer up, which may run a kernel on the emulator.
 */
void
cured_question_answer_async (const char *question, GtkWidget *source, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (source, NULL, callback, user_data);

  g_task_set_task_data (task, g_strdup (question), g_free);
  g_task_run_in_thread (task, answer_thread);
}

/**
 * cured_question_answer_finish:
 * @result: of cured_question_answer_async()
 *
 * Returns: (transfer full) (nullable): the answer, or why there is none; %NULL
 *   where the window that asked is gone
 */
char *
cured_question_answer_finish (GAsyncResult *result)
{
  GTask *task = G_TASK (result);
  g_autoptr (GError) error = NULL;
  g_autofree char *answer = g_task_propagate_pointer (task, &error);

  if (gtk_widget_get_root (g_task_get_source_object (task)) == NULL)
    return NULL;
  return answer != NULL ? g_steal_pointer (&answer) : g_strdup (error->message);
}
