/* SPDX-License-Identifier: MIT
 * Predicts a program's time from counts and the chip's measured rates. */
#include "model/cured-prediction.h"

#include "base/cured-base-internal.h"
#include "model/cured-warp-walk-private.h"
#include "ptx/cured-work-internal.h"

#define SECTOR_BYTES 32.0

/* docs/predict.md says where each constant comes from. Exponent of the norm of overlapping
 * terms. */
#define OVERLAP 2.7

/* Loaded latency of memory, over that of an idle one: loads queue. */
#define BUSY_MEMORY 1.2

/* Share of the sectors that a block loads again that L1 has evicted. */
#define FORGOTTEN 0.05

/* From this many rounds of blocks on, blocks end at different times. */
#define WHOLE_ROUNDS 4

/* Blocks that begin together stay synchronized for this many rounds, and wait together: this share
 * of the latency is not hidden. */
#define STEP_ROUNDS 8
#define STEP_WAITS  0.3

/* Greatest share of L2 that is dirty when a launch ends: on an H200, 27 MB (docs/caches.md) of the
 * 38 MB that it retains. */
#define MOST_UNWRITTEN 0.71

/* ORDER: as CuredTerm. */
static const char *const names[] = {
  "compute", "load-store", "memory", "latency", "dispatch", "atomic", "launch",
};
G_STATIC_ASSERT (G_N_ELEMENTS (names) == CURED_N_TERMS);

/* Returns: (transfer none): "load-store", as JSON has it */
const char *
cured_term_to_string (CuredTerm term)
{
  g_return_val_if_fail ((guint) term < CURED_N_TERMS, NULL);
  return names[term];
}

/* ---- Traffic between L2 and memory ---- */

/* A buffer over all launches. */
typedef struct
{
  double bytes, once_read, once_written;
  gboolean is_made; /* the first launch that accessed it wrote it */
  gboolean is_met;  /* accessed by the launches so far */
} Footprint;

typedef struct
{
  double read;
  double awaited; /* bytes of blocks' loads that missed L2 when issued */
  double written;
} Bytes;

static GHashTable *
make_footprints (const CuredWorkload *work)
{
  GHashTable *footprints = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);

  CURED_EACH_POINTER (const CuredWorkLaunch, launch, work->launches)
    {
      CURED_EACH_POINTER (const CuredWorkBuffer, buffer, launch->buffers)
        {
          Footprint *to = g_hash_table_lookup (footprints, buffer->name);
          double repeats = (double) launch->repeats;

          if (to == NULL)
            {
              to = g_new0 (Footprint, 1);
              to->is_made = buffer->written > 0 && buffer->read <= 0;
              g_hash_table_insert (footprints, buffer->name, to);
            }
          to->bytes = MAX (to->bytes, buffer->bytes);
          to->once_read =
              MAX (to->once_read, MIN (buffer->read * SECTOR_BYTES / repeats, buffer->bytes));
          to->once_written =
              MAX (to->once_written, MIN (buffer->written * SECTOR_BYTES / repeats, buffer->bytes));
        }
    }
  return footprints;
}

/* Share of repeated traffic that misses L2: none if the working set fits, all if it is twice as
 * large as L2. */
static double
get_forgotten (GHashTable *footprints, const CuredMachine *machine)
{
  GHashTableIter iter;
  gpointer value;
  double set = 0;

  g_hash_table_iter_init (&iter, footprints);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Footprint *of = value;

      set += MIN (of->bytes, of->once_read + of->once_written);
    }
  return CLAMP (set / machine->l2_capacity - 1, 0, 1);
}

/* Traffic of all repeats of a launch. Writes of the last launch stay in L2, as far as they fit
 * beside the data that it reads. A cache model's bytes take precedence. */
