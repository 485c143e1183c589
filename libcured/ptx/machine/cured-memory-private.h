/* SPDX-License-Identifier: MIT
 * Regions of the emulator's global memory. */
#pragma once

#include "ptx/machine/cured-heap-private.h"
#include "ptx/machine/cured-memory.h"

/* Allocations start at multiples of this, like cudaMalloc's. There is always a gap between two, so
 * that a write past an end is found. */
#define CURED_MEMORY_ALIGN 512

/* Where the first window of another space begins. */
#define CURED_MEMORY_END G_GUINT64_CONSTANT (0x7e0000000000)

/* One allocation. */
typedef struct
{
  guint index; /* of the region, stable until it is released; the key of observers' shadows */
  guint64 address;
  gsize size;
  guint8 *bytes; /* of @address; aligned to CURED_MEMORY_ALIGN, too */
  /* @low, @high: kernels may access addresses from @low to before @high: less than the
   * allocation if a label reduced it (guard zones) */
  guint64 low, high;
  char *name; /* (nullable): of the buffer */
  gsize element_bytes;
  gboolean is_constant; /* kernels may only read it */
  gboolean is_freed;    /* kept to tell a use after the release from a stray address */
  /* (nullable): one bit per byte from @low on, set with atomic operations once the byte is written.
   * NULL: all of it is defined */
  guint8 *written;
  void *block; /* the block that contains @bytes; NULL: the arena */
  gsize block_bytes;
  CuredHeap *heap; /* (nullable): the parts that kernels may access */

  /* Contents that are generated when they are first used. */
  guint8 *filled; /* (nullable): one flag per chunk, atomic: contents are generated */
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
  CuredHeap *heap; /* (nullable) (transfer none): the heap of the region that has one */
  guint64 align;   /* alignment of allocations, and the least gap between two */
  guint64 end;     /* of the addresses */
  guint8 *arena;   /* (nullable): shared with another process: the byte of CURED_MEMORY_FIRST */
  int arena_fd;
  GQueue retired; /* (element-type guint64): addresses of freed regions, the oldest first */
};

/* (nullable): the region that contains @address; gaps belong to none. */
CuredRegion *_cured_memory_find (const CuredMemory *self, guint64 address);
CuredRegion *_cured_memory_find_near (const CuredMemory *self, guint64 address);
void _cured_region_fill (CuredRegion *self, guint64 offset, guint64 size);

gboolean _cured_memory_need_heap (CuredMemory *self, GError **error);
void _cured_memory_set_constant (CuredMemory *self, guint64 address);
