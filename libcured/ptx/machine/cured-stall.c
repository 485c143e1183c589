/* SPDX-License-Identifier: MIT
 * Detects threads that wait for an mbarrier for ever.
 *
 * When all remaining threads of a cluster wait, at barriers or for an mbarrier whose phase was
 * incomplete at the last test, the next rounds are watched: tests of mbarriers time out at once,
 * and each instruction is examined. If one may change something, or depends on other blocks,
 * this was no stall. If none does, and a round ends with the same registers as an earlier one,
 * the rounds between them repeat for ever. Only time could still end that: the clocks leap ahead
 * from round to round, further each time. */
#include "ptx/machine/cured-machine-private.h"

#include <glib/gi18n-lib.h>

#include <inttypes.h>
#include <string.h>

/* Rounds that read a clock: each leaps twice as far as the previous one, up to 2^MAX_LEAP_BITS ns,
 * 18 minutes. */
#define MAX_CLOCKS    64
#define MAX_LEAP_BITS 40

/* Rounds until the next check after an inconclusive one. */
#define MAX_PAUSE 4096

/* Rounds after which a test of an mbarrier times out, as on a chip, whatever the rest of the
 * cluster does. */
#define PATIENCE 8192

bool
_cured_cluster_wake (CuredCluster *cluster)
{
  bool is_any = false;

  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    for (uint32_t w = 0; w < cluster->blocks[b]->n_warps; w++)
      {
        CuredWarp *warp = &cluster->blocks[b]->warps[w];

        for (uint32_t i = 0; i < warp->n_groups; i++)
          if (warp->groups[i].parked != 0)
            {
              warp->groups[i].parked = 0;
              warp->groups[i].is_timed_out = 1;
              is_any = true;
            }
      }
  return is_any;
}

/* ---- Instructions ---- */

/* Whether @inst depends on other threads or affects them in a way that the registers do not
 * show. */
static bool
is_event (const CuredPtxInst *inst)
{
  CuredPtxClass klass;

  switch (inst->op)
    {
    case CURED_PTX_OP_mbarrier_test_wait:
    case CURED_PTX_OP_mbarrier_try_wait:
    case CURED_PTX_OP_mbarrier_pending:
    case CURED_PTX_OP_bar_warp:
    case CURED_PTX_OP_membar:
    case CURED_PTX_OP_fence:
    case CURED_PTX_OP_fence_proxy: return false;
    case CURED_PTX_OP_call: return true;
    case CURED_PTX_OP_ld:
      return inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_PARAM &&
             inst->words[CURED_PTX_GROUP_SPACE] != CURED_PTX_SPACE_CONST;
    default: break;
    }
  klass = _cured_ptx_ops[inst->op].klass;
  return klass == CURED_PTX_CLASS_MEMORY || klass == CURED_PTX_CLASS_ATOMIC ||
         klass == CURED_PTX_CLASS_BARRIER || klass == CURED_PTX_CLASS_MATRIX;
}

static bool
is_clock (const CuredPtxInst *inst)
{
  return inst->op == CURED_PTX_OP_mov && inst->n_counts > 1 &&
         inst->x[1].base == CURED_BASE_SPECIALS &&
         inst->x[1].offset >= offsetof (CuredSpecials, clock);
}

void
_cured_stall_look (CuredWarp *warp, const CuredPtxInst *inst)
{
  CuredStall *stall = &warp->block->cluster->stall;

  stall->has_event |= is_event (inst);
  stall->has_clock |= is_clock (inst);
}

/* ---- Rounds ---- */

/* Whether all remaining threads wait, some of them for an mbarrier. */
static bool
is_still (const CuredCluster *cluster)
{
  bool is_any = false;

  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    for (uint32_t w = 0; w < cluster->blocks[b]->n_warps; w++)
      {
        const CuredWarp *warp = &cluster->blocks[b]->warps[w];

        for (uint32_t i = 0; i < warp->n_groups; i++)
          {
            if (warp->groups[i].state == CURED_GROUP_READY && !warp->groups[i].is_waiting)
              return false;
            is_any |= warp->groups[i].is_waiting;
          }
      }
  return is_any;
}