static Bytes
get_memory_bytes (const CuredWorkLaunch *launch, const CuredMachine *machine,
                  GHashTable *footprints, double forgotten, gboolean is_last)
{
  Bytes bytes = { 0, 0, 0 };

  CURED_EACH_POINTER (const CuredWorkBuffer, buffer, launch->buffers)
    {
      Footprint *of = g_hash_table_lookup (footprints, buffer->name);
      double written = buffer->written * SECTOR_BYTES;
      double once_read = MIN (buffer->read * SECTOR_BYTES, of->once_read);
      double read = MAX (_cured_work_buffer_get_read (buffer), once_read);
      double first = once_read * (of->is_met || of->is_made ? forgotten : 1);
      double once_written = MIN (written, of->once_written);

      bytes.read += first + (read - once_read) * forgotten;
      bytes.awaited += first + (buffer->read * SECTOR_BYTES - once_read) * forgotten;
      bytes.written +=
          once_written * (of->is_met ? forgotten : 1) + (written - once_written) * forgotten;
      of->is_met = TRUE;
    }
  if (is_last && bytes.written > 0)
    bytes.written =
        MAX (bytes.written - machine->l2_capacity *
                                 MIN (MOST_UNWRITTEN, bytes.written / (bytes.written + bytes.read)),
             0);
  if (!isnan (launch->traffic.memory_read))
    bytes.read = bytes.awaited = launch->traffic.memory_read;
  if (!isnan (launch->traffic.memory_written))
    bytes.written = launch->traffic.memory_written;
  return bytes;
}

/* ---- Terms ---- */

/* Of one launch; times in ns. */
typedef struct
{
  const CuredWorkLaunch *launch;
  const CuredMachine *machine;
  double repeats, n_blocks;
  double blocks_per_sm; /* blocks per multiprocessor */
  double loaded;        /* requested sectors */
  double from_l2;       /* requested sectors that missed L1 */
  Bytes memory;         /* bytes */
} Launch;

/* Time of a multiprocessor's work; all blocks are taken to be equal. */
static double
get_sm_ns (const Launch *self, double cycles)
{
  return cycles / self->repeats / self->n_blocks * self->blocks_per_sm /
         self->machine->sm_clock_hz * 1e9;
}

/* Cycles that @work takes. A rate that the chip's file lacks imposes no limit. */
static double
get_cycles (double work, double rate)
{
  return isnan (rate) ? 0 : work / rate;
}

static double
get_compute (const Launch *self)
{
  const CuredWork *work = &self->launch->total;
  const CuredMachine *machine = self->machine;
  double cycles = get_cycles (cured_work_get_slots (work), machine->issue);

  cycles = MAX (cycles, get_cycles (work->alu, machine->alu));
  /* They share one set of lanes. */
  cycles =
      MAX (cycles, get_cycles (work->fp32, machine->fp32) + get_cycles (work->imad, machine->imad) +
                       get_cycles (work->half, machine->half));
  cycles = MAX (cycles, get_cycles (work->fp64, machine->fp64));
  cycles = MAX (cycles, get_cycles (work->mufu, machine->mufu));
  cycles = MAX (cycles, get_cycles (work->tensor, machine->tensor));
  cycles = MAX (cycles, get_cycles (work->constant_words, machine->constant_words));
  return get_sm_ns (self, cycles);
}

static double
get_stored (const CuredWork *work)
{
  return work->stored + work->atomic;
}

static double
get_load_store (const Launch *self)
{
  const CuredWork *work = &self->launch->total;
  const CuredMachine *machine = self->machine;
  double cycles = MAX (get_cycles (work->lsu, machine->lsu),
                       get_cycles (work->wavefronts, machine->wavefronts));

  if (work->remote > 0)
    cycles = MAX (cycles, get_cycles (work->remote + work->remote_requests, machine->remote));
  cycles = MAX (cycles, get_cycles (work->lines, machine->lines));
  cycles = MAX (cycles,
                get_cycles ((self->from_l2 + get_stored (work)) * SECTOR_BYTES, machine->l1_bytes));
  return get_sm_ns (self, cycles);
}

/* Share of blocks' loads that two adjacent multiprocessors request at the same time; L2 gets one
 * request. */
static double
get_joined (const CuredWorkLaunch *launch)
{
  double once = 0, joined = 0;

  CURED_EACH_POINTER (const CuredWorkBuffer, buffer, launch->buffers)
    {
      once += buffer->once;
      if (!isnan (buffer->joined))
        joined += buffer->once * buffer->joined;
    }
  return once > 0 ? joined / once : 0;
}

static double
get_memory (const Launch *self)
{
  const CuredWork *work = &self->launch->total;
  const CuredMachine *machine = self->machine;
  double read = self->from_l2 * SECTOR_BYTES * (1 - get_joined (self->launch));
  double written = get_stored (work) * SECTOR_BYTES;
  double whole = MAX (written - work->partial * SECTOR_BYTES, 0);

  if (!isnan (self->launch->traffic.l2_written))
    written = self->launch->traffic.l2_written;
  double l2 = MAX (read / machine->l2_read, whole / machine->l2_write);
  l2 = MAX (l2, (read + written) / machine->l2_both) / self->repeats;
  return 1e9 * MAX (l2, self->memory.read / self->repeats / machine->memory_read +
                            self->memory.written / self->repeats / machine->memory_write);
}

