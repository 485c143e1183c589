/* SPDX-License-Identifier: MIT
 * What a PTX instruction takes of a chip: issue slots by pipe. */
#include "ptx/cured-ptx-cost-internal.h"

#include "ptx/cured-ptx-ops-private.h"

/* A row of cured-ptx-costs.def. */
typedef struct
{
  CuredPtxOp op;
  uint64_t types;
  CuredPtxWord word;
  float fp32, imad, alu, half, fp64, mufu, lsu, tensor, control;
} Row;

static const Row rows[] = {
#define COST(id, types, word, ...) { CURED_PTX_OP_##id, types, word, __VA_ARGS__ },
#include "ptx/cured-ptx-costs.def"
};

static bool
has_word (const CuredPtxInst *inst, CuredPtxWord word)
{
  for (int group = 0; group < CURED_PTX_N_GROUPS; group++)
    if (inst->words[group] == word)
      return true;
  return false;
}

static bool
find_row (const CuredPtxInst *inst, CuredPtxCost *cost)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const Row *row = &rows[i];

      if (row->op != inst->op || (row->types != T_ANY && (row->types >> inst->types[0] & 1) == 0) ||
          (row->word != CURED_PTX_NO_WORD && !has_word (inst, row->word)))
        continue;
      cost->slots[CURED_PIPE_FP32] = row->fp32;
      cost->slots[CURED_PIPE_IMAD] = row->imad;
      cost->slots[CURED_PIPE_ALU] = row->alu;
      cost->slots[CURED_PIPE_HALF] = row->half;
      cost->slots[CURED_PIPE_FP64] = row->fp64;
      cost->slots[CURED_PIPE_MUFU] = row->mufu;
      cost->slots[CURED_PIPE_LSU] = row->lsu;
      cost->slots[CURED_PIPE_TENSOR] = row->tensor;
      cost->slots[CURED_PIPE_CONTROL] = row->control;
      return true;
    }
  return false;
}

/* ---- Rules that no row can state ---- */

static bool
is_float (CuredPtxType type)
{
  return type == CURED_PTX_F32 || type == CURED_PTX_F64 || type == CURED_PTX_F16 ||
         type == CURED_PTX_BF16;
}

/* Widening and narrowing integers is mostly free; conversions between 32-bit floats and integers
 * use the ALU (I2FP, F2FP), all others the special-function unit. */
static void
set_cvt (const CuredPtxInst *inst, CuredPtxCost *cost)
{
  CuredPtxType to = (CuredPtxType) inst->types[0];
  CuredPtxType from = (CuredPtxType) inst->types[inst->n_types - 1];
  unsigned to_bytes = _cured_ptx_types[to].bytes, from_bytes = _cured_ptx_types[from].bytes;
  CuredPipe pipe = CURED_PIPE_MUFU;

  if (!is_float (from) && !is_float (to) && from != CURED_PTX_F16X2)
    {
      bool is_signed = _cured_ptx_types[from].kind == CURED_PTX_KIND_S;

      if (to_bytes > from_bytes && (is_signed || from_bytes == 1))
        cost->slots[CURED_PIPE_ALU] = 1;
      return;
    }
  if (to == CURED_PTX_F32 && from == CURED_PTX_F16)
    pipe = CURED_PIPE_HALF;
  else if (to == CURED_PTX_F32 && from == CURED_PTX_F32 && inst->words[CURED_PTX_GROUP_SAT] != 0)
    pipe = CURED_PIPE_FP32;
  else if ((to == CURED_PTX_F32 && !is_float (from) && from_bytes == 4) ||
           (from == CURED_PTX_F32 && to_bytes <= 4 && to != CURED_PTX_F32 &&
            (is_float (to) || _cured_ptx_types[to].kind == CURED_PTX_KIND_X)) ||
           from == CURED_PTX_BF16)
    pipe = CURED_PIPE_ALU;
  cost->slots[pipe] = 1;
}

/* Special registers are read by an instruction of their own; packing, naming and copying mostly
 * only rename a register. */
static void
set_mov (const CuredPtxInst *inst, CuredPtxCost *cost)
{
  for (unsigned i = inst->counts[0]; i < inst->counts[0] + inst->counts[1]; i++)
    if (inst->x[i].base == CURED_BASE_SPECIALS)
      cost->slots[CURED_PIPE_CONTROL] = 1;
}

/* A kernel's parameter is an operand in the constant bank; a function's, if it is not inlined, is a
 * register. */
static void
set_memory (const CuredPtxInst *inst, CuredPtxCost *cost)
{
  if (inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_PARAM)
    cost->slots[CURED_PIPE_LSU] = 1;
}

/* No instruction adds floats in shared memory: ptxas emits a compare-and-swap loop, of which one
 * iteration is counted. */
