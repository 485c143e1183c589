// SPDX-License-Identifier: MIT
// Vector addition with an assertion that holds.
/*! cured
 * [Kernel]
 * Title=Assertion that holds
 * Summary=out = a + b; the assertion is behind the branch that makes it true
 * Family=specimens
 * Step=13
 * Like=specimens/early-exit
 *
 * [Launch]
 * Entry=specimens_assertion_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=a,b,out,n
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

/*! cured
 * [Claim clean]
 * Text=No thread breaks the assertion
 * Metric=findings
 * High=0
 */
