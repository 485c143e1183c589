/* SPDX-License-Identifier: MIT
 * The resources of a chip, and the time that each needs for the counted work. */
#include "explain/cured-resource-internal.h"

#include "base/cured-base-internal.h"
#include "ptx/cured-work-internal.h"

#define SECTOR_BYTES 32.0

/* Repeated bytes below this factor are taken for edges, not for repeats. */
#define NEARLY_ALL 1.05

static double
get_loads (const CuredWork *work)
{
  return work->load_ca + work->load_cg + work->load_nc;
}

static double
get_stores (const CuredWork *work)
{
  return work->stored + work->atomic;
}

/* Work of the stage of shared memory: its wavefronts, and one each for shuffles, special registers,
 * and accesses without an active lane. */
static double
get_shared (const CuredWork *work)
{
  double others = work->lsu - work->requests - work->shared_requests - work->local_requests;

  return work->wavefronts + MAX (others, 0);
}

/* The part of @work that uses a resource, for finding the instruction that uses it most; 0 where no
 * single instruction does. */
double
_cured_resource_get_work (CuredResource resource, const CuredWork *work)
{
  const double amounts[CURED_N_RESOURCES] = {
    [CURED_RESOURCE_ISSUE] = cured_work_get_slots (work),
    [CURED_RESOURCE_FP32] = work->fp32 + work->imad + work->half,
    [CURED_RESOURCE_INTEGER] = work->alu,
    [CURED_RESOURCE_FP64] = work->fp64,
    [CURED_RESOURCE_SPECIAL] = work->mufu,
    [CURED_RESOURCE_TENSOR] = work->tensor,
    [CURED_RESOURCE_LOAD_STORE] = work->lsu,
    [CURED_RESOURCE_SHARED] = get_shared (work),
    [CURED_RESOURCE_CONSTANT] = work->constant_words,
    [CURED_RESOURCE_L1] = work->lines + get_shared (work),
    [CURED_RESOURCE_L2] = (get_loads (work) + get_stores (work)) * SECTOR_BYTES,
    [CURED_RESOURCE_MEMORY] = (get_loads (work) + get_stores (work)) * SECTOR_BYTES,
    [CURED_RESOURCE_ATOMIC] = work->atomics,
    [CURED_RESOURCE_REMOTE] = work->remote,
  };

  return amounts[resource];
}

/* ---- Memory ---- */

/* A buffer over all launches. */
typedef struct
{
  double bytes, read, written;
  double once_read; /* lower bound of distinct bytes read */
  double once_written;
  gboolean is_made; /* the first launch that accessed it wrote it */
} Footprint;

static void
add_footprints (const CuredWorkLaunch *launch, GHashTable *footprints)
{
  CURED_EACH_POINTER (const CuredWorkBuffer, buffer, launch->buffers)
    {
      Footprint *to = g_hash_table_lookup (footprints, buffer->name);
      double read = buffer->read * SECTOR_BYTES, written = buffer->written * SECTOR_BYTES;
      double repeats = (double) launch->repeats;

      if (to == NULL)
        {
          to = g_new0 (Footprint, 1);
          to->is_made = written > 0 && read <= 0;
          g_hash_table_insert (footprints, buffer->name, to);
        }
      to->bytes = MAX (to->bytes, buffer->bytes);
      to->read += MAX (_cured_work_buffer_get_read (buffer), MIN (read, buffer->bytes * repeats));
      to->written += written;
      to->once_read = MAX (to->once_read, MIN (read / repeats, buffer->bytes));
      to->once_written = MAX (to->once_written, MIN (written / repeats, buffer->bytes));
    }
}

/* Bytes that pass between L2 and memory, of a program without counts of caches: each byte of each
 * buffer once, and repeated traffic that misses L2, which is all if the working set is twice as
 * large as L2. */
static void
estimate_memory (const CuredWorkload *work, const CuredMachine *machine, CuredMemoryUse *use)
{
  g_autoptr (GHashTable) footprints = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  GHashTableIter iter;
  gpointer value;
  double set = 0, share = 0;

  for (guint i = 0; i < work->launches->len; i++)
    add_footprints (g_ptr_array_index (work->launches, i), footprints);
  g_hash_table_iter_init (&iter, footprints);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Footprint *of = value;

      set += MIN (of->bytes, of->once_read + of->once_written);
    }
  if (machine->l2_capacity > 0)
    share = CLAMP (set / machine->l2_capacity - 1, 0, 1);
  g_hash_table_iter_init (&iter, footprints);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const Footprint *of = value;
      double once = of->is_made ? of->once_read * share : of->once_read;

      use->read += once + (of->read - of->once_read) * share;
      use->written += of->once_written + (of->written - of->once_written) * share;
      use->least += once + of->once_written;
    }
}

