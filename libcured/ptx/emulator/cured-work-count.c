/* SPDX-License-Identifier: MIT
 * Work out of what the emulator counted, and which kernels' blocks have to run all. */
#include "ptx/emulator/cured-work-count-internal.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "ptx/cured-work-internal.h"

/* ---- From a report ---- */

/* Where the sectors of an instruction go. */
static double *
find_level (const CuredPtxInst *inst, CuredWork *work)
{
  switch (inst->op)
    {
    case CURED_PTX_OP_st:
    case CURED_PTX_OP_stmatrix:
    case CURED_PTX_OP_wmma_store:
    case CURED_PTX_OP_sust: return &work->stored;
    case CURED_PTX_OP_atom:
    case CURED_PTX_OP_red: return &work->atomic;
    case CURED_PTX_OP_ldu:
    case CURED_PTX_OP_tex:
    case CURED_PTX_OP_tex_level:
    case CURED_PTX_OP_tex_grad:
    case CURED_PTX_OP_tld4:
    case CURED_PTX_OP_suld: return &work->load_nc;
    default: break;
    }
  if (inst->words[CURED_PTX_GROUP_NONCOHERENT] != CURED_PTX_NO_WORD)
    return &work->load_nc;
  switch ((int) inst->words[CURED_PTX_GROUP_CACHE])
    {
    case CURED_PTX_CACHE_CG:
    case CURED_PTX_CACHE_CV: return &work->load_cg;
    default: break;
    }
  switch ((int) inst->words[CURED_PTX_GROUP_ORDER])
    {
    case CURED_PTX_NO_WORD:
    case CURED_PTX_ORDER_WEAK: return &work->load_ca;
    default: return &work->load_cg;
    }
}

static gboolean
is_parameter (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_ld && inst->words[CURED_PTX_GROUP_SPACE] == CURED_PTX_SPACE_PARAM;
}

static gboolean
is_bulk (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_bulk || inst->op == CURED_PTX_OP_bulk_reduce ||
         inst->op == CURED_PTX_OP_bulk_tensor || inst->op == CURED_PTX_OP_bulk_tensor_reduce;
}

/* Scales @counts to the whole grid, of which 1/@scale ran. */
static void
set_work (const CuredPtxInst *inst, const CuredPtxCost *cost, const CuredSiteCounts *counts,
          double scale, CuredWork *work)
{
  gboolean is_atomic = inst->op == CURED_PTX_OP_atom || inst->op == CURED_PTX_OP_red;
  guint64 global = counts->requests - counts->shared_requests - counts->local_requests;
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);

  *work = (CuredWork){ 0 };
  for (int pipe = 0; pipe < CURED_N_PIPES; pipe++)
    *_cured_work_at (work, &fields[pipe]) = cost->slots[pipe] * (double) counts->issued * scale;
  work->issued = (double) counts->issued * scale;
  work->lanes = (double) counts->lanes * scale;
  work->diverged = (double) counts->diverged * scale;
  work->requests = (double) global * scale;
  work->lines = (double) counts->lines * scale;
  *find_level (inst, work) = (double) counts->sectors * scale;
  work->partial = (double) counts->partial * scale;
  work->shared_requests = (double) counts->shared_requests * scale;
  work->wavefronts = (double) counts->wavefronts * scale;
  work->least = (double) counts->least * scale;
  work->remote = (double) counts->remote * scale;
  work->remote_least = (double) counts->remote_least * scale;
  work->remote_requests = (double) counts->remote_requests * scale;
  /* A copy to shared memory bypasses L1's data. */
  if (inst->op == CURED_PTX_OP_cp_async)
    {
      work->wavefronts += work->lines;
      work->least += work->lines;
      work->lines = 0;
    }
  /* And what the copy engine moves (docs/banks.md). */
  if (is_bulk (inst))
    work->lines = 0;
  work->local_requests = (double) counts->local_requests * scale;
  work->local_sectors = (double) counts->local_sectors * scale;
  if (is_atomic && global > 0)
    {
      work->atomics = (double) counts->lanes * scale;
      work->addresses = (double) counts->addresses * scale;
    }
  else
    work->constant_words = (double) counts->addresses * scale;
  work->constants = (double) (is_parameter (inst) ? counts->issued : counts->constants) * scale;
}

