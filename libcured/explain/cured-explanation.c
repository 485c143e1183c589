/* SPDX-License-Identifier: MIT
 * What limits a cell: counted work, measured time and the machine's rates. */
#include "explain/cured-explanation-private.h"

#include "base/cured-base-internal.h"
#include "explain/cured-resource-internal.h"

#define IN_PASSING_RANK 0.95
#define SHARED_PART     0.75

/* ---- Names ---- */

/* @bottleneck: a verdict
 * Returns: (transfer none): as in JSON */
const char *
cured_bottleneck_to_string (CuredBottleneck bottleneck)
{
  static const char *const words[] = {
    [CURED_BOTTLENECK_RESOURCE] = "bound",
    [CURED_BOTTLENECK_LATENCY] = "latency",
    [CURED_BOTTLENECK_UNEXPLAINED] = "unexplained",
    [CURED_BOTTLENECK_CONTRADICTED] = "contradicted",
  };

  g_return_val_if_fail ((guint) bottleneck < G_N_ELEMENTS (words), NULL);
  return words[bottleneck];
}

/* Returns: the value of the metric `limiter`: a #CuredResource, or %CURED_FACTOR_LATENCY and its
 *   like */
int
cured_explanation_get_limiter (const CuredExplanation *self)
{
  switch (self->bottleneck)
    {
    case CURED_BOTTLENECK_RESOURCE: return (int) self->limit;
    case CURED_BOTTLENECK_LATENCY: return CURED_FACTOR_LATENCY;
    case CURED_BOTTLENECK_CONTRADICTED: return CURED_FACTOR_CONTRADICTED;
    case CURED_BOTTLENECK_UNEXPLAINED:
    default: return CURED_FACTOR_UNEXPLAINED;
    }
}

/* ---- Waiting ---- */

/* Mean latency of a load, by the share of L1 hits, if known, and the share from
 * memory. */
static double
get_load_latency (const CuredWork *total, const CuredMachine *machine, const CuredMemoryUse *memory)
{
  double loaded = total->load_ca + total->load_cg + total->load_nc, near = 0, far = 0;

  if (loaded > 0)
    {
      far = MIN (memory->read / (loaded * 32), 1);
      near = CLAMP (memory->l1_hits / loaded, 0, 1 - far);
    }
  return near * machine->l1_latency + far * machine->memory_latency +
         (1 - near - far) * machine->l2_latency;
}

/* A warp's accesses are sequential; the warps of a round run in parallel. */
static double
get_wait_ns (const CuredWorkLaunch *launch, const CuredMachine *machine, double load_latency,
             double clock_hz)
{
  const CuredWork *work = &launch->total;
  double sectors = work->load_ca + work->load_cg + work->load_nc;
  double all = sectors + work->stored + work->atomic;
  double warps = ceil ((double) cured_work_launch_count_threads (launch) / 32) *
                 (double) launch->n_blocks * (double) launch->repeats;
  double places = MAX (launch->blocks_per_sm, 1) * machine->sms;
  double rounds = MAX ((double) launch->n_blocks / places, 1);
  double loads = all > 0 ? work->requests * sectors / all : 0;
  double cycles = loads * load_latency + work->shared_requests * machine->shared_latency +
                  (work->issued - work->requests - work->shared_requests) * machine->alu_latency;
  double longest = work->issued > 0 ? launch->longest * warps / work->issued : 1;

  /* The others wait for the slowest warp. */
  return cycles / warps * MAX (longest, 1) * rounds * (double) launch->repeats / clock_hz * 1e9;
}

/* ---- Avoidable work ---- */

