/* SPDX-License-Identifier: MIT
 * Which rule of the bank model an instruction follows. */
#pragma once

#include "bank/cured-bank-model.h"
#include "ptx/cured-ptx-internal.h"

G_BEGIN_DECLS

gboolean _cured_bank_kind_find (const CuredPtxModule *module,
                                guint site,
                                CuredBankKind *kind);

G_END_DECLS
