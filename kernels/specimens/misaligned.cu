// SPDX-License-Identifier: MIT
// Vector addition with pairs that start at odd elements, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Misaligned vector loads
 * Summary=out = a + b, two elements per thread with 8-byte accesses, from element 1 on
 * Family=specimens
 * Step=6
 * Defect=misaligned
 * Like=specimens/early-exit
 *
 * [Launch]
 * Entry=specimens_misaligned
 * Grid=ceil(n/(2*block))
 * Block=block
 * Arguments=a,b,out,n
 */

/* A specimen. An access of 8 bytes needs an address that is a multiple of 8.
 * The vectors start at one, element 1 is 4 bytes further, and the cast does
 * not change that. A CPU would accept it; a GPU ends the kernel with
 * "misaligned address", and the process loses everything that it has on the
 * device. */
extern "C" __global__ void
specimens_misaligned (const int *__restrict__ a,
                      const int *__restrict__ b,
                      int *__restrict__ out,
                      int n)
{
  const int i = 1 + 2 * (blockIdx.x * BLOCK + threadIdx.x);

  if (i + 1 < n)
    {
      const int2 x = *(const int2 *) &a[i];
      const int2 y = *(const int2 *) &b[i];

      *(int2 *) &out[i] = make_int2 (x.x + y.x, x.y + y.y);
    }
  else if (i < n)
    out[i] = a[i] + b[i];
  if (i == 1)
    out[0] = a[0] + b[0];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim found]
 * Text=Pairs at odd elements start at no multiple of 8 bytes
 * Metric=findings
 * Low=1
 */
