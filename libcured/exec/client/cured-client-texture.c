/* SPDX-License-Identifier: MIT
 * The runtime's arrays, and textures and surfaces over them. An array is stored as rows in device
 * memory; a chip uses another order, which programs can't see. */
#include "exec/client/cured-client-private.h"

#include <stdlib.h>
#include <string.h>

/* cudaArrayLayered, cudaArrayCubemap */
enum
{
  IS_LAYERED = 1,
  IS_CUBE = 4,
};

/* cudaResourceDesc */
typedef struct
{
  int32_t kind;
  union
  {
    Array *array;
    struct
    {
      void *address;
      Channels channels;
      size_t n_bytes;
    } linear;
    struct
    {
      void *address;
      Channels channels;
      size_t width, height, pitch;
    } plane;
    char bytes[64];
  } of;
} Resource;

enum
{
  RESOURCE_ARRAY = 0,
  RESOURCE_LINEAR = 2,
  RESOURCE_PLANE = 3,
};

/* cudaTextureDesc, as far as it matters */
typedef struct
{
  int32_t modes[3], filter, read_mode, is_srgb;
  float border[4];
  int32_t is_unit;
} Texture;

static size_t
get_element (const Channels *channels)
{
  size_t bits = 0;

  for (int i = 0; i < 4; i++)
    bits += (size_t) channels->bits[i];
  return bits / 8;
}

/* ---- Arrays ---- */

static CudaError
make_array (Array **made, const Channels *channels, Extent extent, unsigned flags)
{
  Array *array = NULL;
  size_t element = get_element (channels), height = extent.height > 0 ? extent.height : 1;
  size_t depth = extent.depth > 0 ? extent.depth : 1, pitch = 0, plane = 0, size = 0;
  CudaError error = CUDA_SUCCESS;

  if (element == 0 || element > 16 || (element & (element - 1)) != 0 || extent.width == 0 ||
      ((flags & IS_CUBE) != 0 && (depth % 6 != 0 || extent.width != height)) ||
      __builtin_mul_overflow (extent.width, element, &pitch) ||
      __builtin_mul_overflow (pitch, height, &plane) ||
      __builtin_mul_overflow (plane, depth, &size))
    return client_fail (CUDA_INVALID_VALUE);
  array = calloc (1, sizeof *array);
  error = client_allocate (&array->address, size, EXEC_DEVICE_MEMORY);
  if (error != CUDA_SUCCESS)
    {
      free (array);
      return client_fail (error);
    }
  array->channels = *channels;
  array->extent = extent;
  array->flags = flags;
  array->element = element;
  array->pitch = pitch;
  array->plane = plane;
  *made = array;
  return client_get_error ();
}

API (cudaMallocArray, Array **array, const Channels *channels, size_t width, size_t height,
     unsigned flags)
{
  return make_array (array, channels, (Extent){ width, height, 0 }, flags);
}

API (cudaMalloc3DArray, Array **array, const Channels *channels, Extent extent, unsigned flags)
{
  return make_array (array, channels, extent, flags);
}

API (cudaFreeArray, Array *array)
{
  CudaError error = CUDA_SUCCESS;

  if (array == NULL)
    return client_get_error ();
  error = client_free (array->address);
  free (array);
  return error;
}

API (cudaArrayGetInfo, Channels *channels, Extent *extent, unsigned *flags, const Array *array)
{
  if (channels != NULL)
    *channels = array->channels;
  if (extent != NULL)
    *extent = array->extent;
  if (flags != NULL)
    *flags = array->flags;
  return client_get_error ();
}

API (cudaGetChannelDesc, Channels *channels, const Array *array)
{
  *channels = array->channels;
  return client_get_error ();
}

Channels cudaCreateChannelDesc (int x, int y, int z, int w, int kind);
VERSIONS (cudaCreateChannelDesc);

