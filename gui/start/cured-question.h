/* SPDX-License-Identifier: MIT
 * A question of a lesson: what was found, off the main thread. */
#pragma once

#include "model/cured-task.h"

G_BEGIN_DECLS

void cured_question_answer (CuredTask **slot, gpointer owner, const char *question,
                            const char *guess,
                            void (*answered) (gpointer owner, const char *answer));

G_END_DECLS
