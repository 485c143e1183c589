/* SPDX-License-Identifier: MIT
 * The emulator's global memory: regions with gaps between them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/cured-base-internal.h"
#include "ptx/machine/cured-memory-private.h"

/* An address at most this far from a buffer is described relative to it. */
#define NEAR_BYTES (64 * 1024)

/* From this size on, memory is mapped, and zeros appear when they are touched: some blocks use
 * little of a large buffer. calloc() would write zeros if it reuses a block, or if
 * MALLOC_PERTURB_ is set. */
#define LARGE_BYTES (1024 * 1024)

/* Allocations of shared memory have pages of their own, which the other process can protect. */
#define SHARED_ALIGN 4096

/* Number of freed regions whose addresses are not reused yet. */
#define MAX_RETIRED 64

static void *
block_new (gsize bytes)
{
  if (bytes < LARGE_BYTES)
    return calloc (1, bytes);
  void *block = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block != MAP_FAILED ? block : NULL;
}

static void
block_free (void *block, gsize bytes)
{
  if (block == NULL)
    return;
  if (bytes < LARGE_BYTES)
    free (block);
  else
    munmap (block, bytes);
}

static void
clear_fill (CuredRegion *self)
{
  if (self->fill_destroy != NULL)
    self->fill_destroy (self->fill_data);
  self->fill_destroy = NULL;
  g_clear_pointer (&self->filled, g_free);
}

static void
region_free (CuredRegion *self)
{
  clear_fill (self);
  g_mutex_clear (&self->fill_mutex);
  _cured_heap_free (self->heap);
  block_free (self->block, self->block_bytes);
  g_free (self->name);
  g_free (self->written);
  g_free (self);
}

/* The first address after @region where another one may begin, which leaves a gap of at least
 * @self->align bytes. */
static guint64
get_next_address (const CuredMemory *self, const CuredRegion *region)
{
  guint64 end = region->address + region->size;

  return (end / self->align + 2) * self->align;
}

