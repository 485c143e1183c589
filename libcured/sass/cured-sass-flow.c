/* SPDX-License-Identifier: MIT
 * How often each piece of a kernel's machine code ran.
 *
 * The emulator counts what PTX does. The cubin says of each instruction which line of the PTX it
 * was made from (.nv_debug_line_sass). How often a block of machine code ran is not simply what
 * that line counts: ptxas copies loops, joins loads and moves arithmetic. So equations are
 * collected, the surest first:
 *
 *   1. as many warps come into a block as leave it; where a branch of the PTX
 *      splits a warp, as many more leave as were split; behind a BSYNC they are
 *      as many again as before its BSSY
 *   2. barriers, stores and atomics: the copies of one of the PTX's run, all
 *      together, as often as it
 *   3. loads and shuffles, likewise; where no warp was split, a branch that
 *      runs as often as the PTX's goes either way as often
 *
 * What these determine is exact. An equation that contradicts earlier ones is dropped and counted.
 * The others then settle the rest, between bounds that the first ones give:
 *
 *   4. of a loop that was unrolled once more, the larger parts take the trips
 *      that they can; floating-point arithmetic, likewise
 *   5. a block ran as often as most lines say that it alone has
 *
 * Equations are solved by elimination: of a few hundred unknowns, one per block and conditional
 * branch. */
#include "sass/cured-sass-flow-internal.h"

#include "base/cured-base-internal.h"

/* With more unknowns, elimination takes too long, and only rule 5 is used. */
#define MAX_UNKNOWNS 1200

/* Counts are integers, exact below 2^53; errors of elimination are below this. */
#define TOLERANCE 1e-6

/* Number of passes that tighten bounds. */
#define N_ROUNDS 24

/* Needed share of a block's instructions whose PTX line no other block has. */
#define MAJORITY 0.5

/* Operations that run several times for one PTX instruction. */
#define SHARED_SWAP 0x18d
#define GLOBAL_SWAP 0x1a9

#define BEGIN_REGION 0x145
#define END_REGION   0x141
#define INDIRECT     0x149
#define COLLECTIVE   0x148

/* ---- Equations ---- */

typedef struct
{
  guint unknown;
  double factor;
} Term;

typedef struct
{
  GArray *terms; /* (element-type Term) */
  double low;    /* bounds of the sum of the terms */
  double high;
} Relation;

typedef struct
{
  double *factors; /* by unknown, then the right side */
  guint pivot;
} Row;

typedef struct
{
  guint n_unknowns;
  GPtrArray *rows;      /* (element-type Row) */
  GPtrArray *relations; /* (element-type Relation): the basis of the bounds */
  guint n_contradictions;
  gboolean *is_doubtful; /* by unknown: it is in a contradiction */
} System;

CURED_FREE_FUNC (Row, row_free, factors, g_free)

CURED_FREE_FUNC (Relation, relation_free, terms, g_array_unref)

static void
system_init (System *self, guint n_unknowns)
{
  self->n_unknowns = n_unknowns;
  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->relations = g_ptr_array_new_with_free_func (relation_free);
  self->n_contradictions = 0;
  self->is_doubtful = g_new0 (gboolean, n_unknowns);
}

CURED_CLEAR_FUNC (System, system_clear, rows, g_ptr_array_unref, relations, g_ptr_array_unref,
                  is_doubtful, g_free)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (System, system_clear)

static void
subtract (double *factors, const Row *row, guint n)
{
  double times = factors[row->pivot];

  if (times == 0)
    return;
  for (guint i = 0; i <= n; i++)
    {
      factors[i] -= times * row->factors[i];
      if (fabs (factors[i]) < TOLERANCE && i < n)
        factors[i] = 0;
    }
  factors[row->pivot] = 0;
}

/* Adds an equation; FALSE if it contradicts earlier ones. Rows are kept reduced: no other row has a
 * pivot's unknown. */
static gboolean
system_add (System *self, const Term *terms, guint n_terms, double sum)
{
  guint n = self->n_unknowns;
  g_autofree double *factors = g_new0 (double, n + 1);
  double scale = MAX (fabs (sum), 1);
  guint pivot = n;

  for (guint i = 0; i < n_terms; i++)
    factors[terms[i].unknown] += terms[i].factor;
  factors[n] = sum;
  CURED_EACH_POINTER (const Row, row, self->rows)
    {
      scale = MAX (scale, fabs (factors[row->pivot] * row->factors[n]));
      subtract (factors, row, n);
    }
  for (guint i = 0; i < n; i++)
    if (fabs (factors[i]) > TOLERANCE && (pivot == n || fabs (factors[i]) > fabs (factors[pivot])))
      pivot = i;
  if (pivot == n)
    return fabs (factors[n]) <= TOLERANCE * scale;
  for (guint i = 0; i <= n; i++)
    if (i != pivot)
      factors[i] /= factors[pivot];
  factors[pivot] = 1;
  Row *added = g_new (Row, 1);
  added->factors = g_steal_pointer (&factors);
  added->pivot = pivot;
  CURED_EACH_POINTER (Row, row, self->rows)
    subtract (row->factors, added, n);
  g_ptr_array_add (self->rows, added);
  return TRUE;
}

