/* SPDX-License-Identifier: MIT
 * The pipes' work in a launch, from its machine code. */
#include "inspect/cured-machine-work-private.h"

#include "base/cured-base-internal.h"
#include "ptx/cured-ptx-internal.h"
#include "ptx/cured-work-internal.h"

#define WARP 32

typedef struct _CuredMachineAccess Access;

/* Requests of machine code for one PTX instruction: all, and wider ones of 64 and of 128
 * bits. */
struct _CuredMachineAccess
{
  double all, wide, widest;
};

/* Starts without counts. If the machine code can't be read, nothing will be counted.
 *
 * @self: (out caller-allocates): clear it with _cured_machine_work_clear()
 * @module: the PTX; outlives @self
 * @cubin: (nullable): its machine code, for the PTX's architecture */
void
_cured_machine_work_init (CuredMachineWork *self, const CuredPtxModule *module, GBytes *cubin,
                          const char *entry)
{
  *self = (CuredMachineWork){ .module = module };
  if (cubin != NULL)
    self->code = cured_sass_code_new (cubin, entry, NULL);
  self->sites = g_new0 (CuredWork, module->n_code + 1);
  self->accesses = g_new0 (Access, module->n_code + 1);
  if (self->code != NULL)
    self->executed = g_new0 (double, self->code->insts->len + 1);
  self->is_usable = self->code != NULL;
}

CURED_DEFINE_CLEAR (CuredMachineWork, _cured_machine_work_clear, code, cured_sass_code_free, sites,
                    g_free, accesses, g_free, executed, g_free)

static CuredPipe
get_pipe (CuredSassPipe pipe)
{
  switch ((int) pipe)
    {
    case CURED_SASS_PIPE_FMA: return CURED_PIPE_FP32;
    case CURED_SASS_PIPE_FMA_HEAVY: return CURED_PIPE_IMAD;
    case CURED_SASS_PIPE_ALU: return CURED_PIPE_ALU;
    case CURED_SASS_PIPE_FP16: return CURED_PIPE_HALF;
    case CURED_SASS_PIPE_FP64: return CURED_PIPE_FP64;
    case CURED_SASS_PIPE_XU: return CURED_PIPE_MUFU;
    case CURED_SASS_PIPE_LSU: return CURED_PIPE_LSU;
    /* Includes an instruction for products. */
    default: return CURED_PIPE_CONTROL;
    }
}

/* Instructions without a PTX line count for the first one. */
static guint *
map_lines (const CuredPtxModule *module, const CuredReport *report, guint n)
{
  guint *sites = g_new (guint, (gsize) n + 1);
  guint first = G_MAXUINT;

  for (guint i = 0; i < module->n_code && first == G_MAXUINT; i++)
    if (i < report->n_counts && report->counts[i].issued > 0)
      first = i;
  for (guint line = 0; line <= n; line++)
    sites[line] = first;
  for (guint i = 0; i < module->n_code && i < report->n_counts; i++)
    {
      int line = module->code[i].ptx_line;

      if (line > 0 && (guint) line <= n && report->counts[i].issued > 0)
        sites[line] = i;
    }
  return sites;
}

static guint
find_last_line (const CuredPtxModule *module)
{
  int last = 0;

  for (guint i = 0; i < module->n_code; i++)
    last = MAX (last, module->code[i].ptx_line);
  return (guint) last;
}

static gboolean
is_access (CuredSassClass op_class)
{
  return op_class >= CURED_SASS_CLASS_LOAD_GENERIC && op_class <= CURED_SASS_CLASS_COPY;
}

/* Finds blocks of slow paths for rare operands of a single PTX instruction (a division, a root):
 * blocks that call a function although the PTX does not, and that function. */
static gboolean *
find_slow_paths (const CuredMachineWork *self, const CuredSassFlow *flow, const guint *by_line,
                 guint n_lines)
{
  gboolean *is_slow = g_new0 (gboolean, flow->blocks->len + 1);

  for (guint b = 0; b < flow->blocks->len; b++)
    {
      const CuredSassBlock *block = &g_array_index (flow->blocks, CuredSassBlock, b);
      const CuredSassInst *last =
          &g_array_index (self->code->insts, CuredSassInst, block->first + block->n_insts - 1);
      guint line = (guint) MAX (last->ptx_line, 0);

      if (last->op_class != CURED_SASS_CLASS_CALL || line > n_lines ||
          self->module->code[by_line[line]].op == CURED_PTX_OP_call)
        continue;
      is_slow[b] = TRUE;
      for (guint callee = block->target; callee < flow->blocks->len; callee++)
        is_slow[callee] = TRUE;
    }
  return is_slow;
}

