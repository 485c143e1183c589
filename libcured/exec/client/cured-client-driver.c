/* SPDX-License-Identifier: MIT
 * The driver API: other names for the same functions. Its error codes are the runtime's. */
#include "exec/client/cured-client-private.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER_VERSION 13000

typedef uint64_t Address;

#define POINTER(address) ((void *) (uintptr_t) (address))

/* ---- The device and its only context ---- */

static int context;
static __thread bool has_context;

/* The driver's functions return their error, which is not kept elsewhere. */
static CudaError
check_device (int device)
{
  if (!client_start ())
    return CUDA_NO_DEVICE;
  return device == 0 ? client_get_error () : CUDA_INVALID_DEVICE;
}

DRIVER (cuInit, unsigned flags) { return client_start () ? CUDA_SUCCESS : CUDA_NO_DEVICE; }

DRIVER_GIVES (cuDriverGetVersion, (int *version), *version = DRIVER_VERSION, CUDA_SUCCESS)
DRIVER_GIVES (cuDeviceGetCount, (int *count), *count = client_start () ? 1 : 0, CUDA_SUCCESS)
DRIVER_GIVES (cuDeviceGet, (int *device, int ordinal), *device = 0, check_device (ordinal))

DRIVER (cuDeviceGetName, char *name, int length, int device)
{
  CudaError error = check_device (device);

  if (error == CUDA_SUCCESS)
    snprintf (name, (size_t) length, "%s", client_get_device ()->name);
  return error;
}

DRIVER_GIVES (cuDeviceGetUuid_v2, (char *uuid, int device), memcpy (uuid, "cured emulator..", 16),
              check_device (device))
DRIVER_ALIAS (cuDeviceGetUuid, cuDeviceGetUuid_v2);

DRIVER (cuDeviceTotalMem_v2, size_t *size, int device)
{
  CudaError error = check_device (device);

  if (error == CUDA_SUCCESS)
    *size = client_get_device ()->global_bytes;
  return error;
}

DRIVER (cuDeviceGetAttribute, int *value, int attribute, int device)
{
  CudaError error = check_device (device);

  return error == CUDA_SUCCESS ? client_get_attribute (value, attribute) : error;
}

DRIVER (cuDeviceComputeCapability, int *major, int *minor, int device)
{
  CudaError error = check_device (device);

  if (error == CUDA_SUCCESS)
    {
      *major = client_get_device ()->major;
      *minor = client_get_device ()->minor;
    }
  return error;
}

DRIVER_GIVES (cuDevicePrimaryCtxRetain, (void **chosen, int device), *chosen = &context,
              check_device (device))

DRIVER (cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *is_active)
{
  *flags = 0;
  *is_active = 1;
  return check_device (device);
}

DRIVER (cuCtxCreate_v2, void **created, unsigned flags, int device)
{
  *created = &context;
  has_context = true;
  return check_device (device);
}

DRIVER_IS (cuCtxCreate_v4, (void **created, void *parameters, unsigned flags, int device),
           cuCtxCreate_v2 (created, flags, device))
DRIVER_GIVES (cuCtxGetCurrent, (void **current), *current = has_context ? &context : NULL,
              check_device (0))
DRIVER_GIVES (cuCtxSetCurrent, (void *current), has_context = current != NULL, check_device (0))
DRIVER_ALIAS (cuCtxPushCurrent_v2, cuCtxSetCurrent);

DRIVER (cuCtxPopCurrent_v2, void **current)
{
  if (current != NULL)
    *current = &context;
  return check_device (0);
}

DRIVER_GIVES (cuCtxGetDevice, (int *device), *device = 0, check_device (0))
DRIVER_GIVES (cuCtxGetApiVersion, (void *current, unsigned *version), *version = DRIVER_VERSION,
              check_device (0))

DRIVER (cuCtxGetStreamPriorityRange, int *least, int *greatest)
{
  *least = 0;
  *greatest = -5;
  return check_device (0);
}

DRIVER_GIVES (cuCtxSynchronize, (void), client_synchronize (), check_device (0))

DRIVER_NOTHING (cuCtxDestroy_v2, void *destroyed)
DRIVER_NOTHING (cuCtxSetLimit, int limit, size_t value)
DRIVER_NOTHING (cuCtxSetCacheConfig, int config)
DRIVER_NOTHING (cuDevicePrimaryCtxRelease_v2, int device)
DRIVER_NOTHING (cuDevicePrimaryCtxReset_v2, int device)
DRIVER_NOTHING (cuDevicePrimaryCtxSetFlags_v2, int device, unsigned flags)

/* ---- Modules ---- */