/* Elements loaded from global memory by its lanes; for a copy to shared memory, 32-bit words. */
guint64
_cured_ptx_count_loads (const CuredPtxInst *inst, const CuredSiteCounts *counts)
{
  const CuredPtxShape *shape = _cured_ptx_get_shape (inst);
  guint64 global = counts->requests - counts->shared_requests - counts->local_requests;

  if (global == 0)
    return 0;
  switch (inst->op)
    {
    case CURED_PTX_OP_ld:
    case CURED_PTX_OP_ldu:
      /* A generic address may sometimes be in another space. */
      return counts->lanes * inst->counts[0] * global / counts->requests;
    case CURED_PTX_OP_tex:
    case CURED_PTX_OP_tex_level:
    case CURED_PTX_OP_tex_grad:
    case CURED_PTX_OP_tld4:
    case CURED_PTX_OP_suld: return counts->lanes * inst->counts[0];
    case CURED_PTX_OP_wmma_load_a: return counts->issued * shape->m * shape->k;
    case CURED_PTX_OP_wmma_load_b: return counts->issued * shape->n * shape->k;
    case CURED_PTX_OP_wmma_load_c: return counts->issued * shape->m * shape->n;
    case CURED_PTX_OP_cp_async: return counts->lanes * (guint64) inst->immediate / 4;
    case CURED_PTX_OP_bulk:
      /* A sector has eight words. */
      return inst->words[CURED_PTX_GROUP_SPACE] == CURED_PTX_SPACE_GLOBAL ? 0 : counts->sectors * 8;
    default: return 0;
    }
}

/* Multiplications of a matrix instruction per warp: m16n8k16 has 2048. */
static guint
get_products (const CuredPtxInst *inst)
{
  const CuredPtxShape *shape = _cured_ptx_get_shape (inst);

  return shape != NULL ? (guint) shape->m * shape->n * shape->k : 0;
}

static gboolean
is_real (CuredPtxType type)
{
  CuredPtxKind kind = (CuredPtxKind) _cured_ptx_types[type].kind;

  return kind == CURED_PTX_KIND_F || kind == CURED_PTX_KIND_X;
}

/* Floating-point operations of its lanes: a multiply-add counts as two; comparisons, conversions,
 * changes of sign and atomic operations don't count. */
guint64
_cured_ptx_count_flops (const CuredPtxInst *inst, const CuredSiteCounts *counts)
{
  gboolean is_packed = inst->n_types > 0 &&
                       (inst->types[0] == CURED_PTX_F16X2 || inst->types[0] == CURED_PTX_BF16X2);

  switch (inst->op)
    {
    case CURED_PTX_OP_add_float:
    case CURED_PTX_OP_sub_float:
    case CURED_PTX_OP_mul_float:
    case CURED_PTX_OP_div_float:
    case CURED_PTX_OP_ex2:
    case CURED_PTX_OP_tanh:
    case CURED_PTX_OP_rcp:
    case CURED_PTX_OP_sqrt:
    case CURED_PTX_OP_rsqrt:
    case CURED_PTX_OP_sin:
    case CURED_PTX_OP_cos:
    case CURED_PTX_OP_lg2: return counts->lanes;
    case CURED_PTX_OP_fma_float:
    case CURED_PTX_OP_mad:
    case CURED_PTX_OP_add_pair:
    case CURED_PTX_OP_mul_pair: return 2 * counts->lanes;
    case CURED_PTX_OP_fma_pair: return 4 * counts->lanes;
    case CURED_PTX_OP_add_half:
    case CURED_PTX_OP_sub_half:
    case CURED_PTX_OP_mul_half:
    case CURED_PTX_OP_ex2_half:
    case CURED_PTX_OP_tanh_half: return counts->lanes * (is_packed ? 2 : 1);
    case CURED_PTX_OP_fma_half: return counts->lanes * (is_packed ? 4 : 2);
    case CURED_PTX_OP_mma:
    case CURED_PTX_OP_wmma_mma:
      return is_real ((CuredPtxType) inst->types[0]) ? 2 * get_products (inst) * counts->issued : 0;
    /* Products of omitted elements don't count. */
    case CURED_PTX_OP_mma_sparse:
    case CURED_PTX_OP_mma_ordered:
      return is_real ((CuredPtxType) inst->types[0]) ? get_products (inst) * counts->issued : 0;
    default: return 0;
    }
}

static CuredWorkSite *
find_site (CuredWorkLaunch *self, const CuredPtxModule *module, const CuredPtxCost *costs,
           guint site)
{
  g_auto (CuredPtxPlace) place = { 0 };
  guint at = self->sites->len;

  /* The launches of a step mostly execute the same instructions, in the same order. */
  while (at > 0 && ((CuredWorkSite *) self->sites->pdata[at - 1])->site > site)
    at--;
  if (at > 0 && ((CuredWorkSite *) self->sites->pdata[at - 1])->site == site)
    return self->sites->pdata[at - 1];
  CuredWorkSite *found = g_new0 (CuredWorkSite, 1);
  cured_ptx_module_get_place (module, site, &place);
  found->site = site;
  found->file = place.file != NULL && *place.file != '\0' ? g_path_get_basename (place.file) : NULL;
  found->line = place.line;
  found->ptx_line = place.ptx_line;
  found->text = g_steal_pointer (&place.text);
  found->flow = _cured_work_flow_new (module, site, &costs[site]);
  g_ptr_array_insert (self->sites, (gint) at, found);
  return found;
}