static void
add_access (Access *access, const CuredSassInst *inst, const GArray *sites, guint site,
            double executed)
{
  access->all += executed;
  if (inst->width <= g_array_index (sites, CuredSassSite, site).width)
    return;
  if (inst->width == 64)
    access->wide += executed;
  else if (inst->width == 128)
    access->widest += executed;
}

/* Adds the counts of each machine instruction. */
void
_cured_machine_work_add (CuredMachineWork *self, const CuredReport *report, guint64 threads,
                         double scale)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);

  if (!self->is_usable)
    return;
  self->is_usable = report->counts != NULL && report->end == CURED_END_DONE;
  if (!self->is_usable)
    return;
  g_autoptr (GArray) sites = cured_sass_list_sites (self->module, report->counts, report->n_counts);
  g_autoptr (CuredSassFlow) flow =
      cured_sass_flow_new (self->code, (const CuredSassSite *) (gpointer) sites->data, sites->len,
                           report->n_blocks_run * ((threads + WARP - 1) / WARP));
  guint n_lines = find_last_line (self->module);
  g_autofree guint *by_line = map_lines (self->module, report, n_lines);
  if (by_line[0] == G_MAXUINT)
    return;
  g_autofree gboolean *is_slow = find_slow_paths (self, flow, by_line, n_lines);
  for (guint b = 0; b < flow->blocks->len; b++)
    {
      const CuredSassBlock *block = &g_array_index (flow->blocks, CuredSassBlock, b);
      double executed = (is_slow[b] ? block->low : block->executed) * scale;

      if (block->certainty != CURED_SASS_EXACT && !is_slow[b])
        self->uncertain += executed * block->n_insts;
      for (guint i = 0; i < block->n_insts; i++)
        {
          const CuredSassInst *inst =
              &g_array_index (self->code->insts, CuredSassInst, block->first + i);
          gboolean is_known = inst->ptx_line > 0 && (guint) inst->ptx_line <= n_lines;
          guint site = by_line[is_known ? inst->ptx_line : 0];
          CuredWork *work = &self->sites[site];

          *_cured_work_at (work, &fields[get_pipe (inst->pipe)]) += executed;
          /* Count accesses. */
          if (is_known && is_access (inst->op_class))
            add_access (&self->accesses[site], inst, sites, site, executed);
          self->executed[block->first + i] += executed;
          self->total += executed;
        }
    }
}

/* Wavefronts of an access of @bits per lane that joins several of 32 bits, each with @single
 * wavefronts. The distance of the lanes' first bytes is unchanged. Groups are those of the bank
 * model, docs/banks.md; if a load of 32 bits has no conflict, neighbouring lanes mostly read the
 * same word. */
static double
get_joined_wavefronts (double single, guint bits, gboolean is_load)
{
  return is_load && single <= 1 ? bits / 64 : MAX (single, bits / 32);
}

/* A joined access needs as many lines and sectors as each of the original ones, since a lane's
 * words are adjacent. */
static void
join_accesses (CuredWork *work, const Access *access, gboolean is_load)
{
  double requests = work->requests + work->shared_requests + work->local_requests;
  double share = requests > 0 ? MIN (access->all / requests, 1) : 1;
  double joined = access->all > 0 ? (access->wide + access->widest) / access->all : 0;
  double single = work->shared_requests > 0 ? work->wavefronts / work->shared_requests : 0;

  if (!(share < 1) && !(joined > 0))
    return;
  work->requests *= share;
  work->lines *= share;
  work->load_ca *= share;
  work->load_cg *= share;
  work->load_nc *= share;
  work->stored *= share;
  work->partial *= share;
  work->shared_requests *= share;
  work->wavefronts *= share * (1 - joined);
  if (single > 0)
    work->wavefronts += share * requests / MAX (access->all, 1) *
                        (access->wide * get_joined_wavefronts (single, 64, is_load) +
                         access->widest * get_joined_wavefronts (single, 128, is_load));
}

