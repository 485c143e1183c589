// SPDX-License-Identifier: MIT
// Reads textures and surfaces of all kinds, and prints the bits of what it got, a line a case.
// textures.txt is what a GPU printed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#define DO(call)                                                                                   \
  do                                                                                               \
    {                                                                                              \
      cudaError_t error_ = (call);                                                                 \
                                                                                                   \
      if (error_ != cudaSuccess)                                                                   \
        {                                                                                          \
          printf ("line %d: %s\n", __LINE__, cudaGetErrorString (error_));                         \
          exit (1);                                                                                \
        }                                                                                          \
    }                                                                                              \
  while (0)

#define N 48

enum Read
{
  R1D,
  R2D,
  R3D,
  R1DLAYERED,
  R2DLAYERED,
  RCUBE,
  RCUBELAYERED,
  RLOD,
  RGRAD,
  RGATHER,
  R1DFETCH
};

// Texel k of T: four registers, as they are.
template <typename T>
__global__ void
read (cudaTextureObject_t t, int how, const float3 *at, uint4 *out)
{
  int i = threadIdx.x;
  float3 p = at[i];
  T got = {};

  switch (how)
    {
    case R1D:
      got = tex1D<T> (t, p.x);
      break;
    case R2D:
      got = tex2D<T> (t, p.x, p.y);
      break;
    case R3D:
      got = tex3D<T> (t, p.x, p.y, p.z);
      break;
    case R1DLAYERED:
      got = tex1DLayered<T> (t, p.x, i % 5 - 1);
      break;
    case R2DLAYERED:
      got = tex2DLayered<T> (t, p.x, p.y, i % 5 - 1);
      break;
    case RCUBE:
      got = texCubemap<T> (t, p.x - 3.1f, p.y - 2.9f, p.z - 3.3f);
      break;
    case RCUBELAYERED:
      got = texCubemapLayered<T> (t, p.x - 3.1f, p.y - 2.9f, p.z - 3.3f, i % 2);
      break;
    case RLOD:
      got = tex2DLod<T> (t, p.x, p.y, 1.5f);
      break;
    case RGRAD:
      got = tex2DGrad<T> (t, p.x, p.y, make_float2 (2, 0), make_float2 (0, 2));
      break;
    case RGATHER:
      got = tex2Dgather<T> (t, p.x, p.y, i % 4);
      break;
    case R1DFETCH:
      got = tex1Dfetch<T> (t, (int) p.x);
      break;
    }
  memset (&out[i], 0, sizeof out[i]);
  memcpy (&out[i], &got, sizeof got);
}

static std::vector<float3>
make_coordinates (float scale)
{
  std::vector<float3> at (N);
  uint32_t seed = 7;

  for (auto &p : at)
    for (float *c = &p.x; c <= &p.z; c++)
      {
        seed = seed * 1664525 + 1013904223;
        *c = ((seed >> 8) % 10000 / 1000.0f - 2) * scale;
      }
  // Where it matters: texels' edges and centres, and halves of a step of a weight.
  for (int i = 0; i < 16; i++)
    {
      at[i].x = (1 + i / 8.0f) * scale;
      at[i].y = (2.5f + i / 512.0f) * scale;
    }
  return at;
}

template <typename T>
static void
show (const char *name, cudaTextureObject_t t, Read how, float scale)
{
  std::vector<float3> at = make_coordinates (scale);
  std::vector<uint4> got (N);
  float3 *in;
  uint4 *out;

  DO (cudaMalloc (&in, N * sizeof *in));
  DO (cudaMalloc (&out, N * sizeof *out));
  DO (cudaMemcpy (in, at.data (), N * sizeof *in, cudaMemcpyHostToDevice));
  read<T><<<1, N>>> (t, how, in, out);
  DO (cudaMemcpy (got.data (), out, N * sizeof *out, cudaMemcpyDeviceToHost));
  printf ("%s", name);
  for (const auto &g : got)
    for (size_t i = 0; i < (sizeof (T) + 3) / 4; i++)
      printf (" %x", (&g.x)[i]);
  puts ("");
  DO (cudaFree (in));
  DO (cudaFree (out));
}