/* Adds a relation that bounds a sum of terms. */
static void
system_relate (System *self, const Term *terms, guint n_terms, double low, double high)
{
  Relation *relation = g_new (Relation, 1);

  relation->terms = g_array_new (FALSE, FALSE, sizeof (Term));
  g_array_append_vals (relation->terms, terms, n_terms);
  relation->low = low;
  relation->high = high;
  g_ptr_array_add (self->relations, relation);
}

static void
system_require (System *self, const Term *terms, guint n_terms, double sum)
{
  if (system_add (self, terms, n_terms, sum))
    {
      system_relate (self, terms, n_terms, sum, sum);
      return;
    }
  self->n_contradictions++;
  for (guint i = 0; i < n_terms; i++)
    self->is_doubtful[terms[i].unknown] = TRUE;
}

/* Tightens the bounds of unknowns, none of which is negative. */
static void
system_bound (const System *self, double *low, double *high)
{
  for (guint i = 0; i < self->n_unknowns; i++)
    {
      low[i] = 0;
      high[i] = INFINITY;
    }
  for (guint round = 0; round < N_ROUNDS; round++)
    CURED_EACH_POINTER (const Relation, relation, self->relations)
      {
        for (guint i = 0; i < relation->terms->len; i++)
          {
            const Term *term = &g_array_index (relation->terms, Term, i);
            double least = relation->low, most = relation->high;

            for (guint j = 0; j < relation->terms->len; j++)
              {
                const Term *other = &g_array_index (relation->terms, Term, j);
                double a = other->factor * low[other->unknown];
                double b = other->factor * high[other->unknown];

                if (j == i)
                  continue;
                most -= MIN (a, b);
                least -= MAX (a, b);
              }
            least /= term->factor;
            most /= term->factor;
            if (term->factor < 0)
              {
                double swap = least;

                least = most;
                most = swap;
              }
            if (!isnan (least) && least > low[term->unknown])
              low[term->unknown] = least;
            if (!isnan (most) && most < high[term->unknown])
              high[term->unknown] = most;
          }
      }
}

/* Whether @unknown is determined; its value is then set. */
static gboolean
system_solve (const System *self, guint unknown, double *value)
{
  guint n = self->n_unknowns;

  CURED_EACH_POINTER (const Row, row, self->rows)
    {
      if (row->pivot != unknown)
        continue;
      for (guint i = 0; i < n; i++)
        if (i != unknown && fabs (row->factors[i]) > TOLERANCE)
          return FALSE;
      *value = row->factors[n];
      return TRUE;
    }
  return FALSE;
}

/* Fills in the @values that others determine; does not change the rest. */
static void
system_complete (const System *self, double *values)
{
  guint n = self->n_unknowns;

  CURED_EACH_POINTER (const Row, row, self->rows)
    {
      double value = row->factors[n];

      for (guint i = 0; i < n; i++)
        if (i != row->pivot)
          value -= row->factors[i] * values[i];
      values[row->pivot] = value;
    }
}

/* ---- Blocks ---- */

typedef struct
{
  const CuredSassCode *code;
  GHashTable *sites;  /* line of the PTX → CuredSassSite */
  GHashTable *copies; /* line of the PTX → GArray of instructions' indices */
  CuredSassFlow *flow;
  guint *block_of;   /* by instruction */
  guint *branch_of;  /* by block: unknown of the branch that is taken; or 0 */
  gboolean is_split; /* some branch split a warp */
  gboolean has_indirect;
  System system;
} Builder;

static const CuredSassInst *
get_inst (const CuredSassCode *code, guint i)
{
  return &g_array_index (code->insts, CuredSassInst, i);
}

static CuredSassBlock *
get_block (const Builder *self, guint i)
{
  return &g_array_index (self->flow->blocks, CuredSassBlock, i);
}

static const CuredSassInst *
get_last (const Builder *self, const CuredSassBlock *block)
{
  return get_inst (self->code, block->first + block->n_insts - 1);
}

/* Whether a branch is taken if lanes of a warp have diverged: BRA.DIV and the like read a uniform
 * register. */
