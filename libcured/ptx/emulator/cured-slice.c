/* SPDX-License-Identifier: MIT
 * Which instructions of a kernel decide where it goes and what it touches. */
#include "ptx/emulator/cured-slice-internal.h"

#include "base/cured-base-internal.h"
#include "ptx/machine/cured-warp-private.h"

/* Memory whose contents are needed. */
typedef struct
{
  CuredPtxModule *module;
  bool *is_needed;    /* by site */
  uint8_t *registers; /* of the function being examined, by offset / 4 */
  bool memory[CURED_N_SPACES];
  /* Everything is executed, and data is needed if a decision depends on it, even after it was
   * copied. Barriers and tensor maps in memory are assumed not to be overwritten with other
   * data. */
  bool is_counting, is_changed;
} Slice;

static void
need_register (Slice *self, const CuredPtxOperand *x)
{
  if (x->width == 0 || x->base != CURED_BASE_REGISTERS || self->registers[x->offset / 4] != 0)
    return;
  self->registers[x->offset / 4] = 1;
  self->is_changed = true;
}

static CuredSpace
get_space (const CuredPtxInst *inst, CuredPtxGroup group)
{
  switch (inst->words[group])
    {
    case CURED_PTX_SPACE_GLOBAL:
    case CURED_PTX_FROM_GLOBAL: return CURED_SPACE_GLOBAL;
    case CURED_PTX_SPACE_SHARED: return CURED_SPACE_SHARED;
    case CURED_PTX_SPACE_LOCAL: return CURED_SPACE_LOCAL;
    case CURED_PTX_SPACE_CONST: return CURED_SPACE_CONST;
    case CURED_PTX_SPACE_PARAM: return CURED_SPACE_PARAM;
    default: return CURED_SPACE_GENERIC;
    }
}

/* A generic address may belong to any of the three spaces. */
static bool
is_memory_needed (const Slice *self, CuredSpace space)
{
  if (space == CURED_SPACE_GENERIC)
    return self->memory[CURED_SPACE_GLOBAL] || self->memory[CURED_SPACE_SHARED] ||
           self->memory[CURED_SPACE_LOCAL];
  return self->memory[space];
}

static void
need_memory (Slice *self, CuredSpace space)
{
  if (space == CURED_SPACE_GENERIC)
    {
      need_memory (self, CURED_SPACE_GLOBAL);
      need_memory (self, CURED_SPACE_SHARED);
      need_memory (self, CURED_SPACE_LOCAL);
      return;
    }
  self->is_changed |= !self->memory[space];
  self->memory[space] = true;
}

static bool
is_bulk (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_bulk || inst->op == CURED_PTX_OP_bulk_reduce ||
         inst->op == CURED_PTX_OP_bulk_tensor || inst->op == CURED_PTX_OP_bulk_tensor_reduce ||
         inst->op == CURED_PTX_OP_st_async || inst->op == CURED_PTX_OP_red_async ||
         inst->op == CURED_PTX_OP_tensormap_replace || inst->op == CURED_PTX_OP_tensormap_copy;
}

/* Accesses that can only be reported by executing them: a lane makes several for a fragment, and a
 * texture's address is in no register. */
static bool
is_made_whole (const CuredPtxInst *inst)
{
  return _cured_ptx_is_texture (inst->op) || inst->op == CURED_PTX_OP_wmma_load_a ||
         inst->op == CURED_PTX_OP_wmma_load_b || inst->op == CURED_PTX_OP_wmma_load_c ||
         inst->op == CURED_PTX_OP_wmma_store;
}

/* Whether the operands are needed even if the result is not. */
static bool
is_root (const Slice *self, const CuredPtxInst *inst)
{
  const CuredPtxOpInfo *op = &_cured_ptx_ops[inst->op];

  if (is_bulk (inst) || (!self->is_counting && is_made_whole (inst)))
    return true;
  if (self->is_counting &&
      (inst->op == CURED_PTX_OP_bulk_prefetch || inst->op == CURED_PTX_OP_bulk_tensor_prefetch))
    return true;
  if (op->klass == CURED_PTX_CLASS_CONTROL || op->klass == CURED_PTX_CLASS_BARRIER)
    return true;
  if (op->klass == CURED_PTX_CLASS_ATOMIC)
    return inst->op != CURED_PTX_OP_atom && inst->op != CURED_PTX_OP_red;
  /* The carry flag is no operand and can't be followed. */
  return inst->words[CURED_PTX_GROUP_CARRY] != CURED_PTX_NO_WORD || inst->op == CURED_PTX_OP_addc ||
         inst->op == CURED_PTX_OP_subc || inst->op == CURED_PTX_OP_madc_lo ||
         inst->op == CURED_PTX_OP_madc_hi;
}

