/* SPDX-License-Identifier: MIT
 * The runtime's memory: allocations, copies, symbols. */
#include "exec/client/cured-client-private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PITCH 512

/* ---- Allocations ---- */

CudaError
client_allocate (void **address, size_t size, ExecMemoryKind kind)
{
  char frames[CLIENT_FRAMES_BYTES];
  ExecCall call = { .op = EXEC_ALLOCATE, .x = { size, kind, (uint64_t) client_get_current () } };
  ExecReply reply;
  CudaError error = client_get_error ();

  if (error != CUDA_SUCCESS)
    return error;
  if (address == NULL)
    return client_fail (CUDA_INVALID_VALUE);
  *address = NULL;
  if (size == 0)
    return CUDA_SUCCESS;
  error = client_call (&call, NULL, frames, client_get_frames (frames), &reply, NULL);
  if (error != CUDA_SUCCESS)
    return client_fail (error);
  *address = (void *) (uintptr_t) reply.x[0];
  if (EXEC_IS_OPEN (kind))
    client_protect (reply.x[0], size, true);
  return CUDA_SUCCESS;
}

CudaError
client_free (void *address)
{
  char frames[CLIENT_FRAMES_BYTES];
  ExecCall call = { .op = EXEC_FREE, .x = { (uintptr_t) address } };
  ExecReply reply;
  CudaError error = CUDA_SUCCESS;

  if (address == NULL)
    return client_get_error ();
  error = client_call (&call, NULL, frames, client_get_frames (frames), &reply, NULL);
  if (error != CUDA_SUCCESS)
    return client_fail (error);
  if (EXEC_IS_OPEN (reply.x[1]))
    client_protect ((uintptr_t) address, reply.x[0], false);
  return client_get_error ();
}

/* Memory of a graph. It is never released, since it has the same address in all runs, even if it
 * was freed in between. */
typedef struct Owned
{
  const void *address;
  struct Owned *next;
} Owned;

static Owned *owned;

CudaError
client_allocate_owned (void **address, size_t size)
{
  Owned *made = malloc (sizeof *made);
  CudaError error = client_allocate (address, size, EXEC_GRAPH_MEMORY);

  client_lock ();
  *made = (Owned){ *address, owned };
  owned = made;
  client_unlock ();
  return error;
}

bool
client_is_owned (const void *address)
{
  bool is_found = false;

  client_lock ();
  for (const Owned *at = owned; at != NULL && !is_found; at = at->next)
    is_found = at->address == address;
  client_unlock ();
  return is_found;
}

API_IS (cudaMalloc, (void **address, size_t size),
        client_allocate (address, size, EXEC_DEVICE_MEMORY))

API (cudaMallocAsync, void **address, size_t size, void *stream)
{
  CudaError error = CUDA_SUCCESS;

  client_on (stream);
  if (client_is_capturing ())
    {
      error = client_allocate_owned (address, size);
      client_capture (&(Work){ .kind = WORK_NOTHING, .to = *address });
    }
  else
    error = client_allocate (address, size, EXEC_DEVICE_MEMORY);
  return client_off (error);
}
API_ALIAS (cudaMallocAsync_ptsz, cudaMallocAsync);

API_IS (cudaMallocFromPoolAsync, (void **address, size_t size, void *pool, void *stream),
        client_allocate (address, size, EXEC_DEVICE_MEMORY))
API_IS (cudaMallocManaged, (void **address, size_t size, unsigned flags),
        client_allocate (address, size, EXEC_MANAGED_MEMORY))
API_IS (cudaMallocHost, (void **address, size_t size),
        client_allocate (address, size, EXEC_PINNED_MEMORY))
API_IS (cudaHostAlloc, (void **address, size_t size, unsigned flags),
        client_allocate (address, size, EXEC_PINNED_MEMORY))

API (cudaMallocPitch, void **address, size_t *pitch, size_t width, size_t height)
{
  size_t size = 0;

  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  if (__builtin_mul_overflow (*pitch, height, &size))
    return client_fail (CUDA_OUT_OF_MEMORY);
  return client_allocate (address, size, EXEC_DEVICE_MEMORY);
}

API (cudaMalloc3D, Pitched *pitched, Extent extent)
{
  size_t rows = 0;
  CudaError error = CUDA_OUT_OF_MEMORY;

  *pitched = (Pitched){ .width = extent.width, .height = extent.height };
  if (!__builtin_mul_overflow (extent.height, extent.depth, &rows))
    error = cudaMallocPitch (&pitched->bytes, &pitched->pitch, extent.width, rows);
  return error == CUDA_SUCCESS ? error : client_fail (error);
}