/* The number of regions that begin at or before @address. */
static guint
count_before (const CuredMemory *self, guint64 address)
{
  guint low = 0, high = self->regions->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const CuredRegion *region = g_ptr_array_index (self->regions, middle);

      if (region->address <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* @limit_bytes: the most bytes that can be allocated at once; 0: only the machine's limit
 *
 * Creates an empty address space.
 * Returns: (transfer full): */
CuredMemory *
cured_memory_new (guint64 limit_bytes)
{
  CuredMemory *self = CURED_NEW (
      CuredMemory, .limit_bytes = limit_bytes, .align = CURED_MEMORY_ALIGN, .end = CURED_MEMORY_END,
      .regions = g_ptr_array_new_with_free_func ((GDestroyNotify) region_free));

  return self;
}

/* @limit_bytes: as for cured_memory_new()
 * @fd: a file of zeros, which has to stay open; an address's offset in it is its distance from
 *   %CURED_MEMORY_FIRST
 * @size: of the file, a multiple of the page size
 * @error: return location
 *
 * Creates an empty address space that is shared with another process. Its allocations have pages of
 * their own.
 * Returns: (transfer full): NULL with %CURED_ERROR_DEVICE */
CuredMemory *
cured_memory_new_shared (guint64 limit_bytes, int fd, gsize size, GError **error)
{
  void *arena = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

  if (arena == MAP_FAILED)
    {
      int code = errno;

      return cured_fail_null (error, CURED_ERROR_DEVICE,
                              _ ("The emulator's memory can't be mapped: %s"), g_strerror (code));
    }
  CuredMemory *self = cured_memory_new (limit_bytes);
  self->align = SHARED_ALIGN;
  self->end = MIN (CURED_MEMORY_END, CURED_MEMORY_FIRST + size);
  self->arena = arena;
  self->arena_fd = fd;
  return self;
}

/* @self: (transfer full) (nullable):
 *
 * Frees the address space and all its allocations. */
void
cured_memory_free (CuredMemory *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->regions);
  if (self->arena != NULL)
    munmap (self->arena, (gsize) (self->end - CURED_MEMORY_FIRST));
  g_queue_clear_full (&self->retired, g_free);
  g_free (self);
}

/* Finds the first gap that is large enough. FALSE: there is none. */
static gboolean
choose_address (const CuredMemory *self, gsize size, guint64 *address, guint *position)
{
  guint64 begin = CURED_MEMORY_FIRST;
  guint i = 0;

  for (i = 0; i < self->regions->len; i++)
    {
      const CuredRegion *region = g_ptr_array_index (self->regions, i);

      if (begin < region->address && region->address - begin >= self->align &&
          size <= region->address - begin - self->align)
        break;
      begin = get_next_address (self, region);
    }
  *address = begin;
  *position = i;
  return begin < self->end && size < self->end - begin;
}

/* @self:
 * @size: bytes; 0 makes a region that allows no access
 * @address: (out): a multiple of 512
 * @error:
 *
 * Allocates memory, filled with zeros. Addresses depend only on the allocations and releases
 * before.
 * Returns: FALSE with %CURED_ERROR_DEVICE if the limit, or the machine's memory, is exceeded */
gboolean
cured_memory_allocate (CuredMemory *self, gsize size, guint64 *address, GError **error)
{
  void *block = NULL;
  gsize block_bytes = 0;
  guint64 chosen = 0;
  guint position = 0;

  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (address != NULL, FALSE);

  *address = 0;
  if (self->limit_bytes > 0 &&
      (self->used_bytes > self->limit_bytes || size > self->limit_bytes - self->used_bytes))
    {
      g_autofree char *asked = cured_format_count ((gint64) size);
      g_autofree char *used = cured_format_count ((gint64) self->used_bytes);
      g_autofree char *limit = cured_format_count ((gint64) self->limit_bytes);

      return cured_fail (
          error, CURED_ERROR_DEVICE,
          _ ("%s bytes do not fit into the emulator's memory: %s of %s bytes are in use; "
             "choose a smaller problem"),
          asked, used, limit);
    }
  gboolean has_room = choose_address (self, size, &chosen, &position) &&
                      g_size_checked_add (&block_bytes, size, CURED_MEMORY_ALIGN);
  if (has_room && self->arena == NULL)
    has_room = (block = block_new (block_bytes)) != NULL;
  if (!has_room)
    return cured_fail (
        error, CURED_ERROR_DEVICE,
        _ ("this machine has no %zu bytes for the emulator's memory; choose a smaller problem"),
        size);

  CuredRegion *region = g_new0 (CuredRegion, 1);
  g_mutex_init (&region->fill_mutex);
  region->index = self->next_index++;
  region->address = chosen;
  region->size = size;
  region->block = block;
  region->block_bytes = block_bytes;
  region->bytes = block != NULL ? (guint8 *) block +
                                      (CURED_MEMORY_ALIGN - (guintptr) block % CURED_MEMORY_ALIGN)
                                : self->arena + (chosen - CURED_MEMORY_FIRST);
  region->low = chosen;
  region->high = chosen + size;
  region->element_bytes = 1;
  g_ptr_array_insert (self->regions, (gint) position, region);
  self->used_bytes += size;
  *address = chosen;
  return TRUE;
}

/* The region that begins at @address, and its position. */
static CuredRegion *
find_begin (const CuredMemory *self, guint64 address, guint *position)
{
  guint n_before = count_before (self, address);

  if (n_before == 0)
    return NULL;
  CuredRegion *region = g_ptr_array_index (self->regions, n_before - 1);
  if (position != NULL)
    *position = n_before - 1;
  return region->address == address ? region : NULL;
}

/* Returns the pages of a region to the system, so that they are zeros when they are used again. */
static void
give_back (CuredMemory *self, CuredRegion *region)
{
  self->used_bytes -= region->size;
  if (self->arena != NULL && region->size > 0)
    fallocate (self->arena_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
               (off_t) (region->address - CURED_MEMORY_FIRST),
               (off_t) ((region->size + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN));
  else if (region->block != NULL)
    {
      block_free (region->block, region->block_bytes);
      region->block = NULL;
      region->bytes = NULL;
    }
}

/* @self:
 * @address: as cured_memory_allocate() gave it
 *
 * Releases one allocation. */
void
cured_memory_release (CuredMemory *self, guint64 address)
{
  guint position = 0;

  g_return_if_fail (self != NULL);

  CuredRegion *region = find_begin (self, address, &position);
  g_return_if_fail (region != NULL);
  if (!region->is_freed)
    give_back (self, region);
  g_ptr_array_remove_index (self->regions, position);
}

/* @self:
 * @address: as cured_memory_allocate() gave it
 *
 * Releases one allocation like cured_memory_release(), but does not reuse its addresses for a
 * while, so that a kernel that still uses them is reported. */
void
cured_memory_retire (CuredMemory *self, guint64 address)
{
  g_return_if_fail (self != NULL);

  CuredRegion *region = find_begin (self, address, NULL);
  g_return_if_fail (region != NULL && !region->is_freed);
  give_back (self, region);
  region->is_freed = TRUE;
  region->high = region->low;
  g_clear_pointer (&region->written, g_free);
  g_queue_push_tail (&self->retired, g_memdup2 (&address, sizeof address));
  if (self->retired.length > MAX_RETIRED)
    {
      g_autofree guint64 *oldest = g_queue_pop_head (&self->retired);

      cured_memory_release (self, *oldest);
    }
}

/* Whether the bytes belong to one allocation. */
static gboolean
is_inside (const CuredMemory *self, guint64 address, gsize size)
{
  guint n_before = count_before (self, address);

  if (n_before == 0)
    return FALSE;
  const CuredRegion *region = g_ptr_array_index (self->regions, n_before - 1);
  return !region->is_freed && address - region->address <= region->size &&
         size <= region->size - (address - region->address);
}

/* @self:
 * @address: of a byte of an allocation
 * @size: bytes from there on
 *
 * Gives the host's view of a piece of memory, guard zones included, and generates contents that
 * cured_memory_set_fill() announced. Valid until the allocation is released. A caller that writes
 * has to call cured_memory_define().
 * Returns: (transfer none) (nullable): NULL if the bytes are not all in one allocation */
void *
cured_memory_map (CuredMemory *self, guint64 address, gsize size)
{
  g_return_val_if_fail (self != NULL, NULL);

  if (!is_inside (self, address, size))
    return NULL;
  CuredRegion *region = g_ptr_array_index (self->regions, count_before (self, address) - 1);
  guint64 offset = address - region->address;
  if (size > 0 && region->filled != NULL)
    _cured_region_fill (region, offset, size);
  return region->bytes + offset;
}

/* @self:
 * @address: first byte of a buffer
 * @size: of the buffer
 * @name: (nullable): its name in messages
 * @element_bytes: size of an element, for indices such as c[1024]; 0: the size of the access
 * @is_undefined: nothing was written to it yet; with %CURED_WATCH_UNDEFINED, reads of unwritten
 *   bytes are found
 *
 * Labels an allocation: kernels may access only the buffer, not the bytes before and after it
 * (guard zones). An allocation has one label: a second one replaces the first. */
void
cured_memory_label (CuredMemory *self, guint64 address, gsize size, const char *name,
                    gsize element_bytes, gboolean is_undefined)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (is_inside (self, address, size));

  guint n_before = count_before (self, address);
  CuredRegion *region = g_ptr_array_index (self->regions, n_before - 1);
  region->low = address;
  region->high = address + size;
  g_free (region->name);
  region->name = g_strdup (name);
  region->element_bytes = element_bytes;
  g_clear_pointer (&region->written, g_free);
  /* Zeros of large blocks cost nothing until they are touched. */
  if (is_undefined)
    region->written = g_malloc0 (size / 8 + sizeof (uint32_t));
}

/* Generates the contents of the chunks that contain @size bytes from @offset on. */
void
_cured_region_fill (CuredRegion *self, guint64 offset, guint64 size)
{
  gsize last = (gsize) ((offset + size - 1) >> CURED_MEMORY_CHUNK_BITS);

  for (gsize i = (gsize) (offset >> CURED_MEMORY_CHUNK_BITS); i <= last; i++)
    {
      gsize begin = i << CURED_MEMORY_CHUNK_BITS, rest = self->size - begin;

      if (__atomic_load_n (&self->filled[i], __ATOMIC_ACQUIRE) != 0)
        continue;
      g_mutex_lock (&self->fill_mutex);
      if (self->filled[i] == 0)
        self->fill (self->bytes, begin, MIN (rest, (gsize) 1 << CURED_MEMORY_CHUNK_BITS),
                    self->fill_data);
      __atomic_store_n (&self->filled[i], 1, __ATOMIC_RELEASE);
      g_mutex_unlock (&self->fill_mutex);
    }
}

/* @self:
 * @address: as cured_memory_allocate() gave it
 * @fill: generates the contents of a piece; called by any thread, for one piece at a time
 * @user_data: for @fill
 * @destroy: (nullable): frees @user_data
 *
 * Replaces the contents of an allocation: each piece is generated when it is first accessed. For
 * buffers of which a launch uses little. */
void
cured_memory_set_fill (CuredMemory *self, guint64 address, CuredMemoryFill fill, gpointer user_data,
                       GDestroyNotify destroy)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (fill != NULL);

  CuredRegion *region = find_begin (self, address, NULL);
  g_return_if_fail (region != NULL);
  clear_fill (region);
  region->filled = g_malloc0 ((region->size >> CURED_MEMORY_CHUNK_BITS) + 1);
  region->fill = fill;
  region->fill_data = user_data;
  region->fill_destroy = destroy;
}

