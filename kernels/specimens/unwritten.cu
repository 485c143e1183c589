// SPDX-License-Identifier: MIT
// Vector addition to an output that nobody wrote, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Addition to an output that is not initialized
 * Summary=out += a + b, with nothing in out yet
 * Family=specimens
 * Step=8
 * Defect=unwritten-output
 * Like=specimens/early-exit
 *
 * [Launch]
 * Entry=specimens_unwritten
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=a,b,out,n
 */

/* A specimen. += reads the old value, and cudaMalloc does not clear memory.
 * Fresh from the driver it is often 0, so this passes a first test and fails
 * in a program that has run for a while. */
extern "C" __global__ void
specimens_unwritten (const int *__restrict__ a,
                     const int *__restrict__ b,
                     int *out,
                     int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < n)
    out[i] += a[i] + b[i];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim found]
 * Text=The output is read before it was written
 * Metric=findings
 * Low=1
 *
 * [Claim traffic]
 * Text=Reading the output, too, is a third more traffic
 * Metric=global_sectors
 * Against=specimens/unwritten-fixed
 * Low=4/3
 * High=4/3
 */
