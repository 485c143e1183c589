/* SPDX-License-Identifier: MIT
 * Runs a golden case on a GPU. */
#include "golden-gpu.h"

#include <string.h>

#include "base/cured-own.h"
#include "device/cured-device-internal.h"

/* The compiler's first message, in one line. */
static char *
shorten (const char *log)
{
  char *line = g_strndup (log, strcspn (log, "\n"));

  return g_strstrip (line);
}

/* Launches a case's block @n times at once. */
static cudaError_t
launch (const GoldenCase *golden, cudaKernel_t kernel, guint n, void **arguments)
{
  cudaLaunchAttribute cluster = {
    .id = cudaLaunchAttributeClusterDimension,
    .val.clusterDim = { 1, 1, 1 },
  };
  cudaLaunchConfig_t config = {
    .gridDim = { n, 1, 1 },
    .blockDim = { golden->n_threads, 1, 1 },
    .attrs = &cluster,
    .numAttrs = golden_case_has_cluster (golden) ? 1 : 0,
  };

  return cudaLaunchKernelExC (&config, kernel, arguments);
}

static cudaError_t
make_texture (const CuredTexture *texture, void *memory, cudaTextureObject_t *object)
{
  const CuredPtxTypeInfo *type = &_cured_ptx_types[texture->type];
  int bits[4] = { 0 };
  struct cudaResourceDesc resource = { .resType = cudaResourceTypeLinear };
  struct cudaTextureDesc description = {
    .readMode = texture->is_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
  };

  for (guint i = 0; i < texture->n_channels; i++)
    bits[i] = 8 * type->bytes;
  resource.res.linear.devPtr = (guint8 *) memory + texture->address;
  resource.res.linear.desc =
      cudaCreateChannelDesc (bits[0], bits[1], bits[2], bits[3],
                             type->kind == CURED_PTX_KIND_F   ? cudaChannelFormatKindFloat
                             : type->kind == CURED_PTX_KIND_S ? cudaChannelFormatKindSigned
                                                              : cudaChannelFormatKindUnsigned);
  resource.res.linear.sizeInBytes = texture->n_elements * type->bytes * texture->n_channels;
  return cudaCreateTextureObject (object, &resource, &description, NULL);
}

/* (transfer full) (nullable): why the driver refuses the case's text; NULL: it does not, and @self is
 * to be unloaded with golden_gpu_unload(). */
char *
golden_gpu_load_as (GoldenGpu *self, const GoldenCase *golden, gboolean is_optimized)
{
  char log[4096] = "";
  enum cudaJitOption options[] = { cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes,
                                   cudaJitOptimizationLevel };
  void *values[] = { log, (void *) sizeof log, NULL };
  cudaError_t result =
      cudaLibraryLoadData (&self->library, golden->ptx, options, values,
                           G_N_ELEMENTS (options) - (is_optimized ? 1 : 0), NULL, NULL, 0);

  /* What is loaded lazily is only compiled when a kernel is asked for. */
  if (result == cudaSuccess)
    result = cudaLibraryGetKernel (&self->kernel, self->library, GOLDEN_ENTRY);
  if (result == cudaSuccess)
    return NULL;
  g_autofree char *text = shorten (log);
  cudaGetLastError ();
  return g_strdup_printf ("%s%s%s", cudaGetErrorName (result), *text != '\0' ? " " : "", text);
}

char *
golden_gpu_load (GoldenGpu *self, const GoldenCase *golden)
{
  return golden_gpu_load_as (self, golden, TRUE);
}

CURED_DEFINE_CLEAR (GoldenGpu, golden_gpu_unload, library, cudaLibraryUnload)

/* Runs @n blocks on the inputs in @buffers, and leaves their outputs there. The case's text has to
 * tell the blocks apart where there are several.
 * Returns: (transfer full) (nullable): NULL, or "refused: …", or "failed: …" */
char *
golden_gpu_run_blocks (const GoldenGpu *self, const GoldenCase *golden, guint n, guint8 *buffers,
                       gsize bytes)
{
  void *memory = NULL;
  _Alignas(64) guint8 map[CURED_TENSOR_MAP_BYTES];
  cudaTextureObject_t texture = 0;
  void *arguments[] = { &memory, golden->texture_of != NULL ? (void *) &texture : map };
  g_autoptr (GError) error = NULL;
  cudaError_t result = cudaMalloc (&memory, bytes);

  if (result == cudaSuccess && golden->map_at >= 0 &&
      !_cured_driver_encode_tensor_map (
          &golden->shape, (guint64) (gsize) memory + (guint64) golden->map_at, map, &error))
    {
      cudaFree (memory);
      return g_strdup_printf ("refused: %s", error->message);
    }
  if (result == cudaSuccess && golden->texture_of != NULL)
    result = make_texture (&golden->texture, memory, &texture);
  if (result == cudaSuccess)
    result = cudaMemcpy (memory, buffers, bytes, cudaMemcpyHostToDevice);
  if (result == cudaSuccess)
    result = launch (golden, self->kernel, n, arguments);
  if (result == cudaSuccess)
    result = cudaMemcpy (buffers, memory, bytes, cudaMemcpyDeviceToHost);
  if (result != cudaSuccess)
    {
      cudaGetLastError ();
      return g_strdup_printf ("failed: %s", cudaGetErrorName (result));
    }
  if (texture != 0)
    cudaDestroyTextureObject (texture);
  cudaFree (memory);
  return NULL;
}

/* Runs it once on the case's inputs. @buffer: (out caller-allocates): the case's after the launch.
 * Returns: as golden_gpu_run_blocks() */
char *
golden_gpu_run (const GoldenGpu *self, const GoldenCase *golden, guint8 *buffer)
{
  memcpy (buffer, golden->buffer, golden->size);
  return golden_gpu_run_blocks (self, golden, 1, buffer, golden->size);
}
