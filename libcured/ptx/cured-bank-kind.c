/* SPDX-License-Identifier: MIT
 * Which rule of the bank model an instruction follows. */
#include "ptx/cured-bank-kind-internal.h"

static const CuredPtxFunction *
find_function (const CuredPtxModule *module, guint site)
{
  for (guint i = 0; i < module->n_functions; i++)
    if (site - module->functions[i].first < module->functions[i].n_sites)
      return &module->functions[i];
  return NULL;
}

static gboolean
is_same (const CuredPtxOperand *a, const CuredPtxOperand *b)
{
  return a->width > 0 && a->base == b->base && a->offset == b->offset;
}

static guint
count_operands (const CuredPtxInst *inst)
{
  guint n = 0;

  for (guint i = 0; i < inst->n_counts; i++)
    n += inst->counts[i];
  return n;
}

/* Whether any other instruction of the function names the register. ptxas uses the same
 * criterion: it turns an atomic whose result is unused into a reduction. */
static gboolean
is_used (const CuredPtxModule *module, const CuredPtxInst *inst, const CuredPtxOperand *result)
{
  const CuredPtxFunction *function = find_function (module, inst->site);

  if (function == NULL || result->width == 0 || result->base != CURED_BASE_REGISTERS)
    return FALSE;
  for (guint32 i = 0; i < function->n_sites; i++)
    {
      const CuredPtxInst *other = &module->code[function->first + i];
      guint n = count_operands (other);

      if (other == inst)
        continue;
      if (is_same (&other->guard, result))
        return TRUE;
      for (guint j = 0; j < n; j++)
        if (is_same (&other->x[j], result))
          return TRUE;
      for (guint j = 0; other->call != NULL && j < other->call->n_arguments; j++)
        if (!other->call->arguments[j].is_slot &&
            is_same (&other->call->arguments[j].operand, result))
          return TRUE;
    }
  return FALSE;
}

static gboolean
is_one (const CuredPtxModule *module, const CuredPtxOperand *operand)
{
  guint32 value = 0;

  if (operand->base != CURED_BASE_CONSTANTS || operand->width != 4 ||
      module->constants_size < sizeof value ||
      operand->offset > module->constants_size - sizeof value)
    return FALSE;
  value = *(const guint32 *) (gconstpointer) (module->constants + operand->offset);
  return value == 1;
}

/* Kind of an atomic on 32-bit integers. @result is NULL for red. */
static gboolean
find_atomic (const CuredPtxModule *module, const CuredPtxInst *inst, const CuredPtxOperand *result,
             const CuredPtxOperand *operand, CuredBankKind *kind)
{
  gboolean has_result = result != NULL && is_used (module, inst, result);

  switch (inst->words[CURED_PTX_GROUP_OPERATION])
    {
    case CURED_PTX_OPERATION_ADD:
      *kind = has_result                 ? CURED_BANK_KIND_ATOMIC
              : is_one (module, operand) ? CURED_BANK_KIND_INCREMENT
                                         : CURED_BANK_KIND_REDUCTION;
      return TRUE;
    case CURED_PTX_OPERATION_MIN:
    case CURED_PTX_OPERATION_MAX:
    case CURED_PTX_OPERATION_INC:
    case CURED_PTX_OPERATION_DEC:
    case CURED_PTX_OPERATION_AND:
    case CURED_PTX_OPERATION_OR:
    case CURED_PTX_OPERATION_XOR:
      *kind = has_result ? CURED_BANK_KIND_ATOMIC : CURED_BANK_KIND_REDUCTION;
      return TRUE;
    default: return FALSE;
    }
}

static CuredBankKind
get_matrices (const CuredPtxInst *inst, CuredBankKind one, CuredBankKind two, CuredBankKind four)
{
  switch (inst->words[CURED_PTX_GROUP_MATRICES])
    {
    case CURED_PTX_MATRICES_X4: return four;
    case CURED_PTX_MATRICES_X2: return two;
    default: return one;
    }
}

/* Searches the whole function if it has to know whether a result is used: call it once per site,
 * not per access. red.add, atom.add and atom.min of 32-bit integers and exchanges were measured;
 * other operations on 32-bit integers are assumed to behave like them. FALSE if no rule was
 * measured: atomics of floats, and 64-bit ones except exchange and compare-and-swap. The model
 * may still lack a rule for the width. */
