/* SPDX-License-Identifier: MIT
 * Inspects untrusted kernels in confined processes. */
#pragma once

#include "inspect/cured-machine-view.h"
#include "inspect/cured-remedy.h"
#include "inspect/cured-workload-count.h"
#include "measure/cured-measure.h"

/* Compiles and emulates in confined processes, described in docs/trust.md. Their answers are
 * validated. May be used by any thread; concurrent requests go to several processes, which are kept
 * for later ones with their compiled variants. */
typedef struct _CuredExaminer CuredExaminer;

CuredExaminer *cured_examiner_new (const char *const *command);
void cured_examiner_free (CuredExaminer *self);

CuredInspection *cured_examiner_inspect (CuredExaminer *self, CuredKernel *kernel,
                                         const gint64 *values, const CuredLimits *limits,
                                         const CuredBankQuery *query, gint64 time_limit_ms,
                                         GCancellable *cancellable, GError **error);
GPtrArray *cured_examiner_find_remedies (CuredExaminer *self, CuredKernel *kernel,
                                         const gint64 *values, const CuredLimits *limits,
                                         const CuredBankQuery *query,
                                         const CuredInspection *inspection,
                                         GCancellable *cancellable, GError **error);
CuredBankView *cured_examiner_view_banks (CuredExaminer *self, CuredKernel *kernel,
                                          const gint64 *values, const CuredLimits *limits,
                                          const CuredBankQuery *query, GCancellable *cancellable,
                                          GError **error);
CuredMachineView *cured_examiner_view_machine (CuredExaminer *self, CuredKernel *kernel,
                                               const gint64 *values, const CuredLimits *limits,
                                               const CuredBankQuery *query,
                                               GCancellable *cancellable, GError **error);
CuredBankView *cured_examiner_view_widths (CuredExaminer *self, CuredKernel *kernel,
                                           const gint64 *values, const CuredLimits *limits,
                                           const char *entry, GCancellable *cancellable,
                                           GError **error);
CuredWorkload *cured_examiner_count (CuredExaminer *self, CuredKernel *kernel, const gint64 *values,
                                     const CuredLimits *limits, const CuredWorkQuery *query,
                                     GCancellable *cancellable, GError **error);
GPtrArray *cured_examine_demands (const char *device_id, const CuredJob *job, GError **error);
CuredDevice *cured_device_open_confined (const char *id, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredExaminer, cured_examiner_free)
