// SPDX-License-Identifier: MIT
// Averaging filter, one launch per iteration.
/*! cured
 * [Kernel]
 * Title=Averaging many times with a launch each
 * Summary=Many blocks make one iteration per launch; the end of a launch is the barrier of all blocks
 * Family=specimens
 * Step=17
 * Like=specimens/average-one-launch
 *
 * [Launch 1]
 * Entry=specimens_average_one_launch_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,spare,out,(iterations-1)%2,n
 *
 * [Launch 2]
 * Entry=specimens_average_one_launch_fixed
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=spare,spare,out,0,n
 * Repeat=iterations-1
 * Swap=spare,out
 */

/* The twin of specimens/average-one-launch: the end of a launch is the only
 * barrier that all blocks have. */
extern "C" __global__ void
specimens_average_one_launch_fixed (
    const float *in, float *spare, float *out, int to_spare, int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  float *to = to_spare ? spare : out;

  if (i > 0 && i < n - 1)
    to[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
  else if (i < n)
    to[i] = in[i];
}

/*! cured
 * [Claim barriers]
 * Text=There is no barrier but the ends of the launches
 * Metric=barriers
 * At=iterations=8,n=1000
 * High=0
 */