static gboolean
is_for_parted_lanes (const CuredSassInst *inst)
{
  return inst->opcode == COLLECTIVE ||
         (inst->op_class == CURED_SASS_CLASS_BRANCH && (inst->words[1] >> 27 & 1) != 0);
}

/* Whether a branch is conditional: by its guard or its own predicate, or by a test for all
 * lanes. */
static gboolean
is_conditional (const CuredSassInst *inst)
{
  for (guint i = 0; i < inst->n_operands; i++)
    if (inst->operands[i].file == CURED_SASS_PREDICATE ||
        inst->operands[i].file == CURED_SASS_UNIFORM_PREDICATE)
      return TRUE;
  return is_for_parted_lanes (inst);
}

static gboolean
ends_block (const Builder *self, const CuredSassInst *inst)
{
  switch ((int) inst->op_class)
    {
    case CURED_SASS_CLASS_BRANCH:
    case CURED_SASS_CLASS_CALL:
    case CURED_SASS_CLASS_RETURN:
    case CURED_SASS_CLASS_EXIT: return TRUE;
    default:
      return (self->is_split && inst->opcode == END_REGION) ||
             (inst->opcode == COLLECTIVE && inst->target != CURED_SASS_NO_TARGET);
    }
}

static guint
find_target (const Builder *self, const CuredSassInst *inst)
{
  guint64 index = inst->target / sizeof inst->words;

  return inst->target % sizeof inst->words == 0 && index < self->code->insts->len ? (guint) index
                                                                                  : G_MAXUINT;
}

static void
find_blocks (Builder *self)
{
  guint n = self->code->insts->len;
  g_autofree gboolean *is_first = g_new0 (gboolean, n + 1);

  is_first[0] = TRUE;
  for (guint i = 0; i < n; i++)
    {
      const CuredSassInst *inst = get_inst (self->code, i);

      if (ends_block (self, inst))
        is_first[i + 1] = TRUE;
      if (find_target (self, inst) != G_MAXUINT)
        is_first[find_target (self, inst)] = TRUE;
      self->has_indirect |= inst->opcode == INDIRECT;
    }
  for (guint i = 0; i < n; i++)
    {
      CuredSassBlock block = { .first = i };

      if (is_first[i])
        g_array_append_val (self->flow->blocks, block);
      self->block_of[i] = self->flow->blocks->len - 1;
      get_block (self, self->block_of[i])->n_insts++;
    }
  for (guint i = 0; i < self->flow->blocks->len; i++)
    {
      CuredSassBlock *block = get_block (self, i);
      const CuredSassInst *last = get_last (self, block);
      guint target = find_target (self, last);
      gboolean is_stop =
          (last->op_class == CURED_SASS_CLASS_BRANCH || last->op_class == CURED_SASS_CLASS_EXIT ||
           last->op_class == CURED_SASS_CLASS_RETURN) &&
          !is_conditional (last);

      block->next = is_stop || i + 1 == self->flow->blocks->len ? CURED_SASS_NO_BLOCK : i + 1;
      block->target = target == G_MAXUINT || last->opcode == BEGIN_REGION ? CURED_SASS_NO_BLOCK
                                                                          : self->block_of[target];
    }
}

/* ---- Rule 1 ---- */

static guint64
count_copies (const Builder *self, int ptx_line, CuredSassClass op_class)
{
  const GArray *copies = g_hash_table_lookup (self->copies, GINT_TO_POINTER (ptx_line));
  guint64 n = 0;

  for (guint i = 0; copies != NULL && i < copies->len; i++)
    n += get_inst (self->code, g_array_index (copies, guint, i))->op_class == op_class;
  return n;
}

/* The number of warps that go from @block to the next one, as a sum of terms of unknowns. Returns
 * the number of terms. */
static guint
get_next_terms (const Builder *self, guint block, Term *terms, double *plus)
{
  const CuredSassInst *last = get_last (self, get_block (self, block));
  const CuredSassSite *site = g_hash_table_lookup (self->sites, GINT_TO_POINTER (last->ptx_line));

  *plus = 0;
  terms[0] = (Term){ block, 1 };
  if (self->branch_of[block] == 0)
    return 1;
  if (last->op_class == CURED_SASS_CLASS_EXIT || last->op_class == CURED_SASS_CLASS_RETURN ||
      last->opcode == END_REGION || is_for_parted_lanes (last))
    {
      /* It has a separate unknown. */
      terms[0].unknown = self->branch_of[block];
      return 1;
    }
  /* Warps that do not take the branch, plus split ones. */
  terms[1] = (Term){ self->branch_of[block], -1 };
  if (site != NULL && site->diverged > 0)
    *plus = (double) site->diverged;
  return 2;
}

