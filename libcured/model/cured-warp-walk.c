/* SPDX-License-Identifier: MIT
 * Time of a lone warp on a multiprocessor: its code is walked in order, and an instruction starts
 * when its operands are available. */
#include "model/cured-warp-walk-private.h"

#include "base/cured-base-internal.h"

/* Latencies in cycles that machine facts lack; docs/predict.md says where they come from. */
#define MUFU_CYCLES      18.0
#define TENSOR_CYCLES    33.0
#define BRANCH_CYCLES    3.0
#define CONDITION_CYCLES 6.0
#define BARRIER_CYCLES   20.0
#define WAVEFRONT_CYCLES 2.0
#define LINE_CYCLES      2.0

/* An atomic operation makes a round trip to L2, and waits there. */
#define ATOMIC_TRIPS 2.0

/* Trips of a loop that are walked; the others take as long as the last of these. */
#define WALKED_TRIPS 3

/* ptxas unrolls a loop of straight code this many times, and starts the loads of all of these trips
 * first. */
#define UNROLLED     4
#define MAX_UNROLLED 40

/* Code that fewer than one warp per two blocks executes is not walked. */
#define LEAST_SHARE 0.5

/* An instruction, registers numbered from 0. */
typedef struct
{
  CuredWaitKind wait;
  gboolean is_read_only;
  guint n_out, n_in;
  const guint *registers;
  double executed; /* executions per warp */
  double cycles;   /* until the result is available; for a load: in addition to its latency */
  double slots;
  int loop_end; /* at the begin of a loop: index of the branch back; -1: no loop */
  gboolean is_straight;
} Step;

typedef struct
{
  double base;   /* earliest start of instructions that stores don't hold back */
  double issue;  /* earliest start of others */
  double front;  /* latest start since then */
  double slots;  /* instructions issued since then */
  double last;   /* result */
  double copies; /* arrival of the copies in flight */
} Clock;

struct _CuredWarpWalk
{
  Step *steps;
  guint n_steps;
  guint *registers; /* registers of all steps */
  double *ready;    /* time by register */
  guint n_registers;
  double *executed; /* executions by step, in the current walk */
  double n_warps, n_blocks, load_cycles;
  Clock clock;
};

/*
 * _cured_walk_get_latency:
 * @machine: whose latencies
 * @wait: the kind of result that is waited for
 * @work: the instruction's counts
 *
 * Returns: cycles until the result is available, without a global load's way to L2 or
 *   memory; NaN for arithmetic, branches, and instructions without a result to wait
 *   for
 */
double
_cured_walk_get_latency (const CuredMachine *machine, CuredWaitKind wait, const CuredWork *work)
{
  double wavefronts = work->shared_requests > 0 ? work->wavefronts / work->shared_requests : 1;
  double lines = work->requests > 0 ? work->lines / work->requests : 1;

  switch ((int) wait)
    {
    case CURED_WAIT_FP64: return machine->fp64_latency;
    case CURED_WAIT_MUFU: return MUFU_CYCLES;
    case CURED_WAIT_TENSOR: return TENSOR_CYCLES;
    case CURED_WAIT_SHUFFLE: return machine->shuffle_latency;
    case CURED_WAIT_CONSTANT: return machine->constant_latency;
    case CURED_WAIT_SHARED:
      if (work->remote > 0 && !isnan (machine->remote_latency) && !isnan (machine->remote))
        return machine->remote_latency + work->remote / work->shared_requests / machine->remote;
      return machine->shared_latency + WAVEFRONT_CYCLES * MAX (wavefronts - 1, 0);
    case CURED_WAIT_GLOBAL: return LINE_CYCLES * MAX (lines - 1, 0);
    case CURED_WAIT_LOCAL: return machine->l1_latency;
    case CURED_WAIT_ATOMIC: return machine->l2_latency * ATOMIC_TRIPS;
    default: return NAN;
    }
}

static double
get_cycles (const CuredMachine *machine, const CuredWorkSite *site)
{
  double cycles = _cured_walk_get_latency (machine, site->flow->wait, &site->work);

  if (!isnan (cycles))
    return cycles;
  if (site->flow->wait == CURED_WAIT_ALU)
    return machine->alu_latency;
  return site->flow->wait == CURED_WAIT_BRANCH ? CONDITION_CYCLES : 0;
}

/* Whether later instructions can't start before it. */
static gboolean
is_fence (CuredWaitKind wait)
{
  return wait == CURED_WAIT_BARRIER || wait == CURED_WAIT_BRANCH || wait == CURED_WAIT_COPIES ||
         wait == CURED_WAIT_STORE || wait == CURED_WAIT_ATOMIC;
}

