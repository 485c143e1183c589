/* SPDX-License-Identifier: MIT
 * The race detector: determines the buffers that a launch may write.
 *
 * A buffer that is only read has no races, and most of a kernel's reads are of such buffers. If
 * each address that the kernel stores to is a parameter plus numbers, only the buffers of these
 * parameters are written. Addresses loaded from memory, joined from halves, of variables or from
 * calls may be anything; all buffers are then watched.
 *
 * A store to another buffer has left the one from which its address was derived. That buffer is
 * watched from then on, but earlier reads there are unknown; so the store itself is reported,
 * whether another access races with it or not. This is not certain if a pointer is converted to a
 * narrow value, which is not tracked. A pointer made by the host to be outside all buffers may lead
 * anywhere. */
#include "ptx/watch/cured-race-private.h"

#include <string.h>

#include "base/cured-each-internal.h"

/* A mask of the words of the parameters from which a register's value may derive, with a bit for
 * unknown sources. */
#define N_WORDS  63
#define ANYTHING (UINT64_C (1) << N_WORDS)

typedef struct
{
  const CuredPtxModule *module;
  uint64_t *sources; /* of registers, by offset / 4 */
  bool is_changed;
  bool is_narrowed; /* a pointer was converted to a value that is not tracked */
} Reach;

/* Whether a constant is the address of a variable. */
static bool
is_variable (const CuredPtxModule *module, const CuredPtxOperand *x)
{
  for (guint i = 0; i < module->n_relocations; i++)
    if (!module->relocations[i].is_in_variable && module->relocations[i].offset == x->offset)
      return true;
  return false;
}

/* Sources of an operand's value: narrow values are plain numbers. */
static uint64_t
get_sources (const Reach *self, const CuredPtxOperand *x)
{
  if (x->width != 8)
    return 0;
  if (x->base == CURED_BASE_REGISTERS)
    return self->sources[x->offset / 4];
  return x->base == CURED_BASE_CONSTANTS && is_variable (self->module, x) ? ANYTHING : 0;
}

static void
add_sources (Reach *self, const CuredPtxOperand *x, uint64_t sources)
{
  if (x->width != 8 || x->base != CURED_BASE_REGISTERS)
    return;
  uint64_t *at = &self->sources[x->offset / 4];
  self->is_changed |= (sources & ~*at) != 0;
  *at |= sources;
}

/* The bit of the @i-th value of a load of parameters. */
static uint64_t
get_parameter (const Reach *self, const CuredPtxInst *inst, uint32_t i)
{
  const CuredPtxOperand *address = &inst->x[inst->counts[0]];
  uint64_t offset = 0;

  if (address->base != CURED_BASE_CONSTANTS)
    return ANYTHING;
  memcpy (&offset, self->module->constants + address->offset, address->width);
  offset += (uint64_t) inst->displacement + i * 8;
  return offset % 8 != 0 || offset / 8 >= N_WORDS ? ANYTHING : UINT64_C (1) << offset / 8;
}

/* Whether an instruction that takes a pointer, and does not access its target, has a narrow
 * result. */
static bool
is_narrowing (const CuredPtxInst *inst)
{
  if (strpbrk (_cured_ptx_ops[inst->op].operands, "MC") != NULL)
    return false;
  CURED_EACH_OPERAND (walk, inst)
    if (cured_ptx_is_destination (&walk) && (walk.x->width == 4 || walk.x->width == 2))
      return true;
  return false;
}

/* Adds to the sources of all registers that @inst writes. */
static void
add_to_results (Reach *self, const CuredPtxInst *inst, uint64_t sources)
{
  CURED_EACH_OPERAND (walk, inst)
    if (cured_ptx_is_destination (&walk))
      add_sources (self, walk.x, sources);
}

static void
follow (Reach *self, const CuredPtxInst *inst)
{
  uint8_t space = inst->words[CURED_PTX_GROUP_SPACE];
  uint64_t sources = 0;
  uint32_t n = 0;

  for (uint32_t k = 0; k < inst->n_counts; k++)
    n += inst->counts[k];
  if (inst->op == CURED_PTX_OP_ld && space == CURED_PTX_SPACE_PARAM)
    {
      for (uint32_t i = 0; i < inst->counts[0]; i++)
        add_sources (self, &inst->x[i], get_parameter (self, inst, i));
      return;
    }
  for (uint32_t i = 0; i < n; i++)
    sources |= get_sources (self, &inst->x[i]);
  self->is_narrowed |= sources != 0 && is_narrowing (inst);
  /* Loaded from memory, or joined from halves. */
  if (inst->op == CURED_PTX_OP_ld || inst->op == CURED_PTX_OP_ldu ||
      inst->op == CURED_PTX_OP_atom || (inst->op == CURED_PTX_OP_mov && n != 2))
    sources = ANYTHING;
  add_to_results (self, inst, sources);
}

