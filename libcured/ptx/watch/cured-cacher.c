/* SPDX-License-Identifier: MIT
 * Observer: hits and misses of each access of a warp in the chip's caches. */
#include "ptx/machine/cured-warp-private.h"
#include "ptx/watch/cured-caches-internal.h"

/* Number of the first line of local memory, which kernels can't address. */
#define LOCAL_LINE (UINT64_C (1) << 31)

typedef struct
{
  CuredObserver observer;
  CuredCaches *caches;
  guint8 *ways;               /* CuredCacheWay by site */
  CuredCacheTraffic *traffic; /* by site */
} Cacher;

/* Lines of an access, with the bytes that it touches of their sectors. */
typedef struct
{
  uint64_t line;
  uint32_t bytes[4];
} Touched;

/* ---- Cache operators and orders of instructions ---- */

static guint
get_way (const CuredPtxInst *inst)
{
  const uint8_t *words = inst->words;
  guint way = 0;

  switch (words[CURED_PTX_GROUP_CACHE])
    {
    case CURED_PTX_CACHE_CG:
    case CURED_PTX_CACHE_CV: way |= CURED_CACHE_PASS_L1; break;
    case CURED_PTX_CACHE_CS:
    case CURED_PTX_CACHE_LU: way |= CURED_CACHE_L1_FIRST | CURED_CACHE_L2_FIRST; break;
    default: break;
    }
  switch (words[CURED_PTX_GROUP_EVICT])
    {
    case CURED_PTX_EVICT_FIRST: way |= CURED_CACHE_L1_FIRST; break;
    case CURED_PTX_EVICT_NO_ALLOCATE: way |= CURED_CACHE_L1_STAYS; break;
    default: break;
    }
  switch (words[CURED_PTX_GROUP_EVICT2])
    {
    case CURED_PTX_EVICT2_FIRST: way |= CURED_CACHE_L2_FIRST; break;
    case CURED_PTX_EVICT2_LAST: way |= CURED_CACHE_L2_LAST; break;
    default: break;
    }
  /* Data that other threads may change is read from the second cache. */
  if (words[CURED_PTX_GROUP_ORDER] != CURED_PTX_NO_WORD &&
      words[CURED_PTX_GROUP_ORDER] != CURED_PTX_ORDER_WEAK)
    way |= CURED_CACHE_PASS_L1;
  return way;
}

/* ---- Accesses ---- */

static inline void
touch (Touched *touched, guint *n, uint64_t address, uint32_t width)
{
  uint64_t line = address / CURED_LINE_BYTES;
  uint32_t offset = (uint32_t) (address % CURED_SECTOR_BYTES);
  guint sector = (guint) (address / CURED_SECTOR_BYTES % 4), i = *n;

  /* Usually it is the preceding one. */
  while (i > 0 && touched[i - 1].line != line)
    i--;
  if (i == 0)
    {
      i = ++*n;
      touched[i - 1] = (Touched){ .line = line };
    }
  touched[i - 1].bytes[sector] |= (width >= 32 ? UINT32_MAX : (1u << width) - 1) << offset;
}

static guint
find_lines (const CuredWarp *warp, const CuredAccess *access, Touched *touched)
{
  const CuredBlock *block = warp->block;
  uint32_t width = access->width;
  guint n = 0;

  if (access->space == CURED_SPACE_LOCAL)
    {
      /* Local memory is interleaved: equal words of all lanes are adjacent. */
      uint64_t words = block->grid->stack_bytes / 4;
      uint64_t first = LOCAL_LINE + (block->slot * block->n_warps + warp->index) * words;

      for (uint32_t left = access->mask; left != 0; left &= left - 1)
        {
          uint32_t lane = (uint32_t) __builtin_ctz (left);

          for (uint32_t at = 0; at < width; at += 4)
            {
              uint64_t address = access->address[lane] + at;

              touch (touched, &n, (first + address / 4) * CURED_LINE_BYTES + lane * 4 + address % 4,
                     MIN (width, 4));
            }
        }
      return n;
    }
  for (uint32_t left = access->mask; left != 0; left &= left - 1)
    touch (touched, &n, access->address[__builtin_ctz (left)], width);
  return n;
}

static inline guint
get_sectors (const Touched *touched)
{
  guint sectors = 0;

  for (guint s = 0; s < 4; s++)
    if (touched->bytes[s] != 0)
      sectors |= 1u << s;
  return sectors;
}

static void
cacher_access (CuredObserver *observer, void *state, CuredWarp *warp, const CuredAccess *access)
{
  Cacher *self = (Cacher *) observer;
  uint32_t site = access->inst->site;
  CuredCacheTraffic *traffic = &self->traffic[site];
  guint sm = warp->block->sm;
  Touched touched[CURED_WARP_LANES * 4];

  if (access->space == CURED_SPACE_SHARED)
    return;
  traffic->l1_requests++;
  guint n = find_lines (warp, access, touched);
  for (guint i = 0; i < n; i++)
    switch (access->kind)
      {
      case CURED_ACCESS_STORE:
      case CURED_ACCESS_STMATRIX:
        _cured_caches_store (self->caches, sm, touched[i].line, touched[i].bytes, self->ways[site],
                             traffic);
        break;
      case CURED_ACCESS_ATOMIC:
      case CURED_ACCESS_REDUCTION:
        _cured_caches_change (self->caches, sm, touched[i].line, get_sectors (&touched[i]),
                              traffic);
        break;
      case CURED_ACCESS_LOAD:
      case CURED_ACCESS_LDMATRIX:
      case CURED_ACCESS_COPY:
      default:
        _cured_caches_load (self->caches, sm, touched[i].line, get_sectors (&touched[i]),
                            self->ways[site], traffic);
        break;
      }
}

static void
cacher_fence (CuredObserver *observer, void *state, CuredWarp *warp, const CuredPtxInst *inst,
              uint32_t mask, CuredPtxWord scope, CuredPtxWord order)
{
  Cacher *self = (Cacher *) observer;

  if (scope != CURED_PTX_SCOPE_CTA && order != CURED_PTX_ORDER_RELEASE)
    _cured_caches_acquire (self->caches, warp->block->sm);
}

static void
cacher_free (CuredObserver *observer)
{
  Cacher *self = (Cacher *) observer;

  g_free (self->ways);
  g_free (self);
}

static const CuredObserverClass cacher_class = {
  .name = "cacher",
  .access = cacher_access,
  .fence = cacher_fence,
  .free = cacher_free,
};

/* Sends the accesses to global and local memory through the launch's caches; one host thread runs
 * all blocks.
 *
 * Returns: (transfer full): */
CuredObserver *
_cured_cacher_new (CuredPtxGrid *grid)
{
  Cacher *self = g_new0 (Cacher, 1);

  self->observer.klass = &cacher_class;
  self->observer.grid = grid;
  self->caches = grid->launch->caches;
  self->traffic = grid->report->traffic;
  self->ways = g_new0 (guint8, MAX (grid->module->n_code, 1));
  for (guint site = 0; site < grid->module->n_code; site++)
    self->ways[site] = (guint8) get_way (&grid->module->code[site]);
  return &self->observer;
}