static double
walk (const Launch *self, CuredWarpWalk *of_ptx, double load_cycles, gboolean is_last_block)
{
  if (self->launch->steps != NULL)
    return _cured_machine_walk_run (self->launch, self->machine, load_cycles, is_last_block);
  return _cured_warp_walk_run (of_ptx, load_cycles, is_last_block);
}

/* How often the copy engine fills a multiprocessor's shared memory: its capacity limits the bytes
 * in flight. */
static double
count_fills (const Launch *self, double resident)
{
  const CuredWorkLaunch *launch = self->launch;
  double sectors = 0;

  CURED_EACH_POINTER (const CuredWorkSite, site, launch->sites)
    if (site->flow != NULL && site->flow->wait == CURED_WAIT_BULK)
      sectors += site->work.load_ca + site->work.load_cg + site->work.load_nc;
  if (launch->shared_bytes == 0)
    return 0;
  return sectors * SECTOR_BYTES / self->repeats / self->n_blocks * self->blocks_per_sm /
         (resident * (double) launch->shared_bytes);
}

/* Time of the rounds of blocks, each as long as a warp's walk with the latency of where its data
 * is. */
static double
get_latency (const Launch *self, CuredLaunchPrediction *to)
{
  const CuredWorkLaunch *launch = self->launch;
  const CuredMachine *machine = self->machine;
  g_autoptr (CuredWarpWalk) of_ptx =
      launch->steps != NULL ? NULL : _cured_warp_walk_new (launch, machine);
  double resident = MIN (MAX (launch->blocks_per_sm, 1), self->blocks_per_sm);
  double past_l1 = self->loaded > 0 ? self->from_l2 / self->loaded : 1, past_l2 = 0;

  to->rounds = MAX (self->blocks_per_sm / resident, 1);
  if (to->rounds < WHOLE_ROUNDS)
    to->rounds = ceil (to->rounds - 1e-9);
  if (launch->steps == NULL && of_ptx == NULL)
    return 0;
  /* A block that loads data on its way to another block waits as long as that block does. */
  if (self->from_l2 > 0)
    past_l2 = MIN (self->memory.awaited / (self->from_l2 * SECTOR_BYTES), 1);
  double fill =
      machine->l2_latency + (machine->memory_latency * BUSY_MEMORY - machine->l2_latency) * past_l2;
  to->near = walk (self, of_ptx, machine->l1_latency, FALSE);
  to->middle = walk (self, of_ptx, machine->l2_latency, FALSE);
  to->far = walk (self, of_ptx, machine->memory_latency * BUSY_MEMORY, FALSE);
  if (launch->takes_tickets && launch->n_blocks > 1)
    to->last = MAX (walk (self, of_ptx, machine->l2_latency, TRUE) - to->middle, 0);
  return (to->rounds * (to->near * (1 - past_l1) +
                        past_l1 * (to->middle + (to->far - to->middle) * past_l2)) +
          count_fills (self, resident) * fill + to->last) /
         machine->sm_clock_hz * 1e9;
}

static double
get_atomic (const Launch *self)
{
  const CuredWorkLaunch *launch = self->launch;
  const CuredWork *work = &launch->total;

  if (!(work->atomics > 0))
    return 0;
  /* Lanes of a warp with the same address are combined. */
  return launch->hottest * work->addresses / work->atomics * self->machine->atomic_same_ns +
         work->atomics / self->repeats * self->machine->atomic_ns;
}

static double
get_from_l2 (const CuredWorkLaunch *launch, double loaded)
{
  double once = 0;

  if (!isnan (launch->traffic.l2_read))
    return launch->traffic.l2_read / SECTOR_BYTES;
  for (guint i = 0; i < launch->buffers->len; i++)
    once += ((CuredWorkBuffer *) launch->buffers->pdata[i])->once;
  once = MIN (once, loaded);
  return once + (loaded - once) * FORGOTTEN;
}

static double
count_loaded (const CuredWorkLaunch *launch)
{
  return launch->total.load_ca + launch->total.load_cg + launch->total.load_nc;
}