template <typename T>
static std::vector<T>
make_data (size_t n)
{
  std::vector<T> data (n);
  uint32_t seed = 1;

  for (size_t i = 0; i < n * sizeof (T); i++)
    {
      seed = seed * 1664525 + 1013904223;
      ((uint8_t *) data.data ())[i] = (uint8_t) (seed >> 24);
    }
  return data;
}

template <>
std::vector<float>
make_data<float> (size_t n)
{
  std::vector<float> data (n);
  uint32_t seed = 1;

  for (auto &f : data)
    {
      seed = seed * 1664525 + 1013904223;
      f = (seed >> 8) / 16777216.0f;
    }
  return data;
}

template <typename T>
static cudaArray_t
make_array (cudaExtent extent, unsigned flags)
{
  size_t h = extent.height > 0 ? extent.height : 1, d = extent.depth > 0 ? extent.depth : 1;
  std::vector<T> data = make_data<T> (extent.width * h * d);
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<T> ();
  cudaMemcpy3DParms copy = {};
  cudaArray_t array;

  DO (cudaMalloc3DArray (&array, &channels, extent, flags));
  copy.srcPtr = make_cudaPitchedPtr (data.data (), extent.width * sizeof (T), extent.width, h);
  copy.dstArray = array;
  copy.extent = make_cudaExtent (extent.width, h, d);
  copy.kind = cudaMemcpyHostToDevice;
  DO (cudaMemcpy3D (&copy));
  return array;
}

static cudaTextureObject_t
make_texture (cudaArray_t array, cudaTextureFilterMode filter, cudaTextureAddressMode mode,
              bool is_unit, bool is_normalized)
{
  cudaResourceDesc resource = {};
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;

  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  for (auto &m : description.addressMode)
    m = mode;
  description.filterMode = filter;
  description.normalizedCoords = is_unit;
  description.readMode = is_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  DO (cudaCreateTextureObject (&texture, &resource, &description, NULL));
  return texture;
}

// All ways to look outside, with and without a filter.
template <typename T, typename R>
static void
show_all (const char *name, cudaArray_t array, Read how, bool is_normalized, int size)
{
  static const char *const modes[] = { "wrap", "clamp", "mirror", "border" };
  bool has_filter = is_normalized || std::is_same<T, float>::value;

  for (int filter = 0; filter <= has_filter; filter++)
    for (int unit = 0; unit < 2; unit++)
      for (int mode = 0; mode < 4; mode++)
        {
          char text[64];
          cudaTextureObject_t t;

          if (!unit && mode % 2 == 0)
            continue;
          t = make_texture (array, (cudaTextureFilterMode) filter, (cudaTextureAddressMode) mode,
                            unit, is_normalized);
          snprintf (text, sizeof text, "%s-%s%s%s", name, modes[mode], unit ? "-unit" : "",
                    filter ? "-linear" : "");
          show<R> (text, t, how, unit ? 1.0f / size : 1);
          DO (cudaDestroyTextureObject (t));
        }
}

__global__ void
change_1d (cudaSurfaceObject_t s, uint32_t *out)
{
  int i = threadIdx.x;

  out[i] = surf1Dread<uint32_t> (s, (i - 4) * 4, cudaBoundaryModeZero);
  out[32 + i] = surf1Dread<uint32_t> (s, (i - 4) * 4, cudaBoundaryModeClamp);
  __syncwarp ();
  surf1Dwrite<uint8_t> ((uint8_t) i, s, i * 3, cudaBoundaryModeZero);
}

__global__ void
change_2d (cudaSurfaceObject_t s, uint32_t *out)
{
  int i = threadIdx.x % 8, k = threadIdx.x / 8;

  out[threadIdx.x] = surf2Dread<uint32_t> (s, (i - 1) * 4, k - 1, cudaBoundaryModeClamp);
  out[32 + threadIdx.x] = surf2Dread<uint32_t> (s, (i - 1) * 4, k - 1, cudaBoundaryModeZero);
  __syncwarp ();
  surf2Dwrite (threadIdx.x, s, i * 4, k);
}

