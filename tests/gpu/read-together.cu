// SPDX-License-Identifier: MIT
// What the level-2 cache hands out where several multiprocessors read the same at
// the same time, by who they are and how many.
//
//     nvcc -O3 -arch=sm_90 tests/gpu/read-together.cu -o read-together
//     ./read-together
//     ncu --cache-control none --clock-control none --metrics \
//         l1tex__m_xbar2l1tex_read_sectors.sum,lts__t_sectors_srcunit_tex_op_read.sum \
//         ./read-together brief
//
// A block a multiprocessor; groups of them read a part of 32 MiB each, in the same
// order. Groups are neighbours in the grid, blocks far apart in the grid, or
// neighbours by number of the multiprocessor. Prints what multiprocessors get.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                            \
  do                                                                           \
    {                                                                          \
      cudaError_t error = (call);                                              \
      if (error != cudaSuccess)                                                \
        {                                                                      \
          fprintf (stderr, "%s: %s\n", #call, cudaGetErrorString (error));     \
          exit (1);                                                            \
        }                                                                      \
    }                                                                          \
  while (0)

#define THREADS 1024
#define BATCH   4
#define TILE    32768 // bytes of a bulk copy
#define STAGES  4     // of these under way

static const size_t all_bytes = 32u << 20;
static const size_t most_bytes = 4u << 20; // that a group goes round in

enum Neighbours
{
  IN_GRID,
  APART,
  ON_CHIP,
  N_NEIGHBOURS
};
static const char *const names[] = { "grid", "apart", "chip" };

__device__ __forceinline__ unsigned
find_group (int neighbours, int size)
{
  unsigned sm;

  asm volatile ("mov.u32 %0, %%smid;" : "=r"(sm));
  if (neighbours == IN_GRID)
    return blockIdx.x / size;
  if (neighbours == APART)
    return blockIdx.x % ((gridDim.x + size - 1) / size);
  return sm / size;
}

extern "C" __global__ void
__launch_bounds__ (THREADS) read_loads (const char *in,
                                        unsigned *out,
                                        size_t bytes,
                                        int neighbours,
                                        int size,
                                        size_t total)
{
  const char *from = in + find_group (neighbours, size) * bytes;
  size_t at = threadIdx.x * sizeof (uint4);
  unsigned sum = 0;

  for (size_t done = 0; done < total; done += THREADS * sizeof (uint4) * BATCH)
    {
      uint4 v[BATCH];

#pragma unroll
      for (int i = 0; i < BATCH; i++)
        asm volatile ("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                      : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                      : "l"(from + at + i * THREADS * sizeof (uint4)));
#pragma unroll
      for (int i = 0; i < BATCH; i++)
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
      at += THREADS * sizeof (uint4) * BATCH;
      if (at >= bytes)
        at -= bytes;
    }
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

__device__ __forceinline__ unsigned
to_shared (const void *pointer)
{
  return (unsigned) __cvta_generic_to_shared (pointer);
}

// One thread, and the copy engine.
extern "C" __global__ void
read_bulk (const char *in,
           unsigned *out,
           size_t bytes,
           int neighbours,
           int size,
           size_t total)
{
  extern __shared__ __align__ (128) char tiles[];
  __shared__ __align__ (8) uint64_t barriers[STAGES];
  const char *from = in + find_group (neighbours, size) * bytes;
  const size_t n = total / TILE;
  size_t at = 0;

  if (threadIdx.x != 0)
    return;
  for (int i = 0; i < STAGES; i++)
    asm volatile (
        "mbarrier.init.shared.b64 [%0], 1;" ::"r"(to_shared (&barriers[i])));
  asm volatile ("fence.mbarrier_init.release.cluster;");
  for (size_t k = 0; k < n + STAGES; k++)
    {
      const unsigned barrier = to_shared (&barriers[k % STAGES]);

      if (k >= STAGES)
        asm volatile ("{ .reg .pred p;\n"
                      "W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                      "@!p bra W; }" ::"r"(barrier),
                      "r"((unsigned) (k / STAGES - 1) & 1));
      if (k >= n)
        continue;
      asm volatile (
          "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier),
          "r"(TILE));
      asm volatile (
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[%0], [%1], %2, [%3];" ::"r"(to_shared (tiles) +
                                        (unsigned) (k % STAGES) * TILE),
          "l"(from + at),
          "r"(TILE),
          "r"(barrier)
          : "memory");
      at += TILE;
      if (at >= bytes)
        at -= bytes;
    }
  out[blockIdx.x] = tiles[0];
}

int
main (int argc, char **argv)
{
  const bool is_brief = argc > 1; // for a profiler: once each, and less of it
  const std::vector<int> sizes =
      is_brief ? std::vector<int>{ 1, 2, 12, 66 }
               : std::vector<int>{ 1, 2, 4, 6, 11, 12, 22, 33, 66, 132 };
  const size_t total = (size_t) (is_brief ? 8 : 64) << 20;
  const int n_turns = is_brief ? 1 : 7;
  cudaDeviceProp device;
  cudaEvent_t begin, end;
  unsigned *out;
  char *in;

  CHECK (cudaGetDeviceProperties (&device, 0));
  const int sms = device.multiProcessorCount;
  CHECK (cudaEventCreate (&begin));
  CHECK (cudaEventCreate (&end));
  CHECK (cudaMalloc (&in, 2 * all_bytes));
  CHECK (cudaMemset (in, 1, 2 * all_bytes));
  CHECK (cudaMalloc (&out, (size_t) sms * THREADS * sizeof *out));
  CHECK (cudaFuncSetAttribute (
      read_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * TILE));
  printf ("# %s, %d multiprocessors\n", device.name, sms);
  for (int is_bulk = 0; is_bulk < 2; is_bulk++)
    for (int neighbours = 0; neighbours < N_NEIGHBOURS; neighbours++)
      for (int size : sizes)
        {
          const size_t groups = (size_t) (sms + size - 1) / size;
          const size_t bytes =
              std::min (all_bytes / groups / 65536 * 65536, most_bytes);
          std::vector<float> ms;

          for (int turn = 0; turn < n_turns; turn++)
            {
              float time;

              CHECK (cudaEventRecord (begin));
              if (is_bulk)
                read_bulk<<<sms, 128, STAGES * TILE>>> (
                    in, out, bytes, neighbours, size, total);
              else
                read_loads<<<sms, THREADS>>> (
                    in, out, bytes, neighbours, size, total);
              CHECK (cudaEventRecord (end));
              CHECK (cudaEventSynchronize (end));
              CHECK (cudaEventElapsedTime (&time, begin, end));
              ms.push_back (time);
            }
          std::sort (ms.begin (), ms.end ());
          printf ("%s\t%s\t%d\t%.2f TB/s\n",
                  is_bulk ? "bulk" : "loads",
                  names[neighbours],
                  size,
                  (double) sms * (double) total / ms[ms.size () / 2] * 1e-9);
        }
  return 0;
}
