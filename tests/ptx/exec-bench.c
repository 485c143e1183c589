/* SPDX-License-Identifier: MIT
 * One instruction at a time, on a warp made by hand: for tests of handlers. */
#include "exec-bench.h"

#include <string.h>

#include "config.h"

static const struct
{
  const char *word;
  CuredPtxGroup group;
  CuredPtxWord value;
} words[] = {
#define WORD(word, group, value) { word, CURED_PTX_GROUP_##group, CURED_PTX_##group##_##value },
#define ALIAS                    WORD
#include "base/cured-own.h"
#include "ptx/cured-ptx-words.def"
};

/**
 * exec_bench_new:
 * @build: whose handlers are run
 *
 * Makes a warp with registers that are all zero, of a block, a cluster and a grid that are all
 * zero, too. Lane ids and lane masks are there; a test may
 * set the other special registers.
 *
 * Returns: (transfer full): the bench */
ExecBench *
exec_bench_new (ExecBenchBuild build)
{
  ExecBench *self = g_new0 (ExecBench, 1);
  gsize size = sizeof (CuredWarp) + (64 - sizeof (CuredWarp) % 64) % 64;

  self->build = build;
  self->warp = aligned_alloc (64, size);
  memset (self->warp, 0, size);
  self->registers = aligned_alloc (64, EXEC_BENCH_REGISTERS * 256);
  memset (self->registers, 0, EXEC_BENCH_REGISTERS * 256);
  self->block.grid = &self->grid;
  self->block.cluster = &self->cluster;
  self->warp->block = &self->block;
  self->warp->bases[CURED_BASE_REGISTERS] = self->registers;
  self->warp->bases[CURED_BASE_SPECIALS] = (uint8_t *) &self->warp->specials;
  self->warp->active = CURED_ALL_LANES;
  self->warp->alive = CURED_ALL_LANES;
  for (guint l = 0; l < CURED_WARP_LANES; l++)
    {
      CuredSpecials *specials = &self->warp->specials;

      specials->laneid[l] = l;
      specials->lanemask_eq[l] = 1u << l;
      specials->lanemask_lt[l] = (1u << l) - 1;
      specials->lanemask_le[l] = specials->lanemask_lt[l] | 1u << l;
      specials->lanemask_gt[l] = ~specials->lanemask_le[l];
      specials->lanemask_ge[l] = ~specials->lanemask_lt[l];
    }
  return self;
}

/**
 * exec_bench_free:
 * @self: (transfer full) (nullable): a bench
 *
 * Frees a bench and its registers. */
CURED_DEFINE_FREE (ExecBench, exec_bench_free, warp, free, registers, free, reason, g_free)

/* The row with most words that fits; what follows its words to @rest. */
static CuredPtxOp
find_op (const char *mnemonic, const char **rest)
{
  CuredPtxOp best = CURED_PTX_N_OPS;
  gsize best_length = 0;

  for (guint op = 0; op < CURED_PTX_N_OPS; op++)
    {
      const CuredPtxOpInfo *row = &_cured_ptx_ops[op];
      gsize length = strlen (row->mnemonic);
      gboolean fits = row->types == 0;
      gboolean has_type = FALSE;

      if (!g_str_has_prefix (mnemonic, row->mnemonic) ||
          (mnemonic[length] != '.' && mnemonic[length] != '\0') || length <= best_length)
        continue;
      g_auto (GStrv) suffixes = g_strsplit (mnemonic + length, ".", -1);
      for (guint i = 1; suffixes[0] != NULL && suffixes[i] != NULL; i++)
        for (guint t = 1; t < CURED_PTX_N_TYPES && !has_type; t++)
          if (g_str_equal (suffixes[i], _cured_ptx_types[t].word))
            {
              has_type = TRUE;
              fits = (row->types >> t & 1) != 0;
            }
      if (!fits)
        continue;
      best = op;
      best_length = length;
    }
  if (best == CURED_PTX_N_OPS)
    g_error ("%s: no row of the table fits", mnemonic);
  *rest = mnemonic + best_length;
  return best;
}

