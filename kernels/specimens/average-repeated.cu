// SPDX-License-Identifier: MIT
// Averaging filter on one array, many times, wrong on purpose.
/*! cured
 * [Kernel]
 * Title=Averaging in place, many times
 * Summary=One block makes many iterations on one array, each of them where the elements are read
 * Family=specimens
 * Step=15
 * Defect=global-race
 * Like=specimens/average-one-launch
 *
 * [Buffer spare]  # none
 * [Buffer out]    # none
 *
 * [Launch]
 * Entry=specimens_average_repeated
 * Grid=1
 * Block=block
 * Arguments=in,n,iterations
 *
 * [Check]
 * Output=in
 * Reference=average
 * Relative=1e-6
 */

/* A specimen: case 3 of average/cases as it is first written down. There is one
 * block, and a barrier after each iteration, so that no iteration overtakes
 * another. Within an iteration, thread i still reads elements i - 1 and i + 1,
 * which two other threads overwrite.
 *
 * Expect errors on a GPU at the borders of warps, which spread by one element
 * per iteration. */
extern "C" __global__ void
specimens_average_repeated (float *in, int n, int iterations)
{
  for (int k = 0; k < iterations; k++)
    {
      for (int i = threadIdx.x; i < n; i += BLOCK)
        if (i > 0 && i < n - 1)
          in[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
      __syncthreads ();
    }
}

/*! cured
 * [Claim barriers]
 * Text=Each warp waits once per iteration
 * Metric=barriers
 * At=iterations=8,n=1000
 * Low=64
 * High=64
 */
