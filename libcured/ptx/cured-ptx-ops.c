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
#define OP(id, mnemonic, types, modifiers, operands, class, pipe, meaning)                         \
  {                                                                                                \
    #id, mnemonic, types, modifiers, operands, CURED_PTX_CLASS_##class, CURED_PIPE_##pipe, meaning \
  },
#include "ptx/cured-ptx-ops.def"
};

const char *const _cured_ptx_word_names[CURED_PTX_N_WORDS] = {
  "",
#define WORD(word, group, value) word,
#include "ptx/cured-ptx-words.def"
};

const CuredPtxGroup _cured_ptx_word_groups[CURED_PTX_N_WORDS] = {
  CURED_PTX_N_GROUPS,
#define WORD(word, group, value) CURED_PTX_GROUP_##group,
#include "ptx/cured-ptx-words.def"
};

static const CuredPtxShape shapes[] = {
  { CURED_PTX_SHAPE_M8N8K4, 8, 8, 4 },       { CURED_PTX_SHAPE_M16N8K4, 16, 8, 4 },
  { CURED_PTX_SHAPE_M16N8K8, 16, 8, 8 },     { CURED_PTX_SHAPE_M16N8K16, 16, 8, 16 },
  { CURED_PTX_SHAPE_M16N8K32, 16, 8, 32 },   { CURED_PTX_SHAPE_M8N8K16, 8, 8, 16 },
  { CURED_PTX_SHAPE_M8N8K32, 8, 8, 32 },     { CURED_PTX_SHAPE_M16N8K64, 16, 8, 64 },
  { CURED_PTX_SHAPE_M8N8K128, 8, 8, 128 },   { CURED_PTX_SHAPE_M16N8K128, 16, 8, 128 },
  { CURED_PTX_SHAPE_M16N8K256, 16, 8, 256 }, { CURED_PTX_SHAPE_M16N16K16, 16, 16, 16 },
  { CURED_PTX_SHAPE_M32N8K16, 32, 8, 16 },   { CURED_PTX_SHAPE_M8N32K16, 8, 32, 16 },
  { CURED_PTX_SHAPE_M16N16K8, 16, 16, 8 },
};

/* The shape of the matrix product that it names; NULL if it names none, or only that of a matrix to
 * move, or of a wgmma. */
const CuredPtxShape *
_cured_ptx_get_shape (const CuredPtxInst *inst)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (shapes); i++)
    if (inst->words[CURED_PTX_GROUP_SHAPE] == shapes[i].word)
      return &shapes[i];
  return NULL;
}

/* Whether it is a product by four warps, dense or sparse. */
gboolean
_cured_ptx_is_wgmma (guint op)
{
  return op == CURED_PTX_OP_wgmma || op == CURED_PTX_OP_wgmma_sparse;
}

/* Textures and surfaces: the address is in no register. */
gboolean
_cured_ptx_is_texture (guint op)
{
  return op == CURED_PTX_OP_tex || op == CURED_PTX_OP_tex_level || op == CURED_PTX_OP_tex_grad ||
         op == CURED_PTX_OP_tld4 || op == CURED_PTX_OP_suld || op == CURED_PTX_OP_sust;
}