static uint64_t
add (uint64_t print, uint64_t value)
{
  print = (print ^ value) * UINT64_C (0x9e3779b97f4a7c15);
  return print ^ print >> 29;
}

static uint64_t
add_group (uint64_t print, const CuredWarp *warp, const CuredGroup *group)
{
  const CuredPtxFunction *functions = warp->block->grid->module->functions;

  print = add (print, (uint64_t) group->pc << 32 | group->mask);
  print = add (print, (uint64_t) group->wanted << 32 | group->state);
  for (const CuredFrame *frame = group->frame; frame != NULL; frame = frame->parent)
    for (gsize i = 0; i + 8 <= functions[frame->function].frame_bytes; i += 8)
      {
        uint64_t value;

        memcpy (&value, frame->registers + i, sizeof value);
        print = add (print, value);
      }
  return print;
}

/* A hash of the cluster's state, except memory and clocks. */
static uint64_t
get_print (const CuredCluster *cluster)
{
  uint64_t print = 0;

  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    for (uint32_t w = 0; w < cluster->blocks[b]->n_warps; w++)
      {
        const CuredWarp *warp = &cluster->blocks[b]->warps[w];

        print = add (print, (uint64_t) warp->alive << 32 | warp->carry);
        /* Which of several groups has the turn. */
        if (warp->n_groups > 1)
          print = add (print, (uint64_t) warp->order << 32 | warp->turn_left);
        for (uint32_t i = 0; i < warp->n_groups; i++)
          print = add_group (print, warp, &warp->groups[i]);
      }
  return print;
}

/* ---- Missing arrivals ---- */

/* (transfer full): the pending arrivals and bytes of an mbarrier's phase. */
static char *
describe_missing (uint64_t barrier)
{
  guint pending = (guint) (barrier & CURED_MBARRIER_MASK);
  guint expected = (guint) (barrier >> CURED_MBARRIER_BITS & CURED_MBARRIER_MASK);
  gint64 bytes = cured_mbarrier_get_bytes (barrier);
  g_autofree char *arrivals = NULL, *copies = NULL;

  if (pending > 0)
    arrivals = g_strdup_printf (_ ("arrivals that its phase lacks: %u of %u"), pending, expected);
  if (bytes > 0)
    copies = g_strdup_printf (_ ("bytes that expect_tx announced and no copy delivered: %" PRId64),
                              bytes);
  else if (bytes < 0)
    copies = g_strdup_printf (
        _ ("bytes that copies delivered and no expect_tx announced: %" PRId64), -bytes);
  if (arrivals != NULL && copies != NULL)
    return g_strdup_printf ("%s; %s", arrivals, copies);
  return arrivals != NULL ? g_steal_pointer (&arrivals) : g_steal_pointer (&copies);
}

/* Each waiting test, once. */
static void
report (const CuredCluster *cluster)
{
  g_autoptr (GHashTable) told = g_hash_table_new (NULL, NULL);

  for (uint32_t b = 0; b < cluster->n_blocks; b++)
    for (uint32_t w = 0; w < cluster->blocks[b]->n_warps; w++)
      {
        const CuredBlock *block = cluster->blocks[b];
        const CuredWarp *warp = &block->warps[w];

        for (uint32_t i = 0; i < warp->n_groups; i++)
          {
            const CuredGroup *group = &warp->groups[i];
            const CuredPtxInst *inst = &block->grid->module->code[group->wait_site];
            uint64_t barrier;

            if (group->state != CURED_GROUP_READY || !group->is_waiting ||
                group->wait_offset > block->shared_bytes - sizeof barrier ||
                !g_hash_table_add (told, GSIZE_TO_POINTER (group->wait_site + 1)))
              continue;
            memcpy (&barrier, block->shared + group->wait_offset, sizeof barrier);
            g_autofree char *missing = describe_missing (barrier);
            CuredWitness here =
                _cured_warp_witness (warp, inst, group->mask, NC_ ("in a finding", "wait"));
            _cured_grid_report (block->grid, CURED_FINDING_DEADLOCK, &here, NULL,
                                CURED_SPACE_SHARED, group->wait_offset, "%s", missing);
          }
      }
}