Channels
cudaCreateChannelDesc (int x, int y, int z, int w, int kind)
{
  return (Channels){ { x, y, z, w }, kind };
}

/* ---- Copies ---- */

/* @x: bytes */
static char *
find_place (const Array *array, size_t x, size_t y, size_t z)
{
  return (char *) array->address + z * array->plane + y * array->pitch + x;
}

/* Whether @width bytes of @n_rows rows are in the first slice. */
static bool
has_rows (const Array *array, size_t x, size_t y, size_t width, size_t n_rows)
{
  return x <= array->pitch && width <= array->pitch - x && y <= array->plane / array->pitch &&
         n_rows <= array->plane / array->pitch - y;
}

API (cudaMemcpy2DToArray, Array *to, size_t x, size_t y, const void *from, size_t from_pitch,
     size_t width, size_t height, int kind)
{
  if (!has_rows (to, x, y, width, height) || width > from_pitch)
    return client_fail (CUDA_INVALID_VALUE);
  return client_copy (find_place (to, x, y, 0), to->pitch, from, from_pitch, width, height);
}

API (cudaMemcpy2DToArrayAsync, Array *to, size_t x, size_t y, const void *from, size_t from_pitch,
     size_t width, size_t height, int kind, void *stream)
{
  client_on (stream);
  return client_off (cudaMemcpy2DToArray (to, x, y, from, from_pitch, width, height, kind));
}

API (cudaMemcpy2DFromArray, void *to, size_t to_pitch, const Array *from, size_t x, size_t y,
     size_t width, size_t height, int kind)
{
  if (!has_rows (from, x, y, width, height) || width > to_pitch)
    return client_fail (CUDA_INVALID_VALUE);
  return client_copy (to, to_pitch, find_place (from, x, y, 0), from->pitch, width, height);
}

API_GIVES (cudaMemcpy2DFromArrayAsync,
           (void *to, size_t to_pitch, const Array *from, size_t x, size_t y, size_t width,
            size_t height, int kind, void *stream),
           client_on (stream),
           client_off (cudaMemcpy2DFromArray (to, to_pitch, from, x, y, width, height, kind)))

API (cudaMemcpy2DArrayToArray, Array *to, size_t to_x, size_t to_y, const Array *from,
     size_t from_x, size_t from_y, size_t width, size_t height, int kind)
{
  if (!has_rows (to, to_x, to_y, width, height) || !has_rows (from, from_x, from_y, width, height))
    return client_fail (CUDA_INVALID_VALUE);
  return client_copy (find_place (to, to_x, to_y, 0), to->pitch,
                      find_place (from, from_x, from_y, 0), from->pitch, width, height);
}

/* Copies bytes from a position on, continuing in the next row. */
static CudaError
copy_run (const Array *array, size_t x, size_t y, size_t size, char *to, const char *from)
{
  char *at = find_place (array, x, y, 0);

  if (x > array->pitch || y > array->plane / array->pitch ||
      size > array->plane - y * array->pitch - x)
    return client_fail (CUDA_INVALID_VALUE);
  return client_copy (to != NULL ? to : at, size, from != NULL ? from : at, size, size, 1);
}

API (cudaMemcpyToArray, Array *to, size_t x, size_t y, const void *from, size_t size, int kind)
{
  return copy_run (to, x, y, size, NULL, from);
}

API (cudaMemcpyToArrayAsync, Array *to, size_t x, size_t y, const void *from, size_t size, int kind,
     void *stream)
{
  client_on (stream);
  return client_off (copy_run (to, x, y, size, NULL, from));
}

API_IS (cudaMemcpyFromArray,
        (void *to, const Array *from, size_t x, size_t y, size_t size, int kind),
        copy_run (from, x, y, size, to, NULL))
API_GIVES (cudaMemcpyFromArrayAsync,
           (void *to, const Array *from, size_t x, size_t y, size_t size, int kind, void *stream),
           client_on (stream), client_off (copy_run (from, x, y, size, to, NULL)))

