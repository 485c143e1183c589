/* SPDX-License-Identifier: MIT
 * The cache traffic of each launch of a program: runs the program on the emulator, in the chip's
 * order and in separate memory. */
#include "device/cured-launch-traffic-internal.h"

#include "base/cured-base-internal.h"
#include "device/cured-emulated-internal.h"
#include "ptx/cured-ptx-internal.h"
#include "ptx/emulator/cured-slice-internal.h"
#include "ptx/watch/cured-caches-internal.h"

/* If a launch has more accesses, some blocks represent all. */
#define MAX_REQUESTS 3e7

/* Limit of repetitions of a step that are run; the last two represent the others, so that both are
 * covered if swapped buffers alternate. */
#define MAX_TURNS 4

#define SECTOR_BYTES 32

typedef struct
{
  const CuredTrafficQuery *query;
  CuredEmulated emulated;
  CuredCaches *caches;
  GPtrArray *launches;
  gboolean is_data_needed;
  GCancellable *cancellable;
} Run;

/* ---- Launches ---- */

/* @self: (transfer full) (nullable): traffic of a launch */
CURED_DEFINE_FREE (CuredLaunchTraffic, cured_launch_traffic_free, entry, g_free, lines,
                   g_array_unref)

/* @launches: (element-type CuredLaunchTraffic): launches of a program
 * @sum: (out caller-allocates): sum of all, including the launches that they represent; dirty bytes
 *   are those after the last one */
void
cured_launch_traffic_sum (const GPtrArray *launches, CuredCacheTraffic *sum)
{
  *sum = (CuredCacheTraffic){ 0 };
  CURED_EACH_POINTER (const CuredLaunchTraffic, launch, launches)
    {
      cured_cache_traffic_add (sum, &launch->traffic, (double) launch->repeat);
      sum->dirty_bytes = launch->traffic.dirty_bytes;
    }
}

CURED_COMPARE_FUNC (CuredLineTraffic, compare_lines, line)

static gboolean
is_own_file (const char *path, const char *file_name)
{
  g_autofree char *name = g_path_get_basename (path);

  return g_str_equal (name, file_name);
}

static void
add_lines (const Run *self, CuredLaunchTraffic *launch, const CuredReport *report, double factor)
{
  const CuredPtxModule *module = self->emulated.module;

  for (guint site = 0; site < report->n_traffic; site++)
    {
      const CuredPtxInst *inst = &module->code[site];
      CuredLineTraffic key = { 0 };
      guint index = 0;

      if (report->traffic[site].l1_requests == 0)
        continue;
      if (inst->line > 0 && is_own_file (module->files[inst->file], self->query->file_name))
        key.line = inst->line;
      while (index < launch->lines->len &&
             g_array_index (launch->lines, CuredLineTraffic, index).line != key.line)
        index++;
      if (index == launch->lines->len)
        g_array_append_val (launch->lines, key);
      cured_cache_traffic_add (&g_array_index (launch->lines, CuredLineTraffic, index).traffic,
                               &report->traffic[site], factor);
    }
}

/* ---- Blocks ---- */

/* Runs the blocks from @first to before @last, and adds their traffic, times @factor; 0: they only
 * warm the caches up. */
static gboolean
run_blocks (Run *self, CuredLaunchTraffic *launch, guint64 first, guint64 last, double factor,
            GError **error)
{
  const CuredProgramStep *step = &self->query->program->steps[launch->step];
  g_autofree guint64 *blocks = NULL;
  g_auto (CuredReport) report = { 0 };
  CuredEmulated emulated = self->emulated;
  CuredCacheTraffic sum = { 0 };
  double dirty_before = (double) _cured_caches_get_dirty_bytes (self->caches);

  if (first >= last)
    return TRUE;
  if (first > 0 || last < launch->blocks)
    {
      blocks = g_new (guint64, last - first);
      for (guint64 i = first; i < last; i++)
        blocks[i - first] = i;
    }
  emulated.emulation.caches = self->caches;
  emulated.emulation.resident_blocks = launch->resident_blocks;
  emulated.emulation.turn = self->query->turn;
  emulated.emulation.block_list = blocks;
  emulated.emulation.n_block_list = blocks != NULL ? last - first : 0;
  if (!_cured_emulated_launch (&emulated, step, launch->turn, &report, error))
    return FALSE;
  if (report.end != CURED_END_DONE)
    {
      g_set_error (error, CURED_ERROR,
                   report.end == CURED_END_TIMED_OUT ? CURED_ERROR_TIMED_OUT : CURED_ERROR_DEVICE,
                   "%s", report.end_text);
      return FALSE;
    }
  for (guint site = 0; site < report.n_traffic; site++)
    cured_cache_traffic_add (&sum, &report.traffic[site], 1);
  sum.dirty_bytes = (double) _cured_caches_get_dirty_bytes (self->caches) - dirty_before;
  cured_cache_traffic_add (&launch->traffic, &sum, factor);
  if (factor > 0)
    {
      launch->blocks_run += report.n_blocks_run;
      add_lines (self, launch, &report, factor);
    }
  return TRUE;
}

