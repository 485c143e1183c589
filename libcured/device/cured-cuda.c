/* SPDX-License-Identifier: MIT
 * The CUDA device: the runtime API, linked statically, timed by events. */
#include "config.h"

#include "base/cured-base-internal.h"
#include "sass/cured-image-internal.h"
#include "device/cured-compiler.h"
#include "device/cured-kind-private.h"

#if CURED_HAVE_CUDA

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "device/cured-argument-private.h"
#include "device/cured-device-internal.h"
#include "kernel/cured-asset-internal.h"
#include "kernel/cured-kernel-internal.h"
#include "kernel/cured-parallel-internal.h"
#include "kernel/program/cured-program-internal.h"

/* Limit of launches enqueued behind a kernel that holds the stream. The queue of launches has a
 * finite, undocumented length: when it is full, a launch blocks until one is done, which never
 * happens while the stream is held. This many were found to fit. */
#define HELD_LAUNCHES 512

/* The hold gives up after this long: a launch that waits for an earlier one, such as for lazy
 * loading, would otherwise wait for ever. */
#define HOLD_LIMIT_NS G_GUINT64_CONSTANT (500000000)

/* The bytes read to flush the L2 cache, in multiples of its size. It does not always evict the
 * oldest line: after twice its size, enough is left on an H200 for the medians of a 44 us kernel to
 * differ by up to 1.9 % between processes; after six times, by 1.1 %. */
#define FLUSH_L2S 6

#define PROBE_THREADS       512
#define PROBE_BLOCKS_PER_SM 8

/* Bytes for measuring the limits: many times any L2. */
#define CEILING_BYTES ((gsize) 1 << 30)

/* The driver copies pageable memory to and from the device in one thread, at 3 to 5 GB/s on an
 * H200. From STAGED_LEAST bytes on, several threads copy pieces through pinned memory, each in its
 * own stream. */
#define STAGED_LEAST ((gsize) 8 << 20)
#define STAGE_BYTES  ((gsize) 2 << 20)
#define N_STAGES     8

typedef struct
{
  cudaStream_t stream;
  void *data; /* pinned */
} Stage;

typedef struct
{
  void *data;
  gsize size;
} HostRoom;

typedef struct
{
  CuredDevice parent;
  int ordinal;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  cudaLibrary_t probe;
  cudaKernel_t hold, read, copy, fp32, clock, spin;
  int *released;   /* pinned; the hold kernel watches it */
  guint64 *clocks; /* pinned: two sets of (cycles, ns) per multiprocessor */
  int n_clocks;
  void *flush; /* zeros, many times the L2 */
  gsize flush_size;
  int *sink;
  /* Memory of host steps, pinned and pageable: zeros to send, and other data such as the
   * sum. */
  HostRoom rooms[2][2];
  Stage stages[N_STAGES];
  GAsyncQueue *idle_stages; /* (element-type Stage); NULL: not yet allocated, or no memory */
  GArray *textures;         /* (element-type CudaTexture): kept until their memory is freed */
} CudaDevice;

typedef struct
{
  CuredTexture texture;
  cudaTextureObject_t object;
} CudaTexture;

/* This device's CuredModule. */
typedef struct
{
  cudaLibrary_t library;
  GBytes *image;       /* to look up names */
  GHashTable *kernels; /* (element-type utf8 cudaKernel_t) */
} CudaModule;

/* Whether the context is lost: then every later call fails, too. */
static gboolean
is_lost (void)
{
  cudaGetLastError ();
  return cudaStreamQuery (NULL) != cudaSuccess && cudaDeviceSynchronize () != cudaSuccess;
}

static gboolean
check (cudaError_t result, const char *expression, GError **error)
{
  if (result == cudaSuccess)
    return TRUE;
  gboolean is_sticky = is_lost ();
  g_set_error (error, CURED_ERROR, is_sticky ? CURED_ERROR_STICKY : CURED_ERROR_DEVICE,
               "%s: %s (%s)", cudaGetErrorName (result), cudaGetErrorString (result), expression);
  return FALSE;
}

/* The call's text up to its arguments is enough for a message. */
#define TRY(call, error) check ((call), G_STRINGIFY (call), error)

/* CUDA's current device belongs to the thread, and a device may be opened in one thread and used in
 * another. */
static gboolean
enter (CuredDevice *device, GError **error)
{
  return TRY (cudaSetDevice (((CudaDevice *) device)->ordinal), error);
}

static char *
read_driver_version (void)
{
  g_autofree char *text = NULL;

  if (g_file_get_contents ("/sys/module/nvidia/version", &text, NULL, NULL))
    return g_strdup (g_strstrip (text));
  if (g_file_get_contents ("/proc/driver/nvidia/version", &text, NULL, NULL))
    {
      g_auto (GStrv) words = g_strsplit_set (text, " \n", -1);

      /* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Mon …":
       * the first word that is digits and dots. */
      for (gsize i = 0; words[i] != NULL; i++)
        if (*words[i] != '\0' && strchr (words[i], '.') != NULL &&
            strspn (words[i], "0123456789.") == strlen (words[i]))
          return g_strdup (words[i]);
    }
  return g_strdup ("");
}

