/* SPDX-License-Identifier: MIT
 * Happens-before relation of a launch's accesses: barriers, fences, atomics.
 *
 * Implementation notes.
 *
 * Vector clocks with an entry per thread of the grid would take more memory than the kernel's data.
 * The state kept instead:
 *
 * - In a block, a floor: a barrier of all threads orders everything before it, so
 *   one number suffices. Only orderings beyond the floor by partial barriers
 *   (__syncwarp, named barriers, release and acquire) need a sparse vector clock:
 *   the clocks of the lanes of the warps involved. All threads released by the
 *   same barrier share one.
 * - Across blocks, a log per address: each release appends its thread's vector
 *   clock. An acquire only records the length of the log; nothing is copied. So
 *   ten thousand blocks that increment one counter cost ten thousand entries,
 *   not their square.
 *
 * A strong read hears the releases at its address; they enter the thread's vector clock at its next
 * fence, if the scope includes both sides. */
#include "ptx/watch/cured-order-private.h"

#include <string.h>

#include "base/cured-own.h"

/* Maximum number of logs that a query follows. Beyond that, accesses count as ordered:
 * longer chains are not worth the time. */
#define MAX_LOGS_ASKED 4096

typedef struct _Log Log;
typedef struct _Closure Closure;

/* The first @length releases of @log happened before. */
typedef struct
{
  Log *log;
  uint32_t length;
} Horizon;

struct _CuredVectorClock
{
  uint32_t refs, n_warps;
  uint32_t warps; /* mask of the warps with entries in @clocks */
  uint32_t n_horizons;
  Horizon *horizons; /* by log */
  Closure *closure;  /* (nullable): the horizons they imply, as far as queried */
  uint32_t clocks[][CURED_WARP_LANES];
};

/* A thread's release, joined with its block's earlier releases to the same log. */
typedef struct
{
  uint32_t index; /* in the log; ORDER: the first field, see count_below () */
  uint32_t floor;
  CuredVectorClock *known;
} Release;

typedef struct
{
  GArray *releases;        /* (element-type Release) */
  CuredVectorClock *inner; /* for threads of the same block, with any scope */
} BlockReleases;

/* Releases from @index on are ordered after @horizon as well. */
typedef struct
{
  uint32_t index; /* ORDER: the first field */
  Horizon horizon;
} Link;

struct _Log
{
  uint32_t length;
  uint32_t asked;     /* the longest horizon of any clock */
  GHashTable *blocks; /* number → BlockReleases */
  GHashTable *links;  /* Log → GArray of Link, by ascending length */
};

struct _CuredOrder
{
  GMutex mutex;
  GHashTable *logs; /* address → Log */
  int n_logs;       /* atomic */
};

/* All horizons implied by those of a vector clock, and queries of them. A horizon's contents never
 * change, so both stay valid as long as the horizons are the same. */
struct _Closure
{
  GArray *reached; /* (element-type Horizon): the first @n_followed were followed further */
  guint n_followed;
  GHashTable *lengths; /* Log → the greatest length that was reached */
  GHashTable *answers; /* number of a block → Answer */
};

/* The contents of a closure's first @n_asked horizons for one block. */
typedef struct
{
  guint n_asked;
  uint32_t floor;
  GPtrArray *known; /* (element-type CuredVectorClock) */
} Answer;

/* ---- Vector clocks ---- */

CURED_FREE_FUNC (Answer, answer_free, known, g_ptr_array_unref)

static Closure *
closure_new (const Horizon *horizons, uint32_t n)
{
  Closure *self = g_new0 (Closure, 1);

  self->reached = g_array_new (FALSE, FALSE, sizeof (Horizon));
  g_array_append_vals (self->reached, horizons, n);
  self->lengths = g_hash_table_new (NULL, NULL);
  self->answers = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) answer_free);
  return self;
}

CURED_FREE_FUNC (Closure, closure_free, reached, g_array_unref, lengths, g_hash_table_unref,
                 answers, g_hash_table_unref)

static CuredVectorClock *
vector_clock_new (uint32_t n_warps)
{
  CuredVectorClock *self = g_malloc (sizeof *self + (gsize) n_warps * sizeof self->clocks[0]);

  self->refs = 1;
  self->n_warps = n_warps;
  self->warps = 0;
  self->n_horizons = 0;
  self->horizons = NULL;
  self->closure = NULL;
  return self;
}

static CuredVectorClock *
vector_clock_ref (CuredVectorClock *self)
{
  if (self != NULL)
    self->refs++;
  return self;
}

static void
vector_clock_unref (CuredVectorClock *self)
{
  if (self == NULL || --self->refs > 0)
    return;
  g_clear_pointer (&self->closure, closure_free);
  g_free (self->horizons);
  g_free (self);
}

/* Raises the clocks of the lanes of @mask to @clock. */
static void
vector_clock_raise (CuredVectorClock *self, uint32_t warp, uint32_t mask, uint32_t clock)
{
  uint32_t *clocks = self->clocks[warp];

  if ((self->warps >> warp & 1) == 0)
    {
      memset (clocks, 0, sizeof self->clocks[0]);
      self->warps |= 1u << warp;
    }
  for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
    if ((mask >> l & 1) != 0 && clocks[l] < clock)
      clocks[l] = clock;
}

