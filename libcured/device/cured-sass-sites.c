/* SPDX-License-Identifier: MIT
 * What the instructions of PTX become in machine code, with what the emulator
 * counted. */
#include "config.h"

#include "device/cured-sass-flow-internal.h"
#include "ptx/cured-ptx-internal.h"

static CuredSassClass
get_memory_class (const CuredPtxInst *inst,
                  CuredSassClass generic,
                  CuredSassClass global,
                  CuredSassClass shared,
                  CuredSassClass local)
{
  switch (inst->words[CURED_PTX_GROUP_SPACE])
    {
    case CURED_PTX_NO_WORD:
      return generic;
    case CURED_PTX_SPACE_GLOBAL:
      return global;
    case CURED_PTX_SPACE_SHARED:
      return shared;
    case CURED_PTX_SPACE_LOCAL:
      return local;
    default: /* parameters and constants are operands, or loads of others */
      return CURED_SASS_CLASS_UNKNOWN;
    }
}

/* Single precision has a class per operation, double precision one for all. */
static CuredSassClass
get_float_class (const CuredPtxInst *inst, CuredSassClass single)
{
  switch (inst->types[0])
    {
    case CURED_PTX_F32:
      return single;
    case CURED_PTX_F64:
      return CURED_SASS_CLASS_DOUBLE;
    default:
      return CURED_SASS_CLASS_UNKNOWN;
    }
}

static guint
get_width (const CuredPtxInst *inst)
{
  guint bits = _cured_ptx_types[inst->types[0]].bytes * 8u;

  switch (inst->words[CURED_PTX_GROUP_VECTOR])
    {
    case CURED_PTX_VECTOR_V2:
      return 2 * bits;
    case CURED_PTX_VECTOR_V4:
      return 4 * bits;
    default:
      return bits;
    }
}

static void
classify (const CuredPtxInst *inst, CuredSassSite *site)
{
  switch ((int) inst->op)
    {
    case CURED_PTX_OP_ld:
      site->op_class = get_memory_class (inst,
                                         CURED_SASS_CLASS_LOAD_GENERIC,
                                         CURED_SASS_CLASS_LOAD_GLOBAL,
                                         CURED_SASS_CLASS_LOAD_SHARED,
                                         CURED_SASS_CLASS_LOAD_LOCAL);
      site->width = get_width (inst);
      break;
    case CURED_PTX_OP_st:
      site->op_class = get_memory_class (inst,
                                         CURED_SASS_CLASS_STORE_GENERIC,
                                         CURED_SASS_CLASS_STORE_GLOBAL,
                                         CURED_SASS_CLASS_STORE_SHARED,
                                         CURED_SASS_CLASS_STORE_LOCAL);
      site->width = get_width (inst);
      break;
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red:
      site->op_class = get_memory_class (inst,
                                         CURED_SASS_CLASS_ATOMIC_GENERIC,
                                         CURED_SASS_CLASS_ATOMIC_GLOBAL,
                                         CURED_SASS_CLASS_ATOMIC_SHARED,
                                         CURED_SASS_CLASS_UNKNOWN);
      break;
    case CURED_PTX_OP_cp_async:
      site->op_class = CURED_SASS_CLASS_COPY;
      break;
    case CURED_PTX_OP_ldmatrix:
      site->op_class = CURED_SASS_CLASS_LOAD_MATRICES;
      break;
    case CURED_PTX_OP_stmatrix:
      site->op_class = CURED_SASS_CLASS_STORE_MATRICES;
      break;
    case CURED_PTX_OP_bar_sync:
    case CURED_PTX_OP_bar_cta_sync:
    case CURED_PTX_OP_bar_arrive:
    case CURED_PTX_OP_bar_cta_arrive:
    case CURED_PTX_OP_bar_red:
    case CURED_PTX_OP_bar_cta_red:
    case CURED_PTX_OP_barrier_sync:
    case CURED_PTX_OP_barrier_cta_sync:
    case CURED_PTX_OP_barrier_arrive:
    case CURED_PTX_OP_barrier_cta_arrive:
    case CURED_PTX_OP_barrier_red:
    case CURED_PTX_OP_barrier_cta_red:
      site->op_class = CURED_SASS_CLASS_BARRIER;
      break;
    case CURED_PTX_OP_shfl:
      site->op_class = CURED_SASS_CLASS_SHUFFLE;
      break;
    case CURED_PTX_OP_add_float:
    case CURED_PTX_OP_sub_float:
      site->op_class = get_float_class (inst, CURED_SASS_CLASS_ADD);
      break;
    case CURED_PTX_OP_mul_float:
      site->op_class = get_float_class (inst, CURED_SASS_CLASS_MULTIPLY);
      break;
    case CURED_PTX_OP_fma_float:
      site->op_class = get_float_class (inst, CURED_SASS_CLASS_MULTIPLY_ADD);
      break;
    case CURED_PTX_OP_bra:
    case CURED_PTX_OP_brx:
      site->op_class = CURED_SASS_CLASS_BRANCH;
      break;
    default:
      break;
    }
}

/**
 * cured_sass_list_sites:
 * @module: what was emulated: the PTX that the machine code was assembled from
 * @counts: (array length=n_counts): of a launch
 * @n_counts: how many
 *
 * Returns: (transfer full) (element-type CuredSassSite): in the module's order
 */
GArray *
cured_sass_list_sites (const CuredPtxModule *module,
                       const CuredSiteCounts *counts,
                       guint n_counts)
{
  GArray *sites = g_array_new (FALSE, TRUE, sizeof (CuredSassSite));

  for (guint i = 0; i < module->n_code && i < n_counts; i++)
    {
      const CuredPtxInst *inst = &module->code[i];
      CuredSassSite site = {
        .ptx_line = inst->ptx_line,
        .is_guarded = inst->guard.width != 0,
        .issued = counts[inst->site].issued,
        .diverged = counts[inst->site].diverged,
      };

      classify (inst, &site);
      g_array_append_val (sites, site);
    }
  return sites;
}
