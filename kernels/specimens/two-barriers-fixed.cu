// SPDX-License-Identifier: MIT
// Two halves of a block that meet at one barrier.
/*! cured
 * [Kernel]
 * Title=Two halves of a block at one barrier
 * Summary=One half of the block adds up what both halves summed, once they have met
 * Family=specimens
 * Step=14
 * Like=specimens/branch-barrier
 *
 * [Parameter block]
 * Kind=compile
 * Values=64..1024:64
 * Default=256
 * Summary=threads per block, half of them whole warps
 *
 * [Launch]
 * Entry=specimens_two_barriers_fixed
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* The twin of specimens/two-barriers: one barrier for both halves, which
 * completes when both have arrived. */
/* Waits at one of the block's 16 barriers for that many threads. */
__device__ __forceinline__ void
wait_at (int barrier, int threads)
{
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

extern "C" __global__ void
specimens_two_barriers_fixed (const int *__restrict__ in, int *out, int n)
{
  __shared__ int sums[BLOCK];
  int sum = 0;

  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  sums[threadIdx.x] = sum;
  wait_at (1, BLOCK);
  if (threadIdx.x == 0)
    {
      for (int t = 1; t < BLOCK; t++)
        sum += sums[t];
      out[0] = sum;
    }
}

/*! cured
 * [Claim clean]
 * Text=The barrier gets all threads that it waits for
 * Metric=findings
 * High=0
 *
 * [Claim barriers]
 * Text=Each of eight warps arrives once
 * Metric=barriers
 * Low=8
 * High=8
 */
