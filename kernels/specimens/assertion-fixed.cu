// SPDX-License-Identifier: MIT
// Vector addition with an assertion that holds.
/*! cured
 * [Kernel]
 * Title=Assertion that holds
 * Summary=out = a + b; the assertion is behind the branch that makes it true
 * Family=specimens
 * Step=13
 *
 * [Parameter block]
 * Kind=compile
 * Values=32..1024:32
 * Default=256
 * Summary=threads a block
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
 * Low=-100
 * High=100
 *
 * [Buffer b]
 * Type=i32
 * Length=n
 * Fill=uniform
 * Low=-100
 * High=100
 *
 * [Buffer out]
 * Type=i32
 * Length=n
 * Fill=poison
 *
 * [Launch]
 * Entry=specimens_assertion_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=a,b,out,n
 *
 * [Check]
 * Output=out
 * Reference=vector-add
 *
 * [Claim clean]
 * Text=No thread breaks the assertion
 * Metric=findings
 * High=0
 *
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1023,10^5
 */

/* The twin of specimens/assertion. */
extern "C" __global__ void
specimens_assertion_fixed (const int *__restrict__ a,
                           const int *__restrict__ b,
                           int *__restrict__ out,
                           int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < n)
    {
      assert (i >= 0);
      out[i] = a[i] + b[i];
    }
}
