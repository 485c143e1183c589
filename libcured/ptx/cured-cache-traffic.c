/* SPDX-License-Identifier: MIT
 * What a launch asks of the caches and of memory. */
#include "ptx/cured-cache-traffic.h"

#include <math.h>

/* @self: (inout): a sum
 * @other: added to it
 * @factor: how often */
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
 * Returns: sectors of loads and stores that the first cache has over all that it is asked for,
 *   atomic operations included, as l1tex__t_sector_hit_rate; NaN where nothing is asked */
double
cured_cache_traffic_get_l1_hit_rate (const CuredCacheTraffic *self)
{
  return divide (self->l1_load_hits + self->l1_store_hits,
                 self->l1_load_sectors + self->l1_store_sectors + self->l1_atomic_sectors);
}

/* @self: of a launch
 * Returns: sectors that multiprocessors read from, write to or have changed by the second cache, as
 *   lts__t_sectors_srcunit_tex */
double
cured_cache_traffic_get_l2_sectors (const CuredCacheTraffic *self)
{
  return self->l2_read_sectors + self->l2_write_sectors + self->l2_atomic_sectors;
}

/* @self: of a launch
 * Returns: lookups of the second cache that need nothing from memory over all; NaN where nothing is
 *   asked */
double
cured_cache_traffic_get_l2_hit_rate (const CuredCacheTraffic *self)
{
  return divide (self->l2_hits, cured_cache_traffic_get_l2_sectors (self));
}