static void
add_suffix (CuredPtxInst *inst, const char *mnemonic, const char *suffix)
{
  for (guint t = 1; t < CURED_PTX_N_TYPES; t++)
    if (g_str_equal (suffix, _cured_ptx_types[t].word))
      {
        g_assert_cmpuint (inst->n_types, <, G_N_ELEMENTS (inst->types));
        inst->types[inst->n_types++] = (uint8_t) t;
        return;
      }
  for (guint w = 0; w < G_N_ELEMENTS (words); w++)
    if (g_str_equal (suffix, words[w].word) &&
        (_cured_ptx_ops[inst->op].modifiers >> words[w].group & 1) != 0 &&
        inst->words[words[w].group] == CURED_PTX_NO_WORD)
      {
        inst->words[words[w].group] = (uint8_t) words[w].value;
        return;
      }
  g_error ("%s: the row knows no .%s", mnemonic, suffix);
}

/**
 * exec_bench_set:
 * @mnemonic: as in PTX, with all suffixes: "setp.lt.and.u32"
 * @n_operands: of @operands
 * @operands: in the order of the row's letters; what is optional and missing
 *   in between is NONE, at the end it may be left out
 *
 * Makes @mnemonic the bench's instruction, every letter with one operand, and finds
 * its handler. Displacements and the immediate are set to 0: a test that needs others sets them in
 * the instruction afterwards, before exec_bench_select() where its form looks at them.
 *
 * Returns: (nullable): why it is refused, until the next call; NULL where it is not */
const char *
exec_bench_set (ExecBench *self, const char *mnemonic, guint n_operands,
                const CuredPtxOperand *operands)
{
  CuredPtxInst *inst = &self->inst;
  const char *rest;

  memset (inst, 0, sizeof *inst);
  memset (self->operands, 0, sizeof self->operands);
  inst->op = (uint16_t) find_op (mnemonic, &rest);
  inst->x = self->operands;
  g_auto (GStrv) suffixes = g_strsplit (rest, ".", -1);
  for (guint i = 1; suffixes[0] != NULL && suffixes[i] != NULL; i++)
    add_suffix (inst, mnemonic, suffixes[i]);
  for (const char *p = _cured_ptx_ops[inst->op].operands; *p != '\0'; p++)
    if (*p != '?')
      inst->counts[inst->n_counts++] = 1;
  g_assert_cmpuint (n_operands, <=, inst->n_counts);
  if (n_operands > 0)
    memcpy (self->operands, operands, n_operands * sizeof operands[0]);
  return exec_bench_select (self);
}

/**
 * exec_bench_group:
 * @letter: index of a letter of the row
 * @count: how many operands it takes
 *
 * Says that one letter of the instruction is operands in braces: those at its place and
 * after it, which the test has put into the bench's operands. Call exec_bench_select() again
 * afterwards. */
void
exec_bench_group (ExecBench *self, guint letter, guint count)
{
  g_assert_cmpuint (letter, <, self->inst.n_counts);
  self->inst.counts[letter] = (uint8_t) count;
}

/**
 * exec_bench_select:
 *
 * Finds the form of the bench's instruction, and its handler.
 *
 * Returns: (nullable): why there is none, until the next call; NULL where there is one */
const char *
exec_bench_select (ExecBench *self)
{
  const CuredPtxFormTable *table = _cured_ptx_get_forms (self->build == EXEC_BENCH_BASELINE);
  const CuredPtxForm *form = _cured_ptx_find_form (table, &self->inst);
  const char *problem = NULL;

  g_clear_pointer (&self->reason, g_free);
  if (form == NULL)
    return self->reason = _cured_ptx_explain (table, &self->inst);
  self->inst.run = cured_ptx_form_select (form, &self->inst, &problem);
  if (self->inst.run == NULL)
    g_assert_nonnull (problem);
  else
    g_assert_null (problem);
  return problem;
}

/**
 * exec_bench_run:
 * @mask: lanes; not 0
 *
 * Runs the bench's instruction. */
void
exec_bench_run (ExecBench *self, uint32_t mask)
{
  self->warp->active = mask;
  self->inst.run (self->warp, &self->inst, mask);
}

/**
 * exec_bench_lanes:
 * @operand: a register of the bench
 *
 * Returns: (transfer none): the lanes of @operand, of its width; a predicate's
 *   is one uint32_t
 */
void *
exec_bench_lanes (ExecBench *self, CuredPtxOperand operand)
{
  return self->warp->bases[operand.base] + operand.offset;
}
