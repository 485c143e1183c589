// SPDX-License-Identifier: MIT
// Streaming reads of global memory and of the level-2 cache.
/*! cured
 * [Kernel]
 * Title=Streaming reads
 * Summary=All blocks read one array, several times over, past the first cache
 * Family=bandwidth
 * Step=1
 * Bytes=footprint*1024*passes
 * Ceiling=read
 * Like=bandwidth/write
 *
 * [Parameter footprint]
 * Kind=problem
 * Default=524288
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
 * Default=32
 * Summary=how often the array is read
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
 * Length=threads*blocks
 * Fill=poison
 *
 * [Launch]
 * Entry=bandwidth_read
 * Grid=blocks
 * Block=threads
 * Arguments=in,out,footprint*1024/width:i64,passes
 *
 * [Check]
 * Output=out
 * Reference=stream
 */

#define WORDS (WIDTH / 4)

/* Accesses of a thread in flight at a time. A loop that the compiler unrolls
 * would check before each access whether there is another one; here it is
 * checked once per batch. */
#define BATCH 4

/* A load that bypasses L1. */
__device__ __forceinline__ unsigned
load (const char *from)
{
#if WORDS == 1
  unsigned w0;

  asm volatile ("ld.global.cg.u32 %0, [%1];" : "=r"(w0) : "l"(from));
  return w0;
#elif WORDS == 2
  unsigned w0, w1;

  asm volatile ("ld.global.cg.v2.u32 {%0, %1}, [%2];"
                : "=r"(w0), "=r"(w1)
                : "l"(from));
  return w0 + w1;
#else
  unsigned w0, w1, w2, w3;

  asm volatile ("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(w0), "=r"(w1), "=r"(w2), "=r"(w3)
                : "l"(from));
  return w0 + w1 + w2 + w3;
#endif
}

/* Measures L2 while the array fits into it, else memory; the step
 * between them is where L2 ends. L2 delivers at least one and a half times as
 * much. The first pass always comes from memory, which `passes` makes a small
 * part.
 *
 * The grid has as many threads as an H200 holds at once. With more, the first
 * blocks would finish all passes before the last ones begin, and L2 would only
 * have to hold a part of the array at a time.
 *
 * Wider loads request more bytes with as many requests. From memory that makes
 * hardly a difference: with words of 4 bytes, enough threads have nearly as
 * many bytes in flight. */
extern "C" __global__ void
bandwidth_read (const unsigned *__restrict__ in,
                unsigned *__restrict__ out,
                long long n,
                int passes)
{
  const long long stride = (long long) gridDim.x * blockDim.x;
  const long long first = (long long) blockIdx.x * blockDim.x + threadIdx.x;
  const char *from = (const char *) in;
  unsigned sum = 0;

  for (int pass = 0; pass < passes; pass++)
    {
      long long i = first;

      for (; i + (BATCH - 1) * stride < n; i += BATCH * stride)
#pragma unroll
        for (int b = 0; b < BATCH; b++)
          sum += load (from + (i + b * stride) * WIDTH);
      for (; i < n; i += stride)
        sum += load (from + i * WIDTH);
    }
  out[first] = sum;
}

/*! cured
 * [Claim cache]
 * Text=L2 delivers at least one and a half times as much as memory
 * Metric=bandwidth
 * At=footprint=49152,width=16
 * Against=footprint=524288
 * Low=1.5
 * High=2.2
 *
 * [Claim ceiling]
 * Text=From memory, the device's measured read limit is reached
 * Metric=of_ceiling
 * At=footprint=524288,width=16
 * Low=0.95
 * High=1.1
 *
 * [Claim width]
 * Text=In memory, words of 4 bytes cost a tenth at most
 * Metric=bandwidth
 * At=footprint=524288,width=4
 * Against=width=16
 * Low=0.9
 * High=1.03
 */
