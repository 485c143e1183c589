// SPDX-License-Identifier: MIT
// Vector addition with pairs that start at even elements.
/*! cured
 * [Kernel]
 * Title=Aligned vector loads
 * Summary=out = a + b, two elements per thread with 8-byte accesses, from element 0 on
 * Family=specimens
 * Step=6
 * Like=specimens/early-exit
 *
 * [Launch]
 * Entry=specimens_misaligned_fixed
 * Grid=ceil(n/(2*block))
 * Block=block
 * Arguments=a,b,out,n
 */

/* The twin of specimens/misaligned: pairs start where the vector does, and an
 * odd last element is added separately. */
extern "C" __global__ void
specimens_misaligned_fixed (const int *__restrict__ a,
                            const int *__restrict__ b,
                            int *__restrict__ out,
                            int n)
{
  const int i = 2 * (blockIdx.x * BLOCK + threadIdx.x);

  if (i + 1 < n)
    {
      const int2 x = *(const int2 *) &a[i];
      const int2 y = *(const int2 *) &b[i];

      *(int2 *) &out[i] = make_int2 (x.x + y.x, x.y + y.y);
    }
  else if (i < n)
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
 * Text=Pairs start where the vector does
 * Metric=findings
 * High=0
 *
 * [Claim pairs]
 * Text=A request of a warp has twice as many sectors as with single elements
 * Metric=sectors_per_request
 * Against=specimens/past-end-fixed
 * Low=2
 * High=2
 *
 * [Claim instructions]
 * Text=Pairs take about six instructions where single elements take ten
 * Metric=instructions
 * Against=specimens/past-end-fixed
 * Low=0.58
 * High=0.61
 */