static void
vector_clock_add_horizons (CuredVectorClock *self, const Horizon *horizons, uint32_t n)
{
  uint32_t n_joined = 0, i = 0, j = 0;

  if (n == 0)
    return;
  Horizon *joined = g_new (Horizon, self->n_horizons + n);
  while (i < self->n_horizons || j < n)
    {
      if (j == n ||
          (i < self->n_horizons && (guintptr) self->horizons[i].log < (guintptr) horizons[j].log))
        joined[n_joined++] = self->horizons[i++];
      else if (i == self->n_horizons || self->horizons[i].log != horizons[j].log)
        joined[n_joined++] = horizons[j++];
      else
        {
          joined[n_joined] = horizons[j++];
          joined[n_joined].length = MAX (joined[n_joined].length, self->horizons[i].length);
          i++;
          n_joined++;
        }
    }
  g_clear_pointer (&self->closure, closure_free);
  g_free (self->horizons);
  self->horizons = joined;
  self->n_horizons = n_joined;
}

static void
vector_clock_join (CuredVectorClock *self, const CuredVectorClock *other)
{
  if (other == NULL)
    return;
  for (uint32_t left = other->warps; left != 0; left &= left - 1)
    {
      uint32_t w = (uint32_t) __builtin_ctz (left);

      if ((self->warps >> w & 1) == 0)
        memcpy (self->clocks[w], other->clocks[w], sizeof self->clocks[0]);
      else
        for (uint32_t l = 0; l < CURED_WARP_LANES; l++)
          self->clocks[w][l] = MAX (self->clocks[w][l], other->clocks[w][l]);
    }
  self->warps |= other->warps;
  vector_clock_add_horizons (self, other->horizons, other->n_horizons);
}

/* Takes the reference; returns a copy unless it was the only one. */
static CuredVectorClock *
vector_clock_own (CuredVectorClock *self, uint32_t n_warps)
{
  if (self != NULL && self->refs == 1)
    return self;
  CuredVectorClock *copy = vector_clock_new (n_warps);
  vector_clock_join (copy, self);
  vector_clock_unref (self);
  return copy;
}

static uint32_t
vector_clock_get_length (const CuredVectorClock *self, const Log *log)
{
  uint32_t low = 0, high = self != NULL ? self->n_horizons : 0;

  while (low < high)
    {
      uint32_t middle = (low + high) / 2;

      if (self->horizons[middle].log == log)
        return self->horizons[middle].length;
      if ((guintptr) self->horizons[middle].log < (guintptr) log)
        low = middle + 1;
      else
        high = middle;
    }
  return 0;
}

static bool
vector_clock_covers (const CuredVectorClock *self, uint32_t warp, uint32_t lanes, uint32_t clock)
{
  if (self == NULL || (self->warps >> warp & 1) == 0)
    return false;
  for (; lanes != 0; lanes &= lanes - 1)
    if (self->clocks[warp][__builtin_ctz (lanes)] <= clock)
      return false;
  return true;
}

/* ---- Logs ---- */

static void
block_releases_free (BlockReleases *self)
{
  for (guint i = 0; i < self->releases->len; i++)
    vector_clock_unref (g_array_index (self->releases, Release, i).known);
  g_array_unref (self->releases);
  vector_clock_unref (self->inner);
  g_free (self);
}

CURED_FREE_FUNC (Log, log_free, blocks, g_hash_table_unref, links, g_hash_table_unref)

static Log *
log_new (void)
{
  Log *self = g_new0 (Log, 1);

  self->blocks = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) block_releases_free);
  self->links = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  return self;
}

/* The number of a block as a non-null key. */
static gpointer
get_key (uint32_t block)
{
  return GSIZE_TO_POINTER ((gsize) block + 1);
}

static BlockReleases *
log_get_block (Log *self, uint32_t block)
{
  BlockReleases *releases = g_hash_table_lookup (self->blocks, get_key (block));

  if (releases == NULL)
    {
      releases = g_new0 (BlockReleases, 1);
      releases->releases = g_array_new (FALSE, FALSE, sizeof (Release));
      g_hash_table_insert (self->blocks, get_key (block), releases);
    }
  return releases;
}