void
_cured_workload_get_memory (const CuredWorkload *work, const CuredMachine *machine,
                            CuredMemoryUse *use)
{
  CuredTraffic traffic;

  cured_workload_get_traffic (work, &traffic);
  *use = (CuredMemoryUse){ 0 };
  estimate_memory (work, machine, use);
  use->is_most = use->read + use->written > use->least * NEARLY_ALL;
  if (!isnan (traffic.l1_hits))
    use->l1_hits = traffic.l1_hits;
  if (work->launches->len == 0 || isnan (traffic.memory_read) || isnan (traffic.memory_written))
    return;
  use->read = traffic.memory_read;
  use->written = traffic.memory_written;
  use->is_most = FALSE;
}

/* ---- Use ---- */

/* The longest of the times of reads, of writes, and of both together, each at its own rate. */
static double
get_traffic_ns (double read, double written, double read_rate, double write_rate, double rate)
{
  double ns = MAX (read / read_rate, written / write_rate);

  return MAX (ns, (read + written) / rate) * 1e9;
}

static void
set_use (CuredResourceUse *use, double work, double time_ns)
{
  use->work = work;
  use->time_ns = time_ns;
  use->rate = work > 0 && time_ns > 0 ? work / time_ns * 1e9 : NAN;
  if (work <= 0)
    use->time_ns = 0;
}

/* Whether loads may have hit L1: data that is loaded only once, or with .cg, does
 * not. */
static gboolean
has_reuse (const CuredWorkload *work)
{
  CURED_EACH_POINTER (const CuredWorkLaunch, launch, work->launches)
    {
      double cached = launch->total.load_ca + launch->total.load_nc, again = 0;

      CURED_EACH_POINTER (const CuredWorkBuffer, buffer, launch->buffers)
        {
          double bytes = buffer->read * SECTOR_BYTES;
          double once = buffer->bytes * (double) launch->repeats;

          again += MAX (bytes - once * NEARLY_ALL, 0) / SECTOR_BYTES;
        }
      if (MIN (again, cached) > cached * (NEARLY_ALL - 1))
        return TRUE;
    }
  return FALSE;
}

static void
set_l2 (const CuredWorkload *work, const CuredMachine *machine, const CuredWork *total,
        CuredResourceUse *use)
{
  CuredTraffic traffic;

  cured_workload_get_traffic (work, &traffic);
  double read = traffic.l2_read, written = traffic.l2_written;
  if (isnan (read) || isnan (written))
    {
      read = get_loads (total) * SECTOR_BYTES;
      written = get_stores (total) * SECTOR_BYTES;
      use->is_most = has_reuse (work);
    }
  set_use (use, read + written,
           get_traffic_ns (read, written, machine->l2_read, machine->l2_write, machine->l2_both));
}

/* @work: the counts
 * @sm_clock_hz: clock of its multiprocessors; NaN: that of @machine
 * @uses: (out caller-allocates): by resource; @share is NaN, as the time is not known here
 *
 * Divides the work of a program by the chip's rates: docs/explain.md has the formulas. Work of
 * multiprocessors is spread over all of them. */