/* Finds the range of bytes in @region's bits, which must exist; bytes outside its label are cut
 * off. FALSE: nothing is left. */
static gboolean
clip (const CuredRegion *region, guint64 address, gsize size, guint64 *begin, guint64 *end)
{
  *begin = MAX (address, region->low);
  *end = MIN (address + size, region->high);
  if (*begin >= *end)
    return FALSE;
  *begin -= region->low;
  *end -= region->low;
  return TRUE;
}

/* @self:
 * @address: first byte
 * @size: bytes; they may reach into guard zones
 *
 * Marks bytes as written by the host. */
void
cured_memory_define (CuredMemory *self, guint64 address, gsize size)
{
  guint64 begin = 0, end = 0;

  g_return_if_fail (self != NULL);
  g_return_if_fail (is_inside (self, address, size));

  guint n_before = count_before (self, address);
  CuredRegion *region = g_ptr_array_index (self->regions, n_before - 1);
  if (region->written == NULL || !clip (region, address, size, &begin, &end))
    return;
  if (begin == 0 && end == region->high - region->low)
    {
      g_clear_pointer (&region->written, g_free);
      return;
    }
  for (; begin < end && begin % 8 != 0; begin++)
    region->written[begin / 8] |= (guint8) (1u << begin % 8);
  if (begin < end)
    memset (region->written + begin / 8, 0xff, (gsize) (end / 8 - begin / 8));
  for (begin = MAX (begin, end / 8 * 8); begin < end; begin++)
    region->written[begin / 8] |= (guint8) (1u << begin % 8);
}

