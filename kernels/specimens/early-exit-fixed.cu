// SPDX-License-Identifier: MIT
// Vector addition whose threads all reach the barrier.
/*! cured
 * [Kernel]
 * Title=Bounds check without an early exit
 * Summary=out = a + b through shared memory; only the accesses are inside the branch
 * Family=specimens
 * Step=4
 * Like=specimens/early-exit
 *
 * [Launch]
 * Entry=specimens_early_exit_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=a,b,out,n
 */

/* The twin of specimens/early-exit: all threads go all the way, and only the
 * accesses past the end are left out. */
extern "C" __global__ void
specimens_early_exit_fixed (const int *__restrict__ a,
                            const int *__restrict__ b,
                            int *__restrict__ out,
                            int n)
{
  __shared__ int slice[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  slice[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads ();
  if (i < n)
    out[i] = slice[threadIdx.x] + b[i];
}

/*! cured
 * [Claim clean]
 * Text=No thread ends before the barrier
 * Metric=findings
 * High=0
 *
 * [Claim cost]
 * Text=The comparisons that replace the early end are a tenth more instructions
 * Metric=instructions
 * Against=specimens/early-exit
 * Low=1.05
 * High=1.15
 */