static void
predict_launch (CuredLaunchPrediction *self, const CuredWorkLaunch *launch,
                const CuredMachine *machine, Bytes memory)
{
  double loaded = count_loaded (launch);
  Launch of = {
    .launch = launch,
    .machine = machine,
    .repeats = (double) launch->repeats,
    .n_blocks = (double) launch->n_blocks,
    .blocks_per_sm = ceil ((double) launch->n_blocks / machine->sms),
    .loaded = loaded,
    .from_l2 = get_from_l2 (launch, loaded),
    .memory = memory,
  };
  double sum = 0;

  *self = (CuredLaunchPrediction){
    .loaded = loaded,
    .from_l2 = of.from_l2,
    .memory_read = memory.read,
    .memory_written = memory.written,
  };
  self->terms[CURED_TERM_COMPUTE] = get_compute (&of);
  self->terms[CURED_TERM_LOAD_STORE] = get_load_store (&of);
  self->terms[CURED_TERM_MEMORY] = get_memory (&of);
  self->terms[CURED_TERM_LATENCY] = get_latency (&of, self);
  self->terms[CURED_TERM_DISPATCH] = of.n_blocks * machine->dispatch_ns;
  self->terms[CURED_TERM_ATOMIC] = get_atomic (&of);
  double in_step =
      self->terms[CURED_TERM_LATENCY] * STEP_WAITS * MIN (STEP_ROUNDS / MAX (self->rounds, 1), 1);
  for (int i = 0; i < CURED_TERM_LAUNCH; i++)
    if (i != CURED_TERM_DISPATCH)
      sum += pow (self->terms[i] - (i == CURED_TERM_LATENCY ? in_step : 0), OVERLAP);
  /* Dispatch of blocks overlaps everything else. */
  self->time_ns = MAX (pow (sum, 1 / OVERLAP) + in_step, self->terms[CURED_TERM_DISPATCH]);
}

/* @work: a program's work, counted in this process by cured_workload_count()
 *
 * Predicts the time of each launch of the program in a cold run, without the launch's overhead:
 * docs/predict.md has the formulas. If the launches' traffic is known, it replaces the estimate of
 * the caches' effect.
 * Returns: (transfer full) (element-type CuredLaunchPrediction): one per launch of @work, in its
 *   order */
GArray *
cured_prediction_list_launches (const CuredWorkload *work, const CuredMachine *machine)
{
  g_autoptr (GHashTable) footprints = make_footprints (work);
  GArray *launches = g_array_new (FALSE, FALSE, sizeof (CuredLaunchPrediction));
  double forgotten = get_forgotten (footprints, machine);

  for (guint i = 0; i < work->launches->len; i++)
    {
      const CuredWorkLaunch *launch = g_ptr_array_index (work->launches, i);
      Bytes memory =
          get_memory_bytes (launch, machine, footprints, forgotten, i + 1 == work->launches->len);
      CuredLaunchPrediction of;

      memory.read = MIN (memory.read, get_from_l2 (launch, count_loaded (launch)) * SECTOR_BYTES);
      predict_launch (&of, launch, machine, memory);
      g_array_append_val (launches, of);
    }
  return launches;
}

/* @self: (out caller-allocates): uninitialized memory
 * @work: as in cured_prediction_list_launches()
 *
 * Predicts the time of a cold run of the program: docs/predict.md has the formulas and their
 * errors. */
void
cured_prediction_init (CuredPrediction *self, const CuredWorkload *work,
                       const CuredMachine *machine)
{
  g_autoptr (GArray) launches = cured_prediction_list_launches (work, machine);
  double n_launches = work->n_sets;

  *self = (CuredPrediction){ .time_ns = 0 };
  for (guint i = 0; i < launches->len; i++)
    {
      const CuredLaunchPrediction *of = &g_array_index (launches, CuredLaunchPrediction, i);
      const CuredWorkLaunch *launch = g_ptr_array_index (work->launches, i);

      for (int t = 0; t < CURED_TERM_LAUNCH; t++)
        self->terms[t] += of->terms[t] * (double) launch->repeats;
      self->time_ns += of->time_ns * (double) launch->repeats;
      n_launches += (double) launch->repeats;
    }
  self->terms[CURED_TERM_LAUNCH] =
      machine->launch_ns + MAX (n_launches - 1, 0) * machine->next_launch_ns;
  if (work->n_host_steps > 0)
    self->terms[CURED_TERM_LAUNCH] += work->n_host_steps * machine->host_ns;
  self->time_ns += self->terms[CURED_TERM_LAUNCH];
  for (int i = 0; i < CURED_N_TERMS; i++)
    if (self->terms[i] > self->terms[self->held_by])
      self->held_by = (CuredTerm) i;
}
