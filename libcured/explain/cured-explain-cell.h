/* SPDX-License-Identifier: MIT
 * What holds the cells of a result. */
#pragma once

#include "explain/cured-explanation.h"
#include "store/cured-result.h"
#include "worker/cured-examiner.h"

G_BEGIN_DECLS

CuredMachine *cured_explain_find_machine (CuredResult *result,
                                          const char *id,
                                          GError **error);
CuredWorkload *cured_explain_count (CuredResult *result,
                                    gint64 cell,
                                    CuredExaminer *examiner,
                                    GCancellable *cancellable,
                                    GError **error);
/**
 * CuredExplainFunc:
 * @done: cells that were explained
 * @all: that will be
 *
 * Told of progress, in the thread that explains.
 */
typedef void (*CuredExplainFunc) (gint64 done, gint64 all, gpointer user_data);

gboolean cured_explain_limiters (CuredResult *result,
                                 const CuredMachine *machine,
                                 CuredExaminer *examiner,
                                 CuredExplainFunc func,
                                 gpointer user_data,
                                 GCancellable *cancellable,
                                 GError **error);
CuredExplanation *cured_explain_cell (CuredResult *result,
                                      gint64 cell,
                                      const CuredMachine *machine,
                                      CuredExaminer *examiner,
                                      GCancellable *cancellable,
                                      GError **error);

G_END_DECLS
