/* SPDX-License-Identifier: MIT
 * Keeps an inspection of a document's kernel up to date, in a thread. */
#pragma once

#include "model/cured-document.h"

#define CURED_TYPE_INSPECTOR (cured_inspector_get_type ())
/* Compiles and emulates anew when the document's kernel or point changes, a moment after the last
 * change; outdated work is cancelled. Does nothing while nobody holds it. Main thread only.
 *
 * Properties, to read: `inspection`, of which there is another, or another error; `busy`; `widths`,
 * once it is known what ptxas changed; `remedies`, once it is known what helps against what was
 * found. */
G_DECLARE_FINAL_TYPE (CuredInspector, cured_inspector, CURED, INSPECTOR, GObject)

CuredInspector *cured_inspector_new (CuredDocument *document);
void cured_inspector_hold (CuredInspector *self);
void cured_inspector_release (CuredInspector *self);
CuredInspection *cured_inspector_get_inspection (CuredInspector *self);
gint64 cured_inspector_get_cell (CuredInspector *self);
CuredInspection *cured_inspector_get_newest (CuredInspector *self);
const CuredBankView *cured_inspector_get_widths (CuredInspector *self);
void cured_inspector_want_machine (CuredInspector *self, gboolean is_wanted);
const CuredMachineView *cured_inspector_get_machine (CuredInspector *self, const GError **error);
void cured_inspector_hold_remedies (CuredInspector *self);
void cured_inspector_release_remedies (CuredInspector *self);
const GPtrArray *cured_inspector_get_remedies (CuredInspector *self);
const GError *cured_inspector_get_error (CuredInspector *self);
gboolean cured_inspector_is_busy (CuredInspector *self);
const CuredBankQuery *cured_inspector_get_query (CuredInspector *self);
void cured_inspector_set_query (CuredInspector *self, const CuredBankQuery *query);
void cured_inspector_set_override (CuredInspector *self, const char *parameter, gint64 value);
CuredExaminer *cured_examiner_get_shared (void);
