/* SPDX-License-Identifier: MIT
 * What a launch asks of the caches and of memory. */
#pragma once

#include <glib.h>

/* ORDER: one row per field; field, meaning. Sectors have 32 bytes. */
#define CURED_CACHE_TRAFFIC_FIELDS(X)                                                              \
  X (l1_requests, "accesses of warps to global and local memory")                                  \
  X (l1_load_sectors, "sectors that loads ask of the first cache")                                 \
  X (l1_load_hits, "of these, sectors that it has")                                                \
  X (l1_store_sectors, "sectors that stores send through it")                                      \
  X (l1_store_hits, "of these, sectors that it has")                                               \
  X (l1_atomic_sectors, "sectors of atomic operations, which pass it")                             \
  X (l2_read_sectors, "sectors that multiprocessors read from the second cache")                   \
  X (l2_read_hits, "of these, sectors that it has")                                                \
  X (l2_write_sectors, "sectors that they write to it")                                            \
  X (l2_atomic_sectors, "sectors of atomic operations that it does")                               \
  X (l2_hits, "lookups of all three kinds that need nothing from memory")                          \
  X (l2_fabric_sectors, "sectors that go on to the other partition of it")                         \
  X (l2_partial_writes, "written sectors of which not all bytes are written")                      \
  X (dram_read_bytes, "bytes read from memory")                                                    \
  X (dram_write_bytes, "bytes written to memory during the launch")                                \
  X (dirty_bytes, "bytes that the second cache has yet to write when the launch ends")

/* Traffic of a launch, or of one of its instructions, with the caches and memory, by the cache
 * model. Counts of a part of the blocks are scaled to the whole grid, and may therefore have
 * fractions. */
typedef struct
{
#define CURED_CACHE_TRAFFIC_FIELD(name, meaning) double name;
  CURED_CACHE_TRAFFIC_FIELDS (CURED_CACHE_TRAFFIC_FIELD)
#undef CURED_CACHE_TRAFFIC_FIELD
} CuredCacheTraffic;

void cured_cache_traffic_add (CuredCacheTraffic *self, const CuredCacheTraffic *other,
                              double factor);
double cured_cache_traffic_get_l1_hit_rate (const CuredCacheTraffic *self);
double cured_cache_traffic_get_l2_sectors (const CuredCacheTraffic *self);
double cured_cache_traffic_get_l2_hit_rate (const CuredCacheTraffic *self);
