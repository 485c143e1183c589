/* SPDX-License-Identifier: MIT
 * The emulator's global memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CuredMemory:
 *
 * An address space of 64-bit addresses with allocations in it, as a device's global memory.
 * Addresses are the same in every process that allocates the same sizes in the same order.
 * Allocating and releasing is for one thread, while nothing runs.
 */
typedef struct _CuredMemory CuredMemory;

/**
 * CuredMemoryFill: puts the first contents into a piece of an allocation.
 * @bytes: (out): of the whole allocation, of which only the piece is written
 * @offset: where the piece begins
 * @size: of the piece
 */
typedef void (*CuredMemoryFill) (guint8 *bytes, gsize offset, gsize size, gpointer user_data);

CuredMemory *cured_memory_new (guint64 limit_bytes);
void cured_memory_free (CuredMemory *self);
gboolean cured_memory_allocate (CuredMemory *self, gsize size, guint64 *address, GError **error);
void cured_memory_release (CuredMemory *self, guint64 address);
void *cured_memory_map (CuredMemory *self, guint64 address, gsize size);
void cured_memory_label (CuredMemory *self, guint64 address, gsize size, const char *name,
                         gsize element_bytes, gboolean is_undefined);
void cured_memory_set_fill (CuredMemory *self, guint64 address, CuredMemoryFill fill,
                            gpointer user_data, GDestroyNotify destroy);
void cured_memory_define (CuredMemory *self, guint64 address, gsize size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMemory, cured_memory_free)

G_END_DECLS
