// SPDX-License-Identifier: MIT
// Vector addition with its bounds check the right way round.
/*! cured
 * [Kernel]
 * Title=Addition that stores its results
 * Summary=out = a + 1
 * Family=specimens
 * Step=30
 * Like=specimens/no-store
 *
 * [Launch]
 * Entry=specimens_no_store_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=a,out,n
 */

/* The twin of specimens/no-store. */
extern "C" __global__ void
specimens_no_store_fixed (const int *__restrict__ a, int *out, int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < n)
    out[i] = a[i] + 1;
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10007
 *
 * [Claim clean]
 * Text=Every element is stored
 * Metric=findings
 * High=0
 */