/* ---- Textures and surfaces ---- */

static void
set_channels (ExecTexture *asked, const Channels *channels)
{
  asked->kind = (uint32_t) channels->kind;
  for (int i = 0; i < 4; i++)
    asked->bits[i] = (uint32_t) channels->bits[i];
}

/* FALSE if its kind is not supported. */
static bool
take_resource (const Resource *resource, ExecTexture *asked)
{
  const Array *array = resource->of.array;

  switch (resource->kind)
    {
    case RESOURCE_ARRAY:
      asked->address = (uintptr_t) array->address;
      asked->n_bytes = array->pitch;
      asked->pitch = array->pitch;
      asked->plane = array->plane;
      asked->size[0] = (uint32_t) array->extent.width;
      asked->size[1] = array->extent.height > 0 ? (uint32_t) array->extent.height : 1;
      asked->size[2] = array->extent.depth > 0 ? (uint32_t) array->extent.depth : 1;
      if ((array->flags & (IS_LAYERED | IS_CUBE)) != 0)
        {
          asked->n_layers = asked->size[2];
          asked->size[2] = 1;
          asked->is_cube = (array->flags & IS_CUBE) != 0;
        }
      asked->n_dims = array->extent.height == 0                          ? 1
                      : array->extent.depth == 0 || asked->n_layers != 0 ? 2
                                                                         : 3;
      set_channels (asked, &array->channels);
      return true;
    case RESOURCE_LINEAR:
      asked->address = (uintptr_t) resource->of.linear.address;
      asked->n_bytes = resource->of.linear.n_bytes;
      set_channels (asked, &resource->of.linear.channels);
      return true;
    case RESOURCE_PLANE:
      asked->address = (uintptr_t) resource->of.plane.address;
      asked->n_bytes = resource->of.plane.pitch;
      asked->pitch = resource->of.plane.pitch;
      asked->n_dims = 2;
      asked->size[0] = (uint32_t) resource->of.plane.width;
      asked->size[1] = (uint32_t) resource->of.plane.height;
      asked->size[2] = 1;
      set_channels (asked, &resource->of.plane.channels);
      return true;
    default: return false;
    }
}

static CudaError
make_object (uint64_t *made, const ExecTexture *asked)
{
  ExecCall call = { .op = EXEC_TEXTURE, .n_bytes = sizeof *asked };
  ExecReply reply;
  CudaError error = client_call (&call, asked, NULL, 0, &reply, NULL);

  if (error != CUDA_SUCCESS)
    return client_fail (error);
  *made = reply.x[0];
  return client_get_error ();
}

API (cudaCreateTextureObject, uint64_t *made, const Resource *resource, const Texture *texture,
     const void *view)
{
  ExecTexture asked = { 0 };

  if (!take_resource (resource, &asked))
    return client_miss ("cudaCreateTextureObject of an array with mipmaps");
  if (texture->is_srgb != 0)
    return client_miss ("cudaCreateTextureObject with sRGB");
  if (view != NULL)
    return client_miss ("cudaCreateTextureObject with a view");
  asked.is_normalized = texture->read_mode != 0;
  asked.has_filter = texture->filter != 0;
  asked.is_unit = texture->is_unit != 0;
  for (int i = 0; i < 3; i++)
    asked.modes[i] = (uint32_t) texture->modes[i];
  memcpy (asked.border, texture->border, sizeof asked.border);
  return make_object (made, &asked);
}

API (cudaCreateSurfaceObject, uint64_t *made, const Resource *resource)
{
  ExecTexture asked = { 0 };

  if (resource->kind != RESOURCE_ARRAY)
    return client_fail (CUDA_INVALID_VALUE);
  take_resource (resource, &asked);
  return make_object (made, &asked);
}

API_NOTHING (cudaDestroyTextureObject, uint64_t texture)
API_NOTHING (cudaDestroySurfaceObject, uint64_t surface)
