// SPDX-License-Identifier: MIT
// Averaging filter on one array, many times, with care.
/*! cured
 * [Kernel]
 * Title=Averaging in place, many times, with care
 * Summary=One block makes many iterations on one array; all read before anybody writes
 * Family=specimens
 * Step=15
 * Like=specimens/average-one-launch
 *
 * [Buffer spare]  # none
 * [Buffer out]    # none
 *
 * [Launch]
 * Entry=specimens_average_repeated_fixed
 * Grid=1
 * Block=block
 * Arguments=in,n,iterations
 *
 * [Check]
 * Output=in
 * Reference=average
 * Relative=1e-6
 */

/* The twin of specimens/average-repeated. All elements of a tile are read
 * before any is written, with a barrier in between. The last one of a tile is
 * also read for the next tile, which would find it overwritten. */
extern "C" __global__ void
specimens_average_repeated_fixed (float *in, int n, int iterations)
{
  for (int k = 0; k < iterations; k++)
    {
      float left = threadIdx.x > 0 && threadIdx.x < n ? in[threadIdx.x - 1] : 0;

      for (int first = 0; first < n; first += BLOCK)
        {
          const int i = first + threadIdx.x;
          const float middle = i < n ? in[i] : 0;
          const float right = i < n - 1 ? in[i + 1] : 0;
          const float next = i + BLOCK < n ? in[i + BLOCK - 1] : 0;

          __syncthreads ();
          if (i > 0 && i < n - 1)
            in[i] = (left + middle + right) / 3;
          left = next;
        }
      __syncthreads ();
    }
}

/*! cured
 * [Claim barriers]
 * Text=Each warp waits once per tile, and once more per iteration
 * Metric=barriers
 * At=iterations=8,n=1000
 * Low=320
 * High=320
 */
