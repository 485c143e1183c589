/* SPDX-License-Identifier: MIT
 * The machine instructions of PTX instructions, with the emulator's counts. */
#include "sass/cured-sass-flow-internal.h"
#include "ptx/cured-ptx-internal.h"

static CuredSassClass
get_memory_class (const CuredPtxInst *inst, CuredSassClass generic, CuredSassClass global,
                  CuredSassClass shared, CuredSassClass local)
{
  switch (inst->words[CURED_PTX_GROUP_SPACE])
    {
    case CURED_PTX_NO_WORD: return generic;
    case CURED_PTX_SPACE_GLOBAL: return global;
    case CURED_PTX_SPACE_SHARED: return shared;
    case CURED_PTX_SPACE_LOCAL: return local;
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
    case CURED_PTX_F32: return single;
    case CURED_PTX_F64: return CURED_SASS_CLASS_DOUBLE;
    default: return CURED_SASS_CLASS_UNKNOWN;
    }
}

static guint
get_width (const CuredPtxInst *inst)
{
  guint bits = _cured_ptx_types[inst->types[0]].bytes * 8u;

  switch (inst->words[CURED_PTX_GROUP_VECTOR])
    {
    case CURED_PTX_VECTOR_V2: return 2 * bits;
    case CURED_PTX_VECTOR_V4: return 4 * bits;
    default: return bits;
    }
}

static void
classify (const CuredPtxInst *inst, CuredSassSite *site)
{
  switch ((int) inst->op)
    {
    case CURED_PTX_OP_ld:
      site->op_class =
          get_memory_class (inst, CURED_SASS_CLASS_LOAD_GENERIC, CURED_SASS_CLASS_LOAD_GLOBAL,
                            CURED_SASS_CLASS_LOAD_SHARED, CURED_SASS_CLASS_LOAD_LOCAL);
      site->width = get_width (inst);
      break;
    case CURED_PTX_OP_st:
      site->op_class =
          get_memory_class (inst, CURED_SASS_CLASS_STORE_GENERIC, CURED_SASS_CLASS_STORE_GLOBAL,
                            CURED_SASS_CLASS_STORE_SHARED, CURED_SASS_CLASS_STORE_LOCAL);
      site->width = get_width (inst);
      break;
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red:
      site->op_class =
          get_memory_class (inst, CURED_SASS_CLASS_ATOMIC_GENERIC, CURED_SASS_CLASS_ATOMIC_GLOBAL,
                            CURED_SASS_CLASS_ATOMIC_SHARED, CURED_SASS_CLASS_UNKNOWN);
      break;
    case CURED_PTX_OP_cp_async: site->op_class = CURED_SASS_CLASS_COPY; break;
    case CURED_PTX_OP_ldmatrix: site->op_class = CURED_SASS_CLASS_LOAD_MATRICES; break;
    case CURED_PTX_OP_stmatrix: site->op_class = CURED_SASS_CLASS_STORE_MATRICES; break;
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
    case CURED_PTX_OP_barrier_cta_red: site->op_class = CURED_SASS_CLASS_BARRIER; break;
    case CURED_PTX_OP_shfl: site->op_class = CURED_SASS_CLASS_SHUFFLE; break;
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
    case CURED_PTX_OP_brx: site->op_class = CURED_SASS_CLASS_BRANCH; break;
    default: break;
    }
}

static gboolean
is_transfer (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_bra || inst->op == CURED_PTX_OP_brx ||
         inst->op == CURED_PTX_OP_ret || inst->op == CURED_PTX_OP_exit;
}