static void
add_buffer (CuredWorkLaunch *self, const CuredRegionCounts *region, double scale)
{
  const char *name = region->name != NULL ? region->name : "";
  CuredWorkBuffer *buffer = NULL;

  for (guint i = 0; i < self->buffers->len && buffer == NULL; i++)
    {
      CuredWorkBuffer *other = g_ptr_array_index (self->buffers, i);

      if (g_str_equal (other->name, name))
        buffer = other;
    }
  if (buffer == NULL)
    {
      buffer = cured_work_launch_add_buffer (self);
      buffer->name = g_strdup (name);
      buffer->bytes = (double) region->bytes;
    }
  buffer->read += (double) region->read * scale;
  buffer->written += (double) region->written * scale;
  buffer->once += (double) region->once * scale;
}

/* Relative standard error of a total extrapolated by @scale from the blocks that ran, which were
 * drawn without replacement. */
static double
get_error (const CuredReport *report, double scale)
{
  double n = (double) report->n_blocks_run, mean = (double) report->instructions / MAX (n, 1);

  if (scale <= 1 || n < 2 || mean <= 0)
    return 0;
  double variance = MAX (report->squares / n - mean * mean, 0) * n / (n - 1);
  return sqrt (variance / n * (1 - 1 / scale)) / mean;
}

/* Adds the emulator's counts. @scale: the number of the grid's blocks that each block that ran
 * represents. */
void
_cured_work_launch_add (CuredWorkLaunch *self, const CuredLaunch *launch, const CuredReport *report,
                        double scale)
{
  const CuredPtxModule *module = launch->module;
  g_autofree CuredPtxCost *costs = _cured_ptx_costs_new (module);
  double n_blocks = (double) launch->grid[0] * launch->grid[1] * launch->grid[2];
  CuredPtxEntry entry = { 0 };

  cured_ptx_module_find_entry (module, launch->entry, &entry);
  for (int i = 0; i < 3; i++)
    {
      self->grid[i] = launch->grid[i];
      self->block[i] = launch->block[i];
    }
  self->shared_bytes = entry.shared_bytes + launch->shared_bytes;
  self->n_blocks = (guint64) n_blocks;
  self->n_run = MAX (self->n_run, report->n_blocks_run);
  self->error = MAX (self->error, get_error (report, scale));
  self->longest = MAX (self->longest, (double) report->longest);
  self->hottest = MAX (self->hottest, report->hottest);
  if (report->end != CURED_END_DONE && self->end == NULL)
    self->end = g_strdup (report->end_text);
  for (guint i = 0; report->counts != NULL && i < report->n_counts; i++)
    {
      const CuredSiteCounts *counts = &report->counts[i];
      CuredWork work;

      if (counts->issued == 0)
        continue;
      set_work (&module->code[i], &costs[i], counts, scale, &work);
      cured_work_add (&find_site (self, module, costs, i)->work, &work, 1);
      cured_work_add (&self->total, &work, 1);
    }
  self->total.barriers += (double) report->barriers * scale;
  for (guint i = 0; i < report->n_regions; i++)
    add_buffer (self, &report->regions[i], scale);
}

/* ---- Blocks that depend on each other ---- */

/* Registers of a function whose values come from an atomic operation: by their offset in the
 * frame. */
typedef struct
{
  const CuredPtxModule *module;
  const CuredPtxFunction *function;
  GHashTable *registers;
  bool is_memory_tainted; /* shared and local memory may hold one */
  bool has_changed;
} Taint;

static bool
is_tainted (const Taint *self, const CuredPtxOperand *x)
{
  return x->width != 0 && x->base == CURED_BASE_REGISTERS &&
         g_hash_table_contains (self->registers, GUINT_TO_POINTER (x->offset));
}

static void
taint (Taint *self, const CuredPtxOperand *x)
{
  if (x->width != 0 && x->base == CURED_BASE_REGISTERS &&
      g_hash_table_add (self->registers, GUINT_TO_POINTER (x->offset)))
    self->has_changed = true;
}

static bool
is_global_atomic (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_atom &&
         inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_SHARED;
}

/* Follows one instruction; TRUE if its address, or whether it is executed, depends on a tainted
 * value. */