static void
add_registers (CuredWarpWalk *self, const CuredWorkLaunch *launch)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (guint));
  guint at = 0;

  CURED_EACH_POINTER (const CuredWorkSite, site, launch->sites)
    {
      for (guint k = 0; k < site->flow->n_out + site->flow->n_in; k++)
        {
          gpointer key = GUINT_TO_POINTER (site->flow->registers[k]);
          gpointer value;

          if (!g_hash_table_lookup_extended (numbers, key, NULL, &value))
            {
              value = GUINT_TO_POINTER (self->n_registers++);
              g_hash_table_insert (numbers, key, value);
            }
          guint number = GPOINTER_TO_UINT (value);
          g_array_append_val (all, number);
        }
    }
  self->registers = (guint *) (gpointer) g_array_free (all, FALSE);
  self->ready = g_new0 (double, self->n_registers + 1);
  for (guint i = 0; i < self->n_steps; i++)
    {
      self->steps[i].registers = self->registers + at;
      at += self->steps[i].n_out + self->steps[i].n_in;
    }
}

/* The first step at or after instruction @site. */
static guint
find_step (const CuredWorkLaunch *launch, guint site)
{
  guint at = 0;

  while (at < launch->sites->len && ((CuredWorkSite *) launch->sites->pdata[at])->site < site)
    at++;
  return at;
}

static gboolean
is_straight (const CuredWarpWalk *self, guint first, guint last)
{
  guint n = 0;

  for (guint i = first; i <= last; i++)
    {
      if (i < last && is_fence (self->steps[i].wait))
        return FALSE;
      n += self->steps[i].wait != CURED_WAIT_NONE;
    }
  return n <= MAX_UNROLLED;
}

static void
add_loops (CuredWarpWalk *self, const CuredWorkLaunch *launch)
{
  for (guint i = 0; i < self->n_steps; i++)
    {
      const CuredWorkSite *site = g_ptr_array_index (launch->sites, i);

      if (site->flow->target == G_MAXUINT || site->flow->target > site->site)
        continue;
      guint first = find_step (launch, site->flow->target);
      if (first <= i)
        self->steps[first].loop_end = (int) i;
    }
  for (guint i = 0; i < self->n_steps; i++)
    if (self->steps[i].loop_end >= 0)
      self->steps[i].is_straight = is_straight (self, i, (guint) self->steps[i].loop_end);
}

/* @launch: a launch whose instructions have their dependencies
 * Returns: (transfer full) (nullable): the input of _cured_warp_walk_run(); NULL if the
 *   dependencies are not known */
CuredWarpWalk *
_cured_warp_walk_new (const CuredWorkLaunch *launch, const CuredMachine *machine)
{
  g_autoptr (CuredWarpWalk) self = g_new0 (CuredWarpWalk, 1);
  double n_warps = ceil ((double) cured_work_launch_count_threads (launch) / 32);
  double times = n_warps * (double) launch->n_blocks * (double) launch->repeats;

  self->n_warps = MAX (n_warps, 1);
  self->n_blocks = (double) launch->n_blocks;
  self->n_steps = launch->sites->len;
  self->steps = g_new0 (Step, self->n_steps + 1);
  self->executed = g_new0 (double, self->n_steps + 1);
  for (guint i = 0; i < self->n_steps; i++)
    {
      const CuredWorkSite *site = g_ptr_array_index (launch->sites, i);
      Step *step = &self->steps[i];

      if (site->flow == NULL)
        return NULL;
      *step = (Step){
        .wait = site->flow->wait,
        .is_read_only = site->flow->is_read_only,
        .n_out = site->flow->n_out,
        .n_in = site->flow->n_in,
        .executed = site->work.issued / MAX (times, 1),
        .cycles = get_cycles (machine, site),
        .loop_end = -1,
      };
      if (site->work.issued > 0)
        step->slots = MAX (cured_work_get_slots (&site->work) / site->work.issued, 1);
      /* The address of a generic load decides at run time which memory it reads. */
      if (step->wait == CURED_WAIT_GLOBAL && site->work.requests <= 0 &&
          site->work.shared_requests > 0)
        {
          step->wait = CURED_WAIT_SHARED;
          step->cycles = machine->shared_latency;
        }
    }
  add_registers (self, launch);
  add_loops (self, launch);
  return g_steal_pointer (&self);
}

CURED_DEFINE_FREE (CuredWarpWalk, _cured_warp_walk_free, steps, g_free, executed, g_free, registers,
                   g_free, ready, g_free)

/* ---- Walking ---- */

/* Waits until all instructions issued so far have started. */
static void
settle (Clock *clock)
{
  clock->issue = MAX (clock->issue + clock->slots, clock->front);
  clock->front = clock->issue;
  clock->slots = 0;
}

/* Whether the step can't overtake an earlier store. */
static gboolean
is_held_by_stores (const Step *step)
{
  switch (step->wait)
    {
    case CURED_WAIT_GLOBAL: return !step->is_read_only;
    case CURED_WAIT_SHARED:
    case CURED_WAIT_LOCAL:
    case CURED_WAIT_ATOMIC:
    case CURED_WAIT_STORE:
    case CURED_WAIT_COPY:
    case CURED_WAIT_BULK:
    case CURED_WAIT_COPIES:
    case CURED_WAIT_BARRIER:
    case CURED_WAIT_BRANCH: return TRUE;
    case CURED_WAIT_NONE:
    case CURED_WAIT_ALU:
    case CURED_WAIT_FP64:
    case CURED_WAIT_MUFU:
    case CURED_WAIT_TENSOR:
    case CURED_WAIT_SHUFFLE:
    case CURED_WAIT_CONSTANT:
    default: return FALSE;
    }
}

