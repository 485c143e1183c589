// SPDX-License-Identifier: MIT
// Streaming through shared memory: reads, writes and copies.
/*! cured
 * [Kernel]
 * Title=Streaming through shared memory
 * Summary=Each block reads, writes or copies an array in shared memory, over and over
 * Family=bandwidth
 * Step=5
 * Bytes=16384*passes*blocks*(op==2?2:1)
 * Like=bandwidth/constant
 *
 * [Parameter ways]  # none
 *
 * [Parameter op]
 * Kind=compile
 * Values=0..2
 * Names=read,write,copy
 * Default=0
 * Summary=operation
 *
 * [Parameter width]
 * Kind=compile
 * Values=4,8,16
 * Default=4
 * Summary=bytes per access
 *
 * [Parameter warps]
 * Kind=compile
 * Values=1,2,4,8,16,32
 * Default=32
 * Summary=warps per block
 *
 * [Parameter passes]
 * Kind=problem
 * Default=256
 * Summary=passes over the array
 *
 * [Buffer in]
 * Type=u32
 * Length=4096
 * Fill=uniform
 * Low=0
 * High=4294967295
 *
 * [Launch]
 * Entry=bandwidth_shared
 * Grid=blocks
 * Block=32*warps
 * Arguments=in,out,cycles,passes
 *
 * [Cycles]
 * Buffer=cycles
 * Per=passes*512/width*(op==2?2:1)
 */

/* Of the source array; the destination follows it. */
#define ELEMENTS 4096
#define WORDS    (WIDTH / 4)

#define STEP     (32 * WARPS * WIDTH)

/* Accesses of a thread in one pass, and the number of them in flight at a
 * time. A loop that checked before each of them whether there is another one
 * would be busy with that, and not with memory. */
#define COUNT (ELEMENTS * 4 / STEP)
#if COUNT < 16
#define BATCH COUNT
#else
#define BATCH 16
#endif

typedef struct
{
  unsigned w[WORDS];
} Element;

__device__ __forceinline__ Element
load (unsigned from)
{
  Element e;

#if WORDS == 1
  asm volatile ("ld.volatile.shared.u32 %0, [%1];" : "=r"(e.w[0]) : "r"(from));
#elif WORDS == 2
  asm volatile ("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                : "=r"(e.w[0]), "=r"(e.w[1])
                : "r"(from));
#else
  asm volatile ("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(e.w[0]), "=r"(e.w[1]), "=r"(e.w[2]), "=r"(e.w[3])
                : "r"(from));
#endif
  return e;
}

__device__ __forceinline__ void
store (unsigned to, Element e)
{
#if WORDS == 1
  asm volatile ("st.volatile.shared.u32 [%0], %1;" : : "r"(to), "r"(e.w[0]));
#elif WORDS == 2
  asm volatile ("st.volatile.shared.v2.u32 [%0], {%1, %2};"
                :
                : "r"(to), "r"(e.w[0]), "r"(e.w[1]));
#else
  asm volatile ("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};"
                :
                : "r"(to), "r"(e.w[0]), "r"(e.w[1]), "r"(e.w[2]), "r"(e.w[3]));
#endif
}

/* The expected element at an address, or the one to write after it: each
 * word's own index. */
__device__ __forceinline__ Element
take (unsigned at, unsigned base)
{
#if OP == 1
  Element e;

#pragma unroll
  for (int w = 0; w < WORDS; w++)
    e.w[w] = (at - base) / 4 + w;
  return e;
#else
  return load (at);
#endif
}

/* Processes an element: writes or copies it, or else adds up its words. */
__device__ __forceinline__ unsigned
put (unsigned at, Element e)
{
  unsigned sum = 0;

#if OP == 0
#pragma unroll
  for (int w = 0; w < WORDS; w++)
    sum += e.w[w];
#else
  store (at + ELEMENTS * 4, e);
#endif
  return sum;
}

/* Measures shared memory, which moves 32 words per cycle. `cycles` is the cost
 * to a multiprocessor of one warp's access: one for words, four for elements
 * of 16 bytes, given enough warps to fill the pipe; loads and stores alike.
 * Wide accesses fill it with fewer warps, since each moves more, but reach no
 * higher rate: one warp alone reads words at a fifth of the rate at most, and
 * elements of 16 bytes at a third. */
extern "C" __global__ void
bandwidth_shared (const unsigned *__restrict__ in,
                  unsigned *__restrict__ out,
                  unsigned *__restrict__ cycles,
                  int passes)
{
  __shared__ __align__ (16) unsigned words[2 * ELEMENTS];
  const unsigned base = (unsigned) __cvta_generic_to_shared (words);
  const unsigned first = base + threadIdx.x * WIDTH;
  const int turn = 16 / BATCH;
  unsigned sum = 0;
  long long start;

  for (int i = threadIdx.x; i < ELEMENTS; i += blockDim.x)
    words[i] = in[i];
  __syncthreads ();

  start = clock64 ();
#pragma unroll turn
  for (int pass = 0; pass < passes; pass++)
#pragma unroll 1
    for (int k = 0; k < COUNT; k += BATCH)
      {
        const unsigned at = first + k * STEP;
        Element e[BATCH];

#pragma unroll
        for (int b = 0; b < BATCH; b++)
          e[b] = take (at + b * STEP, base);
#pragma unroll
        for (int b = 0; b < BATCH; b++)
          sum += put (at + b * STEP, e[b]);
      }
  /* The store waits for the last load, the barrier for all stores, and the
   * clock for the barrier. */
#if OP == 0
  *(volatile unsigned *) &words[ELEMENTS + threadIdx.x] = sum;
#endif
  __syncthreads ();
  if (threadIdx.x == 0)
    cycles[blockIdx.x] = (unsigned) (clock64 () - start);

  /* All blocks do the same; one reports. */
  if (blockIdx.x != 0)
    return;
#if OP != 0
  for (int k = 0; k < COUNT; k++)
    {
      const Element e = load (first + k * STEP + ELEMENTS * 4);

      for (int w = 0; w < WORDS; w++)
        sum += e.w[w];
    }
#endif
  out[threadIdx.x] = sum;
}

/*! cured
 * [Sweep]
 * X=warps
 * Y=width
 * warps=1,4,8,16,32
 * width=4,8,16
 * op=0..2
 * blocks=132
 *
 * [Claim words]
 * Text=A warp that reads 32 words takes one cycle
 * Metric=cycles
 * At=op=0,width=4,warps=32,blocks=132
 * Low=0.97
 * High=1.08
 *
 * [Claim wide]
 * Text=One that reads 32 elements of 16 bytes takes four
 * Metric=cycles
 * At=op=0,width=16,warps=32,blocks=132
 * Low=3.85
 * High=4.3
 *
 * [Claim store]
 * Text=Stores take as long as loads
 * Metric=cycles
 * At=op=1,width=4,warps=32,blocks=132
 * Against=op=0
 * Low=0.94
 * High=1.06
 *
 * [Claim alone]
 * Text=One warp alone reads words at a fifth of the rate at most
 * Metric=cycles
 * At=op=0,width=4,warps=1,blocks=132
 * Against=warps=32
 * Low=5.4
 * High=8
 *
 * [Claim alone-wide]
 * Text=One warp alone reads 16-byte elements at a third of the rate
 * Metric=cycles
 * At=op=0,width=16,warps=1,blocks=132
 * Against=warps=32
 * Low=2.6
 * High=3.6
 */