/* Whether the number of warps that a conditional branch splits is known. */
static gboolean
is_split_known (const Builder *self, const CuredSassInst *inst)
{
  const CuredSassSite *site = g_hash_table_lookup (self->sites, GINT_TO_POINTER (inst->ptx_line));

  return !self->is_split || (site != NULL && site->op_class == CURED_SASS_CLASS_BRANCH &&
                             (site->diverged == 0 ||
                              count_copies (self, inst->ptx_line, CURED_SASS_CLASS_BRANCH) == 1));
}

/* Assigns an unknown to each conditional branch. */
static guint
number_branches (Builder *self)
{
  guint n = self->flow->blocks->len, next = n;

  for (guint i = 0; i < n; i++)
    {
      const CuredSassBlock *block = get_block (self, i);
      const CuredSassInst *last = get_last (self, block);

      if (block->next == CURED_SASS_NO_BLOCK)
        continue;
      if ((last->op_class == CURED_SASS_CLASS_BRANCH && block->target != CURED_SASS_NO_BLOCK) ||
          is_for_parted_lanes (last) ||
          ((last->op_class == CURED_SASS_CLASS_EXIT || last->op_class == CURED_SASS_CLASS_RETURN) &&
           is_conditional (last)) ||
          (self->is_split && last->opcode == END_REGION))
        self->branch_of[i] = next++;
    }
  return next;
}

/* The BSSY of the BSYNC at @inst, if there is no exit between them; G_MAXUINT: unknown. */
static guint
find_region (const Builder *self, guint inst)
{
  for (guint i = inst; i-- > 0;)
    {
      const CuredSassInst *other = get_inst (self->code, i);

      if (other->opcode == BEGIN_REGION && find_target (self, other) == inst)
        return i;
      if (other->op_class == CURED_SASS_CLASS_EXIT || other->op_class == CURED_SASS_CLASS_RETURN)
        return G_MAXUINT;
    }
  return G_MAXUINT;
}

static void
add_flow_out (Builder *self, guint index)
{
  const CuredSassBlock *block = get_block (self, index);
  const CuredSassInst *last = get_last (self, block);
  guint branch = self->branch_of[index];
  Term terms[2] = { { index, 1 }, { branch, -1 } };

  if (branch == 0)
    return;
  /* At most as many warps leave one way as enter, except merged ones. */
  system_relate (&self->system, terms, 2, 0, INFINITY);
  if (last->opcode != END_REGION)
    return;
  guint region = find_region (self, block->first + block->n_insts - 1);
  if (region == G_MAXUINT)
    return;
  terms[0].unknown = self->block_of[region];
  system_require (&self->system, terms, 2, 0);
}

/* Behind the last exit, there is only a branch to itself and padding. */
static gboolean *
find_reachable (const Builder *self)
{
  guint n = self->flow->blocks->len;
  gboolean *is_reached = g_new0 (gboolean, n), is_more = TRUE;

  is_reached[0] = TRUE;
  for (guint i = 0; self->has_indirect && i < n; i++)
    is_reached[i] = get_block (self, i)->target != i &&
                    get_last (self, get_block (self, i))->op_class != CURED_SASS_CLASS_OTHER;
  while (is_more)
    {
      is_more = FALSE;
      for (guint i = 0; i < n; i++)
        {
          const CuredSassBlock *block = get_block (self, i);
          const guint ways[] = { block->next, block->target };

          for (gsize j = 0; is_reached[i] && j < G_N_ELEMENTS (ways); j++)
            if (ways[j] != CURED_SASS_NO_BLOCK && !is_reached[ways[j]])
              is_reached[ways[j]] = is_more = TRUE;
        }
    }
  return is_reached;
}

/* All warps that enter a block: from the previous one, by branches and by calls. */
static void
add_flow_in (Builder *self, guint index, const gboolean *is_reached, double n_warps)
{
  g_autoptr (GArray) terms = g_array_new (FALSE, FALSE, sizeof (Term));
  Term own = { index, -1 };
  double sum = index == 0 ? -n_warps : 0;
  gboolean is_known = !self->has_indirect || index == 0 || !is_reached[index];

  g_array_append_val (terms, own);
  for (guint i = 0; i < self->flow->blocks->len && is_reached[index]; i++)
    {
      const CuredSassBlock *block = get_block (self, i);
      const CuredSassInst *last = get_last (self, block);
      Term next[2];
      double plus = 0;

      if (block->next == index)
        {
          guint n = get_next_terms (self, i, next, &plus);

          g_array_append_vals (terms, next, n);
          if (n == 2 && !is_split_known (self, last))
            is_known = FALSE;
          else
            sum -= plus;
        }
      if (block->target == index)
        {
          Term taken = { self->branch_of[i] != 0 ? self->branch_of[i] : i, 1 };

          if (is_for_parted_lanes (last))
            is_known = FALSE;
          else
            g_array_append_val (terms, taken);
        }
    }
  if (terms->len == 1 && index != 0 && is_reached[index])
    return; /* in an unknown way */
  if (is_known)
    system_require (&self->system, (const Term *) (gpointer) terms->data, terms->len, sum);
}