/* The L2 caches of large chips have two halves, each of which keeps data that its own
 * multiprocessors read (NVIDIA A100 Tensor Core GPU Architecture). */
static gboolean
has_partitions (const CuredProfile *profile)
{
  const CuredLimits *limits = &profile->limits;

  return limits->compute_major >= 8 && limits->compute_major <= 10 && limits->compute_minor == 0;
}

/* The part of the L2 cache that other data leave to the program. */
static gsize
get_l2_bytes (const CuredProfile *profile)
{
  return profile->l2_bytes / 5 * 4;
}

/* Counts the accesses of a block in the middle, which is run with temporary caches. */
static gboolean
count_requests (Run *self, CuredLaunchTraffic *launch, double *requests, GError **error)
{
  const CuredCacheChip chip = { .sms = 1, .l2_bytes = 1 << 20 };
  g_autoptr (CuredCaches) caches = _cured_caches_new (&chip);
  CuredCaches *own = self->caches;
  CuredLaunchTraffic probe = *launch;

  _cured_caches_begin (caches, 1 << 16);
  probe.lines = g_array_new (FALSE, FALSE, sizeof (CuredLineTraffic));
  self->caches = caches;
  gboolean is_done =
      run_blocks (self, &probe, launch->blocks / 2, launch->blocks / 2 + 1, 1, error);
  self->caches = own;
  *requests = probe.traffic.l1_requests;
  g_array_unref (probe.lines);
  return is_done;
}

/* Runs the first wave of blocks, the last one, and as many between them as the limit allows, each
 * after half a wave that warms the caches up. */
static gboolean
run_sample (Run *self, CuredLaunchTraffic *launch, guint64 wave, double affordable_waves,
            GError **error)
{
  guint64 rest = launch->blocks % wave != 0 ? launch->blocks % wave : wave;
  guint64 n_middle = launch->blocks - wave - rest;
  guint64 n =
      (guint64) CLAMP ((affordable_waves - 2) / 1.5, 1, (double) n_middle / (1.5 * (double) wave));
  guint64 stride = n_middle / n;

  if (!run_blocks (self, launch, 0, wave, 1, error))
    return FALSE;
  for (guint64 i = 0; i < n; i++)
    {
      guint64 first = wave + i * stride + (stride - wave) / 2;

      if (!run_blocks (self, launch, first - MIN (wave / 2, first), first, 0, error) ||
          !run_blocks (self, launch, first, first + wave, (double) n_middle / (double) (n * wave),
                       error))
        return FALSE;
    }
  if (!run_blocks (self, launch, launch->blocks - rest - wave / 2, launch->blocks - rest, 0,
                   error) ||
      !run_blocks (self, launch, launch->blocks - rest, launch->blocks, 1, error))
    return FALSE;

  /* Written lines stay until the cache is full, which it may be after all blocks, but not
   * after some. It is assumed to contain read and written data in the same proportion then as
   * now. */
  double generated = launch->traffic.dram_write_bytes + launch->traffic.dirty_bytes;
  double most = _cured_caches_get_dirty_limit (self->caches);
  launch->traffic.dirty_bytes = MIN (generated, most);
  launch->traffic.dram_write_bytes = generated - launch->traffic.dirty_bytes;
  return TRUE;
}