API_GIVES (cudaFree, (void *address), client_synchronize (),
           client_is_owned (address) ? client_get_error () : client_free (address))

API (cudaFreeAsync, void *address, void *stream)
{
  bool is_captured = false;

  client_on (stream);
  is_captured = client_capture (&(Work){ .kind = WORK_NOTHING });
  client_off (CUDA_SUCCESS);
  return is_captured || client_is_owned (address) ? client_get_error () : client_free (address);
}
API_ALIAS (cudaFreeAsync_ptsz, cudaFreeAsync);

API (cudaFreeHost, void *address) { return client_free (address); }

CudaError
client_query (const void *address, ExecReply *reply)
{
  ExecCall call = { .op = EXEC_QUERY, .x = { (uintptr_t) address } };

  return client_call (&call, NULL, NULL, 0, reply, NULL);
}

API (cudaMemGetInfo, size_t *n_free, size_t *n_total)
{
  ExecReply reply;
  CudaError error = client_query (NULL, &reply);

  if (error != CUDA_SUCCESS)
    return client_fail (error);
  *n_free = reply.x[3];
  *n_total = client_get_device ()->global_bytes;
  return CUDA_SUCCESS;
}

/* cudaPointerAttributes */
typedef struct
{
  int32_t type, device;
  void *device_pointer, *host_pointer;
} PointerAttributes;

API (cudaPointerGetAttributes, PointerAttributes *attributes, const void *address)
{
  static const int32_t types[] = { 2, 3, 1, 2 };
  ExecReply reply;
  ExecMemoryKind kind = EXEC_DEVICE_MEMORY;

  *attributes = (PointerAttributes){ .host_pointer = (void *) address };
  if (!client_is_device (address))
    return client_get_error ();
  if (client_query (address, &reply) != CUDA_SUCCESS || reply.x[1] == 0)
    return client_fail (CUDA_INVALID_VALUE);
  kind = (ExecMemoryKind) (reply.x[2] & ((1 << EXEC_DEVICE_SHIFT) - 1));
  attributes->type = types[kind];
  attributes->device = (int32_t) (reply.x[2] >> EXEC_DEVICE_SHIFT);
  attributes->device_pointer = (void *) address;
  if (!EXEC_IS_OPEN (kind))
    attributes->host_pointer = NULL;
  return client_get_error ();
}

/* Registered host memory: its pages are mapped to those of an allocation, at the same
 * address. */
typedef struct Registered
{
  char *begin; /* of the first page */
  size_t n_bytes;
  void *address; /* address on the device */
  struct Registered *next;
} Registered;

static Registered *registered;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

API (cudaHostRegister, void *host, size_t size, unsigned flags)
{
  size_t page = (size_t) sysconf (_SC_PAGESIZE);
  char *begin = (char *) ((uintptr_t) host / page * page);
  size_t n_bytes = ((char *) host + size - begin + page - 1) / page * page;
  Registered *made = calloc (1, sizeof *made);
  CudaError error = client_is_device (host) || size == 0 ? CUDA_INVALID_VALUE : CUDA_SUCCESS;

  if (error == CUDA_SUCCESS)
    error = client_allocate (&made->address, n_bytes, EXEC_PINNED_MEMORY);
  if (error != CUDA_SUCCESS)
    {
      free (made);
      return client_fail (error);
    }
  made->begin = begin;
  made->n_bytes = n_bytes;
  memcpy (made->address, begin, n_bytes);
  client_alias (begin, made->address, n_bytes);
  pthread_mutex_lock (&mutex);
  made->next = registered;
  registered = made;
  pthread_mutex_unlock (&mutex);
  return client_get_error ();
}

/* The registered memory that contains @host; @is_taken: removes it from the list. */
static Registered *
find_registered (const void *host, bool is_taken)
{
  Registered *found = NULL;

  pthread_mutex_lock (&mutex);
  for (Registered **at = &registered; *at != NULL && found == NULL; at = &(*at)->next)
    if ((uintptr_t) host - (uintptr_t) (*at)->begin < (*at)->n_bytes)
      {
        found = *at;
        if (is_taken)
          *at = found->next;
        break;
      }
  pthread_mutex_unlock (&mutex);
  return found;
}

