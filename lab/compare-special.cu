// SPDX-License-Identifier: MIT
// Does the emulator's special-function unit equal the chip's? Compares every input of each form of
// rcp, sqrt, rsqrt, ex2, lg2, sin, cos and tanh .approx with libcured/ptx/exec/cured-special.c,
// which is compiled for the GPU here, and random pairs for div. Prints a table in Markdown, with
// sums of the chip's outputs that tests compare.
//
// nvcc -O2 -fmad=false -arch=native -Ilibcured -o compare-special lab/compare-special.cu
// ./compare-special                  the table, two seconds on an H200
// ./compare-special --dump FILE      outputs from which lab/recover-special finds the tables
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define SPECIAL_TABLE static __device__ const
#define SPECIAL_FUNCTION __device__
#define SPECIAL_HELPER static __device__ inline
#define SPECIAL_LEADING_ZEROS __clzll
#include "ptx/exec/cured-special.c"

#define CHIP1(name, ptx) \
  __device__ uint32_t chip_##name (uint32_t bits, uint32_t) \
  { \
    float x = __uint_as_float (bits), y; \
    asm volatile (ptx " %0, %1;" : "=f"(y) : "f"(x)); \
    return __float_as_uint (y); \
  }
#define CHIP2(name, ptx) \
  __device__ uint32_t chip_##name (uint32_t a, uint32_t b) \
  { \
    float x = __uint_as_float (a), y = __uint_as_float (b), z; \
    asm volatile (ptx " %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); \
    return __float_as_uint (z); \
  }
#define CHIPH(name, ptx) \
  __device__ uint32_t chip_##name (uint32_t bits, uint32_t) \
  { \
    uint16_t x = (uint16_t) bits, y; \
    asm volatile (ptx " %0, %1;" : "=h"(y) : "h"(x)); \
    return y; \
  }
#define CHIPD(name, ptx) \
  __device__ uint32_t chip_##name (uint32_t bits, uint32_t) \
  { \
    double x = __hiloint2double (bits, 0x12345678), y; \
    asm volatile (ptx " %0, %1;" : "=d"(y) : "d"(x)); \
    return __double2hiint (y); \
  }

CHIP1 (rcp, "rcp.approx.f32") CHIP1 (rcp_ftz, "rcp.approx.ftz.f32")
CHIP1 (sqrt, "sqrt.approx.f32") CHIP1 (sqrt_ftz, "sqrt.approx.ftz.f32")
CHIP1 (rsqrt, "rsqrt.approx.f32") CHIP1 (rsqrt_ftz, "rsqrt.approx.ftz.f32")
CHIP1 (sin, "sin.approx.f32") CHIP1 (sin_ftz, "sin.approx.ftz.f32")
CHIP1 (cos, "cos.approx.f32") CHIP1 (cos_ftz, "cos.approx.ftz.f32")
CHIP1 (ex2, "ex2.approx.f32") CHIP1 (ex2_ftz, "ex2.approx.ftz.f32")
CHIP1 (lg2, "lg2.approx.f32") CHIP1 (lg2_ftz, "lg2.approx.ftz.f32")
CHIP1 (tanh, "tanh.approx.f32")
CHIP2 (div, "div.approx.f32") CHIP2 (div_ftz, "div.approx.ftz.f32")
CHIP2 (div_full, "div.full.f32") CHIP2 (div_full_ftz, "div.full.ftz.f32")
CHIPH (ex2_f16, "ex2.approx.f16") CHIPH (ex2_bf16, "ex2.approx.ftz.bf16")
CHIPH (tanh_f16, "tanh.approx.f16") CHIPH (tanh_bf16, "tanh.approx.bf16")
CHIPD (rcp_f64, "rcp.approx.ftz.f64") CHIPD (rsqrt_f64, "rsqrt.approx.ftz.f64")

#define MODEL(name, call) \
  __device__ uint32_t model_##name (uint32_t x, uint32_t y) { return _cured_approx_##call; }
#define MODELS(name) MODEL (name, name (x, false)) MODEL (name##_ftz, name (x, true))
MODELS (rcp) MODELS (sqrt) MODELS (rsqrt) MODELS (ex2) MODELS (lg2)
MODEL (sin, sin (x)) MODEL (sin_ftz, sin (x)) MODEL (cos, cos (x)) MODEL (cos_ftz, cos (x))
MODEL (tanh, tanh (x))
MODEL (div, div (x, y, false)) MODEL (div_ftz, div (x, y, true))
MODEL (div_full, div_full (x, y, false)) MODEL (div_full_ftz, div_full (x, y, true))
MODEL (ex2_f16, ex2_f16 (x)) MODEL (ex2_bf16, ex2_bf16 (x))
MODEL (tanh_f16, tanh_f16 (x)) MODEL (tanh_bf16, tanh_bf16 (x))
MODEL (rcp_f64, rcp_f64 (x)) MODEL (rsqrt_f64, rsqrt_f64 (x))

__device__ uint32_t
mix (uint64_t x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return (uint32_t) (x ^ x >> 31);
}

struct Result
{
  unsigned long long different, hash, some; /* the sums of all outputs and of each 1021st one */
  uint32_t x, y, chip, model;
};

template <uint32_t (*chip) (uint32_t, uint32_t), uint32_t (*model) (uint32_t, uint32_t)>
__global__ void
compare (uint64_t first, uint64_t n, int is_pair, Result *result)
{
  unsigned long long different = 0, hash = 0, some = 0;
  for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < n;
       i += (uint64_t) gridDim.x * blockDim.x)
    {
      uint32_t x = is_pair ? mix (2 * (first + i)) : (uint32_t) (first + i);
      uint32_t y = is_pair ? mix (2 * (first + i) + 1) : 0;
      uint32_t c = chip (x, y), m = model (x, y);
      hash += (unsigned long long) c * (2ull * x + 1);
      some += x % 1021 == 0 ? (unsigned long long) c * (2ull * x + 1) : 0;
      if (c != m && different++ == 0 && atomicCAS (&result->x, 0xdeadbeef, x) == 0xdeadbeef)
        {
          result->y = y;
          result->chip = c;
          result->model = m;
        }
    }
  atomicAdd (&result->different, different);
  atomicAdd (&result->hash, hash);
  atomicAdd (&result->some, some);
}

static Result *device_result;

template <uint32_t (*chip) (uint32_t, uint32_t), uint32_t (*model) (uint32_t, uint32_t)>
static void
run (const char *name, uint64_t n, int is_pair)
{
  Result result = { 0, 0, 0, 0xdeadbeef, 0, 0, 0 };
  cudaMemcpy (device_result, &result, sizeof result, cudaMemcpyHostToDevice);
  compare<chip, model><<<4096, 256>>> (0, n, is_pair, device_result);
  cudaError_t error = cudaMemcpy (&result, device_result, sizeof result, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess)
    {
      fprintf (stderr, "%s: %s\n", name, cudaGetErrorString (error));
      exit (1);
    }
  printf ("| %s | %llu | %llu | %016llx | %016llx |", name, (unsigned long long) n,
          result.different, result.hash, result.some);
  if (result.different != 0)
    printf (" %08x %08x: chip %08x, model %08x", result.x, result.y, result.chip, result.model);
  printf ("\n");
}

template <uint32_t (*chip) (uint32_t, uint32_t)>
__global__ void
list (uint32_t first, uint32_t step, uint32_t n, uint32_t *out)
{
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = chip (first + i * step, 0);
}

// Writes n outputs, from the input first on, after these three numbers.
template <uint32_t (*chip) (uint32_t, uint32_t)>
static void
dump (FILE *file, uint32_t first, uint32_t step, uint32_t n)
{
  uint32_t head[] = { first, step, n }, *out;
  std::vector<uint32_t> values (n);
  cudaMalloc (&out, n * sizeof *out);
  list<chip><<<(n + 255) / 256, 256>>> (first, step, n, out);
  cudaMemcpy (values.data (), out, n * sizeof *out, cudaMemcpyDeviceToHost);
  cudaFree (out);
  fwrite (head, sizeof head, 1, file);
  fwrite (values.data (), sizeof *out, n, file);
}

// What lab/recover-special reads.
static int
dump_all (const char *path)
{
  FILE *file = fopen (path, "wb");
  if (file == NULL)
    return perror (path), 1;
  dump<chip_rcp_ftz> (file, 0x3f800000, 1, 1 << 23);
  dump<chip_rsqrt_ftz> (file, 0x3f800000, 1, 1 << 23);
  dump<chip_rsqrt_ftz> (file, 0x40000000, 1, 1 << 23);
  dump<chip_sqrt_ftz> (file, 0x3f800000, 1, 1 << 23);
  dump<chip_sqrt_ftz> (file, 0x40000000, 1, 1 << 23);
  dump<chip_ex2_ftz> (file, 0x3f800000, 1, 1 << 23);
  dump<chip_lg2_ftz> (file, 0x40000000, 1, 1 << 23);
  for (int exponent = -11; exponent <= 0; exponent++)
    dump<chip_sin_ftz> (file, (uint32_t) (127 + exponent) << 23, 16, 1 << 19);
  for (int exponent = -8; exponent <= 2; exponent++)
    dump<chip_tanh> (file, (uint32_t) (127 + exponent) << 23, 4, 1 << 21);
  return fclose (file) != 0;
}

#define RUN(name, n, is_pair) run<chip_##name, model_##name> (#name, n, is_pair)

int
main (int n_words, char **words)
{
  if (n_words == 3 && words[1][0] == '-')
    return dump_all (words[2]);

  cudaDeviceProp properties;
  int driver;
  cudaMalloc (&device_result, sizeof *device_result);
  cudaGetDeviceProperties (&properties, 0);
  cudaDriverGetVersion (&driver);
  printf ("%s, driver's CUDA %d.%d\n\n| form | inputs | different | hash | of each 1021st |\n|---|---:|---:|---|---|\n",
          properties.name, driver / 1000, driver % 1000 / 10);
  const uint64_t all = 1ull << 32;
  RUN (rcp, all, 0); RUN (rcp_ftz, all, 0); RUN (sqrt, all, 0); RUN (sqrt_ftz, all, 0);
  RUN (rsqrt, all, 0); RUN (rsqrt_ftz, all, 0); RUN (sin, all, 0); RUN (sin_ftz, all, 0);
  RUN (cos, all, 0); RUN (cos_ftz, all, 0); RUN (ex2, all, 0); RUN (ex2_ftz, all, 0);
  RUN (lg2, all, 0); RUN (lg2_ftz, all, 0); RUN (tanh, all, 0);
  RUN (ex2_f16, 1 << 16, 0); RUN (ex2_bf16, 1 << 16, 0); RUN (tanh_f16, 1 << 16, 0);
  RUN (tanh_bf16, 1 << 16, 0); RUN (rcp_f64, all, 0); RUN (rsqrt_f64, all, 0);
  RUN (div, 4 * all, 1); RUN (div_ftz, 4 * all, 1);
  RUN (div_full, 4 * all, 1); RUN (div_full_ftz, 4 * all, 1);
}