static gboolean
read_info (int ordinal, CuredDeviceInfo *info, GError **error)
{
  static const struct
  {
    enum cudaDeviceAttr attribute;
    gsize offset;
  } rows[] = {
#define ROW(attribute, field) { cudaDevAttr##attribute, G_STRUCT_OFFSET (CuredLimits, field) }
    ROW (ComputeCapabilityMajor, compute_major),
    ROW (ComputeCapabilityMinor, compute_minor),
    ROW (MultiProcessorCount, sms),
    ROW (WarpSize, warp_size),
    ROW (MaxThreadsPerBlock, max_threads_per_block),
    ROW (MaxThreadsPerMultiProcessor, max_threads_per_sm),
    ROW (MaxBlocksPerMultiprocessor, max_blocks_per_sm),
    ROW (MaxBlockDimX, max_block_x),
    ROW (MaxBlockDimY, max_block_y),
    ROW (MaxBlockDimZ, max_block_z),
    ROW (MaxGridDimX, max_grid_x),
    ROW (MaxGridDimY, max_grid_y),
    ROW (MaxGridDimZ, max_grid_z),
    ROW (MaxSharedMemoryPerBlock, shared_per_block),
    ROW (MaxSharedMemoryPerBlockOptin, shared_per_block_optin),
    ROW (MaxSharedMemoryPerMultiprocessor, shared_per_sm),
    ROW (MaxRegistersPerBlock, registers_per_block),
    ROW (MaxRegistersPerMultiprocessor, registers_per_sm),
    ROW (L2CacheSize, l2_bytes),
    ROW (ClockRate, sm_clock_khz),
    ROW (MemoryClockRate, memory_clock_khz),
    ROW (GlobalMemoryBusWidth, memory_bus_bits),
#undef ROW
  };
  struct cudaDeviceProp properties;
  int version = 0;

  if (!TRY (cudaGetDeviceProperties (&properties, ordinal), error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      int value = 0;

      if (!TRY (cudaDeviceGetAttribute (&value, rows[i].attribute, ordinal), error))
        return FALSE;
      *(gint64 *) G_STRUCT_MEMBER_P (&info->limits, rows[i].offset) = value;
    }
  info->limits.global_bytes = (gint64) properties.totalGlobalMem;

  g_free (info->id);
  info->id = g_strdup_printf ("cuda:%d", ordinal);
  g_free (info->kind);
  info->kind = g_strdup ("cuda");
  g_free (info->name);
  info->name = g_strndup (properties.name, sizeof properties.name);
  g_free (info->sharing);
  info->sharing = cured_device_describe_sharing (info->name);
  const guint8 *uuid = (const guint8 *) properties.uuid.bytes;
  g_free (info->uuid);
  info->uuid = g_strdup_printf (
      "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", uuid[0], uuid[1],
      uuid[2], uuid[3], uuid[4], uuid[5], uuid[6], uuid[7], uuid[8], uuid[9], uuid[10], uuid[11],
      uuid[12], uuid[13], uuid[14], uuid[15]);
  g_free (info->arch);
  info->arch = g_strdup_printf ("sm_%d%d", properties.major, properties.minor);
  g_free (info->driver);
  info->driver = read_driver_version ();
  if (!TRY (cudaRuntimeGetVersion (&version), error))
    return FALSE;
  g_free (info->runtime);
  info->runtime = g_strdup_printf ("CUDA %d.%d", version / 1000, version % 1000 / 10);
  return TRUE;
}

static void
cuda_unload (CuredDevice *device, CuredModule *loaded)
{
  CudaModule *module = (CudaModule *) loaded;

  cudaLibraryUnload (module->library);
  g_bytes_unref (module->image);
  g_hash_table_unref (module->kernels);
  g_free (module);
}

static gboolean
is_cubin (GBytes *image)
{
  gsize size;
  const char *data = g_bytes_get_data (image, &size);

  return size >= 4 && memcmp (data, "\177ELF", 4) == 0;
}

static CuredModule *
cuda_load (CuredDevice *device, GBytes *image, GError **error)
{
  static const enum cudaJitOption names[] = {
    cudaJitErrorLogBuffer,
    cudaJitErrorLogBufferSizeBytes,
    cudaJitGenerateLineInfo,
  };
  char log[4096] = "";
  void *values[] = { log, (void *) sizeof log, (void *) 1 };
  enum cudaJitOption options[G_N_ELEMENTS (names)];
  cudaLibrary_t library;

  if (!enter (device, error))
    return NULL;
  /* The driver compiles PTX, and reports errors in its log. */
  gboolean is_ptx = !is_cubin (image);
  memcpy (options, names, sizeof names);
  if (!TRY (cudaLibraryLoadData (&library, g_bytes_get_data (image, NULL), is_ptx ? options : NULL,
                                 is_ptx ? values : NULL, is_ptx ? G_N_ELEMENTS (names) : 0, NULL,
                                 NULL, 0),
            error))
    {
      if (is_ptx && error != NULL)
        {
          g_autofree char *valid = g_utf8_make_valid (log, -1);

          g_prefix_error (error, _ ("the driver does not compile this PTX; a newer driver may: "));
          if (*g_strchomp (valid) != '\0')
            cured_error_set_log (*error, valid);
        }
      return NULL;
    }
  CudaModule *module =
      CURED_NEW (CudaModule, .library = library, .image = g_bytes_ref (image),
                 .kernels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL));
  return (CuredModule *) module;
}

/* Entries are looked up once per module. */
static const void *
find_kernel (CuredModule *loaded, const char *entry, GError **error)
{
  CudaModule *module = (CudaModule *) loaded;
  cudaKernel_t kernel = g_hash_table_lookup (module->kernels, entry);

  if (kernel == NULL)
    {
      g_autofree char *symbol = _cured_image_find_symbol (module->image, entry);
      cudaError_t result = cudaLibraryGetKernel (&kernel, module->library, symbol);

      if (result != cudaSuccess)
        {
          cudaGetLastError ();
          return cured_fail_null (
              error, CURED_ERROR_NOT_FOUND,
              _ ("The compiled file has no kernel “%s” (%s). The kernel named by Entry= "
                 "has to be declared extern \"C\" __global__"),
              entry, cudaGetErrorName (result));
        }
      g_hash_table_insert (module->kernels, g_strdup (entry), kernel);
    }
  return kernel;
}

static gboolean
cuda_query (CuredDevice *device, CuredModule *module, const CuredProgramStep *step,
            CuredFunctionInfo *info, GError **error)
{
  const void *kernel = find_kernel (module, step->entry, error);
  struct cudaFuncAttributes attributes;
  int threads = (int) (step->block[0] * step->block[1] * step->block[2]);
  gsize optin = (gsize) device->info.limits.shared_per_block_optin;

  if (kernel == NULL || !enter (device, error) ||
      !TRY (cudaFuncGetAttributes (&attributes, kernel), error))
    return FALSE;
  info->registers = attributes.numRegs;
  info->shared_static = attributes.sharedSizeBytes;
  info->local_bytes = attributes.localSizeBytes;
  info->max_threads_per_block = attributes.maxThreadsPerBlock;
  info->blocks_per_sm = 0;
  if (info->shared_static + step->shared_bytes > optin)
    return TRUE;
  if (step->shared_bytes > 0 &&
      !TRY (cudaFuncSetAttribute (kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int) step->shared_bytes),
            error))
    return FALSE;
  return TRY (cudaOccupancyMaxActiveBlocksPerMultiprocessor (&info->blocks_per_sm, kernel, threads,
                                                             step->shared_bytes),
              error);
}