/* ---- Rules 2 to 5 ---- */

static gboolean
is_same_class (CuredSassClass machine, CuredSassClass ptx)
{
  return machine == ptx ||
         (machine == CURED_SASS_CLASS_REDUCTION_GLOBAL && ptx == CURED_SASS_CLASS_ATOMIC_GLOBAL);
}

/* Priority of a class; 0: ignored. */
static guint
get_rule (CuredSassClass op_class)
{
  switch ((int) op_class)
    {
    case CURED_SASS_CLASS_BARRIER:
    case CURED_SASS_CLASS_STORE_GLOBAL:
    case CURED_SASS_CLASS_STORE_SHARED:
    case CURED_SASS_CLASS_STORE_GENERIC:
    case CURED_SASS_CLASS_STORE_MATRICES:
    case CURED_SASS_CLASS_ATOMIC_GLOBAL:
    case CURED_SASS_CLASS_ATOMIC_SHARED:
    case CURED_SASS_CLASS_COPY: return 2;
    case CURED_SASS_CLASS_LOAD_GLOBAL:
    case CURED_SASS_CLASS_LOAD_SHARED:
    case CURED_SASS_CLASS_LOAD_GENERIC:
    case CURED_SASS_CLASS_LOAD_MATRICES:
    case CURED_SASS_CLASS_SHUFFLE: return 3;
    case CURED_SASS_CLASS_ADD:
    case CURED_SASS_CLASS_MULTIPLY:
    case CURED_SASS_CLASS_MULTIPLY_ADD:
    case CURED_SASS_CLASS_DOUBLE:
    case CURED_SASS_CLASS_HALF:
    case CURED_SASS_CLASS_MATRIX: return 4;
    default: return 0;
    }
}

/* Number of PTX accesses that were joined with others. */
static guint
count_joined (const Builder *self, const CuredSassSite *like)
{
  GHashTableIter iter;
  gpointer value = NULL;
  guint n = 0;

  g_hash_table_iter_init (&iter, self->sites);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const CuredSassSite *site = value;

      n += site->op_class == like->op_class && site->issued == like->issued &&
           site->width == like->width && count_copies (self, site->ptx_line, site->op_class) == 0;
    }
  return n;
}

/* Adds equations for one PTX instruction and its machine instructions. */
static void
add_site (Builder *self, const CuredSassSite *site, guint rule)
{
  const GArray *copies = g_hash_table_lookup (self->copies, GINT_TO_POINTER (site->ptx_line));
  g_autoptr (GArray) terms = g_array_new (FALSE, FALSE, sizeof (Term));
  gboolean is_less = FALSE;

  for (guint i = 0; copies != NULL && i < copies->len; i++)
    {
      guint index = g_array_index (copies, guint, i);
      const CuredSassInst *inst = get_inst (self->code, index);
      Term term = { self->block_of[index], 1 };

      if (!is_same_class (inst->op_class, site->op_class) || inst->never)
        continue;
      if (inst->opcode == SHARED_SWAP || inst->opcode == GLOBAL_SWAP)
        return;
      /* If code was predicated, its block runs more often. */
      is_less |= (inst->guard != CURED_SASS_NO_PREDICATE) && !site->is_guarded;
      if (site->width > 0 && inst->width > 0 && inst->width < site->width)
        term.factor = (double) inst->width / site->width;
      else if (site->width > 0 && inst->width > site->width && count_joined (self, site) == 0)
        term.factor = (double) inst->width / site->width;
      g_array_append_val (terms, term);
    }
  if (terms->len == 0)
    return;
  if (is_less)
    {
      if (rule < 4)
        system_relate (&self->system, (const Term *) (gpointer) terms->data, terms->len,
                       (double) site->issued, INFINITY);
      return;
    }
  if (rule < 4)
    system_require (&self->system, (const Term *) (gpointer) terms->data, terms->len,
                    (double) site->issued);
  else
    system_add (&self->system, (const Term *) (gpointer) terms->data, terms->len,
                (double) site->issued);
}

static void
add_sites (Builder *self, const CuredSassSite *sites, gsize n_sites, guint rule)
{
  for (gsize i = 0; i < n_sites; i++)
    if (get_rule (sites[i].op_class) == rule)
      add_site (self, &sites[i], rule);
}

