// SPDX-License-Identifier: MIT
// Vector addition that ends where its vectors do.
/*! cured
 * [Kernel]
 * Title=Vector addition within bounds
 * Summary=out = a + b; the branch keeps threads past the end out
 * Family=specimens
 * Step=5
 * Like=specimens/early-exit
 *
 * [Launch]
 * Entry=specimens_past_end_fixed
 * Grid=floor(n/block)+1
 * Block=block
 * Arguments=a,b,out,n
 */

/* The twin of specimens/past-end. The grid has a thread past the end even where
 * n is a multiple of the block; i < n keeps it out. */
extern "C" __global__ void
specimens_past_end_fixed (const int *__restrict__ a,
                          const int *__restrict__ b,
                          int *__restrict__ out,
                          int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < n)
    out[i] = a[i] + b[i];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim clean]
 * Text=Nothing is touched past the end, also where a block has no element
 * Metric=findings
 * At=n=1024
 * High=0
 */
