/* SPDX-License-Identifier: MIT
 * The race detector: accesses to blocks of a cluster that may have ended or not begun. */
#include "ptx/watch/cured-race-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* An access to another block of the cluster: checks that the block has begun, and records it to
 * check later that the block ends after it. */
void
_cured_race_visit_remote (RaceVisit *visit)
{
  RaceBlock *races = visit->races, *owner = visit->owner;
  const CuredAccess *access = visit->access;
  uint32_t mask = access->bulk != NULL ? 1u << access->bulk->lane : access->mask;
  uint32_t *met =
      &races->met[visit->warp->index * CURED_MAX_CLUSTER + (owner->number - owner->first)];
  uint32_t early = 0;
  RaceRemote *remote = NULL;

  for (uint32_t left = mask & ~*met; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);

      if (_cured_block_order_knows_foreign (races->order,
                                            visit->warp->index * CURED_WARP_LANES + lane,
                                            owner->number, 0, 1, 0, false))
        *met |= 1u << lane;
      else
        early |= 1u << lane;
    }
  if (early != 0)
    {
      CuredWitness here =
          _cured_warp_witness (visit->warp, access->inst, early, _cured_access_what (access->kind));

      _cured_grid_report (visit->self->parent.grid, CURED_FINDING_ABSENT_BLOCK, &here, NULL,
                          access->space, access->address[__builtin_ctz (access->mask)],
                          _ ("block %u of the cluster may not have begun: a barrier of the cluster "
                             "has to come first"),
                          owner->number - owner->first);
      *met |= early;
    }

  if (owner->remotes == NULL)
    owner->remotes = g_array_new (FALSE, TRUE, sizeof (RaceRemote));
  for (guint i = 0; i < owner->remotes->len && remote == NULL; i++)
    if (g_array_index (owner->remotes, RaceRemote, i).party == visit->stance.slot.party)
      remote = &g_array_index (owner->remotes, RaceRemote, i);
  if (remote == NULL)
    {
      g_array_set_size (owner->remotes, owner->remotes->len + 1);
      remote = &g_array_index (owner->remotes, RaceRemote, owner->remotes->len - 1);
      memset (remote, 0, sizeof *remote);
      remote->party = visit->stance.slot.party;
    }
  for (uint32_t left = mask; left != 0; left &= left - 1)
    remote->clocks[__builtin_ctz (left)] = visit->stance.slot.clock;
  /* Accesses in flight are complete at the block's own barrier. */
  if (access->bulk != NULL)
    for (uint32_t left = mask; left != 0; left &= left - 1)
      remote->clocks[__builtin_ctz (left)] = 0;
  remote->site = access->inst->site;
  remote->address = access->address[__builtin_ctz (access->mask)];
  remote->what = _cured_access_what (access->kind);
}

/* Whether a thread of the block is ordered after the access of @lane of another block's warp, so
 * that the block ended after it. */
static bool
has_outlived (const RaceBlock *races, const RaceRemote *remote, uint32_t lane)
{
  const CuredBlockOrder *order = races->order;

  for (uint32_t t = 0; t < order->n_warps * CURED_WARP_LANES; t++)
    if ((t == 0 || order->known[t] != NULL) &&
        _cured_block_order_knows_foreign (order, t, remote->party / CURED_WARP_LANES,
                                          remote->party % CURED_WARP_LANES, 1u << lane,
                                          remote->clocks[lane], false))
      return true;
  return false;
}

void
_cured_race_report_remotes (RaceDetector *self, RaceBlock *races, const CuredBlock *block)
{
  for (uint32_t w = 0; w < block->n_warps; w++)
    _cured_block_order_settle (races->order, w);
  for (guint i = 0; races->remotes != NULL && i < races->remotes->len; i++)
    {
      const RaceRemote *remote = &g_array_index (races->remotes, RaceRemote, i);
      CuredWitness here = {
        .inst = &self->parent.grid->module->code[remote->site],
        .what = remote->what,
        .warp = remote->party % CURED_WARP_LANES,
      };
      CuredWitness there = {
        .what = NC_ ("in a finding", "exit"),
        .block = block->index,
        .lanes = cured_get_threads (block, 0),
      };
      uint32_t last = 0;
      bool is_over = false;

      /* Lanes of one instruction are looked up once. */
      for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
        {
          if (remote->clocks[l] == 0)
            continue;
          if (remote->clocks[l] != last)
            is_over = has_outlived (races, remote, l);
          last = remote->clocks[l];
          if (!is_over)
            here.lanes |= 1u << l;
        }
      if (here.lanes == 0)
        continue;
      here.block = _cured_race_get_block_index (self, remote->party / CURED_WARP_LANES);
      _cured_grid_report (self->parent.grid, CURED_FINDING_ABSENT_BLOCK, &here, &there,
                          CURED_SPACE_SHARED, remote->address,
                          _ ("block %u of the cluster may have ended: a barrier of the cluster has "
                             "to come before its end"),
                          races->number - races->first);
    }
}
