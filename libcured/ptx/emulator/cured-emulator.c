/* SPDX-License-Identifier: MIT
 * A launch: blocks on all processors, caps, and the report. */
#include "ptx/emulator/cured-emulator.h"

#include <time.h>

#include "base/cured-base-internal.h"
#include "ptx/emulator/cured-slice-internal.h"
#include "ptx/machine/cured-machine-private.h"
#include "ptx/native/cured-native-internal.h"

/* Warp instructions that a block executes before its host thread starts another block: a block may
 * wait for work of a later one. */
#define BLOCK_TURN ((uint64_t) 1 << 18)

/* The same for grids whose blocks wait for each other repeatedly. */
#define COOPERATIVE_TURN ((uint64_t) 1 << 12)

/* Size in bytes of a grid barrier's counter: cooperative_groups' grid_workspace has two words. */
#define WORKSPACE_BYTES 64

/* In a chip's order: instructions of a warp per turn. */
#define CHIP_TURN 32

/* Limits on the blocks that one host thread keeps alive at once: bytes, and number. */
#define LIVE_BYTES  ((gsize) 1 << 30)
#define LIVE_BLOCKS 4096

/* The most that any device has (CUDA C++ Programming Guide, technical specifications). */
#define MAX_THREADS           1024
#define MAX_STACK_BYTES       ((gsize) 512 << 10)
#define MAX_SHARED_BYTES      ((gsize) 1 << 20)
#define RECURSION_STACK_BYTES ((gsize) 64 << 10)

/* Most places that the report of a stopped launch names. */
#define PLACES_TOLD 24

/* Initial contents of a block's shared memory: no zeros, so that a kernel that relies on them
 * fails. */
#define SHARED_FILL 0xA5

typedef struct
{
  CuredPtxGrid *grid;
  CuredTally tally;
  GQueue live;     /* (element-type CuredCluster), the next one to run is first */
  GQueue spare;    /* (element-type CuredCluster) */
  guint max_live;  /* clusters */
  gint64 begin_us; /* processor time of the thread */
  uint64_t unseen; /* instructions, plus a few per turn, since the clock was last read */
  GCancellable *cancellable;
  uint8_t apart[CURED_APART_BYTES]; /* keeps elements of an array on separate cache lines */
} Worker;

/* Reading the clocks takes as long as about ten instructions. */
#define LOOK_EVERY 4096
#define LOOK_TURN  16

typedef struct
{
  uint64_t block;
  GString *text;
} Output;

/* ---- Blocks ---- */

static void
block_free (CuredBlock *block)
{
  for (uint32_t w = 0; w < block->n_warps; w++)
    _cured_warp_clear (&block->warps[w]);
  for (uint32_t i = 0; i < block->grid->n_observers; i++)
    g_free (block->states[i]);
  g_free (block->states);
  g_aligned_free (block->warps);
  g_aligned_free (block->shared);
  g_free (block);
}

static CuredBlock *
block_new (CuredPtxGrid *grid, CuredTally *tally, CuredCluster *cluster, uint32_t rank)
{
  const CuredLaunch *launch = grid->launch;
  CuredBlock *block =
      CURED_NEW (CuredBlock, .grid = grid, .cluster = cluster, .rank = rank, .tally = tally);

  block->n_threads = launch->block[0] * launch->block[1] * launch->block[2];
  block->n_warps = (block->n_threads + CURED_WARP_LANES - 1) / CURED_WARP_LANES;
  block->shared_bytes = (uint32_t) (grid->entry->shared_bytes + launch->shared_bytes);
  block->shared = g_aligned_alloc (1, block->shared_bytes + 128, 128);
  block->warps = g_aligned_alloc0 (block->n_warps, sizeof *block->warps, 64);
  for (uint32_t w = 0; w < block->n_warps; w++)
    _cured_warp_init (&block->warps[w], block, w);
  block->states = g_new0 (void *, grid->n_observers + 1);
  for (uint32_t i = 0; i < grid->n_observers; i++)
    block->states[i] = g_malloc0 (MAX (grid->observers[i]->klass->state_size, 1));
  return block;
}

/* Whether blocks run in a chip's order. */
static bool
is_as_chip (const CuredLaunch *launch)
{
  return launch->caches != NULL || launch->resident_blocks > 0;
}

static uint32_t
get_n_sms (const CuredLaunch *launch)
{
  return launch->limits != NULL && launch->limits->sms > 0 ? (uint32_t) launch->limits->sms : 1;
}

/* Starts the block of rank @rank in cluster @index. */
static void
block_start (CuredBlock *block, uint64_t index)
{
  CuredPtxGrid *grid = block->grid;
  const guint *size = grid->launch->grid;
  uint32_t rank = block->rank;

  for (int i = 0; i < 3; i++)
    {
      uint32_t n = size[i] / grid->cluster[i];

      block->coord[i] = (uint32_t) (index % n) * grid->cluster[i] + rank % grid->cluster[i];
      index /= n;
      rank /= grid->cluster[i];
    }
  block->index =
      block->coord[0] + (block->coord[1] + (uint64_t) block->coord[2] * size[1]) * size[0];
  if (!is_as_chip (grid->launch))
    block->sm = (uint32_t) (block->index % get_n_sms (grid->launch));
  block->n_alive = block->n_threads;
  memset (block->shared, SHARED_FILL, block->shared_bytes);
  memset (block->barriers, 0, sizeof block->barriers);
  block->arrivals = 0;
  block->n_reads = block->most_reads = 0;
  block->written = NULL;
  memset (block->cluster_arrived, 0, sizeof block->cluster_arrived);
  memset (block->cluster_passed, 0, sizeof block->cluster_passed);
  for (uint32_t w = 0; w < block->n_warps; w++)
    _cured_warp_start (&block->warps[w]);
  for (uint32_t i = 0; i < grid->n_observers; i++)
    {
      const CuredObserverClass *klass = grid->observers[i]->klass;

      memset (block->states[i], 0, klass->state_size);
      if (klass->block_begin != NULL)
        klass->block_begin (grid->observers[i], block->states[i], block);
    }
}

