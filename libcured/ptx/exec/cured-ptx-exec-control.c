/* SPDX-License-Identifier: MIT
 * Handlers: branches, calls, and exits. */
#include "ptx/exec/cured-ptx-exec-private.h"

static void
run_bra (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_branch (warp, mask, inst->target);
}

static void
run_brx (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxModule *module = warp->block->grid->module;
  const CuredPtxTable *table = &module->tables[inst->target];
  const uint32_t *index = LANES (uint32_t, inst->x[0]);
  uint32_t targets[CURED_WARP_LANES] = { 0 }, wrong = 0;

  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      uint32_t l = (uint32_t) __builtin_ctz (left);

      if (index[l] < table->n_targets)
        targets[l] = table->targets[index[l]];
      else
        wrong |= 1u << l;
    }
  if (wrong != 0)
    {
      _cured_warp_trap (warp, inst, wrong);
      return;
    }
  _cured_warp_branch_lanes (warp, mask, targets);
}

static void
run_ret (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_return (warp, mask);
}

static void
run_exit (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_exit (warp, mask);
}

static void
run_nothing (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
}

static void
run_nanosleep (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_yield (warp);
}

/* The number of registers must be valid for a warp. */
static const char *
check_registers (const CuredPtxInst *inst)
{
  return inst->immediate < 24 || inst->immediate > 256 || inst->immediate % 8 != 0
             ? "takes 24 to 256 registers, a multiple of 8"
             : NULL;
}

/* clang-format off */
static const CuredPtxForm forms[] = {
  FORM (bra, 0, MAY (UNI, UNI), run_bra)
  FORM (brx, 0, MAY (UNI, UNI), run_brx)
  FORM (call, 0, MAY (UNI, UNI), _cured_warp_call)
  FORM (ret, 0, MAY (UNI, UNI), run_ret)
  FORM (exit, 0, 0, run_exit)
  FORM (trap, 0, 0, _cured_warp_trap)
  FORM (brkpt, 0, 0, run_nothing)
  FORM (nanosleep, T_U32, 0, run_nanosleep)
  FORM (pmevent, 0, 0, run_nothing)
  CHECKED (setmaxnreg_inc, T_U32, W_ALIGNED_ALIGNED, 0, run_nothing, check_registers)
  CHECKED (setmaxnreg_dec, T_U32, W_ALIGNED_ALIGNED, 0, run_nothing, check_registers)
  FORM (griddep_launch, 0, 0, run_nothing)
  FORM (griddep_wait, 0, 0, run_nothing)
};
/* clang-format on */

FORMS_OF (control)
