/* SPDX-License-Identifier: MIT
 * The caches of a chip: hits and misses of accesses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ptx/cured-cache-traffic.h"
#include "ptx/machine/cured-launch.h"

#define CURED_LINE_BYTES   128
#define CURED_SECTOR_BYTES 32

/* The share of the second cache's lines that may be dirty: an H200 that has written far more has 27
 * MB left to write back at the end of a launch, of 50 that hold data (docs/caches.md). */
#define CURED_CACHE_DIRTY_SHARE (9.0 / 16)

/* Sizes of a chip's caches. */
typedef struct
{
  guint sms;      /* number of multiprocessors */
  gsize l2_bytes; /* size of the second cache */
  /* number of its partitions, each of which caches the reads of its own multiprocessors: 1 or 2 */
  guint l2_partitions;
  guint dram_sectors; /* number of sectors that are read from memory together: 1, 2 or 4 */
} CuredCacheChip;

/* How caches treat an access. */
typedef enum
{
  CURED_CACHE_PASS_L1 = 1 << 0,  /* bypass the first cache */
  CURED_CACHE_L1_STAYS = 1 << 1, /* look it up, but allocate nothing there */
  CURED_CACHE_L1_FIRST = 1 << 2, /* evict filled lines first */
  CURED_CACHE_L2_FIRST = 1 << 3, /* likewise in the second cache */
  CURED_CACHE_L2_LAST = 1 << 4,  /* evict filled lines last */
  CURED_CACHE_LOCAL = 1 << 5,    /* local memory */
} CuredCacheWay;

CuredCaches *_cured_caches_new (const CuredCacheChip *chip);
void _cured_caches_free (CuredCaches *self);
void _cured_caches_begin (CuredCaches *self, gsize l1_bytes);
void _cured_caches_flush (CuredCaches *self);
guint64 _cured_caches_get_dirty_bytes (const CuredCaches *self);
double _cured_caches_get_dirty_limit (const CuredCaches *self);

void _cured_caches_load (CuredCaches *self, guint sm, guint64 line, guint sectors, guint way,
                         CuredCacheTraffic *traffic);
void _cured_caches_store (CuredCaches *self, guint sm, guint64 line, const guint32 bytes[4],
                          guint way, CuredCacheTraffic *traffic);
void _cured_caches_change (CuredCaches *self, guint sm, guint64 line, guint sectors,
                           CuredCacheTraffic *traffic);
void _cured_caches_acquire (CuredCaches *self, guint sm);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredCaches, _cured_caches_free)
