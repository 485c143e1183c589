/* SPDX-License-Identifier: MIT
 * The caches of a chip: hits and misses of accesses.
 *
 * Both levels have lines of 128 bytes with four sectors of 32, which are fetched one by one. A
 * first cache is write-through and does not allocate lines on stores; the second one is write-back.
 * docs/caches.md has the sources of this, and the agreement with the hardware. */
#include "ptx/watch/cured-caches-internal.h"

#include <string.h>

/* Number of lines per set. */
#define L1_WAYS 16
#define L2_WAYS 16

/* Maximum number of dirty lines per set of the second cache. */
#define DIRTY_WAYS ((guint) (L2_WAYS * CURED_CACHE_DIRTY_SHARE))

#define NO_LINE 0

/* Time of use of a line that is evicted first: never; and of one that is evicted last: later than
 * any real time. */
#define GOES_FIRST 0
#define GOES_LAST  UINT32_MAX

/* The cache of a multiprocessor or a partition. Arrays are indexed by entry: set · ways + way. */
typedef struct
{
  guint32 n_sets, ways, tick;
  guint32 *lines; /* number of the line + 1; NO_LINE: none */
  guint32 *used;
  guint8 *valid;  /* mask of sectors */
  guint8 *dirty;  /* likewise; second cache only */
  guint32 *bytes; /* 4 an entry: those that are there of a sector that is not
                      valid; of the second cache */
} Cache;

struct _CuredCaches
{
  CuredCacheChip chip;
  gsize l1_bytes;
  Cache *l1, l2[2];
};

/* ---- One cache ---- */

static void
cache_clear (Cache *self)
{
  g_free (self->lines);
  g_free (self->used);
  g_free (self->valid);
  g_free (self->dirty);
  g_free (self->bytes);
  *self = (Cache){ 0 };
}

static void
cache_init (Cache *self, gsize n_bytes, guint32 ways, gboolean is_written)
{
  cache_clear (self);
  self->ways = ways;
  self->n_sets = (guint32) MAX (n_bytes / CURED_LINE_BYTES / ways, 1);
  gsize n = (gsize) self->n_sets * ways;
  self->lines = g_new0 (guint32, n);
  self->used = g_new0 (guint32, n);
  self->valid = g_new0 (guint8, n);
  if (is_written)
    {
      self->dirty = g_new0 (guint8, n);
      self->bytes = g_new0 (guint32, 4 * n);
    }
}

static void
cache_empty (Cache *self)
{
  gsize n = (gsize) self->n_sets * self->ways;

  memset (self->lines, 0, n * sizeof *self->lines);
  memset (self->valid, 0, n);
  if (self->dirty != NULL)
    memset (self->dirty, 0, n);
}

