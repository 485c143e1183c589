// SPDX-License-Identifier: MIT
// Tree reduction with a barrier before its loop.
/*! cured
 * [Kernel]
 * Title=Tree with its first barrier
 * Summary=Each thread stores its sum and waits; then the tree starts
 * Family=specimens
 * Step=21
 * Like=specimens/branch-barrier
 *
 * [Launch]
 * Entry=specimens_unwaited_tree_fixed
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* The twin of specimens/unwaited-tree: every step, including the first, reads
 * sums that were stored before the barrier in front of it. */
extern "C" __global__ void
specimens_unwaited_tree_fixed (const int *__restrict__ in, int *out, int n)
{
  __shared__ int sums[BLOCK];
  int sum = 0;

  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  sums[threadIdx.x] = sum;
  for (int half = BLOCK / 2; half > 0; half /= 2)
    {
      __syncthreads ();
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
    }
  if (threadIdx.x == 0)
    out[0] = sums[0];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim clean]
 * Text=Each round waits for the one before it
 * Metric=findings
 * High=0
 */
