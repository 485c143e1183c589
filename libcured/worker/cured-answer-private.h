/* SPDX-License-Identifier: MIT
 * What a worker found out of a kernel, as bytes. */
#pragma once

#include "inspect/cured-inspection.h"
#include "measure/cured-measure.h"
#include "ptx/cured-work.h"

G_BEGIN_DECLS

GVariant *_cured_bank_view_to_variant (const CuredBankView *self);
CuredBankView *_cured_bank_view_from_variant (GVariant *variant, GError **error);
GVariant *_cured_inspection_to_variant (const CuredInspection *self);
CuredInspection *_cured_inspection_from_variant (GVariant *variant, GError **error);
GVariant *_cured_demands_to_variant (const GPtrArray *demands);
GPtrArray *_cured_demands_from_variant (GVariant *variant, GError **error);

GVariant *_cured_workload_to_variant (const CuredWorkload *self);
CuredWorkload *_cured_workload_from_variant (GVariant *variant, GError **error);

char *_cured_answer_to_text (GVariant *variant);
GVariant *_cured_answer_from_text (const char *text, const char *type, GError **error);

extern const char _cured_bank_view_type[];
extern const char _cured_inspection_type[];
extern const char _cured_demands_type[];
extern const char _cured_workload_type[];

G_END_DECLS