__global__ void
change_3d (cudaSurfaceObject_t s, uint32_t *out)
{
  int i = threadIdx.x % 4, k = threadIdx.x / 4;

  out[threadIdx.x] = surf3Dread<uint32_t> (s, i * 4, k % 4, k / 4);
  out[32 + threadIdx.x] = surf3Dread<uint32_t> (s, i * 4, k, k, cudaBoundaryModeZero);
  __syncwarp ();
  surf3Dwrite (make_ushort2 (i, k), s, i * 4, k % 4, k / 4);
}

__global__ void
change_layers (cudaSurfaceObject_t s, uint32_t *out)
{
  int i = threadIdx.x % 4, k = threadIdx.x / 4;

  out[threadIdx.x] = surf2DLayeredread<uint32_t> (s, i * 4, k % 4, k / 4, cudaBoundaryModeZero);
  out[32 + threadIdx.x] = 0;
  __syncwarp ();
  surf2DLayeredwrite (threadIdx.x, s, i * 4, k % 4, k / 4);
}

static void
show_surface (const char *name, cudaArray_t array, void (*change) (cudaSurfaceObject_t, uint32_t *),
              cudaExtent extent)
{
  size_t h = extent.height > 0 ? extent.height : 1, d = extent.depth > 0 ? extent.depth : 1;
  std::vector<uint32_t> after (extent.width * h * d);
  cudaResourceDesc resource = {};
  cudaSurfaceObject_t surface;
  cudaMemcpy3DParms copy = {};
  uint32_t got[64];
  uint32_t *out;

  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  DO (cudaCreateSurfaceObject (&surface, &resource));
  DO (cudaMalloc (&out, sizeof got));
  change<<<1, 32>>> (surface, out);
  DO (cudaMemcpy (got, out, sizeof got, cudaMemcpyDeviceToHost));
  copy.srcArray = array;
  copy.dstPtr = make_cudaPitchedPtr (after.data (), extent.width * 4, extent.width, h);
  copy.extent = make_cudaExtent (extent.width, h, d);
  copy.kind = cudaMemcpyDeviceToHost;
  DO (cudaMemcpy3D (&copy));
  printf ("%s", name);
  for (uint32_t g : got)
    printf (" %x", g);
  printf (" |");
  for (uint32_t a : after)
    printf (" %x", a);
  puts ("");
  DO (cudaDestroySurfaceObject (surface));
  DO (cudaFree (out));
  DO (cudaFreeArray (array));
}

static void
show_plane ()
{
  std::vector<float> data = make_data<float> (7 * 5);
  cudaResourceDesc resource = {};
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  float *plane;
  size_t pitch;

  DO (cudaMallocPitch (&plane, &pitch, 7 * sizeof (float), 5));
  DO (cudaMemcpy2D (plane, pitch, data.data (), 7 * sizeof (float), 7 * sizeof (float), 5,
                    cudaMemcpyHostToDevice));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = plane;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float> ();
  resource.res.pitch2D.width = 7;
  resource.res.pitch2D.height = 5;
  resource.res.pitch2D.pitchInBytes = pitch;
  description.filterMode = cudaFilterModeLinear;
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  DO (cudaCreateTextureObject (&texture, &resource, &description, NULL));
  show<float> ("plane", texture, R2D, 1);
  DO (cudaDestroyTextureObject (texture));
  DO (cudaFree (plane));
}