/* Beginnings of blocks: 1; if warps also arrive by branches: 2. */
static guint8 *
find_leaders (const CuredPtxModule *module, guint n)
{
  guint8 *leaders = g_new0 (guint8, n + 1);

  for (guint i = 0; i < n; i++)
    {
      const CuredPtxInst *inst = &module->code[i];

      if (inst->op == CURED_PTX_OP_bra && inst->target < n)
        leaders[inst->target] = MAX (leaders[inst->target], 1);
      if (is_transfer (inst))
        leaders[i + 1] = MAX (leaders[i + 1], 1);
    }
  for (guint i = 0; i < module->n_functions; i++)
    if (module->functions[i].first < n)
      leaders[module->functions[i].first] = 2;
  for (guint i = 0; i < module->n_tables; i++)
    for (guint j = 0; j < module->tables[i].n_targets; j++)
      if (module->tables[i].targets[j] < n)
        leaders[module->tables[i].targets[j]] = 2;
  return leaders;
}

/* Equally many warps enter and leave a block: if only one branch into it has an unknown count, it
 * gets the rest. Returns whether there was one. */
static gboolean
solve_leader (const CuredPtxModule *module, CuredSassSite *sites, guint n, guint leader)
{
  gint64 rest = (gint64) sites[leader].issued;
  CuredSassSite *unknown = NULL;
  gboolean is_next = FALSE;
  guint n_unknown = 0;

  if (leader > 0)
    {
      const CuredPtxInst *before = &module->code[leader - 1];
      CuredSassSite *site = &sites[leader - 1];

      if (!is_transfer (before))
        rest -= (gint64) site->issued;
      else if (site->is_guarded && before->op != CURED_PTX_OP_bra)
        return FALSE;
      else if (site->is_guarded && site->taken >= 0)
        rest -= (gint64) site->issued - site->taken;
      else if (site->is_guarded)
        {
          unknown = site;
          is_next = TRUE;
          n_unknown++;
        }
    }
  for (guint i = 0; i < n; i++)
    if (module->code[i].op == CURED_PTX_OP_bra && module->code[i].target == leader)
      {
        if (sites[i].taken >= 0)
          rest -= sites[i].taken;
        else
          {
            unknown = &sites[i];
            is_next = FALSE;
            n_unknown++;
          }
      }
  if (n_unknown != 1 || rest < 0 || rest > (gint64) unknown->issued)
    return FALSE;
  unknown->taken = is_next ? (gint64) unknown->issued - rest : rest;
  return TRUE;
}

static int
find_end (const CuredSassSite *sites, const guint8 *leaders, guint n, guint leader)
{
  guint i = leader;

  while (i + 1 < n && leaders[i + 1] == 0)
    i++;
  return sites[i].ptx_line;
}

/* Finds how many warps took each branch, if none was split. */
static void
find_taken (const CuredPtxModule *module, CuredSassSite *sites, guint n)
{
  g_autofree guint8 *leaders = find_leaders (module, n);
  gboolean is_split = FALSE, is_more = TRUE;

  for (guint i = 0; i < n; i++)
    {
      guint target = module->code[i].target;

      is_split |= sites[i].diverged > 0;
      sites[i].taken = -1;
      if (module->code[i].op != CURED_PTX_OP_bra || target >= n || i + 1 >= n)
        continue;
      if (!sites[i].is_guarded || sites[i].issued == 0)
        sites[i].taken = (gint64) sites[i].issued;
      sites[i].target_line = sites[target].ptx_line;
      sites[i].target_end = find_end (sites, leaders, n, target);
      sites[i].next_line = sites[i + 1].ptx_line;
      sites[i].next_end = find_end (sites, leaders, n, i + 1);
    }
  while (is_more && !is_split)
    {
      is_more = FALSE;
      for (guint i = 0; i < n; i++)
        if (leaders[i] == 1)
          is_more |= solve_leader (module, sites, n, i);
    }
}

/* @module: the emulated PTX, from which the machine code was assembled
 * @counts: (array length=n_counts): counts of a launch
 * Returns: (transfer full) (element-type CuredSassSite): in the module's order */
GArray *
cured_sass_list_sites (const CuredPtxModule *module, const CuredSiteCounts *counts, guint n_counts)
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
  find_taken (module, (CuredSassSite *) (gpointer) sites->data, sites->len);
  return sites;
}
