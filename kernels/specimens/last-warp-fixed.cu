// SPDX-License-Identifier: MIT
// Sum of a block whose last warp waits for its lanes.
/*! cured
 * [Kernel]
 * Title=Last warp unrolled, with __syncwarp
 * Summary=Tree reduction; the last 64 sums are added by one warp, whose lanes wait for each other
 * Family=specimens
 * Step=2
 * Like=specimens/branch-barrier
 *
 * [Launch]
 * Entry=specimens_last_warp_fixed
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* The twin of specimens/last-warp. There is a __syncwarp () between a step's
 * loads and its stores, and between these and the next step's loads: it waits
 * for the lanes of the warp and orders their accesses. Both are needed, since
 * lane 0 reads an element that lane 16 overwrites in the same step. */
__device__ void
add_warp (int *sums, int lane)
{
  for (int half = 32; half > 0; half /= 2)
    {
      const int other = sums[lane + half];

      __syncwarp ();
      sums[lane] += other;
      __syncwarp ();
    }
}

extern "C" __global__ void
specimens_last_warp_fixed (const int *__restrict__ in, int *out, int n)
{
  __shared__ int sums[BLOCK];
  int sum = 0;

  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads ();
  for (int half = BLOCK / 2; half > 32; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
    }
  if (threadIdx.x < 32)
    add_warp (sums, threadIdx.x);
  if (threadIdx.x == 0)
    out[0] = sums[0];
}

/*! cured
 * [Claim clean]
 * Text=Each round's loads and stores are in order
 * Metric=findings
 * High=0
 *
 * [Claim barriers]
 * Text=Eight warps arrive after the load and in each of the two rounds of the whole block; the last warp needs no more
 * Metric=barriers
 * Low=24
 * High=24
 */