static gboolean
has_lines (const Builder *self, guint index, int first, int last)
{
  if (index == CURED_SASS_NO_BLOCK)
    return FALSE;
  const CuredSassBlock *block = get_block (self, index);
  for (guint i = block->first; i < block->first + block->n_insts; i++)
    {
      int line = get_inst (self->code, i)->ptx_line;

      if (line >= first && line <= last)
        return TRUE;
    }
  return FALSE;
}

/* Adds equations for a branch that runs as often as the PTX's, if lines show which way is which.
 * Returns whether something was added. */
static gboolean
add_branch (Builder *self, guint index)
{
  const CuredSassBlock *block = get_block (self, index);
  const CuredSassInst *last = get_last (self, block);
  const CuredSassSite *site = g_hash_table_lookup (self->sites, GINT_TO_POINTER (last->ptx_line));
  Term term = { self->branch_of[index], 1 };
  double executed = 0, known = 0;

  if (term.unknown == 0 || site == NULL || self->is_split ||
      site->op_class != CURED_SASS_CLASS_BRANCH || !site->is_guarded || site->taken < 0 ||
      is_for_parted_lanes (last) || count_copies (self, last->ptx_line, last->op_class) != 1 ||
      (last->op_class != CURED_SASS_CLASS_BRANCH && last->op_class != CURED_SASS_CLASS_EXIT) ||
      !system_solve (&self->system, index, &executed) ||
      fabs (executed - (double) site->issued) > 0.5 ||
      system_solve (&self->system, term.unknown, &known))
    return FALSE;
  int direct = has_lines (self, block->target, site->target_line, site->target_end) +
               has_lines (self, block->next, site->next_line, site->next_end);
  int inverse = has_lines (self, block->target, site->next_line, site->next_end) +
                has_lines (self, block->next, site->target_line, site->target_end);
  if (direct == inverse)
    return FALSE;
  known = direct > inverse ? (double) site->taken : (double) site->issued - (double) site->taken;
  /* For an exit, the unknown is the number of warps that continue. */
  if (last->op_class == CURED_SASS_CLASS_EXIT)
    known = (double) site->issued - known;
  system_require (&self->system, &term, 1, known);
  return TRUE;
}

static void
add_branches (Builder *self)
{
  gboolean is_more = TRUE;

  while (is_more)
    {
      is_more = FALSE;
      for (guint i = 0; i < self->flow->blocks->len; i++)
        is_more |= add_branch (self, i);
    }
}

/* Number of instructions with @opcode from this PTX line in block @index. */
static guint
count_in_block (const Builder *self, int ptx_line, guint opcode, guint index)
{
  const GArray *copies = g_hash_table_lookup (self->copies, GINT_TO_POINTER (ptx_line));
  guint n = 0;

  for (guint i = 0; copies != NULL && i < copies->len; i++)
    {
      guint copy = g_array_index (copies, guint, i);

      n += self->block_of[copy] == index && get_inst (self->code, copy)->opcode == opcode;
    }
  return n;
}

/* Number of blocks with instructions from this PTX line. */
static guint
count_blocks (const Builder *self, int ptx_line)
{
  const GArray *copies = g_hash_table_lookup (self->copies, GINT_TO_POINTER (ptx_line));
  guint n = 0;

  for (guint i = 0; copies != NULL && i < copies->len; i++)
    n += i == 0 || self->block_of[g_array_index (copies, guint, i)] !=
                       self->block_of[g_array_index (copies, guint, i - 1)];
  return n;
}

/* An unrolled loop has one part with several iterations, and others with fewer for the rest:
 * assumes equally many iterations for each warp, of which the larger parts take as many as
 * possible. @n_entries: warps that began the loop. */
static void
add_unrolled (Builder *self, const CuredSassSite *site, double n_entries)
{
  const GArray *copies = g_hash_table_lookup (self->copies, GINT_TO_POINTER (site->ptx_line));
  guint n_blocks = self->flow->blocks->len;
  guint opcode = get_inst (self->code, g_array_index (copies, guint, 0))->opcode;
  g_autofree guint *ns = g_new0 (guint, n_blocks);
  guint most = 0, least = G_MAXUINT;
  double left = (double) site->issued;

  for (guint i = 0; i < copies->len; i++)
    {
      guint block = self->block_of[g_array_index (copies, guint, i)];

      if (ns[block] == 0)
        ns[block] = count_in_block (self, site->ptx_line, opcode, block);
      most = MAX (most, ns[block]);
      least = ns[block] > 0 ? MIN (least, ns[block]) : least;
    }
  if (most <= least || most % least != 0)
    return;
  for (guint n = most; n > least; n--)
    for (guint i = 0; i < n_blocks; i++)
      {
        guint n_trips = n / least;
        double executed = n_entries * floor (left / n_entries / n_trips);
        Term term = { i, 1 };
        Term again = { self->branch_of[i], 1 };

        if (ns[i] != n)
          continue;
        system_add (&self->system, &term, 1, executed);
        if (get_block (self, i)->target == i && again.unknown != 0)
          system_add (&self->system, &again, 1, MAX (executed - n_entries, 0));
        left = MAX (left - executed * n_trips, 0);
        break;
      }
}

