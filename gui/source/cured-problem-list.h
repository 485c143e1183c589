/* SPDX-License-Identifier: MIT
 * The list of a source's problems; a row jumps to its line. */
#pragma once

#include <gtk/gtk.h>

#include "cured.h"

#define CURED_TYPE_PROBLEM_LIST (cured_problem_list_get_type ())
/* Errors, warnings and findings, a row each, and what helps against them. Signals: `activated (int
 * line)`: the line of a row, or 0 where it has none; `remedy-chosen (int index)`: which one to
 * apply. */
G_DECLARE_FINAL_TYPE (CuredProblemList, cured_problem_list, CURED, PROBLEM_LIST, GtkWidget)

void cured_problem_list_set (CuredProblemList *self, const CuredKernel *kernel,
                             GPtrArray *diagnostics, GPtrArray *findings,
                             const GPtrArray *remedies);
guint cured_problem_list_get_n_rows (CuredProblemList *self);
void cured_problem_list_go_to_next (CuredProblemList *self);