/* Whether it is an access that is reported to observers even if its data is not needed. */
static bool
is_announced (const CuredPtxInst *inst)
{
  CuredSpace space = get_space (inst, CURED_PTX_GROUP_SPACE);

  switch (inst->op)
    {
    case CURED_PTX_OP_cp_async: return true;
    case CURED_PTX_OP_ld:
    case CURED_PTX_OP_ldu:
    case CURED_PTX_OP_st:
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red:
      return space == CURED_SPACE_GLOBAL || space == CURED_SPACE_LOCAL ||
             space == CURED_SPACE_GENERIC;
    default: return false;
    }
}

/* Whether the @k-th operand, @letter, gives the address of an access; matrix products describe
 * factors in shared memory by numbers. */
static bool
is_place (const Slice *self, const CuredPtxInst *inst, char letter, guint k)
{
  if (inst->op == CURED_PTX_OP_cp_async)
    return true;
  if (!self->is_counting)
    return letter == 'M';
  if (inst->op == CURED_PTX_OP_wgmma || inst->op == CURED_PTX_OP_wgmma_sparse)
    return letter == 'J' || (letter == 'G' && inst->counts[k] == 1);
  return letter == 'M' || letter == 'C';
}

/* Whether @inst stores to memory whose contents are needed. */
static bool
is_writing_needed (const Slice *self, const CuredPtxInst *inst)
{
  switch (inst->op)
    {
    case CURED_PTX_OP_st:
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red:
    case CURED_PTX_OP_wmma_store:
      return is_memory_needed (self, get_space (inst, CURED_PTX_GROUP_SPACE));
    case CURED_PTX_OP_sust: return self->memory[CURED_SPACE_GLOBAL];
    case CURED_PTX_OP_cp_async:
    case CURED_PTX_OP_stmatrix: return self->memory[CURED_SPACE_SHARED];
    default: return false;
    }
}

static void
need_memory_of (Slice *self, const CuredPtxInst *inst)
{
  switch (inst->op)
    {
    case CURED_PTX_OP_ld:
    case CURED_PTX_OP_ldu:
    case CURED_PTX_OP_wmma_load_a:
    case CURED_PTX_OP_wmma_load_b:
    case CURED_PTX_OP_wmma_load_c:
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red: need_memory (self, get_space (inst, CURED_PTX_GROUP_SPACE)); break;
    case CURED_PTX_OP_ldmatrix:
    case CURED_PTX_OP_wgmma:
    case CURED_PTX_OP_wgmma_sparse:
    case CURED_PTX_OP_st_async:
    case CURED_PTX_OP_red_async: need_memory (self, CURED_SPACE_SHARED); break;
    case CURED_PTX_OP_cp_async:
    case CURED_PTX_OP_tex:
    case CURED_PTX_OP_tex_level:
    case CURED_PTX_OP_tex_grad:
    case CURED_PTX_OP_tld4:
    case CURED_PTX_OP_suld: need_memory (self, CURED_SPACE_GLOBAL); break;
    case CURED_PTX_OP_bulk:
    case CURED_PTX_OP_bulk_reduce:
    case CURED_PTX_OP_bulk_tensor:
    case CURED_PTX_OP_bulk_tensor_reduce:
    case CURED_PTX_OP_tensormap_replace:
    case CURED_PTX_OP_tensormap_copy:
      need_memory (self, CURED_SPACE_GLOBAL);
      need_memory (self, CURED_SPACE_SHARED);
      break;
    default:
      /* Barriers in shared memory. */
      if (_cured_ptx_ops[inst->op].klass == CURED_PTX_CLASS_BARRIER &&
          strchr (_cured_ptx_ops[inst->op].operands, 'M') != NULL)
        need_memory (self, CURED_SPACE_SHARED);
      break;
    }
}