API (cudaHostUnregister, void *host)
{
  Registered *found = find_registered (host, true);
  void *copy = MAP_FAILED;

  if (found == NULL)
    return client_fail (CUDA_INVALID_VALUE);
  /* Remap in one step, since these pages may contain @found, and any other data of the program. */
  copy = mmap (NULL, found->n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED)
    return client_fail (CUDA_OUT_OF_MEMORY);
  memcpy (copy, found->address, found->n_bytes);
  mremap (copy, found->n_bytes, found->n_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, found->begin);
  client_free (found->address);
  free (found);
  return client_get_error ();
}

API (cudaHostGetDevicePointer, void **address, void *host, unsigned flags)
{
  const Registered *found = find_registered (host, false);

  *address = found != NULL ? (char *) found->address + ((char *) host - found->begin) : host;
  return client_is_device (*address) ? client_get_error () : client_fail (CUDA_INVALID_VALUE);
}

API_GIVES (cudaHostGetFlags, (unsigned *flags, void *host), *flags = 0, CUDA_SUCCESS)

API_NOTHING (cudaMemAdvise, const void *address, size_t size, int advice, int device)
API_NOTHING (cudaMemAdvise_v2, const void *address, size_t size, int advice, uint64_t location)
API_NOTHING (cudaMemPrefetchAsync, const void *address, size_t size, uint64_t place, void *stream)
API_NOTHING (cudaMemPrefetchAsync_v2, const void *address, size_t size, uint64_t place)
API_NOTHING (cudaStreamAttachMemAsync, void *stream, void *address, size_t size, unsigned flags)

/* ---- Pools ---- */

static int pool;

API_GIVES (cudaDeviceGetDefaultMemPool, (void **chosen, int device), *chosen = &pool,
           client_get_error ())
API_ALIAS (cudaDeviceGetMemPool, cudaDeviceGetDefaultMemPool);

API_GIVES (cudaMemPoolCreate, (void **created, const void *properties), *created = &pool,
           client_get_error ())
API_GIVES (cudaMemPoolGetAttribute, (void *pool_, int attribute, void *value),
           memset (value, 0, attribute < 4 ? sizeof (int) : sizeof (uint64_t)), client_get_error ())

API_NOTHING (cudaDeviceSetMemPool, int device, void *pool_)
API_NOTHING (cudaMemPoolDestroy, void *pool_)
API_NOTHING (cudaMemPoolSetAttribute, void *pool_, int attribute, void *value)
API_NOTHING (cudaMemPoolSetAccess, void *pool_, const void *access, size_t n)
API_NOTHING (cudaMemPoolTrimTo, void *pool_, size_t n_kept)

/* ---- Copies ---- */

/* Reports an access to rows of device memory; an address of 0 is host memory. */
static CudaError
tell (uint64_t to, size_t to_pitch, uint64_t from, size_t from_pitch, size_t width, size_t n_rows)
{
  ExecCall call = { .op = EXEC_ACCESS, .n_bytes = sizeof (ExecAccess) };
  ExecAccess access = { to, from, to_pitch, from_pitch, width, n_rows };
  char frames[CLIENT_FRAMES_BYTES];
  ExecReply reply;
  CudaError error = client_call (&call, &access, NULL, 0, &reply, NULL);

  /* Ask again with frames only if the emulator has something to report. */
  if (error != CUDA_SUCCESS || reply.x[0] == 0)
    return error;
  call.n_bytes = sizeof access;
  call.x[0] = 1;
  return client_call (&call, &access, frames, client_get_frames (frames), &reply, NULL);
}

CudaError
client_copy (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
             size_t n_rows)
{
  CudaError error = client_get_error ();
  char *target = client_get_bytes (to);
  const char *source = client_get_bytes (from);

  if (error != CUDA_SUCCESS || width == 0 || n_rows == 0)
    return error;
  if (client_capture (&(Work){ .kind = WORK_COPY,
                               .to = to,
                               .from = from,
                               .to_pitch = to_pitch,
                               .from_pitch = from_pitch,
                               .width = width,
                               .n_rows = n_rows }))
    return CUDA_SUCCESS;
  if (to == NULL || from == NULL)
    return client_fail (CUDA_INVALID_VALUE);
  if (to_pitch == width && from_pitch == width)
    {
      width *= n_rows;
      n_rows = 1;
    }
  if (client_is_device (to) || client_is_device (from))
    {
      /* A copy to pageable memory is done when the call returns. */
      client_begin_work (client_is_device (to) ? WAITING_PLAIN : WAITING_ALWAYS);
      error = tell (client_is_device (to) ? (uintptr_t) to : 0, to_pitch,
                    client_is_device (from) ? (uintptr_t) from : 0, from_pitch, width, n_rows);
      client_end_work ();
    }
  if (error != CUDA_SUCCESS)
    return client_fail (error);
  for (size_t i = 0; i < n_rows; i++)
    memmove (target + i * to_pitch, source + i * from_pitch, width);
  return CUDA_SUCCESS;
}

