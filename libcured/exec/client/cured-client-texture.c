/* SPDX-License-Identifier: MIT
 * The runtime's textures over linear memory; those over arrays are not there. */
#include "exec/client/cured-client-private.h"

/* cudaChannelFormatDesc */
typedef struct
{
  int32_t bits[4];
  int32_t kind;
} Channels;

/* cudaResourceDesc, of a linear one */
typedef struct
{
  int32_t kind;
  void *address;
  Channels channels;
  size_t n_bytes;
} Resource;

/* cudaTextureDesc, as far as it matters */
typedef struct
{
  int32_t address_modes[3];
  int32_t filter;
  int32_t read_mode;
  int32_t is_srgb;
} Texture;

enum
{
  RESOURCE_LINEAR = 2,
  FILTER_LINEAR = 1,
};

API (cudaCreateTextureObject, uint64_t *made, const Resource *resource, const Texture *texture,
     const void *view)
{
  ExecCall call = { .op = EXEC_TEXTURE, .n_bytes = sizeof (ExecTexture) };
  ExecTexture asked = { 0 };
  ExecReply reply;
  CudaError error = CUDA_SUCCESS;

  if (resource->kind != RESOURCE_LINEAR || texture->filter == FILTER_LINEAR ||
      texture->is_srgb != 0)
    return client_miss ("cudaCreateTextureObject of an array, or with a filter");
  asked = (ExecTexture){ .address = (uintptr_t) resource->address,
                         .n_bytes = resource->n_bytes,
                         .kind = (uint32_t) resource->channels.kind,
                         .is_normalized = texture->read_mode != 0 };
  for (int i = 0; i < 4; i++)
    asked.bits[i] = (uint32_t) resource->channels.bits[i];
  error = client_call (&call, &asked, NULL, 0, &reply, NULL);
  if (error != CUDA_SUCCESS)
    return client_fail (error);
  *made = reply.x[0];
  return client_get_error ();
}

Channels cudaCreateChannelDesc (int x, int y, int z, int w, int kind);
VERSIONS (cudaCreateChannelDesc);

Channels
cudaCreateChannelDesc (int x, int y, int z, int w, int kind)
{
  return (Channels){ { x, y, z, w }, kind };
}

API_NOTHING (cudaDestroyTextureObject, uint64_t texture)