/* Number of the Releases or Links whose index is below @length. */
static guint
count_below (const GArray *array, uint32_t length)
{
  guint low = 0, high = array->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      gsize at = (gsize) middle * g_array_get_element_size ((GArray *) array);

      if (*(const uint32_t *) (gpointer) (array->data + at) < length)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* The last release of @block within a horizon of @length; NULL: none. */
static const Release *
log_find_release (const Log *self, uint32_t block, uint32_t length)
{
  const BlockReleases *releases = g_hash_table_lookup (self->blocks, get_key (block));
  guint n = releases != NULL ? count_below (releases->releases, length) : 0;

  return n == 0 ? NULL : &g_array_index (releases->releases, Release, n - 1);
}

static void
log_add_links (Log *self, const CuredVectorClock *known)
{
  for (uint32_t i = 0; known != NULL && i < known->n_horizons; i++)
    {
      const Horizon *horizon = &known->horizons[i];
      Link link = { self->length, *horizon };

      if (horizon->log == self)
        continue;
      GArray *links = g_hash_table_lookup (self->links, horizon->log);
      if (links == NULL)
        {
          links = g_array_new (FALSE, FALSE, sizeof (Link));
          g_hash_table_insert (self->links, horizon->log, links);
        }
      if (links->len == 0 ||
          g_array_index (links, Link, links->len - 1).horizon.length < horizon->length)
        g_array_append_val (links, link);
    }
}

/* The length of the other log's horizon implied by one of @length through @links. */
static uint32_t
links_get_length (const GArray *links, uint32_t length)
{
  guint n = count_below (links, length);

  return n == 0 ? 0 : g_array_index (links, Link, n - 1).horizon.length;
}

/* Adds @lane of @snapshot to the log, for other blocks. */
static void
log_append (Log *self, const CuredBlockOrder *from, uint32_t warp, uint32_t lane,
            const CuredSnapshot *snapshot)
{
  BlockReleases *block = log_get_block (self, from->block);
  Release *last = NULL;
  Release release = { self->length, snapshot->floor, NULL };

  if (block->releases->len > 0)
    last = &g_array_index (block->releases, Release, block->releases->len - 1);
  /* Several atomics after one fence release the same: it is added once. */
  if (last != NULL && vector_clock_covers (last->known, warp, 1u << lane, snapshot->clock - 1))
    return;
  if (last != NULL && last->index >= self->asked)
    {
      /* No thread has seen it yet. */
      vector_clock_join (last->known, snapshot->known);
      vector_clock_raise (last->known, warp, 1u << lane, snapshot->clock);
      last->floor = MAX (last->floor, snapshot->floor);
      log_add_links (self, snapshot->known);
      log_add_links (self, snapshot->base);
      self->length++;
      last->index = self->length - 1;
      return;
    }
  release.known = vector_clock_new (from->n_warps);
  if (last != NULL)
    vector_clock_join (release.known, last->known);
  vector_clock_join (release.known, snapshot->known);
  vector_clock_raise (release.known, warp, 1u << lane, snapshot->clock);
  log_add_links (self, snapshot->known);
  log_add_links (self, snapshot->base);
  g_array_append_val (block->releases, release);
  self->length++;
}

CuredOrder *
_cured_order_new (void)
{
  CuredOrder *self = g_new0 (CuredOrder, 1);

  g_mutex_init (&self->mutex);
  self->logs =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) log_free);
  return self;
}

void
_cured_order_free (CuredOrder *self)
{
  g_hash_table_unref (self->logs);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* ---- A block ---- */

CuredBlockOrder *
_cured_block_order_new (CuredOrder *order, uint32_t n_warps)
{
  CuredBlockOrder *self = g_new0 (CuredBlockOrder, 1);

  self->order = order;
  self->n_warps = n_warps;
  self->known = g_new0 (CuredVectorClock *, n_warps * CURED_WARP_LANES);
  return self;
}

/* The vector clock of one thread, writable. */
static CuredVectorClock *
own_vector_clock (CuredBlockOrder *self, uint32_t thread)
{
  self->has_known = true;
  self->known[thread] = vector_clock_own (self->known[thread], self->n_warps);
  return self->known[thread];
}

/* Drops clocks that the floor covers. */
static void
forget_known (CuredBlockOrder *self)
{
  if (!self->has_known)
    return;
  for (uint32_t i = 0; i < self->n_warps * CURED_WARP_LANES; i++)
    g_clear_pointer (&self->known[i], vector_clock_unref);
  self->has_known = false;
}

CURED_CLEAR_FUNC (CuredSnapshot, clear_snapshot, known, vector_clock_unref, base,
                  vector_clock_unref)

/* Clears the state for the next block. */
void
_cured_block_order_end (CuredBlockOrder *self)
{
  uint32_t n = self->n_warps * CURED_WARP_LANES;

  forget_known (self);
  g_clear_pointer (&self->base, vector_clock_unref);
  for (int k = 0; k < 2; k++)
    {
      for (uint32_t i = 0; self->heard[k] != NULL && i < n; i++)
        vector_clock_unref (self->heard[k][i]);
      g_clear_pointer (&self->heard[k], g_free);
      for (uint32_t i = 0; self->fences[k] != NULL && i < n; i++)
        clear_snapshot (&self->fences[k][i]);
      g_clear_pointer (&self->fences[k], g_free);
      vector_clock_unref (self->cluster[k].known);
    }
  memset (self->cluster, 0, sizeof self->cluster);
  for (uint32_t b = 0; b < CURED_N_BARRIERS; b++)
    g_clear_pointer (&self->arrived[b], vector_clock_unref);
  g_clear_pointer (&self->shared, g_hash_table_unref);
}

CURED_DEFINE_FREE (CuredBlockOrder, _cured_block_order_free, known, g_free)

void
_cured_block_order_begin (CuredBlockOrder *self, uint32_t block)
{
  self->block = block;
  self->now = self->floor = 1;
  for (uint32_t w = 0; w < self->n_warps; w++)
    {
      self->clocks[w] = self->now;
      self->pending[w].mask = 0;
    }
}

/* The clock of a thread's heard releases, writable. */
static CuredVectorClock *
own_heard (CuredBlockOrder *self, int k, uint32_t thread)
{
  if (self->heard[k] == NULL)
    self->heard[k] = g_new0 (CuredVectorClock *, self->n_warps * CURED_WARP_LANES);
  CuredVectorClock **heard = &self->heard[k][thread];
  *heard = vector_clock_own (*heard, self->n_warps);
  return *heard;
}

static CuredVectorClock *
get_heard (const CuredBlockOrder *self, int k, uint32_t thread)
{
  return self->heard[k] != NULL ? self->heard[k][thread] : NULL;
}

/* Joins heard releases into the lanes' vector clocks; those of other blocks only if @is_wide. */
static void
believe (CuredBlockOrder *self, uint32_t warp, uint32_t mask, bool is_wide)
{
  for (int k = 0; k < (is_wide ? 2 : 1); k++)
    {
      if (self->heard[k] == NULL)
        continue;
      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          uint32_t thread = warp * CURED_WARP_LANES + (uint32_t) __builtin_ctz (left);
          CuredVectorClock *heard = g_steal_pointer (&self->heard[k][thread]);

          if (heard != NULL)
            vector_clock_join (own_vector_clock (self, thread), heard);
          vector_clock_unref (heard);
        }
    }
}