void
cured_workload_get_uses (const CuredWorkload *work, const CuredMachine *machine, double sm_clock_hz,
                         CuredResourceUse uses[CURED_N_RESOURCES])
{
  double clock = sm_clock_hz > 0 ? sm_clock_hz : machine->sm_clock_hz;
  double cycle_ns = 1e9 / clock / machine->sms, hottest_ns = 0, blocks = 0, launches = 0;
  CuredMemoryUse memory;
  CuredWork total;

  cured_workload_get_total (work, &total);
  _cured_workload_get_memory (work, machine, &memory);
  CURED_EACH_POINTER (const CuredWorkLaunch, launch, work->launches)
    {
      double repeats = (double) launch->repeats;

      launches += repeats;
      blocks += (double) launch->n_blocks * repeats;
      hottest_ns += launch->hottest * repeats * machine->atomic_same_ns;
    }

#define PIPE(resource, pipe)                                                                       \
  set_use (&uses[resource], total.pipe, total.pipe / machine->pipe * cycle_ns)
  memset (uses, 0, sizeof *uses * CURED_N_RESOURCES);
  PIPE (CURED_RESOURCE_FP64, fp64);
  PIPE (CURED_RESOURCE_SPECIAL, mufu);
  PIPE (CURED_RESOURCE_INTEGER, alu);
  PIPE (CURED_RESOURCE_TENSOR, tensor);
  PIPE (CURED_RESOURCE_LOAD_STORE, lsu);
  PIPE (CURED_RESOURCE_CONSTANT, constant_words);
#undef PIPE
  set_use (&uses[CURED_RESOURCE_ISSUE], cured_work_get_slots (&total),
           cured_work_get_slots (&total) / machine->issue * cycle_ns);
  /* They share one set of lanes, half of which multiplies integers, too. */
  set_use (&uses[CURED_RESOURCE_FP32], total.fp32 + total.imad + total.half,
           MAX (total.imad / machine->imad,
                total.half / machine->half + (total.fp32 + total.imad) / machine->fp32) *
               cycle_ns);
  set_use (&uses[CURED_RESOURCE_SHARED], get_shared (&total),
           get_shared (&total) / machine->wavefronts * cycle_ns);
  /* L1 lines and shared memory use one stage. */
  set_use (&uses[CURED_RESOURCE_L1], total.lines + get_shared (&total),
           (total.lines / machine->lines + get_shared (&total) / machine->wavefronts) * cycle_ns);
  set_l2 (work, machine, &total, &uses[CURED_RESOURCE_L2]);
  set_use (&uses[CURED_RESOURCE_MEMORY], memory.read + memory.written,
           (memory.read / machine->memory_read + memory.written / machine->memory_write) * 1e9);
  uses[CURED_RESOURCE_MEMORY].is_most = memory.is_most;
  set_use (&uses[CURED_RESOURCE_ATOMIC], total.atomics,
           hottest_ns + total.atomics * machine->atomic_ns);
  /* Requests and replies of remote accesses use the same path. */
  double turns = total.remote + total.remote_requests;
  set_use (&uses[CURED_RESOURCE_REMOTE], total.remote,
           turns > 0 ? turns / machine->remote * cycle_ns : 0);
  set_use (&uses[CURED_RESOURCE_DISPATCH], blocks, blocks * machine->dispatch_ns);
  set_use (&uses[CURED_RESOURCE_LAUNCH], launches,
           machine->launch_ns + (launches - 1) * machine->next_launch_ns);
  for (int i = 0; i < CURED_N_RESOURCES; i++)
    uses[i].share = NAN;
}

/* ---- Parallelism ---- */

static const CuredWorkLaunch *
find_largest (const CuredWorkload *work, double sms)
{
  const CuredWorkLaunch *largest = NULL;
  double most = -1;

  CURED_EACH_POINTER (const CuredWorkLaunch, launch, work->launches)
    {
      double slots = launch->total.issued / MIN ((double) launch->n_blocks, MAX (sms, 1));

      if (slots > most)
        {
          most = slots;
          largest = launch;
        }
    }
  return largest;
}

/* @work: the counts
 * @parallelism: (out caller-allocates): parallelism of the launch with most work per
 *   multiprocessor */
void
cured_workload_get_parallelism (const CuredWorkload *work, const CuredMachine *machine,
                                CuredParallelism *parallelism)
{
  const CuredWorkLaunch *launch = find_largest (work, machine->sms);

  *parallelism = (CuredParallelism){ .sms = machine->sms, .bytes = NAN, .waves = NAN, .tail = NAN };
  if (launch == NULL)
    return;
  double places = launch->blocks_per_sm * machine->sms;
  parallelism->blocks = (double) launch->n_blocks;
  parallelism->sms_busy = MIN (parallelism->blocks, machine->sms);
  parallelism->threads = (places > 0 ? MIN (parallelism->blocks, places) : parallelism->blocks) *
                         (double) cured_work_launch_count_threads (launch);
  parallelism->bytes = parallelism->threads * launch->in_flight;
  if (places <= 0)
    return;
  parallelism->waves = parallelism->blocks / places;
  parallelism->tail = 1 - parallelism->waves / MAX (ceil (parallelism->waves), 1);
}
