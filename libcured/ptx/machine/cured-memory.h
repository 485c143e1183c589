/* SPDX-License-Identifier: MIT
 * The emulator's global memory. */
#pragma once

#include <glib.h>

/* An address space of 64-bit addresses with allocations in it, as a device's global memory.
 * Addresses are the same in every process that allocates the same sizes in the same order. Only one
 * thread may allocate and release, and only while no launch runs. */
typedef struct _CuredMemory CuredMemory;

/**
 * CuredMemoryFill: generates the initial contents of a piece of an allocation.
 * @bytes: (out): of the whole allocation, of which only the piece is written
 * @offset: where the piece begins
 * @size: of the piece */
typedef void (*CuredMemoryFill) (guint8 *bytes, gsize offset, gsize size, gpointer user_data);

/* Global addresses begin here; in shared memory, this is the file's first byte. */
#define CURED_MEMORY_FIRST G_GUINT64_CONSTANT (0x7a0000000000)

CuredMemory *cured_memory_new (guint64 limit_bytes);
CuredMemory *cured_memory_new_shared (guint64 limit_bytes, int fd, gsize size, GError **error);
void cured_memory_free (CuredMemory *self);
gboolean cured_memory_allocate (CuredMemory *self, gsize size, guint64 *address, GError **error);
void cured_memory_release (CuredMemory *self, guint64 address);
void cured_memory_retire (CuredMemory *self, guint64 address);
void *cured_memory_map (CuredMemory *self, guint64 address, gsize size);
void cured_memory_label (CuredMemory *self, guint64 address, gsize size, const char *name,
                         gsize element_bytes, gboolean is_undefined);
void cured_memory_set_fill (CuredMemory *self, guint64 address, CuredMemoryFill fill,
                            gpointer user_data, GDestroyNotify destroy);
void cured_memory_define (CuredMemory *self, guint64 address, gsize size);
gboolean cured_memory_is_defined (const CuredMemory *self, guint64 address, gsize size);
gboolean cured_memory_is_undefined (const CuredMemory *self, guint64 address);
void cured_memory_define_all (CuredMemory *self);
void cured_memory_copy_defined (CuredMemory *self, guint64 to, guint64 from, gsize size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CuredMemory, cured_memory_free)
