/* SPDX-License-Identifier: MIT
 * The page of a kernel's source. */
#pragma once

#include <gtksourceview/gtksource.h>

#include "widgets/cured-gui-widgets.h"

/* ---- The gutter with the excess wavefronts of each source line ---- */

#define CURED_TYPE_EXCESS_GUTTER (cured_excess_gutter_get_type ())
/* Shows a number for each line with accesses to shared memory, with a stronger background for
 * higher numbers; a tooltip explains the line's figures. */
G_DECLARE_FINAL_TYPE (CuredExcessGutter, cured_excess_gutter, CURED, EXCESS_GUTTER,
                      GtkSourceGutterRendererText)

CuredExcessGutter *cured_excess_gutter_new (void);
void cured_excess_gutter_set_inspection (CuredExcessGutter *self, CuredInspection *inspection);

/* ---- A dialog that drafts a header for a CUDA file without one ---- */

#define CURED_TYPE_HEADER_DIALOG (cured_header_dialog_get_type ())
/* Proposes a header for a CUDA file's text, lets the user edit it, and shows whether it is valid.
 * Nothing is written to the file. Signals: `ready (const char *text)`: the file's text after the
 * header, valid for cured_kernel_new_from_text(); the dialog then closes. */
G_DECLARE_FINAL_TYPE (CuredHeaderDialog, cured_header_dialog, CURED, HEADER_DIALOG, AdwWindow)

CuredHeaderDialog *cured_header_dialog_new (GtkWindow *parent, const char *path,
                                            const char *source);

/* ---- Machine code as text, beside the source ---- */

char *cured_machine_text (const CuredMachineView *machine, GArray *lines);

/* ---- The list of a source's problems; a row jumps to its line ---- */

#define CURED_TYPE_PROBLEM_LIST (cured_problem_list_get_type ())
/* Errors, warnings, findings and remedies, a row each. Signals: `activated (int line)`: the line of
 * a row, or 0 if it has none; `remedy-chosen (int index)`: the remedy to apply. */
G_DECLARE_FINAL_TYPE (CuredProblemList, cured_problem_list, CURED, PROBLEM_LIST, GtkWidget)

void cured_problem_list_set (CuredProblemList *self, const CuredKernel *kernel,
                             GPtrArray *diagnostics, GPtrArray *findings,
                             const GPtrArray *remedies);
guint cured_problem_list_get_n_rows (CuredProblemList *self);
void cured_problem_list_go_to_next (CuredProblemList *self);

/* ---- The kernel, its PTX and machine code, and problems in it ---- */

#define CURED_TYPE_SOURCE_PAGE (cured_source_page_get_type ())
/* An editor for the document's source, with figures per line in its gutter, problems below it and
 * PTX or machine code beside it. Signals: `message (const char *)`: text for a toast; `saved
 * (GFile *)`: the source was written. */
G_DECLARE_FINAL_TYPE (CuredSourcePage, cured_source_page, CURED, SOURCE_PAGE, CuredPage)

void cured_source_page_commit (CuredSourcePage *self);
