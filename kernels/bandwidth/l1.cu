// SPDX-License-Identifier: MIT
// Streaming reads of the first cache: each block reads the same small array.
/*! cured
 * [Kernel]
 * Title=Streaming reads from the L1 cache
 * Summary=Each block, one per multiprocessor, reads one array over and over
 * Family=bandwidth
 * Step=4
 * Bytes=footprint*1024*passes*blocks
 * Like=bandwidth/constant
 *
 * [Parameter ways]   # none
 * [Parameter warps]  # none
 *
 * [Parameter footprint]
 * Kind=problem
 * Default=64
 * Summary=KiB of the array
 *
 * [Parameter width]
 * Kind=compile
 * Values=4,8,16
 * Default=16
 * Summary=bytes per load
 *
 * [Parameter passes]
 * Kind=problem
 * Default=256
 * Summary=how often each block reads the array
 *
 * [Parameter threads]
 * Kind=launch
 * Values=32..1024:32
 * Default=1024
 * Summary=threads per block
 *
 * [Buffer in]
 * Type=u32
 * Length=footprint*256
 * Fill=uniform
 * Low=0
 * High=4294967295
 *
 * [Buffer out]
 * Type=u32
 * Length=threads
 * Fill=poison
 *
 * [Launch]
 * Entry=bandwidth_l1
 * Grid=blocks
 * Block=threads
 * Arguments=in,out,cycles,footprint*1024/width,passes
 *
 * [Cycles]
 * Buffer=cycles
 * Per=passes*footprint*32/width
 */

#define WORDS (WIDTH / 4)

/* Accesses of a thread in flight at a time. A loop that the compiler unrolls
 * would check before each access whether there is another one; here it is
 * checked once per batch. */
#define BATCH 4

__device__ __forceinline__ unsigned
load (const char *from)
{
#if WORDS == 1
  unsigned w0;

  asm volatile ("ld.global.u32 %0, [%1];" : "=r"(w0) : "l"(from));
  return w0;
#elif WORDS == 2
  unsigned w0, w1;

  asm volatile ("ld.global.v2.u32 {%0, %1}, [%2];"
                : "=r"(w0), "=r"(w1)
                : "l"(from));
  return w0 + w1;
#else
  unsigned w0, w1, w2, w3;

  asm volatile ("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(w0), "=r"(w1), "=r"(w2), "=r"(w3)
                : "l"(from));
  return w0 + w1 + w2 + w3;
#endif
}

/* Measures the data stage that L1 shares with shared memory. `cycles` is the
 * cost to a multiprocessor of one warp's load of 32 elements. 128 bytes fit a
 * cycle, and loads of 16 bytes per lane fill it, with four cycles each. Words
 * of 4 bytes do not: they reach less than two thirds of that. Shared memory,
 * through the same stage, has no such limit: see bandwidth/shared.
 *
 * The kernel uses little shared memory, so most of the storage that the two
 * share is cache. The map's step is well past its end, between 320 and 512
 * KiB: a little beyond L1 most loads still hit, and L2 delivers the rest in
 * time. */
extern "C" __global__ void
bandwidth_l1 (const unsigned *__restrict__ in,
              unsigned *__restrict__ out,
              unsigned *__restrict__ cycles,
              int n,
              int passes)
{
  __shared__ volatile unsigned sums[1024];
  const char *from = (const char *) in;
  const int stride = blockDim.x;
  unsigned sum = 0;
  long long start;

  __syncthreads ();
  start = clock64 ();
  for (int pass = 0; pass < passes; pass++)
    {
      int i = threadIdx.x;

      for (; i + (BATCH - 1) * stride < n; i += BATCH * stride)
#pragma unroll
        for (int b = 0; b < BATCH; b++)
          sum += load (from + (long long) (i + b * stride) * WIDTH);
      for (; i < n; i += stride)
        sum += load (from + (long long) i * WIDTH);
    }

  /* The store waits for the last load, the barrier for all stores, and the
   * clock for the barrier. */
  sums[threadIdx.x] = sum;
  __syncthreads ();
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = (unsigned) (clock64 () - start);
  /* All blocks read the same; one reports. */
  if (blockIdx.x == 0)
    out[threadIdx.x] = sum;
}

/*! cured
 * [Sweep]
 * X=footprint
 * Y=width
 * footprint=32,64,96,128,160,192,208,224,240,256,288,320,512
 * width=4,8,16
 * blocks=132
 *
 * [Claim wide]
 * Text=A load of 16 bytes per lane takes four cycles: 128 bytes each
 * Metric=cycles
 * At=footprint=128,width=16,blocks=132
 * Low=3.8
 * High=4.4
 *
 * [Claim narrow]
 * Text=Words of 4 bytes reach less than two thirds of that
 * Metric=bandwidth
 * At=footprint=128,width=4,blocks=132
 * Against=width=16
 * Low=0.4
 * High=0.66
 *
 * [Claim end]
 * Text=An array twice as large as L1 and shared memory together is read at three quarters of the rate at most
 * Metric=bandwidth
 * At=footprint=512,width=16,blocks=132
 * Against=footprint=128
 * Low=0.4
 * High=0.75
 */
