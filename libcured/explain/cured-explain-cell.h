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
CuredExplanation *cured_explain_cell (CuredResult *result,
                                      gint64 cell,
                                      const CuredMachine *machine,
                                      CuredExaminer *examiner,
                                      GCancellable *cancellable,
                                      GError **error);

G_END_DECLS
