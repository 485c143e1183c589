/* SPDX-License-Identifier: MIT
 * The selectors of one build of the exec files, by CuredPtxOp.
 * An instruction that has no selector is refused when a module is loaded. */
#define CURED_SELECTOR_ATTRIBUTE __attribute__ ((weak))
#include "ptx/cured-ptx-exec-private.h"

/* See cured-ptx-exec-present.c. */
extern const CuredPtxSelector CURED_PASTE (_cured_ptx_present, EXEC_SUFFIX)[];
extern const CuredPtxSelector *const CURED_PASTE (_cured_ptx_all_present,
                                                  EXEC_SUFFIX);
const CuredPtxSelector *const
    CURED_PASTE (_cured_ptx_all_present,
                 EXEC_SUFFIX) = CURED_PASTE (_cured_ptx_present, EXEC_SUFFIX);

extern const CuredPtxSelector CURED_PASTE (_cured_ptx_selectors,
                                           EXEC_SUFFIX)[CURED_PTX_N_OPS];

const CuredPtxSelector CURED_PASTE (_cured_ptx_selectors,
                                    EXEC_SUFFIX)[CURED_PTX_N_OPS] = {
#define OP(id, mnemonic, types, modifiers, operands, class, meaning)           \
  SELECT (id),
#include "ptx/cured-ptx-ops.def"
};
