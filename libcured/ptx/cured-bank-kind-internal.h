/* SPDX-License-Identifier: MIT
 * Which rule of the bank model an instruction follows. */
#pragma once

#include "bank/cured-bank-model.h"
#include "ptx/cured-ptx-internal.h"

/* Whether its lanes are sent to a block of the cluster one by one, and reported to observers
 * together by sent(). */
static inline gboolean
_cured_bank_kind_is_sent (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_st_async || inst->op == CURED_PTX_OP_red_async;
}

gboolean _cured_bank_kind_find (const CuredPtxModule *module, guint site, CuredBankKind *kind);
gboolean _cured_bank_kind_find_remote (const CuredPtxModule *module, guint site,
                                       CuredBankKind *kind);
gboolean _cured_bank_kind_is_loop (const CuredPtxModule *module, guint site);
char *_cured_ptx_name_shared (const CuredPtxModule *module, const char *entry, gsize dynamic_bytes,
                              guint64 address);
