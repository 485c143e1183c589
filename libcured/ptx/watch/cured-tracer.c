/* SPDX-License-Identifier: MIT
 * Observer: tells the launch's caller of each access. */

#include "ptx/cured-bank-kind-internal.h"
#include "ptx/machine/cured-warp-private.h"

typedef struct
{
  CuredObserver observer;
  GMutex mutex; /* serializes calls of the trace function */
} Tracer;

static void
tracer_sent (CuredObserver *observer, void *state, CuredWarp *warp, const CuredAccess *access)
{
  Tracer *self = (Tracer *) observer;
  const CuredLaunch *launch = observer->grid->launch;
  CuredTraced traced;

  if (access->space == CURED_SPACE_LOCAL ||
      (launch->is_trace_global && access->space == CURED_SPACE_SHARED))
    return;
  traced.site = access->inst->site;
  traced.is_shared = access->space == CURED_SPACE_SHARED;
  traced.is_remote = access->owner != NULL;
  traced.kind = access->kind;
  traced.width = access->width;
  traced.block = warp->block->index;
  traced.warp = warp->index;
  traced.mask = access->mask;
  for (unsigned l = 0; l < CURED_WARP_LANES; l++)
    traced.addresses[l] = (access->mask >> l & 1) != 0 ? cured_access_get_address (access, l) : 0;
  g_mutex_lock (&self->mutex);
  launch->trace (&traced, launch->trace_data);
  g_mutex_unlock (&self->mutex);
}

static void
tracer_access (CuredObserver *observer, void *state, CuredWarp *warp, const CuredAccess *access)
{
  if (!_cured_bank_kind_is_sent (access->inst))
    tracer_sent (observer, state, warp, access);
}

static CuredTelling
get_telling (const CuredObserver *observer, const CuredPtxInst *inst)
{
  return observer->grid->launch->is_trace_global ? CURED_TELL_LATER : CURED_TELL_FIRST;
}

static void
tracer_free (CuredObserver *observer)
{
  Tracer *self = (Tracer *) observer;

  g_mutex_clear (&self->mutex);
  g_free (self);
}

static const CuredObserverClass tracer_class = {
  .name = "tracer",
  .access = tracer_access,
  .sent = tracer_sent,
  .get_telling = get_telling,
  .free = tracer_free,
};

/* Calls the launch's trace function, which is not NULL, for accesses to shared and global memory.
 *
 * Returns: (transfer full): */
CuredObserver *
_cured_tracer_new (CuredPtxGrid *grid)
{
  Tracer *self = g_new0 (Tracer, 1);

  self->observer.klass = &tracer_class;
  self->observer.grid = grid;
  g_mutex_init (&self->mutex);
  return &self->observer;
}
