// SPDX-License-Identifier: MIT
// Averaging filter on one array, wrong on purpose: neighbours read and write.
/*! cured
 * [Kernel]
 * Title=Averaging in place
 * Summary=Each element becomes the mean of itself and its neighbours, in the array where they are read
 * Family=specimens
 * Step=9
 * Defect=global-race
 * Like=specimens/average-one-launch
 *
 * [Parameter iterations]  # none
 * [Buffer spare]          # none
 * [Buffer out]            # none
 *
 * [Launch]
 * Entry=specimens_average_in_place
 * Grid=ceil(n/block)
 * Block=block
 * Arguments=in,n
 *
 * [Check]
 * Output=in
 * Reference=average
 * Relative=1e-6
 */

/* A specimen. Thread i reads elements i - 1 and i + 1, which two other threads
 * overwrite. Their order is left to chance, within a block and even more
 * across blocks: there a barrier would not help, and the remedy is another
 * array.
 *
 * Expect most elements right on a GPU, since the threads of a warp read before
 * they write, and wrong ones at the borders of warps. */
extern "C" __global__ void
specimens_average_in_place (float *in, int n)
{
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  if (i > 0 && i < n - 1)
    in[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}

/*! cured
 * [Sweep]
 * X=block
 * Y=n
 * block=64,256,1024
 * n=1000,1024,10^5
 *
 * [Claim barriers]
 * Text=There is no barrier
 * Metric=barriers
 * At=n=1000
 * High=0
 */
