// SPDX-License-Identifier: MIT
// Vector addition with an assertion that fails, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Assertion that fails
 * Summary=out = a + b; the assertion is before the branch that makes it true
 * Family=specimens
 * Step=13
 * Defect=trap
 * Like=specimens/early-exit
 *
 * [Launch]
 * Entry=specimens_assertion
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=a,b,out,n
 */

/* A specimen. The assertion holds for threads that have an element, but comes
 * before the branch that makes the others leave. The kernel ends at the first
 * thread past the end, with a message on the device's standard output, and the
 * process can't use the device any more. */
extern "C" __global__ void
specimens_assertion (const int *__restrict__ a,
                     const int *__restrict__ b,
                     int *__restrict__ out,
                     int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  assert (i < n);
  if (i < n)
    {
      out[i] = a[i] + b[i];
    }
}

/*! cured
 * [Claim found]
 * Text=The assertion fails where the last block reaches past the end
 * Metric=findings
 * Low=1
 *
 * [Claim multiple]
 * Text=Where n is a multiple of the block it holds
 * Metric=findings
 * At=n=1024
 * High=0
 */