static gboolean
cuda_find_variable (CuredDevice *device, CuredModule *loaded, const char *name,
                    CuredDevicePtr *address, gsize *size, GError **error)
{
  CudaModule *module = (CudaModule *) loaded;
  g_autofree char *symbol = _cured_image_find_symbol (module->image, name);
  void *data = NULL;

  if (!enter (device, error))
    return FALSE;
  cudaError_t result = cudaLibraryGetGlobal (&data, size, module->library, symbol);
  if (result != cudaSuccess)
    {
      cudaGetLastError ();
      return cured_fail (error, CURED_ERROR_NOT_FOUND,
                         _ ("The compiled file has no variable “%s” (%s). [Constant %s] fills a "
                            "__constant__ array that the source declares outside of functions"),
                         name, cudaGetErrorName (result), name);
    }
  *address = (CuredDevicePtr) (gsize) data;
  return TRUE;
}

static gboolean
cuda_allocate (CuredDevice *device, gsize size, CuredDevicePtr *address, GError **error)
{
  void *memory = NULL;

  if (!enter (device, error) || !TRY (cudaMalloc (&memory, size), error))
    return FALSE;
  *address = (CuredDevicePtr) (gsize) memory;
  return TRUE;
}

static void *
to_pointer (CuredDevicePtr address)
{
  return (void *) (gsize) address;
}

/* Destroys all textures, which are few, and recreated on demand. */
static void
destroy_textures (CudaDevice *self)
{
  for (guint i = 0; i < self->textures->len; i++)
    cudaDestroyTextureObject (g_array_index (self->textures, CudaTexture, i).object);
  g_array_set_size (self->textures, 0);
}

static void
cuda_release (CuredDevice *device, CuredDevicePtr address)
{
  destroy_textures ((CudaDevice *) device);
  cudaFree (to_pointer (address));
}

static void
free_stages (CudaDevice *self)
{
  for (gsize i = 0; i < N_STAGES; i++)
    {
      if (self->stages[i].stream != NULL)
        cudaStreamDestroy (self->stages[i].stream);
      cudaFreeHost (self->stages[i].data);
      self->stages[i] = (Stage){ 0 };
    }
  g_clear_pointer (&self->idle_stages, g_async_queue_unref);
}

static gboolean
make_stages (CudaDevice *self)
{
  if (self->idle_stages != NULL)
    return TRUE;
  self->idle_stages = g_async_queue_new ();
  for (gsize i = 0; i < N_STAGES; i++)
    {
      Stage *stage = &self->stages[i];

      if (!TRY (cudaStreamCreateWithFlags (&stage->stream, cudaStreamNonBlocking), NULL) ||
          !TRY (cudaHostAlloc (&stage->data, STAGE_BYTES, cudaHostAllocDefault), NULL))
        {
          free_stages (self);
          return FALSE;
        }
      g_async_queue_push (self->idle_stages, stage);
    }
  return TRUE;
}

typedef struct
{
  CudaDevice *device;
  CuredDevicePtr at;
  guint8 *to;         /* (nullable): destination on the host; NULL: copy to the device */
  const guint8 *from; /* (nullable) */
  GError *error;      /* (nullable): error of the first failed piece; atomic */
} Transfer;

static void
transfer_piece (gint64 begin, gint64 end, gpointer user_data)
{
  Transfer *self = user_data;
  gsize offset = (gsize) begin, size = (gsize) (end - begin);
  void *there = to_pointer (self->at + offset);
  Stage *stage = g_async_queue_pop (self->device->idle_stages);
  GError *error = NULL;

  if (self->from != NULL)
    memcpy (stage->data, self->from + offset, size);
  gboolean is_done =
      enter (&self->device->parent, &error) &&
      TRY (self->from != NULL
               ? cudaMemcpyAsync (there, stage->data, size, cudaMemcpyHostToDevice, stage->stream)
               : cudaMemcpyAsync (stage->data, there, size, cudaMemcpyDeviceToHost, stage->stream),
           &error) &&
      TRY (cudaStreamSynchronize (stage->stream), &error);
  if (is_done && self->to != NULL)
    memcpy (self->to + offset, stage->data, size);
  g_async_queue_push (self->device->idle_stages, stage);
  if (!is_done && !g_atomic_pointer_compare_and_exchange (&self->error, NULL, error))
    g_error_free (error);
}

/* Copies between the host, at @to or @from, and the device, at @at. */
static gboolean
transfer (CuredDevice *device, void *to, const void *from, CuredDevicePtr at, gsize size,
          GError **error)
{
  Transfer self = { (CudaDevice *) device, at, to, from, NULL };

  if (!enter (device, error))
    return FALSE;
  if (size < STAGED_LEAST || !make_stages (self.device))
    return TRY (from != NULL ? cudaMemcpy (to_pointer (at), from, size, cudaMemcpyHostToDevice)
                             : cudaMemcpy (to, to_pointer (at), size, cudaMemcpyDeviceToHost),
                error);
  _cured_parallel ((gint64) size, STAGE_BYTES, transfer_piece, &self, NULL);
  if (self.error == NULL)
    return TRUE;
  g_propagate_error (error, self.error);
  return FALSE;
}

static gboolean
cuda_upload (CuredDevice *device, CuredDevicePtr to, const void *from, gsize size, GError **error)
{
  return transfer (device, NULL, from, to, size, error);
}

static gboolean
cuda_download (CuredDevice *device, void *to, CuredDevicePtr from, gsize size, GError **error)
{
  return transfer (device, to, NULL, from, size, error);
}

static gboolean
cuda_copy (CuredDevice *device, CuredDevicePtr to, CuredDevicePtr from, gsize size, GError **error)
{
  CudaDevice *self = (CudaDevice *) device;

  return enter (device, error) &&
         TRY (cudaMemcpyAsync (to_pointer (to), to_pointer (from), size, cudaMemcpyDeviceToDevice,
                               self->stream),
              error) &&
         TRY (cudaStreamSynchronize (self->stream), error);
}

static gboolean
cuda_set (CuredDevice *device, CuredDevicePtr to, guint8 value, gsize size, GError **error)
{
  CudaDevice *self = (CudaDevice *) device;

  return enter (device, error) &&
         TRY (cudaMemsetAsync (to_pointer (to), value, size, self->stream), error) &&
         TRY (cudaStreamSynchronize (self->stream), error);
}

/* The checksum precedes the data. */
#define SUM_BYTES 64

/* A host step is three operations in the stream. */
#define HOST_LAUNCHES 3