gboolean
_cured_bank_kind_find (const CuredPtxModule *module, guint site, CuredBankKind *kind)
{
  const CuredPtxInst *inst = &module->code[site];
  const CuredPtxTypeInfo *type = &_cured_ptx_types[inst->types[0]];

  *kind = CURED_BANK_KIND_LOAD;
  switch (inst->op)
    {
    case CURED_PTX_OP_ld:
    case CURED_PTX_OP_ldu:
    case CURED_PTX_OP_wmma_load_a:
    case CURED_PTX_OP_wmma_load_b:
    case CURED_PTX_OP_wmma_load_c: return TRUE;
    case CURED_PTX_OP_st:
    case CURED_PTX_OP_wmma_store: *kind = CURED_BANK_KIND_STORE; return TRUE;
    case CURED_PTX_OP_cp_async:
      /* Accesses that bypass the L1 cache are not counted. */
      *kind = CURED_BANK_KIND_COPY;
      return inst->words[CURED_PTX_GROUP_CACHE] == CURED_PTX_CACHE_CA;
    case CURED_PTX_OP_ldmatrix:
      *kind = get_matrices (inst, CURED_BANK_KIND_LDMATRIX_X1, CURED_BANK_KIND_LDMATRIX_X2,
                            CURED_BANK_KIND_LDMATRIX_X4);
      return TRUE;
    case CURED_PTX_OP_stmatrix:
      *kind = get_matrices (inst, CURED_BANK_KIND_STMATRIX_X1, CURED_BANK_KIND_STMATRIX_X2,
                            CURED_BANK_KIND_STMATRIX_X4);
      return TRUE;
    case CURED_PTX_OP_atom:
      if (inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_EXCH)
        {
          *kind = CURED_BANK_KIND_EXCHANGE;
          return TRUE;
        }
      if (inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_CAS)
        {
          *kind = CURED_BANK_KIND_SWAP;
          return TRUE;
        }
      return type->bytes == 4 && type->kind != CURED_PTX_KIND_F && type->kind != CURED_PTX_KIND_X &&
             find_atomic (module, inst, &inst->x[0], &inst->x[2], kind);
    case CURED_PTX_OP_red:
      return type->bytes == 4 && type->kind != CURED_PTX_KIND_F && type->kind != CURED_PTX_KIND_X &&
             find_atomic (module, inst, NULL, &inst->x[1], kind);
    default: return FALSE;
    }
}

/* The kind of an instruction's access to another block's shared memory. There, 64-bit additions are
 * not loops. FALSE: no rule was measured, or, for other 64-bit operations, none was found */
gboolean
_cured_bank_kind_find_remote (const CuredPtxModule *module, guint site, CuredBankKind *kind)
{
  const CuredPtxInst *inst = &module->code[site];
  const CuredPtxTypeInfo *type = &_cured_ptx_types[inst->types[0]];
  gboolean is_atom = inst->op == CURED_PTX_OP_atom;
  gboolean is_known = _cured_bank_kind_find (module, site, kind);

  if (_cured_bank_kind_is_sent (inst))
    {
      *kind = inst->op == CURED_PTX_OP_st_async ? CURED_BANK_KIND_REMOTE_ASYNC_STORE
                                                : CURED_BANK_KIND_REMOTE_ASYNC_REDUCTION;
      return TRUE;
    }
  if (!is_known && type->bytes == 8 && type->kind != CURED_PTX_KIND_F &&
      type->kind != CURED_PTX_KIND_X &&
      inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_ADD &&
      (is_atom || inst->op == CURED_PTX_OP_red))
    is_known =
        find_atomic (module, inst, is_atom ? &inst->x[0] : NULL, &inst->x[is_atom ? 2 : 1], kind);
  switch ((int) *kind)
    {
    case CURED_BANK_KIND_LOAD: *kind = CURED_BANK_KIND_REMOTE_LOAD; break;
    case CURED_BANK_KIND_STORE: *kind = CURED_BANK_KIND_REMOTE_STORE; break;
    case CURED_BANK_KIND_REDUCTION:
    case CURED_BANK_KIND_INCREMENT: *kind = CURED_BANK_KIND_REMOTE_REDUCTION; break;
    case CURED_BANK_KIND_ATOMIC:
    case CURED_BANK_KIND_EXCHANGE: *kind = CURED_BANK_KIND_REMOTE_ATOMIC; break;
    case CURED_BANK_KIND_SWAP: *kind = CURED_BANK_KIND_REMOTE_SWAP; break;
    default: return FALSE;
    }
  return is_known;
}

/* Whether the chip lacks this atomic in shared memory and runs a compare-and-swap loop instead:
 * additions of floats, of pairs of halves, and of 64 bits on sm_90. */
gboolean
_cured_bank_kind_is_loop (const CuredPtxModule *module, guint site)
{
  const CuredPtxInst *inst = &module->code[site];
  const CuredPtxTypeInfo *type = &_cured_ptx_types[inst->types[0]];

  return (inst->op == CURED_PTX_OP_atom || inst->op == CURED_PTX_OP_red) &&
         inst->words[CURED_PTX_GROUP_OPERATION] == CURED_PTX_OPERATION_ADD &&
         (type->bytes == 8 || type->kind == CURED_PTX_KIND_F || type->kind == CURED_PTX_KIND_X);
}