DRIVER (cuModuleLoadData, Module **module, const void *image)
{
  CudaError error = CUDA_SUCCESS;

  *module = client_load (image, 0, &error);
  return error;
}
DRIVER_ALIAS (cuModuleLoadFatBinary, cuModuleLoadData);

DRIVER (cuModuleLoadDataEx, Module **module, const void *image, unsigned n_options, int *options,
        void **values)
{
  return cuModuleLoadData (module, image);
}

DRIVER (cuModuleLoad, Module **module, const char *path)
{
  FILE *file = fopen (path, "rbe");
  CudaError error = CUDA_NOT_FOUND;
  char *image = NULL;
  long size = 0;

  if (file == NULL)
    return 301; /* CUDA_ERROR_FILE_NOT_FOUND */
  if (fseek (file, 0, SEEK_END) == 0 && (size = ftell (file)) > 4 &&
      (image = calloc (1, (size_t) size + 1)) != NULL)
    {
      rewind (file);
      if (fread (image, 1, (size_t) size, file) == (size_t) size)
        *module = client_load (image, (size_t) size, &error);
    }
  free (image);
  fclose (file);
  return error;
}

DRIVER (cuModuleUnload, Module *module)
{
  client_unload (module);
  return CUDA_SUCCESS;
}

DRIVER (cuModuleGetFunction, Function **function, Module *module, const char *name)
{
  CudaError error = CUDA_SUCCESS;

  *function = client_get_function (module, name, &error);
  return error;
}

DRIVER (cuModuleGetGlobal_v2, Address *address, size_t *size, Module *module, const char *name)
{
  Variable variable = { .module = module, .name = name };
  CudaError error = client_resolve_variable (&variable);

  if (address != NULL)
    *address = variable.address;
  if (size != NULL)
    *size = variable.size;
  return error;
}

DRIVER_GIVES (cuModuleGetLoadingMode, (int *mode), *mode = 1, CUDA_SUCCESS)

DRIVER (cuLibraryLoadData, Module **library, const void *image, int *options, void **values,
        unsigned n_options, int *library_options, void **library_values, unsigned n_library_options)
{
  return cuModuleLoadData (library, image);
}
DRIVER_ALIAS (cuLibraryUnload, cuModuleUnload);

DRIVER (cuLibraryGetKernel, Function **kernel, Module *library, const char *name)
{
  return cuModuleGetFunction (kernel, library, name);
}

DRIVER (cuLibraryGetGlobal, Address *address, size_t *size, Module *library, const char *name)
{
  return cuModuleGetGlobal_v2 (address, size, library, name);
}

DRIVER (cuLibraryGetModule, Module **module, Module *library)
{
  *module = library;
  return CUDA_SUCCESS;
}

DRIVER (cuKernelGetFunction, Function **function, Function *kernel)
{
  *function = kernel;
  return CUDA_SUCCESS;
}

DRIVER_GIVES (cuFuncGetName, (const char **name, const Function *function), *name = function->name,
              CUDA_SUCCESS)

DRIVER (cuFuncGetModule, Module **module, const Function *function)
{
  *module = function->module;
  return CUDA_SUCCESS;
}

/* CUfunction_attribute */
DRIVER (cuFuncGetAttribute, int *value, int attribute, Function *function)
{
  const ExecDevice *device = client_get_device ();
  CudaError error = client_resolve (function);
  const ExecFunction *info = function->info;

  if (error != CUDA_SUCCESS)
    return error;
  const int values[] = {
    info->max_threads > 0 ? info->max_threads : device->max_threads_per_block,
    (int) info->shared_bytes,
    0,
    (int) info->local_bytes,
    info->registers,
    info->target,
    device->major * 10 + device->minor,
    0,
    device->shared_per_block - (int) info->shared_bytes,
    -1,
  };

  *value = attribute >= 0 && attribute < 10 ? values[attribute] : 0;
  return CUDA_SUCCESS;
}

DRIVER_IS (cuKernelGetAttribute, (int *value, int attribute, Function *kernel, int device),
           cuFuncGetAttribute (value, attribute, kernel))

DRIVER_NOTHING (cuFuncSetAttribute, Function *function, int attribute, int value)
DRIVER_NOTHING (cuKernelSetAttribute, int attribute, int value, Function *kernel, int device)
DRIVER_NOTHING (cuFuncSetCacheConfig, Function *function, int config)

DRIVER_IS (cuOccupancyMaxActiveBlocksPerMultiprocessor,
           (int *n_blocks, Function *function, int block_threads, size_t dynamic_bytes),
           client_get_occupancy (n_blocks, function, block_threads, dynamic_bytes))
DRIVER_IS (cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
           (int *n_blocks, Function *function, int block_threads, size_t dynamic_bytes,
            unsigned flags),
           client_get_occupancy (n_blocks, function, block_threads, dynamic_bytes))

/* ---- Launches ---- */