static inline guint32
mix (guint32 x)
{
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

/* The first entry of the line's set. Neighbouring lines are in neighbouring sets; each pass over
 * the sets begins at another one, so that no stride uses a few sets only. */
static inline gsize
get_set (const Cache *self, guint32 line)
{
  guint32 round = line / self->n_sets;
  guint64 at = (guint64) (line - round * self->n_sets) + mix (round);

  return (gsize) (at % self->n_sets) * self->ways;
}

static inline guint32
next_tick (Cache *self)
{
  /* The order of use is rebuilt when the clock overflows. */
  if (++self->tick >= GOES_LAST - 1)
    {
      gsize n = (gsize) self->n_sets * self->ways;

      for (gsize i = 0; i < n; i++)
        self->used[i] /= 2;
      self->tick = GOES_LAST / 2;
    }
  return self->tick;
}

/* FALSE: @entry is the least recently used one of the set, which the line would replace. */
static inline bool
find (Cache *self, guint32 line, gsize *entry)
{
  gsize set = get_set (self, line), oldest = set;

  for (gsize i = set; i < set + self->ways; i++)
    if (self->lines[i] == line + 1)
      {
        *entry = i;
        return true;
      }
  for (gsize i = set; i < set + self->ways; i++)
    {
      if (self->lines[i] == NO_LINE)
        {
          oldest = i;
          break;
        }
      if (self->used[i] < self->used[oldest])
        oldest = i;
    }
  *entry = oldest;
  return false;
}

static inline guint
count (guint bits)
{
  return (guint) __builtin_popcount (bits);
}

/* ---- Memory ---- */

static void
read_dram (guint sectors, CuredCacheTraffic *traffic)
{
  traffic->dram_read_bytes += CURED_SECTOR_BYTES * count (sectors);
}

/* A partly written sector is read before it is written back, since memory with error correction
 * is written in whole sectors. */
static void
write_back (Cache *cache, gsize entry, CuredCacheTraffic *traffic)
{
  guint dirty = cache->dirty[entry];

  if (dirty == 0)
    return;
  read_dram (dirty & ~cache->valid[entry] & 15u, traffic);
  traffic->dram_write_bytes += CURED_SECTOR_BYTES * count (dirty);
  cache->dirty[entry] = 0;
}

/* Marks sectors of a line as written. If the set has too many dirty lines, the least recently used
 * of them is written back, but stays valid. */
static void
soil (Cache *cache, gsize entry, guint sectors, CuredCacheTraffic *traffic)
{
  gsize set = entry - entry % cache->ways, oldest = entry;
  guint n = 1;

  if (cache->dirty[entry] == 0)
    {
      for (gsize i = set; i < set + cache->ways; i++)
        if (cache->dirty[i] != 0)
          {
            n++;
            if (oldest == entry || cache->used[i] < cache->used[oldest])
              oldest = i;
          }
      if (n > DIRTY_WAYS)
        write_back (cache, oldest, traffic);
    }
  cache->dirty[entry] |= (guint8) sectors;
}

/* ---- The second cache ---- */

/* The partition of the memory that holds a line. */
static inline guint
get_home (const CuredCaches *self, guint32 line)
{
  return self->chip.l2_partitions < 2 ? 0 : mix (line >> 5) & 1;
}

/* The partition that a multiprocessor uses: neighbours use the same one. */
static inline guint
get_side (const CuredCaches *self, guint sm)
{
  return self->chip.l2_partitions < 2 ? 0 : sm >> 1 & 1;
}

static gsize
take_up (CuredCaches *self, Cache *cache, guint32 line, guint way, CuredCacheTraffic *traffic)
{
  gsize entry;

  if (!find (cache, line, &entry))
    {
      if (cache->lines[entry] != NO_LINE)
        write_back (cache, entry, traffic);
      cache->lines[entry] = line + 1;
      cache->valid[entry] = 0;
      cache->dirty[entry] = 0;
      memset (&cache->bytes[4 * entry], 0, 4 * sizeof *cache->bytes);
    }
  cache->used[entry] = (way & CURED_CACHE_L2_FIRST) != 0  ? GOES_FIRST
                       : (way & CURED_CACHE_L2_LAST) != 0 ? GOES_LAST
                                                          : next_tick (cache);
  return entry;
}

/* The sectors that are read from memory together with those of @missing. */
static inline guint
widen (const CuredCaches *self, guint missing)
{
  switch (self->chip.dram_sectors)
    {
    case 2: return ((missing & 3) != 0 ? 3u : 0) | ((missing & 12) != 0 ? 12u : 0);
    case 4: return missing != 0 ? 15 : 0;
    case 1:
    default: return missing;
    }
}

/* A partition caches the data of its multiprocessors, wherever it is stored: it reads missing data
 * from memory or from the line's home partition, which caches it as well.
 *
 * Returns: the sectors that hit */
static guint
read_l2 (CuredCaches *self, guint side, guint32 line, guint sectors, guint way,
         CuredCacheTraffic *traffic)
{
  Cache *cache = &self->l2[side];
  gsize entry = take_up (self, cache, line, way, traffic);
  guint hits = cache->valid[entry] & sectors;

  if (hits != sectors)
    {
      guint home = get_home (self, line);
      guint fetched = widen (self, sectors & ~hits) & ~(guint) cache->valid[entry];

      if (home == side)
        read_dram (fetched, traffic);
      else
        {
          traffic->l2_fabric_sectors += count (fetched);
          (void) read_l2 (self, home, line, fetched, way, traffic);
        }
      cache->valid[entry] |= (guint8) fetched;
    }
  return hits;
}

/* Written data is cached only in the home partition of its address. */
static void
write_l2 (CuredCaches *self, guint side, guint32 line, guint sectors, const guint32 bytes[4],
          guint way, CuredCacheTraffic *traffic)
{
  guint home = get_home (self, line);
  Cache *cache = &self->l2[home];
  gsize entry;

  if (home != side)
    {
      traffic->l2_fabric_sectors += count (sectors);
      if (find (&self->l2[side], line, &entry))
        self->l2[side].valid[entry] &= (guint8) ~sectors;
    }
  entry = take_up (self, cache, line, way, traffic);
  traffic->l2_write_sectors += count (sectors);
  traffic->l2_hits += count (sectors);
  soil (cache, entry, sectors, traffic);
  for (guint s = 0; s < 4; s++)
    {
      guint32 *there = &cache->bytes[4 * entry + s];

      if ((sectors >> s & 1) == 0)
        continue;
      if (bytes[s] != UINT32_MAX)
        traffic->l2_partial_writes++;
      *there |= bytes[s];
      if (*there == UINT32_MAX)
        cache->valid[entry] |= (guint8) (1u << s);
    }
}

/* ---- From multiprocessors ---- */

/* Loads sectors of one line.
 *
 * @line: number of the line: the address over 128
 * @traffic: (inout): the counts */
void
_cured_caches_load (CuredCaches *self, guint sm, guint64 line, guint sectors, guint way,
                    CuredCacheTraffic *traffic)
{
  Cache *cache = &self->l1[sm % self->chip.sms];
  guint missing = sectors;
  gsize entry;

  traffic->l1_load_sectors += count (sectors);
  if ((way & CURED_CACHE_PASS_L1) == 0)
    {
      bool is_there = find (cache, (guint32) line, &entry);

      if (is_there)
        missing &= ~(guint) cache->valid[entry];
      traffic->l1_load_hits += count (sectors & ~missing);
      if (is_there || (way & CURED_CACHE_L1_STAYS) == 0)
        {
          if (!is_there)
            {
              cache->lines[entry] = (guint32) line + 1;
              cache->valid[entry] = 0;
            }
          cache->valid[entry] |= (guint8) sectors;
          cache->used[entry] = (way & CURED_CACHE_L1_FIRST) != 0 ? GOES_FIRST : next_tick (cache);
        }
      if (missing == 0)
        return;
    }
  guint hits = count (read_l2 (self, get_side (self, sm), (guint32) line, missing, way, traffic));
  traffic->l2_read_sectors += count (missing);
  traffic->l2_read_hits += hits;
  traffic->l2_hits += hits;
}

/* Stores to one line.
 *
 * @line: number of the line: the address over 128
 * @traffic: (inout): the counts */
void
_cured_caches_store (CuredCaches *self, guint sm, guint64 line, const guint32 bytes[4], guint way,
                     CuredCacheTraffic *traffic)
{
  Cache *cache = &self->l1[sm % self->chip.sms];
  guint sectors = 0;
  gsize entry;

  for (guint s = 0; s < 4; s++)
    if (bytes[s] != 0)
      sectors |= 1u << s;
  traffic->l1_store_sectors += count (sectors);
  if (find (cache, (guint32) line, &entry))
    traffic->l1_store_hits += count (sectors & cache->valid[entry]);
  else
    {
      cache->lines[entry] = (guint32) line + 1;
      cache->valid[entry] = 0;
    }
  cache->valid[entry] |= (guint8) sectors;
  cache->used[entry] = next_tick (cache);
  write_l2 (self, get_side (self, sm), (guint32) line, sectors, bytes, way, traffic);
}

/* Does atomic operations in the second cache, in sectors of one line. The first cache invalidates
 * them.
 * @line: number of the line: the address over 128
 * @traffic: (inout): the counts */
void
_cured_caches_change (CuredCaches *self, guint sm, guint64 line, guint sectors,
                      CuredCacheTraffic *traffic)
{
  Cache *first = &self->l1[sm % self->chip.sms];
  guint side = get_side (self, sm), home = get_home (self, (guint32) line);
  Cache *second = &self->l2[home];
  gsize entry;

  if (find (first, (guint32) line, &entry))
    first->valid[entry] &= (guint8) ~sectors;
  traffic->l1_atomic_sectors += count (sectors);
  traffic->l2_atomic_sectors += count (sectors);
  traffic->l2_hits += count (read_l2 (self, home, (guint32) line, sectors, 0, traffic));
  if (home != side)
    traffic->l2_fabric_sectors += count (sectors);
  if (find (second, (guint32) line, &entry))
    soil (second, entry, sectors, traffic);
}

/* A fence of the device or the system: invalidates the first cache. */
void
_cured_caches_acquire (CuredCaches *self, guint sm)
{
  Cache *cache = &self->l1[sm % self->chip.sms];

  memset (cache->lines, 0, (gsize) cache->n_sets * cache->ways * sizeof *cache->lines);
}

/* ---- Life ---- */

/* Returns: (transfer full): the caches of a chip, all empty */
CuredCaches *
_cured_caches_new (const CuredCacheChip *chip)
{
  CuredCaches *self = g_new0 (CuredCaches, 1);
  guint n = CLAMP (chip->l2_partitions, 1, 2);

  self->chip = *chip;
  self->l1 = g_new0 (Cache, chip->sms);
  for (guint i = 0; i < n; i++)
    cache_init (&self->l2[i], chip->l2_bytes / n, L2_WAYS, TRUE);
  return self;
}

/* @self: (transfer full) (nullable): caches */
void
_cured_caches_free (CuredCaches *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->chip.sms; i++)
    cache_clear (&self->l1[i]);
  for (guint i = 0; i < G_N_ELEMENTS (self->l2); i++)
    cache_clear (&self->l2[i]);
  g_free (self->l1);
  g_free (self);
}