/* Advances the block's clock, and that of @warp with it: accesses of its lanes so far have lower
 * stamps than later ones. */
static uint32_t
advance (CuredBlockOrder *self, uint32_t warp)
{
  return self->clocks[warp] = ++self->now;
}

/* All remaining threads arrived at a barrier. Exited ones count as arrived, since their accesses
 * are done. */
void
_cured_block_order_join_all (CuredBlockOrder *self)
{
  const CuredVectorClock *last = NULL;

  for (uint32_t w = 0; w < self->n_warps; w++)
    {
      _cured_block_order_settle (self, w);
      believe (self, w, G_MAXUINT32, true);
    }
  for (uint32_t i = 0; self->has_known && i < self->n_warps * CURED_WARP_LANES; i++)
    {
      const CuredVectorClock *known = self->known[i];

      if (known != NULL && known != last && known->n_horizons > 0)
        {
          self->base = vector_clock_own (self->base, self->n_warps);
          vector_clock_add_horizons (self->base, known->horizons, known->n_horizons);
        }
      last = known;
    }
  forget_known (self);
  self->floor = ++self->now;
  for (uint32_t w = 0; w < self->n_warps; w++)
    self->clocks[w] = self->now;
}

/* Joins the vector clocks of @lanes (a mask per warp): all of them share the result. */
static void
join_lanes (CuredBlockOrder *self, uint32_t first_warp, uint32_t n_warps, const uint32_t *lanes,
            const CuredVectorClock *more)
{
  CuredVectorClock *first = NULL, *joined = NULL;
  uint32_t n = 0;
  bool is_one = more == NULL;

  for (uint32_t i = 0; i < n_warps; i++)
    for (uint32_t left = lanes[i]; left != 0; left &= left - 1)
      {
        CuredVectorClock *known =
            self->known[(first_warp + i) * CURED_WARP_LANES + (uint32_t) __builtin_ctz (left)];

        if (n++ == 0)
          first = known;
        is_one = is_one && known == first;
      }
  if (n == 0)
    return;

  uint32_t clock = ++self->now;
  if (is_one && first != NULL && first->refs == n)
    joined = first; /* it has no other owner */
  else
    {
      const CuredVectorClock *last = NULL;

      joined = vector_clock_new (self->n_warps);
      vector_clock_join (joined, more);
      for (uint32_t i = 0; i < n_warps; i++)
        for (uint32_t left = lanes[i]; left != 0; left &= left - 1)
          {
            uint32_t thread = (first_warp + i) * CURED_WARP_LANES + (uint32_t) __builtin_ctz (left);
            CuredVectorClock *known = self->known[thread];

            if (known != last)
              vector_clock_join (joined, known);
            last = known;
          }
      for (uint32_t i = 0; i < n_warps; i++)
        for (uint32_t left = lanes[i]; left != 0; left &= left - 1)
          {
            uint32_t thread = (first_warp + i) * CURED_WARP_LANES + (uint32_t) __builtin_ctz (left);

            vector_clock_unref (self->known[thread]);
            self->known[thread] = vector_clock_ref (joined);
          }
      joined->refs--;
      self->has_known = true;
    }
  for (uint32_t i = 0; i < n_warps; i++)
    if (lanes[i] != 0)
      {
        vector_clock_raise (joined, first_warp + i, lanes[i], clock);
        self->clocks[first_warp + i] = clock;
      }
}