bool
_cured_cluster_stalls (CuredCluster *cluster)
{
  CuredStall *stall = &cluster->stall;

  if (++stall->rounds % PATIENCE == 0)
    _cured_cluster_wake (cluster);
  if (!is_still (cluster))
    {
      stall->is_watched = false;
      return false;
    }
  if (!stall->is_watched)
    {
      if (stall->rest > 0)
        {
          stall->rest--;
          return false;
        }
      stall->is_watched = true;
      stall->rounds = stall->n_clocks = 0;
      stall->next = 1;
    }
  else if (stall->has_event)
    {
      stall->is_watched = false;
      stall->pause = MIN (2 * stall->pause + 1, MAX_PAUSE);
      stall->rest = stall->pause;
      return false;
    }
  else
    {
      if (stall->has_clock)
        {
          stall->leap += UINT64_C (1) << MIN (stall->n_clocks, MAX_LEAP_BITS);
          stall->n_clocks++;
          stall->is_timeless = false;
        }
      if (stall->n_clocks == MAX_CLOCKS ||
          (stall->is_timeless && get_print (cluster) == stall->print))
        {
          report (cluster);
          return true;
        }
    }
  if (stall->rounds + 1 >= stall->next)
    {
      stall->print = get_print (cluster);
      stall->next *= 2;
      stall->is_timeless = true;
    }
  stall->has_event = stall->has_clock = false;
  _cured_cluster_wake (cluster);
  return false;
}

/* ---- What a warp waits for ---- */

static void
describe_place (const CuredWarp *warp, uint32_t pc, GString *text)
{
  const CuredPtxModule *module = warp->block->grid->module;
  const CuredPtxInst *inst = &module->code[MIN (pc, module->n_code - 1)];

  if (inst->line > 0)
    {
      g_autofree char *name = g_path_get_basename (module->files[inst->file]);

      g_string_append_printf (text, "%s:%d", name, inst->line);
    }
  else
    g_string_append_printf (text, "PTX line %d", inst->ptx_line);
}

void
_cured_warp_describe (const CuredWarp *warp, GString *text)
{
  const CuredBlock *block = warp->block;

  for (uint32_t i = 0; i < warp->n_groups; i++)
    {
      const CuredGroup *group = &warp->groups[i];

      g_string_append_printf (text, "block (%u,%u,%u) warp %u lanes %08x: ", block->coord[0],
                              block->coord[1], block->coord[2], warp->index, group->mask);
      switch ((CuredGroupState) group->state)
        {
        case CURED_GROUP_AT_BARRIER:
          if (group->barrier == CURED_CLUSTER_BARRIER)
            g_string_append (text, "waiting at the cluster's barrier, ");
          else
            g_string_append_printf (text, "waiting at barrier %u, ", group->barrier);
          describe_place (warp, group->pc - 1, text);
          break;
        case CURED_GROUP_AT_SYNC:
          g_string_append_printf (text, "waiting for lanes %08x, ", group->wanted & warp->alive);
          describe_place (warp, group->pc, text);
          break;
        case CURED_GROUP_READY:
        default:
          if (group->is_waiting)
            g_string_append_printf (text, "waiting for the mbarrier at byte %u of shared memory, ",
                                    group->wait_offset);
          else
            g_string_append (text, "running, ");
          describe_place (warp, group->is_waiting ? group->wait_site : group->pc, text);
          break;
        }
      g_string_append_c (text, '\n');
    }
}
