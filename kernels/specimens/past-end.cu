// SPDX-License-Identifier: MIT
// Vector addition of one element too many, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Vector addition past the end
 * Summary=out = a + b; the branch lets one thread too many through
 * Family=specimens
 * Step=5
 * Defect=out-of-bounds
 * Like=specimens/early-exit
 *
 * [Launch]
 * Entry=specimens_past_end
 * Grid=floor(n/block)+1
 * Block=block
 * Arguments=a,b,out,n
 */

/* A specimen. i <= n lets thread n through: it reads a[n] and b[n] and
 * writes out[n]. Where other memory follows, a GPU silently changes that
 * instead. Cured keeps a guard zone after each buffer and examines it after
 * the check. */
extern "C" __global__ void
specimens_past_end (const int *__restrict__ a,
                    const int *__restrict__ b,
                    int *__restrict__ out,
                    int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i <= n)
    out[i] = a[i] + b[i];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim found]
 * Text=Thread n reads and writes past the end
 * Metric=findings
 * Low=1
 *
 * [Claim same]
 * Text=The wrong comparison saves nothing
 * Metric=instructions
 * Against=specimens/past-end-fixed
 * Low=1
 * High=1
 */
