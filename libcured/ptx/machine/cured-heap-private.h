/* SPDX-License-Identifier: MIT
 * The heap that malloc and free of kernels have. */
#pragma once

#include <glib.h>

/* CUDA's default heap size. */
#define CURED_HEAP_BYTES (8 << 20)

typedef struct _CuredHeap CuredHeap;

/* The owner of bytes. */
typedef enum
{
  CURED_HEAP_FINE,    /* of a block */
  CURED_HEAP_FREED,   /* of one that was freed */
  CURED_HEAP_NOBODYS, /* of none, or past a block's end */
} CuredHeapState;

CuredHeap *_cured_heap_new (guint8 *bytes, guint64 address);
void _cured_heap_free (CuredHeap *self);
guint64 _cured_heap_allocate (CuredHeap *self, guint64 size);
CuredHeapState _cured_heap_release (CuredHeap *self, guint64 address);
CuredHeapState _cured_heap_check (const CuredHeap *self, guint64 address, guint32 size);