/* @value_bytes: 1, 2 or 4 */
CudaError
client_set (void *to, size_t pitch, uint32_t value, uint32_t value_bytes, size_t width,
            size_t n_rows)
{
  CudaError error = client_get_error ();
  char *target = client_get_bytes (to);

  if (error != CUDA_SUCCESS || width == 0 || n_rows == 0)
    return error;
  if (client_capture (&(Work){ .kind = WORK_SET,
                               .to = to,
                               .to_pitch = pitch,
                               .value = value,
                               .value_bytes = value_bytes,
                               .width = width,
                               .n_rows = n_rows }))
    return CUDA_SUCCESS;
  if (pitch == width)
    {
      width *= n_rows;
      n_rows = 1;
    }
  client_begin_work (WAITING_NEVER);
  error = client_is_device (to) ? tell ((uintptr_t) to, pitch, 0, 0, width, n_rows)
                                : CUDA_INVALID_VALUE;
  client_end_work ();
  if (error != CUDA_SUCCESS)
    return client_fail (error);
  for (size_t i = 0; i < n_rows; i++)
    if (value_bytes == 1)
      memset (target + i * pitch, (int) value, width);
    else
      for (size_t k = 0; k < width; k += value_bytes)
        memcpy (target + i * pitch + k, &value, value_bytes);
  return CUDA_SUCCESS;
}

/* cudaMemcpyKind */
enum
{
  HOST_TO_HOST,
  HOST_TO_DEVICE,
  DEVICE_TO_HOST,
  DEVICE_TO_DEVICE,
  BY_ADDRESS,
};

/* Whether the direction matches the addresses. */
static bool
is_direction (const void *to, const void *from, int kind)
{
  return kind >= HOST_TO_HOST && kind <= BY_ADDRESS &&
         ((kind != HOST_TO_DEVICE && kind != DEVICE_TO_DEVICE) || client_is_device (to)) &&
         ((kind != DEVICE_TO_HOST && kind != DEVICE_TO_DEVICE) || client_is_device (from));
}

API (cudaMemcpy, void *to, const void *from, size_t size, int kind)
{
  if (size > 0 && !is_direction (to, from, kind))
    return client_fail (kind < 0 || kind > BY_ADDRESS ? CUDA_INVALID_DIRECTION
                                                      : CUDA_INVALID_VALUE);
  return client_copy (to, size, from, size, size, 1);
}
API_ALIAS (cudaMemcpy_ptds, cudaMemcpy);

API_GIVES (cudaMemcpyAsync, (void *to, const void *from, size_t size, int kind, void *stream),
           client_on (stream), client_off (cudaMemcpy (to, from, size, kind)))
API_ALIAS (cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

API_IS (cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t size),
        client_copy (to, size, from, size, size, 1))
API_GIVES (cudaMemcpyPeerAsync,
           (void *to, int to_device, const void *from, int from_device, size_t size, void *stream),
           client_on (stream), client_off (client_copy (to, size, from, size, size, 1)))

API (cudaMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
     size_t height, int kind)
{
  if (width > to_pitch || width > from_pitch || !is_direction (to, from, kind))
    return client_fail (CUDA_INVALID_VALUE);
  return client_copy (to, to_pitch, from, from_pitch, width, height);
}

API_GIVES (cudaMemcpy2DAsync,
           (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
            size_t height, int kind, void *stream),
           client_on (stream),
           client_off (cudaMemcpy2D (to, to_pitch, from, from_pitch, width, height, kind)))
API_IS (cudaMemset, (void *to, int value, size_t size),
        client_set (to, size, (uint8_t) value, 1, size, 1))
API_ALIAS (cudaMemset_ptds, cudaMemset);

API_GIVES (cudaMemsetAsync, (void *to, int value, size_t size, void *stream), client_on (stream),
           client_off (client_set (to, size, (uint8_t) value, 1, size, 1)))
API_ALIAS (cudaMemsetAsync_ptsz, cudaMemsetAsync);

API_IS (cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
        client_set (to, pitch, (uint8_t) value, 1, width, height))