/* @self:
 * @address: first byte
 * @size: bytes, in one allocation
 * Returns: whether all of them were written; TRUE also if that is not tracked */
gboolean
cured_memory_is_defined (const CuredMemory *self, guint64 address, gsize size)
{
  guint64 begin = 0, end = 0;

  g_return_val_if_fail (self != NULL && is_inside (self, address, size), TRUE);

  const CuredRegion *region = g_ptr_array_index (self->regions, count_before (self, address) - 1);
  if (region->written == NULL || !clip (region, address, size, &begin, &end))
    return TRUE;
  while (begin < end)
    if (begin % 8 == 0 && end - begin >= 8 && region->written[begin / 8] == 0xff)
      begin += 8;
    else if ((region->written[begin / 8] >> begin % 8 & 1) != 0)
      begin++;
    else
      return FALSE;
  return TRUE;
}

/* @self:
 * @address: as cured_memory_allocate() gave it
 * Returns: whether the whole allocation is unwritten */
gboolean
cured_memory_is_undefined (const CuredMemory *self, guint64 address)
{
  g_return_val_if_fail (self != NULL, FALSE);

  const CuredRegion *region = find_begin (self, address, NULL);
  g_return_val_if_fail (region != NULL, FALSE);
  if (region->written == NULL || region->high == region->low)
    return FALSE;
  for (guint64 i = 0; i <= (region->high - region->low - 1) / 8; i++)
    if (region->written[i] != 0)
      return FALSE;
  return TRUE;
}