/* ---- A warp's waits ---- */

static CuredWaitKind
get_wait (const CuredSassInst *inst, const CuredPtxInst *ptx)
{
  static const guint8 waits[] = {
    [CURED_SASS_CLASS_SPECIAL] = CURED_WAIT_MUFU,
    [CURED_SASS_CLASS_CONVERSION] = CURED_WAIT_MUFU,
    [CURED_SASS_CLASS_DOUBLE] = CURED_WAIT_FP64,
    [CURED_SASS_CLASS_MATRIX] = CURED_WAIT_TENSOR,
    [CURED_SASS_CLASS_SHUFFLE] = CURED_WAIT_SHUFFLE,
    [CURED_SASS_CLASS_VOTE] = CURED_WAIT_SHUFFLE,
    [CURED_SASS_CLASS_LOAD_GENERIC] = CURED_WAIT_GLOBAL,
    [CURED_SASS_CLASS_LOAD_GLOBAL] = CURED_WAIT_GLOBAL,
    [CURED_SASS_CLASS_LOAD_SHARED] = CURED_WAIT_SHARED,
    [CURED_SASS_CLASS_LOAD_MATRICES] = CURED_WAIT_SHARED,
    [CURED_SASS_CLASS_ATOMIC_SHARED] = CURED_WAIT_SHARED,
    [CURED_SASS_CLASS_LOAD_LOCAL] = CURED_WAIT_LOCAL,
    [CURED_SASS_CLASS_LOAD_CONSTANT] = CURED_WAIT_CONSTANT,
    [CURED_SASS_CLASS_ATOMIC_GENERIC] = CURED_WAIT_ATOMIC,
    [CURED_SASS_CLASS_ATOMIC_GLOBAL] = CURED_WAIT_ATOMIC,
    [CURED_SASS_CLASS_COPY] = CURED_WAIT_COPY,
    [CURED_SASS_CLASS_BARRIER] = CURED_WAIT_BARRIER,
  };
  guint klass = (guint) inst->op_class;

  if (klass < G_N_ELEMENTS (waits) && waits[klass] != CURED_WAIT_NONE)
    return (CuredWaitKind) waits[klass];
  return ptx != NULL && (ptx->op == CURED_PTX_OP_cp_async_wait ||
                         ptx->op == CURED_PTX_OP_cp_async_wait_all)
             ? CURED_WAIT_COPIES
             : CURED_WAIT_ALU;
}

static guint
find_offset (const CuredSassCode *code, guint64 offset)
{
  guint low = 0, high = code->insts->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (code->insts, CuredSassInst, middle).offset < offset)
        low = middle + 1;
      else
        high = middle;
    }
  return low < code->insts->len ? low : G_MAXUINT;
}

static GArray *
make_steps (const CuredMachineWork *self, const CuredWorkLaunch *launch)
{
  GArray *steps = g_array_new (FALSE, TRUE, sizeof (CuredMachineStep));
  g_autoptr (GHashTable) by_line = g_hash_table_new (NULL, NULL);

  CURED_EACH_POINTER (const CuredWorkSite, site, launch->sites)
    {
      g_hash_table_insert (by_line, GINT_TO_POINTER (site->ptx_line),
                           GUINT_TO_POINTER (site->site + 1));
    }
  for (guint i = 0; i < self->code->insts->len; i++)
    {
      const CuredSassInst *inst = &g_array_index (self->code->insts, CuredSassInst, i);
      guint site =
          GPOINTER_TO_UINT (g_hash_table_lookup (by_line, GINT_TO_POINTER (inst->ptx_line)));
      CuredMachineStep step = {
        .wait = get_wait (inst, site > 0 ? &self->module->code[site - 1] : NULL),
        .site = site > 0 ? site - 1 : G_MAXUINT,
        .target = G_MAXUINT,
        .stall = inst->stall,
        .sets = inst->write_barrier,
        .reads = inst->read_barrier,
        .mask = inst->wait_mask,
        .executed = self->executed[i],
      };

      if (inst->target != CURED_SASS_NO_TARGET && inst->op_class == CURED_SASS_CLASS_BRANCH)
        step.target = find_offset (self->code, inst->target);
      g_array_append_val (steps, step);
    }
  return steps;
}

