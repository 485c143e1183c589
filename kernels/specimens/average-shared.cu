// SPDX-License-Identifier: MIT
// Averaging filter in shared memory, wrong on purpose: reads race with writes.
/*! cured
 * [Kernel]
 * Title=Averaging in shared memory, in place
 * Summary=One block keeps the array in shared memory and makes many iterations where the elements are read
 * Family=specimens
 * Step=16
 * Defect=race
 * Like=specimens/average-one-launch
 *
 * [Buffer spare]  # none
 *
 * [Launch]
 * Entry=specimens_average_shared
 * Grid=1
 * Block=block
 * Shared=4*n
 * Arguments=in,out,n,iterations
 */

/* A specimen: case 11 of average/cases as it is first written down. There is a
 * barrier after the load and after each iteration. The one within an iteration
 * is missing: elements are overwritten while neighbours still read them.
 *
 * Expect the errors of specimens/average-repeated, in faster memory. */
extern "C" __global__ void
specimens_average_shared (const float *in, float *out, int n, int iterations)
{
  extern __shared__ float data[];

  for (int i = threadIdx.x; i < n; i += BLOCK)
    data[i] = in[i];
  __syncthreads ();
  for (int k = 0; k < iterations; k++)
    {
      for (int i = threadIdx.x; i < n; i += BLOCK)
        if (i > 0 && i < n - 1)
          data[i] = (data[i - 1] + data[i] + data[i + 1]) / 3;
      __syncthreads ();
    }
  for (int i = threadIdx.x; i < n; i += BLOCK)
    out[i] = data[i];
}

/*! cured
 * [Claim barriers]
 * Text=Each warp waits for the load, and once per iteration
 * Metric=barriers
 * At=iterations=8,n=1000
 * Low=72
 * High=72
 */
