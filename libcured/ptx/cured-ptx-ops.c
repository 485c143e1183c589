/* SPDX-License-Identifier: MIT
 * The tables of types, modifier words and instructions. */
#include "ptx/cured-ptx-internal.h"

#include "ptx/cured-ptx-ops-private.h"

const CuredPtxTypeInfo _cured_ptx_types[CURED_PTX_N_TYPES] = {
  { "", 0, CURED_PTX_KIND_B },
#define TYPE(word, id, bytes, kind) { word, bytes, CURED_PTX_KIND_##kind },
#include "ptx/cured-ptx-types.def"
};

const CuredPtxOpInfo _cured_ptx_ops[CURED_PTX_N_OPS] = {
#define OP(id, mnemonic, types, modifiers, operands, class, pipe, meaning)     \
  { #id,                                                                       \
    mnemonic,                                                                  \
    types,                                                                     \
    modifiers,                                                                 \
    operands,                                                                  \
    CURED_PTX_CLASS_##class,                                                   \
    CURED_PIPE_##pipe,                                                         \
    meaning },
#include "ptx/cured-ptx-ops.def"
};