static gboolean
run_launch (Run *self, gsize step_index, gint64 turn, GError **error)
{
  const CuredTrafficQuery *query = self->query;
  const CuredProgramStep *step = &query->program->steps[step_index];
  g_autoptr (CuredLaunchTraffic) launch = g_new0 (CuredLaunchTraffic, 1);
  CuredPtxEntry entry = { 0 };
  CuredOccupancy occupancy;
  int registers = 0;
  gsize local_bytes = 0;
  double per_block = 0, most = query->max_requests > 0 ? query->max_requests : MAX_REQUESTS;

  launch->entry = g_strdup (step->entry);
  launch->step = step_index;
  launch->turn = turn;
  launch->repeat = 1;
  launch->lines = g_array_new (FALSE, FALSE, sizeof (CuredLineTraffic));
  launch->blocks = (guint64) step->grid[0] * step->grid[1] * step->grid[2];
  if (!_cured_emulated_find_entry (self->emulated.module, step->entry, &entry, error) ||
      (query->binary != NULL &&
       !_cured_cubin_read_usage (query->binary, step->entry, &registers, &local_bytes, error)))
    return FALSE;
  gsize shared_bytes = entry.shared_bytes + step->shared_bytes;
  cured_occupancy_init (&occupancy, query->profile,
                        (gint64) step->block[0] * step->block[1] * step->block[2], registers,
                        shared_bytes);
  launch->resident_blocks = (guint) MAX (occupancy.blocks, 1);
  launch->l1_bytes =
      query->profile->l1_bytes -
      cured_profile_get_carveout (query->profile,
                                  launch->resident_blocks * (gsize) occupancy.shared_per_block);

  guint64 wave = (guint64) launch->resident_blocks * (guint64) query->limits->sms;
  if (!self->is_data_needed && launch->blocks > 4 * wave &&
      !count_requests (self, launch, &per_block, error))
    return FALSE;
  if (query->is_flushing)
    _cured_caches_flush (self->caches);
  _cured_caches_begin (self->caches, launch->l1_bytes);
  if (per_block * (double) launch->blocks > most
          ? !run_sample (self, launch, wave, most / (per_block * (double) wave), error)
          : !run_blocks (self, launch, 0, launch->blocks, 1, error))
    return FALSE;
  g_array_sort (launch->lines, compare_lines);
  g_ptr_array_add (self->launches, g_steal_pointer (&launch));
  return TRUE;
}

/* Repetitions that are not run count like the last two that are. */
static void
stand_for (Run *self, gint64 n_left)
{
  guint n = self->launches->len;

  for (guint back = 1; back <= 2 && n >= back; back++)
    {
      CuredLaunchTraffic *launch = self->launches->pdata[n - back];

      launch->repeat += (n_left + 2 - (gint64) back) / 2;
    }
}

/* Runs a program in a chip's order, with its caches. Blocks.
 *
 * A launch that is too large is sampled by waves, which are as many blocks as the chip holds at
 * once: the first, the last and some between them, each after half a wave before it; if a kernel's
 * addresses depend on the contents of memory, all blocks run.
 *
 * Returns: (transfer full) (element-type CuredLaunchTraffic): the launches, in order; %NULL
 *   with %CURED_ERROR_INVALID if the chip's caches are unknown, or an error of the
 *   emulator */
GPtrArray *
_cured_traffic_count (const CuredTrafficQuery *query, GCancellable *cancellable, GError **error)
{
  const CuredProgram *program = query->program;
  g_autoptr (GPtrArray) launches =
      g_ptr_array_new_with_free_func ((GDestroyNotify) cured_launch_traffic_free);
  g_autoptr (CuredMemory) memory = cured_memory_new (G_MAXINT64);
  g_autofree CuredDevicePtr *bindings = g_new0 (CuredDevicePtr, program->n_buffers + 1);
  const CuredCacheChip chip = {
    .sms = (guint) MAX (query->limits->sms, 1),
    .l2_bytes = get_l2_bytes (query->profile),
    .l2_partitions = has_partitions (query->profile) ? 2 : 1,
    .dram_sectors = 2,
  };
  Run self = { .query = query, .cancellable = cancellable };

  if (query->profile->l1_bytes == 0 || query->profile->l2_bytes == 0)
    return cured_fail_null (error, CURED_ERROR_INVALID,
                            _ ("The caches of %s are not known; take another chip, such as sm_90"),
                            query->profile->arch);
  g_autoptr (CuredPtxModule) module = _cured_emulated_load (query->ptx, "PTX", memory, error);
  if (module == NULL ||
      !_cured_emulated_allocate (program, module, memory, query->seed, 0, TRUE, bindings, error))
    return NULL;
  g_autoptr (CuredSlice) slice = _cured_slice_new (module);
  g_autoptr (CuredCaches) caches = _cured_caches_new (&chip);
  self.caches = caches;
  self.launches = launches;
  self.is_data_needed = slice->is_data_needed;
  self.emulated = (CuredEmulated){
    .program = program,
    .module = module,
    .memory = memory,
    .bindings = bindings,
    .limits = query->limits,
    .emulation = { .cancellable = cancellable,
                   .deadline_us = query->deadline_us,
                   .cpu_limit_ms = query->cpu_limit_ms },
    .is_lazy = TRUE,
  };
  for (gsize i = 0; i < program->n_steps; i++)
    {
      const CuredProgramStep *step = &program->steps[i];
      gint64 turns = MIN (step->repeat, MAX_TURNS);

      if (step->setup != CURED_SETUP_NO)
        {
          if (self.is_data_needed && !_cured_emulated_prepare (&self.emulated, step, error))
            return NULL;
          continue;
        }
      if (step->entry == NULL)
        {
          if (self.is_data_needed && !_cured_emulated_run_aside (&self.emulated, step, error))
            return NULL;
          continue;
        }
      if (self.is_data_needed)
        turns = step->repeat;
      for (gint64 turn = 0; turn < turns; turn++)
        if (!run_launch (&self, i, turn, error))
          return NULL;
      if (turns < step->repeat)
        stand_for (&self, step->repeat - turns);
    }
  return g_steal_pointer (&launches);
}