typedef struct
{
  const CuredProgramBuffer *from;
  void *staging;
} HostWork;

/* Called between the copies, in a thread of the driver. */
static void CUDART_CB
host_work_cb (void *user_data)
{
  HostWork *work = user_data;

  cured_program_add_up (work->from, (const guint8 *) work->staging + SUM_BYTES, work->staging);
  g_free (work);
}

static void
free_room (HostRoom *room, gboolean is_pageable)
{
  if (is_pageable)
    g_free (room->data);
  else
    cudaFreeHost (room->data);
  room->data = NULL;
  room->size = 0;
}

/* Bytes of host memory that a step copies. */
static gsize
get_host_size (const CuredProgram *program, const CuredProgramStep *step)
{
  switch (step->host)
    {
    case CURED_HOST_SUM: return program->buffers[step->host_from].size + SUM_BYTES;
    case CURED_HOST_FETCH: return program->buffers[step->host_from].size;
    case CURED_HOST_SEND: return program->buffers[step->host_to].size;
    case CURED_HOST_NONE:
    default: return 0;
    }
}

static HostRoom *
get_room_of_host (CudaDevice *self, const CuredProgramStep *step)
{
  return &self->rooms[step->is_pageable][step->host == CURED_HOST_SEND];
}

/* Allocates the memory of host steps, and writes all of it once, so that no copy touches a fresh
 * page. Allocating pinned memory waits for the device, so nothing may be enqueued that waits for
 * this thread. Steps share the memory, since they are sequential in the stream. */
static gboolean
prepare_host (CudaDevice *self, const CuredProgram *program, GError **error)
{
  for (gsize i = 0; i < program->n_steps; i++)
    {
      const CuredProgramStep *step = &program->steps[i];
      gsize size = get_host_size (program, step);
      HostRoom *room = get_room_of_host (self, step);

      if (size <= room->size)
        continue;
      free_room (room, step->is_pageable);
      if (step->is_pageable)
        room->data = g_try_malloc (size);
      else if (!TRY (cudaHostAlloc (&room->data, size, cudaHostAllocDefault), error))
        return FALSE;
      if (room->data == NULL)
        return cured_fail (
            error, CURED_ERROR_DEVICE,
            _ ("The host has no %zu bytes for its copies; a smaller buffer needs less"), size);
      room->size = size;
      memset (room->data, 0, size);
    }
  return TRUE;
}

static gboolean
enqueue_copies (CudaDevice *self, const CuredProgram *program, const CuredProgramStep *step,
                const CuredDevicePtr *bindings, GError **error)
{
  void *host = get_room_of_host (self, step)->data;
  gboolean is_fetched = step->host == CURED_HOST_FETCH;
  void *buffer = to_pointer (bindings[is_fetched ? step->host_from : step->host_to]);
  gsize size = get_host_size (program, step);

  for (gint64 turn = 0; turn < step->repeat; turn++)
    if (!TRY (is_fetched
                  ? cudaMemcpyAsync (host, buffer, size, cudaMemcpyDeviceToHost, self->stream)
                  : cudaMemcpyAsync (buffer, host, size, cudaMemcpyHostToDevice, self->stream),
              error))
      return FALSE;
  return TRUE;
}

static gboolean
enqueue_host (CudaDevice *self, const CuredProgram *program, const CuredProgramStep *step,
              const CuredDevicePtr *bindings, GError **error)
{
  const CuredProgramBuffer *from = &program->buffers[step->host_from];
  void *staging = get_room_of_host (self, step)->data;

  if (!TRY (cudaMemcpyAsync ((guint8 *) staging + SUM_BYTES, to_pointer (bindings[step->host_from]),
                             from->size, cudaMemcpyDeviceToHost, self->stream),
            error))
    return FALSE;
  HostWork *work = g_new (HostWork, 1);
  *work = (HostWork){ from, staging };
  if (!TRY (cudaLaunchHostFunc (self->stream, host_work_cb, work), error))
    {
      g_free (work);
      return FALSE;
    }
  return TRY (cudaMemcpyAsync (to_pointer (bindings[step->host_to]), staging,
                               cured_element_get_size (from->buffer->type), cudaMemcpyHostToDevice,
                               self->stream),
              error);
}

/* The size of an argument in host memory, rounded up to the alignment of tensor maps. */
static gsize
get_room (const CuredProgramArgument *argument)
{
  gsize alignment, size = _cured_argument_get_size (argument, &alignment);

  return (size + CURED_TENSOR_MAP_ALIGNMENT - 1) / CURED_TENSOR_MAP_ALIGNMENT *
         CURED_TENSOR_MAP_ALIGNMENT;
}

/* CuredTextureFunc: returns an existing texture, or a new one. */
static gboolean
make_texture (gpointer data, const CuredTexture *texture, guint64 *handle, GError **error)
{
  CudaDevice *self = data;
  const CuredPtxTypeInfo *type = &_cured_ptx_types[texture->type];
  int bits[4] = { 0 };
  struct cudaResourceDesc resource = { .resType = cudaResourceTypeLinear };
  struct cudaTextureDesc description = {
    .readMode = texture->is_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
  };
  CudaTexture made = { .texture = *texture };

  CURED_EACH (const CudaTexture, old, self->textures)
    {
      if (old->texture.address == texture->address &&
          old->texture.n_elements == texture->n_elements && old->texture.type == texture->type &&
          old->texture.n_channels == texture->n_channels &&
          old->texture.is_normalized == texture->is_normalized)
        {
          *handle = old->object;
          return TRUE;
        }
    }
  for (guint i = 0; i < texture->n_channels; i++)
    bits[i] = 8 * type->bytes;
  resource.res.linear.devPtr = to_pointer (texture->address);
  resource.res.linear.desc =
      cudaCreateChannelDesc (bits[0], bits[1], bits[2], bits[3],
                             type->kind == CURED_PTX_KIND_F   ? cudaChannelFormatKindFloat
                             : type->kind == CURED_PTX_KIND_S ? cudaChannelFormatKindSigned
                                                              : cudaChannelFormatKindUnsigned);
  resource.res.linear.sizeInBytes = texture->n_elements * type->bytes * texture->n_channels;
  if (!TRY (cudaCreateTextureObject (&made.object, &resource, &description, NULL), error))
    return FALSE;
  g_array_append_val (self->textures, made);
  *handle = made.object;
  return TRUE;
}

/* Sets the attributes of a launch besides grid and block.
 *
 * Returns: number of @attributes set */
