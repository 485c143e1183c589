// SPDX-License-Identifier: MIT
// A copy of an array by cp.async, short or long.
/*! cured
 * [Kernel]
 * Title=Asynchronous copy of a long array
 * Summary=Blocks copy elements through shared memory by cp.async, with a swizzle of the places or without
 * Family=swizzle
 * Step=5
 * Bytes=8*n
 * Ceiling=copy
 *
 * [Parameter width]
 * Kind=compile
 * Values=4,8,16
 * Default=4
 * Summary=bytes of one copy
 *
 * [Parameter swizzle]
 * Kind=compile
 * Values=0,1
 * Names=none,phases
 * Default=0
 * Summary=whether the places have Triton's swizzle vec=1, perPhase=1, maxPhase=8, with rows of 32 copies
 *
 * [Parameter n]
 * Kind=problem
 * Values=1024..262144:1024
 * Default=262144
 * Summary=elements of 4 bytes
 *
 * [Buffer in]
 * Type=u32
 * Length=n
 * Fill=uniform
 * Low=0
 * High=4294967295
 *
 * [Buffer out]
 * Type=u32
 * Length=n
 * Fill=poison
 *
 * [Require chip]
 * If=compute_major >= 8
 * Reason=cp.async needs compute capability 8.0
 *
 * [Launch]
 * Entry=swizzle_long_copy
 * Grid=n/1024
 * Block=256
 * Arguments=in,out
 *
 * [Check]
 * Output=out
 * Reference=copy
 */

#define WORDS (WIDTH / 4)

typedef struct
{
  unsigned w[WORDS];
} __align__ (WIDTH) Element;

/* Asked in Triton #8149: why does a copy by cp.async get conflicts when its
 * array grows, although its blocks and its layouts stay the same, and why
 * does a swizzled layout not help?
 *
 * It gets none. Neighbours write neighbouring words: each access takes its
 * wavefronts and no more, in the first block and in the last, and a swizzle
 * within a row has nothing to improve. Bytes per copy do not change that
 * either. The traffic of global memory grows with the array, and it shares the
 * pipe: cycles lost to it are counted as conflicts, too, an artefact of the
 * counter. */
extern "C" __global__ void __launch_bounds__ (256)
swizzle_long_copy (const Element *__restrict__ in, Element *__restrict__ out)
{
  __shared__ __align__ (128) Element tile[1024 / WORDS];
  const unsigned thread = threadIdx.x;
  const size_t first = (size_t) blockIdx.x * (1024 / WORDS);

#pragma unroll
  for (unsigned i = 0; i < 1024 / WORDS; i += 256)
    {
      const unsigned element = i + thread;
      const unsigned place = SWIZZLE ? element ^ (element / 32 % 8) : element;

      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                       (unsigned) __cvta_generic_to_shared (&tile[place])),
                   "l"(in + first + element), "n"(WIDTH)
                   : "memory");
    }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads ();

  /* Another warp's elements, so shared memory is needed. */
#pragma unroll
  for (unsigned i = 0; i < 1024 / WORDS; i += 256)
    {
      const unsigned element = i + (thread ^ 32);

      out[first + element] =
          tile[SWIZZLE ? element ^ (element / 32 % 8) : element];
    }
}

/*! cured
 * [Sweep]
 * X=n
 * Y=width
 * n=2^12,2^16,2^18
 * width=4,8,16
 * swizzle=0,1
 *
 * [Claim short]
 * Text=A short array has no conflict
 * Metric=excess_wavefronts
 * At=width=4,swizzle=0,n=1024
 * High=0
 *
 * [Claim long]
 * Text=Nor does a long one
 * Metric=excess_wavefronts
 * At=width=4,swizzle=0,n=2^18
 * High=0
 *
 * [Claim swizzled]
 * Text=A swizzle within rows makes none
 * Metric=excess_wavefronts
 * At=width=4,swizzle=1,n=2^18
 * High=0
 *
 * [Claim wide]
 * Text=Nor do copies of 16 bytes
 * Metric=excess_wavefronts
 * At=width=16,swizzle=0,n=2^18
 * High=0
 *
 * [Claim wide_swizzled]
 * Text=Not with a swizzle either
 * Metric=excess_wavefronts
 * At=width=16,swizzle=1,n=2^18
 * High=0
 *
 * [Claim wavefronts]
 * Text=An element takes as many wavefronts in a long array as in a short one
 * Metric=shared_wavefronts
 * At=width=4,swizzle=0,n=2^18
 * Against=width=4,swizzle=0,n=1024
 * Low=256
 * High=256
 */
