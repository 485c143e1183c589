/* SPDX-License-Identifier: MIT
 * Time of a lone warp on a multiprocessor, from its machine code: an instruction starts after the
 * stall cycles of those before it, and when the barriers that it waits for are clear. */

#include "base/cured-base-internal.h"
#include "model/cured-warp-walk-private.h"

/* Latencies in cycles that machine facts lack; docs/predict.md says where they come from. */
#define OTHER_CYCLES   20.0
#define BARRIER_CYCLES 20.0

/* Cycles until a load or store has read its operands. */
#define OPERAND_CYCLES 12.0

#define WALKED_TRIPS 3
#define LEAST_SHARE  0.5
#define N_BARRIERS   6

/* Counts of two ways add up to the branch's, but for rounding. */
#define NEARLY_ALL 1.01

typedef struct
{
  const CuredMachineStep *step;
  double executed; /* executions per warp */
  double cycles;   /* until the result is available; for a load: in addition to its latency */
  gboolean is_load;
  int loop_end; /* at the begin of a loop: index of the branch back; -1: no loop */
} Step;

typedef struct
{
  Step *steps;
  guint n_steps;
  double n_warps, load_cycles, now;
  double copies; /* arrival of the copies in flight */
  double until[N_BARRIERS];
} Walk;

static double
get_cycles (const CuredMachine *machine, CuredWaitKind wait, const CuredWorkSite *site)
{
  static const CuredWork unknown = { 0 };
  const CuredWork *work = site != NULL ? &site->work : &unknown;
  double cycles = _cured_walk_get_latency (machine, wait, work);

  if (!isnan (cycles))
    return cycles;
  /* Arithmetic has its latency in its stall count; a copy is issued as a load is. */
  return wait == CURED_WAIT_COPY ? _cured_walk_get_latency (machine, CURED_WAIT_GLOBAL, work)
                                 : OTHER_CYCLES;
}

static void
add_steps (Walk *self, const CuredWorkLaunch *launch, const CuredMachine *machine,
           gboolean is_last_block)
{
  g_autoptr (GHashTable) sites = g_hash_table_new (NULL, NULL);
  double warps = self->n_warps * (double) launch->n_blocks * (double) launch->repeats;

  CURED_EACH_POINTER (CuredWorkSite, site, launch->sites)
    g_hash_table_insert (sites, GUINT_TO_POINTER (site->site), site);
  for (guint i = 0; i < self->n_steps; i++)
    {
      const CuredMachineStep *from = &g_array_index (launch->steps, CuredMachineStep, i);
      const CuredWorkSite *site = g_hash_table_lookup (sites, GUINT_TO_POINTER (from->site));
      CuredWaitKind wait = from->wait;
      Step *step = &self->steps[i];

      /* The address of a generic load decides at run time which memory it reads. */
      if (wait == CURED_WAIT_GLOBAL && site != NULL && site->work.requests <= 0 &&
          site->work.shared_requests > 0)
        wait = CURED_WAIT_SHARED;
      *step = (Step){
        .step = from,
        .executed = from->executed / MAX (warps, 1),
        .cycles = get_cycles (machine, wait, site),
        .is_load = wait == CURED_WAIT_GLOBAL,
        .loop_end = -1,
      };
      if (is_last_block && step->executed < LEAST_SHARE / self->n_warps)
        step->executed *= (double) launch->n_blocks;
      if (from->target <= i)
        self->steps[from->target].loop_end = (int) i;
    }
}

static void
walk_step (Walk *self, const Step *of)
{
  const CuredMachineStep *step = of->step;
  double start = self->now;

  for (guint b = 0; b < N_BARRIERS; b++)
    if (step->mask >> b & 1)
      start = MAX (start, self->until[b]);
  if (step->wait == CURED_WAIT_BARRIER)
    start += BARRIER_CYCLES + self->n_warps - 1;
  else if (step->wait == CURED_WAIT_COPIES)
    start = MAX (start, self->copies);
  double end = start + of->cycles;
  if (of->is_load)
    end += self->load_cycles;
  else if (step->wait == CURED_WAIT_COPY)
    self->copies = MAX (self->copies, end + self->load_cycles);
  if (step->sets < N_BARRIERS)
    self->until[step->sets] = MAX (self->until[step->sets], end);
  if (step->reads < N_BARRIERS)
    self->until[step->reads] = MAX (self->until[step->reads], start + OPERAND_CYCLES);
  self->now = start + MAX (step->stall, 1);
}

