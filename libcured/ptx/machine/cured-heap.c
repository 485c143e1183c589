/* SPDX-License-Identifier: MIT
 * The heap of kernels' malloc and free: one region of global memory, created when a module that calls
 * them is linked.
 *
 * A byte per granule gives its state. Freed granules are reused only if nothing else is left, so
 * that uses after free are found; a free granule follows each block. */
#include "ptx/machine/cured-heap-private.h"

#include <string.h>

/* Alignment of blocks. */
#define GRANULE 16

#define N_GRANULES (CURED_HEAP_BYTES / GRANULE)

/* The number of valid bytes at the beginning of a granule; 0: it is free. */
#define VALID 0x1f
/* The granule is the first one of a block. */
#define FIRST 0x20
#define FREED 0x40

/* Initial contents of a block. */
#define POISON 0xa5

struct _CuredHeap
{
  GMutex mutex;
  guint8 *bytes;
  guint64 address;
  guint32 top; /* granules that were allocated at least once */
  guint8 granules[N_GRANULES];
};

/* (transfer full): for the region that holds it. */
CuredHeap *
_cured_heap_new (guint8 *bytes, guint64 address)
{
  CuredHeap *self = g_new0 (CuredHeap, 1);

  g_mutex_init (&self->mutex);
  self->bytes = bytes;
  self->address = address;
  return self;
}

void
_cured_heap_free (CuredHeap *self)
{
  if (self == NULL)
    return;
  g_mutex_clear (&self->mutex);
  g_free (self);
}

static guint8
get_granule (const CuredHeap *self, guint32 i)
{
  return __atomic_load_n (&self->granules[i], __ATOMIC_RELAXED);
}

static void
set_granule (CuredHeap *self, guint32 i, guint8 value)
{
  __atomic_store_n (&self->granules[i], value, __ATOMIC_RELAXED);
}

/* Whether the granule is free now. */
static gboolean
is_free (const CuredHeap *self, guint32 i)
{
  guint8 granule = get_granule (self, i);

  return granule == 0 || (granule & FREED) != 0;
}

/* Finds @n free granules followed by another one; N_GRANULES: there are none. */
static guint32
find_room (CuredHeap *self, guint32 n)
{
  guint32 first = 0, at = self->top;

  if (n < N_GRANULES - self->top)
    {
      self->top += n + 1;
      return at;
    }
  for (guint32 i = 0; i < N_GRANULES; i++)
    if (!is_free (self, i))
      /* The granule after this block stays free. */
      first = i + 2;
    else if (i >= first && i - first == n)
      return first;
  return N_GRANULES;
}

/* malloc. Any thread. Returns: the address of that many bytes, a multiple of 16; 0 if there is no
 * room. An H200 returns an address for 0 bytes, too (golden rows). */
guint64
_cured_heap_allocate (CuredHeap *self, guint64 size)
{
  if (size > CURED_HEAP_BYTES)
    return 0;
  guint32 n = (guint32) ((MAX (size, 1) + GRANULE - 1) / GRANULE);
  g_mutex_lock (&self->mutex);
  guint32 at = find_room (self, n);
  if (at < N_GRANULES)
    {
      for (guint32 i = 0; i < n; i++)
        set_granule (self, at + i,
                     (guint8) ((i == 0 ? FIRST : 0) | MIN (GRANULE, size - (guint64) i * GRANULE)));
      set_granule (self, at + n, 0);
      memset (self->bytes + (gsize) at * GRANULE, POISON, (gsize) size);
    }
  g_mutex_unlock (&self->mutex);
  return at < N_GRANULES ? self->address + (guint64) at * GRANULE : 0;
}

/* free. Any thread. Returns: its fault. */
CuredHeapState
_cured_heap_release (CuredHeap *self, guint64 address)
{
  CuredHeapState state = CURED_HEAP_NOBODYS;
  guint64 offset = address - self->address;
  guint32 i = (guint32) (offset / GRANULE);

  if (address == 0)
    return CURED_HEAP_FINE;
  if (offset >= CURED_HEAP_BYTES || offset % GRANULE != 0)
    return CURED_HEAP_NOBODYS;
  g_mutex_lock (&self->mutex);
  guint8 granule = get_granule (self, i);
  if ((granule & (FIRST | FREED)) == (FIRST | FREED))
    state = CURED_HEAP_FREED;
  else if ((granule & FIRST) != 0)
    {
      state = CURED_HEAP_FINE;
      set_granule (self, i, granule | FREED);
      while (++i < N_GRANULES && (granule = get_granule (self, i)) != 0 && (granule & FIRST) == 0)
        set_granule (self, i, granule | FREED);
    }
  g_mutex_unlock (&self->mutex);
  return state;
}

/* Any thread. Returns: whether the bytes belong to one block. */
CuredHeapState
_cured_heap_check (const CuredHeap *self, guint64 address, guint32 size)
{
  guint64 at = address - self->address, end = at + size;

  while (at < end)
    {
      guint8 granule = get_granule (self, (guint32) (at / GRANULE));
      guint64 next = MIN (end, (at / GRANULE + 1) * GRANULE);

      if ((granule & FREED) != 0)
        return CURED_HEAP_FREED;
      if (next - at / GRANULE * GRANULE > (granule & VALID))
        return CURED_HEAP_NOBODYS;
      at = next;
    }
  return CURED_HEAP_FINE;
}
