// SPDX-License-Identifier: MIT
// Streaming writes to global memory and to the level-2 cache.
/*! cured
 * [Kernel]
 * Title=Streaming writes
 * Summary=All blocks write one array, several times over
 * Family=bandwidth
 * Step=2
 * Bytes=footprint*1024*passes
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
 * Summary=bytes per store
 *
 * [Parameter passes]
 * Kind=problem
 * Default=32
 * Summary=how often the array is written
 *
 * [Parameter threads]
 * Kind=launch
 * Values=32..1024:32
 * Default=1024
 * Summary=threads per block
 *
 * [Parameter blocks]
 * Kind=launch
 * Default=264
 * Summary=blocks in the grid
 *
 * [Buffer out]
 * Type=u32
 * Length=footprint*256
 * Fill=poison
 *
 * [Launch]
 * Entry=bandwidth_write
 * Grid=blocks
 * Block=threads
 * Arguments=out,footprint*1024/width:i64,passes
 *
 * [Check]
 * Output=out
 * Reference=index
 */

#define WORDS (WIDTH / 4)

/* Accesses of a thread in flight at a time. A loop that the compiler unrolls
 * would check before each access whether there is another one; here it is
 * checked once per batch. */
#define BATCH 4

/* Each word's own index. */
__device__ __forceinline__ void
store (unsigned *to, unsigned index)
{
#if WORDS == 1
  asm volatile ("st.global.u32 [%0], %1;" : : "l"(to), "r"(index) : "memory");
#elif WORDS == 2
  asm volatile ("st.global.v2.u32 [%0], {%1, %2};"
                :
                : "l"(to), "r"(index), "r"(index + 1)
                : "memory");
#else
  asm volatile ("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                :
                : "l"(to), "r"(index), "r"(index + 1), "r"(index + 2),
                  "r"(index + 3)
                : "memory");
#endif
}

/* Now: L2 cache. A store needs no answer, so few threads can have many in
 * flight. Written data stays in L2 until it is evicted: an array that fits is
 * written there many times, and to memory once at most. That gains little,
 * compared with bandwidth/read: L2 accepts writes hardly faster than memory
 * does. */
extern "C" __global__ void
bandwidth_write (unsigned *__restrict__ out, long long n, int passes)
{
  const long long stride = (long long) gridDim.x * blockDim.x;
  const long long first = (long long) blockIdx.x * blockDim.x + threadIdx.x;

  for (int pass = 0; pass < passes; pass++)
    {
      long long i = first;

      for (; i + (BATCH - 1) * stride < n; i += BATCH * stride)
#pragma unroll
        for (int b = 0; b < BATCH; b++)
          store (out + (i + b * stride) * WORDS,
                 (unsigned) ((i + b * stride) * WORDS));
      for (; i < n; i += stride)
        store (out + i * WORDS, (unsigned) (i * WORDS));
    }
}

/*! cured
 * [Sweep]
 * X=footprint
 * Y=width
 * footprint=8192,12288,16384,24576,32768,40960,49152,57344,65536,81920,98304,262144,524288
 * width=4,8,16
 *
 * [Claim cache]
 * Text=L2 accepts writes hardly faster than memory does
 * Metric=bandwidth
 * At=footprint=49152,width=16
 * Against=footprint=524288
 * Low=0.95
 * High=1.2
 */
