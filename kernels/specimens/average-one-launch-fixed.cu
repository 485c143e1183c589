// SPDX-License-Identifier: MIT
// Averaging filter, one launch an iteration.
/*! cured
 * [Kernel]
 * Title=Averaging many times with a launch each
 * Summary=Many blocks make one iteration a launch; the end of a launch is the barrier of all blocks
 * Family=specimens
 * Step=17
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
 * [Parameter iterations]
 * Kind=problem
 * Default=8
 * Summary=iterations, any number
 *
 * [Buffer in]
 * Type=f32
 * Length=n
 * Fill=uniform
 * Low=0
 * High=100
 *
 * [Buffer spare]
 * Type=f32
 * Length=n
 * Fill=poison
 *
 * [Buffer out]
 * Type=f32
 * Length=n
 * Fill=poison
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
 *
 * [Check]
 * Output=out
 * Reference=average
 * Relative=1e-6
 *
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=100,1000,10007
 *
 * [Claim barriers]
 * Text=There is no barrier but the ends of the launches
 * Metric=barriers
 * At=iterations=8,n=1000
 * High=0
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