// Part of an array, there and back.
static void
show_copies ()
{
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<int> ();
  cudaArray_t a, b;
  int in[64], out[64] = { 0 };

  for (int i = 0; i < 64; i++)
    in[i] = i;
  DO (cudaMallocArray (&a, &channels, 8, 8));
  DO (cudaMallocArray (&b, &channels, 8, 8));
  DO (cudaMemcpy2DToArray (a, 0, 0, in, 32, 32, 8, cudaMemcpyHostToDevice));
  DO (cudaMemcpy2DToArray (a, 8, 2, in, 16, 16, 3, cudaMemcpyHostToDevice));
  DO (cudaMemcpy2DArrayToArray (b, 0, 0, a, 0, 0, 32, 8));
  DO (cudaMemcpy2DFromArray (out, 32, b, 4, 1, 28, 7, cudaMemcpyDeviceToHost));
  printf ("copies");
  for (int o : out)
    printf (" %d", o);
  printf (" %d\n", cudaMemcpy2DToArray (a, 8, 2, in, 32, 32, 3, cudaMemcpyHostToDevice));
  cudaGetLastError ();
  DO (cudaFreeArray (a));
  DO (cudaFreeArray (b));
}

int
main ()
{
  cudaArray_t a;

  a = make_array<float> (make_cudaExtent (6, 0, 0), 0);
  show_all<float, float> ("1d-f32", a, R1D, false, 6);
  DO (cudaFreeArray (a));
  a = make_array<uchar4> (make_cudaExtent (6, 5, 0), 0);
  show_all<uchar4, float4> ("2d-u8x4", a, R2D, true, 6);
  DO (cudaFreeArray (a));
  a = make_array<short> (make_cudaExtent (6, 5, 0), 0);
  show_all<short, short> ("2d-s16", a, R2D, false, 6);
  show_all<short, float> ("2d-s16n", a, R2D, true, 6);
  DO (cudaFreeArray (a));
  a = make_array<float> (make_cudaExtent (6, 5, 0), cudaArrayTextureGather);
  show_all<float, float> ("2d-f32", a, R2D, false, 6);
  show_all<float, float> ("lod", a, RLOD, false, 6);
  show_all<float, float> ("grad", a, RGRAD, false, 6);
  show_all<float4, float4> ("gather", a, RGATHER, false, 6);
  DO (cudaFreeArray (a));
  a = make_array<float> (make_cudaExtent (6, 5, 4), 0);
  show_all<float, float> ("3d-f32", a, R3D, false, 6);
  DO (cudaFreeArray (a));
  a = make_array<float> (make_cudaExtent (6, 0, 3), cudaArrayLayered);
  show_all<float, float> ("1d-layers", a, R1DLAYERED, false, 6);
  DO (cudaFreeArray (a));
  a = make_array<float> (make_cudaExtent (6, 5, 3), cudaArrayLayered);
  show_all<float, float> ("2d-layers", a, R2DLAYERED, false, 6);
  DO (cudaFreeArray (a));
  a = make_array<float> (make_cudaExtent (4, 4, 6), cudaArrayCubemap);
  show<float> ("cube", make_texture (a, cudaFilterModePoint, cudaAddressModeClamp, true, false),
               RCUBE, 1);
  DO (cudaFreeArray (a));
  a = make_array<float> (make_cudaExtent (4, 4, 12), cudaArrayCubemap | cudaArrayLayered);
  show<float> ("cubes", make_texture (a, cudaFilterModePoint, cudaAddressModeClamp, true, false),
               RCUBELAYERED, 1);
  DO (cudaFreeArray (a));
  show_plane ();
  show_copies ();
  show_surface ("surface-1d",
                make_array<uint32_t> (make_cudaExtent (16, 0, 0), cudaArraySurfaceLoadStore),
                change_1d, make_cudaExtent (16, 0, 0));
  show_surface ("surface-2d",
                make_array<uint32_t> (make_cudaExtent (8, 4, 0), cudaArraySurfaceLoadStore),
                change_2d, make_cudaExtent (8, 4, 0));
  show_surface ("surface-3d",
                make_array<uint32_t> (make_cudaExtent (4, 4, 2), cudaArraySurfaceLoadStore),
                change_3d, make_cudaExtent (4, 4, 2));
  show_surface ("surface-layers",
                make_array<uint32_t> (make_cudaExtent (4, 4, 2),
                                      cudaArraySurfaceLoadStore | cudaArrayLayered),
                change_layers, make_cudaExtent (4, 4, 2));
  return 0;
}