/* A barrier of some threads releases @lanes (a mask per warp). They acquire the vector clocks of
 * those that arrived without waiting. */
void
_cured_block_order_join (CuredBlockOrder *self, const uint32_t *lanes, uint32_t barrier)
{
  for (uint32_t w = 0; w < self->n_warps; w++)
    if (lanes[w] != 0)
      {
        _cured_block_order_settle (self, w);
        believe (self, w, lanes[w], true);
      }
  join_lanes (self, 0, self->n_warps, lanes, self->arrived[barrier]);
  g_clear_pointer (&self->arrived[barrier], vector_clock_unref);
}

void
_cured_block_order_arrive (CuredBlockOrder *self, uint32_t warp, uint32_t mask, uint32_t barrier)
{
  _cured_block_order_settle (self, warp);
  believe (self, warp, mask, true);
  CuredVectorClock *arrived = vector_clock_own (self->arrived[barrier], self->n_warps);
  self->arrived[barrier] = arrived;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    vector_clock_join (arrived,
                       self->known[warp * CURED_WARP_LANES + (uint32_t) __builtin_ctz (left)]);
  vector_clock_raise (arrived, warp, mask, advance (self, warp));
}

/* ---- The barrier of a cluster ---- */

/* The log of the releases of a cluster's blocks at its barrier, which has no address. */
static Log *
find_cluster_log (CuredOrder *order, uint32_t cluster)
{
  gint64 key = G_MININT64 + cluster;
  Log *log = g_hash_table_lookup (order->logs, &key);

  if (log == NULL)
    {
      log = log_new ();
      g_hash_table_insert (order->logs, g_memdup2 (&key, sizeof key), log);
      g_atomic_int_inc (&order->n_logs);
    }
  return log;
}

/* The lanes of @mask arrive.
 * @is_release: all accesses so far are released, not only those before
 *   their last fence */
void
_cured_block_order_cluster_arrive (CuredBlockOrder *self, uint32_t warp, uint32_t mask,
                                   bool is_release)
{
  _cured_block_order_settle (self, warp);
  uint32_t clock = advance (self, warp);
  if (self->cluster[0].first == 0)
    {
      self->cluster[0].first = clock;
      self->cluster[0].is_pure = true;
    }
  self->cluster[0].n++;
  self->cluster[0].is_pure = self->cluster[0].is_pure && is_release;
  CuredVectorClock *arrived = vector_clock_own (self->cluster[0].known, self->n_warps);
  self->cluster[0].known = arrived;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left), thread = warp * CURED_WARP_LANES + lane;
      const CuredSnapshot *fence = self->fences[1] != NULL ? &self->fences[1][thread] : NULL;

      if (is_release)
        vector_clock_join (arrived, self->known[thread]);
      else if (fence != NULL && fence->clock != 0)
        {
          vector_clock_join (arrived, fence->known);
          vector_clock_raise (arrived, warp, 1u << lane, fence->clock);
        }
    }
  if (is_release)
    vector_clock_raise (arrived, warp, mask, clock);
}

/* All threads of the cluster have arrived: publishes this block's releases for the waiting threads.
 * Called for each block before any of them continues.
 *
 * @cluster: the number of its first block */
void
_cured_block_order_cluster_done (CuredBlockOrder *self, uint32_t cluster)
{
  CuredOrder *order = self->order;
  Release release = { 0, self->floor, NULL };

  vector_clock_unref (self->cluster[1].known);
  self->cluster[1] = self->cluster[0];
  self->cluster[1].now = self->now;
  self->cluster[1].is_pure =
      self->cluster[1].is_pure && self->now - self->cluster[1].first + 1 == self->cluster[1].n;
  memset (&self->cluster[0], 0, sizeof self->cluster[0]);
  if (self->cluster[1].known == NULL)
    return;
  if (self->cluster[1].is_pure)
    release.floor = self->cluster[1].first;
  else
    {
      release.known = vector_clock_new (self->n_warps);
      vector_clock_join (release.known, self->cluster[1].known);
    }
  g_mutex_lock (&order->mutex);
  Log *log = find_cluster_log (order, cluster);
  release.index = log->length;
  log_add_links (log, self->cluster[1].known);
  log_add_links (log, self->base);
  g_array_append_val (log_get_block (log, self->block)->releases, release);
  log->length++;
  g_mutex_unlock (&order->mutex);
}

/* The lanes of @lanes (a mask per warp) have waited for it.
 * @is_all: they are all remaining lanes of the block */