/* Contents of @extra, of which CU_LAUNCH_PARAM_END is 0. */
enum
{
  EXTRA_POINTER = 1,
  EXTRA_SIZE = 2,
};

static CudaError
launch (const void *stream, Function *function, const Config *config, void **arguments,
        void **extra)
{
  const void *packed = NULL;
  size_t n_packed = 0;

  for (; extra != NULL && *extra != NULL; extra += 2)
    if ((uintptr_t) extra[0] == EXTRA_POINTER)
      packed = extra[1];
    else if ((uintptr_t) extra[0] == EXTRA_SIZE)
      n_packed = *(const size_t *) extra[1];
  client_on (stream);
  return client_off (
      client_launch (client_find_function (function), config, arguments, packed, n_packed));
}

DRIVER (cuLaunchKernel, Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,
        void **arguments, void **extra)
{
  Config config = { .grid = { grid_x, grid_y, grid_z },
                    .block = { block_x, block_y, block_z },
                    .shared_bytes = shared_bytes };

  return launch (stream, function, &config, arguments, extra);
}

DRIVER (cuLaunchCooperativeKernel, Function *function, unsigned grid_x, unsigned grid_y,
        unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
        unsigned shared_bytes, void *stream, void **arguments)
{
  Config config = { .grid = { grid_x, grid_y, grid_z },
                    .block = { block_x, block_y, block_z },
                    .shared_bytes = shared_bytes,
                    .is_cooperative = true };

  return launch (stream, function, &config, arguments, NULL);
}

/* CUlaunchConfig */
typedef struct
{
  Dim3 grid, block;
  unsigned shared_bytes;
  void *stream;
  const LaunchAttribute *attributes;
  unsigned n_attributes;
} DriverConfig;

DRIVER (cuLaunchKernelEx, const DriverConfig *asked, Function *function, void **arguments,
        void **extra)
{
  Config config = { .grid = asked->grid,
                    .block = asked->block,
                    .shared_bytes = asked->shared_bytes };

  client_take_attributes (&config, asked->attributes, asked->n_attributes);
  return launch (asked->stream, function, &config, arguments, extra);
}

/* ---- Memory ---- */

static CudaError
allocate (Address *address, size_t size, ExecMemoryKind kind)
{
  void *pointer = NULL;
  CudaError error = size > 0 ? client_allocate (&pointer, size, kind) : CUDA_INVALID_VALUE;

  *address = (uintptr_t) pointer;
  return error;
}

DRIVER (cuMemAlloc_v2, Address *address, size_t size)
{
  return allocate (address, size, EXEC_DEVICE_MEMORY);
}

DRIVER (cuMemAllocAsync, Address *address, size_t size, void *stream)
{
  return allocate (address, size, EXEC_DEVICE_MEMORY);
}

DRIVER (cuMemAllocManaged, Address *address, size_t size, unsigned flags)
{
  return allocate (address, size, EXEC_MANAGED_MEMORY);
}

DRIVER (cuMemHostAlloc, Address *address, size_t size, unsigned flags)
{
  return allocate (address, size, EXEC_PINNED_MEMORY);
}

DRIVER (cuMemAllocHost_v2, Address *address, size_t size)
{
  return allocate (address, size, EXEC_PINNED_MEMORY);
}

DRIVER (cuMemFree_v2, Address address) { return client_free (POINTER (address)); }
DRIVER_ALIAS (cuMemFreeHost, cuMemFree_v2);

DRIVER (cuMemFreeAsync, Address address, void *stream) { return client_free (POINTER (address)); }