static void
block_end (CuredBlock *block)
{
  CuredPtxGrid *grid = block->grid;
  CuredTally *tally = block->tally;
  double instructions = 0;

  CURED_TELL_OBSERVERS (block, block_end, block);
  for (uint32_t w = 0; w < block->n_warps; w++)
    {
      instructions += (double) block->warps[w].n_issued;
      tally->longest = MAX (tally->longest, block->warps[w].n_issued);
      tally->instructions += block->warps[w].n_issued;
      tally->lane_instructions += block->warps[w].n_lanes;
      tally->barriers += block->warps[w].n_barriers;
    }
  tally->squares += instructions * instructions;
  if (block->output != NULL)
    {
      Output *output = g_new (Output, 1);

      output->block = block->index;
      output->text = g_steal_pointer (&block->output);
      g_mutex_lock (&grid->mutex);
      g_ptr_array_add (grid->outputs, output);
      g_mutex_unlock (&grid->mutex);
    }
}

/* Adds to the list of places where warps were waiting. */
static void
describe_block (CuredBlock *block)
{
  CuredPtxGrid *grid = block->grid;

  g_mutex_lock (&grid->mutex);
  for (uint32_t w = 0; w < block->n_warps && grid->n_where < PLACES_TOLD; w++)
    if (block->warps[w].n_groups > 0)
      {
        _cured_warp_describe (&block->warps[w], grid->where);
        grid->n_where++;
      }
  g_mutex_unlock (&grid->mutex);
}

/* No warp of the block can continue; the report's text gives the place of each. */
static void
report_deadlock (CuredBlock *block)
{
  CuredWitness here = { 0 }, there = { 0 };
  const CuredPtxInst *code = block->grid->module->code;
  bool has_here = false;

  for (uint32_t w = 0; w < block->n_warps; w++)
    {
      CuredWarp *warp = &block->warps[w];

      for (uint32_t i = 0; i < warp->n_groups; i++)
        {
          const CuredGroup *group = &warp->groups[i];
          bool is_waiting = group->state == CURED_GROUP_AT_BARRIER;
          const CuredPtxInst *inst = &code[group->pc - (is_waiting ? 1 : 0)];
          const char *what =
              is_waiting ? NC_ ("in a finding", "barrier") : NC_ ("in a finding", "wait");

          if (!has_here)
            here = _cured_warp_witness (warp, inst, group->mask, what);
          else if (inst != here.inst && there.what == NULL)
            there = _cured_warp_witness (warp, inst, group->mask, what);
          has_here = true;
        }
    }
  _cured_grid_report (block->grid, CURED_FINDING_DEADLOCK, &here,
                      there.what != NULL ? &there : NULL, CURED_SPACE_GENERIC, 0,
                      "%u of the block's %u threads are left, and none of them can go on",
                      block->n_alive, block->n_threads);
}

/* ---- Clusters ---- */

static CuredCluster *
cluster_new (CuredPtxGrid *grid, CuredTally *tally)
{
  CuredCluster *cluster = g_new0 (CuredCluster, 1);

  cluster->n_blocks = grid->cluster[0] * grid->cluster[1] * grid->cluster[2];
  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    cluster->blocks[b] = block_new (grid, tally, cluster, b);
  return cluster;
}

static void
cluster_free (CuredCluster *cluster)
{
  for (uint32_t b = 0; cluster != NULL && b < cluster->n_blocks; b++)
    block_free (cluster->blocks[b]);
  g_free (cluster);
}

static void
cluster_start (CuredCluster *cluster, uint64_t index)
{
  cluster->index = index;
  cluster->has_arrivals = false;
  cluster->stall = (CuredStall){ 0 };
  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    block_start (cluster->blocks[b], index);
}

/* The blocks' state is examined once all of them have ended. */
static void
cluster_end (CuredCluster *cluster)
{
  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    block_end (cluster->blocks[b]);
}

static void
cluster_describe (CuredCluster *cluster)
{
  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    describe_block (cluster->blocks[b]);
}

/* Its first block that still has threads; NULL: the cluster has ended. */
static CuredBlock *
cluster_get_alive (const CuredCluster *cluster)
{
  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    if (cluster->blocks[b]->n_alive > 0)
      return cluster->blocks[b];
  return NULL;
}

/* A pseudo-random number below @n (splitmix64). A block may consist of one short-lived warp, and
 * seeding a GRand costs more than all of its turns. */
static uint32_t
random_below (uint64_t *random, uint32_t n)
{
  uint64_t mixed = *random += 0x9e3779b97f4a7c15u;

  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  return (uint32_t) ((mixed ^ mixed >> 31) % n);
}

/* Gives each warp of a block a turn, and releases threads from completed barriers.
 *
 * @turn: length of a turn, in instructions
 * @random: (nullable): generator for random turns
 * @issued: (inout): number of warp instructions
 *
 * Returns: whether any warp could continue */
static bool
block_run (CuredBlock *block, uint32_t turn, uint64_t *random, uint64_t *issued)
{
  bool has_run = false;
  uint32_t next = 0;

  if (random != NULL)
    {
      turn = 1 + random_below (random, 63);
      next = random_below (random, block->n_warps);
    }
  for (uint32_t i = 0; i < block->n_warps; i++)
    {
      CuredWarp *warp = &block->warps[next];
      uint64_t before = warp->n_issued;

      if (++next == block->n_warps)
        next = 0;
      if (warp->n_groups == 0)
        continue;
      has_run = _cured_warp_run (warp, turn) || has_run;
      *issued += warp->n_issued - before;
      if (g_atomic_int_get (&block->grid->stop) != CURED_END_DONE)
        return true;
    }
  return _cured_block_release_barriers (block) || has_run;
}

