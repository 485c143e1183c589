/* SPDX-License-Identifier: MIT
 * A question of a lesson: what was found, off the main thread. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void cured_question_answer_async (const char *question, GtkWidget *source,
                                  GAsyncReadyCallback callback, gpointer user_data);
char *cured_question_answer_finish (GAsyncResult *result);

G_END_DECLS
