// SPDX-License-Identifier: MIT
// Vector addition that sets its output.
/*! cured
 * [Kernel]
 * Title=Assignment to the output
 * Summary=out = a + b
 * Family=specimens
 * Step=8
 * Like=specimens/early-exit
 *
 * [Launch]
 * Entry=specimens_unwritten_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=a,b,out,n
 */

/* The twin of specimens/unwritten. */
extern "C" __global__ void
specimens_unwritten_fixed (const int *__restrict__ a,
                           const int *__restrict__ b,
                           int *out,
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
 * Text=The output is only written
 * Metric=findings
 * High=0
 *
 * [Claim traffic]
 * Text=Two vectors are read and one written: 3 times 125 sectors
 * Metric=global_sectors
 * Low=375
 * High=375
 */