static gint64
get_thread_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static __attribute__ ((noinline)) bool
is_past_limit (const Worker *self)
{
  gint64 deadline_us = self->grid->deadline_us;
  gint64 cpu_limit_us = self->grid->launch->cpu_limit_ms * 1000;

  return (deadline_us > 0 && g_get_monotonic_time () > deadline_us) ||
         (cpu_limit_us > 0 && get_thread_us () - self->begin_us > cpu_limit_us);
}

/* Whether time is up, after @issued more instructions. */
static inline bool
is_late (Worker *self, uint64_t issued)
{
  self->unseen += issued + LOOK_TURN;
  if (self->unseen < LOOK_EVERY)
    return false;
  self->unseen = 0;
  return is_past_limit (self);
}

/* Runs a cluster for up to @left instructions, @turn at a time for each warp of each block in turn.
 * Returns: FALSE if it has not ended */
static bool
cluster_run (Worker *self, CuredCluster *cluster, uint64_t left, uint32_t turn)
{
  CuredPtxGrid *grid = self->grid;
  const CuredLaunch *launch = grid->launch;
  uint64_t state = launch->seed * 2654435761u + cluster->blocks[0]->index;
  uint64_t *random = launch->seed != 0 ? &state : NULL;
  CuredBlock *alive = NULL;

  while ((alive = cluster_get_alive (cluster)) != NULL && left > 0)
    {
      bool has_run = false;
      uint64_t issued = 0;
      uint32_t first = 0;

      if (random != NULL && cluster->n_blocks > 1)
        first = random_below (random, cluster->n_blocks);
      for (uint32_t i = 0; i < cluster->n_blocks; i++)
        {
          CuredBlock *block = cluster->blocks[(first + i) % cluster->n_blocks];

          if (block->n_alive > 0)
            has_run = block_run (block, turn, random, &issued) || has_run;
          if (g_atomic_int_get (&grid->stop) != CURED_END_DONE)
            return cluster_get_alive (cluster) == NULL;
        }
      if (!_cured_cluster_release (cluster) && !has_run && !_cured_cluster_wake (cluster))
        {
          report_deadlock (alive);
          _cured_grid_stop (grid, CURED_END_DEADLOCK);
          return cluster_get_alive (cluster) == NULL;
        }
      if (_cured_cluster_stalls (cluster))
        {
          _cured_grid_stop (grid, CURED_END_DEADLOCK);
          return cluster_get_alive (cluster) == NULL;
        }
      left -= MIN (left, issued);
      if ((launch->max_instructions != 0 &&
           __atomic_add_fetch (&grid->issued, issued, __ATOMIC_RELAXED) >
               launch->max_instructions) ||
          is_late (self, issued) || g_cancellable_is_cancelled (self->cancellable))
        _cured_grid_stop (grid, CURED_END_TIMED_OUT);
    }
  return cluster_get_alive (cluster) == NULL;
}

/* ---- Host threads ---- */