/* Begins a launch: empties the first caches and keeps the second one. */
void
_cured_caches_begin (CuredCaches *self, gsize l1_bytes)
{
  for (guint i = 0; i < self->chip.sms; i++)
    if (l1_bytes != self->l1_bytes)
      cache_init (&self->l1[i], l1_bytes, L1_WAYS, FALSE);
    else
      cache_empty (&self->l1[i]);
  self->l1_bytes = l1_bytes;
}

/* Empties the second cache, as between two measurements. */
void
_cured_caches_flush (CuredCaches *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->l2); i++)
    if (self->l2[i].n_sets > 0)
      cache_empty (&self->l2[i]);
}

/* Returns: number of dirty bytes in the second cache */
guint64
_cured_caches_get_dirty_bytes (const CuredCaches *self)
{
  guint64 n_sectors = 0;

  for (guint i = 0; i < G_N_ELEMENTS (self->l2); i++)
    for (gsize j = 0; j < (gsize) self->l2[i].n_sets * self->l2[i].ways; j++)
      if (self->l2[i].lines[j] != NO_LINE)
        n_sectors += count (self->l2[i].dirty[j]);
  return CURED_SECTOR_BYTES * n_sectors;
}

/* Returns: number of dirty bytes in the second cache if all its present data were dirty */
double
_cured_caches_get_dirty_limit (const CuredCaches *self)
{
  double most = (double) self->chip.l2_bytes * CURED_CACHE_DIRTY_SHARE;
  guint64 n_lines = 0;

  for (guint i = 0; i < G_N_ELEMENTS (self->l2); i++)
    for (gsize j = 0; j < (gsize) self->l2[i].n_sets * self->l2[i].ways; j++)
      n_lines += self->l2[i].lines[j] != NO_LINE;
  if (n_lines == 0)
    return most;
  return MIN ((double) self->chip.l2_bytes * (double) _cured_caches_get_dirty_bytes (self) /
                  (double) (n_lines * CURED_LINE_BYTES),
              most);
}
