/* SPDX-License-Identifier: MIT
 * The sweep of a tab, and the sweeps that can follow it. */
#pragma once

#include "model/cured-document.h"
#include "model/cured-inspector.h"
#include "model/cured-sweep.h"

#define CURED_TYPE_RUN_CONTROLLER (cured_run_controller_get_type ())
/* Runs one sweep at a time: makes it of what a document shows, asks before a stranger's source
 * runs, and starts, pauses, cancels and resumes it. It never shows anything itself. Main thread
 * only.
 *
 * Properties: `sweep`, what runs or ran last; `is-running`; `is-paused`, which can be set while one
 * runs; `runs-on-change`, whether the result's sweep runs again when the kernel was changed, which
 * can be set; and what there is to do: `can-resume`, `can-run-again`, `can-run-cells`, `can-refine`
 * and `has-best`, whether there is a fastest cell to go to in what the document shows. All are up
 * to date before the first notification.
 *
 * Signals: `changed`: a cell is done, a sweep started, was paused or ended, or the document shows
 * another result; `started` (CuredResult *), when a sweep has its result, which is to be shown;
 * `finished` (GError *error), when it has come to its end and no other follows it: nullable,
 * G_IO_ERROR_CANCELLED after a cancel; `permission-needed` (CuredResult *), whose source a stranger
 * wrote: cured_run_controller_permit() answers; `permitted` (CuredSweep *), what was given to
 * cured_run_controller_request() and may start, here or elsewhere; `message` (const char *text),
 * for the person. */
G_DECLARE_FINAL_TYPE (CuredRunController, cured_run_controller, CURED, RUN_CONTROLLER, GObject)

CuredRunController *cured_run_controller_new (CuredDocument *document, CuredInspector *inspector);
CuredDocument *cured_run_controller_get_document (CuredRunController *self);
CuredSweep *cured_run_controller_get_sweep (CuredRunController *self);
const char *cured_run_controller_get_launcher (CuredRunController *self);
gboolean cured_run_controller_is_running (CuredRunController *self);
gboolean cured_run_controller_is_shown (CuredRunController *self);

CuredSpec *cured_run_controller_make_spec (CuredRunController *self);
CuredSpec *cured_run_controller_make_finer_spec (CuredRunController *self);

void cured_run_controller_request (CuredRunController *self, CuredSweep *sweep);
void cured_run_controller_permit (CuredRunController *self, gboolean may_run);
void cured_run_controller_start (CuredRunController *self, CuredSweep *sweep);
void cured_run_controller_run_again (CuredRunController *self);
void cured_run_controller_run_cells (CuredRunController *self);
void cured_run_controller_resume (CuredRunController *self);
void cured_run_controller_cancel (CuredRunController *self);
void cured_run_controller_forget (CuredRunController *self);

void cured_trust_add (const char *source);
gboolean cured_trust_has (const char *kernel_id, const char *source);