static bool
follow (Taint *self, const CuredPtxInst *inst)
{
  bool is_reading =
      inst->op == CURED_PTX_OP_ld && inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_PARAM;
  bool has_source = is_tainted (self, &inst->guard) ||
                    (is_reading && self->is_memory_tainted &&
                     inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_GLOBAL);

  if (is_tainted (self, &inst->guard) && _cured_ptx_ops[inst->op].klass == CURED_PTX_CLASS_CONTROL)
    return true;
  CURED_EACH_OPERAND (walk, inst)
    if (!cured_ptx_is_destination (&walk) && is_tainted (self, walk.x))
      {
        if (*walk.letter == 'M' || inst->op == CURED_PTX_OP_brx)
          return true;
        has_source = true;
      }
  if (!has_source && !is_global_atomic (inst))
    return false;
  if (inst->op == CURED_PTX_OP_st && !self->is_memory_tainted)
    self->is_memory_tainted = self->has_changed = true;
  CURED_EACH_OPERAND (walk, inst)
    if (cured_ptx_is_destination (&walk))
      taint (self, walk.x);
  return false;
}

/* Whether it reads data that another block may be about to write. */
static bool
is_waiting (const CuredPtxInst *inst)
{
  CuredPtxWord space = (CuredPtxWord) inst->words[CURED_PTX_GROUP_SPACE];
  CuredPtxWord order = (CuredPtxWord) inst->words[CURED_PTX_GROUP_ORDER];

  return inst->op == CURED_PTX_OP_ld && order != CURED_PTX_NO_WORD &&
         order != CURED_PTX_ORDER_WEAK &&
         (space == CURED_PTX_SPACE_GLOBAL || space == CURED_PTX_NO_WORD);
}

static bool
depends_on_others (const CuredPtxModule *module, const CuredPtxFunction *function)
{
  g_autoptr (GHashTable) registers = g_hash_table_new (NULL, NULL);
  const CuredPtxInst *code = &module->code[function->first];
  Taint self = {
    .module = module,
    .function = function,
    .registers = registers,
  };

  do
    {
      self.has_changed = false;
      for (guint i = 0; i < function->n_sites; i++)
        if (is_waiting (&code[i]) || follow (&self, &code[i]))
          return true;
    }
  while (self.has_changed);
  return false;
}

/* For a site that took more wavefronts of shared memory, or more sectors of another block's, than
 * its lanes need. Returns: (transfer full) (nullable): that finding */
CuredFinding *
_cured_ptx_find_conflict (const CuredPtxModule *module, guint site, const char *entry,
                          const CuredSiteCounts *counts)
{
  gboolean is_remote = counts->wavefronts <= counts->least;
  double accesses = (double) counts->shared_requests;
  g_auto (CuredPtxPlace) place = { 0 };

  if (counts->shared_requests == 0 || (is_remote && counts->remote <= counts->remote_least))
    return NULL;
  CuredFinding *finding = g_new0 (CuredFinding, 1);
  cured_ptx_module_get_place (module, site, &place);
  finding->kind = CURED_FINDING_BANK_CONFLICT;
  finding->kernel = g_strdup (entry);
  finding->here.file = g_strdup (place.file);
  finding->here.line = place.line;
  finding->here.ptx_line = place.ptx_line;
  finding->here.what = "access";
  finding->count = counts->shared_requests;
  finding->detail = g_strdup_printf (
      is_remote ? _ ("%s: %.3g remote sectors per access, where %.3g is ideal; banks are not the "
                     "cause, and padding does not reduce them")
                : _ ("%s: %.3g wavefronts per access, where %.3g is ideal"),
      place.text != NULL ? place.text : "",
      (double) (is_remote ? counts->remote : counts->wavefronts) / accesses,
      (double) (is_remote ? counts->remote_least : counts->least) / accesses);
  return finding;
}

/* Whether a block's work may depend on other blocks: an address or a branch depends on the
 * result of an atomic operation on global memory (the last block, the assignment of tiles), or a
 * load waits for another block's store (volatile, relaxed, acquire). Called functions are
 * examined, too. A few blocks are then no sample of the others. Returns: TRUE also if it is only
 * possible */
gboolean
_cured_ptx_takes_tickets (const CuredPtxModule *module, const char *entry)
{
  for (guint i = 0; i < module->n_functions; i++)
    {
      const CuredPtxFunction *function = &module->functions[i];

      if (!function->is_defined || function->n_sites == 0 ||
          (function->is_entry && !g_str_equal (function->name, entry)))
        continue;
      if (depends_on_others (module, function))
        return TRUE;
    }
  return FALSE;
}
