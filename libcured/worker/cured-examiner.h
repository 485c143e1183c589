/* SPDX-License-Identifier: MIT
 * Looks into kernels from elsewhere. */
#pragma once

#include "inspect/cured-machine-view.h"
#include "inspect/cured-remedy.h"
#include "inspect/cured-workload-count.h"
#include "measure/cured-measure.h"

/* Compiles and emulates in processes that can do nothing else: docs/trust.md says what they may.
 * What they say is looked at before it is believed. Any thread may ask; questions that come at once
 * go to several processes, which stay for the next ones and keep what they compiled. */
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