/* ---- A thread's loads in flight ---- */

#define N_BARRIERS 6

/* Loads that are in flight together, each until the warp waits for its barrier. */
typedef struct
{
  double pending[N_BARRIERS]; /* bytes of a thread */
  double most, loaded;        /* in flight at once; loaded by all warps */
  double sum, weight;
} InFlight;

static double
get_pending (const InFlight *self)
{
  double sum = 0;

  for (guint i = 0; i < N_BARRIERS; i++)
    sum += self->pending[i];
  return sum;
}

static void
end_batch (InFlight *self)
{
  self->sum += self->most * self->loaded;
  self->weight += self->loaded;
  self->most = self->loaded = 0;
}

static gboolean
is_load (const CuredSassInst *inst)
{
  return inst->op_class == CURED_SASS_CLASS_LOAD_GLOBAL ||
         inst->op_class == CURED_SASS_CLASS_LOAD_GENERIC;
}

/* Whether loads in flight are waited for by other means than the code's barriers. */
static gboolean
has_copies (const CuredWorkLaunch *launch)
{
  CURED_EACH_POINTER (const CuredWorkSite, site, launch->sites)
    if (site->flow != NULL &&
        (site->flow->wait == CURED_WAIT_COPY || site->flow->wait == CURED_WAIT_BULK))
      return TRUE;
  return FALSE;
}

/* A batch ends when nothing is in flight, and at a branch: loads in flight across a branch are
 * counted separately on each side. */
static double
get_in_flight (const CuredMachineWork *self, const CuredWorkLaunch *launch)
{
  InFlight state = { 0 };

  if (has_copies (launch))
    return NAN;
  for (guint i = 0; i < self->code->insts->len; i++)
    {
      const CuredSassInst *inst = &g_array_index (self->code->insts, CuredSassInst, i);

      for (guint b = 0; b < N_BARRIERS; b++)
        if (inst->wait_mask & 1 << b)
          state.pending[b] = 0;
      if (get_pending (&state) <= 0)
        end_batch (&state);
      if (is_load (inst) && inst->write_barrier < N_BARRIERS && self->executed[i] > 0)
        {
          state.pending[inst->write_barrier] += inst->width / 8.0;
          state.most = MAX (state.most, get_pending (&state));
          state.loaded += inst->width / 8.0 * self->executed[i];
        }
      if (inst->target != CURED_SASS_NO_TARGET || inst->op_class == CURED_SASS_CLASS_EXIT)
        {
          memset (state.pending, 0, sizeof state.pending);
          end_batch (&state);
        }
    }
  end_batch (&state);
  return state.weight > 0 ? state.sum / state.weight : 0;
}

/* Replaces the slots of pipes by those of the machine code, and joins accesses that it joins. If a
 * run was cut short, keeps those of the PTX.
 *
 * @launch: of the same runs, whose pipes' slots are estimated from PTX */
void
_cured_machine_work_apply (const CuredMachineWork *self, CuredWorkLaunch *launch)
{
  gsize n_fields;
  const CuredWorkField *fields = cured_work_fields (&n_fields);
  double barriers = launch->total.barriers;

  if (!self->is_usable || self->total <= 0)
    return;
  launch->total = (CuredWork){ 0 };
  launch->uncertain = self->uncertain / self->total;
  launch->in_flight = get_in_flight (self, launch);
  CURED_EACH_POINTER (CuredWorkSite, site, launch->sites)
    {
      const CuredWork *machine = &self->sites[site->site];
      int op = self->module->code[site->site].op;

      /* The amount of multiplication is taken from the PTX. */
      for (int pipe = 0; pipe < CURED_N_PIPES; pipe++)
        if (pipe != CURED_PIPE_TENSOR)
          *_cured_work_at (&site->work, &fields[pipe]) = cured_work_get (machine, &fields[pipe]);
      if (op == CURED_PTX_OP_ld || op == CURED_PTX_OP_st)
        join_accesses (&site->work, &self->accesses[site->site], op == CURED_PTX_OP_ld);
      cured_work_add (&launch->total, &site->work, 1);
    }
  launch->total.least = MIN (launch->total.least, launch->total.wavefronts);
  launch->total.barriers = barriers;
  g_clear_pointer (&launch->steps, g_array_unref);
  launch->steps = make_steps (self, launch);
}