static void
set_atomic (const CuredPtxInst *inst, CuredPtxCost *cost)
{
  CuredPtxType type = (CuredPtxType) inst->types[0];

  cost->slots[CURED_PIPE_LSU] = 1;
  if (inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_SHARED || !is_float (type))
    return;
  cost->slots[CURED_PIPE_LSU] = 2;
  cost->slots[type == CURED_PTX_F64 ? CURED_PIPE_FP64 : CURED_PIPE_FP32] = 1;
  cost->slots[CURED_PIPE_ALU] = type == CURED_PTX_F64 ? 2 : 1;
  cost->slots[CURED_PIPE_CONTROL] = 3;
}

/* In products of 16 x 8 x 16 halves, or of the same size in bits. ptxas converts 8-bit floats to
 * halves, and 4-bit integers to 8-bit ones. */
static void
set_mma (const CuredPtxInst *inst, CuredPtxCost *cost)
{
  const CuredPtxShape *shape = _cured_ptx_get_shape (inst);
  CuredPtxType type = inst->n_types == 2 ? CURED_PTX_F16 : (CuredPtxType) inst->types[1];
  gboolean is_sparse = inst->op == CURED_PTX_OP_mma_sparse || inst->op == CURED_PTX_OP_mma_ordered;
  gboolean is_f8 = type == CURED_PTX_E4M3 || type == CURED_PTX_E5M2;
  gboolean is_small = type == CURED_PTX_S4 || type == CURED_PTX_U4;
  unsigned bits = is_f8                  ? 16
                  : is_small             ? 8
                  : type == CURED_PTX_B1 ? 1
                                         : 8u * _cured_ptx_types[type].bytes;
  float products = (float) (shape->m * shape->n * shape->k) * (float) bits / (is_sparse ? 2 : 1) /
                   (16 * 8 * 16 * 16);

  if (type == CURED_PTX_F64)
    {
      cost->slots[CURED_PIPE_FP64] = 1;
      return;
    }
  cost->slots[CURED_PIPE_TENSOR] = products;
  cost->slots[CURED_PIPE_CONTROL] = products;
  if (is_f8)
    {
      cost->slots[CURED_PIPE_ALU] = 6 * products;
      cost->slots[inst->types[0] == CURED_PTX_F16 ? CURED_PIPE_HALF : CURED_PIPE_FP32] =
          inst->types[0] == CURED_PTX_F16 ? 2 : 4;
    }
  if (is_small)
    {
      cost->slots[CURED_PIPE_ALU] = 71 * products;
      cost->slots[CURED_PIPE_IMAD] = 21 * products;
      cost->slots[CURED_PIPE_CONTROL] += 2;
    }
}

/* A warp's quarter of 64 rows; in each row of a factor are 256 bits, whatever the type: of a sparse
 * one 256 that there are. */
static void
set_wgmma (const CuredPtxInst *inst, CuredPtxCost *cost)
{
  CuredPtxWord columns = inst->words[CURED_PTX_GROUP_COLUMNS];

  cost->slots[CURED_PIPE_TENSOR] = (float) (columns - CURED_PTX_COLUMNS_N8 + 1);
  cost->slots[CURED_PIPE_CONTROL] = 1;
}

static void
set_cost (const CuredPtxInst *inst, CuredPtxCost *cost)
{
  CuredPipe pipe = _cured_ptx_ops[inst->op].pipe;

  *cost = (CuredPtxCost){ 0 };
  switch (inst->op)
    {
    case CURED_PTX_OP_cvt:
    case CURED_PTX_OP_cvt_small: set_cvt (inst, cost); break;
    case CURED_PTX_OP_mov: set_mov (inst, cost); break;
    case CURED_PTX_OP_ld:
    case CURED_PTX_OP_st: set_memory (inst, cost); break;
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red: set_atomic (inst, cost); break;
    case CURED_PTX_OP_mma:
    case CURED_PTX_OP_mma_sparse:
    case CURED_PTX_OP_mma_ordered:
    case CURED_PTX_OP_wmma_mma: set_mma (inst, cost); break;
    case CURED_PTX_OP_wgmma:
    case CURED_PTX_OP_wgmma_sparse: set_wgmma (inst, cost); break;
    default:
      if (!find_row (inst, cost) && pipe != CURED_PIPE_FREE)
        cost->slots[pipe] = 1;
      break;
    }
}

/* Estimates ptxas's code for sm_90, one instruction at a time: unrolled loops, fused
 * instructions and removed ones are not seen. docs/explain.md gives the error. Returns: one
 * estimate per site */
CuredPtxCost *
_cured_ptx_costs_new (const CuredPtxModule *module)
{
  CuredPtxCost *costs = g_new0 (CuredPtxCost, MAX (module->n_code, 1));

  for (guint site = 0; site < module->n_code; site++)
    set_cost (&module->code[site], &costs[site]);
  return costs;
}
