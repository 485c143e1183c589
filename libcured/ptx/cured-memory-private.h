/* SPDX-License-Identifier: MIT
 * Regions of the emulator's global memory. */
#pragma once

#include "ptx/cured-memory.h"

G_BEGIN_DECLS

/* Allocations start at multiples of this, as cudaMalloc's do, and the distance
 * between two is never 0, so that a write past an end is found. */
#define CURED_MEMORY_ALIGN 512

/**
 * CuredRegion: one allocation.
 * @index: of the region, stable until it is released; observers key their
 *   shadows with it
 * @low, @high: what a kernel may touch: addresses from @low to before @high;
 *   less than the allocation where a label said so (guard zones)
 * @name: (nullable): of the buffer
 * @undefined: (nullable): one bit a byte from @low on: no one wrote it yet;
 *   bits are cleared with atomic operations
 */
typedef struct
{
  guint index;
  guint64 address;
  gsize size;
  guint8 *bytes; /* of @address */
  guint64 low;
  guint64 high;
  char *name;
  gsize element_bytes;
  guint8 *undefined;
} CuredRegion;

struct _CuredMemory
{
  guint64 limit_bytes;
  guint64 used_bytes;
  guint64 next_address;
  GPtrArray *regions; /* (element-type CuredRegion), by address */
  guint next_index;
};

/* (nullable): the region that has @address between its ends; the gaps belong to
 * none. */
CuredRegion *_cured_memory_find (const CuredMemory *self, guint64 address);
/* Marks [address, address + size) as written by the host. */
void _cured_memory_define (CuredMemory *self, guint64 address, gsize size);

G_END_DECLS
