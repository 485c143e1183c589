// SPDX-License-Identifier: MIT
// Sum in two launches, whose second one works in global memory.
/*! cured
 * [Kernel]
 * Title=Sum in two launches, in global memory
 * Summary=Static array for a block's own slice; a second launch adds the blocks' sums where they are
 * Family=specimens
 * Step=24
 * Like=specimens/one-launch-sum
 *
 * [Require array]  # none
 *
 * [Launch 1]
 * Entry=specimens_one_launch_sum_fixed
 * Grid=blocks
 * Block=block
 * Arguments=in,partial
 *
 * [Launch 2]
 * Entry=specimens_one_launch_sum_fixed_finish
 * Grid=1
 * Block=blocks
 * Arguments=partial,out
 */

/* The twin of specimens/one-launch-sum: a slice's own array, barriers after
 * the branches, and a second launch, which begins when all blocks of the first
 * have ended. A barrier orders global memory within a block, so the sums may
 * stay there. */
extern "C" __global__ void
specimens_one_launch_sum_fixed (const int *in, int *partial)
{
  __shared__ int data[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  data[threadIdx.x] = in[i];
  __syncthreads ();
  for (int half = BLOCK / 2; half > 0; half /= 2)
    {
      if (threadIdx.x < half)
        data[threadIdx.x] += data[threadIdx.x + half];
      __syncthreads ();
    }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = data[0];
}

extern "C" __global__ void
specimens_one_launch_sum_fixed_finish (int *partial, int *out)
{
  const int i = threadIdx.x;

  for (int half = BLOCKS / 2; half > 0; half /= 2)
    {
      if (i < half)
        partial[i] += partial[i + half];
      __syncthreads ();
    }
  if (i == 0)
    out[0] = partial[0];
}

/*! cured
 * [Sweep]
 * X=blocks
 * Y=block
 * block=64,256,1024
 * blocks=1,2,8
 *
 * [Claim clean]
 * Text=Every thread reaches every barrier, and a launch waits for all blocks of the one before it
 * Metric=findings
 * High=0
 */
