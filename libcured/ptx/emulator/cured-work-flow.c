/* SPDX-License-Identifier: MIT
 * What an instruction waits for, and which registers tie it to others. */
#include <string.h>

#include "ptx/cured-ptx-internal.h"
#include "ptx/emulator/cured-work-count-internal.h"

static CuredWaitKind
get_memory_wait (const CuredPtxInst *inst)
{
  switch ((int) inst->words[CURED_PTX_GROUP_SPACE])
    {
    case CURED_PTX_SPACE_SHARED: return CURED_WAIT_SHARED;
    case CURED_PTX_SPACE_LOCAL: return CURED_WAIT_LOCAL;
    case CURED_PTX_SPACE_CONST: return CURED_WAIT_CONSTANT;
    /* An operand in the constant bank, which holds the kernel's parameters. */
    case CURED_PTX_SPACE_PARAM: return CURED_WAIT_NONE;
    default: return CURED_WAIT_GLOBAL;
    }
}

static CuredWaitKind
get_wait (const CuredPtxInst *inst)
{
  const CuredPtxOpInfo *op = &_cured_ptx_ops[inst->op];

  switch ((int) inst->op)
    {
    case CURED_PTX_OP_ld:
    case CURED_PTX_OP_ldu:
    case CURED_PTX_OP_wmma_load_a:
    case CURED_PTX_OP_wmma_load_b:
    case CURED_PTX_OP_wmma_load_c: return get_memory_wait (inst);
    case CURED_PTX_OP_tex:
    case CURED_PTX_OP_tex_level:
    case CURED_PTX_OP_tex_grad:
    case CURED_PTX_OP_tld4:
    case CURED_PTX_OP_suld: return CURED_WAIT_GLOBAL;
    case CURED_PTX_OP_st:
    case CURED_PTX_OP_wmma_store:
    case CURED_PTX_OP_sust:
    case CURED_PTX_OP_stmatrix:
    case CURED_PTX_OP_st_async:
    case CURED_PTX_OP_red:
    case CURED_PTX_OP_red_async: return CURED_WAIT_STORE;
    case CURED_PTX_OP_ldmatrix: return CURED_WAIT_SHARED;
    case CURED_PTX_OP_atom:
      return inst->words[CURED_PTX_GROUP_SPACE] == CURED_PTX_SPACE_SHARED ? CURED_WAIT_SHARED
                                                                          : CURED_WAIT_ATOMIC;
    case CURED_PTX_OP_cp_async: return CURED_WAIT_COPY;
    case CURED_PTX_OP_bulk:
    case CURED_PTX_OP_bulk_reduce:
    case CURED_PTX_OP_bulk_tensor:
    case CURED_PTX_OP_bulk_tensor_reduce: return CURED_WAIT_BULK;
    case CURED_PTX_OP_cp_async_wait:
    case CURED_PTX_OP_cp_async_wait_all:
    case CURED_PTX_OP_bulk_wait:
    case CURED_PTX_OP_bulk_wait_read:
    case CURED_PTX_OP_wgmma_wait: return CURED_WAIT_COPIES;
    case CURED_PTX_OP_bar_warp: return CURED_WAIT_ALU;
    default: break;
    }
  if (op->klass == CURED_PTX_CLASS_BARRIER)
    return CURED_WAIT_BARRIER;
  if (op->klass == CURED_PTX_CLASS_CONTROL)
    return CURED_WAIT_BRANCH;
  if (op->klass == CURED_PTX_CLASS_MATRIX)
    return CURED_WAIT_TENSOR;
  if (op->klass == CURED_PTX_CLASS_WARP)
    return CURED_WAIT_SHUFFLE;
  return CURED_WAIT_ALU;
}

static CuredWaitKind
get_arithmetic_wait (const CuredPtxCost *cost)
{
  double most = 0;
  CuredWaitKind wait = CURED_WAIT_NONE;

  for (int pipe = 0; pipe < CURED_N_PIPES; pipe++)
    most += (double) cost->slots[pipe];
  if (most > 0)
    wait = CURED_WAIT_ALU;
  if (cost->slots[CURED_PIPE_MUFU] > 0)
    wait = CURED_WAIT_MUFU;
  if (cost->slots[CURED_PIPE_FP64] > 0)
    wait = CURED_WAIT_FP64;
  return wait;
}

static void
add_register (GArray *registers, const CuredPtxOperand *x)
{
  guint number = x->offset;

  if (x->width != 0 && x->base == CURED_BASE_REGISTERS)
    g_array_append_val (registers, number);
}

static void
add_operands (const CuredPtxInst *inst, gboolean is_written, GArray *registers)
{
  CURED_EACH_OPERAND (walk, inst)
    if (cured_ptx_is_destination (&walk) == is_written)
      add_register (registers, walk.x);
}

/* Returns: an instruction's dependences on others, from the decoded PTX */
CuredWorkFlow *
_cured_work_flow_new (const CuredPtxModule *module, guint site, const CuredPtxCost *cost)
{
  CuredWorkFlow *self = g_new0 (CuredWorkFlow, 1);
  const CuredPtxInst *inst = &module->code[site];
  GArray *registers = g_array_new (FALSE, FALSE, sizeof (guint));

  self->wait = get_wait (inst);
  if (self->wait == CURED_WAIT_ALU)
    self->wait = get_arithmetic_wait (cost);
  self->target = inst->op == CURED_PTX_OP_bra ? inst->target : G_MAXUINT;
  self->is_read_only = inst->words[CURED_PTX_GROUP_NONCOHERENT] != CURED_PTX_NO_WORD;
  add_operands (inst, TRUE, registers);
  self->n_out = registers->len;
  add_operands (inst, FALSE, registers);
  add_register (registers, &inst->guard);
  self->n_in = registers->len - self->n_out;
  self->registers = (guint *) (gpointer) g_array_free (registers, FALSE);
  return self;
}
