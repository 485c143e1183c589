// SPDX-License-Identifier: MIT
// Vector addition whose bounds check is the wrong way round, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Addition that stores nothing
 * Summary=A bounds check the wrong way round: no thread stores
 * Family=specimens
 * Step=30
 * Defect=no-store
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads per block
 *
 * [Parameter n]
 * Kind=problem
 * Default=1000
 * Summary=elements, any number
 *
 * [Buffer a]
 * Type=i32
 * Length=n
 * Fill=uniform
 *
 * [Buffer out]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_no_store
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=a,out,n
 */

/* A specimen. Nothing fails, and nothing was computed: without a reference to
 * compare with, only a count of stores shows it. */
extern "C" __global__ void
specimens_no_store (const int *__restrict__ a, int *out, int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i > n + BLOCK)
    out[i] = a[i] + 1;
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10007
 *
 * [Claim found]
 * Text=No store is executed
 * Metric=findings
 * Low=1
 */