static void
add_all_unrolled (Builder *self, const CuredSassSite *sites, gsize n_sites)
{
  for (gsize i = 0; i < n_sites; i++)
    {
      double n_entries = 0;

      if (sites[i].issued == 0 || count_blocks (self, sites[i].ptx_line) < 2)
        continue;
      /* Code before the loop's body in the text ran before it. */
      for (gsize j = i; j-- > 0 && n_entries == 0;)
        if (sites[j].issued != sites[i].issued)
          n_entries = (double) sites[j].issued;
      if (n_entries > 0 && n_entries <= (double) sites[i].issued)
        add_unrolled (self, &sites[i], n_entries);
    }
}

/* The count by the majority of @block's instructions whose PTX lines no other block has; FALSE if
 * there are none. */
static gboolean
get_vote (const Builder *self, const CuredSassBlock *block, double *vote)
{
  g_autoptr (GHashTable) votes = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  guint n_best = 0, n_all = 0;

  for (guint i = block->first; i < block->first + block->n_insts; i++)
    {
      int line = get_inst (self->code, i)->ptx_line;
      const CuredSassSite *site = g_hash_table_lookup (self->sites, GINT_TO_POINTER (line));

      /* Code that never ran may have been moved here. */
      if (site == NULL || site->issued == 0 || count_blocks (self, line) > 1)
        continue;
      guint *n = g_hash_table_lookup (votes, &site->issued);
      if (n == NULL)
        {
          n = g_new0 (guint, 1);
          g_hash_table_insert (votes, (gpointer) &site->issued, n);
        }
      n_all++;
      if (++*n > n_best)
        {
          n_best = *n;
          *vote = (double) site->issued;
        }
    }
  return n_all > 0 && n_best > n_all * MAJORITY;
}

/* If nothing else is known: the counts of its lines, divided among the blocks that have them. */
static double
get_share (const Builder *self, const CuredSassBlock *block)
{
  double share = 0;
  guint n = 0;

  for (guint i = block->first; i < block->first + block->n_insts; i++)
    {
      int line = get_inst (self->code, i)->ptx_line;
      const CuredSassSite *site = g_hash_table_lookup (self->sites, GINT_TO_POINTER (line));

      if (site == NULL)
        continue;
      share += (double) site->issued / MAX (count_blocks (self, line), 1);
      n++;
    }
  return n > 0 ? share / n : 0;
}

/* ---- Solution ---- */

static void
set_counts (Builder *self)
{
  guint n_blocks = self->flow->blocks->len, n = self->system.n_unknowns;
  g_autofree double *low = g_new0 (double, n), *high = g_new0 (double, n);

  system_bound (&self->system, low, high);
  for (guint i = 0; i < n_blocks; i++)
    {
      CuredSassBlock *block = get_block (self, i);
      double value = 0;

      block->low = low[i];
      block->high = high[i];
      block->certainty =
          isinf (high[i]) || high[i] < low[i] - 0.5 ? CURED_SASS_UNKNOWN : CURED_SASS_BOUNDED;
      if (system_solve (&self->system, i, &value) && value > -0.5 && !self->system.is_doubtful[i] &&
          block->certainty != CURED_SASS_UNKNOWN)
        {
          block->certainty = CURED_SASS_EXACT;
          block->low = block->high = MAX (round (value), 0);
        }
    }
}

static void
settle (Builder *self, const CuredSassSite *sites, gsize n_sites)
{
  guint n_blocks = self->flow->blocks->len, n = self->system.n_unknowns;
  g_autofree double *values = g_new0 (double, n);

  add_all_unrolled (self, sites, n_sites);
  add_sites (self, sites, n_sites, 4);
  for (guint i = 0; i < n_blocks; i++)
    {
      double vote = 0;
      Term term = { i, 1 };

      if (get_vote (self, get_block (self, i), &vote))
        system_add (&self->system, &term, 1, vote);
    }
  for (guint i = 0; i < n_blocks; i++)
    {
      Term term = { i, 1 };

      /* Prefer the previous block's count to a share. */
      if (i == 0 || get_block (self, i - 1)->next != i ||
          !system_solve (&self->system, i - 1, &values[i]))
        values[i] = get_share (self, get_block (self, i));
      system_add (&self->system, &term, 1, values[i]);
    }
  system_complete (&self->system, values);
  for (guint i = 0; i < n_blocks; i++)
    {
      CuredSassBlock *block = get_block (self, i);

      if (block->certainty == CURED_SASS_EXACT)
        block->executed = block->low;
      else if (block->low <= block->high)
        block->executed = CLAMP (round (values[i]), block->low, block->high);
      else
        block->executed = MAX (round (values[i]), 0);
    }
}