static void
walk_step (CuredWarpWalk *self, const Step *step)
{
  Clock *clock = &self->clock;
  double start = 0;

  for (guint k = step->n_out; k < step->n_out + step->n_in; k++)
    start = MAX (start, self->ready[step->registers[k]]);
  if (step->wait != CURED_WAIT_NONE)
    {
      if (is_fence (step->wait))
        settle (clock);
      start = MAX (start, is_held_by_stores (step) ? clock->issue : clock->base);
    }
  if (step->wait == CURED_WAIT_COPY || step->wait == CURED_WAIT_BULK)
    clock->copies = MAX (clock->copies, start + self->load_cycles);
  else if (step->wait == CURED_WAIT_COPIES)
    start = MAX (start, clock->copies);
  else if (step->wait == CURED_WAIT_BARRIER)
    start += BARRIER_CYCLES + self->n_warps - 1;
  double end = start + step->cycles;
  if (step->wait == CURED_WAIT_GLOBAL)
    end += self->load_cycles;
  for (guint k = 0; k < step->n_out; k++)
    self->ready[step->registers[k]] = end;
  if (step->wait == CURED_WAIT_NONE)
    return;
  clock->slots += step->slots;
  clock->front = MAX (clock->front, start);
  clock->last = MAX (clock->last, end);
  if (!is_fence (step->wait))
    return;
  settle (clock);
  if (step->wait == CURED_WAIT_BRANCH)
    clock->issue = clock->front = MAX (clock->issue, start + BRANCH_CYCLES);
  if (step->wait != CURED_WAIT_STORE)
    clock->base = clock->issue;
}

/* Advances all times by @cycles. */
static void
skip (CuredWarpWalk *self, double cycles)
{
  Clock *clock = &self->clock;

  clock->base += cycles;
  clock->issue += cycles;
  clock->front += cycles;
  clock->last += cycles;
  clock->copies += cycles;
  for (guint i = 0; i < self->n_registers; i++)
    self->ready[i] += cycles;
}

static void walk_range (CuredWarpWalk *self, guint first, guint last, double times, int in);

/* Walks the loop that begins at @first, in code that ran @times. */
static void
walk_loop (CuredWarpWalk *self, guint first, double times)
{
  const Step *head = &self->steps[first];
  guint end = (guint) head->loop_end;
  double executed = MAX (self->executed[first], self->executed[end]);
  double entered = first > 0 ? self->executed[first - 1] : 0, before = 0;

  if (!(entered > 0 && entered < executed) || entered > times)
    entered = times;
  if (entered < LEAST_SHARE * times / self->n_warps || entered <= 0)
    return;
  double trips = executed / entered;
  if (trips <= LEAST_SHARE)
    return;
  int unrolled = head->is_straight && trips >= UNROLLED ? UNROLLED : 1;
  double groups = trips / unrolled;
  int n_walked = (int) CLAMP (groups + 0.5, 1, WALKED_TRIPS);
  for (int i = 0; i < n_walked; i++)
    {
      before = self->clock.issue;
      for (int k = 0; k < unrolled; k++)
        if (unrolled > 1)
          for (guint at = first; at < end; at++)
            walk_step (self, &self->steps[at]);
        else if (end > first)
          walk_range (self, first, end - 1, executed, (int) first);
      walk_step (self, &self->steps[end]);
    }
  if (groups > n_walked)
    skip (self, (groups - n_walked) * (self->clock.issue - before));
}

/* Walks steps @first to @last, in code that was executed @times, within the loop that begins at
 * @in. */
static void
walk_range (CuredWarpWalk *self, guint first, guint last, double times, int in)
{
  for (guint i = first; i <= last; i++)
    {
      int end = self->steps[i].loop_end;

      if (end >= 0 && end <= (int) last && (int) i != in)
        {
          walk_loop (self, i, times);
          i = (guint) end;
        }
      else if (self->executed[i] >= LEAST_SHARE * times / self->n_warps)
        walk_step (self, &self->steps[i]);
    }
}

/* Walks the code of a warp in order. An instruction starts when its operands are available, and all
 * instructions before the last branch, store or barrier have started; three trips of a loop are
 * walked, the others take as long as the third. Code that only some warps of a block execute is
 * walked, too, as the other warps wait for these.
 *
 * Returns: cycles per launch */
double
_cured_warp_walk_run (CuredWarpWalk *self, double load_cycles, gboolean is_last_block)
{
  self->load_cycles = load_cycles;
  self->clock = (Clock){ 0 };
  for (guint i = 0; i < self->n_registers; i++)
    self->ready[i] = 0;
  for (guint i = 0; i < self->n_steps; i++)
    {
      self->executed[i] = self->steps[i].executed;
      if (is_last_block && self->executed[i] < LEAST_SHARE / self->n_warps)
        self->executed[i] *= self->n_blocks;
    }
  if (self->n_steps > 0)
    walk_range (self, 0, self->n_steps - 1, 1, -1);
  settle (&self->clock);
  return MAX (self->clock.issue, self->clock.last);
}
