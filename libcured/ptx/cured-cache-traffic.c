/* SPDX-License-Identifier: MIT
 * What a launch asks of the caches and of memory. */
#include "ptx/cured-cache-traffic.h"

#include <math.h>

/* @self: (inout): a sum
 * @other: added to it
 * @factor: a multiplier */
void
cured_cache_traffic_add (CuredCacheTraffic *self, const CuredCacheTraffic *other, double factor)
{
#define ADD(name, meaning) self->name += factor * other->name;
  CURED_CACHE_TRAFFIC_FIELDS (ADD)
#undef ADD
}

static double
divide (double share, double whole)
{
  return whole > 0 ? share / whole : NAN;
}

/* @self: of a launch
 * Returns: the L1 cache's hit rate by sectors, of loads, stores and atomic operations, as
 *   l1tex__t_sector_hit_rate; NaN without requests */
double
cured_cache_traffic_get_l1_hit_rate (const CuredCacheTraffic *self)
{
  return divide (self->l1_load_hits + self->l1_store_hits,
                 self->l1_load_sectors + self->l1_store_sectors + self->l1_atomic_sectors);
}

/* @self: of a launch
 * Returns: sectors that multiprocessors read, write or update atomically in the L2 cache, as
 *   lts__t_sectors_srcunit_tex */
double
cured_cache_traffic_get_l2_sectors (const CuredCacheTraffic *self)
{
  return self->l2_read_sectors + self->l2_write_sectors + self->l2_atomic_sectors;
}

/* @self: of a launch
 * Returns: share of the L2 cache's lookups that need nothing from memory; NaN without lookups */
double
cured_cache_traffic_get_l2_hit_rate (const CuredCacheTraffic *self)
{
  return divide (self->l2_hits, cured_cache_traffic_get_l2_sectors (self));
}