static void
add_up (CuredSassFlow *flow, const CuredSassCode *code)
{
  CURED_EACH (const CuredSassBlock, block, flow->blocks)
    {
      for (guint j = block->first; j < block->first + block->n_insts; j++)
        {
          const CuredSassInst *inst = get_inst (code, j);

          flow->by_pipe[inst->pipe] += block->executed;
          flow->by_class[inst->op_class] += block->executed;
          if (inst->width >= 8 && inst->width <= 128)
            flow->requests[inst->op_class][g_bit_nth_msf (inst->width, -1) - 3] += block->executed;
        }
      flow->total += block->executed * block->n_insts;
      flow->low += block->low * block->n_insts;
      flow->high += block->high * block->n_insts;
      if (block->certainty != CURED_SASS_EXACT)
        flow->uncertain += block->executed * block->n_insts;
    }
}

static void
array_unref (gpointer data)
{
  g_array_unref (data);
}

static void
index_lines (Builder *self, const CuredSassSite *sites, gsize n_sites)
{
  self->sites = g_hash_table_new (g_direct_hash, g_direct_equal);
  self->copies = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, array_unref);
  for (gsize i = 0; i < n_sites; i++)
    {
      g_hash_table_insert (self->sites, GINT_TO_POINTER (sites[i].ptx_line), (gpointer) &sites[i]);
      self->is_split |= sites[i].diverged > 0;
    }
  for (guint i = 0; i < self->code->insts->len; i++)
    {
      gpointer line = GINT_TO_POINTER (get_inst (self->code, i)->ptx_line);
      GArray *copies = g_hash_table_lookup (self->copies, line);

      if (copies == NULL)
        {
          copies = g_array_new (FALSE, FALSE, sizeof (guint));
          g_hash_table_insert (self->copies, line, copies);
        }
      g_array_append_val (copies, i);
    }
}

/* @code: a kernel's machine code, compiled with `-lineinfo`
 * @sites: (array length=n_sites): counts of the PTX from which it was assembled, in a launch; only
 *   of the launch's own kernel
 * @n_warps: number of warps of the launch
 *
 * Derives how often each block of the machine code ran.
 * Returns: (transfer full): the counts */
CuredSassFlow *
cured_sass_flow_new (const CuredSassCode *code, const CuredSassSite *sites, gsize n_sites,
                     guint64 n_warps)
{
  CuredSassFlow *flow = g_new0 (CuredSassFlow, 1);
  g_autofree guint *block_of = g_new0 (guint, code->insts->len + 1), *branch_of = NULL;
  Builder self = { .code = code, .flow = flow, .block_of = block_of };

  flow->blocks = g_array_new (FALSE, TRUE, sizeof (CuredSassBlock));
  if (code->insts->len == 0)
    return flow;
  index_lines (&self, sites, n_sites);
  find_blocks (&self);
  self.branch_of = branch_of = g_new0 (guint, flow->blocks->len);
  guint n_unknowns = number_branches (&self);
  system_init (&self.system, n_unknowns);
  if (n_unknowns <= MAX_UNKNOWNS)
    {
      g_autofree gboolean *is_reached = find_reachable (&self);

      for (guint i = 0; i < flow->blocks->len; i++)
        add_flow_in (&self, i, is_reached, (double) n_warps);
      for (guint i = 0; i < flow->blocks->len; i++)
        add_flow_out (&self, i);
      add_sites (&self, sites, n_sites, 2);
      add_sites (&self, sites, n_sites, 3);
      add_branches (&self);
    }
  set_counts (&self);
  if (n_unknowns <= MAX_UNKNOWNS)
    settle (&self, sites, n_sites);
  else
    for (guint i = 0; i < flow->blocks->len; i++)
      {
        CuredSassBlock *block = get_block (&self, i);

        if (!get_vote (&self, block, &block->executed))
          block->executed = get_share (&self, block);
      }
  add_up (flow, code);
  flow->n_contradictions = self.system.n_contradictions;
  system_clear (&self.system);
  g_hash_table_unref (self.sites);
  g_hash_table_unref (self.copies);
  return flow;
}

/* @self: (nullable) (transfer full): counts
 *
 * Frees them. */
CURED_DEFINE_FREE (CuredSassFlow, cured_sass_flow_free, blocks, g_array_unref)
