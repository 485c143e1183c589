/* SPDX-License-Identifier: MIT
 * Regions of the emulator's global memory. */
#pragma once

#include "ptx/machine/cured-heap-private.h"
#include "ptx/machine/cured-memory.h"

/* Allocations start at multiples of this, as cudaMalloc's do, and the distance between two is never
 * 0, so that a write past an end is found. */
#define CURED_MEMORY_ALIGN 512

/* The first window of the other spaces. */
#define CURED_MEMORY_END G_GUINT64_CONSTANT (0x7e0000000000)

/* One allocation. */
typedef struct
{
  guint index; /* of the region, stable until it is released; observers key their shadows with it */
  guint64 address;
  gsize size;
  guint8 *bytes; /* of @address; aligned to CURED_MEMORY_ALIGN, too */
  /* @low, @high: what a kernel may touch: addresses from @low to before @high; less than the
   * allocation where a label said so (guard zones) */
  guint64 low, high;
  char *name; /* (nullable): of the buffer */
  gsize element_bytes;
  gboolean is_constant; /* kernels may only read it */
  gboolean is_freed;    /* kept so that a later use is told from a stray address */
  /* (nullable): one bit a byte from @low on: someone wrote it; bits are set with atomic operations.
   * NULL: all of it is defined */
  guint8 *written;
  void *block; /* what @bytes is a part of; NULL: the arena */
  gsize block_bytes;
  CuredHeap *heap; /* (nullable): which of it kernels may touch */

  /* Contents that are made when they are first used. */
  guint8 *filled; /* (nullable): one per chunk, atomic: they are there */
  CuredMemoryFill fill;
  gpointer fill_data;
  GDestroyNotify fill_destroy;
  GMutex fill_mutex;
} CuredRegion;

/* Bytes that are filled at a time. */
#define CURED_MEMORY_CHUNK_BITS 16

struct _CuredMemory
{
  guint64 limit_bytes, used_bytes;
  GPtrArray *regions; /* (element-type CuredRegion), by address */
  guint next_index;
  CuredHeap *heap; /* (nullable) (transfer none): of the region that has it */
  guint64 align;   /* of allocations, and the least distance between two */
  guint64 end;     /* of the addresses */
  guint8 *arena;   /* (nullable): shared with another process: the byte of CURED_MEMORY_FIRST */
  int arena_fd;
  GQueue retired; /* (element-type guint64): addresses of freed regions, the oldest first */
};

/* (nullable): the region that has @address between its ends; the gaps belong to none. */
CuredRegion *_cured_memory_find (const CuredMemory *self, guint64 address);
CuredRegion *_cured_memory_find_near (const CuredMemory *self, guint64 address);
void _cured_region_fill (CuredRegion *self, guint64 offset, guint64 size);

gboolean _cured_memory_need_heap (CuredMemory *self, GError **error);
void _cured_memory_set_constant (CuredMemory *self, guint64 address);
