/* SPDX-License-Identifier: MIT
 * An inspection that is put together from another process's answer. */
#pragma once

#include "inspect/cured-inspection.h"

G_BEGIN_DECLS

CuredBankView *_cured_bank_view_new_empty (void);
CuredInspection *_cured_inspection_new_empty (void);
CuredInspection *_cured_inspection_new_refused (CuredKernel *kernel,
                                                const GError *error);
void _cured_inspection_take_diagnostic (CuredInspection *self,
                                        CuredSeverity severity,
                                        int line,
                                        char *text);

G_END_DECLS
