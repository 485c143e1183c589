// SPDX-License-Identifier: MIT
// Averaging filter from one array to another.
/*! cured
 * [Kernel]
 * Title=Averaging from one array to another
 * Summary=Each element becomes the mean of itself and its neighbours, in a second array
 * Family=specimens
 * Step=9
 * Like=specimens/average-one-launch
 *
 * [Parameter iterations]  # none
 * [Buffer spare]          # none
 *
 * [Launch]
 * Entry=specimens_average_in_place_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,out,n
 */

/* The twin of specimens/average-in-place: no thread writes elements that
 * others read. For more than one pass the arrays are swapped between
 * launches. */
extern "C" __global__ void
specimens_average_in_place_fixed (const float *__restrict__ in,
                                  float *__restrict__ out,
                                  int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
  else if (i < n)
    out[i] = in[i];
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim barriers]
 * Text=With two arrays, none is needed
 * Metric=barriers
 * At=n=1000
 * High=0
 */