static double
get_excess (const CuredExplanation *self, const CuredMachine *machine, const CuredWork *total)
{
  CuredMemoryUse memory;

  switch ((int) self->limit)
    {
    case CURED_RESOURCE_SHARED:
      return self->uses[self->limit].work > 0
                 ? (total->wavefronts - total->least) / self->uses[self->limit].work
                 : 0;
    case CURED_RESOURCE_REMOTE: return 1 - total->remote_least / total->remote;
    case CURED_RESOURCE_MEMORY:
      _cured_workload_get_memory (self->work, machine, &memory);
      return MAX (1 - memory.least / (memory.read + memory.written), 0);
    default: return 0;
    }
}

static gboolean
is_certain (const CuredResourceUse *use)
{
  return !use->is_most && isfinite (use->share);
}

/* Shared memory is a stage of L1: whether it accounts for nearly all cycles of L1, and is a limit
 * itself. If so, it is named, and L1 is neither the limit nor the next one. */
static gboolean
is_shared_memory (const CuredExplanation *self)
{
  double shared = self->uses[CURED_RESOURCE_SHARED].share;

  return shared >= CURED_EXPLAIN_BOUND &&
         shared >= self->uses[CURED_RESOURCE_L1].share * SHARED_PART;
}

/* A load or store occupies its pipe as well as the stage behind it. If both are equally busy, the
 * stage says more. */
static double
get_rank (const CuredExplanation *self, int resource)
{
  double share = self->uses[resource].share;

  if (resource == CURED_RESOURCE_L1 && is_shared_memory (self))
    return -1;
  return resource == CURED_RESOURCE_LOAD_STORE || resource == CURED_RESOURCE_L1
             ? share * IN_PASSING_RANK
             : share;
}

static void
find_limits (CuredExplanation *self)
{
  double first = -1, second = -1;

  for (int i = 0; i < CURED_N_RESOURCES; i++)
    {
      double share = get_rank (self, i);

      if (!is_certain (&self->uses[i]))
        continue;
      if (share > first)
        {
          second = first;
          self->next = self->limit;
          first = share;
          self->limit = (CuredResource) i;
        }
      else if (share > second)
        {
          second = share;
          self->next = (CuredResource) i;
        }
    }
}

static void
set_after (CuredExplanation *self)
{
  double own = self->uses[self->limit].share, most = own * (1 - self->excess);

  self->after_limit = self->limit;
  for (int i = 0; i < CURED_N_RESOURCES; i++)
    {
      /* Shared memory's work is part of L1's. */
      if (i == (int) self->limit || !is_certain (&self->uses[i]) ||
          (i == CURED_RESOURCE_L1 && self->limit == CURED_RESOURCE_SHARED))
        continue;
      if (self->uses[i].share > most)
        {
          most = self->uses[i].share;
          self->after_limit = (CuredResource) i;
        }
    }
  self->after = own > 0 ? most / own : 1;
}

/* ---- Which line ---- */

typedef struct
{
  const char *file;
  int line;
  double work;
} Line;

/* The work by which lines are ranked: for shared memory, excess wavefronts if there are any. */
static double
get_blame (const CuredExplanation *self, const CuredWork *work)
{
  if (self->limit == CURED_RESOURCE_SHARED && self->excess > 0.01)
    return work->wavefronts - work->least;
  return _cured_resource_get_work (self->limit, work);
}

static void
find_line (CuredExplanation *self)
{
  g_autoptr (GHashTable) lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer value;
  const Line *most = NULL;
  double all = 0;

  CURED_EACH_POINTER (const CuredWorkLaunch, launch, self->work->launches)
    {
      for (guint s = 0; s < launch->sites->len; s++)
        {
          const CuredWorkSite *site = g_ptr_array_index (launch->sites, s);
          double work = get_blame (self, &site->work);
          char *key = g_strdup_printf ("%d %s", site->line, site->file != NULL ? site->file : "");
          Line *line = g_hash_table_lookup (lines, key);

          all += work;
          if (line != NULL)
            g_free (key);
          else
            {
              line = g_new0 (Line, 1);
              line->file = site->file;
              line->line = site->line;
              g_hash_table_insert (lines, key, line);
            }
          line->work += work;
        }
    }
  g_hash_table_iter_init (&iter, lines);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Line *line = value;

      if (line->line > 0 && line->work > 0 &&
          (most == NULL || line->work > most->work ||
           (line->work >= most->work && line->line < most->line)))
        most = line;
    }
  if (most == NULL)
    return;
  self->file = g_strdup (most->file);
  self->line = most->line;
  self->line_share = most->work / all;
}