/* Sources of the address that @inst stores to. */
static uint64_t
get_target (const Reach *self, const CuredPtxInst *inst)
{
  uint8_t space = inst->words[CURED_PTX_GROUP_SPACE];
  uint64_t sources;

  switch (inst->op)
    {
    case CURED_PTX_OP_st:
    case CURED_PTX_OP_red:
    case CURED_PTX_OP_wmma_store:
    case CURED_PTX_OP_atom:
      if (space == CURED_PTX_SPACE_SHARED || space == CURED_PTX_SPACE_LOCAL ||
          space == CURED_PTX_SPACE_PARAM)
        return 0;
      sources = get_sources (self, &inst->x[inst->op == CURED_PTX_OP_atom ? inst->counts[0] : 0]);
      /* Derived from special registers, like the grid barrier's. */
      return sources == 0 ? ANYTHING : sources;
    case CURED_PTX_OP_sust:
    case CURED_PTX_OP_tensormap_replace:
    case CURED_PTX_OP_tensormap_copy: return ANYTHING;
    case CURED_PTX_OP_call:
      return inst->call->is_indirect ||
                     self->module->functions[inst->target].builtin == CURED_BUILTIN_NONE
                 ? ANYTHING
                 : 0;
    default: return _cured_race_is_bulk (inst) ? ANYTHING : 0;
    }
}

/* The sources of all addresses that the kernel stores to; @is_certain: there are no other
 * sources. */
static uint64_t
find_targets (const CuredPtxModule *module, const CuredPtxFunction *entry, bool *is_certain)
{
  Reach self = { .module = module };
  const CuredPtxInst *code = module->code + entry->first;
  uint64_t targets = 0;

  self.sources = g_new0 (uint64_t, entry->frame_bytes / 4 + 1);
  do
    {
      self.is_changed = false;
      for (uint32_t i = 0; i < entry->n_sites; i++)
        follow (&self, &code[i]);
    }
  while (self.is_changed);
  for (uint32_t i = 0; i < entry->n_sites; i++)
    targets |= get_target (&self, &code[i]);
  g_free (self.sources);
  *is_certain = !self.is_narrowed;
  return targets;
}

/* Whether a parameter is an address outside all buffers, and not the end of one: the host
 * computed it, say, as that of the element before the first one. */
static bool
is_loose (const CuredMemory *memory, uint64_t number)
{
  return number >= CURED_MEMORY_FIRST - CURED_MEMORY_ALIGN && number < CURED_MEMORY_END &&
         _cured_memory_find (memory, number) == NULL &&
         _cured_memory_find (memory, number - 1) == NULL;
}

/* The @word-th one of the parameters; FALSE: there are fewer. */
static bool
get_word (const CuredPtxGrid *grid, uint32_t word, uint64_t *value)
{
  if ((word + 1) * sizeof *value > grid->launch->parameters_bytes)
    return false;
  memcpy (value, (const uint8_t *) grid->launch->parameters + word * sizeof *value, sizeof *value);
  return true;
}

/* Determines which regions of the grid's memory the launch may write.
 *
 * @is_written: (out): by index of the region; set to true for those; others
 *   are unchanged
 *
 * Returns: whether a store to any other region has certainly left its buffer */
bool
_cured_race_find_written (const CuredPtxGrid *grid, bool *is_written)
{
  const GPtrArray *regions = grid->memory->regions;
  bool is_certain = false;
  uint64_t targets = grid->entry != NULL && grid->launch->parameters != NULL
                         ? find_targets (grid->module, grid->entry, &is_certain)
                         : ANYTHING;
  uint64_t address;

  for (uint32_t w = 0; w < N_WORDS; w++)
    if ((targets >> w & 1) != 0 && get_word (grid, w, &address) && is_loose (grid->memory, address))
      targets |= ANYTHING;
  CURED_EACH_POINTER (const CuredRegion, region, regions)
    is_written[region->index] |= (targets & ANYTHING) != 0 || region->heap != NULL;
  for (uint32_t w = 0; w < N_WORDS; w++)
    {
      if ((targets >> w & 1) == 0 || !get_word (grid, w, &address))
        continue;
      const CuredRegion *region = _cured_memory_find (grid->memory, address);
      if (region != NULL)
        is_written[region->index] = true;
      /* A pointer to a buffer's end. */
      region = _cured_memory_find (grid->memory, address - 1);
      if (region != NULL)
        is_written[region->index] = true;
    }
  return is_certain && (targets & ANYTHING) == 0;
}