static void
skip (Walk *self, double cycles)
{
  self->now += cycles;
  self->copies += cycles;
  for (guint b = 0; b < N_BARRIERS; b++)
    self->until[b] += cycles;
}

static void walk_range (Walk *self, guint first, guint end, double times);

/* Walks the loop that begins at @first, in code that ran @times. */
static void
walk_loop (Walk *self, guint first, double times)
{
  guint end = (guint) self->steps[first].loop_end;
  double executed = self->steps[end].executed;
  double entered = first > 0 ? self->steps[first - 1].executed : 0, before = 0;

  executed = MAX (executed, self->steps[first].executed);
  if (!(entered > 0 && entered < executed) || entered > times)
    entered = MIN (times, executed);
  if (entered < LEAST_SHARE * times / self->n_warps || entered <= 0)
    return;
  double trips = executed / entered;
  int n_walked = (int) CLAMP (trips + 0.5, 1, WALKED_TRIPS);
  for (int i = 0; i < n_walked; i++)
    {
      before = self->now;
      self->steps[first].loop_end = -1;
      walk_range (self, first, end + 1, executed);
      self->steps[first].loop_end = (int) end;
    }
  if (trips > n_walked)
    skip (self, (trips - n_walked) * (self->now - before));
}

/* Whether each warp takes one of two ways at @branch: from it to before @other, or from @other to
 * before @end. */
static gboolean
find_ways (const Walk *self, guint branch, guint *other, guint *end)
{
  guint target = self->steps[branch].step->target;

  if (target == G_MAXUINT || target <= branch + 1 || target >= self->n_steps)
    return FALSE;
  *other = target;
  *end = self->steps[target - 1].step->target;
  if (*end == G_MAXUINT || *end <= target || *end > self->n_steps)
    return FALSE;
  double first = self->steps[branch + 1].executed, second = self->steps[target].executed;
  return first > 0 && second > 0 && first + second <= self->steps[branch].executed * NEARLY_ALL;
}

/* Warps of one way wait for those of the other. */
static void
walk_ways (Walk *self, guint first, guint other, guint end, double times)
{
  Walk beside = *self;

  walk_range (&beside, first, other, times);
  walk_range (self, other, end, times);
  self->now = MAX (self->now, beside.now);
  self->copies = MAX (self->copies, beside.copies);
  for (guint b = 0; b < N_BARRIERS; b++)
    self->until[b] = MAX (self->until[b], beside.until[b]);
}

/* Walks from @first to before @end, in code that was executed @times. */
static void
walk_range (Walk *self, guint first, guint end, double times)
{
  guint other, both;

  for (guint i = first; i < end; i++)
    {
      int loop_end = self->steps[i].loop_end;

      if (loop_end >= 0 && loop_end < (int) end)
        {
          walk_loop (self, i, times);
          i = (guint) loop_end;
        }
      else if (self->steps[i].executed >= LEAST_SHARE * times / self->n_warps &&
               self->steps[i].executed > 0)
        {
          walk_step (self, &self->steps[i]);
          if (!find_ways (self, i, &other, &both) || both > end)
            continue;
          walk_ways (self, i + 1, other, both, times);
          i = both - 1;
        }
    }
}

/* Walks the machine code of a warp in order, as the chip issues it: the stall cycles and barriers
 * that the assembler wrote into each instruction say when the next one may start. Three trips of a
 * loop are walked, the others take as long as the third. Code that only some warps of a block
 * execute is walked, too, as the other warps wait for these.
 *
 * Returns: cycles per launch */
double
_cured_machine_walk_run (const CuredWorkLaunch *launch, const CuredMachine *machine,
                         double load_cycles, gboolean is_last_block)
{
  double n_warps = ceil ((double) cured_work_launch_count_threads (launch) / 32);
  g_autofree Step *steps = g_new0 (Step, launch->steps->len + 1);
  Walk self = {
    .steps = steps,
    .n_steps = launch->steps->len,
    .n_warps = MAX (n_warps, 1),
    .load_cycles = load_cycles,
  };

  add_steps (&self, launch, machine, is_last_block);
  walk_range (&self, 0, self.n_steps, 1);
  for (guint b = 0; b < N_BARRIERS; b++)
    self.now = MAX (self.now, self.until[b]);
  return self.now;
}
