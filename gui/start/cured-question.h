/* SPDX-License-Identifier: MIT
 * A question of a lesson: what was found, off the main thread. */
#pragma once

#include "model/cured-task.h"

void cured_question_answer (CuredTask **slot, gpointer owner, const char *question,
                            const char *guess,
                            void (*answered) (gpointer owner, const char *answer));
