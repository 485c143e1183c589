/* SPDX-License-Identifier: MIT
 * Observer: copies by a tensor map that the kernel changed without a fence.
 *
 * Copies read tensor maps by a proxy of their own. They see a thread's change of one in global
 * memory after fence.proxy.tensormap::generic.release by that thread, or tensormap.cp_fenceproxy,
 * and then .acquire of its address by the user (PTX ISA 9.0, section 9.7.13.4). The order of the
 * two is not checked: a release anywhere counts, and an acquire by any thread of the block that
 * copies. Plain stores to a tensor map are not distinguished from others. */
#include <glib/gi18n-lib.h>

#include "base/cured-own.h"
#include "ptx/machine/cured-warp-private.h"

/* State of one address. */
typedef struct
{
  CuredWitness writer; /* the last change */
  bool is_released;
  GHashTable *blocks; /* (element-type guint): blocks that have acquired it since */
} Map;

typedef struct
{
  CuredObserver observer;
  GMutex mutex;
  GHashTable *maps; /* address → Map, owned */
} MapDetector;

CURED_FREE_FUNC (Map, map_free, blocks, g_hash_table_unref)

static void
detector_tensor_map (CuredObserver *observer, void *state, CuredWarp *warp,
                     const CuredPtxInst *inst, unsigned lane, uint64_t address, bool is_change)
{
  MapDetector *self = (MapDetector *) observer;
  CuredWitness here =
      _cured_warp_witness (warp, inst, 1u << lane,
                           _cured_access_what (is_change ? CURED_ACCESS_STORE : CURED_ACCESS_LOAD));
  const char *problem = NULL;
  CuredWitness there = { 0 };

  g_mutex_lock (&self->mutex);
  Map *map = g_hash_table_lookup (self->maps, GSIZE_TO_POINTER (address));
  if (is_change)
    {
      if (map == NULL)
        {
          map = g_new0 (Map, 1);
          map->blocks = g_hash_table_new (NULL, NULL);
          g_hash_table_insert (self->maps, GSIZE_TO_POINTER (address), map);
        }
      map->writer = here;
      map->is_released = false;
      g_hash_table_remove_all (map->blocks);
    }
  else if (map != NULL && !map->is_released)
    problem = _ ("the copy need not see the tensor map as it was changed: "
                 "fence.proxy.tensormap::generic.release has to follow the change");
  else if (map != NULL &&
           !g_hash_table_contains (map->blocks, GSIZE_TO_POINTER (warp->block->index)))
    problem =
        _ ("the copy need not see the tensor map as it was changed: "
           "fence.proxy.tensormap::generic.acquire of its address has to come before the copy");
  if (problem != NULL)
    there = map->writer;
  g_mutex_unlock (&self->mutex);
  if (problem != NULL)
    _cured_grid_report (observer->grid, CURED_FINDING_RACE_GLOBAL, &here, &there,
                        CURED_SPACE_GLOBAL, address, "%s", problem);
}

/* Marks all changes so far as released. */
static void
release (MapDetector *self)
{
  GHashTableIter iter;
  gpointer map;

  g_hash_table_iter_init (&iter, self->maps);
  while (g_hash_table_iter_next (&iter, NULL, &map))
    ((Map *) map)->is_released = true;
}

static void
detector_fence (CuredObserver *observer, void *state, CuredWarp *warp, const CuredPtxInst *inst,
                uint32_t mask, CuredPtxWord scope, CuredPtxWord order)
{
  MapDetector *self = (MapDetector *) observer;

  if (inst->op != CURED_PTX_OP_fence_tensormap && inst->op != CURED_PTX_OP_tensormap_copy)
    return;
  g_mutex_lock (&self->mutex);
  if (order == CURED_PTX_ORDER_RELEASE)
    release (self);
  else
    for (uint32_t left = mask; left != 0; left &= left - 1)
      {
        const uint64_t *lanes =
            (const uint64_t *) (warp->bases[inst->x[0].base] + inst->x[0].offset);
        uint64_t address = lanes[__builtin_ctz (left)] + (uint64_t) inst->displacement;
        Map *map = g_hash_table_lookup (self->maps, GSIZE_TO_POINTER (address));

        if (map != NULL && map->is_released)
          g_hash_table_add (map->blocks, GSIZE_TO_POINTER (warp->block->index));
      }
  g_mutex_unlock (&self->mutex);
}

static void
detector_free (CuredObserver *observer)
{
  MapDetector *self = (MapDetector *) observer;

  g_hash_table_unref (self->maps);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

static const CuredObserverClass detector_class = {
  .name = "tensor maps",
  .fence = detector_fence,
  .tensor_map = detector_tensor_map,
  .free = detector_free,
};

/* Watches for copies by a tensor map that was changed without a fence.
 *
 * Returns: (transfer full) (nullable): the observer; %NULL: no instruction changes one */
CuredObserver *
_cured_map_detector_new (CuredPtxGrid *grid)
{
  const CuredPtxModule *module = grid->module;
  MapDetector *self = NULL;

  for (guint i = 0; i < module->n_code && self == NULL; i++)
    if (module->code[i].op == CURED_PTX_OP_tensormap_replace ||
        module->code[i].op == CURED_PTX_OP_tensormap_copy)
      self = g_new0 (MapDetector, 1);
  if (self == NULL)
    return NULL;
  self->observer.klass = &detector_class;
  self->observer.grid = grid;
  g_mutex_init (&self->mutex);
  self->maps = g_hash_table_new_full (NULL, NULL, NULL, map_free);
  return &self->observer;
}
