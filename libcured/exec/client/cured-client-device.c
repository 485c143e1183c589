/* SPDX-License-Identifier: MIT
 * The runtime's device: properties, errors, occupancy. */
#include "exec/client/cured-client-private.h"

#include <stdio.h>
#include <string.h>

#define RUNTIME_VERSION 13000
#define WARP_LANES      32

/* ---- Errors ---- */

typedef struct
{
  CudaError error;
  const char *name;
  const char *driver_name; /* NULL: the driver has no such error */
  const char *text;
} ErrorInfo;

static const ErrorInfo errors[] = {
  { 0, "cudaSuccess", "CUDA_SUCCESS", "no error" },
  { 1, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
  { 2, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
  { 3, "cudaErrorInitializationError", "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
  { 9, "cudaErrorInvalidConfiguration", NULL, "invalid configuration argument" },
  { 13, "cudaErrorInvalidSymbol", NULL, "invalid device symbol" },
  { 17, "cudaErrorInvalidDevicePointer", NULL, "invalid device pointer" },
  { 21, "cudaErrorInvalidMemcpyDirection", NULL, "invalid copy direction for memcpy" },
  { 98, "cudaErrorInvalidDeviceFunction", NULL, "invalid device function" },
  { 100, "cudaErrorNoDevice", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
  { 101, "cudaErrorInvalidDevice", "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
  { 200, "cudaErrorInvalidKernelImage", "CUDA_ERROR_INVALID_IMAGE",
    "device kernel image is invalid" },
  { 209, "cudaErrorNoKernelImageForDevice", "CUDA_ERROR_NO_BINARY_FOR_GPU",
    "no kernel image is available for execution on the device" },
  { 217, "cudaErrorPeerAccessUnsupported", "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
    "peer access is not supported between these two devices" },
  { 218, "cudaErrorInvalidPtx", "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed" },
  { 301, "cudaErrorFileNotFound", "CUDA_ERROR_FILE_NOT_FOUND", "file not found" },
  { 400, "cudaErrorInvalidResourceHandle", "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
  { 500, "cudaErrorSymbolNotFound", "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
  { 600, "cudaErrorNotReady", "CUDA_ERROR_NOT_READY", "device not ready" },
  { 700, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS",
    "an illegal memory access was encountered" },
  { 701, "cudaErrorLaunchOutOfResources", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
    "too many resources requested for launch" },
  { 702, "cudaErrorLaunchTimeout", "CUDA_ERROR_LAUNCH_TIMEOUT",
    "the launch timed out and was terminated" },
  { 710, "cudaErrorAssert", "CUDA_ERROR_ASSERT", "device-side assert triggered" },
  { 715, "cudaErrorIllegalInstruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    "an illegal instruction was encountered" },
  { 716, "cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address" },
  { 719, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
  { 800, "cudaErrorNotPermitted", "CUDA_ERROR_NOT_PERMITTED", "operation not permitted" },
  { 801, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported" },
  { 999, "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN", "unknown error" },
};

const char *
client_describe_error (int error, bool has_text, bool is_driver)
{
  const ErrorInfo *info = NULL;

  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
    if ((int) errors[i].error == error)
      info = &errors[i];
  if (info == NULL)
    return has_text ? "unrecognized error code" : is_driver ? NULL : "cudaErrorUnknown";
  return has_text ? info->text : is_driver ? info->driver_name : info->name;
}

const char *cudaGetErrorName (int error);
const char *cudaGetErrorString (int error);
VERSIONS (cudaGetErrorName);
VERSIONS (cudaGetErrorString);

const char *
cudaGetErrorName (int error)
{
  return client_describe_error (error, false, false);
}

const char *
cudaGetErrorString (int error)
{
  return client_describe_error (error, true, false);
}

static CudaError
take_error (bool is_kept)
{
  return client_start () ? client_take_error (is_kept) : CUDA_NO_DEVICE;
}

API (cudaGetLastError, void) { return take_error (false); }

API (cudaPeekAtLastError, void) { return take_error (true); }

/* ---- The device ---- */

API_GIVES (cudaGetDeviceCount, (int *count),
           *count = client_start () ? client_get_device ()->n_devices : 0,
           *count > 0 ? CUDA_SUCCESS : client_fail (CUDA_NO_DEVICE))

API (cudaSetDevice, int device)
{
  CudaError error = client_check_device (device);

  if (error == CUDA_SUCCESS)
    client_set_current (device);
  return error;
}

API_GIVES (cudaGetDevice, (int *device), *device = client_get_current (), client_check_device (0))
API_GIVES (cudaChooseDevice, (int *device, const void *properties), *device = 0,
           client_check_device (0))
API_GIVES (cudaDeviceSynchronize, (void), client_synchronize (), client_check_device (0))
API_ALIAS (cudaThreadSynchronize, cudaDeviceSynchronize);

API_GIVES (cudaDeviceReset, (void), client_reset_error (), client_check_device (0))
API_GIVES (cudaDriverGetVersion, (int *version), *version = RUNTIME_VERSION, CUDA_SUCCESS)
API_GIVES (cudaRuntimeGetVersion, (int *version), *version = RUNTIME_VERSION, CUDA_SUCCESS)

/* A property: its number as an attribute, and its offset in cudaDeviceProp of both versions. */
typedef struct
{
  uint16_t attribute; /* 0: none */
  uint16_t offset_12; /* 0: none */
  uint16_t offset_13;
  uint8_t width;
  bool is_field;
  uint32_t value; /* or the offset in ExecDevice */
} Fact;

#define OF(field)  true, offsetof (ExecDevice, field)
#define IS(number) false, number

static const Fact facts[] = {
  { 0, 288, 288, 8, OF (global_bytes) },
  { 8, 296, 296, 8, OF (shared_per_block) },
  { 12, 304, 304, 4, OF (registers_per_block) },
  { 10, 308, 308, 4, IS (32) },
  { 11, 312, 312, 8, IS (INT32_MAX) },
  { 1, 320, 320, 4, OF (max_threads_per_block) },
  { 2, 324, 324, 4, OF (max_block[0]) },
  { 3, 328, 328, 4, OF (max_block[1]) },
  { 4, 332, 332, 4, OF (max_block[2]) },
  { 5, 336, 336, 4, OF (max_grid[0]) },
  { 6, 340, 340, 4, OF (max_grid[1]) },
  { 7, 344, 344, 4, OF (max_grid[2]) },
  { 13, 348, 0, 4, OF (sm_clock_khz) },
  { 9, 352, 352, 8, IS (65536) },
  { 75, 360, 360, 4, OF (major) },
  { 76, 364, 364, 4, OF (minor) },
  { 14, 368, 368, 8, IS (512) },
  { 51, 376, 376, 8, IS (32) },
  { 15, 384, 0, 4, IS (1) },
  { 16, 388, 384, 4, OF (sms) },
  { 19, 400, 392, 4, IS (1) },
  { 30, 568, 552, 8, IS (512) },
  { 31, 576, 560, 4, IS (1) },
  { 40, 600, 584, 4, IS (3) },
  { 41, 604, 588, 4, IS (1) },
  { 36, 608, 0, 4, OF (memory_clock_khz) },
  { 37, 612, 592, 4, OF (memory_bus_bits) },
  { 38, 616, 596, 4, OF (l2_bytes) },
  { 39, 624, 604, 4, OF (max_threads_per_sm) },
  { 78, 628, 608, 4, IS (1) },
  { 79, 632, 612, 4, IS (1) },
  { 80, 636, 616, 4, IS (1) },
  { 81, 640, 624, 8, OF (shared_per_sm) },
  { 82, 648, 632, 4, OF (registers_per_sm) },
  { 83, 652, 636, 4, IS (1) },
  { 89, 676, 656, 4, IS (1) },
  { 90, 680, 660, 4, IS (1) },
  { 95, 688, 668, 4, IS (1) },
  { 97, 696, 672, 8, OF (shared_per_block_optin) },
  { 106, 712, 688, 4, OF (max_blocks_per_sm) },
  { 111, 720, 696, 8, OF (shared_reserved) },
  { 99, 728, 704, 4, IS (1) },
  { 115, 744, 720, 4, IS (1) },
  { 120, 772, 748, 4, OF (has_clusters) },
};

static uint64_t
get_fact (const Fact *fact, const ExecDevice *device)
{
  const char *field = (const char *) device + fact->value;
  uint64_t wide = 0;
  uint32_t narrow = 0;

  if (!fact->is_field)
    return fact->value;
  if (fact->value == offsetof (ExecDevice, global_bytes))
    {
      memcpy (&wide, field, sizeof wide);
      return wide;
    }
  memcpy (&narrow, field, sizeof narrow);
  return narrow;
}

static CudaError
fill_properties (char *properties, int device, bool is_13)
{
  const ExecDevice *from = client_get_device ();
  CudaError error = client_check_device (device);

  if (error != CUDA_SUCCESS)
    return error;
  /* CUDA 12's is larger, and both begin alike. */
  memset (properties, 0, is_13 ? 1008 : 1032);
  memcpy (properties, from->name, sizeof from->name);
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
    {
      uint64_t value = get_fact (&facts[i], from);
      uint16_t offset = is_13 ? facts[i].offset_13 : facts[i].offset_12;

      if (offset != 0)
        memcpy (properties + offset, &value, facts[i].width);
    }
  return CUDA_SUCCESS;
}

API_IS (cudaGetDeviceProperties, (char *properties, int device),
        fill_properties (properties, device, true))
API_IS (cudaGetDeviceProperties_v2, (char *properties, int device),
        fill_properties (properties, device, false))

CudaError
client_get_attribute (int *value, int attribute)
{
  const ExecDevice *from = client_get_device ();

  if (from == NULL)
    return CUDA_NO_DEVICE;
  /* The device does not support anything that the table lacks. */
  *value = 0;
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
    if (facts[i].attribute == attribute)
      *value = (int) get_fact (&facts[i], from);
  return client_get_error ();
}

API (cudaDeviceGetAttribute, int *value, int attribute, int device)
{
  CudaError error = client_check_device (device);

  return error == CUDA_SUCCESS ? client_get_attribute (value, attribute) : error;
}

API (cudaDeviceGetLimit, size_t *value, int limit)
{
  static const size_t limits[] = { 65536, 1 << 20, 8 << 20, 2, 2048, 128, 0 };

  *value = limit >= 0 && limit < 7 ? limits[limit] : 0;
  return client_check_device (0);
}

API_GIVES (cudaDeviceGetPCIBusId, (char *text, int length, int device),
           snprintf (text, (size_t) length, "0000:%02x:00.0", (unsigned) device),
           client_check_device (device))

API (cudaDeviceGetByPCIBusId, int *device, const char *text)
{
  unsigned bus = 0;

  if (sscanf (text, "%*x:%x", &bus) != 1)
    return client_fail (CUDA_INVALID_VALUE);
  *device = (int) bus;
  return client_check_device (*device);
}

API (cudaDeviceCanAccessPeer, int *answer, int device, int peer)
{
  CudaError error = client_check_device (device);

  *answer = device != peer;
  return error == CUDA_SUCCESS ? client_check_device (peer) : error;
}

/* All devices see all memory. */
API_IS (cudaDeviceEnablePeerAccess, (int peer, unsigned flags),
        peer == client_get_current () ? client_fail (CUDA_INVALID_DEVICE)
                                      : client_check_device (peer))

API (cudaDeviceGetP2PAttribute, int *value, int attribute, int device, int peer)
{
  /* cudaDevP2PAttr: rank, access, atomics, arrays */
  *value = attribute >= 1 && attribute <= 4 && device != peer;
  return client_check_device (device);
}

API (cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
  if (least != NULL)
    *least = 0;
  if (greatest != NULL)
    *greatest = -5;
  return client_check_device (0);
}

API_GIVES (cudaGetDeviceFlags, (unsigned *flags), *flags = 0, client_check_device (0))
API_GIVES (cudaDeviceGetCacheConfig, (int *config), *config = 0, client_check_device (0))
API_GIVES (cudaDeviceGetSharedMemConfig, (int *config), *config = 1, client_check_device (0))

API_NOTHING (cudaDeviceSetLimit, int limit, size_t value)
API_NOTHING (cudaDeviceDisablePeerAccess, int peer)
API_NOTHING (cudaDeviceSetCacheConfig, int config)
API_NOTHING (cudaDeviceSetSharedMemConfig, int config)
API_NOTHING (cudaSetDeviceFlags, unsigned flags)
API_NOTHING (cudaSetValidDevices, int *devices, int n)
API_NOTHING (cudaInitDevice, int device, unsigned flags, unsigned more)
API_NOTHING (cudaCtxResetPersistingL2Cache, void)
API_NOTHING (cudaProfilerStart, void)
API_NOTHING (cudaProfilerStop, void)

/* ---- Kernels ---- */

/* cudaFuncAttributes, as far as both versions have it */
typedef struct
{
  size_t shared_bytes, constant_bytes, local_bytes;
  int32_t max_threads, registers, ptx_version, binary_version, caches, max_dynamic_bytes, carveout;
  int32_t needs_cluster, cluster[3];
} FunctionAttributes;

static CudaError
resolve (const void *pointer, Function **function)
{
  CudaError error = CUDA_INVALID_FUNCTION;

  *function = client_find_function (pointer);
  if (*function != NULL)
    error = client_resolve (*function);
  return error == CUDA_SUCCESS ? error : client_fail (error);
}

API (cudaFuncGetAttributes, FunctionAttributes *attributes, const void *pointer)
{
  Function *function = NULL;
  CudaError error = resolve (pointer, &function);
  const ExecFunction *info = error == CUDA_SUCCESS ? function->info : NULL;
  const ExecDevice *device = client_get_device ();

  if (info == NULL)
    return error;
  *attributes = (FunctionAttributes){
    .shared_bytes = info->shared_bytes,
    .local_bytes = info->local_bytes,
    .max_threads = info->max_threads > 0 ? info->max_threads : device->max_threads_per_block,
    .registers = info->registers,
    .ptx_version = info->target,
    .binary_version = device->major * 10 + device->minor,
    .max_dynamic_bytes = device->shared_per_block - (int32_t) info->shared_bytes,
    .carveout = -1,
    .needs_cluster = info->cluster[0] != 0,
    .cluster = { (int32_t) info->cluster[0], (int32_t) info->cluster[1],
                 (int32_t) info->cluster[2] },
  };
  return CUDA_SUCCESS;
}

API_NOTHING (cudaFuncSetAttribute, const void *function, int attribute, int value)
API_NOTHING (cudaFuncSetCacheConfig, const void *function, int config)
API_NOTHING (cudaFuncSetSharedMemConfig, const void *function, int config)

/* Registers are unknown here, and so limit nothing. @function: resolved */
CudaError
client_get_occupancy (int *n_blocks, const Function *function, int block_threads,
                      size_t dynamic_bytes)
{
  const ExecDevice *device = client_get_device ();
  uint64_t shared =
      function->info->shared_bytes + dynamic_bytes + (uint64_t) device->shared_reserved;
  int warps = (block_threads + WARP_LANES - 1) / WARP_LANES;

  *n_blocks = 0;
  if (block_threads <= 0)
    return CUDA_INVALID_VALUE;
  if (block_threads > device->max_threads_per_block)
    return CUDA_SUCCESS;
  *n_blocks = device->max_threads_per_sm / WARP_LANES / warps;
  if (*n_blocks > device->max_blocks_per_sm)
    *n_blocks = device->max_blocks_per_sm;
  if (shared > 0 && (uint64_t) *n_blocks > (uint64_t) device->shared_per_sm / shared)
    *n_blocks = (int) ((uint64_t) device->shared_per_sm / shared);
  return CUDA_SUCCESS;
}

API (cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *n_blocks, const void *pointer,
     int block_threads, size_t dynamic_bytes)
{
  Function *function = NULL;
  CudaError error = resolve (pointer, &function);

  if (error != CUDA_SUCCESS)
    return error;
  error = client_get_occupancy (n_blocks, function, block_threads, dynamic_bytes);
  return error == CUDA_SUCCESS ? error : client_fail (error);
}

API_IS (cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
        (int *n_blocks, const void *pointer, int block_threads, size_t dynamic_bytes,
         unsigned flags),
        cudaOccupancyMaxActiveBlocksPerMultiprocessor (n_blocks, pointer, block_threads,
                                                       dynamic_bytes))

API (cudaOccupancyAvailableDynamicSMemPerBlock, size_t *n_bytes, const void *pointer, int n_blocks,
     int block_threads)
{
  const ExecDevice *device = client_get_device ();
  Function *function = NULL;
  CudaError error = resolve (pointer, &function);

  if (error != CUDA_SUCCESS || n_blocks <= 0)
    return error;
  int64_t left = device->shared_per_sm / n_blocks - device->shared_reserved -
                 (int64_t) function->info->shared_bytes;
  *n_bytes = left > 0 ? (size_t) left : 0;
  return CUDA_SUCCESS;
}

API_GIVES (cudaOccupancyMaxPotentialClusterSize,
           (int *size, const void *pointer, const void *config), *size = 8, client_check_device (0))
API_GIVES (cudaOccupancyMaxActiveClusters, (int *n, const void *pointer, const void *config),
           *n = client_check_device (0) == CUDA_SUCCESS ? client_get_device ()->sms / 8 : 0,
           client_check_device (0))
