// SPDX-License-Identifier: MIT
// How long does a load of constants take, by the number and the distance of the words that a warp
// reads, and what does a block cost, by its threads? Prints tab-separated lines.
//
// nvcc -O2 -arch=native -o measure-constants lab/measure-constants.cu
// ./measure-constants > constants.tsv     a second on an H200
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

static constexpr int LANES = 32;
static constexpr int LOADS = 256;
static constexpr int REPEATS = 4;

#define CHECK(call) \
  do \
    { \
      cudaError_t status = (call); \
      if (status != cudaSuccess) \
        { \
          fprintf (stderr, "%s: %s\n", #call, cudaGetErrorString (status)); \
          exit (1); \
        } \
    } \
  while (0)

__constant__ uint32_t zeros[16384];

// Lanes read @n_words words that are @step words apart, each load with the value of the last one.
__global__ void
read_constants (int n_words, int step, uint32_t *cycles, uint32_t *sink)
{
  uint32_t lane = threadIdx.x % LANES, at = lane % n_words * step, best = 0xffffffffu;

  for (int r = 0; r < REPEATS; r++)
    {
      uint32_t place = at;
      __syncthreads ();
      long long start = clock64 ();
#pragma unroll 32
      for (int i = 0; i < LOADS; i++)
        place = at + zeros[place];
      sink[threadIdx.x] = place;
      uint32_t took = (uint32_t) (clock64 () - start);
      best = min (best, took);
    }
  if (threadIdx.x == 0)
    *cycles = best;
}

__global__ void
nothing ()
{
}

static double
time_blocks (int blocks, int threads)
{
  cudaEvent_t start, end;
  float best = 1e9f, ms;

  CHECK (cudaEventCreate (&start));
  CHECK (cudaEventCreate (&end));
  for (int r = 0; r < 5; r++)
    {
      CHECK (cudaEventRecord (start));
      nothing<<<blocks, threads>>> ();
      CHECK (cudaEventRecord (end));
      CHECK (cudaEventSynchronize (end));
      CHECK (cudaEventElapsedTime (&ms, start, end));
      best = std::min (best, ms);
    }
  return best * 1e6;
}

int
main ()
{
  cudaDeviceProp properties;
  uint32_t *cycles, *sink;
  int driver;

  CHECK (cudaGetDeviceProperties (&properties, 0));
  CHECK (cudaDriverGetVersion (&driver));
  printf ("# %s, CUDA driver %d\n", properties.name, driver);
  CHECK (cudaMalloc (&cycles, 4));
  CHECK (cudaMalloc (&sink, 4096));

  printf ("# constant\twarps\tbytes apart\twords\tcycles of a load\n");
  for (int warps : { 1, 8 })
    for (int step : { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 })
      for (int n = 1; n <= LANES; n++)
        {
          uint32_t got;

          read_constants<<<1, warps * LANES>>> (n, step, cycles, sink);
          CHECK (cudaMemcpy (&got, cycles, 4, cudaMemcpyDeviceToHost));
          printf ("constant\t%d\t%d\t%d\t%.2f\n", warps, step * 4, n, (double) got / LOADS);
        }

  printf ("# block\tthreads\tns of a block and multiprocessor\n");
  for (int threads = 32; threads <= 1024; threads += threads < 128 ? 32 : 64)
    {
      int n = properties.multiProcessorCount;

      printf ("block\t%d\t%.2f\n", threads,
              (time_blocks (2500 * n, threads) - time_blocks (500 * n, threads)) / 2000);
    }
  return 0;
}