static void
look_at (Slice *self, const CuredPtxInst *inst)
{
  bool is_announcing = self->is_counting || is_announced (inst);
  bool is_needed =
      self->is_needed[inst->site] || is_root (self, inst) || is_writing_needed (self, inst);

  CURED_EACH_OPERAND (walk, inst)
    if (walk.x->width == 0 || walk.x->base != CURED_BASE_REGISTERS)
      continue;
    else if (cured_ptx_is_destination (&walk))
      is_needed |= self->registers[walk.x->offset / 4] != 0;
    else if (is_announcing && is_place (self, inst, *walk.letter, walk.n_letters - 1))
      need_register (self, walk.x);
  if (is_needed || is_announcing)
    need_register (self, &inst->guard);
  if (!is_needed)
    return;

  if (!self->is_needed[inst->site])
    {
      self->is_needed[inst->site] = true;
      self->is_changed = true;
    }
  CURED_EACH_OPERAND (walk, inst)
    if (!cured_ptx_is_destination (&walk))
      need_register (self, walk.x);
  if (!self->is_counting || !is_root (self, inst) ||
      (is_bulk (inst) && (self->memory[CURED_SPACE_GLOBAL] || self->memory[CURED_SPACE_SHARED])))
    need_memory_of (self, inst);
}

static bool
has_call (const CuredPtxModule *module)
{
  for (guint i = 0; i < module->n_code; i++)
    if (module->code[i].call != NULL)
      return true;
  return false;
}

/* Finds the sites and the memory that are needed. */
static void
find_needed (Slice *self)
{
  const CuredPtxModule *module = self->module;
  g_autofree uint8_t **registers = g_new0 (uint8_t *, module->n_functions + 1);

  self->is_needed = g_new0 (bool, module->n_code + 1);
  for (guint i = 0; i < module->n_functions; i++)
    registers[i] = g_malloc0 (module->functions[i].frame_bytes / 4 + 32);
  do
    {
      self->is_changed = false;
      for (guint i = 0; i < module->n_functions; i++)
        {
          const CuredPtxFunction *function = &module->functions[i];

          if (!function->is_defined)
            continue;
          self->registers = registers[i];
          /* Needs propagate backwards, from later instructions to earlier ones. */
          for (guint k = function->n_sites; k-- > 0;)
            look_at (self, &module->code[function->first + k]);
        }
    }
  while (self->is_changed);
  for (guint i = 0; i < module->n_functions; i++)
    g_free (registers[i]);
}

/* Separates the instructions on which control flow and the accesses to global and local memory
 * depend from those that only compute data. Registers are followed by name, regardless of the order
 * of instructions, and memory by space; a module with calls is needed as a whole. */
CuredSlice *
_cured_slice_new (CuredPtxModule *module)
{
  CuredSlice *slice = g_new0 (CuredSlice, 1);
  Slice self = { .module = module };

  slice->actions = g_new0 (uint32_t, module->n_code + 1);
  slice->is_data_needed = true;
  if (has_call (module))
    return slice;

  find_needed (&self);
  slice->is_data_needed = self.memory[CURED_SPACE_GLOBAL];
  for (guint site = module->n_code; site-- > 0;)
    if (!self.is_needed[site])
      {
        if (is_announced (&module->code[site]))
          slice->actions[site] = CURED_SLICE_ANNOUNCE;
        else
          slice->actions[site] =
              slice->actions[site + 1] == CURED_SLICE_ANNOUNCE ? 1 : slice->actions[site + 1] + 1;
      }
  g_free (self.is_needed);
  return slice;
}

static bool
is_product (const CuredPtxInst *inst)
{
  return _cured_ptx_ops[inst->op].pipe == CURED_PIPE_TENSOR;
}

/* Finds the matrix products on which neither control flow, nor the active lanes, nor any memory
 * access depends, shared memory included: a run that only counts need not compute them. Registers
 * and memory are followed as in _cured_slice_new().
 * Returns: a flag per site; NULL: there is no such product */
bool *
_cured_slice_find_spared (CuredPtxModule *module)
{
  Slice self = { .module = module, .is_counting = true };
  guint n_products = 0;

  for (guint i = 0; i < module->n_code; i++)
    n_products += is_product (&module->code[i]);
  if (n_products == 0 || has_call (module))
    return NULL;
  find_needed (&self);
  for (guint i = 0; i < module->n_code; i++)
    self.is_needed[i] = is_product (&module->code[i]) && !self.is_needed[i];
  return self.is_needed;
}

/* Whether any of that depends on the contents of global memory. */
bool
_cured_slice_needs_data (CuredPtxModule *module)
{
  Slice self = { .module = module, .is_counting = true };

  if (has_call (module))
    return true;
  find_needed (&self);
  g_free (self.is_needed);
  return self.memory[CURED_SPACE_GLOBAL];
}

CURED_DEFINE_FREE (CuredSlice, _cured_slice_free, actions, g_free)
