// SPDX-License-Identifier: MIT
// Streaming copies within global memory and within the level-2 cache.
/*! cured
 * [Kernel]
 * Title=Streaming copies
 * Summary=All blocks copy one array to another, several times over
 * Family=bandwidth
 * Step=3
 * Bytes=2*footprint*1024*passes
 * Ceiling=copy
 * Like=bandwidth/write
 *
 * [Parameter footprint]
 * Kind=problem
 * Default=524288
 * Summary=KiB of each of the two arrays
 *
 * [Parameter width]
 * Kind=compile
 * Values=4,8,16
 * Default=16
 * Summary=bytes per load and store
 *
 * [Parameter passes]
 * Kind=problem
 * Default=32
 * Summary=how often the array is copied
 *
 * [Buffer in]
 * Type=u32
 * Length=footprint*256
 * Fill=uniform
 * Low=0
 * High=4294967295
 *
 * [Launch]
 * Entry=bandwidth_copy
 * Grid=blocks
 * Block=threads
 * Arguments=in,out,footprint*1024/width:i64,passes
 *
 * [Check]
 * Output=out
 * Reference=copy
 */

#define WORDS (WIDTH / 4)

/* Accesses of a thread in flight at a time. A loop that the compiler unrolls
 * would check before each access whether there is another one; here it is
 * checked once per batch. */
#define BATCH 4

typedef struct
{
  unsigned w[WORDS];
} Element;

/* A load that bypasses L1. */
__device__ __forceinline__ Element
load (const unsigned *from)
{
  Element e;

#if WORDS == 1
  asm volatile ("ld.global.cg.u32 %0, [%1];" : "=r"(e.w[0]) : "l"(from));
#elif WORDS == 2
  asm volatile ("ld.global.cg.v2.u32 {%0, %1}, [%2];"
                : "=r"(e.w[0]), "=r"(e.w[1])
                : "l"(from));
#else
  asm volatile ("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(e.w[0]), "=r"(e.w[1]), "=r"(e.w[2]), "=r"(e.w[3])
                : "l"(from));
#endif
  return e;
}

__device__ __forceinline__ void
store (unsigned *to, Element e)
{
#if WORDS == 1
  asm volatile ("st.global.u32 [%0], %1;" : : "l"(to), "r"(e.w[0]));
#elif WORDS == 2
  asm volatile ("st.global.v2.u32 [%0], {%1, %2};"
                :
                : "l"(to), "r"(e.w[0]), "r"(e.w[1]));
#else
  asm volatile ("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                :
                : "l"(to), "r"(e.w[0]), "r"(e.w[1]), "r"(e.w[2]), "r"(e.w[3]));
#endif
}

/* Like bandwidth/read, with reads and writes that compete. Within L2 a copy is
 * at least one and a half times as fast as in memory, but two arrays share it,
 * so its end shows at a smaller footprint. */
extern "C" __global__ void
bandwidth_copy (const unsigned *__restrict__ in,
                unsigned *__restrict__ out,
                long long n,
                int passes)
{
  const long long stride = (long long) gridDim.x * blockDim.x;
  const long long first = (long long) blockIdx.x * blockDim.x + threadIdx.x;

  for (int pass = 0; pass < passes; pass++)
    {
      long long i = first;

      for (; i + (BATCH - 1) * stride < n; i += BATCH * stride)
        {
          Element e[BATCH];

#pragma unroll
          for (int b = 0; b < BATCH; b++)
            e[b] = load (in + (i + b * stride) * WORDS);
#pragma unroll
          for (int b = 0; b < BATCH; b++)
            store (out + (i + b * stride) * WORDS, e[b]);
        }
      for (; i < n; i += stride)
        store (out + i * WORDS, load (in + i * WORDS));
    }
}

/*! cured
 * [Claim cache]
 * Text=Within the second cache a copy is at least one and a half times as fast
 * Metric=bandwidth
 * At=footprint=16384,width=16
 * Against=footprint=524288
 * Low=1.5
 * High=2.3
 *
 * [Claim ceiling]
 * Text=In memory it comes near to the device's measured copy limit
 * Metric=of_ceiling
 * At=footprint=524288,width=16
 * Low=0.85
 * High=1.1
 */