/* ---- Work ---- */

static void
add_traffic (const CuredLaunchTraffic *of, CuredTraffic *to)
{
  const CuredCacheTraffic *traffic = &of->traffic;
  double repeat = (double) of->repeat;

  to->l1_hits += traffic->l1_load_hits * repeat;
  to->l2_read += traffic->l2_read_sectors * SECTOR_BYTES * repeat;
  to->l2_written +=
      (traffic->l2_write_sectors + traffic->l2_atomic_sectors) * SECTOR_BYTES * repeat;
  to->memory_read += traffic->dram_read_bytes * repeat;
  to->memory_written += traffic->dram_write_bytes * repeat;
}

/* Sets the cache traffic of the launches of @work.
 *
 * @launches: (element-type CuredLaunchTraffic): launches of the same program */
void
_cured_traffic_apply (const GPtrArray *launches, CuredWorkload *work)
{
  CURED_EACH_POINTER (CuredWorkLaunch, launch, work->launches)
    {
      CuredTraffic traffic = { 0 };
      gboolean is_known = FALSE;

      CURED_EACH_POINTER (const CuredLaunchTraffic, of, launches)
        {
          if (of->step != launch->step)
            continue;
          add_traffic (of, &traffic);
          is_known = TRUE;
        }
      if (is_known)
        launch->traffic = traffic;
    }
}

/* ---- Without a run ---- */

/* Less than this part of all bytes that a program moves is negligible. */
#define LITTLE 0.002

/* A buffer counts as whole within this part, for accesses at edges. */
#define EDGES 0.05

/* The bytes of a buffer that a launch reads or writes as a whole; NaN if it does something else. */
static double
get_whole (double sectors, const CuredWorkBuffer *buffer, double little)
{
  double bytes = sectors * SECTOR_BYTES;

  return bytes <= little                                         ? bytes
         : fabs (bytes - buffer->bytes) <= buffer->bytes * EDGES ? buffer->bytes
                                                                 : NAN;
}

/* Predicts a program's traffic without the cache model if it is trivial: one launch moves nearly
 * all bytes, and each of its buffers is read once or written once, as a whole. Then L1 never hits,
 * each byte passes L2 once, and the last bytes written stay there.
 *
 * @work: counted work
 * Returns: FALSE if caches must be modelled; @work is then unchanged */
gboolean
_cured_traffic_foresee (const CuredProfile *profile, CuredWorkload *work)
{
  double all = 0, most = 0;
  CuredWorkLaunch *main_launch = NULL;
  CuredTraffic traffic = { 0 };

  CURED_EACH_POINTER (CuredWorkLaunch, launch, work->launches)
    {
      const CuredWork *total = &launch->total;
      double sectors =
          total->load_ca + total->load_cg + total->load_nc + total->stored + total->atomic;

      all += sectors;
      if (sectors > most)
        {
          most = sectors;
          main_launch = launch;
        }
    }
  double little = all * SECTOR_BYTES * LITTLE;
  /* Bulk copies are not in the buffers' counts. */
  if (main_launch == NULL || all - most > all * LITTLE || main_launch->repeats > 1 ||
      isnan (main_launch->in_flight) || main_launch->total.local_requests > 0 ||
      main_launch->total.atomic > all * LITTLE)
    return FALSE;
  CURED_EACH_POINTER (const CuredWorkBuffer, buffer, main_launch->buffers)
    {
      double read = get_whole (buffer->read, buffer, little);
      double written = get_whole (buffer->written, buffer, little);

      if (isnan (read) || isnan (written) || MIN (read, written) > little)
        return FALSE;
      traffic.l2_read += read;
      traffic.l2_written += written;
    }
  if (fabs (traffic.l2_read + traffic.l2_written - most * SECTOR_BYTES) >
      all * SECTOR_BYTES * EDGES)
    return FALSE;
  /* Half of the bytes read are in both halves of L2. */
  double kept = traffic.l2_written + traffic.l2_read * (has_partitions (profile) ? 1.5 : 1);
  double dirty =
      (double) get_l2_bytes (profile) * MIN (CURED_CACHE_DIRTY_SHARE, traffic.l2_written / kept);
  traffic.memory_read = traffic.l2_read;
  traffic.memory_written = MAX (traffic.l2_written - dirty, 0);
  CURED_EACH_POINTER (CuredWorkLaunch, launch, work->launches)
    launch->traffic = (CuredTraffic){ 0 };
  main_launch->traffic = traffic;
  return TRUE;
}