void
_cured_block_order_cluster_wait (CuredBlockOrder *self, uint32_t cluster, const uint32_t *lanes,
                                 bool is_all)
{
  CuredOrder *order = self->order;
  bool is_floor = is_all && self->cluster[1].is_pure && self->now == self->cluster[1].now;

  g_mutex_lock (&order->mutex);
  Log *log = find_cluster_log (order, cluster);
  log->asked = log->length;
  Horizon horizon = (Horizon){ log, log->length };
  g_mutex_unlock (&order->mutex);

  if (is_all)
    {
      self->base = vector_clock_own (self->base, self->n_warps);
      vector_clock_add_horizons (self->base, &horizon, 1);
    }
  if (is_floor)
    {
      const CuredVectorClock *arrived = self->cluster[1].known;

      self->floor = self->cluster[1].first;
      vector_clock_add_horizons (self->base, arrived->horizons, arrived->n_horizons);
      forget_known (self);
    }
  for (uint32_t w = 0; w < self->n_warps; w++)
    {
      if (lanes[w] == 0)
        continue;
      _cured_block_order_settle (self, w);
      for (uint32_t left = is_floor ? 0 : lanes[w]; left != 0; left &= left - 1)
        {
          CuredVectorClock *known =
              own_vector_clock (self, w * CURED_WARP_LANES + (uint32_t) __builtin_ctz (left));

          vector_clock_join (known, self->cluster[1].known);
          vector_clock_add_horizons (known, &horizon, 1);
        }
    }
}

void
_cured_block_order_join_warp (CuredBlockOrder *self, uint32_t warp, uint32_t mask)
{
  _cured_block_order_settle (self, warp);
  believe (self, warp, mask, true);
  join_lanes (self, warp, 1, &mask, NULL);
}

/* A fence.
 * @is_wide: its scope is wider than the block
 * @is_release: a later atomic of the lanes releases their accesses so far
 * @is_acquire: their vector clocks acquire the releases that their reads heard so far */
void
_cured_block_order_fence (CuredBlockOrder *self, uint32_t warp, uint32_t mask, bool is_wide,
                          bool is_release, bool is_acquire)
{
  _cured_block_order_settle (self, warp);
  if (is_acquire)
    believe (self, warp, mask, is_wide);
  if (!is_release)
    return;
  uint32_t clock = advance (self, warp);
  for (int k = 0; k < (is_wide ? 2 : 1); k++)
    {
      if (self->fences[k] == NULL)
        self->fences[k] = g_new0 (CuredSnapshot, self->n_warps * CURED_WARP_LANES);
      for (uint32_t left = mask; left != 0; left &= left - 1)
        {
          uint32_t thread = warp * CURED_WARP_LANES + (uint32_t) __builtin_ctz (left);
          CuredSnapshot *fence = &self->fences[k][thread];

          clear_snapshot (fence);
          *fence = (CuredSnapshot){ clock, self->floor, vector_clock_ref (self->known[thread]),
                                    vector_clock_ref (self->base) };
        }
    }
}

/* A release within the block: adds to @to, which the caller owns. */
static CuredVectorClock *
release_inside (CuredBlockOrder *self, CuredVectorClock *to, uint32_t warp, uint32_t lane,
                const CuredSnapshot *snapshot)
{
  if (vector_clock_covers (to, warp, 1u << lane, snapshot->clock - 1))
    return to;
  to = vector_clock_own (to, self->n_warps);
  vector_clock_join (to, snapshot->known);
  vector_clock_raise (to, warp, 1u << lane, snapshot->clock);
  return to;
}

/* An atomic, or a strong store, of @mask: accesses of the lanes before their last fence become
 * visible to its readers.
 * @address: of each lane
 * @is_wide: its scope is wider than the block
 * @is_fence: it releases by itself */
void
_cured_block_order_release (CuredBlockOrder *self, uint32_t warp, uint32_t mask, CuredSpace space,
                            const uint64_t *address, bool is_wide, bool is_fence)
{
  uint32_t clock = 0;

  if (is_fence)
    {
      _cured_block_order_settle (self, warp);
      clock = advance (self, warp);
    }
  else if (self->fences[0] == NULL)
    return;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left), thread = warp * CURED_WARP_LANES + lane;
      const CuredSnapshot now = { clock, self->floor, self->known[thread], self->base };
      const CuredSnapshot *inner = is_fence ? &now : &self->fences[0][thread], *outer = NULL;
      gint64 key = (gint64) address[lane];

      if (inner->clock == 0)
        continue;
      if (is_wide && is_fence)
        outer = &now;
      else if (is_wide && self->fences[1] != NULL)
        outer = &self->fences[1][thread];
      if (space == CURED_SPACE_SHARED)
        {
          if (self->shared == NULL)
            self->shared = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                                  (GDestroyNotify) vector_clock_unref);
          CuredVectorClock *known = g_hash_table_lookup (self->shared, &key);
          if (known == NULL)
            g_hash_table_insert (self->shared, g_memdup2 (&key, sizeof key),
                                 release_inside (self, NULL, warp, lane, inner));
          else
            release_inside (self, known, warp, lane, inner);
        }
      else
        {
          CuredOrder *order = self->order;

          g_mutex_lock (&order->mutex);
          Log *log = g_hash_table_lookup (order->logs, &key);
          if (log == NULL)
            {
              log = log_new ();
              g_hash_table_insert (order->logs, g_memdup2 (&key, sizeof key), log);
              g_atomic_int_inc (&order->n_logs);
            }
          BlockReleases *block = log_get_block (log, self->block);
          block->inner = release_inside (self, block->inner, warp, lane, inner);
          if (outer != NULL && outer->clock != 0)
            log_append (log, self, warp, lane, outer);
          else
            log->length++;
          g_mutex_unlock (&order->mutex);
        }
    }
}