static uint64_t
get_gcd (uint64_t a, uint64_t b)
{
  while (b != 0)
    {
      uint64_t rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

/* The @n-th cluster to start. */
static uint64_t
get_cluster_index (const CuredPtxGrid *grid, uint64_t n)
{
  uint64_t seed = grid->launch->seed;

  /* A larger grid would never end, and n × step must not overflow. */
  if (seed != 0 && grid->n_clusters > 1 && grid->n_clusters < UINT32_MAX)
    {
      uint64_t step = seed % grid->n_clusters | 1;

      while (get_gcd (step, grid->n_clusters) != 1)
        step++;
      n = (n * step + seed % grid->n_clusters) % grid->n_clusters;
    }
  return grid->clusters != NULL ? grid->clusters[n] : n;
}

static gpointer
work (gpointer data)
{
  Worker *self = data;
  CuredPtxGrid *grid = self->grid;
  CuredCluster *cluster;

  self->begin_us = get_thread_us ();
  for (;;)
    {
      bool is_stopped = g_atomic_int_get (&grid->stop) != CURED_END_DONE;

      if (!is_stopped && self->live.length < self->max_live)
        {
          uint64_t n = __atomic_fetch_add (&grid->next, 1, __ATOMIC_RELAXED);

          if (n < grid->n_clusters)
            {
              cluster = g_queue_pop_head (&self->spare);
              if (cluster == NULL)
                cluster = cluster_new (grid, &self->tally);
              cluster_start (cluster, get_cluster_index (grid, n));
              g_queue_push_head (&self->live, cluster);
            }
        }
      cluster = g_queue_pop_head (&self->live);
      if (cluster == NULL)
        break;
      if (is_stopped)
        {
          cluster_describe (cluster);
          cluster_end (cluster);
          cluster_free (cluster);
        }
      else if (cluster_run (self, cluster,
                            grid->launch->is_cooperative ? COOPERATIVE_TURN : BLOCK_TURN,
                            CURED_WARP_TURN))
        {
          cluster_end (cluster);
          __atomic_fetch_add (&grid->report->n_blocks_run, cluster->n_blocks, __ATOMIC_RELAXED);
          g_queue_push_head (&self->spare, cluster);
        }
      else
        g_queue_push_tail (&self->live, cluster);
    }
  while ((cluster = g_queue_pop_head (&self->spare)) != NULL)
    cluster_free (cluster);
  return NULL;
}

/* ---- The order of a chip ---- */

/* Puts the grid's next cluster into a free place; FALSE: no cluster is left. */
static bool
start_next (Worker *self, CuredCluster **place, uint64_t slot)
{
  CuredPtxGrid *grid = self->grid;
  CuredCluster *cluster = *place;

  if (grid->next >= grid->n_clusters)
    return false;
  if (cluster == NULL)
    cluster = *place = cluster_new (grid, &self->tally);
  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    {
      CuredBlock *block = cluster->blocks[b];

      block->slot = slot * cluster->n_blocks + b;
      block->sm = (uint32_t) (block->slot % get_n_sms (grid->launch));
    }
  cluster_start (cluster, get_cluster_index (grid, grid->next++));
  return true;
}

/* Blocks are assigned to the multiprocessors in turn, one each, then a second one each, and so on
 * until all are full; afterwards one starts wherever one has ended. The blocks of a cluster start
 * together. */
static void
work_as_chip (Worker *self)
{
  CuredPtxGrid *grid = self->grid;
  const CuredLaunch *launch = grid->launch;
  uint32_t n_blocks = grid->cluster[0] * grid->cluster[1] * grid->cluster[2];
  uint64_t n_slots =
      MAX ((uint64_t) get_n_sms (launch) * MAX (launch->resident_blocks, 1) / n_blocks, 1);
  uint64_t n_used = MIN (n_slots, grid->n_clusters);
  g_autofree CuredCluster **slots = g_new0 (CuredCluster *, n_used);
  g_autofree bool *is_live = g_new0 (bool, n_used);
  uint32_t turn = launch->turn > 0 ? launch->turn : CHIP_TURN;
  uint64_t n_live = 0;

  self->begin_us = get_thread_us ();
  for (uint64_t i = 0; i < n_used; i++)
    n_live += is_live[i] = start_next (self, &slots[i], i);
  while (n_live > 0 && g_atomic_int_get (&grid->stop) == CURED_END_DONE)
    for (uint64_t i = 0; i < n_used; i++)
      {
        if (!is_live[i] || !cluster_run (self, slots[i], 1, turn))
          continue;
        cluster_end (slots[i]);
        grid->report->n_blocks_run += n_blocks;
        is_live[i] = start_next (self, &slots[i], i);
        n_live -= !is_live[i];
      }
  for (uint64_t i = 0; i < n_used; i++)
    {
      if (is_live[i])
        {
          cluster_describe (slots[i]);
          cluster_end (slots[i]);
        }
      cluster_free (slots[i]);
    }
}

/* Blocks are assigned to the multiprocessors in turn, and each executes its first instructions
 * before the next one starts: a caller that examines only the beginnings of blocks need not keep
 * them all. */
static void
work_first (Worker *self)
{
  CuredPtxGrid *grid = self->grid;
  const CuredLaunch *launch = grid->launch;
  uint32_t turn = launch->turn > 0 ? launch->turn : CHIP_TURN;
  CuredCluster *cluster = NULL;

  self->begin_us = get_thread_us ();
  for (uint64_t i = 0;
       g_atomic_int_get (&grid->stop) == CURED_END_DONE && start_next (self, &cluster, i); i++)
    {
      cluster_run (self, cluster, launch->first_instructions * cluster->n_blocks, turn);
      cluster_end (cluster);
      grid->report->n_blocks_run += cluster->n_blocks;
    }
  cluster_free (cluster);
}

/* ---- The launch ---- */

/* Local memory per lane: without recursion, the sum over all functions is enough. */
static gsize
get_stack_bytes (const CuredLaunch *launch, const CuredPtxFunction *entry)
{
  const CuredPtxModule *module = launch->module;
  gsize bytes = entry->local_bytes, others = 0;

  if (launch->stack_bytes != 0)
    return (launch->stack_bytes + 63) & ~(gsize) 63;
  for (guint i = 0; i < module->n_functions; i++)
    if (!module->functions[i].is_entry && module->functions[i].is_defined)
      others += module->functions[i].local_bytes + 64;
  bytes += others;
  if (others > 0 && module->has_recursion)
    bytes = MAX (bytes, RECURSION_STACK_BYTES);
  return (bytes + 63) & ~(gsize) 63;
}

static const CuredPtxFunction *
find_function (const CuredPtxModule *module, const char *name)
{
  for (guint i = 0; i < module->n_functions; i++)
    if (module->functions[i].is_entry && module->functions[i].is_defined &&
        g_str_equal (module->functions[i].name, name))
      return &module->functions[i];
  return NULL;
}

/* Sets the cluster's dimensions: the launch's, or else those that the kernel requires. */
static gboolean
check_cluster (const CuredLaunch *launch, const CuredPtxFunction *entry, CuredPtxGrid *grid,
               GError **error)
{
  const guint *asked = launch->cluster[0] != 0 ? launch->cluster : entry->cluster;
  guint64 n_blocks = 1;

  grid->cluster[0] = grid->cluster[1] = grid->cluster[2] = 1;
  grid->is_clustered = asked[0] != 0;
  if (!grid->is_clustered)
    return TRUE;
  if (entry->cluster[0] != 0 && memcmp (asked, entry->cluster, sizeof entry->cluster) != 0)
    return cured_fail (
        error, CURED_ERROR_NOT_LAUNCHABLE,
        _ ("%s is compiled for clusters of %u × %u × %u blocks (__cluster_dims__), and "
           "the launch asks for %u × %u × %u"),
        launch->entry, entry->cluster[0], entry->cluster[1], entry->cluster[2], asked[0], asked[1],
        asked[2]);
  for (int i = 0; i < 3; i++)
    n_blocks =
        asked[i] == 0 || asked[i] > CURED_MAX_CLUSTER ? CURED_MAX_CLUSTER + 1 : n_blocks * asked[i];
  if (n_blocks > CURED_MAX_CLUSTER)
    return cured_fail (error, CURED_ERROR_NOT_LAUNCHABLE,
                       _ ("A cluster of %u × %u × %u blocks: it has to have 1 to %d"), asked[0],
                       asked[1], asked[2], CURED_MAX_CLUSTER);
  for (int i = 0; i < 3; i++)
    {
      grid->cluster[i] = asked[i];
      if (launch->grid[i] % asked[i] == 0)
        continue;
      return cured_fail (
          error, CURED_ERROR_NOT_LAUNCHABLE,
          _ ("A grid of %u × %u × %u blocks is no multiple of clusters of %u × %u × %u"),
          launch->grid[0], launch->grid[1], launch->grid[2], asked[0], asked[1], asked[2]);
    }
  return TRUE;
}

/* The clusters of the blocks to run, each once, in the order given. */
static void
choose_clusters (CuredPtxGrid *grid)
{
  const CuredLaunch *launch = grid->launch;
  const guint *size = launch->grid, *cluster = grid->cluster;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  grid->clusters = g_new (uint64_t, launch->n_blocks + 1);
  grid->n_clusters = 0;
  for (gsize i = 0; i < launch->n_blocks; i++)
    {
      guint64 block = launch->blocks[i], x = block % size[0] / cluster[0];
      guint64 y = block / size[0] % size[1] / cluster[1];
      guint64 z = block / size[0] / size[1] / cluster[2];
      guint64 index = x + size[0] / cluster[0] * (y + (guint64) size[1] / cluster[1] * z);

      if (g_hash_table_add (seen, g_memdup2 (&index, sizeof index)))
        grid->clusters[grid->n_clusters++] = index;
    }
  grid->n_blocks = grid->n_clusters * (guint64) cluster[0] * cluster[1] * cluster[2];
}

/* Checks the block against `.maxntid` and `.reqntid`, which the driver enforces. */
static gboolean
check_block (const CuredLaunch *launch, const CuredPtxFunction *entry, gsize threads,
             GError **error)
{
  if (entry->max_threads > 0 && threads > (gsize) entry->max_threads)
    return cured_fail (
        error, CURED_ERROR_NOT_LAUNCHABLE,
        _ ("%s is compiled for at most %d threads per block (__launch_bounds__, or .maxntid of "
           "PTX), and the launch has %" PRId64 ": raise the bound, or make Block= smaller"),
        launch->entry, entry->max_threads, (gint64) threads);
  if (entry->block[0] != 0 && memcmp (entry->block, launch->block, sizeof entry->block) != 0)
    return cured_fail (
        error, CURED_ERROR_NOT_LAUNCHABLE,
        _ ("%s is compiled for blocks of %u × %u × %u threads alone (.reqntid), and the "
           "launch has %u × %u × %u: write Block=%u,%u,%u"),
        launch->entry, entry->block[0], entry->block[1], entry->block[2], launch->block[0],
        launch->block[1], launch->block[2], entry->block[0], entry->block[1], entry->block[2]);
  return TRUE;
}

static gboolean
check_launch (const CuredLaunch *launch, CuredPtxGrid *grid, gsize *stack_bytes, GError **error)
{
  const CuredPtxFunction *entry = find_function (launch->module, launch->entry);
  gsize threads, blocks;

  if (entry == NULL)
    return cured_fail (error, CURED_ERROR_NOT_FOUND, _ ("The module has no kernel “%s”"),
                       launch->entry);
  if (!g_size_checked_mul (&threads, launch->block[0], launch->block[1]) ||
      !g_size_checked_mul (&threads, threads, launch->block[2]) || threads == 0 ||
      threads > MAX_THREADS)
    return cured_fail (error, CURED_ERROR_NOT_LAUNCHABLE,
                       _ ("A block of %u × %u × %u threads: it has to have 1 to %d"),
                       launch->block[0], launch->block[1], launch->block[2], MAX_THREADS);
  if (!check_block (launch, entry, threads, error))
    return FALSE;
  if (!g_size_checked_mul (&blocks, launch->grid[0], launch->grid[1]) ||
      !g_size_checked_mul (&blocks, blocks, launch->grid[2]) || blocks == 0)
    return cured_fail (error, CURED_ERROR_NOT_LAUNCHABLE,
                       _ ("A grid of %u × %u × %u blocks can't be launched"), launch->grid[0],
                       launch->grid[1], launch->grid[2]);
  for (gsize i = 0; i < launch->n_blocks && launch->blocks != NULL; i++)
    if (launch->blocks[i] >= blocks)
      return cured_fail (error, CURED_ERROR_INVALID,
                         _ ("There is no block %" PRIu64 ": the grid has %zu, counted from 0"),
                         launch->blocks[i], blocks);
  if (entry->shared_bytes > MAX_SHARED_BYTES || launch->shared_bytes > MAX_SHARED_BYTES)
    return cured_fail (error, CURED_ERROR_NOT_LAUNCHABLE,
                       _ ("%s needs %zu bytes of shared memory per block"), launch->entry,
                       entry->shared_bytes + launch->shared_bytes);
  if (launch->parameters_bytes < entry->parameter_bytes)
    return cured_fail (error, CURED_ERROR_INVALID,
                       _ ("%s takes %zu bytes of parameters, and the launch gives it %zu"),
                       launch->entry, entry->parameter_bytes, launch->parameters_bytes);
  *stack_bytes = get_stack_bytes (launch, entry);
  if (*stack_bytes > MAX_STACK_BYTES)
    return cured_fail (
        error, CURED_ERROR_NOT_LAUNCHABLE,
        _ ("%s needs %zu bytes of local memory per thread; a device gives at most %zu"),
        launch->entry, *stack_bytes, MAX_STACK_BYTES);
  if (!check_cluster (launch, entry, grid, error))
    return FALSE;
  grid->entry = entry;
  grid->n_blocks = blocks;
  grid->n_clusters = blocks / ((gsize) grid->cluster[0] * grid->cluster[1] * grid->cluster[2]);
  if (launch->blocks != NULL)
    choose_clusters (grid);
  return TRUE;
}

/* See CuredObserverClass. */
static CuredTelling
get_telling (const CuredPtxGrid *grid, const CuredPtxInst *inst)
{
  CuredTelling telling =
      inst->op == CURED_PTX_OP_ld && inst->words[CURED_PTX_GROUP_SPACE] == CURED_PTX_SPACE_SHARED
          ? CURED_TELL_LATER
          : CURED_TELL_FIRST;

  if (inst->op != CURED_PTX_OP_ld && inst->op != CURED_PTX_OP_st)
    return CURED_TELL_ALL;
  for (uint32_t i = 0; i < grid->n_observers; i++)
    {
      const CuredObserverClass *klass = grid->observers[i]->klass;

      if (klass->access != NULL && klass->get_telling == NULL)
        return CURED_TELL_ALL;
      if (klass->access != NULL)
        telling = MIN (telling, klass->get_telling (grid->observers[i], inst));
    }
  return telling;
}

static void
add_observers (CuredPtxGrid *grid, GPtrArray *observers)
{
  const CuredLaunch *launch = grid->launch;

  /* ORDER: the detectors read memory as it was before the access. */
  if ((launch->watch & CURED_WATCH_UNDEFINED) != 0)
    g_ptr_array_add (observers, _cured_undefined_detector_new (grid));
  if ((launch->watch & CURED_WATCH_RACES) != 0)
    {
      CuredObserver *maps = _cured_map_detector_new (grid);

      g_ptr_array_add (observers, _cured_race_detector_new (grid));
      if (maps != NULL)
        g_ptr_array_add (observers, maps);
    }
  if ((launch->watch & CURED_WATCH_COUNTS) != 0 && !is_as_chip (launch))
    g_ptr_array_add (observers, _cured_counter_new (grid));
  if ((launch->watch & CURED_WATCH_REUSE) != 0)
    g_ptr_array_add (observers, _cured_reuse_new (grid));
  if (launch->trace != NULL)
    g_ptr_array_add (observers, _cured_tracer_new (grid));
  if (launch->caches != NULL)
    g_ptr_array_add (observers, _cured_cacher_new (grid));
  grid->observers = (CuredObserver **) observers->pdata;
  grid->n_observers = observers->len;
  for (uint32_t i = 0; i < grid->n_observers; i++)
    grid->observers[i]->index = i;
  grid->telling = g_new (uint8_t, MAX (grid->module->n_code, 1));
  for (guint site = 0; site < grid->module->n_code; site++)
    grid->telling[site] = (uint8_t) get_telling (grid, &grid->module->code[site]);
}

static void
add_tally (CuredReport *report, const CuredTally *tally)
{
  CuredRunCounts run = { 0 };

  report->instructions += tally->instructions;
  report->lane_instructions += tally->lane_instructions;
  report->barriers += tally->barriers;
  report->squares += tally->squares;
  report->longest = MAX (report->longest, tally->longest);
  for (guint i = 0; tally->counts != NULL && i < report->n_counts; i++)
    {
      /* It consists of counts only. */
      guint64 *to = (guint64 *) &report->counts[i];
      const guint64 *from = (const guint64 *) &tally->counts[i];

      for (gsize k = 0; k < sizeof (CuredSiteCounts) / sizeof *to; k++)
        to[k] += from[k];
      run.issued += tally->runs[i].issued;
      run.lanes += tally->runs[i].lanes;
      report->counts[i].issued += run.issued;
      report->counts[i].lanes += run.lanes;
    }
}

/* ---- Allocations and hot addresses ---- */

static void
add_regions (CuredPtxGrid *grid, const Worker *workers, guint n_workers)
{
  CuredReport *report = grid->report;
  const GPtrArray *regions = grid->memory->regions;

  report->regions = g_new0 (CuredRegionCounts, regions->len + 1);
  CURED_EACH_POINTER (const CuredRegion, region, regions)
    {
      CuredRegionCounts *to = &report->regions[report->n_regions];

      for (guint w = 0; w < n_workers; w++)
        {
          to->read += workers[w].tally.regions[region->index].read;
          to->written += workers[w].tally.regions[region->index].written;
          to->once += workers[w].tally.regions[region->index].once;
          to->by_block += workers[w].tally.regions[region->index].by_block;
          to->by_all += workers[w].tally.regions[region->index].by_all;
          to->by_pair += workers[w].tally.regions[region->index].by_pair;
        }
      if (to->read + to->written + to->by_block == 0)
        continue;
      if ((grid->launch->watch & CURED_WATCH_REUSE) == 0)
        to->once = to->read;
      to->name = g_strdup (region->name);
      to->bytes = region->high - region->low;
      report->n_regions++;
    }
}

/* The address with the most atomic operations, over all host threads. */
static double
find_hottest (const CuredPtxGrid *grid, const Worker *workers, guint n_workers)
{
  const guint *size = grid->launch->grid;
  double n_blocks = (double) size[0] * size[1] * size[2];
  g_autoptr (GHashTable) all = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  GHashTableIter iter;
  gpointer value;
  double hottest = 0;

  for (guint w = 0; w < n_workers; w++)
    for (guint i = 0; workers[w].tally.hot != NULL && i < CURED_N_HOT; i++)
      {
        const CuredHotAddress *from = &workers[w].tally.hot[i];

        if (from->address == 0)
          continue;
        CuredHotAddress *to = g_hash_table_lookup (all, &from->address);
        if (to == NULL)
          {
            to = g_new (CuredHotAddress, 1);
            *to = *from;
            g_hash_table_insert (all, &to->address, to);
            continue;
          }
        to->count += from->count;
        to->is_shared |= from->is_shared || from->block != to->block;
      }
  g_hash_table_iter_init (&iter, all);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const CuredHotAddress *hot = value;
      double scale = hot->is_shared ? n_blocks / (double) MAX (grid->n_blocks, 1) : 1;

      hottest = MAX (hottest, (double) hot->count * scale);
    }
  return hottest;
}

static int
compare_outputs (gconstpointer a, gconstpointer b)
{
  const Output *const *left = a;
  const Output *const *right = b;

  return ((*left)->block > (*right)->block) - ((*left)->block < (*right)->block);
}

/* The output of the blocks, in block order, whenever each of them ran. */
static void
join_outputs (CuredPtxGrid *grid, CuredReport *report)
{
  g_ptr_array_sort (grid->outputs, compare_outputs);
  CURED_EACH_POINTER (Output, output, grid->outputs)
    {
      if (report->output == NULL)
        report->output = g_string_new (NULL);
      if (report->output->len < CURED_OUTPUT_BYTES)
        g_string_append_len (report->output, output->text->str, (gssize) output->text->len);
      g_string_free (output->text, TRUE);
      g_free (output);
    }
}

static void
describe_end (CuredPtxGrid *grid, CuredReport *report)
{
  const CuredLaunch *launch = grid->launch;

  if (report->end == CURED_END_DONE)
    return;
  GString *text = g_string_new (NULL);
  switch (report->end)
    {
    case CURED_END_TIMED_OUT:
      if (launch->max_instructions != 0 && grid->issued > launch->max_instructions)
        {
          g_autofree char *issued = cured_format_count ((gint64) grid->issued);

          g_string_append_printf (text, _ ("%s was stopped after %s instructions of warps"),
                                  launch->entry, issued);
        }
      else
        g_string_append_printf (
            text, _ ("%s was stopped after %.1f s"), launch->entry,
            (double) (launch->cpu_limit_ms > 0 ? launch->cpu_limit_ms : launch->time_limit_ms) /
                1000);
      break;
    case CURED_END_TRAPPED:
      g_string_append_printf (text, _ ("%s stopped itself"), launch->entry);
      break;
    case CURED_END_DEADLOCK:
      g_string_append_printf (text, _ ("%s can't continue: it waits for ever"), launch->entry);
      break;
    case CURED_END_DONE:
    default: break;
    }
  if (grid->where->len > 0)
    {
      g_string_append (text, "\n");
      g_string_append (text, grid->where->str);
    }
  g_strchomp (text->str);
  report->end_text = g_string_free (text, FALSE);
}

/* The number of clusters that a host thread may keep alive. */
static guint
get_max_live (const CuredPtxGrid *grid, guint n_threads)
{
  const CuredLaunch *launch = grid->launch;
  gsize threads = (gsize) launch->block[0] * launch->block[1] * launch->block[2];
  gsize warps = (threads + CURED_WARP_LANES - 1) / CURED_WARP_LANES;
  gsize bytes = grid->entry->shared_bytes + launch->shared_bytes +
                warps * (sizeof (CuredWarp) + grid->entry->frame_bytes +
                         (gsize) CURED_WARP_LANES * grid->stack_bytes);

  for (guint i = 0; i < grid->n_observers; i++)
    bytes += grid->observers[i]->klass->state_size;
  bytes *= (gsize) grid->cluster[0] * grid->cluster[1] * grid->cluster[2];
  gsize n = LIVE_BYTES / n_threads / MAX (bytes, 1);
  return (guint) CLAMP (n, 1, LIVE_BLOCKS);
}

/* A cooperative launch keeps all blocks alive at once, and has a workspace for their barrier. */
static gboolean
prepare_cooperation (CuredPtxGrid *grid, guint n_threads, GError **error)
{
  const CuredLaunch *launch = grid->launch;
  guint64 places = (guint64) get_max_live (grid, n_threads) * n_threads * grid->cluster[0] *
                   grid->cluster[1] * grid->cluster[2];

  if (is_as_chip (launch) || launch->blocks != NULL)
    return cured_fail (
        error, CURED_ERROR_NOT_LAUNCHABLE,
        _ ("The blocks of %s wait for each other (a cooperative launch): it runs whole, "
           "or not at all"),
        launch->entry);
  if (grid->n_blocks > places)
    return cured_fail (error, CURED_ERROR_NOT_LAUNCHABLE,
                       _ ("A cooperative launch of %" PRIu64
                          " blocks: the emulator keeps at most %" PRIu64
                          " of this size alive at once"),
                       grid->n_blocks, places);
  if (!cured_memory_allocate (launch->memory, WORKSPACE_BYTES, &grid->workspace, error))
    return FALSE;
  memset (cured_memory_map (launch->memory, grid->workspace, WORKSPACE_BYTES), 0, WORKSPACE_BYTES);
  cured_memory_label (launch->memory, grid->workspace, WORKSPACE_BYTES, "grid barrier", 4, FALSE);
  return TRUE;
}

/* ---- What is learned ---- */

static GMutex learned_mutex;

CURED_FREE_FUNC (CuredLearned, learned_free, shapes, g_free, last_shapes, g_free, known, g_free)

/* Takes what an earlier launch of the module learned, if there was one. */
static void
take_learned (const CuredLaunch *launch, CuredLearned *learned)
{
  CuredPtxModule *module = launch->module;
  CuredLearned *first = NULL;

  g_mutex_lock (&learned_mutex);
  if (module->learned != NULL)
    {
      first = module->learned->data;
      module->learned = g_slist_delete_link (module->learned, module->learned);
    }
  g_mutex_unlock (&learned_mutex);
  if (first != NULL)
    *learned = *first;
  g_free (first);
  if (learned->arch != launch->bank_arch)
    g_clear_pointer (&learned->known, g_free);
  learned->arch = launch->bank_arch;
}

static void
give_learned (CuredPtxModule *module, const CuredLearned *learned)
{
  g_mutex_lock (&learned_mutex);
  module->learned = g_slist_prepend (module->learned, g_memdup2 (learned, sizeof *learned));
  module->learned_free = (GDestroyNotify) learned_free;
  g_mutex_unlock (&learned_mutex);
}

static gpointer
free_observers (gpointer data)
{
  g_autoptr (GPtrArray) observers = data;

  CURED_EACH_POINTER (CuredObserver, observer, observers)
    if (observer->klass->free != NULL)
      observer->klass->free (observer);
  return NULL;
}

/* @launch: what to run
 * @report: a zeroed report, which is filled in; clear it also after an error
 * @cancellable: (nullable): stops the launch
 * @error: return location
 *
 * Runs a kernel on this machine's processors. Blocks. A kernel's mistakes are in the report, and
 * the result is TRUE. A launch ends in any case if a cap or a time limit is given; without one, a
 * kernel that spins for ever does not.
 *
 * Counts, findings and printed output do not depend on the number of host threads, nor does memory
 * if the kernel has no race.
 * Returns: FALSE if nothing ran: %CURED_ERROR_NOT_FOUND (no such kernel),
 *   %CURED_ERROR_NOT_LAUNCHABLE, %CURED_ERROR_INVALID; or %G_IO_ERROR_CANCELLED */
gboolean
cured_emulator_launch (const CuredLaunch *launch, CuredReport *report, GCancellable *cancellable,
                       GError **error)
{
  CuredPtxGrid grid = {
    .launch = launch, .report = report, .module = launch->module, .memory = launch->memory
  };
  g_autoptr (GPtrArray) observers = g_ptr_array_new ();
  g_autofree GThread **threads = NULL;
  g_autoptr (CuredSlice) slice = NULL;
  gsize stack_bytes = 0;

  if (g_cancellable_set_error_if_cancelled (cancellable, error) ||
      !check_launch (launch, &grid, &stack_bytes, error))
    return FALSE;
  const CuredCleared whole[] = { { 0, grid.entry->frame_bytes }, { 0, 0 } };
  grid.stack_bytes = (uint32_t) stack_bytes;
  guint n_threads = launch->threads != 0 ? launch->threads : g_get_num_processors ();
  n_threads = (guint) CLAMP (grid.n_clusters, 1, MIN (n_threads, 256));
  if (is_as_chip (launch))
    n_threads = 1;
  if (launch->is_cooperative && !prepare_cooperation (&grid, n_threads, error))
    {
      g_free (grid.clusters);
      return FALSE;
    }
  if (launch->time_limit_ms > 0)
    grid.deadline_us = g_get_monotonic_time () + launch->time_limit_ms * 1000;
  g_mutex_init (&grid.mutex);
  grid.outputs = g_ptr_array_new ();
  grid.where = g_string_new (NULL);
  if (report->findings == NULL)
    report->findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  if ((launch->watch & CURED_WATCH_COUNTS) != 0)
    {
      report->n_counts = launch->module->n_code;
      report->counts = g_new0 (CuredSiteCounts, report->n_counts + 1);
    }
  if (launch->caches != NULL)
    {
      report->n_traffic = launch->module->n_code;
      report->traffic = g_new0 (CuredCacheTraffic, report->n_traffic + 1);
    }
  if (is_as_chip (launch))
    {
      slice = _cured_slice_new (launch->module);
      grid.actions = slice->actions;
      report->is_data_needed = slice->is_data_needed;
    }
  if (is_as_chip (launch) || launch->is_counting)
    grid.spared = _cured_slice_find_spared (launch->module);
  add_observers (&grid, observers);
  if (grid.actions == NULL)
    grid.native =
        _cured_native_prepare (launch->module, grid.entry,
                               (launch->watch & CURED_WATCH_COUNTS) != 0, grid.n_observers > 0);
  grid.clear = _cured_native_get_cleared (launch->module, grid.entry);
  if (grid.clear == NULL)
    grid.clear = whole;

  g_autofree Worker *workers = g_new0 (Worker, n_threads);
  threads = g_new0 (GThread *, n_threads);
  for (guint i = 0; i < n_threads; i++)
    {
      workers[i].grid = &grid;
      workers[i].cancellable = cancellable;
      workers[i].max_live = get_max_live (&grid, n_threads);
      take_learned (launch, &workers[i].tally.learned);
      if ((launch->watch & CURED_WATCH_COUNTS) != 0)
        {
          workers[i].tally.counts = g_new0 (CuredSiteCounts, report->n_counts + 1);
          workers[i].tally.runs = g_new0 (CuredRunCounts, report->n_counts + 1);
          workers[i].tally.regions =
              g_malloc0_n (launch->memory->next_index + 1, sizeof *workers[i].tally.regions);
          if (grid.native != NULL)
            {
              workers[i].tally.n_counted = grid.native->n_counts;
              workers[i].tally.counted = g_new0 (uint64_t, workers[i].tally.n_counted);
            }
        }
      if (i > 0)
        threads[i] = g_thread_try_new ("cured-emulator", work, &workers[i], NULL);
      /* A cooperative grid needs all its places: this thread also takes those of one that could
       * not be started. */
      if (i > 0 && threads[i] == NULL)
        workers[0].max_live += workers[i].max_live;
    }
  if (is_as_chip (launch) && launch->first_instructions > 0)
    work_first (&workers[0]);
  else if (is_as_chip (launch))
    work_as_chip (&workers[0]);
  else
    work (&workers[0]);
  for (guint i = 0; i < n_threads; i++)
    {
      if (threads[i] != NULL)
        g_thread_join (threads[i]);
      if (workers[i].tally.counted != NULL)
        _cured_native_add_counts (grid.native, workers[i].tally.counted, workers[i].tally.n_counted,
                                  workers[i].tally.counts, &workers[i].tally.lane_instructions);
      add_tally (report, &workers[i].tally);
    }
  if ((launch->watch & CURED_WATCH_COUNTS) != 0)
    {
      add_regions (&grid, workers, n_threads);
      report->hottest = find_hottest (&grid, workers, n_threads);
    }
  for (guint i = 0; i < n_threads; i++)
    {
      g_free (workers[i].tally.counts);
      g_free (workers[i].tally.runs);
      g_free (workers[i].tally.counted);
      g_free (workers[i].tally.regions);
      g_free (workers[i].tally.hot);
      g_free (workers[i].tally.mixed);
      give_learned (launch->module, &workers[i].tally.learned);
    }

  report->end = (CuredEnd) grid.stop;
  join_outputs (&grid, report);
  describe_end (&grid, report);
  _cured_grid_finish_findings (&grid);
  g_free (grid.telling);
  /* Freeing the detectors of a stopped launch can take seconds. */
  GThread *freeing = g_cancellable_is_cancelled (cancellable)
                         ? g_thread_try_new ("cured-free", free_observers, observers, NULL)
                         : NULL;
  if (freeing != NULL)
    g_thread_unref (freeing);
  else
    free_observers (observers);
  observers = NULL;
  if (grid.workspace != 0)
    cured_memory_release (launch->memory, grid.workspace);
  g_free (grid.clusters);
  g_free (grid.spared);
  g_ptr_array_unref (grid.outputs);
  g_string_free (grid.where, TRUE);
  g_mutex_clear (&grid.mutex);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}
