// SPDX-License-Identifier: MIT
// Tree reduction without a barrier before its loop, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Tree without its first barrier
 * Summary=Each thread stores its sum; the tree starts at once
 * Family=specimens
 * Step=21
 * Defect=race,uninitialized
 * Like=specimens/branch-barrier
 *
 * [Launch]
 * Entry=specimens_unwaited_tree
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* A specimen. Every step ends with a barrier, but there is none before the
 * first: thread t reads the sum of thread t + BLOCK / 2, which may not have
 * been stored yet.
 *
 * Expect a right sum now and then, since the warps of a block start together and
 * have about as much to load, and a wrong one where a warp was late. */
extern "C" __global__ void
specimens_unwaited_tree (const int *__restrict__ in, int *out, int n)
{
  __shared__ int sums[BLOCK];
  int sum = 0;

  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  sums[threadIdx.x] = sum;
  for (int half = BLOCK / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads ();
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
 * [Claim found]
 * Text=The first step reads sums that other warps have not stored yet
 * Metric=findings
 * Low=1
 *
 * [Claim barriers]
 * Text=Leaving it out saves nothing: the twin, with it, has none after the last step
 * Metric=barriers
 * Against=specimens/unwaited-tree-fixed
 * Low=1
 * High=1
 */
