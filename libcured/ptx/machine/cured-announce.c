/* SPDX-License-Identifier: MIT
 * Accesses of a launch whose data is not needed: observers are told, and nothing moves. */
#include "ptx/machine/cured-machine-private.h"

static CuredSpace
get_space (const CuredPtxInst *inst)
{
  switch (inst->op == CURED_PTX_OP_cp_async ? inst->words[CURED_PTX_GROUP_FROM]
                                            : inst->words[CURED_PTX_GROUP_SPACE])
    {
    case CURED_PTX_SPACE_GLOBAL:
    case CURED_PTX_FROM_GLOBAL: return CURED_SPACE_GLOBAL;
    case CURED_PTX_SPACE_LOCAL: return CURED_SPACE_LOCAL;
    case CURED_PTX_SPACE_SHARED: return CURED_SPACE_SHARED;
    default: return CURED_SPACE_GENERIC;
    }
}

/* What @inst accesses, and how; but for the lanes. */
static void
describe (const CuredPtxInst *inst, CuredAccess *access, const CuredPtxOperand **base,
          int64_t *displacement)
{
  uint32_t bytes = _cured_ptx_types[inst->types[0]].bytes;

  access->inst = inst;
  access->space = get_space (inst);
  access->pattern = CURED_PATTERN_ANY;
  access->folds = 0;
  access->shape = 0;
  *displacement = inst->displacement;
  switch (inst->op)
    {
    case CURED_PTX_OP_st:
      access->kind = CURED_ACCESS_STORE;
      access->width = bytes * inst->counts[1];
      *base = &inst->x[0];
      break;
    case CURED_PTX_OP_atom:
      access->kind = CURED_ACCESS_ATOMIC;
      access->width = bytes;
      *base = &inst->x[1];
      break;
    case CURED_PTX_OP_red:
      access->kind = CURED_ACCESS_REDUCTION;
      access->width = bytes;
      *base = &inst->x[0];
      break;
    case CURED_PTX_OP_cp_async:
      access->kind = CURED_ACCESS_LOAD;
      access->width = (uint32_t) inst->immediate;
      *base = &inst->x[1];
      *displacement = inst->displacement2;
      break;
    default:
      access->kind = CURED_ACCESS_LOAD;
      access->width = bytes * inst->counts[0];
      *base = &inst->x[inst->counts[0]];
      break;
    }
}

/* Lanes of a copy that read nothing, and only clear shared memory. */
static uint32_t
get_idle_lanes (const CuredWarp *warp, const CuredPtxInst *inst)
{
  const CuredPtxOperand *limit = &inst->x[3];
  uint32_t idle = 0;

  if (inst->op != CURED_PTX_OP_cp_async || limit->width == 0)
    return 0;
  const uint8_t *at = warp->bases[limit->base] + limit->offset;
  if (limit->width == 1)
    return limit->is_negated ? ~*(const uint32_t *) at : *(const uint32_t *) at;
  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    if (((const uint32_t *) at)[l] == 0)
      idle |= 1u << l;
  return idle;
}

/* Tells the observers of a load, a store, an atomic operation or a copy of global or local memory,
 * or of generic addresses, as if it were executed. */
void
_cured_warp_announce (CuredWarp *warp, const CuredPtxInst *inst, uint32_t mask)
{
  const CuredPtxOperand *base = NULL;
  int64_t displacement = 0;
  uint64_t window = 0;
  CuredAccess access;

  mask &= ~get_idle_lanes (warp, inst);
  if (mask == 0)
    return;
  describe (inst, &access, &base, &displacement);
  const uint8_t *at = warp->bases[base->base] + base->offset;
  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    access.address[l] = base->width == 4
                            ? (uint32_t) (((const uint32_t *) at)[l] + (uint32_t) displacement)
                            : ((const uint64_t *) at)[l] + (uint64_t) displacement;

  uint64_t first = access.address[__builtin_ctz (mask)];
  if (access.space == CURED_SPACE_GENERIC)
    {
      access.space = CURED_SPACE_GLOBAL;
      if (cured_is_in_cluster_window (first) || cured_is_in_window (first, CURED_PARAM_WINDOW))
        return;
      if (cured_is_in_window (first, CURED_LOCAL_WINDOW))
        {
          access.space = CURED_SPACE_LOCAL;
          window = CURED_LOCAL_WINDOW;
        }
    }
  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    access.address[l] = ((mask >> l & 1) != 0 ? access.address[l] : first) - window;
  access.mask = mask;
  access.region = NULL;
  access.bulk = NULL;
  access.owner = NULL;
  CURED_TELL_OBSERVERS (warp->block, access, warp, &access);
}