static CuredVectorClock *
own_either (CuredBlockOrder *self, bool is_acquire, int k, uint32_t thread)
{
  return is_acquire ? own_vector_clock (self, thread) : own_heard (self, k, thread);
}

static void
acquire_shared (CuredBlockOrder *self, bool is_acquire, uint32_t thread, uint64_t address)
{
  gint64 key = (gint64) address;
  const CuredVectorClock *released = g_hash_table_lookup (self->shared, &key);

  if (released != NULL)
    vector_clock_join (own_either (self, is_acquire, 0, thread), released);
}

/* The mutex must be held. */
static void
acquire_global (CuredBlockOrder *self, const CuredAcquisition *pending, uint32_t thread,
                uint64_t address)
{
  gint64 key = (gint64) address;
  Log *log = g_hash_table_lookup (self->order->logs, &key);

  if (log == NULL)
    return;
  Horizon horizon = (Horizon){ log, log->length };
  if (vector_clock_get_length (self->known[thread], log) == log->length ||
      vector_clock_get_length (self->base, log) == log->length)
    return;
  if (!pending->is_acquire &&
      vector_clock_get_length (get_heard (self, 1, thread), log) == log->length)
    return;
  if (pending->is_wide)
    {
      vector_clock_add_horizons (own_either (self, pending->is_acquire, 1, thread), &horizon, 1);
      log->asked = log->length;
    }
  const BlockReleases *block = g_hash_table_lookup (log->blocks, get_key (self->block));
  if (block != NULL)
    vector_clock_join (own_either (self, pending->is_acquire, 0, thread), block->inner);
}

/* An atomic, or a strong load, of @mask: it may read others' releases.
 * @is_wide: its scope is wider than the block
 * @is_acquire: their vector clocks acquire it at once; otherwise a fence is required */
void
_cured_block_order_acquire (CuredBlockOrder *self, uint32_t warp, uint32_t mask, CuredSpace space,
                            const uint64_t *address, bool is_wide, bool is_acquire)
{
  CuredAcquisition *pending = &self->pending[warp];

  _cured_block_order_settle (self, warp);
  if (space == CURED_SPACE_SHARED)
    {
      for (; self->shared != NULL && mask != 0; mask &= mask - 1)
        {
          uint32_t lane = (uint32_t) __builtin_ctz (mask);

          acquire_shared (self, is_acquire, warp * CURED_WARP_LANES + lane, address[lane]);
        }
      return;
    }
  pending->mask = mask;
  pending->is_wide = is_wide;
  pending->is_acquire = is_acquire;
  memcpy (pending->address, address, sizeof pending->address);
}

/* Processes the warp's last strong read. */
void
_cured_block_order_settle (CuredBlockOrder *self, uint32_t warp)
{
  CuredAcquisition *pending = &self->pending[warp];
  uint32_t mask = pending->mask;

  if (G_LIKELY (mask == 0))
    return;
  pending->mask = 0;
  if (g_atomic_int_get (&self->order->n_logs) == 0)
    return;
  g_mutex_lock (&self->order->mutex);
  for (uint32_t left = mask; left != 0; left &= left - 1)
    {
      uint32_t lane = (uint32_t) __builtin_ctz (left);

      acquire_global (self, pending, warp * CURED_WARP_LANES + lane, pending->address[lane]);
    }
  g_mutex_unlock (&self->order->mutex);
}

/* ---- Queries ---- */

/* Whether @thread is ordered after the accesses of @lanes of @warp of its block up to the warp's
 * @clock. The caller must exclude the thread's own accesses. */
bool
_cured_block_order_knows (const CuredBlockOrder *self, uint32_t thread, uint32_t warp,
                          uint32_t lanes, uint32_t clock)
{
  return clock < self->floor || vector_clock_covers (self->known[thread], warp, lanes, clock);
}

/* Adds the horizons implied by the first one that was not yet followed. */
static void
closure_follow (Closure *self)
{
  Horizon horizon = g_array_index (self->reached, Horizon, self->n_followed++);
  GHashTableIter iter;
  gpointer log, links;

  g_hash_table_iter_init (&iter, horizon.log->links);
  while (g_hash_table_iter_next (&iter, &log, &links))
    {
      Horizon next = { log, links_get_length (links, horizon.length) };

      if (next.length <= GPOINTER_TO_SIZE (g_hash_table_lookup (self->lengths, log)))
        continue;
      g_hash_table_insert (self->lengths, log, GSIZE_TO_POINTER (next.length));
      g_array_append_val (self->reached, next);
    }
}