/* ---- Explanation ---- */

/* Returns: the resource that may be the limit, since its share is at most 60 % or more, but whose
 * certain share is not known; CURED_N_RESOURCES: none */
static CuredResource
find_possible (const CuredExplanation *self)
{
  CuredResource found = CURED_N_RESOURCES;
  double most = CURED_EXPLAIN_BOUND;

  for (int i = 0; i < CURED_N_RESOURCES; i++)
    if (self->uses[i].is_most && self->uses[i].share >= most)
      {
        found = (CuredResource) i;
        most = self->uses[i].share;
      }
  return found;
}

static CuredBottleneck
judge (const CuredExplanation *self)
{
  double most = self->uses[self->limit].share;

  if (most > CURED_EXPLAIN_CONTRADICTED)
    return CURED_BOTTLENECK_CONTRADICTED;
  if (most >= CURED_EXPLAIN_BOUND)
    return CURED_BOTTLENECK_RESOURCE;
  return self->wait_ns >= CURED_EXPLAIN_BOUND * self->time_ns &&
                 find_possible (self) == CURED_N_RESOURCES
             ? CURED_BOTTLENECK_LATENCY
             : CURED_BOTTLENECK_UNEXPLAINED;
}

/* @work: the counts of a cell
 * @machine: the chip that measured it
 * @time_ns: time of one run of the program
 * @sm_clock_hz: clock of the multiprocessors during the run; NaN: that of @machine
 *
 * Computes what limits a cell: docs/explain.md has the formulas.
 * Returns: (transfer full): the explanation */
CuredExplanation *
cured_explanation_new (CuredWorkload *work, const CuredMachine *machine, double time_ns,
                       double sm_clock_hz)
{
  CuredExplanation *self = g_new0 (CuredExplanation, 1);
  CuredMemoryUse memory;
  CuredWork total;

  self->time_ns = time_ns;
  self->uncertain = NAN;
  self->sm_clock_hz = sm_clock_hz > 0 ? sm_clock_hz : machine->sm_clock_hz;
  self->machine = g_strdup (machine->id);
  self->work = cured_workload_ref (work);
  cured_workload_get_total (work, &total);
  _cured_workload_get_memory (work, machine, &memory);
  cured_workload_get_uses (work, machine, self->sm_clock_hz, self->uses);
  cured_workload_get_parallelism (work, machine, &self->parallelism);
  for (int i = 0; i < CURED_N_RESOURCES; i++)
    self->uses[i].share = self->uses[i].time_ns / time_ns;

  self->least_in_flight = machine->memory_read * machine->memory_latency / self->sm_clock_hz;
  double latency = get_load_latency (&total, machine, &memory);
  CURED_EACH_POINTER (const CuredWorkLaunch, launch, work->launches)
    {
      self->wait_ns += get_wait_ns (launch, machine, latency, self->sm_clock_hz);
      self->error = MAX (self->error, launch->error);
      self->uncertain = fmax (self->uncertain, launch->uncertain);
    }
  find_limits (self);
  self->excess = get_excess (self, machine, &total);
  set_after (self);
  self->bottleneck = judge (self);
  find_line (self);
  self->sentence = _cured_explanation_describe (self, find_possible (self));
  self->change = _cured_explanation_describe_change (self);
  return self;
}

CURED_DEFINE_FREE (CuredExplanation, cured_explanation_free, work, cured_workload_unref, machine,
                   g_free, file, g_free, sentence, g_free, change, g_free)