DRIVER (cuMemHostGetDevicePointer_v2, Address *address, void *host, unsigned flags)
{
  *address = (uintptr_t) host;
  return client_is_device (host) ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

DRIVER (cuMemGetInfo_v2, size_t *n_free, size_t *n_total)
{
  ExecReply reply;
  CudaError error = client_query (NULL, &reply);

  if (error == CUDA_SUCCESS)
    {
      *n_free = reply.x[3];
      *n_total = client_get_device ()->global_bytes;
    }
  return error;
}

DRIVER (cuMemGetAddressRange_v2, Address *begin, size_t *size, Address address)
{
  ExecReply reply;
  CudaError error = client_query (POINTER (address), &reply);

  if (error == CUDA_SUCCESS && reply.x[1] == 0)
    error = CUDA_NOT_FOUND;
  if (error == CUDA_SUCCESS && begin != NULL)
    *begin = reply.x[0];
  if (error == CUDA_SUCCESS && size != NULL)
    *size = reply.x[1];
  return error;
}

/* CU_POINTER_ATTRIBUTE_… */
DRIVER (cuPointerGetAttribute, void *value, int attribute, Address address)
{
  ExecReply reply;
  CudaError error = client_query (POINTER (address), &reply);

  if (error != CUDA_SUCCESS || reply.x[1] == 0)
    return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
  switch (attribute)
    {
    case 1: /* CONTEXT */ *(void **) value = &context; return CUDA_SUCCESS;
    case 2: /* MEMORY_TYPE: 1 host, 2 device */
      *(unsigned *) value = (uint8_t) reply.x[2] == EXEC_PINNED_MEMORY ? 1 : 2;
      return CUDA_SUCCESS;
    case 3: /* DEVICE_POINTER */
    case 4: /* HOST_POINTER */ *(Address *) value = address; return CUDA_SUCCESS;
    case 8: /* IS_MANAGED */
      *(unsigned *) value = (uint8_t) reply.x[2] == EXEC_MANAGED_MEMORY;
      return CUDA_SUCCESS;
    case 9: /* DEVICE_ORDINAL */ *(int *) value = 0; return CUDA_SUCCESS;
    default: return CUDA_NOT_SUPPORTED;
    }
}

DRIVER_IS (cuMemcpy, (Address to, Address from, size_t size),
           client_copy (POINTER (to), size, POINTER (from), size, size, 1))
DRIVER_ALIAS (cuMemcpyHtoD_v2, cuMemcpy);
DRIVER_ALIAS (cuMemcpyDtoH_v2, cuMemcpy);
DRIVER_ALIAS (cuMemcpyDtoD_v2, cuMemcpy);

DRIVER_GIVES (cuMemcpyAsync, (Address to, Address from, size_t size, const void *stream),
              client_on (stream), client_off (cuMemcpy (to, from, size)))
DRIVER_ALIAS (cuMemcpyHtoDAsync_v2, cuMemcpyAsync);
DRIVER_ALIAS (cuMemcpyDtoHAsync_v2, cuMemcpyAsync);
DRIVER_ALIAS (cuMemcpyDtoDAsync_v2, cuMemcpyAsync);

#define SET(bits)                                                                                  \
  DRIVER (cuMemsetD##bits##_v2, Address to, uint##bits##_t value, size_t n)                        \
  {                                                                                                \
    return client_set (POINTER (to), sizeof value * n, value, sizeof value, sizeof value * n, 1);  \
  }                                                                                                \
  DRIVER (cuMemsetD##bits##Async, Address to, uint##bits##_t value, size_t n, const void *stream)  \
  {                                                                                                \
    client_on (stream);                                                                            \
    return client_off (cuMemsetD##bits##_v2 (to, value, n));                                       \
  }

SET (8)
SET (16)
SET (32)

/* ---- Streams and events ---- */

DRIVER_IS (cuStreamCreate, (void **stream, unsigned flags), client_make_stream (stream, flags, 0))
DRIVER_IS (cuStreamCreateWithPriority, (void **stream, unsigned flags, int priority),
           client_make_stream (stream, flags, priority))

DRIVER (cuEventElapsedTime, float *ms, void *begin, void *end)
{
  *ms = NAN;
  client_note (EXEC_NOTE_NO_TIME, "cuEventElapsedTime");
  return client_get_error ();
}
DRIVER_ALIAS (cuEventElapsedTime_v2, cuEventElapsedTime);

/* ---- Errors and names ---- */

DRIVER_GIVES (cuGetErrorString, (int error, const char **text),
              *text = client_describe_error (error, true, true), CUDA_SUCCESS)
DRIVER_GIVES (cuGetErrorName, (int error, const char **name),
              *name = client_describe_error (error, false, true),
              *name != NULL ? CUDA_SUCCESS : CUDA_INVALID_VALUE)

/* Tables of unnamed functions. NVRTC reads the first word of one, its size in bytes, even if this
 * returns an error. */
DRIVER (cuGetExportTable, const void **table, const void *id)
{
  static const size_t empty[1] = { sizeof empty };

  *table = empty;
  return CUDA_NOT_FOUND;
}

/* The newest variant of a function that exists here; later variants do not. */
DRIVER (cuGetProcAddress_v2, const char *name, void **function, int version, uint64_t flags,
        int *status)
{
  static const char *const suffixes[] = { "_v4", "_v2", "" };
  char full[128];

  *function = NULL;
  for (int i = 0; i < 3 && *function == NULL; i++)
    {
      snprintf (full, sizeof full, "%s%s", name, suffixes[i]);
      *function = dlsym (client_get_library (), full);
    }
  if (status != NULL)
    *status = *function != NULL ? 0 : 1;
  return *function != NULL ? CUDA_SUCCESS : CUDA_NOT_FOUND;
}

DRIVER_IS (cuGetProcAddress, (const char *name, void **function, int version, uint64_t flags),
           cuGetProcAddress_v2 (name, function, version, flags, NULL))