/* @self:
 *
 * Marks all allocations as written: something ran that was not watched. */
void
cured_memory_define_all (CuredMemory *self)
{
  g_return_if_fail (self != NULL);

  CURED_EACH_POINTER (CuredRegion, region, self->regions)
    g_clear_pointer (&region->written, g_free);
}

/* @self:
 * @to: first byte of a copy
 * @from: first byte of the source
 * @size: bytes
 *
 * Records a copy: its bytes are defined where those of the source are. */
void
cured_memory_copy_defined (CuredMemory *self, guint64 to, guint64 from, gsize size)
{
  g_return_if_fail (self != NULL && is_inside (self, from, size) && is_inside (self, to, size));

  const CuredRegion *source = g_ptr_array_index (self->regions, count_before (self, from) - 1);
  CuredRegion *target = g_ptr_array_index (self->regions, count_before (self, to) - 1);
  if (target->written == NULL)
    return;
  if (cured_memory_is_defined (self, from, size))
    {
      cured_memory_define (self, to, size);
      return;
    }
  for (gsize i = 0; i < size; i++)
    {
      guint64 bit = to + i - target->low, other = from + i - source->low;

      if (to + i < target->low || to + i >= target->high)
        continue;
      if (from + i >= source->low && from + i < source->high &&
          (source->written[other / 8] >> other % 8 & 1) == 0)
        target->written[bit / 8] &= (guint8) ~(1u << bit % 8);
      else
        target->written[bit / 8] |= (guint8) (1u << bit % 8);
    }
}

/* The region that a kernel may access at @address; NULL: there is none. */
CuredRegion *
_cured_memory_find (const CuredMemory *self, guint64 address)
{
  guint n_before = count_before (self, address);

  if (n_before == 0)
    return NULL;
  CuredRegion *region = g_ptr_array_index (self->regions, n_before - 1);
  return address >= region->low && address < region->high ? region : NULL;
}

/* (nullable): the region that an access outside of all regions was probably meant for: @address is
 * near an end of its label. */
CuredRegion *
_cured_memory_find_near (const CuredMemory *self, guint64 address)
{
  guint n_before = count_before (self, address);
  CuredRegion *nearest = NULL;
  guint64 least = NEAR_BYTES;

  for (guint i = n_before > 0 ? n_before - 1 : 0; i < self->regions->len && i <= n_before; i++)
    {
      CuredRegion *region = g_ptr_array_index (self->regions, i);

      if (address >= region->address && address - region->address < region->size)
        return region;
      guint64 distance = address < region->low ? region->low - address : address - region->high;
      if (distance < least)
        {
          nearest = region;
          least = distance;
        }
    }
  return nearest;
}

/* Makes the allocation at @address read-only for kernels. */
void
_cured_memory_set_constant (CuredMemory *self, guint64 address)
{
  CuredRegion *region = find_begin (self, address, NULL);

  g_return_if_fail (region != NULL);
  region->is_constant = TRUE;
}

/* Creates the kernels' heap unless it exists. Returns: FALSE with @error set if there is no room */
gboolean
_cured_memory_need_heap (CuredMemory *self, GError **error)
{
  guint64 address;

  if (self->heap != NULL)
    return TRUE;
  if (!cured_memory_allocate (self, CURED_HEAP_BYTES, &address, error))
    return FALSE;
  cured_memory_label (self, address, CURED_HEAP_BYTES, "heap", 1, FALSE);
  CuredRegion *region = _cured_memory_find (self, address);
  self->heap = region->heap = _cured_heap_new (region->bytes, address);
  return TRUE;
}