/* Whether a closure contains the accesses of @lanes of @warp of @block up to the warp's @clock. */
static bool
closure_covers (Closure *self, CuredOrder *order, uint32_t block, uint32_t warp, uint32_t lanes,
                uint32_t clock)
{
  Answer *answer = g_hash_table_lookup (self->answers, get_key (block));
  bool is_covered = false;

  if (answer == NULL)
    {
      answer = g_new0 (Answer, 1);
      answer->known = g_ptr_array_new ();
      g_hash_table_insert (self->answers, get_key (block), answer);
    }
  is_covered = clock < answer->floor;
  for (guint i = 0; i < answer->known->len && !is_covered; i++)
    is_covered = vector_clock_covers (answer->known->pdata[i], warp, lanes, clock);
  if (is_covered || answer->n_asked == MAX_LOGS_ASKED ||
      (answer->n_asked == self->reached->len && self->n_followed == self->reached->len))
    return is_covered || answer->n_asked == MAX_LOGS_ASKED;

  g_mutex_lock (&order->mutex);
  while (!is_covered && answer->n_asked < MAX_LOGS_ASKED)
    {
      while (answer->n_asked == self->reached->len && self->n_followed < self->reached->len)
        closure_follow (self);
      if (answer->n_asked == self->reached->len)
        break;
      Horizon horizon = g_array_index (self->reached, Horizon, answer->n_asked++);
      const Release *release = log_find_release (horizon.log, block, horizon.length);
      if (release == NULL)
        continue;
      answer->floor = MAX (answer->floor, release->floor);
      g_ptr_array_add (answer->known, release->known);
      is_covered =
          clock < release->floor || vector_clock_covers (release->known, warp, lanes, clock);
    }
  g_mutex_unlock (&order->mutex);
  return is_covered || answer->n_asked == MAX_LOGS_ASKED;
}

/* The same for threads of another block.
 * @with_heard: include what it has heard without a fence */
bool
_cured_block_order_knows_foreign (const CuredBlockOrder *self, uint32_t thread, uint32_t block,
                                  uint32_t warp, uint32_t lanes, uint32_t clock, bool with_heard)
{
  CuredVectorClock *const sources[] = {
    self->known[thread],
    self->base,
    with_heard ? get_heard (self, 0, thread) : NULL,
    with_heard ? get_heard (self, 1, thread) : NULL,
  };

  for (guint k = 0; k < G_N_ELEMENTS (sources); k++)
    {
      CuredVectorClock *source = sources[k];

      if (source == NULL || source->n_horizons == 0)
        continue;
      if (source->closure == NULL)
        source->closure = closure_new (source->horizons, source->n_horizons);
      if (closure_covers (source->closure, self->order, block, warp, lanes, clock))
        return true;
    }
  return false;
}

/* Whether @thread has at least heard of the accesses of @lanes of @warp of @block up to the warp's
 * @clock, with a fence or without. */
bool
_cured_block_order_heard_of (const CuredBlockOrder *self, uint32_t thread, uint32_t block,
                             uint32_t warp, uint32_t lanes, uint32_t clock)
{
  bool is_all = true;

  if (block != self->block)
    return _cured_block_order_knows_foreign (self, thread, block, warp, lanes, clock, true);
  for (; lanes != 0; lanes &= lanes - 1)
    {
      uint32_t lane = lanes & -lanes;

      is_all = is_all && (_cured_block_order_knows (self, thread, warp, lane, clock) ||
                          vector_clock_covers (get_heard (self, 0, thread), warp, lane, clock));
    }
  return is_all;
}

/* Whether @thread acquired at @address a release of @lanes of @warp of @block. The atomics of the
 * release are ordered before it as well, although their stamps are later than the fence's. */
bool
_cured_block_order_heard (const CuredBlockOrder *self, uint32_t thread, CuredSpace space,
                          uint64_t address, uint32_t block, uint32_t warp, uint32_t lanes)
{
  gint64 key = (gint64) address;
  const CuredVectorClock *released = NULL;
  bool is_heard = false;

  if (space == CURED_SPACE_SHARED)
    {
      if (self->shared != NULL)
        released = g_hash_table_lookup (self->shared, &key);
      if (!vector_clock_covers (released, warp, lanes, 0))
        return false;
      for (; lanes != 0; lanes &= lanes - 1)
        {
          uint32_t lane = (uint32_t) __builtin_ctz (lanes);

          if (!_cured_block_order_heard_of (self, thread, self->block, warp, 1u << lane,
                                            released->clocks[warp][lane] - 1))
            return false;
        }
      return true;
    }
  if (g_atomic_int_get (&self->order->n_logs) == 0)
    return false;
  g_mutex_lock (&self->order->mutex);
  {
    const Log *log = g_hash_table_lookup (self->order->logs, &key);
    uint32_t length = 0;
    const Release *release = NULL;

    if (log != NULL)
      {
        length = MAX (vector_clock_get_length (self->known[thread], log),
                      vector_clock_get_length (self->base, log));
        for (int k = 0; k < 2; k++)
          length = MAX (length, vector_clock_get_length (get_heard (self, k, thread), log));
      }
    if (length > 0)
      release = log_find_release (log, block, length);
    if (release != NULL)
      is_heard = vector_clock_covers (release->known, warp, lanes, 0);
  }
  g_mutex_unlock (&self->order->mutex);
  return is_heard;
}