API_GIVES (cudaMemset2DAsync,
           (void *to, size_t pitch, int value, size_t width, size_t height, void *stream),
           client_on (stream),
           client_off (client_set (to, pitch, (uint8_t) value, 1, width, height)))

API (cudaMemset3D, Pitched to, int value, Extent extent)
{
  CudaError error = CUDA_SUCCESS;

  for (size_t z = 0; z < extent.depth && error == CUDA_SUCCESS; z++)
    error = client_set ((char *) to.bytes + z * to.pitch * to.height, to.pitch, (uint8_t) value, 1,
                        extent.width, extent.height);
  return error;
}

API_GIVES (cudaMemset3DAsync, (Pitched to, int value, Extent extent, void *stream),
           client_on (stream), client_off (cudaMemset3D (to, value, extent)))

/* Resolves the array, if not NULL, of one side of a copy: @place and @pitched are then in bytes,
 * and @element gets the bytes of an element of the extent. */
static void
resolve_array (Array *array, Extent *place, Pitched *pitched, size_t *element)
{
  if (array == NULL)
    return;
  place->width *= array->element;
  *pitched = (Pitched){ .bytes = array->address,
                        .pitch = array->pitch,
                        .width = array->pitch,
                        .height = array->plane / array->pitch };
  *element = array->element;
}

CudaError
client_copy_3d (const Copy3D *copy)
{
  CudaError error = CUDA_SUCCESS;
  Extent from_place = copy->from_place, to_place = copy->to_place;
  Pitched from = copy->from, to = copy->to;
  size_t element = 1;

  resolve_array (copy->from_array, &from_place, &from, &element);
  resolve_array (copy->to_array, &to_place, &to, &element);
  for (size_t z = 0; z < copy->extent.depth && error == CUDA_SUCCESS; z++)
    error = client_copy (
        (char *) to.bytes + ((to_place.depth + z) * to.height + to_place.height) * to.pitch +
            to_place.width,
        to.pitch,
        (const char *) from.bytes +
            ((from_place.depth + z) * from.height + from_place.height) * from.pitch +
            from_place.width,
        from.pitch, copy->extent.width * element, copy->extent.height);
  return error;
}

API (cudaMemcpy3D, const Copy3D *copy) { return client_copy_3d (copy); }

API_GIVES (cudaMemcpy3DAsync, (const Copy3D *copy, void *stream), client_on (stream),
           client_off (client_copy_3d (copy)))

/* ---- Symbols ---- */

static CudaError
find_symbol (const void *symbol, size_t offset, size_t size, char **address)
{
  Variable *variable = client_find_variable (symbol);
  CudaError error = CUDA_INVALID_SYMBOL;

  if (variable != NULL)
    error = client_resolve_variable (variable);
  if (error != CUDA_SUCCESS)
    return client_fail (error);
  if (offset > variable->size || size > variable->size - offset)
    return client_fail (CUDA_INVALID_VALUE);
  *address = (char *) (uintptr_t) variable->address + offset;
  return CUDA_SUCCESS;
}

API (cudaMemcpyToSymbol, const void *symbol, const void *from, size_t size, size_t offset, int kind)
{
  char *to = NULL;
  CudaError error = find_symbol (symbol, offset, size, &to);

  return error == CUDA_SUCCESS ? client_copy (to, size, from, size, size, 1) : error;
}

API_GIVES (cudaMemcpyToSymbolAsync,
           (const void *symbol, const void *from, size_t size, size_t offset, int kind,
            void *stream),
           client_on (stream), client_off (cudaMemcpyToSymbol (symbol, from, size, offset, kind)))

API (cudaMemcpyFromSymbol, void *to, const void *symbol, size_t size, size_t offset, int kind)
{
  char *from = NULL;
  CudaError error = find_symbol (symbol, offset, size, &from);

  return error == CUDA_SUCCESS ? client_copy (to, size, from, size, size, 1) : error;
}

API_GIVES (cudaMemcpyFromSymbolAsync,
           (void *to, const void *symbol, size_t size, size_t offset, int kind, void *stream),
           client_on (stream), client_off (cudaMemcpyFromSymbol (to, symbol, size, offset, kind)))
API_IS (cudaGetSymbolAddress, (void **address, const void *symbol),
        find_symbol (symbol, 0, 0, (char **) address))

API (cudaGetSymbolSize, size_t *size, const void *symbol)
{
  char *address = NULL;
  CudaError error = find_symbol (symbol, 0, 0, &address);

  if (error == CUDA_SUCCESS)
    *size = client_find_variable (symbol)->size;
  return error;
}