static unsigned
get_attributes (const CuredProgramStep *step, cudaLaunchAttribute attributes[2])
{
  unsigned n = 0;

  if (step->cluster[0] != 0)
    {
      attributes[n].id = cudaLaunchAttributeClusterDimension;
      attributes[n].val.clusterDim.x = step->cluster[0];
      attributes[n].val.clusterDim.y = step->cluster[1];
      attributes[n++].val.clusterDim.z = step->cluster[2];
    }
  if (step->is_cooperative)
    {
      attributes[n].id = cudaLaunchAttributeCooperative;
      attributes[n++].val.cooperative = 1;
    }
  return n;
}

/* More than eight blocks are optional, and need an attribute. */
static gboolean
allow_cluster (const void *kernel, const CuredProgramStep *step, GError **error)
{
  return step->cluster[0] * step->cluster[1] * step->cluster[2] <= 8 ||
         TRY (cudaFuncSetAttribute (kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
              error);
}

static gboolean
enqueue_step (CudaDevice *self, CuredModule *module, const CuredProgram *program,
              const CuredProgramStep *step, const CuredDevicePtr *bindings, GError **error)
{
  cudaLaunchAttribute attributes[2] = { 0 };
  cudaLaunchConfig_t config = {
    .gridDim = { step->grid[0], step->grid[1], step->grid[2] },
    .blockDim = { step->block[0], step->block[1], step->block[2] },
    .dynamicSmemBytes = step->shared_bytes,
    .stream = self->stream,
    .attrs = attributes,
    .numAttrs = get_attributes (step, attributes),
  };
  gsize n_bytes = CURED_TENSOR_MAP_ALIGNMENT;

  if (step->host == CURED_HOST_SUM)
    return enqueue_host (self, program, step, bindings, error);
  if (step->host != CURED_HOST_NONE)
    return enqueue_copies (self, program, step, bindings, error);
  if (step->entry == NULL)
    {
      for (gint64 turn = 0; turn < step->repeat; turn++)
        if (!TRY (cudaMemsetAsync (to_pointer (bindings[step->memset_buffer]), step->memset_value,
                                   program->buffers[step->memset_buffer].size, self->stream),
                  error))
          return FALSE;
      return TRUE;
    }

  const void *kernel = find_kernel (module, step->entry, error);
  if (kernel == NULL || !allow_cluster (kernel, step, error))
    return FALSE;
  for (gsize i = 0; i < step->n_arguments; i++)
    n_bytes += get_room (&step->arguments[i]);
  g_autofree guint8 *memory = g_malloc0 (n_bytes);
  guint8 *values = memory + (-(gsize) memory & (CURED_TENSOR_MAP_ALIGNMENT - 1));
  g_autofree void **arguments = g_new0 (void *, step->n_arguments + 1);
  for (gsize i = 0, at = 0; i < step->n_arguments; i++)
    {
      arguments[i] = values + at;
      at += get_room (&step->arguments[i]);
    }
  for (gint64 turn = 0; turn < step->repeat; turn++)
    {
      for (gsize i = 0; i < step->n_arguments; i++)
        if (!_cured_argument_get (program, step, i, bindings, turn, _cured_driver_encode_tensor_map,
                                  make_texture, self, arguments[i], error))
          return FALSE;
      if (!TRY (config.numAttrs == 0
                    ? cudaLaunchKernel (kernel, config.gridDim, config.blockDim, arguments,
                                        step->shared_bytes, self->stream)
                    : cudaLaunchKernelExC (&config, kernel, arguments),
                error))
        return FALSE;
    }
  return TRUE;
}

/* Enqueues the steps whose setup is in @setups: bit k is #CuredSetup k. */
static gboolean
enqueue (CudaDevice *self, CuredModule *module, const CuredProgram *program,
         const CuredDevicePtr *bindings, guint setups, GError **error)
{
  for (gsize i = 0; i < program->n_steps; i++)
    if ((setups >> program->steps[i].setup & 1) != 0 &&
        !enqueue_step (self, module, program, &program->steps[i], bindings, error))
      return FALSE;
  return TRUE;
}

/* The timed steps, the others, and all of a program's steps. */
#define TIMED (1u << CURED_SETUP_NO)
#define EACH  (1u << CURED_SETUP_EACH)
#define ALL   (TIMED | EACH | 1u << CURED_SETUP_ONCE)

static gboolean
cuda_run (CuredDevice *device, CuredModule *module, const CuredProgram *program,
          const CuredDevicePtr *bindings, GError **error)
{
  CudaDevice *self = (CudaDevice *) device;

  return enter (device, error) && prepare_host (self, program, error) &&
         enqueue (self, module, program, bindings, ALL, error) &&
         TRY (cudaStreamSynchronize (self->stream), error);
}

static gboolean
launch_probe (CudaDevice *self, cudaKernel_t kernel, guint blocks, guint threads, void **arguments,
              GError **error)
{
  dim3 grid = { blocks, 1, 1 };
  dim3 block = { threads, 1, 1 };

  return TRY (cudaLaunchKernel ((const void *) kernel, grid, block, arguments, 0, self->stream),
              error);
}

static gboolean
launch_read (CudaDevice *self, void *data, gsize size, GError **error)
{
  gint64 n = (gint64) (size / 16);
  void *arguments[] = { &data, &n, &self->sink };

  return launch_probe (self, self->read, (guint) self->n_clocks * PROBE_BLOCKS_PER_SM / 2,
                       PROBE_THREADS, arguments, error);
}

static gboolean
launch_clock (CudaDevice *self, int set, GError **error)
{
  guint64 *readings = self->clocks + (gsize) set * 2 * (gsize) self->n_clocks;
  void *arguments[] = { &readings };

  memset (readings, 0, 2 * sizeof *readings * (gsize) self->n_clocks);
  return launch_probe (self, self->clock, (guint) self->n_clocks, 1, arguments, error);
}

/* Mean clock between the two readings, over the multiprocessors in both; NaN if there are
 * none. */
static double
get_clock_hz (const CudaDevice *self)
{
  double cycles = 0, ns = 0;

  for (int i = 0; i < self->n_clocks; i++)
    {
      const guint64 *before = self->clocks + 2 * i, *after = before + 2 * self->n_clocks;

      if (before[1] == 0 || after[1] <= before[1])
        continue;
      cycles += (double) (after[0] - before[0]);
      ns += (double) (after[1] - before[1]);
    }
  return ns > 0 ? cycles / ns * 1e9 : NAN;
}

/* What one span encloses. */
typedef gboolean (*SpanFunc) (CudaDevice *self, gpointer data, GError **error);

static gboolean
take_span (CudaDevice *self, gboolean is_cold, gboolean is_held, SpanFunc func, gpointer data,
           double *elapsed_ns, GError **error)
{
  volatile int *released = self->released;
  guint64 limit_ns = HOLD_LIMIT_NS;
  void *arguments[] = { &self->released, &limit_ns };
  float elapsed_ms = 0;

  if (is_cold && !launch_read (self, self->flush, self->flush_size, error))
    return FALSE;
  *released = 0;
  if (is_held && !launch_probe (self, self->hold, 1, 1, arguments, error))
    return FALSE;
  gboolean is_enqueued = TRY (cudaEventRecord (self->start, self->stream), error) &&
                         func (self, data, error) &&
                         TRY (cudaEventRecord (self->stop, self->stream), error);
  /* Release the stream even after an error. */
  *released = 1;
  if (!is_enqueued || !TRY (cudaStreamSynchronize (self->stream), error) ||
      !TRY (cudaEventElapsedTime (&elapsed_ms, self->start, self->stop), error))
    return FALSE;
  *elapsed_ns = (double) elapsed_ms * 1e6;
  return TRUE;
}

typedef struct
{
  CuredModule *module;
  const CuredProgram *program;
  const CuredDevicePtr *bindings;
  guint runs;
} Runs;

static gboolean
enqueue_runs (CudaDevice *self, gpointer data, GError **error)
{
  const Runs *runs = data;

  for (guint i = 0; i < runs->runs; i++)
    if (!enqueue (self, runs->module, runs->program, runs->bindings, TIMED, error))
      return FALSE;
  return TRUE;
}

static gboolean
cuda_span (CuredDevice *device, CuredModule *module, const CuredProgram *program,
           const CuredDevicePtr *bindings, CuredTimingMode mode, guint runs, CuredSpan *span,
           GError **error)
{
  CudaDevice *self = (CudaDevice *) device;
  Runs data = { module, program, bindings, runs };
  gint64 n_launches = 0;

  for (gsize i = 0; i < program->n_steps; i++)
    if (program->steps[i].setup != CURED_SETUP_NO)
      continue;
    else if (program->steps[i].host == CURED_HOST_SUM)
      n_launches += HOST_LAUNCHES;
    else if (program->steps[i].is_pageable)
      /* A copy of pageable memory waits for the stream in this thread, which could then not release
       * it. */
      n_launches += program->steps[i].repeat > 0 ? HELD_LAUNCHES + 1 : 0;
    else
      n_launches += MIN (program->steps[i].repeat, HELD_LAUNCHES + 1);
  if (!enter (device, error) || !prepare_host (self, program, error) ||
      !enqueue (self, module, program, bindings, EACH, error) || !launch_clock (self, 0, error) ||
      !take_span (self, mode == CURED_TIMING_COLD, n_launches * runs <= HELD_LAUNCHES, enqueue_runs,
                  &data, &span->elapsed_ns, error) ||
      !launch_clock (self, 1, error) || !TRY (cudaStreamSynchronize (self->stream), error))
    return FALSE;
  span->runs = runs;
  span->sm_clock_hz = get_clock_hz (self);
  return TRUE;
}

static gboolean
enqueue_nothing (CudaDevice *self, gpointer data, GError **error)
{
  return TRUE;
}

static gboolean
enqueue_spin (CudaDevice *self, gpointer data, GError **error)
{
  void *arguments[] = { data };

  return launch_probe (self, self->spin, 1, 1, arguments, error);
}

/* Median of a few spans; the first one is thrown away. */
static gboolean
take_median (CudaDevice *self, gboolean is_cold, guint n, SpanFunc func, gpointer data,
             double *median_ns, GError **error)
{
  g_autofree double *spans = g_new (double, n + 1);

  for (guint i = 0; i < n + 1; i++)
    if (!take_span (self, is_cold, TRUE, func, data, &spans[i], error))
      return FALSE;
  qsort (spans + 1, n, sizeof *spans, _cured_compare_doubles);
  *median_ns = spans[1 + n / 2];
  return TRUE;
}

/* From this ratio to the previous span on, the clock no longer rises. */
#define SETTLED 0.99

/* An empty event span is not 0: its overhead is in every cold span, too, and is subtracted.
 * docs/measuring.md compares this with the hardware's own counter. The resolution is the least
 * difference between spans of slowly growing length. */
static gboolean
calibrate (CudaDevice *self, GError **error)
{
  enum
  {
    N_STEPS = 200
  };
  CuredCalibration *calibration = &self->parent.info.calibration;
  double spans[N_STEPS];
  gint64 cycles = 4000000;
  double warm = INFINITY, before;

  /* A few milliseconds of work raise the clocks: repeat until they no longer rise, at most five
   * times. */
  for (int i = 0; i < 5; i++)
    {
      before = warm;
      if (!take_span (self, FALSE, TRUE, enqueue_spin, &cycles, &warm, error))
        return FALSE;
      if (warm > SETTLED * before)
        break;
    }
  if (!take_median (self, TRUE, 51, enqueue_nothing, NULL, &calibration->cold_overhead_ns, error))
    return FALSE;
  for (int i = 0; i < N_STEPS; i++)
    {
      cycles = 2000 + 10 * i;
      if (!take_span (self, FALSE, TRUE, enqueue_spin, &cycles, &spans[i], error))
        return FALSE;
    }
  qsort (spans, N_STEPS, sizeof *spans, _cured_compare_doubles);
  calibration->resolution_ns = NAN;
  for (int i = 1; i < N_STEPS; i++)
    {
      double step = spans[i] - spans[i - 1];

      /* Spans are float milliseconds, so less than half a nanosecond is rounding. */
      if (step > 0.5 && !(step >= calibration->resolution_ns))
        calibration->resolution_ns = step;
    }
  return TRUE;
}

typedef struct
{
  void *from, *to;
  gsize size;
  int turns;
} Ceiling;

static gboolean
enqueue_read (CudaDevice *self, gpointer data, GError **error)
{
  const Ceiling *ceiling = data;

  return launch_read (self, ceiling->from, ceiling->size, error);
}

static gboolean
enqueue_copy (CudaDevice *self, gpointer data, GError **error)
{
  Ceiling *ceiling = data;
  gint64 n = (gint64) (ceiling->size / 16);
  void *arguments[] = { &ceiling->from, &ceiling->to, &n };

  return launch_probe (self, self->copy, (guint) self->n_clocks * PROBE_BLOCKS_PER_SM / 2,
                       PROBE_THREADS, arguments, error);
}

static gboolean
enqueue_memcpy (CudaDevice *self, gpointer data, GError **error)
{
  const Ceiling *ceiling = data;

  return TRY (cudaMemcpyAsync (ceiling->to, ceiling->from, ceiling->size, cudaMemcpyDeviceToDevice,
                               self->stream),
              error);
}

#define FP32_BLOCKS_PER_SM 8
#define FP32_THREADS       256

static gboolean
enqueue_fp32 (CudaDevice *self, gpointer data, GError **error)
{
  Ceiling *ceiling = data;
  float a = 0.999f, b = 0.001f;
  void *arguments[] = { &ceiling->turns, &a, &b, &self->sink };

  return launch_probe (self, self->fp32, (guint) self->n_clocks * FP32_BLOCKS_PER_SM, FP32_THREADS,
                       arguments, error);
}

static gboolean
measure_ceilings (CudaDevice *self, GError **error)
{
  CuredCeilings *ceilings = &self->parent.info.ceilings;
  double overhead_ns = self->parent.info.calibration.cold_overhead_ns;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  Ceiling ceiling = { .size = CEILING_BYTES, .turns = 200 };
  double read_ns, copy_ns, memcpy_ns, fp32_ns;

  /* Small devices: a quarter of the free memory is enough, if it is many L2s. */
  while (ceiling.size > (gsize) self->parent.info.limits.global_bytes / 8)
    ceiling.size /= 2;
  gboolean is_done = TRY (cudaMalloc (&ceiling.from, ceiling.size), error) &&
                     TRY (cudaMalloc (&ceiling.to, ceiling.size), error) &&
                     TRY (cudaMemset (ceiling.from, 0, ceiling.size), error) &&
                     TRY (cudaMemset (ceiling.to, 0, ceiling.size), error) &&
                     take_median (self, TRUE, 15, enqueue_read, &ceiling, &read_ns, error) &&
                     take_median (self, TRUE, 15, enqueue_copy, &ceiling, &copy_ns, error) &&
                     take_median (self, TRUE, 15, enqueue_memcpy, &ceiling, &memcpy_ns, error) &&
                     take_median (self, TRUE, 15, enqueue_fp32, &ceiling, &fp32_ns, error);
  cudaFree (ceiling.from);
  cudaFree (ceiling.to);
  if (!is_done)
    return FALSE;

  ceilings->read_bytes_per_s = (double) ceiling.size / (read_ns - overhead_ns) * 1e9;
  ceilings->copy_bytes_per_s =
      2.0 * (double) ceiling.size / (MIN (copy_ns, memcpy_ns) - overhead_ns) * 1e9;
  ceilings->fp32_flops = 2.0 * 16 * 64 * ceiling.turns * FP32_THREADS * FP32_BLOCKS_PER_SM *
                         self->n_clocks / (fp32_ns - overhead_ns) * 1e9;
  g_free (ceilings->date);
  ceilings->date = g_date_time_format_iso8601 (now);
  return TRUE;
}

static gboolean
load_probe (CudaDevice *self, GError **error)
{
  const struct
  {
    const char *name;
    cudaKernel_t *kernel;
  } rows[] = {
    { "cured_hold", &self->hold }, { "cured_read", &self->read },   { "cured_copy", &self->copy },
    { "cured_fp32", &self->fp32 }, { "cured_clock", &self->clock }, { "cured_spin", &self->spin },
  };
  g_autoptr (CuredCompiler) compiler = cured_compiler_new (error);

  if (compiler == NULL)
    return FALSE;
  g_autoptr (GBytes) image =
      cured_compiler_compile (compiler, _cured_asset_get ("device/cured-cuda-probe.cu"),
                              "cured-cuda-probe.cu", NULL, self->parent.info.arch, NULL, error);
  if (image == NULL)
    return FALSE;
  g_free (self->parent.info.compiler);
  self->parent.info.compiler = g_strdup (cured_compiler_get_version (compiler));
  if (!TRY (cudaLibraryLoadData (&self->probe, g_bytes_get_data (image, NULL), NULL, NULL, 0, NULL,
                                 NULL, 0),
            error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (!TRY (cudaLibraryGetKernel (rows[i].kernel, self->probe, rows[i].name), error))
      return FALSE;
  return TRUE;
}

/* Runs each probe once without holding the stream: the first launch of a kernel may load it, and
 * loading waits for the device. */
static gboolean
warm_up (CudaDevice *self, GError **error)
{
  Ceiling ceiling = {
    .from = self->flush, .to = self->flush, .size = self->flush_size, .turns = 1
  };
  gint64 cycles = 1000;
  guint64 limit_ns = 1;
  void *arguments[] = { &self->released, &limit_ns };

  *self->released = 1;
  return launch_probe (self, self->hold, 1, 1, arguments, error) &&
         enqueue_read (self, &ceiling, error) && enqueue_copy (self, &ceiling, error) &&
         enqueue_fp32 (self, &ceiling, error) && enqueue_spin (self, &cycles, error) &&
         launch_clock (self, 0, error) && launch_clock (self, 1, error) &&
         TRY (cudaStreamSynchronize (self->stream), error);
}

static void
cuda_close (CuredDevice *device)
{
  CudaDevice *self = (CudaDevice *) device;

  /* After a lost context, each of these fails, which does not matter. */
  destroy_textures (self);
  g_array_unref (self->textures);
  if (self->probe != NULL)
    cudaLibraryUnload (self->probe);
  cudaFree (self->flush);
  cudaFree (self->sink);
  cudaFreeHost (self->released);
  cudaFreeHost (self->clocks);
  for (gsize i = 0; i < 4; i++)
    free_room (&self->rooms[i / 2][i % 2], i / 2);
  free_stages (self);
  if (self->start != NULL)
    cudaEventDestroy (self->start);
  if (self->stop != NULL)
    cudaEventDestroy (self->stop);
  if (self->stream != NULL)
    cudaStreamDestroy (self->stream);
  cured_device_info_clear (&device->info);
  g_free (self);
}

static const CuredLaunchClass cuda_launch = {
  .load = cuda_load,
  .unload = cuda_unload,
  .query = cuda_query,
  .find_variable = cuda_find_variable,
  .allocate = cuda_allocate,
  .release = cuda_release,
  .upload = cuda_upload,
  .download = cuda_download,
  .copy = cuda_copy,
  .set = cuda_set,
  .run = cuda_run,
};

static const CuredDeviceClass cuda_class = {
  .launch = &cuda_launch,
  .span = cuda_span,
  .close = cuda_close,
};

/* Counts devices; if there are none, the error says what to do. */
static gboolean
count_devices (int *n_devices, GError **error)
{
  /* The runtime opens it by its file name. */
  _cured_driver_library_open ("libcuda.so.1", NULL);
  cudaError_t result = cudaGetDeviceCount (n_devices);

  if (result == cudaSuccess && *n_devices > 0)
    return TRUE;
  cudaGetLastError ();
  if (result == cudaErrorInsufficientDriver)
    {
      int version = 0;

      cudaDriverGetVersion (&version);
      if (version == 0)
        return cured_fail (error, CURED_ERROR_NO_DEVICE,
                           _ ("No NVIDIA driver is loaded on this machine. Install one, or run "
                              "Cured where the GPU is"));
      return cured_fail (
          error, CURED_ERROR_NO_DEVICE,
          _ ("The NVIDIA driver is for CUDA %d.%d, and Cured was built with CUDA %d.%d. "
             "Update the driver, or build Cured with the older toolkit"),
          version / 1000, version % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    }
  if (result == cudaErrorNoDevice || result == cudaSuccess)
    return cured_fail (error, CURED_ERROR_NO_DEVICE,
                       _ ("The NVIDIA driver sees no GPU on this machine. CUDA_VISIBLE_DEVICES "
                          "may hide it, or a container was started without it"));
  return cured_fail (error, CURED_ERROR_NO_DEVICE,
                     _ ("CUDA can't be used on this machine: %s (%s)"), cudaGetErrorString (result),
                     cudaGetErrorName (result));
}

static CuredDevice *
cuda_open (const char *number, GError **error)
{
  CudaDevice *self;
  guint64 ordinal = 0;
  int n_devices = 0;

  if (!count_devices (&n_devices, error))
    return NULL;
  if (number == NULL)
    number = "0";
  if (!g_ascii_string_to_unsigned (number, 10, 0, (guint64) n_devices - 1, &ordinal, NULL))
    return cured_fail_null (error, CURED_ERROR_NO_DEVICE,
                            _ ("There is no device cuda:%s; this machine has cuda:0 to cuda:%d"),
                            number, n_devices - 1);

  self = CURED_NEW (CudaDevice, .textures = g_array_new (FALSE, FALSE, sizeof (CudaTexture)),
                    .parent.klass = &cuda_class, .ordinal = (int) ordinal);
  cured_device_info_init (&self->parent.info);
  if (!read_info (self->ordinal, &self->parent.info, error))
    goto failed;
  self->n_clocks = (int) self->parent.info.limits.sms;
  self->flush_size = FLUSH_L2S * (gsize) MAX (self->parent.info.limits.l2_bytes, 1 << 20);
  if (!enter (&self->parent, error) ||
      !TRY (cudaStreamCreateWithFlags (&self->stream, cudaStreamNonBlocking), error) ||
      !TRY (cudaEventCreate (&self->start), error) || !TRY (cudaEventCreate (&self->stop), error) ||
      !TRY (cudaHostAlloc ((void **) &self->released, sizeof *self->released, cudaHostAllocMapped),
            error) ||
      !TRY (cudaHostAlloc ((void **) &self->clocks,
                           4 * sizeof *self->clocks * (gsize) self->n_clocks, cudaHostAllocMapped),
            error) ||
      !TRY (cudaMalloc (&self->flush, self->flush_size), error) ||
      !TRY (cudaMemset (self->flush, 0, self->flush_size), error) ||
      !TRY (cudaMalloc ((void **) &self->sink, sizeof *self->sink), error) ||
      !load_probe (self, error) || !warm_up (self, error) || !calibrate (self, error))
    goto failed;
  if (!_cured_ceilings_load (&self->parent.info))
    {
      if (!measure_ceilings (self, error))
        goto failed;
      _cured_ceilings_save (&self->parent.info);
    }
  return &self->parent;

failed:
  cuda_close (&self->parent);
  return NULL;
}

static void
cuda_list (GPtrArray *list)
{
  int n_devices = 0;
  g_autoptr (GError) error = NULL;

  if (!count_devices (&n_devices, &error))
    {
      CuredDeviceFound *found = CURED_NEW (CuredDeviceFound, .id = g_strdup ("cuda:0"),
                                           .reason = g_strdup (error->message));

      g_ptr_array_add (list, found);
      return;
    }
  for (int i = 0; i < n_devices; i++)
    {
      CuredDeviceFound *found = g_new0 (CuredDeviceFound, 1);
      g_autoptr (GError) problem = NULL;

      found->id = g_strdup_printf ("cuda:%d", i);
      found->info = g_new (CuredDeviceInfo, 1);
      cured_device_info_init (found->info);
      if (read_info (i, found->info, &problem))
        _cured_ceilings_load (found->info);
      else
        {
          cured_device_info_clear (found->info);
          g_clear_pointer (&found->info, g_free);
          found->reason = g_strdup (problem->message);
        }
      g_ptr_array_add (list, found);
    }
}

static void
cuda_load_driver (void)
{
  int n_devices;

  count_devices (&n_devices, NULL);
}

#else /* !CURED_HAVE_CUDA */

static CuredDevice *
cuda_open (const char *number, GError **error)
{
  return cured_fail_null (error, CURED_ERROR_NO_DEVICE,
                          _ ("This Cured was built without the CUDA Toolkit and can't use a GPU. "
                             "Build it where cudart_static and its headers are"));
}

static void
cuda_list (GPtrArray *list)
{
  CuredDeviceFound *found = g_new0 (CuredDeviceFound, 1);
  g_autoptr (GError) error = NULL;

  cuda_open ("0", &error);
  found->id = g_strdup ("cuda:0");
  found->reason = g_strdup (error->message);
  g_ptr_array_add (list, found);
}

static void
cuda_load_driver (void)
{
}

#endif

const CuredDeviceKind _cured_cuda_kind = {
  .name = "cuda",
  .open = cuda_open,
  .load = cuda_load_driver,
  .list = cuda_list,
};
