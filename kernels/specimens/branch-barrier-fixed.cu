// SPDX-License-Identifier: MIT
// Tree reduction with the barrier behind the branch.
/*! cured
 * [Kernel]
 * Title=Barrier after the branch
 * Summary=Tree reduction; every thread reaches every barrier
 * Family=specimens
 * Step=3
 * Like=specimens/branch-barrier
 *
 * [Launch]
 * Entry=specimens_branch_barrier_fixed
 * Grid=1
 * Block=block
 * Arguments=in,out,n
 */

/* The twin of specimens/branch-barrier: the barrier comes after the branch,
 * and all threads of the block reach it equally often. */
extern "C" __global__ void
specimens_branch_barrier_fixed (const int *__restrict__ in, int *out, int n)
{
  __shared__ int sums[BLOCK];
  int sum = 0;

  for (int i = threadIdx.x; i < n; i += BLOCK)
    sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads ();
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
 * [Claim clean]
 * Text=Every thread reaches every barrier
 * Metric=findings
 * High=0
 *
 * [Claim barriers]
 * Text=Eight warps arrive once after the load and once in each of eight rounds
 * Metric=barriers
 * Low=72
 * High=72
 */
