/* SPDX-License-Identifier: MIT
 * Handlers: branches, calls, and what ends a lane. */
#include "ptx/exec/cured-ptx-exec-private.h"

static void
run_bra (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_branch (warp, mask, inst->target);
}

CuredPtxHandler
SELECT (bra) (const CuredPtxInst *inst, const char **problem)
{
  return run_bra;
}

static void
run_brx (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxModule *module = warp->block->grid->module;
  const CuredPtxTable *table = &module->tables[inst->target];
  const uint32_t *index = LANES (uint32_t, inst->x[0]);
  uint32_t targets[CURED_WARP_LANES] = { 0 };
  uint32_t wrong = 0;

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

CuredPtxHandler
SELECT (brx) (const CuredPtxInst *inst, const char **problem)
{
  return run_brx;
}

CuredPtxHandler
SELECT (call) (const CuredPtxInst *inst, const char **problem)
{
  return _cured_warp_call;
}

static void
run_ret (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_return (warp, mask);
}

CuredPtxHandler
SELECT (ret) (const CuredPtxInst *inst, const char **problem)
{
  return run_ret;
}

static void
run_exit (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  _cured_warp_exit (warp, mask);
}

CuredPtxHandler
SELECT (exit) (const CuredPtxInst *inst, const char **problem)
{
  return run_exit;
}

CuredPtxHandler
SELECT (trap) (const CuredPtxInst *inst, const char **problem)
{
  return _cured_warp_trap;
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

CuredPtxHandler
SELECT (nanosleep) (const CuredPtxInst *inst, const char **problem)
{
  return run_nanosleep;
}

#define SELECT_NOTHING(id)                                                                         \
  CuredPtxHandler SELECT (id) (const CuredPtxInst *inst, const char **problem)                     \
  {                                                                                                \
    return run_nothing;                                                                            \
  }

SELECT_NOTHING (brkpt)
SELECT_NOTHING (pmevent)
/* Whether the number of registers is one that a warp may have. */
static CuredPtxHandler
select_registers (const CuredPtxInst *inst, const char **problem)
{
  REFUSE_IF (!cured_has_word (inst, CURED_PTX_GROUP_ALIGNED), "takes .aligned");
  REFUSE_IF (inst->immediate < 24 || inst->immediate > 256 || inst->immediate % 8 != 0,
             "takes 24 to 256 registers, a multiple of 8");
  return run_nothing;
}

CuredPtxHandler
SELECT (setmaxnreg_inc) (const CuredPtxInst *inst, const char **problem)
{
  return select_registers (inst, problem);
}

CuredPtxHandler
SELECT (setmaxnreg_dec) (const CuredPtxInst *inst, const char **problem)
{
  return select_registers (inst, problem);
}

SELECT_NOTHING (griddep_launch)
SELECT_NOTHING (griddep_wait)
