/* SPDX-License-Identifier: MIT
 * The selectors of one build of the exec files, by CuredPtxOp. */
#include "ptx/exec/cured-ptx-exec-private.h"

extern const CuredPtxSelector CURED_PASTE (_cured_ptx_selectors, EXEC_SUFFIX)[CURED_PTX_N_OPS];

const CuredPtxSelector CURED_PASTE (_cured_ptx_selectors, EXEC_SUFFIX)[CURED_PTX_N_OPS] = {
#define OP(id, mnemonic, types, modifiers, operands, class, pipe, meaning) SELECT (id),
#include "ptx/cured-ptx-ops.def"
};
